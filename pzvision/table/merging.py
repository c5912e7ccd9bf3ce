"""Putting a log together: acts in their order, what was said between them, nothing that cannot be true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from pzvision.errors import PzvisionError
from pzvision.game.events import (
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    Leave,
    Peng,
    Reveal,
    TailLamp,
    Win,
    format_event,
)
from pzvision.game.settle import settle_log
from pzvision.table.hypotheses import Act
from pzvision.tiles import SEATS, Seat, Tile

REVEAL_S = 2.1  # s; a hand is laid down in about this at the end
_NEAR_S = 5.0  # s between a discard as it was seen and the declaration that goes with it


@dataclass(frozen=True, eq=False)
class Line:
    """A record of the log and where it comes from: an act, or something said."""

    event: Event
    act: Act | None = None
    said: Event | None = None

    def but(self, event: Event) -> Line:
        """The same with another record."""
        return replace(self, event=event)


def locked_hands(lines: Sequence[Line], spoken: Sequence[Declare]) -> list[Line]:
    """A player who declared with his whole hand told is locked: what he lays down later is that hand.

    Only for hands that are as large and, where they were read, differ in half their tiles at most; a kong
    since then makes another hand of it, and so may a discard after 天叫 by a player who has declared no more.
    """
    words = ("dance", "bai", "bao_ting", "tian_jiao")
    by_word = {d.seat for d in spoken if d.declaration in words}
    locked: set[Seat] = set()
    known: dict[Seat, tuple[Tile, ...]] = {}
    melds = dict.fromkeys(SEATS, 0)
    out: list[Line] = []
    for line in lines:
        event = line.event
        if isinstance(event, Peng):
            melds[event.seat] += 1
        elif isinstance(event, Gang):
            melds[event.seat] += event.kind != "ba_gang"
            known.pop(event.seat, None)
        elif isinstance(event, Discard) and event.seat not in locked:
            known.pop(event.seat, None)
        elif isinstance(event, Declare):
            if event.declaration != "tian_jiao":
                locked.add(event.seat)
            if event.seat in by_word and event.tiles:
                known[event.seat] = tuple(sorted(event.tiles))
        elif isinstance(event, Win | Reveal):
            told = known.get(event.seat, ())
            held = 13 - 3 * melds[event.seat]
            unlike = (Counter(told) - Counter(event.hand or told)).total()
            if len(told) == held and 2 * unlike <= held:
                event = replace(event, hand=told)
        out.append(line.but(event))
    return out


def with_shown(lines: list[Line], shown: Sequence[Reveal], end: float) -> list[Line]:
    """Hands are revealed seat after seat, each in about two seconds; that of a dancer takes its turn too."""
    reveals = [(e.event, e) for e in lines if isinstance(e.event, Reveal)]
    rest = [e for e in lines if not isinstance(e.event, Reveal)]
    last = max((e.event.t or 0.0 for e in rest), default=0.0)
    out = list(rest)
    turned = [*reveals, *((r, Line(replace(r, t=None))) for r in shown)]
    for reveal, line in sorted(turned, key=lambda e: SEATS.index(e[0].seat)):
        if line.event.t is None:
            reveal = replace(reveal, t=round(min(last + REVEAL_S, end), 2))
        last = max(last, reveal.t or 0.0)
        out.append(line.but(reveal))
    return out


def merge_said(lines: Sequence[Line], said: Sequence[Event]) -> list[Line]:
    """What was said goes after the last record that is not later than it."""
    out = list(lines)
    for spoken in sorted(said, key=lambda d: d.t if d.t is not None else 0.0):
        moment = spoken.t if spoken.t is not None else 0.0
        place = _place([line.event for line in out], spoken, moment)
        out.insert(place, Line(replace(spoken, t=round(moment, 2)), said=spoken))
    return out


def _place(events: Sequence[Event], spoken: Event, moment: float) -> int:
    """After the declarer's own discard that is nearest in time if one is near, and after the win with which
    somebody leaves; else by time. One a little later counts too: it may have been seen late.
    """
    by_time = 1 + max(
        (i for i, e in enumerate(events) if (e.t if e.t is not None else 0.0) <= moment), default=0
    )
    if isinstance(spoken, Leave):
        return max(
            [by_time]
            + [
                i + 1
                for i, e in enumerate(events)
                if isinstance(e, Win) and e.seat == spoken.seat and (e.t or 0.0) <= moment + _NEAR_S
            ]
        )
    if not isinstance(spoken, Declare) or _with_the_deal(events[:by_time], spoken):
        return by_time
    own = [
        (abs(event.t - moment), index)
        for index, event in enumerate(events)
        if isinstance(event, Discard) and event.seat == spoken.seat and event.t is not None
    ]
    gap, index = min(own, default=(inf, 0))
    if gap > _NEAR_S:
        return by_time
    after = index + 1
    while after < len(events) and isinstance(events[after], Declare):
        after += 1
    return after


def _with_the_deal(before: Sequence[Event], spoken: Declare) -> bool:
    """Whether it is 天叫, or said together with it, before the seat's first discard."""
    if any(isinstance(e, Discard) and e.seat == spoken.seat for e in before):
        return False
    return spoken.declaration == "tian_jiao" or any(
        isinstance(e, Declare) and e.seat == spoken.seat and e.declaration == "tian_jiao" for e in before
    )


def consistent(lines: Sequence[Line]) -> list[Line]:
    """The log with nothing in it that cannot be true, as far as the tail lamp is to blame.

    A misread lamp that was drawn may be a tile the player cannot have: then it is left open what it was. The
    least certain lamp goes first, all of them if no single one is to blame.
    """
    if not impossible(lines):
        return list(lines)
    lamps = [(i, e.event) for i, e in enumerate(lines) if isinstance(e.event, TailLamp)]
    for index, _ in sorted(lamps, key=lambda lamp: (lamp[1].confidence or 0.0, lamp[0])):
        log = _without_lamp(lines, index)
        if not impossible(log):
            return log
    none = list(lines)
    for index, _ in reversed(lamps):
        none = _without_lamp(none, index)
    return none if not impossible(none) else list(lines)


def _without_lamp(lines: Sequence[Line], index: int) -> list[Line]:
    """The log without one tail lamp, and with the draw that took it left open."""
    lamp = lines[index].event
    assert isinstance(lamp, TailLamp)
    after = list(lines[index + 1 :])
    for i, line in enumerate(after):
        if isinstance(line.event, Draw) and line.event.tile is not None:
            after[i] = line.but(replace(line.event, tile=None)) if line.event.tile == lamp.tile else line
            break
    return [*lines[:index], *after]


def impossible(lines: Sequence[Line]) -> bool:
    """Whether the settlement would refuse this log."""
    try:
        settle_log([format_event(line.event) for line in lines])
    except PzvisionError:
        return True
    return False
