"""A short game rendered: complete files, exact truth, nothing half-written."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.game.events import Deal, Discard, Draw, Event, HandEnd, HandStart, Peng, format_log
from pzvision.synth.faces import DrawnFaces
from pzvision.synth.room import CAMERAS, Room, calibration_record, make_camera
from pzvision.synth.timeline import Style, Timeline, build_timeline
from pzvision.synth.video import Renderer, render_video
from pzvision.tiles import KINDS, SEATS, parse_tile
from pzvision.vision.calibration import Calibration

SHORT: list[Event] = [
    HandStart("pzh-popular", "E"),
    *(Deal(seat, None) for seat in SEATS),
    Discard("E", 4),
    Peng("S", 4),
    Discard("S", 9),
    Draw("W", None),
    Discard("W", 20),
    HandEnd(),
]
SIZE = (480, 270)


@pytest.fixture(scope="module", params=["high", "wide"])
def rendered(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Timeline]:
    out = tmp_path_factory.mktemp("video") / "game"
    timeline = render_video(
        SHORT, out, faces=DrawnFaces("jade"), camera=request.param, seed=3, near_seat="W", size=SIZE, fps=5,
        style=Style(pace=0.5),
    )  # fmt: skip
    return out, timeline


def test_all_files_are_there_and_fit_each_other(rendered: tuple[Path, Timeline]) -> None:
    out, timeline = rendered
    names = {
        "video.mp4", "log.jsonl", "declarations.jsonl", "expected.json", "truth.json", "calibration.json",
    }  # fmt: skip
    assert {p.name for p in out.iterdir()} == names
    assert [p.name for p in out.parent.iterdir()] == ["game"]
    assert (out / "log.jsonl").read_text("utf-8") == format_log(timeline.events)
    video = cv2.VideoCapture(str(out / "video.mp4"))
    frames = 0
    while True:
        ok, frame = video.read()
        if not ok:
            break
        assert frame.shape == (SIZE[1], SIZE[0], 3)
        frames += 1
    assert frames == int(timeline.duration * 5) + 1
    truth = json.loads((out / "truth.json").read_text("utf-8"))
    assert (truth["fps"], truth["width"], truth["height"]) == (5, *SIZE)
    assert truth["checkpoints"]


def test_truth_lies_where_the_calibration_says(rendered: tuple[Path, Timeline]) -> None:
    out, timeline = rendered
    calibration = Calibration.parse(json.loads((out / "calibration.json").read_text("utf-8")))
    assert calibration.near_seat == "W" and calibration.image_size == SIZE
    truth = json.loads((out / "truth.json").read_text("utf-8"))
    tiles = 0
    for checkpoint in truth["checkpoints"]:
        placed = [p for p in timeline.truth_at(checkpoint["t"]).tiles if p.face_up]
        assert len(placed) == len(checkpoint["face_up"])
        for record, tile in zip(checkpoint["face_up"], placed, strict=True):
            assert parse_tile(record["tile"]) == tile.kind and record["seat"] == tile.seat
            centre = calibration.to_table(np.array(record["polygon"]), z=calibration.tile_cm[2]).mean(axis=0)
            assert np.hypot(centre[0] - tile.spot.x, centre[1] - tile.spot.y) < 0.35
            tiles += 1
    assert tiles


@pytest.mark.parametrize("name", list(CAMERAS))
def test_every_camera_sees_the_whole_felt_and_calibrates(name: str) -> None:
    plan = build_timeline(SHORT).plan
    camera = make_camera(CAMERAS[name], plan, (1280, 720))
    record = calibration_record(camera, plan, "E")
    assert all(-0.001 <= v <= 1.001 for corner in record["corners"] for v in corner)
    calibration = Calibration.parse(record)
    points = np.array([(5.0, -20.0, 2.1), (-30.0, 12.0, 3.6), (0.0, 30.0, 0.0)])
    # straight above, four corners say little about the focal length
    near = 4.0 if name == "top" else 1.0
    assert np.abs(calibration.to_image(points) - camera.project(points)).max() < near


def test_the_lens_bends_what_the_pinhole_sees() -> None:
    plan = build_timeline(SHORT).plan
    camera = make_camera(CAMERAS["wide"], plan, (640, 360))
    points = np.array([(5.0, -20.0, 2.1), (-40.0, 40.0, 0.0), (0.0, 0.0, 0.0)])
    pinhole = camera.pinhole()
    straight, bent = pinhole.project(points), camera.project(points)
    assert np.abs(camera.through_lens(straight) - bent).max() < 1e-6
    assert np.abs(straight - bent).max() > 2
    assert pinhole.size > camera.size
    across, down = camera.lens_maps()
    for (x, y), (u, v) in zip(np.round(bent).astype(int), straight, strict=True):
        assert abs(across[y, x] - u) < 1.5 and abs(down[y, x] - v) < 1.5


def test_frames_show_the_tiles_of_the_truth() -> None:
    timeline = build_timeline(SHORT, near_seat="S")
    faces = DrawnFaces("jade")
    camera = make_camera(CAMERAS["high"], timeline.plan, (1280, 720))
    renderer = Renderer(timeline, faces, camera, Room.random(1), 1)
    t = timeline.duration - 0.1
    frame = renderer.frame(t)
    record = renderer.truth_record(t)
    known = [_mark(faces.face(kind)) for kind in range(KINDS)]
    seen = [r for r in record["face_up"] if r["visible"] > 0.95]
    assert len(seen) == 5
    for entry in seen:
        source = np.array(entry["polygon"], np.float32)
        target = np.array([(0, 0), (24, 0), (24, 32), (0, 32)], np.float32)
        crop = cv2.warpPerspective(frame, cv2.getPerspectiveTransform(source, target), (24, 32))
        assert int(np.argmax([(_mark(crop) * k).sum() for k in known])) == parse_tile(entry["tile"])


def _mark(face: np.ndarray) -> np.ndarray:
    small = cv2.resize(face, (24, 32), interpolation=cv2.INTER_AREA).astype(np.float64)
    small -= small.mean()
    return small / np.linalg.norm(small)


def test_frames_are_the_same_for_the_same_seed() -> None:
    timeline = build_timeline(SHORT)
    pictures = []
    for _ in range(2):
        camera = make_camera(CAMERAS["oblique"], timeline.plan, SIZE)
        renderer = Renderer(timeline, DrawnFaces("blue"), camera, Room.random(2), 2)
        pictures.append([renderer.frame(t) for t in (0.0, 2.4)])
    assert all(np.array_equal(a, b) for a, b in zip(*pictures, strict=True))


class _Stop(KeyboardInterrupt):
    pass


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 3:
            raise _Stop

    with pytest.raises(_Stop):
        render_video(SHORT, tmp_path / "a", faces=DrawnFaces("jade"), size=SIZE, fps=5, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "mine.txt").write_text("x")
    with pytest.raises(PzvisionError, match="already holds something"):
        render_video(SHORT, tmp_path / "a", faces=DrawnFaces("jade"), size=SIZE)
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["mine.txt"]


def test_unknown_camera_is_named(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match="unknown camera 'moon'"):
        render_video(SHORT, tmp_path / "a", faces=DrawnFaces("jade"), camera="moon")
