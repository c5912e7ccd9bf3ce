"""The way of a frame: capture → motion → detector → table → game → announcements → page, log, video.

Runs in the caller's thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from pzvision.game import Event
from pzvision.live.asking import Asking
from pzvision.live.cameras import HandCameras
from pzvision.live.desk import Desk, NotNow
from pzvision.live.evening import Evening, EveningConfig
from pzvision.live.fit import judge_fit
from pzvision.live.hub import Hub
from pzvision.live.logfile import LogFile
from pzvision.live.more_cameras import HandRecordings, MoreTables
from pzvision.live.orders import CalibrationOrder, HandOrder, LogOrder, Order, PauseOrder
from pzvision.live.report import note
from pzvision.live.running import Stats, interruptible
from pzvision.live.session import Session
from pzvision.live.showing import Showing
from pzvision.live.sight import Seen, Sight
from pzvision.live.store import SessionWriter
from pzvision.live.teller import Said, Teller
from pzvision.live.token_watch import later
from pzvision.table.corrections import Correction
from pzvision.table.observations import ObservationWriter
from pzvision.table.reader import TableReader
from pzvision.tiles import Lang, Seat
from pzvision.vision.calibration import Calibration
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import Frame, FrameSource, Image
from pzvision.vision.detections import Detector
from pzvision.vision.hand_row import hand_row


@dataclass(frozen=True)
class PipelineConfig:
    """How often the table is looked at.

    Attributes:
        look_s: seconds between looks.
        refresh_s: seconds after which a table at rest is given to the detector again.
        moving_cells: cells of the motion mask that must move for the table to count as changed.
        state_s: seconds between states for the page when nothing happens.
        evening: when a hand is over.
    """

    look_s: float = 0.25
    refresh_s: float = 1.0
    moving_cells: int = 6
    state_s: float = 0.5
    evening: EveningConfig = field(default_factory=EveningConfig)

    def asking(self) -> Asking:
        """Decides for one camera when the detector is asked."""
        return Asking(self.refresh_s, self.moving_cells)


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
        speed: factor: 1.0 plays a recording at real speed, 0 as fast as it goes.
        desk: where a person's orders come in; they are carried out between looks.
        hands: cameras on players' hands, looked at when the table leaves time.
        recorded_hands: recordings of them, looked at in step with the source.
        tables: further cameras on the table, fused with the source at every look.
        store: the evening on disk; gets every record through the hub.
        new_detector: the detector for another calibration, should the camera be moved; None: it cannot be.
        save_calibration: writes a calibration that a person asked to be kept.
        note: given remarks for the person at the terminal.
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
        desk: Desk | None = None,
        hands: HandCameras | None = None,
        recorded_hands: HandRecordings | None = None,
        tables: MoreTables | None = None,
        store: SessionWriter | None = None,
        new_detector: Callable[[Calibration], Detector] | None = None,
        save_calibration: Callable[[Calibration], None] | None = None,
        note: Callable[[str], None] = note,
    ) -> None:
        calibration.check_image_size(*source.size)
        self.source = source
        self.config = config or PipelineConfig()
        self._teller = Teller(
            hub=hub, log_file=log_file, on_said=on_said, on_records=on_records, dealer_known=dealer_known
        )
        self.evening = Evening(new_reader, self._teller, self.config.evening)
        self._hands = hands
        self._store = store
        self._desk = desk
        self._save_calibration = save_calibration
        self._sight = Sight(
            source,
            calibration,
            detector,
            self.config.asking(),
            new_detector=new_detector,
            moved=self._moved,
            tables=tables,
            hands=recorded_hands,
            observations=observations,
            fault=lambda reason: self.vitals.fault(reason),
            tell=note,
            page=desk is not None,
        )
        self._showing = Showing(
            source,
            calibration,
            self._sight.eye,
            self.evening,
            self._teller,
            hub=hub,
            hands=hands,
            tables=tables,
            store=store,
            note=note,
        )
        self.vitals = self._showing.vitals
        self._hub = hub
        self._on_frame = on_frame
        self._on_progress = on_progress
        self._speed = speed
        self._frame: Frame | None = None
        self._first: int | None = None
        self._looks = self._frames = 0
        source.on_idle = self._between

    @property
    def calibration(self) -> Calibration:
        """Where the table is in the source's pictures now."""
        return self._showing.calibration

    @property
    def session(self) -> Session:
        """The game so far."""
        return self._teller.session

    @property
    def reader(self) -> TableReader:
        """The reader of the running hand."""
        return self.evening.reader

    @property
    def asked(self) -> int:
        """How often the detector was asked."""
        return self._sight.asked

    @property
    def image(self) -> Image | None:
        """The newest picture as the camera gave it; None before the first."""
        return None if self._frame is None else self._frame.image

    # -- running

    def run(self, *, start: float = 0.0, end: float | None = None) -> Stats:
        """Read the source from ``start`` to ``end`` seconds. Ctrl-C ends it as the end of the source does."""
        begun = time.perf_counter()
        with interruptible(self.source.stop) as interrupted:
            try:
                for frame, due in self._frames_due(start, end):
                    self._pace(frame, start, begun)
                    self._take(frame, due)
            finally:
                self._finish()
        if self._frame is not None:
            self._sight.over(self._frame.t)
        seconds = time.perf_counter() - begun
        stopped = interrupted[0] if interrupted else 0
        return Stats(self._frames, self._looks, self.asked, seconds, self.vitals.latency(), stopped)

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
            until = time.monotonic() + wait
            while (wait := until - time.monotonic()) > 0:
                if self._desk is None:
                    time.sleep(wait)
                elif self._desk.wait(wait):
                    self._between()

    def _take(self, frame: Frame, due: bool) -> None:
        self._frame = self._showing.frame = frame
        if due and not self.vitals.paused:
            with self._outlasting():
                self._look(frame)
        elif isinstance(self.source, LiveSource):
            self.source.pass_over()
        if self._first is None:
            self._first = frame.index
        passed = frame.index + 1 - self._first
        if self._on_progress is not None:
            self._on_progress(passed - self._frames)
        self._frames = passed
        if self._on_frame is not None:
            self._on_frame(frame, self)
        self._showing.show(frame)
        self._between()

    def _look(self, frame: Frame) -> None:
        seen = self._sight.look(frame)
        if seen is None:
            return
        self._read_tokens(frame.t, seen)
        detections = None if seen.detections is None else self._sight.tokens.without(seen.detections)
        self._looks += 1
        size = (frame.image.shape[1], frame.image.shape[0])
        with self._teller.batch():
            tiles = self.evening.look(frame.t, frame.index, size, detections, seen.mask)
            for seat, hand in seen.hands:
                self.evening.look_hand(frame.t, seat, hand)
            self._showing.saw(tiles)
        source = self.source
        age_ms = 1000 * source.age_of(frame) if isinstance(source, LiveSource) else None
        self.vitals.looked(age_ms, seen=detections is not None)
        if detections is not None:
            self.vitals.fault(None)

    @contextmanager
    def _outlasting(self) -> Iterator[None]:
        """An evening at a camera outlasts whatever goes wrong inside: it is said, and the next look comes."""
        try:
            yield
        except Exception as error:
            if not isinstance(self.source, LiveSource):
                raise
            self.vitals.fault(f"{type(error).__name__}: {error}".splitlines()[0])

    def _read_tokens(self, t: float, seen: Seen) -> None:
        """Declarations by printed tokens, as if they had been said."""
        if seen.mask is None:
            return
        reader = self.evening.reader
        for declaration in self._sight.tokens.look(t, seen.mask, reader, seen.tokens):
            reader.declare(later(declaration, self.evening.shift))

    def _finish(self) -> None:
        if self._frame is not None:
            with self._outlasting(), self._teller.batch():
                self.evening.finish(self._frame.t)
        self._showing.over = True
        self._showing.tell()
        self.source.close()

    # -- between looks

    def _between(self) -> None:
        """What must not wait for a frame: orders, cameras that are lost or back, a state now and then."""
        if self._hub is None:
            return
        if self._desk is not None:
            self._desk.attend(self._carry_out)
        self._showing.tell_cameras()
        if self._store is not None:
            self._store.retry()
        if self._hands is not None and self._frame is not None and not self.vitals.paused:
            self._look_hand(self._hands, self._frame.t)
        self._showing.tell_now_and_then(self.config.state_s)

    def _look_hand(self, cameras: HandCameras, t: float) -> None:
        seen = cameras.look()
        if seen is None:
            return
        with self._teller.batch():
            hand = None if seen.detections is None else hand_row(seen.detections)
            self.evening.look_hand(t, seen.seat, hand)
        if self._hub is not None:
            self._hub.set_picture(lambda: seen.image, seen.camera)

    def attend(self, seconds: float) -> None:
        """Carry out orders for so long: for a game whose source is over, but whose page is still open."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._desk is None:
                time.sleep(left)
            else:
                self._desk.wait(min(left, self.config.state_s))
                self._between()

    def _carry_out(self, order: Order) -> Mapping[str, Any]:
        answer: dict[str, Any] = {}
        with self._teller.batch():
            if isinstance(order, Correction):
                answer = self.evening.correct(order)
            elif isinstance(order, HandOrder):
                answer = self.evening.set_up(order)
            elif isinstance(order, LogOrder):
                answer = {"records": self.evening.log_view()}
            elif isinstance(order, PauseOrder):
                self.pause(order.paused, "person")
            else:
                answer = self._recalibrate(order)
            self._showing.tell()
        return {"seq": 0 if self._hub is None else self._hub.seq, **answer}

    def pause(self, paused: bool, reason: str) -> None:
        """Stop reading the table or go on; ``reason``: ``person`` or ``camera``. What lies there is kept."""
        if paused != self.vitals.paused:
            self.vitals.paused = paused
            self._sight.eye.changed()
            self._teller.tell({"type": "pause", "paused": paused, "reason": reason})

    def _recalibrate(self, order: CalibrationOrder) -> dict[str, Any]:
        if self._sight.fixed:
            raise NotNow("this game's calibration is fixed")
        new = replace(self.calibration, corners=order.corners, near_seat=order.near_seat)
        fit = judge_fit(new)
        self.evening.recalibrate(new)
        self._sight.recalibrated(new)
        if order.save and self._save_calibration is not None:
            self._save_calibration(new)
        return {"error_px": round(fit.error_px, 2), "warnings": list(fit.warnings)}

    def _moved(self, new: Calibration) -> None:
        self._showing.calibration = new

    # -- what a person is shown

    def view(self) -> dict[str, Any]:
        """What ``/state`` answers now."""
        return self._showing.view()

    def picture(self, lang: Lang = "zh") -> Image:
        """The newest frame with its tiles outlined, ``(H, W, 3)`` uint8 BGR."""
        return self._showing.picture(lang)
