"""How many tables one process serves: ``python -m pzvision.live.bench_tables --tables 1,2,4``.

A recording plays as so many network cameras (motion JPEG, one process of its own for all); every table runs
as in ``pzvision live --table``: own source, calibration, game, pages, evening in the store, one detector for
all. Printed for each number of tables: looks a second at each table, how old the looked-at picture was when
its look was done, detector runs a second, and memory.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pzvision.errors import PzvisionError
from pzvision.live.bench_parts import Plan, plan_parser, playing, resident_mb
from pzvision.live.desk import Desk
from pzvision.live.hub import Hub
from pzvision.live.many import GameTable, run_tables
from pzvision.live.pipeline import Pipeline, PipelineConfig
from pzvision.live.serving import PageOptions
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.live.shared_detector import SharedDetector
from pzvision.live.store import Store
from pzvision.vision.calibration import load
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import CaptureConfig
from pzvision.vision.detector import TileDetector


@dataclass(frozen=True)
class Figures:
    """Of one run. ``looks``: looks a second at each table; the rest as printed."""

    looks: tuple[float, ...]
    latency_ms: tuple[tuple[float, float], ...]
    asked_s: float
    network_runs: tuple[int, int]
    records: tuple[int, ...]
    memory_mb: float

    def lines(self) -> list[str]:
        """For the terminal."""
        ages = " ".join(f"{p50:.0f}/{p95:.0f}" for p50, p95 in self.latency_ms)
        return [
            f"{len(self.looks)} tables: {min(self.looks):.2f} to {max(self.looks):.2f} looks/s each,"
            f" {sum(self.looks):.2f} in all; detector {self.asked_s:.2f} times/s",
            f"  picture to the end of its look, p50/p95 ms a table: {ages}",
            f"  runs of networks asked for / made: {self.network_runs[0]} / {self.network_runs[1]}",
            f"  records of the logs {' '.join(map(str, self.records))}; {self.memory_mb:.0f} MB resident",
        ]


def measure(
    url: str, count: int, seconds: float, plan: Plan, shared: SharedDetector, every_s: float
) -> Figures:
    """Run ``count`` tables for so many seconds, a look every ``every_s``; nobody else uses ``shared``."""
    calibration = load(plan.calibration)
    tables: list[GameTable] = []
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "s.sqlite")
        for i in range(count):
            name = chr(ord("A") + i)
            source = LiveSource.open(f"{url}?{name}", CaptureConfig())
            hub, desk, maker = Hub(), Desk(), HandMaker(calibration, HandSettings(plan.ruleset))
            writer = store.begin(f"{name}={url}", {**maker.settings.to_json(), "table": name})
            hub.keep(writer.keep)
            pipeline = Pipeline(
                source,
                calibration,
                maker,
                shared.of_table(calibration),
                config=PipelineConfig(look_s=every_s),
                hub=hub,
                desk=desk,
                store=writer,
                dealer_known=False,
            )
            tables.append(GameTable(name, source, pipeline, hub, desk, writer))
        running = threading.Thread(
            target=run_tables, args=(tables,), kwargs={"options": PageOptions(0, stay=False)}
        )
        begun = time.monotonic()
        running.start()
        time.sleep(seconds)
        memory = resident_mb()
        for table in tables:
            table.source.stop()
        running.join(60)
        passed = time.monotonic() - begun
        for table in tables:
            assert table.writer is not None
            table.writer.finish()
        store.close()
    return Figures(
        tuple(t.stats.looks / t.stats.seconds for t in tables),
        tuple(t.stats.latency_ms or (float("nan"), float("nan")) for t in tables),
        sum(t.stats.detections for t in tables) / passed,
        (shared.batches.asked, shared.batches.runs),
        tuple(t.pipeline.session.length for t in tables),
        memory,
    )


def main(argv: Sequence[str] | None = None) -> None:
    """See the module. Raises `PzvisionError` for bad arguments and a recording that cannot be played."""
    words = __doc__.splitlines()[0] if __doc__ else None
    parser = argparse.ArgumentParser(description=words, parents=[plan_parser()])
    parser.add_argument("--tables", default="1,2,4", help="how many at once, one run each (default 1,2,4)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each run")
    parser.add_argument("--every", type=float, default=0.25, metavar="S", help="seconds between looks")
    parser.add_argument("--at-once", type=int, metavar="N", help="looks at a time (default: cores and one)")
    parser.add_argument("--backend", default="auto")
    args = parser.parse_args(argv)
    counts = [int(word) for word in args.tables.split(",") if word.isdecimal() and 0 < int(word) <= 26]
    if not counts:
        raise PzvisionError(f"--tables {args.tables!r}: expected numbers from 1 to 26 such as 1,2,4")
    plan = Plan(recording=args.recording, calibration=args.calibration, ruleset=args.ruleset, fps=args.fps)
    finder = TileDetector(threads=args.threads, backend=args.backend)
    with playing(plan) as (url, _):
        print(f"{os.cpu_count()} cores, {finder.runs_on}", flush=True)
        for count in counts:
            shared = SharedDetector(finder, at_once=args.at_once)
            figures = measure(url, count, args.seconds, plan, shared, args.every)
            print("\n".join([*figures.lines(), f"  load {os.getloadavg()[0]:.1f}"]), flush=True)


if __name__ == "__main__":
    main()
