"""One player at a table: what is known of the hand, what lies open, what was declared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pzvision.game.entries import Won
from pzvision.game.events import Tiles
from pzvision.rules import Declaration, Meld, Payer
from pzvision.tiles import COPIES, KINDS, Tile, format_tiles, from_counts

DEALT: Final = 13


class SeatState:
    """One player. Treat as read-only outside `pzvision.game.fold`.

    concealed: 27 counts of the known concealed tiles (drawn tile included); unknown: how many more there are.
    river: the discards lying there (claimed ones are gone). drew: whether a tile was just drawn, drawn: which
    (None when it is not known). passed: the dearest win passed since the own last draw, None when none.
    tian_jiao_unsure: after 天叫 tiles were drawn unseen, so whether it still holds shows later.
    said_waits, shown: from the declaration's record. declared_ready: None when it cannot be known.
    """

    __slots__ = (
        "alarm",
        "bao_ting",
        "concealed",
        "declaration",
        "declared_event",
        "declared_ready",
        "discards",
        "drawn",
        "drawn_event",
        "draws",
        "drew",
        "left",
        "melds",
        "passed",
        "river",
        "said_waits",
        "shown",
        "tian_jiao",
        "tian_jiao_unsure",
        "unknown",
        "waits_cache",
        "won",
        "zha_hu_paid",
    )

    concealed: list[int]
    unknown: int
    melds: tuple[Meld, ...]
    river: Tiles
    declaration: Declaration
    declared_event: int
    declared_ready: bool | None
    alarm: bool
    bao_ting: bool
    tian_jiao: bool
    tian_jiao_unsure: bool
    shown: Tiles
    said_waits: Tiles | None
    drew: bool
    drawn: Tile | None
    drawn_event: int
    passed: int | None
    discards: int
    draws: int
    won: Won | None
    left: bool
    zha_hu_paid: bool
    waits_cache: Tiles | None

    def __init__(self, unknown: int) -> None:
        self.concealed = [0] * KINDS
        self.unknown = unknown
        self.melds = ()
        self.river = ()
        self.declaration = "none"
        self.declared_event = 0
        self.declared_ready = None
        self.alarm = False
        self.bao_ting = False
        self.tian_jiao = False
        self.tian_jiao_unsure = False
        self.shown = ()
        self.said_waits = None
        self.drew = False
        self.drawn = None
        self.drawn_event = 0
        self.passed = None
        self.discards = 0
        self.draws = 0
        self.won = None
        self.left = False
        self.zha_hu_paid = False
        self.waits_cache = None

    def copy(self) -> SeatState:
        """An independent copy."""
        new = SeatState.__new__(SeatState)
        new.concealed = self.concealed[:]
        new.unknown = self.unknown
        new.melds = self.melds
        new.river = self.river
        new.declaration = self.declaration
        new.declared_event = self.declared_event
        new.declared_ready = self.declared_ready
        new.alarm = self.alarm
        new.bao_ting = self.bao_ting
        new.tian_jiao = self.tian_jiao
        new.tian_jiao_unsure = self.tian_jiao_unsure
        new.shown = self.shown
        new.said_waits = self.said_waits
        new.drew = self.drew
        new.drawn = self.drawn
        new.drawn_event = self.drawn_event
        new.passed = self.passed
        new.discards = self.discards
        new.draws = self.draws
        new.won = self.won
        new.left = self.left
        new.zha_hu_paid = self.zha_hu_paid
        new.waits_cache = self.waits_cache
        return new

    @property
    def locked(self) -> bool:
        """Must discard what it draws: singing, dancing, 摆牌, 报听 or 报警 (S0 §1.10; S1 3; S3 (4), (7))."""
        return self.declaration != "none" or self.alarm or self.bao_ting

    @property
    def known(self) -> bool:
        """Whether every concealed tile is known."""
        return self.unknown == 0

    @property
    def size(self) -> int:
        """Number of concealed tiles, known or not."""
        return sum(self.concealed) + self.unknown

    @property
    def hand(self) -> Tiles:
        """The known concealed tiles, sorted, the drawn one included."""
        return tuple(from_counts(self.concealed))

    @property
    def payer(self) -> Payer:
        """What this seat brings to the bill when it pays."""
        return Payer(self.declaration, self.alarm, self.bao_ting)

    def __repr__(self) -> str:
        melds = " ".join(f"{m.kind}:{format_tiles([m.tile])}" for m in self.melds)
        return f"<{format_tiles(self.hand)}+{self.unknown}? {melds} {self.declaration}>"


def is_thirteen(counts: Sequence[int], melds: Sequence[Meld]) -> bool:
    """Whether 27 concealed counts with these melds can be a hand of thirteen: no tile a fifth time."""
    if sum(counts) + 3 * len(melds) != DEALT:
        return False
    copies = list(counts)
    for meld in melds:
        copies[meld.tile] += meld.size
    return max(copies) <= COPIES
