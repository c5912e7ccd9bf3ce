"""What people have said about a hand, held against all evidence: pins on tiles and facts, facts they told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pzvision.errors import PzvisionError
from pzvision.game.events import Discard, Event, Gang, Peng, Reveal, Win
from pzvision.table.corrections import MeldKind
from pzvision.table.facts import Fact
from pzvision.table.merging import Line
from pzvision.table.tracks import Track
from pzvision.tiles import SEATS, Seat, Tile

_LOOKS = 20  # what a person says counts as a tile seen well


@dataclass(frozen=True)
class Pins:
    """Never changed: a correction makes new ones, so that a refused one leaves nothing behind.

    Attributes:
        tiles: classes by track id.
        seats: whose a fact is, by the ids of its tracks; acts: which claim or kong it is; kept: of a 巴杠.
        ignored: ids of tracks that mean nothing.
        hands: concealed tiles by record type and seat.
        said: facts that only a person saw.
    """

    tiles: Mapping[int, Tile] = field(default_factory=dict)
    seats: Mapping[int, Seat] = field(default_factory=dict)
    acts: Mapping[int, MeldKind] = field(default_factory=dict)
    kept: Mapping[int, bool] = field(default_factory=dict)
    ignored: frozenset[int] = frozenset()
    hands: Mapping[tuple[str, Seat], tuple[Tile, ...]] = field(default_factory=dict)
    said: tuple[Fact, ...] = ()

    def put_on(self, tracks: Iterable[Track]) -> None:
        """Pin the classes of tracks, and unpin those of others."""
        for track in tracks:
            track.pinned = self.tiles.get(track.id)

    def meant(self, tracks: Iterable[Track]) -> list[Track]:
        """The tracks that mean something."""
        return [t for t in tracks if t.id not in self.ignored]

    def facts(self, facts: Sequence[Fact]) -> list[Fact]:
        """Facts as people say they are, with those they told, in order of time."""
        if not (self.seats or self.acts or self.said):
            return list(facts)
        out = [self._told(fact) for fact in facts]
        out.extend(self.said)
        return sorted(out, key=lambda f: (f.t, f.tracks[0].id))

    def _told(self, fact: Fact) -> Fact:
        seat = next((self.seats[t.id] for t in fact.tracks if t.id in self.seats), None)
        act = next((self.acts[t.id] for t in fact.tracks if t.id in self.acts), None)
        if seat is not None and fact.kind == "river":
            fact = replace(fact, owners=_only(seat), forced="discard")
        elif seat is not None and fact.kind != "lamp":
            fact = replace(fact, seat=seat)
        if act is not None and fact.kind in ("three", "four", "added"):
            fact = replace(fact, forced=act)
        return fact

    def lines(self, lines: Sequence[Line]) -> list[Line]:
        """The log with the hands and the kept tiles that people told."""
        out = []
        for line in lines:
            event = line.event
            if isinstance(event, Win | Reveal) and (event.type, event.seat) in self.hands:
                event = replace(event, hand=self.hands[event.type, event.seat])
            elif isinstance(event, Gang) and line.act is not None and event.kind == "ba_gang":
                kept = [self.kept[t.id] for t in line.act.tracks if t.id in self.kept]
                event = replace(event, kept=kept[-1]) if kept else event
            out.append(line.but(event))
        return out

    def tell(self, event: Event, t: float, onto: Sequence[Track] = ()) -> Pins:
        """With a record that nobody saw.

        Args:
            event: a discard, 碰, 杠, win or reveal.
            t: s, when it happened.
            onto: of a 巴杠, the three tiles it is laid beside.

        Raises:
            PzvisionError: records of other types follow from the game and cannot be told.
        """
        return replace(self, said=(*self.said, self._fact(event, t, tuple(onto))))

    def _fact(self, event: Event, t: float, onto: tuple[Track, ...]) -> Fact:
        last = min((track.id for fact in self.said for track in fact.tracks), default=0)
        if isinstance(event, Discard):
            tracks = _tracks([event.tile], t, last)
            return Fact("river", t, None, tracks, owners=_only(event.seat), arms=(0.0,) * 4, forced="discard")
        if isinstance(event, Peng):
            return Fact("three", t, event.seat, _tracks([event.tile] * 3, t, last), forced="peng")
        if isinstance(event, Gang) and event.kind == "ba_gang":
            tracks = _tracks([event.tile], t, last)
            return Fact("added", t, event.seat, tracks, onto=onto, forced="ba_gang")
        if isinstance(event, Gang):
            return Fact("four", t, event.seat, _tracks([event.tile] * 4, t, last), forced=event.kind)
        if isinstance(event, Win):
            tracks = _tracks([*(event.hand or ()), event.tile], t, last)
            return Fact("hand", t, event.seat, tracks, apart=tracks[-1], forced=f"win_{event.by}")
        if isinstance(event, Reveal) and event.hand:
            return Fact("hand", t, event.seat, _tracks(event.hand, t, last), forced="reveal")
        raise PzvisionError(
            f"correction: record {event.type!r}: expected a discard, peng, gang, declare, win, leave, or a"
            " reveal with its hand; draws and the rest follow from these"
        )


def _only(seat: Seat) -> tuple[float, ...]:
    return tuple(1.0 if s == seat else 0.0 for s in SEATS)


def _tracks(tiles: Iterable[Tile], t: float, last: int) -> tuple[Track, ...]:
    out = []
    for number, tile in enumerate(tiles, 1):
        track = Track(last - number, np.zeros(2), np.array([0.0, 1.0]), t, t, np.zeros((4, 2)))
        track.looks = track.chances = _LOOKS
        track.settled, track.pinned = True, tile
        out.append(track)
    return tuple(out)
