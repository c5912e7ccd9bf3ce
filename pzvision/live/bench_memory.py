"""What an evening keeps in memory, faster than it is played: ``python -m pzvision.live.bench_memory LOOKS``.

Stored looks (`pzvision.table.observations`) are given to the pipeline over and over, as fast as it takes
them, the table cleared in between: each round is a hand of one evening, with page, stream, overlay and store
as in ``pzvision live``. There is no camera and no detector, so what grows here is the game's own. After each
round a line with hands, records of the log, MB resident, MB held by Python, threads and descriptors; at the
end what grew per record of the log after the first quarter and, with ``--trace``, where it was allocated; how
long all that takes at a table, what that makes in MB per 10 minutes there, and a digest of the log, which is
the same whenever the same looks are played.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import sys
import tempfile
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pzvision.game import format_log
from pzvision.live.bench_parts import BenchGame, Listener, open_files, resident_mb
from pzvision.live.delayed import DelayedHub
from pzvision.live.stored import StoredLooks, never
from pzvision.table.observations import Look
from pzvision.vision.capture import Frame
from pzvision.vision.detections import Detections

CLEARED_S = 6.0
STEP_S = 0.25
SHOWN = 12


class Rounds(StoredLooks):
    """Stored looks again and again, the table cleared for `CLEARED_S` after each round; times go on."""

    def __init__(self, path: str | Path, rounds: int) -> None:
        super().__init__(path)
        self._rounds = rounds
        self.round = 0
        self.played_s = 0.0

    def frames(self, *, start: float = 0.0, end: float | None = None, every: float = 0.0) -> Iterator[Frame]:
        """One frame a look; arguments as `StoredLooks.frames`, but all looks are given."""
        nothing = np.zeros((self.size[1], self.size[0], 3), np.uint8)
        looks = list(self._observations)
        at, index = 0.0, 0
        for number in range(1, self._rounds + 1):
            self.round = number
            for look in [*looks, *self._cleared(looks[-1])]:
                if self._stopped:
                    return
                index += 1
                # A mask keeps what was worked out from it: every look has its own, as from a camera.
                mask = None if look.motion is None else replace(look.motion, _blurred={})
                self.look = replace(look, t=at + look.t, frame=index, motion=mask)
                self.played_s = at + look.t
                yield Frame(nothing, at + look.t, index)
            at += looks[-1].t + CLEARED_S + 1.0

    def _cleared(self, last: Look) -> Iterator[Look]:
        mask = last.motion
        if mask is not None:
            still = np.zeros_like(mask.moving)
            mask = replace(mask, hidden=still, bare=~still, moving=still, shaken=False, _blurred={})
        for i in range(round(CLEARED_S / STEP_S)):
            yield Look(last.t + (i + 1) * STEP_S, 0, Detections.empty(self.size), mask)


@dataclass(frozen=True)
class Sample:
    """Memory after a round."""

    hands: int
    records: int
    resident_mb: float
    python_mb: float
    threads: int
    files: int
    seconds: float
    played_s: float

    def line(self) -> str:
        """For the terminal."""
        return (
            f"{self.hands:4d} hands {self.records:6d} records: {self.resident_mb:7.1f} MB resident,"
            f" {self.python_mb:6.2f} MB of Python, {self.threads} threads, {self.files} descriptors,"
            f" {self.seconds:.0f} s"
        )


def kinds() -> Counter[str]:
    """Objects the collector knows, by type."""
    gc.collect()
    return Counter(type(thing).__name__ for thing in gc.get_objects())


def run(path: Path, rounds: int, *, ruleset: str, trace: bool) -> tuple[list[Sample], list[str]]:
    """Play; one sample a round, and lines on what grew."""
    source = Rounds(path, rounds)
    samples: list[Sample] = []
    first: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as closing:
        game = BenchGame(
            Path(folder),
            source,
            source.header.calibration,
            ruleset,
            never,
            overlay=lambda hub: DelayedHub(hub, 1.0),
        )
        closing.callback(game.store.close)
        closing.callback(game.stop)
        pipeline = game.pipeline
        Listener(game.server.url).start()
        begun = time.monotonic()
        if trace:
            tracemalloc.start(1)

        def sample() -> None:
            gc.collect()
            held = tracemalloc.get_traced_memory()[0] / 1e6 if trace else float("nan")
            samples.append(
                Sample(
                    pipeline.session.hand,
                    pipeline.session.length,
                    resident_mb(),
                    held,
                    threading.active_count(),
                    open_files(),
                    time.monotonic() - begun,
                    source.played_s,
                )
            )
            print(samples[-1].line(), flush=True)
            if len(samples) == max(1, rounds // 4):
                first["kinds"] = kinds()
                first["records"] = samples[-1].records
                if trace:
                    first["memory"] = tracemalloc.take_snapshot()

        passed = 0
        take = pipeline._take

        def counted(frame: Frame, due: bool) -> None:
            nonlocal passed
            if source.round > passed + 1:
                passed = source.round - 1
                sample()
            take(frame, due)

        pipeline._take = counted  # type: ignore[method-assign]
        pipeline.run()
        sample()
        grown = _grown(first, samples[-1].records, trace)
        digest = hashlib.sha256(format_log(pipeline.session.log).encode()).hexdigest()
        grown.append(f"log: {samples[-1].records} records, SHA-256 {digest}")
    return samples, grown


def _grown(first: dict[str, Any], records: int, trace: bool) -> list[str]:
    more = max(1, records - first["records"])
    lines = [f"between {first['records']} and {records} records of the log:"]
    if trace:
        tracemalloc.take_snapshot()  # what the snapshots themselves hold is not counted
        found = tracemalloc.take_snapshot().compare_to(first["memory"], "lineno")
        for item in sorted(found, key=lambda item: -item.size_diff)[:SHOWN]:
            place = item.traceback[0]
            lines.append(
                f"  {item.size_diff / more:8.0f} bytes a record ({item.count_diff:+d} blocks)"
                f" {place.filename}:{place.lineno}"
            )
    now = kinds()
    now.subtract(first["kinds"])
    for kind, count in now.most_common(SHOWN):
        if count > 0:
            lines.append(f"  {count / more:8.2f} objects a record: {kind}")
    return lines


def main(argv: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("looks", type=Path, help="stored looks, such as datasets/golden/observations/…")
    parser.add_argument("--rounds", type=int, default=40, help="hands (default 40)")
    parser.add_argument("--ruleset", default="pzh-popular")
    parser.add_argument("--trace", action="store_true", help="ask Python where memory goes; slower")
    args = parser.parse_args(argv)
    samples, grown = run(args.looks, args.rounds, ruleset=args.ruleset, trace=args.trace)
    print("\n".join(grown))
    kept = samples[len(samples) // 4 :]
    if len(kept) > 2 and kept[-1].records > kept[0].records:
        slope = np.polyfit([s.records for s in kept], [s.resident_mb for s in kept], 1)[0]
        print(f"resident memory: {1000 * slope:+.1f} kB a record of the log, after the first quarter")
        table = np.polyfit([s.played_s for s in kept], [s.resident_mb for s in kept], 1)[0]
        print(f"{kept[-1].played_s / 3600:.2f} h at the table: {600 * table:+.2f} MB per 10 minutes there")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
