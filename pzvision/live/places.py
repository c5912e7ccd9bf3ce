"""Which record of the log put each lying tile where it lies, so that a tapped tile names its record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pzvision.game import State

Indices: TypeAlias = tuple[int | None, ...]
_NONE: tuple[Indices, Indices, Indices, Indices] = ((), (), (), ())


@dataclass(frozen=True, slots=True)
class Places:
    """Indices of records (0-based, of the whole log), by seat in the order E S W N.

    Attributes:
        rivers: of each discard lying there, as long as the seat's river; None where it cannot be told.
        melds: of each meld, as long as the seat's melds; of an added kong the adding record's.
        last: of the discard that left a river last, should it return (several won on it).
    """

    rivers: tuple[Indices, Indices, Indices, Indices] = _NONE
    melds: tuple[Indices, Indices, Indices, Indices] = _NONE
    last: int | None = None

    def after(self, before: State | None, state: State, index: int) -> Places:
        """The places once record ``index`` has led from ``before`` (None: a new hand) to ``state``."""
        if before is None:
            return Places()
        rivers, melds, last = list(self.rivers), list(self.melds), self.last
        for i, (old, new) in enumerate(zip(before.seats, state.seats, strict=True)):
            if new is old:
                continue
            if len(new.river) < len(rivers[i]):
                last = rivers[i][-1]
                rivers[i] = rivers[i][: len(new.river)]
            elif len(new.river) > len(rivers[i]):
                fresh = len(new.river) - len(rivers[i])
                # A winner's tile that several won on goes back to its river.
                source = index if new.discards > old.discards else last
                rivers[i] = (*rivers[i], *((source,) if fresh == 1 else (None,) * fresh))
            if new.melds != old.melds:
                kept = dict(zip(old.melds, melds[i], strict=True))
                melds[i] = tuple(kept.get(meld, index) for meld in new.melds)
        return Places(_four(rivers), _four(melds), last)


def _four(items: list[Indices]) -> tuple[Indices, Indices, Indices, Indices]:
    a, b, c, d = items
    return a, b, c, d
