"""Small plots of the report, drawn with OpenCV: reliability, confusion matrix, the worst rendered tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.tiles import KINDS, OTHER, format_tile

Image = npt.NDArray[Any]
"""``(H, W, 3)`` uint8 BGR (OpenCV's own types are looser)."""
BINS: Final = 10
_INK, _GREY, _BAR, _WRONG = (40, 40, 40), (190, 190, 190), (200, 140, 60), (60, 60, 220)


@dataclass(frozen=True, eq=False)
class Reliability:
    """How sure the detector was and how often it was right, in `BINS` equal bins of confidence.

    Attributes:
        counts: (BINS,) finds in each bin. ``sure``, ``right``: (BINS,) mean confidence, share right; 0 where
            a bin is empty.
        error: expected calibration error, 0–1: the mean gap between the two, weighted by finds.
    """

    counts: npt.NDArray[np.int64]
    sure: npt.NDArray[np.float64]
    right: npt.NDArray[np.float64]
    error: float


def reliability(sure: npt.NDArray[np.floating[Any]], right: npt.NDArray[np.bool_]) -> Reliability:
    """From the confidence (N,) of each find and whether it was right (N,)."""
    bins = np.clip((np.asarray(sure) * BINS).astype(np.int64), 0, BINS - 1)
    counts = np.bincount(bins, minlength=BINS)
    some = np.maximum(counts, 1)
    mean = np.bincount(bins, weights=sure, minlength=BINS) / some
    share = np.bincount(bins, weights=np.asarray(right, float), minlength=BINS) / some
    error = float((np.abs(mean - share) * counts).sum() / max(len(bins), 1))
    return Reliability(counts.astype(np.int64), mean, share, error)


def draw_reliability(series: dict[str, Reliability], out: Path) -> None:
    """Write a PNG with one panel a series: share right over confidence, and how many finds each bar has."""
    panels = []
    for name, r in series.items():
        side, left, top = 300, 46, 34
        panel = np.full((side + top + 46, side + left + 20, 3), 255, np.uint8)
        cv2.rectangle(panel, (left, top), (left + side, top + side), _GREY, 1)
        cv2.line(panel, (left, top + side), (left + side, top), _GREY, 1, cv2.LINE_AA)
        for k in range(BINS):
            if not r.counts[k]:
                continue
            x0, x1 = left + k * side // BINS + 3, left + (k + 1) * side // BINS - 3
            y = top + side - round(float(r.right[k]) * side)
            cv2.rectangle(panel, (x0, y), (x1, top + side), _BAR, -1)
            y = top + side - round(float(r.sure[k]) * side)
            cv2.line(panel, (x0, y), (x1, y), _WRONG, 2)
            _text(panel, str(int(r.counts[k])), (x0, top + side - 4), 0.32)
        for v in (0.0, 0.5, 1.0):
            _text(panel, f"{v:g}", (left + round(v * side) - 8, top + side + 16), 0.4)
            _text(panel, f"{v:g}", (8, top + side - round(v * side) + 5), 0.4)
        _text(panel, f"{name}: ECE {r.error:.3f}, {int(r.counts.sum())} finds", (left, 20), 0.46)
        _text(
            panel, "confidence; bars: share right, red: mean confidence", (left - 30, top + side + 36), 0.38
        )
        panels.append(panel)
    _write(np.hstack(panels), out)


def draw_confusion(pairs: dict[tuple[int, int], int], out: Path) -> None:
    """Write a PNG: rows are true kinds, columns what they were called; the last columns: other, not found.

    ``pairs``: (true kind, called: 0–27, -1 for not found) → times.
    """
    cell, left, top = 17, 34, 34
    columns = [*range(KINDS), OTHER, -1]
    sheet = np.full((top + cell * KINDS + 8, left + cell * len(columns) + 8, 3), 255, np.uint8)
    for column, kind in enumerate(columns):
        name = "other" if kind == OTHER else "none" if kind < 0 else format_tile(kind)
        turned = np.full((cell, top, 3), 255, np.uint8)
        _text(turned, name[:5], (1, 12), 0.34)
        x = left + column * cell
        sheet[0:top, x : x + cell] = np.rot90(turned)
    for row in range(KINDS):
        _text(sheet, format_tile(row), (6, top + row * cell + 12), 0.36)
        total = max(sum(times for (true, _), times in pairs.items() if true == row), 1)
        for column, kind in enumerate(columns):
            times = pairs.get((row, kind), 0)
            x, y = left + column * cell, top + row * cell
            cv2.rectangle(sheet, (x, y), (x + cell, y + cell), (225, 225, 225), 1)
            if times:
                share = times / total
                depth = 0.25 + 0.75 * min(1.0, share if kind == row else 8 * share)
                ink = np.array(_BAR if kind == row else _WRONG, float)
                colour = 255 - (255 - ink) * depth
                cv2.rectangle(sheet, (x + 1, y + 1), (x + cell - 1, y + cell - 1), colour.tolist(), -1)
                _text(sheet, str(times) if times < 100 else "+", (x + 2, y + 12), 0.3)
    _write(sheet, out)


def draw_worst(pictures: list[Image], out: Path, width: int = 640) -> None:
    """Write the pictures below each other, ``width`` px wide, as JPEG or PNG by the file's name."""
    small = [
        cv2.resize(p, (width, p.shape[0] * width // p.shape[1]), interpolation=cv2.INTER_AREA)
        for p in pictures
    ]
    _write(np.vstack(small), out)


def _text(image: Image, text: str, at: tuple[int, int], scale: float) -> None:
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, _INK, 1, cv2.LINE_AA)


def _write(image: Image, out: Path) -> None:
    ok, data = cv2.imencode(out.suffix, image)
    if not ok:
        raise PzvisionError(f"{out}: cannot be written as {out.suffix!r}")
    out.write_bytes(data.tobytes())
