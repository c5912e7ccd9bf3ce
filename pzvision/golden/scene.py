"""A recipe acted out: its timeline, its pictures, and these as a source of frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from pzvision.game.simulate import simulate
from pzvision.golden.looks import GOLDEN_LOOKS
from pzvision.golden.recipes import Recipe
from pzvision.synth.disturb import draw_times, dropped
from pzvision.synth.faces import DrawnFaces
from pzvision.synth.looks import LOOKS
from pzvision.synth.placing import Plan
from pzvision.synth.room import CAMERAS, Room, calibration_record, make_camera
from pzvision.synth.timeline import Style, Timeline, build_timeline
from pzvision.synth.video import Renderer
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Frame, FrameSource, Image

SIZE: Final = (1280, 720)
FPS: Final = 8.0
LOOK_S, REFRESH_S, MOVING_CELLS = 0.25, 1.0, 6  # as the pipeline looks (`PipelineConfig`)
_QUALITY: Final = 80  # JPEG: pictures come out of a camera or a video compressed


def timeline_of(recipe: Recipe) -> Timeline:
    """What happens on the table. Raises `ValueError` when the game does not fit the table."""
    log = list(
        simulate(
            recipe.ruleset,
            recipe.seed,
            recipe.hands,
            base=recipe.base,
            dealer=recipe.dealer,
            spice=recipe.spice,
            rare=recipe.rare,
            leave=recipe.leave,
        )
    )
    style = Style(
        river="heap" if recipe.river == "heap" else "rows",
        mess=recipe.mess,
        pace=recipe.pace,
        an_gang="down" if recipe.an_gang == "down" else "up",
        think=recipe.think,
        breaks=recipe.breaks,
    )
    plan = plan_of(recipe)
    timeline = build_timeline(log, near_seat=recipe.near, plan=plan, style=style, seed=recipe.seed, fps=FPS)
    return replace(timeline, disturbances=draw_times(recipe.disturb, timeline.duration, recipe.seed))


def plan_of(recipe: Recipe) -> Plan:
    """The table's geometry."""
    return Plan(tile=recipe.tile_cm)


def renderer_of(recipe: Recipe, timeline: Timeline) -> Renderer:
    """What draws it."""
    look = {**LOOKS, **GOLDEN_LOOKS}[recipe.look]
    room = replace(Room.random(recipe.room), felt=recipe.felt)
    camera = make_camera(CAMERAS[recipe.camera], timeline.plan, SIZE)
    return Renderer(timeline, DrawnFaces(look), camera, room, recipe.seed)


def calibration_of(recipe: Recipe) -> Calibration:
    """Of its camera."""
    plan = plan_of(recipe)
    return Calibration.parse(
        calibration_record(make_camera(CAMERAS[recipe.camera], plan, SIZE), plan, recipe.near)
    )


class RenderedSource(FrameSource):
    """The recording of a recipe, rendered as it is read; frames that got lost do not come.

    Args:
        recipe: what is played.
        timeline: of `timeline_of`.
    """

    def __init__(self, recipe: Recipe, timeline: Timeline) -> None:
        super().__init__()
        self.name = recipe.name
        self.size = SIZE
        self.timeline = timeline
        self.duration = timeline.duration
        self.frame_count = int(timeline.duration * FPS) + 1
        self._renderer = renderer_of(recipe, timeline)

    def frames(self, *, start: float = 0.0, end: float | None = None, every: float = 0.0) -> Iterator[Frame]:
        """See `FrameSource.frames`."""
        step = max(1, round(every * FPS))
        for index in range(0, self.frame_count or 0, step):
            t = index / FPS
            if self._stopped or (end is not None and t > end):
                return
            if t >= start and not dropped(self.timeline.disturbances, t):
                yield Frame(self.picture(t), t, index)

    def picture(self, t: float) -> Image:
        """The picture at ``t`` s, as it comes out of a compressing camera."""
        good, data = cv2.imencode(".jpg", self._renderer.frame(t), (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))
        assert good
        return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
