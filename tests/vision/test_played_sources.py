"""Recordings and folders of pictures played as if they were cameras: real speed, newest picture, drops."""

from __future__ import annotations

import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import CaptureConfig, open_source


@pytest.fixture(params=["folder", "video"])
def recording(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Two seconds at 10 pictures/s."""
    pictures = [np.full((96, 160, 3), 60 + 5 * k, np.uint8) for k in range(20)]
    if request.param == "folder":
        for k, image in enumerate(pictures):
            cv2.imwrite(str(tmp_path / f"{k}.png"), image)
        return tmp_path
    path = tmp_path / "a.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (160, 96))
    for image in pictures:
        writer.write(image)
    writer.release()
    return path


def test_it_takes_its_time_and_keeps_its_times(recording: Path) -> None:
    begun = time.monotonic()
    source = open_source(recording, live=True, config=CaptureConfig(folder_fps=10.0))
    assert isinstance(source, LiveSource)
    frames = list(source)
    assert 1.7 < time.monotonic() - begun < 6.0
    assert [f.t for f in frames] == pytest.approx([f.index / 10 for f in frames], abs=0.01)
    assert frames[-1].index == 19 and source.health.state == "ended"


def test_a_slow_consumer_gets_the_newest_and_the_rest_is_counted(recording: Path) -> None:
    source = open_source(recording, live=True, config=CaptureConfig(folder_fps=10.0))
    assert isinstance(source, LiveSource)
    looked = 0
    for frame in source:
        looked += 1
        assert source.age_of(frame) < 0.3 or frame.index == 19
        time.sleep(0.45)
    health = source.health
    assert 3 <= looked <= 7 and looked + health.dropped == health.received == 20
