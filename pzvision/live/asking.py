"""When the detector is asked anew: only what moved since it was asked last can lie somewhere else."""

from __future__ import annotations

from pzvision.vision.motion import MotionMask


class Asking:
    """Decides look by look, in their order. The answer follows from the motion masks and times alone, so it
    can be worked out before any detector runs.

    Args:
        refresh_s: seconds after which a table at rest is looked at again.
        moving_cells: cells of the mask that must move for the table to count as changed.
    """

    def __init__(self, refresh_s: float, moving_cells: int) -> None:
        self._refresh_s = refresh_s
        self._moving_cells = moving_cells
        self._asked_at: float | None = None
        self._changed = True

    def due(self, mask: MotionMask, t: float) -> bool:
        """Whether this look, at ``t`` seconds, needs the detector; it is then taken to have been asked."""
        moving = self.moves(mask)
        rested = self._asked_at is not None and t - self._asked_at < self._refresh_s
        still_good = rested and not moving and not self._changed
        # What moved during this look may lie somewhere else in the next one.
        self._changed = moving
        if not still_good:
            self._asked_at = t
        return not still_good

    def moves(self, mask: MotionMask) -> bool:
        """Whether enough moves in this look to count."""
        return mask.shaken or int(mask.moving.sum()) >= self._moving_cells

    def changed(self) -> None:
        """Something else changed (a pause, a new calibration): the next look needs the detector."""
        self._changed = True
