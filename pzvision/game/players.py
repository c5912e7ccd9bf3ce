"""Simulated players: what to discard, claim, kong, declare and win. Sensible, not strong, and each a little
different, so that hands end in wins, songs, dances, kong chains and empty walls alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final

from pzvision.game.events import Tiles
from pzvision.game.legal import Act
from pzvision.game.state import State
from pzvision.rules import Meld, wait_tiles
from pzvision.tiles import KINDS, Seat, Tile

_SET: Final = 10.0
_PAIR: Final = 4.0
_OPEN: Final = 4.2
_GAP: Final = 3.0
_EDGE: Final = 2.6


@lru_cache(maxsize=1 << 18)
def suit_potential(counts: tuple[int, ...]) -> float:
    """How near one suit's nine counts are to sets: the best split into sets, pairs and two-tile parts.

    About 10 times the number of sets; parts of sets and tiles alone count less.
    """
    rank = next((r for r, count in enumerate(counts) if count), -1)
    if rank < 0:
        return 0.0

    def less(*ranks: int) -> tuple[int, ...]:
        rest = list(counts)
        for r in ranks:
            rest[r] -= 1
        return tuple(rest)

    best = suit_potential(less(rank)) + (0.3 if rank in (0, 8) else 0.6 if rank in (1, 7) else 0.8)
    if counts[rank] >= 2:
        best = max(best, _PAIR + suit_potential(less(rank, rank)))
    if counts[rank] >= 3:
        best = max(best, _SET + suit_potential(less(rank, rank, rank)))
    near = rank <= 7 and counts[rank + 1] > 0
    far = rank <= 6 and counts[rank + 2] > 0
    if near and far:
        best = max(best, _SET + suit_potential(less(rank, rank + 1, rank + 2)))
    if near:
        part = _EDGE if rank in (0, 7) else _OPEN
        best = max(best, part + suit_potential(less(rank, rank + 1)))
    if far:
        best = max(best, _GAP + suit_potential(less(rank, rank + 2)))
    return best


@dataclass(frozen=True, slots=True)
class Temper:
    """One player's habits for one hand, as probabilities 0..1 unless said otherwise.

    flush, pairs: how much (in potential) a tile of the main suit, or a pair, is worth on top.
    """

    sing: float
    dance: float
    peng: float
    kong: float
    greed: float
    flush: float
    pairs: float

    @classmethod
    def random(cls, random: Random) -> Temper:
        """Somebody."""
        return cls(
            sing=random.uniform(0.1, 0.9),
            dance=random.choice((0.0, 0.1, 0.3, 0.6)),
            peng=random.uniform(0.3, 0.95),
            kong=random.uniform(0.75, 1.0),
            greed=random.choice((0.0, 0.0, 0.1, 0.3)),
            flush=random.choice((0.0, 0.0, 0.5, 2.0)),
            pairs=random.choice((0.0, 0.0, 0.0, 2.5)),
        )


class Player:
    """Decides for one seat of one hand. Sees its own tiles and what lies on the table."""

    def __init__(self, seat: Seat, temper: Temper, random: Random) -> None:
        self.seat = seat
        self.temper = temper
        self.random = random

    def _potential(self, state: State, counts: list[int], melds: tuple[Meld, ...]) -> float:
        suits = (tuple(counts[0:9]), tuple(counts[9:18]), tuple(counts[18:27]))
        value = sum(map(suit_potential, suits)) + _SET * len(melds)
        sizes = [sum(s) + 3 * sum(1 for m in melds if m.tile // 9 == i) for i, s in enumerate(suits)]
        value += self.temper.flush * max(sizes)
        if not melds and self.temper.pairs:
            value += self.temper.pairs * sum(count // 2 for count in counts)
        if state.ruleset.que == "must":
            value -= 3.0 * min(sizes)
        elif state.ruleset.que == "huo_que":
            value -= 0.5 * min(sizes)
        return value

    def wants_win(self, state: State, act: Act) -> bool:
        """Whether to take a win that is offered: always if forced; the greedy let cheap early ones pass."""
        if act.must or state.wall_left < 16 or act.fan > 2:
            return True
        return self.random.random() >= self.temper.greed

    def wants_kong(self, state: State, act: Act) -> bool:
        """Whether to make a kong the rules allow."""
        return act.replacement_wins is True or self.random.random() < self.temper.kong

    def wants_peng(self, state: State, tile: Tile) -> bool:
        """Whether a 碰 brings the hand nearer."""
        s = state[self.seat]
        waits = state.waits(self.seat)
        if waits:
            return False
        before = self._potential(state, s.concealed, s.melds)
        counts = s.concealed[:]
        counts[tile] -= 2
        melds = (*s.melds, Meld("peng", tile))
        after = 0.0
        for drop in range(KINDS):
            if counts[drop]:
                counts[drop] -= 1
                after = max(after, self._potential(state, counts, melds))
                counts[drop] += 1
        return after > before and self.random.random() < self.temper.peng

    def discard(self, state: State, allowed: Tiles) -> Tile:
        """The tile to discard among the allowed ones: stay or become ready, else keep what fits together."""
        if len(allowed) == 1:
            return allowed[0]
        s = state[self.seat]
        counts = s.concealed[:]
        seen: list[int] | None = None
        best, choice = -1.0, allowed[0]
        values: list[tuple[float, Tile]] = []
        for tile in allowed:
            counts[tile] -= 1
            values.append((self._potential(state, counts, s.melds), tile))
            counts[tile] += 1
        top = max(values)[0]
        for value, tile in values:
            counts[tile] -= 1
            # Whoever is far from ready need not look for waits.
            if top >= 3 * _SET or self.temper.pairs:
                waits = wait_tiles(state.ruleset, counts, s.melds)
                if waits:
                    if seen is None:
                        seen = [a + b for a, b in zip(state.visible(), s.concealed, strict=True)]
                    value += 20 + sum(max(0, 4 - seen[wait]) for wait in waits)
            counts[tile] += 1
            value += self.random.random() * 0.2
            if value > best:
                best, choice = value, tile
        return choice

    def declaration(self, state: State, acts: tuple[Act, ...]) -> Act | None:
        """What to declare among the allowed declarations, if anything."""
        for act in acts:
            if act.certainty != "certain" or not act.waits:
                continue
            seen = state.visible()
            hand = state[self.seat].concealed
            left = sum(max(0, 4 - seen[tile] - hand[tile]) for tile in act.waits)
            eager = min(1.0, 0.25 + 0.2 * left)
            wish = {
                "tian_jiao": 0.95,
                "bao_ting": 0.8,
                "dance": self.temper.dance * eager,
                "sing": self.temper.sing * eager,
                "bai": self.temper.sing * eager,
            }.get(act.kind, 0.0)
            if self.random.random() < wish:
                return act
        return None
