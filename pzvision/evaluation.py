"""How near a log written from a recording comes to the true one.

Records of one kind are matched in order of time: the seat and what was done with which tile must be equal
and the times within a tolerance. A record of the truth nobody wrote is missed, a written one that matches
nothing is false.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pzvision.errors import PzvisionError
from pzvision.game.events import (
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    HandStart,
    Peng,
    Reveal,
    TailLamp,
    Win,
    format_event,
)
from pzvision.game.settle import settle_log
from pzvision.messages import say
from pzvision.tiles import Lang

TOLERANCE_S = 3.0


@dataclass(frozen=True)
class Score:
    """Counts of one kind: ``true`` records there are, ``written`` ones, ``right`` ones among both."""

    true: int
    written: int
    right: int

    @property
    def precision(self) -> float:
        """Share right of the written; 1 where nothing was written and nothing was true."""
        return self.right / self.written if self.written else float(self.true == 0)

    @property
    def recall(self) -> float:
        """Share right of the true; 1 where there are none."""
        return self.right / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both shares."""
        total = self.true + self.written
        return 2 * self.right / total if total else 1.0

    def __add__(self, other: Score) -> Score:
        return Score(self.true + other.true, self.written + other.written, self.right + other.right)


@dataclass(frozen=True)
class Comparison:
    """A log against the truth.

    Attributes:
        kinds: score per record type; ``missed``/``false``: the records themselves.
        delays: s, written − true time of each right record.
        settled: whether the totals of every hand are equal; None where the truth cannot be settled.
        totals: per hand, (true, written) totals by seat.
    """

    kinds: dict[str, Score]
    missed: tuple[Event, ...]
    false: tuple[Event, ...]
    delays: tuple[float, ...]
    settled: bool | None
    totals: tuple[tuple[dict[str, int], dict[str, int]], ...]

    @property
    def all(self) -> Score:
        """All kinds together."""
        return sum(self.kinds.values(), Score(0, 0, 0))

    def to_json(self) -> dict[str, Any]:
        """What `pzvision evaluate --json` prints."""

        def numbers(score: Score) -> dict[str, float]:
            return {
                "true": score.true,
                "written": score.written,
                "right": score.right,
                "precision": round(score.precision, 4),
                "recall": round(score.recall, 4),
                "f1": round(score.f1, 4),
            }

        return {
            "all": numbers(self.all),
            "kinds": {kind: numbers(score) for kind, score in self.kinds.items()},
            "settled": self.settled,
            "totals": [{"true": true, "written": written} for true, written in self.totals],
            "missed": [format_event(e) for e in self.missed],
            "false": [format_event(e) for e in self.false],
        }


def score_line(kind: str, score: Score, lang: Lang) -> str:
    """One kind's figures in words."""
    return say(
        "table.evaluate.head",
        lang,
        kind=kind,
        true=score.true,
        written=score.written,
        right=score.right,
        precision=score.precision,
        recall=score.recall,
        f1=score.f1,
    )


def signature(event: Event) -> tuple[object, ...]:
    """What must be equal for two records to be the same act."""
    match event:
        case Discard() | Peng():
            return event.type, event.seat, event.tile
        case Draw():
            return event.type, event.seat, event.tile
        case Gang():
            return event.type, event.seat, event.kind, event.tile
        case Win():
            return event.type, event.seat, event.by, event.tile
        case Reveal():
            return event.type, event.seat, event.hand
        case Declare():
            return event.type, event.seat, event.declaration
        case TailLamp():
            return event.type, event.tile
        case HandStart():
            return event.type, event.ruleset, event.dealer
        case _:
            return event.type, getattr(event, "seat", None)


def compare(truth: Sequence[Event], written: Sequence[Event], tolerance: float = TOLERANCE_S) -> Comparison:
    """Match two logs, up to ``tolerance`` s apart. Deals are left out: a camera cannot see them."""
    real = [e for e in truth if e.type != "deal"]
    seen = [e for e in written if e.type != "deal"]
    free = set(range(len(seen)))
    missed: list[Event] = []
    delays: list[float] = []
    right: dict[str, int] = {}
    for event in real:
        fits = [
            (abs(_time(seen[i]) - _time(event)), i)
            for i in free
            if signature(seen[i]) == signature(event) and abs(_time(seen[i]) - _time(event)) <= tolerance
        ]
        if fits:
            _, index = min(fits)
            free.discard(index)
            right[event.type] = right.get(event.type, 0) + 1
            delays.append(_time(seen[index]) - _time(event))
        else:
            missed.append(event)
    kinds = {
        kind: Score(_count(real, kind), _count(seen, kind), right.get(kind, 0))
        for kind in sorted({e.type for e in (*real, *seen)})
    }
    settled, totals = _settle(truth, written)
    return Comparison(
        kinds, tuple(missed), tuple(seen[i] for i in sorted(free)), tuple(delays), settled, totals
    )


def _time(event: Event) -> float:
    return event.t if event.t is not None else 0.0


def _count(events: Iterable[Event], kind: str) -> int:
    return sum(1 for e in events if e.type == kind)


def _settle(
    truth: Sequence[Event], written: Sequence[Event]
) -> tuple[bool | None, tuple[tuple[dict[str, int], dict[str, int]], ...]]:
    real = _totals(truth)
    seen = _totals(written)
    if not real:
        return None, ()
    pairs = tuple((a, seen[i] if i < len(seen) else {}) for i, a in enumerate(real))
    return len(real) == len(seen) and all(a == b for a, b in pairs), pairs


def _totals(events: Sequence[Event]) -> list[dict[str, int]]:
    """Totals of every hand; none where the log is refused, as `pzvision settle` refuses it."""
    try:
        return [
            {str(k): v for k, v in r.totals.items()} for r in settle_log([format_event(e) for e in events])
        ]
    except PzvisionError:
        return []
