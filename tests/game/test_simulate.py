"""Simulated hands over all rulesets: the fold and `legal` against the simulator's own table."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from pzvision.errors import FormatError
from pzvision.game import (
    Declare,
    Event,
    Gang,
    HandStart,
    State,
    Win,
    apply,
    format_event,
    format_log,
    parse_event,
    settle_text,
    start,
)
from pzvision.game.legal import matching_act
from pzvision.game.simulate import Table, simulate, simulate_hands
from pzvision.rules import load_ruleset, ruleset_ids
from pzvision.tiles import SEATS

FOUR_OF_EACH = [4] * 27


class Watch:
    """Holds the fold against the table after every record, and `legal` against every act."""

    def __init__(self) -> None:
        self.before: State | None = None
        self.met: Counter[str] = Counter()
        self.records = 0

    def __call__(self, table: Table, state: State, event: Event) -> None:
        self.records += 1
        assert table.all_tiles() == FOUR_OF_EACH
        assert sum(state.totals) == 0
        assert sum(p.amount for p in state.ledger if p.target == "E") - sum(
            p.amount for p in state.ledger if p.source == "E"
        ) == state.total("E")
        assert not state.problems and not state.violations and not state.suspicions
        assert max(state.accounted) <= 4
        dealt = all(s.known for s in state.seats)
        if dealt:
            assert state.wall_left == len(table.wall)
            for seat in SEATS:
                s = state[seat]
                assert s.concealed == table.hands[seat], (seat, event)
                assert list(s.melds) == table.melds[seat]
                assert list(s.river) == table.rivers[seat]
            lamp = table.wall[-1] if table.wall and state.ruleset.shows_tail else None
            if state.tail_lamp is not None:
                assert state.tail_lamp == lamp
        if self.before is not None and self.before.setup is state.setup:
            act = matching_act(self.before, event)
            if act is not None or event.type in ("draw", "discard", "peng", "gang", "win", "declare"):
                assert act is not None and act.certainty == "certain", event
        self.before = state
        self.met[event.type] += 1
        if isinstance(event, Declare):
            self.met[event.declaration] += 1
        if isinstance(event, Win):
            self.met[event.by] += 1
            won = state[event.seat].won
            assert won is not None and won.score is not None and won.score.legal
            for name, _ in won.score.patterns:
                self.met[name] += 1
        if isinstance(event, Gang):
            self.met[event.kind] += 1
            if state.chain > 1:
                self.met["kong chain"] += 1
        for payment in state.ledger[-12:]:
            if payment.event == state.line:
                self.met[payment.kind] += 1


def check_log(events: list[Event], states: list[State]) -> None:
    """Log → parse → log is the identity, and settling the text gives what the play gave."""
    text = format_log(events)
    records = [json.loads(line) for line in text.split("\n") if line]
    assert [format_event(parse_event(record)) for record in records] == records
    assert [parse_event(record) for record in records] == events
    results = settle_text(text)
    assert [r.state.totals for r in results] == [s.totals for s in states]
    assert [r.state.ledger for r in results] == [s.ledger for s in states]
    starts = [e for e in events if isinstance(e, HandStart)]
    assert [r.next_dealer for r in results[:-1]] == [e.dealer for e in starts[1:]]


def play(ruleset: str, seed: int, hands: int, spice: float, watch: Watch, rare: float = 0.0) -> None:
    played = list(
        simulate_hands(ruleset, seed, hands, spice=spice, rare=rare, leave=spice / 4, observe=watch)
    )
    check_log([event for hand in played for event in hand.events], [hand.state for hand in played])


@pytest.mark.parametrize("ruleset", ruleset_ids())
@pytest.mark.parametrize("spice", [0.0, 0.5])
def test_simulated_hands_hold(ruleset: str, spice: float) -> None:
    watch = Watch()
    play(ruleset, 1, 20, spice, watch)
    assert watch.met["hand_end"] == 20 and watch.met["win"] > 20


def test_the_players_meet_what_the_rules_are_about() -> None:
    watch = Watch()
    for ruleset in ruleset_ids():
        play(ruleset, 5, 25, 0.5, watch)
    common = "sing dance bai tian_jiao bao_ting peng zhi_gang an_gang ba_gang self_draw discard leave"
    patterns = "cha_jiao forfeit qing_yi_se da_dui xiao_qi_dui ka_xin_wu gang_shang_hua an_gui ming_gui"
    missing = [name for name in (*common.split(), *patterns.split(), "kong chain") if not watch.met[name]]
    assert not missing


@pytest.mark.slow
def test_ten_thousand_simulated_hands_hold() -> None:
    watch = Watch()
    for ruleset in ruleset_ids():
        for seed in range(143):
            play(ruleset, 1000 + seed, 10, (0.0, 0.2, 0.6)[seed % 3], watch, rare=float(seed % 13 == 12))
    print(watch.records, sorted(watch.met.items()))
    assert watch.met["hand_end"] == 10_010
    for name in ("rob_kong", "alarm", "refund", "tian_hu", "di_hu", "qiang_gang", "feng_qi_dui", "jiang_dui"):
        assert watch.met[name], name


def test_the_same_seed_plays_the_same_hands() -> None:
    first = simulate("pzh-popular", seed=7, hands=3)
    assert first == simulate("pzh-popular", seed=7, hands=3)
    assert first != simulate("pzh-popular", seed=8, hands=3)
    assert simulate("pzh-popular", seed=7, hands=1) == first[: len(simulate("pzh-popular", seed=7, hands=1))]


def test_options_base_and_dealer_go_into_the_log() -> None:
    events = simulate("xichang", 1, 2, base=5, options={"cap": 8}, dealer="W")
    first = events[0]
    assert isinstance(first, HandStart)
    assert (first.base, dict(first.options), first.dealer) == (5, {"cap": 8}, "W")
    assert simulate(load_ruleset("xichang"), 1, 1) == simulate("xichang", 1, 1)
    with pytest.raises(FormatError, match="unknown ruleset 'nope'"):
        simulate("nope")


def test_a_state_is_never_changed_by_what_follows() -> None:
    """States can be kept and branched from: folding on from one leaves it as it was."""
    events = simulate("pzh-popular", 3, 1, spice=0.5)
    first = events[0]
    assert isinstance(first, HandStart)
    states = [start(first)]
    for event in events[1:]:
        states.append(apply(states[-1], event))
    pictures = [repr(s.seats) + str(s.accounted) + str(s.ledger) + s.phase for s in states]
    again = [states[0]]
    for event in events[1:]:
        again.append(apply(states[len(again) - 1], event))
    assert [repr(s.seats) + str(s.accounted) + str(s.ledger) + s.phase for s in again] == pictures
    assert [repr(s.seats) + str(s.accounted) + str(s.ledger) + s.phase for s in states] == pictures
