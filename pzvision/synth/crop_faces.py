"""Tile faces cut from photographs, put together to sets."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.synth.faces import ASPECT, draw_face
from pzvision.synth.glyphs import Image
from pzvision.synth.looks import Look, random_look
from pzvision.tiles import BACK, KINDS, format_tile
from pzvision.vision.pictures import decode


class CropFaces:
    """Faces cut from photographs: ``folder/<class>/*.jpg|png``, upright; classes ``1m`` … ``9p``, ``other``.

    The file names do not say which pictures are of one set, so a set is put together: ``rng`` picks one
    picture and takes for each class one of the three whose paper colour is nearest to it.

    Raises:
        PzvisionError: the folder lacks a class or a picture cannot be read.
    """

    def __init__(
        self, folder: Path, rng: np.random.Generator, *, size: int = 256, without: tuple[str, ...] = ()
    ) -> None:
        """``size``: height, px. ``without``: pictures whose file names begin so are left out."""
        self._size = size
        self._look = random_look(rng)
        crops = _read_crops(folder, without)
        start = crops[int(rng.integers(KINDS))]
        paper = _paper(start[int(rng.integers(len(start)))])
        self._faces: list[list[Image]] = []
        for kind in range(KINDS + 1):
            choices = sorted(crops[kind], key=lambda c: float(np.abs(_paper(c) - paper).sum()))
            keep = choices[: 3 if kind < KINDS else 24]
            picks = [keep[int(i)] for i in rng.permutation(len(keep))]
            picks = picks[:1] if kind < KINDS else picks
            self._faces.append([self._fit(c, paper, rng) for c in picks])
        self._back: Image | None = None
        b, g, r = (int(v) for v in paper)
        self._look = replace(self._look, face=(b, g, r), name="crops")

    def _fit(self, crop: Image, paper: np.ndarray, rng: np.random.Generator) -> Image:
        """To the common size and paper colour, with the outermost rim (often the table) cut away."""
        h, w = crop.shape[:2]
        m = float(rng.uniform(0.025, 0.05))
        inner = crop[round(h * m) : round(h * (1 - m)), round(w * m) : round(w * (1 - m))]
        gain = np.clip(paper / np.maximum(_paper(crop), 1.0), 0.7, 1.4)
        inner = np.clip(inner * gain, 0, 255).astype(np.uint8)
        size = (round(self._size * ASPECT), self._size)
        return np.asarray(cv2.resize(inner, size, interpolation=cv2.INTER_AREA), np.uint8)

    @property
    def look(self) -> Look:
        """Body colours: the crops' paper, any back."""
        return self._look

    def face(self, kind: int, copy: int = 0) -> Image:
        """See `FaceSource.face`."""
        if kind == BACK:
            if self._back is None:
                self._back = draw_face(BACK, self._look, self._size)
            return self._back
        faces = self._faces[kind]
        return faces[copy % len(faces)]


def _paper(crop: Image) -> np.ndarray:
    """The bright, plain colour a face is painted on: the 80th percentile of each channel of its middle."""
    h, w = crop.shape[:2]
    return np.percentile(crop[h // 8 : -h // 8, w // 8 : -w // 8].reshape(-1, 3), 80, axis=0)


def _shows_body(crop: Image) -> bool:
    """Whether the picture shows more than the face: an edge that is mostly much darker than the paper."""
    grey = crop.max(axis=2)
    paper = float(_paper(crop).max())
    edges = (grey[8:20], grey[-20:-8], grey[:, 6:16], grey[:, -16:-6])
    return any(float(np.median(edge)) < paper - 55 for edge in edges)


@lru_cache(maxsize=2)
def _read_crops(folder: Path, without: tuple[str, ...]) -> tuple[tuple[Image, ...], ...]:
    classes: list[tuple[Image, ...]] = []
    for kind in range(KINDS + 1):
        pictures: list[Image] = []
        files = sorted(
            p
            for p in (folder / format_tile(kind)).glob("*")
            if p.suffix.lower() in (".jpg", ".png", ".jpeg") and not (without and p.name.startswith(without))
        )
        for path in files:
            image = decode(path.read_bytes())
            if image is None:
                raise PzvisionError(f"{path}: not a picture OpenCV can read")
            if not 1.1 < image.shape[0] / image.shape[1] < 1.7:  # not an upright face alone
                continue
            face = np.asarray(cv2.resize(image, (192, 256), interpolation=cv2.INTER_AREA), np.uint8)
            if not _shows_body(face):
                pictures.append(face)
        if not pictures:
            raise PzvisionError(
                f"{folder / format_tile(kind)}: no pictures of this tile: expected upright faces (jpg, png)"
            )
        classes.append(tuple(pictures))
    return tuple(classes)
