"""Wins, several winners, 查叫, 死叫, 花猪, 诈胡, leavers and the next dealer (RULES §2, §5, §9)."""

from __future__ import annotations

from typing import Any

import pytest

from pzvision.game import next_dealer

READY = "123456789s46p99m"  # waits for 5p: 卡心五, two in the game; three suits
PLAIN = "123456789s78p99m"  # waits for 69p: 平胡, three suits


def sung(t: Any, seat: str, what: str = "sing") -> None:
    t.declare(seat, what)


# --- who pays whom -----------------------------------------------------------------------------------


def test_the_dancer_first_to_win_gets_16_8_and_4(table: Any) -> None:
    # S0 3c 举例有玩家跳舞又是第一家自摸平胡胡牌,另3家分别跳舞、唱歌、没唱歌跳舞,则这3家分别输16翻、8翻、4翻
    t = table(
        "pzh-traditional",
        E=PLAIN + "1p",
        S="123456789m78s11p",
        W="123m456s789s46p22s",
        lamp="9p",
        wall="9p3m1m3m1m6p",
    )
    t.discard("E", "1p")
    t.declare("E", "dance")
    t.turn("S", "3m")
    t.declare("S", "dance")
    t.turn("W", "1m")
    t.declare("W", "sing")
    t.turn("N", "3m", "3m")
    t.draw("E", "6p")
    t.win("E", "6p")
    assert t.ledger == [("win", "S", "E", 16), ("win", "W", "E", 8), ("win", "N", "E", 4)]
    assert not t.violations


def test_dui_chang_is_four(table: Any) -> None:
    # S1 3 “对唱”,你们互相放炮,价格就变成了4块. 如果自摸,则“对唱”的玩家给四块,而其余两家给2块
    t = table("pzh-popular", E=PLAIN + "1p", S="123456789m78s22p", wall="1m1m1m6s6p")
    t.discard("E", "1p")
    t.declare("E", "sing")
    t.turn("S", "1m")
    t.declare("S", "sing")
    t.turn("W", "1m")
    t.turn("N", "1m")
    t.draw("E", "6p")
    t.win("E", "6p")
    assert t.ledger == [("win", "S", "E", 4), ("win", "W", "E", 2), ("win", "N", "E", 2)]


def test_singer_drawing_the_dancers_tile_may_win_with_it_himself(table: Any) -> None:
    # S1 3 除非“唱歌”的人也可以和那张牌,即自摸: 其他的只给“唱歌”的2块,“跳舞”的给“唱歌”的8块
    t = table("pzh-popular", E=PLAIN + "1p", S="123m456789s78p22m", wall="1m6p")
    t.discard("E", "1p")
    t.declare("E", "dance")
    t.turn("S", "1m")
    t.declare("S", "sing")
    t.turn("W", "1m")
    t.turn("N", "1m")
    t.turn("E", "1p")
    t.draw("S", "6p")
    t.win("S", "6p")
    assert t.ledger == [("win", "E", "S", 8), ("win", "W", "S", 2), ("win", "N", "S", 2)]


def test_a_discard_is_paid_by_the_discarder_alone(table: Any) -> None:
    # S0 3.2 点炮的给分,其它人不计
    t = table("pzh-traditional", E="5p", W=READY, base=5)
    t.discard("E", "5p")
    t.win("W", "5p")
    assert [(p.source, p.target, p.fan, p.amount, p.why) for p in t.state.ledger] == [
        ("E", "W", 2, 10, "ka_xin_wu")
    ]
    assert t.state.totals == (-10, 0, 10, 0)
    t.draw("N", "9p")  # the next after the winner draws


def test_several_win_on_one_discard_and_the_next_after_the_last_draws(table: Any) -> None:
    t = table("pzh-traditional", E="5p", W=READY, N="123456789m46p22s")
    t.discard("E", "5p")
    t.win("N", "5p")
    assert t.state.next_draw == "E" and t.state["E"].river == ()
    t.win("W", "5p")
    assert t.state.next_draw == "E" and t.state["E"].river == (22,)
    assert t.ledger == [("win", "E", "N", 2), ("win", "E", "W", 2)]
    assert next_dealer(t.state) == "W"  # S3: 一炮多响的点炮者开始第一个胡牌的为庄
    assert t.state.appeared()[22] == 1  # in the river, and not once more with each winner


def test_three_winners_end_the_hand(table: Any) -> None:
    # S0 1)血战: 直到有3家都胡
    t = table("pzh-traditional", E="5p", S="123456789s46p11s", W=READY, N="123456789m46p22s")
    t.discard("E", "5p")
    for seat in ("S", "W", "N"):
        t.win(seat, "5p")
    assert t.act("E", "draw") is None
    state = t.end()
    assert not state.cut and state.finished
    assert next_dealer(state) == "S"


def test_a_declaration_made_with_the_discard_counts_on_that_very_discard(table: Any) -> None:
    # RULES §5: factors are those in force when the win is recorded
    t = table("pzh-traditional", E="123456789m46s11p5p", W=READY)
    t.discard("E", "5p")
    t.declare("E", "dance")
    t.win("W", "5p")
    assert t.ledger == [("win", "E", "W", 8)]


def test_the_cap_holds_per_payer(table: Any) -> None:
    # S0 11 封顶 32 或 64
    for cap, fan in ((32, 32), (64, 64), (None, 64)):
        t = table("pzh-traditional", E="1m", S="1122335566779s", wall="9s111m", options={"cap": cap})
        t.discard("E", "1m")
        t.turn("S", "1m")
        t.declare("S", "dance")  # 清七对 16 × 跳舞 4
        t.turn("W", "1m")
        t.turn("N", "1m")
        t.turn("E", _any(t))
        t.draw("S", "9s")
        t.win("S", "9s")
        assert t.ledger == [("win", seat, "S", fan) for seat in ("E", "W", "N")]


# --- openings ----------------------------------------------------------------------------------------


def test_tian_hu(table: Any) -> None:
    # S0 4.2p 默认情况下按封顶值; S1 14 天和 16; S3 (5) 每人支付16分
    for ruleset, fan in (("pzh-traditional", 32), ("pzh-popular", 16), ("xichang", 16)):
        t = table(ruleset, E=PLAIN + "6p")
        t.win("E", "6p", by="self_draw")
        assert {f for *_, f in t.ledger} == {fan}
        assert t.state.next_draw == "S"


def test_a_kong_first_ends_tian_hu(table: Any) -> None:
    t = table("pzh-popular", E="1111m234567s11s78p", wall="6p")
    t.gang("E", "an_gang", "1m")
    t.draw("E", "6p")
    t.win("E", "6p")
    assert [fan for kind, *_, fan in t.ledger if kind == "win"] == [2, 2, 2]  # only 杠上花


def test_di_hu(table: Any) -> None:
    # S3 (6) 地胡:闲家摸第一张牌即胡牌,每人支付16分
    t = table("xichang", E="1m", W=PLAIN, wall="6p")
    t.discard("E", "1m")
    t.turn("S", "1m")
    t.draw("W", "6p")
    t.win("W", "6p")
    assert t.ledger == [("win", s, "W", 16) for s in ("E", "S", "N")]
    t = table("xichang", E="1m", W=PLAIN, wall="6p1m")
    t.discard("E", "1m")
    for seat in ("S", "W", "N", "E", "S"):
        t.turn(seat, "1m" if seat == "W" else _any(t))
    t.draw("W", "6p")
    t.win("W", "6p")
    assert {fan for *_, fan in t.ledger} == {1}


def _any(t: Any) -> str:
    from pzvision.tiles import format_tile

    return next(format_tile(k) for k in (18, 0, 8, 1, 7, 12) if t.left[k] > 0)


@pytest.mark.parametrize(
    ("lost_by", "fan"),
    [(None, 4), ("discard", 1), ("kong_that_keeps", 4), ("declared_late", 1)],
)
def test_tian_jiao_and_how_it_is_lost(table: Any, lost_by: str | None, fan: int) -> None:
    # S1 13 天叫 4元: 庄家还没打牌出来的时候就下叫; D11
    hand = "111m456789s78p99s" if lost_by == "kong_that_keeps" else PLAIN
    t = table("pzh-popular", E="1p", W=hand, wall="6p6p3p1m9p")
    if lost_by != "declared_late":
        t.declare("W", "tian_jiao")
    t.discard("E", "1p")
    if lost_by == "declared_late":
        t.declare("W", "tian_jiao")
    t.turn("S", "3p")
    if lost_by == "discard":
        t.draw("W", "9p")
        t.discard("W", "7p")
        t.turn("N", "3p")
        t.turn("E", "3p")
        t.turn("S", "1p")
        t.draw("W", "1p")
        t.discard("W", "9p")  # still 8p + 1p: not ready; draw back to ready
        assert not t.state["W"].tian_jiao
        return
    if lost_by == "kong_that_keeps":
        t.draw("W", "1m")
        t.gang("W", "an_gang", "1m")
        t.draw("W", "1p")
        t.discard("W", "1p")
    else:
        t.turn("W", "1m")
    t.turn("N", "6p")
    t.win("W", "6p")
    assert t.ledger[-1] == ("win", "N", "W", fan)


def test_tian_jiao_is_lost_on_a_peng(table: Any) -> None:
    t = table("pzh-popular", E="9m", W="123456789s66p99m")
    t.declare("W", "tian_jiao")
    t.discard("E", "9m")
    t.peng("W", "9m")
    assert not t.state["W"].tian_jiao


def test_bao_ting_alone_and_with_bai(table: Any) -> None:
    # S3 (7) 只报听4倍; 报听并摆牌8倍. (4) 摆牌叠乘
    for bai, fan in ((False, 4), (True, 8)):
        t = table("xichang", E="123456789s78p99m1p", W="1m", wall="6p1m1m3p")
        t.discard("E", "1p")
        t.declare("E", "bao_ting")
        if bai:
            t.declare("E", "bai")
        t.turn("S", "1m")
        t.turn("W", "1m")
        t.turn("N", "3p")
        t.draw("E", "6p")
        t.win("E", "6p")
        assert {f for *_, f in t.ledger} == {fan}


def test_bao_ting_only_after_the_first_own_discard(table: Any) -> None:
    t = table("xichang", E="123456789s78p99m1p", wall="3p1m1m1m")
    t.discard("E", "1p")
    for seat in ("S", "W", "N"):
        t.turn(seat, "1m")
    t.turn("E", "3p")
    t.declare("E", "bao_ting")
    assert not t.state["E"].bao_ting


@pytest.mark.parametrize(("factor", "fan"), [(1, 1), (4, 4)])
def test_option_payer_bao_ting(table: Any, factor: int, fan: int) -> None:
    # D26
    t = table(
        "xichang", E="1p", S="123789m46p11s789p", W=PLAIN, wall="9s6p", options={"payer_bao_ting": factor}
    )
    t.discard("E", "1p")
    t.turn("S", "9s")
    t.add(_declare("S", "bao_ting"))
    t.turn("W", _any(t))
    t.turn("N", _any(t))
    t.turn("E", _any(t))
    t.turn("S", "6p")
    t.win("W", "6p")
    assert t.ledger == [("win", "S", "W", fan)]


def _declare(seat: str, what: str) -> Any:
    from pzvision.game import Declare

    return Declare(seat, what)


# --- 查叫 --------------------------------------------------------------------------------------------


def drawn_out(table: Any, ruleset: str = "pzh-traditional", **more: Any) -> Any:
    """A hand played to the empty wall in which nobody's wait comes."""
    t = table(ruleset, **more)
    first = t.state[t.state.dealer].hand[-1]
    from pzvision.tiles import format_tile

    t.discard(t.state.dealer, format_tile(first))
    return t


def test_unready_pays_every_ready_player_its_dearest_wait(table: Any) -> None:
    # S0 2)查叫 无叫方赔有叫方,有多大赔多大,至封顶数
    t = drawn_out(table, S="5555p", W=READY, N="123456789m46p22s")
    t.run_down(0, avoid="5p")
    before = t.state.ledger
    t.end()
    assert [(p.kind, p.source, p.target, p.fan) for p in t.state.ledger[len(before) :]] == [
        ("cha_jiao", "E", "W", 2),
        ("cha_jiao", "E", "N", 2),
        ("cha_jiao", "S", "W", 2),
        ("cha_jiao", "S", "N", 2),
    ]
    assert all(p.event == t.line for p in t.state.ledger[len(before) :])


def test_a_declaration_counts_at_cha_jiao(table: Any) -> None:
    # S0 10 “唱歌”后若自身胡牌或点炮或查叫,均按牌面*...*2倍给付
    t = table("pzh-traditional", E=READY + "1m", S="5555p")
    t.discard("E", "1m")
    t.declare("E", "dance")
    t.run_down(0, avoid="5p")
    t.end()
    assert [f for k, *_, f in t.ledger if k == "cha_jiao"] == [8, 8, 8]
    assert next_dealer(t.state) == "E"


def test_winners_are_out_of_cha_jiao(table: Any) -> None:
    # S0 2)查叫 已经胡牌的不计
    t = table("pzh-traditional", E="5555p", S="123456789m46p22s", W=READY)
    t.discard("E", "5p")
    t.win("S", "5p")
    t.run_down(0, avoid="5p")
    t.end()
    assert [x for x in t.ledger if x[0] == "cha_jiao"] == [
        ("cha_jiao", "E", "W", 2),
        ("cha_jiao", "N", "W", 2),
    ]


def test_xichang_cha_jiao_with_and_without_bai(table: Any) -> None:
    # S3 (三) 玩家C需要支付给D玩家 1*4*2= 8分 (清大对或清一色卡心五 8番); with 摆牌 16
    for bai, fan in ((False, 8), (True, 16)):
        t = table("xichang", E="111s123s789s46s99s1p", S="5555s")
        t.discard("E", "1p")
        if bai:
            t.declare("E", "bai")
        t.run_down(0, avoid="5s")
        t.end()
        assert {f for k, *_, f in t.ledger if k == "cha_jiao"} == {fan}


@pytest.mark.parametrize(("option", "paid"), [("neutral", []), ("ignored", [1, 1, 1])])
def test_si_jiao(table: Any, option: str, paid: list[int]) -> None:
    # S1 2 若有叫者要胡的牌已全都出现,即为死叫,死叫不赔; D22
    t = table(
        "pzh-popular", E="123456789s78p99m1m", wall="6666p9999p", lamp=None, options={"si_jiao": option}
    )
    t.discard("E", "1m")
    for tile in ("6p", "6p", "6p", "6p", "9p", "9p", "9p", "9p"):
        if t.state.next_draw == "E":
            t.turn("E", _any(t))
        t.turn(t.state.next_draw, tile)
    t.run_down(0)
    t.end()
    assert [f for k, *_, f in t.ledger if k == "cha_jiao"] == paid


def test_a_wait_with_one_tile_hidden_in_a_hand_is_not_dead(table: Any) -> None:
    # RULES §9: hands revealed at 查叫 do not count
    t = table("pzh-popular", E="123456789s46p99m1m", S="5p", wall="555p")
    t.discard("E", "1m")
    for _ in range(3):
        if t.state.next_draw == "E":
            t.turn("E", _any(t))
        t.turn(t.state.next_draw, "5p")
    t.run_down(0)
    for seat in t.state.playing:
        t.reveal(seat)
    t.end()
    assert [f for k, *_, f in t.ledger if k == "cha_jiao"] == [2, 2, 2]


@pytest.mark.parametrize(("void", "refunds"), [(True, 3), (False, 0)])
def test_hua_zhu_gives_kong_money_back(table: Any, void: bool, refunds: int) -> None:
    # S1 补充 花猪的杠不算; D20
    t = table("pzh-popular", E="1111m258s369p47m9s1s", options={"hua_zhu_kong_void": void})
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9p")
    t.discard("E", "9p")
    t.run_down(0)
    t.end()
    lines = [(p.source, p.target, p.fan, p.why) for p in t.state.ledger if p.kind == "refund"]
    assert lines == [("E", s, 2, "hua_zhu") for s in ("S", "W", "N")][:refunds]


def test_a_winner_gets_his_kong_payment_back_too(table: Any) -> None:
    # D20: also to players who have won
    t = table("pzh-popular", E="1111m258s369p47m5p1s", W=READY, wall="9p")
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9p")
    t.discard("E", "5p")
    t.win("W", "5p")
    t.run_down(0)
    t.end()
    assert ("refund", "E", "W", 2) in t.ledger


@pytest.mark.parametrize(("requires", "paid"), [(False, 1), (True, 0)])
def test_option_cha_jiao_collect_requires_que(table: Any, requires: bool, paid: int) -> None:
    # S0 2 有叫方不需要赔(花猪有叫不赔); D21
    t = table(
        "pzh-biankadiao-que",
        E=PLAIN + "1m",
        S="6666p",
        W="9999p",
        options={"cha_jiao_collect_requires_que": requires},
    )
    t.discard("E", "1m")
    t.run_down(0, avoid="69p")
    t.end()
    assert sorted({f for k, *_, f in t.ledger if k == "cha_jiao"}) == ([paid] if paid else [])


def test_a_cut_recording_settles_no_ready_check(table: Any) -> None:
    t = table("pzh-popular", E="1111m258s369p47m9s1s", W=READY)
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9p")
    t.discard("E", "9p")
    t.end()
    assert t.state.cut
    assert {k for k, *_ in t.ledger} == {"kong"} and not t.violations


# --- 诈胡 --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruleset", "options", "price"),
    [
        ("pzh-traditional", {}, 32),  # S0 10 诈胡,需按每家封顶价格赔偿3位玩家
        ("pzh-traditional", {"cap": 64}, 64),
        ("pzh-popular", {}, 32),
        ("pzh-popular", {"zha_hu_fan": 48}, 48),
    ],
)
def test_zha_hu_pays_the_cap_to_each(table: Any, ruleset: str, options: dict[str, Any], price: int) -> None:
    t = table(ruleset, E="147m258s369p147s", S="5555p", W=READY, options=options)
    t.discard("E", "1m")
    declared = t.line + 1
    t.declare("E", "sing", waits="")
    t.run_down(0, avoid="5p")
    assert not t.violations
    t.reveal("E")
    revealed = t.line
    t.end()
    lies = [(p.event, p.target, p.fan) for p in t.state.ledger if p.kind == "zha_hu"]
    assert lies == [(revealed, s, price) for s in ("S", "W", "N")]
    assert (declared, "zha_hu", "E") in t.violations
    # It replaces the liar's own 查叫 payments; the others pay as usual.
    assert [x for x in t.ledger if x[0] == "cha_jiao"] == [
        ("cha_jiao", "S", "W", 2),
        ("cha_jiao", "N", "W", 2),
    ]


def test_zha_hu_without_a_reveal_is_found_at_the_end_also_after_three_wins(table: Any) -> None:
    t = table("pzh-traditional", E="147m369p79m5p", S="123456789s46p11s", W=READY, N="123456789m46p22s")
    t.discard("E", "5p")
    t.declare("E", "sing", waits="")
    for seat in ("S", "W", "N"):
        t.win(seat, "5p")
    t.end()
    lies = [(p.event, p.target) for p in t.state.ledger if p.kind == "zha_hu"]
    assert lies == [(t.line, s) for s in ("S", "W", "N")]


def test_there_is_no_zha_hu_in_xichang(table: Any) -> None:
    t = table("xichang", E="147m369p79m5p")
    t.discard("E", "5p")
    t.declare("E", "bai", waits="")
    t.run_down(0)
    t.reveal("E")
    t.end()
    assert not t.violations and not [x for x in t.ledger if x[0] == "zha_hu"]


# --- leaving -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "back"),
    [("forfeit_fan", [("W", 2)]), ("forfeit_all", [("S", 2), ("W", 4), ("N", 2)]), ("keep", [])],
)
def test_a_winner_who_leaves_early(table: Any, option: str, back: list[tuple[str, int]]) -> None:
    # S0 1) 如果胡了的玩家提前离开,则不给予所赢番数; D23 kong money stays
    t = table(
        "pzh-traditional", E="1111m123456s46p99s", wall="5p1p1p", lamp="9p", options={"early_leave": option}
    )
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9p")
    t.lamp("1p")
    t.discard("E", "9p")
    t.turn("S", "1p")
    t.turn("W", "5p")
    t.win("E", "5p")
    assert ("win", "W", "E", 2) in t.ledger
    t.leave("E")
    assert [(p.target, p.fan) for p in t.state.ledger if p.kind == "forfeit"] == back
    assert next_dealer(t.state) == "E"
    t.leave("E")
    assert len([p for p in t.state.ledger if p.kind == "forfeit"]) == len(back)


# --- the next dealer ---------------------------------------------------------------------------------


def test_nobody_won_dancer_before_singer_before_the_same_dealer(table: Any) -> None:
    # S1 2 如上轮没人胡牌,则以跳舞者为庄,否则以唱歌者为庄,再否则以上轮座庄者为庄
    def played(*declared: tuple[str, str]) -> str:
        t = table("pzh-popular", E=READY + "1m", S="123456789m46p22s", W="5555p")
        t.discard("E", "1m")
        for seat, what in declared:
            while t.state.offer.seat != seat:
                t.turn(t.state.next_draw, _any(t))
            t.declare(seat, what)
        t.run_down(0, avoid="5p")
        t.end()
        assert not t.state.winners
        return next_dealer(t.state)

    assert played() == "E"
    assert played(("E", "sing"), ("S", "sing")) == "E"
    assert played(("S", "sing"), ("E", "sing")) == "S"
    assert played(("E", "sing"), ("S", "dance")) == "S"


def test_xichang_nobody_won_the_last_drawer_deals(table: Any) -> None:
    # S3 一.2 荒庄的,摸到最后一张牌的为庄
    t = table("xichang", E="1m")
    t.discard("E", "1m")
    t.run_down(0)
    last = t.state.last_drawer
    t.end()
    assert next_dealer(t.state) == last is not None and last != "E"


def test_the_first_winner_deals(table: Any) -> None:
    # S1 2 下轮以上轮最先胡牌者为庄; S3 第一个胡牌者接庄
    t = table("pzh-popular", E="5p", S="123456789m46p22s", W=PLAIN, wall="6p")
    t.discard("E", "5p")
    t.win("S", "5p")
    t.draw("W", "6p")
    t.win("W", "6p")
    assert next_dealer(t.state) == "S"


def test_settling_the_text_gives_what_the_fold_gives(table: Any) -> None:
    t = table("pzh-traditional", E="5p", W=READY, base=3)
    t.discard("E", "5p")
    t.win("W", "5p")
    t.end()
    answer = t.settled()
    assert answer["ledger"] == [
        {"event": 7, "kind": "win", "from": "E", "to": "W", "fan": 2, "amount": 6, "why": "ka_xin_wu"}
    ]
    assert answer["totals"] == {"E": -6, "S": 0, "W": 6, "N": 0}
    assert answer["violations"] == [] and answer["next_dealer"] == "W" and answer["hand"] == 1
