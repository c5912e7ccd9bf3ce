"""Every number the source texts give for a hand, with the line it stands in (S0–S3 as in the rules).

S0 and S2 are the Panzhihua write-ups, S1 the street rules, S3 Xichang.
"""

from __future__ import annotations

import pytest

from pzvision.rules import Meld, Payer, Score, cha_jiao_value, kong_fan, load_ruleset, score_win
from pzvision.tiles import parse_tile, parse_tiles, to_counts

S0 = "pzh-traditional"
S2 = "pzh-biankadiao-que"
S1 = "pzh-popular"
S3 = "xichang"


def laid(text: str) -> tuple[Meld, ...]:
    """``111m 2222p+`` → a 碰 of 1m, a 巴杠 of 2p (``-``: 暗杠, ``=``: 点杠)."""
    kinds = {"+": "ba_gang", "-": "an_gang", "=": "zhi_gang"}
    melds = []
    for word in text.split():
        kind = kinds.get(word[-1], "peng")
        tiles = parse_tiles(word.rstrip("+-="))
        assert len(set(tiles)) == 1 and len(tiles) == (3 if kind == "peng" else 4)
        melds.append(Meld(kind, tiles[0]))  # type: ignore[arg-type]
    return tuple(melds)


def win(
    ruleset: str,
    hand: str,
    tile: str,
    melds: str = "",
    *,
    by: str = "discard",
    options: dict | None = None,
    **how,
) -> Score:
    rules = load_ruleset(ruleset, options)
    return score_win(rules, to_counts(parse_tiles(hand)), laid(melds), tile=parse_tile(tile), by=by, **how)


def ids(score: Score) -> list[str]:
    return [id_ for id_, _ in score.patterns]


def check(ruleset: str, hand: str, tile: str, melds: str, face: int, patterns: set[str]) -> None:
    score = win(ruleset, hand, tile, melds)
    assert score.legal, score.explain()
    assert score.face == face, score
    assert set(ids(score)) == patterns


@pytest.mark.parametrize(
    ("ruleset", "hand", "tile", "melds", "face", "patterns"),
    [
        # S0 line 91, items a–j; S2 lines 33–42 say the same
        pytest.param(S0, "1122m33s5577s889p", "9p", "", 4, {"xiao_qi_dui"}, id="S0:91a 小七对 4"),
        pytest.param(S0, "1122m3333s77s889p", "9p", "", 8, {"long_qi_dui"}, id="S0:91b 龙七对 8"),
        pytest.param(S0, "1111m3333s77s889p", "9p", "", 16, {"feng_qi_dui"}, id="S0:91c 凤七对 16"),
        pytest.param(S0, "123567m46s22789p", "5s", "", 2, {"ka_xin_wu"}, id="S0:91d 卡心五 2"),
        pytest.param(S0, "222555m22888s55p", "5p", "", 8, {"jiang_dui"}, id="S0:91e 将对 8"),
        pytest.param(S0, "123789m123s7899p", "9p", "", 4, {"yao_jiu"}, id="S0:91f 幺九 4"),
        pytest.param(S0, "5m", "5m", "111s 222s 333p 777p", 4, {"shou_ba_yi"}, id="S0:91g 手把一 4"),
        pytest.param(S0, "1233456789912m", "3m", "", 4, {"qing_yi_se"}, id="S0:91h 清一色 4"),
        pytest.param(
            S0,
            "5m",
            "5m",
            "111m 222m 333m 777m",
            16,
            {"qing_yi_se", "shou_ba_yi"},
            id="S0:91i 清一色手把一 16",
        ),
        pytest.param(S0, "44333m222s11999p", "1p", "", 2, {"da_dui"}, id="S0:91j 大对 2"),
        # S0 line 91 k with its examples in lines 93: 碰 of 4s, the fourth 4s drawn and kept
        pytest.param(S0, "23s123m55p", "4s", "444s 777m", 2, {"ming_gui"}, id="S0:91k waits on the own 碰"),
        pytest.param(S0, "34s123m55p", "2s", "444s 777m", 2, {"ming_gui"}, id="S0:93 3,4 in hand, won on 2"),
        pytest.param(S0, "34s123m55p", "5s", "444s 777m", 2, {"ming_gui"}, id="S0:93 3,4 in hand, won on 5"),
        pytest.param(
            S0, "345s23m55p", "1m", "444s 777m", 2, {"ming_gui"}, id="S0:93 3,4,5 in hand, won elsewhere"
        ),
        # S0 line 95 l and its examples in line 97
        pytest.param(S0, "5555m67m123s23p88p", "1p", "", 4, {"an_gui"}, id="S0:97 four 5 with 6, 7"),
        pytest.param(S0, "5555m34m123s23p88p", "1p", "", 4, {"an_gui"}, id="S0:97 four 5 with 3, 4"),
        pytest.param(S0, "5555m46m123s23p88p", "1p", "", 4, {"an_gui"}, id="S0:97 four 5 with 4, 6"),
        # S1's price list
        pytest.param(S1, "123456m789p1123s", "4s", "", 1, set(), id="S1:21 平胡 1"),
        pytest.param(S1, "123567m46s22789p", "5s", "", 2, {"ka_xin_wu"}, id="S1:23 卡心五 2"),
        pytest.param(S1, "44333m222s11999p", "1p", "", 2, {"da_dui"}, id="S1:25 大对 2"),
        pytest.param(S1, "5m", "5m", "111s 222s 333p 777p", 4, {"shou_ba_yi"}, id="S1:27 手把一 4"),
        pytest.param(S1, "1233456789912m", "3m", "", 4, {"qing_yi_se"}, id="S1:29 清一色 4"),
        pytest.param(
            S1, "44m999m11m", "1m", "222m 333m", 8, {"qing_yi_se", "da_dui"}, id="S1:29 清一色大对 8"
        ),
        pytest.param(S1, "1122m33s5577s889p", "9p", "", 4, {"xiao_qi_dui"}, id="S1:31 小七对 4"),
        pytest.param(
            S1,
            "1133557788995m",
            "5m",
            "",
            32,
            {"qing_yi_se", "long_qi_dui"},
            id="S1:33 one four counts as 龙",
        ),
        pytest.param(
            S1, "1122446688993m", "3m", "", 16, {"qing_yi_se", "xiao_qi_dui"}, id="S1:31 清一色小七对 16"
        ),
        pytest.param(S1, "1122m3333s77s889p", "9p", "", 8, {"long_qi_dui"}, id="S1:33 龙七对 8"),
        pytest.param(
            S1, "1111335577992m", "2m", "", 32, {"qing_yi_se", "long_qi_dui"}, id="S1:33 清一色龙七对 32"
        ),
        pytest.param(S1, "23m456s99p", "1m", "111m 222p", 2, {"ming_gui"}, id="S1:35 明归 2"),
        pytest.param(
            S1, "23m45699m", "1m", "111m 888m", 8, {"qing_yi_se", "ming_gui"}, id="S1:35 清一色明四归一 8"
        ),
        pytest.param(S1, "11123m456s789p22p", "1m", "", 4, {"an_gui"}, id="S1:37 暗归 4"),
        pytest.param(S1, "11123m456s789p22p", "4m", "", 1, set(), id="S1:37 the same hand on 4m is none"),
        pytest.param(
            S1, "1112345699888m", "1m", "", 16, {"qing_yi_se", "an_gui"}, id="S1:37 清一色暗四归一 16"
        ),
        pytest.param(S1, "123m7899s", "9s", "111s 999p", 4, {"yao_jiu"}, id="S1:43 幺九 4"),
        pytest.param(S1, "222555m22888s55p", "5p", "", 8, {"jiang_dui"}, id="S1:45 将对 8"),
        pytest.param(S1, "2255m2255s22588p", "5p", "", 32, {"jiang_qi_dui"}, id="S1:47 将七对 32"),
        # S3's table, lines 75–107
        pytest.param(S3, "123456m789p1123s", "4s", "", 1, set(), id="S3:75 平胡 1"),
        pytest.param(S3, "46s123m567m789p22p", "5s", "", 2, {"ka_xin_wu"}, id="S3:79 4、6条胡5条"),
        pytest.param(S3, "34456s123m789m11p", "5s", "", 2, {"ka_xin_wu"}, id="S3:81 34456条,胡5条"),
        pytest.param(S3, "44333m222s11999p", "1p", "", 2, {"da_dui"}, id="S3:83 大对子 2"),
        pytest.param(S3, "1122m33s5577s889p", "9p", "", 4, {"xiao_qi_dui"}, id="S3:85 小七对 4"),
        pytest.param(S3, "1233456789912m", "3m", "", 4, {"qing_yi_se"}, id="S3:87 清一色 4"),
        pytest.param(S3, "123m123s1238999p", "7p", "", 4, {"yao_jiu"}, id="S3:89 带幺九 4"),
        pytest.param(
            S3, "4678978912333m", "5m", "", 8, {"qing_yi_se", "ka_xin_wu"}, id="S3:91 清一色卡心五 8"
        ),
        pytest.param(S3, "1122m3333s77s889p", "9p", "", 8, {"long_qi_dui"}, id="S3:93 龙七对 8"),
        pytest.param(S3, "44m999m11m", "1m", "222m 333m", 8, {"qing_yi_se", "da_dui"}, id="S3:95 清大对 8"),
        pytest.param(S3, "222555m22888s55p", "5p", "", 8, {"jiang_dui"}, id="S3:97 将对 8"),
        pytest.param(S3, "1231231237899m", "9m", "", 16, {"qing_yi_se", "yao_jiu"}, id="S3:99 清幺九 16"),
        pytest.param(S3, "111999m11s999s11p", "1p", "", 16, {"yao_jiu_dui"}, id="S3:101 幺九对 16"),
        pytest.param(
            S3, "1122446688993m", "3m", "", 16, {"qing_yi_se", "xiao_qi_dui"}, id="S3:103 清七对 16"
        ),
        pytest.param(S3, "1111m3333s77s889p", "9p", "", 16, {"feng_qi_dui"}, id="S3:105 凤七对 16"),
        pytest.param(S3, "2255m2255s22588p", "5p", "", 16, {"jiang_qi_dui"}, id="S3:107 将七对 16"),
        pytest.param(
            S3, "1111335577992m", "2m", "", 16, {"qing_yi_se", "long_qi_dui"}, id="S3:111 清龙七对 is 16"
        ),
        pytest.param(
            S3, "1111333355992m", "2m", "", 16, {"qing_yi_se", "feng_qi_dui"}, id="S3:111 清凤七对 is 16"
        ),
    ],
)
def test_price_list(ruleset: str, hand: str, tile: str, melds: str, face: int, patterns: set[str]) -> None:
    check(ruleset, hand, tile, melds, face, patterns)


@pytest.mark.parametrize("held", ["4556m", "45556m", "46m"])
def test_middle_five_examples(held: str) -> None:
    """S0:49 有牌为4556、45556或46,叫牌为5时,称为卡心五."""
    rest = {"4556m": "123s123789p", "45556m": "123s78999p", "46m": "12322s123789p"}[held]
    score = win(S0, held + rest, "5m")
    assert "ka_xin_wu" in ids(score)


@pytest.mark.parametrize("source", ["S0", "S2"])
def test_edge_gap_and_pair_double(source: str) -> None:
    """S0:51, S0:107, S2:21, S2:50: edge, gap (卡心五 like any gap) and pair ×2."""
    rules = "pzh-biankadiao" if source == "S0" else S2
    for held, tile in (("12p", "3p"), ("89p", "7p"), ("46p", "5p"), ("35p", "4p")):
        score = win(rules, f"123456m{held}77m", tile, "777s" if rules == "pzh-biankadiao" else "888m")
        assert (score.face, score.play, score.total) == (1, 2, 2), (held, tile)
    single = win(rules, "123456m1p", "1p", "999p 888m")
    assert (single.face, single.play) == (1, 2)
    open_ended = win(rules, "123456m34p77m", "5p", "999p")
    assert (open_ended.face, open_ended.play) == (1, 1)


def test_kong_luck_doubles() -> None:
    """S0:99 m, n: 卡心五算2张,在此乘2; S2:45–46; S3:115, 117."""
    for ruleset in (S0, S3):
        flower = win(ruleset, "123m567m46s22p", "5s", "7777p-", by="self_draw", kong_chain=1)
        assert (flower.face, flower.total) == (4, 4)
        assert set(ids(flower)) == {"ka_xin_wu", "gang_shang_hua"}
        shot = win(ruleset, "123567m46s22789p", "5s", kong_chain=1)
        assert shot.face == 4 and "gang_shang_pao" in ids(shot)


def test_kong_luck_with_a_declaration() -> None:
    """S0:59–61 唱歌/跳舞后如遇到杠上炮、杠上花则番数翻倍 (4*2 或 2*2)."""
    for winner, total in (("sing", 4), ("dance", 8)):
        assert win(S0, "123456m789p1123s", "4s", kong_chain=1, winner=winner).total == total


def test_ready_from_the_deal() -> None:
    """S0:101 天叫 4, with 唱歌/跳舞 on top; S1:39 天叫 4, 清一色天叫 16."""
    assert win(S0, "123456m789p1123s", "4s", opening="tian_jiao").face == 4
    assert win(S0, "123456m789p1123s", "4s", opening="tian_jiao", winner="dance").total == 16
    assert win(S1, "1233456789912m", "3m", opening="tian_jiao").face == 16


def test_won_with_the_deal() -> None:
    """S0:103, S2:48: exactly the cap; S1:41 天和 16, 清一色天和 64; S3:123 16 each, patterns not counted."""
    plain, one_suit = ("123456m789p1123s", "4s"), ("1233456789912m", "3m")
    for hand in (plain, one_suit):
        score = win(S0, *hand, by="self_draw", opening="tian_hu")
        assert (score.total, score.payment(Payer()), score.payment(Payer("dance"))) == (32, 32, 32)
        assert ids(score) == ["tian_hu"]
        assert win(S0, *hand, by="self_draw", opening="tian_hu", options={"cap": 64}).total == 64
        assert win(S3, *hand, by="self_draw", opening="tian_hu").total == 16
    assert win(S1, *plain, by="self_draw", opening="tian_hu").total == 16
    score = win(S1, *one_suit, by="self_draw", opening="tian_hu")
    assert (score.total, score.payment(Payer("sing"))) == (64, 128)


def test_won_with_the_first_draw() -> None:
    """S3:125 地胡: 16 each, patterns not counted."""
    score = win(S3, "1233456789912m", "3m", by="self_draw", opening="di_hu")
    assert (score.face, score.total, score.payment(Payer("bai"))) == (16, 16, 16)
    assert ids(score) == ["di_hu"]


def test_singing_and_dancing() -> None:
    """S0:111, S2:51: one side ×2 / ×4, 对唱 4, 对跳 16, 一唱一跳 8."""
    hand = ("123456m789p1123s", "4s")

    def pays(winner: str, payer: str) -> int:
        return win(S0, *hand, winner=winner).payment(Payer(payer))  # type: ignore[arg-type]

    assert pays("none", "none") == 1
    assert pays("sing", "none") == pays("none", "sing") == 2
    assert pays("dance", "none") == pays("none", "dance") == 4
    assert pays("sing", "sing") == 4
    assert pays("dance", "dance") == 16
    assert pays("sing", "dance") == pays("dance", "sing") == 8


def test_the_dancers_example() -> None:
    """S0:113, S2:51: 跳舞 wins 平胡 by self-draw first; the others dance / sing / neither: 16 / 8 / 4."""
    score = win(S0, "123456m789p1123s", "4s", by="self_draw", winner="dance")
    assert [score.payment(Payer(d)) for d in ("dance", "sing", "none")] == [16, 8, 4]


def test_street_prices_of_singing_and_dancing() -> None:
    """S1:19: 唱歌 2; 对唱 4; one sings: 2 either way; singer wins: 唱跳都不 2, 跳舞 8."""
    score = win(S1, "123456m789p1123s", "4s", by="self_draw", winner="sing")
    assert [score.payment(Payer(d)) for d in ("none", "sing", "dance")] == [2, 4, 8]
    assert win(S1, "123456m789p1123s", "4s").payment(Payer("sing")) == 2


def test_alarm() -> None:
    """S1:19 报警后...点了别人的炮后也要加一番."""
    assert win(S1, "123456m789p1123s", "4s").payment(Payer(alarm=True)) == 2
    assert win(S1, "123456m789p1123s", "4s", by="self_draw").payment(Payer(alarm=True)) == 1


def test_street_kongs_in_a_row_raise_luck() -> None:
    """S1:49 杠上花/杠上炮 2; 杠上杠的杠上炮也要加番."""
    hand = ("123456m789p1123s", "4s")
    assert [win(S1, *hand, kong_chain=n).face for n in range(4)] == [1, 2, 4, 8]
    assert [win(S0, *hand, kong_chain=n).face for n in range(4)] == [1, 2, 2, 2]


def test_missing_suit_rules() -> None:
    """S0:21, S0:71, S0:109: 或缺; S2:4, S2:18: 缺."""
    three, two = ("123456m789p1123s", "4s"), ("123456m1123789s", "4s")
    refused = win("pzh-huoque", *three)
    assert (refused.legal, refused.reason) == (False, "huo_que")
    assert win("pzh-huoque", *three, winner="sing").total == 2
    assert win("pzh-huoque", *two).total == 2  # 只要能胡牌,其翻数一定至少是基数的2翻
    assert win(S2, *three, winner="dance").reason == "que_yi_men"
    assert win(S2, *two).total == 1
    assert win(S0, *three).total == 1  # 传统打法:不计缺


def test_xichang_factors() -> None:
    """S3:121 摆牌 ×2, several multiply; S3:127 报听 ×4, with 摆牌 ×8; S3:113 16 at most."""
    hand = ("123456m789p1123s", "4s")
    shown = win(S3, *hand, winner="bai")
    assert (shown.total, shown.payment(Payer("bai"))) == (2, 4)
    assert win(S3, *hand).payment(Payer("bai")) == 2
    assert win(S3, *hand, opening="bao_ting").total == 4
    assert win(S3, *hand, opening="bao_ting", winner="bai").total == 8
    assert win(S3, *hand, opening="bao_ting", winner="bai").payment(Payer("bai")) == 16
    rich = win(S3, "1122446688993m", "3m", winner="bai", kong_chain=1)
    assert (rich.face, rich.total, rich.payment(Payer("bai"))) == (32, 16, 16)


def test_robbed_kong() -> None:
    """S3:119, S3:155 抢杠 ×2; not in Panzhihua's texts."""
    hand = ("123456m789p1123s", "4s")
    assert win(S3, *hand, by="rob_kong").total == 2
    assert win(S0, *hand, by="rob_kong").reason == "rob_kong"


def test_cha_jiao_example() -> None:
    """S3:135 清大对 or 清一色卡心五 (8): 1*4*2 = 8; with 摆牌 twice that, 16."""
    rules = load_ruleset(S3)
    middle_five = to_counts(parse_tiles("4678978912333m"))
    assert cha_jiao_value(rules, middle_five, ()) == 8
    assert cha_jiao_value(rules, middle_five, (), winner="bai") == 16
    counts = to_counts(parse_tiles("1144999m"))
    assert cha_jiao_value(rules, counts, laid("222m 333m")) == 8
    assert cha_jiao_value(rules, counts, laid("222m 333m"), winner="bai") == 16


def test_kong_money() -> None:
    """S0:23–29, S2:8–16 and S1:49: 2 / 2 / 1; a kept 巴杠 nothing; chains 6, 4, 5, 3 and 4, 8, 12."""
    rules = load_ruleset(S0)
    assert [kong_fan(rules, kind) for kind in ("zhi_gang", "an_gang", "ba_gang")] == [2, 2, 1]
    assert kong_fan(rules, "ba_gang", kept=True) == kong_fan(rules, "ba_gang", 1, kept=True) == 0
    pairs = {
        ("an_gang", "an_gang"): 6,
        ("an_gang", "ba_gang"): 4,
        ("ba_gang", "an_gang"): 5,
        ("ba_gang",) * 2: 3,
    }
    for (first, second), paid in pairs.items():
        assert kong_fan(rules, first) + kong_fan(rules, second, 1) == paid  # type: ignore[arg-type]
    assert [kong_fan(rules, "zhi_gang", chain) for chain in (1, 2, 3)] == [4, 8, 12]


def test_xichang_kong_money() -> None:
    """S3:145–153: 2 / 2 / 1, the second in a row doubled (4 / 4 / 2), the third and later not; kept: none."""
    rules = load_ruleset(S3)
    kinds = ("zhi_gang", "an_gang", "ba_gang")
    assert [[kong_fan(rules, kind, chain) for kind in kinds] for chain in range(4)] == [
        [2, 2, 1],
        [4, 4, 2],
        [2, 2, 1],
        [2, 2, 1],
    ]
    assert [kong_fan(rules, "ba_gang", chain, kept=True) for chain in range(3)] == [0, 0, 0]


def test_caps() -> None:
    """S0:69, S2:23 一般是32或64番封顶; S3:113 16; S1 names none (D1)."""
    dear = ("1111335577992m", "2m")  # 清一色龙七对 32
    assert win(S0, *dear, winner="dance").total == 32
    assert win(S0, *dear, winner="dance", options={"cap": 64}).total == 64
    assert win(S1, *dear, winner="dance").payment(Payer("dance")) == 512
    assert [load_ruleset(r).cap for r in (S0, S2, S1, S3)] == [32, 32, None, 16]
