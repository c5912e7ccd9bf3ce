"""What is judged, and what is left open, when some tiles were never seen."""

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
from pzvision.game.judge import (
    CERTAIN,
    NO_TILES,
    UNKNOWN_TILES,
    alarm_due,
    holds,
    judge_gang,
    judge_peng,
    shown_waits,
    worst,
)
from pzvision.tiles import parse_tile, parse_tiles

READY = "123456789s46p99m"  # waits for 5p
PLAIN = "123456789s78p99m"  # waits for 69p


def p(tile: str) -> int:
    return parse_tile(tile)


def hand(tiles: str) -> tuple[int, ...]:
    return tuple(parse_tiles(tiles))


def fold(ruleset: str, *events: Event, **options: object) -> State:
    state = start(HandStart(ruleset, "E", options=options))
    for event in events:
        state = apply(state, event)
    assert not state.problems, state.problems
    return state


def act(state: State, seat: Any, kind: str, tile: str | None = None) -> Any:
    wanted = None if tile is None else p(tile)
    return next(
        (a for a in legal(state, seat) if a.kind == kind and (wanted is None or a.tile == wanted)), None
    )


def run_down(state: State, left: int, keep: str = "") -> State:
    """Unseen draws, and discards of tiles of which some are left, until so many are in the wall."""
    kept = set(parse_tiles(keep))
    while state.wall_left > left:
        state = apply(state, Draw(state.next_draw))
        held = state[state.turn].concealed
        free = (t for t in range(27) if t not in kept and not held[t] and state.accounted[t] < 4)
        state = apply(state, Discard(state.turn, next(free)))
    assert not state.problems, state.problems
    return state


def test_the_less_certain_of_two_answers_and_the_first_of_equals() -> None:
    assert worst(CERTAIN, UNKNOWN_TILES) is UNKNOWN_TILES and worst(UNKNOWN_TILES, CERTAIN) is UNKNOWN_TILES
    assert worst(UNKNOWN_TILES, NO_TILES) is NO_TILES and worst(NO_TILES, UNKNOWN_TILES) is NO_TILES
    other = type(NO_TILES)("impossible", "not_now")
    assert worst(NO_TILES, other) is NO_TILES and worst(other, NO_TILES) is other


@pytest.mark.parametrize(
    ("shown", "seen", "number", "answer"),
    [
        ("55p", 0, 2, "certain"),
        ("5p", 0, 2, "possible"),  # the one unknown tile may be the second
        ("5p", 0, 3, "impossible"),  # two are lacking and only one tile is unknown
        ("5p", 3, 2, "impossible"),  # the other three lie in rivers
        ("5p", 2, 2, "possible"),
    ],
)
def test_how_many_of_a_kind_a_hand_can_hold(shown: str, seen: int, number: int, answer: str) -> None:
    """Twelve of S's tiles are known, ``shown`` among them."""
    known = hand(shown) + hand("123456789s19m2m")[: 12 - len(hand(shown))]
    events: list[Event] = [Discard("E", p("5p" if seen else "1p"))]
    for seat in ("S", "W", "N")[: max(0, seen - 1)]:
        events += [Draw(seat), Discard(seat, p("5p"))]
    state = fold("pzh-popular", *events)
    state = apply(state, Reveal("S", known))
    assert state["S"].unknown == 1 and not state.problems
    assert holds(state, "S", p("5p"), number).certainty == answer


# --- what dancers forbid ------------------------------------------------------------------------------


@pytest.mark.parametrize(("seen", "proved"), [(2, False), (3, True)])
def test_as_many_hidden_forbidden_tiles_as_unknown_ones_prove_nothing(seen: int, proved: bool) -> None:
    """S's fourteen unknown tiles can all be of the dancer's four kinds as long as fourteen are hidden."""
    events: list[Event] = [Discard("E", p("9m"))]
    for number, seat in enumerate(("S", "W", "N")):
        events += [Draw(seat), Discard(seat, p("2p") if number < seen else p("9m"))]
    events += [Draw("E"), Discard("E", p("1m")), Declare("E", "dance", (), hand("2356p"))]
    state = apply(fold("pzh-popular", *events), Draw("S"))
    assert act(state, "S", "discard", "5p").certainty == ("impossible" if proved else "possible")
    state = apply(state, Discard("S", p("5p")))
    assert [v.kind for v in state.violations] == (["forbidden_discard"] if proved else [])
    assert [v.kind for v in state.suspicions] == ([] if proved else ["forbidden_discard"])


@pytest.mark.parametrize(("waits", "sure"), [("256p", False), ("25p", True)])
def test_a_peng_of_unknown_tiles_leaves_two_fewer_to_discard(waits: str, sure: bool) -> None:
    """Eleven unknown tiles remain after it: twelve forbidden ones can be among them, eight cannot fill it."""
    state = fold(
        "pzh-popular",
        *(Discard("E", p("9m")), Declare("E", "dance", (), hand(waits))),
        *(Draw("S"), Discard("S", p("9s")), Draw("W"), Discard("W", p("1s"))),
    )
    assert judge_peng(state, "N", p("1s")).certainty == ("certain" if sure else "possible")
    assert not apply(state, Peng("N", p("1s"))).violations


@pytest.mark.parametrize(("lamp", "answer"), [("1m", "certain"), ("2p", "possible")])
def test_a_kong_of_unknown_tiles_beside_a_dancer(lamp: str, answer: str) -> None:
    """RULES §6: the shown tail tile is legal to discard (1m); or a dancer waits for it too (2p), and whether
    it would win nobody can know."""
    state = fold(
        "pzh-traditional",
        *(TailLamp(p(lamp)), Discard("E", p("9m")), Declare("E", "dance", (), hand("2356p"))),
        *(Draw("S"), Discard("S", p("9s")), Draw("W"), Discard("W", p("1s"))),
    )
    assert judge_gang(state, "N", "zhi_gang", p("1s")).certainty == answer


def test_no_alarm_is_due_when_nobody_dances_or_its_place_is_not_this_turn() -> None:
    state = fold("pzh-popular", Discard("E", 0), Draw("S"))
    assert alarm_due(state, "S") is False
    state = fold("pzh-popular", Discard("E", 0), Declare("E", "dance", (), hand("12345678m2356p")), Draw("S"))
    assert alarm_due(state, "S") is None and alarm_due(state, "W") is False
    assert act(state, "S", "alarm").certainty == "possible"


def test_nobody_is_suspected_of_missing_a_win_on_a_forbidden_discard() -> None:
    """E dances and S sings, both said to wait for 5p; W throws one: forbidden, so S could not win on it."""
    state = fold(
        "pzh-popular",
        *(Discard("E", 0), Declare("E", "dance", (), hand("5p"))),
        *(Draw("S"), Discard("S", 0), Declare("S", "sing", (), hand("5p"))),
        *(Draw("W"), Discard("W", p("5p")), Draw("N")),
    )
    assert [(v.kind, v.seat) for v in state.violations] == [("forbidden_discard", "W")]
    assert state.suspicions == () and state.offer is None


def test_what_a_part_shown_with_its_pair_elsewhere_waits_for() -> None:
    for part, waits in (
        ("23456p", "147p"),
        ("46m", "5m"),
        ("2344p", "14p"),
        ("1p", "1p"),
        ("46m99p123456s", "5m"),
    ):
        state = fold("pzh-popular", Discard("E", p("9m")), Declare("E", "dance", hand(part)))
        found = shown_waits(state, state["E"])
        assert found == (None if waits is None else hand(waits)), part
    # A pair of another suit stands for the hidden one; where all suits are shown there is none.
    state = fold("pzh-popular", Discard("E", p("9m")), Declare("E", "dance", hand("46m123p789s")))
    assert shown_waits(state, state["E"]) is None


def test_a_part_misread_as_five_of_a_kind_says_nothing() -> None:
    state = fold("pzh-popular", Discard("E", p("9m")), Declare("E", "dance", hand("46p")))
    misread = state["E"].copy()
    misread.shown = (p("5p"),) * 5
    assert shown_waits(state, misread) is None
    misread.shown = hand("5555p")
    assert shown_waits(state, misread) is not None


# --- 天叫 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "said", "fan"),
    [
        (PLAIN, "69p", 4),  # the same waits as announced: it held all along
        (READY.replace("46p", "57p"), "69p", 1),  # other waits: a tile was changed unseen, 天叫 is lost
        (PLAIN, None, 4),  # what it waited for was not said, so nothing shows that it was lost
    ],
)
def test_tian_jiao_after_unseen_draws_shows_in_the_winning_hand(
    shown: str, said: str | None, fan: int
) -> None:
    # S1 13 天叫; RULES §4, D11: lost on discarding a tile of another kind than the one just drawn
    state = fold(
        "pzh-popular",
        *(Declare("S", "tian_jiao", (), None if said is None else hand(said)), Discard("E", 0)),
        *(Draw("S"), Discard("S", 0), Draw("W"), Discard("W", p("6p"))),
        Win("S", "discard", p("6p"), hand(shown)),
    )
    assert [(x.source, x.target, x.fan) for x in state.ledger] == [("W", "S", fan)]


@pytest.mark.parametrize(
    ("sung", "shown", "fan"), [("69p", PLAIN, 8), ("6p", READY.replace("46p", "57p"), 2)]
)
def test_singing_for_other_waits_says_that_tian_jiao_was_lost(sung: str, shown: str, fan: int) -> None:
    """What is sung after unseen draws tells whether the hand is the announced one; it does not hide it."""
    state = fold(
        "pzh-popular",
        *(Declare("S", "tian_jiao", (), hand("69p")), Discard("E", 0), Draw("S"), Discard("S", 0)),
        *(Declare("S", "sing", (), hand(sung)), Draw("W"), Discard("W", p("6p"))),
        Win("S", "discard", p("6p"), hand(shown)),
    )
    assert [(x.source, x.target, x.fan) for x in state.ledger] == [("W", "S", fan)]


def test_tian_jiao_of_a_hand_seen_all_along_needs_no_second_look(table: Any) -> None:
    """The waits as said are not held against tiles that were never changed."""
    t = table("pzh-popular", E="1p", W=PLAIN, wall="6p3p1m1m")
    t.declare("W", "tian_jiao", waits="9p")
    t.discard("E", "1p")
    t.turn("S", "3p")
    t.turn("W", "1m")
    t.turn("N", "6p")
    t.win("W", "6p")
    assert t.ledger == [("win", "N", "W", 4)]


# --- wins ---------------------------------------------------------------------------------------------


def test_a_win_with_one_tile_unknown_is_what_its_winner_shows() -> None:
    """Twelve of S's tiles are known, then 5p is seen drawn; the thirteenth is the 9m he shows."""
    state = fold("pzh-popular", Reveal("S", hand(READY)[1:]), Discard("E", 0), Draw("S", p("5p")))
    assert state["S"].unknown == 1
    after = apply(state, Win("S", "self_draw", p("5p"), hand(READY)))
    assert not after.problems and [x.fan for x in after.ledger] == [2, 2, 2]
    assert after["S"].known and after["S"].hand == tuple(sorted(hand(READY)))
    assert not after["S"].drew and after["S"].drawn is None and not after.unsettled


def test_an_unseen_drawn_tile_that_wins_is_not_one_of_those_known() -> None:
    state = fold("pzh-popular", Deal("S", hand("123456789s99m55p")), Discard("E", 0), Draw("S"))
    after = apply(state, Win("S", "self_draw", p("5p")))
    assert not after.problems and after.winners == ("S",)
    assert after["S"].known and after["S"].hand == tuple(sorted(hand("123456789s99m55p")))


def test_before_the_dealer_acts_nobody_else_wins() -> None:
    state = fold("pzh-popular", Win("S", "self_draw", p("5p")))
    assert [(v.kind, v.seat) for v in state.violations] == [("illegal_win", "S")] and not state.winners


def test_waits_of_a_hand_laid_open_with_an_unseen_drawn_tile() -> None:
    """Fourteen tiles shown at once: which was drawn is not known, so neither is what was waited for."""
    state = fold("pzh-popular", Deal("S", hand(READY)), Discard("E", 0), Draw("S"))
    assert state.waits("S") == hand("5p")
    state = apply(state, Reveal("S", hand(READY + "1m")))
    assert state["S"].known and state.waits("S") is None


def test_nobody_kongs_with_tiles_he_is_known_not_to_hold(table: Any) -> None:
    t = table("pzh-popular", E="9m", S=READY)
    t.discard("E", "9m")
    (problem,) = apply(t.state, Gang("S", "zhi_gang", p("9m"))).problems
    assert str(problem).endswith("gang: tile 9m: the player does not hold it")


# --- 诈胡 and 查叫 --------------------------------------------------------------------------------------


def sung_unseen(ruleset: str = "pzh-popular") -> State:
    """E sings; nobody's tiles are known; the wall runs dry."""
    state = fold(ruleset, Discard("E", p("1m")), Declare("E", "sing", (), hand("5p")))
    return run_down(state, 0, keep="456p99m123456789s")


def test_a_singer_never_seen_is_no_liar() -> None:
    # RULES §6: found when the tiles are shown
    state = apply(sung_unseen(), HandEnd())
    assert not state.violations and state.ledger == () and state.unsettled == (state.line,)


@pytest.mark.parametrize(("shown", "liar"), [(READY, False), ("123456789s47p99m", True)])
def test_a_singer_seen_at_the_end_is_judged_by_what_he_shows(shown: str, liar: bool) -> None:
    state = apply(sung_unseen(), Reveal("E", hand(shown)))
    assert [v.kind for v in state.violations] == (["zha_hu"] if liar else [])
    assert [(x.kind, x.fan) for x in state.ledger] == ([("zha_hu", 32)] * 3 if liar else [])
    state = apply(state, HandEnd())
    assert len(state.violations) == liar  # not found a second time


def test_an_unknown_hand_collects_nothing_and_pays_nothing() -> None:
    dealt = Deal("S", hand(READY)), Deal("W", hand("147m258s11133p22m"))
    state = run_down(fold("pzh-popular", *dealt, Discard("E", p("1m"))), 0, keep="5p")
    state = apply(state, HandEnd())
    assert [(x.kind, x.source, x.target, x.fan) for x in state.ledger] == [("cha_jiao", "W", "S", 2)]
    assert state.unsettled == (state.line,)
