"""Every kind of violation with its consequence, the plays done right, and the options that change them."""

from __future__ import annotations

from typing import Any

import pytest

from pzvision.game import Declare, Discard, Draw, HandStart, Reveal, apply, start
from pzvision.tiles import format_tile, parse_tile

READY = "123456789s46p99m"  # waits for 5p
PLAIN = "123456789s78p99m"  # waits for 69p


def any_tile(t: Any, *avoid: str) -> str:
    """A tile left that disturbs nobody."""
    names = ["1p", "1m", "9m", "2m", "8m", "4s", "3m", "7m"]
    return next(n for n in names if t.left[parse_tile(n)] > 0 and n not in avoid)


def dancing(table: Any, ruleset: str = "pzh-popular", **hands: Any) -> Any:
    """E has danced, waiting for 5p; S is to draw."""
    t = table(ruleset, E=READY + "1m", **hands)
    t.discard("E", "1m")
    t.declare("E", "dance")
    return t


# --- discards a dancer forbids -----------------------------------------------------------------------


def test_forbidden_discard_stands_but_nobody_wins_on_it(table: Any) -> None:
    # S0 10 另外未胡玩家不能打出其所胡的牌; S1 3 不允许打出来
    t = dancing(table, S="5p", W="123456789m46p22s", wall="1m")
    t.draw("S", "1m")
    act = t.act("S", "discard", "5p")
    assert (act.certainty, act.reason) == ("impossible", "dancer_waits")
    t.discard("S", "5p")
    line = t.line
    assert t.violations == [(line, "forbidden_discard", "S")]
    for seat in ("E", "W"):
        assert t.act(seat, "win").certainty == "impossible"
    t.win("E", "5p")
    assert t.violations[1:] == [(line + 1, "illegal_win", "E")]
    assert t.ledger == [] and t.state.in_hand("E")
    # It was no pass either: W may win on the next 5p.
    t.turn("W", any_tile(t))
    assert t.state["W"].passed is None


def test_a_waiting_tile_must_be_kept_even_if_the_own_hand_breaks(table: Any) -> None:
    # S1 3 即使已经"下叫",如果不打那张出去就“没叫”了,也只能拆其他的牌来打
    t = dancing(table, S="123456789m22s5p", wall="5p")
    t.draw("S", "5p")
    assert t.act("S", "discard", "5p").certainty == "impossible"
    t.discard("S", "2s")
    assert not t.violations


def test_locked_players_may_discard_the_dancers_tile_and_he_may_win(table: Any) -> None:
    # S1 3 “唱歌”的人摸到“跳舞”的人要和的牌,是必须打出去的
    for option, legal in (("locked_discard", True), ("self_draw", False)):
        t = dancing(table, S="123456789m46s22p", options={"dancer_wins_on": option}, wall="1m1m5p")
        t.turn("S", any_tile(t))
        t.declare("S", "sing")
        for seat in ("W", "N", "E"):
            t.turn(seat, any_tile(t))
        t.turn("S", "5p")
        assert not t.violations
        act = t.act("E", "win")
        assert (act.certainty == "certain") == legal
        line = t.line + 1
        t.win("E", "5p")
        if legal:  # D24
            assert t.ledger == [("win", "S", "E", 16)]  # 卡心五 2 × 跳舞 4 × 唱歌 2
        else:  # S0 10 “跳舞”者只能自摸
            assert t.ledger == [] and t.violations == [(line, "illegal_win", "E")]
            assert act.reason == "dancer_self_draw_only"


def test_after_the_dancer_has_won_the_tile_is_free_again(table: Any) -> None:
    # S1 3 必须等到“跳舞”的人和牌了,才可以打出来
    t = dancing(table, S="5p", wall="5p")
    for seat in ("S", "W", "N"):
        t.turn(seat, any_tile(t))
    t.draw("E", "5p")
    t.win("E", "5p")
    t.draw("S", any_tile(t))
    t.discard("S", "5p")
    assert not t.violations


def only_dancers_tiles(table: Any, ruleset: str = "pzh-popular", last: str = "1147m") -> Any:
    """E dances, waiting for 1m 4m 7m; S has three 碰 and of the rest only such tiles, and is to draw."""
    t = table(
        ruleset,
        E="23456m123456s11p9p",
        S=f"{last}77s88s99s8m9m8p",
        W="7s8s9s",
        lamp="9p" if ruleset == "pzh-traditional" else None,
        wall="4m7m" if last == "1147m" else "7m",
    )
    t.discard("E", "9p")
    t.declare("E", "dance")
    keep = "147m789s8p"
    for claimed, out in (("7s", "8m"), ("8s", "9m"), ("9s", "8p")):
        while t.state.next_draw != "W":
            t.turn(t.state.next_draw, t.spare(keep))
        t.draw("W", t.spare(keep))
        t.discard("W", claimed)
        t.peng("S", claimed)
        t.discard("S", out)
    while t.state.next_draw != "S":
        t.turn(t.state.next_draw, t.spare(keep))
    assert not t.violations
    return t


@pytest.mark.parametrize(("ruleset", "last"), [("pzh-popular", "1444m"), ("pzh-traditional", "1147m")])
def test_no_legal_discard_and_no_alarm_any_tile_may_go_and_be_won_on(
    table: Any, ruleset: str, last: str
) -> None:
    # RULES §6: ready (1444m waits for 1m), or in another ruleset than the one with 报警
    t = only_dancers_tiles(table, ruleset, last)
    t.draw("S", "7m")
    assert t.act("S", "alarm") is None
    assert t.act("S", "discard", "7m").certainty == "certain"
    t.discard("S", "7m")
    assert not t.violations
    t.win("E", "7m")
    assert t.ledger == [("win", "S", "E", 4)]


def test_alarm_when_due_locks_and_doubles_what_its_caller_deals_in(table: Any) -> None:
    # S1 3 手中的牌都是别人要胡的牌且没有叫时,必须报警,报警后摸哪张打哪张.同时点了别人的炮后也要加一番
    t = only_dancers_tiles(table)
    t.draw("S", "4m")
    assert t.act("S", "alarm").must
    t.declare("S", "alarm")
    assert t.state["S"].locked
    assert t.act("S", "discard", "1m").reason == "locked"
    t.discard("S", "4m")
    t.win("E", "4m")
    assert t.ledger == [("win", "S", "E", 8)] and not t.violations  # 平胡 1 × 跳舞 4 × 报警 2
    # It lasts until the hand ends, even with the dancer gone.
    for seat in ("W", "N"):
        if t.state.next_draw == seat:
            t.turn(seat, t.spare("147m8p"))
    t.draw("S", "8p")
    t.discard("S", "1m")
    assert t.violations == [(t.line, "locked_discard", "S")]


def test_missed_alarm(table: Any) -> None:
    t = only_dancers_tiles(table)
    t.draw("S", "4m")
    act = t.act("S", "discard", "4m")
    assert act.reason == "must_alarm"
    t.discard("S", "4m")
    assert t.violations == [(t.line, "missed_alarm", "S")]
    t.win("E", "4m")
    assert t.ledger == [("win", "S", "E", 4)]


# --- locked players ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruleset", "what"), [("pzh-traditional", "sing"), ("pzh-popular", "dance"), ("xichang", "bai")]
)
def test_locked_discard_stands(table: Any, ruleset: str, what: str) -> None:
    # S0 10 摸牌不能换牌,要么胡牌,要么打出; S1 3 除了自摸,其余则摸哪张打哪张
    t = table(ruleset, E=READY + "1m", wall="1m1m1m9p")
    t.discard("E", "1m")
    t.declare("E", what)
    for seat in ("S", "W", "N"):
        t.turn(seat, "1m")
    t.draw("E", "9p")
    assert t.act("E", "discard", "9p").certainty == "certain"
    assert t.act("E", "discard", "1s").reason == "locked"
    t.discard("E", "1s")
    assert t.violations == [(t.line, "locked_discard", "E")]
    assert t.state.waits("E") == ()  # it stands: the hand is another one now


def test_locked_claim_of_a_peng_and_of_a_kong_that_changes_the_waits(table: Any) -> None:
    # D18; S3 (4) 在不改变胡牌牌型的情况下,摆牌后依旧可杠牌
    t = table("pzh-traditional", E="123456s46p999m88s1m", N="8s9m", lamp="9p", wall="1m1m1m1p1p1p1p2p")
    t.discard("E", "1m")
    t.declare("E", "sing")
    t.turn("S", "1m")
    t.turn("W", "1m")
    t.draw("N", "1m")
    t.discard("N", "8s")
    assert t.act("E", "peng").reason == "locked"
    t.peng("E", "8s")
    assert t.violations == [(t.line, "locked_claim", "E")]

    t = table("pzh-traditional", E="123456s46p999m88s1m", N="8s9m", lamp="9p", wall="1m1m1m2p")
    t.discard("E", "1m")
    t.declare("E", "sing")
    t.turn("S", "1m")
    t.turn("W", "1m")
    t.draw("N", "1m")
    t.discard("N", "9m")
    assert t.act("E", "zhi_gang").certainty == "certain"  # 999m is a set of its own: the waits stay
    t.gang("E", "zhi_gang", "9m")
    t.draw("E", "9p")
    assert not t.violations and t.ledger == [("kong", "N", "E", 2)]


def test_a_kong_that_changes_the_waits_is_a_violation_and_pays_as_usual(table: Any) -> None:
    t = table("pzh-popular", E="123456789s3334m9p", N="3m", wall="9p9p9p")  # waits 4m and 25m
    t.discard("E", "9p")
    t.declare("E", "sing")
    t.turn("S", "9p")
    t.turn("W", "9p")
    t.draw("N", "9p")
    t.discard("N", "3m")
    assert t.act("E", "zhi_gang").certainty == "impossible"
    t.gang("E", "zhi_gang", "3m")
    line = t.line
    t.draw("E", any_tile(t))
    assert t.violations == [(line, "locked_claim", "E")] and t.ledger == [("kong", "N", "E", 2)]


@pytest.mark.parametrize(("option", "allowed"), [("waits_unchanged", True), ("never", False)])
def test_option_kong_after_declaring(table: Any, option: str, allowed: bool) -> None:
    # D18
    t = table("pzh-popular", E="123456s46p999m88s1p", wall="9m", options={"kong_after_declaring": option})
    t.discard("E", "1p")
    t.declare("E", "sing")
    for seat in ("S", "W", "N"):
        t.turn(seat, any_tile(t))
    t.draw("E", "9m")
    assert (t.act("E", "an_gang").certainty == "certain") == allowed
    t.gang("E", "an_gang", "9m")
    assert bool(t.violations) != allowed


def test_a_locked_kong_needs_the_tile_just_drawn(table: Any) -> None:
    # D18: a 暗杠 or 巴杠 only with the tile just drawn
    t = table("pzh-popular", E="789999m123456s11p", wall="3p")
    t.discard("E", "1p")
    t.declare("E", "sing")
    for seat in ("S", "W", "N"):
        t.turn(seat, t.spare("1p3p"))
    t.draw("E", "3p")
    assert t.act("E", "an_gang", "9m").reason == "locked"
    t.gang("E", "an_gang", "9m")
    assert t.violations == [(t.line, "locked_claim", "E")]


# --- claims that leave nothing to discard ------------------------------------------------------------


def forbidden_kong(table: Any, ruleset: str, lamp: str | None = None) -> Any:
    """S1's own example: a dancer waits for 3m and 6m; S holds 3m and three 4p and three 碰."""
    t = table(
        ruleset,
        E="45m123456789s11p9p",
        S="3m444p11m22m77m8m9m8p",
        W="4p1m2m7m",
        lamp=lamp,
        wall="6m6m6m",
    )
    t.discard("E", "9p")
    t.declare("E", "dance")
    assert t.state.waits("E") == (2, 5)
    thrown = {"1m": "8m", "2m": "9m", "7m": "8p"}
    for claimed, out in thrown.items():
        if t.state.next_draw == "S":
            t.turn("S", any_tile(t, "1m", "2m", "7m", "9m"))
        t.draw("W", any_tile(t, "1m", "2m", "7m", "9m"))
        t.discard("W", claimed)
        t.peng("S", claimed)
        t.discard("S", out)
    return t


def test_forbidden_claim_when_the_kong_could_leave_no_legal_discard(table: Any) -> None:
    # S1 3 手里有一张三万和三张四筒,别人打出四筒你是不能杠的
    t = forbidden_kong(table, "pzh-popular")
    t.draw("W", any_tile(t))
    t.discard("W", "4p")
    act = t.act("S", "zhi_gang")
    assert (act.certainty, act.reason) == ("impossible", "no_legal_discard_after")
    assert t.act("S", "peng").certainty == "certain"  # 3m and 4p left: 4p may go
    t.gang("S", "zhi_gang", "4p")
    assert t.violations == [(t.line, "forbidden_claim", "S")]


def test_a_tail_tile_not_seen_excuses_no_kong(table: Any) -> None:
    t = forbidden_kong(table, "pzh-traditional")
    t.draw("W", any_tile(t))
    t.discard("W", "4p")
    act = t.act("S", "zhi_gang")
    assert (act.certainty, act.reason, act.replacement) == ("impossible", "no_legal_discard_after", None)


@pytest.mark.parametrize(("lamp", "allowed"), [("1p", True), ("6m", False), ("3m", True)])
def test_a_shown_tail_tile_decides_the_kong(table: Any, lamp: str, allowed: bool) -> None:
    # RULES §6: with a shown tail tile, the replacement itself is legal (1p) or wins (3m)
    t = forbidden_kong(table, "pzh-traditional", lamp)
    t.draw("W", any_tile(t))
    t.discard("W", "4p")
    act = t.act("S", "zhi_gang")
    assert (act.certainty == "certain") == allowed
    assert format_tile(act.replacement) == lamp
    assert act.replacement_wins == (lamp == "3m")


# --- wins --------------------------------------------------------------------------------------------


def test_illegal_win_changes_nothing(table: Any) -> None:
    t = table("pzh-traditional", E="5p", W="123456789s47p99m", wall="1m")
    t.discard("E", "5p")
    t.win("W", "5p")
    assert t.violations == [(t.line, "illegal_win", "W")] and t.ledger == [] and t.state.in_hand("W")
    t.turn("S", "1m")  # the play goes on as if nothing had been said


def test_a_refused_win_is_illegal_and_no_pass(table: Any) -> None:
    # S2 4) 必须缺门才能胡牌
    t = table("pzh-biankadiao-que", E="5p", W=READY)
    t.discard("E", "5p")
    assert t.act("W", "win").reason == "que_yi_men"
    t.turn("S", any_tile(t))
    assert t.state["W"].passed is None
    t = table("pzh-biankadiao-que", E="5p", W=READY)
    t.discard("E", "5p")
    t.win("W", "5p")
    assert t.violations == [(t.line, "illegal_win", "W")]


def test_huo_que_refuses_one_fan_in_three_suits_but_not_a_singer(table: Any) -> None:
    # S0 10/2.1 胡牌时若牌面翻数为一,且未缺一种牌,且未唱歌、跳舞,则不允许胡牌
    t = table("pzh-huoque", E="6p", W=PLAIN, wall="1m")
    t.discard("E", "6p")
    t.win("W", "6p")
    assert t.violations == [(t.line, "illegal_win", "W")]
    t = table("pzh-huoque", E="1m6p", W=PLAIN, wall="1m1m6p")
    t.discard("E", "1m")
    t.turn("S", "1m")
    t.draw("W", "1m")
    t.discard("W", "1m")
    t.declare("W", "sing")
    t.turn("N", "6p")
    t.win("W", "6p")
    assert t.ledger == [("win", "N", "W", 2)]


def test_passed_win_until_the_own_next_draw(table: Any) -> None:
    # S0 3.3 不能放水: 过手以后(即自己摸牌后)下家再打出同样的牌,可胡
    t = table("pzh-traditional", E="5p", S="5p", W=READY, wall="5p")
    t.discard("E", "5p")
    t.draw("S", any_tile(t))
    t.discard("S", "5p")
    act = t.act("W", "win")
    assert (act.certainty, act.reason) == ("impossible", "passed")
    t.win("W", "5p")
    assert t.violations == [(t.line, "passed_win", "W")] and t.ledger == [] and t.state.in_hand("W")
    t.turn("W", any_tile(t))
    t.draw("N", "5p")
    t.discard("N", "5p")
    t.win("W", "5p")
    assert t.ledger == [("win", "N", "W", 2)] and len(t.violations) == 1


@pytest.mark.parametrize(("option", "void"), [(True, True), (False, False)])
def test_option_no_passing(table: Any, option: bool, void: bool) -> None:
    t = table("pzh-traditional", E="5p", S="5p", W=READY, options={"no_passing": option})
    t.discard("E", "5p")
    t.draw("S", any_tile(t))
    t.discard("S", "5p")
    t.win("W", "5p")
    assert bool(t.violations) == void


@pytest.mark.parametrize(
    ("first", "second", "sings", "allowed"),
    [
        ("6p", "5p", False, True),  # 平胡 passed, 卡心五 pays more
        ("5p", "6p", False, False),
        ("6p", "6p", False, False),
        ("6p", "5p", True, False),  # a singer has no choice, so no dearer win either
    ],
)
def test_fang_da_guo_xiao(table: Any, first: str, second: str, sings: bool, allowed: bool) -> None:
    # S0 3.4 放大掴小:有2个以上不同翻数的叫牌,并且没有唱歌、跳舞,允许不胡小翻数而胡大翻数的牌
    t = table("pzh-traditional", E=f"1p{first}", S=second, W="123456789s4446p")
    t.discard("E", "1p")
    t.turn("S", any_tile(t))
    t.turn("W", any_tile(t))
    if sings:
        t.declare("W", "sing")
    t.turn("N", any_tile(t))
    t.draw("E", any_tile(t))
    t.discard("E", first)
    t.draw("S", any_tile(t))
    t.discard("S", second)
    act = t.act("W", "win")
    assert (act.certainty == "certain") == allowed
    t.win("W", second)
    assert ("passed_win" in [k for _, k, _ in t.violations]) != allowed
    assert bool(t.ledger) == allowed


def test_own_draw_not_taken_bars_discards_until_the_next_draw(table: Any) -> None:
    # S0 3.3 若其它玩家点炮或自摸没有胡牌
    t = table("pzh-traditional", E="1m", N="5p", W=READY, wall="5p")
    t.discard("E", "1m")
    t.turn("S", any_tile(t))
    t.turn("W", "5p")
    t.draw("N", any_tile(t))
    t.discard("N", "5p")
    assert t.act("W", "win").reason == "passed"


def test_missed_win_of_a_singer_on_a_discard_and_on_the_own_draw(table: Any) -> None:
    # S0 10 唱歌后如有人放炮必须胡牌
    t = table("pzh-traditional", E=READY + "1m", wall="5p5p")
    t.discard("E", "1m")
    t.declare("E", "sing")
    t.draw("S", "5p")
    t.discard("S", "5p")
    offered = t.line
    assert t.act("E", "win").must
    assert not t.violations
    t.turn("W", any_tile(t))
    assert t.violations == [(offered, "missed_win", "E")]
    t.turn("N", any_tile(t))
    t.draw("E", "5p")
    drawn = t.line
    t.discard("E", "5p")
    assert t.violations[1:] == [(drawn, "missed_win", "E")]


@pytest.mark.parametrize(("ruleset", "forced"), [("pzh-biankadiao-que", True), ("pzh-traditional", False)])
def test_bi_hu_in_the_last_eight_tiles(table: Any, ruleset: str, forced: bool) -> None:
    # S2 2.5 必胡规则,当牌局还剩最后8张时,如遇可以胡的牌必须胡
    lamp = "9p" if ruleset == "pzh-traditional" else None
    t = table(ruleset, E="555p", W="123456789s11s46p", lamp=lamp)
    t.discard("E", "5p")  # with 55 in the wall it may be passed
    t.turn("S", any_tile(t))
    assert not t.violations
    t.run_down(8)
    while t.state.next_draw != "E":
        t.turn(t.state.next_draw, any_tile(t))
    t.draw("E", any_tile(t))
    t.discard("E", "5p")
    offered = t.line
    assert t.act("W", "win").must == forced
    t.turn("S", any_tile(t))
    assert t.violations == ([(offered, "missed_win", "W")] if forced else [])


# --- declarations ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("left", "late"), [(9, False), (8, True)])
def test_late_declaration_gives_no_factor_and_no_lock(table: Any, left: int, late: bool) -> None:
    # S0 10 最后四敦牌(即最后八张牌)时不允许唱歌、跳舞
    t = table("pzh-popular", E="1m")
    t.discard("E", "1m")
    t.run_down(left)
    seat = t.state.offer.seat
    t.add(Declare(seat, "sing"))
    assert [k for _, k, _ in t.violations] == (["late_declaration"] if late else [])
    assert t.state[seat].locked != late and t.state[seat].declaration == ("none" if late else "sing")


def test_declaration_change_is_void_unless_allowed(table: Any) -> None:
    # D17
    for option, void in ((False, True), (True, False)):
        t = table("pzh-popular", E=READY + "1m", wall="1m1m1m9p", options={"upgrade_declaration": option})
        t.discard("E", "1m")
        t.declare("E", "sing")
        for seat in ("S", "W", "N"):
            t.turn(seat, "1m")
        t.turn("E", "9p")
        t.declare("E", "dance")
        assert t.violations == ([(t.line, "declaration_change", "E")] if void else [])
        assert t.state["E"].declaration == ("sing" if void else "dance")


def test_no_wall_kong(table: Any) -> None:
    # D2
    t = table("pzh-popular", E="1m", S="777p", wall="7p")
    t.discard("E", "1m")
    t.run_down(1, avoid="7p")
    seat = t.state.next_draw
    t.draw(seat, "7p")
    if seat != "S":
        t.discard(seat, "7p")
        assert t.act("S", "zhi_gang").reason == "no_wall"
        t.gang("S", "zhi_gang", "7p")
    else:
        assert t.act("S", "an_gang").reason == "no_wall"
        t.gang("S", "an_gang", "7p")
    assert t.violations == [(t.line, "no_wall_kong", "S")]
    t.end()
    assert not [x for x in t.ledger if x[0] == "kong"]


# --- unknown tiles -----------------------------------------------------------------------------------


def test_what_cannot_be_judged_is_no_violation() -> None:
    """A camera's log: nobody's tiles are known, so neither a lock nor a pass can be judged."""
    state = start(HandStart("pzh-popular", "E"))
    for event in (
        Discard("E", 0),
        Declare("E", "sing", waits=(22,)),
        Draw("S"),
        Discard("S", 22),
        Draw("W"),
        Discard("W", 1),
        Draw("N"),
        Discard("N", 1),
        Draw("E"),
        Discard("E", 5),
    ):
        state = apply(state, event)
    assert not state.violations and not state.problems
    assert [(v.event, v.kind, v.seat) for v in state.suspicions] == [(5, "missed_win", "E")]


def test_a_forbidden_discard_is_certain_when_too_few_forbidden_tiles_are_hidden() -> None:
    """Thirteen unknown tiles cannot all be the dancer's eight: S must have had another tile."""
    state = start(HandStart("pzh-popular", "E"))
    for event in (Discard("E", 0), Declare("E", "dance", waits=(23, 26)), Draw("S"), Discard("S", 23)):
        state = apply(state, event)
    assert [v.kind for v in state.violations] == ["forbidden_discard"]


def test_a_kong_on_the_empty_wall_can_be_taken_back(table: Any) -> None:
    """D2: with an empty wall there is no kong; the player still has all tiles, and discards one."""
    t = table("pzh-popular", E="1m", N="777p", wall="7p")
    t.discard("E", "1m")
    t.run_down(1, avoid="7p")
    t.draw("N", "7p")
    t.gang("N", "an_gang", "7p")
    assert t.violations == [(t.line, "no_wall_kong", "N")]
    t.discard("N", "7p")
    assert t.state["N"].size == 13 and not t.state["N"].melds and len(t.violations) == 1
    t.end()


@pytest.mark.parametrize("then", ["discard", "reveal"])
def test_a_ba_gang_on_the_empty_wall_is_taken_back_and_no_other_kong(table: Any, then: str) -> None:
    """D2: the 碰 lies there again and its fourth tile is in the hand; an earlier 巴杠 stays what it is."""
    t = table("pzh-popular", E="5p6p147m", W="555p666p147m147s9s", wall="2s")
    t.discard("E", "5p")
    t.peng("W", "5p")
    t.discard("W", "1m")
    while t.state.next_draw != "E":
        t.turn(t.state.next_draw, t.spare("56p"))
    t.draw("E", "2s")
    t.discard("E", "6p")
    t.peng("W", "6p")
    t.discard("W", "4m")
    while t.state.next_draw != "W":
        t.turn(t.state.next_draw, t.spare("56p"))
    t.draw("W", t.spare("56p"))
    t.gang("W", "ba_gang", "6p")
    t.draw("W", t.spare("56p"))
    t.discard("W", "7m")
    t.run_down(1)
    last = t.spare("5p")
    t.draw("W", last)
    held = t.state["W"].hand
    t.gang("W", "ba_gang", "5p")
    assert t.violations == [(t.line, "no_wall_kong", "W")]
    if then == "discard":
        t.discard("W", last)
    else:
        t.add(Reveal("W", held))
    melds = [(m.kind, format_tile(m.tile)) for m in t.state["W"].melds]
    assert melds == [("peng", "5p"), ("ba_gang", "6p")]
    s = t.state["W"]
    assert s.concealed[parse_tile("5p")] == 1 and s.size == (7 if then == "discard" else 8)
    assert t.state.pending is None and len(t.violations) == 1


def test_a_heavenly_win_not_called_is_no_pass(table: Any) -> None:
    # RULES §2: the dealer's deal has 14 tiles and no draw
    t = table("pzh-traditional", E="123456789s46p99m5p", S="5p")
    assert t.act("E", "win", "5p").certainty == "certain"
    t.discard("E", "5p")
    t.draw("S", any_tile(t))
    t.discard("S", "5p")
    t.win("E", "5p")
    assert t.ledger == [("win", "S", "E", 2)] and not t.violations
