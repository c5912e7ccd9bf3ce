"""Prints: announcements as they come, and the settlement at the end."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence

from pzvision.game import Event, Gang, Peng
from pzvision.live.announcement import Announcement, Correction
from pzvision.live.session import Session
from pzvision.live.wording import record_text, why_text
from pzvision.messages import say
from pzvision.tiles import SEAT_NAMES, SEATS, Lang, Seat, format_tile
from pzvision.vision.capture import FrameSource


def clock(t: float | None) -> str:
    """Seconds as ``1:05.3``; empty when not known."""
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
    for event in reversed(session.recent):
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
        if state.ledger or not state.cut:
            totals = "  ".join(f"{names[seat]} {state.total(seat):+d}" for seat in SEATS)
            lines.append(f"  {say('live.total', lang)}  {totals}")
        if state.cut:
            lines.append("  " + say("live.cut" if number == len(states) else "live.cut_short", lang))
    if len(states) > 1:
        totals = "  ".join(f"{names[seat]} {amount:+d}" for seat, amount in session.totals.items())
        lines.append(f"{say('live.total', lang)}  {totals}")
    return "\n".join(lines)


def frames_between(source: FrameSource, start: float, end: float | None) -> int | None:
    """About how many frames of a source lie from ``start`` to ``end`` seconds, for the progress bar."""
    if source.frame_count is None or not source.duration:
        return source.frame_count
    seconds = min(source.duration, source.duration if end is None else end) - start
    return max(0, round(source.frame_count * seconds / source.duration))


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


class RecordPrinter:
    """Prints records of the log as they come: peng and kongs, or all of them; and those taken back.

    Declarations and wins are announced with more words anyway, so without ``every`` they are left out.

    Args:
        lang: of the lines.
        every: whether all records are printed.
        write: prints a line; None: on standard output, at once.
    """

    def __init__(self, lang: Lang, *, every: bool, write: Callable[[str], None] | None = None) -> None:
        self._lang = lang
        self._every = every
        self._write = write or (lambda line: print(line, flush=True))

    def __call__(self, fallen: Sequence[Event], came: Sequence[Event]) -> None:
        """``fallen``: the end of the log that fell away; ``came``: what stands there now."""
        # What stood there and still does was printed already, perhaps with another time.
        old = Counter(self._text(event) for event in fallen if self._wanted(event))
        new: list[str] = []
        for event in filter(self._wanted, came):
            text = self._text(event)
            if old[text] > 0:
                old[text] -= 1
            else:
                new.append(f"{clock(event.t):>8}  {text}")
        for event in fallen:
            text = self._text(event)
            if self._wanted(event) and old[text] > 0:
                old[text] -= 1
                self._write(f"{clock(event.t):>8}  {say('announce.retract', self._lang, text=text)}")
        for line in new:
            self._write(line)

    def _wanted(self, event: Event) -> bool:
        return self._every or isinstance(event, (Peng, Gang))

    def _text(self, event: Event) -> str:
        return record_text(event, self._lang)


def note(text: str) -> None:
    """A remark for the person at the terminal, on standard error."""
    print(f"pzvision: {text}", file=sys.stderr)
