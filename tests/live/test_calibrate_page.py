"""The calibration page, standing alone and as routes of a running game."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import httpx
import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.live.calibrate_page import CalibratePage
from pzvision.live.calibrating import Ask
from pzvision.live.server import PageServer
from pzvision.synth.cards import flat_table
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image

SIZE = (1280, 720)
CORNERS = [[0.18, 0.95], [0.82, 0.95], [0.70, 0.06], [0.30, 0.06]]


def table(preset: str = "front") -> tuple[Image, np.ndarray]:
    """A bare table with the corner cards, and the felt's true corners in px."""
    return flat_table(preset, SIZE)


@pytest.fixture
def page() -> Iterator[tuple[CalibratePage, str, list[Image]]]:
    pictures = [table()[0]]
    made = CalibratePage(lambda: pictures[-1], Ask(near="S", camera="table2"), live=True)
    server = PageServer(made.app, 0)
    server.start()
    yield made, server.url.rstrip("/"), pictures
    server.stop()


def test_corners_are_judged_and_saved(page: tuple[CalibratePage, str, list[Image]]) -> None:
    made, url, _ = page
    origin = {"Origin": url}
    assert httpx.get(url + "/", follow_redirects=True).text.startswith("<!doctype html>")
    for name in ("calibrate.js", "calibrate.css"):
        assert httpx.get(f"{url}/calibrate/files/{name}").status_code == 200
    assert httpx.get(f"{url}/calibrate/files/index.html").status_code == 404
    start = httpx.get(url + "/calibrate/start").json()
    assert (start["size"], start["near"], start["live"], start["grid"]) == ([1280, 720], "S", True, [31, 24])
    assert httpx.get(url + "/calibrate/picture.jpg").headers["content-type"] == "image/jpeg"
    body = {"corners": CORNERS, "near": "W"}
    for headers in ({}, {"Origin": "http://evil"}):
        assert httpx.post(url + "/calibrate/save", json=body, headers=headers).status_code == 403
    wrong = {"corners": CORNERS[::-1], "near": "W"}
    answer = httpx.post(url + "/calibrate/check", json=wrong, headers=origin)
    assert answer.status_code == 422 and "order" in answer.json()["error"]
    for junk in (b"{", b"[]", json.dumps({"corners": [[1]], "near": "E"}).encode()):
        assert httpx.post(url + "/calibrate/check", content=junk, headers=origin).status_code == 422
    assert httpx.post(url + "/calibrate/check", content=b"x" * 9999, headers=origin).status_code == 413
    assert httpx.post(url + "/calibrate/check", json=body, headers=origin).json()["ok"]
    assert not made.saved.is_set() and httpx.get(url + "/calibrate/grid.jpg").status_code == 204
    save = threading.Timer(0.1, lambda: httpx.post(url + "/calibrate/save", json=body, headers=origin))
    save.start()
    assert made.saved.wait(5)
    save.join()
    assert made.calibration is not None
    assert (made.calibration.near_seat, made.calibration.camera) == ("W", "table2")
    assert httpx.get(url + "/calibrate/grid.jpg").status_code == 200


def test_auto_finds_the_corners_by_the_cards(page: tuple[CalibratePage, str, list[Image]]) -> None:
    _, url, pictures = page
    origin = {"Origin": url}
    pictures.append(np.full((SIZE[1], SIZE[0], 3), 90, np.uint8))
    refused = httpx.post(url + "/calibrate/auto", json={"near": "E"}, headers=origin)
    assert refused.status_code == 422 and "near-left (card 1)" in refused.json()["error"]
    image, corners = table("right")
    pictures.append(image)
    answer = httpx.post(url + "/calibrate/auto", json={"near": "E"}, headers=origin).json()
    assert np.abs(np.array(answer["corners"]) * SIZE - corners).max() < 1.5
    assert abs(answer["table_cm"] - 85) < 1.0 and "px root mean square" in answer["words"]["en"][0]


def test_an_earlier_calibration_is_kept_but_for_its_corners() -> None:
    old = Calibration(
        SIZE,
        tuple((x, y) for x, y in CORNERS),
        90.0,
        near_seat="N",
        tile_set="ours",
        lens=(-0.1, 0.0, 0.0, 0.0, 0.0),
        camera_matrix=((900.0, 0.0, 640.0), (0.0, 900.0, 360.0), (0.0, 0.0, 1.0)),
    )
    new = Ask.like(old).calibration(SIZE, CORNERS, 90.0)
    assert new.lens == old.lens and new.camera_matrix == old.camera_matrix
    assert (new.table_cm, new.near_seat, new.tile_set, new.camera) == (90.0, "N", "ours", "table")
    with pytest.raises(PzvisionError, match="one shape"):
        Ask.like(old).calibration((640, 480), CORNERS, 90.0)
