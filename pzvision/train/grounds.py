"""What lies round and over the tiles of a composite: table tops, things, arms; colours of tile bodies."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[Any]
"""``(H, W, 3)`` uint8 BGR (OpenCV's own types are looser)."""
Array = npt.NDArray[np.float64]


def _noise(rng: np.random.Generator, width: int, height: int, cells: int) -> Array:
    small = rng.normal(0, 1, (max(2, cells * height // width), max(2, cells)))
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC))


def background(rng: np.random.Generator, width: int, height: int) -> Image:
    """A table top, px: cloth, wood, print or plain, unevenly lit, with some things lying about."""
    hsv = np.array([[[rng.integers(0, 180), rng.integers(0, 230), rng.integers(15, 245)]]], np.uint8)
    colour = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float64)
    image = np.broadcast_to(colour, (height, width, 3)).copy()
    kind = rng.integers(0, 5)
    if kind == 0:  # wood: noise stretched along one direction
        grain = cv2.resize(
            rng.normal(0, 1, (height // 3, 4)), (width, height), interpolation=cv2.INTER_LINEAR
        )
        image += grain[..., None] * rng.uniform(4, 18)
        if rng.random() < 0.5:
            image = np.ascontiguousarray(cv2.resize(image.transpose(1, 0, 2), (width, height)))
    elif kind == 1:  # print: a repeated figure
        n = int(rng.integers(16, 64))
        cell = np.broadcast_to(colour, (n, n, 3)).copy()
        for _ in range(rng.integers(1, 5)):
            tone = np.clip(colour + rng.normal(0, 50, 3), 0, 255).tolist()
            centre = tuple(int(v) for v in rng.integers(0, n, 2))
            if rng.random() < 0.5:
                cv2.circle(cell, centre, int(rng.integers(2, n // 3 + 3)), tone, int(rng.integers(-1, 3)))
            else:
                cv2.line(
                    cell, centre, tuple(int(v) for v in rng.integers(0, n, 2)), tone, int(rng.integers(1, 5))
                )
        reps = (height // n + 1, width // n + 1, 1)
        image = np.tile(cell, reps)[:height, :width]
    image += _noise(rng, width, height, int(rng.integers(2, 7)))[..., None] * rng.uniform(0, 16)
    image += rng.normal(0, rng.uniform(0, 9), (height, width, 1))
    top: Image = np.clip(image, 0, 255).astype(np.uint8)
    for _ in range(rng.integers(0, 7)):
        _thing(top, rng)
    return top


def _thing(image: Image, rng: np.random.Generator) -> None:
    """A card, phone, cup, chip, note, edge or die, flat, in place."""
    height, width = image.shape[:2]
    tone = [int(v) for v in rng.integers(0, 256, 3)]
    at = np.array([rng.uniform(0, width), rng.uniform(0, height)])
    size = width * rng.uniform(0.015, 0.16)
    kind = rng.integers(0, 5)
    if kind == 0:
        cv2.circle(image, (int(at[0]), int(at[1])), int(size / 2), tone, -1, cv2.LINE_AA)
        cv2.circle(
            image, (int(at[0]), int(at[1])), int(size / 2.6), [int(v * 0.7) for v in tone], 2, cv2.LINE_AA
        )
    elif kind == 1:
        far = at + rng.normal(0, width * 0.6, 2)
        cv2.line(
            image,
            (int(at[0]), int(at[1])),
            (int(far[0]), int(far[1])),
            tone,
            int(rng.integers(1, 60)),
            cv2.LINE_AA,
        )
    else:
        ratio, turn = rng.uniform(0.4, 1.0), rng.uniform(0, 360)
        if kind == 2:
            tone = [int(v) for v in rng.integers(200, 256, 3)]
        box = cv2.boxPoints(((float(at[0]), float(at[1])), (float(size), float(size * ratio)), float(turn)))
        cv2.fillConvexPoly(image, box.astype(np.int32), tone, cv2.LINE_AA)
        if kind != 3:
            for _ in range(rng.integers(1, 8)):
                a, b, s = rng.random(3)
                p = box[0] + (box[1] - box[0]) * (0.15 + 0.7 * a) + (box[3] - box[0]) * (0.15 + 0.7 * b)
                ink = [int(v) for v in rng.integers(0, 200, 3)]
                cv2.circle(
                    image, (int(p[0]), int(p[1])), max(1, int(size * ratio * 0.12 * s)), ink, -1, cv2.LINE_AA
                )


def limb(image: Image, ids: npt.NDArray[np.int32], rng: np.random.Generator) -> None:
    """An arm that reaches in over the tiles: sleeve, skin, fingers; ``ids`` ``(H, W)``: whose pixels."""
    height, width = image.shape[:2]
    edge = rng.uniform(0, 2 * np.pi)
    centre, reach = np.array([width, height]) / 2, np.array([width, height]) * 0.75
    start = centre + reach * np.array([np.cos(edge), np.sin(edge)])
    end = centre + rng.normal(0, 0.22, 2) * np.array([width, height])
    thick = int(width * rng.uniform(0.05, 0.11))
    skin = np.array([[[rng.integers(5, 18), rng.integers(60, 150), rng.integers(90, 240)]]], np.uint8)
    tone = cv2.cvtColor(skin, cv2.COLOR_HSV2BGR)[0, 0].tolist()
    sleeve = [int(v) for v in rng.integers(0, 256, 3)]
    layer, mask = image.copy(), np.zeros((height, width), np.uint8)
    elbow = start + (end - start) * rng.uniform(0.3, 0.8)

    def stroke(a: Array, b: Array, colour: list[int], width_px: int) -> None:
        p, q = (int(a[0]), int(a[1])), (int(b[0]), int(b[1]))
        cv2.line(layer, p, q, colour, width_px, cv2.LINE_AA)
        cv2.line(mask, p, q, 255, width_px)

    stroke(start, end, tone, thick)
    for _ in range(int(rng.integers(2, 6))):
        stroke(end, end + (end - start) * 0.12 + rng.normal(0, thick * 0.5, 2), tone, max(2, thick // 4))
    stroke(start, elbow, sleeve, int(thick * 1.3))
    if rng.random() < 0.4:
        layer = cv2.GaussianBlur(layer, (0, 0), width * 0.004)
    image[mask > 0] = layer[mask > 0]
    ids[mask > 0] = -2


def body_colour(faces: tuple[Image, ...], rng: np.random.Generator) -> tuple[int, int, int]:
    """The bright common colour of some faces, as that of the tile's front layer."""
    pixels = np.concatenate([faces[int(i)].reshape(-1, 3) for i in rng.integers(0, len(faces), 4)])
    bright = np.percentile(pixels, 75, axis=0)
    return (int(bright[0]), int(bright[1]), int(bright[2]))


def random_back(rng: np.random.Generator) -> tuple[int, int, int]:
    """A back colour: mostly strong green, blue or the like, at times ivory, wood or black."""
    if rng.random() < 0.7:
        hsv = [
            int(rng.choice([rng.integers(35, 130), rng.integers(0, 180)])),
            int(rng.integers(90, 256)),
            int(rng.integers(60, 245)),
        ]
    elif rng.random() < 0.5:
        hsv = [int(rng.integers(12, 28)), int(rng.integers(30, 140)), int(rng.integers(140, 250))]
    else:
        hsv = [int(rng.integers(0, 180)), int(rng.integers(0, 60)), int(rng.integers(15, 250))]
    b, g, r = cv2.cvtColor(np.array([[hsv]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0].tolist()
    return (b, g, r)
