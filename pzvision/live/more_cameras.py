"""Cameras beside the first one: further ones on the same table, and recorded ones on players' hands.

``table2``, ``table3`` … see the same table from elsewhere, each with its own calibration; what they see is
fused on the table plane (`pzvision.vision.fusion`). In a replay they are recordings begun at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pzvision.errors import PzvisionError
from pzvision.live.asking import Asking
from pzvision.live.eye import Eye
from pzvision.table.packing import rounded
from pzvision.tiles import SEATS, Seat
from pzvision.vision.calibration import Calibration, load
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import CaptureConfig, Frame, FrameSource, Image, open_source
from pzvision.vision.detections import Detections, Detector
from pzvision.vision.fusion import View, facing, fuse, turned
from pzvision.vision.hand_row import hand_row
from pzvision.vision.motion import MotionMask

TABLES: Final = ("table2", "table3", "table4")
_HANDS: Final = {f"hand.{seat}": seat for seat in SEATS}
_STALE_S: Final = 1.0  # a picture older than this says nothing about now


def parse_recordings(words: Sequence[str]) -> dict[str, str]:
    """``replay --camera`` values, ``table2=FILE`` or ``hand.S=FILE``: name to file.

    Raises `PzvisionError` for another name, a name twice or no file.
    """
    names = (*TABLES, *_HANDS)
    out: dict[str, str] = {}
    for word in words:
        name, equals, source = word.partition("=")
        if not equals or name not in names or not source.strip():
            raise PzvisionError(f"--camera {word!r}: expected NAME=FILE, NAME one of {' '.join(names)}")
        if name in out:
            raise PzvisionError(f"--camera {word!r}: {name} is {out[name]!r} already: give one of each")
        out[name] = source
    return out


def find_camera_calibration(name: str, source: str, first: Path | None) -> Path:
    """Calibration of a further camera: beside its recording, or ``NAME.toml`` beside the first one's.

    Raises `PzvisionError` naming where it was looked for.
    """
    places = []
    path = Path(source)
    if path.exists():
        folder = path if path.is_dir() else path.parent
        places += [folder / f"{name}.toml", folder / f"{name}.json"]
        if first is None or folder.resolve() != first.parent.resolve():
            places += [folder / "calibration.toml", folder / "calibration.json"]
    if first is not None:
        places += [first.with_name(f"{name}.toml"), first.with_name(f"{name}.json")]
    places.append(Path("calibration") / f"{name}.toml")
    for place in places:
        if place.is_file():
            return place
    looked = ", ".join(map(str, dict.fromkeys(places)))
    raise PzvisionError(
        f"--camera {name}: no calibration (looked for {looked}): make one with pzvision calibrate"
        f" SOURCE --camera {name}"
    )


class InStep:
    """A source read beside another one: its newest picture at any time of the game.

    A recording is read forward up to that time; a live camera gives its newest picture.
    """

    def __init__(self, source: FrameSource) -> None:
        self.source = source
        self._frames: Iterator[Frame] | None = None
        self._next: Frame | None = None
        self._now: Frame | None = None

    def at(self, t: float) -> Frame | None:
        """The newest picture not after ``t`` s; None where there is none, or none new enough."""
        if isinstance(self.source, LiveSource):
            frame = self.source.latest(timeout=0.0)
            if frame is not None:
                self._now = frame
            age = None if self._now is None else self.source.age_of(self._now)
            return self._now if age is not None and age < _STALE_S else None
        if self._frames is None:
            self._frames = self.source.frames()
            self._next = next(self._frames, None)
        while self._next is not None and self._next.t <= t + 1e-6:
            self._now, self._next = self._next, next(self._frames, None)
        return self._now if self._now is not None and t - self._now.t < _STALE_S else None


class FurtherTable:
    """One further camera on the table.

    Args:
        name: ``table2`` ….
        source: its pictures.
        calibration: its own.
        reference: of the first camera.
        new_detector: the detector for a calibration.
        asking: decides when the detector is asked.

    Raises:
        PzvisionError: the calibration is for other pictures or another table.
    """

    def __init__(
        self,
        name: str,
        source: FrameSource,
        calibration: Calibration,
        reference: Calibration,
        new_detector: Callable[[Calibration], Detector],
        asking: Asking,
    ) -> None:
        calibration.check_image_size(*source.size)
        turned(calibration, reference)
        self.name = name
        self.source = source
        self._reader = InStep(source)
        self._reference = reference
        self._new_detector = new_detector
        page = isinstance(source, LiveSource)
        self._eye = Eye(calibration, asking, self._move, framed=self._framed, page=page)
        self._detections: Detections | None = None
        self._last: View | None = None
        self._image: Image | None = None
        self._index = -1
        self._move(calibration)

    def _framed(self, calibration: Calibration) -> Calibration:
        return facing(calibration, self._reference)

    def _move(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self._detector = self._new_detector(calibration)
        self._detections = None

    def refer(self, reference: Calibration) -> None:
        """See the table in another first camera's frame. Raises `PzvisionError` for another table."""
        turned(self.calibration, reference)
        self._reference = reference
        self._eye.reframed()
        self._detections = None

    def view(self, t: float) -> View:
        """What it sees at ``t`` s of the game."""
        frame = self._reader.at(t)
        if frame is None or frame.state != "ok":
            self._last = self._image = None
            return View(self.calibration, None)
        if self._last is not None and frame.index == self._index:
            return self._last
        self._index = frame.index
        mask = self._eye.look(frame.image, frame.t)
        self._image = None if mask is None else frame.image
        if mask is None:
            self._last = View(self.calibration, None)
            return self._last
        if self._eye.due(mask, frame.t) or self._detections is None:
            self._detections = self._detector(frame.image)
        self._last = View(self.calibration, self._detections, mask)
        return self._last

    @property
    def picture(self) -> tuple[Image, Calibration] | None:
        """What it showed at the last look, and where the first camera's table is in that; None: nothing."""
        return None if self._image is None else (self._image, facing(self.calibration, self._reference))

    def health(self) -> dict[str, Any]:
        """As ``/health`` has it."""
        camera: dict[str, Any] = {"state": "ok"}
        if isinstance(self.source, LiveSource):
            camera = self.source.health.to_dict()
        return {**camera, **self._eye.standing.health()} if camera["state"] == "ok" else camera


class MoreTables:
    """The further cameras on the table.

    Args:
        cameras: opened ones.
        reference: calibration of the first camera: what they see is told in its pixels.
    """

    def __init__(self, cameras: Sequence[FurtherTable], reference: Calibration) -> None:
        self._cameras = list(cameras)
        self._reference = reference
        self._inputs: list[Detections | None] = []
        self._fused: Detections | None = None

    def fused(
        self, t: float, detections: Detections | None, mask: MotionMask | None
    ) -> tuple[Detections | None, MotionMask | None]:
        """The first camera's look at ``t`` s and all others' as one.

        Where nobody sees anything new, the tiles are the very object given before.
        """
        views = [View(self._reference, detections, mask), *(c.view(t) for c in self._cameras)]
        inputs = [view.detections for view in views]
        fused, motion = fuse(views, self._reference)
        same = len(inputs) == len(self._inputs) and all(
            a is b for a, b in zip(inputs, self._inputs, strict=True)
        )
        if same and fused is not None and self._fused is not None:
            return self._fused, motion
        self._inputs, self._fused = inputs, None if fused is None else rounded(fused)
        return self._fused, motion

    def pictures(self) -> list[tuple[Image, Calibration]]:
        """What those that see the table showed at the last look, each with where the table is in it."""
        return [picture for camera in self._cameras if (picture := camera.picture) is not None]

    def recalibrated(self, reference: Calibration) -> None:
        """The first camera was calibrated anew, and the game reads under that."""
        self._reference, self._fused = reference, None
        for camera in self._cameras:
            camera.refer(reference)

    def health(self) -> dict[str, dict[str, Any]]:
        """State of each by name."""
        return {camera.name: camera.health() for camera in self._cameras}

    @property
    def hung(self) -> bool:
        """Whether a reader sits in a read that never returns."""
        return any(isinstance(c.source, LiveSource) and c.source.hung for c in self._cameras)

    def close(self) -> None:
        """Let go of all of them."""
        for camera in self._cameras:
            camera.source.close()


def open_tables(
    sources: dict[str, FrameSource],
    first: Path | None,
    reference: Calibration,
    new_detector: Callable[[Calibration], Detector],
    asking: Callable[[], Asking],
) -> MoreTables | None:
    """The further cameras of the table by name; None for none.

    Raises `PzvisionError` when one has no calibration or sees another table.
    """
    cameras = []
    for name, source in sources.items():
        path = find_camera_calibration(name, source.name, first)
        try:
            cameras.append(FurtherTable(name, source, load(path), reference, new_detector, asking()))
        except PzvisionError as error:
            raise PzvisionError(f"--camera {name}={source.name}: {error}") from None
    return MoreTables(cameras, reference) if cameras else None


class HandRecordings:
    """Recorded cameras on players' hands, in step with the game.

    Args:
        sources: by seat.
        detector: finds tiles in such a picture.
        every_s: seconds of the recording between looks at one hand.
    """

    def __init__(self, sources: dict[Seat, FrameSource], detector: Detector, *, every_s: float = 1.0) -> None:
        self._readers = {seat: InStep(source) for seat, source in sources.items()}
        self._detector = detector
        self._every_s = every_s
        self._looked: dict[Seat, float] = {}

    @classmethod
    def open(
        cls, recordings: Mapping[str, str], detector: Detector, config: CaptureConfig | None = None
    ) -> HandRecordings | None:
        """Those of the recordings by name that show a hand; None for none. Raises `PzvisionError`."""
        sources = {_HANDS[n]: open_source(w, config=config) for n, w in recordings.items() if n in _HANDS}
        return cls(sources, detector) if sources else None

    def rows(self, t: float) -> Iterator[tuple[Seat, Detections | None]]:
        """The row of each hand that is due at ``t`` s, rounded; None: the picture says nothing."""
        for seat, reader in self._readers.items():
            if t - self._looked.get(seat, float("-inf")) < self._every_s - 1e-6:
                continue
            frame = reader.at(t)
            if frame is not None:
                self._looked[seat] = t
                seen = frame.state == "ok"
                yield seat, rounded(hand_row(self._detector(frame.image))) if seen else None

    def close(self) -> None:
        """Let go of all of them."""
        for reader in self._readers.values():
            reader.source.close()
