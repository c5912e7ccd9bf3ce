"""Which parts of the table changed since they were looked at: only those are looked at again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

Image: TypeAlias = npt.NDArray[np.uint8]
"""A picture: ``(H, W, 3)`` uint8 BGR."""
Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class GateConfig:
    """When a part of the view from above counts as changed, and what is looked at then.

    Attributes:
        cell_px: side of a cell, px of the view.
        changed: mean difference of a cell in any colour (0–255) from when it was last looked at.
        around_cm: so far around a changed cell everything is looked at again ...
        context_cm: ... in a window that reaches this much further, so that no tile of it is cut.
        step_px: a window's sides are multiples of this, px of the view: few different sizes.
        most: share of the view that all windows together may take; else the whole is looked at.
        whole_every: at the latest every so many looks the whole is looked at.
    """

    cell_px: int = 9
    changed: float = 9.0
    around_cm: float = 4.0
    context_cm: float = 4.5
    step_px: int = 96
    most: float = 0.6
    whole_every: int = 8


@dataclass(frozen=True, eq=False)
class Glance:
    """What to look at.

    Attributes:
        windows: ``(x, y, right, bottom)`` px of the view; together they hold all of ``area`` and its context.
        area: ``(rows, columns)`` bool of cells: what was seen there before does not stand any more.
        cell_px: side of a cell.
    """

    windows: tuple[tuple[int, int, int, int], ...]
    area: Mask
    cell_px: int

    def holds(self, points: npt.NDArray[np.floating]) -> Mask:
        """``(N,)``: which points ``(N, 2)`` px of the view lie in the area."""
        if not len(points):
            return np.zeros(0, bool)
        cells = (points / self.cell_px).astype(np.int64)
        rows = np.clip(cells[:, 1], 0, self.area.shape[0] - 1)
        columns = np.clip(cells[:, 0], 0, self.area.shape[1] - 1)
        return np.asarray(self.area[rows, columns])


class Gate:
    """Keeps what each cell of the view looked like when it was last looked at.

    Args:
        px_per_cm: scale of the view.
    """

    def __init__(self, px_per_cm: float, config: GateConfig | None = None) -> None:
        self.config = config or GateConfig()
        self._around = max(1, round(self.config.around_cm * px_per_cm / self.config.cell_px))
        self._context = round(self.config.context_cm * px_per_cm)
        self._seen: npt.NDArray[np.int16] | None = None
        self._changed: npt.NDArray[np.uint8] | None = None
        self._looks = 0

    def look(self, view: Image) -> Glance | None:
        """What to look at in this view ``(H, W, 3)`` uint8; None: the whole of it. It counts as looked at."""
        config = self.config
        height, width = view.shape[:2]
        size = (-(-width // config.cell_px), -(-height // config.cell_px))
        now = cv2.resize(view, size, interpolation=cv2.INTER_AREA).astype(np.int16)
        self._looks += 1
        if self._seen is None or self._seen.shape != now.shape or self._looks >= config.whole_every:
            self._whole(now)
            return None
        before = self._changed
        changed = (np.abs(now - self._seen).max(axis=2) > config.changed).astype(np.uint8)
        # What has changed is looked at twice: an arm's passing glimpse does not stand for a tile at rest.
        self._changed = changed
        if before is not None:
            changed = changed | before
        reach = np.ones((2 * self._around + 1,) * 2, np.uint8)
        area = np.asarray(cv2.dilate(changed, reach), np.uint8)
        windows = self._windows(area, width, height)
        if sum((r - x) * (b - y) for x, y, r, b in windows) > config.most * width * height:
            self._whole(now)
            return None
        mask = area.astype(bool)
        self._seen[mask] = now[mask]
        return Glance(tuple(windows), mask, config.cell_px)

    def _whole(self, now: npt.NDArray[np.int16]) -> None:
        self._seen, self._changed, self._looks = now, None, 0

    def _windows(self, area: Image, width: int, height: int) -> list[tuple[int, int, int, int]]:
        count, _, stats, _ = cv2.connectedComponentsWithStats(area, connectivity=8)
        cell = self.config.cell_px
        boxes = []
        for x, y, w, h, _ in stats[1:count].tolist():
            boxes.append(
                (
                    *_span(
                        x * cell - self._context, (x + w) * cell + self._context, width, self.config.step_px
                    ),
                    *_span(
                        y * cell - self._context, (y + h) * cell + self._context, height, self.config.step_px
                    ),
                )
            )
        return _joined([(x, y, right, bottom) for x, right, y, bottom in boxes])


def _span(low: int, high: int, limit: int, step: int) -> tuple[int, int]:
    """``low``–``high`` made a multiple of ``step`` long, within 0 and ``limit``."""
    low, high = max(0, low), min(limit, high)
    length = min(limit, -(-(high - low) // step) * step)
    low = max(0, min(low - (length - (high - low)) // 2, limit - length))
    return low, low + length


def _joined(boxes: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Boxes of which one around both is not larger than the two are made one, until none is left."""
    while True:
        for i, a in enumerate(boxes):
            for j in range(i):
                b = boxes[j]
                both = (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))
                if _size(both) <= _size(a) + _size(b):
                    boxes = [c for k, c in enumerate(boxes) if k not in (i, j)] + [both]
                    break
            else:
                continue
            break
        else:
            return boxes


def _size(box: tuple[int, int, int, int]) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])
