"""Whether one correction by a person who saw the game would make a hand's settlement right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pzvision.errors import PzvisionError
from pzvision.evaluation import compare, signature
from pzvision.game.events import Event, Gang, HandStart, Peng, Reveal, Win, format_event
from pzvision.game.settle import settle_log
from pzvision.live.edits import edit
from pzvision.table.corrections import Correction
from pzvision.tiles import SEATS


def hands_of(log: Sequence[Event]) -> list[list[Event]]:
    """The log cut before each ``hand_start``."""
    out: list[list[Event]] = []
    for event in log:
        if isinstance(event, HandStart) or not out:
            out.append([])
        out[-1].append(event)
    return out


def totals_of(hand: Sequence[Event]) -> dict[str, int] | None:
    """What a hand's log settles to by seat; None where it is refused."""
    try:
        results = settle_log([format_event(e) for e in hand])
    except PzvisionError:
        return None
    return {seat: results[0].totals[seat] for seat in SEATS} if len(results) == 1 else None


def mended(true: Sequence[Event], written: Sequence[Event], totals: Mapping[str, int]) -> bool:
    """Whether ``written`` settles to ``totals``, or does after one correction.

    Args:
        true: the true log of one hand. ``written``: the log of that hand as it was read.
        totals: by seat.
    """
    if totals_of(written) == totals:
        return True
    return any(totals_of(log) == totals for log in _corrected(true, written))


def _corrected(true: Sequence[Event], written: Sequence[Event]) -> Iterator[list[Event]]:
    """The log after each correction that the difference from the truth suggests."""
    if isinstance(true[0], HandStart) and isinstance(written[0], HandStart):
        yield [replace(written[0], dealer=true[0].dealer), *written[1:]]
    difference = compare(true, written)
    places = {id(event): k for k, event in enumerate(written, 1)}
    for wrong in difference.false:
        at = places[id(wrong)]
        yield from _try(written, Correction(kind="undo", event=at))
        for right in difference.missed:
            if abs((right.t or 0.0) - (wrong.t or 0.0)) < 5.0:
                for correction in _between(wrong, right, at):
                    yield from _try(written, correction)
    for k, event in enumerate(written, 1):  # a hand that was misread, or a kept tile, does not count as false
        for right in true:
            if signature(right) == signature(event) and right != event:
                for correction in _between(event, right, k):
                    yield from _try(written, correction)
    for right in difference.missed:
        later = [k for k, event in enumerate(written, 1) if (event.t or 0.0) > (right.t or 0.0)]
        record = replace(right, confidence=None)
        yield from _try(written, Correction(kind="insert", record=record, event=later[0] if later else None))


def _between(wrong: Event, right: Event, at: int) -> Iterator[Correction]:
    """The corrections that bring a record nearer to another."""
    a: Any = wrong
    b: Any = right
    tiles = getattr(b, "tile", None)
    if type(a) is type(b) and isinstance(tiles, int) and a.tile != tiles:
        yield Correction(kind="tile", event=at, tile=tiles)
    if type(a) is type(b) and getattr(a, "seat", None) != getattr(b, "seat", None):
        yield Correction(kind="owner", event=at, seat=b.seat)
    if isinstance(a, Win | Reveal) and type(a) is type(b) and b.hand is not None and a.hand != b.hand:
        yield Correction(kind="hand", event=at, tiles=b.hand)
    if isinstance(a, Gang | Peng) and isinstance(b, Gang):
        yield Correction(kind="gang_kind", event=at, gang=b.kind, kept=b.kept)
    if isinstance(a, Gang) and isinstance(b, Peng):
        yield Correction(kind="gang_kind", event=at, gang="peng")


def _try(log: Sequence[Event], correction: Correction) -> Iterator[list[Event]]:
    try:
        yield edit(log, correction)
    except PzvisionError:
        return
