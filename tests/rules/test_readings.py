"""Readings of a hand: what the winning tile does, the facts of a reading, the words of a reading."""

from __future__ import annotations

import pytest

from pzvision.rules import Meld, load_ruleset, score_win
from pzvision.rules import facts as f
from pzvision.rules.facts import fill_bits
from pzvision.rules.readings import (
    KONG_FACTS,
    PENG_FACTS,
    decompose,
    facts_of_melds,
    find_reading,
    readings,
    seven_pairs_facts,
    suit_facts,
    wait_in,
)
from pzvision.tiles import parse_tile, parse_tiles, to_counts

OWN = f.SUIT_SHIFT


def counts(ranks: str) -> list[int]:
    return [ranks.count(str(rank)) for rank in range(1, 10)]


# Of each sequence, low to high: what its first, middle and last tile do as the winning one.
SEQUENCES = {
    1: ("terminal_edge", "gap", "edge"),
    **dict.fromkeys(range(2, 7), ("two_sided", "gap", "two_sided")),
    7: ("edge", "gap", "terminal_edge"),
}
BITS = {"edge": f.FILLS_EDGE, "gap": f.FILLS_GAP, "terminal_edge": f.FILLS_TERMINAL, "two_sided": 0}


@pytest.mark.parametrize("low", SEQUENCES)
def test_what_the_winning_tile_does_in_a_sequence(low: int) -> None:
    part = (low - 1, low, low + 1)
    for rank, wait in zip(part, SEQUENCES[low], strict=True):
        assert wait_in(part, rank) == wait
        assert fill_bits(part, rank) == BITS[wait] | (f.FILLS_4_6 if (low, rank) == (4, 4) else 0)


@pytest.mark.parametrize("rank", range(9))
def test_what_the_winning_tile_does_in_a_pair_or_triplet(rank: int) -> None:
    assert wait_in((rank,) * 2, rank) == "pair" and fill_bits((rank,) * 2, rank) == f.FILLS_PAIR
    assert wait_in((rank,) * 3, rank) == "triplet" and fill_bits((rank,) * 3, rank) == 0


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ("", [()]),
        ("12", []),
        ("13", []),
        ("11", [((0, 0),)]),
        ("1111", []),
        ("112233", [((0, 1, 2), (0, 1, 2))]),
        ("111222333", [((0, 0, 0), (1, 1, 1), (2, 2, 2)), ((0, 1, 2), (0, 1, 2), (0, 1, 2))]),
        ("777888999", [((6, 6, 6), (7, 7, 7), (8, 8, 8)), ((6, 7, 8), (6, 7, 8), (6, 7, 8))]),
        ("99", [((8, 8),)]),
        ("899", []),
        ("33345", [((2, 2), (2, 3, 4))]),
        ("11123", [((0, 0), (0, 1, 2))]),
        ("11112233", [((0, 0), (0, 1, 2), (0, 1, 2))]),
        ("11122233", [((0, 0, 0), (1, 1, 1), (2, 2))]),
    ],
)
def test_decompose(ranks: str, expected: list[object]) -> None:
    assert sorted(decompose(counts(ranks))) == expected


@pytest.mark.parametrize(
    ("ranks", "won", "expected"),
    [
        # present 1, fours << 1, split fours << 3, all << OWN
        ("", 0, [0]),
        ("111", 0, [f.HAS_NON_258 | 1 << OWN]),
        ("222", 0, [f.HAS_MIDDLE_SET | 1 << OWN]),
        ("555", 0, [f.HAS_MIDDLE_SET | 1 << OWN]),
        ("888", 0, [f.HAS_MIDDLE_SET | 1 << OWN]),
        ("88", 0, [f.HAS_MIDDLE_SET | 1 << OWN]),
        *((str(rank) * 3, 0, [f.HAS_MIDDLE_SET | f.HAS_NON_258 | 1 << OWN]) for rank in (3, 4, 6, 7)),
        ("789999", 0, [f.HAS_SEQUENCE | f.HAS_NON_258 | (1 | 1 << 1 | 1 << 3) << OWN]),
        ("99", 9, [f.HAS_NON_258 | f.FILLS_PAIR | 1 << OWN]),
        ("789", 0, [f.HAS_SEQUENCE | f.HAS_NON_258 | 1 << OWN]),
        ("678", 0, [f.HAS_SEQUENCE | f.HAS_MIDDLE_SET | f.HAS_NON_258 | 1 << OWN]),
        ("111123", 0, [f.HAS_SEQUENCE | f.HAS_NON_258 | (1 | 1 << 1 | 1 << 3) << OWN]),
        (
            "111123",
            2,
            [f.HAS_SEQUENCE | f.HAS_NON_258 | f.FILLS_GAP | (1 | 1 << 1 | 1 << 3) << OWN],
        ),
        (
            "111123",
            1,
            [
                f.HAS_SEQUENCE
                | f.HAS_NON_258
                | f.WON_AN_GUI
                | f.WON_TRIPLET_SEQUENCE
                | fills
                | (1 | 1 << 1 | 1 << 3) << OWN
                for fills in (0, f.FILLS_TERMINAL)
            ],
        ),
        (
            "11112233",
            1,
            [
                f.HAS_SEQUENCE | f.HAS_NON_258 | f.WON_AN_GUI | fills | (1 | 1 << 1) << OWN
                for fills in (f.FILLS_TERMINAL, f.FILLS_PAIR)
            ],
        ),
        ("1234", 1, []),
        ("111", 2, []),
    ],
)
def test_facts_of_a_suit(ranks: str, won: int, expected: list[int]) -> None:
    assert suit_facts(counts(ranks), 0, won - 1) == (tuple(expected) if won in (0, *map(int, ranks)) else ())
    for suit in (1, 2):
        moved = [
            bits & ((1 << OWN) - 1) | (bits >> OWN) << (OWN + f.SUIT_WIDTH * suit)
            for bits in sorted(expected)
        ]
        assert list(suit_facts(counts(ranks), suit, won - 1)) == moved


def test_facts_of_five_of_a_kind() -> None:
    """A wait for a fifth tile has a value, too (`own_four_wait`): 11111 is 111 and 11."""
    five = counts("11111")
    assert suit_facts(five, 0, 0) == tuple(
        sorted(f.HAS_NON_258 | f.WON_AN_GUI | fills | (1 | 1 << 1) << OWN for fills in (0, f.FILLS_PAIR))
    )


@pytest.mark.parametrize("tile", range(27))
def test_facts_of_a_meld(tile: int) -> None:
    rank, suit = tile % 9 + 1, tile // 9
    expected = 1 << (OWN + 5 * suit) | f.HAS_MELD
    expected |= f.HAS_MIDDLE_SET if 1 < rank < 9 else 0
    expected |= 0 if rank in (2, 5, 8) else f.HAS_NON_258
    assert KONG_FACTS[tile] == expected
    assert PENG_FACTS[tile] == expected | f.HAS_PENG


def test_facts_of_melds_together() -> None:
    hand = to_counts(parse_tiles("1m5m"))
    melds = [Meld("peng", 0), Meld("peng", 4), Meld("ba_gang", 9), Meld("peng", 10)]
    common = PENG_FACTS[0] | PENG_FACTS[4] | KONG_FACTS[9] | PENG_FACTS[10] | f.ALL_MELDS
    assert facts_of_melds(hand, melds, 1) == common + (2 << f.MING_SHIFT)
    assert facts_of_melds(hand, melds, 4) == common + (2 << f.MING_SHIFT) | f.WON_MING_GUI
    three = facts_of_melds(hand, melds[1:], 1)
    assert not three & f.ALL_MELDS and three >> f.MING_SHIFT & f.MING_MASK == 1


def test_facts_of_seven_pairs() -> None:
    hand = bytes(to_counts(parse_tiles("2222m55s888822p11p")))
    first, second, third = 1 | 1 << 1, 1, 1 | 1 << 1
    common = (
        f.SEVEN_PAIRS | f.FILLS_PAIR | f.HAS_NON_258 | first << OWN | second << OWN + 5 | third << OWN + 10
    )
    assert seven_pairs_facts(hand, parse_tile("5s")) == common
    assert seven_pairs_facts(hand, parse_tile("2m")) == common | f.WON_AN_GUI
    pure = bytes(to_counts(parse_tiles("2222m55558888s22p")))
    assert not seven_pairs_facts(pure, parse_tile("2p")) & f.HAS_NON_258


def test_every_reading_once() -> None:
    hand = bytes(to_counts(parse_tiles("11222233m444s444p")))
    found = [(str(reading), reading.wait) for reading, _ in readings(hand, (), parse_tile("2m"))]
    assert sorted(found) == [
        ("123m 123m 2+2m 444s 444p", "pair"),
        ("13+2m 123m 22m 444s 444p", "gap"),
    ]


def test_seven_pairs_are_a_reading_of_fourteen_concealed_tiles_only() -> None:
    pairs = bytes(to_counts(parse_tiles("112233m44s6688p11p")))
    (only,) = [reading for reading, _ in readings(pairs, (), parse_tile("4s"))]
    assert str(only) == "11m 22m 33m 4+4s 11p 66p 88p" and only.wait == "pair" and only.winning == 3
    melded = bytes(to_counts(parse_tiles("112233m44s666p")))
    laid = (Meld("peng", parse_tile("1s")),)
    assert [str(reading) for reading, _ in readings(melded, laid, parse_tile("4s"))] == [
        "123m 123m 4+4s 666p [111s]"
    ]
    even = bytes(to_counts(parse_tiles("112233m44s")))
    assert [str(r) for r, _ in readings(even, (Meld("an_gang", 25), Meld("peng", 26)), 12)] == [
        "123m 123m 4+4s [8888p] [999p]"
    ]


def test_a_reading_that_is_not_there() -> None:
    hand = bytes(to_counts(parse_tiles("112233m44s666p")))
    with pytest.raises(ValueError, match="no reading"):
        find_reading(hand, (Meld("peng", parse_tile("1s")),), parse_tile("4s"), 0)


@pytest.mark.parametrize(
    ("hand", "tile", "wait"),
    [
        ("12p", "3p", "edge"),
        ("89p", "7p", "edge"),
        ("23p", "1p", "terminal_edge"),
        ("34p", "5p", "two_sided"),
    ],
)
def test_the_reading_of_a_score(hand: str, tile: str, wait: str) -> None:
    rules = load_ruleset("pzh-traditional")
    score = score_win(
        rules, to_counts(parse_tiles(f"123456m{hand}11222s")), (), tile=parse_tile(tile), by="discard"
    )
    assert score.reading is not None and score.reading.wait == wait
    assert score.reading.tile == parse_tile(tile)
    assert parse_tile(tile) in score.reading.parts[score.reading.winning]


@pytest.mark.parametrize(
    ("hand", "tile", "text"),
    [
        ("11123m456s12377p", "1m", "11+1m 123m 456s 123p 77p"),
        ("456m11123s12377p", "1s", "456m 11+1s 123s 123p 77p"),
        ("456m12377s11123p", "1p", "456m 123s 77s 11+1p 123p"),
        ("78999m456s12377p", "9m", "789m 99+9m 456s 123p 77p"),
        # A four of the winning tile's rank in another suit is not won on it.
        ("111123m23s45677p", "1s", "111m 123m 23+1s 456p 77p"),
        ("23m111123s45677p", "1m", "23+1m 111s 123s 456p 77p"),
    ],
)
def test_the_reading_of_a_hand_with_a_four(hand: str, tile: str, text: str) -> None:
    score = score_win(
        load_ruleset("pzh-traditional"), to_counts(parse_tiles(hand)), (), tile=parse_tile(tile), by="discard"
    )
    assert score.legal and ("an_gui", 4) in score.patterns
    assert str(score.reading) == text


def test_the_reading_of_triplets() -> None:
    """Every fact of a reading found again is right, also those that are absent: no sequence here."""
    rules = load_ruleset("pzh-traditional")
    score = score_win(
        rules, to_counts(parse_tiles("44333m222s11999p")), (), tile=parse_tile("1p"), by="discard"
    )
    assert str(score.reading) == "333m 44m 222s 11+1p 999p"
