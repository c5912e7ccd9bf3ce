"""Reads doubtful small faces once more, together with what lies round them.

The reader sees a face alone. Half hidden, cut a little wrongly or twelve pixels high it may be any of
several; what covers it, where the neighbours begin and how they are lit tells which.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.vision.detections import FloatArray
from pzvision.vision.obb import side_px
from pzvision.vision.rectify import rectify
from pzvision.vision.session import Network, open_network, run_batches

SIZE: Final = 80
"""Side of the network's input, px: a face is as large in it as in the reader's."""
WIDE: Final = 1.8
"""How much wider than the outline the cut-out is."""


@dataclass(frozen=True)
class ContextConfig:
    """When faces are read once more, and what that counts.

    Attributes:
        doubtful: faces whose likeliest kind has less probability than this are.
        weight: of the second reading, 0–1: log-probabilities are averaged so.
        largest_px: faces with a longer side (root of area, px of the picture) are seen well enough: with 45
            px 200 rendered tables had 874 errors instead of 884.
        batch: faces per run of the network; bounds its memory.
    """

    doubtful: float = 0.95
    weight: float = 0.7
    largest_px: float = 30.0
    batch: int = 64


class ContextReader:
    """Runs ``context.onnx``.

    Raises `PzvisionError` where the file is missing or something else.
    """

    def __init__(
        self,
        model: Path,
        *,
        threads: int | None = None,
        config: ContextConfig | None = None,
        backend: str = "auto",
    ) -> None:
        self.config = config or ContextConfig()
        self.network: Network = open_network(model, threads, backend)
        if self.network.metadata.get("task") != "pzvision-context":
            raise PzvisionError(f"model {model}: does not read faces by what lies round them")

    def __call__(
        self, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.floating], probs: FloatArray
    ) -> FloatArray:
        """``probs`` ``(N, 28)`` of the faces in ``quads`` ``(N, 4, 2)`` px, the doubtful ones thought over.

        Returned in the same shape.

        ``image``: ``(H, W, 3)`` uint8 BGR.
        """
        cfg = self.config
        quads = np.asarray(quads, np.float32).reshape(-1, 4, 2)
        picked = np.flatnonzero((probs.max(axis=1) < cfg.doubtful) & (side_px(quads) <= cfg.largest_px))
        if not len(picked):
            return probs
        middle = quads[picked].mean(axis=1, keepdims=True)
        faces = rectify(image, middle + (quads[picked] - middle) * WIDE, SIZE)
        second = run_batches(self.network, faces, cfg.batch)[0]
        both = (1 - cfg.weight) * _log(probs[picked]) + cfg.weight * _log(second)
        both = np.exp(both - both.max(axis=1, keepdims=True))
        out = probs.copy()
        out[picked] = both / both.sum(axis=1, keepdims=True)
        return out


def _log(probs: FloatArray) -> FloatArray:
    return np.asarray(np.log(probs + np.float32(1e-7)), np.float32)
