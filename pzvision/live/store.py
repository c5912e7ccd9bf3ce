"""The evenings on disk: one SQLite file, written once and never changed.

Every record of the live stream is a row, under the number the stream gave it: log records, rewrites,
announcements, corrections, settled hands, states of cameras. The evening is the fold of its rows, so what a
crash leaves is the evening up to the last row. Rows of one batch are committed together, before any page
sees them. Triggers refuse changes and deletions.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pzvision import __version__
from pzvision.errors import FormatError, PzvisionError
from pzvision.game import Event
from pzvision.live.hub import Record
from pzvision.live.stored_evening import StoredEvening, StoredSession, fold_records

SCHEMA: Final = 1
APPLICATION: Final = 0x707A7631  # "pzv1", so that other programs' files are not taken for ours
RETRY_S: Final = 2.0
_BUSY_MS: Final = 3000
_CACHE_KB: Final = 512

_TABLES: Final = """
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  started TEXT NOT NULL,          -- UTC, ISO 8601
  source TEXT NOT NULL,           -- the cameras as they were named
  setup TEXT NOT NULL,            -- JSON: ruleset, options, base, dealer, names of the first hand
  version TEXT NOT NULL           -- of pzvision
);
CREATE TABLE records (
  session INTEGER NOT NULL REFERENCES sessions(id),
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,               -- UTC, ISO 8601, as the clock of the machine had it
  type TEXT NOT NULL,
  body TEXT NOT NULL,             -- the record of the stream, JSON
  PRIMARY KEY (session, seq)
) WITHOUT ROWID;
CREATE TRIGGER sessions_stay BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER sessions_last BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER records_stay BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER records_last BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE VIEW hands AS
  SELECT session, json_extract(body, '$.hand') AS hand, json_extract(body, '$.ruleset') AS ruleset,
    json_extract(body, '$.totals') AS totals, json_extract(body, '$.next_dealer') AS next_dealer, at, body
  FROM records r WHERE type = 'hand' AND seq = (SELECT max(seq) FROM records s WHERE s.session = r.session
    AND s.type = 'hand' AND json_extract(s.body, '$.hand') = json_extract(r.body, '$.hand'));
CREATE VIEW payments AS
  SELECT session, hand, json_extract(value, '$.kind') AS kind, json_extract(value, '$.from') AS payer,
    json_extract(value, '$.to') AS payee, json_extract(value, '$.fan') AS fan,
    json_extract(value, '$.amount') AS amount, json_extract(value, '$.why') AS why
  FROM hands, json_each(hands.body, '$.ledger');
CREATE VIEW corrections AS
  SELECT session, seq, at, json_extract(body, '$.correction') AS correction FROM records
  WHERE type = 'correction';
CREATE VIEW cameras AS
  SELECT session, seq, at, json_extract(body, '$.camera') AS camera, json_extract(body, '$.state') AS state,
    json_extract(body, '$.reason') AS reason FROM records WHERE type = 'camera';
"""


def default_path() -> Path:
    """Where evenings are kept unless told otherwise: ``sessions.sqlite`` in the user's data folder.

    ``$PZVISION_DATA`` names another folder; else it is ``%LOCALAPPDATA%\\pzvision`` on Windows,
    ``~/Library/Application Support/pzvision`` on macOS, ``$XDG_DATA_HOME/pzvision`` or
    ``~/.local/share/pzvision`` elsewhere.
    """
    named = os.environ.get("PZVISION_DATA")
    if named:
        return Path(named) / "sessions.sqlite"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "pzvision" / "sessions.sqlite"


class Store:
    """The file. Made with its folder when it is not there.

    Args:
        path: of the SQLite file.
        create: whether it is made; else a missing one raises.

    Raises:
        PzvisionError: it is missing, cannot be read or written, or is no store of ours.
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        if not self.path.exists() and not create:
            raise PzvisionError(f"no evenings are stored in {str(path)!r}")
        with self._clear("open"):
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = self._connect(self.path)
        self._lock = threading.Lock()
        try:
            with self._clear("open"):
                self._prepare(create)
        except PzvisionError:
            self._db.close()
            raise

    def _connect(self, name: str | Path, *, uri: bool = False) -> sqlite3.Connection:
        return sqlite3.connect(
            name, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False, uri=uri
        )

    def _prepare(self, write: bool) -> None:
        try:
            application = self._db.execute("PRAGMA application_id").fetchone()[0]
        except sqlite3.OperationalError:
            beside = self.path.with_name(self.path.name + "-wal")
            if write or (beside.exists() and beside.stat().st_size):
                raise  # what a crash left in the file beside it would be passed over
            # Where nothing can be written SQLite cannot keep its shared index beside the file.
            self._db.close()
            self._db = self._connect(f"{self.path.resolve().as_uri()}?immutable=1", uri=True)
            application = self._db.execute("PRAGMA application_id").fetchone()[0]
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != APPLICATION and (tables or not write):
            raise PzvisionError(f"{str(self.path)!r} is no store of pzvision: give another --store FILE")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA:
            raise PzvisionError(
                f"{str(self.path)!r} was written by a newer pzvision"
                f" (schema {version}, this one knows {SCHEMA}): update pzvision"
            )
        if not write:
            self._db.execute("PRAGMA query_only = 1")
            return
        self._db.execute("PRAGMA journal_mode = WAL")
        # Every commit reaches the disk: a power cut costs what was not committed, nothing else.
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")  # rows are added, hardly ever read
        if not tables:
            self._db.executescript(
                f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA};"
                f"{_TABLES} COMMIT;"
            )
        # A file that cannot be written says so now; to begin is allowed in some that are read-only.
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.execute(f"PRAGMA user_version = {SCHEMA}")
        finally:
            self._db.execute("ROLLBACK")

    @contextmanager
    def _clear(self, what: str) -> Iterator[None]:
        """SQLite's complaints as one line that names the file."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            text = error.strerror if isinstance(error, OSError) else str(error)
            raise PzvisionError(
                f"cannot {what} the store {str(self.path)!r}: {text}; give another --store FILE or --no-store"
            ) from None

    # -- reading

    def sessions(self) -> list[StoredSession]:
        """All evenings, oldest first."""
        with self._lock, self._clear("read"):
            rows = self._db.execute(
                "SELECT id, started, source, setup,"
                " (SELECT count(*) FROM records WHERE session = id),"
                " (SELECT count(*) FROM hands WHERE hands.session = id),"
                " (SELECT at FROM records WHERE session = id ORDER BY seq DESC LIMIT 1),"
                " (SELECT body FROM records WHERE session = id AND type = 'session'"
                " ORDER BY seq DESC LIMIT 1)"
                " FROM sessions ORDER BY id"
            ).fetchall()
        out = []
        for row in rows:
            last = None if row[6] is None else datetime.fromisoformat(row[6])
            ended = row[7] is not None and _parsed(row[7]).get("state") == "ended"
            started = datetime.fromisoformat(row[1])
            out.append(StoredSession(row[0], started, row[2], _parsed(row[3]), row[4], row[5], last, ended))
        return out

    def session(self, number: int) -> StoredSession:
        """One evening. Raises `PzvisionError` for a number there is not."""
        known = self.sessions()
        for session in known:
            if session.id == number:
                return session
        expected = f"expected 1 to {known[-1].id}" if known else "there are none"
        raise PzvisionError(f"session {number}: {expected} in {str(self.path)!r}")

    def read(self, number: int) -> StoredEvening:
        """What an evening's rows say. Rows that cannot be read end it, with a remark.

        Raises `PzvisionError` where the rows make no log, or the file cannot be read.
        """
        with self._lock, self._clear("read"):
            rows = self._db.execute(
                "SELECT seq, at, type, body FROM records WHERE session = ? ORDER BY seq", (number,)
            ).fetchall()
        records: list[Mapping[str, Any]] = []
        times: list[datetime] = []
        damage = None
        log: list[Event] = []
        for seq, at, kind, body in rows:
            record = _parsed(body)
            if record.get("type") != kind or record.get("seq") != seq:
                damage = f"record {seq} of session {number} is damaged: what came before it was used"
                break
            records.append(record)
            times.append(datetime.fromisoformat(at))
        try:
            log = fold_records(records)
        except FormatError as error:
            raise PzvisionError(f"session {number}: {error}") from None
        return StoredEvening(tuple(log), tuple(records), tuple(times), damage)

    # -- writing

    def begin(self, source: str, setup: Mapping[str, Any]) -> SessionWriter:
        """A new evening."""
        with self._lock, self._clear("write"):
            cursor = self._db.execute(
                "INSERT INTO sessions (started, source, setup, version) VALUES (?, ?, ?, ?)",
                (_now(), source, json.dumps(dict(setup), ensure_ascii=False), __version__),
            )
        return SessionWriter(self, int(cursor.lastrowid or 0))

    def resume(self, number: int) -> SessionWriter:
        """Go on with an evening; its rows must have been given to the hub (`Hub.restore`)."""
        return SessionWriter(self, number)

    def insert(self, session: int, rows: Sequence[tuple[int, str, str, str]]) -> None:
        """Commit rows (seq, at, type, body), all or none. Raises `sqlite3.Error`."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany(
                    "INSERT INTO records (session, seq, at, type, body) VALUES (?, ?, ?, ?, ?)",
                    [(session, *row) for row in rows],
                )
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Let go of the file. Safe to call twice."""
        with self._lock, closing(self._db):
            pass


class SessionWriter:
    """Writes one evening: give `keep` to `Hub.keep`.

    A batch that cannot be written (a full disk) waits, and is tried again with the next one; nothing that was
    committed is touched.

    Attributes:
        id: number of the evening.
    """

    def __init__(self, store: Store, number: int) -> None:
        self.id = number
        self._store = store
        self._lock = threading.Lock()
        self._waiting: list[tuple[int, str, str, str]] = []
        self._reason: str | None = None
        self._tried_at = float("-inf")

    def keep(self, records: Sequence[Record]) -> None:
        """Commit a batch of the stream."""
        at = _now()
        with self._lock:
            self._waiting.extend((r.seq, at, json.loads(r.text)["type"], r.text) for r in records)
            if self._reason is None or time.monotonic() - self._tried_at > RETRY_S:
                self._write()

    def _write(self) -> None:
        self._tried_at = time.monotonic()
        try:
            self._store.insert(self.id, self._waiting)
        except sqlite3.Error as error:
            self._reason = str(error)
        else:
            self._waiting.clear()
            self._reason = None

    def retry(self) -> None:
        """Try again what waits, at most every two seconds."""
        with self._lock:
            if self._reason is not None and time.monotonic() - self._tried_at > RETRY_S:
                self._write()

    def health(self) -> dict[str, Any]:
        """For ``/health``."""
        # Without the lock, which is held during a slow write: an answer must not wait for the disk.
        reason = self._reason
        return {
            "state": "ok" if reason is None else "failing",
            "path": str(self._store.path),
            "session": self.id,
            "reason": reason,
            "waiting": len(self._waiting),
        }

    def finish(self) -> str | None:
        """Write what waits; what could not be written, in one line, or None."""
        with self._lock:
            if self._waiting:
                self._write()
            if not self._waiting:
                return None
            return (
                f"{len(self._waiting)} records of session {self.id} could not be written to"
                f" {str(self._store.path)!r}: {self._reason}"
            )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _parsed(text: object) -> dict[str, Any]:
    """A row's JSON object; an empty one where it is none."""
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
