"""The pipeline from frames to log, page and announcements, on a table painted from a game's timeline.

The pictures are plain (felt and tiles as flat shapes) and the detector of these tests knows what was painted:
what is tried here is everything around the detector.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.game import Discard, read_log, settle_log
from pzvision.game.simulate import simulate
from pzvision.live.announcement import Announcement
from pzvision.live.hub import Hub
from pzvision.live.logfile import LogFile
from pzvision.live.picture import beside, side_panel
from pzvision.live.pipeline import Pipeline, PipelineConfig
from pzvision.live.stored import StoredLooks, never
from pzvision.rules import load_ruleset
from pzvision.synth.timeline import Placed, Timeline, build_timeline
from pzvision.table.observations import Header, ObservationWriter
from pzvision.table.reader import TableReader
from pzvision.tiles import BACK, CLASSES, Seat
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Frame, FrameSource, Image
from pzvision.vision.detections import Detections

SIZE = (640, 360)
CALIBRATION = Calibration(SIZE, ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05)), near_seat="E")
RULESET = "pzh-popular"


def corners_of(tile: Placed) -> np.ndarray:
    """The face's outline on the plane of the faces, clockwise from the tile's own top left, ``(4, 3)``."""
    height, width, thick = CALIBRATION.tile_cm
    c, s = np.cos(tile.spot.yaw), np.sin(tile.spot.yaw)
    right, up = np.array([c, s]), np.array([-s, c])
    centre = np.array([tile.spot.x, tile.spot.y])
    out = [
        centre + a * right * width / 2 + b * up * height / 2 for a, b in ((-1, 1), (1, 1), (1, -1), (-1, -1))
    ]
    return np.column_stack([np.array(out), np.full(4, thick)])


class PaintedGame(FrameSource):
    """A whole game as plain pictures; also the detector that knows what is in the last one."""

    def __init__(self, timeline: Timeline, fps: float = 5.0) -> None:
        super().__init__()
        self.name = "painted"
        self.size = SIZE
        self.timeline = timeline
        self.fps = fps
        self.duration = timeline.duration
        self.frame_count = int(timeline.duration * fps)
        self.now: tuple[Placed, ...] = ()
        self.looked = 0

    def frames(self, *, start: float = 0.0, end: float | None = None, every: float = 0.0) -> Iterator[Frame]:
        step = max(1, round(every * self.fps))
        for index in range(0, self.frame_count or 0, step):
            t = index / self.fps
            if self._stopped or (end is not None and t > end):
                return
            if t >= start:
                yield Frame(self.paint(t), t, index)

    def paint(self, t: float) -> Image:
        image = np.full((SIZE[1], SIZE[0], 3), (70, 110, 40), np.uint8)
        truth = self.timeline.truth_at(t)
        self.now = tuple(p for p in truth.tiles if p.face_up and not p.moving)
        for tile in truth.tiles:
            points = np.round(CALIBRATION.to_image(corners_of(tile))).astype(np.int32)
            colour = (235, 240, 240) if tile.face_up else (180, 90, 30)
            cv2.fillConvexPoly(image, points, colour)
            cv2.polylines(image, [points], True, (90, 90, 90), 1)
        return image

    def __call__(self, image: Image) -> Detections:
        self.looked += 1
        if not self.now:
            return Detections.empty(SIZE)
        polygons = np.array([CALIBRATION.to_image(corners_of(p)) for p in self.now], np.float32)
        probs = np.full((len(self.now), CLASSES), 0.1 / (CLASSES - 1), np.float32)
        probs[np.arange(len(self.now)), [p.kind for p in self.now]] = 0.9
        return Detections(polygons, probs, np.full(len(self.now), 0.95, np.float32), SIZE)


def new_reader(dealer: Seat | None) -> TableReader:
    return TableReader(CALIBRATION, load_ruleset(RULESET), dealer=dealer or "E")


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    events = simulate(RULESET, seed=21, hands=1, dealer="E")
    return build_timeline(events, near_seat="E", seed=1)


@pytest.mark.parametrize("end", [45.0, pytest.param(None, marks=pytest.mark.slow)])
def test_a_game_becomes_a_log_announcements_and_a_page(
    timeline: Timeline, tmp_path: Path, end: float | None
) -> None:
    source = PaintedGame(timeline)
    hub = Hub()
    said: list[object] = []
    out = tmp_path / "log.jsonl"
    declared = [e for e in timeline.events if e.type == "declare"]
    reader = new_reader("E")
    for event in declared:
        reader.declare(event)  # type: ignore[arg-type]
    pipeline = Pipeline(
        source,
        CALIBRATION,
        lambda dealer: reader,
        source,
        hub=hub,
        log_file=LogFile(out),
        on_said=said.append,
    )
    stats = pipeline.run(end=end)
    until = 1e9 if end is None else end - 3.0
    assert not stats.interrupted and stats.frames == (source.frame_count if end is None else 226)
    assert stats.detections == source.looked
    assert stats.detections < 0.8 * stats.looks, "a table at rest is not given to the detector at every look"

    log = [line.event for line in read_log(out.read_text(encoding="utf-8").splitlines())]
    assert log == pipeline.session.log
    wanted = [(e.seat, e.tile) for e in timeline.events if isinstance(e, Discard) and (e.t or 0) < until]
    found = [(e.seat, e.tile) for e in log if isinstance(e, Discard)]
    assert len(set(wanted) & set(found)) >= 0.9 * len(set(wanted))
    assert sum(settle_log(out.read_text(encoding="utf-8").splitlines(), lenient=True)[0].totals.values()) == 0

    records = [json.loads(r.text) for r in hub.since(0)[0]]
    # The stream, rewrites applied, is the log.
    told: list[dict[str, object]] = []
    for record in records:
        if record["type"] == "rewrite":
            del told[record["keep"] :]
        elif record["type"] not in ("announce", "hand"):
            told.append({k: v for k, v in record.items() if k != "seq"})
    assert told == [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert any(isinstance(item, Announcement) and item.kind == "dealer" for item in said)
    state = hub.state
    assert state["source"]["over"] and state["hand"] == 1
    assert hub.health["ok"]
    view = beside(pipeline.picture(), side_panel(state, 360))
    assert view.shape[0] == 360 and view.shape[1] > 640


def test_a_calibration_for_other_pictures_is_refused_before_anything(timeline: Timeline) -> None:
    source = PaintedGame(timeline)
    other = Calibration((1280, 720), CALIBRATION.corners)
    with pytest.raises(PzvisionError, match="1280 × 720"):
        Pipeline(source, other, new_reader, source)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_look_and_leaves_a_valid_log(
    timeline: Timeline, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    source = PaintedGame(timeline)
    out = tmp_path / "log.jsonl"
    pipeline = Pipeline(source, CALIBRATION, new_reader, source, log_file=LogFile(out), speed=8.0)

    def interrupt() -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until and sum(isinstance(e, Discard) for e in pipeline.session.log) < 3:
            time.sleep(0.02)
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=interrupt)
    before = signal.getsignal(number)
    thread.start()
    stats = pipeline.run()
    thread.join()
    assert signal.getsignal(number) is before
    assert stats.exit_status == status and stats.frames < (source.frame_count or 0)
    text = out.read_text(encoding="utf-8")
    assert [line.event for line in read_log(text.splitlines())] == pipeline.session.log
    assert settle_log(text.splitlines(), lenient=True)[0].state.cut
    assert os.listdir(tmp_path) == ["log.jsonl"]


def test_black_frames_are_failed_looks(timeline: Timeline) -> None:
    source = PaintedGame(timeline)
    frames = source.frames

    def dark(**window: object) -> Iterator[Frame]:
        for frame in frames(**window):  # type: ignore[arg-type]
            if 10 < frame.t < 14:
                yield Frame(np.zeros_like(frame.image), frame.t, frame.index, "black")
            else:
                yield frame

    source.frames = dark  # type: ignore[method-assign]
    pipeline = Pipeline(source, CALIBRATION, new_reader, source, config=PipelineConfig(look_s=0.2))
    looked: list[float] = []
    real = pipeline.reader.look

    def look(t, index, size, detections, motion=None):  # type: ignore[no-untyped-def]
        if detections is None:
            looked.append(t)
        return real(t, index, size, detections, motion)

    pipeline.reader.look = look  # type: ignore[method-assign]
    pipeline.run(end=25.0)
    assert looked and min(looked) > 10 and max(looked) < 14
    assert BACK not in {t.tile for t in pipeline.reader.tiles}


def test_the_same_log_from_stored_looks(timeline: Timeline, tmp_path: Path) -> None:
    logs, said = [], []
    path = tmp_path / "looks.jsonl.gz"
    for name in ("direct", "again"):
        direct = name == "direct"
        source = PaintedGame(timeline) if direct else StoredLooks(path)
        out: list[object] = []
        pipeline = Pipeline(
            source,
            CALIBRATION,
            new_reader,
            source if direct else never,  # type: ignore[arg-type]
            log_file=LogFile(tmp_path / f"{name}.jsonl"),
            on_said=lambda item, out=out: out.append(str(item)),  # type: ignore[misc]
            observations=ObservationWriter(path, Header(CALIBRATION)) if direct else None,
        )
        stats = pipeline.run(end=40.0)
        logs.append((tmp_path / f"{name}.jsonl").read_bytes())
        said.append(out)
        assert stats.looks > 100
    assert logs[0] == logs[1] and len(logs[0].splitlines()) > 20
    assert said[0] == said[1]


def test_from_log_in_the_command(
    timeline: Timeline, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pzvision.cli import main

    source = PaintedGame(timeline)
    path = tmp_path / "looks.jsonl.gz"
    writer = ObservationWriter(path, Header(CALIBRATION))
    pipeline = Pipeline(
        source, CALIBRATION, new_reader, source, log_file=LogFile(tmp_path / "a.jsonl"), observations=writer
    )
    pipeline.run(end=20.0)
    again = ["replay", "--from-log", str(path), "--ruleset", RULESET, "--dealer", "E"]
    assert main([*again, "--events", str(tmp_path / "b.jsonl")]) == 0
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    capsys.readouterr()
    for words, message in (
        ([*again, "--render", str(tmp_path / "x.mp4")], "needs a SOURCE"),
        ([*again, "--observations", str(tmp_path / "x.gz")], "needs a SOURCE"),
        ([*again, "video.mp4"], "expected SOURCE or --from-log FILE, got both"),
        (["replay", "--ruleset", RULESET], "expected SOURCE or --from-log FILE, got neither"),
        (["replay", "--from-log", str(tmp_path / "none.gz"), "--ruleset", RULESET], "cannot read"),
    ):
        assert main(words) == 2
        assert message in capsys.readouterr().err


def test_a_cut_off_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "looks.jsonl"
    writer = ObservationWriter(path, Header(CALIBRATION))
    for k in range(4):
        writer.look(k / 4, k, None, None)
    writer.end(1.0)
    whole = StoredLooks(path)
    assert [f.t for f in whole.frames()] == [0, 0.25, 0.5, 0.75, 1.0]
    assert [f.t for f in whole.frames(start=0.3, end=0.6)] == [0.5]
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(PzvisionError, match="end record is missing"):
        list(StoredLooks(path).frames())


class BumpedGame(PaintedGame):
    """The same game on a patterned floor; at ``bump`` s the camera swings, then it looks elsewhere."""

    bump = 15.4

    def paint(self, t: float) -> Image:
        image = super().paint(t)
        rng = np.random.default_rng(8)
        floor = np.zeros(image.shape[:2], np.uint8)
        outline = np.round(np.array(CALIBRATION.corners) * SIZE).astype(np.int32)
        cv2.fillConvexPoly(floor, outline, 1)
        planks = rng.integers(40, 120, (SIZE[1] // 8, SIZE[0] // 8, 3), np.uint8)
        planks = np.asarray(cv2.resize(planks, SIZE, interpolation=cv2.INTER_LINEAR), np.uint8)
        image = np.where(floor[..., None] > 0, image, planks)
        since = t - self.bump
        self.moved = np.eye(3)
        if since >= 0:
            swing = 1 + 2 * float(np.exp(-4 * since) * np.cos(30 * since))
            self.moved[:2] = cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), 0.7 * swing, 1.01)
            self.moved[:2, 2] += np.array([7.0, 5.0]) * swing
        return np.asarray(
            cv2.warpAffine(image, self.moved[:2], SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8
        )

    def __call__(self, image: Image) -> Detections:
        found = super().__call__(image)
        if not len(found):
            return found
        polygons = cv2.perspectiveTransform(found.polygons.reshape(-1, 1, 2), self.moved)
        return Detections(polygons.reshape(-1, 4, 2).astype(np.float32), found.probs, found.scores, SIZE)


def test_a_bump_in_a_recording_is_set_right_and_read_alike_from_what_was_kept(
    timeline: Timeline, tmp_path: Path
) -> None:
    source = BumpedGame(timeline)
    notes: list[str] = []
    path = tmp_path / "looks.jsonl.gz"
    pipeline = Pipeline(
        source,
        CALIBRATION,
        new_reader,
        source,
        new_detector=lambda calibration: source,
        observations=ObservationWriter(path, Header(CALIBRATION, "painted")),
        note=notes.append,
    )
    pipeline.run(end=40.0)
    assert len(notes) == 1 and "set right" in notes[0] and "0:15." in notes[0]
    wanted = [(e.seat, e.tile) for e in timeline.events if isinstance(e, Discard) and (e.t or 0) < 37]
    assert [(e.seat, e.tile) for e in pipeline.session.log if isinstance(e, Discard)][: len(wanted)] == wanted
    stored = StoredLooks(path)
    blind = [look.t for look in stored._observations if look.detections is None]
    assert blind and source.bump <= blind[0] < source.bump + 0.5 and blind[-1] < source.bump + 2.5
    again = Pipeline(StoredLooks(path), CALIBRATION, new_reader, never)
    again.run()
    assert again.session.log == pipeline.session.log

    # Without a detector for the new place nothing is read any more, and from when is said.
    source, notes = BumpedGame(timeline), []
    lost = Pipeline(source, CALIBRATION, new_reader, source, note=notes.append)
    lost.run(end=25.0)
    assert len(notes) == 1 and "nothing is read from here" in notes[0]
    assert max(e.t or 0 for e in lost.session.log if isinstance(e, Discard)) < source.bump
