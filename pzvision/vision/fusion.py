"""Detections of one camera as another camera of the same table would have them; several cameras as one.

What lies on the table is in one plane, that of the tiles' faces: a detection goes from one picture to the
table in centimetres and from there into the other picture. So a camera that was moved can go on under its old
calibration, and several cameras can be read as if they were one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionMask

FloatArray: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FusionConfig:
    """How detections of several cameras become one.

    Attributes:
        same_cm: centres nearer than this are the same tile (half a tile's shorter side).
        floor: least probability a class keeps before distributions are multiplied, so that one camera's
            certainty can be overruled by two others.
        lone_score: factor on the score of a tile that only one of several cameras that look there sees.
    """

    same_cm: float = 1.35
    floor: float = 1e-3
    lone_score: float = 0.75


def transfer(detections: Detections, source: Calibration, target: Calibration) -> Detections:
    """The same tiles in px of another camera's picture.

    Args:
        detections: outlines in px of ``source``'s picture, on the plane of the tiles' faces.
    """
    size = target.image_size
    if not len(detections):
        return Detections.empty(size)
    table = source.to_table(detections.polygons.reshape(-1, 2))
    return Detections(_to_picture(table, target), detections.probs, detections.scores, size)


def _to_picture(table: FloatArray, target: Calibration) -> npt.NDArray[np.float32]:
    lifted = np.column_stack([table, np.full(len(table), target.tile_cm[2])])
    return target.to_image(lifted).reshape(-1, 4, 2).astype(np.float32)


def turned(calibration: Calibration, reference: Calibration) -> int:
    """How many quarter turns a camera's table frame is from the reference's (by who sits near).

    Raises `PzvisionError` when they do not see the same table.
    """
    for name in ("table_cm", "tile_cm"):
        a, b = getattr(calibration, name), getattr(reference, name)
        if np.abs(np.array(a) - np.array(b)).max() > 0.02 * np.max(b) + 1e-9:
            raise PzvisionError(
                f"camera {calibration.camera!r}: {name} {a!r} is not that of"
                f" {reference.camera!r} ({b!r}): calibrate both for the same table"
            )
    return reference.side_of(calibration.near_seat)


def facing(calibration: Calibration, reference: Calibration) -> Calibration:
    """A camera's calibration in the reference's table frame, whoever sits nearest to that camera.

    The corners are begun at the reference's near edge. Such a calibration is for `Calibration.to_table` and
    `Calibration.to_image` only.
    """
    turns = turned(calibration, reference)
    if not turns:
        return calibration
    return _Facing.of(calibration, reference, turns)


class _Facing(Calibration):
    """A calibration whose near edge need not be the lowest in its picture."""

    @classmethod
    def of(cls, calibration: Calibration, reference: Calibration, turns: int) -> _Facing:
        new = object.__new__(cls)
        for name, value in vars(calibration).items():
            if not name.startswith("_") and name not in ("focal_px", "eye"):
                object.__setattr__(new, name, value)
        # Corner 0 of the reference is its near player's left; this camera's near player sits ``turns`` on.
        object.__setattr__(
            new, "corners", tuple(np.roll(np.array(calibration.corners), turns, axis=0).tolist())
        )
        object.__setattr__(new, "near_seat", reference.near_seat)
        object.__setattr__(new, "table_cm", reference.table_cm)
        object.__setattr__(new, "tile_cm", reference.tile_cm)
        return new


@dataclass(frozen=True, eq=False)
class View:
    """What one camera saw at a look: its calibration, tiles and mask (None: that camera saw nothing)."""

    calibration: Calibration
    detections: Detections | None
    motion: MotionMask | None = None


def fuse(
    views: Sequence[View], reference: Calibration, config: FusionConfig | None = None
) -> tuple[Detections | None, MotionMask | None]:
    """All cameras' looks at one table as one look of the ``reference`` camera.

    Args:
        views: one a camera; the calibrations may have any seat near (`facing` is applied here).

    Returns:
        Tiles in px of the reference's picture (None: no camera saw anything); and what is hidden, bare
        or moving: hidden only where no camera sees, bare where one does. Masks (of `MotionDetector`s made
        with `facing` calibrations) are merged when they are on one
        grid, as those of one `MotionConfig` and table size are.
    """
    config = config or FusionConfig()
    seen = [(facing(v.calibration, reference), v) for v in views if v.detections is not None]
    if not seen:
        return None, None
    motion = merge_masks([v.motion for _, v in seen if v.motion is not None])
    tables, probs, scores, owners = [], [], [], []
    for number, (calibration, view) in enumerate(seen):
        found = view.detections
        assert found is not None
        if not len(found):
            continue
        table = calibration.to_table(found.polygons.reshape(-1, 2)).reshape(-1, 4, 2)
        tables.append(table)
        probs.append(found.probs.astype(np.float64))
        scores.append(found.scores.astype(np.float64))
        owners.append(np.full(len(found), number))
    if not tables:
        return Detections.empty(reference.image_size), motion
    table, prob = np.concatenate(tables), np.concatenate(probs)
    score, owner = np.concatenate(scores), np.concatenate(owners)
    masks = [v.motion for _, v in seen]
    keep: list[tuple[FloatArray, FloatArray, float]] = []
    centres = table.mean(axis=1)
    free = np.ones(len(table), bool)
    for index in np.argsort(-score, kind="stable"):
        if not free[index]:
            continue
        group = [int(index)]
        free[index] = False
        for other in np.unique(owner[owner != owner[index]]):
            near = np.flatnonzero(free & (owner == other))
            if not len(near):
                continue
            away = np.linalg.norm(centres[near] - centres[index], axis=1)
            at = int(away.argmin())
            if away[at] < config.same_cm:
                group.append(int(near[at]))
                free[near[at]] = False
        keep.append(_one(group, table, prob, score, owner, masks, config))
    polygons = _to_picture(np.concatenate([k[0] for k in keep]), reference)
    return (
        Detections(
            polygons,
            np.array([k[1] for k in keep], np.float32),
            np.array([k[2] for k in keep], np.float32),
            reference.image_size,
        ),
        motion,
    )


def _one(
    group: Sequence[int],
    table: FloatArray,
    prob: FloatArray,
    score: FloatArray,
    owner: npt.NDArray[np.int64],
    masks: Sequence[MotionMask | None],
    config: FusionConfig,
) -> tuple[FloatArray, FloatArray, float]:
    """One tile of what several cameras saw of it: the surest one's outline, all their classes."""
    best = group[0]
    logs = np.log(np.maximum(prob[list(group)], config.floor)).sum(axis=0)
    mixed = np.exp(logs - logs.max())
    mixed /= mixed.sum()
    missed = 1.0
    for index in group:
        missed *= 1.0 - float(np.clip(score[index], 0.0, 0.999))
    sure = 1.0 - missed
    if len(group) == 1:
        centre = table[best].mean(axis=0)
        others = [m for k, m in enumerate(masks) if k != owner[best] and m is not None]
        # Another camera that looks at this very place sees bare felt there: it is no tile.
        if any(float(m.bare_share(centre)[0]) > 0.8 for m in others):
            sure *= config.lone_score
    return table[best], mixed, sure


def merge_masks(masks: Sequence[MotionMask]) -> MotionMask | None:
    """Hidden where no camera sees, bare where one sees the felt, moving where all that see it say so.

    None for no mask. Masks on another grid than the first are left out.
    """
    if not masks:
        return None
    first = masks[0]
    alike = [m for m in masks if m.hidden.shape == first.hidden.shape and m.cell_cm == first.cell_cm]
    if len(alike) == 1:
        return first
    # A camera whose whole picture changed sees nothing.
    steady = [m for m in alike if not m.shaken]
    if not steady:
        return first
    hidden = np.logical_and.reduce([m.hidden for m in steady])
    bare = np.logical_or.reduce([m.bare & ~m.hidden for m in steady])
    widest = max(steady, key=lambda m: int(m.moving.sum()))
    moving = np.logical_or.reduce([m.moving for m in steady])
    return replace(widest, hidden=hidden, bare=bare, moving=moving, shaken=False, _blurred={})
