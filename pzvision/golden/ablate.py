"""Readers of the table with one thing left out, to see what it is worth."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from pzvision.game.events import (
    Deal,
    Discard,
    Event,
    Gang,
    HandEnd,
    HandStart,
    Peng,
    Reveal,
    TailLamp,
)
from pzvision.golden.measure import MakeReader, usual_reader
from pzvision.table.config import TableConfig
from pzvision.table.doubts import Doubt
from pzvision.table.facts import Fact
from pzvision.table.reader import TableReader, Update
from pzvision.tiles import KINDS, SEATS, Seat
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionMask


class TopClassReader(TableReader):
    """Takes every fact for what it looks like: the likeliest class, the nearest owner, no legality.

    What comes to lie in the river is a discard of the seat it most likely belongs to; three equal tiles are a
    碰, four a kong (直杠 when the last discard was such a tile, else 暗杠), a fourth beside three a 巴杠, a
    laid-down hand is shown. Wins are not told from shown hands: that takes the rules.
    """

    _told: tuple[Event, ...] = ()
    _from: float | None = None

    @property
    def log(self) -> tuple[Event, ...]:
        """All records so far."""
        return self._told

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """None: it never doubts."""
        return ()

    def look(
        self,
        t: float,
        frame_index: int,
        image_size: tuple[int, int],
        detections: Detections | None,
        motion: MotionMask | None = None,
    ) -> Update | None:
        """As `TableReader.look`."""
        self._from = t if self._from is None else self._from
        self.tracker.look(t, detections, motion)
        return self._tell(t)

    def finish(self, t: float) -> Update | None:
        """As `TableReader.finish`."""
        return self._tell(t + self.config.group_wait_s, end=t)

    def _tell(self, now: float, end: float | None = None) -> Update | None:
        events: list[Event] = []
        last: Discard | None = None
        for fact in self.layout.facts(self.tracker.tracks, now):
            event = self._act(fact, last)
            if event is not None:
                events.append(event)
                last = event if isinstance(event, Discard) else None
        if not events and end is None:
            return None
        said: list[Event] = [d for d in self._declarations if d.t is None or d.t <= now]
        events = sorted([*events, *said], key=lambda e: e.t or 0.0)
        dealer: Seat = next((e.seat for e in events if isinstance(e, Discard | Gang)), "E")
        began = round(self._from or 0.0, 2)
        first = HandStart(self.ruleset.id, dealer, self._hand.base, t=began)
        events = [first, *(Deal(seat, None, t=began) for seat in SEATS), *events]
        if end is not None:
            events.append(HandEnd(t=round(end, 2)))
        keep = 0
        while keep < min(len(events), len(self._told)) and events[keep] == self._told[keep]:
            keep += 1
        if keep == len(events) == len(self._told):
            return None
        self._told = tuple(events)
        return Update(keep, self._told[keep:])

    def _act(self, fact: Fact, last: Discard | None) -> Event | None:
        t = round(fact.t, 2)
        tiles = [int(track.scores(self.config)[:KINDS].argmax()) for track in fact.tracks]
        middle = tiles[len(tiles) // 2]
        if fact.kind == "river":
            seat = SEATS[max(range(4), key=lambda i: fact.owners[i])]
            return Discard(seat, tiles[0], t=t)
        if fact.kind == "lamp":
            return TailLamp(tiles[0], t=t)
        if fact.seat is None:
            return None
        if fact.kind == "three":
            return Peng(fact.seat, middle, t=t)
        if fact.kind == "four":
            claimed = last is not None and last.tile == middle and last.seat != fact.seat
            return Gang(fact.seat, "zhi_gang" if claimed else "an_gang", middle, t=t)
        if fact.kind == "added":
            return Gang(fact.seat, "ba_gang", tiles[0], t=t)
        if fact.kind == "hand":
            return Reveal(fact.seat, tuple(sorted(tiles)), t=t)
        return None


def believing(config: TableConfig) -> TableConfig:
    """Thresholds with which every look is believed at once: seen once is there, missed once is gone."""
    return replace(
        config,
        rest_s=0.0,
        rest_looks=1,
        gone_bare_s=0.0,
        gone_s=0.0,
        gone_patience=1.0,
        hidden_share=1.01,
        candidate_s=0.05,
        group_wait_s=0.0,
    )


READERS: Final[dict[str, MakeReader]] = {
    "decoder": partial(usual_reader, make=TopClassReader),
    "hysteresis": partial(usual_reader, config=believing(TableConfig())),
}
"""What to leave out → how the reader is then made."""
