"""刮风下雨: every kong price of the seeds, in a game (S0 §1.4, S1 补充, S2 §1.3, S3 四)."""

from __future__ import annotations

from typing import Any

import pytest

from pzvision.tiles import parse_tile

PZH = ("pzh-traditional", "pzh-biankadiao-que", "pzh-popular")
QUADS = "1111m2222m3333m9s"


def amounts(table: Any, event: int) -> dict[tuple[str, str], int]:
    return {(p.source, p.target): p.fan for p in table.state.ledger if p.event == event}


@pytest.mark.parametrize("ruleset", (*PZH, "xichang"))
def test_an_gang_two_from_each_dian_gang_two_from_the_discarder(table: Any, ruleset: str) -> None:
    # S0 4a 暗杠:还没胡牌玩家每家给两张; 4b 点杠:点家给2张,其它无关; S1 点杠2元, 暗杠三家人都2元;
    # S3 明杠2分, 暗杠每人2分
    t = table(ruleset, E="9s", S="1111m23s", W="777p", wall="6s8p8p7p6s")
    t.discard("E", "9s")
    t.draw("S", "6s")
    t.gang("S", "an_gang", "1m")
    line = t.line
    t.draw("S", "8p")
    assert amounts(t, line) == {("E", "S"): 2, ("W", "S"): 2, ("N", "S"): 2}
    t.discard("S", "8p")
    t.turn("W", "8p")
    t.turn("N", "7p")
    t.gang("W", "zhi_gang", "7p")
    line = t.line
    t.draw("W", "6s")
    assert amounts(t, line) == {("N", "W"): 2}


@pytest.mark.parametrize("ruleset", (*PZH, "xichang"))
@pytest.mark.parametrize("kept", [False, True])
def test_ba_gang_one_from_each_but_nothing_for_a_kept_tile(table: Any, ruleset: str, kept: bool) -> None:
    # S0 4c 巴杠:还没胡牌玩家每家给1张,自己手上的牌放下去不算,不能收钱. S3 巴杠特殊情况
    t = table(ruleset, E="5p19m", S="55p19m19s", wall="5p")
    t.discard("E", "5p")
    t.peng("S", "5p")
    t.discard("S", "9s")
    for seat in ("W", "N", "E"):
        t.turn(seat, _useless(t))
    t.draw("S", "5p")
    if kept:
        t.discard("S", "1s")
        for seat in ("W", "N", "E"):
            t.turn(seat, _useless(t))
        t.draw("S", _useless(t))
    t.gang("S", "ba_gang", "5p", kept=kept)
    line = t.line
    t.draw("S", _useless(t))
    assert amounts(t, line) == ({} if kept else {("E", "S"): 1, ("W", "S"): 1, ("N", "S"): 1})
    assert not t.violations


def test_a_kong_is_paid_when_its_replacement_is_drawn(table: Any) -> None:
    t = table("pzh-popular", E=QUADS)
    t.gang("E", "an_gang", "1m")
    assert t.ledger == []
    t.draw("E", "9p")
    assert [(p.event, p.kind, p.why) for p in t.state.ledger] == [(6, "kong", "an_gang")] * 3


def kongs_in_a_row(table: Any, ruleset: str, kinds: str, **options: object) -> int:
    """E has 碰 of 5p and 6p and holds 1111m222m, then makes these kongs; what W pays for them in all."""
    t = table(ruleset, E="55p66p1111m222m99s9p", wall="55p66p2m", options=options)
    t.discard("E", "9s")
    t.turn("S", "5p")
    t.peng("E", "5p")
    t.discard("E", "9s")
    t.turn("S", "6p")
    t.peng("E", "6p")
    t.discard("E", "9p")
    for seat in ("S", "W", "N"):
        t.turn(seat, _useless(t))
    needs = {"ba": ["5p", "6p"], "an": ["1m", "2m"]}
    row = kinds.split()
    drawn = {"ba": needs["ba"][0]}.get(row[0]) or ("2m" if row.count("an") > 1 else _useless(t))
    t.draw("E", drawn)
    for number, kind in enumerate(row):
        t.gang("E", f"{kind}_gang", needs[kind].pop(0))
        following = row[number + 1] if number + 1 < len(row) else None
        if following == "ba":
            t.draw("E", needs["ba"][0])
        elif following == "an" and row[: number + 1].count("an") == 0 and row.count("an") > 1:
            t.draw("E", "2m")
        else:
            t.draw("E", _useless(t))
    assert not t.violations
    assert sum(t.state.totals) == 0
    return -t.state.total("W")


def _useless(t: Any) -> str:
    return next(tile for tile in ("4s", "8s", "9p", "1p", "7p", "1s") if t.left[parse_tile(tile)])


@pytest.mark.parametrize("ruleset", PZH)
@pytest.mark.parametrize(
    ("kinds", "total"),
    [
        ("an an", 6),  # S0 4d 暗杠上暗杠:每家给6张(2＋2*2)
        ("an ba", 4),  # S0 4e 暗杠上巴杠:每家4张(2＋1*2)
        ("ba an", 5),  # S0 4f 巴杠上暗杠:每家5张(1+2*2)
        ("ba ba", 3),  # S0 4g 巴杠上巴杠:每家3张(1+1*2)
        ("ba an an", 13),  # S0 4i 如果杠牌是一直连续的,就一直乘2: 1 + 2*2 + 2*4
        ("an an ba", 10),  # 2 + 4 + 1*4
    ],
)
def test_kongs_in_a_row_of_one_player(table: Any, ruleset: str, kinds: str, total: int) -> None:
    assert kongs_in_a_row(table, ruleset, kinds) == total


@pytest.mark.parametrize(
    ("kinds", "total"),
    [
        ("an an", 6),  # S3 (4) 杠上杠再翻一倍: 暗杠(每人付4分)
        ("an ba", 4),  # 巴杠(每人付2分)
        ("ba an", 5),
        ("ba an an", 7),  # S3 三连杠及以上的杠牌不翻倍,统一按第一次杠分计算: 1 + 4 + 2
        ("an an ba", 7),  # 2 + 4 + 1
    ],
)
def test_kongs_in_a_row_in_xichang(table: Any, kinds: str, total: int) -> None:
    assert kongs_in_a_row(table, "xichang", kinds) == total
    assert kongs_in_a_row(table, "xichang", "ba an an", kong_chain="doubling") == 13


def claimed_in_a_row(table: Any, ruleset: str, **options: object) -> list[int]:
    """E makes a 暗杠 and discards; S, W and N each kong the discard of the one before them."""
    t = table(ruleset, E="1111m3p", S="333p4p", W="444p5p", N="555p", wall="9s9s9s9s", options=options)
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9s")
    for seat, tile in (("S", "3p"), ("W", "4p"), ("N", "5p")):
        t.discard({"S": "E", "W": "S", "N": "W"}[seat], tile)
        t.gang(seat, "zhi_gang", tile)
        t.draw(seat, "9s")
    assert not t.violations
    paid = [(p.source, p.target, p.fan) for p in t.state.ledger[3:]]
    assert [(a, b) for a, b, _ in paid] == [("E", "S"), ("S", "W"), ("W", "N")]
    return [fan for _, _, fan in paid]


@pytest.mark.parametrize("ruleset", PZH)
def test_claimed_kongs_in_a_chain(table: Any, ruleset: str) -> None:
    # S0 4h A杠后点B的杠 2*1*2=4, B点C 2*2*2=8, C点D 2*3*2=12,哪个点的哪个给
    assert claimed_in_a_row(table, ruleset) == [4, 8, 12]
    # S0 4i read literally: 一直乘2 (D28)
    assert claimed_in_a_row(table, ruleset, claimed_chain="power") == [4, 8, 16]


def test_claimed_kongs_in_a_chain_in_xichang(table: Any) -> None:
    # S3 (4) 点杠(点的人付4分), 三连杠及以上不翻倍
    assert claimed_in_a_row(table, "xichang") == [4, 2, 2]


def test_the_chain_ends_when_a_discard_is_not_konged(table: Any) -> None:
    t = table("pzh-popular", E="1111m2222m", wall="9s9s9s9s")
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9s")
    t.discard("E", "9s")
    for seat in ("S", "W", "N"):
        t.turn(seat, _useless(t))
    t.draw("E", "9s")
    t.gang("E", "an_gang", "2m")
    t.draw("E", "9s")
    assert [p.fan for p in t.state.ledger] == [2] * 6
    assert t.state.chain == 1


def test_the_chain_ends_on_a_peng_and_on_a_win(table: Any) -> None:
    t = table("pzh-popular", E="1111m3p", S="33p4444m", wall="9s9s9s")
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9s")
    t.discard("E", "3p")
    assert t.state.chain == 1
    t.peng("S", "3p")
    assert t.state.chain == 0
    t.gang("S", "an_gang", "4m")
    t.draw("S", "9s")
    assert [p.fan for p in t.state.ledger] == [2] * 6

    t = table("pzh-popular", E="1111m5p", S="123456789s46p99m", wall="9p")
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9p")
    t.discard("E", "5p")
    t.win("S", "5p")
    assert t.state.chain == 0


def test_winners_pay_no_kong_any_more(table: Any) -> None:
    # S0 4a 还没胡牌玩家每家给两张; S3 四 不考虑已经胡牌的人
    t = table("pzh-popular", E="5p", S="123456789s46p99m", W="1111p", wall="9p")
    t.discard("E", "5p")
    t.win("S", "5p")
    t.draw("W", "9p")
    t.gang("W", "an_gang", "1p")
    line = t.line
    t.draw("W", "9p")
    assert amounts(t, line) == {("E", "W"): 2, ("N", "W"): 2}


def test_kong_money_is_never_capped(table: Any) -> None:
    # S0 11 杠牌不封顶,不算番,单独计算
    assert kongs_in_a_row(table, "pzh-popular", "ba an an", cap=1) == 13


def test_robbed_kong_is_void_and_the_robbed_pays_alone(table: Any) -> None:
    # S3 4、抢杠胡牌的,结算时多乘2倍,此巴杠不成立,其他玩家无需支付杠分
    t = table("xichang", E="55p19m", W="123456789s46p99m", wall="5p5p9p")
    t.discard("E", "1m")
    t.turn("S", "5p")
    t.peng("E", "5p")
    t.discard("E", "9m")
    for seat in ("S", "W", "N"):
        t.turn(seat, _useless(t))
    t.draw("E", "5p")
    t.gang("E", "ba_gang", "5p")
    assert t.act("W", "win").by == "rob_kong"
    t.win("W", "5p", by="rob_kong")
    assert t.ledger == [("win", "E", "W", 4)]  # 卡心五 2 × 抢杠 2
    assert [m.kind for m in t.state["E"].melds] == ["peng"]
    assert t.state.chain == 0
    t.turn("N", "9p")
    assert t.ledger == [("win", "E", "W", 4)]


@pytest.mark.parametrize("allowed", [False, True])
def test_option_rob_kong(table: Any, allowed: bool) -> None:
    # D10: the Panzhihua seeds do not mention 抢杠; switched on it is ×2
    t = table("pzh-popular", E="55p19m", W="123456789s46p99m", wall="5p5p", options={"rob_kong": allowed})
    t.discard("E", "1m")
    t.turn("S", "5p")
    t.peng("E", "5p")
    t.discard("E", "9m")
    for seat in ("S", "W", "N"):
        t.turn(seat, _useless(t))
    t.draw("E", "5p")
    t.gang("E", "ba_gang", "5p")
    assert (t.act("W", "win") is not None) == allowed
    line = t.line + 1
    t.win("W", "5p", by="rob_kong")
    if allowed:
        assert t.ledger == [("win", "E", "W", 4)] and not t.violations
    else:
        assert t.ledger == [] and t.violations == [(line, "illegal_win", "W")]
        t.draw("E", _useless(t))
        assert [p.fan for p in t.state.ledger] == [1, 1, 1]
