"""Stored looks as a source: a recording is read again without its pictures and without the detector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pzvision.table.observations import Header, Look, file_digest, read_observations
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Frame, FrameSource, Image
from pzvision.vision.detections import Detections
from pzvision.vision.detector import FINDER_FILE, READER_FILE, find_model
from pzvision.vision.pictures import as_text


class StoredLooks(FrameSource):
    """A file of observations. Its frames are black pictures; `look` is what was seen in the newest one.

    Args:
        path: written by `pzvision.table.observations.ObservationWriter`.

    Raises:
        PzvisionError: the file is missing or no stored observations; while reading: it is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self._observations = read_observations(path)
        self.header = self._observations.header
        self.name = self.header.source or str(path)
        self.size = self.header.image_size
        self.frame_count = self.header.frames
        self.look: Look | None = None

    def frames(self, *, start: float = 0.0, end: float | None = None, every: float = 0.0) -> Iterator[Frame]:
        """One frame a look from ``start`` to ``end`` s, whatever ``every``.

        At the end one more without a look, when it came later.
        """
        nothing = np.zeros((self.size[1], self.size[0], 3), np.uint8)
        last: Look | None = None
        for look in self._observations:
            if self._stopped or (end is not None and look.t > end):
                return
            if look.t >= start:
                last = self.look = look
                yield Frame(nothing, look.t, look.frame)
        over = self._observations.end
        if last is not None and over is not None and over > last.t and (end is None or over <= end):
            self.look = None
            yield Frame(nothing, over, last.frame)


def header_of(source: FrameSource, calibration: Calibration, models: str | Path | None = None) -> Header:
    """The header for looks at ``source`` with the models of that folder (None: the shipped ones)."""
    path = Path(source.name)
    name, digest = (path.name, file_digest(path)) if path.exists() else (source.name, "")
    return Header(calibration, as_text(name), digest, model_digests(models), frames=source.frame_count)


def model_digests(models: str | Path | None = None) -> dict[str, str]:
    """SHA-256 of the model files in that folder (None: the shipped ones), by name."""
    folder = Path(models) if models else None
    return {name: file_digest(find_model(name, folder)) for name in (FINDER_FILE, READER_FILE)}


def never(image: Image) -> Detections:
    """The detector of a run that reads stored looks. Raises `AssertionError`: it must not be asked."""
    raise AssertionError("stored looks need no detector")
