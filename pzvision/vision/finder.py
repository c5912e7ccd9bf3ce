"""Stage 1 of the detector: where tiles are, at any angle, as outlines of faces and backs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.vision.detections import FloatArray, IntArray
from pzvision.vision.obb import anchor_points, covered, decode, side_px, suppress, vote
from pzvision.vision.session import open_network

Image = npt.NDArray[np.uint8]
FACE: Final = 0
BACK: Final = 1
_GREY: Final = 114


@dataclass(frozen=True)
class FinderConfig:
    """How the finder looks.

    Attributes:
        long_side: of the network's input, px; a picture is scaled to it.
        enlarge: a picture is enlarged at most this much.
        threshold: least score of a find, 0–1.
        back_threshold: least score of a back; plain dark rectangles look like one.
        overlap: outlines more alike than this (0–1, see `obb.overlaps`) are one tile.
        inside: a find with this share of its area inside a better one is a piece of that tile.
        vote: outlines more alike than this to the one that stays are averaged into it.
        again: whether a second, finer or coarser look is taken where the tiles come out too small or large.
        small_px: tiles whose median side (root of area, px of the network's input) is under this are small:
            the picture is looked at again, larger (at most as it is), in overlapping windows.
        large_px: likewise; the picture is looked at again, smaller.
        wanted_px: the side that a second look aims at.
        most_windows: a second look takes at most this many windows.
    """

    long_side: int = 1280
    enlarge: float = 2.0
    threshold: float = 0.3
    back_threshold: float = 0.45
    overlap: float = 0.5
    inside: float = 0.65
    vote: float = 0.6
    again: bool = True
    small_px: float = 24.0
    large_px: float = 130.0
    wanted_px: float = 45.0
    most_windows: int = 12


CALIBRATION: Final = "score_calibration"
"""Key of the model's metadata: slope and offset for faces, then for backs (`train.calibrate_scores`)."""


def format_calibration(lines: Sequence[tuple[float, float]]) -> str:
    """``[(slope, offset) of faces, of backs]`` → ``"1.2 3.4 1.1 2.0"``."""
    return " ".join(f"{value:.6g}" for line in lines for value in line)


def parse_calibration(text: str) -> tuple[tuple[float, float], ...]:
    """The other way round; an empty text is no calibration: ``((1, 0), (1, 0))``.

    Raises `PzvisionError` for anything but four finite numbers with slopes above 0.
    """
    try:
        values = [float(word) for word in text.split()] or [1.0, 0.0, 1.0, 0.0]
    except ValueError:
        values = []
    if len(values) != 4 or not np.isfinite(values).all() or values[0] <= 0 or values[2] <= 0:
        raise PzvisionError(f"{CALIBRATION} {text!r}: expected slope and offset of faces and of backs")
    return (values[0], values[1]), (values[2], values[3])


def logit(scores: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """log(p / (1 - p)), finite at 0 and 1."""
    p = np.clip(np.asarray(scores, np.float64), 1e-6, 1 - 1e-6)
    return np.asarray(np.log(p / (1 - p)), np.float64)


@dataclass(frozen=True, eq=False)
class Finds:
    """``N`` outlines.

    Attributes:
        quads: ``(N, 4, 2)`` float32 px, clockwise.
        scores: ``(N,)`` float32, 0–1.
        classes: ``(N,)`` int64, `FACE` or `BACK`.
    """

    quads: FloatArray
    scores: FloatArray
    classes: IntArray

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, index: IntArray | npt.NDArray[np.bool_]) -> Finds:
        return Finds(self.quads[index], self.scores[index], self.classes[index])


def _join(parts: list[Finds]) -> Finds:
    return Finds(
        np.concatenate([p.quads for p in parts]),
        np.concatenate([p.scores for p in parts]),
        np.concatenate([p.classes for p in parts]),
    )


class TileFinder:
    """Finds tiles in pictures.

    ``threads``: to use; None for all cores. ``backend``: one of `session.BACKENDS`.
    """

    def __init__(
        self,
        model: Path,
        *,
        config: FinderConfig | None = None,
        threads: int | None = None,
        backend: str = "auto",
    ) -> None:
        self.config = config or FinderConfig()
        self.network = open_network(model, threads, backend)
        if self.network.metadata.get("task") != "pzvision-finder":
            raise PzvisionError(f"model {model}: not a tile finder")
        self._calibration = parse_calibration(self.network.metadata.get(CALIBRATION, ""))
        self._anchors: dict[tuple[int, int], FloatArray] = {}

    def believed(self, finds: Finds) -> FloatArray:
        """``(N,)`` float32: how likely each find is a tile, by its score and the calibration of the model."""
        lines = np.array(self._calibration)[finds.classes].reshape(-1, 2)
        sure = 1 / (1 + np.exp(-(lines[:, 0] * logit(finds.scores) + lines[:, 1])))
        return np.asarray(sure, np.float32)

    def __call__(self, image: Image) -> Finds:
        """Outlines in ``(H, W, 3)`` uint8 BGR, best score first. Raises `ValueError` for another shape."""
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or 0 in image.shape:
            raise ValueError(f"image: expected uint8 (H, W, 3), got {image.dtype} {image.shape}")
        cfg = self.config
        scale = self.scale(image)
        found = self._look(image, scale)
        if not cfg.again:
            return found
        sure = found[found.scores > 0.4]
        side = float(np.median(side_px(sure.quads))) * scale if len(sure) >= 3 else None
        if side is not None and side > cfg.large_px:
            return self._look(image, scale * cfg.wanted_px * 1.6 / side)
        if (side is None and scale >= 1) or (side is not None and side >= cfg.small_px):
            return found
        finer = min(scale * cfg.wanted_px / side if side else 1.0, 1.0)
        if finer < 1.25 * scale:
            return found
        return self._windows(image, finer, found)

    def look(self, image: Image, scale: float) -> Finds:
        """One look at ``scale``, without a second one: for parts of a picture whose scale is known."""
        return self._look(image, scale)

    def scale(self, image: Image) -> float:
        """What the first look at a picture scales it by."""
        return float(min(self.config.long_side / max(image.shape[:2]), self.config.enlarge))

    def _windows(self, image: Image, scale: float, found: Finds) -> Finds:
        """Look again in overlapping windows at ``scale``; where there are finds, only round them."""
        cfg = self.config
        height, width = image.shape[:2]
        span = cfg.long_side / scale
        margin = 2.0 * float(np.median(side_px(found.quads))) if len(found) else span * 0.1
        area = np.array([0.0, 0.0, width, height])
        if len(found) >= 3:
            area[:2] = np.maximum(found.quads.min((0, 1)) - 2 * margin, 0)
            area[2:] = np.minimum(found.quads.max((0, 1)) + 2 * margin, [width, height])
        spots = [
            (x, y)
            for y in _starts(area[1], area[3], min(span, height), margin)
            for x in _starts(area[0], area[2], min(span, width), margin)
        ]
        if len(spots) > cfg.most_windows:
            return found
        parts = [found]
        for x, y in spots:
            right, bottom = min(width, int(x + span)), min(height, int(y + span))
            part = self._look(image[y:bottom, x:right], scale)
            quads = part.quads + np.array([x, y], np.float32)
            low, high = quads.min(1), quads.max(1)
            cut = np.zeros(len(part), bool)
            for axis, (start, end, full) in enumerate(((x, right, width), (y, bottom, height))):
                cut |= (start > 0) & (low[:, axis] < start + 3) | (end < full) & (high[:, axis] > end - 3)
            parts.append(Finds(quads, part.scores, part.classes)[~cut])
        every = _join(parts)
        order = np.argsort(-every.scores, kind="stable")
        every = every[order]
        every = every[suppress(every.quads, every.scores, cfg.overlap)]
        return every[~covered(every.quads, cfg.inside)]

    def _look(self, image: Image, scale: float) -> Finds:
        height, width = image.shape[:2]
        canvas, (w, h) = self.prepare(image, scale)
        return self.outlines(self.network.run(canvas)[0], canvas, np.array([width / w, height / h]))

    def prepare(self, image: Image, scale: float) -> tuple[Image, tuple[int, int]]:
        """The network's input ``(1, H, W, 3)``, sides multiples of 32, and the size of the picture in it."""
        height, width = image.shape[:2]
        w, h = max(1, round(width * scale)), max(1, round(height * scale))
        sized = image
        if (w, h) != (width, height):
            how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
            sized = np.asarray(cv2.resize(image, (w, h), interpolation=how), np.uint8)
        canvas = np.empty((1, -(-h // 32) * 32, -(-w // 32) * 32, 3), np.uint8)
        canvas[0, :h, :w] = sized
        canvas[0, h:] = _GREY
        canvas[0, :h, w:] = _GREY
        return canvas, (w, h)

    def outlines(self, rows: FloatArray, canvas: Image, scale: npt.NDArray[np.floating]) -> Finds:
        """From the network's answer for ``canvas`` to outlines in px of the picture.

        ``scale``: ``(2,)`` px of the picture per px of the canvas.
        """
        full_h, full_w = canvas.shape[1:3]
        key = (full_w, full_h)
        if key not in self._anchors:
            if len(self._anchors) > 8:
                self._anchors.clear()
            self._anchors[key] = anchor_points(full_w, full_h)
        quads, scores, classes = decode(rows, self._anchors[key], self.config.threshold)
        keep = suppress(quads, scores, self.config.overlap)
        better = vote(quads, scores, keep, self.config.vote)
        quads[keep] = better
        keep = keep[(classes[keep] == FACE) | (scores[keep] >= self.config.back_threshold)]
        keep = keep[~covered(quads[keep], self.config.inside)]
        return Finds((quads[keep] * scale).astype(np.float32), scores[keep], classes[keep])


def _starts(low: float, high: float, span: float, margin: float) -> list[int]:
    """Evenly spaced window starts that cover ``low``–``high`` with at least ``margin`` of overlap."""
    length = high - low
    if length <= span:
        return [int(max(0.0, min(low, high - span)))]
    step = max(span - margin, span * 0.5)
    count = int(np.ceil((length - span) / step)) + 1
    return [int(v) for v in np.linspace(low, high - span, count)]
