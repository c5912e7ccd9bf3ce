"""Evenings on disk: what is written stays, what is read is its fold, and trouble is said in one line."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pzvision.errors import FormatError, PzvisionError
from pzvision.game import Event, HandEnd, format_event, parse_event
from pzvision.game.simulate import simulate
from pzvision.live import store as store_module
from pzvision.live.hub import Hub
from pzvision.live.resume import broken_off, choose
from pzvision.live.session import Session
from pzvision.live.store import SessionWriter, Store, default_path
from pzvision.live.stored_evening import fold_records
from pzvision.live.teller import Teller
from pzvision.live.view import view_of

EVENTS = list(simulate("pzh-popular", seed=4, hands=2))
SETUP = {"ruleset": "pzh-popular", "options": {}, "base": 1, "dealer": None, "names": {}}


def begin(path: Path) -> tuple[Store, SessionWriter, Hub, Teller]:
    store = Store(path)
    writer = store.begin("table=0", SETUP)
    hub = Hub()
    hub.keep(writer.keep)
    return store, writer, hub, Teller(hub=hub)


def play(teller: Teller, events: list[Event]) -> None:
    for event in events:
        with teller.batch():
            teller.change(len(teller.session.log), [event], event.t or 0.0)


def test_an_evening_reads_back_as_it_was_told(tmp_path: Path) -> None:
    store, writer, hub, teller = begin(tmp_path / "folder to make" / "牌局.sqlite")
    play(teller, EVENTS)
    told = [json.loads(record.text) for record in hub.since(0)[0]]
    store.close()
    again = Store(tmp_path / "folder to make" / "牌局.sqlite", create=False)
    stored = again.read(writer.id)
    assert [dict(record) for record in stored.records] == told
    assert list(stored.log) == EVENTS and stored.damage is None
    (row,) = again.sessions()
    assert (row.source, row.setup, row.records, row.hands) == ("table=0", SETUP, len(told), 2)
    assert not row.ended
    again.close()


def test_the_reopened_game_equals_the_fold_and_says_nothing_twice(tmp_path: Path) -> None:
    store, writer, hub, teller = begin(tmp_path / "s.sqlite")
    cut = len(EVENTS) * 2 // 3
    play(teller, EVENTS[:cut])
    play_back = EVENTS[cut - 3]
    with teller.batch():  # the recent past is decided anew, and then once more as it was
        teller.change(cut - 3, [], 0.0)
        teller.change(cut - 3, [play_back, *EVENTS[cut - 2 : cut]], 0.0)
    stored = store.read(writer.id)
    session = Session()
    session.restore(stored.log, stored.of_type("announce"))
    expected = view_of(teller.session)
    got = view_of(session)
    assert got == expected
    fresh = Hub()
    fresh.restore(stored.stream)
    assert fresh.seq == hub.seq and fresh.publish({"type": "draw", "seat": "E", "tile": None}) == hub.seq + 1


def test_rewrites_are_folded() -> None:
    lines = [format_event(event) for event in EVENTS[:8]]
    records = [
        *({**line, "seq": i} for i, line in enumerate(lines, 1)),
        {"type": "rewrite", "seq": 9, "keep": 5},
    ]
    assert fold_records([*records, {**lines[5], "seq": 10}]) == EVENTS[:6]
    with pytest.raises(FormatError, match="record 9: keep 99: expected 0 to 8"):
        fold_records([*records[:8], {"type": "rewrite", "seq": 9, "keep": 99}])


@pytest.mark.parametrize("table", ["records", "sessions"])
def test_nothing_is_changed_or_taken_away(tmp_path: Path, table: str) -> None:
    store, _, _, teller = begin(tmp_path / "s.sqlite")
    play(teller, EVENTS[:5])
    store.close()
    with sqlite3.connect(tmp_path / "s.sqlite") as db:
        for words in (
            f"DELETE FROM {table}",
            f"UPDATE {table} SET rowid = rowid + 1",
            f"UPDATE {table} SET id = 9",
        ):
            with pytest.raises(sqlite3.Error):
                db.execute(words)
        column = "body" if table == "records" else "source"
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute(f"UPDATE {table} SET {column} = ''")


def test_hands_payments_corrections_and_cameras_can_be_asked_for(tmp_path: Path) -> None:
    store, _, hub, teller = begin(tmp_path / "s.sqlite")
    play(teller, EVENTS)
    hub.publish({"type": "correction", "hand": 1, "correction": {"kind": "undo"}})
    hub.publish({"type": "camera", "camera": "table", "state": "lost", "reason": "unplugged"})
    store.close()
    paid = [p for state in teller.session.final_states for p in state.ledger]
    with sqlite3.connect(tmp_path / "s.sqlite") as db:
        assert db.execute("SELECT hand FROM hands ORDER BY hand").fetchall() == [(1,), (2,)]
        rows = db.execute("SELECT payer, payee, amount FROM payments ORDER BY hand").fetchall()
        assert sorted(rows) == sorted((p.source, p.target, p.amount) for p in paid)
        assert db.execute("SELECT correction FROM corrections").fetchall() == [('{"kind":"undo"}',)]
        assert db.execute("SELECT camera, state, reason FROM cameras").fetchall() == [
            ("table", "lost", "unplugged")
        ]


def test_a_settled_hand_that_changes_is_told_again(tmp_path: Path) -> None:
    store, writer, _, teller = begin(tmp_path / "s.sqlite")
    first = EVENTS[: 1 + next(i for i, e in enumerate(EVENTS) if isinstance(e, HandEnd))]
    play(teller, first)
    dearer = parse_event({**format_event(first[0]), "base": 5})
    with teller.batch():
        teller.change(0, [dearer, *first[1:]], 0.0)
    hands = store.read(writer.id).of_type("hand")
    assert len(hands) == 2 and hands[0]["hand"] == hands[1]["hand"] == 1
    assert hands[1]["totals"] == {seat: 5 * amount for seat, amount in hands[0]["totals"].items()}
    assert store.sessions()[0].hands == 1


def test_a_damaged_row_ends_the_evening_there(tmp_path: Path) -> None:
    store, writer, _, teller = begin(tmp_path / "s.sqlite")
    play(teller, EVENTS[:10])
    last = store.read(writer.id).records[-1]["seq"]
    store.insert(writer.id, [(last + 1, datetime.now(UTC).isoformat(), "discard", '{"type": "discard", "se')])
    stored = store.read(writer.id)
    assert list(stored.log) == EVENTS[:10]
    assert stored.damage is not None and f"record {last + 1} of session 1" in stored.damage


def test_a_full_disk_is_said_and_made_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "RETRY_S", 0.0)
    store, writer, hub, teller = begin(tmp_path / "s.sqlite")
    play(teller, EVENTS[:10])
    committed = store.read(writer.id).records
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")  # as a disk that is full
    play(teller, EVENTS[10:])
    health = writer.health()
    assert health["state"] == "failing" and "full" in health["reason"] and health["waiting"] > 0
    stored = store.read(writer.id)
    assert stored.records[: len(committed)] == committed and stored.damage is None
    said = writer.finish()
    assert said is not None and said.count("\n") == 0 and "full" in said and str(tmp_path) in said
    store._db.execute("PRAGMA max_page_count = 1000000")
    writer.retry()
    assert writer.health() == {**health, "state": "ok", "reason": None, "waiting": 0}
    assert list(store.read(writer.id).log) == EVENTS and hub.seq == len(store.read(writer.id).records)


def test_a_clock_that_jumps_back_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, writer, _, teller = begin(tmp_path / "s.sqlite")
    play(teller, EVENTS[:20])
    earlier = (datetime.now(UTC) - timedelta(hours=1)).isoformat(timespec="milliseconds")
    monkeypatch.setattr(store_module, "_now", lambda: earlier)
    play(teller, EVENTS[20:])
    stored = store.read(writer.id)
    assert list(stored.log) == EVENTS and stored.times[-1] < stored.times[0]
    assert broken_off(store) is not None


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda p: p.mkdir(), "cannot open the store"),
        (lambda p: p.write_bytes(b"no database at all " * 99), "is not a database"),
        (
            lambda p: sqlite3.connect(p).execute("CREATE TABLE x (y)").connection.commit(),
            "is no store of pzvision",
        ),
    ],
)
def test_what_is_no_store_is_refused(tmp_path: Path, make, expected: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "s.sqlite"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(PzvisionError, match=expected) as caught:
        Store(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    assert before is None or path.read_bytes() == before


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    Store(tmp_path / "s.sqlite").close()
    with sqlite3.connect(tmp_path / "s.sqlite") as db:
        db.execute("PRAGMA user_version = 2")
    with pytest.raises(PzvisionError, match="newer pzvision"):
        Store(tmp_path / "s.sqlite")


def test_a_store_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.sqlite"
    Store(path).close()
    monkeypatch.setattr(store_module, "_BUSY_MS", 50)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")  # another program writes and does not stop
    try:
        with pytest.raises(PzvisionError, match=r"cannot open the store .*locked; give another --store"):
            Store(path)
    finally:
        other.close()
    if os.path.isdir("/proc"):  # where nobody may make a file
        with pytest.raises(PzvisionError, match=r"cannot open the store '/proc/s.sqlite': unable to open"):
            Store("/proc/s.sqlite")


READ_ONLY = """
import os, sys
from pzvision.cli import main
path, elsewhere = sys.argv[1:]
words = (["sessions", "show", "1", "--store", path], ["sessions", "--store", path])
for line in words:
    main([*line[:-1], elsewhere])  # whatever it imports is imported now
if os.geteuid() == 0:  # whom nothing is forbidden
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
for line in words:
    assert main(line) == 0
from pzvision.live.store import Store
try:
    Store(path)
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="permissions as POSIX has them")
@pytest.mark.parametrize("crashed", [False, True])
def test_a_read_only_store_can_be_read_but_not_played_into(crashed: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store, _, _, teller = begin(Path(folder) / "played" / "s.sqlite")
        play(teller, EVENTS)
        if not crashed:
            store.close()
        here, elsewhere = (Path(folder) / name / "s.sqlite" for name in ("一 晚", "elsewhere"))
        for path in (here, elsewhere):
            shutil.copytree(store.path.parent, path.parent)  # all that a crash would leave
        before = {file.name: file.read_bytes() for file in here.parent.iterdir()}
        assert ("s.sqlite-wal" in before) == crashed
        Path(folder).chmod(0o755)
        for file in here.parent.iterdir():
            file.chmod(0o444)
        here.parent.chmod(0o555)
        words = [sys.executable, "-c", READ_ONLY, str(here), str(elsewhere)]
        done = subprocess.run(words, capture_output=True, check=False, text=True, encoding="utf-8")
        here.parent.chmod(0o755)
        assert done.returncode == 0, done.stderr
        # four times alike: as before, and where nothing can be written
        lines = done.stdout.splitlines()
        told, refused = lines[:-1], lines[-1]
        assert told[: len(told) // 2] == told[len(told) // 2 :] and len(told) > 10
        assert refused.startswith("PzvisionError cannot open the store") and str(here) in refused
        assert "give another --store FILE or --no-store" in refused
        assert {file.name: file.read_bytes() for file in here.parent.iterdir()} == before


def test_where_evenings_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PZVISION_DATA", str(tmp_path / "here"))
    assert default_path() == tmp_path / "here" / "sessions.sqlite"
    monkeypatch.delenv("PZVISION_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "there"))
    if sys.platform == "linux":
        assert default_path() == tmp_path / "there" / "pzvision" / "sessions.sqlite"


def test_what_was_broken_off_is_offered(tmp_path: Path) -> None:
    store, writer, hub, teller = begin(tmp_path / "s.sqlite")
    assert broken_off(store) is None, "an evening without records"
    play(teller, EVENTS[:5])
    asked: list[str] = []

    def answer(text: str):  # type: ignore[no-untyped-def]
        def ask(question: str) -> str:
            asked.append(question)
            return text

        return ask

    for text, goes_on in (("", True), ("y\n", True), ("是", True), ("n", False), ("q", False)):
        found = choose(store, resume=False, new=False, lang="zh", ask=answer(text))
        assert (found is not None and found.id == writer.id) == goes_on
    assert "接着打吗" in asked[0]
    assert choose(store, resume=False, new=True, lang="zh", ask=answer("y")) is None
    late = datetime.now(UTC) + timedelta(days=2)
    assert broken_off(store, late) is None
    hub.publish({"type": "session", "id": writer.id, "state": "ended"})
    assert choose(store, resume=False, new=False, lang="zh", ask=answer("y")) is None
    assert choose(store, resume=True, new=False, lang="zh") is not None
    with pytest.raises(PzvisionError, match="--resume"):
        choose(Store(tmp_path / "empty.sqlite"), resume=True, new=False, lang="zh")


def test_any_locale_and_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "牌 局 é"
    folder.mkdir()
    store, _, hub, teller = begin(folder / "一 晚.sqlite")
    play(teller, EVENTS)
    hub.publish({"type": "session", "id": 1, "state": "ended"})
    store.close()
    plain = {**os.environ, "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for words in (["show", "1"], ["export", "1", "--html", "--out", str(folder / "报告.html")], []):
        done = subprocess.run(
            [sys.executable, "-m", "pzvision", "sessions", *words, "--store", str(folder / "一 晚.sqlite")],
            env=plain,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
    assert "输赢走势" in (folder / "报告.html").read_text(encoding="utf-8")
