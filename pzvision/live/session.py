"""An evening as a fold over its log: the state after every record, and what was said about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeAlias

from pzvision.game import Event, HandResult, HandStart, State, apply, next_dealer, start
from pzvision.live.announcement import Announcement
from pzvision.live.announcer import Memory, announce
from pzvision.live.packed import Packed
from pzvision.live.places import Places
from pzvision.tiles import SEATS, Seat

_WHOLE_HANDS: Final = 3  # the running one and two before: those a camera or a person still changes
_WHOLE_SAID: Final = 100  # announcements, more than a page shows

_Spoken: TypeAlias = tuple[Announcement, int | None, bool]
"""With its ``seq``; True: taken back."""
Amounts: TypeAlias = tuple[int, int, int, int]
"""Of E S W N."""


@dataclass(frozen=True)
class Change:
    """What an update gave reason to say: ``said`` is new, ``taken_back`` was said and does not hold."""

    said: tuple[Announcement, ...] = ()
    taken_back: tuple[Announcement, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """After one record."""

    event: Event
    state: State | None
    memory: Memory
    before_hand: Amounts  # what the finished hands brought
    said: tuple[Announcement, ...]
    places: Places

    @property
    def after(self) -> Amounts:
        """What all hands have brought."""
        return _sum(self.before_hand, (0, 0, 0, 0) if self.state is None else self.state.totals)


@dataclass(frozen=True, slots=True)
class _OldHand:
    """A hand long over, or what came before the first one.

    ``first``: index of its first record. ``number``: from 1; 0 for what came before. ``after``: what all
    hands had brought when it was over.
    """

    first: int
    records: Packed[Event]
    number: int
    after: Amounts

    @property
    def end(self) -> int:
        """Index of the record after its last."""
        return self.first + len(self.records)

    def last_state(self) -> State | None:
        """Its last state, worked out from its records."""
        state: State | None = None
        for line, event in enumerate(self.records, self.first + 1):
            if isinstance(event, HandStart):
                state = start(event, line)
            elif state is not None:
                state = apply(state, event, line)
        return state


def _sum(a: Amounts, b: Amounts) -> Amounts:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


class Session:
    """The log, the state after each record, and the announcements made about it.

    Of hands long over only the records are kept, compressed; everything else is worked out again from them
    when somebody asks for it or changes one of those. So an evening costs little more than its log.
    """

    def __init__(self) -> None:
        self._old: list[_OldHand] = []
        self._steps: list[_Step] = []  # what came after them; never empty where there are any
        self._said_before: list[Packed[_Spoken]] = []
        self._spoken: list[_Spoken] = []  # the newest

    # -- what is known

    @property
    def log(self) -> list[Event]:
        """All records. Those of hands long over are unpacked for it: ask `length`, `record` or `since` where
        they will do."""
        return self.since(0)

    @property
    def length(self) -> int:
        """Number of records."""
        return self._whole_from + len(self._steps)

    def since(self, index: int) -> list[Event]:
        """The records from this index (0-based) on."""
        old = [
            e for hand in self._old if hand.end > index for e in hand.records[max(0, index - hand.first) :]
        ]
        return old + [step.event for step in self._steps[max(0, index - self._whole_from) :]]

    def record(self, index: int) -> Event:
        """One record, 0-based. Raises `IndexError` where there is none."""
        if not 0 <= index < self.length:
            raise IndexError(f"record {index}: expected 0..{self.length - 1}")
        if index >= self._whole_from:
            return self._steps[index - self._whole_from].event
        hand = next(hand for hand in self._old if hand.end > index)
        return hand.records[index - hand.first]

    @property
    def recent(self) -> list[Event]:
        """The records of the running hand and those just before it."""
        return [step.event for step in self._steps]

    @property
    def state(self) -> State | None:
        """The table now; None before the first hand."""
        return self._steps[-1].state if self._steps else None

    @property
    def hand(self) -> int:
        """Number of the hand, from 1; 0 before the first."""
        return self._steps[-1].memory.hand if self._steps else 0

    def hand_of(self, index: int) -> int:
        """Number of the hand that a record (0-based) belongs to; 0 before the first."""
        if index >= self._whole_from:
            return self._steps[index - self._whole_from].memory.hand
        return next((hand.number for hand in self._old if hand.end > index >= 0), 0)

    @property
    def totals(self) -> dict[Seat, int]:
        """What each player has won or lost over all hands, in amounts."""
        return dict(zip(SEATS, self._steps[-1].after if self._steps else (0, 0, 0, 0), strict=True))

    @property
    def places(self) -> Places:
        """Which record put each lying tile where it lies."""
        return self._steps[-1].places if self._steps else Places()

    @property
    def final_states(self) -> list[State]:
        """The last state of each hand."""
        return [state for _, state, _ in self._finals(1)]

    def _finals(self, first: int) -> Iterator[tuple[int, State, Amounts]]:
        """Of each hand from number ``first`` on: its number, its last state, the evening's totals then."""
        for hand in self._old:
            state = hand.last_state() if hand.number >= first else None
            if state is not None:
                yield hand.number, state, hand.after
        for i, step in enumerate(self._steps):
            last = i + 1 == len(self._steps) or isinstance(self._steps[i + 1].event, HandStart)
            if last and step.state is not None and step.memory.hand >= first:
                yield step.memory.hand, step.state, step.after

    def time_of(self, line: int) -> float | None:
        """Seconds of the record with this 1-based line number."""
        return self.record(line - 1).t if 0 < line <= self.length else None

    def announcement_records(self, newest: int | None = None) -> list[dict[str, Any]]:
        """The ``newest`` things said (None: everything), oldest first, with ``seq`` and ``retracted``."""
        spoken = self._spoken
        for packed in reversed(self._said_before):
            if newest is not None and len(spoken) >= newest:
                break
            spoken = [*packed, *spoken]
        shown = spoken if newest is None else spoken[-newest:]
        return [{**item.to_record(), "seq": seq, "retracted": gone} for item, seq, gone in shown]

    # -- what changes it

    def update(self, keep: int, events: Sequence[Event]) -> Change:
        """The log is now its first ``keep`` records and then ``events``.

        Raises:
            ValueError: ``keep`` is not within the log.
            FormatError: an unknown ruleset in a ``hand_start``.
        """
        if not 0 <= keep <= self.length:
            raise ValueError(f"keep: expected 0..{self.length}, got {keep}")
        before = self._old, self._steps
        try:
            self._open(keep)
            at = keep - self._whole_from
            old = [item for step in self._steps[at:] for item in step.said]
            self._steps = self._steps[:at]
            for event in events:
                self._append(event)
        except BaseException:
            self._old, self._steps = before  # all or nothing
            raise
        new = [item for step in self._steps[at:] for item in step.said]
        self._pack()
        # A sentence that stood in the old part and stands in the new one was said already.
        held = Counter(item.key for item in old)
        said: list[Announcement] = []
        for item in new:
            if held[item.key] > 0:
                held[item.key] -= 1
            else:
                said.append(item)
        taken: list[Announcement] = []
        for item in reversed(old):
            if held[item.key] > 0:
                held[item.key] -= 1
                taken.append(item)
        taken.reverse()
        return Change(tuple(said), tuple(taken))

    def hand_records(self, first: int = 1) -> dict[int, dict[str, Any]]:
        """Of each hand from number ``first`` on that is over: what ``settle --json`` prints, and the
        evening's totals after it."""
        return {
            number: {
                "type": "hand",
                **HandResult(number, state, next_dealer(state)).to_json(),
                "session_totals": dict(zip(SEATS, after, strict=True)),
            }
            for number, state, after in self._finals(first)
            if state.phase == "end"
        }

    def restore(self, log: Sequence[Event], said: Sequence[Mapping[str, Any]]) -> None:
        """The log of an earlier run and the announcements it made, as in the stream; what was not said yet
        counts as said.

        Raises `ValueError` when there is a log already.
        """
        if self.length:
            raise ValueError("restore: expected a session without records")
        made: dict[str, list[Announcement]] = {}
        for event in log:
            self._append(event)
            for item in self._steps[-1].said:
                made.setdefault(item.zh, []).append(item)
            if isinstance(event, HandStart):
                self._pack()
        spoken: list[_Spoken] = []
        places: dict[int | None, int] = {}
        for record in said:
            at = places.get(record.get("retracts"))
            if at is not None:
                spoken[at] = (*spoken[at][:2], True)
            if record.get("retracts") is not None:
                continue
            same = made.get(record["zh"])
            item = same.pop(0) if same else Announcement.of_record(record)
            if record.get("seq") is not None:
                places[record["seq"]] = len(spoken)
            spoken.append((item, record.get("seq"), False))
        self._spoken = spoken
        self._pack_said()

    def spoken(self, item: Announcement, seq: int | None = None) -> None:
        """Note that an announcement went out, under this ``seq``."""
        self._spoken.append((item, seq, False))
        self._pack_said()

    def retract(self, item: Announcement) -> int | None:
        """Mark the newest such announcement as taken back; returns its ``seq``."""
        at = _newest(self._spoken, item)
        if at is not None:
            self._spoken[at] = (*self._spoken[at][:2], True)
            return self._spoken[at][1]
        for i in range(len(self._said_before) - 1, -1, -1):
            held = list(self._said_before[i])
            at = _newest(held, item)
            if at is not None:
                held[at] = (*held[at][:2], True)
                self._said_before[i] = Packed(held)
                return held[at][1]
        return None

    # -- hands long over

    @property
    def _whole_from(self) -> int:
        """Index of the first record that is not packed away."""
        return self._old[-1].end if self._old else 0

    def _open(self, keep: int) -> None:
        """Have every state from the record before ``keep`` on."""
        first = len(self._old)
        while first > 0 and self._old[first - 1].end >= keep:
            first -= 1
        opened, whole = self._old[first:], self._steps
        self._old, self._steps = self._old[:first], []
        for hand in opened:
            for event in hand.records:
                self._append(event)
        self._steps = self._steps + whole

    def _pack(self) -> None:
        """Pack away hands long over."""
        starts = [i for i, step in enumerate(self._steps) if isinstance(step.event, HandStart)]
        if len(starts) <= _WHOLE_HANDS:
            return
        kept = starts[-_WHOLE_HANDS]
        first = self._whole_from
        bounds = sorted({0, *starts[: -_WHOLE_HANDS + 1]})
        packed = []
        for a, b in pairwise(bounds):
            records = Packed(step.event for step in self._steps[a:b])
            last = self._steps[b - 1]
            packed.append(_OldHand(first + a, records, last.memory.hand, last.after))
        self._old, self._steps = self._old + packed, self._steps[kept:]

    def _pack_said(self) -> None:
        while len(self._spoken) >= 2 * _WHOLE_SAID:
            self._said_before.append(Packed(self._spoken[:_WHOLE_SAID]))
            self._spoken = self._spoken[_WHOLE_SAID:]

    def _append(self, event: Event) -> None:
        line = self.length + 1
        state: State | None
        base: Amounts = (0, 0, 0, 0)
        if self._steps:
            last = self._steps[-1]
            before, memory, places = last.state, last.memory, last.places
            base = last.after if isinstance(event, HandStart) else last.before_hand
        else:  # a hand begins, after those packed away
            before, memory, places = None, Memory(self._old[-1].number if self._old else 0), Places()
            base = self._old[-1].after if self._old else base
        if isinstance(event, HandStart):
            state = start(event, line)
        elif before is None:
            state = None  # records before the first hand belong to no game
        else:
            state = apply(before, event, line)
        said: list[Announcement] = []
        if state is not None:
            said, memory = announce(before, event, state, memory)
            places = places.after(None if isinstance(event, HandStart) else before, state, line - 1)
        self._steps.append(_Step(event, state, memory, base, tuple(said), places))


def _newest(spoken: Sequence[_Spoken], item: Announcement) -> int | None:
    """Where the newest such announcement is that was not taken back."""
    for i in range(len(spoken) - 1, -1, -1):
        said, _, gone = spoken[i]
        if said.key == item.key and not gone:
            return i
    return None
