"""What a table knows after each record: an immutable `State`, made by `pzvision.game.fold`.

Hands may be unknown wholly or partly: a seat has counts of the concealed tiles that are known and the number
of those that are not. Nothing here judges; see `pzvision.game.judge` for what is allowed and
`pzvision.game.money` for what it costs.

Copies are cheap: `State.copy` shares the seats, and a seat is copied when it changes. Values that were handed
out are never changed afterwards, so a state can be kept, compared and branched from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pzvision.game.entries import Offer, Payment, PendingKong, Problem, Violation
from pzvision.game.events import HandStart, Tiles
from pzvision.game.seat import DEALT, SeatState, is_thirteen
from pzvision.rules import Ruleset, load_ruleset, wait_tiles
from pzvision.tiles import ALL_TILES, KINDS, SEATS, Seat, Tile

Phase: TypeAlias = Literal["act", "claim", "kong", "end"]
"""act (also before the dealer's first act): `turn` holds a tile too many and must discard, kong or win.
claim: a discard lies there and may be claimed. kong: a kong was made, its replacement is due (and a 巴杠 may
be robbed). end: after hand_end."""

WALL_AFTER_DEAL: Final = ALL_TILES - 4 * DEALT - 1
INDEX: Final[dict[Seat, int]] = {seat: index for index, seat in enumerate(SEATS)}


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
    chain: kongs made in a row, for kong money (S0 §1.4, D19). turn_kongs: of the player in turn, for luck.
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
        """27 counts of the tiles that have appeared, as 死叫 counts them (S1 特色 2, D22), no own tiles."""
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
