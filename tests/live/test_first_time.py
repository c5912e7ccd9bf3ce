"""``pzvision live --camera …`` and nothing else: rules as last time, and a calibration made first."""

from __future__ import annotations

import argparse
import socket
import sys
import threading
import time
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.live.first_time import USUAL, choose_rules
from pzvision.live.store import Store
from pzvision.rules.arguments import parse_options
from pzvision.vision.calibration import load
from pzvision.vision.detections import Detections
from pzvision.vision.tableview import TableDetector

CORNERS = [[0.18, 0.97], [0.82, 0.97], [0.70, 0.05], [0.30, 0.05]]


class NoTiles:
    """A detector that finds nothing, so that no model is needed."""

    providers = ("none",)

    def __init__(self, *args: object, **more: object) -> None:
        pass

    def __call__(self, image: np.ndarray, **more: object) -> Detections:
        return Detections.empty((image.shape[1], image.shape[0]))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a short recording and no calibration; also the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PZVISION_DATA", str(tmp_path / "data"))  # no evening before this one
    writer = cv2.VideoWriter("v.avi", cv2.VideoWriter.fourcc(*"MJPG"), 10, (320, 180))
    for i in range(15):
        writer.write(np.full((180, 320, 3), 60 + i, np.uint8))
    writer.release()
    assert TableDetector
    monkeypatch.setattr("pzvision.vision.detector.TileDetector", NoTiles)
    return tmp_path


def arguments(store: Path | None, **more: object) -> argparse.Namespace:
    given = {
        "ruleset": None,
        "option": [],
        "store": store and str(store),
        "no_store": store is None,
        "lang": "en",
    }
    return argparse.Namespace(**{**given, **more})


def test_the_usual_rules_where_nobody_said_any(tmp_path: Path) -> None:
    said: list[str] = []
    args = arguments(tmp_path / "none.sqlite")
    choose_rules(args, tell=said.append)
    assert args.ruleset == USUAL and args.option == []
    assert len(said) == 1 and USUAL in said[0] and "--ruleset" in said[0]
    assert not (tmp_path / "none.sqlite").exists()


def test_rules_as_last_time(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    known = {"cap": None, "rob_kong": True}
    for ruleset, more in (("pzh-traditional", {}), ("xichang", known)):
        store.begin("table=0", {"ruleset": ruleset, "options": more}).finish()
    store.close()
    said: list[str] = []
    args = arguments(tmp_path / "s.sqlite")
    choose_rules(args, tell=said.append)
    assert args.ruleset == "xichang" and "Rules as last time" in said[0]
    assert parse_options(args.option) == known
    # What was given stays.
    args = arguments(tmp_path / "s.sqlite", option=["cap=64"])
    choose_rules(args, tell=said.append)
    assert (args.ruleset, args.option) == ("xichang", ["cap=64"])
    args = arguments(tmp_path / "s.sqlite", ruleset="pzh-popular")
    choose_rules(args, tell=said.append)
    assert args.ruleset == "pzh-popular" and len(said) == 2
    args = arguments(None)
    choose_rules(args, tell=said.append)
    assert args.ruleset == USUAL


def test_a_camera_is_enough(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda *a: "n")
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    answers: list[int] = []

    def person() -> None:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                start = httpx.get(f"{url}/calibrate/start").json()
                if start["size"]:
                    break
            except (httpx.TransportError, ValueError):
                pass
            time.sleep(0.05)
        body = {"corners": CORNERS, "near": "W"}
        answers.append(httpx.post(f"{url}/calibrate/save", json=body, headers={"Origin": url}).status_code)

    thread = threading.Thread(target=person)
    thread.start()
    status = main(["live", "--camera", "v.avi", "--port", str(port)])
    thread.join()
    out, err = capsys.readouterr()
    assert status == 0 and answers == [200], err
    made = load(folder / "calibration/table.toml")
    assert made.near_seat == "W" and [list(corner) for corner in made.corners] == CORNERS
    assert "还没有标定" in err and "先按" in err and "重投影误差" in out and "牌桌页面" in out
    # The next time nothing is asked.
    assert main(["live", "--camera", "v.avi", "--port", "0"]) == 0
    err = capsys.readouterr().err
    assert "还没有标定" not in err and "规则同上一场" in err


def test_without_a_terminal_it_says_what_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", "--camera", "v.avi", "--no-store"]) == 2
    err = capsys.readouterr().err
    assert "no calibration" in err.splitlines()[-1]
