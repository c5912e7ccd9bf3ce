"""From changes of the log to everybody who wants to know: the log file, the page's stream, the terminal.

Most things are said at once. A few wait a little, because the next looks may well settle them: a win whose
hand has just been laid down, a record that does not add up, a doubtful tile, and taking back what was said.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from math import inf
from typing import Any, Final, TypeAlias

from pzvision.game import Discard, Event, HandEnd, format_event
from pzvision.live.announcement import Announcement, Correction
from pzvision.live.announcer import doubt_announcement
from pzvision.live.hub import Hub
from pzvision.live.logfile import LogFile
from pzvision.live.session import Session
from pzvision.table.doubts import Doubt

Said: TypeAlias = Announcement | Correction

_FOLLOW_WINS: Final = ("settlement", "dealer")  # never told before the win they follow from


@dataclass(frozen=True)
class TellerConfig:
    """What waits how long.

    Attributes:
        doubt_s: seconds a doubt must last, or a record that does not add up, before it is said.
        breach_s: seconds a breach of the rules must stand in the log before it is said: nobody is blamed for
            a tile that was misread for a moment.
        unread_s: seconds a laid-down hand may take to be read before its win is said without a score.
        win_s: seconds a win must stand in the log before it and its money are said: the hand has just been
            laid down, and its last tiles may not lie still or be read yet;
        win_still_s: but no longer than till so many seconds after the win.
        retract_s: seconds until something said is taken back; said again within them, nothing is said of it.
        dealer_s: seconds after the first discard until a dealer nobody told is held for sure.
    """

    doubt_s: float = 2.0
    breach_s: float = 2.0
    unread_s: float = 3.0
    win_s: float = 0.75
    win_still_s: float = 2.5
    retract_s: float = 1.0
    dealer_s: float = 15.0


class Teller:
    """Keeps the session and tells its changes.

    Args:
        hub: for the page, or None.
        log_file: or None.
        on_said: called with each announcement and correction.
        on_records: called with the records that fell away and those that came, before what is said of them.
        dealer_known: whether the dealer of the first hand was told; else his announcement waits.
    """

    def __init__(
        self,
        *,
        hub: Hub | None = None,
        log_file: LogFile | None = None,
        on_said: Callable[[Said], None] | None = None,
        on_records: Callable[[Sequence[Event], Sequence[Event]], None] | None = None,
        dealer_known: bool = True,
        config: TellerConfig | None = None,
    ) -> None:
        self.session = Session()
        self._config = config or TellerConfig()
        self._hub = hub
        self._log_file = log_file
        self._on_said = on_said
        self._on_records = on_records
        self._dealer_known = dealer_known
        self._held: list[tuple[float, Said]] = []  # with the time to say it
        self._doubts: dict[tuple[object, ...], float] = {}  # with the time it came up
        self._doubted: set[tuple[object, ...]] = set()
        self.told = 0
        """Grows with everything told."""
        self._hands: dict[int, bytes] = {}  # the money of finished hands as told

    def change(self, keep: int, events: Sequence[Event], now: float, *, at_once: bool = False) -> None:
        """The log is now its first ``keep`` records and then ``events``; ``now``: s in the source.

        ``at_once``: a person says so, and nothing waits.
        """
        self.told += 1
        length = self.session.length
        fallen = self.session.since(keep)
        change = self.session.update(keep, events)
        if self._log_file is not None:
            self._log_file.update(self.session.log, keep)
        out: list[Said] = []
        for item in change.taken_back:
            if not self._drop(item):
                self._hold(Correction(item), now, 0.0 if at_once else self._config.retract_s, out)
        for item in change.said:
            if not self._drop(Correction(item)):
                self._hold(item, now, self._patience(item, now, at_once), out)
        if any(isinstance(event, HandEnd) for event in events):
            # A dealer still unsure when the recording ends stays unsaid.
            dealers = [item for when, item in self._held if when == inf]
            self._held = [pair for pair in self._held if pair[0] < inf]
            out[:0] = [item for item in dealers if not self._dealer_unsure(item, now)]
        if self._on_records is not None:
            self._on_records(fallen, events)
        if self._hub is not None:
            if keep < length:
                self._hub.publish({"type": "rewrite", "keep": keep})
            for event in events:
                self._hub.publish(format_event(event))
        self._say(out)
        if any(isinstance(event, HandEnd) for event in (*fallen, *events)):
            self._tell_hands(self.session.hand_of(keep - 1))

    def _tell_hands(self, first: int) -> None:
        """Tell the money of finished hands from number ``first`` on where it is new or has changed."""
        for hand, record in self.session.hand_records(first).items():
            if self._hands.get(hand) != _money(record):
                self._hands[hand] = _money(record)
                self.tell(record)

    def remark(self, item: Announcement) -> None:
        """Say something that follows from no record."""
        self._say([item])

    def batch(self) -> AbstractContextManager[None]:
        """Everything told inside is seen on the page at once."""
        return nullcontext() if self._hub is None else self._hub.batch()

    def tell(self, record: Mapping[str, Any]) -> int | None:
        """Tell the page a record of another kind; returns its ``seq``."""
        self.told += 1
        return None if self._hub is None else self._hub.publish(record)

    def restore(self, log: Sequence[Event], said: Sequence[Mapping[str, Any]]) -> None:
        """Go on after an earlier run that had told ``log`` and ``said`` (announcements as in the stream)."""
        self.session.restore(log, said)
        self._dealer_known = self._dealer_known or bool(log)
        self._hands = {hand: _money(record) for hand, record in self.session.hand_records().items()}
        if self._log_file is not None and log:
            self._log_file.update(self.session.log, 0)

    def say_held(self, now: float, doubts: Sequence[Doubt], offset: int) -> bool:
        """Say what by ``now``, s, has waited long enough; True when something was said.

        ``doubts``: those of the reader now; ``offset``: records before the reader's log.
        """
        self._held = [
            (now if when == inf and not self._dealer_unsure(item, now) else when, item)
            for when, item in self._held
        ]
        due = self._release(now)
        self._forget_doubts()
        for doubt in doubts:
            event = self.session.record(offset + doubt.event)
            about: tuple[object, ...] = (doubt.id,) if doubt.id else (event.type, doubt.seat, doubt.tiles)
            key = (self.session.hand, *about)
            first = self._doubts.setdefault(key, now)
            if key not in self._doubted and first + self._config.doubt_s <= now:
                self._doubted.add(key)
                due.append(doubt_announcement(event, doubt.tiles, doubt.readings))
        self._say(due)
        return bool(due)

    def _release(self, now: float) -> list[Said]:
        """What was kept back till ``now``, a win before what follows from it."""
        stays = self._win_due() > now
        first: list[Said] = []
        second: list[Said] = []
        for when, item in list(self._held):
            follows = isinstance(item, Announcement) and item.kind in _FOLLOW_WINS
            if when <= now and not (follows and stays):
                self._held.remove((when, item))
                (second if follows else first).append(item)
        return first + second

    def _forget_doubts(self) -> None:
        """Of hands long over: nobody doubts what was seen in them any more."""
        kept = (self.session.hand, self.session.hand - 1)
        if any(key[0] not in kept for key in self._doubts):
            self._doubts = {key: since for key, since in self._doubts.items() if key[0] in kept}
            self._doubted = {key for key in self._doubted if key[0] in kept}

    def finish(self) -> None:
        """The source is over: the log file is complete."""
        if self._log_file is not None:
            self._log_file.update(self.session.log, len(self.session.log))
            self._log_file.close()

    def _hold(self, item: Said, now: float, wait: float, out: list[Said]) -> None:
        """Keep it back for ``wait`` s, or say it with ``out``."""
        if wait > 0:
            self._held.append((now + wait, item))
        else:
            out.append(item)

    def _drop(self, item: Said) -> bool:
        """Forget what is kept back if it is the same as this; False: it is not kept back."""
        for at, (_, held) in enumerate(self._held):
            if type(held) is type(item) and _key(held) == _key(item):
                del self._held[at]
                return True
        return False

    def _dealer_unsure(self, item: Said, now: float) -> bool:
        """Whether this names the dealer of the first hand, only the look of its first acts says so."""
        if self._dealer_known or not isinstance(item, Announcement) or item.kind != "dealer":
            return False
        for event in self.session.log:
            if isinstance(event, Discard):
                return event.t is not None and now < event.t + self._config.dealer_s
        return True

    def _win_due(self) -> float:
        """When the last win that is kept back will be said; −inf where none is."""
        wins = (when for when, held in self._held if isinstance(held, Announcement) and held.kind == "win")
        return max(wins, default=-inf)

    def _patience(self, item: Announcement, now: float, at_once: bool) -> float:
        """How many s it waits."""
        if self._dealer_unsure(item, now):
            return inf
        if at_once:
            return 0.0
        config = self._config
        if item.kind == "win":
            still = config.win_s if item.t is None else item.t + config.win_still_s - now
            return config.unread_s if item.fan is None else min(config.win_s, still)
        if item.kind in _FOLLOW_WINS:
            return max(0.0, self._win_due() - now)
        waits = {"uncertain": config.doubt_s, "violation": config.breach_s}
        return waits.get(item.kind, 0.0)

    def _say(self, items: Sequence[Said]) -> None:
        for item in items:
            record = item.to_record()
            if isinstance(item, Correction):
                self.tell({**record, "retracts": self.session.retract(item.of)})
            else:
                self.session.spoken(item, self.tell(record))
            if self._on_said is not None:
                self._on_said(item)


def _key(item: Said) -> tuple[object, ...]:
    return item.of.key if isinstance(item, Correction) else item.key


def _money(record: Mapping[str, Any]) -> bytes:
    """What must differ for a hand to be told again, as a digest."""
    told = [record[name] for name in ("ledger", "totals", "next_dealer", "violations")]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).digest()
