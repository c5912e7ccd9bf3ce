"""Every option of RULES §10 and every other switch: one hand or game, and what each value makes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pzvision.game import TailLamp, apply, next_dealer
from pzvision.rules import Meld, Payer, cha_jiao_value, kong_fan, load_ruleset, score_win, wait_tiles
from pzvision.rules.options import SWITCHES
from pzvision.tiles import format_tiles, parse_tile, parse_tiles, to_counts

READY = "123456789s46p99m"  # waits for 5p
PLAIN = "123456789s78p99m"  # waits for 69p

Game = Callable[[Any, str, object], object]
CASES: dict[str, tuple[Game, dict[object, object]]] = {}


def case(key: str, expected: dict[object, object]) -> Callable[[Game], Game]:
    """A scenario of one option: (table, key, value) → what is seen, and that for each value."""

    def keep(game: Game) -> Game:
        CASES[key] = game, expected
        return game

    return keep


def total(
    ruleset: str, options: dict[str, object], hand: str, tile: str, melds: tuple[Meld, ...] = (), **how: Any
) -> int:
    """What a win is worth before the payer; 0 when refused."""
    how.setdefault("by", "discard")
    counts = to_counts(parse_tiles(hand))
    score = score_win(load_ruleset(ruleset, options), counts, melds, tile=parse_tile(tile), **how)
    return score.total if score.legal else 0


def of_a_win(
    key: str, expected: dict[object, object], ruleset: str, hand: str, tile: str, **how: Any
) -> None:
    """The scenario of an option that a single hand shows."""
    case(key, expected)(lambda table, key, value: total(ruleset, {key: value}, hand, tile, **how))


# D1, RULES §5 and §4: the scorer's options.
of_a_win("cap", {"none": 128, 16: 16, 32: 32, 64: 64}, "pzh-popular", "1122335577992m", "2m", winner="dance")
of_a_win("que", {"ignored": 1, "huo_que": 0, "must": 0}, "pzh-traditional", "123456m789p1123s", "4s")
of_a_win("bian_ka_diao", {False: 1, True: 2}, "pzh-traditional", "123456m89p11222s", "7p")
of_a_win("pattern_cap", {"none": 16, 8: 8}, "pzh-traditional", "1122335566779m", "9m")
of_a_win("ka_xin_wu_with_bkd", {"absorbed": 2, "stacks": 4}, "pzh-biankadiao", "46m11222333p789s", "5m")
of_a_win("kong_luck_stacks", {True: 8, False: 2}, "pzh-popular", PLAIN, "6p", by="self_draw", kong_chain=3)
of_a_win("rob_kong", {False: 0, True: 2}, "pzh-traditional", PLAIN, "6p", by="rob_kong")
of_a_win("seven_pairs_is_diao", {True: 8, False: 4}, "pzh-biankadiao", "1122m33s5577s889p", "9p")
of_a_win("edge_wait", {"standard": 1, "any_terminal": 2}, "pzh-biankadiao", "23m11222333p789s", "1m")
of_a_win("huo_que_test", {"face_times_play": 2, "face": 0}, "pzh-biankadiao-huoque", "123456m89p11222s", "7p")


@case("que_scoring", {"floor": [2, 4], "double": [2, 8]})
def _(table: Any, key: str, value: object) -> object:
    # D16: a floor of 2, or a missing suit doubles: of a plain hand and of one suit (4)
    return [total("pzh-huoque", {key: value}, hand, "4s") for hand in ("123456m1123789s", "1234567891123s")]


@case("tian_hu_pays", {"cap": 100, "times_face": 32, "fixed": 16})
def _(table: Any, key: str, value: object) -> object:
    # S0 §4.2p the cap, S1 14 sixteen times the face (卡心五 2), S3 (5) sixteen
    options = {key: value, "cap": 100}
    return total("pzh-popular", options, READY, "5p", by="self_draw", opening="tian_hu")


@case("an_gui", {"any": [4, 4], "triplet_and_sequence": [4, 1]})
def _(table: Any, key: str, value: object) -> object:
    # D8: four 3m as 333 + 345; and as 123 234 345 345, in sequences only
    hands = "33345m123p11678s", "12233344455m99s"
    return [total("pzh-traditional", {key: value}, hand, "3m") for hand in hands]


@case("gui_stacks", {True: 16, False: 4})
def _(table: Any, key: str, value: object) -> object:
    # D8: two 暗归, 333 + 345 of 万 and 444 + 456 of 筒
    return total("pzh-traditional", {key: value}, "33345m444456p11s", "3m")


@case("gui_on", {"any": 2, "winning_tile": 1})
def _(table: Any, key: str, value: object) -> object:
    # D25: the fourth tile of a 碰 kept in the hand
    return total("pzh-traditional", {key: value}, "34m5m678p11s78s", "9s", (Meld("peng", parse_tile("5m")),))


@case("own_four_wait", {False: "", True: "1m"})
def _(table: Any, key: str, value: object) -> object:
    # D4
    rules = load_ruleset("pzh-traditional", {key: value})
    return format_tiles(wait_tiles(rules, to_counts(parse_tiles("1111m234567p789s")), ()))


@case("kong_chain", {"doubling": [2, 4, 8], "once": [2, 4, 2]})
def _(table: Any, key: str, value: object) -> object:
    # S0 §1.4; S3 四.3
    rules = load_ruleset("pzh-traditional", {key: value})
    return [kong_fan(rules, "an_gang", chain) for chain in range(3)]


@case("claimed_chain", {"linear": [2, 4, 8, 12], "power": [2, 4, 8, 16]})
def _(table: Any, key: str, value: object) -> object:
    # D28, S0 §1.4h/i
    rules = load_ruleset("pzh-traditional", {key: value})
    return [kong_fan(rules, "zhi_gang", chain) for chain in range(4)]


@case("payer_bao_ting", {1: 1, 4: 4})
def _(table: Any, key: str, value: object) -> object:
    # D26
    rules = load_ruleset("xichang", {key: value})
    score = score_win(rules, to_counts(parse_tiles(PLAIN)), (), tile=parse_tile("6p"), by="discard")
    return score.payment(Payer(bao_ting=True))


@case("cha_jiao_collect_requires_que", {False: 1, True: None})
def _(table: Any, key: str, value: object) -> object:
    # D21
    return cha_jiao_value(load_ruleset("pzh-biankadiao-que", {key: value}), to_counts(parse_tiles(PLAIN)), ())


# What only a game shows.


@case("kong_replacement", {"tail": "", "next": "this game has no tail lamp"})
def _(table: Any, key: str, value: object) -> object:
    # S0 §1.5, S2 §1.5: the tail tile lies open only where kongs draw it
    t = table("pzh-traditional", E="1m", options={key: value})
    problems = apply(t.state, TailLamp(parse_tile("9p"))).problems
    return problems[0].expected if problems else ""


@case("must_win_tiles", {0: [], 1: ["missed_win"]})
def _(table: Any, key: str, value: object) -> object:
    # S2 §2.5
    t = table("pzh-popular", E="1m", S="555p", W=READY, wall="5p", options={key: value})
    t.discard("E", "1m")
    t.run_down(1, avoid="5p")
    t.turn(t.state.next_draw, "5p")
    t.end()
    return [kind for _, kind, _ in t.violations]


@case("no_declare_tiles", {8: ["late_declaration"], 0: []})
def _(table: Any, key: str, value: object) -> object:
    # S0 §1.10
    t = table("pzh-popular", E=READY + "1m", S="5555p", options={key: value})
    t.discard("E", "1m")
    t.run_down(9, avoid="5p")
    while t.state.offer.seat != "E":
        t.turn(t.state.next_draw, t.spare("5p"))
    t.declare("E", "sing")
    return [kind for _, kind, _ in t.violations]


@case("no_passing", {True: "passed", False: ""})
def _(table: Any, key: str, value: object) -> object:
    # S0 §3.3
    t = table("pzh-traditional", E="5p", S="5p", W=READY, options={key: value})
    t.discard("E", "5p")
    t.draw("S", t.spare("5p"))
    t.discard("S", "5p")
    return t.act("W", "win").reason


def false_song(table: Any, **options: object) -> list[int]:
    t = table("pzh-popular", E="147m258s369p147s", S="5555p", options=options)
    t.discard("E", "1m")
    t.declare("E", "sing", waits="")
    t.run_down(0, avoid="5p")
    t.end()
    return [fan for kind, *_, fan in t.ledger if kind == "zha_hu"]


@case("zha_hu", {True: [32] * 3, False: []})
def _(table: Any, key: str, value: object) -> object:
    return false_song(table, **{key: value})  # S0 §1.10


@case("zha_hu_fan", {32: [32] * 3, 48: [48] * 3})
def _(table: Any, key: str, value: object) -> object:
    return false_song(table, **{key: value})  # RULES §6


@case("no_winner_dealer", {"dancer": "E", "last_drawer": "N"})
def _(table: Any, key: str, value: object) -> object:
    # S1 2, S3 一: nobody declared, so the same dealer; or who drew last
    t = table("pzh-popular", E="1m", options={key: value})
    t.discard("E", "1m")
    t.run_down(0)
    t.end()
    return next_dealer(t.state)


@case("upgrade_declaration", {False: "sing", True: "dance"})
def _(table: Any, key: str, value: object) -> object:
    # D17
    t = table("pzh-popular", E=READY + "1m", wall="1m1m1m9p", options={key: value})
    t.discard("E", "1m")
    t.declare("E", "sing")
    for seat in ("S", "W", "N"):
        t.turn(seat, "1m")
    t.turn("E", "9p")
    t.declare("E", "dance")
    return t.state["E"].declaration


@case("kong_after_declaring", {"waits_unchanged": "certain", "never": "impossible"})
def _(table: Any, key: str, value: object) -> object:
    # D18
    t = table("pzh-popular", E="123456s46p999m88s1p", wall="9m", options={key: value})
    t.discard("E", "1p")
    t.declare("E", "sing")
    for seat in ("S", "W", "N"):
        t.turn(seat, t.spare("9m5p"))
    t.draw("E", "9m")
    return t.act("E", "an_gang").certainty


@case("hua_zhu_kong_void", {True: 3, False: 0})
def _(table: Any, key: str, value: object) -> object:
    # D20, S1 补充
    t = table("pzh-popular", E="1111m258s369p47m9s1s", options={key: value})
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9p")
    t.discard("E", "9p")
    t.run_down(0)
    t.end()
    return len([kind for kind, *_ in t.ledger if kind == "refund"])


@case("si_jiao", {"neutral": [], "ignored": [1, 1, 1]})
def _(table: Any, key: str, value: object) -> object:
    # D22, S1 2: all 6p and 9p have appeared
    t = table("pzh-popular", E=PLAIN + "1m", wall="6666p9999p", options={key: value})
    t.discard("E", "1m")
    for tile in ("6p", "9p") * 4:
        if t.state.next_draw == "E":
            t.turn("E", t.spare("69p"))
        t.turn(t.state.next_draw, tile)
    t.run_down(0)
    t.end()
    return [fan for kind, *_, fan in t.ledger if kind == "cha_jiao"]


@case("dancer_wins_on", {"locked_discard": "certain", "self_draw": "impossible"})
def _(table: Any, key: str, value: object) -> object:
    # D24: a singer must throw the dancer's tile
    t = table("pzh-popular", E=READY + "1m", S="123456789m46s22p", wall="1m5p", options={key: value})
    t.discard("E", "1m")
    t.declare("E", "dance")
    t.turn("S", "1m")
    t.declare("S", "sing")
    for seat in ("W", "N", "E"):
        t.turn(seat, t.spare("5p5s"))
    t.turn("S", "5p")
    return t.act("E", "win").certainty


@case("early_leave", {"forfeit_fan": [2], "forfeit_all": [2, 4, 2], "keep": []})
def _(table: Any, key: str, value: object) -> object:
    # D23
    t = table("pzh-popular", E="1111m123456s46p99s", wall="5p1p9p", options={key: value})
    t.gang("E", "an_gang", "1m")
    t.draw("E", "9p")
    t.discard("E", "9p")
    t.turn("S", "1p")
    t.turn("W", "5p")
    t.win("E", "5p")
    t.leave("E")
    return [fan for kind, *_, fan in t.ledger if kind == "forfeit"]


# --- the tests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [option.key for option in SWITCHES])
def test_each_value_of_an_option_shows(table: Any, key: str) -> None:
    scenario, expected = CASES[key]
    assert {value: scenario(table, key, value) for value in expected} == expected
    assert len({repr(seen) for seen in expected.values()}) > 1, "a scenario that shows no difference"


def test_every_value_there_is_has_been_shown() -> None:
    assert CASES.keys() == {option.key for option in SWITCHES}
    for option in SWITCHES:
        shown = CASES[option.key][1].keys()
        if option.kind == "choice":
            assert set(shown) == set(option.choices), option.key
        elif option.kind == "bool":
            assert set(shown) == {True, False}, option.key
        else:
            assert len(shown) >= 2, option.key
