"""Learning one tile set from photos of its 27 tiles: which face is which, and a corrected last layer.

The reader's body stays as it is. Its last layer gets a small correction, found by ridge-bound logistic
regression on the faces of the photos as they would look on the table: small, blurred, noisy, turned. How
strong the correction may be is decided on photos that it has not seen; none at all is one of the choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pzvision.errors import PzvisionError
from pzvision.tiles import KINDS, OTHER, format_tile
from pzvision.vision.correction import Basis, Samples, fit
from pzvision.vision.detections import FloatArray, IntArray
from pzvision.vision.detector import TileDetector
from pzvision.vision.harm import harm
from pzvision.vision.obb import side_px
from pzvision.vision.reader import FaceReader
from pzvision.vision.rectify import rectify
from pzvision.vision.session import source_digest
from pzvision.vision.set_photos import ORDERS as ORDERS
from pzvision.vision.set_photos import AdaptConfig as AdaptConfig
from pzvision.vision.set_photos import Image
from pzvision.vision.set_photos import Order as Order
from pzvision.vision.set_photos import SetPhoto as SetPhoto
from pzvision.vision.set_photos import read_set_photo as read_set_photo
from pzvision.vision.set_photos import sharpness as sharpness
from pzvision.vision.tile_set import TileSet


@dataclass(frozen=True)
class Score:
    """How well 27 faces are read.

    Attributes:
        right: of 27, as photographed.
        small: share of them read rightly when harmed as on a table.
        nll: mean negative log-likelihood of the truth of the harmed ones, nats.
        wrong: tiles misread as photographed, in tile notation.
    """

    right: int
    small: float
    nll: float
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trial:
    """Learnt without a photo, tested on it: before and after."""

    tested: str
    before: Score
    after: Score


@dataclass(frozen=True, eq=False)
class Adaptation:
    """What came of it.

    Attributes:
        tile_set: learnt from all photos; None where no correction is better than none.
        trials: one per photo, each tested on faces the trial had not learnt from.
        strength: the chosen ridge (parts of the features' mean square), or None.
    """

    tile_set: TileSet | None
    trials: tuple[Trial, ...]
    strength: float | None


def harmed(
    photo: SetPhoto, reader: FaceReader, config: AdaptConfig, seed: int, variants: int
) -> tuple[Image, IntArray]:
    """Each face ``variants`` times as a table's camera would see it: small, blurred, noisy, turned.

    Returns ``(N, S, S, 3)`` uint8 and the number of each one's face ``(N,)``.
    """
    rng = np.random.default_rng([config.seed, 2, seed])
    faces, kinds = [], []
    sides = side_px(photo.quads)
    for variant in range(variants):
        size = config.sizes[variant % len(config.sizes)]
        shaken = photo.quads + rng.normal(0, config.jitter, photo.quads.shape) * sides[:, None, None]
        centre = shaken.mean(axis=1, keepdims=True)
        grown = centre + (shaken - centre) * (1 + reader.config.grow + rng.normal(0, 0.02))
        turned = np.roll(grown, variant % 4, axis=1)
        for kind, face in enumerate(rectify(photo.image, turned.astype(np.float32), size)):
            faces.append(harm(face, rng))
            kinds.append(kind)
    return np.stack(faces), np.array(kinds, np.int64)


def _samples(photo: SetPhoto, reader: FaceReader, config: AdaptConfig) -> Samples:
    faces, kinds = harmed(photo, reader, config, 0, config.variants)
    logp, features = reader.features(faces)
    targets = np.full((len(kinds), OTHER + 1), config.smoothing / (OTHER + 1), np.float32)
    targets[np.arange(len(kinds)), kinds] += 1 - config.smoothing
    if not len(photo.grounds):
        return Samples(features, logp, targets)
    ground = reader.cut(photo.image, photo.grounds)
    ground_logp, ground_features = reader.features(ground)
    return Samples(
        np.concatenate([features, ground_features]),
        np.concatenate([logp, ground_logp]),
        np.concatenate([targets, np.exp(ground_logp)]),
    )


@dataclass(frozen=True, eq=False)
class _Test:
    """A photo's faces as photographed (the first 27) and harmed, each seen in all four turns."""

    kinds: IntArray
    logp: FloatArray
    features: FloatArray

    @classmethod
    def of(cls, photo: SetPhoto, reader: FaceReader, config: AdaptConfig) -> _Test:
        harm, kinds = harmed(photo, reader, config, 1, config.tests)
        faces = np.concatenate([reader.cut(photo.image, photo.quads), harm])
        turned = np.concatenate([np.rot90(faces, k, axes=(1, 2)) for k in range(4)])
        logp, features = reader.features(turned)
        kinds = np.concatenate([np.arange(KINDS), kinds])
        return cls(kinds, logp.reshape(4, len(kinds), -1), features.reshape(4, len(kinds), -1))

    def score(self, tile_set: TileSet | None, again: float) -> Score:
        """How well they are read, doubtful ones (below ``again``) in all turns, as the reader does it."""
        logp = self.logp
        if tile_set is not None:
            logp = np.log(tile_set.correct(np.exp(logp), self.features) + np.float32(1e-7))
        doubtful = np.exp(logp[0].max(axis=1)) < again
        said = np.where(doubtful[:, None], logp.mean(axis=0), logp[0])
        said = said - np.log(np.exp(said).sum(axis=1, keepdims=True))
        names = said.argmax(axis=1)
        right = names == self.kinds
        truth = said[np.arange(len(self.kinds)), self.kinds]
        wrong = tuple(f"{format_tile(k)}→{_name(int(names[k]))}" for k in range(KINDS) if not right[k])
        return Score(
            int(right[:KINDS].sum()), float(right[KINDS:].mean()), float(-truth[KINDS:].mean()), wrong
        )


def _name(kind: int) -> str:
    return "other" if kind == OTHER else format_tile(kind)


def check_agreement(photos: Sequence[SetPhoto], reader: FaceReader, config: AdaptConfig) -> None:
    """Each tile must look more like itself in another photo than like the other tiles there.

    Raises:
        PzvisionError: the same photo twice, or photos that give one name to different tiles.
    """
    views = []
    for photo in photos:
        faces = reader.cut(photo.image, photo.quads)
        turned = np.concatenate([np.rot90(faces, k, axes=(1, 2)) for k in range(4)])
        _, features = reader.features(turned)
        mean = features.reshape(4, KINDS, -1).mean(axis=0)
        views.append((faces, mean))
    centre = np.concatenate([v for _, v in views]).mean(axis=0)
    for i, (faces, features) in enumerate(views):
        for j in range(i):
            if faces.shape == views[j][0].shape and np.abs(faces.astype(int) - views[j][0]).mean() < 0.5:
                raise PzvisionError(
                    f"{photos[i].name}: the same picture as {photos[j].name}; expected photos taken anew"
                )
            a, b = features - centre, views[j][1] - centre
            a /= np.linalg.norm(a, axis=1, keepdims=True) + 1e-9
            b /= np.linalg.norm(b, axis=1, keepdims=True) + 1e-9
            alike = a @ b.T
            nearest = alike.argmax(axis=1)
            other = np.flatnonzero(alike.max(axis=1) > np.diag(alike) + config.apart)
            if len(other) > config.disagreeing:
                shown = ", ".join(f"{format_tile(int(k))} here is {format_tile(int(nearest[k]))} there"
                                  for k in other[:3])  # fmt: skip
                raise PzvisionError(
                    f"{photos[i].name} contradicts {photos[j].name}: {len(other)} of 27 look like others"
                    f" ({shown}, ...); expected the same set in the same order"
                )


_BETTER: Final = 0.02
"""Nats by which the mean likelihood on the unseen photos must gain for a correction to be worth it."""


def adapt(
    name: str, photos: Sequence[SetPhoto], detector: TileDetector, config: AdaptConfig | None = None
) -> Adaptation:
    """Learn a set from two or more photos; the detector's own tile set, if any, is not changed.

    Raises:
        PzvisionError: fewer than two photos, or photos that contradict each other.
    """
    config = config or AdaptConfig()
    reader = detector.stages[1]
    assert reader is not None
    if len(photos) < 2:
        raise PzvisionError(
            f"adapt: {len(photos)} photo; expected two, the second to test what the first taught"
        )
    worn, digest = reader.tile_set, source_digest(reader.model)
    reader.tile_set = None
    try:
        check_agreement(photos, reader, config)
        parts = [_samples(photo, reader, config) for photo in photos]
        tests = [_Test.of(photo, reader, config) for photo in photos]
        again = reader.config.again
        before = [test.score(None, again) for test in tests]

        without = [
            Basis.of(Samples.join([p for k, p in enumerate(parts) if k != index]), config.components)
            for index in range(len(photos))
        ]

        def learnt(basis: Basis, ridge: float) -> TileSet:
            return TileSet(name, digest, *fit(basis, ridge, config.steps))

        best: tuple[float, list[Score]] | None = None
        for ridge in config.strengths:
            after = [
                test.score(learnt(basis, ridge), again) for basis, test in zip(without, tests, strict=True)
            ]
            if gains(before, after, config) and (best is None or _rank(after) > _rank(best[1])):
                best = ridge, after
        if best is None:
            return Adaptation(None, _trials(photos, before, before), None)
        every = Basis.of(Samples.join(parts), config.components)
        return Adaptation(learnt(every, best[0]), _trials(photos, before, best[1]), best[0])
    finally:
        reader.tile_set = worn


def gains(before: Sequence[Score], after: Sequence[Score], config: AdaptConfig) -> bool:
    """Whether a correction helps on photos that it has not seen: never one name fewer in any of them.

    Where more names are right, likelihood may fall by ``config.slack``; else it must rise.
    """
    pairs = list(zip(before, after, strict=True))
    if any(a.right < b.right for b, a in pairs):
        return False
    more = sum(a.right - b.right for b, a in pairs) > 0 and all(a.small >= b.small for b, a in pairs)
    if more and all(a.nll <= b.nll + config.slack for b, a in pairs):
        return True
    risen = float(np.mean([b.nll - a.nll for b, a in pairs]))
    return all(a.nll <= b.nll for b, a in pairs) and risen >= _BETTER


def _rank(scores: Sequence[Score]) -> tuple[int, float]:
    """More names right first, then the likelihood."""
    return sum(s.right for s in scores), -float(np.mean([s.nll for s in scores]))


def _trials(photos: Sequence[SetPhoto], before: Sequence[Score], after: Sequence[Score]) -> tuple[Trial, ...]:
    return tuple(Trial(p.name, b, a) for p, b, a in zip(photos, before, after, strict=True))
