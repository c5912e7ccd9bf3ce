"""What the store knows of an evening: its row, and the fold of its records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pzvision.errors import FormatError
from pzvision.game import Event, parse_event
from pzvision.game.events import EVENT_TYPES
from pzvision.live.hub import Record


@dataclass(frozen=True)
class StoredSession:
    """An evening's row.

    Attributes:
        id: its number.
        started: when, UTC.
        source: what was watched.
        setup: how the first hand was set up (`HandSettings.to_json`).
        records: rows it has.
        hands: hands that were settled.
        last: when its last row was written, UTC; None: it has none.
        ended: whether it was ended in an orderly way.
    """

    id: int
    started: datetime
    source: str
    setup: Mapping[str, Any]
    records: int
    hands: int
    last: datetime | None
    ended: bool


@dataclass(frozen=True)
class StoredEvening:
    """What an evening's rows say.

    Attributes:
        log: the fold of its log records and rewrites.
        records: all rows as records of the stream, oldest first, with ``seq``.
        times: when each was written, UTC.
        damage: one line about rows that could not be read, or None; nothing after them was used.
    """

    log: tuple[Event, ...]
    records: tuple[Mapping[str, Any], ...]
    times: tuple[datetime, ...]
    damage: str | None = None

    def of_type(self, *types: str) -> list[Mapping[str, Any]]:
        """The records of these types."""
        return [record for record in self.records if record["type"] in types]

    @property
    def stream(self) -> list[Record]:
        """The records as the stream had them."""
        return [Record(r["seq"], json.dumps(dict(r), ensure_ascii=False)) for r in self.records]


def fold_records(records: Iterable[Mapping[str, Any]]) -> list[Event]:
    """The log that a stream of records tells. Raises `FormatError` naming the ``seq`` that makes no sense."""
    log: list[Event] = []
    for record in records:
        kind = record["type"]
        if kind == "rewrite":
            keep = record.get("keep")
            if not isinstance(keep, int) or not 0 <= keep <= len(log):
                raise FormatError(f"record {record.get('seq')}: keep {keep!r}: expected 0 to {len(log)}")
            del log[keep:]
        elif kind in EVENT_TYPES:
            try:
                log.append(parse_event(record))
            except FormatError as error:
                raise FormatError(f"record {record.get('seq')}: {error}", field=error.field) from None
    return log
