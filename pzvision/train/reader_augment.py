"""Training samples for the face reader: a labelled face photographed in some way nobody has seen before.

A sample goes the way a real one goes: a face with its surroundings is projected into a small picture at a
random size, angle and obliqueness; light, lens, sensor and compression do their harm there; and the result is
cut out along a quadrilateral that is a little wrong, with any of its four corners first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.tiles import OTHER
from pzvision.train import reader_seen
from pzvision.train.faces import FACE, FACE_HEIGHT, FACE_WIDTH, SCENE, Bank, Bytes
from pzvision.vision.rectify import GROW, SIZE, corners_of, rectify

Sample = tuple[Bytes, int, int]
Rng = np.random.Generator
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Recipe:
    """Shares of the material and strength of the harm. Lengths are shares of the face's side unless said."""

    scenes: float = 0.36
    faces: float = 0.30
    drawn: float = 0.30
    grounds: float = 0.04
    seen: float = 0.5
    """Share of faces and others as a detector meets them (`reader_seen`), if any; the rest is as above."""
    seen_others: float = 0.3
    other_share: float = 0.11
    """Share of honours, flowers and jokers among the faces; the rest is spread evenly over the 27 kinds."""
    small: tuple[float, float] = (15.0, 40.0)
    """Height of a far face in the picture, px."""
    large: tuple[float, float] = (40.0, 120.0)
    small_share: float = 0.55
    grow: float = GROW
    """How much wider than the face the cut is on average, so that a misplaced outline loses no ink."""
    shift: float = 0.06
    scale: float = 0.09
    turn_deg: float = 5.0
    corner: float = 0.025


_QUAD: Final = corners_of(FACE) + (SCENE - FACE) // 2
_RECT: Final = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], np.float32)


class Sampler:
    """Draws endless samples from banks, balanced over kinds and, within a kind, over sets."""

    def __init__(
        self,
        scenes: Bank,
        faces: Bank,
        drawn: Bank,
        grounds: Bank,
        *,
        seed: int,
        recipe: Recipe | None = None,
        scene_turns: npt.NDArray[np.int64] | None = None,
        seen: reader_seen.Seen | None = None,
    ) -> None:
        """`scene_turns`: which way is up in each scene (0–3, −1 unknown), as an earlier reader tells."""
        self.seen = seen
        kinds = np.zeros(0, np.int64) if seen is None else seen.kinds
        self.seen_index = [np.flatnonzero(kinds == kind) for kind in range(OTHER + 1)]
        self.recipe = recipe or Recipe()
        self.rng = np.random.default_rng(seed)
        self.banks = {"scenes": scenes, "faces": faces, "drawn": drawn}
        self.grounds = grounds
        self.scene_turns = np.full(len(scenes), -1) if scene_turns is None else scene_turns
        self.index = {name: _by_kind_and_set(bank) for name, bank in self.banks.items()}
        shares = np.array([self.recipe.scenes, self.recipe.faces, self.recipe.drawn, self.recipe.grounds])
        present = np.array([len(b) > 0 for b in (scenes, faces, drawn, grounds)])
        self.shares = np.cumsum(shares * present)[:-1] / (shares * present).sum()
        noise = self.rng.normal(0, 1, (384, 384, 3))
        blotches = cv2.resize(
            self.rng.normal(0, 1, (192, 192, 3)), (384, 384), interpolation=cv2.INTER_LINEAR
        )
        self.noise = (noise * 0.8 + blotches * 0.6).astype(np.float32)
        self.warps = [_elastic(self.rng) for _ in range(48)]

    def __iter__(self) -> Iterator[Sample]:
        while True:
            yield self.sample()

    def sample(self) -> Sample:
        """``(SIZE, SIZE, 3)`` uint8 BGR, its kind 0–27, and its rotation 0–3 (−1 where unknown)."""
        rng = self.rng
        if self.seen is not None and rng.random() < self.recipe.seen:
            return self._seen_sample(self.seen)
        source = ("scenes", "faces", "drawn", "grounds")[int(np.searchsorted(self.shares, rng.random()))]
        turn = 0
        if source == "grounds":
            scene, kind, turn = self.grounds.pictures[int(rng.integers(len(self.grounds)))], OTHER, -1
        else:
            kind = OTHER if rng.random() < self.recipe.other_share else int(rng.integers(27))
            index = self._pick(source, kind)
            bank = self.banks[source]
            kind = int(bank.kinds[index])
            if source == "scenes":
                scene, turn = bank.pictures[index], int(self.scene_turns[index])
                if rng.random() < 0.5:
                    scene = restyle(scene, rng, strength=0.6)
            else:
                face = bank.pictures[index]
                if source == "drawn" or rng.random() < 0.7:
                    face = restyle(face, rng, strength=1.0)
                if rng.random() < 0.3:
                    maps = self.warps[int(rng.integers(len(self.warps)))]
                    face = _bytes(
                        cv2.remap(face, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
                    )
                scene = self._compose(face, source, drawn=source == "drawn")
        picture, corners = self._project(scene)
        picture = self._harm(picture, corners, float(np.linalg.norm(corners[3] - corners[0])))
        k = int(rng.integers(4))
        quad = np.roll(_jitter(corners, self.recipe, rng), k, axis=0)
        crop = rectify(picture, quad[None])[0]
        return crop, kind, (turn + k) % 4 if turn >= 0 else -1

    def _seen_sample(self, seen: reader_seen.Seen) -> Sample:
        rng = self.rng
        kind = OTHER if rng.random() < self.recipe.seen_others else int(rng.integers(27))
        index = self.seen_index[kind] if len(self.seen_index[kind]) else np.arange(len(seen))
        at = int(index[int(rng.integers(len(index)))])
        picture = reader_seen.tone(seen.pictures[at], rng)
        k = int(rng.integers(4))
        quad = np.roll(_jitter(reader_seen.outline(), self.recipe, rng), k, axis=0)
        return rectify(picture, quad[None])[0], int(seen.kinds[at]), k if seen.turned[at] else -1

    def _pick(self, source: str, kind: int) -> int:
        rng = self.rng
        sets = self.index[source].get(kind) or self.index[source][OTHER]
        items, weights = sets
        group = items[int(np.searchsorted(weights, rng.random()))]
        return int(group[int(rng.integers(len(group)))])

    def _compose(self, face: Bytes, source: str, *, drawn: bool) -> Bytes:
        """Lay a bare face on a tile on a table: ``(SCENE, SCENE, 3)`` with the face in the middle."""
        rng = self.rng
        if len(self.grounds) and rng.random() < 0.6:
            scene = self.grounds.pictures[int(rng.integers(len(self.grounds)))].copy()
        else:
            scene = np.empty((SCENE, SCENE, 3), np.uint8)
            scene[:] = rng.integers(0, 256, 3)
        paper = np.array([255, 255, 255]) - np.abs(rng.normal(0, [28, 14, 12])).clip(0, 110)
        if drawn or rng.random() < 0.2:
            face = _tinted(face, paper)
        else:
            paper = np.median(face.reshape(-1, 3)[::37], axis=0)
        lo = (SCENE - FACE) // 2
        small = cv2.resize(face, (FACE, FACE), interpolation=cv2.INTER_AREA)
        if rng.random() < 0.75:  # the tile's side, towards one corner
            depth_x, depth_y = (int(v) for v in rng.integers(-14, 15, 2))
            body = paper * rng.uniform(0.55, 0.95)
            back = rng.integers(0, 256, 3) if rng.random() < 0.7 else body
            steps = max(abs(depth_x), abs(depth_y), 1)
            for step in range(steps, 0, -1):
                x, y = lo + round(depth_x * step / steps), lo + round(depth_y * step / steps)
                scene[y : y + FACE, x : x + FACE] = body if step <= steps * 0.6 else back
        if rng.random() < 0.5:  # neighbours
            for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                if rng.random() < 0.5:
                    index = self._pick(source, int(rng.integers(28)))
                    other = cv2.resize(
                        self.banks[source].pictures[index], (FACE, FACE), interpolation=cv2.INTER_AREA
                    )
                    other = _tinted(_bytes(other), paper) if drawn else other
                    gap = FACE + int(rng.integers(0, 6))
                    _paste(scene, other, lo + dx * gap, lo + dy * gap)
        if rng.random() < 0.6:
            mask = _ROUNDED[int(rng.integers(len(_ROUNDED)))]
            area = scene[lo : lo + FACE, lo : lo + FACE]
            cv2.copyTo(small, mask, area)
        else:
            scene[lo : lo + FACE, lo : lo + FACE] = small
        if rng.random() < 0.35:  # a light or dark edge
            edge = paper * rng.uniform(0.5, 1.1)
            colour = tuple(float(v) for v in np.clip(edge, 0, 255))
            cv2.rectangle(scene, (lo, lo), (lo + FACE - 1, lo + FACE - 1), colour, int(rng.integers(1, 3)))
        return _bytes(scene)

    def _project(self, scene: Bytes) -> tuple[Bytes, Floats]:
        """Photograph the scene: a small picture and the face's corners in it, own top left first."""
        rng, recipe = self.rng, self.recipe
        low, high = recipe.small if rng.random() < recipe.small_share else recipe.large
        height = float(np.exp(rng.uniform(np.log(low), np.log(high))))
        aspect = rng.uniform(0.66, 0.84)
        corners: Floats = _RECT * np.array([height * aspect, height], np.float32)
        theta = rng.uniform(0, 2 * np.pi)
        cos, sin = np.cos(theta), np.sin(theta)
        corners = _floats(corners @ np.array([[cos, sin], [-sin, cos]]))
        if rng.random() < 0.5:  # seen from the side
            corners[:, 1] *= rng.uniform(0.5, 1)
            shortest = min(
                float(np.linalg.norm(corners[1] - corners[0])), float(np.linalg.norm(corners[3] - corners[0]))
            )
            corners *= max(1.0, 11.0 / shortest)
        corners += rng.normal(0, 0.02 * height, (4, 2)).astype(np.float32)
        spread = corners.max(0) - corners.min(0)
        margin = 0.22 * float(spread.max()) + 4
        corners = _floats(corners - corners.min(0) + margin)
        width_px, height_px = (int(v) for v in np.ceil(spread + 2 * margin))
        level, quad = scene, _QUAD
        ratio = FACE / height
        while ratio > 1.5:
            level = _bytes(
                cv2.resize(level, (level.shape[1] // 2, level.shape[0] // 2), interpolation=cv2.INTER_AREA)
            )
            quad = _floats((quad + 0.5) / 2 - 0.5)
            ratio /= 2
        homography = cv2.getPerspectiveTransform(_floats(quad), corners)
        picture = cv2.warpPerspective(
            level,
            homography,
            (width_px, height_px),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REFLECT_101,
        )
        return _bytes(picture), corners

    def _harm(self, picture: Bytes, corners: Floats, height: float) -> Bytes:
        """Everything that happens between the tile and the file."""
        rng = self.rng
        if rng.random() < 0.12:
            picture = _cover(picture, corners, rng)
        picture = _bytes(cv2.LUT(picture, _light(rng)))
        image = picture.astype(np.float32)
        rows, columns = image.shape[:2]
        if rng.random() < 0.35:  # uneven light
            field = cv2.resize(
                rng.uniform(0.45, 1.15, (3, 3)).astype(np.float32),
                (columns, rows),
                interpolation=cv2.INTER_CUBIC,
            )
            image *= field[..., None]
        if rng.random() < 0.1:  # a shadow's edge
            a, b = rng.normal(0, 1, 2)
            y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
            side = a * (x / columns - rng.uniform(0.2, 0.8)) + b * (y / rows - rng.uniform(0.2, 0.8))
            image *= (1 - rng.uniform(0.2, 0.6) / (1 + np.exp(-side * 25)))[..., None]
        if rng.random() < 0.18:  # glare
            centre = corners.mean(0) + rng.normal(0, 0.35, 2) * height
            y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
            wide = (rng.uniform(0.1, 0.6, 2) * height) ** 2
            spot = np.exp(-((x - centre[0]) ** 2 / wide[0] + (y - centre[1]) ** 2 / wide[1]))
            image += spot[..., None] * rng.uniform(30, 170)
        if rng.random() < 0.65:
            sigma = float(np.abs(rng.normal(0, 0.02))) * height + float(np.abs(rng.normal(0, 0.45)))
            if sigma > 0.2:
                image = _floats(cv2.GaussianBlur(image, (0, 0), min(sigma, 0.05 * height + 0.2)))
        if rng.random() < 0.15:
            kernel = _motion(rng, float(rng.uniform(0.03, 0.12)) * height + 1)
            image = _floats(cv2.filter2D(image, -1, kernel))
        if rng.random() < 0.2:  # sharpened by the camera
            soft = cv2.GaussianBlur(image, (0, 0), 1.0)
            image += (image - soft) * rng.uniform(0.3, 1.6)
        if rng.random() < 0.6:
            y0, x0 = rng.integers(0, 384 - min(rows, 300)), rng.integers(0, 384 - min(columns, 300))
            patch = self.noise[y0 : y0 + rows, x0 : x0 + columns]
            if patch.shape == image.shape:
                image += patch * abs(float(rng.normal(0, 7)))
        picture = np.clip(image, 0, 255).astype(np.uint8)
        if rng.random() < 0.45:
            quality = int(rng.integers(28, 96))
            _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
            picture = _bytes(cv2.imdecode(data, cv2.IMREAD_COLOR))
        return picture


def scene_crops(bank: Bank) -> tuple[Bytes, npt.NDArray[np.int64]]:
    """The boxes of `bank` as the reader would see them, unharmed: ``(N, SIZE, SIZE, 3)`` and their kinds."""
    middle = _QUAD.mean(0)
    quad = middle + (_QUAD - middle) * (1 + GROW)
    crops = [rectify(scene, quad[None])[0] for scene in bank.pictures]
    return np.array(crops, np.uint8).reshape(-1, SIZE, SIZE, 3), bank.kinds


def _by_kind_and_set(bank: Bank) -> dict[int, tuple[list[npt.NDArray[np.int64]], npt.NDArray[np.float64]]]:
    index: dict[int, tuple[list[npt.NDArray[np.int64]], npt.NDArray[np.float64]]] = {}
    for kind in np.unique(bank.kinds):
        groups = [np.flatnonzero((bank.kinds == kind) & (bank.sets == s)) for s in np.unique(bank.sets)]
        groups = [g for g in groups if len(g)]
        # A series of many photos is worth more than one crop, but far less than in proportion.
        weights = np.array([len(g) ** 0.4 for g in groups])
        index[int(kind)] = (groups, np.cumsum(weights)[:-1] / weights.sum())
    return index


def restyle(face: Bytes, rng: Rng, *, strength: float) -> Bytes:
    """Other inks and another hand: hue, saturation, ink strength, stroke width."""
    if rng.random() < 0.6 * strength:
        hsv = cv2.cvtColor(face, cv2.COLOR_BGR2HSV)
        shift = rng.normal(0, 9) if rng.random() < 0.75 else rng.uniform(-90, 90)
        table = np.arange(256)
        hue = ((table + round(shift)) % 180).astype(np.uint8)
        saturation = np.clip(
            table * (0.0 if rng.random() < 0.08 else rng.uniform(0.35, 1.45)), 0, 255
        ).astype(np.uint8)
        lut = np.stack([hue, saturation, table.astype(np.uint8)], axis=1)[None]
        face = _bytes(cv2.cvtColor(_bytes(cv2.LUT(hsv, lut)), cv2.COLOR_HSV2BGR))
    if rng.random() < 0.35 * strength:
        size = (2, 2) if rng.random() < 0.6 else (3, 3)
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE if size[0] == 3 else cv2.MORPH_RECT, size)
        thicker = rng.random() < 0.5
        face = _bytes(cv2.erode(face, kernel) if thicker else cv2.dilate(face, kernel))
    if rng.random() < 0.3 * strength:  # worn or pale ink
        fade = rng.uniform(0.05, 0.5)
        paper = np.median(face.reshape(-1, 3)[::29], axis=0)
        face = _bytes(face * (1 - fade) + paper * fade)
    return face


def _light(rng: Rng) -> Bytes:
    """``(1, 256, 3)`` table: exposure, contrast, gamma, colour cast, sometimes a strongly coloured lamp."""
    ramp = np.arange(256, dtype=np.float64) / 255
    gamma = float(np.exp(rng.normal(0, 0.28)))
    gain = float(np.exp(np.clip(rng.normal(-0.16, 0.26), -1.1, 0.22)))
    lift = rng.uniform(0, 0.18) if rng.random() < 0.25 else 0.0
    spread = 0.32 if rng.random() < 0.06 else 0.08
    cast = np.exp(rng.normal(0, spread, 3))
    curve = lift + (1 - lift) * (ramp[:, None] ** gamma) * gain * cast
    return np.clip(curve * 255, 0, 255).astype(np.uint8)[None]


def _motion(rng: Rng, length: float) -> Floats:
    size = int(np.ceil(length)) | 1
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, np.pi)
    dx, dy = np.cos(angle) * length / 2, np.sin(angle) * length / 2
    centre = size // 2
    start = (round(centre - dx), round(centre - dy))
    end = (round(centre + dx), round(centre + dy))
    cv2.line(kernel, start, end, 1.0, 1, cv2.LINE_AA)
    return kernel / max(float(kernel.sum()), 1e-6)


def _cover(picture: Bytes, corners: Floats, rng: Rng) -> Bytes:
    """Something lies over a part (under a third) of the face: a finger, another tile, a chip."""
    a = int(rng.integers(4))
    b = (a + 1) % 4
    depth = rng.uniform(0.08, 0.3)
    p, q = corners[a], corners[b]
    inward = corners.mean(0) - (p + q) / 2
    lean = rng.uniform(0.6, 1.4, 2)
    over = [
        p - 2 * inward,
        q - 2 * inward,
        q + 2 * inward * depth * lean[0],
        p + 2 * inward * depth * lean[1],
    ]
    colour = (
        _SKIN * rng.uniform(0.5, 1.1) if rng.random() < 0.4 else rng.integers(0, 256, 3).astype(np.float64)
    )
    shade = tuple(float(v) for v in np.clip(colour, 0, 255))
    picture = picture.copy()
    cv2.fillConvexPoly(picture, np.round(np.array(over)).astype(np.int32), shade, cv2.LINE_AA)
    return picture


def _jitter(corners: Floats, recipe: Recipe, rng: Rng) -> Floats:
    """The same quadrilateral as an imperfect finder would give it."""
    centre = corners.mean(0)
    across, down = corners[1] - corners[0], corners[3] - corners[0]
    side = (float(np.linalg.norm(across)) + float(np.linalg.norm(down))) / 2
    turn = np.radians(np.clip(rng.normal(0, recipe.turn_deg), -13, 13))
    cos, sin = np.cos(turn), np.sin(turn)
    scale = (1 + recipe.grow) * (1 + np.clip(rng.normal(0, recipe.scale), -0.2, 0.22))
    moved = (corners - centre) @ np.array([[cos, sin], [-sin, cos]]) * scale + centre
    stretch = rng.normal(0, 0.03, 2)
    moved += (_RECT[:, :1] * across * stretch[0]) + (_RECT[:, 1:] * down * stretch[1])
    moved += np.clip(rng.normal(0, recipe.shift, 2), -0.15, 0.15) @ np.stack([across, down])
    moved += rng.normal(0, recipe.corner * side, (4, 2))
    return _floats(moved)


def _elastic(rng: Rng) -> tuple[Floats, Floats]:
    coarse = rng.normal(0, 1.3, (2, 4, 3)).astype(np.float32)
    y, x = np.mgrid[0:FACE_HEIGHT, 0:FACE_WIDTH].astype(np.float32)
    dx = cv2.resize(coarse[0], (FACE_WIDTH, FACE_HEIGHT), interpolation=cv2.INTER_CUBIC)
    dy = cv2.resize(coarse[1], (FACE_WIDTH, FACE_HEIGHT), interpolation=cv2.INTER_CUBIC)
    return x + dx, y + dy


def _paste(scene: Bytes, piece: Bytes, x: int, y: int) -> None:
    x0, y0 = max(x, 0), max(y, 0)
    x1, y1 = min(x + piece.shape[1], SCENE), min(y + piece.shape[0], SCENE)
    if x1 > x0 and y1 > y0:
        scene[y0:y1, x0:x1] = piece[y0 - y : y1 - y, x0 - x : x1 - x]


def _tinted(face: Bytes, paper: npt.NDArray[np.floating]) -> Bytes:
    """Ink on white becomes ink on `paper` (BGR 0–255)."""
    table = np.arange(256)[:, None] * np.asarray(paper) / 255
    return _bytes(cv2.LUT(face, table.astype(np.uint8)[None]))


def _rounded(radius: int) -> Bytes:
    mask = np.zeros((FACE * 2, FACE * 2), np.uint8)
    r, n = radius * 2, FACE * 2 - 1
    cv2.rectangle(mask, (r, 0), (n - r, n), 255, -1)
    cv2.rectangle(mask, (0, r), (n, n - r), 255, -1)
    for x in (r, n - r):
        for y in (r, n - r):
            cv2.circle(mask, (x, y), r, 255, -1, cv2.LINE_AA)
    small = cv2.resize(mask, (FACE, FACE), interpolation=cv2.INTER_AREA)
    return np.asarray(small // 128 * 255, np.uint8)


_ROUNDED: Final = tuple(_rounded(r) for r in (3, 5, 8, 11))
_SKIN: Final = np.array([140.0, 170.0, 225.0])
assert SIZE <= FACE


def _floats(array: object) -> Floats:
    return np.asarray(array, np.float32)


def _bytes(array: object) -> Bytes:
    return np.asarray(array).astype(np.uint8, copy=False)
