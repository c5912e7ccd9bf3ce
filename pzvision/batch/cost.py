"""What many tables cost, from what one recording takes: ``python -m pzvision.batch.cost``.

The three kinds of work of `pzvision batch` (`pzvision.batch.work`) are done on a recording in this process,
the detector on one thread, and their processor time is taken: other programs that run meanwhile add much
less to it than to the time by the clock. Printed are the figures of each step, rounded as shown, and what
follows from just these for so many tables, so that anybody can check the sums.
"""

from __future__ import annotations

import argparse
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pzvision.batch.results import PART_ASKS
from pzvision.batch.work import Job, decode, detect, make_detector, survey
from pzvision.live.bench_parts import Plan
from pzvision.live.settings import HandSettings
from pzvision.vision.bench import peak_mb
from pzvision.vision.calibration import load
from pzvision.vision.capture import open_source

SHARES: Final = ((1.0, "every look"), (0.5, "every second look"), (0.25, "every fourth look"))
"""Of how many looks the detector is asked: all where nothing ever rests, one a second where all does."""


@dataclass(frozen=True)
class Steps:
    """What one recording took, rounded as it is printed.

    Attributes:
        read_ms: processor time to read one frame, ms; survey and detection each read every frame.
        survey_ms, decode_ms: of one look, ms, without reading.
        detect_ms: of one look that the detector is asked about, ms, without reading.
        looks_s: looks a second of recording.
        survey_kb, parts_kb: what survey and detection hand on, kB (1000 bytes) a second of recording.
        looks_kb: observations kept, kB a second of recording.
        log_kb: the game log, kB a hand.
        memory_gb: most that the process ever held, GB (10⁹ bytes).
    """

    read_ms: float
    survey_ms: float
    detect_ms: float
    decode_ms: float
    looks_s: float
    survey_kb: float
    parts_kb: float
    looks_kb: float
    log_kb: float
    memory_gb: float

    def format(self) -> list[str]:
        """A line a figure."""
        return [_LINES[name].format(value) for name, value in vars(self).items()]

    @classmethod
    def parse(cls, lines: Sequence[str]) -> Steps:
        """Inverse of `format`; other lines are passed over. Raises `ValueError` when one is missing."""
        found = {}
        for name, form in _LINES.items():
            before, after = re.split(r"\{.*\}", form)
            pattern = re.compile(re.escape(before.rstrip()) + r" +([\d.]+)" + re.escape(after))
            values = [m[1] for m in map(pattern.fullmatch, lines) if m]
            if len(values) != 1:
                raise ValueError(f"expected one line {before.strip()!r}, got {len(values)}")
            found[name] = float(values[0])
        return cls(**found)

    def core_seconds(self, fps: float, share: float) -> float:
        """Processor seconds that a second of one table takes, at ``fps`` frames a second.

        ``share`` (0–1): of the looks that the detector is asked about.
        """
        looks = self.looks_s * (self.survey_ms + self.decode_ms + share * self.detect_ms)
        return (2 * fps * self.read_ms + looks) / 1000

    @property
    def travel_kb(self) -> float:
        """Between machines, kB a second of recording: what survey and detection give, once from them and
        once to the decoder, and its result."""
        return 2 * (self.survey_kb + self.parts_kb) + self.looks_kb


_LINES: Final = {
    "read_ms": "reading a frame                 {:8.2f} ms",
    "survey_ms": "survey, a look                  {:8.1f} ms",
    "detect_ms": "detector, a look it is asked of {:8.1f} ms",
    "decode_ms": "decoding, a look                {:8.1f} ms",
    "looks_s": "looks                           {:8.2f} a second",
    "survey_kb": "what the survey hands on        {:8.2f} kB a second",
    "parts_kb": "what the detector hands on      {:8.2f} kB a second",
    "looks_kb": "observations kept               {:8.2f} kB a second",
    "log_kb": "game log                        {:8.1f} kB a hand",
    "memory_gb": "memory of a worker              {:8.2f} GB",
}


def measure(job: Job) -> tuple[Steps, str]:
    """Do all the work of a recording once; the figures, and a line on what was read.

    Raises `PzvisionError` when it cannot be read.
    """
    clock = time.process_time
    begun = clock()
    source = open_source(job.path)
    for _ in source.frames(every=float("inf")):  # all are decoded, one is copied
        pass
    source.close()
    read = clock() - begun

    begun = clock()
    surveyed = survey(job)
    surveying = clock() - begun

    for view in surveyed.views:
        make_detector(job, view)  # the model is loaded once in a worker's life
    parts: list[bytes] = []
    begun = clock()
    for at in range(0, len(surveyed.asks), PART_ASKS):
        parts.append(detect(job, surveyed.views, surveyed.asks[at : at + PART_ASKS]))
    detecting = clock() - begun

    begun = clock()
    decoded = decode(job, surveyed, parts)
    decoding = clock() - begun

    seconds = max(surveyed.seconds, 1e-9)
    looks, asks = decoded.summary["looks"], len(surveyed.asks)
    exact = Steps(
        1000 * read / surveyed.frames,
        1000 * max(0.0, surveying - read) / looks,
        1000 * max(0.0, detecting - read) / max(1, asks),
        1000 * decoding / looks,
        looks / seconds,
        len(surveyed.format()) / 1000 / seconds,
        sum(map(len, parts)) / 1000 / seconds,
        len(decoded.observations) / 1000 / seconds,
        len(decoded.log) / 1000 / max(1, decoded.summary["hands"]),
        peak_mb() * 2**20 / 1e9,
    )
    width, height = job.calibration.image_size
    done = (
        f"{Path(job.path).name}, {width}×{height}: {seconds:.0f} s, {surveyed.frames} frames, {looks} looks,"
        f" {asks} of them asked, {decoded.summary['events']} records"
    )
    return Steps.parse(exact.format()), done


def bill(steps: Steps, tables: int, fps: float, hours: float, hands: int, mbit: float) -> list[str]:
    """What so many tables cost, a line each.

    Args:
        steps: what one recording takes.
        tables: how many, each filmed at ``fps`` frames a second.
        hours, hands: of an evening.
        mbit: of each camera's video, where that is kept, Mbit/s.
    """
    lines = [f"{tables} tables at {fps:g} frames/s, an evening of {hours:g} hours and {hands} hands:"]
    for share, words in SHARES:
        one = steps.core_seconds(fps, share)
        lines.append(
            f"  detector asked of {words}: {one:.2f} cores a table, {one * tables:.0f} cores,"
            f" {one * tables * steps.memory_gb:.0f} GB of memory"
        )
    kept = 3600 * hours * steps.looks_kb + hands * steps.log_kb  # kB
    film = 3600 * hours * mbit / 8  # MB
    lines += [
        f"  between machines: {steps.travel_kb:.1f} kB/s a table, {steps.travel_kb * tables / 1000:.1f} MB/s",
        f"  kept an evening: {kept / 1000:.1f} MB a table, {kept * tables / 1e6:.1f} GB",
        f"  video, if kept, at {mbit:g} Mbit/s: {film / 1000:.1f} GB a table, {film * tables / 1e6:.1f} TB",
    ]
    return lines


def main(argv: Sequence[str] | None = None) -> None:
    """See the module. Raises `PzvisionError` for a recording or calibration that cannot be read."""
    parser = argparse.ArgumentParser(description="what many tables cost")
    parser.add_argument("--recording", type=Path, default=Plan.recording, help="default: the demo's")
    parser.add_argument("--calibration", type=Path, default=Plan.calibration)
    parser.add_argument("--ruleset", default=Plan.ruleset)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--fps", type=float, default=Plan.fps, help="frames a second of each camera")
    parser.add_argument("--hours", type=float, default=4.0, help="of an evening (default 4)")
    parser.add_argument("--hands", type=int, default=40, help="of an evening (default 40)")
    parser.add_argument("--mbit", type=float, default=4.0, help="of each camera's video (default 4)")
    args = parser.parse_args(argv)
    job = Job(str(args.recording), load(args.calibration), HandSettings(args.ruleset), backend=args.backend)
    steps, done = measure(job)
    print(f"{done}; load {os.getloadavg()[0]:.1f}")
    print("\n".join(steps.format()))
    print("\n".join(bill(steps, args.tables, args.fps, args.hours, args.hands, args.mbit)))


if __name__ == "__main__":
    main()
