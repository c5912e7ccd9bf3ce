"""``pzvision calibrate``: by the corner cards in a photo or from a network camera, and on the page."""

from __future__ import annotations

import socket
import threading
import time
import tomllib
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.live.calibrating import Ask
from pzvision.live.fit import judge_fit, refusal_zh
from pzvision.live.loopback import LoopbackCamera, encode
from pzvision.live.loopback_rtsp import LoopbackRtspCamera
from pzvision.synth.cards import flat_table
from pzvision.vision.calibration import Calibration, load
from pzvision.vision.capture import Image
from pzvision.vision.markers import CORNER_IDS

SIZE = (1280, 720)


def table(*, without: int | None = None) -> tuple[Image, np.ndarray]:
    """A bare table with the corner cards, and the felt's true corners, 0–1."""
    image, corners = flat_table("front", SIZE, [number for number in CORNER_IDS if number != without])
    return image, corners / SIZE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    cv2.imwrite("table.png", table()[0])
    cv2.imwrite("three.png", table(without=2)[0])
    return tmp_path


def error(path: str, true: np.ndarray) -> float:
    """The greatest distance of a corner from where it is, px."""
    return float(np.abs((np.array(load(path).corners) - true) * SIZE).max())


def test_the_corner_cards_in_a_photo(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["calibrate", "table.png", "--markers", "--near", "W", "--preview", "grid.png", "--lang", "en"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "px root mean square" in out and "Reprojection error" in out and "A tile in the picture" in out
    assert error("calibration/table.toml", table()[1]) < 1.5
    written = tomllib.loads((folder / "calibration/table.toml").read_text("utf-8"))
    assert written["schema"] == 1 and written["image_size"] == [1280, 720] and written["camera"] == "table"
    assert written["near_seat"] == "W" and written["date"] and abs(written["table_cm"] - 85) < 1
    assert all(0 <= v <= 1 for corner in written["corners"] for v in corner)
    before, after = cv2.imread("table.png"), cv2.imread("grid.png")
    assert before is not None and after is not None and before.shape == after.shape
    # The grid's lines are thin and everywhere on the felt.
    changed = np.abs(before.astype(int) - after).max(axis=2) > 20
    felt = np.zeros(changed.shape, np.uint8)
    cv2.fillConvexPoly(felt, np.round(table()[1] * SIZE).astype(np.int32), 1)
    assert 0.05 < changed[felt > 0].mean() < 0.6


def test_a_card_that_is_not_seen_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "three.png", "--markers"]) == 2
    err = capsys.readouterr().err
    assert "far-right (card 3)" in err and err.count("\n") == 1
    assert not Path("calibration").exists()


def test_corners_that_no_camera_sees_so_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corners = ["0.4,0.9", "0.6,0.9", "0.95,0.2", "0.05,0.2"]
    assert main(["calibrate", "table.png", "--corners", *corners]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "px" in err
    assert not Path("calibration").exists()


@pytest.mark.parametrize("kind", ["http", "rtsp"])
def test_the_corner_cards_from_a_network_camera(folder: Path, kind: str) -> None:
    picture = encode(table()[0])
    camera = LoopbackRtspCamera([picture], 15) if kind == "rtsp" else LoopbackCamera([picture], 15)
    try:
        assert main(["calibrate", camera.url, "--markers", "--near", "N"]) == 0
    finally:
        camera.close()
    assert error("calibration/table.toml", table()[1]) < 1.5


def test_the_page_shows_a_network_camera_live(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bright = [encode(np.full((SIZE[1], SIZE[0], 3), 40 + 10 * k, np.uint8)) for k in range(20)]
    camera = LoopbackCamera(bright, 10)
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    url, true = f"http://127.0.0.1:{port}", table()[1]
    seen: list[float] = []
    starts: list[dict[str, object]] = []

    def person() -> None:
        until = time.monotonic() + 30
        while time.monotonic() < until and not starts:
            try:
                starts.append(httpx.get(f"{url}/calibrate/start").json())
            except (httpx.TransportError, ValueError):
                time.sleep(0.05)
        for _ in range(6):
            data = np.frombuffer(httpx.get(f"{url}/calibrate/picture.jpg").content, np.uint8)
            image = cv2.imdecode(data, cv2.IMREAD_COLOR)
            assert image is not None
            seen.append(float(image.mean()))
            time.sleep(0.25)
        body = {"corners": true.tolist(), "near": "S"}
        httpx.post(f"{url}/calibrate/save", json=body, headers={"Origin": url})

    thread = threading.Thread(target=person)
    thread.start()
    try:
        assert main(["calibrate", camera.url, "--port", str(port), "--out", "c.toml"]) == 0
    finally:
        thread.join()
        camera.close()
    assert starts and starts[0]["live"] and len({round(v) for v in seen}) > 3
    assert error("c.toml", true) < 0.1


def test_refusals_are_told_in_chinese_too() -> None:
    cards = "near-left (card 1), far-right (card 3)"
    told = {
        f"corner card not seen: {cards}: lay it flat, uncovered, in the picture, with white paper all round"
        " the black square": "没看到桌角卡:近左 (1)、远右 (3);放平、别遮住,黑框四周留白",
        "corners: near-left is a dent, expected a convex outline": "近左角凹进去了,四条边要往外凸",
        "something new": "",
    }
    for text, zh in told.items():
        assert refusal_zh(text) == zh
    wrong = [
        [(0.1, 0.9), (0.9, 0.9), (0.5, 0.85), (0.1, 0.1)],
        [(0.9, 0.9), (0.1, 0.9), (0.9, 0.1), (0.1, 0.1)],
        [(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)],
        [(0.1, 0.9), (0.9, 0.9), (9.0, 0.1), (0.1, 0.1)],
        [(0.1, 0.9), (0.1, 0.9), (0.9, 0.1), (0.1, 0.1)],
        [(0.1, 0.9), (0.5, 0.9), (0.9, 0.9), (0.1, 0.1)],
        [(0.5, 0.6), (0.6, 0.6), (0.58, 0.55), (0.52, 0.55)],
        [(0.4, 0.9), (0.6, 0.9), (0.95, 0.2), (0.05, 0.2)],
    ]
    refused = []
    for corners in wrong:
        with pytest.raises(PzvisionError) as caught:
            judge_fit(Calibration(SIZE, tuple(corners)))  # type: ignore[arg-type]
        refused.append(str(caught.value))
        assert refusal_zh(refused[-1]), refused[-1]
    assert len({text.split(",")[0] for text in refused}) >= 6
    for without in range(4):
        with pytest.raises(PzvisionError) as caught:
            Ask().by_markers(table(without=without)[0])
        assert "没看到桌角卡" in refusal_zh(str(caught.value))
