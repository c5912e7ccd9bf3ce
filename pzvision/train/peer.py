"""Side by side with mahjong-detector (PyPI, MIT): both on the same labelled photos in one run."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.tiles import CLASSES, OTHER, parse_tile
from pzvision.train.evaluate import Figures, PhotoResult, evaluate_photos, figures
from pzvision.vision.detections import Detections
from pzvision.vision.detector import TileDetector

PEER: Final = "mahjong_detector"


class PeerDetector:
    """mahjong-detector as a detector of ours: its boxes, its names, its own settings.

    Raises `PzvisionError` where it is not installed (extra ``bench``).
    """

    def __init__(self) -> None:
        missing = [name for name in (PEER, "PIL") if importlib.util.find_spec(name) is None]
        if missing:
            raise PzvisionError(f"--peer: {missing[0]} is not installed; pip install 'pzvision[bench]'")
        self._predict: Any = importlib.import_module(f"{PEER}.predict")
        self._prepare: Any = importlib.import_module(f"{PEER}.preprocess").preprocess_image
        self._picture: Any = importlib.import_module("PIL.Image")
        self._kinds = [_kind(name) for name in self._predict.CLASS_NAMES]

    def __call__(self, image: npt.NDArray[np.uint8]) -> Detections:
        """The tiles in ``(H, W, 3)`` uint8 BGR, as `detect_tiles` of the peer finds them."""
        size = (image.shape[1], image.shape[0])
        picture = self._picture.fromarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB))
        found = self._predict.predict(*self._prepare(picture))
        if not found:
            return Detections.empty(size)
        boxes = np.array([(d.x1, d.y1, d.x2, d.y2) for d in found], np.float32)
        x1, y1, x2, y2 = boxes.T
        probs = np.zeros((len(found), CLASSES), np.float32)
        probs[np.arange(len(found)), [self._kinds[d.class_id] for d in found]] = 1
        return Detections(
            np.stack([x1, y1, x2, y1, x2, y2, x1, y2], 1).reshape(-1, 4, 2),
            probs,
            np.array([d.confidence for d in found], np.float32),
            size,
        )


def _kind(name: str) -> int:
    """Its names are ours for the 27 kinds; honours are *other*."""
    try:
        return parse_tile(name)
    except PzvisionError:
        return OTHER


def compare(photos: Path, detector: TileDetector) -> list[tuple[str, Figures]]:
    """Figures of the peer and of ours on a folder of labelled photos (``images/``, ``labels/``).

    Each photo is looked at twice; the second time counts. Raises `PzvisionError` without the peer or photos.
    """
    peer = PeerDetector()
    runs: Sequence[tuple[str, Any]] = (("mahjong-detector", peer), ("pzvision", detector))
    out = []
    for name, look in runs:
        results: list[PhotoResult] = evaluate_photos(look, photos)
        out.append((name, figures(results)))
    return out


def table(rows: Sequence[tuple[str, Figures]]) -> str:
    """The figures as lines for people."""
    lines = [f"{'':<18}{'tiles':>7}{'recall':>9}{'prec.':>9}{'mAP50':>9}{'exact':>10}{'ms':>8}{'cpu ms':>8}"]
    for name, f in rows:
        lines.append(
            f"{name:<18}{f.tiles:>7}{f.recall:>9.3f}{f.precision:>9.3f}{f.map50:>9.3f}"
            f"{f'{f.exact} of {f.photos}':>10}{f.ms:>8.1f}{f.cpu_ms:>8.1f}"
        )
    return "\n".join(lines)
