"""One hand's part of an evening's log: what its reader says of it, and what people have changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pzvision.game import Event, HandStart
from pzvision.live.packed import Packed
from pzvision.live.settings import HandSettings
from pzvision.table.reader import TableReader


@dataclass
class Part:
    """One hand's part of the log.

    ``reader``: with its evidence, or None. ``before``: records of an earlier run; what the reader says then
    counts only from ``since`` (s) on. ``put``: how the hand was set up, where a person set it right.
    ``records``: the part as last told. ``edited``: the part as a person has it, changed record by record.
    Without a reader both are packed away.
    """

    reader: TableReader | None
    before: tuple[Event, ...] = ()
    since: float = float("-inf")
    put: HandSettings | None = None
    records: Sequence[Event] = ()
    edited: Sequence[Event] | None = None

    def compose(self) -> tuple[list[Event], list[int | None]]:
        """The part as it is now, and of each record its index in the reader's log."""
        if self.edited is not None or self.reader is None:
            records: list[Event] = list(self.records if self.edited is None else self.edited)
            return self._set_right(records), [None] * len(records)
        own = [
            (event, i)
            for i, event in enumerate(self.reader.log)
            if not self.before or (event.t is not None and event.t > self.since and not _opens(event))
        ]
        records = [*self.before, *(event for event, _ in own)]
        return self._set_right(records), [*([None] * len(self.before)), *(i for _, i in own)]

    def pack(self) -> None:
        """Its evidence is dropped; what it said is kept small."""
        self.reader, self.before = None, ()
        if not isinstance(self.records, Packed):
            self.records = Packed(self.records)
        if self.edited is not None:
            self.edited = self.records  # as told

    def _set_right(self, records: list[Event]) -> list[Event]:
        if self.put is not None and records and isinstance(records[0], HandStart):
            return [self.put.put(records[0]), *records[1:]]
        return records


def _opens(event: Event) -> bool:
    return event.type in ("hand_start", "deal")
