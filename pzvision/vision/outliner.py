"""Sets outlines right: a small network looks at each found tile and its surroundings and moves its corners.

The finder sees the whole picture coarsely; of small tiles, packed ones and those at a flat angle its outlines
lose a row of marks or take in a part of the neighbour, and the reader then misreads a tile that it knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.vision.detections import FloatArray
from pzvision.vision.rectify import rectify
from pzvision.vision.session import Network, open_network, run_batches

SIZE: Final = 48
"""Side of the network's input, px."""
WIDE: Final = 1.8
"""How much wider than the outline the cut-out is."""
CORNERS: Final = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
"""The corners of the outline a picture was cut along, in its own units."""


def parallelograms(quads: npt.NDArray[np.floating]) -> FloatArray:
    """The parallelograms ``(N, 4, 2)`` px nearest to outlines ``(N, 4, 2)`` px, corner by corner."""
    centre = quads.mean(axis=1)
    u = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 4
    v = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 4
    return np.stack([centre - u - v, centre + u - v, centre + u + v, centre - u + v], axis=1).astype(
        np.float32
    )


def _frame(base: npt.NDArray[np.floating]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Centre ``(N, 1, 2)`` and matrix ``(N, 2, 2)`` (rows u, v) of parallelograms ``(N, 4, 2)``."""
    centre = base.mean(axis=1, keepdims=True).astype(np.float64)
    rows = np.stack([base[:, 1] - base[:, 0], base[:, 3] - base[:, 0]], axis=1) / 2
    return centre, rows.astype(np.float64)


def to_unit(quads: npt.NDArray[np.floating], base: npt.NDArray[np.floating]) -> FloatArray:
    """Outlines ``(N, 4, 2)`` px in units of parallelograms ``(N, 4, 2)`` px, whose corners are `CORNERS`.

    Returned in the same shape.
    """
    centre, rows = _frame(base)
    det = rows[:, 0, 0] * rows[:, 1, 1] - rows[:, 0, 1] * rows[:, 1, 0]
    det = np.where(np.abs(det) < 1e-6, 1e-6, det)
    inverse = np.empty_like(rows)
    inverse[:, 0, 0], inverse[:, 1, 1] = rows[:, 1, 1] / det, rows[:, 0, 0] / det
    inverse[:, 0, 1], inverse[:, 1, 0] = -rows[:, 0, 1] / det, -rows[:, 1, 0] / det
    return np.asarray((quads - centre) @ inverse, np.float32)


def from_unit(points: npt.NDArray[np.floating], base: npt.NDArray[np.floating]) -> FloatArray:
    """The way back: ``(N, 4, 2)`` in units of parallelograms ``(N, 4, 2)`` px to ``(N, 4, 2)`` px."""
    centre, rows = _frame(base)
    return np.asarray(points @ rows + centre, np.float32)


@dataclass(frozen=True)
class OutlinerConfig:
    """How outlines are set right.

    Attributes:
        looks: how often; each starts from the outline that the one before gave.
        batch: outlines per run of the network; bounds its memory.
        largest_px: outlines with a longer side (root of area, px of the first look) stay as they were
            found: of near tiles the finder sees enough.
        furthest: no corner is moved by more than this in one look, in halves of the outline's sides.
    """

    looks: int = 1
    batch: int = 128
    largest_px: float = 40.0
    furthest: float = 1.2


class Outliner:
    """Runs ``outliner.onnx``.

    Raises `PzvisionError` where the file is missing or something else.
    """

    def __init__(
        self,
        model: Path,
        *,
        threads: int | None = None,
        config: OutlinerConfig | None = None,
        backend: str = "auto",
    ) -> None:
        self.config = config or OutlinerConfig()
        self.network: Network = open_network(model, threads, backend)
        if self.network.metadata.get("task") != "pzvision-outliner":
            raise PzvisionError(f"model {model}: does not set outlines right")

    def __call__(
        self, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.floating]
    ) -> tuple[FloatArray, FloatArray]:
        """Outlines ``(N, 4, 2)`` px set right, ``(N, 4, 2)``, and ``(N,)`` how far off corners may still be.

        That is the mean distance to expect, in halves of the outline's sides. ``image``: ``(H, W, 3)`` uint8
        BGR. Corner 0 stays the one it was.
        """
        out = np.asarray(quads, np.float32).reshape(-1, 4, 2).copy()
        spread = np.zeros(len(out), np.float32)
        for _ in range(self.config.looks if len(out) else 0):
            base = parallelograms(out)
            middle = base.mean(axis=1, keepdims=True)
            pictures = rectify(image, middle + (base - middle) * WIDE, SIZE)
            moves, spread = run_batches(self.network, pictures, self.config.batch)
            moves = moves.reshape(-1, 4, 2)
            limit = self.config.furthest
            out = from_unit(CORNERS + np.clip(moves, -limit, limit), base)
        return out, spread
