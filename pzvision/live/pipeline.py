"""The way of a frame: capture → motion → detector → table → game → announcements → page, log, video.

Runs in the caller's thread. The detector is by far the dearest step, so it is asked only when something on
the table changed since it was asked last, or when it was not asked for a while.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pzvision.game import Event, next_dealer
from pzvision.live.hub import Hub
from pzvision.live.logfile import LogFile
from pzvision.live.picture import Outline, draw_outlines
from pzvision.live.session import Session
from pzvision.live.stored import StoredLooks
from pzvision.live.teller import Said, Teller
from pzvision.live.view import view_of
from pzvision.table.observations import ObservationWriter, rounded
from pzvision.table.reader import TableReader, TableTile, Update
from pzvision.tiles import BACK, OTHER, Lang, Seat, format_tile
from pzvision.vision.calibration import Calibration
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import Frame, FrameSource, Image
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionDetector, MotionMask


class Detector(Protocol):
    """What the pipeline needs of `pzvision.vision.detector.TileDetector`."""

    def __call__(self, image: Image) -> Detections:
        """The tiles in ``(H, W, 3)`` uint8 BGR."""
        ...


@dataclass(frozen=True)
class PipelineConfig:
    """How often the table is looked at.

    Attributes:
        look_s: seconds between looks.
        refresh_s: seconds after which a table at rest is given to the detector again.
        moving_cells: cells of the motion mask that must move for the table to count as changed.
        state_s: seconds between states for the page when nothing happens.
        hand_tiles: open tiles that must have lain there for a hand to have been played.
        cleared_tiles, cleared_s: with at most so many left for so many seconds the table has been cleared,
            and the next hand begins.
    """

    look_s: float = 0.25
    refresh_s: float = 1.0
    moving_cells: int = 6
    state_s: float = 0.5
    hand_tiles: int = 12
    cleared_tiles: int = 2
    cleared_s: float = 3.0


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
    def fps(self) -> float:
        """Frames of the source a second."""
        return self.frames / self.seconds if self.seconds > 0 else 0.0


@contextmanager
def _interruptible(source: FrameSource) -> Iterator[list[int]]:
    """The first Ctrl-C (or SIGTERM) lets the look in hand end and stops the source; the second raises.

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
        source.stop()

    before = [(number, signal.signal(number, stop)) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield caught
    finally:
        for number, handler in before:
            signal.signal(number, handler)


class Pipeline:
    """One source, read to its end.

    Args:
        source: frames.
        calibration: of that camera; checked against the frames' size here.
        new_reader: makes the reader of a hand; given the dealer, or None when he is not known.
        detector: finds the tiles.
        hub: told everything, for the page; or None.
        log_file: follows the log; or None.
        on_said: called with each announcement and each correction.
        on_records: called with the records of the log that fell away and those that came, before that.
        dealer_known: whether the dealer of the first hand was told; else he is announced once that is sure.
        on_frame: called after each frame with the view, for a rendered video; all frames are read then.
        speed: 1.0 plays a recording at real speed, 0 as fast as it goes.
        observations: gets every look, so that the game can be read again without pictures. Where the source
            is `StoredLooks`, the detector is never asked.

    Raises:
        PzvisionError: the calibration is for pictures of another size.
    """

    def __init__(
        self,
        source: FrameSource,
        calibration: Calibration,
        new_reader: Callable[[Seat | None], TableReader],
        detector: Detector,
        *,
        config: PipelineConfig | None = None,
        hub: Hub | None = None,
        log_file: LogFile | None = None,
        on_said: Callable[[Said], None] | None = None,
        on_records: Callable[[Sequence[Event], Sequence[Event]], None] | None = None,
        dealer_known: bool = True,
        on_frame: Callable[[Frame, Pipeline], None] | None = None,
        on_progress: Callable[[int], None] | None = None,
        speed: float = 0.0,
        observations: ObservationWriter | None = None,
    ) -> None:
        calibration.check_image_size(*source.size)
        self.source = source
        self.calibration = calibration
        self.reader = new_reader(None)
        self._new_reader = new_reader
        self._offset = 0  # records of earlier hands in the log
        self._most_tiles = 0
        self._cleared_at: float | None = None
        self.config = config or PipelineConfig()
        self._teller = Teller(
            hub=hub, log_file=log_file, on_said=on_said, on_records=on_records, dealer_known=dealer_known
        )
        self._detector = detector
        self._motion = MotionDetector(calibration)
        self._hub = hub
        self._on_frame = on_frame
        self._on_progress = on_progress
        self._speed = speed
        self._observations = observations
        self._detections: Detections | None = None
        self._detected_at = float("-inf")
        self._changed = True
        self._frame: Frame | None = None
        self._outlines: list[Outline] = []
        self._latencies: deque[float] = deque(maxlen=2000)
        self._look_times: deque[float] = deque(maxlen=60)
        self._told_at = float("-inf")
        self._over = False
        self._first: int | None = None
        self._looks = self._asked = self._frames = 0

    @property
    def session(self) -> Session:
        """The game so far."""
        return self._teller.session

    # -- running

    def run(self, *, start: float = 0.0, end: float | None = None) -> Stats:
        """Read the source from ``start`` to ``end`` seconds. Ctrl-C ends it as the end of the source does."""
        begun = time.perf_counter()
        with _interruptible(self.source) as interrupted:
            try:
                for frame, due in self._frames_due(start, end):
                    self._pace(frame, start, begun)
                    self._take(frame, due)
            finally:
                self._finish()
        if self._observations is not None and self._frame is not None:
            self._observations.end(self._frame.t)
        latency = None
        if self._latencies:
            p50, p95 = np.percentile(np.array(self._latencies), [50, 95])
            latency = (float(p50), float(p95))
        seconds = time.perf_counter() - begun
        stopped = interrupted[0] if interrupted else 0
        return Stats(self._frames, self._looks, self._asked, seconds, latency, stopped)

    def _frames_due(self, start: float, end: float | None) -> Iterator[tuple[Frame, bool]]:
        """Frames, and whether the table is looked at in them; only those where nobody wants the rest."""
        all_frames = self._on_frame is not None or self._hub is not None
        due = start
        every = 0.0 if all_frames else self.config.look_s
        for frame in self.source.frames(start=start, end=end, every=every):
            look = not all_frames or frame.t + 1e-6 >= due
            if look:
                due = max(due + self.config.look_s, frame.t + self.config.look_s / 2)
            yield frame, look

    def _pace(self, frame: Frame, start: float, begun: float) -> None:
        if self._speed > 0 and not self.source.live:
            wait = (frame.t - start) / self._speed - (time.perf_counter() - begun)
            if wait > 0:
                time.sleep(wait)

    def _take(self, frame: Frame, due: bool) -> None:
        self._frame = frame
        if due:
            self._look(frame)
        if self._first is None:
            self._first = frame.index
        passed = frame.index + 1 - self._first
        if self._on_progress is not None:
            self._on_progress(passed - self._frames)
        self._frames = passed
        if self._on_frame is not None:
            self._on_frame(frame, self)
        if self._hub is not None:
            image, outlines = frame.image, self._outlines
            self._hub.set_picture(lambda: draw_outlines(image, outlines))
            if time.monotonic() - self._told_at > self.config.state_s:
                self._tell()

    def _look(self, frame: Frame) -> None:
        detections: Detections | None = None
        mask: MotionMask | None = None
        if isinstance(self.source, StoredLooks):
            stored = self.source.look
            if stored is None:
                return
            detections, mask = stored.detections, stored.motion
        elif frame.state == "ok":
            mask = self._motion.look(frame.image, frame.t)
            detections = self._detect(frame, mask)
        if self._observations is not None:
            self._observations.look(frame.t, frame.index, detections, mask)
        self._looks += 1
        self._look_times.append(time.monotonic())
        size = (frame.image.shape[1], frame.image.shape[0])
        update = self.reader.look(frame.t, frame.index, size, detections, mask)
        tiles = self.reader.tiles
        self._outlines = self._outline(tiles)
        if update is not None:
            self._apply(update)
        self._say_held(frame.t)
        self._next_hand(frame.t, sum(tile.tile < OTHER for tile in tiles))
        if isinstance(self.source, LiveSource):
            self._latencies.append(1000 * self.source.age_of(frame))

    def _detect(self, frame: Frame, mask: MotionMask) -> Detections:
        moving = mask.shaken or int(mask.moving.sum()) >= self.config.moving_cells
        still_good = (
            self._detections is not None
            and not moving
            and not self._changed
            and frame.t - self._detected_at < self.config.refresh_s
        )
        # What moved during this look may lie somewhere else in the next one.
        self._changed = moving
        if still_good and self._detections is not None:
            return self._detections
        self._asked += 1
        self._detections = rounded(self._detector(frame.image))
        self._detected_at = frame.t
        return self._detections

    def _next_hand(self, t: float, lying: int) -> None:
        """Once a played table has been cleared: end the hand, and read on with a new reader.

        ``lying``: face-up tiles on the table now.
        """
        self._most_tiles = max(self._most_tiles, lying)
        if self._most_tiles < self.config.hand_tiles or lying > self.config.cleared_tiles:
            self._cleared_at = None
            return
        if self._cleared_at is None:
            self._cleared_at = t
        if t - self._cleared_at < self.config.cleared_s:
            return
        update = self.reader.finish(self._cleared_at)
        if update is not None:
            self._apply(update)
        self._say_held(float("inf"))
        state = self.session.state
        self._offset = len(self.session.log)
        self.reader = self._new_reader(None if state is None or state.cut else next_dealer(state))
        self._most_tiles, self._cleared_at = 0, None

    def _finish(self) -> None:
        last = self._frame
        if last is not None:
            update = self.reader.finish(last.t)
            if update is not None:
                self._apply(update)
            self._say_held(float("inf"))
            self._teller.finish()
        self._over = True
        self._tell()
        self.source.close()

    # -- telling

    def _apply(self, update: Update) -> None:
        """Follow the reader's log."""
        now = 0.0 if self._frame is None else self._frame.t
        with self._batch():
            self._teller.change(self._offset + update.keep, update.events, now)
            self._tell()

    def _say_held(self, now: float) -> None:
        with self._batch():
            if self._teller.say_held(now, self.reader.doubts, self._offset):
                self._tell()

    def _batch(self) -> AbstractContextManager[None]:
        return nullcontext() if self._hub is None else self._hub.batch()

    def _tell(self) -> None:
        if self._hub is None:
            return
        self._told_at = time.monotonic()
        with self._hub.batch():
            self._hub.set_state(self.view())
            self._hub.set_health(self.health())

    def view(self) -> dict[str, Any]:
        """What ``/state`` answers now."""
        source = {
            "name": self.source.name,
            "t": None if self._frame is None else round(self._frame.t, 2),
            "duration": None if self.source.duration is None else round(self.source.duration, 2),
            "live": self.source.live,
            "over": self._over,
        }
        return view_of(self.session, near_seat=self.calibration.near_seat, source=source)

    def health(self) -> dict[str, Any]:
        """What ``/health`` answers now."""
        now = time.monotonic()
        recent = [t for t in self._look_times if now - t < 5]
        fps = (len(recent) - 1) / (recent[-1] - recent[0]) if len(recent) > 2 else 0.0
        camera: dict[str, Any] = {"state": "ended" if self._over else "ok"}
        if isinstance(self.source, LiveSource):
            camera = self.source.health.to_dict()
        ok = camera["state"] in ("ok", "ended")
        out: dict[str, Any] = {
            "ok": ok,
            "status": "ok" if ok else "degraded",
            "cameras": {self.calibration.camera: camera},
            "fps": round(fps, 1),
        }
        if self._latencies:
            p50, p95 = np.percentile(np.array(self._latencies)[-200:], [50, 95])
            out["latency_ms"] = {"p50": round(float(p50), 1), "p95": round(float(p95), 1)}
        return out

    # -- drawing

    def picture(self, lang: Lang = "zh") -> Image:
        """The newest frame with its tiles outlined."""
        assert self._frame is not None
        return draw_outlines(self._frame.image, self._outlines, lang)

    def _outline(self, tiles: Sequence[TableTile]) -> list[Outline]:
        if not tiles:
            return []
        corners = np.concatenate([t.polygon for t in tiles])
        height = np.full((len(corners), 1), self.calibration.tile_cm[2])
        pixels = self.calibration.to_image(np.hstack([corners, height])).reshape(-1, 4, 2)
        return [
            Outline(
                polygon,
                "" if tile.tile in (BACK, OTHER) else format_tile(tile.tile),
                tile.seat,
                tile.confidence > 0.6,
            )
            for tile, polygon in zip(tiles, pixels, strict=True)
        ]
