"""The dice: whose wall is broken and where (S3 二, the same in S1 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pzvision.errors import FormatError
from pzvision.tiles import SEATS, Seat, next_seat

STACKS: Final[dict[Seat, int]] = {"E": 14, "S": 13, "W": 14, "N": 13}
"""墩 (two tiles each) before every seat: 108 tiles in all."""


@dataclass(frozen=True, slots=True)
class WallBreak:
    """Where to take the first tiles: from ``seat``'s wall, counted from that player's right, after leaving
    ``skip`` stacks. ``steps``: that seat's place from the dealer in turn order (0 the dealer itself)."""

    seat: Seat
    steps: int
    skip: int

    @property
    def stacks(self) -> int:
        """Stacks in that wall."""
        return STACKS[self.seat]


def break_wall(first: int, second: int, dealer: Seat = "E") -> WallBreak:
    """The sum picks the wall, the smaller die how many stacks stay. Raises `FormatError` for no die (1..6).

    >>> break_wall(5, 3)
    WallBreak(seat='N', steps=3, skip=3)
    """
    for die in (first, second):
        if isinstance(die, bool) or not isinstance(die, int) or not 1 <= die <= 6:
            raise FormatError(f"die {die!r}: expected a number from 1 to 6", field="die")
    if dealer not in SEATS:
        raise FormatError(f"dealer {dealer!r}: expected one of E S W N", field="dealer")
    steps = (first + second - 1) % 4
    return WallBreak(next_seat(dealer, steps), steps, min(first, second))
