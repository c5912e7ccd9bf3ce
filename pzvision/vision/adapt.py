"""Learning one tile set from photos of its 27 tiles: which face is which, and a corrected last layer.

The reader's body stays as it is. Its last layer gets a small correction, found by ridge-bound logistic
regression on the faces of the photos as they would look on the table: small, blurred, noisy, turned. How
strong the correction may be is decided on photos that it has not seen; none at all is one of the choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.tiles import KINDS, OTHER, format_tile
from pzvision.vision.correction import Basis, Samples, fit
from pzvision.vision.detections import FloatArray, IntArray
from pzvision.vision.detector import TileDetector
from pzvision.vision.finder import FACE
from pzvision.vision.harm import harm
from pzvision.vision.obb import overlaps, side_px
from pzvision.vision.reader import FaceReader
from pzvision.vision.rectify import rectify
from pzvision.vision.session import source_digest
from pzvision.vision.set_layout import LayoutConfig, grid_quads, name_freely, name_grid
from pzvision.vision.tile_set import TileSet

Image = npt.NDArray[np.uint8]
Order: TypeAlias = Literal["auto", "rows", "any"]
ORDERS: Final[tuple[Order, ...]] = ("auto", "rows", "any")


@dataclass(frozen=True)
class AdaptConfig:
    """What makes a photo good enough, and how the correction is learnt.

    Attributes:
        layout: see `LayoutConfig`.
        least_px: smallest side (root of area) of a face in the photo, px.
        least_sharp: least sharpness of the photo's faces (`sharpness`), median.
        least_score: finds of a lower share of the median score are not counted as faces.
        paper, ink: a place of the grid without a find is a tile where its light parts are as light as the
            others' to this share, and its contrast has at least this share of theirs.
        disagreeing: most kinds that may look more like another kind of the other photo.
        variants, tests: harmed pictures of each face to learn from, and to be tested on.
        sizes: px they are reduced to.
        jitter: standard deviation of an outline's corners, in parts of its side.
        grounds: places beside the tiles, whose reading shall stay as it is.
        components: directions of the features in which a correction is looked for.
        strengths: ridges to choose from, strongest bond to the trained layer first.
        steps: of the optimiser.
        smoothing: share of a target given to all kinds.
        seed: of the harm.
    """

    layout: LayoutConfig = field(default_factory=LayoutConfig)
    least_px: float = 30.0
    least_sharp: float = 0.002
    least_score: float = 0.6
    paper: float = 0.25
    ink: float = 0.4
    disagreeing: int = 6
    components: int = 300
    variants: int = 112
    tests: int = 8
    sizes: tuple[int, ...] = (48, 48, 40, 32, 26, 22, 18, 15)
    jitter: float = 0.025
    grounds: int = 80
    strengths: tuple[float, ...] = (0.01, 1e-3, 1e-5, 1e-6)
    steps: int = 400
    smoothing: float = 0.03
    seed: int = 5


@dataclass(frozen=True, eq=False)
class SetPhoto:
    """A photo in which all 27 tiles are known.

    Attributes:
        name: for people.
        image: ``(H, W, 3)`` uint8 BGR.
        quads: ``(27, 4, 2)`` px: the outline of each kind's face, any corner first.
        grounds: ``(G, 4, 2)`` px: places of a tile's size where no tile lies.
        in_rows: whether the places told the names; else the faces did.
    """

    name: str
    image: Image
    quads: FloatArray
    grounds: FloatArray
    in_rows: bool


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
        strength: the chosen ridge, or None.
    """

    tile_set: TileSet | None
    trials: tuple[Trial, ...]
    strength: float | None


def read_set_photo(
    name: str,
    image: Image,
    detector: TileDetector,
    config: AdaptConfig | None = None,
    *,
    order: Order = "auto",
) -> SetPhoto:
    """Find the 27 tiles of a set and tell which is which.

    Args:
        name: of the photo, for people.
        image: ``(H, W, 3)`` uint8 BGR.
        order: ``rows``: the places in three rows of nine tell, whatever the faces look like; ``any``: the
            faces tell; ``auto``: the places unless the faces surely say otherwise.

    Raises:
        PzvisionError: naming the photo and why it cannot be used: not 27 faces, too small, blurred, no
            three rows of nine and no certain names either, rows in another order.
    """
    config = config or AdaptConfig()
    finder, reader = detector.stages
    if reader is None:
        raise ValueError("detector: expected one that reads")
    finds = finder(image)
    finds = finds[finds.classes == FACE]
    top = np.sort(finds.scores)[::-1][:KINDS]
    if len(top):
        finds = finds[finds.scores >= config.least_score * float(np.median(top))]
    counted = PzvisionError(
        f"{name}: {len(finds)} faces found; expected the 27 different tiles, face up, apart from each other"
    )
    grid = None if order == "any" else grid_quads(finds.quads, finds.scores, config.layout)
    if grid is not None and not _are_tiles(image, *grid, config):
        grid = None
    if grid is None and len(finds) != KINDS:
        raise counted
    quads = finds.quads if grid is None else grid[0]
    _check_picture(name, image, quads, reader, config)
    logp = np.log(reader.read(reader.cut(image, quads)).probs[:, :KINDS] + np.float32(1e-4))
    kinds = None if grid is None else _by_place(name, logp, order, config)
    in_rows = kinds is not None
    if kinds is None and order != "rows":
        kinds = name_freely(logp, config.layout)
    if kinds is None:
        raise PzvisionError(
            f"{name}: no three rows of nine"
            + ("" if order == "rows" else ", and the faces do not tell for certain which tile is which")
            + "; lay 万, 条 and 筒 in a row each, 1 to 9 from the left"
        )
    return SetPhoto(name, image, quads[np.argsort(kinds)], _grounds(image, finds.quads, config), in_rows)


def _check_picture(
    name: str, image: Image, quads: FloatArray, reader: FaceReader, config: AdaptConfig
) -> None:
    small = float(np.median(side_px(quads)))
    if small < config.least_px:
        raise PzvisionError(
            f"{name}: faces of {small:.0f} px; expected at least {config.least_px:.0f}: go nearer"
        )
    sharp = float(np.median(sharpness(reader.cut(image, quads))))
    if sharp < config.least_sharp:
        raise PzvisionError(
            f"{name}: blurred (sharpness {sharp:.4f}, expected {config.least_sharp}): hold still"
        )


def _are_tiles(image: Image, quads: FloatArray, found: npt.NDArray[np.bool_], config: AdaptConfig) -> bool:
    """Whether the places where no face was found look like tiles: as light as the others, and not empty."""
    if found.all():
        return True
    faces = rectify(image, quads).astype(np.float32).mean(axis=3).reshape(KINDS, -1)
    paper, ink = np.percentile(faces, 75, axis=1), faces.std(axis=1)
    like = np.abs(paper / np.median(paper[found]) - 1) < config.paper
    return bool((like & (ink > config.ink * np.median(ink[found])))[~found].all())


def _by_place(name: str, logp: FloatArray, order: Order, config: AdaptConfig) -> IntArray | None:
    """Names by the places in the rows; where these say another order, None if the faces tell for certain."""
    try:
        kinds = name_grid(logp, config.layout, trusted=order == "rows")
    except PzvisionError as error:
        if order != "rows" and name_freely(logp, config.layout) is not None:
            return None
        raise PzvisionError(f"{name}: {error}") from None
    sure = np.exp(logp.max(axis=1)) >= config.layout.sure
    against = np.flatnonzero(sure & (logp.argmax(axis=1) != kinds))
    if order != "rows" and len(against) > config.layout.contradictions:
        shown = ", ".join(
            f"{format_tile(int(kinds[i]))} looks like {format_tile(int(logp[i].argmax()))}"
            for i in against[:3]
        )
        raise PzvisionError(
            f"{name}: {len(against)} of 27 tiles contradict their places ({shown}, ...); expected 万, 条 and"
            " 筒 from above, each 1 to 9 from the left (where that is so: --order rows)"
        )
    return kinds


def sharpness(faces: Image) -> FloatArray:
    """``(N,)``: share of fine detail (variance of the Laplacian over 64 times that of the grey) in crops."""
    out = np.zeros(len(faces), np.float32)
    for i, face in enumerate(faces):
        grey = cv2.cvtColor(face, cv2.COLOR_BGR2GRAY).astype(np.float32)
        out[i] = cv2.Laplacian(grey, cv2.CV_32F).var() / (64 * grey.var() + 64.0)
    return out


def _grounds(image: Image, quads: FloatArray, config: AdaptConfig) -> FloatArray:
    """Outlines of a tile's size and shape that overlap no tile by much: what a wrong find looks like."""
    rng = np.random.default_rng([config.seed, 1])
    height, width = image.shape[:2]
    picked = quads[rng.integers(len(quads), size=config.grounds * 4)]
    low, high = quads.min(axis=(0, 1)), quads.max(axis=(0, 1))
    margin = (high - low) * 0.4
    at = rng.uniform(
        np.maximum(low - margin, 0), np.minimum(high + margin, [width, height]), (len(picked), 2)
    )
    moved = (picked - picked.mean(axis=1, keepdims=True) + at[:, None]).astype(np.float32)
    free = overlaps(moved, quads).max(axis=1) < 0.15
    return np.asarray(moved[free][: config.grounds], np.float32)


def harmed(
    photo: SetPhoto, reader: FaceReader, config: AdaptConfig, seed: int, variants: int
) -> tuple[Image, IntArray]:
    """Each face ``variants`` times as a table's camera would see it: small, blurred, noisy, turned."""
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
            nearest = (a @ b.T).argmax(axis=1)
            other = np.flatnonzero(nearest != np.arange(KINDS))
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

        best: tuple[float, float, list[Score]] | None = None
        for ridge in config.strengths:
            after = [
                test.score(learnt(basis, ridge), again) for basis, test in zip(without, tests, strict=True)
            ]
            # Never worse on a photo it has not seen: not in one name, and not in likelihood.
            if any(a.right < b.right or a.nll > b.nll for a, b in zip(after, before, strict=True)):
                continue
            nll = float(np.mean([a.nll for a in after]))
            if best is None or nll < best[0]:
                best = nll, ridge, after
        if best is None or best[0] > float(np.mean([b.nll for b in before])) - _BETTER:
            return Adaptation(None, _trials(photos, before, before), None)
        every = Basis.of(Samples.join(parts), config.components)
        return Adaptation(learnt(every, best[1]), _trials(photos, before, best[2]), best[1])
    finally:
        reader.tile_set = worn


def _trials(photos: Sequence[SetPhoto], before: Sequence[Score], after: Sequence[Score]) -> tuple[Trial, ...]:
    return tuple(Trial(p.name, b, a) for p, b, a in zip(photos, before, after, strict=True))
