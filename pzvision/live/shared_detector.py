"""One detector for several tables: their looks side by side, their pictures together in its networks."""

from __future__ import annotations

import os

from pzvision.live.turns import Turns
from pzvision.vision.batching import Batches
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image
from pzvision.vision.detections import Detections, Detector
from pzvision.vision.detector import TileDetector
from pzvision.vision.gate import GateConfig
from pzvision.vision.tableview import TableDetector
from pzvision.vision.tile_set import TileSet


class SharedDetector:
    """The one detector, of which every table gets its own `Detector`.

    One look more than there are cores goes on at once: while one waits for a network, the others warp, cut
    and sort. More would only take the networks' cores. Who asked first begins first.

    Args:
        detector: whose networks are shared.
        at_once: looks that go on at the same time; None: as above.

    Attributes:
        batches: how often networks were asked for, and run.
    """

    def __init__(self, detector: TileDetector, *, at_once: int | None = None) -> None:
        self._detector = detector
        self._turns = Turns(at_once if at_once is not None else (os.cpu_count() or 1) + 1)
        self.batches = Batches()

    def of_table(
        self, calibration: Calibration, *, tile_set: TileSet | None = None, gate: GateConfig | None = None
    ) -> Detector:
        """As one table has it; ``tile_set``: of the tiles there, None reads as trained; ``gate``: see there.

        Raises `PzvisionError` for a tile set that was made for another reader.
        """
        own, turns = self._detector.sharing(self.batches, tile_set), self._turns
        table = TableDetector(own, calibration, gate=gate)

        def look(image: Image) -> Detections:
            with turns.turn():
                return table(image)

        return look
