"""From the camera to the announcement on the page: ``python -m pzvision.live.bench_page --minutes 5``.

The demonstration plays as a 1280×720 motion JPEG camera in a process of its own that numbers its pictures and
says when it sends each. Pipeline, page and store run as in ``pzvision live``, and a headless Chromium shows
the table page. Of each announcement is noted when the camera sent the picture at whose look it was decided,
when that picture was decoded here, when the announcement reached a plain client of the stream, when its text
stood in the page's document, and when the page next drew. Page, camera and game share the machine.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from pzvision.live.bench import Spent, TimedDetector
from pzvision.live.bench_parts import BenchGame, Listener, Plan, plan_parser, playing
from pzvision.live.loopback import read_stamp
from pzvision.live.page_watch import PageWatch, processor_seconds
from pzvision.vision.calibration import load
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import CaptureConfig
from pzvision.vision.detector import TileDetector
from pzvision.vision.tableview import TableDetector


@dataclass
class Way:
    """One announcement's way: moments in s of `time.monotonic`, NaN where unknown."""

    sent: float
    decoded: float
    told: float


@dataclass
class Result:
    """Figures of a run. Times in ms after the camera sent the picture, one for each announcement."""

    seconds: float
    camera_fps: float
    looks_fps: float
    tiles: tuple[float, int]
    decoded: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    client: list[float] = field(default_factory=list)
    document: list[float] = field(default_factory=list)
    drawn: list[float] = field(default_factory=list)
    announcements: int = 0
    pictures_fps: float = 0.0
    cores: dict[str, float] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """As text."""
        cores = ", ".join(f"{name} {used:.2f}" for name, used in self.cores.items())
        return [
            f"{self.seconds:.0f} s on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f};"
            f" cores used: {cores}",
            f"camera {self.camera_fps:.1f} frames/s, {self.looks_fps:.1f} looks/s, tiles found: median"
            f" {self.tiles[0]:.0f}, at most {self.tiles[1]}; {self.announcements} announcements,"
            f" {self.pictures_fps:.1f} pictures/s on the page",
            "from the camera sending the picture",
            *(
                f"  {what:<34} {spread(values)}"
                for what, values in (
                    ("to the picture decoded", self.decoded),
                    ("to the announcement made", self.told),
                    ("to a plain client of the stream", self.client),
                    ("to the text in the page's document", self.document),
                    ("to the page's next drawing", self.drawn),
                )
            ),
        ]


def spread(values: Sequence[float]) -> str:
    """Percentiles of times in ms, NaN left out."""
    known = np.array([value for value in values if value == value])
    if not len(known):
        return "none"
    p50, p95, p99 = np.percentile(known, [50, 95, 99])
    return f"p50 {p50:4.0f}  p95 {p95:4.0f}  p99 {p99:4.0f}  most {known.max():4.0f} ms  of {len(known)}"


class SentTimes(threading.Thread):
    """When the camera's process sent each picture, by the number stamped on it (s of `time.monotonic`)."""

    def __init__(self, lines: IO[str]) -> None:
        super().__init__(daemon=True, name="bench-sent")
        self._lines = lines
        self._at = array("d", [float("nan")] * (1 << 14))

    def __getitem__(self, number: int) -> float:
        return self._at[number]

    def run(self) -> None:
        """Read until the camera is closed."""
        for line in self._lines:
            number, at = line.split()
            self._at[int(number)] = float(at)


@dataclass(frozen=True, kw_only=True)
class PagePlan(Plan):
    """What is run. ``screenshot``: where a picture of the page goes at the end."""

    minutes: float = 5.0
    screenshot: Path | None = None


def run(plan: PagePlan, watch: Callable[[str], PageWatch] | None = None) -> Result:
    """Play it.

    Args:
        plan: what.
        watch: opens a browser on an address; None: `PageWatch`.

    Raises:
        PzvisionError: the recording cannot be played, or there is no browser.
    """
    opener = watch or (lambda address: PageWatch(address, plan.screenshot))
    with playing(plan, "--stamp") as (url, camera), tempfile.TemporaryDirectory() as folder:
        assert camera.stdout is not None
        sent = SentTimes(camera.stdout)
        sent.start()
        return _measure(plan, url, Path(folder), sent, camera.pid, opener)


def _measure(
    plan: PagePlan, url: str, folder: Path, sent: SentTimes, camera: int, watch: Callable[[str], PageWatch]
) -> Result:
    calibration = load(plan.calibration)
    detector = TimedDetector(TableDetector(TileDetector(threads=plan.threads), calibration), Spent())
    source = LiveSource.open(url, CaptureConfig())
    table = BenchGame(folder, source, calibration, plan.ruleset, detector)
    pipeline, game = table.pipeline, table.thread
    ways: dict[int, Way] = {}

    def note(what: str, value: Any) -> None:
        frame = pipeline._frame
        if what == "record" and frame is not None and '"announce"' in value.text[:30]:
            now = time.monotonic()
            ways[value.seq] = Way(sent[read_stamp(frame.image)], now - source.age_of(frame), now)

    table.hub.follow(note)
    game.start()
    page = watch(table.server.url)
    client = Listener(table.server.url)
    client.start()
    try:
        begun, received, looks = time.monotonic(), source.health.received, pipeline._looks
        first, pictures = max(ways, default=0), page.pictures
        processes = {"game": os.getpid(), "browser": page.pid, "camera": camera}
        busy = {name: processor_seconds(pid) for name, pid in processes.items()}
        while (passed := time.monotonic() - begun) < plan.minutes * 60 and game.is_alive():
            time.sleep(0.5)
        busy = {name: processor_seconds(pid) - busy[name] for name, pid in processes.items()}
        busy["game"] -= busy["browser"] + busy["camera"]  # which it began
        health = source.health
        pictures = page.pictures - pictures
        time.sleep(2)  # what is under way arrives
    finally:
        page.close()
        table.stop()
        table.store.close()
    result = Result(
        passed,
        (health.received - received) / passed,
        (pipeline._looks - looks) / passed,
        (float(np.median(detector.tiles)), max(detector.tiles)) if detector.tiles else (0.0, 0),
        pictures_fps=pictures / passed,
        cores={name: used / passed for name, used in busy.items()},
    )
    clock = time.time() - time.monotonic()
    nowhere = float("nan")
    for seq, way in ways.items():
        if seq <= first or way.told > begun + passed:
            continue
        result.announcements += 1
        there, drawn = page.shown.get(seq, (nowhere, nowhere))
        result.decoded.append(1000 * (way.decoded - way.sent))
        result.told.append(1000 * (way.told - way.sent))
        result.client.append(1000 * (client.came[seq] - way.sent))
        result.document.append(1000 * (there - clock - way.sent))
        result.drawn.append(1000 * (drawn - clock - way.sent))
    return result


def main(argv: Sequence[str] | None = None) -> None:
    """See the module."""
    words = "from the camera to the announcement on the page"
    parser = argparse.ArgumentParser(description=words, parents=[plan_parser("pzh-traditional")])
    parser.add_argument("--minutes", type=float, default=PagePlan.minutes)
    parser.add_argument("--screenshot", type=Path, help="a picture of the page at the end")
    print("\n".join(run(PagePlan(**vars(parser.parse_args(argv)))).lines()), flush=True)


if __name__ == "__main__":
    main()
