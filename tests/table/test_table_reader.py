"""Whole hands read from noisy observations without pixels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pzvision.evaluation import compare
from pzvision.game.events import Declare, Event, Reveal, Win, format_log, read_log
from pzvision.game.simulate import simulate
from pzvision.rules import load_ruleset
from pzvision.table.reader import TableReader

Make = Callable[..., Any]


@pytest.fixture(scope="module")
def sample(shared: Path) -> list[Event]:
    lines = (shared / "data/video/sample-1/log.jsonl").read_text().splitlines()
    return [line.event for line in read_log(lines)]


@pytest.fixture(scope="module")
def start(sample: list[Event]) -> list[Event]:
    """Up to the first win: claims, a song, a 巴杠 and 杠上花."""
    return [e for e in sample if (e.t or 0) < 66]


def spoken(log: list[Event]) -> list[Declare]:
    return [e for e in log if isinstance(e, Declare)]


@pytest.mark.slow
def test_a_clear_view_gives_the_log_exactly(sample: list[Event], simulated: Make, noise: Make) -> None:
    log = simulated(sample, "pzh-biankadiao-que", noise()).read(spoken(sample))
    result = compare(sample, log)
    assert result.all.f1 == 1.0
    assert result.settled


def test_misreads_arms_and_lost_looks_do_not_derail(start: list[Event], simulated: Make, noise: Make) -> None:
    rough = noise(
        misread=0.2, missed=0.1, jitter_cm=0.25, false_tiles=0.05, arms=True, lost_looks=0.05, seed=4
    )
    result = compare(start, simulated(start, "pzh-biankadiao-que", rough).read(spoken(start))[:-1])
    assert result.all.f1 >= 0.98
    assert result.settled


def test_heaps_need_the_turn_order_and_the_arms(start: list[Event], simulated: Make, noise: Make) -> None:
    heap = noise(heap=True, arms=True, missed=0.05, seed=2)
    result = compare(start, simulated(start, "pzh-biankadiao-que", heap).read(spoken(start))[:-1])
    assert result.all.f1 >= 0.97


@pytest.mark.slow
def test_shown_tiles_are_a_dance_without_being_told(
    sample: list[Event], simulated: Make, noise: Make
) -> None:
    log = simulated(sample, "pzh-biankadiao-que", noise()).read()
    dances = [e for e in log if isinstance(e, Declare)]
    assert [(d.seat, d.declaration) for d in dances] == [("N", "dance")]
    assert dances[0].waits == (4, 7)


def test_the_same_looks_give_the_same_log(start: list[Event], simulated: Make, noise: Make) -> None:
    rough = noise(misread=0.2, missed=0.1, arms=True, seed=1)
    early = [e for e in start if (e.t or 0) < 30]
    first, second = (simulated(early, "pzh-biankadiao-que", rough).read() for _ in range(2))
    assert format_log(first) == format_log(second)


@pytest.mark.parametrize("step", [0.1, 0.4])
def test_looks_may_come_at_any_rate(start: list[Event], simulated: Make, noise: Make, step: float) -> None:
    early = [e for e in start if (e.t or 0) < 30]
    log = simulated(early, "pzh-biankadiao-que", noise()).read((), step)
    assert compare(early, log[:-1]).all.f1 == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", ["pzh-traditional", "pzh-popular", "xichang", "pzh-biankadiao-huoque"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_simulated_hands_of_other_games(
    ruleset: str, seed: int, simulated: Make, noise: Make, timed: Make
) -> None:
    log = timed(simulate(ruleset, seed, 1, dealer="SWN"[seed % 3], spice=0.4), seed)
    rough = noise(misread=0.15, missed=0.05, arms=True, seed=seed)
    result = compare(log, simulated(log, ruleset, rough).read(spoken(log)))
    assert result.all.f1 >= 0.95


def test_a_discard_nobody_saw_does_not_stop_the_game(
    start: list[Event], simulated: Make, noise: Make
) -> None:
    """One tile is never found: its turn is there all the same, with a tile that is marked as unsure."""
    hidden = next(e for e in start if e.type == "discard" and e.t == 54.95)
    seen = [e for e in start if e is not hidden]
    log = simulated(seen, "pzh-biankadiao-que", noise()).read(spoken(start))
    result = compare(start, log[:-1])
    assert {e.type for e in result.missed} <= {"discard"}
    unsure = [e for e in log if e.type == "discard" and (e.confidence or 0) < 0.1]
    assert [e.seat for e in unsure] == ["N"]  # type: ignore[union-attr]


@pytest.mark.slow
def test_winning_hands_are_complete(sample: list[Event], simulated: Make, noise: Make) -> None:
    rough = noise(misread=0.35, missed=0.1, arms=True, seed=3)
    log = simulated(sample, "pzh-biankadiao-que", rough).read(spoken(sample))
    true = {e.seat: e.hand for e in sample if isinstance(e, Win)}
    assert {e.seat: e.hand for e in log if isinstance(e, Win)} == true


@pytest.mark.parametrize("down", [False, True])
def test_a_concealed_kong_face_up_or_down(simulated: Make, noise: Make, timed: Make, down: bool) -> None:
    whole = timed(simulate("pzh-popular", 1, 1, dealer="S", spice=0.5), 1)
    at = next(i for i, e in enumerate(whole) if e.type == "gang" and e.kind == "an_gang")
    log = whole[: at + 3]
    read = simulated(log, "pzh-popular", noise(kongs_down=down)).read(spoken(log))
    kongs = [e for e in read if e.type == "gang"]
    true = [e for e in log if e.type == "gang"]
    assert [(e.seat, e.kind) for e in kongs] == [(e.seat, e.kind) for e in true]  # type: ignore[union-attr]
    if not down:
        assert [e.tile for e in kongs] == [e.tile for e in true]  # type: ignore[union-attr]
    result = compare(log, read[:-1])
    assert {e.type for e in (*result.missed, *result.false)} <= ({"gang"} if down else set())


def test_clearing_the_table_changes_nothing_but_a_late_word_does(
    simulated: Make, noise: Make, timed: Make
) -> None:
    """Once all have won or shown the hand is ended; tiles taken away or pushed about are no part of it."""
    log = timed(simulate("pzh-popular", 48, 1, dealer="S", spice=0.9), 1)
    assert {e.seat for e in log if isinstance(e, Win | Reveal)} == {"E", "S", "W", "N"}
    game = simulated(log, "pzh-popular", noise())
    reader = TableReader(game.calibration, load_ruleset("pzh-popular"), base=2, declarations=spoken(log)[1:])
    looks = list(game.all_looks())
    for t, index, detections, mask in looks:
        reader.look(t, index, game.size, detections, mask)
    t, index, last, _ = looks[-1]
    for k in range(40):
        reader.look(t + 0.25 * k, index + k, game.size, last, None)
    told = reader.log
    assert told[-1].type == "hand_end"
    for k in range(40, 80):  # tiles are taken away, and some are pushed about
        left = last[k - 40 :: 2] if k < 60 else None
        assert reader.look(t + 0.25 * k, index + k, game.size, left, None) is None
    assert reader.finish(t + 20.0) is None and reader.log == told
    late = spoken(log)[0]
    reader.declare(late)
    assert reader.look(t + 20.25, index + 81, game.size, last, None) is not None
    assert late.seat in {e.seat for e in spoken(list(reader.log)) if e.declaration == late.declaration}
