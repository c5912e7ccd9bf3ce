"""One detector for several tables: who asked first is served first, so that no table starves another."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """A lock that is given in the order in which it was asked for (`threading.Lock` promises no order).

    Args:
        lanes: how many may have it at once.

    Raises:
        ValueError: fewer than one.
    """

    def __init__(self, lanes: int = 1) -> None:
        if lanes < 1:
            raise ValueError(f"lanes: expected at least 1, got {lanes}")
        self._lock = threading.Lock()
        self._free = lanes
        self._waiting: deque[threading.Event] = deque()

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return len(self._waiting)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn, and have it inside."""
        called: threading.Event | None = None
        with self._lock:
            if self._free:
                self._free -= 1
            else:
                called = threading.Event()
                self._waiting.append(called)
        if called is not None:
            try:
                called.wait()
            except BaseException:  # Ctrl-C in the main thread
                with self._lock:
                    if called in self._waiting:
                        self._waiting.remove(called)
                    else:
                        self._pass_on()
                raise
        try:
            yield
        finally:
            with self._lock:
                self._pass_on()

    def _pass_on(self) -> None:
        if self._waiting:
            self._waiting.popleft().set()
        else:
            self._free += 1
