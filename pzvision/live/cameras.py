"""Several cameras at once: one on the table, and one on a player's hand wherever somebody put it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pzvision.errors import PzvisionError
from pzvision.live.more_cameras import TABLES
from pzvision.tiles import SEATS, Seat
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import CaptureConfig, Image, open_source
from pzvision.vision.detections import Detections, Detector

TABLE: Final = "table"
_HAND: Final = "hand."


@dataclass(frozen=True)
class CameraSpec:
    """One camera: ``name`` is ``table``, ``table2``, ``hand.S``, ``source`` a number, address or video."""

    name: str
    source: str

    @property
    def seat(self) -> Seat | None:
        """Whose hand it sees; None for the table."""
        for seat in SEATS:
            if self.name == _HAND + seat:
                return seat
        return None

    def format(self) -> str:
        """As it is given: ``hand.S=1``."""
        return f"{self.name}={self.source}"


def parse_cameras(words: Sequence[str]) -> tuple[CameraSpec, ...]:
    """``--camera`` values: ``0``, ``table=0``, ``table2=1``, ``hand.S=rtsp://…``. The table comes first.

    Raises `PzvisionError` for a name twice, no table, or an empty source.
    """
    names = (TABLE, *TABLES, *(_HAND + seat for seat in SEATS))
    specs: dict[str, CameraSpec] = {}
    for word in words:
        name, equals, source = word.partition("=")
        if not equals or name not in names:
            # Addresses hold "=" too, and so may the names of files.
            if equals and name.startswith(_HAND):
                raise PzvisionError(f"--camera {word!r}: expected one of {' '.join(names)} before the =")
            name, source = TABLE, word
        if not source.strip():
            raise PzvisionError(f"--camera {word!r}: expected a webcam number, an address or a video")
        if name in specs:
            raise PzvisionError(
                f"--camera {word!r}: {name} is {specs[name].source!r} already: give one of each"
            )
        specs[name] = CameraSpec(name, source)
    if TABLE not in specs:
        raise PzvisionError("--camera: no camera sees the table: give --camera table=N")
    return tuple(specs[name] for name in names if name in specs)


@dataclass(frozen=True, eq=False)
class HandLook:
    """One look at a hand; ``detections`` is None when the picture says nothing (black, frozen)."""

    seat: Seat
    image: Image
    detections: Detections | None

    @property
    def camera(self) -> str:
        """Name of the camera."""
        return _HAND + self.seat


class HandCameras:
    """The cameras on players' hands, each looked at now and then.

    Args:
        sources: by seat.
        detector: finds tiles in such a picture.
        every_s: seconds between looks at one hand.
    """

    def __init__(
        self, sources: Mapping[Seat, LiveSource], detector: Detector, *, every_s: float = 1.0
    ) -> None:
        self._sources = dict(sources)
        self._detector = detector
        self._every_s = every_s
        self._looked: dict[Seat, float] = {}

    @classmethod
    def open(
        cls, specs: Sequence[CameraSpec], detector: Detector, config: CaptureConfig | None = None
    ) -> HandCameras:
        """Open those of ``specs`` that see a hand. Raises `PzvisionError` when one does not open."""
        sources: dict[Seat, LiveSource] = {}
        try:
            for spec in specs:
                seat = spec.seat
                if seat is not None:
                    source = open_source(spec.source, live=True, config=config)
                    assert isinstance(source, LiveSource)
                    sources[seat] = source
        except PzvisionError:
            for source in sources.values():
                source.close()
            raise
        return cls(sources, detector)

    def look(self) -> HandLook | None:
        """What one hand shows, if a look is due and its camera has a new picture."""
        now = time.monotonic()
        due = [s for s in self._sources if now - self._looked.get(s, float("-inf")) >= self._every_s]
        for seat in sorted(due, key=lambda s: self._looked.get(s, float("-inf"))):
            frame = self._sources[seat].latest(timeout=0.0)
            if frame is None:
                continue
            self._looked[seat] = now
            seen = self._detector(frame.image) if frame.state == "ok" else None
            return HandLook(seat, frame.image, seen)
        return None

    def health(self) -> dict[str, dict[str, Any]]:
        """State of each camera by name."""
        return {_HAND + seat: source.health.to_dict() for seat, source in self._sources.items()}

    @property
    def hung(self) -> bool:
        """Whether a reader sits in a read that never returns."""
        return any(source.hung for source in self._sources.values())

    def close(self) -> None:
        """Let go of all of them."""
        for source in self._sources.values():
            source.close()
