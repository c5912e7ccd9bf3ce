"""Corners of winning, passing and paying: who is next, what lapses, what is taken back, what stays open."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pzvision.errors import PzvisionError
from pzvision.game import (
    Deal,
    Discard,
    Draw,
    HandEnd,
    HandStart,
    LogLine,
    Reveal,
    TailLamp,
    Win,
    apply,
    format_event,
    legal,
    next_dealer,
    parse_event,
    settle_log,
    settle_text,
    start,
)
from pzvision.game.money import dead_wait
from pzvision.game.settle import fold_log
from pzvision.tiles import SEATS, parse_tile, parse_tiles

READY = "123456789s46p99m"  # waits for 5p
PLAIN = "123456789s78p99m"  # waits for 69p
NOT_READY = "147m258s369p147s9m"


def p(tile: str) -> int:
    return parse_tile(tile)


def hand(tiles: str) -> tuple[int, ...]:
    return tuple(parse_tiles(tiles))


# --- several winners ---------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["WE", "EW"])
def test_turn_order_is_counted_from_the_discarder(table: Any, order: str) -> None:
    # RULES §2: after the last of them in turn order from the discarder; S3 一: the first in it deals
    t = table("pzh-traditional", E=READY + "1m", W="123456789m46p22s", S="5p", wall="1m")
    t.discard("E", "1m")
    t.draw("S", "1m")
    t.discard("S", "5p")
    for seat in order:
        t.win(seat, "5p")
    assert t.state.next_draw == "S"  # E is the last of the two, and after E comes the discarder
    assert next_dealer(t.state) == "W"
    assert all(x.chain == 0 for x in t.state.ledger)


def test_the_first_to_win_deals_whoever_wins_later(table: Any) -> None:
    # S1 2 下轮以上轮最先胡牌者为庄
    t = table("pzh-popular", E=PLAIN + "1m", N="123456789m46p22s", wall="1m5p6p")
    t.discard("E", "1m")
    t.turn("S", t.spare("569p"))
    t.turn("W", "5p")
    t.win("N", "5p")
    t.draw("E", "6p")
    t.win("E", "6p")
    assert t.state.winners == ("N", "E") and next_dealer(t.state) == "N"


def test_nobody_has_drawn_and_nobody_won_the_dealer_stays() -> None:
    state = apply(start(HandStart("xichang", "W")), HandEnd())
    assert state.last_drawer is None and next_dealer(state) == "W" and state.cut


def test_three_winners_leave_nothing_open(table: Any) -> None:
    t = table("pzh-traditional", E="5p", S="123456789s46p11s", W=READY, N="123456789m46p22s")
    t.discard("E", "5p")
    for seat in ("S", "W", "N"):
        t.win(seat, "5p")
    state = t.end()
    assert state.unsettled == () and state.chain == 0
    assert [x for x in t.ledger if x[0] == "cha_jiao"] == []


def test_a_win_ends_the_chain_of_kongs(table: Any) -> None:
    # RULES §7: the chain ends … on a win
    t = table("pzh-popular", E="1111m5p", W=READY, wall="9p")
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9p")
    t.discard("E", "5p")
    assert t.state.chain == 1
    t.win("W", "5p")
    assert t.state.chain == 0


def test_nothing_is_drawn_any_more_in_a_winners_hand(table: Any) -> None:
    t = table("pzh-popular", E="1m", S=READY, wall="5p")
    t.discard("E", "1m")
    t.draw("S", "5p")
    t.win("S", "5p")
    s = t.state["S"]
    assert not s.drew and s.drawn is None and s.hand == tuple(sorted(hand(READY)))


# --- passing -----------------------------------------------------------------------------------------


def test_a_smaller_win_passed_later_does_not_open_the_dearer_one_again(table: Any) -> None:
    # S0 3.3 不能放水, 3.4 放大掴小: 卡心五 (2) is passed, then 平胡 (1), barred already
    t = table("pzh-traditional", E="1p5p", S="6p", W="123456789s4446p", wall="1p")
    t.discard("E", "1p")
    for seat in ("S", "W", "N"):
        t.turn(seat, t.spare("56p"))
    t.draw("E", t.spare("56p"))
    t.discard("E", "5p")
    t.draw("S", t.spare("56p"))
    assert t.state["W"].passed == 2
    t.discard("S", "6p")
    assert t.act("W", "win").reason == "passed"


def test_a_dearer_win_passed_later_raises_the_price_of_the_next(table: Any) -> None:
    t = table("pzh-traditional", E="1p6p", S="5p", W="123456789s4446p", wall="1p")
    t.discard("E", "1p")
    for seat in ("S", "W", "N"):
        t.turn(seat, t.spare("56p"))
    t.draw("E", t.spare("56p"))
    t.discard("E", "6p")
    t.draw("S", t.spare("56p"))
    assert t.state["W"].passed == 1
    t.discard("S", "5p")
    assert t.act("W", "win").certainty == "certain"
    t.add(Draw("W"))
    assert t.state["W"].passed is None  # the own draw opens everything again


@pytest.mark.parametrize(
    ("ruleset", "left", "violation"), [("pzh-biankadiao-que", 8, False), ("pzh-huoque", 20, False)]
)
def test_a_refused_own_draw_is_no_pass_and_need_not_be_taken(
    table: Any, ruleset: str, left: int, violation: bool
) -> None:
    # S2 4) 必须缺门才能胡牌; S0 2.1 或缺: three suits, one fan. RULES §8: a refused win is no pass
    lamp = "9p" if ruleset == "pzh-huoque" else None
    t = table(ruleset, E="147m", W="123456789s99m78p", S="66p", wall="6p", lamp=lamp)
    t.discard("E", "7m")
    t.run_down(left, avoid="69p")
    while t.state.next_draw != "W":
        t.turn(t.state.next_draw, t.spare("69p"))
    t.draw("W", "6p")
    assert t.act("W", "win").certainty == "impossible"
    t.discard("W", "6p")
    assert not t.violations and t.state["W"].passed is None


@pytest.mark.parametrize(("left", "forced"), [(8, True), (9, False)])
def test_bi_hu_begins_with_eight_tiles_left(table: Any, left: int, forced: bool) -> None:
    # S2 2.5 最后8张时,如遇可以胡的牌必须胡; RULES §8: counted at the discard
    t = table("pzh-biankadiao-que", E="1m", W="123456789s11s46p", wall="5p")
    t.discard("E", "1m")
    t.run_down(left + 1, avoid="5p")
    seat = t.state.next_draw
    t.draw(seat, "5p")
    if seat == "W":
        assert t.act("W", "win").must == forced
        return
    t.discard(seat, "5p")
    assert t.state.wall_left == left
    assert t.act("W", "win").must == forced


@pytest.mark.parametrize("tiles", [0, 1])
def test_the_last_discard_must_be_won_on_only_under_bi_hu(table: Any, tiles: int) -> None:
    t = table(
        "pzh-popular",
        E="1m",
        S="555p",
        W=READY,
        wall="5p",
        options={"must_win_tiles": tiles},
    )
    t.discard("E", "1m")
    t.run_down(1, avoid="5p")
    seat = t.state.next_draw
    assert seat != "W"
    t.draw(seat, "5p")
    t.discard(seat, "5p")
    offered = t.line
    t.end()
    assert t.violations == ([(offered, "missed_win", "W")] if tiles else [])


def test_a_singer_passing_the_very_last_discard_has_missed_a_win(table: Any) -> None:
    # S0 10 唱歌后如有人放炮必须胡牌
    t = table("pzh-popular", E=READY + "1m", S="555p", wall="5p")
    t.discard("E", "1m")
    t.declare("E", "sing")
    t.run_down(1, avoid="5p")
    seat = t.state.next_draw
    t.draw(seat, "5p")
    t.discard(seat, "5p")
    offered = t.line
    t.end()
    assert t.violations == [(offered, "missed_win", "E")]


def test_a_forbidden_discard_is_not_offered_any_more_after_the_next_draw(table: Any) -> None:
    t = table("pzh-popular", E=READY + "1m", S="5p")
    t.discard("E", "1m")
    t.declare("E", "dance")
    t.draw("S", t.spare("5p"))
    t.discard("S", "5p")
    assert t.state.offer.forbidden
    t.draw("W", t.spare("5p"))
    assert t.state.offer is None and t.state.last_discard is None


# --- locked players ----------------------------------------------------------------------------------


def test_after_an_illegal_peng_a_singer_may_discard_what_he_likes_but_not_kong(table: Any) -> None:
    # RULES §6: a misplay stands; a 暗杠 only with the tile just drawn
    t = table("pzh-popular", E="9999m123s46p88s11p1m", N="8s")
    t.discard("E", "1m")
    t.declare("E", "sing")
    t.turn("S", t.spare("8s5p"))
    t.turn("W", t.spare("8s5p"))
    t.draw("N", t.spare("8s5p"))
    t.discard("N", "8s")
    t.peng("E", "8s")
    assert t.violations == [(t.line, "locked_claim", "E")]
    assert {a.certainty for a in legal(t.state, "E") if a.kind == "discard"} == {"certain"}
    assert t.act("E", "an_gang", "9m").reason == "locked"


# --- 天胡, and what is drawn -------------------------------------------------------------------------


def test_a_dealer_who_claimed_a_peng_does_not_win_with_it(table: Any) -> None:
    t = table("pzh-popular", E="123456789s99m555p", S="9m", wall="1p")
    t.discard("E", "5p")
    t.draw("S", "1p")
    t.discard("S", "9m")
    t.peng("E", "9m")
    t.add(Win("E", "self_draw", p("5p")))
    assert t.violations == [(t.line, "illegal_win", "E")] and t.ledger == []


def test_a_lamp_of_a_kind_held_four_times_is_named_and_does_no_harm() -> None:
    state = start(HandStart("pzh-traditional", "E"))
    state = apply(state, Deal("E", hand("1111m5555p123s789s")))
    state = apply(state, TailLamp(p("5p")))
    (problem,) = state.problems
    assert str(problem).endswith("tail_lamp: tile 5p: all 4 of it are elsewhere already")
    (act,) = [a for a in legal(state, "E") if a.kind == "an_gang" and a.tile == p("1m")]
    assert act.replacement_wins is None


def test_a_fourth_tile_beside_the_lamp_is_named() -> None:
    state = start(HandStart("pzh-traditional", "E"))
    for event in (TailLamp(p("5p")), Deal("E", hand("555p1m123s456789s7m")), Discard("E", p("1m"))):
        state = apply(state, event)
    assert not state.problems
    state = apply(state, Draw("S", p("5p")))
    (problem,) = state.problems
    assert str(problem).endswith("draw: tile 5p: all 4 of it are elsewhere already")


def test_two_discards_in_a_row_are_named(table: Any) -> None:
    t = table("pzh-popular", E="1m9m")
    t.discard("E", "1m")
    (problem,) = apply(t.state, Discard("E", p("9m"))).problems
    assert str(problem).endswith("discard: seat E: nobody has drawn a tile")


def test_a_tile_not_held_is_named(table: Any) -> None:
    t = table("pzh-popular", E=READY + "1m")
    (problem,) = apply(t.state, Discard("E", p("9p"))).problems
    assert str(problem).endswith("discard: tile 9p: the player does not hold it")


def test_a_claimed_discard_leaves_the_earlier_ones_in_the_river(table: Any) -> None:
    t = table("pzh-popular", E="1m9m", S="99m", wall="2p8s")
    t.discard("E", "1m")
    for seat in ("S", "W", "N"):
        t.turn(seat, t.spare("9m"))
    t.draw("E", "2p")
    t.discard("E", "9m")
    t.peng("S", "9m")
    assert t.state["E"].river == hand("1m")


# --- what a winner shows -----------------------------------------------------------------------------


def test_a_winner_with_a_meld_shows_ten_tiles_at_most(table: Any) -> None:
    t = table("pzh-popular", E="1m5p", S="11m123456s78s46p9p", W="5p")
    t.discard("E", "1m")
    t.peng("S", "1m")
    t.discard("S", "9p")
    t.turn("W", t.spare("5p"))
    t.turn("N", t.spare("5p"))
    t.draw("E", t.spare("5p"))
    t.discard("E", "5p")
    after = apply(t.state, Win("S", "discard", p("5p"), hand("123456s78s46p9m")))
    (problem,) = after.problems
    assert str(problem).endswith("win: hand 9m12345678s46p: 11 tiles, expected 10")


def test_a_winner_may_show_the_winning_tile_with_the_hand_at_the_end(table: Any) -> None:
    t = table("pzh-popular", E="5p", W=READY)
    t.discard("E", "5p")
    t.win("W", "5p")
    after = apply(t.state, Reveal("W", hand(READY + "5p")))
    assert not after.problems and after["W"].hand == t.state["W"].hand


# --- kongs that are none -----------------------------------------------------------------------------


def test_taking_a_kong_back_leaves_the_other_melds(table: Any) -> None:
    # D2: no kong on an empty wall
    t = table("pzh-popular", E="9m", N="777p11m2222m46s9p4m", W="1m", wall="9p7p")
    t.discard("E", "9m")
    t.turn("S", t.spare("79p"))
    t.draw("W", t.spare("79p"))
    t.discard("W", "1m")
    t.peng("N", "1m")
    t.discard("N", "4m")
    for seat in ("E", "S", "W"):
        t.turn(seat, t.spare("79p"))
    t.draw("N", "9p")
    t.gang("N", "an_gang", "2m")
    t.turn("N", t.spare("79p"))
    t.run_down(1, avoid="7p")
    t.draw("N", "7p")
    t.gang("N", "an_gang", "7p")
    assert [m.kind for m in t.state["N"].melds] == ["peng", "an_gang", "an_gang"]
    t.discard("N", "7p")
    assert [(m.kind, m.tile) for m in t.state["N"].melds] == [("peng", 0), ("an_gang", 1)]
    assert t.state["N"].size == 7 and t.state.waits("N") == hand("5s")


@pytest.mark.parametrize(("shown", "stays"), [(10, True), (14, False)])
def test_a_hand_shown_beside_a_kong_on_the_empty_wall(table: Any, shown: int, stays: bool) -> None:
    """Ten tiles: the four of the kong lie beside them. Fourteen: they were taken back."""
    t = table("pzh-popular", E="1m", N="777p147m258s369s9m", wall="7p")
    t.discard("E", "1m")
    t.run_down(1, avoid="7p")
    t.draw("N", "7p")
    all_tiles = t.state["N"].hand
    t.gang("N", "an_gang", "7p")
    rest = t.state["N"].hand
    assert t.state.waits("N") == ()
    t.add(Reveal("N", rest if shown == 10 else all_tiles))
    assert len(t.state["N"].melds) == (1 if stays else 0)
    assert t.state["N"].size == shown
    # Of fourteen, none of them drawn any more, nobody can say what they waited for.
    assert t.state.waits("N") == (() if stays else None)


def test_a_robbed_kong_is_a_peng_again_and_its_tile_can_be_waited_for(table: Any) -> None:
    # RULES §4 抢杠: that kong is void; D4: with four of it in the own melds it was no wait
    t = table("xichang", E="5p", S="55p46p123456s99m1m", W="123456789m46p11m", wall="5p")
    t.discard("E", "5p")
    t.peng("S", "5p")
    t.discard("S", "1m")
    for seat in ("W", "N", "E"):
        t.turn(seat, t.spare("5p"))
    t.draw("S", "5p")
    t.gang("S", "ba_gang", "5p")
    assert t.state.waits("S") == ()
    t.win("W", "5p", by="rob_kong")
    assert [m.kind for m in t.state["S"].melds] == ["peng"]
    assert t.state.waits("S") == hand("5p") and t.state.pending is None


# --- 查叫, 死叫, 诈胡 -----------------------------------------------------------------------------------


def test_a_dancers_shown_tiles_are_not_counted_twice_for_a_dead_wait(table: Any) -> None:
    # RULES §9 死叫: tiles shown by dancers have appeared, and so have the own ones, each once
    t = table("pzh-popular", E="123456789s55p99m1p", S="5p", W="9m", wall="9m")
    t.discard("E", "1p")
    t.declare("E", "dance")
    assert t.state.waits("E") == hand("9m5p")
    t.draw("S", "9m")
    t.discard("S", "9m")
    assert not dead_wait(t.state, "E")
    # With the other 5p and the other 9m gone as well it is dead.
    gone = list(t.state.appeared())
    gone[p("5p")], gone[p("9m")] = 4, 4
    assert dead_wait(t.state, "E", gone)
    gone[p("5p")] = 3
    assert not dead_wait(t.state, "E", gone)


def test_own_concealed_tiles_count_for_a_dead_wait(table: Any) -> None:
    t = table("pzh-popular", E="123456789s55p99m1m")
    t.discard("E", "1m")
    seen = [0] * 27
    seen[p("5p")], seen[p("9m")] = 2, 2
    assert dead_wait(t.state, "E", seen)
    seen[p("9m")] = 1
    assert not dead_wait(t.state, "E", seen)


def test_a_liar_who_became_ready_collects_nothing_and_pays_nothing_more(table: Any) -> None:
    # RULES §6: 诈胡 replaces that player's 查叫 payments
    t = table("pzh-popular", E="123456789s47p99m1m", S="5555p", W="1m", wall="6p")
    t.discard("E", "1m")
    declared = t.line + 1
    t.declare("E", "sing", waits="")
    for seat in ("S", "W", "N"):
        t.turn(seat, t.spare("5p6p"))
    t.draw("E", "6p")
    t.discard("E", "7p")  # a locked discard: now the hand is ready
    assert t.state.waits("E") == hand("5p")
    t.run_down(0, avoid="5p")
    t.end()
    assert (declared, "zha_hu", "E") in t.violations
    assert {(k, source, target) for k, source, target, _ in t.ledger} == {
        ("zha_hu", "E", s) for s in ("S", "W", "N")
    }


def test_a_singer_seen_ready_when_he_sang_is_no_liar_whatever_came_after(table: Any) -> None:
    t = table("pzh-popular", E=READY + "1m", S="5555p", wall="1p")
    t.discard("E", "1m")
    t.declare("E", "sing")
    for seat in ("S", "W", "N"):
        t.turn(seat, t.spare("5p"))
    t.draw("E", t.spare("5p4p6p"))
    t.discard("E", "4p")
    t.run_down(0, avoid="5p")
    t.end()
    assert {k for _, k, _ in t.violations} == {"locked_discard"}


# --- settling a log ----------------------------------------------------------------------------------

IMPOSSIBLE: list[dict[str, Any]] = [
    {"type": "hand_start", "ruleset": "pzh-popular", "dealer": "E"},
    {"type": "discard", "seat": "E", "tile": "1m"},
    {"type": "draw", "seat": "W"},
    {"type": "hand_end"},
]


def test_what_cannot_be_true_stops_settling_unless_lenient() -> None:
    with pytest.raises(PzvisionError):
        list(fold_log(LogLine(n, parse_event(record)) for n, record in enumerate(IMPOSSIBLE, 1)))
    text = "\n".join(str(record).replace("'", '"') for record in IMPOSSIBLE)
    for settle, log in ((settle_log, IMPOSSIBLE), (settle_text, text)):
        with pytest.raises(PzvisionError, match="line 3: draw: seat W: it is for S to draw"):
            settle(log)
        (result,) = settle(log, lenient=True)
        assert [problem.event for problem in result.state.problems] == [3]


def test_a_hand_that_is_not_ended_is_cut() -> None:
    log = [*IMPOSSIBLE[:2], *IMPOSSIBLE[:2], IMPOSSIBLE[3]]
    results = settle_log(log)
    assert [(r.number, r.state.cut, r.state.phase) for r in results] == [
        (1, True, "claim"),
        (2, True, "end"),
    ]
    assert [r.state.cut for r in settle_log(IMPOSSIBLE[:2])] == [True]
    assert [r.to_json()["violations"] for r in results] == [[], []]


def test_records_before_any_hand_and_lines_of_text_are_numbered_alike(table: Any) -> None:
    with pytest.raises(PzvisionError, match="line 1: discard: type 'discard': expected hand_start first"):
        settle_log(IMPOSSIBLE[1:])
    t = table("pzh-popular", E="5p", W=READY)
    t.discard("E", "5p")
    t.win("W", "5p")
    t.end()
    lines = [json.dumps(format_event(e)) for e in t.events]
    assert [r.to_json() for r in settle_log(lines)] == [t.settled()]
    assert t.settled()["ledger"][0]["event"] == 7
    assert set(t.settled()["totals"]) == set(SEATS)
