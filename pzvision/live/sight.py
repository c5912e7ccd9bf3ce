"""What is seen of the table in a frame: by its cameras and the detector, or as it was stored.

The detector is by far the dearest step, so it is asked only when something on the table changed since it was
asked last, or when it was not asked for a while.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pzvision.live.asking import Asking
from pzvision.live.eye import Eye
from pzvision.live.more_cameras import HandRecordings, MoreTables
from pzvision.live.stored import StoredLooks
from pzvision.live.token_watch import TokenWatch
from pzvision.table.observations import Hands, ObservationWriter, Tokens
from pzvision.table.packing import rounded
from pzvision.vision.calibration import Calibration
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import Frame, FrameSource, Image
from pzvision.vision.detections import Detections, Detector
from pzvision.vision.motion import MotionMask


@dataclass(frozen=True, eq=False)
class Seen:
    """One look.

    Attributes:
        detections: the tiles and what may be some; None when the table was not seen (nothing is gone).
        mask: what moves and hides; None when the table was not seen.
        tokens: asked for the declaration tokens that lie there, which is dear with some cameras.
        hands: what recorded cameras on players' hands show.
    """

    detections: Detections | None
    mask: MotionMask | None
    tokens: Callable[[], Tokens]
    hands: Hands = ()


class Sight:
    """One source and the further cameras on its table.

    Args:
        source: frames; where it is `StoredLooks` the detector is never asked.
        calibration: of that camera.
        detector: finds the tiles.
        asking: decides when the detector is asked.
        new_detector: the detector for another calibration, should the camera be moved; None: it cannot be.
        moved: told the calibration that holds from now on, when it is another.
        tables: further cameras on the table, fused with the source at every look.
        hands: recorded cameras on players' hands, looked at in step with the source.
        observations: gets every look, so that the game can be read again without pictures.
        fault: told why the detector of a live source failed; of a recording that is an error.
        tell: given remarks for the person at the terminal.
        page: whether there is a page on which a person can calibrate anew.

    Attributes:
        eye: how the source's camera stands.
        tokens: what the tokens on the table declare.
        asked: how often the detector was asked.
    """

    def __init__(
        self,
        source: FrameSource,
        calibration: Calibration,
        detector: Detector,
        asking: Asking,
        *,
        new_detector: Callable[[Calibration], Detector] | None,
        moved: Callable[[Calibration], None],
        tables: MoreTables | None,
        hands: HandRecordings | None,
        observations: ObservationWriter | None,
        fault: Callable[[str], None],
        tell: Callable[[str], None],
        page: bool,
    ) -> None:
        self._source = source
        self._detector = detector
        self._new_detector = new_detector
        self._moved = moved
        self._tables = tables
        self._hands = hands
        self._observations = observations
        self._fault = fault
        self.eye = Eye(
            calibration, asking, None if new_detector is None else self._move, tell=tell, page=page
        )
        self.tokens = TokenWatch(calibration)
        self._detections: Detections | None = None
        self.asked = 0

    @property
    def fixed(self) -> bool:
        """Whether the calibration cannot be changed."""
        return self._new_detector is None

    def look(self, frame: Frame) -> Seen | None:
        """What is seen in a frame; None where the stored looks are over.

        Raises whatever the detector of a recording raises.
        """
        if isinstance(self._source, StoredLooks):
            stored = self._source.look
            if stored is None:
                return None
            return Seen(stored.detections, stored.motion, lambda: stored.tokens, stored.hands)
        detections, mask, views = self._see(frame)
        hands = () if self._hands is None else tuple(self._hands.rows(frame.t))
        if self._observations is None:
            return Seen(detections, mask, lambda: self.tokens.seen(views), hands)
        # What is kept must do for any later reading, so tokens are looked for in every look.
        kept = self.tokens.seen(views) if views else None
        self._observations.look(frame.t, frame.index, detections, mask, kept, hands)
        return Seen(detections, mask, lambda: kept or (), hands)

    def _see(
        self, frame: Frame
    ) -> tuple[Detections | None, MotionMask | None, list[tuple[Image, Calibration]]]:
        """The tiles and the mask of all cameras on the table, and the pictures that show it with their
        calibrations."""
        detections: Detections | None = None
        mask: MotionMask | None = None
        views: list[tuple[Image, Calibration]] = []
        if frame.state == "ok":
            mask = self.eye.look(frame.image, frame.t)
            if mask is not None:
                detections = self._detect(frame, mask)
                views.append((frame.image, self.eye.calibration))
        if self._tables is not None:
            detections, mask = self._tables.fused(frame.t, detections, mask)
            views += self._tables.pictures()
        return detections, mask, views

    def _detect(self, frame: Frame, mask: MotionMask) -> Detections | None:
        due = self.eye.due(mask, frame.t)
        if not due and self._detections is not None:
            return self._detections
        self.asked += 1
        try:
            self._detections = rounded(self.eye.standing.to_base(self._detector(frame.image)))
        except Exception as error:
            self.eye.changed()  # what failed is asked again at the next look
            if not isinstance(self._source, LiveSource):
                raise
            # An evening must outlast it: nothing was seen, and the page says why.
            self._detections = None
            self._fault(f"{type(error).__name__}: {error}".splitlines()[0])
            return None
        return self._detections

    def over(self, t: float) -> None:
        """The source is at its end, at ``t`` s: what is kept of its looks is complete."""
        if self._observations is not None:
            self._observations.end(t)

    # -- another calibration

    def recalibrated(self, new: Calibration) -> None:
        """A person calibrated the camera anew."""
        self._move(new)
        self.eye.recalibrated(new)
        self.tokens.recalibrated(new)
        if self._tables is not None:
            self._tables.recalibrated(new)

    def _move(self, new: Calibration) -> None:
        """See this camera's pictures under another calibration from now on."""
        assert self._new_detector is not None
        self._detector = self._new_detector(new)
        self._detections = None
        self._moved(new)
