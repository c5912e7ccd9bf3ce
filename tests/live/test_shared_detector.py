"""Several tables at one detector: as many looks at once as it says, who asked first first, the same tiles."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.live.bench_parts import DEMO
from pzvision.live.shared_detector import SharedDetector
from pzvision.live.turns import Turns
from pzvision.vision.calibration import load
from pzvision.vision.capture import Image, open_source
from pzvision.vision.detector import TileDetector
from pzvision.vision.finder import Finds
from pzvision.vision.tableview import TableDetector
from pzvision.vision.tile_set import TileSet


def test_turns_are_given_in_the_order_they_were_asked_for() -> None:
    turns = Turns()
    order: list[int] = []

    def wait(number: int) -> None:
        with turns.turn():
            order.append(number)

    threads = [threading.Thread(target=wait, args=(i,)) for i in range(8)]
    with turns.turn():
        for i, thread in enumerate(threads):
            thread.start()
            while turns.waiting <= i:
                time.sleep(0.001)
    for thread in threads:
        thread.join(5)
    assert order == list(range(8)) and turns.waiting == 0
    with pytest.raises(RuntimeError), turns.turn():
        raise RuntimeError("the detector fails")
    with turns.turn():
        pass
    with pytest.raises(ValueError, match="at least 1"):
        Turns(0)


@pytest.fixture(scope="module")
def detector() -> TileDetector:
    return TileDetector(threads=1, backend="onnxruntime")


@pytest.fixture(scope="module")
def pictures() -> list[Image]:
    source = open_source(str(DEMO / "demo.mp4"))
    frames = source.frames(every=12.0)
    taken = [next(frames).image for _ in range(3)]
    source.close()
    return taken


def test_each_table_sees_what_it_would_see_alone(detector: TileDetector, pictures: list[Image]) -> None:
    calibration = load(DEMO / "calibration.json")
    expected = [TableDetector(detector, calibration)(picture) for picture in pictures]
    shared = SharedDetector(detector, at_once=3)
    looks = [shared.of_table(calibration) for _ in pictures]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda look, picture: look(picture), looks, pictures))
    for seen, right in zip(found, expected, strict=True):
        assert len(right) > 20
        np.testing.assert_array_equal(seen.class_ids, right.class_ids)
        np.testing.assert_allclose(seen.polygons, right.polygons, atol=0.05)
    assert shared.batches.asked >= shared.batches.runs >= 6


def test_so_many_looks_at_once_and_an_error_frees_its_place(
    detector: TileDetector, pictures: list[Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    calibration = load(DEMO / "calibration.json")
    inside, most, lock = 0, 0, threading.Lock()

    def find(self: TileDetector, image: Image, tile_px: float | None = None) -> Finds:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        time.sleep(0.05)
        with lock:
            inside -= 1
        raise PzvisionError("no eyes")

    monkeypatch.setattr(TileDetector, "find", find)
    shared = SharedDetector(detector, at_once=2)
    failed: list[str] = []
    looks = [shared.of_table(calibration) for _ in range(6)]

    def look(index: int) -> None:
        try:
            looks[index](pictures[0])
        except PzvisionError as error:
            failed.append(str(error))

    threads = [threading.Thread(target=look, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == ["no eyes"] * 6 and most == 2


def test_a_tile_set_of_another_reader_is_refused_at_once(detector: TileDetector) -> None:
    old = TileSet("old", "0" * 64, np.zeros((768, 28), np.float32), np.zeros(28, np.float32))
    with pytest.raises(PzvisionError, match="made for another reader"):
        SharedDetector(detector).of_table(load(DEMO / "calibration.json"), tile_set=old)
