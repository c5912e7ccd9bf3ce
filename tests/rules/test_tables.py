"""Per suit, every combination of nine counts against a slow recursion that is obviously right."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

from pzvision.rules.facts import facts_table
from pzvision.rules.readings import decompose, suit_facts
from pzvision.rules.tables import ODD_SHIFT, PAIR_BIT, SETS_BIT, SUIT_LOOKUP, SUIT_TABLE

ALL_COUNTS = 405_350  # nine ranks, at most four each and fourteen together


def every_suit(ranks: int = 9, tiles: int = 14) -> Iterator[tuple[int, ...]]:
    if ranks == 0:
        yield ()
        return
    for first in range(min(4, tiles) + 1):
        for rest in every_suit(ranks - 1, tiles - first):
            yield (first, *rest)


@cache
def is_sets(counts: tuple[int, ...], pair: bool) -> bool:
    """Sets only, or with `pair` sets and one pair: the lowest tile is in a pair, a triplet or a sequence."""
    low = next((r for r in range(9) if counts[r]), None)
    if low is None:
        return not pair
    options: list[tuple[tuple[int, ...], bool]] = [((low, low, low), pair)]
    if low < 7:
        options.append(((low, low + 1, low + 2), pair))
    if pair:
        options.append(((low, low), False))
    for part, still in options:
        rest = list(counts)
        for rank in part:
            rest[rank] -= 1
        if min(rest) >= 0 and is_sets(tuple(rest), still):
            return True
    return False


def check(counts: tuple[int, ...]) -> None:
    entry = SUIT_LOOKUP[int("".join(map(str, counts)), 5)]
    total = sum(counts)
    # Sets have a number of tiles divisible by three, sets and a pair two more; the recursion says the rest.
    # Four sets and a pair are all that fits a hand; fifteen tiles of one suit are none.
    assert bool(entry & SETS_BIT) == (total % 3 == 0 and total <= 12 and is_sets(counts, False)), counts
    assert bool(entry & PAIR_BIT) == (total % 3 == 2 and is_sets(counts, True)), counts
    assert entry >> ODD_SHIFT == sum(1 << r for r, c in enumerate(counts) if c % 2), counts
    to_sets = to_pair = 0
    for rank in range(9):
        more = (*counts[:rank], counts[rank] + 1, *counts[rank + 1 :])
        if total % 3 == 2 and total < 12 and is_sets(more, False):
            to_sets |= 1 << rank
        if total % 3 == 1 and total < 14 and is_sets(more, True):
            to_pair |= 1 << rank
    assert (entry & 0x1FF, entry >> 9 & 0x1FF) == (to_sets, to_pair), counts


def test_a_sample_of_suits_agrees_with_the_recursion() -> None:
    rnd = random.Random(7)
    for counts in rnd.sample(list(every_suit(9, 6)), 500):
        check(counts)
    for _ in range(500):
        counts = [0] * 9
        for tile in rnd.sample(range(36), rnd.choice([9, 10, 11, 12, 13, 14])):
            counts[tile // 4] += 1
        check(tuple(counts))


@pytest.mark.slow
def test_all_405350_suits_agree_with_the_recursion() -> None:
    seen = 0
    for counts in every_suit():
        check(counts)
        seen += 1
    assert seen == ALL_COUNTS


def test_the_tables_are_small() -> None:
    assert SUIT_TABLE.shape == (5**9,)
    assert SUIT_TABLE.nbytes + facts_table().nbytes < 64e6


def naive_readings(counts: tuple[int, ...]) -> set[tuple[tuple[int, ...], ...]]:
    """Readings as sorted tuples of parts, found in any order and made equal by sorting."""
    total = sum(counts)
    if total == 0:
        return {()}
    found = set()
    sizes = [3] if total % 3 == 0 else [2, 3]
    for low in range(9):
        for part in ((low, low), (low, low, low), (low, low + 1, low + 2)):
            if len(part) not in sizes or part[-1] > 8:
                continue
            rest = list(counts)
            for rank in part:
                rest[rank] -= 1
            if min(rest) >= 0:
                for reading in naive_readings(tuple(rest)):
                    found.add(tuple(sorted((part, *reading))))
    return found


def test_decompose_gives_each_reading_once() -> None:
    rnd = random.Random(3)
    cases = [(3, 3, 3, 0, 0, 0, 0, 0, 0), (4, 4, 4, 2, 0, 0, 0, 0, 0), (3, 1, 1, 1, 1, 1, 1, 1, 3)]
    finished = [c for c in every_suit(9, 6) if sum(c) % 3 != 1]
    cases += rnd.sample(finished, 200)
    for counts in cases:
        readings = [tuple(sorted(parts)) for parts in decompose(counts)]
        assert len(readings) == len(set(readings)), counts
        if sum(counts) % 3 != 1:
            assert set(readings) == naive_readings(counts), counts


def check_facts(key: int) -> None:
    digits = []
    for _ in range(9):
        key, digit = divmod(key, 5)
        digits.append(digit)
    counts = bytes(reversed(digits))
    for rank in range(-1, 9):
        suit = (rank + 1) % 3  # every suit has its turn
        facts = facts_table().of(counts, rank)[suit]
        assert tuple(sorted(facts)) == suit_facts(counts, suit, rank), (list(counts), rank, suit)


def test_a_sample_of_the_facts_table_agrees_with_the_readings() -> None:
    for key in random.Random(5).sample(sorted(facts_table().slots), 200):
        check_facts(key)


@pytest.mark.slow
def test_the_whole_facts_table_agrees_with_the_readings() -> None:
    assert len(facts_table().slots) == 21_743
    for key in facts_table().slots:
        check_facts(key)


def test_unfinished_suits_have_no_facts() -> None:
    assert facts_table().of(bytes((1, 0, 0, 0, 0, 0, 0, 0, 0)), -1) == ((), (), ())
    assert facts_table().of(bytes((3, 0, 0, 0, 0, 0, 0, 0, 0)), 5) == ((), (), ())
