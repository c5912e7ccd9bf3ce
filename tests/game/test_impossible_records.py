"""Records that cannot be true beside the earlier ones, calls out of turn, and what the end leaves open."""

from __future__ import annotations

from typing import Any

import pytest

from pzvision.game import (
    Deal,
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    HandEnd,
    HandStart,
    Peng,
    Reveal,
    State,
    TailLamp,
    Win,
    apply,
    legal,
    start,
)
from pzvision.game.judge import alarm_due, kong_keeps_waits, replacement_wins, shown_waits, value_of_win
from pzvision.game.money import dead_wait
from pzvision.game.seat import is_thirteen
from pzvision.rules import Meld, ruleset_ids
from pzvision.tiles import SEATS, format_tile, parse_tile, parse_tiles, to_counts

READY = "123456789s46p99m"  # waits for 5p


def words(state: State, event: Event) -> tuple[State, str]:
    """The state after the record, and its one problem without the line number."""
    after = apply(state, event)
    (problem,) = after.problems
    assert problem.event == after.line
    assert after.ledger == state.ledger and after.winners == state.winners
    return after, str(problem).split(": ", 1)[1]


def p(tile: str) -> int:
    return parse_tile(tile)


def hand(tiles: str) -> tuple[int, ...]:
    return tuple(parse_tiles(tiles))


def test_nobody_wins_twice_or_acts_after_winning(table: Any) -> None:
    t = table("pzh-traditional", E="5p", W=READY, wall="9p")
    t.discard("E", "5p")
    t.win("W", "5p")
    assert words(t.state, Win("W", "discard", p("5p"), hand(READY)))[1] == (
        "win: seat W: this player has won already"
    )
    assert words(t.state, Discard("N", t.state["N"].hand[0]))[1] == "discard: seat N: nobody has drawn a tile"
    assert words(t.state, Gang("W", "an_gang", p("9s")))[1] == "gang: seat W: this player has won already"
    t.draw("N", "9p")
    assert words(t.state, Gang("W", "an_gang", p("9s")))[1] == "gang: seat W: this player has won already"
    assert words(t.state, Gang("S", "an_gang", p("9s")))[1] == "gang: seat S: it is the turn of N"


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (READY + "9m", "win: hand 999m123456789s46p: 14 tiles, expected 13"),
        ("123456789s45p99m", "win: hand 99m123456789s45p: these are not the player's concealed tiles"),
    ],
)
def test_a_winner_cannot_show_another_hand(table: Any, shown: str, said: str) -> None:
    t = table("pzh-traditional", E="5p", W=READY)
    t.discard("E", "5p")
    after, problem = words(t.state, Win("W", "discard", p("5p"), hand(shown)))
    assert problem == said and after.in_hand("W") and after.offer == t.state.offer


def test_a_shown_hand_too_small_for_a_win_is_no_hand(table: Any) -> None:
    state = start(HandStart("pzh-popular", "E"))
    state = apply(state, Discard("E", p("5p")))
    after = apply(state, Win("S", "discard", p("5p"), hand("46p")))
    assert not after.problems and after.winners == ("S",) and after.ledger == ()
    assert after.unsettled == (after.line,)
    # Shown whole, the same win is paid.
    after = apply(state, Win("S", "discard", p("5p"), hand(READY)))
    assert [(x.source, x.target, x.fan) for x in after.ledger] == [("E", "S", 2)] and not after.unsettled


def test_a_heavenly_win_needs_its_tile(table: Any) -> None:
    t = table("pzh-traditional", E=READY + "5p")
    assert words(t.state, Win("E", "self_draw", p("1m")))[1] == "win: tile 1m: the player does not hold it"


def test_a_revealed_hand_has_no_more_tiles_than_the_player(table: Any) -> None:
    t = table("pzh-traditional", E="5p", W=READY)
    t.discard("E", "5p")
    after, problem = words(t.state, Reveal("W", hand(READY + "9m")))
    assert problem == "reveal: hand 999m123456789s46p: 14 tiles, expected 13"
    assert after["W"].hand == t.state["W"].hand
    after, problem = words(t.state, Reveal("W", hand("123456789s45p99m")))
    assert problem == "reveal: hand 99m123456789s45p: the player cannot hold 5p"
    assert after["W"].hand == t.state["W"].hand and after["W"].known
    after = apply(t.state, Reveal("W"))
    assert not after.problems and after["W"].hand == t.state["W"].hand


def test_a_winner_may_reveal_the_hand_again(table: Any) -> None:
    t = table("pzh-traditional", E="5p", W=READY)
    t.discard("E", "5p")
    t.win("W", "5p")
    after = apply(t.state, Reveal("W", hand(READY)))
    assert not after.problems and after.accounted == t.state.accounted


# --- what is passed and what is taken ----------------------------------------------------------------


def test_a_passed_win_is_worth_what_it_would_have_paid_with_its_luck(table: Any) -> None:
    # 杠上炮: the discard after a kong, passed by W
    t = table("pzh-popular", E="1111m5p", W=READY, wall="9p1p")
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9p")
    t.discard("E", "5p")
    price = t.act("W", "win").fan
    assert price == 4  # 卡心五 2 × 杠上炮 2
    t.turn("S", "1p")
    assert t.state["W"].passed == price


def test_only_dancers_are_bound_to_draw_their_tile_themselves(table: Any) -> None:
    t = table("pzh-popular", E="5p", W=READY, options={"dancer_wins_on": "self_draw"})
    t.discard("E", "5p")
    assert t.act("W", "win").certainty == "certain"
    t.win("W", "5p")
    assert t.ledger == [("win", "E", "W", 2)]


def peng_beside_a_dancer(table: Any, rest: str) -> Any:
    """E dances, waiting for 3m and 6m; S has three 碰 and of the rest 44p and ``rest``; W discards 4p."""
    t = table(
        "pzh-popular",
        E="45m123456789s11p9p",
        S=f"{rest}44p11m22m77m8m9m8p",
        W="4p1m2m7m",
        wall="6m" if "6m" not in rest and "36m" not in rest else "3m",
    )
    t.discard("E", "9p")
    t.declare("E", "dance")
    keep = "1m2m7m3m6m4p8m9m"
    for claimed, out in {"1m": "8m", "2m": "9m", "7m": "8p"}.items():
        while t.state.next_draw != "W":
            t.turn(t.state.next_draw, t.spare(keep))
        t.draw("W", t.spare(keep))
        t.discard("W", claimed)
        t.peng("S", claimed)
        t.discard("S", out)
    while t.state.next_draw != "W":
        t.turn(t.state.next_draw, t.spare(keep))
    t.draw("W", t.spare(keep))
    assert not t.violations
    t.discard("W", "4p")
    return t


@pytest.mark.parametrize(("rest", "allowed"), [("36m", False), ("3m9s", True)])
def test_a_peng_that_leaves_only_the_dancers_tiles_is_forbidden(table: Any, rest: str, allowed: bool) -> None:
    # RULES §6 forbidden_claim
    t = peng_beside_a_dancer(table, rest)
    act = t.act("S", "peng")
    assert (act.certainty, act.reason) == (
        ("certain", "") if allowed else ("impossible", "no_legal_discard_after")
    )
    t.peng("S", "4p")
    assert t.violations == ([] if allowed else [(t.line, "forbidden_claim", "S")])


def test_values_and_waits_are_none_for_what_is_no_hand(table: Any) -> None:
    t = table("pzh-popular", E="5p", W=READY)
    t.discard("E", "5p")
    counts = t.state["W"].concealed
    assert value_of_win(t.state, "W", "discard", p("5p"), counts).total == 2
    fewer = counts[:]
    fewer[p("9m")] -= 1
    assert value_of_win(t.state, "W", "discard", p("5p"), fewer) is None
    assert kong_keeps_waits(t.state, "W", "an_gang", p("1p")) is None
    fifth = to_counts(hand("123456789s5555p"))
    assert value_of_win(t.state, "W", "discard", p("5p"), fifth) is None
    claimed = t.state.copy()
    claimed.own("W").melds = (Meld("peng", p("5p")),)
    assert value_of_win(claimed, "W", "discard", p("5p"), to_counts(hand("123456789s5p"))) is None
    assert value_of_win(claimed, "W", "discard", p("6p"), to_counts(hand("123456789s6p"))) is not None


def test_what_thirteen_shown_tiles_wait_for_and_fourteen_do_not() -> None:
    state = start(HandStart("pzh-popular", "E"))
    state = apply(state, Discard("E", 0))
    state = apply(state, Declare("E", "dance", hand(READY)))
    found = shown_waits(state, state["E"])
    assert found is not None and [format_tile(tile) for tile in found] == ["5p"]
    long = state["E"].copy()
    long.shown = hand(READY + "1m")
    assert shown_waits(state, long) is None
    for part, waits in (("456p", None), ("23m99p", "14m"), ("46p", "5p")):
        some = state["E"].copy()
        some.shown = hand(part)
        assert shown_waits(state, some) == (None if waits is None else hand(waits)), part


# --- calls that are none ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seat", "by", "tile"),
    [("E", "discard", "5p"), ("W", "discard", "6p"), ("W", "rob_kong", "5p"), ("W", "self_draw", "5p")],
)
def test_only_the_offered_tile_of_another_can_be_won_on(table: Any, seat: str, by: Any, tile: str) -> None:
    t = table("xichang", E="123456789m46s11p5p", W="123456789s4446p")
    t.discard("E", "5p")
    t.add(Win(seat, by, p(tile)))
    assert t.violations == [(t.line, "illegal_win", seat)] and t.ledger == []


def test_a_discarder_does_not_win_on_the_own_discard(table: Any) -> None:
    t = table("pzh-popular", E=READY + "5p")
    t.discard("E", "5p")
    t.add(Win("E", "discard", p("5p")))
    assert t.violations == [(t.line, "illegal_win", "E")] and t.ledger == []


def test_nothing_is_offered_after_a_self_draw(table: Any) -> None:
    t = table("pzh-popular", E="1m", S=READY, W="123456789m46p22s", wall="5p")
    t.discard("E", "1m")
    t.draw("S", "5p")
    t.win("S", "5p")
    t.add(Win("W", "discard", p("5p")))
    assert t.violations == [(t.line, "illegal_win", "W")]


def test_nobody_wins_by_a_self_draw_after_a_peng(table: Any) -> None:
    t = table("pzh-popular", E="1m", S="55p123456789s99m", N="5p", wall="1p")
    t.discard("E", "1m")
    t.turn("S", "1p")
    t.turn("W", t.spare("59p9m1p"))
    t.draw("N", t.spare("59p9m1p"))
    t.discard("N", "5p")
    t.peng("S", "5p")
    assert t.act("S", "win") is None
    t.add(Win("S", "self_draw", p("9m")))
    assert t.violations == [(t.line, "illegal_win", "S")]


@pytest.mark.parametrize("robbing", [False, True])
def test_a_singer_must_rob_a_kong_only_where_it_can_be_robbed(table: Any, robbing: bool) -> None:
    t = table("pzh-popular", E="55p19m", W="123456789s46p99m", wall="5p5p9p", options={"rob_kong": robbing})
    t.discard("E", "1m")
    t.turn("S", "5p")
    t.peng("E", "5p")
    t.discard("E", "9m")
    t.turn("S", t.spare("5p9p9m"))
    t.turn("W", t.spare("5p9p9m"))
    t.declare("W", "sing")
    t.turn("N", t.spare("5p9p9m"))
    t.draw("E", "5p")
    t.gang("E", "ba_gang", "5p")
    kong = t.line
    t.draw("E", "9p")
    assert t.violations == ([(kong, "missed_win", "W")] if robbing else [])
    assert t.state["W"].passed is None  # passing a kong by is no passing of a discard


def test_after_the_end_nothing_happens_any_more(table: Any) -> None:
    t = table("pzh-popular", E="1m")
    t.discard("E", "1m")
    t.end()
    assert t.state.phase == "end"
    assert words(t.state, Draw("S"))[1] == "draw: type draw: the hand is over, expected hand_start"


def test_a_wait_is_dead_when_all_four_have_appeared_or_are_the_own(table: Any) -> None:
    # RULES §9 死叫, S1 2
    t = table("pzh-popular", E="1m", S="5555p", W=READY, wall="1p")
    t.discard("E", "1m")
    assert not dead_wait(t.state, "S") and not dead_wait(t.state, "W")
    t.draw("S", "1p")
    t.gang("S", "an_gang", "5p")
    assert dead_wait(t.state, "W")
    assert not dead_wait(t.state, "W", [0] * 27)


def test_the_luck_of_a_kong_makes_its_replacement_a_legal_win(table: Any) -> None:
    # RULES §5 或缺: one fan in three suits is refused, and 杠上花 makes it two
    t = table("pzh-huoque", E="1111m234567s11s78p", lamp="6p")
    act = t.act("E", "an_gang", "1m")
    assert act.replacement_wins is True
    t.gang("E", "an_gang", "1m")
    t.draw("E", "6p")
    t.win("E", "6p")
    assert not t.violations and [f for kind, *_, f in t.ledger if kind == "win"] == [2, 2, 2]


@pytest.mark.parametrize(("waits", "proved"), [("2356p", False), ("25p", True)])
def test_a_forbidden_discard_of_unknown_tiles_is_suspected_or_proved(waits: str, proved: bool) -> None:
    # S has fourteen tiles nobody knows: they can all be of four kinds, but not of two
    state = start(HandStart("pzh-popular", "E"))
    for event in (Discard("E", 0), Declare("E", "dance", (), hand(waits)), Draw("S"), Discard("S", p("5p"))):
        state = apply(state, event)
    found = [(v.event, v.kind, v.seat) for v in (state.violations if proved else state.suspicions)]
    assert found == [(5, "forbidden_discard", "S")]
    assert not (state.suspicions if proved else state.violations)


def test_no_alarm_is_due_with_another_tile_to_discard(table: Any) -> None:
    t = table("pzh-popular", E=READY + "1m", S="5p", wall="1m")
    t.discard("E", "1m")
    t.declare("E", "dance")
    t.draw("S", "1m")
    assert alarm_due(t.state, "S") is False


def test_a_drawn_tile_nobody_saw_is_accounted_for_when_it_wins() -> None:
    state = start(HandStart("pzh-popular", "E"))
    for event in (Discard("E", 0), Draw("S"), Win("S", "self_draw", p("5p"), hand(READY))):
        state = apply(state, event)
    assert state.accounted[p("5p")] == 1 and state["S"].size == 13 and state["S"].known
    assert not state.problems and [x.fan for x in state.ledger] == [2, 2, 2]


# --- the end -----------------------------------------------------------------------------------------


def test_a_known_end_leaves_nothing_open_and_an_unknown_one_says_so(table: Any) -> None:
    t = table("pzh-popular", E="1m")
    t.discard("E", "1m")
    t.run_down(0)
    assert t.end().unsettled == ()
    state = start(HandStart("pzh-popular", "E"))
    state = apply(state, Deal("S", hand(READY)))
    state = apply(state, Discard("E", 0))
    tile = 1
    while state.wall_left:
        state = apply(state, Draw(state.next_draw))
        seat = state.turn
        if seat == "S":
            state = apply(state, Reveal("S"))
        while state.accounted[tile] >= 4:
            tile += 1
        state = apply(state, Discard(seat, tile))
    state = apply(state, HandEnd())
    assert state.unsettled == (state.line,) and not state.cut


def test_the_last_tile_drawn_and_not_discarded_is_set_aside_at_cha_jiao(table: Any) -> None:
    t = table("pzh-popular", E="1147m258s369p147s2m", S="5555p", N=READY)
    t.discard("E", "1m")
    t.run_down(1, avoid="5p")
    t.draw("N", t.spare("5p"))
    t.end()
    assert t.ledger == [("cha_jiao", seat, "N", 2) for seat in ("E", "S", "W")]


def test_a_ready_player_in_three_suits_keeps_the_kong_money(table: Any) -> None:
    # S1 补充 花猪的杠不算; D20: only of a player who is not ready
    t = table("pzh-popular", E="1111m123456s46p99s", S="5555p", wall="9p")
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9p")
    t.discard("E", "9p")
    t.run_down(0, avoid="5p")
    t.end()
    assert [x for x in t.ledger if x[0] == "refund"] == []
    assert len([x for x in t.ledger if x[0] == "kong"]) == 3


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_melds_of_one_kind_twice_are_no_hand(ruleset: str) -> None:
    """A misread table can have a 碰 and a kong of the same tile: legal acts are told all the same."""
    melds = (Meld("peng", 8), Meld("zhi_gang", 8))
    counts = to_counts([0, 1, 2, 9, 10, 11, 20])
    assert not is_thirteen(counts, melds) and is_thirteen(counts, (Meld("peng", 8), Meld("zhi_gang", 7)))
    records = [
        HandStart(ruleset, "E"),
        Deal("E", (8, 8, 0, 1, 2, 9, 10, 11, 12, 20, 20, 20, 21, 21)),
        Deal("S", (8, 8, 8, 8, 0, 1, 2, 3, 4, 9, 10, 11, 20)),
        TailLamp(20),
        Discard("E", 8),
        Peng("S", 8),
        Discard("S", 9),
        Draw("W", None),
        Discard("W", 8),
        Gang("S", "zhi_gang", 8),
        Draw("S", 20),
        Discard("S", 10),
        Draw("W", None),
        Discard("W", 8),
    ]
    state = start(records[0])
    for record in records[1:]:
        state = apply(state, record)
        for seat in SEATS:
            legal(state, seat)
            state.waits(seat)
            replacement_wins(state, seat, "zhi_gang", 8)
            kong_keeps_waits(state, seat, "zhi_gang", 8)
