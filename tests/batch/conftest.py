"""A recording of pictures painted from a game's timeline, and a detector that knows what was painted."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.batch import work
from pzvision.batch.engine import Failed, Finished, Moved, Outcome, Task
from pzvision.batch.run import Progress
from pzvision.batch.work import Job
from pzvision.game.simulate import simulate
from pzvision.live.settings import HandSettings
from pzvision.synth.timeline import Placed, build_timeline
from pzvision.tiles import CLASSES
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image
from pzvision.vision.detections import Detections

SIZE = (640, 360)
CALIBRATION = Calibration(SIZE, ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05)), near_seat="E")
FPS = 10.0
SECONDS = 5.0


@dataclass
class Painted:
    """A recording: the folder of its pictures, and what lies in each by the picture's CRC-32."""

    folder: Path
    seen: dict[int, Detections]

    def detect(self, image: Image) -> Detections:
        """The detector."""
        return self.seen[zlib.crc32(image.tobytes())]


def _outline(tile: Placed) -> np.ndarray:
    height, width, thick = CALIBRATION.tile_cm
    c, s = np.cos(tile.spot.yaw), np.sin(tile.spot.yaw)
    right, up = np.array([c, s]), np.array([-s, c])
    centre = np.array([tile.spot.x, tile.spot.y])
    signs = ((-1, 1), (1, 1), (1, -1), (-1, -1))
    plan = np.array([centre + a * right * width / 2 + b * up * height / 2 for a, b in signs])
    return CALIBRATION.to_image(np.column_stack([plan, np.full(4, thick)]))


@pytest.fixture(scope="session")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Painted:
    """The first `SECONDS` of a game."""
    folder = tmp_path_factory.mktemp("recordings") / "第一局"
    folder.mkdir()
    timeline = build_timeline(simulate("pzh-popular", seed=21, dealer="E"), near_seat="E", seed=1)
    seen = {}
    for index in range(int(SECONDS * FPS)):
        tiles = timeline.truth_at(index / FPS).tiles
        image = np.full((SIZE[1], SIZE[0], 3), (70, 110, 40), np.uint8)
        for tile in tiles:
            points = np.round(_outline(tile)).astype(np.int32)
            cv2.fillConvexPoly(image, points, (235, 240, 240) if tile.face_up else (180, 90, 30))
            cv2.polylines(image, [points], True, (90, 90, 90), 1)
        cv2.imencode(".png", image, [cv2.IMWRITE_PNG_COMPRESSION, 1])[1].tofile(folder / f"{index}.png")
        shown = [tile for tile in tiles if tile.face_up and not tile.moving]
        probs = np.full((len(shown), CLASSES), 0.1 / (CLASSES - 1), np.float32)
        probs[np.arange(len(shown)), [tile.kind for tile in shown]] = 0.9
        polygons = np.array([_outline(tile) for tile in shown], np.float32).reshape(-1, 4, 2)
        found = Detections(polygons, probs, np.full(len(shown), 0.95, np.float32), SIZE)
        seen[zlib.crc32(image.tobytes())] = found if shown else Detections.empty(SIZE)
    return Painted(folder, seen)


@pytest.fixture(scope="session")
def job(painted: Painted) -> Iterator[Job]:
    """The job of reading it; the detector is the painter's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work, "make_detector", lambda job, view: painted.detect)
        yield Job(str(painted.folder), CALIBRATION, HandSettings("pzh-popular", dealer="E"))


class Inline:
    """An engine that does tasks here, a few at a time, ending them in the order it is told.

    ``before`` is called with each task as it is done: it may raise, or return an outcome in its place.
    """

    def __init__(
        self,
        slots: int = 2,
        order: Callable[[list[Task]], Task] = lambda tasks: tasks[0],
        before: Callable[[Task], Outcome | None] = lambda task: None,
    ) -> None:
        self.slots = slots
        self.done: list[Task] = []
        self._given: list[Task] = []
        self._order = order
        self._before = before

    def give(self, task: Task) -> int:
        assert len(self._given) < self.slots
        self._given.append(task)
        return len(self._given) - 1

    def wait(self, seconds: float) -> list[Outcome]:
        if not self._given:
            return []
        task = self._order(self._given)
        self._given.remove(task)
        instead = self._before(task)
        if instead is not None:
            return [instead]
        moved: list[Outcome] = []
        try:
            value = task.run(lambda done: moved.append(Moved(task, 0, done)))
        except Exception as error:
            return [Failed(task, 0, str(error))]
        self.done.append(task)
        return [*moved, Finished(task, 0, value)]

    def close(self) -> None:
        self._given.clear()


class Silent:
    """A watcher that remembers how recordings ended."""

    def __init__(self) -> None:
        self.ends: list[tuple[str, str]] = []
        self.shares: list[float] = []

    def moved(self, runs: Sequence[Progress]) -> None:
        self.shares.append(sum(run.done for run in runs))

    def begun(self, worker: int, task: Task, run: Progress) -> None:
        assert run.state == "working"

    def working(self, worker: int, done: float) -> None:
        assert 0 <= done <= 1

    def ended(self, run: Progress) -> None:
        self.ends.append((run.folder.name, run.state))


@pytest.fixture(scope="session")
def inline() -> type[Inline]:
    return Inline


@pytest.fixture
def silent() -> Silent:
    return Silent()
