"""Whether a camera still stands where it was calibrated, and what is done when it does not.

A bumped camera's looks are not seen: nothing on the table is where it seems. Once it is at rest it is set
right by itself where that is safe, else a person calibrates it anew. The game itself never hears of it: what
a moved camera sees is given to it in the pictures of the calibration it began with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pzvision.errors import PzvisionError
from pzvision.live.fit import judge_fit
from pzvision.live.report import clock, note
from pzvision.messages import say
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image
from pzvision.vision.detections import Detections
from pzvision.vision.fusion import transfer
from pzvision.vision.shift import Shift, ShiftConfig, ShiftState, ShiftWatcher

_PATIENCE_S: Final = 3.0  # a bump that is set right sooner is told once, when it is


class Standing:
    """One camera's standing.

    Args:
        calibration: it begins with; the game goes on under it.
        move: takes a new calibration for what comes from the camera from now on (its detector, its motion
            masks); None: it cannot be, so a moved camera waits for a person.
        tell: given a line for the person in front of the terminal.
        page: whether there is a page on which a person can calibrate anew.

    Attributes:
        calibration: where the table is now.
        base: the calibration under which the game reads.
    """

    def __init__(
        self,
        calibration: Calibration,
        move: Callable[[Calibration], None] | None,
        *,
        config: ShiftConfig | None = None,
        tell: Callable[[str], None] = note,
        page: bool = True,
    ) -> None:
        self._page = page
        self.calibration = self.base = calibration
        self._move = move
        self._tell = tell
        self._watcher = ShiftWatcher(calibration, config)
        self._shift = Shift()
        self._since = 0.0
        self._said = False

    @property
    def state(self) -> ShiftState:
        """``steady``, ``suspect``, ``moved`` or ``lost``."""
        return self._shift.state

    @property
    def blocked(self) -> bool:
        """Whether the game waits because the camera was moved."""
        return self._shift.state in ("moved", "lost")

    def look(self, image: Image, t: float, *, shaken: bool = False) -> bool:
        """Whether what this picture shows is where the calibration says. Arguments as `ShiftWatcher.look`."""
        before = self._shift.state
        self._shift = shift = self._watcher.look(image, t, shaken=shaken)
        if before == "steady":
            self._since = t
        if shift.calibration is not None and self._accept(shift):
            return False  # the next picture is read under the new calibration
        if self.blocked and not self._said and t - self._since >= _PATIENCE_S:
            self._said = True
            where = "" if self._page else "_recording"
            self._say(f"shift.{shift.state}{where}", px=shift.px)
        elif shift.state == "steady" and self._said:
            self._said = False
            self._say("shift.back")
        return shift.state == "steady"

    def _accept(self, shift: Shift) -> bool:
        new = shift.calibration
        if new is None or self._move is None:
            return False
        try:
            judge_fit(new)
        except PzvisionError:
            return False
        self.calibration = new
        self._watcher.reset(new)
        self._shift, self._said = Shift(), False
        self._move(new)
        self._say("shift.by_cards" if shift.by == "cards" else "shift.by_scene", px=shift.px)
        return True

    def recalibrated(self, calibration: Calibration) -> None:
        """A person calibrated the camera anew, and the game reads under that from now on."""
        self.calibration = self.base = calibration
        self._watcher.reset(calibration)
        self._shift, self._said = Shift(), False

    def to_base(self, detections: Detections) -> Detections:
        """What the camera sees now, as it would have seen it before it was moved."""
        if self.calibration is self.base:
            return detections
        return transfer(detections, self.calibration, self.base)

    def health(self) -> dict[str, Any]:
        """What ``/health`` says about it; empty while it stands."""
        if not self.blocked:
            return {}
        words = f"{say('shift.reason', 'zh')} {say('shift.reason', 'en')}"
        return {"state": "moved", "reason": words, "moved_px": round(self._shift.px, 1)}

    def _say(self, key: str, **fields: object) -> None:
        name = self.base.camera if self._page else f"{self.base.camera}, {clock(self._since)}"
        self._tell(f"{name}: {say(key, 'zh', **fields)} {say(key, 'en', **fields)}")
