"""How long the detector's stages take, on pictures like those it is used on."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from pzvision.vision.calibration import Calibration
from pzvision.vision.detector import TileDetector
from pzvision.vision.finder import FACE
from pzvision.vision.session import Network
from pzvision.vision.tableview import TableDetector

Result = TypeVar("Result")
Image = npt.NDArray[np.uint8]
"""A picture: ``(H, W, 3)`` uint8 BGR."""

STAGES = ("find", "outlines", "adjust", "cut", "read")
"""The finder's network, in as many looks as it takes; what the finder does besides: scaling the picture, and
from numbers to outlines; setting those right (0 in the view from above, where that is not done); cutting the
faces out; reading them, doubtful ones with what lies round them too (not in the view from above)."""


class _Timed:
    """A network, and how many ms its runs took."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self.ms = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._network, name)

    def run(self, feed: npt.NDArray[Any]) -> list[npt.NDArray[np.float32]]:
        start = time.perf_counter()
        result = self._network.run(feed)
        self.ms += (time.perf_counter() - start) * 1e3
        return result


@dataclass(frozen=True)
class Bench:
    """One backend's figures.

    Attributes:
        backend, runs_on: what ran the models.
        pictures, tiles: how many were looked at, and the mean number of tiles found in one.
        stages: median ms of wall clock of each of `STAGES`.
        each: of every picture the tiles found and the median ms of wall clock of a whole look, fewest first.
        whole, slow: median and 95th percentile, ms of wall clock, of a whole look (the call, not the sum).
        processor: median ms of processor time of a whole look, all threads together.
        peak_mb: most memory the process ever held, MB.
    """

    backend: str
    runs_on: str
    pictures: int
    tiles: float
    stages: dict[str, float]
    each: tuple[tuple[int, float], ...]
    whole: float
    slow: float
    processor: float
    peak_mb: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def parse(cls, record: dict[str, Any]) -> Bench:
        """From `to_dict`."""
        values = {f.name: record[f.name] for f in fields(cls)}
        return cls(**{**values, "each": tuple((tiles, ms) for tiles, ms in values["each"])})


_WARM: Final = 7  # looks at a picture before its times count


def measure(
    detector: TileDetector,
    pictures: Sequence[Image],
    rounds: int = 5,
    calibration: Calibration | None = None,
) -> Bench:
    """Time the detector on each picture ``rounds`` times, after some that do not count.

    A backend may need a few until it knows the pictures of a camera (see `session`).

    With a ``calibration`` the table is looked at from above; the whole look then holds the warping too, the
    stages are those of the view from above.

    Raises `ValueError` without pictures or with a detector that does not read.
    """
    finder, reader = detector.stages
    if reader is None or not pictures:
        raise ValueError("measure: expected a detector that reads, and at least one picture")
    times: dict[str, list[float]] = {name: [] for name in STAGES}
    whole: list[float] = []
    processor: list[float] = []
    each: list[tuple[int, float]] = []

    def timed(name: str, work: Callable[[], Result]) -> Result:
        start = time.perf_counter()
        result = work()
        times[name].append((time.perf_counter() - start) * 1e3)
        return result

    above = None if calibration is None else TableDetector(detector, calibration)
    look = detector if above is None else above
    network = finder.network
    finder.network = timer = _Timed(network)
    try:
        for picture in pictures:
            tiles = [len(look(picture)) for _ in range(_WARM)][-1]
            image = picture if above is None else above.view.warp(picture)
            size = None if above is None else above.view.tile_px
            for _ in range(rounds):
                start, used = time.perf_counter(), time.process_time()
                look(picture)
                whole.append((time.perf_counter() - start) * 1e3)
                processor.append((time.process_time() - used) * 1e3)
                timer.ms = 0.0
                finds = timed("outlines", lambda i=image, s=size: finder(i, s))  # type: ignore[misc]
                times["find"].append(timer.ms)
                times["outlines"][-1] -= timer.ms
                if above is None:
                    finds = timed("adjust", lambda i=image, f=finds: detector.set_right(i, f))  # type: ignore[misc]
                quads = finds.quads[finds.classes == FACE]
                timed("cut", lambda i=image, q=quads: reader.cut(i, q))  # type: ignore[misc]
                timed("read", lambda i=image, f=finds: detector.name(i, f, context=above is None))  # type: ignore[misc]
                times["read"][-1] -= times["cut"][-1]
            each.append((tiles, float(np.median(whole[-rounds:]))))
    finally:
        finder.network = network
    return Bench(
        detector.backend,
        detector.runs_on,
        len(pictures),
        float(np.mean([tiles for tiles, _ in each])),
        {name: float(np.median(t)) if t else 0.0 for name, t in times.items()},
        tuple(sorted(each)),
        float(np.median(whole)),
        float(np.percentile(whole, 95)),
        float(np.median(processor)),
        peak_mb(),
    )


def peak_mb() -> float:
    """Most memory this process ever held, MB (2²⁰ bytes)."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
