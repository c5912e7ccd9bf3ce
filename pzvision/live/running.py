"""A run of the pipeline: how a signal ends it, and what it did."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Stats:
    """What a run did.

    Attributes:
        frames: frames of the source from the first one used to the last.
        looks, detections: looks at the table, and how many of them asked the detector.
        seconds: wall-clock seconds.
        latency_ms: median and 95th percentile from a live frame's arrival to the end of its look.
        signal: what stopped it, such as SIGINT by Ctrl-C; 0: the end of the source.
    """

    frames: int = 0
    looks: int = 0
    detections: int = 0
    seconds: float = 0.0
    latency_ms: tuple[float, float] | None = None
    signal: int = 0

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped before the end of the source."""
        return bool(self.signal)

    @property
    def exit_status(self) -> int:
        """0, or as a shell counts a signal: 130 for Ctrl-C, 143 for SIGTERM."""
        return 128 + self.signal if self.signal else 0

    @property
    def speed(self) -> str | None:
        """How fast it was, in a line for the terminal; None where nothing was live."""
        if self.latency_ms is None:
            return None
        p50, p95 = self.latency_ms
        return f"frame to announcement: median {p50:.0f} ms, 95 % within {p95:.0f} ms ({self.looks} looks)"

    @property
    def fps(self) -> float:
        """Frames of the source a second."""
        return self.frames / self.seconds if self.seconds > 0 else 0.0


@contextmanager
def interruptible(end: Callable[[], object]) -> Iterator[list[int]]:
    """The first Ctrl-C (or SIGTERM) calls ``end``, which lets the look in hand end; the second raises.

    The list holds the signal once it came. Outside the main thread nothing is changed.
    """
    caught: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return

    def stop(number: int, _: object) -> None:
        if caught:
            raise KeyboardInterrupt
        caught.append(number)
        end()

    before = [(number, signal.signal(number, stop)) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield caught
    finally:
        for number, handler in before:
            signal.signal(number, handler)
