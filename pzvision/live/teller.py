"""From changes of the log to everybody who wants to know: the log file, the page's stream, the terminal.

Most things are said at once. A few wait a little, because the next looks may well settle them: a win whose
hand is still being laid down, a record that does not add up, a doubtful tile.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeAlias

from pzvision.game import Discard, Event, HandEnd, format_event
from pzvision.live.announcement import Announcement, Correction
from pzvision.live.announcer import doubt_announcement
from pzvision.live.hub import Hub
from pzvision.live.logfile import LogFile
from pzvision.live.session import Session
from pzvision.table.doubts import Doubt

Said: TypeAlias = Announcement | Correction


@dataclass(frozen=True)
class TellerConfig:
    """What waits how long.

    Attributes:
        doubt_s: seconds a doubt must last, or a record that does not add up, before it is said.
        breach_s: seconds a breach of the rules must stand in the log before it is said: nobody is blamed for
            a tile that was misread for a moment.
        unread_s: seconds a laid-down hand may take to be read before its win is said without a score.
        dealer_s: seconds after the first discard until a dealer nobody told is held for sure.
    """

    doubt_s: float = 2.0
    breach_s: float = 2.0
    unread_s: float = 3.0
    dealer_s: float = 5.0


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
        self._held: list[tuple[float, Announcement]] = []  # with the time to say it
        self._doubts: dict[tuple[object, ...], float] = {}  # with the time it came up
        self._doubted: set[tuple[object, ...]] = set()
        self.told = 0
        """Grows with everything told."""
        self._hands: dict[int, bytes] = {}  # the money of finished hands as told

    def change(self, keep: int, events: Sequence[Event], now: float) -> None:
        """The log is now its first ``keep`` records and then ``events``; ``now``: s in the source."""
        self.told += 1
        length = self.session.length
        fallen = self.session.since(keep)
        change = self.session.update(keep, events)
        if self._log_file is not None:
            self._log_file.update(self.session.log, keep)
        out: list[Said] = []
        for item in change.taken_back:
            held = next((pair for pair in self._held if pair[1].key == item.key), None)
            if held is not None:
                self._held.remove(held)
            else:
                out.append(Correction(item))
        for item in change.said:
            wait = self._patience(item)
            if self._dealer_unsure(item, now):
                self._held.append((float("inf"), item))
            elif wait > 0:
                self._held.append((now + wait, item))
            else:
                out.append(item)
        if any(isinstance(event, HandEnd) for event in events):
            # A dealer still unsure when the recording ends stays unsaid.
            held_dealers = [item for _, item in self._held if item.kind == "dealer"]
            self._held = [pair for pair in self._held if pair[1].kind != "dealer"]
            out[:0] = [item for item in held_dealers if not self._dealer_unsure(item, now)]
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
        """Say what has waited long enough; True when something was said.

        ``doubts``: those of the reader now; ``offset``: records before the reader's log.
        """
        self._held = [
            (now if item.kind == "dealer" and not self._dealer_unsure(item, now) else when, item)
            for when, item in self._held
        ]
        due: list[Said] = [item for when, item in self._held if when <= now]
        self._forget_doubts()
        self._held = [pair for pair in self._held if pair[0] > now]
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

    def _dealer_unsure(self, item: Announcement, now: float) -> bool:
        """Whether this names the dealer of the first hand, only the look of its first acts says so."""
        if self._dealer_known or item.kind != "dealer":
            return False
        for event in self.session.log:
            if isinstance(event, Discard):
                return event.t is not None and now < event.t + self._config.dealer_s
        return True

    def _patience(self, item: Announcement) -> float:
        if item.kind == "win" and item.fan is None:
            return self._config.unread_s
        waits = {"uncertain": self._config.doubt_s, "violation": self._config.breach_s}
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


def _money(record: Mapping[str, Any]) -> bytes:
    """What must differ for a hand to be told again, as a digest."""
    told = [record[name] for name in ("ledger", "totals", "next_dealer", "violations")]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).digest()
