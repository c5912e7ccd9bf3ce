"""Where a page's orders wait until the game's thread takes them, and get their answer."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Final

from pzvision.errors import PzvisionError
from pzvision.live.orders import Order

MOST_WAITING: Final = 64


class Busy(PzvisionError):
    """The game cannot take an order: too many are waiting, or it is over."""


class NotNow(PzvisionError):
    """What was asked for cannot be done as the game stands."""


class Failed(PzvisionError):
    """Carrying out an order met an error nobody expected."""


class Desk:
    """Thread-safe: `ask` from any thread, `attend` and `wait` from the game's."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._waiting: deque[tuple[Order, Future[Mapping[str, Any]]]] = deque()
        self._closed = False

    def ask(self, order: Order) -> Future[Mapping[str, Any]]:
        """Hand in an order. Its answer is a JSON object, or the `PzvisionError` with which it was refused.

        Raises `Busy` when it is not taken. Cancel the future when nobody waits for it any more.
        """
        future: Future[Mapping[str, Any]] = Future()
        with self._lock:
            if self._closed:
                raise Busy("the game is over")
            if len(self._waiting) >= MOST_WAITING:
                raise Busy(f"{MOST_WAITING} orders are waiting")
            self._waiting.append((order, future))
            self._lock.notify_all()
        return future

    def attend(self, handle: Callable[[Order], Mapping[str, Any]]) -> int:
        """Carry out what is waiting, in order; returns how many orders that were."""
        done = 0
        while True:
            with self._lock:
                if not self._waiting:
                    return done
                order, future = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            done += 1
            try:
                answer = handle(order)
            except PzvisionError as error:
                future.set_exception(error)
            except Exception as error:  # the game goes on, whoever asked is told
                future.set_exception(Failed(f"{type(error).__name__}: {error}".splitlines()[0]))
            else:
                future.set_result(answer)

    def wait(self, timeout: float) -> bool:
        """Wait up to ``timeout`` seconds for an order; whether there is one."""
        with self._lock:
            return self._lock.wait_for(lambda: bool(self._waiting), timeout)

    def close(self) -> None:
        """Take no more orders; those waiting are refused."""
        with self._lock:
            self._closed = True
            waiting, self._waiting = list(self._waiting), deque()
            self._lock.notify_all()
        for _, future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(Busy("the game is over"))
