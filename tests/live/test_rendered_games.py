"""A rendered game through the real detector: tokens, two cameras on one table, a camera on a hand.

One game of 46 seconds, seen by two cameras on the table that each have something in the way, and by one on a
player's hand. In it a song and a dance are declared by tokens.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.evaluation import compare
from pzvision.game import Deal, Declare, Draw, Event, read_log
from pzvision.game.simulate import simulate
from pzvision.live.loopback import _noisy, read_pictures
from pzvision.live.loopback_rtsp import LoopbackRtspCamera
from pzvision.synth.camera import Camera
from pzvision.synth.cards import Card, CardRenderer, token_card
from pzvision.synth.disturb import Disturbance
from pzvision.synth.faces import DrawnFaces
from pzvision.synth.placing import Plan, Spot
from pzvision.synth.room import CAMERAS, CameraPreset, Room, calibration_record, make_camera
from pzvision.synth.sink import VideoSink
from pzvision.synth.timeline import Style, Timeline, build_timeline
from pzvision.tiles import Seat
from pzvision.vision.capture import Image
from pzvision.vision.detections import Detections
from pzvision.vision.tableview import TableDetector

pytestmark = pytest.mark.slow

SIZE, FPS, SECONDS = (1280, 720), 4, 46
PLAN = Plan()
Shape = tuple[float, float, Sequence[tuple[int, int]]]
# Somebody stands before the camera: from when to when, and where in its picture.
BEFORE_FIRST: list[Shape] = [(20, 46, [(860, -10), (1290, -10), (1290, 330), (960, 330), (860, 180)])]
BEFORE_SECOND: list[Shape] = [(12, 46, [(-10, 300), (330, 330), (420, 500), (380, 730), (-10, 730)])]


def hidden(image: Image, shapes: Sequence[Shape], t: float) -> Image:
    for since, until, shape in shapes:
        if since <= t < until:
            image = image.copy()
            cv2.fillPoly(image, [np.array(shape, np.int32)], (60, 50, 40), cv2.LINE_AA)
    return image


def played() -> tuple[Timeline, list[Card]]:
    """The game, its arms, and the tokens laid where it declares."""
    log = list(simulate("pzh-popular", seed=7))
    timeline = build_timeline(log, near_seat="S", style=Style(pace=0.85), seed=7, fps=FPS)
    cards: list[Card] = []
    arms: list[Disturbance] = []

    def place(seat: Seat, x: float, y: float) -> Spot:
        return Spot(x, y, 0.0, 0.0, 0.0).turned(timeline.side_of(seat))

    # One is left over from before, and an arm rests over it for a while.
    spot = place("E", -33.0, -37.0)
    cards.append(token_card("alarm", spot.x, spot.y, spot.yaw))
    arms.append(Disturbance("arm", 9.0, 6.0, timeline.side_of("E"), (spot.x, spot.y)))
    said = [e for e in timeline.events if isinstance(e, Declare) and e.t is not None and e.t < SECONDS]
    for event in said:
        t = event.t or 0.0
        spot = place(event.seat, -30.0, -35.0)
        turn = np.pi if event.declaration == "sing" else 0.5  # a song laid upside down
        cards.append(token_card(event.declaration, spot.x, spot.y, spot.yaw + turn, since=t))
        arms.append(Disturbance("arm", t - 0.8, 1.7, timeline.side_of(event.seat), (spot.x, spot.y)))
    # The song is lifted and laid down again a little beside.
    song = next(k for k, card in enumerate(cards) if card.yaw > 2)
    again = replace(cards[song], since=41.0, x=cards[song].x - 2, y=cards[song].y - 2)
    cards[song] = replace(cards[song], until=39.0)
    return replace(timeline, disturbances=tuple(arms)), [*cards, again]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("evening")
    timeline, cards = played()
    right = CameraPreset(350, 55)  # at the elbow of the player on the right
    views = {
        "table": (make_camera(CAMERAS["front"], PLAN, SIZE), BEFORE_FIRST),
        "table2": (make_camera(right, PLAN, SIZE), BEFORE_SECOND),
        "hand": (Camera.look_at([-4, -PLAN.half - 26, 30], [-4, -36, 2], 1000.0, SIZE), []),
    }
    room = replace(Room.random(5), felt=("felt", 2))
    for number, (name, (camera, shapes)) in enumerate(views.items()):
        renderer = CardRenderer(timeline, DrawnFaces("orange"), camera, room, 3 + number, cards=cards)
        with VideoSink(out / f"{name}.mp4", SIZE, FPS, crf=26) as sink:
            for frame in range(SECONDS * FPS):
                sink.write(hidden(renderer.frame(frame / FPS), shapes, frame / FPS))
        record = {**calibration_record(camera, PLAN, "S"), "camera": name}
        if name == "table2":  # its near edge is the right-hand player's
            record = {**record, "near_seat": "W", "corners": np.roll(record["corners"], -1, 0).tolist()}
        (out / f"{name}.json").write_text(json.dumps(record))
    return out


@pytest.fixture(scope="module")
def replay(folder: Path) -> Iterator[Callable[..., list[Event]]]:
    """Runs the command; the same picture is looked at by the detector once in this module."""
    known: dict[tuple[object, ...], Detections] = {}
    look = TableDetector.__call__

    def once(self: TableDetector, image: Image) -> Detections:
        key = (zlib.crc32(image.tobytes()), self.view.calibration.corners)
        if key not in known:
            known[key] = look(self, image)
        return known[key]

    def run(name: str, *more: str) -> list[Event]:
        out = folder / f"log{len(list(folder.glob('log*')))}.jsonl"
        words = ["replay", str(folder / f"{name}.mp4"), "--calibration", str(folder / f"{name}.json")]
        assert main([*words, "--ruleset", "pzh-popular", "--dealer", "E", "--events", str(out), *more]) == 0
        return [line.event for line in read_log(out.read_text("utf-8").splitlines())]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TableDetector, "__call__", once)
        yield run


def true_events() -> list[Event]:
    return [e for e in played()[0].events if e.t is None or e.t < SECONDS - 1]


def f1(log: Sequence[Event]) -> float:
    return compare(true_events(), log).all.f1


def declarations(log: Sequence[Event]) -> list[tuple[str, str]]:
    return [(e.seat, e.declaration) for e in log if isinstance(e, Declare)]


def test_tokens_declare_once_at_the_right_seat_and_time(
    replay: Callable[..., list[Event]], folder: Path
) -> None:
    log = replay("table2", "--observations", str(folder / "seen.jsonl.gz"))
    true = [e for e in true_events() if isinstance(e, Declare)]
    assert declarations(log) == declarations(true) == [("N", "sing"), ("S", "dance")]
    for mine, theirs in zip([e for e in log if isinstance(e, Declare)], true, strict=True):
        assert abs((mine.t or 0) - (theirs.t or 0)) < 2.5
    out = folder / "again.jsonl"
    words = ["replay", "--from-log", str(folder / "seen.jsonl.gz"), "--ruleset", "pzh-popular"]
    assert main([*words, "--dealer", "E", "--events", str(out)]) == 0
    assert [line.event for line in read_log(out.read_text("utf-8").splitlines())] == log


def test_two_cameras_read_no_less_than_the_better_one(
    replay: Callable[..., list[Event]], folder: Path
) -> None:
    first, second = f1(replay("table")), f1(replay("table2"))
    together = replay("table", "--camera", f"table2={folder / 'table2.mp4'}")
    print(f"F1 {first:.3f} and {second:.3f}, together {f1(together):.3f}")
    assert f1(together) >= max(first, second) > 0.8
    assert declarations(together) == [("N", "sing"), ("S", "dance")]


def test_a_camera_on_a_hand_tells_its_tiles_and_what_it_waits_for(
    replay: Callable[..., list[Event]], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = folder / "hand_seen.jsonl.gz"
    words = ("--camera", f"hand.S={folder / 'hand.mp4'}", "--lang", "en", "--observations", str(kept))
    log = replay("table", *words)
    said = capsys.readouterr().out
    full = [e for e in played()[0].source if getattr(e, "seat", None) == "S"]
    deal = next(e for e in log if isinstance(e, Deal) and e.seat == "S")
    assert deal.tiles == next(e.tiles for e in full if isinstance(e, Deal))
    draws = [e.tile for e in log if isinstance(e, Draw) and e.seat == "S"]
    assert draws == [e.tile for e in full if isinstance(e, Draw)][: len(draws)]
    assert "South is ready: waits 5p" in said
    out = folder / "hand_again.jsonl"
    again = ["replay", "--from-log", str(kept), "--ruleset", "pzh-popular", "--dealer", "E"]
    assert main([*again, "--events", str(out)]) == 0
    assert [line.event for line in read_log(out.read_text("utf-8").splitlines())] == log


class Stage:
    """The recordings as cameras on one clock: before `start` everything stands still."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._start = float("inf")
        self._pictures = {name: read_pictures(folder / f"{name}.mp4", FPS) for name in names}
        # With the noise that a camera has, or they would count as frozen.
        self._still = {name: [p for _, p in _noisy(self._pictures[name][0], 8, None)] for name in names}
        self.cameras = {name: LoopbackRtspCamera(partial(self._now, name), FPS) for name in names}

    def _now(self, name: str, number: int) -> bytes:
        passed = int((time.monotonic() - self._start) * FPS) if time.monotonic() > self._start else 0
        pictures = self._pictures[name]
        return pictures[min(passed, len(pictures) - 1)] if passed else self._still[name][number % 8]

    def start(self) -> None:
        """The game begins."""
        self._start = time.monotonic()

    def close(self) -> None:
        """The cameras are gone."""
        for camera in self.cameras.values():
            camera.close()


def test_live_sees_the_table_and_a_hand_by_two_network_cameras(folder: Path, live_command: Any) -> None:
    stage = Stage(folder, ("table", "hand"))
    table, hand = (stage.cameras[name].url for name in ("table", "hand"))
    out = folder / "live.jsonl"
    words = ["--camera", f"table={table}", "--camera", f"hand.S={hand}", "--dealer", "E"]
    words += ["--calibration", str(folder / "table.json"), "--ruleset", "pzh-popular"]
    try:
        game = live_command([*words, "--events", str(out), "--no-store"])
        page = game.page()
        time.sleep(8)
        stage.start()
        time.sleep(SECONDS - 2)
        cameras = httpx.get(page + "health").json()["cameras"]
        picture = httpx.get(page + "frame.jpg?camera=hand.S").content
        said, _ = game.interrupt()
    finally:
        stage.close()
    assert {name: camera["state"] for name, camera in cameras.items()} == {"table": "ok", "hand.S": "ok"}
    assert picture.startswith(b"\xff\xd8")
    log = [line.event for line in read_log(out.read_text("utf-8").splitlines())]
    full = [e for e in played()[0].source if getattr(e, "seat", None) == "S"]
    print(said, *(event for event in log if getattr(event, "seat", None) == "S"), sep="\n")
    deal = next(e for e in log if isinstance(e, Deal) and e.seat == "S")
    assert deal.tiles == next(e.tiles for e in full if isinstance(e, Deal))
    assert sum(e.type == "discard" for e in log) > 8
