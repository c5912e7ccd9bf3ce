"""How fast and how steady a live game is: ``python -m pzvision.live.bench --minutes 60``.

A recording plays as a network camera (motion JPEG, a process of its own). `Pipeline`, page and store run as
in ``pzvision live``; a client on the page's stream notes when each announcement reaches it. Printed are

- frames captured, looked at and dropped a second, and how often the detector was asked,
- from the arrival of the deciding frame to the announcement at the client, and to the end of its look,
- where a look's time goes,
- the slope of memory after a warm-up, threads and open files before and after,
- whether the store tells the log of the game; with ``--twice`` also whether the log comes out the same, byte
  for byte, when the game is read once more from what was seen in every look.

What the measuring itself notes is kept in flat arrays: it does not count as the game's memory.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import tempfile
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pzvision.game import format_log
from pzvision.live.bench_parts import (
    BenchGame,
    Listener,
    Plan,
    Times,
    open_files,
    plan_parser,
    playing,
    resident_mb,
)
from pzvision.live.pipeline import Pipeline, PipelineConfig
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.live.stored import StoredLooks, header_of, never
from pzvision.table.observations import ObservationWriter
from pzvision.vision.calibration import Calibration, load
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import CaptureConfig, Image
from pzvision.vision.detections import Detections
from pzvision.vision.detector import TileDetector
from pzvision.vision.tableview import TableDetector

WARM_UP: Final = 0.25  # of the run, before the memory's slope is taken
SAMPLE_S: Final = 2.0
NOTE_S: Final = 30.0


@dataclass
class Spent:
    """Milliseconds spent in each part of a look: by the clock and of processor in turn, ``(2 * looks,)``."""

    # Flat, so that what is noted in an hour does not count as the game's memory.
    parts: dict[str, array[float]] = field(default_factory=dict)

    @contextlib.contextmanager
    def on(self, part: str, busy: Callable[[], float]) -> Iterator[None]:
        """Count the time inside; ``busy``: processor time in s, of this thread or of all."""
        begun, worked = time.perf_counter(), busy()
        yield
        taken = (1000 * (time.perf_counter() - begun), 1000 * (busy() - worked))
        self.parts.setdefault(part, array("f")).extend(taken)

    def lines(self) -> list[str]:
        """One line a part."""
        out = []
        for part, noted in self.parts.items():
            taken = np.array(noted).reshape(-1, 2)
            (wall50, cpu50), (wall95, cpu95) = (np.percentile(taken, q, axis=0) for q in (50, 95))
            out.append(
                f"  {part:<9} {len(taken):>6} times: p50 {wall50:6.0f} ms (processor {cpu50:6.0f}),"
                f" p95 {wall95:6.0f} ms ({cpu95:6.0f})"
            )
        return out


class TimedDetector:
    """A detector whose time is taken."""

    def __init__(self, detector: Callable[[Image], Detections], spent: Spent) -> None:
        self._detector = detector
        self._spent = spent
        self.tiles = array("H")

    def __call__(self, image: Image) -> Detections:
        """As the detector's; its processor time and the number of tiles are kept."""
        with self._spent.on("detector", time.process_time):
            found = self._detector(image)
        self.tiles.append(len(found))
        return found


def note_sample(path: Path, seconds: float, records: int, frames: int) -> None:
    """Append a line to a table: seconds, MB resident, threads, descriptors, log records, frames read."""
    new = not path.exists()
    with path.open("a", encoding="utf-8") as out:
        if new:
            out.write("seconds,resident_mb,threads,descriptors,records,frames\n")
        out.write(
            f"{seconds:.1f},{resident_mb():.2f},{threading.active_count()},{open_files()},{records},{frames}\n"
        )


def slope(samples: npt.NDArray[np.float64]) -> float:
    """MB per 10 minutes of (seconds, MB) samples ``(n, 2)``, after the warm-up."""
    kept = samples[int(len(samples) * WARM_UP) :]
    if len(kept) < 3:
        return float("nan")
    at, mb = np.array(kept).T
    return float(np.polyfit(at, mb, 1)[0] * 600)


@dataclass(frozen=True, kw_only=True)
class LivePlan(Plan):
    """What is run, with looks every ``every_s`` s; ``log``: a table of samples; ``twice``: see the module."""

    minutes: float = 10.0
    every_s: float = 0.25
    backend: str = "auto"
    log: Path | None = None
    twice: bool = False


def run(plan: LivePlan) -> dict[str, Any]:
    """Run it; figures by name. Raises `PzvisionError` where the recording cannot be played."""
    with playing(plan) as (url, _), tempfile.TemporaryDirectory() as folder:
        return _measure(plan, load(plan.calibration), url, Path(folder))


def _measure(plan: LivePlan, calibration: Calibration, url: str, folder: Path) -> dict[str, Any]:
    spent = Spent()
    finder = TileDetector(threads=plan.threads, backend=plan.backend)
    detector = TimedDetector(TableDetector(finder, calibration), spent)
    source = LiveSource.open(url, CaptureConfig())
    looks = folder / "looks.jsonl.gz"
    config = PipelineConfig(look_s=plan.every_s)
    observations = ObservationWriter(looks, header_of(source, calibration)) if plan.twice else None
    game = BenchGame(
        folder, source, calibration, plan.ruleset, detector, config=config, observations=observations
    )
    pipeline = game.pipeline
    look = pipeline.evening.look

    def timed_look(*args: Any, **more: Any) -> Any:
        with spent.on("table", time.thread_time):
            return look(*args, **more)

    pipeline.evening.look = timed_look  # type: ignore[method-assign]
    arrived = Times()

    def note_arrival(what: str, value: Any) -> None:
        frame = pipeline._frame
        if what == "record" and frame is not None:
            arrived.note(value.seq, time.monotonic() - source.age_of(frame))

    game.hub.follow(note_arrival)
    listener = Listener(game.server.url)
    listener.start()
    samples = array("d")  # s and MB in turn
    noted_at = float("-inf")
    before: tuple[int, int] | None = None
    begun = time.monotonic()
    game.thread.start()
    while (passed := time.monotonic() - begun) < plan.minutes * 60 and game.thread.is_alive():
        time.sleep(min(SAMPLE_S, plan.minutes * 60 / 20))
        samples.extend((passed, resident_mb()))
        if plan.log is not None and passed - noted_at >= NOTE_S:
            noted_at = passed
            note_sample(plan.log, passed, pipeline.session.length, source.health.received)
        if before is None and passed > min(20.0, plan.minutes * 15):
            before = (threading.active_count(), open_files())
    seconds = time.monotonic() - begun
    after = (threading.active_count(), open_files())
    health = source.health
    game.stop()
    latencies = [1000 * s for s in listener.came.since(arrived)]
    ended = source.health
    kept = game.store.read(game.writer.id).log
    game.store.close()
    logs = {"live": format_log(pipeline.session.log), "in the store": format_log(kept)}
    if plan.twice:
        maker = HandMaker(calibration, HandSettings(plan.ruleset))
        again = Pipeline(StoredLooks(looks), calibration, maker, never, config=config)
        again.run()
        logs["again from the looks"] = format_log(again.session.log)
    memory = np.array(samples).reshape(-1, 2)
    return {
        "seconds": seconds,
        "camera_fps": health.received / seconds,
        "looks": pipeline._looks,
        "looks_fps": pipeline._looks / seconds,
        "detector": pipeline.asked,
        "dropped": ended.dropped,
        "received": ended.received,
        "tiles": (float(np.median(detector.tiles)), max(detector.tiles)) if detector.tiles else (0.0, 0),
        "announcements": len(latencies),
        "announce_ms": tuple(np.percentile(latencies, [50, 95, 99])) if latencies else None,
        "look_ms": pipeline.vitals.latency(),
        "memory_mb": (memory[0, 1], memory[-1, 1]),
        "slope_mb_10min": slope(memory),
        "logs": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in logs.items()},
        "threads": (before or after)[0:1] + after[0:1],
        "files": (before or after)[1:2] + after[1:2],
        "hands": pipeline.session.hand,
        "records": pipeline.session.length,
        "spent": spent.lines(),
        "providers": ", ".join(finder.providers),
    }


def report(figures: dict[str, Any]) -> str:
    """The figures as lines."""
    announce = figures["announce_ms"]
    tiles = figures["tiles"]
    lines = [
        f"{figures['seconds']:.0f} s on {os.cpu_count()} cores ({figures['providers']}),"
        f" load {os.getloadavg()[0]:.1f}; {figures['hands']} hands, {figures['records']} records",
        f"camera {figures['camera_fps']:.1f} frames/s, looked at {figures['looks_fps']:.1f}/s"
        f" (detector asked {figures['detector']} times), {figures['looks']} + {figures['dropped']} dropped"
        f" = {figures['received']}; tiles found: median {tiles[0]:.0f}, at most {tiles[1]}",
        "frame to announcement at the client: "
        + (
            "nothing was announced"
            if announce is None
            else f"p50 {announce[0]:.0f}, p95 {announce[1]:.0f}, p99 {announce[2]:.0f} ms"
            f" of {figures['announcements']}"
        ),
    ]
    if figures["look_ms"] is not None:
        p50, p95 = figures["look_ms"]
        lines.append(f"frame to the end of its look: p50 {p50:.0f}, p95 {p95:.0f} ms")
    lines.extend(figures["spent"])
    first, last = figures["memory_mb"]
    lines.append(f"memory {first:.0f} -> {last:.0f} MB, slope {figures['slope_mb_10min']:+.2f} MB per 10 min")
    logs = figures["logs"]
    same = "the same log" if len(set(logs.values())) == 1 else "NOT the same log"
    lines.append(f"{same}: " + ", ".join(f"{name} {digest[:12]}" for name, digest in logs.items()))
    lines.append(f"threads {figures['threads']}, open files {figures['files']} (early, late)")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """See the module."""
    words = __doc__.splitlines()[0] if __doc__ else None
    parser = argparse.ArgumentParser(description=words, parents=[plan_parser()])
    parser.add_argument("--minutes", type=float, default=LivePlan.minutes)
    parser.add_argument(
        "--every", dest="every_s", type=float, default=LivePlan.every_s, metavar="S", help="between looks"
    )
    parser.add_argument("--backend", default=LivePlan.backend)
    parser.add_argument(
        "--log", type=Path, metavar="FILE.csv", help="a line every 30 s, kept if it ends early"
    )
    parser.add_argument("--twice", action="store_true", help="read the game once more from its looks")
    print(report(run(LivePlan(**vars(parser.parse_args(argv))))), flush=True)


if __name__ == "__main__":
    main()
