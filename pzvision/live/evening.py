"""The hands of one evening: which reader reads the table, what the log says, what people change in it.

The log is the records of all hands, one after another. Each hand keeps its own part, so that a late look, a
correction or another stake may change it whenever that may be; what follows stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pzvision.game import Event, HandStart, format_event, next_dealer
from pzvision.live.announcer import wall_announcement
from pzvision.live.desk import NotNow
from pzvision.live.edits import edit, find
from pzvision.live.orders import HandOrder
from pzvision.live.packed import Packed
from pzvision.live.part import Part
from pzvision.live.session import Session
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.live.teller import Teller
from pzvision.live.wording import record_text
from pzvision.table.corrections import Correction
from pzvision.table.doubts import Doubt
from pzvision.table.reader import TableReader, TableTile
from pzvision.table.walls import WallWatch
from pzvision.tiles import OTHER, SEATS, Seat, format_tile
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionMask

_KEPT_READERS = 2  # finished hands whose evidence is kept, should somebody correct them
_GAP_S = 1.0  # s between the last record of an earlier run and the first look of this one
_SETTLES_S = 4.0  # s after which what lies on the table has been taken in by a reader that begins in mid-hand


@dataclass(frozen=True)
class EveningConfig:
    """When a hand is over.

    Attributes:
        hand_tiles: open tiles that must have lain there for a hand to have been played.
        cleared_tiles, cleared_s: with at most so many left for so many seconds the table has been cleared,
            and the next hand begins.
    """

    hand_tiles: int = 12
    cleared_tiles: int = 2
    cleared_s: float = 3.0


class Evening:
    """Reads hand after hand and tells what changes.

    Args:
        new_reader: makes the reader of a hand; given the dealer, or None when he is not known. A `HandMaker`
            can be given other settings by a person.
        teller: told every change.
        config: when a hand is over.
    """

    def __init__(
        self,
        new_reader: Callable[[Seat | None], TableReader],
        teller: Teller,
        config: EveningConfig | None = None,
    ) -> None:
        self._new_reader = new_reader
        self.maker = new_reader if isinstance(new_reader, HandMaker) else None
        self._teller = teller
        self._config = config or EveningConfig()
        self._hands = [Part(new_reader(None))]
        self._most_tiles = 0
        self._cleared_at: float | None = None
        self._wall = WallWatch()
        self._wall_told = False
        self._now = 0.0
        self.shift = 0.0
        """Seconds of earlier runs; added to the times of this run's frames."""

    # -- what is known

    @property
    def session(self) -> Session:
        """The game so far."""
        return self._teller.session

    @property
    def reader(self) -> TableReader:
        """The reader of the running hand."""
        reader = self._hands[-1].reader
        assert reader is not None
        return reader

    @property
    def doubts(self) -> list[Doubt]:
        """What is not sure in the running hand; ``event`` is an index of the whole log."""
        _, sources = self._hands[-1].compose()
        offset = self._offset(len(self._hands) - 1)
        places = {source: offset + i for i, source in enumerate(sources) if source is not None}
        return [replace(d, event=places[d.event]) for d in self.reader.doubts if d.event in places]

    @property
    def wall_seen(self) -> int | None:
        """Tiles left in the wall by the stacks seen; None where the camera does not see all of it."""
        return self._wall.seen

    def doubt_records(self) -> list[dict[str, Any]]:
        """The doubts for ``/state``."""
        return [
            {
                "id": doubt.id,
                "event": doubt.event + 1,
                "seat": doubt.seat,
                "tiles": [format_tile(tile) for tile in doubt.tiles],
                "readings": [
                    {"zh": record_text(event, "zh"), "en": record_text(event, "en")}
                    for event in doubt.readings
                ],
            }
            for doubt in self.doubts
        ]

    @property
    def settings(self) -> HandSettings | None:
        """What the next hand starts with; None where that cannot be changed."""
        return None if self.maker is None else self.maker.settings

    def log_view(self) -> list[dict[str, Any]]:
        """Every record with its number, hand, words and doubt, for ``/api/log``."""
        doubts = {doubt.event: doubt.id for doubt in self.doubts}
        out: list[dict[str, Any]] = []
        hand = 0
        for i, event in enumerate(self.session.log):
            hand += isinstance(event, HandStart)
            text = {"zh": record_text(event, "zh"), "en": record_text(event, "en")}
            entry = {"event": i + 1, "hand": hand, "record": format_event(event), "text": text}
            out.append({**entry, "doubt": doubts.get(i)})
        return out

    # -- looks

    def look(
        self,
        t: float,
        index: int,
        size: tuple[int, int],
        detections: Detections | None,
        mask: MotionMask | None,
        **more: Any,
    ) -> Sequence[TableTile]:
        """One look at ``t`` s of this run, a picture of ``size`` px; arguments as `TableReader.look`.

        Returns the tiles lying there.
        """
        self._now = t = t + self.shift
        if self.reader.look(t, index, size, detections, mask, **more) is not None:
            self.follow()
        tiles = self.reader.tiles
        self._watch_wall(t)
        self.say_held(t)
        self._next_hand(t, sum(tile.tile < OTHER for tile in tiles))
        return tiles

    def _watch_wall(self, t: float) -> None:
        """Say once a hand that the wall and the records do not agree."""
        state = self.session.state
        left = None if state is None or state.phase == "end" else state.wall_left
        self._wall.look(t, self.reader.stacks, left)
        if self._wall.off and not self._wall_told and left is not None and self._wall.seen is not None:
            self._wall_told = True
            self._teller.remark(wall_announcement(self._wall.seen, left, t))

    def look_hand(self, t: float, seat: Seat, detections: Detections | None) -> None:
        """What a camera on a player's hand saw at ``t`` s of this run; None: nothing that can be used."""
        reader: Any = self.reader
        if hasattr(reader, "look_hand") and reader.look_hand(seat, t + self.shift, detections) is not None:
            self.follow()

    def follow(self, which: int = -1, *, at_once: bool = False) -> None:
        """Tell what a hand's part says now; ``at_once``: because a person said so."""
        which %= len(self._hands)
        hand = self._hands[which]
        records, _ = hand.compose()
        keep = 0
        for old, new in zip(hand.records, records, strict=False):
            if old != new:
                break
            keep += 1
        if keep == len(hand.records) == len(records):
            return
        later = [event for after in self._hands[which + 1 :] for event in after.records]
        self._teller.change(self._offset(which) + keep, [*records[keep:], *later], self._now, at_once=at_once)
        hand.records = records
        if hand.reader is None:
            hand.pack()

    def say_held(self, now: float) -> bool:
        """Say what by ``now``, s, has waited long enough."""
        return self._teller.say_held(now, self.doubts, 0)

    def finish(self, t: float) -> None:
        """The source is over at ``t`` s of this run."""
        self._now = t + self.shift
        self.reader.finish(self._now)
        self.follow()
        self.say_held(float("inf"))
        self._teller.finish()

    def _offset(self, which: int) -> int:
        return sum(len(hand.records) for hand in self._hands[:which])

    def _next_hand(self, t: float, lying: int) -> None:
        """Once a played table has been cleared: end the hand. ``lying``: face-up tiles on the table now."""
        self._most_tiles = max(self._most_tiles, lying)
        if self._most_tiles < self._config.hand_tiles or lying > self._config.cleared_tiles:
            self._cleared_at = None
            return
        if self._cleared_at is None:
            self._cleared_at = t
        if t - self._cleared_at >= self._config.cleared_s:
            self._end_hand(self._cleared_at)

    def _end_hand(self, t: float) -> None:
        """End the running hand at ``t`` s, and read on with a new reader."""
        self.reader.finish(t)
        self.follow()
        self.say_held(float("inf"))
        self._begin()

    def _begin(self) -> None:
        """A new hand: its dealer as the rules say, unless a person said who deals."""
        state = self.session.state
        if self.maker is not None:
            self.maker.since = self._now
        reader = self._new_reader(None if state is None or state.cut else next_dealer(state))
        if self._hands and self._hands[-1].records:
            self._hands.append(Part(reader))
        else:
            self._hands[-1:] = [Part(reader)]
        for old in self._hands[: -1 - _KEPT_READERS]:
            old.pack()
        self._most_tiles, self._cleared_at = 0, None
        self._wall, self._wall_told = WallWatch(), False

    # -- an earlier run

    def restore(self, log: Sequence[Event], said: Sequence[Mapping[str, Any]] = ()) -> None:
        """Go on after an earlier run.

        A hand that was not over goes on: its records stay, and new acts count from when what lies on the
        table has been taken in.

        Args:
            log: the records of that run.
            said: the announcements made about them, as in the stream.
        """
        starts = [i for i, event in enumerate(log) if i == 0 or isinstance(event, HandStart)]
        ends = [*starts[1:], len(log)] if log else []  # it may have been broken off before any record
        parts = [list(log[a:b]) for a, b in zip(starts, ends, strict=True)]
        self._hands = [Part(None, records=Packed(part)) for part in parts]
        self._teller.restore(log, said)
        self.shift = max((event.t or 0.0 for event in log), default=0.0) + _GAP_S if log else 0.0
        self._now = self.shift
        state = self.session.state
        if state is None or state.phase == "end":
            self._begin()
            return
        hand = self._hands[-1]
        hand.before, hand.since = tuple(hand.records), self.shift + _SETTLES_S
        hand.reader = self._new_reader(state.dealer)

    # -- what people change

    def correct(self, correction: Correction) -> dict[str, Any]:
        """Take a correction, ``event`` counting the whole log from 1.

        Raises:
            NotNow, PzvisionError: why it is refused; nothing has changed then.
        """
        correction = replace(correction, t=round(self._now, 2))
        if correction.kind == "new_hand":
            named = correction.names
            names = None if named is None else {seat: named[seat] for seat in SEATS if seat in named}
            return self.set_up(
                HandOrder(
                    "now", correction.ruleset, correction.options, correction.base, correction.dealer, names
                )
            )
        which, local = self._place(correction)
        self._carry_out(self._hands[which], local)
        with self._teller.batch():
            self._teller.tell({"type": "correction", "hand": which + 1, "correction": correction.format()})
            self.follow(which, at_once=True)
            self.say_held(self._now)
        return {"hand": which + 1}

    def _carry_out(self, hand: Part, correction: Correction) -> None:
        """``correction`` counts the hand's own records."""
        if hand.reader is None or hand.edited is not None:
            hand.edited = edit(hand.records, correction)
            return
        records, sources = hand.compose()
        if correction.event is not None:
            source = sources[correction.event - 1] if correction.event <= len(records) else None
            if source is None and correction.event <= len(hand.before):
                hand.before = tuple(edit(hand.before, correction))
                return
            if source is not None:
                correction = replace(correction, event=source + 1)
        elif hand.before and self._now <= hand.since and correction.kind in ("declare", "insert", "undo"):
            # The reader has not yet taken in what lies there; what it says of this time does not count.
            hand.before = tuple(edit(hand.before, correction))
            return
        hand.reader.correct(correction, self._now)

    def _place(self, correction: Correction) -> tuple[int, Correction]:
        """The hand a correction is about, and the correction as that hand counts its records."""
        if correction.event is None:
            return len(self._hands) - 1, correction
        at = correction.event - 1
        for which, hand in enumerate(self._hands):
            offset = self._offset(which)
            if at < offset + len(hand.records):
                local = replace(correction, event=at - offset + 1)
                return which, replace(local, event=find(hand.records, local) + 1, was=None)
        raise NotNow(f"correction: event {correction.event}: expected 1 to {self.session.length}")

    def set_up(self, order: HandOrder) -> dict[str, Any]:
        """Set hands up as a person says. Raises `NotNow` where that is fixed, or `FormatError`."""
        maker = self.maker
        if maker is None:
            raise NotNow("this game's set-up is fixed")
        new = maker.settings.changed(order)
        hand = self._hands[-1]
        with self._teller.batch():
            maker.settings = new
            if order.when != "next" and not hand.records:
                self._begin()  # nobody has acted: the hand begins anew, as it should have
            elif order.when == "now":
                self._end_hand(self._now)
            elif order.when == "current":
                hand.put, maker.settings = new, replace(new, dealer=None)
                self.follow(at_once=True)
            self._teller.tell({"type": "settings", "next": maker.settings.to_json()})
        return {"next": maker.settings.to_json()}

    def recalibrate(self, calibration: Calibration) -> None:
        """The camera was moved. Raises `PzvisionError` where the running hand cannot go on with it."""
        if self.maker is None:
            raise NotNow("this game's calibration is fixed")
        if self._hands[-1].records:
            self.reader.recalibrate(calibration)
            self.maker.calibration = calibration
        else:
            self.maker.calibration = calibration
            self._begin()

    def set_up_now(self) -> HandSettings | None:
        """How the running hand was set up; before anybody has acted, how it will be."""
        first = next(iter(self._hands[-1].records), None)
        return HandSettings.of(first) if isinstance(first, HandStart) else self.settings
