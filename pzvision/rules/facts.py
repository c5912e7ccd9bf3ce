"""The packed facts of a reading (see `readings`), and the table of them for every finished suit.

What is noted are the things that prices ask for: edge, gap and pair waits, the 5 between 4 and 6, fours of a
kind (S0 §1.7–1.9), sets with 1 or 9, tiles 2, 5, 8 (S0 §4.2e–f).

A suit's facts depend on its counts and on which of its tiles won, so they are all worked out at once, by
adding up every choice of at most four sets and a pair: 48,450 choices in well under a second, on first use.
"""

from __future__ import annotations

import sys
from functools import cache
from itertools import combinations_with_replacement
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pzvision.rules.tables import DIGITS, POWERS, RANKS, SETS
from pzvision.tiles import COPIES

# Facts true of the whole hand when true of any part:
HAS_SEQUENCE: Final = 1 << 0  # some set is a sequence
HAS_MIDDLE_SET: Final = 1 << 1  # some set, or the pair, has neither a 1 nor a 9
HAS_NON_258: Final = 1 << 2  # some tile is not 2, 5 or 8
# What the winning tile completes, in the suit it belongs to:
FILLS_4_6: Final = 1 << 3  # a 5 between 4 and 6
FILLS_GAP: Final = 1 << 4  # the middle of a sequence
FILLS_EDGE: Final = 1 << 5  # 3 on 12, 7 on 89
FILLS_TERMINAL: Final = 1 << 6  # 1 on 23, 9 on 78
FILLS_PAIR: Final = 1 << 7  # the pair's second tile
# The winning tile's own fours and 碰:
WON_AN_GUI: Final = 1 << 8  # it is one of four concealed
WON_TRIPLET_SEQUENCE: Final = 1 << 9  # those four are a triplet and part of a sequence
WON_MING_GUI: Final = 1 << 10  # it is the fourth of a 碰
# Whole-hand facts:
ALL_MELDS: Final = 1 << 11  # four melds
SEVEN_PAIRS: Final = 1 << 12
# Per suit 0, 1, 2: present (1 bit), concealed fours (2 bits), fours that are triplet and sequence (2 bits).
SUIT_SHIFT: Final = 13
SUIT_WIDTH: Final = 5
SUIT_PRESENT: Final = 1 << 0
FOURS_SHIFT: Final = 1
SPLIT_FOURS_SHIFT: Final = 3
# How many 碰 have their fourth tile in the hand (3 bits), and what melds there are.
MING_SHIFT: Final = SUIT_SHIFT + 3 * SUIT_WIDTH
MING_MASK: Final = 7
HAS_MELD: Final = 1 << (MING_SHIFT + 3)
HAS_PENG: Final = 1 << (MING_SHIFT + 4)

_NO_SET: Final = len(SETS)


def fill_bits(part: tuple[int, ...], rank: int) -> int:
    """The ``FILLS_*`` facts of a winning tile of that rank (0–8) in that set or pair of ranks."""
    if len(part) == 2:
        return FILLS_PAIR
    if part[0] == part[1]:
        return 0
    if rank == part[1]:
        return FILLS_GAP | (FILLS_4_6 if rank == 4 else 0)
    if (part[0] == 0 and rank == 2) or (part[2] == 8 and rank == 6):
        return FILLS_EDGE
    return FILLS_TERMINAL if rank in (0, 8) else 0


def _parts() -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Sets and pairs as ranks, in the order of `SETS` and of ranks."""
    sets = [tuple(int(r) for r in range(RANKS) for _ in range(row[r])) for row in SETS]
    return sets, [(r, r) for r in range(RANKS)]


class FactsTable:
    """Facts of every finished suit without five of a kind; one int per reading that differs.

    `slots` maps a suit's key to where its ten entries in `starts` begin: winning tile in another suit, then
    of rank 0–8. Two neighbours in `starts` bound the facts in `rows`, one array for each suit's bits.
    """

    def __init__(self) -> None:
        keys, ranks, facts = _all_facts()
        unique = np.unique(keys)
        entry = np.searchsorted(unique, keys) * (RANKS + 1) + ranks + 1
        order = np.unique((entry.astype(np.int64) << 32) | facts)
        bounds = np.arange(len(unique) * (RANKS + 1) + 1, dtype=np.int64) << 32
        rows = (order & 0xFFFFFFFF).astype(np.int32)
        low = rows & ((1 << SUIT_SHIFT) - 1)
        self.slots = {key: (RANKS + 1) * index for index, key in enumerate(unique.tolist())}
        self.starts = np.searchsorted(order, bounds).astype(np.int32).data
        self.rows = tuple((low | (rows ^ low) << SUIT_WIDTH * suit).data for suit in range(3))

    @property
    def nbytes(self) -> int:
        """Memory of the table, in bytes."""
        arrays = self.starts.nbytes + sum(row.nbytes for row in self.rows)
        return arrays + sys.getsizeof(self.slots) + 2 * sum(map(sys.getsizeof, self.slots))

    def of(self, counts: bytes, rank: int) -> tuple[tuple[int, ...], ...]:
        """Facts of nine counts (0–4) as suit 0, 1 and 2; empty: not finished, or `rank` is not held."""
        slot = self.slots.get(int(counts.translate(DIGITS), 5))
        if slot is None:
            return ((), (), ())
        start, end = self.starts[slot + rank + 1], self.starts[slot + rank + 2]
        men, tiao, tong = self.rows
        if end == start + 1:  # nearly always
            return ((men[start],), (tiao[start],), (tong[start],))
        return (tuple(men[start:end]), tuple(tiao[start:end]), tuple(tong[start:end]))


def _all_facts() -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """(key, winning rank or −1, facts) of every reading of every finished suit, with repeats."""
    sets, pairs = _parts()
    chosen = np.array(
        [
            choice + (_NO_SET,) * (4 - size)
            for size in range(5)
            for choice in combinations_with_replacement(range(_NO_SET), size)
        ]
    )
    chosen = np.repeat(chosen, RANKS + 1, axis=0)
    pair = np.tile(np.arange(-1, RANKS), len(chosen) // (RANKS + 1))
    set_counts = np.vstack([SETS, np.zeros((1, RANKS), dtype=SETS.dtype)])
    counts = set_counts[chosen].sum(axis=1)
    counts[np.arange(len(pair)), pair] += np.where(pair >= 0, 2, 0)
    kept = counts.max(axis=1) <= COPIES
    chosen, pair, counts = chosen[kept], pair[kept], counts[kept]

    held = counts > 0
    fours = counts == COPIES
    triplets = (chosen[:, :, None] == np.arange(RANKS)).any(axis=1)
    in_sequence = (set_counts[chosen] * ((chosen >= RANKS) & (chosen < _NO_SET))[:, :, None]).any(axis=1)
    split = fours & triplets & in_sequence
    middle_set = np.array([part[0] != 0 and part[-1] != 8 for part in sets] + [False])
    middle_pair = (pair > 0) & (pair < 8)
    bits = np.where(in_sequence.any(axis=1), HAS_SEQUENCE, 0)
    bits |= np.where(middle_set[chosen].any(axis=1) | middle_pair, HAS_MIDDLE_SET, 0)
    bits |= np.where(held[:, [0, 2, 3, 5, 6, 8]].any(axis=1), HAS_NON_258, 0)
    own = (
        held.any(axis=1) * SUIT_PRESENT
        | fours.sum(axis=1) << FOURS_SHIFT
        | split.sum(axis=1) << SPLIT_FOURS_SHIFT
    )
    bits |= own << SUIT_SHIFT

    key = counts @ POWERS
    keys, ranks, facts = [key], [np.full(len(key), -1)], [bits]
    set_fills = np.array([[fill_bits(part, r) if r in part else -1 for r in range(RANKS)] for part in sets])
    set_fills = np.vstack([set_fills, np.full((1, RANKS), -1)])
    pair_fills = np.array([[fill_bits(part, r) if r in part else -1 for r in range(RANKS)] for part in pairs])
    pair_fills = np.vstack([pair_fills, np.full((1, RANKS), -1)])  # row −1: no pair
    for rank in range(RANKS):
        won = (
            bits | np.where(fours[:, rank], WON_AN_GUI, 0) | np.where(split[:, rank], WON_TRIPLET_SEQUENCE, 0)
        )
        for fills in (*(set_fills[chosen[:, i], rank] for i in range(4)), pair_fills[pair, rank]):
            here = np.flatnonzero(fills >= 0)
            keys.append(key[here])
            ranks.append(np.full(len(here), rank))
            facts.append(won[here] | fills[here])
    return np.concatenate(keys), np.concatenate(ranks), np.concatenate(facts)


@cache
def facts_table() -> FactsTable:
    """The table, built when first asked for."""
    return FactsTable()
