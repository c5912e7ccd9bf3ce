"""What the running game tells the outside: a numbered stream of records, the newest state and picture.

Written by the pipeline's thread, read by the server's. The hub keeps the stream once for all readers, so a
page that never reads costs nothing.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import cv2

from pzvision.vision.capture import Image

KEPT_RECORDS: Final = 2000  # a quarter of an hour of fast play; a page away for longer reads the state anew
JPEG_QUALITY: Final = 80
TABLE: Final = "table"


@dataclass(frozen=True, slots=True)
class Record:
    """One record of the stream: its number and its JSON text (which holds the number as ``seq``)."""

    seq: int
    text: str


@dataclass
class _Picture:
    """A camera's newest picture: its number, how it is drawn, and the newest one that was drawn."""

    number: int = 0
    draw: Callable[[], Image] | None = None
    jpeg: tuple[int, bytes] = (0, b"")


class Hub:
    """Thread-safe. ``seq`` starts at 1 and only grows. ``delay_s``: seconds it runs behind the game."""

    delay_s: float = 0.0

    def __init__(self, kept: int = KEPT_RECORDS) -> None:
        self._writing = threading.RLock()  # held by whoever tells; readers never wait for it
        self._lock = threading.Condition(threading.RLock())
        self._depth = 0
        self._fresh: list[Record] = []
        self._new_state: dict[str, Any] | None = None
        self._keepers: list[Callable[[list[Record]], None]] = []
        self._ask_health: Callable[[], Mapping[str, Any]] | None = None
        self._records: deque[Record] = deque(maxlen=kept)
        self._seq = 0  # what readers may see
        self._given = 0  # numbers given out
        self._state: dict[str, Any] = {}
        self._health: dict[str, Any] = {"ok": True, "cameras": {}}
        self._listeners: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Event]] = {}
        self._pictures: dict[str, _Picture] = {}
        self._told_at = time.monotonic()
        self._followers: list[Callable[[str, Any], None]] = []
        self.closed = False

    # -- the pipeline's side

    def publish(self, record: Mapping[str, Any]) -> int:
        """Append a record to the stream; returns its ``seq``."""
        with self.batch():
            self._given += 1
            fields = dict(record)
            # `seq` stands right after the type, as in the interface's example.
            ordered = {"type": fields.pop("type"), "seq": self._given, **fields}
            self._fresh.append(Record(self._given, json.dumps(ordered, ensure_ascii=False)))
            return self._given

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Everything published or set inside is kept, and then seen by readers, at once."""
        with self._writing:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._show()

    def _show(self) -> None:
        fresh, self._fresh = self._fresh, []
        state, self._new_state = self._new_state, None
        if fresh:
            for keep in self._keepers:
                keep(fresh)
        with self._lock:
            for record in fresh:
                self._append(record)
            if state is not None:
                self._state = state
                self._told_at = time.monotonic()
                self._pass_on("state", state)

    def _append(self, record: Record) -> None:
        self._seq = record.seq
        self._records.append(record)
        self._pass_on("record", record)
        self._wake()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Replace what ``/state`` answers."""
        with self.batch():
            self._new_state = dict(state)

    def keep(self, keeper: Callable[[list[Record]], None]) -> None:
        """Hand every batch of records to ``keeper`` before readers see it; it may take its time."""
        with self._writing:
            self._keepers.append(keeper)

    def restore(self, records: Sequence[Record]) -> None:
        """Go on after an earlier run: its records are in the stream, and numbers follow on.

        Raises `ValueError` when something was published already.
        """
        with self._writing, self._lock:
            if self._given:
                raise ValueError("restore: expected a hub that has told nothing yet")
            self._records.extend(records)
            self._given = self._seq = records[-1].seq if records else 0

    def ask_health(self, ask: Callable[[], Mapping[str, Any]]) -> None:
        """From now on ``/health`` answers what ``ask`` returns at that moment; it must be quick."""
        self._ask_health = ask

    def set_health(self, health: Mapping[str, Any]) -> None:
        """Replace what ``/health`` answers; ``ok`` decides between 200 and 503."""
        with self._lock:
            self._health = dict(health)
            self._pass_on("health", self._health)

    def set_picture(self, draw: Callable[[], Image], camera: str = TABLE) -> None:
        """Offer a new picture. ``draw`` is called only when somebody looks, in the server's thread."""
        with self._lock:
            picture = self._pictures.setdefault(camera, _Picture())
            picture.number, picture.draw = picture.number + 1, draw
            self._lock.notify_all()

    def close(self) -> None:
        """Let every reader finish."""
        with self._lock:
            self.closed = True
            self._pass_on("close", None)
            self._wake()

    def follow(self, told: Callable[[str, Any], None]) -> None:
        """Call ``told`` with "record", "state", "health" or "close" and its value; it must return at once."""
        with self._writing, self._lock:
            self._followers.append(told)

    def _pass_on(self, what: str, value: Any) -> None:
        for told in self._followers:
            told(what, value)

    def _wake(self) -> None:
        self._lock.notify_all()
        for loop, event in list(self._listeners.values()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    # -- the readers' side

    @property
    def seq(self) -> int:
        """The newest record's number; 0 before the first."""
        with self._lock:
            return self._seq

    @property
    def state(self) -> dict[str, Any]:
        """The newest state, with the ``seq`` it is up to."""
        with self._lock:
            return {"seq": self._seq, **self._state}

    @property
    def age(self) -> float:
        """Seconds since the state was last told."""
        with self._lock:
            return time.monotonic() - self._told_at

    @property
    def health(self) -> dict[str, Any]:
        """The health now, as far as it can be asked for; else the newest one told."""
        if self._ask_health is not None:
            return dict(self._ask_health())
        with self._lock:
            return dict(self._health)

    def since(self, seq: int) -> tuple[list[Record], bool]:
        """Records after ``seq``, and whether some in between are no longer kept.

        A ``seq`` this hub never gave (the reader knew an earlier run) counts as 0.
        """
        with self._lock:
            if seq > self._seq or seq < 0:
                seq = 0
            first = self._records[0].seq if self._records else self._seq + 1
            missing = seq + 1 < first
            return [record for record in self._records if record.seq > seq], missing

    def listen(self, loop: asyncio.AbstractEventLoop) -> tuple[int, asyncio.Event]:
        """An event of ``loop`` that is set whenever a record was published; give its key to `unlisten`."""
        event = asyncio.Event()
        with self._lock:
            key = max(self._listeners, default=0) + 1
            self._listeners[key] = (loop, event)
        return key, event

    def unlisten(self, key: int) -> None:
        """Stop listening."""
        with self._lock:
            self._listeners.pop(key, None)

    def jpeg(self, after: int, timeout: float, camera: str = TABLE) -> tuple[int, bytes]:
        """A camera's newest picture as JPEG, and its number; waits ``timeout`` s for one after ``after``.

        ``(0, b"")`` before the first picture, and for a camera there is not.
        """
        until = time.monotonic() + timeout
        with self._lock:
            while not self.closed and (left := until - time.monotonic()) > 0:
                picture = self._pictures.get(camera)
                if (picture is not None and picture.number > after) or (picture is None and camera != TABLE):
                    break
                self._lock.wait(left)
            picture = self._pictures.get(camera)
            if picture is None or picture.draw is None:
                return 0, b""
            number, draw = picture.number, picture.draw
            if picture.jpeg[0] == number:
                return picture.jpeg
        ok, data = cv2.imencode(".jpg", draw(), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        encoded = (number, data.tobytes() if ok else b"")
        with self._lock:
            if encoded[0] > picture.jpeg[0]:
                picture.jpeg = encoded
        return encoded
