"""The same game some seconds later: for an overlay on a stream that opponents may watch."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any

from pzvision.live.hub import Hub, Record


class DelayedHub(Hub):
    """Tells what ``source`` told ``delay_s`` seconds ago, under the same numbers, from a thread of its own.

    It has no pictures. It closes at once when its source closes.
    """

    def __init__(self, source: Hub, delay_s: float) -> None:
        super().__init__()
        self.delay_s = delay_s
        self._waiting: deque[tuple[float, str, Any]] = deque()
        self._came = threading.Condition()
        threading.Thread(target=self._run, daemon=True, name="pzvision-overlay").start()
        source.follow(self._take)

    def _take(self, what: str, value: Any) -> None:
        with self._came:
            if what == "close":
                self._waiting.clear()
            self._waiting.append((time.monotonic() + (0.0 if what == "close" else self.delay_s), what, value))
            self._came.notify()

    def _run(self) -> None:
        while True:
            with self._came:
                while not self._waiting or (wait := self._waiting[0][0] - time.monotonic()) > 0:
                    self._came.wait(wait if self._waiting else None)
                _, what, value = self._waiting.popleft()
            if what == "close":
                self.close()
                return
            if what == "record":
                self._follow_record(value)
            elif what == "state":
                self.set_state(value)
            else:
                self.set_health(value)

    def _follow_record(self, record: Record) -> None:
        with self._lock:
            self._append(record)
