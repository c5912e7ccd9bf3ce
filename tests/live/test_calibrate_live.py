"""``/calibrate`` beside a running game: the live picture, and corners that reach the game as an order."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import cv2
import httpx
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.live.calibrate_live import GameView
from pzvision.live.desk import Desk
from pzvision.live.hub import Hub
from pzvision.live.orders import CalibrationOrder, Order
from pzvision.live.pipeline import Pipeline
from pzvision.live.server import PageServer, build_app
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.vision.calibration import Calibration
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import CaptureConfig, Frame, Image
from pzvision.vision.detections import Detections

CORNERS = [[0.18, 0.95], [0.82, 0.95], [0.70, 0.06], [0.30, 0.06]]
OLD = Calibration((1280, 720), ((0.2, 0.95), (0.8, 0.95), (0.7, 0.05), (0.3, 0.05)), near_seat="S")


class Game:
    """What `GameView` needs of a pipeline."""

    calibration = OLD
    image: Image | None = np.full((720, 1280, 3), 90, np.uint8)


def test_new_corners_reach_the_game_as_an_order() -> None:
    desk, orders = Desk(), []

    def carry_out(order: Order) -> Mapping[str, Any]:
        orders.append(order)
        if len(orders) > 1:
            raise PzvisionError("the game is over")
        return {}

    view = GameView(Game(), desk)  # type: ignore[arg-type]
    server = PageServer(build_app(Hub(), desk=desk, calibrate=view), 0)
    server.start()
    stop = threading.Event()

    def game() -> None:
        while not stop.is_set():
            desk.wait(0.05)
            desk.attend(carry_out)

    thread = threading.Thread(target=game)
    thread.start()
    url = server.url.rstrip("/")
    try:
        assert "calibrate.js" in httpx.get(url + "/calibrate").text
        start = httpx.get(url + "/calibrate/start").json()
        assert start["near"] == "S" and start["live"] and start["corners"] == [list(c) for c in OLD.corners]
        body = {"corners": CORNERS, "near": "S"}
        assert httpx.post(url + "/calibrate/save", json=body).status_code == 403
        answer = httpx.post(url + "/calibrate/save", json=body, headers={"Origin": url})
        assert answer.json()["ok"]
        assert isinstance(orders[0], CalibrationOrder) and orders[0].save
        assert [list(c) for c in orders[0].corners] == CORNERS and orders[0].near_seat == "S"
        again = httpx.post(url + "/calibrate/save", json=body, headers={"Origin": url})
        assert again.status_code == 422 and "over" in again.json()["error"]
    finally:
        stop.set()
        thread.join()
        server.stop()


def test_without_a_game_there_is_no_such_page() -> None:
    server = PageServer(build_app(Hub()), 0)
    server.start()
    try:
        assert httpx.get(server.url + "calibrate").status_code == 404
    finally:
        server.stop()


class Bumped:
    """A camera on a table full of things, which somebody knocks over."""

    size = (640, 360)

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        scene = np.full((self.size[1], self.size[0], 3), 70, np.uint8)
        for x, y in rng.integers(0, self.size, (160, 2)):
            tone = tuple(int(v) for v in rng.integers(60, 255, 3))
            cv2.rectangle(scene, (int(x), int(y)), (int(x) + 14, int(y) + 18), tone, -1, cv2.LINE_AA)
        self.scene = cv2.GaussianBlur(scene, (0, 0), 0.8)
        self.over = False

    def connect(self) -> Iterator[Frame]:
        noise = np.random.default_rng(2)
        for count in range(10_000):
            time.sleep(1 / 15)
            image = np.rot90(self.scene, 2) if self.over else self.scene
            seen = image.astype(np.int16) + noise.integers(-3, 4, image.shape, np.int16)
            yield Frame(np.clip(seen, 0, 255).astype(np.uint8), 0.0, count)


def test_a_knocked_over_camera_pauses_the_game_until_somebody_calibrates() -> None:
    camera = Bumped()
    calibration = Calibration(camera.size, OLD.corners, near_seat="S")
    source = LiveSource("bumped", camera.connect, CaptureConfig(), reconnect=True)
    source._start()
    assert source.latest(timeout=5, consume=False) is not None
    under: list[Calibration] = []
    looks: list[Calibration] = []

    def new_detector(wanted: Calibration) -> Callable[[Image], Detections]:
        under.append(wanted)

        def look(image: Image) -> Detections:
            looks.append(wanted)
            return Detections.empty(camera.size)

        return look

    hub, desk, kept = Hub(), Desk(), []
    said: list[str] = []
    pipeline = Pipeline(
        source,
        calibration,
        HandMaker(calibration, HandSettings("pzh-popular", dealer="E")),
        new_detector(calibration),
        hub=hub,
        desk=desk,
        new_detector=new_detector,
        save_calibration=kept.append,
        note=said.append,
    )
    server = PageServer(build_app(hub, desk=desk, calibrate=GameView(pipeline, desk)), 0, on_stop=hub.close)
    server.start()
    game = threading.Thread(target=pipeline.run)
    game.start()
    url = server.url

    def wait_for(what: Callable[[], bool], seconds: float = 20.0) -> None:
        until = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < until, httpx.get(url + "health").text
            time.sleep(0.05)

    try:
        wait_for(lambda: len(looks) > 2 and httpx.get(url + "health").status_code == 200)
        time.sleep(2.5)
        camera.over = True
        wait_for(lambda: httpx.get(url + "health").json()["cameras"]["table"]["state"] == "moved")
        assert httpx.get(url + "health").status_code == 503
        wait_for(lambda: bool(httpx.get(url + "state").json()["paused"]))
        wait_for(lambda: any("/calibrate" in text for text in said))
        count = len(looks)
        time.sleep(1.5)
        assert len(looks) == count, "nothing is read from a camera that looks elsewhere"
        body = {"corners": CORNERS, "near": "W"}
        answer = httpx.post(url + "calibrate/save", json=body, headers={"Origin": url.rstrip("/")})
        assert answer.status_code == 200, answer.text
        wait_for(lambda: httpx.get(url + "health").status_code == 200)
        wait_for(lambda: not httpx.get(url + "state").json()["paused"])
        wait_for(lambda: len(looks) > count and looks[-1].near_seat == "W")
        assert [list(corner) for corner in looks[-1].corners] == CORNERS and kept == [looks[-1]]
    finally:
        source.stop()
        game.join(20)
        desk.close()
        server.stop()
