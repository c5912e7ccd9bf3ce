"""Every option that the scorer reads, with each of its values; the rest is tested where games are played."""

from __future__ import annotations

import pytest

from pzvision.rules import Meld, Payer, cha_jiao_value, kong_fan, load_ruleset, score_win, wait_tiles
from pzvision.rules.options import FANS, OPTIONS
from pzvision.tiles import format_tiles, parse_tile, parse_tiles, to_counts

PLAIN = ("123456m789p1123s", "4s", "")
SEVEN = ("1122m33s5577s889p", "9p", "")
DA_DUI = ("44333m222s11999p", "1p", "")


def value(
    ruleset: str, hand: tuple[str, str, str], payer: Payer | None = None, /, **how: object
) -> tuple[int, int, int, int]:
    """(face, play, total, payment), all 0 when refused; keyword arguments are options or circumstances."""
    circumstances = {k: how.pop(k) for k in ("by", "kong_chain", "opening", "winner") if k in how}
    rules = load_ruleset(ruleset, how)
    counts = to_counts(parse_tiles(hand[0]))
    melds = tuple(
        Meld("peng" if len(w) == 4 else "an_gang", parse_tile(w[0] + w[-1])) for w in hand[2].split()
    )
    circumstances.setdefault("by", "discard")
    score = score_win(rules, counts, melds, tile=parse_tile(hand[1]), **circumstances)  # type: ignore[arg-type]
    return (
        (score.face, score.play, score.total, score.payment(payer or Payer()))
        if score.legal
        else (0, 0, 0, 0)
    )


@pytest.mark.parametrize(
    ("option", "expected"),
    [("none", 512), (16, 16), (32, 32), (64, 64), (100, 100), (1, 1)],
)
def test_cap(option: object, expected: int) -> None:
    """D1: the final fan per payer, after every multiplier."""
    hand = ("1111335577992m", "2m", "")
    assert value("pzh-popular", hand, Payer("dance"), winner="dance", cap=option)[3] == expected


@pytest.mark.parametrize(
    ("option", "three_suits", "two_suits"),
    [("ignored", 1, 1), ("huo_que", 0, 2), ("must", 0, 1)],
)
def test_que(option: str, three_suits: int, two_suits: int) -> None:
    assert value("pzh-traditional", PLAIN, que=option)[2] == three_suits
    assert value("pzh-traditional", ("123456m1123789s", "4s", ""), que=option)[2] == two_suits


def test_que_counts_melds_as_suits_present() -> None:
    """RULES §5: kong tiles count as suits present."""
    assert value("pzh-biankadiao-que", ("23456711m23s", "1s", "9999p"))[2] == 0
    assert value("pzh-biankadiao-que", ("23456711m23s", "1s", "9999m"))[2] == 1


@pytest.mark.parametrize(("option", "expected"), [(False, (1, 1, 1, 1)), (True, (1, 2, 2, 2))])
def test_bian_ka_diao(option: bool, expected: tuple[int, ...]) -> None:
    assert value("pzh-traditional", ("123456m89p11222s", "7p", ""), bian_ka_diao=option) == expected


@pytest.mark.parametrize(
    ("ruleset", "options", "total", "paid_by_singer"),
    [
        ("pzh-traditional", {}, 32, 32),  # exactly the cap
        ("pzh-traditional", {"cap": 64}, 64, 64),
        ("pzh-traditional", {"cap": "none"}, 64, 64),  # D12: tian_hu_fan
        ("pzh-traditional", {"cap": "none", "tian_hu_fan": 48}, 48, 48),
        ("pzh-traditional", {"cap": 32, "tian_hu_fan": 48}, 32, 32),
        ("pzh-traditional", {"tian_hu_pays": "times_face", "tian_hu_fan": 8}, 16, 32),
        ("pzh-traditional", {"tian_hu_pays": "fixed", "tian_hu_fan": 8}, 8, 8),
        ("pzh-popular", {}, 32, 64),
        ("pzh-popular", {"tian_hu_fan": 4}, 8, 16),
        ("pzh-popular", {"tian_hu_pays": "cap", "cap": 40}, 40, 40),
        ("pzh-popular", {"tian_hu_pays": "cap"}, 16, 16),
    ],
)
def test_tian_hu(ruleset: str, options: dict[str, object], total: int, paid_by_singer: int) -> None:
    got = value(ruleset, DA_DUI, Payer("sing"), by="self_draw", opening="tian_hu", **options)
    assert got[2:] == (total, paid_by_singer)


def test_pattern_cap() -> None:
    """S3 注: patterns are capped at 16 before luck; without it the product stands."""
    hand = ("1111335577992m", "2m", "")
    assert value("xichang", hand, cap="none", kong_chain=1)[0] == 32
    assert value("xichang", hand, cap="none", kong_chain=1, pattern_cap="none")[0] == 64
    assert value("pzh-traditional", hand, cap="none", kong_chain=1, pattern_cap=8)[0] == 16


@pytest.mark.parametrize(
    ("option", "claimed", "own"),
    [("doubling", [2, 4, 8, 12], [2, 4, 8, 16]), ("once", [2, 4, 2, 2], [2, 4, 2, 2])],
)
def test_kong_chain(option: str, claimed: list[int], own: list[int]) -> None:
    rules = load_ruleset("pzh-traditional", {"kong_chain": option})
    assert [kong_fan(rules, "zhi_gang", k) for k in range(4)] == claimed
    assert [kong_fan(rules, "an_gang", k) for k in range(4)] == own


@pytest.mark.parametrize(("option", "prices"), [("linear", [2, 4, 8, 12]), ("power", [2, 4, 8, 16])])
def test_claimed_chain(option: str, prices: list[int]) -> None:
    """D28."""
    rules = load_ruleset("pzh-traditional", {"claimed_chain": option})
    assert [kong_fan(rules, "zhi_gang", k) for k in range(4)] == prices
    assert [kong_fan(rules, "ba_gang", k) for k in range(4)] == [1, 2, 4, 8]


@pytest.mark.parametrize(("option", "expected"), [(False, "7p"), (True, "47p")])
def test_own_four_wait(option: bool, expected: str) -> None:
    """D4."""
    rules = load_ruleset("pzh-traditional", {"own_four_wait": option})
    melds = (Meld("an_gang", parse_tile("4p")), Meld("peng", 0), Meld("peng", 1))
    assert format_tiles(wait_tiles(rules, to_counts(parse_tiles("56p11s")), melds)) == expected


@pytest.mark.parametrize(("option", "expected"), [("absorbed", (1, 2, 2, 2)), ("stacks", (2, 2, 4, 4))])
def test_ka_xin_wu_with_bkd(option: str, expected: tuple[int, ...]) -> None:
    """D5."""
    assert value("pzh-biankadiao", ("123567m46s22789p", "5s", ""), ka_xin_wu_with_bkd=option) == expected


def test_ka_xin_wu_without_bkd_needs_no_option() -> None:
    for option in ("absorbed", "stacks"):
        assert value("pzh-traditional", ("123567m46s22789p", "5s", ""), ka_xin_wu_with_bkd=option)[0] == 2


@pytest.mark.parametrize(
    ("option", "triplet_and_sequence", "sequences"), [("any", 4, 4), ("triplet_and_sequence", 4, 1)]
)
def test_an_gui(option: str, triplet_and_sequence: int, sequences: int) -> None:
    """D8: 5555 67 is a triplet and a sequence; 4455 5566 is a pair and two sequences."""
    assert (
        value("pzh-traditional", ("5555m67m123s23p88p", "1p", ""), an_gui=option)[0] == triplet_and_sequence
    )
    assert value("pzh-traditional", ("44555566m123s23p", "1p", ""), an_gui=option)[0] == sequences


@pytest.mark.parametrize(("option", "two_an", "an_and_ming"), [(True, 16, 8), (False, 4, 4)])
def test_gui_stacks(option: bool, two_an: int, an_and_ming: int) -> None:
    """D8: several, or only the dearest."""
    assert value("pzh-traditional", ("1111m23m7777s89s1p", "1p", ""), gui_stacks=option)[0] == two_an
    assert value("pzh-traditional", ("1111m23m34s99p", "2s", "444s"), gui_stacks=option)[0] == an_and_ming
    dearer_ming = value(
        "pzh-traditional", ("1111m23m34s99p", "2s", "444s"), gui_stacks=option, ming_gui_fan=8
    )
    assert dearer_ming[0] == (32 if option else 8)


@pytest.mark.parametrize(("option", "kept", "won"), [("any", 4, 4), ("winning_tile", 1, 4)])
def test_gui_on_concealed(option: str, kept: int, won: int) -> None:
    """D25."""
    assert value("pzh-popular", ("1111m23m456s2377p", "1p", ""), gui_on=option)[0] == kept
    assert value("pzh-popular", ("11123m456s12377p", "1m", ""), gui_on=option)[0] == won


@pytest.mark.parametrize(("option", "kept", "won"), [("any", 2, 2), ("winning_tile", 1, 2)])
def test_gui_on_melds(option: str, kept: int, won: int) -> None:
    """D25."""
    assert value("pzh-popular", ("34s123m55p", "2s", "444s 777m"), gui_on=option)[0] == kept
    assert value("pzh-popular", ("23s123m55p", "4s", "444s 777m"), gui_on=option)[0] == won


def test_gui_on_the_winning_tile_with_triplet_and_sequence() -> None:
    both = {"gui_on": "winning_tile", "an_gui": "triplet_and_sequence"}
    assert value("pzh-traditional", ("11123m456s12377p", "1m", ""), **both)[0] == 4
    assert value("pzh-traditional", ("4455566m123s123p", "5m", ""), **both)[0] == 2  # 卡心五


@pytest.mark.parametrize(("option", "luck"), [(True, [1, 2, 4, 8]), (False, [1, 2, 2, 2])])
@pytest.mark.parametrize("by", ["self_draw", "discard"])
def test_kong_luck_stacks(option: bool, luck: list[int], by: str) -> None:
    """D9."""
    got = [value("pzh-popular", PLAIN, kong_luck_stacks=option, kong_chain=k, by=by)[0] for k in range(4)]
    assert got == luck


@pytest.mark.parametrize(("option", "total"), [(False, 0), (True, 2)])
def test_rob_kong(option: bool, total: int) -> None:
    """D10."""
    assert value("pzh-traditional", PLAIN, rob_kong=option, by="rob_kong")[2] == total
    assert value("xichang", PLAIN, rob_kong=option, by="rob_kong")[2] == total


@pytest.mark.parametrize(("option", "play"), [(True, 2), (False, 1)])
def test_seven_pairs_is_diao(option: bool, play: int) -> None:
    """D14; 手把一 always waits on a 吊."""
    assert value("pzh-biankadiao", SEVEN, seven_pairs_is_diao=option)[:2] == (4, play)
    single = ("5m", "5m", "111s 222s 333p 777p")
    assert value("pzh-biankadiao", single, seven_pairs_is_diao=option)[:2] == (4, 2)


@pytest.mark.parametrize(("option", "plays"), [("standard", [2, 2, 1, 1]), ("any_terminal", [2, 2, 2, 2])])
def test_edge_wait(option: str, plays: list[int]) -> None:
    """D15: 12→3, 89→7 always; 23→1, 78→9 by option."""
    hands = [("12p", "3p"), ("89p", "7p"), ("23p", "1p"), ("78p", "9p")]
    got = [value("pzh-biankadiao", (f"123456m{h}11222s", t, ""), edge_wait=option)[1] for h, t in hands]
    assert got == plays


@pytest.mark.parametrize(
    ("option", "plain", "one_suit", "payer_sings"), [("floor", 2, 4, 4), ("double", 2, 8, 4)]
)
def test_que_scoring(option: str, plain: int, one_suit: int, payer_sings: int) -> None:
    """D16."""
    two = ("123456m1123789s", "4s", "")
    assert value("pzh-huoque", two, que_scoring=option)[2] == plain
    assert value("pzh-huoque", ("1233456789912m", "3m", ""), que_scoring=option)[2] == one_suit
    assert value("pzh-huoque", two, Payer("sing"), que_scoring=option)[3] == payer_sings


def test_que_scoring_of_three_suits() -> None:
    """The floor holds for any win; doubling needs the missing suit; both refuse the plain hand."""
    assert value("pzh-huoque", PLAIN, que_scoring="double", winner="sing")[2] == 2
    assert value("pzh-huoque", DA_DUI, que_scoring="double")[2] == 2
    assert value("pzh-huoque", PLAIN, que_scoring="double")[2] == 0
    assert value("pzh-traditional", ("123456m1123789s", "4s", ""), que_scoring="double")[2] == 1


@pytest.mark.parametrize(("option", "total"), [("face_times_play", 2), ("face", 0)])
def test_huo_que_test(option: str, total: int) -> None:
    """D27: a plain hand of three suits on a gap has face 1, face × play 2."""
    hand = ("123456m57p11222s", "6p", "")
    assert value("pzh-biankadiao-huoque", hand, huo_que_test=option)[2] == total
    assert value("pzh-biankadiao-huoque", hand, huo_que_test=option, winner="sing")[2] == 4


@pytest.mark.parametrize(("option", "collected"), [(False, 1), (True, None)])
def test_cha_jiao_collect_requires_que(option: bool, collected: int | None) -> None:
    """D21."""
    rules = load_ruleset("pzh-huoque", {"cha_jiao_collect_requires_que": option})
    assert cha_jiao_value(rules, to_counts(parse_tiles(PLAIN[0])), ()) == collected
    must = load_ruleset("pzh-biankadiao-que", {"cha_jiao_collect_requires_que": option})
    assert cha_jiao_value(must, to_counts(parse_tiles(PLAIN[0])), ()) == (collected and 2)  # 吊


@pytest.mark.parametrize(("option", "plain", "shown"), [(1, 1, 2), (4, 4, 8)])
def test_payer_bao_ting(option: int, plain: int, shown: int) -> None:
    """D26."""
    assert value("xichang", PLAIN, Payer(bao_ting=True), payer_bao_ting=option)[3] == plain
    assert value("xichang", PLAIN, Payer("bai", bao_ting=True), payer_bao_ting=option)[3] == shown


PRICED = {
    "qing_yi_se": (("1233456789912m", "3m", ""), {}, 4),
    "da_dui": (DA_DUI, {}, 2),
    "shou_ba_yi": (("5m", "5m", "111s 222s 333p 777p"), {"da_dui_fan": 1}, 4),
    "jiang_dui": (("222555m22888s55p", "5p", ""), {"da_dui_fan": 1}, 8),
    "yao_jiu": (("123789m123s7899p", "9p", ""), {}, 4),
    "yao_jiu_dui": (("111999m111999s1p", "1p", ""), {"da_dui_fan": 1, "yao_jiu_fan": 1}, 8),
    "xiao_qi_dui": (SEVEN, {}, 4),
    "long_qi_dui": (("1122m3333s77s889p", "9p", ""), {"xiao_qi_dui_fan": 1}, 8),
    "feng_qi_dui": (("1111m3333s77s889p", "9p", ""), {"xiao_qi_dui_fan": 1, "long_qi_dui_fan": 1}, 16),
    "ka_xin_wu": (("123567m46s22789p", "5s", ""), {}, 2),
    "ming_gui": (("23s123m55p", "4s", "444s 777m"), {}, 2),
    "an_gui": (("5555m67m123s23p88p", "1p", ""), {}, 4),
    "gang_shang_hua": (PLAIN, {"by": "self_draw", "kong_chain": 1}, 2),
    "gang_shang_pao": (PLAIN, {"kong_chain": 1}, 2),
    "qiang_gang": (PLAIN, {"by": "rob_kong", "rob_kong": True}, 2),
    "tian_jiao": (PLAIN, {"opening": "tian_jiao"}, 4),
}


@pytest.mark.parametrize("name", PRICED)
def test_every_pattern_price(name: str) -> None:
    """The profile's price, another one, and 0: not in this game."""
    hand, how, price = PRICED[name]
    assert value("pzh-traditional", hand, **how)[0] == price
    assert value("pzh-traditional", hand, **how, **{f"{name}_fan": 7})[0] == 7
    if name != "tian_jiao":
        assert value("pzh-traditional", hand, **how, **{f"{name}_fan": 0})[0] == 1


def test_jiang_qi_dui_price() -> None:
    """S1 17: a four doubles it, two or three fours ×4; absent it is plain seven pairs."""
    plain, four, fours = "2255m2255s22588p", "2222m2255s22588p", "2222m2222s22588p"
    hands = [(plain, "5p", ""), (four, "5p", ""), (fours, "5p", ""), ("2222m5555m8888s8p", "8p", "")]
    assert [value("pzh-popular", hand)[0] for hand in hands] == [32, 64, 128, 128]
    assert [value("pzh-popular", hand, jiang_qi_dui_fan=3)[0] for hand in hands] == [3, 6, 12, 12]
    assert [value("pzh-traditional", hand)[0] for hand in hands] == [4, 8, 16, 16]


@pytest.mark.parametrize(
    ("name", "ruleset", "how", "price"),
    [
        ("sing", "pzh-traditional", {"winner": "sing"}, 2),
        ("dance", "pzh-traditional", {"winner": "dance"}, 4),
        ("bai", "xichang", {"winner": "bai"}, 2),
        ("bao_ting", "xichang", {"opening": "bao_ting"}, 4),
    ],
)
def test_every_factor_price(name: str, ruleset: str, how: dict[str, object], price: int) -> None:
    assert value(ruleset, PLAIN, **how)[2] == price
    assert value(ruleset, PLAIN, **how, **{f"{name}_fan": 3})[2] == 3


def test_alarm_and_bian_ka_diao_prices() -> None:
    assert value("pzh-popular", PLAIN, Payer(alarm=True), alarm_fan=3)[3] == 3
    assert value("pzh-biankadiao", ("123456m89p11222s", "7p", ""), bian_ka_diao_fan=3)[1:3] == (3, 3)
    assert value("xichang", PLAIN, by="self_draw", opening="di_hu", di_hu_fan=9)[2] == 9


GAME_OPTIONS = {
    # Read while a game is played: tested with the game.
    "kong_replacement", "must_win_tiles", "no_declare_tiles", "no_passing", "zha_hu", "no_winner_dealer",
    "upgrade_declaration", "kong_after_declaring", "hua_zhu_kong_void", "si_jiao", "dancer_wins_on",
    "early_leave",
}  # fmt: skip


def test_no_option_is_left_out() -> None:
    """Every option is named in a test of this file, or is one that games read."""
    import pathlib

    text = pathlib.Path(__file__).read_text(encoding="utf-8")
    for key in OPTIONS.keys() - GAME_OPTIONS:
        assert key in text or (key.removesuffix("_fan") in FANS and key.removesuffix("_fan") in text), key


def test_zha_hu_price() -> None:
    """RULES §6: the cap, or `zha_hu_fan` where there is none."""
    assert load_ruleset("pzh-traditional", {"zha_hu_fan": 99}).zha_hu_price == 32
    assert load_ruleset("pzh-traditional", {"cap": "none"}).zha_hu_price == 32
    assert load_ruleset("pzh-traditional", {"cap": "none", "zha_hu_fan": 99}).zha_hu_price == 99
