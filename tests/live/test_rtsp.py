"""RTSP cameras: our own loopback one, and GStreamer's server where it is installed (``-m slow``)."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.evaluation import compare
from pzvision.game import read_log
from pzvision.live.loopback import LoopbackCamera, encode, read_pictures
from pzvision.live.loopback_rtsp import LoopbackRtspCamera, packets
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import CaptureConfig, Image, open_source

DEMO = Path(__file__).parents[2] / "pzvision/live/demo"
CONFIG = CaptureConfig(
    open_deadline_s=5.0, read_deadline_s=1.0, silent_s=0.5, first_backoff_s=0.1, max_backoff_s=0.4
)
FPS = 20.0


class Clock:
    """Pictures that carry their number, and when each was sent."""

    def __init__(self, size: tuple[int, int] = (640, 360)) -> None:
        self.size = size
        self.sent: dict[int, float] = {}

    def __call__(self, number: int) -> bytes:
        image = np.full((self.size[1], self.size[0], 3), 90, np.uint8)
        for bit in range(12):
            image[40:80, 24 + 48 * bit : 64 + 48 * bit] = 255 if number >> bit & 1 else 0
        image[200:, :, 0] = np.linspace(0, 255, self.size[0]).astype(np.uint8)  # blue from left to right
        self.sent[number] = time.monotonic()
        return encode(image)

    @staticmethod
    def read(image: Image) -> int:
        return sum(int(image[60, 44 + 48 * bit, 1] > 128) << bit for bit in range(12))


def wait_for(what: Callable[[], bool], seconds: float = 8.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def opened(url: str, stack: ExitStack, config: CaptureConfig = CONFIG) -> LiveSource:
    source = open_source(url, live=True, config=config)
    assert isinstance(source, LiveSource)
    stack.callback(source.close)
    return source


def test_pictures_arrive_whole_new_and_at_their_time(stack: ExitStack) -> None:
    clock = Clock()
    camera = LoopbackRtspCamera(clock, FPS)
    stack.callback(camera.close)
    source = opened(camera.url, stack)
    assert source.size == clock.size
    source.latest(timeout=2)
    ages, numbers, times = [], [], []
    for _ in range(15):
        time.sleep(0.15)  # a consumer slower than the camera: what it gets is the newest, nothing waits
        frame = source.latest(timeout=2)
        assert frame is not None and frame.state == "ok"
        numbers.append(clock.read(frame.image))
        ages.append(time.monotonic() - clock.sent[numbers[-1]])
        times.append(frame.t)
    assert numbers == sorted(set(numbers)) and numbers[-1] - numbers[0] >= 28
    assert np.median(ages) < 0.15, "frames queue up somewhere"
    # Times are those of arrival: they go on with the clock, whatever the reader does.
    sent = [clock.sent[n] - clock.sent[numbers[0]] for n in numbers]
    assert np.allclose(np.array(times) - times[0], sent, atol=0.15)
    health = source.health
    assert health.state == "ok" and health.fps > 0.6 * FPS
    assert health.dropped >= numbers[-1] - numbers[0] - 15
    # Colours are those sent.
    frame = source.latest(timeout=2)
    assert frame is not None
    blue = frame.image[220:340, :, 0].mean(axis=0)
    assert np.abs(blue - np.linspace(0, 255, len(blue))).max() < 12


def test_a_server_that_goes_away_and_comes_back(stack: ExitStack) -> None:
    first = LoopbackRtspCamera(Clock(), FPS)
    source = opened(first.url, stack)
    first.close()
    wait_for(lambda: source.health.state == "lost")
    assert source.health.reason
    time.sleep(1.0)  # longer than the longest wait between two tries
    again = LoopbackRtspCamera(Clock(), FPS, port=first.port)
    stack.callback(again.close)
    wait_for(lambda: source.health.state == "ok")
    assert source.health.reconnects >= 1 and again.connections >= 1
    frame = source.latest(timeout=2)
    assert frame is not None and frame.t > 1.0, "time goes on over the gap"


def test_a_server_that_falls_silent_is_opened_anew(stack: ExitStack) -> None:
    clock = Clock()
    silent: list[int] = []

    def stops(number: int) -> bytes:
        if number == 60 and not silent:
            silent.append(number)
            time.sleep(4)  # the connection stays open, nothing comes
        return clock(number)

    camera = LoopbackRtspCamera(stops, FPS)
    stack.callback(camera.close)
    source = opened(camera.url, stack)
    wait_for(lambda: source.health.state == "lost")
    wait_for(lambda: source.health.state == "ok" and camera.connections >= 2)


def test_nobody_there_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(PzvisionError, match=f"cannot open 'rtsp://127.0.0.1:{port}/table': no answer"):
        open_source(f"rtsp://127.0.0.1:{port}/table", live=True, config=replace(CONFIG, open_deadline_s=1.0))


def test_pictures_that_rtp_cannot_carry_are_refused() -> None:
    assert len(packets(encode(np.zeros((16, 24, 3), np.uint8)), 0, 0)) == 1
    for size in ((16, 20), (16, 2048)):
        with pytest.raises(PzvisionError, match="cannot be sent over RTSP"):
            packets(encode(np.zeros((*size, 3), np.uint8)), 0, 0)
    grey = cv2.imencode(".jpg", np.zeros((16, 16), np.uint8))[1].tobytes()
    for picture in (grey, b"", b"\xff\xd8\xff"):
        with pytest.raises(PzvisionError, match="cannot be sent over RTSP"):
            packets(picture, 0, 0)


# -- a server that is not ours


SERVER = ["/usr/bin/python3", str(Path(__file__).with_name("gst_rtsp.py")), str(DEMO / "demo.mp4")]


def serve(port: int, stack: ExitStack) -> tuple[subprocess.Popen[str], str]:
    """GStreamer's server and its address; skips where it is not installed."""
    if shutil.which(SERVER[0]) is None:
        pytest.skip("there is no system Python to run GStreamer's RTSP server")
    process = subprocess.Popen(
        [*SERVER, str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )

    def end() -> None:
        process.kill()
        process.communicate()

    stack.callback(end)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    if not url:
        pytest.skip("GStreamer's RTSP server is not installed (gir1.2-gst-rtsp-server-1.0)")
    return process, url


@pytest.mark.slow
def test_gstreamer_shows_the_game_and_comes_back(stack: ExitStack) -> None:
    server, url = serve(0, stack)
    source = opened(url, stack)
    assert source.size == (1280, 720)
    frame = source.latest(timeout=3)
    assert frame is not None
    # One of the recording's own pictures, and no other table's: H.264 as it lies in the file.
    true = [p.image[::8, ::8].astype(int) for p in open_source(DEMO / "demo.mp4").frames(end=12.0)]
    seen = [frame.image[::8, ::8].astype(int)]
    for _ in range(8):
        time.sleep(0.3)
        frame = source.latest(timeout=2)
        assert frame is not None
        seen.append(frame.image[::8, ::8].astype(int))
    at = []
    for image in seen:
        differences = [float(np.abs(image - other).mean()) for other in true]
        at.append(int(np.argmin(differences)))
        assert min(differences) < 1.0
    assert at == sorted(at) and at[-1] - at[0] >= 12, "the newest picture, at real speed"
    server.kill()
    wait_for(lambda: source.health.state == "lost")
    time.sleep(1.0)
    serve(int(url.rpartition(":")[2].partition("/")[0]), stack)
    wait_for(lambda: source.health.state == "ok", 20)
    assert source.health.reconnects >= 1


@pytest.mark.slow
@pytest.mark.parametrize("server", ["mjpeg", "rtsp", "gstreamer"])
def test_live_reads_a_game_from_a_network_camera(
    server: str, tmp_path: Path, stack: ExitStack, live_command: Any
) -> None:
    if server == "gstreamer":
        _, url = serve(0, stack)
    else:
        pictures = read_pictures(DEMO / "demo.mp4", 8.0)
        camera: LoopbackCamera | LoopbackRtspCamera
        camera = LoopbackCamera(pictures, 8.0) if server == "mjpeg" else LoopbackRtspCamera(pictures, 8.0)
        stack.callback(camera.close)
        url = camera.url
    log = tmp_path / "log.jsonl"
    words = ["--camera", url, "--ruleset", "pzh-traditional", "--dealer", "E", "--no-store"]
    words += ["--calibration", str(DEMO / "calibration.json"), "--events", str(log)]
    game = live_command([*words, "--declarations", str(DEMO / "declarations.jsonl")])
    page = game.page()
    time.sleep(60)
    health = httpx.get(page + "health").json()
    time.sleep(14)
    out, err = game.interrupt()
    assert game.process.returncode == 130, err  # ended by Ctrl-C
    assert health["cameras"]["table"]["state"] == "ok" and health["cameras"]["table"]["fps"] > 6
    read = [line.event for line in read_log(log.read_text("utf-8").splitlines())]
    true = [line.event for line in read_log((DEMO / "log.jsonl").read_text("utf-8").splitlines())]
    scores = compare(true, read)
    latency = health["latency_ms"]
    print(f"{server}: F1 {scores.all.f1:.3f}, settled {scores.settled}, {len(read)} records; {latency} ms")
    # A machine too busy for more than a look a second may miss a tile or two.
    assert scores.all.f1 > 0.85 and "West dances, waits 47s" in out
