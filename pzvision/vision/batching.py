"""One set of networks for several tables: what waits for the same network is run together.

A processor runs one network at a time best: two at once only take each other's cores and caches. Who asks
while another is being served waits, and when a network is free again all that wait for it go in one run, as
far as it takes several pictures. The work round the networks goes on at all tables meanwhile.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pzvision.vision.session import Backend, Network

MOST_ROWS: Final = 256
"""Pictures in one run at most, unless one asks for more; bounds its memory."""

Rows = list[npt.NDArray[np.float32]]
"""A network's outputs, each ``(N, …)``."""


@dataclass(eq=False)
class _Run:
    network: Network
    feed: npt.NDArray[Any]
    woken: threading.Event = field(default_factory=threading.Event)
    leads: bool = False
    answer: Rows | None = None
    error: Exception | None = None

    def joins(self, other: _Run) -> bool:
        same = self.network is other.network and self.feed.shape[1:] == other.feed.shape[1:]
        return same and self.feed.dtype == other.feed.dtype

    def result(self) -> Rows:
        if self.error is not None:
            raise self.error
        if self.answer is None:
            raise RuntimeError("the run of the network was given up")
        return self.answer


class Batches:
    """Runs networks for many threads, one run at a time, in the order in which they were asked for.

    A thread that finds nobody at work does the work itself, its own run first, and hands over to the one that
    has waited longest. An error reaches only the one whose pictures cause it.

    Args:
        most_rows: pictures in one run.

    Attributes:
        asked: how many runs were asked for.
        runs: how many it took.

    Raises:
        ValueError: ``most_rows`` less than one.
    """

    def __init__(self, most_rows: int = MOST_ROWS) -> None:
        if most_rows < 1:
            raise ValueError(f"most_rows: expected at least 1, got {most_rows}")
        self._most = most_rows
        self._lock = threading.Lock()
        self._busy = False
        self._waiting: deque[_Run] = deque()
        self.asked = self.runs = 0

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return len(self._waiting)

    def share(self, network: Network) -> Network:
        """The network, to be run in turn and together with others' pictures."""
        return _Shared(self, network)

    def run(self, network: Network, feed: npt.NDArray[Any]) -> Rows:
        """What ``network.run(feed)`` gives, ``feed`` being ``(N, …)``; raises what that raises."""
        own = _Run(network, feed)
        with self._lock:
            self._waiting.append(own)
            own.leads, self._busy = not self._busy, True
            self.asked += 1
        if not own.leads:
            try:
                own.woken.wait()
            except BaseException:  # Ctrl-C in the main thread
                with self._lock:
                    if own.leads:
                        self._waiting.remove(own)
                        self._hand_over()
                    elif own in self._waiting:
                        self._waiting.remove(own)
                raise
        if own.leads:
            self._work()
        return own.result()

    def _work(self) -> None:
        """One run: of the first in the queue and of those that can join it."""
        with self._lock:
            group = [self._waiting.popleft()]
            if isinstance(next(iter(group[0].network.inputs.values()))[0], str):
                rows = len(group[0].feed)
                for run in list(self._waiting):
                    if run.joins(group[0]) and rows + len(run.feed) <= self._most:
                        rows += len(run.feed)
                        group.append(run)
                        self._waiting.remove(run)
        try:
            self._settle(group)
        finally:
            for run in group:
                run.woken.set()
            with self._lock:
                self._hand_over()

    def _settle(self, group: list[_Run]) -> None:
        feed = group[0].feed if len(group) == 1 else np.concatenate([run.feed for run in group])
        self.runs += 1
        try:
            answers = group[0].network.run(feed)
        except Exception as error:
            if len(group) == 1:
                group[0].error = error
            else:
                for run in group:
                    self._settle([run])
            return
        start = 0
        for run in group:
            end = start + len(run.feed)
            run.answer = [a[start:end] for a in answers] if len(group) > 1 else answers
            start = end

    def _hand_over(self) -> None:
        if self._waiting:
            self._waiting[0].leads = True
            self._waiting[0].woken.set()
        else:
            self._busy = False


class _Shared:
    """A network as one of several tables has it."""

    def __init__(self, batches: Batches, network: Network) -> None:
        self._batches, self._network = batches, network
        self.backend: Backend = network.backend
        self.provider: str = network.provider
        self.inputs: Mapping[str, tuple[int | str, ...]] = network.inputs
        self.outputs: tuple[str, ...] = network.outputs
        self.metadata: Mapping[str, str] = network.metadata
        self.pads: bool = network.pads

    def run(self, feed: npt.NDArray[Any]) -> Rows:
        return self._batches.run(self._network, feed)
