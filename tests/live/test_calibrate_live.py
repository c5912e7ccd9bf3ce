"""``/calibrate`` beside a running game: the live picture, and corners that reach the game as an order."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import httpx
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.live.calibrate_live import GameView
from pzvision.live.desk import Desk
from pzvision.live.hub import Hub
from pzvision.live.orders import CalibrationOrder, Order
from pzvision.live.server import PageServer, build_app
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image

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
