"""Corrections of a finished hand, record by record: its pictures are gone, a person's word counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pzvision.errors import FormatError
from pzvision.game import (
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    HandEnd,
    HandStart,
    Peng,
    Reveal,
    Win,
    format_event,
)
from pzvision.live.desk import NotNow
from pzvision.table.corrections import Correction

_SEEN = ("t", "frame", "confidence", "seq")


def edit(log: Sequence[Event], correction: Correction) -> list[Event]:
    """The records of a hand as a correction has them.

    Args:
        log: the hand, from its ``hand_start``.
        correction: its ``event`` is the 1-based number within ``log``.

    Raises:
        NotNow: it needs to look at the table, or the record is not there.
        FormatError: it makes no sense for that record.
    """
    new = list(log)
    if correction.kind == "declare":
        assert correction.seat is not None and correction.declaration is not None
        said = Declare(correction.seat, correction.declaration, correction.tiles, correction.waits)
        new.insert(_before_end(new), said)
        return new
    if correction.kind == "insert":
        assert correction.record is not None
        if isinstance(correction.record, HandStart):
            raise FormatError("correction: record hand_start: a hand has one already", field="record")
        at = _before_end(new) if correction.event is None else find(log, correction)
        new.insert(max(at, 1), correction.record)
        return new
    if correction.kind in ("confirm", "resync", "new_hand") or correction.track is not None:
        raise NotNow(
            f"correction: kind {correction.kind!r}: that hand is over, its table cannot be seen any more"
        )
    if correction.kind == "undo" and correction.event is None:
        at = _before_end(new) - 1
    else:
        at = find(log, correction)
    if isinstance(new[at], HandStart):
        raise FormatError("correction: event 1: hand_start cannot be corrected in this way", field="event")
    if correction.kind == "undo":
        del new[at]
    elif correction.kind == "tile":
        _set_tile(new, at, correction)
    else:
        new[at] = _changed(new[at], correction)
    return new


def find(log: Sequence[Event], correction: Correction) -> int:
    """Index of the record a correction is about: where its sender saw it, or the nearest equal one.

    Raises `NotNow` when there is none.
    """
    at = (correction.event or 0) - 1
    if correction.was is None:
        if 0 <= at < len(log):
            return at
        raise NotNow(f"correction: event {correction.event}: expected 1 to {len(log)}")
    wanted = _bare(correction.was)
    same = [i for i, event in enumerate(log) if _bare(format_event(event)) == wanted]
    if not same:
        raise NotNow(f"correction: event {correction.event}: that record is not in the log any more")
    return min(same, key=lambda i: abs(i - at))


def _bare(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in _SEEN and value is not None}


def _before_end(log: Sequence[Event]) -> int:
    """Where something is put at the end of a hand: before what is only said when it is over."""
    at = len(log)
    while at > 1 and isinstance(log[at - 1], HandEnd | Reveal):
        at -= 1
    return at


def _changed(event: Event, correction: Correction) -> Event:
    sure: Any = replace(event, confidence=1.0)
    if correction.kind == "owner" and hasattr(event, "seat"):
        return _event(replace(sure, seat=correction.seat))
    if correction.kind == "hand" and isinstance(event, Win | Reveal):
        return _event(replace(sure, hand=correction.tiles))
    if correction.kind == "gang_kind" and isinstance(event, Gang | Peng):
        if correction.gang == "peng":
            return Peng(event.seat, event.tile, t=event.t, frame=event.frame, confidence=1.0)
        kept = bool(correction.kept) and correction.gang == "ba_gang"
        assert correction.gang is not None
        return Gang(
            event.seat, correction.gang, event.tile, kept, t=event.t, frame=event.frame, confidence=1.0
        )
    raise FormatError(
        f"correction: kind {correction.kind!r} does not fit event {correction.event}, a {event.type}",
        field="kind",
    )


def _event(value: Any) -> Event:
    event: Event = value
    return event


def _set_tile(log: list[Event], at: int, correction: Correction) -> None:
    if not isinstance(getattr(log[at], "tile", None), int):
        raise FormatError(
            f"correction: event {correction.event}, a {log[at].type}, has no tile", field="event"
        )
    for i in _one_tile(log, at):
        about: Any = log[i]
        log[i] = _event(replace(about, tile=correction.tile, confidence=1.0))


def _one_tile(log: Sequence[Event], at: int) -> set[int]:
    """Indices of all records that are about the tile (or the four equal ones) of record ``at``."""
    links: dict[int, int] = {}
    last: int | None = None
    for i, event in enumerate(log):
        if isinstance(event, Discard):
            last = i
        elif isinstance(event, Draw):
            last = None
        elif isinstance(event, Gang) and event.kind == "ba_gang":
            pengs = [j for j in range(i) if isinstance(log[j], Peng) and _about(log[j]) == _about(event)]
            if pengs:
                links[i] = pengs[-1]
            last = i
        elif isinstance(event, Peng | Win) or (isinstance(event, Gang) and event.kind == "zhi_gang"):
            claims = not (isinstance(event, Win) and event.by == "self_draw")
            if claims and last is not None and _about(log[last])[1] == event.tile:
                links[i] = last
    group = {at}
    while True:
        more = {b for a, b in links.items() if a in group} | {a for a, b in links.items() if b in group}
        if more <= group:
            return group
        group |= more


def _about(event: Event) -> tuple[object, object]:
    return getattr(event, "seat", None), getattr(event, "tile", None)
