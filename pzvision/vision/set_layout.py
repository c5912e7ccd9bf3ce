"""Which of 27 faces in a photo is which tile: by their places in three rows of nine, or by what they show."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.tiles import KINDS
from pzvision.vision.detections import FloatArray, IntArray

COLUMNS: Final = 9
ROWS: Final = 3
SUIT_NAMES: Final = ("万", "条", "筒")


@dataclass(frozen=True)
class LayoutConfig:
    """When a layout is believed.

    Attributes:
        off: most that a tile may lie off its place, in parts of the distance to the next.
        extras: more faces than 27 by at most this many are tried without the least certain of them.
        missing: at most this many places of a grid may lack a face that was found.
        sure: probability from which a face counts as read for certain.
        margin: nats by which an order must be likelier than any other.
        swap: nats that exchanging two tiles must cost where only the faces tell which is which.
        contradictions: most faces that may surely show something else than their place says.
    """

    off: float = 0.36
    extras: int = 4
    missing: int = 2
    sure: float = 0.97
    margin: float = 6.0
    swap: float = 3.0
    contradictions: int = 9


def fit_grid(centres: npt.NDArray[np.floating], off: float) -> IntArray | None:
    """``(N,)``: the place 0–26, row-major, of each of up to 27 points ``(N, 2)`` px in three rows of nine.

    Seen in perspective and turned any way; of the two ways to read it (half a turn apart) either. The four
    corner places must be among them. None where the points are no such grid.
    """
    points = np.asarray(centres, np.float32)
    if not 4 <= len(points) <= KINDS:
        return None
    hull = cv2.convexHull(points).reshape(-1, 2)
    if len(hull) < 4:
        return None
    # The corner tiles span more than any other four, or nearly so where tiles lie a little off.
    picks = np.array(list(combinations(range(len(hull)), 4)))
    x, y = hull[picks, 0], hull[picks, 1]
    areas = np.abs((x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1))
    best: tuple[float, IntArray] | None = None
    goal = np.array([[0, 0], [COLUMNS - 1, 0], [COLUMNS - 1, ROWS - 1], [0, ROWS - 1]], np.float32)
    for pick in picks[np.argsort(-areas, kind="stable")[:40]]:
        corners = hull[pick]
        if cv2.contourArea(corners, oriented=True) < 0:  # keep the sense of turning: no mirror images
            corners = corners[::-1]
        for turn in (0, 1):
            matrix = cv2.getPerspectiveTransform(np.roll(corners, turn, axis=0), goal)
            for _ in range(3):  # the corner tiles may lie off as well: let all decide
                cells = cv2.perspectiveTransform(points[None], matrix)[0]
                nearest = np.rint(cells)
                places = (nearest[:, 1] * COLUMNS + nearest[:, 0]).astype(np.int64)
                inside = (nearest >= 0).all(1) & (nearest < [COLUMNS, ROWS]).all(1)
                if not inside.all() or len(set(places.tolist())) != len(points):
                    break
                worst = float(np.abs(cells - nearest).max())
                if worst <= off and (best is None or worst < best[0]):
                    best = worst, places
                found, _ = cv2.findHomography(points, nearest.astype(np.float32))
                if found is None:
                    break
                matrix = found
        if best is not None and best[0] < off / 2:
            break
    return None if best is None else best[1]


def grid_quads(
    quads: FloatArray, scores: FloatArray, config: LayoutConfig
) -> tuple[FloatArray, npt.NDArray[np.bool_]] | None:
    """The outlines at the 27 places of a grid, row-major, and which of them were really found.

    ``(27, 4, 2)`` px and ``(27,)``.

    A few more outlines than 27 (the least certain are left out) or a few less (their places follow from the
    others) are put up with. None where there is no grid.

    Args:
        quads: ``(N, 4, 2)`` px.
        scores: ``(N,)``.
    """
    count = len(quads)
    centres = quads.mean(axis=1)
    extra = max(0, count - KINDS)
    if count < KINDS - config.missing or extra > config.extras:
        return None
    doubtful = np.argsort(scores, kind="stable")[: extra + 5]
    # A false find may stand in for a missed tile: leaving one more out is tried as well.
    for leave in range(extra, min(extra + 2, count - KINDS + config.missing + 1)):
        for dropped in combinations(doubtful.tolist(), leave):
            kept = np.array([i for i in range(count) if i not in dropped], np.int64)
            places = fit_grid(centres[kept], config.off)
            if places is not None:
                return _completed(quads[kept], places)
    return None


def _completed(quads: FloatArray, places: IntArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    cells = np.stack([places % COLUMNS, places // COLUMNS], axis=1).astype(np.float32)
    to_grid, _ = cv2.findHomography(quads.mean(axis=1), cells)
    flat = cv2.perspectiveTransform(quads.reshape(1, -1, 2), to_grid).reshape(-1, 4, 2) - cells[:, None]
    # Each outline starts at any corner: from the one at the grid's top left they can be averaged.
    first = flat.sum(axis=2).argmin(axis=1)
    order = (np.arange(4)[None] + first[:, None]) % 4
    usual = np.median(np.take_along_axis(flat, order[..., None], axis=1), axis=0)
    every = np.arange(KINDS)
    grid = np.stack([every % COLUMNS, every // COLUMNS], axis=1)[:, None] + usual[None]
    back = np.linalg.inv(to_grid)
    out = cv2.perspectiveTransform(grid.reshape(1, -1, 2).astype(np.float32), back).reshape(-1, 4, 2)
    out[places] = quads
    found = np.zeros(KINDS, bool)
    found[places] = True
    return np.asarray(out, np.float32), found


def name_grid(logp: FloatArray, config: LayoutConfig, *, trusted: bool = False) -> IntArray:
    """Names for 27 faces in a grid: 万 条 筒 from above, 1 to 9 from the left, whichever way up.

    Args:
        logp: ``(27, 27)`` log-probability of each kind (columns) for the face at each place (rows).
        trusted: the user says that they lie so; the faces only tell which way up the photo is.

    Returns:
        ``(27,)`` the kind at each place.

    Raises:
        PzvisionError: the faces say another order, or do not say which way up.
    """
    block = logp.reshape(ROWS, COLUMNS, ROWS, COLUMNS)
    along = np.arange(COLUMNS)
    fit = {}
    for direction, columns in ((1, along), (-1, along[::-1])):
        sums = block[:, along, :, columns].sum(axis=0)  # [row, suit], the columns read in this direction
        for suits in permutations(range(ROWS)):
            fit[direction, suits] = float(sums[np.arange(ROWS), list(suits)].sum())
    right = {(1, (0, 1, 2)), (-1, (2, 1, 0))}
    if trusted:
        fit = {key: value for key, value in fit.items() if key in right}
    best = max(fit, key=lambda key: fit[key])
    if best not in right:
        direction, suits = best
        names = " ".join(SUIT_NAMES[s] for s in (suits if direction == 1 else suits[::-1]))
        raise PzvisionError(
            f"the rows look like {names}; expected 万, 条 and 筒 from above, each 1 to 9 from the left"
            " (where that is how they lie, say so: --order rows)"
        )
    margin = fit[best] - max(value for key, value in fit.items() if key != best)
    if margin < config.margin:
        raise PzvisionError(
            "cannot tell which way up the rows are; expected 万, 条 and 筒 from above,"
            " each 1 to 9 from the left" + ("" if trusted else " (where that is so: --order rows)")
        )
    kinds = np.arange(KINDS)
    return kinds if best[0] == 1 else kinds[::-1].copy()


def name_freely(logp: FloatArray, config: LayoutConfig) -> IntArray | None:
    """``(27,)``: names for faces that are one of each kind, by the faces alone.

    None where two could be exchanged.

    ``logp``: ``(27, classes)``, log-probabilities of each face.
    """
    kinds = assign(-logp)
    own = logp[np.arange(KINDS), kinds]
    crossed = logp[:, kinds]
    cost = own[:, None] + own[None] - crossed - crossed.T
    np.fill_diagonal(cost, np.inf)
    return kinds if float(cost.min()) >= config.swap else None


def assign(cost: npt.NDArray[np.floating]) -> IntArray:
    """``(N,)``: the column for each row of ``(N, N)``, each once, at the least total cost (Hungarian)."""
    costs = np.asarray(cost, np.float64)
    n = len(costs)
    u, v = np.zeros(n + 1), np.zeros(n + 1)
    row_of = np.zeros(
        n + 1, np.int64
    )  # for each column (from 1) its row (from 1); column 0 holds the new one
    for row in range(1, n + 1):
        row_of[0] = row
        column = 0
        least = np.full(n + 1, np.inf)
        came = np.zeros(n + 1, np.int64)
        used = np.zeros(n + 1, bool)
        while True:
            used[column] = True
            at = row_of[column]
            reduced = costs[at - 1] - u[at] - v[1:]
            better = ~used[1:] & (reduced < least[1:])
            least[1:][better] = reduced[better]
            came[1:][better] = column
            free = np.where(used[1:], np.inf, least[1:])
            nearest = int(free.argmin()) + 1
            delta = free[nearest - 1]
            u[row_of[used]] += delta
            v[used] -= delta
            least[1:][~used[1:]] -= delta
            column = nearest
            if row_of[column] == 0:
                break
        while column:
            row_of[column] = row_of[came[column]]
            column = int(came[column])
    out = np.zeros(n, np.int64)
    out[row_of[1:] - 1] = np.arange(n)
    return out
