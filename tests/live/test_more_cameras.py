"""Further cameras beside the first: named, found their calibration, read in step, fused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.live.cameras import parse_cameras
from pzvision.live.more_cameras import (
    HandRecordings,
    InStep,
    find_camera_calibration,
    open_tables,
    parse_recordings,
)
from pzvision.live.pipeline import PipelineConfig
from pzvision.tiles import CLASSES
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Frame, FrameSource, Image
from pzvision.vision.detections import Detections

SIZE = (320, 180)
A = Calibration(SIZE, ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05)), near_seat="E")
B = replace(A, near_seat="W", camera="table2")


class Pictures(FrameSource):
    """Grey pictures five times a second whose brightness is their number."""

    def __init__(self, name: str = "pictures", count: int = 20) -> None:
        super().__init__()
        self.name, self.size, self.count = name, SIZE, count
        self.given = 0

    def frames(self, *, start: float = 0.0, end: float | None = None, every: float = 0.0) -> Iterator[Frame]:
        for index in range(self.count):
            self.given += 1
            yield Frame(np.full((SIZE[1], SIZE[0], 3), index, np.uint8), index / 5, index)


def one_tile(calibration: Calibration, x: float, y: float, kind: int) -> Detections:
    corners = [
        (x - 1.3, y + 1.8, 2.1),
        (x + 1.3, y + 1.8, 2.1),
        (x + 1.3, y - 1.8, 2.1),
        (x - 1.3, y - 1.8, 2.1),
    ]
    probs = np.full((1, CLASSES), 0.1 / (CLASSES - 1), np.float32)
    probs[0, kind] = 0.9
    quad = calibration.to_image(corners).astype(np.float32)[None]
    return Detections(quad, probs, np.array([0.9], np.float32), SIZE)


def test_names_of_cameras() -> None:
    assert parse_recordings(["table2=b.mp4", "hand.S=c=d.mp4"]) == {"table2": "b.mp4", "hand.S": "c=d.mp4"}
    for words in (["b.mp4"], ["table=b.mp4"], ["hand.Q=b.mp4"], ["table2="], ["table2=a", "table2=b"]):
        with pytest.raises(PzvisionError, match="--camera"):
            parse_recordings(words)
    names = [c.name for c in parse_cameras(["hand.S=2", "table2=1", "table=0"])]
    assert names == ["table", "table2", "hand.S"]


def test_a_recording_is_read_in_step_and_never_ahead() -> None:
    source = Pictures()
    reader = InStep(source)
    seen = [reader.at(t) for t in (0.0, 0.3, 1.0, 1.05, 3.9)]
    assert [f.index for f in seen if f is not None] == [0, 1, 5, 5, 19]
    assert reader.at(4.5) is not None and reader.at(6.0) is None, "an old picture says nothing about now"
    late = InStep(Pictures())
    late.at(1.0)
    assert late.source.given <= 7  # type: ignore[attr-defined]


def test_calibrations_are_found_beside_the_recording_or_the_first_one(tmp_path: Path) -> None:
    first = tmp_path / "table.toml"
    A.save(first)
    with pytest.raises(PzvisionError, match=r"pzvision calibrate SOURCE --camera table2"):
        find_camera_calibration("table2", "0", first)
    B.save(tmp_path / "table2.toml")
    assert find_camera_calibration("table2", "0", first) == tmp_path / "table2.toml"
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.mp4").touch()
    B.save(other / "calibration.json")
    assert find_camera_calibration("table2", str(other / "b.mp4"), first) == other / "calibration.json"


def test_further_tables_are_fused_into_the_first_ones_pixels(tmp_path: Path) -> None:
    first = tmp_path / "table.toml"
    A.save(first)
    B.save(tmp_path / "table2.toml")
    asked = []

    class Knows:
        def __init__(self, calibration: Calibration) -> None:
            self.calibration = calibration

        def __call__(self, image: Image) -> Detections:
            asked.append(int(image[0, 0, 0]))
            # In the frame of W, who sits across: the tile at (-10, 5) of E's frame.
            return one_tile(self.calibration, 10.0, -5.0, 7)

    tables = open_tables({"table2": Pictures("b")}, first, A, Knows, PipelineConfig().asking)
    assert tables is not None
    mine = one_tile(A, -10.2, 5.1, 7)
    both, _ = tables.fused(0.0, mine, None)
    assert both is not None and len(both) == 1
    assert np.allclose(A.to_table(both.polygons[0]).mean(axis=0), (-10.1, 5.05), atol=0.5)
    assert both.probs[0, 7] > 0.98
    again, _ = tables.fused(0.1, mine, None)
    assert again is both, "nothing new is the same object"
    alone, _ = tables.fused(0.6, None, None)
    assert alone is not None and len(alone) == 1, "the first camera sees nothing, the second does"
    nobody, _ = tables.fused(30.0, None, None)
    assert nobody is None
    assert tables.health() == {"table2": {"state": "ok"}} and asked
    B2 = replace(B, table_cm=99.0)
    B2.save(tmp_path / "table2.toml")
    with pytest.raises(PzvisionError, match="table_cm"):
        open_tables({"table2": Pictures("b")}, first, A, Knows, PipelineConfig().asking)
    assert open_tables({}, first, A, Knows, PipelineConfig().asking) is None


def test_recorded_hands_are_looked_at_once_a_second(tmp_path: Path) -> None:
    folder = tmp_path / "hand"
    folder.mkdir()
    for k in range(30):
        cv2.imwrite(str(folder / f"{k}.png"), np.full((SIZE[1], SIZE[0], 3), 40 + k, np.uint8))
    hands = HandRecordings.open({"hand.S": str(folder), "table2": "x"}, lambda image: one_tile(A, 0, 0, 3))
    assert hands is not None
    looks = [(t, seat) for t in np.arange(0, 2.6, 0.25) for seat, _ in hands.rows(float(t))]
    assert looks == [(0.0, "S"), (1.0, "S"), (2.0, "S")]
    assert HandRecordings.open({"table2": "x"}, lambda image: one_tile(A, 0, 0, 3)) is None
    hands.close()
