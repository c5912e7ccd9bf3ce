"""Photos with axis-aligned labels: reading them, and finding out where the labels are tight.

The photo folder holds ``images/*.jpg`` and ``labels/*.txt`` (class, centre x, centre y, width, height,
0–1 of the picture). A box is the tile's outline only where the tile stands square to the picture:
`tight` tells which photos those are, from the direction in which the neighbours of each box lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError

TIGHT_DEGREES = 2.5
"""Median tilt of the rows up to which a photo's boxes count as outlines."""


@dataclass(frozen=True)
class Photo:
    """One labelled photo: ``classes`` (N,) 0–27 and ``boxes`` (N, 4) ``x1 y1 x2 y2``, 0–1 of its size."""

    path: Path
    classes: npt.NDArray[np.int64]
    boxes: npt.NDArray[np.float64]

    @property
    def series(self) -> str:
        """Pictures of one series show one table and set: the file name up to its time or number."""
        name = self.path.stem
        source, _, rest = name.partition("_")
        if rest.startswith("IMG_"):
            return f"{source}_{rest[:12]}"
        return source if source in ("leomiura", "camerash") else f"{source}_{rest[:6]}"


def read_labels(path: Path) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Classes ``(N,)`` and boxes ``(N, 4)`` of a label file. Raises `PzvisionError` naming file and line."""
    classes, boxes = [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split()
        if not words:
            continue
        try:
            c, x, y, w, h = int(words[0]), *map(float, words[1:5])
        except ValueError:
            raise PzvisionError(f"{path}:{number}: expected class x y w h, got {line!r}") from None
        classes.append(c)
        boxes.append((x - w / 2, y - h / 2, x + w / 2, y + h / 2))
    return np.array(classes, np.int64), np.array(boxes, np.float64).reshape(-1, 4)


def read_photos(folder: Path) -> list[Photo]:
    """Every labelled photo of a folder, by name. Raises `PzvisionError` where there are none."""
    photos = []
    for image in sorted((folder / "images").glob("*.jpg")):
        label = folder / "labels" / f"{image.stem}.txt"
        if label.exists():
            photos.append(Photo(image, *read_labels(label)))
    if not photos:
        raise PzvisionError(f"{folder}: no images/*.jpg with labels/*.txt in it")
    return photos


def row_tilt(boxes_px: npt.NDArray[np.float64]) -> float | None:
    """Median tilt in degrees of the lines between next neighbours of like size; None with under 4 pairs.

    ``boxes_px``: ``(N, 4)`` ``x1 y1 x2 y2``.
    """
    centre = (boxes_px[:, :2] + boxes_px[:, 2:]) / 2
    size = boxes_px[:, 2:] - boxes_px[:, :2]
    tilts = []
    for i in range(len(centre)):
        offset = centre - centre[i]
        for axis in (0, 1):
            along, across = offset[:, axis], offset[:, 1 - axis]
            near = (along > 0.5 * size[i, axis]) & (along < 1.35 * size[i, axis])
            near &= np.abs(across) < 0.4 * size[i, 1 - axis]
            near &= np.abs(size - size[i]).max(axis=1) < 0.25 * size[i].min()
            if near.any():
                j = np.flatnonzero(near)[along[near].argmin()]
                tilts.append(np.degrees(np.arctan2(across[j], along[j])))
    return float(np.median(np.abs(tilts))) if len(tilts) >= 4 else None


def tight(photo: Photo, width: int, height: int) -> bool:
    """Whether the boxes of the photo, ``width`` × ``height`` px, are the outlines of its tiles."""
    tilt = row_tilt(photo.boxes * np.array([width, height, width, height]))
    return tilt is not None and tilt <= TIGHT_DEGREES and photo.path.name.split("_")[0] != "leomiura"
