"""`legal`: what may be done, at what price, and what can be known when tiles are not."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from pzvision.game import Deal, Declare, Discard, Draw, HandStart, Reveal, Win, apply, legal, start
from pzvision.game.judge import dancer_waits
from pzvision.game.legal import ACT_KINDS, Act, matching_act
from pzvision.game.simulate import simulate
from pzvision.messages import say
from pzvision.rules import ruleset_ids
from pzvision.tiles import SEATS, format_tile, parse_tile

READY = "123456789s46p99m"


def test_kongs_with_price_payers_and_the_shown_tail_tile(table: Any) -> None:
    t = table("pzh-traditional", E="1111m234567s11s78p", lamp="6p")
    act = t.act("E", "an_gang", "1m")
    assert (act.certainty, act.fan, act.payers) == ("certain", 2, ("S", "W", "N"))
    assert format_tile(act.replacement) == "6p" and act.replacement_wins is True
    t.gang("E", "an_gang", "1m")
    t.draw("E", "6p")
    assert t.act("E", "win").fan == 2  # 杠上花


def test_the_price_of_the_next_kong_in_the_chain(table: Any) -> None:
    t = table("pzh-popular", E="1111m2222m3p", S="333p")
    t.gang("E", "an_gang", "1m")
    t.draw("E", t.spare("3p"))
    assert t.act("E", "an_gang", "2m").fan == 4
    t.discard("E", "3p")
    act = t.act("S", "zhi_gang")
    assert (act.fan, act.payers, act.replacement) == (4, ("E",), None)


def test_claims_on_a_discard(table: Any) -> None:
    t = table("pzh-popular", E="9m", S="99m")
    t.discard("E", "9m")
    assert t.act("S", "peng").certainty == "certain" and t.act("S", "zhi_gang") is None
    assert t.act("E", "peng") is None
    assert t.act("S", "draw").certainty == "certain" and t.act("W", "draw") is None
    assert t.act("S", "discard") is None  # not before drawing


def test_declarations_offered_right_after_the_own_discard(table: Any) -> None:
    t = table("pzh-popular", E=READY + "1m")
    assert t.act("E", "sing") is None
    t.discard("E", "1m")
    for kind in ("sing", "dance"):
        act = t.act("E", kind)
        assert act.certainty == "certain" and [format_tile(w) for w in act.waits] == ["5p"]
    assert t.act("E", "bai") is None and t.act("E", "tian_jiao") is None
    t.declare("E", "sing")
    act = t.act("E", "dance")
    assert (act.certainty, act.reason) == ("impossible", "declaration_stays")
    t.turn("S", t.spare("5p"))
    assert t.act("E", "dance") is None


def test_tian_jiao_is_offered_before_the_first_discard(table: Any) -> None:
    t = table("pzh-popular", E="1m", S=READY)
    assert t.act("S", "tian_jiao").certainty == "certain"
    assert t.act("S", "sing") is None
    t.declare("S", "tian_jiao")
    assert t.act("S", "sing").certainty == "certain"
    t.discard("E", "1m")
    assert t.act("S", "tian_jiao") is None and t.act("S", "sing") is None


def test_late_declarations_say_why(table: Any) -> None:
    t = table("pzh-popular", E=READY + "1m", S="5555p")
    t.discard("E", "1m")
    t.run_down(9, avoid="5p")
    while t.state.offer.seat != "E":
        t.turn(t.state.next_draw, t.spare("5p"))
    assert (t.act("E", "sing").certainty, t.act("E", "sing").reason) == ("impossible", "late")


def test_bai_and_bao_ting(table: Any) -> None:
    t = table("xichang", E=READY + "1m")
    t.discard("E", "1m")
    assert t.act("E", "bai").certainty == "certain" and t.act("E", "bao_ting").certainty == "certain"
    t.declare("E", "bao_ting")
    assert t.act("E", "bao_ting") is None and t.act("E", "bai").certainty == "certain"


def test_winners_may_do_nothing(table: Any) -> None:
    t = table("pzh-popular", E="5p", W=READY)
    t.discard("E", "5p")
    t.win("W", "5p")
    assert legal(t.state, "W") == ()


def test_every_reason_and_act_has_words_in_both_languages(table: Any) -> None:
    for ruleset in ruleset_ids():
        state = None
        for event in simulate(ruleset, 2, 4, spice=0.7):
            if isinstance(event, HandStart):
                state = start(event)
                continue
            assert state is not None
            for seat in SEATS:
                for act in legal(state, seat):
                    for lang in ("zh", "en"):
                        assert say(f"game.act.{act.kind}", lang)
                        assert not act.reason or say(f"game.reason.{act.reason}", lang)
            state = apply(state, event)
    for kind in ACT_KINDS:
        assert say(f"game.act.{kind}", "zh")


# --- unknown tiles -----------------------------------------------------------------------------------


def test_unknown_hands_give_possible_never_a_guess() -> None:
    state = start(HandStart("pzh-popular", "E"))
    acts = {(a.kind, a.tile): a.certainty for a in legal(state, "E")}
    assert acts[("win", None)] == "possible"
    assert {acts[("discard", tile)] for tile in range(27)} == {"possible"}
    assert {acts[("an_gang", tile)] for tile in range(27)} == {"possible"}
    state = apply(state, Discard("E", 4))
    acts = {(a.kind, a.tile): a.certainty for a in legal(state, "S")}
    assert acts[("peng", 4)] == acts[("zhi_gang", 4)] == acts[("win", 4)] == "possible"
    assert acts[("draw", None)] == "certain"


def test_seen_tiles_make_claims_impossible() -> None:
    state = start(HandStart("pzh-popular", "E"))
    for seat in SEATS:
        if state.phase == "claim":
            state = apply(state, Draw(seat))
        state = apply(state, Discard(seat, 4))
    # Four of it lie on the table: nobody can have two more.
    assert not [a for s in SEATS for a in legal(state, s) if a.kind in ("peng", "zhi_gang")]


def test_waits_shown_by_a_dancer_are_known_and_drawn_tiles_need_not_be() -> None:
    hand = (9, 10, 11, 12, 13, 14, 15, 16, 17, 21, 23, 8, 8)
    state = start(HandStart("pzh-popular", "E"))
    state = apply(apply(state, Discard("E", 0)), Declare("E", "dance", tuple(sorted(hand)), (22,)))
    assert state.waits("E") == (22,) and state["E"].known
    for seat in ("S", "W", "N"):
        state = apply(apply(state, Draw(seat)), Discard(seat, 1))
    state = apply(state, Draw("E"))
    assert state.waits("E") == (22,)
    wins = [a for a in legal(state, "E") if a.kind == "win"]
    assert [(a.tile, a.certainty) for a in wins] == [(22, "possible")]
    state = apply(state, Discard("E", 2))
    assert state["E"].known and state.waits("E") == (22,)


def test_a_partly_shown_dance_says_what_it_waits_for() -> None:
    for shown, waits in (((0, 2), (1,)), ((0, 1, 9, 9), (2,)), ((4,), (4,))):
        state = start(HandStart("pzh-popular", "E"))
        state = apply(apply(state, Discard("E", 26)), Declare("E", "dance", shown))
        assert dancer_waits(state, "E") == waits


def _key(act: Act) -> tuple[Any, ...]:
    return (act.kind, act.tile, act.by)


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_what_is_said_without_seeing_the_tiles_is_true_of_them(ruleset: str) -> None:
    """Hands seen whole and with deals and draws hidden: what is certain, or impossible, is so indeed."""
    seen = hidden = None
    counted = dict.fromkeys(("certain", "possible", "impossible"), 0)
    for event in simulate(ruleset, 11, 3, spice=0.4):
        if isinstance(event, HandStart):
            seen, hidden = start(event), start(event)
            continue
        assert seen is not None and hidden is not None
        if isinstance(event, Reveal):
            continue
        for seat in SEATS if not isinstance(event, Deal) else ():
            whole = {_key(a): a for a in legal(seen, seat)}
            for act in legal(hidden, seat):
                counted[act.certainty] += 1
                if act.tile is None and act.kind == "win":
                    continue
                real = whole.get(_key(act))
                if act.certainty == "certain":
                    # A singer's or dancer's declared waits are taken at their word, nothing else is.
                    assert real is not None and real.certainty == "certain", (act, real)
                elif act.certainty == "impossible" and real is not None:
                    assert real.certainty == "impossible", (act, real)
        if event.type in ("draw", "discard", "peng", "gang", "win", "declare"):
            act = matching_act(hidden, event)
            assert act is not None and act.certainty != "impossible", (event, act)
        seen = apply(seen, event)
        if isinstance(event, Deal):
            event = dataclasses.replace(event, tiles=None)
        elif isinstance(event, Draw):
            event = dataclasses.replace(event, tile=None)
        hidden = apply(hidden, event)
        assert hidden.wall_left == seen.wall_left and hidden.phase == seen.phase
        for seat in SEATS:
            assert hidden[seat].size == seen[seat].size
            for tile in range(27):
                assert hidden[seat].concealed[tile] <= seen[seat].concealed[tile]
        assert hidden.totals == seen.totals or event.type == "hand_end"
    assert min(counted.values()) > 0 or counted["impossible"] == 0


def test_a_win_whose_tiles_are_not_known_is_kept_but_not_paid(table: Any) -> None:
    state = start(HandStart("pzh-popular", "E"))
    state = apply(apply(state, Discard("E", parse_tile("5p"))), Win("S", "discard", parse_tile("5p")))
    assert state.winners == ("S",) and state.ledger == () and state.unsettled == (3,)


def test_what_lies_open(table: Any) -> None:
    """Rivers, melds, winners' hands with the winning tile, dancers' tiles and the tail lamp; each once."""
    t = table("pzh-traditional", E=READY + "1p", S="5p", W="11p", lamp="8p")
    t.discard("E", "1p")
    t.declare("E", "dance")
    t.peng("W", "1p")
    seen = t.state.visible()
    assert sum(seen) == 13 + 3 + 1 and seen[18] == 3 and seen[parse_tile("8p")] == 1
    t.discard("W", format_tile(t.state["W"].hand[0]))
    t.turn("N", t.spare("5p"))
    t.draw("E", "5p")
    t.win("E", "5p")
    seen = t.state.visible()
    assert seen[parse_tile("5p")] == 1 and sum(seen) == 13 + 1 + 3 + 2 + 1
    assert sum(t.state.appeared()) == sum(seen) - 1
