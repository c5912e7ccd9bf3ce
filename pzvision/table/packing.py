"""Detections and masks as stored observations keep them: as whole numbers, and as what is new in them."""

from __future__ import annotations

import base64
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.tiles import CLASSES
from pzvision.vision.detections import Detections

_PX: Final = 2  # outlines are kept in halves of a pixel: ± 0.03 cm on the table
_PARTS: Final = 1000  # probabilities and scores in thousandths
_CLASSES_KEPT: Final = 4  # of a distribution; the others share what is left equally
_LEAST_KEPT: Final = 4  # thousandths; less proves nothing to the reader (`TableConfig.look_floor`)

Ints = npt.NDArray[np.int64]
PackedTile: TypeAlias = tuple[Ints, list[int]]
"""Outline and score ``(9,)``, and ``class, thousandths`` likeliest first."""


def pack(detections: Detections) -> list[PackedTile]:
    """Each tile in whole numbers: half pixels and thousandths."""
    outlines = np.rint(detections.polygons.reshape(-1, 8).astype(np.float64) * _PX).astype(np.int64)
    scores = np.rint(detections.scores.astype(np.float64) * _PARTS).astype(np.int64)
    parts = np.rint(detections.probs.astype(np.float64) * _PARTS).astype(np.int64)
    order = np.argsort(-parts, axis=1, kind="stable")[:, :_CLASSES_KEPT]
    out = []
    for i in range(len(detections)):
        kept: list[int] = []
        left = _PARTS
        for kind in order[i]:
            part = min(int(parts[i, kind]), left)
            if part < _LEAST_KEPT:
                break
            kept += [int(kind), part]
            left -= part
        out.append((np.append(outlines[i], scores[i]), kept))
    return out


def unpack(tiles: list[PackedTile], size: tuple[int, int]) -> Detections:
    """Inverse of `pack`; ``size``: of the picture, width and height in px."""
    count = len(tiles)
    numbers = np.array([t[0] for t in tiles], np.int64).reshape(count, 9)
    probs = np.zeros((count, CLASSES), np.float64)
    for i, (_, kept) in enumerate(tiles):
        kinds, parts = kept[::2], kept[1::2]
        probs[i] = (_PARTS - sum(parts)) / _PARTS / max(CLASSES - len(kinds), 1)
        probs[i, kinds] = np.array(parts, np.float64) / _PARTS
    return Detections(
        (numbers[:, :8] / _PX).reshape(count, 4, 2).astype(np.float32),
        probs.astype(np.float32),
        (numbers[:, 8] / _PARTS).astype(np.float32),
        size,
    )


def rounded(detections: Detections) -> Detections:
    """As a file would keep them: outlines to half a pixel, scores and probabilities to a thousandth.

    Of a distribution the four likeliest classes stay; the others share what is left. Rounding twice changes
    nothing more.
    """
    return unpack(pack(detections), detections.image_size)


def delta(tiles: list[PackedTile], before: list[PackedTile]) -> list[list[Any]]:
    """Each tile as the number of the nearest tile of the look before and what is different."""
    middles = np.array([t[0][:8] for t in before], np.int64).reshape(-1, 4, 2).mean(axis=1)
    out: list[list[Any]] = []
    expected = 0
    for numbers, kept in tiles:
        entry: list[Any]
        index = -1
        if len(middles):
            away = np.abs(middles - numbers[:8].reshape(4, 2).mean(axis=0)).max(axis=1)
            index = int(away.argmin())
        if index >= 0 and away[index] < 8 * _PX:
            old, old_kept = before[index]
            entry = [index - expected, *(int(v) for v in numbers - old)]
            if kept != old_kept:
                entry.append(kept)
            expected = index + 1
        else:
            entry = [None, *(int(v) for v in numbers), kept]
        out.append(entry)
    return out


def from_delta(entries: list[list[Any]], before: list[PackedTile]) -> list[PackedTile]:
    """Inverse of `delta`."""
    out = []
    expected = 0
    for entry in entries:
        numbers = np.array(entry[1:10], np.int64)
        if entry[0] is None:
            out.append((numbers, list(entry[10])))
            continue
        index = expected + int(entry[0])
        old, kept = before[index]
        out.append((old + numbers, list(entry[10]) if len(entry) > 10 else kept))
        expected = index + 1
    return out


def runs(mask: npt.NDArray[np.bool_], before: npt.NDArray[np.bool_] | None) -> str:
    """The cells of ``mask`` ``(G, G)`` that changed since ``before``: run lengths in 7-bit groups, base64.

    ``before``: of the same shape; None: the whole mask.
    """
    flat = mask.ravel() if before is None else (mask ^ before).ravel()
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flat])))
    lengths = np.diff(np.concatenate([[0], edges]))
    out = bytearray()
    for length in lengths:
        value = int(length)
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)
    return base64.b64encode(bytes(out)).decode()


def from_runs(text: str, before: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Inverse of `runs`: the mask ``(G, G)``. ``before``: the one before it, of the same shape.

    Raises `ValueError` (`binascii.Error`) at no base64.
    """
    flat = np.zeros(before.size, np.bool_)
    at = value = shift = 0
    on = False
    for byte in base64.b64decode(text, validate=True):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            if on:
                flat[at : at + value] = True
            at, on, value, shift = at + value, not on, 0, 0
    if on:
        flat[at:] = True
    return before ^ flat.reshape(before.shape)
