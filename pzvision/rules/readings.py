"""Readings of a winning hand: which sets it falls into and what the winning tile completes.

The dearest reading counts (D3), so a hand's value depends only on the few facts of a reading that patterns
look at. Those facts are packed into an int per suit (`facts`); a whole hand's facts
are the bitwise OR of its suits' and melds' ints (constants in `facts`). Only when someone asks for
the words are the sets themselves looked up again (`find_reading`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal, TypeAlias

from pzvision.rules.facts import (
    ALL_MELDS,
    FILLS_PAIR,
    FOURS_SHIFT,
    HAS_MELD,
    HAS_MIDDLE_SET,
    HAS_NON_258,
    HAS_PENG,
    HAS_SEQUENCE,
    MING_SHIFT,
    SEVEN_PAIRS,
    SPLIT_FOURS_SHIFT,
    SUIT_PRESENT,
    SUIT_SHIFT,
    SUIT_WIDTH,
    WON_AN_GUI,
    WON_MING_GUI,
    WON_TRIPLET_SEQUENCE,
    facts_table,
    fill_bits,
)
from pzvision.rules.hand import Meld
from pzvision.tiles import COPIES, KINDS, Tile, format_tiles

Wait: TypeAlias = Literal["gap", "edge", "terminal_edge", "pair", "triplet", "two_sided"]

RankSet: TypeAlias = tuple[int, ...]  # ranks 0-8 of one set or pair
Parts: TypeAlias = tuple[RankSet, ...]


def decompose(counts: Sequence[int]) -> Iterator[Parts]:
    """Every way to part nine counts into sets and at most one pair, each exactly once, lowest rank first.

    >>> sorted(decompose([2, 1, 1, 0, 0, 0, 0, 0, 0]))
    []
    >>> list(decompose([3, 1, 1, 0, 0, 0, 0, 0, 0]))
    [((0, 0), (0, 1, 2))]
    """
    return _decompose(list(counts), 0, sum(counts) % 3 == 2)


def _decompose(counts: list[int], rank: int, pair: bool) -> Iterator[Parts]:
    while rank < 9 and not counts[rank]:
        rank += 1
    if rank == 9:
        if not pair:
            yield ()
        return
    options: list[RankSet] = []
    if pair and counts[rank] >= 2:
        options.append((rank, rank))
    if counts[rank] >= 3:
        options.append((rank, rank, rank))
    if rank < 7 and counts[rank + 1] and counts[rank + 2]:
        options.append((rank, rank + 1, rank + 2))
    for part in options:
        for r in part:
            counts[r] -= 1
        for rest in _decompose(counts, rank, pair and len(part) == 3):
            # Parts of the same lowest rank come in one order only, or readings would repeat.
            if not rest or rest[0][0] != part[0] or (len(part), part) <= (len(rest[0]), rest[0]):
                yield (part, *rest)
        for r in part:
            counts[r] += 1


def wait_in(part: RankSet, rank: int) -> Wait:
    """What a winning tile of that rank does in that part."""
    if len(part) == 2:
        return "pair"
    if part[0] == part[1]:
        return "triplet"
    if rank == part[1]:
        return "gap"
    if (part[0] == 0 and rank == 2) or (part[2] == 8 and rank == 6):
        return "edge"
    if rank in (0, 8):
        return "terminal_edge"
    return "two_sided"


def _reading_facts(counts: Sequence[int], parts: Parts, rank: int) -> tuple[int, int]:
    """Shared facts and per-suit facts of one reading of a suit, but for what the winning tile fills.

    `rank` is the winning tile's, -1 where it is of another suit.
    """
    bits = 0
    for part in parts:
        if len(part) == 3 and part[0] != part[1]:
            bits |= HAS_SEQUENCE
        if part[0] != 0 and part[-1] != 8:
            bits |= HAS_MIDDLE_SET
    if any(count and r not in (1, 4, 7) for r, count in enumerate(counts)):
        bits |= HAS_NON_258
    fours = [r for r in range(9) if counts[r] >= COPIES]
    split = [
        r
        for r in fours
        if (r, r, r) in parts and any(len(part) == 3 and part[0] != part[1] and r in part for part in parts)
    ]
    if rank in fours:
        bits |= WON_AN_GUI
    if rank in split:
        bits |= WON_TRIPLET_SEQUENCE
    present = SUIT_PRESENT if any(counts) else 0
    return bits, present | len(fours) << FOURS_SHIFT | len(split) << SPLIT_FOURS_SHIFT


def suit_facts(counts: Sequence[int], suit: int, rank: int) -> tuple[int, ...]:
    """What `FactsTable.of` holds, worked out from the readings themselves; for five of a kind, too."""
    found: dict[int, None] = {}
    for parts in decompose(counts):
        bits, own = _reading_facts(counts, parts, rank)
        bits |= own << (SUIT_SHIFT + SUIT_WIDTH * suit)
        if rank < 0:
            found[bits] = None
        for part in parts:
            if rank in part:
                found[bits | fill_bits(part, rank)] = None
    return tuple(sorted(found))


class SuitFacts(dict[bytes, tuple[tuple[int, ...], ...]]):
    """Nine counts → their facts as suit 0, 1 and 2, one int per reading that differs; empty: not finished.

    `rank` 0–8 is the winning tile's, −1 where that is of another suit. Filled as hands come.
    """

    def __init__(self, rank: int) -> None:
        super().__init__()
        self.rank = rank

    def __missing__(self, counts: bytes) -> tuple[tuple[int, ...], ...]:
        if max(counts) > COPIES:  # five of a kind (`own_four_wait`) is too rare for the table
            return tuple(suit_facts(counts, suit, self.rank) for suit in range(3))
        facts = facts_table().of(counts, self.rank)
        if facts[0]:
            self[counts] = facts
        return facts


#: Facts of a suit without the winning tile.
OTHER_SUIT: Final = SuitFacts(-1)
_BY_RANK: Final = tuple(SuitFacts(rank) for rank in range(9))
#: [tile]: facts of the winning tile's suit.
WINNING_SUIT: Final = _BY_RANK * 3


def _meld_facts(tile: Tile, peng: bool) -> int:
    bits = SUIT_PRESENT << (SUIT_SHIFT + SUIT_WIDTH * (tile // 9)) | HAS_MELD | (HAS_PENG if peng else 0)
    if tile % 9 not in (0, 8):
        bits |= HAS_MIDDLE_SET
    return bits if tile % 9 in (1, 4, 7) else bits | HAS_NON_258


#: [tile]: facts that a 碰, or a kong, of that kind adds.
PENG_FACTS: Final = tuple(_meld_facts(tile, True) for tile in range(KINDS))
KONG_FACTS: Final = tuple(_meld_facts(tile, False) for tile in range(KINDS))


def seven_pairs_facts(hand: bytes, tile: Tile) -> int:
    """Facts of 27 even counts (14 tiles) read as seven pairs."""
    bits = SEVEN_PAIRS | FILLS_PAIR
    for kind, count in enumerate(hand):
        if count:
            shift = SUIT_SHIFT + SUIT_WIDTH * (kind // 9)
            bits |= SUIT_PRESENT << shift
            if kind % 9 not in (1, 4, 7):
                bits |= HAS_NON_258
            if count == COPIES:
                bits += 1 << (shift + FOURS_SHIFT)
    return bits | (WON_AN_GUI if hand[tile] == COPIES else 0)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a winning hand.

    `parts`: the concealed sets and pair (seven pairs: the pairs), each a tuple of kinds, sorted.
    `melds`: as given. `winning`: index into `parts` of the one the winning tile `tile` completes.
    `wait`: how it does.
    """

    parts: tuple[tuple[Tile, ...], ...]
    melds: tuple[Meld, ...]
    tile: Tile
    winning: int
    wait: Wait

    def __str__(self) -> str:
        """``123m 46+5m 99p`` then the melds in brackets: the winning tile follows the ``+``."""
        words = []
        for index, part in enumerate(self.parts):
            if index == self.winning:
                rest = list(part)
                rest.remove(self.tile)
                suit = format_tiles(rest)
                words.append(f"{suit[:-1]}+{format_tiles([self.tile])}")
            else:
                words.append(format_tiles(part))
        return " ".join([*words, *(f"[{format_tiles([m.tile] * m.size)}]" for m in self.melds)])


def readings(hand: bytes, melds: Sequence[Meld], tile: Tile) -> Iterator[tuple[Reading, int]]:
    """Every reading of a winning hand (27 counts with the winning tile) and its facts, melds left out."""
    suits = [hand[9 * suit : 9 * suit + 9] for suit in range(3)]
    for by_suit in product(*(list(decompose(counts)) for counts in suits)):
        parts = tuple(tuple(9 * suit + rank for rank in part) for suit in range(3) for part in by_suit[suit])
        if sum(len(part) == 2 for part in parts) != 1:
            continue
        facts = 0
        for suit, (counts, ranks) in enumerate(zip(suits, by_suit, strict=True)):
            bits, own = _reading_facts(counts, ranks, tile % 9 if suit == tile // 9 else -1)
            facts |= bits | own << (SUIT_SHIFT + SUIT_WIDTH * suit)
        for index, part in enumerate(parts):
            if tile in part and part not in parts[:index]:
                filled = tuple(kind % 9 for kind in part)
                reading = Reading(parts, tuple(melds), tile, index, wait_in(filled, tile % 9))
                yield reading, facts | fill_bits(filled, tile % 9)
    if not melds and sum(hand) == 14 and all(count % 2 == 0 for count in hand):
        pairs = tuple((kind, kind) for kind, count in enumerate(hand) for _ in range(count // 2))
        yield Reading(pairs, (), tile, pairs.index((tile, tile)), "pair"), seven_pairs_facts(hand, tile)


def find_reading(hand: bytes, melds: Sequence[Meld], tile: Tile, facts: int) -> Reading:
    """The first reading with these facts, the melds' included. Raises `ValueError` where there is none."""
    meld_bits = facts_of_melds(hand, melds, tile)
    for reading, bits in readings(hand, melds, tile):
        if bits | meld_bits == facts:
            return reading
    raise ValueError(f"no reading of {list(hand)} has the facts {facts:#x}")


def facts_of_melds(hand: Sequence[int], melds: Sequence[Meld], tile: Tile) -> int:
    """Facts that the melds add to a hand whose 27 concealed counts include the winning tile."""
    bits = ALL_MELDS if len(melds) == 4 else 0
    for meld in melds:
        if meld.kind != "peng":
            bits |= KONG_FACTS[meld.tile]
        else:
            bits |= PENG_FACTS[meld.tile]
            if hand[meld.tile]:
                bits += 1 << MING_SHIFT
                if meld.tile == tile:
                    bits |= WON_MING_GUI
    return bits
