"""Paints boxes from far to near, with light and soft shadows.

A second image holds for every pixel which box it shows, so that the visible part of each face is known.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.synth.bodies import CORNER_STEPS, OCCLUDER, SLICES, Geometry, Ids, Light
from pzvision.synth.camera import Floats
from pzvision.synth.compose import blend, darken
from pzvision.synth.glyphs import Colour, Image


def _fixed(points: Floats) -> npt.NDArray[np.int32]:
    return np.round(points * 16).astype(np.int32)


def _fill(image: Image, points: Floats, colour: tuple[float, ...]) -> None:
    cv2.fillConvexPoly(image, _fixed(points), colour, cv2.LINE_AA, 4)


def _hull(points: Floats) -> Floats:
    return np.asarray(cv2.convexHull(points.astype(np.float32))[:, 0], np.float64)


def cast_shadows(image: Image, geometry: Geometry, light: Light, *, ground: float = 0.0) -> None:
    """Darken ``image`` (in place) where the boxes keep the light from the table, ``ground`` cm high."""
    h, w = image.shape[:2]
    if not geometry.boxes or (light.shadow <= 0 and light.contact <= 0):
        return
    half = np.zeros(((h + 1) // 2, (w + 1) // 2), np.uint8)
    near = np.zeros_like(half)
    corners = geometry.world[:, SLICES["hull"]]
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
    small = np.asarray(255.0 - np.minimum(dark, 235.0), np.uint8)
    image[:] = darken(image, np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR), np.uint8))


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


def _lit(colour: Colour, amount: float) -> tuple[float, float, float]:
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
        ring_a, ring_b = px[SLICES[a]], px[SLICES[b]]
        outline = _hull(np.vstack([ring_a, ring_b]))
        _fill(image, outline, _lit(colour, bright(0.35)))
        # the flat strips between the rounded corners, each with its own light
        for k, (axis, sign) in enumerate(((1, 1.0), (0, 1.0), (1, -1.0), (0, -1.0))):
            i, j = k * CORNER_STEPS + CORNER_STEPS - 1, ((k + 1) % 4) * CORNER_STEPS
            strip = np.array([ring_a[i], ring_a[j], ring_b[j], ring_b[i]])
            towards = float((geometry.camera.eye - geometry.world[index, SLICES[a]][i]) @ axes[axis]) * sign
            if towards > 0:
                _fill(image, strip, _lit(colour, bright(float(lamp[axis]) * sign)))
    seen = "front" if front_seen else "back"
    top = px[SLICES[seen]]
    rim = px[SLICES[seen + "_rim"]]
    cosine = float(lamp[2]) * (1.0 if front_seen else -1.0)
    colour = box.front_colour if front_seen else box.back_colour
    _fill(image, _hull(np.vstack([top, rim])), _lit(colour, min(1.15, bright(0.5 * cosine + 0.45))))
    amount = bright(cosine)
    shine = _shine(geometry, index, light, front_seen)
    picture = box.front if front_seen else box.back
    if ids is not None:
        everything = _hull(np.vstack([px[SLICES["front_rim"]], px[SLICES["back_rim"]], top]))
        cv2.fillConvexPoly(ids, _fixed(everything), OCCLUDER, cv2.LINE_8, 4)
        if box.label >= 0:
            corners = px[SLICES[seen + "_corners"]]
            cv2.fillConvexPoly(ids, _fixed(corners), 2 * box.label + (2 if front_seen else 3), cv2.LINE_8, 4)
    if picture is None:
        flat = tuple(min(255.0, v * amount + shine) for v in colour)
        _fill(image, top, flat)
        return
    _paint_picture(image, picture, px[SLICES[seen + "_corners"]], top, amount, shine, textures)


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
    tall = max(float(np.linalg.norm(corners[3] - corners[0])), float(np.linalg.norm(corners[2] - corners[1])))
    wide = max(float(np.linalg.norm(corners[1] - corners[0])), float(np.linalg.norm(corners[2] - corners[3])))
    texture = textures.level(picture, max(1.0, tall * wide * 4 / 3) ** 0.5)
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
    region[:] = blend(np.asarray(warped, np.uint8), region, mask)


def visible_fractions(ids: Ids, polygons: Floats, labels: Sequence[int]) -> Floats:
    """``(N,)`` share of each polygon that shows in ``ids``; 0 for what lies outside the picture too.

    ``polygons``: ``(N, K, 2)`` px. ``labels`` are the values `paint` wrote for these polygons.
    """
    counts = np.bincount(np.maximum(ids, 0).ravel(), minlength=max(labels, default=0) + 1)
    out = np.zeros(len(labels))
    for i, (polygon, label) in enumerate(zip(polygons, labels, strict=True)):
        quad = polygon.astype(np.float32)
        # a filled polygon holds its border pixels too: area plus half the border
        whole = cv2.contourArea(quad) + 0.5 * cv2.arcLength(quad, True) + 1.0
        out[i] = min(1.0, counts[label] / whole)
    return out
