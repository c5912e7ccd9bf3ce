"""Waits and finished hands: the seeds' examples, the array functions, and what is refused."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pzvision.errors import FormatError
from pzvision.rules import Meld, complete_mask, is_complete, load_ruleset, score_win, wait_masks, wait_tiles
from pzvision.tiles import format_tiles, parse_tile, parse_tiles, to_counts

PZH = load_ruleset("pzh-traditional")


def waits(text: str, *melds: str, own_four: bool = False) -> str:
    rules = load_ruleset("pzh-traditional", {"own_four_wait": own_four})
    laid = tuple(Meld("peng" if len(m) == 4 else "an_gang", parse_tile(m[0] + m[-1])) for m in melds)
    return format_tiles(wait_tiles(rules, to_counts(parse_tiles(text)), laid))


@pytest.mark.parametrize(
    ("hand", "melds", "expected"),
    [
        ("46m11s", ("222p", "333p", "444p"), "5m"),  # a gap
        ("4556m", ("222p", "333p", "444p"), "5m"),  # S0 §1.8
        ("45556m11s", ("222p", "333p"), "5m1s"),  # S0 §1.8; with a pair beside it the pair, too
        ("23s11p", ("222m", "333m", "444m"), "14s"),  # S0 §1.9
        ("12m99p", ("222s", "333s", "444s"), "3m"),
        ("1112345678999m", (), "123456789m"),  # nine waits
        ("1122334455667m", (), "147m"),  # seven pairs and three readings of sequences
        ("1133557799m113p", (), "3p"),
        ("1111335577m113p", (), "3p"),  # four equal tiles count as two pairs
        ("5m", ("111s", "222s", "333p", "444p"), "5m"),
        ("123456789m1234p", (), "14p"),
        ("13579m13579s135p", (), ""),
        ("1111234m555s777p", (), "4m"),  # not 1m: all four are held
        ("4m", ("444m", "222s", "333p", "444p"), ""),
    ],
)
def test_waits(hand: str, melds: tuple[str, ...], expected: str) -> None:
    assert waits(hand, *melds) == expected


def test_a_wait_one_holds_four_of_is_none() -> None:
    """D4: four concealed, a kong, or a 碰 with the fourth in the hand."""
    assert waits("2222m", "111s", "222s", "333s") == ""
    assert waits("2222m", "111s", "222s", "333s", own_four=True) == "2m"
    assert waits("56p11s", "4444p", "777s", "222m") == "7p"
    assert waits("56p11s", "4444p", "777s", "222m", own_four=True) == "47p"
    assert waits("4556p", "444p", "777m", "222m") == "5p"
    assert waits("4566p", "444p", "777m", "222m") == "36p"
    assert waits("5644p", "444s", "777m", "222m") == "47p"
    assert waits("4445p", "666p", "777m", "222m") == "356p"


@pytest.mark.parametrize(
    ("hand", "melds", "expected"),
    [
        ("11123456789999m", 0, True),
        ("11m", 4, True),
        ("12m", 4, False),
        ("11223344556677m", 0, True),
        ("11113355m113377p", 0, True),
        ("113355m11p", 2, False),  # seven pairs are concealed only
        ("111222333m44455p", 0, True),
    ],
)
def test_finished_hands(hand: str, melds: int, expected: bool) -> None:
    laid = tuple(Meld("peng", 18 + 8 - i) for i in range(melds))
    assert is_complete(to_counts(parse_tiles(hand)), laid) is expected


@pytest.mark.parametrize(
    ("hand", "melds", "words"),
    [
        ("123m", 0, "3 concealed tiles: expected 13 with 0 melds"),
        ("11111m234567s12p", 0, "5 of 1m: there are only 4"),
        ("123456789m12345p", 0, "14 concealed tiles: expected 13 with 0 melds"),
        ("123456789m1234p", 1, "expected 10 with 1 melds"),
    ],
)
def test_wrong_hands_are_refused_in_one_line(hand: str, melds: int, words: str) -> None:
    laid = tuple(Meld("peng", 26 - i) for i in range(melds))
    with pytest.raises(FormatError) as caught:
        wait_tiles(PZH, to_counts(parse_tiles(hand)), laid)
    assert words in str(caught.value) and "\n" not in str(caught.value)
    assert caught.value.field == "concealed"


def test_counts_that_are_no_hand_are_refused() -> None:
    for counts in ([1] * 13, [-1] + [0] * 26, [300] + [0] * 26, [2, 2] * 14):
        with pytest.raises(FormatError):
            wait_tiles(PZH, counts, ())
        with pytest.raises(FormatError):
            is_complete(counts, ())
        with pytest.raises(FormatError):
            score_win(PZH, counts, (), tile=0, by="discard")
    with pytest.raises(FormatError):
        is_complete([0] * 27, ())
    with pytest.raises(FormatError):
        wait_tiles(PZH, [0] * 27, tuple(Meld("peng", k) for k in range(5)))


def random_hands(tiles: int, number: int, seed: int) -> np.ndarray:
    rnd = random.Random(seed)
    rows = np.zeros((number, 27), dtype=np.uint8)
    for row in rows:
        kinds = rnd.sample(range(27), 27) if rnd.random() < 0.3 else list(range(rnd.choice([5, 7, 9, 12])))
        for tile in rnd.sample([k for k in kinds for _ in range(4)], tiles):
            row[tile] += 1
    return rows


@pytest.mark.parametrize("tiles", [1, 4, 7, 10, 13])
@pytest.mark.parametrize("own_four", [False, True])
def test_array_waits_agree_with_single_ones(tiles: int, own_four: bool) -> None:
    rules = load_ruleset("pzh-traditional", {"own_four_wait": own_four})
    rows = random_hands(tiles, 600, tiles)
    melds = tuple(Meld("peng", k) for k in range(27))
    masks = wait_masks(rows, own_four_wait=own_four)
    assert masks.dtype == np.uint32
    some = 0
    for row, mask in zip(rows, masks, strict=True):
        laid = tuple(m for m in melds if not row[m.tile])[: (13 - tiles) // 3]
        expected = wait_tiles(rules, row.tolist(), laid)
        # Melds lie elsewhere: single hands drop waits on them, of which a 碰 leaves one tile.
        assert [k for k in range(27) if mask >> k & 1] == list(expected)
        some += bool(mask)
    assert some > 20


@pytest.mark.parametrize("tiles", [2, 5, 8, 11, 14])
def test_array_completeness_agrees_with_single_hands(tiles: int) -> None:
    rows = random_hands(tiles, 1500, 100 + tiles)
    laid = tuple(Meld("peng", k) for k in range((14 - tiles) // 3))
    expected = [is_complete(row.tolist(), laid) for row in rows]
    assert complete_mask(rows).tolist() == expected
    assert any(expected)


def test_arrays_of_other_sizes_have_no_waits() -> None:
    rows = np.zeros((3, 27), dtype=np.uint8)
    rows[1, :3] = 4  # twelve tiles
    rows[2, 0:4] = 4  # sixteen: four sets and a tile too many for a hand
    assert wait_masks(rows).tolist() == [0, 0, 0]
    assert complete_mask(rows).tolist() == [False, False, False]
    assert wait_masks(np.zeros((0, 27), dtype=np.uint8)).shape == (0,)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((2, 26), np.uint8),
        np.zeros(27, np.uint8),
        np.zeros((1, 27), np.int64),
        np.full((1, 27), 5, np.uint8),
    ],
)
def test_arrays_of_another_kind_are_refused(array: np.ndarray) -> None:
    for function in (wait_masks, complete_mask):
        with pytest.raises(FormatError):
            function(array)
