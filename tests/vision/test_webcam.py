"""A webcam by its number, with OpenCV's capture replaced by a device we can unplug."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.vision.calibration import Calibration
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import CaptureConfig, open_source

QUICK = CaptureConfig(
    open_deadline_s=2.0, read_deadline_s=1.0, silent_s=0.5, first_backoff_s=0.05, max_backoff_s=0.2
)
BACKENDS = {"linux": cv2.CAP_V4L2, "win32": cv2.CAP_DSHOW, "darwin": cv2.CAP_AVFOUNDATION}


class Devices:
    """Webcams by number, as OpenCV would find them.

    ``there``: the numbers plugged in. ``sizes``: what the driver can do; it takes the nearest to the wish.
    ``backends``: the interfaces by which it opens; all by default. ``hangs``: a read does not return.
    """

    def __init__(self) -> None:
        self.there = {0}
        self.sizes = [(640, 480), (1280, 720), (1920, 1080)]
        self.backends: set[int] | None = None
        self.hangs = False
        self.asked: list[tuple[int, float]] = []
        self.opened: list[tuple[int, int]] = []
        self.times: list[float] = []
        self.released = 0
        self.reads = 0


class FakeCapture:
    """`cv2.VideoCapture` of one device, as far as we use it."""

    devices: Devices

    def __init__(self, number: int, backend: int = cv2.CAP_ANY) -> None:
        self.number = number
        self._size = (640, 480)
        self._asked: dict[int, float] = {}
        allowed = self.devices.backends is None or backend in self.devices.backends
        self._open = number in self.devices.there and allowed
        self.devices.opened.append((number, backend))
        self.devices.times.append(time.monotonic())

    def isOpened(self) -> bool:
        return self._open

    def set(self, what: int, value: float) -> bool:
        self.devices.asked.append((what, value))
        self._asked[what] = value
        wanted = (self._asked.get(cv2.CAP_PROP_FRAME_WIDTH, 0), self._asked.get(cv2.CAP_PROP_FRAME_HEIGHT, 0))
        self._size = min(self.devices.sizes, key=lambda s: abs(s[0] - wanted[0]) + abs(s[1] - wanted[1]))
        return True

    def read(self) -> tuple[bool, Any]:
        assert self._open
        while self.devices.hangs:
            time.sleep(0.02)
        if self.number not in self.devices.there:
            return False, None
        time.sleep(0.02)
        self.devices.reads += 1
        noise = np.random.default_rng(self.devices.reads).integers(60, 90, (self._size[1], self._size[0], 1))
        return True, np.repeat(noise, 3, axis=2).astype(np.uint8)

    def release(self) -> None:
        self.devices.released += 1


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> Iterator[Devices]:
    devices = Devices()
    monkeypatch.setattr(FakeCapture, "devices", devices, raising=False)
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    yield devices
    devices.hangs = False


def wait_for(what: Callable[[], bool], seconds: float = 6.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("platform", list(BACKENDS))
def test_opened_by_the_systems_interface_and_asked_for_a_large_picture(
    devices: Devices, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    source = open_source("0", config=QUICK)  # a webcam is live without being told
    assert isinstance(source, LiveSource)
    assert devices.opened == [(0, BACKENDS[platform])]
    assert devices.asked == [
        (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")),  # before the size, or drivers refuse it
        (cv2.CAP_PROP_FRAME_WIDTH, 1280),
        (cv2.CAP_PROP_FRAME_HEIGHT, 720),
        (cv2.CAP_PROP_FPS, 30),
    ]
    assert source.size == (1280, 720)
    frame = source.latest(timeout=2)
    assert frame is not None and frame.image.shape == (720, 1280, 3)
    source.close()
    assert devices.released == 1


def test_another_interface_is_tried_where_the_systems_own_does_not_open(devices: Devices) -> None:
    devices.backends = {cv2.CAP_ANY}
    source = open_source("0", config=QUICK)
    assert [backend for _, backend in devices.opened] == [BACKENDS.get(sys.platform), cv2.CAP_ANY]
    source.close()


def test_a_camera_with_small_pictures_only_gives_those(devices: Devices) -> None:
    devices.sizes = [(640, 480)]
    source = open_source("0", config=replace(QUICK, webcam_size=(1920, 1080)))
    assert source.size == (640, 480)
    source.close()


def test_none_with_that_number(devices: Devices) -> None:
    begun = time.monotonic()
    with pytest.raises(PzvisionError, match=r"no camera 3: nothing answers there \(plug it in"):
        open_source("3", live=True, config=QUICK)
    assert time.monotonic() - begun < 2, "refused outright is not waited for"


def test_one_that_opens_but_never_sends(devices: Devices) -> None:
    devices.hangs = True
    begun = time.monotonic()
    with pytest.raises(PzvisionError, match="no camera 0"):
        open_source("0", config=QUICK)
    assert time.monotonic() - begun < QUICK.open_deadline_s + 3


@pytest.mark.parametrize("how", ["unplugged", "hangs"])
def test_unplugged_and_plugged_in_again(devices: Devices, how: str) -> None:
    source = open_source("0", config=QUICK)
    assert isinstance(source, LiveSource)
    wait_for(lambda: source.health.state == "ok")
    if how == "unplugged":
        devices.there.clear()
    else:
        devices.hangs = True
    wait_for(lambda: source.health.state == "lost")
    assert source.health.reason
    wait_for(lambda: len(devices.opened) > 1)
    devices.there.add(0)
    devices.hangs = False
    wait_for(lambda: source.health.state == "ok")
    assert source.health.reconnects >= 1
    assert devices.asked[-3:] == devices.asked[1:4], "asked for the same again"
    source.close()


def test_tries_grow_rarer_up_to_a_limit(devices: Devices) -> None:
    devices.backends = {BACKENDS.get(sys.platform, cv2.CAP_ANY)}
    source = open_source("0", config=replace(QUICK, first_backoff_s=0.2, max_backoff_s=0.8))
    devices.times.clear()
    devices.there.clear()
    wait_for(lambda: len(devices.times) >= 12, 12)
    source.close()
    # Each try asks two interfaces.
    tries = [t for k, t in enumerate(devices.times) if k == 0 or t - devices.times[k - 1] > 0.1]
    waits = np.diff(tries)
    assert all(0.15 < wait < 1.4 for wait in waits)
    assert waits[0] < 0.75 and waits[1] > 0.7 and all(wait > 0.75 for wait in waits[2:])


# -- the commands


CORNERS = ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05))


def live(folder: Path, *more: str) -> int:
    words = ["live", "--ruleset", "pzh-popular", "--calibration", str(folder / "c.toml"), "--no-store"]
    return main([*words, "--no-page", *more])


def test_live_without_that_camera_is_one_line(
    devices: Devices, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Calibration((1280, 720), CORNERS).save(tmp_path / "c.toml")
    assert live(tmp_path, "--camera", "2") == 2
    err = capsys.readouterr().err
    assert err.startswith("pzvision: error: no camera 2: ") and err.count("\n") == 1


def test_live_asks_for_the_size_it_was_calibrated_at(
    devices: Devices, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Calibration((1920, 1080), CORNERS).save(tmp_path / "c.toml")
    devices.sizes.remove((1920, 1080))
    assert live(tmp_path, "--camera", "0") == 2
    assert (cv2.CAP_PROP_FRAME_WIDTH, 1920) in devices.asked
    err = capsys.readouterr().err
    assert "1920 × 1080" in err and "1280 × 720" in err and err.count("\n") == 1
