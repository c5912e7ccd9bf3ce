"""Several cameras of one table read as one: rendered from two sides, and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from pzvision.errors import PzvisionError
from pzvision.game.simulate import simulate
from pzvision.synth.camera import Camera
from pzvision.synth.faces import DrawnFaces
from pzvision.synth.placing import Plan
from pzvision.synth.room import (
    CAMERAS,
    CameraPreset,
    Room,
    calibration_record,
    felt_corners,
    make_camera,
)
from pzvision.synth.timeline import Placed, build_timeline
from pzvision.synth.video import Renderer
from pzvision.tiles import CLASSES, SEATS, Seat
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.detector import TileDetector
from pzvision.vision.fusion import View, facing, fuse, merge_masks, transfer, turned
from pzvision.vision.motion import MotionDetector, MotionMask
from pzvision.vision.tableview import TableDetector

SIZE = (960, 540)
PLAN = Plan()


def calibration(preset: CameraPreset, near: Seat = "E") -> Calibration:
    return Calibration.parse(calibration_record(make_camera(preset, PLAN, SIZE), PLAN, near))


A = calibration(CAMERAS["front"])
# The other camera stands across the table: its own near player is W, and the table is turned half round.
B = calibration(CAMERAS["oblique"], "W")


def tiles(view: Calibration, *placed: tuple[float, float, int, float]) -> Detections:
    """Tiles at table cm (of that camera's own frame), with their class and how sure that is."""
    quads, probs = [], np.full((len(placed), CLASSES), 0.0, np.float32)
    for row, (x, y, kind, sure) in enumerate(placed):
        h, w = 1.8, 1.35
        corners = [(x - w, y + h, 2.1), (x + w, y + h, 2.1), (x + w, y - h, 2.1), (x - w, y - h, 2.1)]
        quads.append(view.to_image(corners))
        probs[row] = (1 - sure) / (CLASSES - 1)
        probs[row, kind] = sure
    if not placed:
        return Detections.empty(SIZE)
    return Detections(np.array(quads, np.float32), probs, np.full(len(placed), 0.8, np.float32), SIZE)


def at(found: Detections, view: Calibration) -> npt.NDArray[np.float64]:
    table = view.to_table(found.polygons.reshape(-1, 2)).reshape(-1, 4, 2)
    return np.asarray(table.mean(axis=1), np.float64)


def test_one_camera_in_the_pixels_of_another() -> None:
    seen = tiles(A, (10, -5, 3, 0.9), (-20, 30, 7, 0.8))
    other = transfer(seen, A, calibration(CAMERAS["right"]))
    assert np.allclose(at(other, calibration(CAMERAS["right"])), [(10, -5), (-20, 30)], atol=1e-3)
    assert np.allclose(transfer(other, calibration(CAMERAS["right"]), A).polygons, seen.polygons, atol=0.01)


def test_a_camera_across_the_table_is_turned_into_the_frame_of_the_first() -> None:
    faced = facing(B, A)
    own = faced.to_table(B.to_image([[12.0, -7.0, 2.1]]))
    assert np.allclose(own, [(-12.0, 7.0)], atol=0.02)
    assert facing(A, A) is A and faced.seat_at("near") == "E"
    with pytest.raises(PzvisionError, match="table_cm"):
        turned(replace(B, table_cm=95.0), A)


def test_twins_become_one_and_their_classes_multiply() -> None:
    one = tiles(A, (0, 0, 3, 0.5), (20, 20, 5, 0.9))
    two = tiles(B, (0.4, -0.3, 4, 0.45), (-20.3, -19.8, 5, 0.8), (15, 0, 9, 0.9))
    # The second camera thinks 3 or 4; both together say 3 only where both allow it.
    two.probs[0, 3] = 0.44
    two.probs[0] /= two.probs[0].sum()
    fused, _ = fuse([View(A, one), View(B, two)], A)
    assert fused is not None and len(fused) == 3
    places = at(fused, A)
    kinds = {(round(x), round(y)): int(k) for (x, y), k in zip(places, fused.probs.argmax(1), strict=True)}
    assert kinds == {(20, 20): 5, (-15, 0): 9, (0, 0): 3}
    best = fused.probs[fused.probs.argmax(1) == 5].max()
    assert best > 0.99 > one.probs.max(), "two that agree are surer than either"
    assert np.allclose(fused.probs.sum(axis=1), 1, atol=1e-5)


def mask(hidden: float, bare: float, shaken: bool = False) -> MotionMask:
    grid = np.zeros((40, 40), bool)
    columns = np.arange(40) / 40
    return MotionMask(
        hidden=grid | (columns < hidden),
        bare=grid | (columns > bare),
        moving=grid.copy(),
        low_cm=-20.0,
        cell_cm=1.0,
        shaken=shaken,
        sides=np.zeros((0, 4)),
        patches=np.zeros((40, 40), np.int32),
    )


def test_not_seen_only_where_no_camera_sees() -> None:
    merged = merge_masks([mask(0.5, 0.9), mask(0.2, 0.6)])
    assert merged is not None
    assert merged.hidden[0].sum() == 8 and merged.bare[0].sum() == 15
    assert merge_masks([mask(0.5, 0.9), mask(1.0, 0.0, shaken=True)]).hidden[0].sum() == 20  # type: ignore[union-attr]
    assert merge_masks([]) is None
    blind = fuse([View(A, None), View(B, None)], A)
    assert blind == (None, None)
    only, _ = fuse([View(A, None), View(B, tiles(B, (1, 2, 3, 0.9)))], A)
    assert only is not None and np.allclose(at(only, A), [(-1, -2)], atol=0.05)


def errors(found: Detections, truth: list[Placed]) -> int:
    """Tiles missed or named wrongly, and tiles that are none."""
    if not len(found):
        return len(truth)
    places, kinds = at(found, A), found.probs.argmax(axis=1)
    wrong, used = 0, set()
    for tile in truth:
        away = np.linalg.norm(places - (tile.spot.x, tile.spot.y), axis=1)
        near = int(away.argmin())
        used.add(near)
        wrong += bool(away[near] > 1.3 or kinds[near] != tile.kind)
    faces = {i for i in range(len(found)) if kinds[i] < 27 and found.scores[i] > 0.5}
    lying = [(p.spot.x, p.spot.y) for p in truth]
    for i in faces - used:
        wrong += (
            all(np.hypot(places[i, 0] - x, places[i, 1] - y) > 1.3 for x, y in lying)
            and abs(places[i]).max() < 33
        )
    return wrong


def test_two_rendered_cameras_see_what_either_alone_misses() -> None:
    timeline = build_timeline(simulate("pzh-popular", seed=21, hands=1, dealer="E"), near_seat="E", seed=1)
    finder = TileDetector(None, threads=1)
    # A low one before E and a low one behind W's shoulder; before each somebody's back covers a part.
    cameras = [make_camera(p, PLAN, SIZE) for p in (CAMERAS["low"], CameraPreset(75, 40, 150.0))]
    calibrations = [_calibrated(camera) for camera in cameras]
    reference = calibrations[0]
    views, t = [], timeline.duration * 0.8
    for camera, one in zip(cameras, calibrations, strict=True):
        image = Renderer(timeline, DrawnFaces("jade"), camera, Room.random(3), 3).frame(t).copy()
        image[:, : SIZE[0] // 2 - 60] = (70, 60, 60)
        motion = MotionDetector(facing(one, reference))
        views.append(View(one, TableDetector(finder, one)(image), motion.look(image, t)))
    truth = [p for p in timeline.truth_at(t).tiles if p.face_up and not p.moving and p.kind < 27]
    found = [fuse(chosen, reference)[0] for chosen in (views[:1], views[1:], views)]
    first, second, both = (errors(transfer(f, reference, A), truth) for f in found if f is not None)
    print(f"of {len(truth)} tiles wrong: {first} and {second} alone, {both} together")
    assert min(first, second) >= 8, "each alone misses what is hidden from it"
    assert both <= min(first, second) // 2


def _calibrated(camera: Camera) -> Calibration:
    """A camera's calibration with its own near edge first, as a person would make it."""
    px = camera.project(felt_corners(PLAN))
    lows = [px[k, 1] + px[(k + 1) % 4, 1] for k in range(4)]
    turns = int(np.argmax(lows))
    points = np.roll(px, -turns, axis=0) / SIZE
    near = SEATS[turns]
    return Calibration(SIZE, tuple((float(x), float(y)) for x, y in points), near_seat=near)
