"""Settling a log: every hand folded, checked and paid (S0 §1.1–1.4, S1 特色, S2 §1, S3 四 and 查叫)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pzvision.errors import FormatError, PzvisionError
from pzvision.game.events import HandEnd, HandStart, LogLine, parse_event, read_log
from pzvision.game.fold import apply, start
from pzvision.game.money import next_dealer
from pzvision.game.state import State
from pzvision.tiles import SEATS, Seat


@dataclass(frozen=True, slots=True)
class HandResult:
    """One settled hand: its number in the log (from 1), the state at its end, and who deals next."""

    number: int
    state: State
    next_dealer: Seat

    @property
    def totals(self) -> dict[Seat, int]:
        """Amount won or lost by seat."""
        return {seat: self.state.total(seat) for seat in SEATS}

    def to_json(self) -> dict[str, Any]:
        """The object `pzvision settle --json` prints for the hand."""
        return {
            "hand": self.number,
            "ruleset": self.state.ruleset.id,
            "ledger": [
                {
                    "event": p.event,
                    "kind": p.kind,
                    "from": p.source,
                    "to": p.target,
                    "fan": p.fan,
                    "amount": p.amount,
                    "why": p.why,
                }
                for p in self.state.ledger
            ],
            "totals": self.totals,
            "violations": [
                {"event": v.event, "kind": v.kind, "seat": v.seat}
                for v in sorted(self.state.violations, key=lambda v: v.event)
            ],
            "next_dealer": self.next_dealer,
        }


def fold_log(lines: Iterable[LogLine], *, lenient: bool = False) -> Iterator[State]:
    """The last state of each hand. Raises `PzvisionError` naming the line of the first record that cannot be
    true, unless ``lenient``; a bad ruleset or option, or a record before any ``hand_start``, always raises.
    """
    state: State | None = None
    for entry in lines:
        event = entry.event
        if isinstance(event, HandStart):
            if state is not None:
                yield _cut(state)
            try:
                state = start(event, entry.line)
            except FormatError as error:
                raise FormatError(f"line {entry.line}: hand_start: {error}", field=error.field) from None
            continue
        if state is None:
            raise FormatError(
                f"line {entry.line}: {event.type}: type {event.type!r}: expected hand_start first",
                field="type",
            )
        state = apply(state, event, entry.line)
        if state.problems and not lenient:
            raise PzvisionError(str(state.problems[0]))
        if isinstance(event, HandEnd):
            yield state
            state = None
    if state is not None:
        yield _cut(state)


def _cut(state: State) -> State:
    """A hand whose ``hand_end`` was not recorded."""
    new = state.copy()
    new.cut = True
    return new


def settle_log(records: Iterable[Mapping[str, Any] | str], *, lenient: bool = False) -> list[HandResult]:
    """Settle a whole log, given as its lines of text or as parsed records (numbered from 1).

    Raises `PzvisionError` with one line naming line, record, field and value for anything that cannot be
    used; nothing is settled then. ``lenient`` goes on past records that cannot be true beside the others.
    """

    def lines() -> Iterator[LogLine]:
        for number, record in enumerate(records, 1):
            if isinstance(record, str):
                for parsed in read_log([record]):
                    yield LogLine(number, parsed.event)
                continue
            try:
                yield LogLine(number, parse_event(record))
            except FormatError as error:
                raise FormatError(f"line {number}: {error}", field=error.field) from None

    return [
        HandResult(number, state, next_dealer(state))
        for number, state in enumerate(fold_log(lines(), lenient=lenient), 1)
    ]


def settle_text(text: str, *, lenient: bool = False) -> list[HandResult]:
    """Settle a log given as the text of its file. Raises as `settle_log`."""
    return [
        HandResult(number, state, next_dealer(state))
        for number, state in enumerate(fold_log(read_log(text.split("\n")), lenient=lenient), 1)
    ]
