"""What is left of the wall by the stacks seen, held against the records."""

from __future__ import annotations

from pathlib import Path

import pytest

from pzvision.game import apply, read_log, start
from pzvision.game.events import HandStart
from pzvision.table.observations import read_observations
from pzvision.table.reader import TableReader
from pzvision.table.walls import WallWatch

GOLDEN = Path(__file__).parents[2] / "datasets" / "golden"


def play(watch: WallWatch, seconds: range, seen: float, missed: int = 0) -> None:
    """A tile is drawn every 3 s; ``seen``: share of the stacks the camera sees; ``missed``: tiles no record
    has."""
    for t in seconds:
        left = 55 - t // 3
        watch.look(float(t), round(seen * (left - missed) / 2), left)


def test_a_wall_seen_whole_is_counted() -> None:
    watch = WallWatch()
    play(watch, range(20), 1.0)
    assert watch.seen is not None and abs(watch.seen - (55 - 19 // 3)) <= 3
    play(watch, range(20, 90), 1.0)
    assert watch.seen is not None and abs(watch.seen - (55 - 89 // 3)) <= 3
    assert not watch.off


def test_a_wall_half_hidden_says_nothing() -> None:
    watch = WallWatch()
    play(watch, range(120), 0.6)
    assert watch.seen is None and not watch.off


def test_records_that_are_missing_show_after_a_while() -> None:
    watch = WallWatch()
    play(watch, range(60), 1.0)
    play(watch, range(60, 66), 1.0, missed=18)
    assert not watch.off
    play(watch, range(66, 80), 1.0, missed=18)
    assert watch.off
    play(watch, range(80, 90), 1.0)
    assert not watch.off


def test_before_a_hand_nothing_is_compared() -> None:
    watch = WallWatch()
    for t in range(30):
        watch.look(float(t), 27, None)
    assert watch.seen is None and not watch.off


@pytest.mark.parametrize("name", ["88-xichang"])
def test_a_rendered_wall(name: str) -> None:
    """Stacks as the detector found them against the true game, over the first minute."""
    observations = read_observations(GOLDEN / "observations" / f"{name}.jsonl.gz")
    truth = [line.event for line in read_log((GOLDEN / "truth" / f"{name}.jsonl").read_text().splitlines())]
    assert isinstance(truth[0], HandStart)
    reader = TableReader(observations.header.calibration, start(truth[0]).ruleset)
    watch = WallWatch()
    state, line, off = start(truth[0]), 1, []
    for look in observations:
        if look.t > 60:
            break
        while line < len(truth) and (truth[line].t or 0.0) <= look.t:
            state, line = apply(state, truth[line], line + 1), line + 1
        reader.tracker.look(look.t, look.detections, look.motion)
        watch.look(look.t, reader.stacks, state.wall_left)
        if watch.seen is not None:
            off.append(abs(watch.seen - state.wall_left))
    assert len(off) > 150 and max(off) <= 6
