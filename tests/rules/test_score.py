"""Scores at their edges: no win, refused wins, defaults, circumstances that cannot be, bad hands."""

from __future__ import annotations

import pytest

from pzvision.errors import FormatError
from pzvision.rules import (
    Meld,
    Payer,
    Score,
    cha_jiao_value,
    kong_fan,
    load_ruleset,
    score_win,
    wait_scores,
    wait_values,
)
from pzvision.tiles import parse_tile, parse_tiles, to_counts

PLAIN = ("123456m789p1123s", "4s")
NOT = ("13579m13579s135p", "1m")


def score(ruleset: str, hand: str, tile: str, melds: str = "", options: dict | None = None, **how) -> Score:
    """`melds`: ``111m 2222p`` → a 碰 of 1m, a 暗杠 of 2p."""
    how.setdefault("by", "discard")
    laid = tuple(Meld("peng" if len(w) == 4 else "an_gang", parse_tile(w[0] + w[-1])) for w in melds.split())
    rules = load_ruleset(ruleset, options)
    return score_win(rules, to_counts(parse_tiles(hand)), laid, tile=parse_tile(tile), **how)


def test_tiles_that_do_not_win_are_worth_nothing() -> None:
    lost = score("pzh-popular", *NOT)
    assert (lost.legal, lost.reason, lost.face, lost.play, lost.total) == (False, "not_complete", 0, 0, 0)
    assert lost.patterns == () and lost.reading is None and lost.value is None
    assert lost.payment(Payer()) == 0 and lost.payer_factors(Payer("sing", alarm=True)) == ()


def test_a_refused_win_keeps_its_worth_but_nobody_pays() -> None:
    refused = score("pzh-biankadiao-que", *PLAIN, kong_chain=1)
    assert (refused.legal, refused.reason, refused.face, refused.play, refused.total) == (
        False, "que_yi_men", 2, 1, 2,
    )  # fmt: skip
    assert refused.patterns == (("gang_shang_pao", 2),) and refused.reading is not None
    assert refused.payment(Payer("sing")) == 0


def test_shape_patterns_come_before_luck() -> None:
    assert score("pzh-popular", "1233456789912m", "3m", kong_chain=1).patterns == (
        ("qing_yi_se", 4), ("gang_shang_pao", 2),
    )  # fmt: skip


def test_payer_factors() -> None:
    won = score("xichang", *PLAIN)
    assert won.payer_factors(Payer()) == ()
    assert won.payer_factors(Payer("bai", bao_ting=True)) == (("bai", 2),)
    paid = score("xichang", *PLAIN, options={"payer_bao_ting": 4})
    assert paid.payer_factors(Payer(bao_ting=True)) == (("bao_ting", 4),)
    assert paid.payer_factors(Payer()) == ()
    popular = [score("pzh-popular", *PLAIN, by=by) for by in ("discard", "self_draw")]
    factors = [won.payer_factors(Payer("dance", alarm=True)) for won in popular]
    assert [[name for name, _ in each] for each in factors] == [["dance", "alarm"], ["dance"]]


@pytest.mark.parametrize(("chain", "power"), [(14, 14), (15, 15), (16, 16), (17, 16), (10**30, 16)])
def test_kong_luck_is_bounded(chain: int, power: int) -> None:
    options = {"cap": "none", "kong_luck_stacks": True, "pattern_cap": "none"}
    assert score("pzh-popular", *PLAIN, options=options, kong_chain=chain).total == 2**power


def test_an_unknown_circumstance_is_named() -> None:
    for field, how in {
        "win": {"by": "theft"},
        "opening": {"opening": "bao_ting"},
        "winner": {"winner": "bai"},
    }.items():
        with pytest.raises(FormatError) as caught:
            score("pzh-traditional", *PLAIN, **how)
        assert caught.value.field == field
    with pytest.raises(FormatError) as caught:
        score("pzh-traditional", *PLAIN, bao_ting=True)
    assert caught.value.field == "opening"
    assert score("xichang", *PLAIN, bao_ting=True).total == 4


@pytest.mark.parametrize(
    ("opening", "how", "reason"),
    [
        ("tian_hu", {"by": "self_draw"}, None),
        ("tian_hu", {"by": "discard"}, "opening"),
        ("tian_hu", {"by": "self_draw", "kong_chain": 1}, "opening"),
        ("tian_hu", {"by": "self_draw", "melds": "1111p"}, "opening"),
        ("di_hu", {"by": "self_draw"}, None),
        ("di_hu", {"by": "discard"}, "opening"),
        ("bao_ting", {"by": "discard"}, None),
        ("bao_ting", {"by": "discard", "melds": "1111p"}, None),
        ("bao_ting", {"by": "discard", "melds": "111p"}, "opening"),
        (None, {"by": "discard", "melds": "111p", "bao_ting": True}, "opening"),
        (None, {"by": "discard", "melds": "1111p", "bao_ting": True}, None),
        (None, {"by": "discard", "melds": "111p"}, None),
    ],
)
def test_openings_that_cannot_be(opening: str | None, how: dict, reason: str | None) -> None:
    """RULES §4, §6: 天胡/地胡 with the first tiles, no meld; 报听 after no 碰."""
    hand = "123456m1123s" if how.get("melds") else PLAIN[0]
    assert score("xichang", hand, "4s", opening=opening, **how).reason == reason


def test_tian_jiao_is_lost_with_a_peng() -> None:
    assert score("pzh-traditional", "123456m1123s", "4s", "111p", opening="tian_jiao").reason == "opening"
    assert score("pzh-traditional", "123456m1123s", "4s", "1111p", opening="tian_jiao").total == 4


def test_the_first_refusal_is_the_one_told() -> None:
    three = score("pzh-biankadiao-que", *PLAIN, by="rob_kong", opening="tian_hu")
    assert three.reason == "que_yi_men"
    robbed = score("pzh-traditional", *PLAIN, by="rob_kong", opening="tian_hu")
    assert robbed.reason == "rob_kong"


@pytest.mark.parametrize(
    ("counts", "melds", "tile"),
    [
        (to_counts(parse_tiles(PLAIN[0]))[:26], (), 0),
        ([*to_counts(parse_tiles(PLAIN[0])), 0], (), 0),
        (to_counts(parse_tiles(PLAIN[0])), (), -1),
        (to_counts(parse_tiles(PLAIN[0])), (), 27),
        (to_counts(parse_tiles("123456m789p112s")), (), 0),
        (to_counts(parse_tiles("123456m789p11223s")), (), 0),
        (to_counts(parse_tiles("1111m456m789p123s")), (), 0),
        ([-1, *to_counts(parse_tiles("23456m789p11223s"))[1:]], (), 0),
        (to_counts(parse_tiles("123m456m789p1s")), (Meld("an_gang", 0),), 18),
        (to_counts(parse_tiles("123m456m1s")), (Meld("peng", 20), Meld("peng", 20)), 18),
        (to_counts(parse_tiles("11m456m789p12s")), (Meld("peng", 0),), 20),
    ],
)
def test_hands_that_cannot_be(counts: list[int], melds: tuple[Meld, ...], tile: int) -> None:
    with pytest.raises(FormatError) as caught:
        score_win(load_ruleset("pzh-traditional"), counts, melds, tile=tile, by="discard")
    assert caught.value.field is not None and "\n" not in str(caught.value)


def test_four_of_a_kind_with_a_peng_and_in_the_hand_are_no_error() -> None:
    assert score("pzh-traditional", "123456m99p45s", "6s", "111m", by="self_draw").face == 2  # 明归
    assert score("pzh-traditional", "1111m23456m12p99s", "3p").face == 4  # 暗归


READY = to_counts(parse_tiles("123456m789p1123s"))


def test_defaults_are_the_plain_win() -> None:
    """Nothing declared, no 报听, nothing seen."""
    rules = load_ruleset("xichang", {"cap": "none"})
    assert [s.total for _, s in wait_scores(rules, READY, ())] == [1, 1]
    assert [s.total for _, s in wait_scores(rules, READY, (), bao_ting=True)] == [4, 4]
    assert [s.total for _, s in wait_scores(rules, READY, (), opening="bao_ting")] == [4, 4]
    assert [s.total for _, s in wait_scores(rules, READY, (), winner="bai")] == [2, 2]
    assert [s.by for _, s in wait_scores(rules, READY, ())] == ["discard"] * 2
    assert [v.fan for v in wait_values(rules, READY, ())] == [1, 1]
    assert [v.fan for v in wait_values(rules, READY, (), bao_ting=True)] == [4, 4]
    assert [v.fan for v in wait_values(rules, READY, (), winner="bai")] == [2, 2]
    assert cha_jiao_value(rules, READY, ()) == 1
    assert cha_jiao_value(rules, READY, (), bao_ting=True) == 4
    assert cha_jiao_value(rules, READY, (), winner="bai") == 2
    assert cha_jiao_value(rules, READY, (), payer=Payer("bai")) == 2
    assert cha_jiao_value(rules, READY, (), payer=Payer(bao_ting=True)) == 1
    assert cha_jiao_value(load_ruleset("pzh-popular"), READY, (), payer=Payer("dance", alarm=True)) == 1
    assert cha_jiao_value(rules, to_counts(parse_tiles(NOT[0])), ()) is None


def test_copies_left() -> None:
    rules = load_ruleset("pzh-traditional", {"own_four_wait": True})
    assert [(w.tile, w.left) for w in wait_values(rules, READY, ())] == [(9, 2), (12, 4)]
    seen = [0] * 27
    seen[9], seen[12] = 2, 3
    assert [w.left for w in wait_values(rules, READY, (), seen=seen)] == [0, 1]
    seen[12] = 9
    assert [w.left for w in wait_values(rules, READY, (), seen=seen)] == [0, 0]
    held = to_counts(parse_tiles("23s456m11p"))
    melds = (Meld("peng", parse_tile("1s")), Meld("an_gang", parse_tile("4s")))
    waits = wait_values(rules, held, melds)
    assert [(w.tile, w.left) for w in waits] == [(parse_tile("1s"), 1), (parse_tile("4s"), 0)]


def test_a_refused_wait_is_worth_nothing() -> None:
    rules = load_ruleset("pzh-biankadiao-que")
    assert [(w.face, w.fan, w.legal) for w in wait_values(rules, READY, ())] == [(1, 0, False)] * 2


def test_the_dearer_reading_counts_and_seven_pairs_win_a_tie() -> None:
    """112233 and so on: seven pairs, or sets and a pair, whichever is dearer."""
    hand = ("1122334455667m", "7m")
    assert dict(score("pzh-traditional", *hand).patterns) == {"qing_yi_se": 4, "xiao_qi_dui": 4}
    tie = score("pzh-traditional", *hand, options={"xiao_qi_dui_fan": 1})
    assert dict(tie.patterns) == {"qing_yi_se": 4, "xiao_qi_dui": 1}


@pytest.mark.parametrize(
    ("hand", "options", "patterns"),
    [
        # A pattern at 1 still stands for what it replaces; one at 0 is not in the game.
        (("1122m3333s77s889p", "9p"), {"long_qi_dui_fan": 1}, {"long_qi_dui": 1}),
        (("1122m3333s77s889p", "9p"), {"long_qi_dui_fan": 0}, {"xiao_qi_dui": 4}),
        (("1111m3333s77s889p", "9p"), {"long_qi_dui_fan": 0}, {"feng_qi_dui": 16}),
        (("1111m3333s77s889p", "9p"), {"xiao_qi_dui_fan": 0}, {"feng_qi_dui": 16}),
        (("1111m3333s77s889p", "9p"), {"feng_qi_dui_fan": 0}, {"long_qi_dui": 8}),
        (("2222m2255s22588p", "5p"), {"jiang_qi_dui_fan": 8, "long_qi_dui_fan": 0}, {"jiang_qi_dui": 16}),
        (("2222m2255s22588p", "5p"), {"jiang_qi_dui_fan": 8, "xiao_qi_dui_fan": 0}, {"jiang_qi_dui": 16}),
        (
            ("2222m2222s22588p", "5p"),
            {"jiang_qi_dui_fan": 8, "xiao_qi_dui_fan": 0, "long_qi_dui_fan": 0},
            {"jiang_qi_dui": 32},
        ),
        (("111999m111999s1p", "1p"), {"yao_jiu_dui_fan": 8, "da_dui_fan": 0}, {"yao_jiu_dui": 8}),
        (("111999m111999s1p", "1p"), {"yao_jiu_dui_fan": 8, "yao_jiu_fan": 0}, {"yao_jiu_dui": 8}),
        (("111999m111999s1p", "1p"), {"yao_jiu_dui_fan": 0}, {"da_dui": 2, "yao_jiu": 4}),
        (("222555m22888s55p", "5p"), {"jiang_dui_fan": 0}, {"da_dui": 2}),
    ],
)
def test_what_a_pattern_stands_for(
    hand: tuple[str, str], options: dict[str, object], patterns: dict[str, int]
) -> None:
    got = dict(score("pzh-traditional", *hand, options=options).patterns)
    assert {k: v for k, v in got.items() if k != "an_gui"} == patterns


@pytest.mark.parametrize(
    ("melds", "options", "patterns"),
    [
        ("111m 222s 333p 777p", {}, {"shou_ba_yi": 4}),
        ("222m 555s 888p 222p", {"shou_ba_yi_fan": 16}, {"jiang_dui": 8, "shou_ba_yi": 2}),
        ("222m 555s 888p 222p", {"shou_ba_yi_fan": 16, "jiang_dui_fan": 0}, {"shou_ba_yi": 16}),
    ],
)
def test_single_wait_on_four_melds(melds: str, options: dict[str, object], patterns: dict[str, int]) -> None:
    """D13: on 将对 it doubles, alone it has its own price."""
    assert dict(score("pzh-traditional", "5m", "5m", melds, options).patterns) == patterns


@pytest.mark.parametrize(
    ("options", "patterns"),
    [
        ({"yao_jiu_dui_fan": 8, "shou_ba_yi_fan": 16}, {"yao_jiu_dui": 8, "shou_ba_yi": 2}),
        ({"yao_jiu_dui_fan": 0, "shou_ba_yi_fan": 16}, {"yao_jiu": 4, "shou_ba_yi": 16}),
    ],
)
def test_single_wait_on_four_terminal_melds(options: dict[str, object], patterns: dict[str, int]) -> None:
    got = score("pzh-traditional", "1p", "1p", "111m 999m 111s 999s", options)
    assert dict(got.patterns) == patterns


@pytest.mark.parametrize("claimed", ["linear", "power"])
def test_kong_prices(claimed: str) -> None:
    """S0 §1.4: 2, 2 and 1; in a chain twice, four times; a late 巴杠 pays nothing, a late 暗杠 its price."""
    rules = load_ruleset("pzh-traditional", {"claimed_chain": claimed})
    for kind, base in (("an_gang", 2), ("ba_gang", 1)):
        assert [kong_fan(rules, kind, chain) for chain in range(5)] == [base << chain for chain in range(5)]
    expected = [2, 4, 8, 12, 16] if claimed == "linear" else [2, 4, 8, 16, 32]
    assert [kong_fan(rules, "zhi_gang", chain) for chain in range(5)] == expected
    assert [kong_fan(rules, kind, 1, kept=True) for kind in ("zhi_gang", "an_gang", "ba_gang")] == [4, 4, 0]
    assert kong_fan(rules, "ba_gang", kept=True) == 0 and kong_fan(rules, "an_gang", kept=True) == 2
    once = load_ruleset("pzh-traditional", {"kong_chain": "once", "claimed_chain": claimed})
    for kind, base in (("zhi_gang", 2), ("an_gang", 2), ("ba_gang", 1)):
        assert [kong_fan(once, kind, chain) for chain in range(4)] == [base, 2 * base, base, base]


# --- equally dear readings ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruleset", "hand", "tile", "patterns"),
    [
        # Seven pairs rather than what else makes the same fan.
        ("pzh-traditional", "1222233334477s1s", "1s", [("qing_yi_se", 4), ("feng_qi_dui", 16)]),
        ("pzh-traditional", "33s2233444466p5p", "5p", [("long_qi_dui", 8)]),
        ("pzh-traditional", "1m112233778899s", "1m", [("xiao_qi_dui", 4)]),
        # Triplets rather than sequences.
        ("pzh-traditional", "2244455666s666p", "5s", [("da_dui", 2)]),
        ("xichang", "3334445566699m", "5m", [("qing_yi_se", 4), ("da_dui", 2)]),
    ],
)
def test_of_equally_dear_readings_the_one_with_the_greater_name_is_told(
    ruleset: str, hand: str, tile: str, patterns: list[tuple[str, int]]
) -> None:
    counts = to_counts(parse_tiles(hand))
    if sum(counts) == 14:
        counts[parse_tile(tile)] -= 1
    score = score_win(load_ruleset(ruleset), counts, (), tile=parse_tile(tile), by="discard")
    assert list(score.patterns) == patterns


@pytest.mark.parametrize(
    ("hand", "tile", "reading"),
    [
        ("1122334556667s", "3s", "123s 123s 45+3s 567s 66s"),
        ("2223334455666p", "6p", "222p 333p 45+6p 456p 66p"),
    ],
)
def test_of_readings_alike_in_every_pattern_the_same_one_is_always_told(
    hand: str, tile: str, reading: str
) -> None:
    counts = to_counts(parse_tiles(hand))
    score = score_win(load_ruleset("xichang"), counts, (), tile=parse_tile(tile), by="discard")
    assert str(score.reading) == reading
