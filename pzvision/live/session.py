"""An evening as a fold over its log: the state after every record, and what was said about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pzvision.game import Event, HandResult, HandStart, State, apply, next_dealer, start
from pzvision.live.announcement import Announcement
from pzvision.live.announcer import Memory, announce
from pzvision.live.places import Places
from pzvision.tiles import SEATS, Seat

_WHOLE_HANDS: Final = 3  # the running one and two before: those a camera or a person still changes
_NOTHING: Final = Memory()
_NOWHERE: Final = Places()


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
    before_hand: tuple[int, int, int, int]  # what the finished hands brought, E S W N
    said: tuple[Announcement, ...]
    places: Places
    bare: bool = False  # the state is left out, see `Session`


class Session:
    """The log, the state after each record, and the announcements made about it.

    Of hands long over only the state after the last record is kept; the others are worked out again from the
    hand's records when somebody changes one of those. So an evening costs little more than its log.
    """

    def __init__(self) -> None:
        self._steps: list[_Step] = []
        self._spoken: list[tuple[Announcement, int | None, bool]] = []  # with seq; True: taken back

    # -- what is known

    @property
    def log(self) -> list[Event]:
        """All records."""
        return [step.event for step in self._steps]

    @property
    def state(self) -> State | None:
        """The table now; None before the first hand."""
        return self._steps[-1].state if self._steps else None

    @property
    def hand(self) -> int:
        """Number of the hand, from 1; 0 before the first."""
        return self._steps[-1].memory.hand if self._steps else 0

    @property
    def totals(self) -> dict[Seat, int]:
        """What each player has won or lost over all hands, in amounts."""
        if not self._steps:
            return dict.fromkeys(SEATS, 0)
        last = self._steps[-1]
        now = last.state.totals if last.state is not None else (0, 0, 0, 0)
        return {seat: last.before_hand[i] + now[i] for i, seat in enumerate(SEATS)}

    @property
    def places(self) -> Places:
        """Which record put each lying tile where it lies."""
        return self._steps[-1].places if self._steps else Places()

    @property
    def final_states(self) -> list[State]:
        """The last state of each hand."""
        out: list[State] = []
        for i, step in enumerate(self._steps):
            following = self._steps[i + 1].event if i + 1 < len(self._steps) else None
            if step.state is not None and (following is None or isinstance(following, HandStart)):
                out.append(step.state)
        return out

    def time_of(self, line: int) -> float | None:
        """Seconds of the record with this 1-based line number."""
        return self._steps[line - 1].event.t if 0 < line <= len(self._steps) else None

    def announcement_records(self, newest: int | None = None) -> list[dict[str, Any]]:
        """The ``newest`` things said (None: everything), oldest first, with ``seq`` and ``retracted``."""
        spoken = self._spoken if newest is None else self._spoken[-newest:]
        return [{**item.to_record(), "seq": seq, "retracted": gone} for item, seq, gone in spoken]

    # -- what changes it

    def update(self, keep: int, events: Sequence[Event]) -> Change:
        """The log is now its first ``keep`` records and then ``events``.

        Raises:
            ValueError: ``keep`` is not within the log.
            FormatError: an unknown ruleset in a ``hand_start``.
        """
        if not 0 <= keep <= len(self._steps):
            raise ValueError(f"keep: expected 0..{len(self._steps)}, got {keep}")
        before = self._steps
        old = [item for step in before[keep:] for item in step.said]
        self._steps = before[:keep]
        try:
            self._work_out()
            for event in events:
                self._append(event)
        except BaseException:
            self._steps = before  # all or nothing
            raise
        self._lay_bare()
        new = [item for step in self._steps[keep:] for item in step.said]
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

    def hand_records(self) -> dict[int, dict[str, Any]]:
        """Of each hand that is over: what ``settle --json`` prints, and the evening's totals after it."""
        out: dict[int, dict[str, Any]] = {}
        sums = dict.fromkeys(SEATS, 0)
        for number, state in enumerate(self.final_states, 1):
            for seat in SEATS:
                sums[seat] += state.total(seat)
            if state.phase == "end":
                result = HandResult(number, state, next_dealer(state)).to_json()
                out[number] = {"type": "hand", **result, "session_totals": dict(sums)}
        return out

    def restore(self, log: Sequence[Event], said: Sequence[Mapping[str, Any]]) -> None:
        """The log of an earlier run and the announcements it made, as in the stream; what was not said yet
        counts as said.

        Raises `ValueError` when there is a log already.
        """
        if self._steps:
            raise ValueError("restore: expected a session without records")
        for event in log:
            self._append(event)
        self._lay_bare()
        made: dict[str, list[Announcement]] = {}
        for step in self._steps:
            for item in step.said:
                made.setdefault(item.zh, []).append(item)
        for record in said:
            taken = record.get("retracts")
            if taken is not None:
                self._spoken = [(i, s, gone or s == taken) for i, s, gone in self._spoken]
                continue
            same = made.get(record["zh"])
            item = same.pop(0) if same else Announcement.of_record(record)
            self._spoken.append((item, record.get("seq"), False))

    def spoken(self, item: Announcement, seq: int | None = None) -> None:
        """Note that an announcement went out, under this ``seq``."""
        self._spoken.append((item, seq, False))

    def retract(self, item: Announcement) -> int | None:
        """Mark the newest such announcement as taken back; returns its ``seq``."""
        for i in range(len(self._spoken) - 1, -1, -1):
            said, seq, gone = self._spoken[i]
            if said.key == item.key and not gone:
                self._spoken[i] = (said, seq, True)
                return seq
        return None

    def _work_out(self) -> None:
        """Have the state after the last record, which may be one of a hand long over."""
        if not self._steps or not self._steps[-1].bare:
            return
        first = len(self._steps) - 1
        while not isinstance(self._steps[first].event, HandStart):
            first -= 1
        again = [step.event for step in self._steps[first:]]
        self._steps = self._steps[:first]
        for event in again:
            self._append(event)

    def _lay_bare(self) -> None:
        """Leave out the states within hands long over."""
        starts = 0
        for i in range(len(self._steps) - 1, -1, -1):
            step = self._steps[i]
            inner = i + 1 < len(self._steps) and not isinstance(self._steps[i + 1].event, HandStart)
            if starts >= _WHOLE_HANDS and inner and step.state is not None:
                if step.bare:
                    return  # what came before was laid bare earlier
                self._steps[i] = replace(step, state=None, memory=_NOTHING, places=_NOWHERE, bare=True)
            starts += isinstance(step.event, HandStart)

    def _append(self, event: Event) -> None:
        line = len(self._steps) + 1
        last = self._steps[-1] if self._steps else None
        before = last.state if last else None
        base = last.before_hand if last else (0, 0, 0, 0)
        memory = last.memory if last else Memory()
        places = last.places if last else Places()
        if isinstance(event, HandStart):
            if before is not None:
                a, b = base, before.totals
                base = (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])
            state: State | None = start(event, line)
        elif before is None:
            state = None  # records before the first hand belong to no game
        else:
            state = apply(before, event, line)
        said: list[Announcement] = []
        if state is not None:
            said, memory = announce(before, event, state, memory)
            places = places.after(None if isinstance(event, HandStart) else before, state, line - 1)
        self._steps.append(_Step(event, state, memory, base, tuple(said), places))
