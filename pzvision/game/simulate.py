"""Whole simulated hands in any ruleset, as game logs: seeded, legal, with complete information.

    events = simulate(load_ruleset("pzh-popular"), seed=1, hands=10)

The table keeps its own wall, hands, melds and rivers, apart from the fold, so that tests can hold one against
the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from pzvision.game.dealing import deal, rare_hands
from pzvision.game.events import (
    Deal,
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    HandEnd,
    HandStart,
    Leave,
    Peng,
    Reveal,
    TailLamp,
    Win,
)
from pzvision.game.fold import apply, start
from pzvision.game.legal import Act, legal
from pzvision.game.money import next_dealer
from pzvision.game.players import Player, Temper
from pzvision.game.state import State
from pzvision.rules import Meld, Ruleset, load_ruleset
from pzvision.tiles import KINDS, SEATS, Seat, Tile, next_seat, to_counts

_DECLARABLE: Final = ("tian_jiao", "dance", "sing", "bao_ting", "bai")
NAMES: Final = {"E": "东", "S": "南", "W": "西", "N": "北"}


@dataclass
class Table:
    """What really lies where: the simulator's own truth. Hands are 27 counts."""

    wall: list[Tile]
    hands: dict[Seat, list[int]] = field(default_factory=lambda: {seat: [0] * KINDS for seat in SEATS})
    melds: dict[Seat, list[Meld]] = field(default_factory=lambda: {seat: [] for seat in SEATS})
    rivers: dict[Seat, list[Tile]] = field(default_factory=lambda: {seat: [] for seat in SEATS})
    won: dict[Seat, Tile] = field(default_factory=dict)
    """Winning tiles that lie with their winner."""

    def all_tiles(self) -> list[int]:
        """27 counts of every tile of the table; always four of each."""
        counts = to_counts(self.wall)
        for seat in SEATS:
            for tile, number in enumerate(self.hands[seat]):
                counts[tile] += number
            for meld in self.melds[seat]:
                counts[meld.tile] += meld.size
            for tile in self.rivers[seat]:
                counts[tile] += 1
        for tile in self.won.values():
            counts[tile] += 1
        return counts


Observer = Callable[[Table, State, Event], None]


class Hand:
    """One simulated hand, with habits as `simulate` takes them. `play` yields its records."""

    def __init__(
        self,
        first: HandStart,
        random: Random,
        *,
        spice: float = 0.0,
        rare: float = 0.0,
        leave: float = 0.0,
        observe: Observer | None = None,
        line: int = 1,
    ) -> None:
        self.first = first
        self.random = random
        self.leave = leave
        self.observe = observe
        self.state = start(first, line)
        self.ruleset = self.state.ruleset
        self.players = {seat: Player(seat, Temper.random(random), random) for seat in SEATS}
        wanted: dict[Seat, list[Tile]] = {}
        if rare and random.random() < rare:
            wanted = rare_hands(random, first.dealer)
            for player in self.players.values():
                player.temper = replace(player.temper, dance=1.0)
        hands, wall = deal(random, first.dealer, spice, wanted)
        self.table = Table(wall)
        self.dealt = hands
        self.events: list[Event] = [first]

    def play(self) -> list[Event]:
        """All records of the hand, from ``hand_start`` to ``hand_end``."""
        self._deal()
        while len(self.state.winners) < 3:
            if self.state.phase == "act":
                self._turn(self.state.turn)
            elif not self._claims():
                if self.state.wall_left == 0:
                    break
                self._draw()
        for seat in self.state.playing:
            self._emit(Reveal(seat, _tiles(self.table.hands[seat])))
        self._emit(HandEnd())
        return self.events

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        self.state = apply(self.state, event)
        if self.observe is not None:
            self.observe(self.table, self.state, event)

    def _deal(self) -> None:
        for seat in SEATS:
            self.table.hands[seat] = to_counts(self.dealt[seat])
        for step in range(4):
            seat = next_seat(self.first.dealer, step)
            self._emit(Deal(seat, tuple(sorted(self.dealt[seat]))))
        if self.ruleset.shows_tail:
            self._emit(TailLamp(self.table.wall[-1]))
        for step in range(1, 4):
            self._declare(next_seat(self.first.dealer, step))

    # --- one player's turn -----------------------------------------------------------------------

    def _turn(self, seat: Seat) -> None:
        player = self.players[seat]
        acts = legal(self.state, seat)
        for act in acts:
            if act.kind == "win" and act.certainty == "certain" and player.wants_win(self.state, act):
                self._win(seat, act)
                return
        for act in acts:
            mine = act.kind in ("an_gang", "ba_gang") and act.certainty == "certain"
            if mine and player.wants_kong(self.state, act):
                self._kong(seat, act)
                return
        if any(act.kind == "alarm" and act.must for act in acts):
            self._emit(Declare(seat, "alarm", tiles=()))
            acts = legal(self.state, seat)
        allowed = tuple(
            act.tile
            for act in acts
            if act.kind == "discard" and act.certainty == "certain" and act.tile is not None
        )
        tile = player.discard(self.state, allowed)
        self.table.hands[seat][tile] -= 1
        self.table.rivers[seat].append(tile)
        self._emit(Discard(seat, tile))
        self._declare(seat)

    def _declare(self, seat: Seat) -> None:
        for _ in range(2):  # 天叫 with a song or dance, 报听 with 摆牌
            acts = {act.kind: act for act in legal(self.state, seat) if act.kind in _DECLARABLE}
            ordered = tuple(acts[kind] for kind in _DECLARABLE if kind in acts)
            act = self.players[seat].declaration(self.state, ordered)
            if act is None:
                return
            shown = act.kind in ("dance", "bai", "tian_jiao")
            tiles = _tiles(self.table.hands[seat]) if shown else ()
            for kind in _DECLARABLE:
                if kind == act.kind:
                    self._emit(Declare(seat, kind, tiles=tiles, waits=act.waits))

    def _kong(self, seat: Seat, act: Act) -> None:
        tile = act.tile
        assert tile is not None
        hand, melds = self.table.hands[seat], self.table.melds[seat]
        kept = act.kind == "ba_gang" and self.state[seat].drawn != tile
        if act.kind == "ba_gang":
            hand[tile] -= 1
            melds[melds.index(Meld("peng", tile))] = Meld("ba_gang", tile)
            self._emit(Gang(seat, "ba_gang", tile, kept))
        elif act.kind == "an_gang":
            hand[tile] -= 4
            melds.append(Meld("an_gang", tile))
            self._emit(Gang(seat, "an_gang", tile))
        else:
            hand[tile] -= 3
            melds.append(Meld("zhi_gang", tile))
            self.table.rivers[self.state.turn].pop()
            self._emit(Gang(seat, "zhi_gang", tile))

    # --- the others ------------------------------------------------------------------------------

    def _claims(self) -> bool:
        """Wins, kongs and 碰 on the offered tile; whether the play went on by one of them."""
        state = self.state
        offer = state.offer
        if offer is None or offer.winners:
            return False
        others = [next_seat(offer.seat, step) for step in range(1, 4)]
        options = {seat: legal(state, seat) for seat in others if state.in_hand(seat)}
        winners = [
            (seat, act)
            for seat, acts in options.items()
            for act in acts
            if act.kind == "win" and act.certainty == "certain" and self.players[seat].wants_win(state, act)
        ]
        for seat, act in winners:
            if len(self.state.winners) < 3:
                self._win(seat, act)
        if winners:
            return len(self.state.winners) >= 3
        for seat, acts in options.items():
            for act in acts:
                if act.certainty != "certain" or act.tile is None:
                    continue
                if act.kind == "zhi_gang" and self.players[seat].wants_kong(state, act):
                    self._kong(seat, act)
                    return True
                if act.kind == "peng" and self.players[seat].wants_peng(state, act.tile):
                    self.table.hands[seat][act.tile] -= 2
                    self.table.melds[seat].append(Meld("peng", act.tile))
                    self.table.rivers[offer.seat].pop()
                    self._emit(Peng(seat, act.tile))
                    return True
        return False

    def _win(self, seat: Seat, act: Act) -> None:
        tile = act.tile
        assert tile is not None and act.by is not None
        offer = self.state.offer
        hand = self.table.hands[seat]
        winners = () if offer is None else offer.winners
        self.table.won[seat] = tile
        if act.by == "self_draw" or offer is None:
            hand[tile] -= 1
        elif act.by == "discard":
            # The tile goes to a single winner; a second one sends it back to the river.
            river = self.table.rivers[offer.seat]
            if not winners:
                river.pop()
            else:
                del self.table.won[seat]
                if self.table.won.pop(winners[0], None) is not None:
                    river.append(tile)
        elif not winners:
            melds = self.table.melds[offer.seat]
            melds[melds.index(Meld("ba_gang", tile))] = Meld("peng", tile)
        else:
            del self.table.won[seat]
        self._emit(Win(seat, act.by, tile, _tiles(hand)))
        if self.random.random() < self.leave and len(self.state.winners) < 3:
            self._emit(Leave(seat))

    def _draw(self) -> None:
        pending = self.state.pending
        wall = self.table.wall
        tail = pending is not None and self.ruleset.shows_tail
        tile = wall.pop() if tail else wall.pop(0)
        seat = pending.seat if pending is not None else self.state.next_draw
        self.table.hands[seat][tile] += 1
        self._emit(Draw(seat, tile))
        if tail and wall:
            self._emit(TailLamp(wall[-1]))


def _tiles(counts: list[int]) -> tuple[Tile, ...]:
    return tuple(tile for tile, number in enumerate(counts) for _ in range(number))


def simulate(
    ruleset: Ruleset | str,
    seed: int = 1,
    hands: int = 1,
    *,
    base: int = 1,
    options: Mapping[str, object] | None = None,
    dealer: Seat = "E",
    spice: float = 0.0,
    rare: float = 0.0,
    leave: float = 0.0,
    observe: Observer | None = None,
) -> list[Event]:
    """Records of that many hands in a row, the dealer moving as the rules say.

    ``ruleset``: an id or a loaded ruleset; ``options`` say what differs from it and go into the log. The same
    arguments give the same records. ``spice`` (0..1): how often hands are stacked; ``rare`` (0..1): how often
    a table is set up for the rarest rules (报警, 将对); ``leave``: how often a winner leaves early.
    ``observe`` is called after every record with the table, the state and the record.
    """
    return [
        event
        for part in simulate_hands(
            ruleset,
            seed,
            hands,
            base=base,
            options=options,
            dealer=dealer,
            spice=spice,
            rare=rare,
            leave=leave,
            observe=observe,
        )
        for event in part.events
    ]


def simulate_hands(
    ruleset: Ruleset | str,
    seed: int = 1,
    hands: int = 1,
    *,
    base: int = 1,
    options: Mapping[str, object] | None = None,
    dealer: Seat = "E",
    spice: float = 0.0,
    rare: float = 0.0,
    leave: float = 0.0,
    observe: Observer | None = None,
) -> Iterator[Hand]:
    """As `simulate`, hand by hand: each `Hand` has its ``events``, final ``state`` and ``table``."""
    name = ruleset if isinstance(ruleset, str) else ruleset.id
    load_ruleset(name, options)
    line = 1
    for number in range(hands):
        random = Random(f"{name} {seed} {number}")
        first = HandStart(name, dealer, base, dict(options or {}), NAMES)
        hand = Hand(first, random, spice=spice, rare=rare, leave=leave, observe=observe, line=line)
        hand.play()
        yield hand
        line += len(hand.events)
        dealer = next_dealer(hand.state)
