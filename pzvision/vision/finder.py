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
"""A picture: ``(H, W, 3)`` uint8 BGR."""
FACE: Final = 0
BACK: Final = 1
_GREY: Final = 114
_SURE: Final = 0.4  # finds with a higher score tell how large the tiles are
_SMALLEST: Final = 0.1  # quantile of the tiles' sides that a second look is made for
_WORTH_IT: Final = 1.15  # a second look enlarges at least this much more than the first
_FEW: Final = 3  # fewer finds say nothing about the size of the tiles


@dataclass(frozen=True)
class FinderConfig:
    """How the finder looks.

    Attributes:
        long_side: of the network's input, px, in one look at a whole picture.
        first_side: the same in the first look at a picture of which nothing is known yet, which tells how
            large its tiles are and where they lie.
        enlarge: a picture is enlarged at most by this factor.
        averaged: one made smaller than by this factor is averaged, else sampled, five times as quick: on 200
            rendered tables shown at 0.75 of their size 876 errors instead of 884.
        threshold: least score of a find, 0–1.
        back_threshold: least score of a back, 0–1; plain dark rectangles look like one.
        overlap: outlines more alike than this (0–1, see `obb.overlaps`) are one tile.
        inside: a find with this share of its area inside a better one is a piece of that tile.
        vote: outlines more alike than this (0–1) to the one that stays are averaged into it.
        again: whether a second look is taken, as close as the tiles that the first one found need it.
        wanted_px: the side (root of area, px of the network's input) that the second look aims at for the
            smallest tenth of the tiles; it is never coarser than one of ``long_side``. On 200 rendered tables
            22, 24 and 26 px made 1,158, 1,137 and 1,130 errors, in 108, 114 and 121 ms of processor time.
        small_px: tiles known to have a smaller side than this in one look are looked at closer ...
        known_px: ... so that they come out with this one.
        closer: a second look enlarges the picture at most by this factor.
        steps: its scales are powers of this factor, and ...
        grid_px: ... what it looks at ends at multiples of so many px of its input, so that pictures of one
            camera come in one size: see `session` for what that spares.
        round_px: it looks at least so far beyond what was found, px of its input, for tiles that the first
            look did not see.
        whole_px: it is one look where its input has at most so many pixels, else windows that overlap.
        window_px: side of those windows, px of the network's input.
        most_windows: it takes at most this many windows; where more would be needed it enlarges less.
        large_px: tiles whose median side is over this are large: the picture is looked at again, smaller ...
        fitting_px: ... so that they come out with this side.
    """

    long_side: int = 1280
    first_side: int = 960
    enlarge: float = 2.0
    averaged: float = 0.6
    threshold: float = 0.3
    back_threshold: float = 0.45
    overlap: float = 0.5
    inside: float = 0.65
    vote: float = 0.6
    again: bool = True
    wanted_px: float = 24.0
    small_px: float = 24.0
    known_px: float = 36.0
    closer: float = 3.0
    steps: float = 1.08
    grid_px: float = 64.0
    round_px: float = 72.0
    whole_px: int = 2_400_000
    window_px: int = 640
    most_windows: int = 48
    large_px: float = 130.0
    fitting_px: float = 72.0


CALIBRATION: Final = "score_calibration"
"""Key of the model's metadata: slope and offset for faces, then for backs (`train.calibrate_scores`)."""


def format_calibration(lines: Sequence[tuple[float, float]]) -> str:
    """``lines``, slope and offset of logits of faces, then of backs → ``"1.2 3.4 1.1 2.0"``."""
    return " ".join(f"{value:.6g}" for line in lines for value in line)


def parse_calibration(text: str) -> tuple[tuple[float, float], ...]:
    """The other way round, of logits; an empty text is no calibration: ``((1, 0), (1, 0))``.

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
    """log(p / (1 - p)) of ``scores`` of any shape, in the same shape; finite at 0 and 1."""
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
        """The chosen rows (a mask ``(N,)`` or indices ``(K,)``)."""
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
    Raises `PzvisionError` for a model that is no tile finder.
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

    def __call__(self, image: Image, tile_px: float | None = None) -> Finds:
        """Outlines in ``(H, W, 3)`` uint8 BGR, best score first. Raises `ValueError` for another shape.

        ``tile_px``: the side of every tile (root of area, px of the picture) where that is known, as in the
        view from above of a calibrated table. Then it alone says how closely to look: one look where it is
        enough, else windows over all of the picture. None: that is told from what the first look finds.
        """
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or 0 in image.shape:
            raise ValueError(f"image: expected uint8 (H, W, 3), got {image.dtype} {image.shape}")
        cfg = self.config
        if tile_px is None and cfg.again:
            return self._unknown(image)
        scale = self.scale(image)
        if tile_px is not None and cfg.again and tile_px * scale < cfg.small_px:
            height, width = image.shape[:2]
            closer = self._closer(scale, scale * cfg.known_px / (tile_px * scale))
            return self._windows(image, closer, (0.0, 0.0, float(width), float(height)), 2 * tile_px, scale)
        return self._look(image, scale)

    def _unknown(self, image: Image) -> Finds:
        """A first look, then one at where the tiles are, as close as they need it."""
        cfg = self.config
        height, width = image.shape[:2]
        everywhere = (0.0, 0.0, float(width), float(height))
        scale = min(self.scale(image), cfg.first_side / max(width, height))
        found = self._look(image, scale)
        sides = self._sides(found)
        if len(sides) < _FEW and scale < self.scale(image):
            scale = self.scale(image)
            found = self._look(image, scale)
            sides = self._sides(found)
        if len(sides) < _FEW:
            if scale < 1:  # a large picture, in which tiles may be too small to be found at all
                return self._windows(image, 1.0, everywhere, 0.1 * cfg.window_px, scale, found)
            return found
        usual = float(np.median(sides))
        if usual * scale > cfg.large_px:
            return self._look(image, cfg.fitting_px / usual)
        closer = self._closer(scale, cfg.wanted_px / float(np.quantile(sides, _SMALLEST)))
        closer = max(self._step(closer), self.scale(image))  # near tiles of strange sets are found surer so
        corners = found.quads.reshape(-1, 2)
        round_it = max(2 * usual, cfg.round_px / closer)
        grid = cfg.grid_px / closer
        low = np.maximum(np.floor((corners.min(axis=0) - round_it) / grid) * grid, 0) // 1
        size = np.ceil((corners.max(axis=0) + round_it - low) / grid) * grid // 1
        high = np.minimum(low + size, [width, height])
        area = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
        if (area[2] - area[0]) * (area[3] - area[1]) * closer**2 > cfg.whole_px:
            at = found.quads.mean(axis=1)
            return self._windows(image, closer, area, 2 * usual, scale, found, at)
        if closer < _WORTH_IT * scale:
            return found
        x, y, right, bottom = (int(v) for v in area)
        part = self._part(image, (x, y, right, bottom), closer)
        return self._together(_join([found, part]))

    @staticmethod
    def _sides(found: Finds) -> FloatArray:
        """Sides, px, of the finds that are sure: faces, or backs too where there are hardly any."""
        sure = found[found.scores > _SURE]
        faces = sure[sure.classes == FACE]  # plain things are sooner taken for backs than for faces
        return side_px((faces if len(faces) >= _FEW else sure).quads)

    def look(self, image: Image, scale: float) -> Finds:
        """One look, ``scale``: factor on the picture, without a second: for parts whose scale is known."""
        return self._look(image, scale)

    def scale(self, image: Image) -> float:
        """The factor by which one look at a whole picture scales it."""
        return float(min(self.config.long_side / max(image.shape[:2]), self.config.enlarge))

    def _closer(self, scale: float, wanted: float) -> float:
        """``wanted`` scale of a second look as far as the picture may be enlarged."""
        return min(wanted, max(self.config.closer, scale))

    def _step(self, scale: float) -> float:
        """The nearest of the scales that second looks have."""
        step = np.log(self.config.steps)
        return float(np.exp(np.round(np.log(scale) / step) * step))

    def _windows(
        self,
        image: Image,
        scale: float,
        area: tuple[float, float, float, float],
        margin: float,
        first: float,
        found: Finds | None = None,
        points: FloatArray | None = None,
    ) -> Finds:
        """Look in overlapping windows over ``area`` and put what they show together with what was found.

        Args:
            margin: overlap of the windows, px of the picture.
            first: scale of the first look; windows that enlarge hardly more than that are not worth it.
            found: what the first look found; None where there was none.
            points: ``(N, 2)`` px; windows without any of them are left out. None keeps all.
        """
        cfg = self.config
        height, width = image.shape[:2]
        while True:
            if found is not None and scale < _WORTH_IT * first:
                return found
            spots = window_spots((width, height), area, cfg.window_px / scale, margin, points)
            if len(spots) <= cfg.most_windows or scale <= first:
                break
            scale *= 0.85
        seen = _join([self._part(image, spot, scale) for spot in spots])
        return self._together(seen if found is None else _join([found, seen]))

    def _part(self, image: Image, spot: tuple[int, int, int, int], scale: float) -> Finds:
        """The whole tiles in a part ``(x, y, right, bottom)`` px of the picture."""
        x, y, right, bottom = spot
        part = self._look(image[y:bottom, x:right], scale)
        quads = part.quads + np.array([x, y], np.float32)
        whole = ~cut_by(quads, spot, (image.shape[1], image.shape[0]))
        return Finds(quads, part.scores, part.classes)[whole]

    def _together(self, finds: Finds) -> Finds:
        """Finds of several looks, each tile once: its outline the mean over the looks that saw it."""
        cfg = self.config
        finds = finds[np.argsort(-finds.scores, kind="stable")]
        keep = suppress(finds.quads, finds.scores, cfg.overlap)
        best = Finds(vote(finds.quads, finds.scores, keep, cfg.vote), finds.scores[keep], finds.classes[keep])
        return best[~covered(best.quads, cfg.inside)]

    def once(self, finds: Finds) -> Finds:
        """Each tile once, best score first: of outlines that came to lie on one tile the best stays."""
        finds = finds[np.argsort(-finds.scores, kind="stable")]
        finds = finds[suppress(finds.quads, finds.scores, self.config.overlap)]
        return finds[~covered(finds.quads, self.config.inside)]

    def _look(self, image: Image, scale: float) -> Finds:
        height, width = image.shape[:2]
        canvas, (w, h) = self.prepare(image, scale)
        return self.outlines(self.network.run(canvas)[0], canvas, np.array([width / w, height / h]))

    def prepare(self, image: Image, scale: float) -> tuple[Image, tuple[int, int]]:
        """The network's input ``(1, H, W, 3)``, sides multiples of 32, and the size of the picture in it, px.

        ``scale``: factor on the picture.
        """
        height, width = image.shape[:2]
        w, h = max(1, round(width * scale)), max(1, round(height * scale))
        sized = image
        if (w, h) != (width, height):
            how = cv2.INTER_AREA if scale < self.config.averaged else cv2.INTER_LINEAR
            sized = np.asarray(cv2.resize(image, (w, h), interpolation=how), np.uint8)
        canvas = np.empty((1, -(-h // 32) * 32, -(-w // 32) * 32, 3), np.uint8)
        canvas[0, :h, :w] = sized
        canvas[0, h:] = _GREY
        canvas[0, :h, w:] = _GREY
        return canvas, (w, h)

    def outlines(self, rows: FloatArray, canvas: Image, scale: npt.NDArray[np.floating]) -> Finds:
        """From the network's answer, ``rows`` ``(A, 10)``, for ``canvas`` to outlines in px of the picture.

        ``scale``: ``(2,)`` px of the picture per px of the canvas.
        """
        full_h, full_w = canvas.shape[1:3]
        key = (full_w, full_h)
        anchors = self._anchors.get(key)
        if anchors is None:
            if len(self._anchors) > 8:
                self._anchors.clear()  # other tables' threads may be about to look in it
            anchors = self._anchors[key] = anchor_points(full_w, full_h)
        quads, scores, classes = decode(rows, anchors, self.config.threshold)
        keep = suppress(quads, scores, self.config.overlap)
        better = vote(quads, scores, keep, self.config.vote)
        quads[keep] = better
        keep = keep[(classes[keep] == FACE) | (scores[keep] >= self.config.back_threshold)]
        keep = keep[~covered(quads[keep], self.config.inside)]
        return Finds((quads[keep] * scale).astype(np.float32), scores[keep], classes[keep])


def window_spots(
    size: tuple[int, int],
    area: tuple[float, float, float, float],
    span: float,
    margin: float,
    points: FloatArray | None = None,
) -> list[tuple[int, int, int, int]]:
    """Windows ``(x, y, right, bottom)`` px over an area of a picture, row by row.

    Args:
        size: ``(width, height)`` px of the picture; no window reaches beyond it.
        area: ``(x, y, right, bottom)`` px to cover.
        span: side of a window, px.
        margin: neighbours overlap by at least this, px (at most half a window).
        points: ``(N, 2)`` px; windows without any of them are left out. None keeps all.
    """
    width, height = size
    spots = []
    for y in _starts(area[1], area[3], min(span, height), margin):
        for x in _starts(area[0], area[2], min(span, width), margin):
            right, bottom = min(width, int(x + span)), min(height, int(y + span))
            if points is not None:
                inside = (points >= [x, y]) & (points <= [right, bottom])
                if not inside.all(axis=1).any():
                    continue
            spots.append((x, y, right, bottom))
    return spots


def cut_by(
    quads: FloatArray, window: tuple[int, int, int, int], size: tuple[int, int], near: float = 3.0
) -> npt.NDArray[np.bool_]:
    """``(N,)``: outlines ``(N, 4, 2)`` px that end within ``near`` px of a window's edge inside the picture.

    A tile may go on beyond that edge; the neighbouring window shows it whole. ``size``: width, height, px.
    """
    low, high = quads.min(axis=1), quads.max(axis=1)
    cut = np.zeros(len(quads), bool)
    for axis in (0, 1):
        start, end = window[axis], window[axis + 2]
        if start > 0:
            cut |= low[:, axis] < start + near
        if end < size[axis]:
            cut |= high[:, axis] > end - near
    return cut


def _starts(low: float, high: float, span: float, margin: float) -> list[int]:
    """Evenly spaced window starts that cover ``low``–``high`` with at least ``margin`` of overlap."""
    length = high - low
    if length <= span:
        return [int(max(0.0, min(low, high - span)))]
    step = max(span - margin, span * 0.5)
    count = int(np.ceil((length - span) / step)) + 1
    return [int(v) for v in np.linspace(low, high - span, count)]
