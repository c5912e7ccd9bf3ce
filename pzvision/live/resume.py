"""Going on with an evening that a crash or a power cut broke off."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from pzvision.errors import PzvisionError
from pzvision.live.evening import Evening
from pzvision.live.hub import Hub
from pzvision.live.report import note
from pzvision.live.settings import HandSettings
from pzvision.live.store import SessionWriter, Store
from pzvision.live.stored_evening import StoredEvening, StoredSession
from pzvision.messages import say
from pzvision.tiles import Lang
from pzvision.vision.pictures import as_text

RECENT: Final = timedelta(hours=24)


def broken_off(
    store: Store, now: datetime | None = None, *, table: str | None = None
) -> StoredSession | None:
    """The newest evening of that table when it was not ended and is not a day old."""
    sessions = _of_table(store, table)
    if not sessions:
        return None
    last = sessions[-1]
    age = (now or datetime.now(UTC)) - (last.last or last.started)
    return last if not last.ended and last.records and age < RECENT else None


def _of_table(store: Store, table: str | None) -> list[StoredSession]:
    return [session for session in store.sessions() if session.setup.get("table") == table]


def choose(
    store: Store,
    *,
    resume: bool,
    new: bool,
    lang: Lang,
    ask: Callable[[str], str] | None = None,
    table: str | None = None,
) -> StoredSession | None:
    """The evening to go on with; None: a new one.

    Args:
        store: where evenings are.
        resume: go on with the last one, whatever its end.
        new: begin a new one without asking.
        lang: of the question.
        ask: asks at the terminal; None: `input` where there is one.
        table: which of several tables; None: the one watched alone.

    Raises:
        PzvisionError: ``resume`` and there is none.
    """
    if new:
        return None
    if resume:
        sessions = [session for session in _of_table(store, table) if session.records]
        if not sessions:
            of = "" if table is None else f" of table {table}"
            raise PzvisionError(f"--resume: no evening{of} is stored in {str(store.path)!r}")
        return sessions[-1]
    found = broken_off(store, table=table)
    if found is None:
        return None
    if ask is None:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            note(say("store.broken_off", lang, id=found.id))
            return None
        ask = _ask
    when = found.started.astimezone().strftime("%m-%d %H:%M")
    answer = ask(say("store.ask", lang, id=found.id, when=when, hands=found.hands))
    return found if answer.strip().lower() in ("", "y", "yes", "是", "好", "接着") else None


def _ask(question: str) -> str:
    print(question, end=" ", file=sys.stderr, flush=True)
    try:
        return sys.stdin.readline() or "n"
    except UnicodeDecodeError:
        return "n"


def writer_for(
    store: Store, old: StoredSession | None, source: str, setup: Mapping[str, object]
) -> SessionWriter:
    """Of the ``old`` evening that goes on, or of a new one: ``source`` in words, and how it is set up."""
    return store.begin(as_text(source), setup) if old is None else store.resume(old.id)


def attach(
    store: Store,
    writer: SessionWriter,
    hub: Hub,
    evening: Evening,
    *,
    resumed: bool,
    lang: Lang,
    tell: Callable[[str], None] = note,
) -> None:
    """Have the hub's records kept; an evening that goes on is restored first. ``tell``: given each remark."""
    if resumed:
        stored = store.read(writer.id)
        restore(stored, hub, evening)
        if stored.damage is not None:
            tell(stored.damage)
        hands = len(evening.session.hand_records())
        tell(say("store.resumed", lang, id=writer.id, records=len(stored.log), hands=hands))
    hub.keep(writer.keep)
    hub.publish({"type": "session", "id": writer.id, "state": "resumed" if resumed else "begun"})
    tell(say("store.kept", lang, id=writer.id, path=store.path))


def restore(stored: StoredEvening, hub: Hub, evening: Evening) -> None:
    """Give a stored evening to a hub and an evening that have told nothing yet."""
    hub.restore(stored.stream)
    changes = stored.of_type("settings")
    if evening.maker is not None and changes:
        evening.maker.settings = HandSettings.from_json(changes[-1]["next"])
    evening.restore(stored.log, stored.of_type("announce"))
