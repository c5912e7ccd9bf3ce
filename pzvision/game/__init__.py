"""The game: log records, the fold over them, legal acts, settlement, simulated players.

state = start(HandStart("pzh-popular", "E"))
state = apply(state, Deal("E", tiles))
legal(state, "E"), state.ledger, state.violations
"""

from __future__ import annotations

from pzvision.game.entries import Payment, Problem, Violation
from pzvision.game.events import (
    Deal,
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    HandEnd,
    HandStart,
    Leave,
    LogLine,
    Peng,
    Reveal,
    TailLamp,
    Win,
    format_event,
    format_log,
    parse_event,
    read_log,
)
from pzvision.game.fold import apply, start
from pzvision.game.legal import Act, legal
from pzvision.game.money import next_dealer
from pzvision.game.seat import SeatState
from pzvision.game.settle import HandResult, settle_log, settle_text
from pzvision.game.state import State

__all__ = [
    "Act",
    "Deal",
    "Declare",
    "Discard",
    "Draw",
    "Event",
    "Gang",
    "HandEnd",
    "HandResult",
    "HandStart",
    "Leave",
    "LogLine",
    "Payment",
    "Peng",
    "Problem",
    "Reveal",
    "SeatState",
    "State",
    "TailLamp",
    "Violation",
    "Win",
    "apply",
    "format_event",
    "format_log",
    "legal",
    "next_dealer",
    "parse_event",
    "read_log",
    "settle_log",
    "settle_text",
    "start",
]
