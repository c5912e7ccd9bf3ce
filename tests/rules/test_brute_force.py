"""Scores and waits against an independent, slow scorer written from the rules' text alone.

It shares nothing with the package but `Ruleset` (as data) and `Meld`: it takes sets off a multiset of tiles
one by one, keeps explicit lists of sets, and looks at them as a player would.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pzvision.rules import (
    Meld,
    Payer,
    Ruleset,
    cha_jiao_value,
    is_complete,
    load_ruleset,
    ruleset_ids,
    score_win,
    wait_tiles,
    wait_values,
)
from pzvision.rules.hand import MELD_KINDS

Sets = list[tuple[int, ...]]


def brute_readings(tiles: Counter[int]) -> Iterator[Sets]:
    """All ways to lay the tiles out as a pair and sets, the pair first, the sets sorted; no repeats."""
    seen = set()

    def take(rest: Counter[int], done: Sets) -> Iterator[Sets]:
        kinds = sorted(k for k in rest if rest[k] > 0)
        if not kinds:
            yield done
            return
        low = kinds[0]
        for part in ((low, low, low), (low, low + 1, low + 2)):
            need = Counter(part)
            if part[0] != part[1] and low % 9 > 6:
                continue
            if all(rest[k] >= n for k, n in need.items()):
                yield from take(rest - need, [*done, part])

    for pair in sorted(k for k in tiles if tiles[k] >= 2):
        for sets in take(tiles - Counter({pair: 2}), []):
            key = (pair, tuple(sorted(sets)))
            if key not in seen:
                seen.add(key)
                yield [(pair, pair), *sorted(sets)]


def brute_complete(counts: list[int], melds: int) -> bool:
    tiles = Counter({k: c for k, c in enumerate(counts) if c})
    if melds == 0 and all(c % 2 == 0 for c in counts):
        return True
    return next(brute_readings(tiles), None) is not None


def brute_waits(rules: Ruleset, counts: list[int], melds: tuple[Meld, ...]) -> list[int]:
    waits = []
    for tile in range(27):
        own = counts[tile] + sum(m.size for m in melds if m.tile == tile)
        if own >= 4 and not rules.own_four_wait:
            continue
        counts[tile] += 1
        if brute_complete(counts, len(melds)):
            waits.append(tile)
        counts[tile] -= 1
    return waits


def brute_values(
    rules: Ruleset,
    counts: list[int],
    melds: tuple[Meld, ...],
    tile: int,
    by: str,
    chain: int,
    opening: str | None,
) -> Iterator[tuple[int, int]]:
    """(face, play) of every reading; `counts` without the winning tile. 天胡 and 地胡 are no matter of it."""
    hand = Counter({k: c for k, c in enumerate(counts) if c}) + Counter([tile])
    fan = rules.fan
    every = list(hand) + [m.tile for m in melds]
    luck = 1
    if chain and by != "rob_kong":
        name = "gang_shang_hua" if by == "self_draw" else "gang_shang_pao"
        luck *= (fan[name] or 1) ** (chain if rules.kong_luck_stacks else 1)
    if by == "rob_kong" and rules.rob_kong:
        luck *= fan["qiang_gang"] or 1
    if opening == "tian_jiao":
        luck *= fan["tian_jiao"]

    def finish(factors: list[int], play: int) -> tuple[int, int]:
        if len({k // 9 for k in every}) == 1:
            factors.append(fan["qing_yi_se"])
        face = prod(f for f in factors if f)
        if rules.pattern_cap is not None:
            face = min(face, rules.pattern_cap)
        return face * luck, play

    if not melds and sum(hand.values()) == 14 and all(c % 2 == 0 for c in hand.values()):
        fours = sum(c == 4 for c in hand.values())
        base = fan["xiao_qi_dui"]
        if fours >= 1 and fan["long_qi_dui"]:
            base = fan["long_qi_dui"]
        if fours >= 2 and fan["feng_qi_dui"]:
            base = fan["feng_qi_dui"]
        if all(k % 9 + 1 in (2, 5, 8) for k in hand) and fan["jiang_qi_dui"]:
            base = fan["jiang_qi_dui"] * {0: 1, 1: 2, 2: 4, 3: 4}[fours]
        play = 2 if rules.bian_ka_diao and rules.seven_pairs_is_diao else 1
        yield finish([base], fan["bian_ka_diao"] if play == 2 else 1)

    for parts in brute_readings(hand):
        for index, part in enumerate(parts):
            if tile not in part or part in parts[:index]:
                continue
            everything = parts + [(m.tile,) * 3 for m in melds]
            sets = everything[1:]
            triplets = all(len(set(s)) == 1 for s in sets)
            ends = all(any(k % 9 in (0, 8) for k in s) for s in everything)
            two_five_eight = all(k % 9 + 1 in (2, 5, 8) for s in everything for k in s)
            factors: list[int] = []
            special = 0
            if triplets and two_five_eight and fan["jiang_dui"]:
                special = fan["jiang_dui"]
            elif triplets and ends and fan["yao_jiu_dui"]:
                special = fan["yao_jiu_dui"]
            if special:
                factors.append(special)
            elif ends:
                factors.append(fan["yao_jiu"])
            if len(melds) == 4 and fan["shou_ba_yi"]:
                factors.append(2 if special else fan["shou_ba_yi"])
            elif triplets and not special:
                factors.append(fan["da_dui"])

            rest = sorted(part)
            rest.remove(tile)
            lows = [k % 9 + 1 for k in rest]
            rank = tile % 9 + 1
            gap = len(rest) == 2 and lows[1] - lows[0] == 2
            pair = len(rest) == 1
            edge = (lows, rank) in (([1, 2], 3), ([8, 9], 7))
            if rules.edge_wait == "any_terminal":
                edge = edge or (lows, rank) in (([2, 3], 1), ([7, 8], 9))
            bkd = rules.bian_ka_diao and (gap or pair or edge)
            if gap and rank == 5 and not (rules.bian_ka_diao and rules.ka_xin_wu_with_bkd == "absorbed"):
                factors.append(fan["ka_xin_wu"])

            ming = [m.tile for m in melds if m.kind == "peng" and hand[m.tile] >= 1]
            an = [k for k in hand if hand[k] == 4]
            if rules.an_gui == "triplet_and_sequence":
                an = [k for k in an if (k,) * 3 in parts and any(k in s and len(set(s)) == 3 for s in parts)]
            if rules.gui_on == "winning_tile":
                ming = [k for k in ming if k == tile]
                an = [k for k in an if k == tile]
            gui = [fan["ming_gui"] or 1] * len(ming) + [fan["an_gui"] or 1] * len(an)
            factors += gui if rules.gui_stacks else [max(gui)] if gui else []
            yield finish(factors, fan["bian_ka_diao"] if bkd else 1)


def brute_score(
    rules: Ruleset,
    counts: list[int],
    melds: tuple[Meld, ...],
    tile: int,
    by: str,
    chain: int,
    opening: str | None,
    winner: str,
    payer: Payer,
) -> tuple[str | None, int, int]:
    """(reason, total, payment); 0, 0 when refused."""
    values = list(brute_values(rules, counts, melds, tile, by, chain, opening))
    suits = {k // 9 for k, c in enumerate(counts) if c} | {tile // 9} | {m.tile // 9 for m in melds}
    if not values:
        return "not_complete", 0, 0
    if rules.que == "must" and len(suits) == 3:
        return "que_yi_men", 0, 0
    if rules.que == "huo_que" and len(suits) == 3 and winner == "none":
        passing = [(f, p) for f, p in values if (f if rules.huo_que_test == "face" else f * p) != 1]
        if not passing:
            return "huo_que", 0, 0
        values = passing
    if by == "rob_kong" and not rules.rob_kong:
        return "rob_kong", 0, 0
    worth = max(f * p for f, p in values)
    if winner != "none":
        worth *= rules.fan[winner]
    if opening == "bao_ting":
        worth *= rules.fan["bao_ting"]
    if rules.que == "huo_que":
        if rules.que_scoring == "floor":
            worth = max(2, worth)
        elif len(suits) < 3:
            worth *= 2
    pay = worth
    if payer.declaration != "none":
        pay *= rules.fan[payer.declaration]
    if payer.alarm and by == "discard":
        pay *= rules.fan["alarm"]
    if payer.bao_ting:
        pay *= rules.payer_bao_ting
    cap = rules.cap
    return None, worth if cap is None else min(cap, worth), pay if cap is None else min(cap, pay)


OPTION_VALUES: dict[str, list[object]] = {
    "cap": ["none", 8, 16, 20, 32, 64],
    "ka_xin_wu_with_bkd": ["absorbed", "stacks"],
    "an_gui": ["any", "triplet_and_sequence"],
    "gui_stacks": [False, True],
    "gui_on": ["any", "winning_tile"],
    "kong_luck_stacks": [False, True],
    "rob_kong": [False, True],
    "seven_pairs_is_diao": [False, True],
    "edge_wait": ["standard", "any_terminal"],
    "que_scoring": ["floor", "double"],
    "huo_que_test": ["face_times_play", "face"],
    "payer_bao_ting": [1, 4],
    "que": ["ignored", "huo_que", "must"],
    "bian_ka_diao": [False, True],
    "feng_qi_dui_fan": [0, 16, 32],
    "jiang_qi_dui_fan": [0, 16, 32],
    "long_qi_dui_fan": [0, 8],
    "yao_jiu_dui_fan": [0, 8, 16],
    "jiang_dui_fan": [0, 8],
    "shou_ba_yi_fan": [0, 4],
    "an_gui_fan": [0, 1, 4],
}
OPTIONS = st.fixed_dictionaries(
    {}, optional={key: st.sampled_from(values) for key, values in OPTION_VALUES.items()}
)
RULES = st.builds(load_ruleset, st.sampled_from(ruleset_ids()), OPTIONS)
Won = tuple[list[int], tuple[Meld, ...], int]
Pick = Callable[[Sequence[Any]], Any]


def lay_out(pick: Pick) -> Won:
    """A winning hand, or rarely one that is a tile off: 27 counts without the winning tile, melds, tile.

    `pick` takes one of a sequence: hypothesis where a failure is to be made small, a seeded `Random` where
    many hands are wanted.
    """
    ranks = pick([tuple(range(9)), tuple(range(9)), (0, 1, 7, 8), (1, 4, 7), (2, 3, 4, 5, 6)])
    suits = pick([[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]])
    if len(ranks) == 3 and len(suits) < 2:
        suits = [0, 1]
    kinds = [9 * s + r for s in suits for r in ranks]
    parts = [(k,) * 3 for k in kinds] + [(k, k + 1, k + 2) for k in kinds if k % 9 < 7] * 2
    counts = [0] * 27
    left = [4] * 27
    melds: list[Meld] = []

    def put(*tiles: int) -> None:
        for t in tiles:
            counts[t] += 1
            left[t] -= 1

    if pick(range(10)) < 2:
        for _ in range(7):
            kind = pick([k for k in range(27) if left[k] >= 2 and (k in kinds or len(kinds) < 5)])
            put(kind, kind)
    else:
        for _ in range(pick(range(5))):
            free = [k for k in kinds if left[k] == 4]
            if free:
                meld = Meld(pick(MELD_KINDS), pick(free))
                melds.append(meld)
                left[meld.tile] -= meld.size
        for _ in range(4 - len(melds)):
            fitting = [p for p in parts if all(left[t] >= p.count(t) for t in p)]
            put(*pick(fitting or [(k,) * 3 for k in range(27) if left[k] >= 3]))
        kind = pick([k for k in kinds if left[k] >= 2] or [k for k in range(27) if left[k] >= 2])
        put(kind, kind)
    if pick(range(20)) == 0:
        counts[pick([k for k in range(27) if counts[k]])] -= 1
        counts[pick(range(27))] += 1
    tile = pick([k for k in range(27) if counts[k]])
    counts[tile] -= 1
    return counts, tuple(melds), tile


@st.composite
def won_hands(draw: st.DrawFn) -> Won:
    return lay_out(lambda choices: draw(st.sampled_from(choices)))


def possible(counts: list[int], melds: tuple[Meld, ...], tile: int | None) -> bool:
    every = Counter({k: c for k, c in enumerate(counts) if c})
    for meld in melds:
        every[meld.tile] += meld.size
    if tile is not None:
        every[tile] += 1
    return max(every.values()) <= 4 and len({m.tile for m in melds}) == len(melds)


FAST = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
#: Hands of the slow tests, each from its own seed.
DEEP = range(10_000)


def seeded(seed: int) -> tuple[Pick, Ruleset]:
    """A source of choices and a ruleset, mostly with some options changed."""
    rnd = random.Random(seed)
    changed = {key: rnd.choice(values) for key, values in OPTION_VALUES.items() if rnd.random() < 0.3}
    return rnd.choice, load_ruleset(rnd.choice(ruleset_ids()), changed if rnd.random() < 0.8 else None)


def check_score(
    rules: Ruleset,
    won: tuple[list[int], tuple[Meld, ...], int],
    by: str,
    chain: int,
    ready: bool,
    winner: int,
    payer: tuple[int, bool, bool],
) -> None:
    counts, melds, tile = won
    if not possible(counts, melds, tile):
        return
    declared = rules.declarations[winner % len(rules.declarations)]
    opening = None
    if ready and not any(m.kind == "peng" for m in melds):
        opening = next((o for o in ("tian_jiao", "bao_ting") if o in rules.openings), None)
    pays = Payer(
        rules.declarations[payer[0] % len(rules.declarations)],
        payer[1] and rules.has_alarm,
        payer[2] and "bao_ting" in rules.openings,
    )
    expected = brute_score(rules, counts, melds, tile, by, chain, opening, declared, pays)
    score = score_win(
        rules, counts, melds, tile=tile, by=by, kong_chain=chain, opening=opening, winner=declared
    )
    assert (score.reason, score.total if score.legal else 0, score.payment(pays)) == expected
    assert score.legal == (expected[0] is None)
    if score.legal:
        assert (score.face, score.play) in set(brute_values(rules, counts, melds, tile, by, chain, opening))
        assert score.reading is not None
        assert sorted(t for part in score.reading.parts for t in part) == sorted(
            [k for k, c in enumerate(counts) for _ in range(c)] + [tile]
        )
        for lang in ("zh", "en"):
            assert "\n" not in score.explain(lang, pays)
            assert score.explain(lang).endswith(str(score.total))
            assert score.explain(lang, pays).endswith(str(score.payment(pays)))


CASE = (
    RULES,
    won_hands(),
    st.sampled_from(["self_draw", "discard", "rob_kong"]),
    st.sampled_from([0, 0, 1, 2, 3]),
    st.booleans(),
    st.integers(0, 2),
    st.tuples(st.integers(0, 2), st.booleans(), st.booleans()),
)


@FAST
@given(*CASE)
def test_scores_agree_with_the_brute_force(rules, won, by, chain, ready, winner, payer) -> None:  # type: ignore[no-untyped-def]
    check_score(rules, won, by, chain, ready, winner, payer)


@pytest.mark.slow
def test_many_scores_agree_with_the_brute_force() -> None:
    for seed in DEEP:
        pick, rules = seeded(seed)
        try:
            check_score(
                rules,
                lay_out(pick),
                pick(["self_draw", "discard", "rob_kong"]),
                pick([0, 0, 1, 2, 3]),
                pick([False, True]),
                pick(range(3)),
                (pick(range(3)), pick([False, True]), pick([False, True])),
            )
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise


def check_waits(
    rules: Ruleset, won: tuple[list[int], tuple[Meld, ...], int], own_four: bool, spoil: int
) -> None:
    counts, melds, _ = won
    if spoil:  # one tile exchanged: mostly not ready
        held = [k for k in range(27) if counts[k]]
        counts[held[spoil % len(held)]] -= 1
        counts[spoil % 27] += 1
    if not possible(counts, melds, None):
        return
    rules = load_ruleset(rules.id, {"own_four_wait": own_four})
    waits = brute_waits(rules, counts, melds)
    assert list(wait_tiles(rules, counts, melds)) == waits
    values = wait_values(rules, counts, melds)
    assert [v.tile for v in values] == waits
    best = None
    for value in values:
        own = counts[value.tile] + sum(m.size for m in melds if m.tile == value.tile)
        assert value.left == max(0, 4 - own)
        if own == 4:
            continue  # a fifth tile: the shape is asked for, a score is not
        reason, total, _ = brute_score(rules, counts, melds, value.tile, "discard", 0, None, "none", Payer())
        assert (value.legal, value.fan) == (reason is None, total)
        faces = brute_values(rules, counts, melds, value.tile, "discard", 0, None)
        best = max([best or 0, *(f * p for f, p in faces)])
    if not any(counts[v] + sum(m.size for m in melds if m.tile == v) == 4 for v in waits):
        expected = best if best is None or rules.cap is None else min(best, rules.cap)
        assert cha_jiao_value(rules, counts, melds) == expected


@FAST
@given(RULES, won_hands(), st.booleans(), st.integers(0, 80))
def test_waits_agree_with_the_brute_force(rules, won, own_four, spoil) -> None:  # type: ignore[no-untyped-def]
    check_waits(rules, won, own_four, spoil % 40 if spoil < 40 else 0)


@pytest.mark.slow
def test_many_waits_agree_with_the_brute_force() -> None:
    for seed in DEEP:
        pick, rules = seeded(seed)
        try:
            check_waits(rules, lay_out(pick), pick([False, True]), pick([0, pick(range(1, 40))]))
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise


@FAST
@given(won_hands())
def test_completeness_agrees_with_the_brute_force(won: tuple[list[int], tuple[Meld, ...], int]) -> None:
    counts, melds, tile = won
    counts[tile] += 1
    if max(counts) <= 4:
        assert is_complete(counts, melds) == brute_complete(counts, len(melds))
