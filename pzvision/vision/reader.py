"""Stage two of the detector: names rectified tile faces and tells which way up they lie."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.tiles import OTHER
from pzvision.vision.detections import FloatArray, IntArray
from pzvision.vision.rectify import GROW, SIZE, rectify
from pzvision.vision.session import open_network, run_batches, source_digest
from pzvision.vision.tile_set import TileSet

CLASSES: Final = OTHER + 1
_TINY: Final = np.float32(1e-7)


@dataclass(frozen=True)
class ReaderConfig:
    """How faces are read.

    Attributes:
        batch: faces per run of the network; bounds its memory.
        again: a face whose likeliest kind has less probability than this is read in the other three turns too
            and the four answers are averaged: the doubtful few gain, the many sure ones cost nothing. 0: off.
            On 4,500 rendered faces: 0.9365 right without, 0.9398 at 0.9, 0.9403 at 0.97 and at 1.1.
        grow: share of its size by which an outline is enlarged before it is cut out, as in training.
        face_log_ratio: log(height / width) of a tile's face.
        ratio_spread: standard deviation of that log ratio in pictures (foreshortening); the way up is judged
            by it as well as by the face.
    """

    batch: int = 128
    again: float = 0.9
    grow: float = GROW
    face_log_ratio: float = 0.29
    ratio_spread: float = 0.4


@dataclass(frozen=True, eq=False)
class Reading:
    """What ``N`` faces are.

    Attributes:
        probs: ``(N, 28)`` float32, calibrated: the 27 kinds and `tiles.OTHER` (any other face, or none).
        turns: ``(N, 4)`` float32: how likely the face's own top left is at corner 0, 1, 2, 3 of its picture
            (clockwise from the top left). Many faces look the same upside down; theirs is split between two.
    """

    probs: FloatArray
    turns: FloatArray

    def __len__(self) -> int:
        return len(self.probs)

    @property
    def kinds(self) -> IntArray:
        """``(N,)`` int64: the likeliest kind of each face."""
        return np.asarray(self.probs.argmax(axis=1), np.int64)

    @property
    def rotation(self) -> IntArray:
        """``(N,)`` int64 0–3: the corner where the face's own top left is."""
        return np.asarray(self.turns.argmax(axis=1), np.int64)


class FaceReader:
    """Runs ``reader.onnx``.

    Args:
        model: the ONNX file.
        threads: threads to use; None for all cores.
        backend: one of `session.BACKENDS`.
        tile_set: what was learnt of the set on the table.

    Raises:
        PzvisionError: the file is missing or is no face reader, or the tile set is for another one.
    """

    def __init__(
        self,
        model: Path,
        *,
        threads: int | None = None,
        config: ReaderConfig | None = None,
        backend: str = "auto",
        tile_set: TileSet | None = None,
    ) -> None:
        self.config = config or ReaderConfig()
        self.model = model
        self.network = open_network(model, threads, backend)
        inputs, outputs = self.network.inputs, self.network.outputs
        if list(inputs.get("faces", ()))[1:] != [SIZE, SIZE, 3] or outputs[:2] != ("kinds", "turns"):
            raise PzvisionError(
                f"{model}: not a face reader: expected input faces (n, {SIZE}, {SIZE}, 3) and outputs kinds, "
                f"turns; got {inputs} and {outputs}"
            )
        self._tile_set: TileSet | None = None
        self.tile_set = tile_set

    @property
    def tile_set(self) -> TileSet | None:
        """What was learnt of the set on the table; None reads as trained.

        Setting one raises `PzvisionError` where it was made for other weights.
        """
        return self._tile_set

    @tile_set.setter
    def tile_set(self, tile_set: TileSet | None) -> None:
        if tile_set is not None and tile_set.reader != source_digest(self.model):
            raise PzvisionError(
                f"tile set {tile_set.name!r}: made for another reader than {self.model.name};"
                " run pzvision adapt again on its photos"
            )
        if tile_set is not None:
            self._needs_features()
        self._tile_set = tile_set

    def features(self, faces: npt.NDArray[np.uint8]) -> tuple[FloatArray, FloatArray]:
        """What `pzvision adapt` learns from: log-probabilities ``(N, 28)`` as trained, ``(N, D)`` features.

        ``faces``: ``(N, SIZE, SIZE, 3)`` uint8 BGR, as `cut` gives them.

        Raises `PzvisionError` for a model that does not tell its features.
        """
        self._needs_features()
        kinds, _, features = run_batches(self.network, faces, self.config.batch)
        return np.log(kinds + _TINY), features

    def _needs_features(self) -> None:
        if self.network.outputs[2:3] != ("features",):
            raise PzvisionError(
                f"{self.model}: does not tell its features, so no tile set can be used with it;"
                " python -m pzvision.train.quantize makes one that does"
            )

    def read(self, faces: npt.NDArray[np.uint8]) -> Reading:
        """Read ``(N, SIZE, SIZE, 3)`` uint8 BGR pictures of faces, as `rectify` cuts them.

        Raises:
            ValueError: when `faces` has another shape or dtype.
        """
        if faces.ndim != 4 or faces.shape[1:] != (SIZE, SIZE, 3) or faces.dtype != np.uint8:
            raise ValueError(f"faces: expected uint8 (N, {SIZE}, {SIZE}, 3), got {faces.dtype} {faces.shape}")
        probs, turns = self._run(faces)
        doubtful = np.flatnonzero(probs.max(axis=1) < self.config.again) if len(faces) else np.zeros(0, int)
        if len(doubtful):
            picked = faces[doubtful]
            turned = [np.rot90(picked, k, axes=(1, 2)) for k in (1, 2, 3)]
            more, more_turns = (a.reshape(3, len(picked), -1) for a in self._run(np.concatenate(turned)))
            sums = [np.log(probs[doubtful] + _TINY), np.log(turns[doubtful] + _TINY)]
            for k in (1, 2, 3):
                sums[0] += np.log(more[k - 1] + _TINY)
                sums[1] += np.log(
                    np.roll(more_turns[k - 1], k, axis=1) + _TINY
                )  # its corner 0 was our corner k
            probs[doubtful], turns[doubtful] = (_softmax(s / 4) for s in sums)
        return Reading(probs, turns)

    def _run(self, faces: npt.NDArray[np.uint8]) -> tuple[FloatArray, FloatArray]:
        if not len(faces):
            return np.zeros((0, CLASSES), np.float32), np.zeros((0, 4), np.float32)
        kinds, turns, *rest = run_batches(self.network, faces, self.config.batch)
        if self._tile_set is not None:
            kinds = self._tile_set.correct(kinds, rest[0])
        return kinds, turns

    def cut(self, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.floating]) -> npt.NDArray[np.uint8]:
        """The pictures ``(N, SIZE, SIZE, 3)`` of the faces in outlines ``(N, 4, 2)`` px, for `read`.

        Each takes in a little more than its outline. ``image``: ``(H, W, 3)`` uint8 BGR.
        """
        centre = quads.mean(axis=1, keepdims=True)
        return rectify(image, centre + (quads - centre) * (1 + self.config.grow))

    def read_quads(
        self, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.floating]
    ) -> tuple[Reading, FloatArray]:
        """Read the tiles of a picture whose outlines are known but not which corner is the top left.

        Args:
            image: ``(H, W, 3)`` uint8 BGR.
            quads: ``(N, 4, 2)`` px, clockwise, any corner first.

        Returns:
            The reading (its `turns` count from the given first corner and weigh in the outline's proportions)
            and ``(N, 4, 2)`` float32 px: the same outlines, each from the face's own top left.
        """
        quads = np.asarray(quads, np.float32).reshape(-1, 4, 2)
        reading = self.read(self.cut(image, quads))
        turns = reading.turns * self._by_shape(quads)
        turns /= np.maximum(turns.sum(axis=1, keepdims=True), 1e-12)
        reading = Reading(reading.probs, turns.astype(np.float32))
        order = (np.arange(4)[None] + reading.rotation[:, None]) % 4
        return reading, np.take_along_axis(quads, order[..., None], axis=1)

    def _by_shape(self, quads: FloatArray) -> FloatArray:
        """``(N, 4)``: how well each rotation fits the outline's proportions: faces are higher than wide."""
        sides = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2) + 1e-3
        ratio = np.log((sides[:, 1] + sides[:, 3]) / (sides[:, 0] + sides[:, 2]))
        expected, spread = self.config.face_log_ratio, self.config.ratio_spread
        upright = np.exp(-((ratio - expected) ** 2) / (2 * spread**2))
        lying = np.exp(-((-ratio - expected) ** 2) / (2 * spread**2))
        return np.stack([upright, lying, upright, lying], axis=1).astype(np.float32) + 1e-6


def _softmax(x: FloatArray) -> FloatArray:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True), np.float32)
