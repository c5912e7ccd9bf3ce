"""The calibration page beside a running game: its newest picture, and the new corners as an order."""

from __future__ import annotations

from typing import Final

from pzvision.errors import PzvisionError
from pzvision.live.calibrating import Ask
from pzvision.live.desk import Desk
from pzvision.live.orders import CalibrationOrder
from pzvision.live.pipeline import Pipeline
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image

_ANSWER_S: Final = 10.0


class GameView:
    """A `pzvision.live.calibrate_page.CalibrateView` of a pipeline."""

    live = True

    def __init__(self, pipeline: Pipeline, desk: Desk) -> None:
        self._pipeline, self._desk = pipeline, desk

    def picture(self) -> Image | None:
        """The table camera's newest picture, without outlines."""
        return self._pipeline.image

    def current(self) -> Calibration | None:
        """The calibration in use."""
        return self._pipeline.calibration

    def wish(self) -> Ask:
        """Everything but the corners stays as it is."""
        return Ask.like(self._pipeline.calibration)

    def save(self, calibration: Calibration) -> None:
        """Give the game the new corners. Raises `PzvisionError` when it cannot take them."""
        order = CalibrationOrder(
            corners=tuple((x, y) for x, y in calibration.corners), near_seat=calibration.near_seat, save=True
        )
        try:
            self._desk.ask(order).result(_ANSWER_S)
        except TimeoutError:
            raise PzvisionError("the game does not answer; try again") from None
