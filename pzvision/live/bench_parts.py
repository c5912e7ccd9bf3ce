"""What the benches of live play share: a recording as a camera, a game with page and store, a client."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
import urllib.request
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pzvision.errors import PzvisionError
from pzvision.live.desk import Desk
from pzvision.live.hub import Hub
from pzvision.live.pipeline import Pipeline
from pzvision.live.server import PageServer, build_app
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.live.store import Store
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import FrameSource
from pzvision.vision.detections import Detector

DEMO: Final = Path(__file__).parent / "demo"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is played, and how. ``fps``: of the camera. ``threads``: of the detector, None as it likes."""

    recording: Path = DEMO / "demo.mp4"
    calibration: Path = DEMO / "calibration.json"
    ruleset: str = "pzh-popular"
    fps: float = 15.0
    threads: int | None = None


def plan_parser(ruleset: str = Plan.ruleset) -> argparse.ArgumentParser:
    """A parser with the options of `Plan`; what it parses is named as the fields are."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--recording", type=Path, default=Plan.recording, help="default: the demo's")
    parser.add_argument("--calibration", type=Path, default=Plan.calibration)
    parser.add_argument("--ruleset", default=ruleset)
    parser.add_argument("--fps", type=float, default=Plan.fps, help="of the camera")
    parser.add_argument("--threads", type=int)
    return parser


@contextlib.contextmanager
def playing(plan: Plan, *more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The recording plays as a motion JPEG camera in a process of its own: its address, and the process.

    ``more``: further words for `pzvision.live.loopback`. Raises `PzvisionError` where it cannot be played.
    """
    words = [sys.executable, "-m", "pzvision.live.loopback", str(plan.recording), "--port", "0", *more]
    camera = subprocess.Popen([*words, "--fps", str(plan.fps)], stdout=subprocess.PIPE, text=True)
    try:
        assert camera.stdout is not None
        url = camera.stdout.readline().strip()
        if not url:
            raise PzvisionError(f"{str(plan.recording)!r} cannot be played as a camera")
        yield url, camera
    finally:
        camera.terminate()
        camera.wait()


class BenchGame:
    """A game with page, stream and store as ``pzvision live`` runs it.

    Args:
        folder: of the store.
        source, calibration, ruleset, detector: of the game.
        overlay: makes what the overlay is shown, from the hub.
        more: for `Pipeline`.
    """

    def __init__(
        self,
        folder: Path,
        source: FrameSource,
        calibration: Calibration,
        ruleset: str,
        detector: Detector,
        *,
        overlay: Callable[[Hub], Any] = lambda hub: None,
        **more: Any,
    ) -> None:
        self.hub, desk = Hub(), Desk()
        self.store = Store(folder / "s.sqlite")
        maker = HandMaker(calibration, HandSettings(ruleset))
        self.writer = self.store.begin("bench", maker.settings.to_json())
        self.hub.keep(self.writer.keep)
        self.pipeline = Pipeline(
            source, calibration, maker, detector, hub=self.hub, desk=desk, store=self.writer, **more
        )
        self.thread = threading.Thread(target=self.pipeline.run, name="bench-game")
        app = build_app(self.hub, overlay(self.hub), desk=desk)
        self.server = PageServer(app, 0, on_stop=self.hub.close)
        self.server.start()
        self._source = source

    def stop(self) -> None:
        """End it, wherever it is, and all that was begun for it but the store."""
        self._source.stop()
        if self.thread.is_alive():
            self.thread.join(30)
        self.server.stop()
        self.writer.finish()


class Times:
    """When something happened to each record of the stream, by ``seq``, in s."""

    def __init__(self) -> None:
        self._at = array("d")  # flat: what is noted in an hour does not count as the game's memory

    def note(self, seq: int, at: float) -> None:
        """It happened ``at`` this moment, s."""
        self._at.extend([float("nan")] * (seq + 1 - len(self._at)))
        self._at[seq] = at

    def __getitem__(self, seq: int) -> float:
        """When; NaN where nobody knows."""
        return self._at[seq] if seq < len(self._at) else float("nan")

    def since(self, earlier: Times) -> list[float]:
        """Of each record that both know, how long after ``earlier``, s."""
        pairs = zip(self._at, earlier._at, strict=False)
        return [late - early for late, early in pairs if late == late and early == early]


class Listener(threading.Thread):
    """A client of the page's stream: when each announcement reached it (s of `time.monotonic`)."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True, name="bench-listener")
        self._url = url
        self.came = Times()

    def run(self) -> None:
        """Read the events until the server ends them; when each announcement came is kept."""
        with contextlib.suppress(OSError), urllib.request.urlopen(self._url + "events") as answer:
            for line in answer:
                if line.startswith(b"data: "):
                    now = time.monotonic()
                    record = json.loads(line[6:])
                    if record["type"] == "announce":
                        self.came.note(record["seq"], now)


def resident_mb() -> float:
    """Memory in use, MB."""
    with open("/proc/self/statm", encoding="ascii") as lines:
        return int(lines.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def open_files() -> int:
    """Open descriptors."""
    return len(os.listdir("/proc/self/fd"))
