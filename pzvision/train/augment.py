"""Cuts, turns, tilts and spoils training pictures: a small tile in a bad light is the usual case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.train.data import Example
from pzvision.train.grounds import background

Image = npt.NDArray[Any]
"""``(H, W, 3)`` uint8 BGR (OpenCV's own types are looser)."""
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class AugmentConfig:
    """What a sample looks like.

    Attributes:
        size: side of the square sample, px.
        tile_px: smallest and largest target size of its middle tile (root of its area), px.
        small_px, small_share: so many samples aim at these sizes instead: a whole table in one frame.
        mosaic: share of samples made of four.
        anywhere: share of cuts round any place of the picture instead of a tile: most of a table is none.
        least_px: tiles under this size (root of area) are neither right nor wrong.
        largest_zoom: greatest factor by which a picture is enlarged.
        mirrored: share of samples that are mirrored; none where faces are to be named.
        quarters: whether pictures whose boxes are not outlines are turned by quarters.
    """

    size: int = 512
    tile_px: tuple[float, float] = (11.0, 160.0)
    small_px: tuple[float, float] = (10.0, 26.0)
    small_share: float = 0.35
    mosaic: float = 0.3
    anywhere: float = 0.15
    least_px: float = 8.0
    largest_zoom: float = 2.5
    mirrored: float = 0.3
    quarters: bool = False


@dataclass(frozen=True)
class Sample:
    """A training input: ``image`` (S, S, 3) BGR and its truth as in `pzvision.train.data.Example`.

    ``outlined``: (N,), of each quad, whether it is an outline.
    """

    image: Image
    quads: Floats
    classes: npt.NDArray[np.int64]
    outlined: npt.NDArray[np.bool_]
    ignore: Floats
    backs: npt.NDArray[np.bool_]
    """(S/8, S/8): whether backs are labelled in that cell."""


class Augmenter:
    """Makes samples from decoded pictures, deterministically by its generator."""

    def __init__(self, config: AugmentConfig, rng: np.random.Generator) -> None:
        self.config = config
        self.rng = rng
        self.grounds = [background(rng, 640, 640) for _ in range(24)]

    def cut(self, image: Image, example: Example, shrink: float, size: int) -> Sample:
        """A square of ``size`` px round a random tile; ``shrink``: factor by which the picture is smaller."""
        rng, cfg = self.rng, self.config
        quads = example.quads / shrink
        areas = np.sqrt([max(cv2.contourArea(q), 1.0) for q in quads]) if len(quads) else np.array([40.0])
        sizes = cfg.small_px if rng.random() < cfg.small_share else cfg.tile_px
        target = float(np.exp(rng.uniform(*np.log(sizes))))
        zoom = min(target / float(np.median(areas)), cfg.largest_zoom)
        if len(quads) and rng.random() >= cfg.anywhere:
            centre = quads[int(rng.integers(len(quads)))].mean(0) + rng.normal(0, 0.15, 2) * size / zoom
        else:
            centre = rng.uniform(0, 1, 2) * image.shape[1::-1]
        turn = rng.uniform(-np.pi, np.pi) if example.outlines else rng.normal(0, 0.02)
        if example.outlines and rng.random() < 0.35:
            turn = rng.normal(0, 0.05)
        stretch = np.exp(rng.normal(0, 0.06)) if example.outlines else 1.0
        if example.outlines and not example.backs and rng.random() < 0.5:
            stretch = rng.uniform(0.45, 1.0)  # photos from above, tilted
        if cfg.quarters and not example.outlines:
            turn += np.pi / 2 * int(rng.integers(4))
        flip = -1.0 if rng.random() < cfg.mirrored else 1.0
        c, s = np.cos(turn), np.sin(turn)
        first = rng.uniform(-np.pi, np.pi) if example.outlines else 0.0
        c0, s0 = np.cos(first), np.sin(first)
        linear = np.array([[c, -s], [s, c]]) @ np.diag([1.0, stretch]) @ np.array([[c0, -s0], [s0, c0]])
        if example.outlines:
            back = np.array([[c0, s0], [-s0, c0]])
            linear = linear @ back if rng.random() < 0.7 else linear
        linear = np.diag([flip, 1.0]) @ linear * zoom / np.sqrt(stretch)
        matrix = np.eye(3)
        matrix[:2, :2] = linear
        matrix[:2, 2] = np.array([size / 2, size / 2]) + rng.normal(0, 0.1, 2) * size - linear @ centre
        if example.outlines and rng.random() < 0.4:
            tilt = np.eye(3)
            tilt[2, :2] = rng.normal(0, 0.25, 2) / size
            shift = np.array([[1, 0, -size / 2], [0, 1, -size / 2], [0, 0, 1.0]])
            matrix = np.linalg.inv(shift) @ tilt @ shift @ matrix
        picture = image
        step = zoom
        while step < 0.5 and min(picture.shape[:2]) > 8:
            picture = cv2.resize(
                picture, (picture.shape[1] // 2, picture.shape[0] // 2), interpolation=cv2.INTER_AREA
            )
            step *= 2
        scale = np.diag([image.shape[1] / picture.shape[1], image.shape[0] / picture.shape[0], 1.0])
        if rng.random() < 0.5:
            ground = self.grounds[int(rng.integers(len(self.grounds)))][:size, :size].copy()
        else:
            ground = np.empty((size, size, 3), np.uint8)
            ground[:] = rng.integers(0, 256, 3)
        out = cv2.warpPerspective(
            picture,
            matrix @ scale,
            (size, size),
            dst=ground,
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_TRANSPARENT,
        )
        return self._truth(out, example, shrink, matrix, size)

    def _truth(
        self, image: Image, example: Example, shrink: float, matrix: npt.NDArray[Any], size: int
    ) -> Sample:
        moved = _move(example.quads / shrink, matrix)
        ignore = list(_move(example.ignore / shrink, matrix))
        keep = np.zeros(len(moved), bool)
        for i, quad in enumerate(moved):
            low, high = np.clip(quad.min(0), 0, size), np.clip(quad.max(0), 0, size)
            share = np.prod(high - low) / max(float(np.prod(quad.max(0) - quad.min(0))), 1e-6)
            if share <= 0:
                continue
            big = np.sqrt(max(cv2.contourArea(quad), 0.0)) >= self.config.least_px
            if share >= 0.55 and big:
                keep[i] = True
            else:
                ignore.append(quad)
        cells = size // 8
        return Sample(
            image,
            moved[keep],
            example.classes[keep],
            np.full(int(keep.sum()), example.outlines),
            np.array(ignore, np.float32).reshape(-1, 4, 2),
            np.full((cells, cells), example.backs),
        )

    def mosaic(self, parts: list[Sample]) -> Sample:
        """Four half-size samples as one."""
        size = self.config.size
        half = size // 2
        image = np.zeros((size, size, 3), np.uint8)
        backs = np.zeros((size // 8, size // 8), bool)
        quads, ignore = [], []
        for part, (x, y) in zip(parts, ((0, 0), (half, 0), (0, half), (half, half)), strict=True):
            image[y : y + half, x : x + half] = part.image
            backs[y // 8 : (y + half) // 8, x // 8 : (x + half) // 8] = part.backs
            offset = np.array([x, y], np.float32)
            quads.append(part.quads + offset)
            ignore.append(np.clip(part.ignore, 0, half) + offset)
        return Sample(
            image,
            np.concatenate(quads),
            np.concatenate([p.classes for p in parts]),
            np.concatenate([p.outlined for p in parts]),
            np.concatenate(ignore),
            backs,
        )

    def spoil(self, image: Image) -> Image:
        """Light, colour, blur, noise and compression."""
        rng = self.rng
        size = image.shape[0]
        out: npt.NDArray[Any] = image
        if rng.random() < 0.6:
            hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV)
            hsv[..., 0] = (hsv[..., 0].astype(np.int16) + int(rng.normal(0, 6))) % 180
            hsv[..., 1] = cv2.convertScaleAbs(hsv[..., 1], alpha=float(rng.uniform(0.5, 1.4)))
            out = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)
        gamma = np.exp(rng.normal(0, 0.3))
        gain, lift = rng.uniform(0.6, 1.25), rng.uniform(-25, 25)
        ramp = np.arange(256) / 255
        # at times a strongly coloured lamp
        colour = rng.normal(1, 0.07, 3) if rng.random() > 0.2 else np.exp(rng.normal(-0.1, 0.3, 3))
        table = np.clip((ramp[:, None] ** gamma * 255 * gain + lift) * colour, 0, 255).astype(np.uint8)
        out = cv2.LUT(out, table.reshape(256, 1, 3))
        if rng.random() < 0.3:
            field = cv2.resize(rng.uniform(0.45, 1.25, (3, 3)).astype(np.float32), (size, size))
            out = np.clip(out * field[..., None], 0, 255).astype(np.uint8)
        if rng.random() < 0.08:
            spot = np.zeros((size, size), np.float32)
            cv2.circle(
                spot, tuple(int(v) for v in rng.integers(0, size, 2)), int(rng.integers(10, 90)), 1.0, -1
            )
            spot = cv2.blur(spot, (61, 61)) * rng.uniform(60, 220)
            out = np.clip(out + spot[..., None], 0, 255).astype(np.uint8)
        kind = rng.random()
        if kind < 0.25:
            out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.4, 1.6))
        elif kind < 0.33:
            n = int(rng.integers(3, 9))
            kernel = np.zeros((n, n), np.float32)
            cv2.line(kernel, (0, int(rng.integers(n))), (n - 1, int(rng.integers(n))), 1.0)
            out = cv2.filter2D(out, -1, kernel / kernel.sum())
        elif kind < 0.45:
            f = rng.uniform(0.45, 0.9)
            small = cv2.resize(out, None, fx=f, fy=f, interpolation=cv2.INTER_AREA)
            out = cv2.resize(small, (size, size), interpolation=cv2.INTER_LINEAR)
        elif kind < 0.55:
            soft = cv2.GaussianBlur(out, (0, 0), 1.2)
            out = cv2.addWeighted(out, 1.7, soft, -0.7, 0)
        if rng.random() < 0.35:
            noise = rng.normal(0, rng.uniform(2, 14), (size, size, 1 if rng.random() < 0.5 else 3))
            out = np.clip(out + noise, 0, 255).astype(np.uint8)
        if rng.random() < 0.35:
            ok, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(18, 80))])
            back = cv2.imdecode(data, cv2.IMREAD_COLOR) if ok else None
            out = out if back is None else back
        if rng.random() < 0.04:
            out = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        return np.ascontiguousarray(out)


def _move(quads: Floats, matrix: npt.NDArray[Any]) -> Floats:
    if not len(quads):
        return quads.reshape(-1, 4, 2)
    flat = np.concatenate([quads.reshape(-1, 2), np.ones((len(quads) * 4, 1))], 1) @ matrix.T
    depth = np.maximum(flat[:, 2:], 1e-3)
    return np.asarray((flat[:, :2] / depth).reshape(-1, 4, 2), np.float32)
