"""Live sources: a webcam, a network camera, or a recording played at real speed.

Reading happens in a thread of its own. Only the newest frame is kept, frames nobody fetched are counted as
dropped. ``VideoCapture.read`` can hang for ever on a lost network camera and can return the last frame with
success on a lost USB camera; so a watchdog gives up a reader that has been silent for too long (its thread is
left behind, it cannot be killed) and equal frames are noticed.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Literal

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.vision.capture import (
    CaptureConfig,
    Frame,
    FrameSource,
    FrameState,
    Image,
    open_capture,
    without_password,
)

_CLOSE_WAIT_S = 1.0
CameraState = Literal["opening", "ok", "black", "frozen", "lost", "ended"]


@dataclass(frozen=True)
class CameraHealth:
    """How a camera is doing.

    Attributes:
        state: ``opening`` until the first frame, ``lost`` while it is being reconnected, ``ended`` when a
            recording is over or the source was closed.
        received, dropped: frames read, and those of them nobody looked at: replaced by a newer one before
            they were fetched, or passed over.
        reconnects: times the connection was opened anew.
        fps: frames a second received over the last seconds.
        age_s: seconds since the last frame, or None before the first.
        reason: one line when lost.
    """

    state: CameraState = "opening"
    received: int = 0
    dropped: int = 0
    reconnects: int = 0
    fps: float = 0.0
    age_s: float | None = None
    reason: str | None = None

    def to_dict(self) -> dict[str, object]:
        """As JSON fields."""
        return asdict(self)


def is_black(image: Image, config: CaptureConfig) -> bool:
    """Whether a picture is dark and flat all over: a covered lens or a camera without signal."""
    small = image[::8, ::8]
    return bool(small.mean() < config.black_mean and small.std() < config.black_deviation)


class _Reader(threading.Thread):
    """One connection to a camera; dies with it."""

    def __init__(self, owner: LiveSource, connect: Callable[[], Iterator[Frame]]) -> None:
        super().__init__(daemon=True, name="pzvision-camera")
        self.owner = owner
        self.connect = connect
        self.beat = time.monotonic()
        self.opening = True  # until its first frame
        self.abandoned = False

    def run(self) -> None:
        reason: str | None = None
        crashed = False
        try:
            for frame in self.connect():
                self.beat, self.opening = time.monotonic(), False
                if self.abandoned or not self.owner.publish(self, frame):
                    return
        except (PzvisionError, OSError, cv2.error) as error:
            reason = str(error).splitlines()[0]
        except Exception as error:  # whatever it is, the page must say so and the game go on
            reason, crashed = f"{type(error).__name__}: {error}".splitlines()[0], True
        self.owner.reader_ended(self, reason, crashed=crashed)


class LiveSource(FrameSource):
    """The newest frame of a camera. Use `open` or `play`; iterate, or call `latest`.

    ``speed``: factor at which a recording is played.
    """

    live = True

    def __init__(
        self,
        name: str,
        connect: Callable[[], Iterator[Frame]],
        config: CaptureConfig,
        *,
        reconnect: bool,
        speed: float = 1.0,
    ) -> None:
        super().__init__()
        self.name = name
        self.size = (0, 0)
        self._connect = connect
        self._config = config
        self._reconnect = reconnect
        self._speed = speed
        self._lock = threading.Condition()
        self._frame: Frame | None = None
        self._fetched = True
        self._closed = False
        self._health = CameraHealth()
        self._started = time.monotonic()
        self._last_at: float | None = None
        self._arrivals: list[float] = []
        self._print: bytes = b""
        self._same_since: float = 0.0
        self._backoff = config.first_backoff_s
        self._stuck: list[_Reader] = []
        self._crashes: deque[float] = deque(maxlen=config.crashes)
        self._reader = _Reader(self, connect)
        self._watchdog = threading.Thread(target=self._watch, daemon=True, name="pzvision-watchdog")

    @classmethod
    def open(cls, spec: int | str, config: CaptureConfig) -> LiveSource:
        """Connect to a webcam number or an address and wait for its first frame.

        Raises:
            PzvisionError: nothing came within the deadline.
        """

        # Its name and what is wrong with it are shown, also by /health to readers without a token.
        name = without_password(str(spec))

        def connect() -> Iterator[Frame]:
            capture = open_capture(spec, config)
            if capture is None:
                raise PzvisionError(f"camera {name} does not open")
            try:
                index = 0
                while True:
                    ok, image = capture.read()
                    if not ok or image is None:
                        raise PzvisionError(f"camera {name} stopped sending")
                    yield Frame(np.asarray(image, np.uint8), 0.0, index)
                    index += 1
            finally:
                capture.release()

        source = cls(name, connect, config, reconnect=True)
        source._start()
        until = time.monotonic() + config.open_deadline_s + 1.0
        while time.monotonic() < until:
            if source.latest(timeout=0.2, consume=False) is not None:
                return source
            if source.health.state == "lost":  # refused outright: waiting longer would not help
                break
        source.close()
        if isinstance(spec, int):
            raise PzvisionError(
                f"no camera {spec}: nothing answers there (plug it in, close other programs that use it,"
                " or give another number or an address)"
            )
        raise PzvisionError(f"cannot open {name!r}: no answer or no video there (is the camera on?)")

    @classmethod
    def play(cls, recording: FrameSource, config: CaptureConfig, *, speed: float = 1.0) -> LiveSource:
        """A recording as if it were a camera: frames arrive at their times (divided by ``speed``)."""

        def connect() -> Iterator[Frame]:
            begun = time.monotonic()
            for frame in recording:
                wait = frame.t / speed - (time.monotonic() - begun)
                if wait > 0:
                    time.sleep(wait)
                yield frame

        source = cls(recording.name, connect, config, reconnect=False, speed=speed)
        source.size = recording.size
        source.frame_count, source.duration = recording.frame_count, recording.duration
        source.notes = recording.notes
        source._start()
        return source

    def _start(self) -> None:
        self._reader.start()
        self._watchdog.start()

    # -- called by the reader thread

    def publish(self, reader: _Reader, frame: Frame) -> bool:
        """Take a frame from the current reader; False when the reader should stop."""
        now = time.monotonic()
        state = self._judge(frame.image, now)
        with self._lock:
            if self._closed or reader is not self._reader:
                return False
            if self._last_at is None and self._reconnect:
                self._started = now
            health = self._health
            # A webcam's or stream's own clock cannot be trusted: its time is that of arrival.
            t = now - self._started if self._reconnect else frame.t
            index = health.received if self._reconnect else frame.index
            self._frame = Frame(frame.image, t, index, state)
            self.size = (frame.image.shape[1], frame.image.shape[0])
            self._arrivals = [a for a in self._arrivals if now - a < 3.0] + [now]
            self._health = replace(
                health,
                state=state,
                received=health.received + 1,
                dropped=health.dropped + (0 if self._fetched else 1),
                reason=None,
            )
            self._fetched = False
            self._last_at = now
            if state == "ok":
                self._backoff = self._config.first_backoff_s
            self._lock.notify_all()
        return True

    def _judge(self, image: Image, now: float) -> FrameState:
        if is_black(image, self._config):
            return "black"
        # A real camera's noise never repeats; a dead one hands out the same bits again and again.
        fingerprint = image[::16, ::16].tobytes()
        if fingerprint != self._print:
            self._print, self._same_since = fingerprint, now
        frozen = self._reconnect and now - self._same_since > self._config.frozen_s
        return "frozen" if frozen else "ok"

    def reader_ended(self, reader: _Reader, reason: str | None, *, crashed: bool = False) -> None:
        """The connection is over: a recording has ended, or a camera must be opened anew.

        ``crashed``: by an error nobody expected, which opening anew may well meet again.
        """
        with self._lock:
            if reader is not self._reader or self._closed:
                return
            if crashed:
                self._crashes.append(time.monotonic())
            state: CameraState = "lost" if self._reconnect else "ended"
            self._health = replace(self._health, state=state, reason=reason)
            self._lock.notify_all()

    # -- the watchdog

    def _watch(self) -> None:
        while True:
            time.sleep(0.1)
            with self._lock:
                if self._closed or self._health.state == "ended":
                    return
                if not self._reconnect:
                    continue
                now = time.monotonic()
                alive = self._reader.is_alive()
                # Opened anew, a network camera takes as long as the first time.
                opening, config = self._reader.opening, self._config
                limit = config.open_deadline_s + 1.0 if opening else config.read_deadline_s
                silent = now - self._reader.beat > limit
                frozen = (
                    self._health.state == "frozen"
                    and now - self._same_since > self._config.frozen_reconnect_s
                )
                if alive and not silent and not frozen:
                    continue
                reason = self._health.reason or ("no frame in time" if silent else "the picture is frozen")
                self._health = replace(self._health, state="lost", reason=reason)
                if alive:
                    self._reader.abandoned = True
                    self._stuck.append(self._reader)
                self._lock.notify_all()
                pause, self._backoff = self._backoff, min(self._backoff * 2, self._config.max_backoff_s)
                pause = max(pause, self._crash_pause(now))
            self._sleep(pause)
            with self._lock:
                self._stuck = [r for r in self._stuck if r.is_alive()]
                if self._closed:
                    return
                if len(self._stuck) >= self._config.max_stuck:
                    # Every further try would hang as well; wait for one of them to come back.
                    continue
                self._reader = _Reader(self, self._connect)
                self._same_since = time.monotonic()
                self._print = b""
                self._health = replace(self._health, reconnects=self._health.reconnects + 1)
                self._reader.start()

    def _crash_pause(self, now: float) -> float:
        """Seconds until a reader that keeps crashing may be begun anew."""
        if len(self._crashes) < self._config.crashes:
            return 0.0
        pause = self._crashes[0] + self._config.crash_window_s - now
        if pause > 0:
            reason = f"{self._health.reason}; it keeps failing, tried again in {pause:.0f} s"
            self._health = replace(self._health, reason=reason)
        return pause

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        with self._lock:
            while not self._closed and (left := until - time.monotonic()) > 0:
                self._lock.wait(left)

    # -- for the consumer

    def latest(self, *, timeout: float, consume: bool = True) -> Frame | None:
        """The newest frame not fetched before; None when none came within ``timeout`` seconds."""
        until = time.monotonic() + timeout
        with self._lock:
            while self._fetched:
                left = until - time.monotonic()
                if left <= 0 or self._closed or self._health.state == "ended":
                    return None
                self._lock.wait(left)
            if consume:
                self._fetched = True
            return self._frame

    def pass_over(self) -> None:
        """Count a fetched frame as dropped: nobody looks at it."""
        with self._lock:
            self._health = replace(self._health, dropped=self._health.dropped + 1)

    @property
    def health(self) -> CameraHealth:
        """A snapshot."""
        # Without the lock, whose holder may be waiting for a processor: what is read here is put in place as
        # a whole by whoever changes it. The time comes last, so that no age is below zero.
        health, arrivals, last_at = self._health, self._arrivals, self._last_at
        now = time.monotonic()
        recent = [a for a in arrivals if now - a < 3.0]
        fps = (len(recent) - 1) / (recent[-1] - recent[0]) if len(recent) > 2 else 0.0
        age = None if last_at is None else now - last_at
        silent = age is not None and age > self._config.silent_s
        if self._reconnect and silent and health.state in ("ok", "black", "frozen"):
            health = replace(health, state="lost", reason=f"no frame for {age:.0f} s")
        return replace(health, fps=round(fps, 1), age_s=None if age is None else round(age, 2))

    def age_of(self, frame: Frame) -> float:
        """Seconds since a frame of this source arrived (for a played recording: since it was due)."""
        with self._lock:
            return max(0.0, time.monotonic() - self._started - frame.t / self._speed)

    def frames(self, *, start: float = 0.0, end: float | None = None, every: float = 0.0) -> Iterator[Frame]:
        """Newest frames until the source ends or is closed; waits through a lost connection."""
        due = start
        while True:
            frame = self.latest(timeout=0.1)
            over = frame is not None and end is not None and frame.t > end
            if self._stopped or over:
                if frame is not None:
                    self.pass_over()
                return
            if frame is None:
                if self.on_idle is not None:
                    self.on_idle()
                with self._lock:
                    if self._closed or (self._health.state == "ended" and self._fetched):
                        return
                continue
            if frame.t + 1e-6 >= due:
                due = frame.t + every
                yield frame
            else:
                self.pass_over()

    @property
    def hung(self) -> bool:
        """Whether a reader is still stuck in a closed source; such a thread cannot be ended from here."""
        return self._closed and any(r.is_alive() for r in (self._reader, *self._stuck))

    def close(self) -> None:
        """Let go of the camera; waits a second for its reader."""
        with self._lock:
            waiting = 0 if self._fetched or self._closed else 1
            self._closed = True
            self._reader.abandoned = True
            self._health = replace(self._health, state="ended", dropped=self._health.dropped + waiting)
            self._lock.notify_all()
        until = time.monotonic() + _CLOSE_WAIT_S
        for thread in (self._reader, self._watchdog, *self._stuck):
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(max(0.0, until - time.monotonic()))
