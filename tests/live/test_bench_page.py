"""What measures the way from the camera to the page: numbered pictures, and a browser that notes times."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.live import bench, bench_page
from pzvision.live.bench import LivePlan
from pzvision.live.bench_page import PagePlan, run, spread
from pzvision.live.bench_parts import Plan, Times, playing
from pzvision.live.loopback import LoopbackCamera, encode, read_pictures, read_stamp, stamp
from pzvision.live.page_watch import PageWatch
from pzvision.vision.capture import open_source


def test_numbers_on_pictures_outlast_the_camera() -> None:
    for number in (0, 1, 1234, (1 << 14) - 1):
        image = np.random.default_rng(number).integers(0, 255, (360, 640, 3)).astype(np.uint8)
        stamp(image, number)
        decoded = cv2.imdecode(np.frombuffer(encode(image), np.uint8), cv2.IMREAD_COLOR)
        assert read_stamp(np.asarray(decoded, np.uint8)) == number


def test_a_camera_says_when_it_sends_each_picture(tmp_path: Path) -> None:
    writer = cv2.VideoWriter(str(tmp_path / "v.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 20, (320, 180))
    for k in range(10):
        writer.write(np.full((180, 320, 3), 60 + k, np.uint8))
    writer.release()
    sent: dict[int, float] = {}
    pictures = read_pictures(tmp_path / "v.avi", 20, stamped=True)
    camera = LoopbackCamera(pictures, 20, pause_s=0.5, on_sent=lambda n: sent.update({n: time.monotonic()}))
    source = open_source(camera.url, live=True)
    try:
        seen = set()
        until = time.monotonic() + 5
        while not seen >= set(range(10, 18)) and time.monotonic() < until:
            frame = source.latest(timeout=2)  # type: ignore[attr-defined]
            assert frame is not None
            number = read_stamp(frame.image)
            seen.add(number)
            assert 0 <= time.monotonic() - sent[number] < 1.0
        assert seen >= set(range(10, 18)), "those of the pause have numbers of their own"
    finally:
        source.close()
        camera.close()


def test_spread_leaves_out_what_is_not_known() -> None:
    assert "p50   20" in spread([10.0, 20.0, 30.0, float("nan")]) and "of 3" in spread([1.0, 2.0, 3.0])
    assert spread([float("nan")]) == "none"


def test_what_is_typed_is_what_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[Plan] = []

    def note(plan: Plan) -> Any:
        plans.append(plan)
        raise KeyboardInterrupt

    for module, words in (
        (bench, ["--every", "0.5", "--fps", "8", "--log", "x.csv", "--twice", "--backend", "onnxruntime"]),
        (
            bench_page,
            ["--recording", "v.avi", "--calibration", "c.json", "--threads", "2", "--screenshot", "p.png"],
        ),
        (bench, []),
    ):
        monkeypatch.setattr(module, "run", note)
        with pytest.raises(KeyboardInterrupt):
            module.main([*words, "--minutes", "3"])
    assert plans == [
        LivePlan(minutes=3.0, every_s=0.5, fps=8.0, log=Path("x.csv"), twice=True, backend="onnxruntime"),
        PagePlan(
            recording=Path("v.avi"),
            calibration=Path("c.json"),
            ruleset="pzh-traditional",
            threads=2,
            minutes=3.0,
            screenshot=Path("p.png"),
        ),
        LivePlan(minutes=3.0),
    ]


def test_a_recording_plays_as_a_camera_and_one_that_cannot_is_named(tmp_path: Path) -> None:
    with playing(Plan()) as (url, camera):
        assert url.startswith("http://127.0.0.1:") and camera.poll() is None
    assert camera.poll() is not None
    with (
        pytest.raises(PzvisionError, match=r"'.*v\.avi' cannot be played"),
        playing(Plan(recording=tmp_path / "v.avi")),
    ):
        pass


def test_times_of_records() -> None:
    early, late = Times(), Times()
    early.note(2, 5.0)
    late.note(2, 7.5)
    late.note(4, 9.0)
    assert late.since(early) == [2.5] and late[4] == 9.0
    assert np.isnan(late[3]) and np.isnan(late[99])


@pytest.mark.browser
def test_the_browser_notes_when_an_announcement_is_there(played: Any, tmp_path: Path) -> None:
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    played.play(10)
    watch = PageWatch(played.url, tmp_path / "page.png")
    told: dict[int, float] = {}
    try:
        for k in range(3):
            time.sleep(0.3)
            now = time.time()
            record = {"type": "announce", "kind": "ready", "zh": f"东家听牌{k}", "en": "East", "t": float(k)}
            told[played.hub.publish(record)] = now
        time.sleep(1.5)
    finally:
        watch.close()
    assert set(told) <= set(watch.shown)
    for seq, at in told.items():
        there, drawn = watch.shown[seq]
        assert at - 0.005 < there <= drawn + 0.001 < at + 3
    assert (tmp_path / "page.png").stat().st_size > 10_000


@pytest.mark.benchmark
def test_benchmark_from_the_camera_to_the_page() -> None:
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    result = run(PagePlan(ruleset="pzh-traditional", minutes=1.0))
    print("\n".join(result.lines()))
    assert result.announcements > 3 and result.camera_fps > 12 and result.tiles[1] >= 60
    assert len([t for t in result.document if t == t]) == result.announcements
