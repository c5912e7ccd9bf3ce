"""Outlines set right by what is known of them: from above, every tile is as wide and as tall as any other."""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.tiles import OTHER
from pzvision.vision.detections import FloatArray
from pzvision.vision.finder import FACE, Finds
from pzvision.vision.reader import FaceReader

_CUT_COST: Final = 0.4  # most that an outline may differ (sum of log side ratios) from the row it is cut as
_CUT_GAIN: Final = 0.3  # and how much less it must differ from the row than from one tile
_HALF: Final = 0.72  # of a tile's area: a smaller outline may be half of one
_SHORT: Final = 0.82  # of a tile's side: a shorter outline may have lost some of it ...
_LIKE: Final = 0.2  # ... if its other side is as long as a tile's but for this (log)
_TAKEN: Final = 0.3  # share of a lengthened outline that may lie on another one
_SURE: Final = 0.6  # least probability of a name for a lengthened outline


def join_halves(finds: Finds, wide: float, tall: float) -> Finds:
    """Two outlines side by side, each of half a tile of ``wide`` × ``tall``, made one."""
    quads = finds.quads
    areas = np.array([cv2.contourArea(q) for q in quads])
    small = np.flatnonzero(areas < _HALF * wide * tall)
    gone: set[int] = set()
    for a in small:
        for b in small:
            if a >= b or a in gone or b in gone or finds.classes[a] != finds.classes[b]:
                continue
            whole = cv2.minAreaRect(np.concatenate([quads[a], quads[b]]))
            sides = sorted(whole[1])
            if abs(np.log(max(sides[0], 1) / wide)) + abs(np.log(max(sides[1], 1) / tall)) < _CUT_COST:
                quads = quads.copy()
                quads[a] = cv2.boxPoints(whole)
                gone.add(int(b))
    keep = np.array([i for i in range(len(quads)) if i not in gone], np.int64)
    return Finds(quads, finds.scores, finds.classes)[keep]


def cut_quad(quad: FloatArray, wide: float, tall: float) -> list[FloatArray]:
    """An outline as the row of tiles of ``wide`` × ``tall`` px it is most like: itself, or 2 to 4.

    All ``(4, 2)`` px, the same shape.
    """
    first, second, _, last = quad.tolist()
    sides = math.dist(first, second), math.dist(first, last)
    if min(sides) <= 0:
        return [quad]
    best = (math.inf, 1, 0)
    single = math.inf
    for along in (0, 1):
        for step, other in ((wide, tall), (tall, wide)):
            for count in (1, 2, 3, 4):
                cost = abs(math.log(sides[along] / (count * step))) + abs(math.log(sides[1 - along] / other))
                best = min(best, (cost, count, along))
                if count == 1:
                    single = min(single, cost)
    cost, count, along = best
    if count == 1 or cost > _CUT_COST or cost > single - _CUT_GAIN:
        return [quad]
    corners = quad if along == 0 else np.roll(quad, -1, axis=0)  # so that the row runs from corner 0 to 1
    shares = np.linspace(0.0, 1.0, count + 1)[:, None]
    top = corners[0] + shares * (corners[1] - corners[0])
    bottom = corners[3] + shares * (corners[2] - corners[3])
    return [np.stack([top[k], top[k + 1], bottom[k + 1], bottom[k]]).astype(np.float32) for k in range(count)]


def lengthened(quad: FloatArray, wide: float, tall: float) -> list[FloatArray]:
    """Tiles ``(4, 2)`` px of ``wide`` × ``tall`` px that an outline with one side too short may be part of.

    ``quad``: ``(4, 2)`` px.

    The short side is made as long as a tile's, to one end, to the other and to both. Empty for an outline
    that is as large as a tile, or unlike one in both sides.
    """
    out = []
    for along in (0, 1):
        start = np.roll(quad, -along, axis=0)  # its first side, from corner 0 to 1, is the short one
        short, other = np.linalg.norm(start[1] - start[0]), np.linalg.norm(start[3] - start[0])
        if min(short, other) <= 1:
            return []
        for side, across in ((wide, tall), (tall, wide)):
            if short > _SHORT * side or abs(np.log(other / across)) > _LIKE:
                continue
            step = (start[1] - start[0]) * ((side - short) / short)
            for back, forward in ((0.0, 1.0), (1.0, 0.0), (0.5, 0.5)):
                moved = start.copy()
                moved[[0, 3]] -= back * step
                moved[[1, 2]] += forward * step
                out.append(np.roll(moved, along, axis=0).astype(np.float32))
    return out


def make_whole(
    image: npt.NDArray[np.uint8],
    finds: Finds,
    reader: FaceReader,
    wide: float,
    tall: float,
    beside: FloatArray | None = None,
    whole: npt.NDArray[np.bool_] | None = None,
) -> Finds:
    """Faces whose outline has lost a row of their marks get them back, where the reader then knows them.

    Each outline that is too short is read as it is and lengthened to a whole tile in every way that does not
    take in another tile's outline; the surest name says which of them stands.

    Args:
        image: ``(H, W, 3)`` uint8 BGR, the table from above.
        finds: outlines, px.
        reader: names them.
        wide, tall: of a face, px.
        beside: ``(M, 4, 2)`` px, outlines of further tiles.
        whole: ``(N,)``, outlines that are short for another reason and stay as they are.
    """
    others = finds.quads if beside is None else np.concatenate([finds.quads, beside])
    owners: list[int] = []
    tries: list[FloatArray] = []
    short = finds.classes == FACE
    for index in np.flatnonzero(short if whole is None else short & ~whole):
        longer = [q for q in lengthened(finds.quads[index], wide, tall) if _free(q, others, int(index))]
        if longer:
            tries += [finds.quads[index], *longer]
            owners += [int(index)] * (1 + len(longer))
    if not tries:
        return finds
    names = reader.read(reader.cut(image, np.stack(tries))).probs[:, :OTHER].max(axis=1)
    quads = finds.quads.copy()
    of = np.array(owners)
    for index in np.unique(of):
        rows = np.flatnonzero(of == index)
        best = rows[int(names[rows].argmax())]
        if names[best] >= _SURE:
            quads[index] = tries[best]
    return Finds(quads, finds.scores, finds.classes)


def _free(quad: FloatArray, others: FloatArray, own: int) -> bool:
    """Whether an outline takes in none of the others, but its own."""
    area = cv2.contourArea(quad)
    low, high = quad.min(axis=0), quad.max(axis=0)
    near = ((others.min(axis=1) < high) & (others.max(axis=1) > low)).all(axis=1)
    near[own] = False
    return all(cv2.intersectConvexConvex(quad, others[i])[0] < _TAKEN * area for i in np.flatnonzero(near))
