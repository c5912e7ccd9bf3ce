"""Makes the short recording that ``pzvision demo`` plays: ``python -m pzvision.synth.demo FOLDER``.

One whole hand of 传统攀枝花 in which a 碰, a 巴杠, a dance, a song and three wins happen.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from pzvision.game.simulate import simulate
from pzvision.synth.faces import DrawnFaces
from pzvision.synth.optics import Optics
from pzvision.synth.room import CameraPreset, Room
from pzvision.synth.timeline import Style
from pzvision.synth.video import render_video
from pzvision.tiles import Seat

RULESET: Final = "pzh-traditional"
SEED: Final = 394
LOOK: Final = "orange"
NEAR_SEAT: Final[Seat] = "S"
FPS: Final = 8.0
STYLE: Final = Style(pace=0.8, think=0.02)


def demo_room() -> Room:
    """A green felt in even light."""
    return replace(
        Room.random(5),
        felt=("felt", 2),
        floor=("wood", 8),
        rim=(52, 58, 66),
        panel=True,
        optics=Optics(falloff=0.12, falloff_angle=0.6, vignette=0.1, blur=0.35, noise=0.8),
    )


def make_demo(folder: Path, progress: Callable[[int, int], None] | None = None) -> None:
    """Write ``demo.mp4``, ``calibration.json``, ``log.jsonl`` and ``declarations.jsonl`` into ``folder``.

    Files of those names are replaced, all together at the end.

    Raises:
        PzvisionError: the folder cannot be written.
    """
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        render_video(
            simulate(RULESET, seed=SEED, hands=1), fresh, faces=DrawnFaces(LOOK), seed=SEED,
            near_seat=NEAR_SEAT, camera=CameraPreset(258, 66), style=STYLE, room=demo_room(),
            size=(1280, 720), fps=FPS, crf=25, progress=progress,
        )  # fmt: skip
        folder.mkdir(parents=True, exist_ok=True)
        for name, new in (
            ("video.mp4", "demo.mp4"),
            ("calibration.json", "calibration.json"),
            ("log.jsonl", "log.jsonl"),
            ("declarations.jsonl", "declarations.jsonl"),
        ):
            (fresh / name).replace(folder / new)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


if __name__ == "__main__":
    make_demo(Path(sys.argv[1]))
