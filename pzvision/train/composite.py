"""Composite scenes: boxes with photographed (or drawn) faces on a plane, seen by a random camera.

Plain OpenCV: every visible side of every tile is a warped or filled polygon, far ones first. What it
lacks in light it makes up in speed (some 0.1 s a scene) and in variety: layouts, tilts, sets, cloths.
Truth comes from an id map, so that covered tiles are told from open ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.train.grounds import Image, background, limb

Array = npt.NDArray[np.float64]
FaceSource = Callable[[np.random.Generator], "TileSet"]

VISIBLE = 0.55
"""Faces with at least this share in view are labelled; under `IGNORED` they are background."""
IGNORED = 0.2
GRAZING = 0.16
"""Cosine between view and face normal below which a face cannot be made out."""


@dataclass(frozen=True)
class TileSet:
    """Faces of one set (BGR, upright) and its colours: ``body`` (front layer) and ``back`` (BGR)."""

    faces: tuple[Image, ...]
    body: tuple[int, int, int]
    back: tuple[int, int, int]
    pattern: Image | None = None
    """Picture of the back, if it has one."""


@dataclass(frozen=True)
class Scene:
    """A picture and its truth.

    ``quads`` (N, 4, 2) float32 px, clockwise from the tile's own top left; ``classes`` (N,) 0 face,
    1 back; ``ignore`` (M, 4, 2) px, quads that are neither right nor wrong to find.
    """

    image: Image
    quads: npt.NDArray[np.float32]
    classes: npt.NDArray[np.int64]
    ignore: npt.NDArray[np.float32]


@dataclass(frozen=True)
class _Tile:
    centre: Array
    normal: Array
    up: Array
    face: int
    """Index into the set's faces."""


class _Camera:
    def __init__(self, rng: np.random.Generator, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.focal = width * rng.uniform(0.75, 1.7)
        elevation = np.radians(rng.choice([rng.uniform(24, 50), rng.uniform(45, 75), rng.uniform(70, 90)]))
        tile_px = float(np.exp(rng.uniform(np.log(26), np.log(110))))
        distance = self.focal * 3.2 / tile_px
        self.roll = rng.normal(0, 0.12)
        turn = rng.uniform(0, 2 * np.pi)
        back = np.array(
            [np.cos(turn) * np.cos(elevation), np.sin(turn) * np.cos(elevation), np.sin(elevation)]
        )
        self.eye = back * distance
        z = -back
        x = np.cross(z, [0.0, 0.0, 1.0]) if elevation < 1.55 else np.array([1.0, 0.0, 0.0])
        x /= np.linalg.norm(x)
        y = np.cross(z, x)
        c, s = np.cos(self.roll), np.sin(self.roll)
        self.axes = np.stack([c * x + s * y, -s * x + c * y, z])
        self.tile_px = tile_px

    def project(self, points: Array) -> Array:
        q = (points - self.eye) @ self.axes.T
        depth = np.maximum(q[..., 2:], 1e-3)
        return np.asarray(q[..., :2] / depth * self.focal + np.array([self.width / 2, self.height / 2]))

    def ground(self, px: Array) -> Array:
        """Points of the table plane under pixels ``(..., 2)``; far ones are clipped at the horizon."""
        ray = np.concatenate(
            [(px - np.array([self.width / 2, self.height / 2])) / self.focal, np.ones((*px.shape[:-1], 1))],
            -1,
        )
        ray = ray @ self.axes
        down = np.minimum(ray[..., 2:], -0.08)
        return np.asarray((self.eye - ray * (self.eye[2] / down))[..., :2])


def _rounded(size: tuple[int, int], radius: float) -> Image:
    w, h = size
    mask = np.zeros((h, w), np.uint8)
    r = max(1, int(radius * w))
    cv2.rectangle(mask, (r, 0), (w - 1 - r, h - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (w - 1, h - 1 - r), 255, -1)
    for x in (r, w - 1 - r):
        for y in (r, h - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1)
    return mask


def _layout(rng: np.random.Generator, camera: _Camera, size: Array, faces: int) -> list[_Tile]:
    """Places groups of tiles in view without letting them run into each other."""
    h, w, t = size
    corners = camera.ground(
        np.array([[0.0, 0.0], [camera.width, 0.0], [camera.width, camera.height], [0.0, camera.height]])
    )
    low, high = np.maximum(corners.min(0), -90), np.minimum(corners.max(0), 90)
    cell = 0.3
    taken = np.zeros(tuple(((high - low)[::-1] / cell).astype(int) + 2), np.uint8)
    tiles: list[_Tile] = []
    look_from = np.arctan2(camera.eye[1], camera.eye[0])
    table_yaw = rng.uniform(0, np.pi / 2)

    def put(centre: Array, yaw: float, pose: str, level: int = 0) -> bool:
        c, s = np.cos(yaw), np.sin(yaw)
        up = np.array([-s, c, 0.0])
        if pose in ("up", "down"):
            normal, z = np.array([0.0, 0.0, 1.0 if pose == "up" else -1.0]), t * (level + 0.5)
            half = (w / 2, h / 2)
        else:
            normal, up, z = up, np.array([0.0, 0.0, 1.0]), h / 2
            half = (w / 2, t / 2)
        if level == 0:
            ring = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(half) * 0.97
            ring = ring @ np.array([[c, s], [-s, c]]) + centre
            mark = np.zeros_like(taken)
            cv2.fillConvexPoly(mark, ((ring - low) / cell).astype(np.int32), 1)
            if mark.sum() == 0 or (mark & taken).any():
                return False
            taken[mark > 0] = 1
        tiles.append(_Tile(np.array([*centre, z]), normal, up, int(rng.integers(faces))))
        return True

    inner = np.array([camera.width, camera.height])
    for _ in range(int(rng.integers(3, 16))):
        spot = camera.ground(rng.uniform(0.03, 0.97, 2) * inner)
        if np.abs(spot).max() > 85:
            continue
        yaw = table_yaw + rng.integers(0, 4) * np.pi / 2 if rng.random() < 0.5 else rng.uniform(0, 2 * np.pi)
        along, across = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
        group = rng.random()
        n = int(rng.integers(1, 15))
        gap = rng.choice([0.02, rng.uniform(0, 0.5)])
        if group < 0.40:  # rows of open tiles
            wobble = rng.choice([0.01, 0.05, 0.15])
            for row in range(int(rng.integers(1, 4))):
                for k in range(n):
                    p = (
                        spot
                        + along * k * (w + gap)
                        + across * row * (h + gap)
                        + rng.normal(0, wobble * 0.6, 2)
                    )
                    flip = rng.choice([0, 0, 0, np.pi, np.pi / 2]) if rng.random() < 0.15 else 0
                    put(p, yaw + flip + rng.normal(0, wobble), "up" if rng.random() < 0.96 else "down")
        elif group < 0.68:  # heap
            spread = rng.uniform(1.0, 4.5) * np.sqrt(n + 4) * 0.9
            for _ in range(3 * n):
                p = spot + rng.normal(0, spread, 2)
                put(p, rng.uniform(0, 2 * np.pi), "up" if rng.random() < 0.8 else "down")
        elif group < 0.84:  # standing rows, mostly one that the camera looks at from the front or from behind
            facing = np.cos(yaw + np.pi / 2 - look_from)
            for k in range(n):
                put(spot + along * k * (w + gap * 0.3), yaw + rng.normal(0, 0.03), "stand")
            if facing < -0.2 and rng.random() < 0.4:
                continue
        else:  # wall of backs, two high
            for k in range(n + 3):
                p = spot + along * k * (w + 0.03)
                turn = yaw + rng.normal(0, 0.015)
                if put(p, turn, "down") and rng.random() < 0.85:
                    put(p + rng.normal(0, 0.05, 2), turn, "down" if rng.random() < 0.97 else "up", level=1)
    return tiles


def compose(rng: np.random.Generator, tile_set: TileSet, width: int = 1280, height: int = 960) -> Scene:
    """One random scene of ``width`` × ``height`` px. The same generator state gives the same scene."""
    camera = _Camera(rng, width, height)
    size = np.array([3.6, 2.7, 2.1]) * rng.uniform(0.93, 1.07, 3) * np.array([1, 1, rng.uniform(0.75, 1.05)])
    image = background(rng, width, height)
    tiles = _layout(rng, camera, size, len(tile_set.faces))
    tiles.sort(key=lambda tile: (tile.centre[2] > size[2], -float(np.linalg.norm(tile.centre - camera.eye))))
    light = rng.normal(0, 1, 3)
    light[2] = abs(light[2]) + 0.8
    light /= np.linalg.norm(light)
    _shadows(image, tiles, size, camera, light, rng)
    ids = np.full((height, width), -1, np.int32)
    quads, found = [], []
    radius, bevel = rng.uniform(0.05, 0.16), rng.uniform(0.0, 0.08)
    split = rng.uniform(0.35, 0.75) if rng.random() < 0.8 else 1.0
    ambient = rng.uniform(0.45, 0.8)
    mask = _rounded((96, 128), radius)
    for index, tile in enumerate(tiles):
        quad, seen = _draw(
            image, ids, index, tile, tile_set, size, camera, light, ambient, mask, split, bevel
        )
        quads.append(quad)
        found.append(seen)
    if rng.random() < 0.25:
        limb(image, ids, rng)
    return _truth(image, ids, quads, found)


def _shadows(
    image: Image, tiles: list[_Tile], size: Array, camera: _Camera, light: Array, rng: np.random.Generator
) -> None:
    shade: Image = np.zeros(image.shape[:2], np.uint8)
    for tile in tiles:
        points = _corners(tile, size).reshape(-1, 3)
        flat = points - light * (points[:, 2:] / light[2])
        hull = cv2.convexHull(camera.project(flat).astype(np.float32))
        cv2.fillConvexPoly(shade, hull.astype(np.int32), 255)
    shade = cv2.GaussianBlur(shade, (0, 0), camera.tile_px * rng.uniform(0.02, 0.2))
    dark = 1 - shade.astype(np.float32)[..., None] / 255 * rng.uniform(0.1, 0.7)
    np.copyto(image, (image * dark).astype(np.uint8))


def _corners(tile: _Tile, size: Array) -> Array:
    """``(2, 4, 3)``: face then back; each clockwise from the face's top left, seen from the front."""
    right = np.cross(tile.up, tile.normal)
    h, w, t = size / 2
    ring = np.stack(
        [tile.up * h - right * w, tile.up * h + right * w, -tile.up * h + right * w, -tile.up * h - right * w]
    )
    return np.stack([tile.centre + tile.normal * t + ring, tile.centre - tile.normal * t + ring])


def _draw(
    image: Image,
    ids: npt.NDArray[np.int32],
    index: int,
    tile: _Tile,
    tile_set: TileSet,
    size: Array,
    camera: _Camera,
    light: Array,
    ambient: float,
    mask: Image,
    split: float,
    bevel: float,
) -> tuple[Array, tuple[int, float]]:
    """Draws one tile; returns the quad of its face or back, and ``(class, area px)``; -1: none shows."""
    corners = _corners(tile, size)
    px = camera.project(corners)
    front, back = corners
    waist = front + (back - front) * split
    wpx = camera.project(waist)
    hull = cv2.convexHull(px.reshape(-1, 2).astype(np.float32)).astype(np.int32)
    if hull[:, 0, 0].max() < -40 or hull[:, 0, 1].max() < -40 or hull[:, 0, 0].min() > camera.width + 40:
        return px[0], (-1, 0.0)
    if hull[:, 0, 1].min() > camera.height + 40:
        return px[0], (-1, 0.0)

    def lit(normal: Array) -> float:
        return float(ambient + (1 - ambient) * max(0.0, float(normal @ light)))

    body, rear = np.array(tile_set.body, np.float64), np.array(tile_set.back, np.float64)
    cv2.fillConvexPoly(image, hull, (body * ambient * 0.8).tolist(), cv2.LINE_AA)
    cv2.fillConvexPoly(ids, hull, index)
    for k in range(4):
        j = (k + 1) % 4
        middle = (front[k] + front[j] + back[k] + back[j]) / 4
        outward = middle - tile.centre
        outward = outward / np.linalg.norm(outward)
        if outward @ (camera.eye - middle) <= 0:
            continue
        for ring, tone in (
            (np.stack([px[0, k], px[0, j], wpx[j], wpx[k]]), body),
            (np.stack([wpx[k], wpx[j], px[1, j], px[1, k]]), rear),
        ):
            cv2.fillConvexPoly(image, ring.astype(np.int32), (tone * lit(outward)).tolist(), cv2.LINE_AA)
    to_eye = camera.eye - front.mean(0)
    cosine = float(tile.normal @ to_eye / np.linalg.norm(to_eye))
    shows_face = cosine > 0
    if abs(cosine) < 0.02:
        return px[0], (-1, 0.0)
    quad = px[0] if shows_face else px[1][[1, 0, 3, 2]]
    if shows_face:
        texture = tile_set.faces[tile.face].astype(np.float32) * lit(tile.normal)
    else:
        plain = tile_set.pattern if tile_set.pattern is not None else np.full((128, 96, 3), rear, np.float32)
        texture = plain.astype(np.float32) * lit(-tile.normal)
    texture = cv2.resize(np.clip(texture, 0, 255).astype(np.uint8), (96, 128), interpolation=cv2.INTER_AREA)
    if bevel > 0.02:
        edge = int(96 * bevel)
        cv2.rectangle(
            texture, (0, 0), (95, 127), (np.array(body if shows_face else rear) * ambient).tolist(), edge
        )
    _paste(image, texture, mask, quad)
    if abs(cosine) < GRAZING:
        return quad, (-1, 0.0)
    return quad, (0 if shows_face else 1, float(cv2.contourArea(quad.astype(np.float32))))


def _paste(image: Image, texture: Image, mask: Image, quad: Array) -> None:
    height, width = image.shape[:2]
    low = np.maximum(np.floor(quad.min(0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(quad.max(0)).astype(int) + 2, [width, height])
    if (high <= low).any():
        return
    shrink = 1
    while max(high - low) < 64 // shrink and shrink < 4:
        shrink *= 2
    if shrink > 1:
        texture = cv2.resize(texture, (96 // shrink, 128 // shrink), interpolation=cv2.INTER_AREA)
        mask = cv2.resize(mask, (96 // shrink, 128 // shrink), interpolation=cv2.INTER_AREA)
    h, w = mask.shape
    source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    m = cv2.getPerspectiveTransform(source, (quad - low).astype(np.float32))
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    warped = cv2.warpPerspective(texture, m, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    alpha = cv2.warpPerspective(mask, m, size, flags=cv2.INTER_LINEAR).astype(np.float32)[..., None] / 255
    part = image[low[1] : high[1], low[0] : high[0]]
    np.copyto(part, (part * (1 - alpha) + warped * alpha).astype(np.uint8))


def _truth(
    image: Image, ids: npt.NDArray[np.int32], quads: list[Array], found: list[tuple[int, float]]
) -> Scene:
    height, width = ids.shape
    keep, classes, ignore = [], [], []
    for index, (quad, (kind, area)) in enumerate(zip(quads, found, strict=True)):
        low = np.clip(np.floor(quad.min(0)).astype(int), 0, [width, height])
        high = np.clip(np.ceil(quad.max(0)).astype(int) + 1, 0, [width, height])
        if (high <= low).any():
            continue
        if kind < 0 or area < 20:
            ignore.append(quad)
            continue
        stencil = np.zeros(tuple((high - low)[::-1]), np.uint8)
        cv2.fillConvexPoly(stencil, (quad - low).astype(np.int32), 1)
        window = ids[low[1] : high[1], low[0] : high[0]]
        share = float(((window == index) & (stencil > 0)).sum()) / max(area, 1.0)
        if share >= VISIBLE:
            keep.append(quad)
            classes.append(kind)
        elif share >= IGNORED:
            ignore.append(quad)
    return Scene(
        image,
        np.array(keep, np.float32).reshape(-1, 4, 2),
        np.array(classes, np.int64),
        np.array(ignore, np.float32).reshape(-1, 4, 2),
    )
