"""A contact sheet of training samples with their truth drawn in."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.train.augment import AugmentConfig
from pzvision.train.data import Recipe
from pzvision.train.loop import SampleStream

FACE, BOX_ONLY, BACK, IGNORED = (40, 40, 235), (30, 150, 255), (235, 200, 40), (60, 200, 60)


def contact_sheet(recipe: Recipe, built: Path, out: Path, samples: int = 16, seed: int = 1) -> None:
    """Write a sheet: faces red (orange where only the box is known), backs blue, not judged green.

    Raises `PzvisionError` where the sheet cannot be written.
    """
    batch = next(iter(SampleStream(recipe, built, samples, AugmentConfig(), seed)))
    cells = []
    for i in range(samples):
        cell = np.ascontiguousarray(batch.images[i].numpy().transpose(1, 2, 0)[..., ::-1])
        for x1, y1, x2, y2 in batch.ignore[i].numpy().astype(int).tolist():
            cv2.rectangle(cell, (x1, y1), (x2, y2), IGNORED, 1)
        for k in np.flatnonzero(batch.real[i].numpy()):
            colour = BACK if batch.classes[i, k] else FACE if batch.outlined[i, k] else BOX_ONLY
            cv2.polylines(cell, [batch.quads[i, k].numpy().astype(np.int32)], True, colour, 1, cv2.LINE_AA)
        cells.append(cell)
    across = int(np.ceil(np.sqrt(samples)))
    cells += [np.zeros_like(cells[0])] * (-samples % across)
    sheet = np.vstack([np.hstack(cells[i : i + across]) for i in range(0, len(cells), across)])
    ok, data = cv2.imencode(out.suffix or ".png", sheet)
    if not ok:
        raise PzvisionError(f"--preview {out}: cannot be written as {out.suffix!r}; expected .png or .jpg")
    try:
        out.write_bytes(data.tobytes())
    except OSError as error:
        raise PzvisionError(f"--preview {out}: cannot be written ({error.strerror})") from None
