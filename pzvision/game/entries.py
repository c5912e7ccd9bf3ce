"""What a state is made of besides the seats: payments, violations, problems, and the tile in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pzvision.game.events import GangKind
from pzvision.rules import Payer, Score
from pzvision.tiles import Seat, Tile

PaymentKind: TypeAlias = Literal["kong", "win", "cha_jiao", "zha_hu", "refund", "forfeit"]
ViolationKind: TypeAlias = Literal[
    "forbidden_discard",
    "locked_discard",
    "locked_claim",
    "forbidden_claim",
    "illegal_win",
    "passed_win",
    "missed_win",
    "late_declaration",
    "declaration_change",
    "zha_hu",
    "no_wall_kong",
    "missed_alarm",
]


@dataclass(frozen=True, slots=True)
class Payment:
    """One ledger line: ``source`` pays ``target``. ``amount`` = ``fan`` × base. ``why``: pattern or kong ids.

    ``payer``: for a win, what the payer brought to the bill. ``chain``: for a kong, how many came before it.
    """

    event: int
    kind: PaymentKind
    source: Seat
    target: Seat
    fan: int
    amount: int
    why: str
    payer: Payer | None = None
    chain: int = 0


@dataclass(frozen=True, slots=True)
class Violation:
    """An act the rules forbid. ``event``: line number of the offending record."""

    event: int
    kind: ViolationKind
    seat: Seat


@dataclass(frozen=True, slots=True)
class Problem:
    """A record that cannot be true beside the others (a fifth copy, a tile the player does not hold …)."""

    event: int
    record: str
    field: str
    value: str
    expected: str

    def __str__(self) -> str:
        return f"line {self.event}: {self.record}: {self.field} {self.value}: {self.expected}"


@dataclass(frozen=True, slots=True)
class Offer:
    """A tile others may win on: a discard, or the tile of a 巴杠 (``robbed``).

    ``forbidden``: a discard a dancer's waits forbade; nobody may win on it. ``chain``: kongs its player made
    in that turn (for 杠上炮). ``winners``: who has won on it so far.
    """

    seat: Seat
    tile: Tile
    event: int
    chain: int = 0
    forbidden: bool = False
    robbed: bool = False
    winners: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingKong:
    """A kong whose replacement has not been drawn yet. ``chain``: kongs made immediately before it."""

    seat: Seat
    kind: GangKind
    tile: Tile
    kept: bool
    chain: int
    payer: Seat | None
    event: int


@dataclass(frozen=True, slots=True)
class Won:
    """How a player won: the record's line, the tile, and for a claimed win whose tile it was and its line.

    ``score`` is None when the winner's tiles are not known.
    """

    event: int
    tile: Tile
    source: Seat | None
    offer_event: int
    robbed: bool
    score: Score | None
