"""The annotated video of `pzvision replay --render`; it gets its name when it is complete."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import cv2

from pzvision.errors import PzvisionError
from pzvision.live.paths import check_writable, resolved_output
from pzvision.vision.capture import Image
from pzvision.vision.pictures import native_name

_CODECS: Final = {".mp4": "mp4v", ".m4v": "mp4v", ".mov": "mp4v", ".avi": "MJPG", ".mkv": "mp4v"}


class VideoFile:
    """A video at a constant rate, from pictures at any times.

    Args:
        path: ``.mp4``, ``.mov``, ``.mkv`` or ``.avi``.
        fps: frames a second.

    Raises:
        PzvisionError: an unknown kind of file, or it cannot be written there. Nothing is created before the
            first picture.
    """

    def __init__(self, path: str | Path, fps: float) -> None:
        self.path = Path(path)
        self.fps = min(max(fps, 1.0), 60.0)
        if self.path.suffix.lower() not in _CODECS:
            known = ", ".join(_CODECS)
            raise PzvisionError(f"cannot write {str(self.path)!r}: expected a name that ends in {known}")
        check_writable(self.path)
        self._target = resolved_output(path)
        suffix = self.path.suffix.lower()
        self._part = self._target.with_name(f".{self._target.stem}.{os.getpid()}.part{suffix}")
        self._writer: cv2.VideoWriter | None = None
        self._written = 0
        self._start: float | None = None
        self._last: Image | None = None

    def write(self, image: Image, t: float) -> None:
        """Show ``image`` from ``t`` seconds on; all images must be of one size."""
        if self._writer is None:
            self._open(image)
            self._start = t
        assert self._writer is not None and self._start is not None
        due = int((t - self._start) * self.fps + 0.5)
        # The picture before stays until now; of several pictures for one tick the last one counts.
        while self._written < due and self._last is not None:
            self._writer.write(self._last)
            self._written += 1
        self._last = image

    def _open(self, image: Image) -> None:
        codec = cv2.VideoWriter.fourcc(*_CODECS[self.path.suffix.lower()])
        size = (image.shape[1], image.shape[0])
        writer = cv2.VideoWriter(native_name(self._part), codec, self.fps, size)
        if not writer.isOpened():
            self._part.unlink(missing_ok=True)
            raise PzvisionError(f"cannot write {str(self.path)!r}: OpenCV has no encoder for it")
        self._writer = writer

    def close(self, *, keep: bool = True) -> None:
        """Finish the file and give it its name; with ``keep`` False, leave nothing. Safe to call twice."""
        if self._writer is None:
            return
        try:
            if self._last is not None and keep:
                self._writer.write(self._last)
            self._writer.release()
            self._writer = None
            if keep:
                os.replace(self._part, self._target)
        finally:
            self._part.unlink(missing_ok=True)
