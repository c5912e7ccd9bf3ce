"""Rounded boxes (tiles, dice, phones …) painted in perspective, with light and shadows.

A box has a front layer and a back layer, as a tile has. Boxes are painted from far to near; a second
image holds for every pixel which box it shows, so that the visible part of each face is known exactly.
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
        yaw: radians counter-clockwise from above; at 0 the top of a face-up tile points away from the near player.
        tip: radians about its own left–right axis: `UP`, `STANDING` (face towards whoever it is upright for), `DOWN`.
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
        towards: direction to the lamp (need not be a unit vector).
        ambient, diffuse: parts of full brightness.
        shadow: 0–1, how dark the cast shadows are. ``softness``: their blur in cm. ``contact``: darkness under edges.
    """

    towards: tuple[float, float, float] = (0.3, 0.4, 1.0)
    ambient: float = 0.6
    diffuse: float = 0.45
    shadow: float = 0.4
    softness: float = 1.0
    contact: float = 0.5

    @property
    def direction(self) -> Floats:
        """Unit vector."""
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


_CORNER_STEPS: Final = 3
_RING: Final = 4 * _CORNER_STEPS
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
        for k in range(_CORNER_STEPS):
            angle = start - k * (np.pi / 2) / (_CORNER_STEPS - 1)
            points.append((cx + r * np.cos(angle), cy + r * np.sin(angle)))
    return np.array(points)


def face_corners(size: tuple[float, float, float], bevel: float = _BEVEL) -> Floats:
    """``(4, 2)``: the corners of the flat part of a face, clockwise from its top left, cm from its centre (y up)."""
    w, h = size[0] / 2 - bevel * 0.75, size[1] / 2 - bevel * 0.75
    return np.array([(-w, h), (w, h), (w, -h), (-w, -h)])


# Rows of the outline points of one box: five rings (front face, front rim, seam, back rim, back face), the
# front's and the back's corners, the eight corners of the whole box.
_SLICES: Final = {
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
    """``(76, 3)`` points in the box's own axes; see `_SLICES`."""
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
        areas: ``(N,)`` px²: of whichever of the two is seen.
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
        front = self.world[:, _SLICES["front_corners"]].mean(1)
        back = self.world[:, _SLICES["back_corners"]].mean(1)
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
        """Projected px of a part of `_SLICES`."""
        return np.asarray(self.pixels[index, _SLICES[part]], np.float64)

    def painted(self) -> Painted:
        """Corners and sides seen."""
        return Painted(
            self.pixels[:, _SLICES["front_corners"]],
            self.pixels[:, _SLICES["back_corners"]],
            self.front_seen,
            self.back_seen,
        )


def _fixed(points: Floats) -> npt.NDArray[np.int32]:
    return np.round(points * 16).astype(np.int32)


def _fill(image: Image, points: Floats, colour: tuple[float, ...]) -> None:
    cv2.fillConvexPoly(image, _fixed(points), colour, cv2.LINE_AA, 4)


def _hull(points: Floats) -> Floats:
    return np.asarray(cv2.convexHull(points.astype(np.float32))[:, 0], np.float64)


def cast_shadows(image: Image, geometry: Geometry, light: Light, *, ground: float = 0.0) -> None:
    """Darken ``image`` (in place) where the boxes keep the light from the table at height ``ground``."""
    h, w = image.shape[:2]
    if not geometry.boxes or (light.shadow <= 0 and light.contact <= 0):
        return
    half = np.zeros(((h + 1) // 2, (w + 1) // 2), np.uint8)
    near = np.zeros_like(half)
    corners = geometry.world[:, _SLICES["hull"]]
    direction = light.direction
    height = np.maximum(corners[..., 2:3] - ground, 0.0)
    cast = corners - direction * height / max(float(direction[2]), 0.2)
    cast_px = geometry.camera.project(cast) / 2
    foot = np.concatenate([corners[..., :2], np.full_like(height, ground)], -1)
    centre = foot.mean(1, keepdims=True)
    foot_px = geometry.camera.project(centre + (foot - centre) * 1.12) / 2
    for i, box in enumerate(geometry.boxes):
        low = box.z - max(box.size) / 2
        cv2.fillConvexPoly(half, _fixed(_hull(cast_px[i])), 255, cv2.LINE_AA, 4)
        if low < ground + 1.5:
            cv2.fillConvexPoly(near, _fixed(_hull(foot_px[i])), 255, cv2.LINE_AA, 4)
    scale = geometry.camera.focal / max(float(np.median(geometry.depths)), 1.0) / 2  # px (of half) per cm
    half = cv2.GaussianBlur(half, (0, 0), max(0.6, light.softness * scale))
    near = cv2.GaussianBlur(near, (0, 0), max(0.6, 0.3 * scale))
    dark = half.astype(np.float32) * light.shadow + near.astype(np.float32) * light.contact * 0.6
    keep = cv2.resize(255.0 - np.minimum(dark, 235.0), (w, h), interpolation=cv2.INTER_LINEAR)
    image[:] = cv2.multiply(image, cv2.merge([keep] * 3), scale=1 / 255, dtype=cv2.CV_8U)


class Textures:
    """Pictures at falling sizes, so that a far tile is drawn from a small one."""

    def __init__(self) -> None:
        self._levels: dict[int, tuple[Image, list[Image]]] = {}

    def level(self, picture: Image, height: float) -> Image:
        """The smallest stored size that is at least ``height`` px tall."""
        key = id(picture)
        if key not in self._levels:
            levels = [picture]
            while levels[-1].shape[0] > 24:
                last = levels[-1]
                size = (max(1, last.shape[1] // 2), max(1, last.shape[0] // 2))
                levels.append(np.asarray(cv2.resize(last, size, interpolation=cv2.INTER_AREA), np.uint8))
            self._levels[key] = (picture, levels)  # keeping the picture keeps its id its own
        for level in reversed(self._levels[key][1]):
            if level.shape[0] >= height:
                return level
        return picture


def paint(
    image: Image,
    ids: Ids | None,
    geometry: Geometry,
    light: Light,
    textures: Textures,
    *,
    only: Sequence[int] | None = None,
) -> None:
    """Paint the boxes from far to near, in place.

    ``ids`` gets 2·label + 2 on a labelled box's front, 2·label + 3 on its back, `OCCLUDER` on anything else.
    ``only`` paints just these indices, in the same order.
    """
    chosen = None if only is None else set(only)
    for index in geometry.order():
        if chosen is None or index in chosen:
            _paint_one(image, ids, geometry, index, light, textures)


def _shade(colour: Colour, amount: float) -> tuple[float, float, float]:
    return colour[0] * amount, colour[1] * amount, colour[2] * amount


def _paint_one(
    image: Image, ids: Ids | None, geometry: Geometry, index: int, light: Light, textures: Textures
) -> None:
    box = geometry.boxes[index]
    px = geometry.pixels[index]
    h, w = image.shape[:2]
    low, high = px.min(axis=0), px.max(axis=0)
    if high[0] < 0 or high[1] < 0 or low[0] >= w or low[1] >= h or geometry.depths[index] < 2.0:
        return
    axes = geometry.axes[index]
    lamp = axes @ light.direction

    def bright(cosine: float) -> float:
        return box.tint * (light.ambient + light.diffuse * max(0.0, cosine))

    front_seen = bool(geometry.front_seen[index])
    front_layer = ("front_rim", "seam", box.front_colour)
    back_layer = ("seam", "back_rim", box.back_colour)
    layers = (back_layer, front_layer) if front_seen else (front_layer, back_layer)
    outline: Floats | None = None
    for a, b, colour in layers:
        ring_a, ring_b = px[_SLICES[a]], px[_SLICES[b]]
        outline = _hull(np.vstack([ring_a, ring_b]))
        _fill(image, outline, _shade(colour, bright(0.35)))
        # the flat strips between the rounded corners, each with its own light
        for k, (axis, sign) in enumerate(((1, 1.0), (0, 1.0), (1, -1.0), (0, -1.0))):
            i, j = k * _CORNER_STEPS + _CORNER_STEPS - 1, ((k + 1) % 4) * _CORNER_STEPS
            strip = np.array([ring_a[i], ring_a[j], ring_b[j], ring_b[i]])
            towards = float((geometry.camera.eye - geometry.world[index, _SLICES[a]][i]) @ axes[axis]) * sign
            if towards > 0:
                _fill(image, strip, _shade(colour, bright(float(lamp[axis]) * sign)))
    seen = "front" if front_seen else "back"
    top = px[_SLICES[seen]]
    rim = px[_SLICES[seen + "_rim"]]
    cosine = float(lamp[2]) * (1.0 if front_seen else -1.0)
    colour = box.front_colour if front_seen else box.back_colour
    _fill(image, _hull(np.vstack([top, rim])), _shade(colour, min(1.15, bright(0.5 * cosine + 0.45))))
    amount = bright(cosine)
    shine = _shine(geometry, index, light, front_seen)
    picture = box.front if front_seen else box.back
    if ids is not None:
        everything = _hull(np.vstack([px[_SLICES["front_rim"]], px[_SLICES["back_rim"]], top]))
        cv2.fillConvexPoly(ids, _fixed(everything), OCCLUDER, cv2.LINE_8, 4)
        if box.label >= 0:
            corners = px[_SLICES[seen + "_corners"]]
            cv2.fillConvexPoly(ids, _fixed(corners), 2 * box.label + (2 if front_seen else 3), cv2.LINE_8, 4)
    if picture is None:
        flat = tuple(min(255.0, v * amount + shine) for v in colour)
        _fill(image, top, flat)
        return
    _paint_picture(image, picture, px[_SLICES[seen + "_corners"]], top, amount, shine, textures)


def _shine(geometry: Geometry, index: int, light: Light, front: bool) -> float:
    """Grey levels the lamp's mirror image adds to the flat side that is seen."""
    box = geometry.boxes[index]
    normal = geometry.axes[index, 2] * (1.0 if front else -1.0)
    view = geometry.camera.eye - geometry.centres[index]
    view = view / np.linalg.norm(view)
    mirror = 2 * normal * float(normal @ light.direction) - light.direction
    return 90.0 * box.gloss * max(0.0, float(mirror @ view)) ** 24


def _paint_picture(
    image: Image,
    picture: Image,
    corners: Floats,
    outline: Floats,
    amount: float,
    shine: float,
    textures: Textures,
) -> None:
    h, w = image.shape[:2]
    x0, y0 = np.maximum(np.floor(corners.min(0)).astype(int) - 1, 0)
    x1, y1 = np.minimum(np.ceil(corners.max(0)).astype(int) + 2, (w, h))
    if x1 <= x0 or y1 <= y0:
        return
    tall = max(np.linalg.norm(corners[3] - corners[0]), np.linalg.norm(corners[2] - corners[1]))
    wide = max(np.linalg.norm(corners[1] - corners[0]), np.linalg.norm(corners[2] - corners[3])) * 4 / 3
    small = max(1.0, min(tall, wide))
    texture = textures.level(picture, (small * max(tall, wide)) ** 0.5)
    th, tw = texture.shape[:2]
    source = np.array([(0, 0), (tw, 0), (tw, th), (0, th)], np.float32)
    target = (corners - (x0, y0)).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    size = (int(x1 - x0), int(y1 - y0))
    warped = cv2.warpPerspective(
        texture, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    warped = cv2.convertScaleAbs(warped, alpha=amount, beta=shine)
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillConvexPoly(mask, _fixed(outline - (x0, y0)), 255, cv2.LINE_AA, 4)
    region = image[y0:y1, x0:x1]
    share = cv2.merge([mask] * 3)
    mixed = cv2.add(
        cv2.multiply(warped, share, scale=1 / 255),
        cv2.multiply(region, cv2.bitwise_not(share), scale=1 / 255),
    )
    region[:] = mixed


def visible_fractions(ids: Ids, polygons: Floats, labels: Sequence[int]) -> Floats:
    """``(N,)`` part of each polygon that shows in ``ids``; 0 for what lies outside the picture too.

    ``labels`` are the values `paint` wrote for these polygons.
    """
    counts = np.bincount(np.maximum(ids, 0).ravel(), minlength=max(labels, default=0) + 1)
    out = np.zeros(len(labels))
    for i, (polygon, label) in enumerate(zip(polygons, labels, strict=True)):
        quad = polygon.astype(np.float32)
        # a filled polygon holds its border pixels too: area plus half the border
        whole = cv2.contourArea(quad) + 0.5 * cv2.arcLength(quad, True) + 1.0
        out[i] = min(1.0, counts[label] / whole)
    return out
