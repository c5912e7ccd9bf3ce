"""Prints: announcements as they come, and the settlement at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable

from pzvision.live.announcer import Announcement, Correction
from pzvision.live.session import Session
from pzvision.live.wording import why_text
from pzvision.messages import say
from pzvision.tiles import SEAT_NAMES, SEATS, Lang, Seat, format_tile


def clock(t: float | None) -> str:
    """``1:05.3``; empty when not known."""
    if t is None:
        return ""
    minutes, seconds = divmod(max(t, 0.0), 60)
    return f"{int(minutes)}:{seconds:04.1f}"


def said_line(item: Announcement | Correction, lang: Lang) -> str:
    """One announcement as a line."""
    t = item.of.t if isinstance(item, Correction) else item.t
    return f"{clock(t):>8}  {item.text(lang)}"


def act_line(session: Session, lang: Lang) -> str:
    """The newest act of the log in a few words, for the progress bar: ``西家打 4s``."""
    for event in reversed(session.log):
        seat: Seat | None = getattr(event, "seat", None)
        tile = getattr(event, "tile", None)
        if seat is not None and tile is not None and event.type in ("discard", "peng", "gang", "win"):
            space = "" if lang == "zh" else " "
            return f"{SEAT_NAMES[lang][seat]}{space}{say(f'act.{event.type}', lang)} {format_tile(tile)}"
    return ""


def settlement(session: Session, lang: Lang) -> str:
    """Every hand's payments and totals, and the totals of all hands, as text."""
    states = session.final_states
    if not states:
        return say("live.no_hand", lang)
    lines = [say("live.settlement", lang)]
    names = SEAT_NAMES[lang]
    for number, state in enumerate(states, 1):
        lines.append(f"{say('live.hand', lang, hand=number)}  {state.ruleset.name(lang)}")
        for payment in state.ledger:
            lines.append(
                say(
                    "live.ledger_line",
                    lang,
                    t=clock(session.time_of(payment.event)),
                    source=names[payment.source],
                    target=names[payment.target],
                    amount=payment.amount,
                    why=why_text(payment, lang),
                )
            )
        totals = "  ".join(f"{names[seat]} {state.total(seat):+d}" for seat in SEATS)
        lines.append(f"  {say('live.total', lang)}  {totals}")
        if state.cut:
            lines.append("  " + say("live.cut", lang))
    if len(states) > 1:
        totals = "  ".join(f"{names[seat]} {amount:+d}" for seat, amount in session.totals.items())
        lines.append(f"{say('live.total', lang)}  {totals}")
    return "\n".join(lines)


def printer(
    lang: Lang, write: Callable[[str], None] | None = None
) -> Callable[[Announcement | Correction], None]:
    """A callback that prints each announcement at once."""

    def show(item: Announcement | Correction) -> None:
        line = said_line(item, lang)
        if write is None:
            print(line, flush=True)
        else:
            write(line)

    return show


def note(text: str) -> None:
    """A remark for the person at the terminal, on standard error."""
    print(f"pzvision: {text}", file=sys.stderr)
