"""Rounded boxes (tiles, dice, phones …) in the world and in the picture, and the light on them.

A box has a front layer and a back layer, as a tile has. `pzvision.synth.painter` paints them.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.synth.camera import Camera, Floats
from pzvision.synth.glyphs import Colour, Image

Ids = npt.NDArray[np.int32]
"""``(H, W)`` int32: what each pixel shows, as `painter.paint` numbers it."""

UP: Final = 0.0
STANDING: Final = np.pi / 2
DOWN: Final = np.pi

OCCLUDER: Final = -1
"""What `Ids` holds where something without a label (an arm, a cup) covers the table."""


@dataclass(frozen=True)
class Box:
    """One box in the world.

    Attributes:
        x, y, z: its centre, cm.
        yaw: radians counter-clockwise from above; at 0 the top of a face-up tile points away from the
            near player.
        tip: radians about its own left–right axis: `UP`, `STANDING` (face towards its owner), `DOWN`.
        size: width, height, thickness in cm.
        front: picture of its front, or None for plain colour.
        back: picture of its back, or None.
        front_colour, back_colour: BGR of the two layers.
        back_share: part of the thickness that is the back layer.
        lean: small extra rotation vector, radians, about the world's x and y axes.
        rounding: corner radius, cm. ``gloss`` 0–1. ``tint``: own brightness factor.
        label: the caller's id ≥ 0, or -1 for a box that only covers others.
    """

    x: float
    y: float
    z: float
    yaw: float = 0.0
    tip: float = UP
    size: tuple[float, float, float] = (2.7, 3.6, 2.1)
    front: Image | None = field(default=None, compare=False, repr=False)
    back: Image | None = field(default=None, compare=False, repr=False)
    front_colour: Colour = (240, 246, 248)
    back_colour: Colour = (60, 140, 40)
    back_share: float = 0.45
    lean: tuple[float, float] = (0.0, 0.0)
    rounding: float = 0.3
    gloss: float = 0.5
    tint: float = 1.0
    label: int = -1


@dataclass(frozen=True)
class Light:
    """One lamp far away and light from everywhere.

    Attributes:
        towards: direction to the lamp in the world, a ratio of lengths (need not be a unit vector).
        ambient, diffuse: parts of full brightness.
        shadow: 0–1, how dark cast shadows are. ``softness``: their blur in cm.
        contact: 0–1, darkness under edges.
    """

    towards: tuple[float, float, float] = (0.3, 0.4, 1.0)
    ambient: float = 0.6
    diffuse: float = 0.45
    shadow: float = 0.4
    softness: float = 1.0
    contact: float = 0.5

    @property
    def direction(self) -> Floats:
        """Unit vector ``(3,)``."""
        v = np.array(self.towards, np.float64)
        return np.asarray(v / np.linalg.norm(v), np.float64)


def axes_of(boxes: Sequence[Box]) -> Floats:
    """``(N, 3, 3)``: rows are each box's right, up and front normal."""
    yaw = np.array([b.yaw for b in boxes])
    tip = np.array([b.tip for b in boxes])
    c, s, ct, st = np.cos(yaw), np.sin(yaw), np.cos(tip), np.sin(tip)
    zero = np.zeros_like(c)
    right = np.stack([c, s, zero], -1)
    up = np.stack([-s * ct, c * ct, st], -1)
    normal = np.stack([s * st, -c * st, ct], -1)
    axes = np.stack([right, up, normal], 1)
    for i, box in enumerate(boxes):
        if box.lean != (0.0, 0.0):
            turn, _ = cv2.Rodrigues(np.array([box.lean[0], box.lean[1], 0.0]))
            axes[i] = axes[i] @ turn.T
    return axes


CORNER_STEPS: Final = 3
_BEVEL: Final = 0.11


def _ring(width: float, height: float, radius: float, inset: float) -> Floats:
    """``(12, 2)`` points of a rounded rectangle, from its top left clockwise (y up)."""
    w, h = width / 2 - inset, height / 2 - inset
    r = max(min(radius, w * 0.9, h * 0.9), 1e-3)
    points = []
    for cx, cy, start in (
        (-w + r, h - r, np.pi),
        (w - r, h - r, np.pi / 2),
        (w - r, -h + r, 0.0),
        (-w + r, -h + r, -np.pi / 2),
    ):
        for k in range(CORNER_STEPS):
            angle = start - k * (np.pi / 2) / (CORNER_STEPS - 1)
            points.append((cx + r * np.cos(angle), cy + r * np.sin(angle)))
    return np.array(points)


def face_corners(size: tuple[float, float, float], bevel: float = _BEVEL) -> Floats:
    """``(4, 2)`` cm from the centre (y up): corners of a face's flat part, clockwise from its top left."""
    w, h = size[0] / 2 - bevel * 0.75, size[1] / 2 - bevel * 0.75
    return np.array([(-w, h), (w, h), (w, -h), (-w, -h)])


# Rows of the outline points of one box: five rings (front face, front rim, seam, back rim, back face), the
# front's and the back's corners, the eight corners of the whole box.
SLICES: Final = {
    "front": slice(0, 12),
    "front_rim": slice(12, 24),
    "seam": slice(24, 36),
    "back_rim": slice(36, 48),
    "back": slice(48, 60),
    "front_corners": slice(60, 64),
    "back_corners": slice(64, 68),
    "hull": slice(68, 76),
}


def _outline(box: Box) -> Floats:
    """``(76, 3)`` points in the box's own axes; see `SLICES`."""
    w, h, t = box.size
    bevel = min(_BEVEL, t * 0.2)
    seam = -t / 2 + t * box.back_share
    flat = _ring(w, h, box.rounding * 0.85, bevel)
    full = _ring(w, h, box.rounding, 0.0)
    corners = face_corners(box.size, bevel)

    def at(ring: Floats, z: float) -> Floats:
        return np.column_stack([ring, np.full(len(ring), z)])

    box8 = np.array(
        [
            (sx * w / 2, sy * h / 2, sz * t / 2)
            for sz in (1, -1)
            for sx, sy in ((-1, 1), (1, 1), (1, -1), (-1, -1))
        ]
    )
    return np.vstack(
        [
            at(flat, t / 2),
            at(full, t / 2 - bevel),
            at(full, seam),
            at(full, -t / 2 + bevel),
            at(flat, -t / 2),
            at(corners, t / 2),
            at(corners[[1, 0, 3, 2]], -t / 2),
            box8,
        ]
    )


@dataclass(frozen=True, eq=False)
class Painted:
    """What was painted, one row a box.

    Attributes:
        fronts, backs: ``(N, 4, 2)`` px: corners of the front, clockwise from its own top left, and of the
            back, clockwise as seen from behind.
        front_seen, back_seen: ``(N,)`` bool: turned towards the camera.
    """

    fronts: Floats
    backs: Floats
    front_seen: npt.NDArray[np.bool_]
    back_seen: npt.NDArray[np.bool_]


class Geometry:
    """Boxes seen by a camera: everything but the painting."""

    def __init__(self, camera: Camera, boxes: Sequence[Box]) -> None:
        self.camera = camera
        self.boxes = list(boxes)
        n = len(self.boxes)
        self.axes = axes_of(self.boxes) if n else np.zeros((0, 3, 3))
        self.centres = np.array([(b.x, b.y, b.z) for b in self.boxes]).reshape(n, 3)
        cache: dict[tuple[tuple[float, float, float], float, float], Floats] = {}
        local = np.zeros((n, 76, 3))
        for i, box in enumerate(self.boxes):
            key = (box.size, box.back_share, box.rounding)
            if key not in cache:
                cache[key] = _outline(box)
            local[i] = cache[key]
        self.world = local @ self.axes + self.centres[:, None]
        self.pixels = camera.project(self.world)
        self.depths = camera.depth(self.centres)
        front = self.world[:, SLICES["front_corners"]].mean(1)
        back = self.world[:, SLICES["back_corners"]].mean(1)
        self.front_seen = ((camera.eye - front) * self.axes[:, 2]).sum(1) > 0
        self.back_seen = ((camera.eye - back) * -self.axes[:, 2]).sum(1) > 0

    def order(self) -> list[int]:
        """Indices from far to near; of two that lie on each other the lower first."""
        n = len(self.boxes)
        flat = self.centres[:, :2]
        gap = flat[:, None] - flat[None]
        reach = np.array([max(b.size) for b in self.boxes]) if n else np.zeros(0)
        close = np.hypot(gap[..., 0], gap[..., 1]) < (reach[:, None] + reach[None]) * 0.55
        lower = (self.centres[:, None, 2] + 0.5) < self.centres[None, :, 2]
        before = close & lower
        after: list[list[int]] = [[int(j) for j in np.flatnonzero(before[i])] for i in range(n)]
        waiting = before.sum(axis=0)
        distance = np.linalg.norm(self.centres - self.camera.eye, axis=1)
        heap = [(-float(distance[i]), i) for i in range(n) if waiting[i] == 0]
        heapq.heapify(heap)
        out: list[int] = []
        while heap:
            _, i = heapq.heappop(heap)
            out.append(i)
            for j in after[i]:
                waiting[j] -= 1
                if waiting[j] == 0:
                    heapq.heappush(heap, (-float(distance[j]), j))
        return out

    def polygon(self, index: int, part: str) -> Floats:
        """``(N, 2)``: projected px of a part of `SLICES`."""
        return np.asarray(self.pixels[index, SLICES[part]], np.float64)

    def painted(self) -> Painted:
        """Corners and sides seen."""
        return Painted(
            self.pixels[:, SLICES["front_corners"]],
            self.pixels[:, SLICES["back_corners"]],
            self.front_seen,
            self.back_seen,
        )
