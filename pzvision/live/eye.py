"""One camera on the table, picture by picture: whether it stands, what moves, whether the detector is due.

The same for a recording, a camera, a further camera, a batch and the golden set: what one of them notices of
a bumped camera, all do.
"""

from __future__ import annotations

from collections.abc import Callable

from pzvision.live.asking import Asking
from pzvision.live.report import note
from pzvision.live.standing import Standing
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image
from pzvision.vision.motion import MotionDetector, MotionMask


class Eye:
    """Feed it every look of one camera, in order.

    Args:
        calibration: it begins with; what it sees is given under that.
        asking: decides when the detector is asked.
        move: given the new calibration once a bumped camera was set right, to look for tiles under it; None:
            it cannot be set right.
        framed: in which table frame the masks are; as calibrated by default.
        tell: given a line for the person in front of the terminal.
        page: whether there is a page on which a person can calibrate anew.
    """

    def __init__(
        self,
        calibration: Calibration,
        asking: Asking,
        move: Callable[[Calibration], None] | None,
        *,
        framed: Callable[[Calibration], Calibration] = lambda calibration: calibration,
        tell: Callable[[str], None] = note,
        page: bool = False,
    ) -> None:
        self._asking = asking
        self._framed = framed
        self._moved = move
        self.standing = Standing(calibration, None if move is None else self._move, tell=tell, page=page)
        self._motion = MotionDetector(framed(calibration))

    @property
    def calibration(self) -> Calibration:
        """Where the table is in its pictures now."""
        return self.standing.calibration

    def look(self, image: Image, t: float) -> MotionMask | None:
        """The mask of a picture ``(H, W, 3)`` uint8 BGR taken at ``t`` s; None: nothing on it is seen.

        A camera that was bumped, or swings, does not see the table: nothing is where it seems.
        """
        mask = self._motion.look(image, t)
        # Whatever moves may be the camera: it is looked at before anything in the picture is believed.
        if self.standing.look(image, t, shaken=self._asking.moves(mask)):
            return mask
        self._asking.changed()
        return None

    def due(self, mask: MotionMask, t: float) -> bool:
        """Whether this look needs the detector; see `Asking.due`."""
        return self._asking.due(mask, t)

    def changed(self) -> None:
        """Something else changed: the next look needs the detector."""
        self._asking.changed()

    def recalibrated(self, calibration: Calibration) -> None:
        """A person calibrated the camera anew; what it sees is given under that from now on."""
        self.standing.recalibrated(calibration)
        self.reframed()

    def reframed(self) -> None:
        """Masks are begun anew, in the table frame that holds now."""
        self._motion = MotionDetector(self._framed(self.standing.calibration))
        self._asking.changed()

    def _move(self, calibration: Calibration) -> None:
        assert self._moved is not None
        self._motion = MotionDetector(self._framed(calibration))
        self._asking.changed()
        self._moved(calibration)
