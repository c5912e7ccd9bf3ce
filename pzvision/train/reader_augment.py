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
from pzvision.train.faces import FACE, SCENE, Bank, Bytes
from pzvision.train.reader_harm import (
    ROUNDED,
    Floats,
    Rng,
    as_bytes,
    cover,
    elastic,
    floats,
    light_table,
    motion_kernel,
    paste,
    restyle,
    tinted,
)
from pzvision.vision.rectify import GROW, SIZE, corners_of, rectify

Sample = tuple[Bytes, int, int]
"""A picture ``(SIZE, SIZE, 3)``, its kind and which way is up (0–3, −1 unknown)."""


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
assert SIZE <= FACE


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
        """`scene_turns`: ``(N,)`` which way is up in each scene (0–3, −1 unknown), says an earlier reader."""
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
        self.warps = [elastic(self.rng) for _ in range(48)]

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
                    face = as_bytes(
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
            face = tinted(face, paper)
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
                    other = tinted(as_bytes(other), paper) if drawn else other
                    gap = FACE + int(rng.integers(0, 6))
                    paste(scene, other, lo + dx * gap, lo + dy * gap)
        if rng.random() < 0.6:
            mask = ROUNDED[int(rng.integers(len(ROUNDED)))]
            area = scene[lo : lo + FACE, lo : lo + FACE]
            cv2.copyTo(small, mask, area)
        else:
            scene[lo : lo + FACE, lo : lo + FACE] = small
        if rng.random() < 0.35:  # a light or dark edge
            edge = paper * rng.uniform(0.5, 1.1)
            colour = tuple(float(v) for v in np.clip(edge, 0, 255))
            cv2.rectangle(scene, (lo, lo), (lo + FACE - 1, lo + FACE - 1), colour, int(rng.integers(1, 3)))
        return as_bytes(scene)

    def _project(self, scene: Bytes) -> tuple[Bytes, Floats]:
        """Photograph the scene: a small picture and the face's corners in it, own top left first."""
        rng, recipe = self.rng, self.recipe
        low, high = recipe.small if rng.random() < recipe.small_share else recipe.large
        height = float(np.exp(rng.uniform(np.log(low), np.log(high))))
        aspect = rng.uniform(0.66, 0.84)
        corners: Floats = _RECT * np.array([height * aspect, height], np.float32)
        theta = rng.uniform(0, 2 * np.pi)
        cos, sin = np.cos(theta), np.sin(theta)
        corners = floats(corners @ np.array([[cos, sin], [-sin, cos]]))
        if rng.random() < 0.5:  # seen from the side
            corners[:, 1] *= rng.uniform(0.5, 1)
            shortest = min(
                float(np.linalg.norm(corners[1] - corners[0])), float(np.linalg.norm(corners[3] - corners[0]))
            )
            corners *= max(1.0, 11.0 / shortest)
        corners += rng.normal(0, 0.02 * height, (4, 2)).astype(np.float32)
        spread = corners.max(0) - corners.min(0)
        margin = 0.22 * float(spread.max()) + 4
        corners = floats(corners - corners.min(0) + margin)
        width_px, height_px = (int(v) for v in np.ceil(spread + 2 * margin))
        level, quad = scene, _QUAD
        ratio = FACE / height
        while ratio > 1.5:
            level = as_bytes(
                cv2.resize(level, (level.shape[1] // 2, level.shape[0] // 2), interpolation=cv2.INTER_AREA)
            )
            quad = floats((quad + 0.5) / 2 - 0.5)
            ratio /= 2
        homography = cv2.getPerspectiveTransform(floats(quad), corners)
        picture = cv2.warpPerspective(
            level,
            homography,
            (width_px, height_px),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REFLECT_101,
        )
        return as_bytes(picture), corners

    def _harm(self, picture: Bytes, corners: Floats, height: float) -> Bytes:
        """Everything that happens between the tile and the file."""
        rng = self.rng
        if rng.random() < 0.12:
            picture = cover(picture, corners, rng)
        picture = as_bytes(cv2.LUT(picture, light_table(rng)))
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
                image = floats(cv2.GaussianBlur(image, (0, 0), min(sigma, 0.05 * height + 0.2)))
        if rng.random() < 0.15:
            kernel = motion_kernel(rng, float(rng.uniform(0.03, 0.12)) * height + 1)
            image = floats(cv2.filter2D(image, -1, kernel))
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
            picture = as_bytes(cv2.imdecode(data, cv2.IMREAD_COLOR))
        return picture


def scene_crops(bank: Bank) -> tuple[Bytes, npt.NDArray[np.int64]]:
    """The boxes of `bank` as the reader sees them, unharmed ``(N, SIZE, SIZE, 3)``, and kinds ``(N,)``."""
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
    return floats(moved)
