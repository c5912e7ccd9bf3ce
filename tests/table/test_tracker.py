from __future__ import annotations

import numpy as np
import pytest

from pzvision.table.config import TableConfig
from pzvision.table.tracker import Tracker
from pzvision.table.tracks import Evidence, long_axis
from pzvision.tiles import CLASSES, OTHER
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionMask

SIZE = (1280, 720)
CALIBRATION = Calibration(SIZE, ((0.12, 0.95), (0.88, 0.95), (0.70, 0.20), (0.30, 0.20)))


def seen(*tiles: tuple[float, float, int], sure: float = 0.9) -> Detections:
    """Detections of lying tiles ``(x, y, class)`` in table cm."""
    if not tiles:
        return Detections.empty(SIZE)
    polygons, probs = [], []
    for x, y, kind in tiles:
        outline = [[x - 1.3, y + 1.75], [x + 1.3, y + 1.75], [x + 1.3, y - 1.75], [x - 1.3, y - 1.75]]
        polygons.append(CALIBRATION.to_image([[a, b, 2.1] for a, b in outline]))
        row = np.full(CLASSES, (1 - sure) / (CLASSES - 1))
        row[kind] = sure
        probs.append(row)
    count = len(tiles)
    return Detections(
        np.array(polygons, np.float32), np.array(probs, np.float32), np.ones(count, np.float32), SIZE
    )


def mask(*, hidden: tuple[float, float, float, float] | None = None, bare: bool = False) -> MotionMask:
    """A mask with one hidden rectangle ``x1 x2 y1 y2`` (cm); the rest bare or covered by what rests there."""
    xs, ys = np.meshgrid(np.arange(100) - 49.5, np.arange(100) - 49.5)
    cover = np.zeros((100, 100), bool)
    if hidden is not None:
        x1, x2, y1, y2 = hidden
        cover = (xs > x1) & (xs < x2) & (ys > y1) & (ys < y2)
    shown = np.full((100, 100), bare) & ~cover
    return MotionMask(
        cover, shown, cover, -50.0, 1.0, False, np.zeros((0, 4)), np.zeros((100, 100), np.int32)
    )


def watch(tracker: Tracker, start: float, end: float, detections: Detections | None, **view: object) -> None:
    for t in np.arange(start, end, 0.2):
        fresh = None if detections is None else detections[slice(None)]
        tracker.look(float(t), fresh, mask(**view) if view else None)  # type: ignore[arg-type]


def test_a_tile_must_rest_before_it_counts() -> None:
    tracker = Tracker(CALIBRATION)
    for t, x in ((0.0, 0.0), (0.2, 2.5), (0.4, 5.0)):  # carried along
        tracker.look(t, seen((x, 0.0, 4)))
    assert not tracker.tracks
    watch(tracker, 0.6, 1.6, seen((8.0, 0.0, 4)))
    assert len(tracker.tracks) == 1
    track = tracker.tracks[0]
    assert track.since == pytest.approx(0.6) and np.allclose(track.at, [8.0, 0.0], atol=0.05)


def test_what_an_arm_hides_is_not_gone() -> None:
    tracker = Tracker(CALIBRATION)
    watch(tracker, 0.0, 2.0, seen((8.0, 0.0, 4)))
    watch(tracker, 2.0, 12.0, seen(), hidden=(0.0, 20.0, -10.0, 10.0))
    watch(tracker, 12.0, 13.0, seen((8.0, 0.0, 4)))
    assert [t.gone for t in tracker.tracks] == [None]


def test_failed_looks_take_nothing_away() -> None:
    tracker = Tracker(CALIBRATION)
    watch(tracker, 0.0, 2.0, seen((8.0, 0.0, 4)))
    watch(tracker, 2.0, 20.0, None)
    assert [t.gone for t in tracker.tracks] == [None]


@pytest.mark.parametrize(("bare", "after"), [(True, 1.0), (False, 1.9)])
def test_a_missing_tile_is_gone_sooner_where_the_felt_is_seen(bare: bool, after: float) -> None:
    tracker = Tracker(CALIBRATION)
    watch(tracker, 0.0, 3.0, seen((8.0, 0.0, 4)))
    watch(tracker, 3.0, 3.0 + after - 0.75, seen(), bare=bare)
    assert tracker.tracks[0].gone is None
    watch(tracker, 3.0 + after - 0.75, 3.2 + after, seen(), bare=bare)
    assert tracker.tracks[0].gone == pytest.approx(2.8)
    assert tracker.tracks[0].bared is bare


def test_a_tile_that_comes_back_is_the_same_one_and_another_is_not() -> None:
    tracker = Tracker(CALIBRATION)
    watch(tracker, 0.0, 3.0, seen((8.0, 0.0, 4)))
    watch(tracker, 3.0, 7.0, seen())
    watch(tracker, 7.0, 9.0, seen((8.0, 0.0, 4)))
    assert [t.gone for t in tracker.tracks] == [None]
    watch(tracker, 9.0, 13.0, seen())
    watch(tracker, 13.0, 15.0, seen((8.0, 0.0, 20)))
    assert len(tracker.tracks) == 2 and tracker.tracks[0].gone is not None


def test_a_tile_exchanged_under_an_arm_is_noticed() -> None:
    tracker = Tracker(CALIBRATION)
    watch(tracker, 0.0, 3.0, seen((8.0, 0.0, 4)))
    watch(tracker, 3.0, 5.0, seen(), hidden=(0.0, 20.0, -10.0, 10.0))
    watch(tracker, 5.0, 7.0, seen((8.0, 0.0, 20)))
    assert [int(t.evidence.logs.argmax()) for t in tracker.tracks] == [4, 20]
    assert [t.gone is None for t in tracker.tracks] == [False, True]


def test_neighbours_keep_their_identity() -> None:
    tracker = Tracker(CALIBRATION)
    row = [(2.75 * i, 0.0, i) for i in range(6)]
    watch(tracker, 0.0, 2.0, seen(*row))
    before = {t.id: int(t.evidence.logs.argmax()) for t in tracker.tracks}
    watch(tracker, 2.0, 4.0, seen(*(row[:2] + row[3:])))
    watch(tracker, 4.0, 6.0, seen(*row))
    assert {t.id: int(t.evidence.logs.argmax()) for t in tracker.tracks} == before


def test_many_alike_looks_prove_less_than_independent_ones() -> None:
    config = TableConfig()
    probs = np.full(CLASSES, 0.4 / (CLASSES - 1))
    probs[3] = 0.6
    evidence = Evidence()
    for _ in range(1000):
        evidence.add(probs, 1.0, config.look_floor)
    one = np.log(probs[3] / probs[4])
    scores = evidence.scores(config.look_correlation)
    assert scores[3] - scores[4] == pytest.approx(one / config.look_correlation, rel=0.02)
    assert np.exp(scores).sum() == pytest.approx(1.0)


def test_things_that_are_no_lying_tiles_are_left_out() -> None:
    tracker = Tracker(CALIBRATION)
    big = seen((0.0, 0.0, 4))
    big.polygons[:] = (big.polygons - big.polygons.mean(axis=1, keepdims=True)) * 3 + big.polygons.mean(
        axis=1
    )
    outside = seen((60.0, 0.0, 4))
    weak = seen((10.0, 10.0, 4))
    weak.scores[:] = 0.1
    for detections in (big, outside, weak):
        watch(tracker, 0.0, 2.0, detections)
    assert not tracker.tracks and not tracker.candidates


def test_a_tile_laid_where_a_standing_one_could_not_be_read_is_another() -> None:
    near = [(0.0, -36.3, OTHER)]
    tracker = Tracker(CALIBRATION)
    watch(tracker, 0.0, 6.0, seen(*near))
    watch(tracker, 6.0, 9.0, seen((0.0, -36.0, 4)))
    (track,) = tracker.tracks
    assert track.evidence.logs.argmax() == 4 and track.since == pytest.approx(6.0, abs=0.3) and track.settled


def test_one_tile_among_the_rivers_that_is_read_late_stays_one() -> None:
    tracker = Tracker(CALIBRATION)
    watch(tracker, 0.0, 2.0, seen((0.0, 5.0, OTHER)))
    watch(tracker, 2.0, 9.0, seen((0.0, 5.0, 4)))
    (track,) = tracker.tracks
    assert track.evidence.logs.argmax() == 4


def test_the_axis_of_a_tile_is_that_of_its_longer_sides() -> None:
    tracker = Tracker(CALIBRATION)
    watch(tracker, 0.0, 3.0, seen((0.0, 5.0, 4)))
    (track,) = tracker.tracks
    assert track.axis[0] < -0.1 and abs(track.axis[1]) < 0.05  # upright: at 90°, so doubled at 180°
    assert (long_axis(np.zeros((4, 2))) == 0).all()


def test_a_tile_laid_where_a_standing_one_was_seen_now_and_then_is_another() -> None:
    tracker = Tracker(CALIBRATION)
    for i, t in enumerate(np.arange(0.0, 8.0, 0.2)):  # found in few looks
        tracker.look(float(t), seen((0.0, -36.3, 9)) if i < 5 or i % 4 == 0 else seen((20.0, 0.0, 1)))
    watch(tracker, 8.0, 11.0, seen((0.0, -36.0, 4)))
    row = [t for t in tracker.tracks if t.at[1] < -30]
    (lying,) = [t for t in row if t.gone is None]
    assert lying.since == pytest.approx(8.0, abs=0.3) and lying.evidence.logs.argmax() == 4
