"""From the finder network's numbers to outlines: decoding parallelograms, and keeping one per tile.

A tile's outline is a parallelogram with half edges ``u`` and ``v``. As complex numbers its invariants
``s = (u² + v²) / ρ`` and ``q = 4 u² v² / ρ²`` with ``ρ = |u|² + |v|²`` do not tell which edge is which, so
they change smoothly as the tile turns; the network gives those and the axis-aligned box around the outline.
"""

from __future__ import annotations

from functools import reduce
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.vision.detections import FloatArray, IntArray

STRIDES: Final = (8, 16, 32)
_STRETCH: Final = 1.3
"""How much the two axes may be scaled apart to make the outline fit its box."""


def anchor_points(width: int, height: int) -> FloatArray:
    """``(A, 3)`` float32: x and y of each anchor in px of the network's input, and its stride.

    Stride 8 row by row, then 16, then 32, as the network orders its rows. ``width`` and ``height`` are
    multiples of 32, px.
    """
    rows = []
    for stride in STRIDES:
        ys, xs = np.mgrid[0 : height // stride, 0 : width // stride]
        points = np.stack([xs, ys], -1).reshape(-1, 2) * stride + stride / 2
        rows.append(np.concatenate([points, np.full((len(points), 1), stride)], 1))
    return np.concatenate(rows).astype(np.float32)


def decode_shape(boxes: FloatArray, codes: FloatArray) -> FloatArray:
    """Boxes ``(N, 4)`` ``x1 y1 x2 y2`` px and shape numbers ``(N, 4)`` → corners ``(N, 4, 2)`` float32 px.

    The corners go clockwise as the picture shows them; the first edge is the one that points right most.
    """
    s = codes[:, 0] + 1j * codes[:, 1]
    q = codes[:, 2] + 1j * codes[:, 3]
    root = np.sqrt(s * s - q)
    a, b = np.sqrt((s + root) / 2), np.sqrt((s - root) / 2)
    u, v = np.stack([a.real, a.imag], 1), np.stack([b.real, b.imag], 1)
    half = (boxes[:, 2:] - boxes[:, :2]) / 2
    extent = np.maximum(np.abs(u) + np.abs(v), 1e-4)
    even = half.sum(1, keepdims=True) / extent.sum(1, keepdims=True)
    scale = np.clip(half / extent, even / _STRETCH, even * _STRETCH)
    u, v = u * scale, v * scale
    u *= np.where(u[:, :1] < 0, -1, 1)
    v *= np.where(v[:, :1] < 0, -1, 1)
    swap = (v[:, :1] > u[:, :1]).repeat(2, 1)
    right, down = np.where(swap, v, u), np.where(swap, u, v)
    turn = right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0]
    down = down * np.where(turn < 0, -1, 1)[:, None]
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    corners = [centre - right - down, centre + right - down, centre + right + down, centre - right + down]
    return np.stack(corners, 1).astype(np.float32)


def decode(
    rows: FloatArray, anchors: FloatArray, threshold: float
) -> tuple[FloatArray, FloatArray, IntArray]:
    """From a network's rows ``(A, 8 + C)``: quads ``(N, 4, 2)`` px, scores and classes ``(N,)``, best first.

    Rows hold left, top, right, bottom in strides, four shape numbers, and the logits of C classes (the
    finder's: face and back); ``anchors`` ``(A, 3)`` are those of `anchor_points`. Only where the best score
    reaches ``threshold`` (0–1) a row is decoded.
    """
    logits = reduce(np.maximum, rows[:, 8:].T)  # column by column, see `bounds`
    picked = np.flatnonzero(logits >= np.log(threshold / (1 - threshold)))
    picked = picked[np.argsort(-logits[picked], kind="stable")]
    rows, at = rows[picked], anchors[picked]
    boxes = np.concatenate([at[:, :2] - rows[:, :2] * at[:, 2:], at[:, :2] + rows[:, 2:4] * at[:, 2:]], 1)
    quads = decode_shape(boxes, rows[:, 4:8])
    scores = 1 / (1 + np.exp(-logits[picked]))
    return quads, scores.astype(np.float32), rows[:, 8:].argmax(1).astype(np.int64)


def overlaps(quads: FloatArray, others: FloatArray | None = None) -> FloatArray:
    """``(N, M)`` how much alike outlines are to others (None: to each other), 0–1; near IoU where high.

    ``quads``: ``(N, 4, 2)`` px; ``others``: ``(M, 4, 2)`` px.

    The Bhattacharyya coefficient's Hellinger form between the uniform distributions' normal stand-ins,
    which needs no polygon clipping (ultralytics' ``probiou``, arXiv 2106.06072).
    """
    own = _moments(quads)
    return _likeness(own[:, :, None], own[:, None] if others is None else _moments(others)[:, None])


def alike(quads: FloatArray, others: FloatArray, limit: float) -> tuple[IntArray, IntArray]:
    """Row ``(P,)`` and column ``(P,)`` of the values of `overlaps` above ``limit`` (0–1), row by row.

    ``quads``: ``(N, 4, 2)`` px; ``others``: ``(M, 4, 2)`` px.

    Quicker than all of them where few lie near each other.
    """
    own, other = _moments(quads), _moments(others)
    if not own.size or not other.size:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    # No two centres further apart than this, in parts of the outlines' moments, belong to outlines so alike.
    reach = np.sqrt(-4.04 * np.log(1 - (1 - limit) ** 2) * (own[2:4].sum(0) + other[2:4].sum(0).max()))
    order = np.argsort(other[0], kind="stable")
    first, last = (np.searchsorted(other[0, order], own[0] + side * reach) for side in (-1, 1))
    counts = last - first
    rows = np.repeat(np.arange(len(first)), counts)
    columns = order[np.arange(len(rows)) + np.repeat(first - np.cumsum(counts) + counts, counts)]
    near = np.abs(own[1, rows] - other[1, columns]) <= reach[rows]
    rows, columns = rows[near], columns[near]
    kept = _likeness(own[:, rows], other[:, columns]) > limit
    rows, columns = rows[kept], columns[kept]
    order = np.lexsort((columns, rows))
    return rows[order], columns[order]


def _likeness(own: FloatArray, other: FloatArray) -> FloatArray:
    """`overlaps` of moments ``(5, …)`` that fit each other, element by element."""
    x, y, xx, yy, xy = own
    x2, y2, xx2, yy2, xy2 = other
    sxx, syy, sxy = xx + xx2, yy + yy2, xy + xy2
    dx, dy = x - x2, y - y2
    det = np.maximum(sxx * syy - sxy**2, 1e-9)
    far = (syy * dx**2 + sxx * dy**2 - 2 * sxy * dx * dy) / det / 4
    area, area2 = np.maximum(xx * yy - xy**2, 1e-12), np.maximum(xx2 * yy2 - xy2**2, 1e-12)
    spread = 0.5 * np.log(det / (4 * np.sqrt(area * area2)) + 1e-9)
    coefficient = np.exp(-np.clip(far + spread, 0, 80))
    return np.asarray(1 - np.sqrt(np.clip(1 - coefficient, 0, 1)), np.float32)


def _moments(quads: FloatArray) -> FloatArray:
    """``(5, N)`` float32: centre x, y and second moments xx, yy, xy of the area inside each outline."""
    u = (quads[:, 1] - quads[:, 0]) / 2
    v = (quads[:, 3] - quads[:, 0]) / 2
    xx = (u[:, 0] ** 2 + v[:, 0] ** 2) / 3 + 1e-6
    yy = (u[:, 1] ** 2 + v[:, 1] ** 2) / 3 + 1e-6
    xy = (u[:, 0] * u[:, 1] + v[:, 0] * v[:, 1]) / 3
    x, y = ((quads[:, 0] + quads[:, 1] + quads[:, 2] + quads[:, 3]) / 4).T
    return np.stack([x, y, xx, yy, xy]).astype(np.float32)


def suppress(quads: FloatArray, scores: FloatArray, limit: float) -> IntArray:
    """Indices ``(K,)`` to keep, best score first: of outlines more alike than ``limit``, 0–1, only the best.

    ``quads``: ``(N, 4, 2)`` px; ``scores``: ``(N,)``.
    """
    if not len(quads):
        return np.zeros(0, np.int64)
    low, high = bounds(quads)
    rects = np.concatenate([low, high - low], 1)
    first = cv2.dnn.NMSBoxes(rects.tolist(), scores.tolist(), 0.0, 0.75)
    order = np.asarray(first, np.int64).reshape(-1)
    order = order[np.argsort(-scores[order], kind="stable")]
    kept = np.ones(len(order), bool)
    for i, j in zip(*(index.tolist() for index in alike(quads[order], quads[order], limit)), strict=True):
        if i < j and kept[i]:  # row by row: what is to be said of i has been said
            kept[j] = False
    return order[kept]


def covered(quads: FloatArray, share: float) -> npt.NDArray[np.bool_]:
    """``(N,)``: which outlines have at least ``share`` of their area inside one further up in the order.

    ``quads``: ``(N, 4, 2)`` px.

    Faces of tiles cannot lie so, whatever covers them: a piece of a tile was taken for another tile.
    """
    out = np.zeros(len(quads), bool)
    (left, top), (right, bottom) = (edge.T for edge in bounds(quads))
    areas = side_px(quads) ** 2
    wide = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
    tall = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    near = (wide > 0) & (tall > 0) & (wide * tall >= share * areas[:, None])
    for i, j in np.argwhere(np.tril(near, -1)):  # only where the boxes overlap enough
        if not out[i] and not out[j]:
            shared, _ = cv2.intersectConvexConvex(quads[i], quads[j])
            out[i] = shared >= share * areas[i]
    return out


def vote(quads: FloatArray, scores: FloatArray, kept: IntArray, limit: float) -> FloatArray:
    """``(K, 4, 2)`` px: the kept outlines, each the mean, by score, of all more alike to it than the limit.

    ``quads``: ``(N, 4, 2)`` px; ``scores``: ``(N,)``; ``kept``: ``(K,)``; ``limit``: 0–1, of `overlaps`.

    Several anchors see one tile, each a little off in its own way.
    """
    rows, others = alike(quads[kept], quads, limit)
    if not len(rows):
        return quads[kept].copy()
    # The same outline may start from any of its corners: take the turn that lies nearest.
    turned = np.stack([np.roll(quads[others], k, axis=1) for k in range(4)], axis=1)
    best = np.abs(turned - quads[kept][rows, None]).sum(axis=(2, 3)).argmin(axis=1)
    weighted = turned[np.arange(len(rows)), best] * scores[others][:, None, None]
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    sums = np.add.reduceat(weighted, starts) / np.add.reduceat(scores[others], starts)[:, None, None]
    out = quads[kept].copy()
    several = np.diff(starts, append=len(rows)) > 1
    out[rows[starts[several]]] = sums[several]
    return out


def bounds(quads: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Least ``(N, 2)`` and greatest ``(N, 2)`` x and y of outlines ``(N, 4, 2)``, all px.

    Corner by corner: along so short an axis numpy's own reductions take several times as long.
    """
    a, b, c, d = quads[:, 0], quads[:, 1], quads[:, 2], quads[:, 3]
    return np.minimum(np.minimum(a, b), np.minimum(c, d)), np.maximum(np.maximum(a, b), np.maximum(c, d))


def side_px(quads: FloatArray) -> npt.NDArray[np.float32]:
    """``(N,)`` root of the area of each outline ``(N, 4, 2)``, px."""
    d = quads[:, 2] - quads[:, 0]
    e = quads[:, 3] - quads[:, 1]
    return np.asarray(np.sqrt(np.abs(d[:, 0] * e[:, 1] - d[:, 1] * e[:, 0]) / 2), np.float32)
