"""The recording in the package is the one its maker makes."""

from __future__ import annotations

from importlib.resources import files

import cv2
import numpy as np

from pzvision.game.events import Declare, Gang, Peng, Win, format_log, read_log
from pzvision.game.simulate import simulate
from pzvision.synth.demo import FPS, NEAR_SEAT, RULESET, SEED, STYLE
from pzvision.synth.timeline import build_timeline
from pzvision.vision.calibration import load

DEMO = files("pzvision.live") / "demo"


def test_its_log_is_the_makers() -> None:
    log = simulate(RULESET, seed=SEED, hands=1)
    timeline = build_timeline(log, near_seat=NEAR_SEAT, style=STYLE, seed=SEED, fps=FPS)
    assert (DEMO / "log.jsonl").read_text("utf-8") == format_log(timeline.events)
    kinds = {type(e) for e in timeline.events}
    assert {Peng, Gang, Win, Declare} <= kinds
    said = [line.event for line in read_log((DEMO / "declarations.jsonl").read_text("utf-8").splitlines())]
    assert said == [e for e in timeline.events if isinstance(e, Declare)]


def test_its_video_is_whole_and_small() -> None:
    calibration = load(str(DEMO / "calibration.json"))
    video = cv2.VideoCapture(str(DEMO / "demo.mp4"))
    frames = 0
    while True:
        ok, frame = video.read()
        if not ok:
            break
        frames += 1
        assert frame.shape[1::-1] == calibration.image_size
        if frames % 100 == 1:
            assert np.std(frame) > 20
    assert 60 * FPS <= frames <= 90 * FPS
    assert len((DEMO / "demo.mp4").read_bytes()) < 4_000_000
