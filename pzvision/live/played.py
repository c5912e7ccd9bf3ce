"""A stored evening as people read it: in the terminal, as a table of payments, as a page of its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pzvision.game import Event, HandStart, Payment, State, format_log
from pzvision.live.session import Session
from pzvision.live.stored_evening import StoredEvening, StoredSession
from pzvision.live.wording import why_text
from pzvision.messages import say
from pzvision.tiles import SEAT_NAMES, SEATS, Lang, Seat


@dataclass(frozen=True)
class PlayedHand:
    """One hand of an evening.

    Attributes:
        number: from 1.
        state: its last state.
        dealer: who dealt.
        over: whether it was seen to its end.
        after: what each player had won or lost after it, over the evening.
    """

    number: int
    state: State
    dealer: Seat
    over: bool
    after: dict[Seat, int]

    @property
    def totals(self) -> dict[Seat, int]:
        """Won or lost in this hand."""
        return {seat: self.state.total(seat) for seat in SEATS}

    @property
    def moved(self) -> int:
        """What changed hands: the sum of what was won."""
        return sum(max(0, amount) for amount in self.totals.values())

    @property
    def ledger(self) -> Sequence[Payment]:
        """Its payments."""
        return self.state.ledger


class PlayedEvening:
    """What is known of a stored evening.

    Args:
        row: its row.
        stored: its records.
    """

    def __init__(self, row: StoredSession, stored: StoredEvening) -> None:
        self.row = row
        self.stored = stored
        session = Session()
        session.restore(stored.log, ())
        self.hands: list[PlayedHand] = []
        after = dict.fromkeys(SEATS, 0)
        for number, state in enumerate(session.final_states, 1):
            after = {seat: after[seat] + state.total(seat) for seat in SEATS}
            over = state.phase == "end"
            self.hands.append(PlayedHand(number, state, state.dealer, over, after))

    @property
    def totals(self) -> dict[Seat, int]:
        """Won or lost over the evening."""
        return self.hands[-1].after if self.hands else dict.fromkeys(SEATS, 0)

    @property
    def flows(self) -> dict[tuple[Seat, Seat], int]:
        """What each player paid each other one over the evening; what went both ways is not set off."""
        out = {(a, b): 0 for a in SEATS for b in SEATS if a != b}
        for hand in self.hands:
            for payment in hand.ledger:
                if payment.amount >= 0:
                    out[payment.source, payment.target] += payment.amount
                else:
                    out[payment.target, payment.source] -= payment.amount
        return out

    def name(self, seat: Seat, lang: Lang) -> str:
        """A player's name, else the seat's."""
        given: dict[str, str] = {}
        for event in self.stored.log:
            if isinstance(event, HandStart):
                given = {**given, **(event.names or {})}
        return given.get(seat) or SEAT_NAMES[lang][seat]

    @property
    def corrections(self) -> list[Any]:
        """What people corrected, as records of the stream."""
        return self.stored.of_type("correction")

    @property
    def camera_losses(self) -> int:
        """How often a camera was lost."""
        return sum(record["state"] == "lost" for record in self.stored.of_type("camera"))


def to_jsonl(log: Sequence[Event]) -> str:
    """The evening's log, as `settle` reads it."""
    return format_log(log)


def to_csv(evening: PlayedEvening, lang: Lang) -> str:
    """The ledger: one line a payment, with a header; UTF-8 with a mark, so that spreadsheets see Chinese."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["hand", "ruleset", "event", "kind", "from", "to", "fan", "amount", "why", *SEATS])
    for hand in evening.hands:
        running = dict.fromkeys(SEATS, 0)
        for payment in hand.ledger:
            running[payment.source] -= payment.amount
            running[payment.target] += payment.amount
            before = {seat: hand.after[seat] - hand.totals[seat] + running[seat] for seat in SEATS}
            writer.writerow(
                [
                    hand.number,
                    hand.state.ruleset.id,
                    payment.event,
                    payment.kind,
                    _cell(evening.name(payment.source, lang)),
                    _cell(evening.name(payment.target, lang)),
                    payment.fan,
                    payment.amount,
                    why_text(payment, lang),
                    *(before[seat] for seat in SEATS),
                ]
            )
    return "\ufeff" + out.getvalue()


def _cell(text: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def list_text(sessions: Sequence[StoredSession], lang: Lang) -> str:
    """All evenings, one a line."""
    if not sessions:
        return say("sessions.none", lang)
    lines = [say("sessions.head", lang)]
    for s in sessions:
        state = say("sessions.ended" if s.ended else "sessions.open", lang)
        lines.append(f"{s.id:>4}  {local(s.started)}  {s.hands:>4}  {s.records:>5}  {state}")
    return "\n".join(lines)


def local(when: Any) -> str:
    """A time as the clock on the wall has it."""
    return str(when.astimezone().strftime("%Y-%m-%d %H:%M"))


def show_text(evening: PlayedEvening, lang: Lang) -> str:
    """An evening in a few lines: each hand's payments and totals."""
    lines = [
        say("sessions.title", lang, id=evening.row.id, when=local(evening.row.started)),
        say("sessions.source", lang, source=evening.row.source),
    ]
    names = {seat: evening.name(seat, lang) for seat in SEATS}
    for hand in evening.hands:
        ruleset = hand.state.ruleset.name(lang)
        lines.append(say("sessions.hand", lang, hand=hand.number, ruleset=ruleset, dealer=names[hand.dealer]))
        for payment in hand.ledger:
            who = f"{names[payment.source]} → {names[payment.target]}"
            lines.append(f"  {who}  {payment.amount:>5}  {why_text(payment, lang)}")
        lines.append("  " + _sums(hand.totals, names))
        if not hand.over:
            lines.append("  " + say("live.cut_short", lang))
    if not evening.hands:
        lines.append(say("sessions.no_hand", lang))
    else:
        lines.append(f"{say('sessions.total', lang)}  {_sums(evening.totals, names)}")
    if evening.corrections:
        lines.append(say("sessions.corrections", lang, n=len(evening.corrections)))
    if evening.camera_losses:
        lines.append(say("sessions.cameras", lang, n=evening.camera_losses))
    if evening.stored.damage:
        lines.append(evening.stored.damage)
    return "\n".join(lines)


def _sums(totals: dict[Seat, int], names: dict[Seat, str]) -> str:
    return "  ".join(f"{names[seat]} {totals[seat]:+d}" for seat in SEATS)
