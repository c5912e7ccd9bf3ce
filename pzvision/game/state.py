"""What a table knows after each record: an immutable `State`, made by `pzvision.game.fold`.

Hands may be unknown wholly or partly: a seat has counts of the concealed tiles that are known and the number
of those that are not. Nothing here judges; see `pzvision.game.judge` for what is allowed and
`pzvision.game.money` for what it costs.

Copies are cheap: `State.copy` shares the seats, and a seat is copied when it changes. Values that were handed
out are never changed afterwards, so a state can be kept, compared and branched from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pzvision.game.events import GangKind, HandStart, Tiles
from pzvision.rules import Declaration, Meld, Payer, Ruleset, Score, load_ruleset, wait_tiles
from pzvision.tiles import ALL_TILES, COPIES, KINDS, SEATS, Seat, Tile, format_tiles, from_counts

Phase: TypeAlias = Literal["act", "claim", "kong", "end"]
"""act (also before the dealer's first act): `turn` holds a tile too many and must discard, kong or win.
claim: a discard lies there and may be claimed. kong: a kong was made, its replacement is due (and a 巴杠 may
be robbed). end: after hand_end."""

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

DEALT: Final = 13
WALL_AFTER_DEAL: Final = ALL_TILES - 4 * DEALT - 1
INDEX: Final[dict[Seat, int]] = {seat: index for index, seat in enumerate(SEATS)}


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
        """Must discard what it draws: singing, dancing, 摆牌, 报听 or 报警 (RULES §6)."""
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


@dataclass(frozen=True, slots=True)
class Setup:
    """What does not change during a hand."""

    ruleset: Ruleset
    base: int
    dealer: Seat
    names: dict[str, str]
    event: int
    start: HandStart


class State:
    """The table after some records. Read-only; `pzvision.game.apply` makes the next one.

    Attributes
    ----------
    phase, turn: see `Phase`; in "claim" and "kong" `turn` is the player whose tile or kong it is.
    seats: four `SeatState` in the order E S W N; `state["S"]` gives one by letter.
    offer: the tile that may be claimed or robbed now. pending: the kong waiting for its replacement.
    chain: kongs made in a row, for kong money (RULES §7). turn_kongs: those of the player in turn, for luck.
    wall_left: tiles in the wall, the tail lamp included. tail_lamp: its kind while known.
    ledger, totals (in amounts, order E S W N), violations, suspicions (violations that cannot be ruled out
    nor proved because tiles are unknown), problems (records that cannot be true).
    winners: in the order they won. line: number of the last record. accounted: 27 counts of tiles whose place
    is known. cut: the hand ended with tiles in the wall and fewer than three winners.
    unsettled: lines of wins or ends that could not be paid for because tiles are unknown.
    """

    __slots__ = (
        "accounted",
        "chain",
        "cut",
        "first_discard",
        "last_drawer",
        "ledger",
        "line",
        "next_draw",
        "offer",
        "pending",
        "phase",
        "problems",
        "seats",
        "setup",
        "suspicions",
        "tail_lamp",
        "totals",
        "turn",
        "turn_kongs",
        "unsettled",
        "violations",
        "wall_left",
        "winners",
    )

    setup: Setup
    line: int
    phase: Phase
    turn: Seat
    next_draw: Seat
    seats: list[SeatState]
    offer: Offer | None
    pending: PendingKong | None
    chain: int
    turn_kongs: int
    wall_left: int
    tail_lamp: Tile | None
    ledger: tuple[Payment, ...]
    totals: tuple[int, int, int, int]
    violations: tuple[Violation, ...]
    suspicions: tuple[Violation, ...]
    problems: tuple[Problem, ...]
    winners: tuple[Seat, ...]
    first_discard: bool
    last_drawer: Seat | None
    accounted: list[int]
    cut: bool
    unsettled: tuple[int, ...]

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.line = setup.event
        self.phase = "act"
        self.turn = setup.dealer
        self.next_draw = setup.dealer
        self.seats = [SeatState(DEALT + 1 if seat == setup.dealer else DEALT) for seat in SEATS]
        self.offer = None
        self.pending = None
        self.chain = 0
        self.turn_kongs = 0
        self.wall_left = WALL_AFTER_DEAL
        self.tail_lamp = None
        self.ledger = ()
        self.totals = (0, 0, 0, 0)
        self.violations = ()
        self.suspicions = ()
        self.problems = ()
        self.winners = ()
        self.first_discard = False
        self.last_drawer = None
        self.accounted = [0] * KINDS
        self.cut = False
        self.unsettled = ()

    def copy(self) -> State:
        """A copy that shares the seats; use `own` before changing one."""
        new = State.__new__(State)
        new.setup = self.setup
        new.line = self.line
        new.phase = self.phase
        new.turn = self.turn
        new.next_draw = self.next_draw
        new.seats = self.seats[:]
        new.offer = self.offer
        new.pending = self.pending
        new.chain = self.chain
        new.turn_kongs = self.turn_kongs
        new.wall_left = self.wall_left
        new.tail_lamp = self.tail_lamp
        new.ledger = self.ledger
        new.totals = self.totals
        new.violations = self.violations
        new.suspicions = self.suspicions
        new.problems = self.problems
        new.winners = self.winners
        new.first_discard = self.first_discard
        new.last_drawer = self.last_drawer
        new.accounted = self.accounted
        new.cut = self.cut
        new.unsettled = self.unsettled
        return new

    def own(self, seat: Seat) -> SeatState:
        """The seat, copied so that it may be changed. Only for a state that is being built."""
        index = INDEX[seat]
        mine = self.seats[index] = self.seats[index].copy()
        return mine

    def __getitem__(self, seat: Seat) -> SeatState:
        return self.seats[INDEX[seat]]

    # --- what players and programs ask -----------------------------------------------------------

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset with the hand's options."""
        return self.setup.ruleset

    @property
    def dealer(self) -> Seat:
        """庄."""
        return self.setup.dealer

    @property
    def base(self) -> int:
        """Amount of one fan."""
        return self.setup.base

    @property
    def last_discard(self) -> tuple[Seat, Tile] | None:
        """The discard that may be claimed now, as (who, tile)."""
        if self.phase != "claim" or self.offer is None or self.offer.robbed:
            return None
        return self.offer.seat, self.offer.tile

    def in_hand(self, seat: Seat) -> bool:
        """Whether the player has not won yet."""
        return self.seats[INDEX[seat]].won is None

    @property
    def playing(self) -> tuple[Seat, ...]:
        """Who has not won yet, in the order E S W N."""
        return tuple(seat for seat, s in zip(SEATS, self.seats, strict=True) if s.won is None)

    def following(self, seat: Seat) -> Seat:
        """The next player after ``seat`` who is still in the hand (``seat`` itself when nobody else is)."""
        start = INDEX[seat]
        for step in range(1, 4):
            index = (start + step) % 4
            if self.seats[index].won is None:
                return SEATS[index]
        return seat

    @property
    def finished(self) -> bool:
        """Whether the hand is played out: three winners or an empty wall."""
        return len(self.winners) >= 3 or self.wall_left == 0

    def waits(self, seat: Seat) -> Tiles | None:
        """What the player waits for by shape, the tile just drawn set aside; () is not ready.

        None when the tiles are not known; then `claimed_waits` may still say what was declared.
        """
        s = self.seats[INDEX[seat]]
        if not s.unknown and s.waits_cache is not None:
            return s.waits_cache
        counts = self.thirteen(seat)
        if counts is None:
            return None
        s.waits_cache = found = tuple(wait_tiles(self.setup.ruleset, counts, s.melds))
        return found

    def thirteen(self, seat: Seat) -> list[int] | None:
        """27 counts of the concealed tiles of a hand of thirteen, the tile just drawn set aside.

        None when they are not known, not thirteen with the melds, or five of a kind (a log that cannot be
        true); do not change the list.
        """
        s = self.seats[INDEX[seat]]
        if s.unknown and not (s.unknown == 1 and s.drew and s.drawn is None):
            return None  # (known: only the drawn tile is not, what was held before it is)
        counts = s.concealed
        if s.won is None and s.size + 3 * len(s.melds) == DEALT + 1 and s.unknown == 0:
            if s.drawn is None:
                return None  # the dealer's fourteen, or after a 碰: no tile to set aside
            counts = counts[:]
            counts[s.drawn] -= 1
        return counts if is_thirteen(counts, s.melds) else None

    def claimed_waits(self, seat: Seat) -> Tiles | None:
        """What the player waits for as far as the table can know: the tiles if known, else what was said."""
        found = self.waits(seat)
        if found is not None:
            return found
        s = self.seats[INDEX[seat]]
        return s.said_waits if s.declaration != "none" or s.tian_jiao or s.bao_ting else None

    def visible(self) -> list[int]:
        """27 counts of what lies open: rivers, melds, winners' hands, dancers' tiles, the tail lamp."""
        counts = self.appeared()
        if self.tail_lamp is not None:
            counts[self.tail_lamp] += 1
        return counts

    def appeared(self) -> list[int]:
        """27 counts of the tiles that have appeared, as 死叫 counts them (RULES §9), no own tiles."""
        counts = [0] * KINDS
        for s in self.seats:
            for tile in s.river:
                counts[tile] += 1
            for meld in s.melds:
                counts[meld.tile] += 3 if meld.kind == "peng" else 4
            if s.won is not None:
                for tile, count in enumerate(s.concealed):
                    counts[tile] += count
            else:
                for tile in set(s.shown):
                    counts[tile] += min(s.shown.count(tile), s.concealed[tile])
        # A winning tile lies with its winner, but a discard that several won on stays in the river.
        claimed: dict[int, int] = {}
        for s in self.seats:
            if s.won is not None and s.won.source is not None:
                claimed[s.won.offer_event] = claimed.get(s.won.offer_event, 0) + 1
        for s in self.seats:
            if s.won is None:
                continue
            among = 1 if s.won.source is None else claimed.pop(s.won.offer_event, 0)
            if among == 1 or (among and s.won.robbed):
                counts[s.won.tile] += 1
        return counts

    def total(self, seat: Seat) -> int:
        """What the player has won or lost in this hand so far, in amounts."""
        return self.totals[INDEX[seat]]


def make_setup(start: HandStart, line: int = 1) -> Setup:
    """The setup of a hand. Raises `FormatError` for an unknown ruleset or option."""
    ruleset = load_ruleset(start.ruleset, start.options)
    return Setup(ruleset, start.base, start.dealer, dict(start.names or {}), line, start)


def is_thirteen(counts: Sequence[int], melds: Sequence[Meld]) -> bool:
    """Whether 27 concealed counts with these melds can be a hand of thirteen: no tile a fifth time."""
    if sum(counts) + 3 * len(melds) != DEALT:
        return False
    return max(counts) <= COPIES and all(counts[m.tile] + m.size <= COPIES for m in melds)
