"""Recordings, read frame by frame without losing any: video files, folders of pictures, single pictures.

Times come from the container (phone video has a variable rate, so ``index / fps`` would be wrong); positions
are reached by reading on, never by seeking to a frame number.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.vision.capture import (
    CaptureConfig,
    Frame,
    FrameSource,
    Image,
    is_url,
    open_capture,
    without_password,
)
from pzvision.vision.pictures import decode, native_name

IMAGE_SUFFIXES: Final = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})


def open_recording(text: str, config: CaptureConfig) -> FrameSource:
    """A video file, a picture or a folder of pictures.

    Raises:
        PzvisionError: one line naming the file and what is wrong with it.
    """
    path = Path(text)
    try:
        mode = path.stat()
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise PzvisionError(
                f"no such source: {text!r} (expected a video, photo, folder, address or webcam number)"
            ) from None
        raise PzvisionError(f"cannot read {text!r}: {error.strerror}") from None
    if stat.S_ISDIR(mode.st_mode):
        return ImageSource(path, config)
    if mode.st_size == 0 and stat.S_ISREG(mode.st_mode):
        what = "photo" if path.suffix.lower() in IMAGE_SUFFIXES else "recording"
        raise PzvisionError(f"{text!r} is an empty file (0 bytes): copy the {what} again")
    if not os.access(path, os.R_OK):
        raise PzvisionError(f"cannot read {text!r}: permission denied")
    if path.suffix.lower() in IMAGE_SUFFIXES:
        return ImageSource(path, config)
    return VideoSource(text, config)


class ImageSource(FrameSource):
    """A folder of pictures in natural order of their names (``9.jpg`` before ``10.jpg``), or one picture.

    Time is ``index / CaptureConfig.folder_fps``. A picture that cannot be read or has another size than the
    first is left out with a note.

    Raises:
        PzvisionError: there is none that can be read.
    """

    def __init__(self, path: Path, config: CaptureConfig) -> None:
        super().__init__()
        self.name = str(path)
        self._fps = config.folder_fps
        if path.is_dir():
            self._files = sorted(
                (p for p in path.iterdir() if p.suffix.lower() in IMAGE_SUFFIXES and p.is_file()),
                key=lambda p: [
                    (0, int(w), "") if w.isdigit() else (1, 0, w) for w in re.split(r"(\d+)", p.name)
                ],
            )
            if not self._files:
                raise PzvisionError(f"no pictures in the folder {str(path)!r} (expected .jpg, .png …)")
        else:
            self._files = [path]
        self.frame_count = len(self._files)
        self.duration = len(self._files) / self._fps
        first = next((im for im in map(read_image_or_none, self._files) if im is not None), None)
        if first is None:
            raise PzvisionError(f"{str(self._files[0])!r} is not a picture that can be read")
        self.size = (first.shape[1], first.shape[0])

    def frames(self, *, start: float = 0.0, end: float | None = None, every: float = 0.0) -> Iterator[Frame]:
        """See `FrameSource.frames`."""
        due = start
        for index, path in enumerate(self._files):
            t = index / self._fps
            if self._stopped or (end is not None and t > end):
                return
            if t + 1e-6 < due:
                continue
            image = read_image_or_none(path)
            if image is None:
                self.notes.append(f"{path.name!r} cannot be read: left out")
                continue
            if (image.shape[1], image.shape[0]) != self.size:
                got, expected = f"{image.shape[1]}x{image.shape[0]}", f"{self.size[0]}x{self.size[1]}"
                self.notes.append(f"{path.name!r} is {got}, the others are {expected}: left out")
                continue
            due = _next_due(due, t, every)
            yield Frame(image, t, index)


class VideoSource(FrameSource):
    """A video file, or an address read to its end without dropping frames.

    A file that ends before its container says is used as far as it goes; ``notes`` then names the second
    where it ends. `check_whole` finds that out beforehand.

    Raises:
        PzvisionError: it cannot be opened or read, or must not be decoded.
    """

    def __init__(self, spec: str, config: CaptureConfig) -> None:
        super().__init__()
        self.name = without_password(spec)
        self._url = is_url(spec)
        self._capture = open_capture(spec, config)
        if self._capture is None:
            if self._url:
                raise PzvisionError(
                    f"cannot open {self.name!r}: no answer or no video there (is the camera on?)"
                )
            raise PzvisionError(
                f"{self.name!r} is not a video that can be read:"
                " damaged, cut off before its index, or not a video"
            )
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.fps = fps if 0 < fps < 1000 else 25.0
        count = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self.frame_count = count if 0 < count < 10**8 else None
        self.duration = self.frame_count / self.fps if self.frame_count else None
        # One frame is decoded now: a file whose first picture is broken is an error, not an empty game.
        if not self._capture.grab():
            self.close()
            raise PzvisionError(f"{self.name!r} holds no picture that can be read: damaged or truncated")
        ok, image = self._capture.retrieve()
        if not ok or image is None:
            self.close()
            raise PzvisionError(f"{self.name!r} holds no picture that can be read: damaged or truncated")
        self._first: Frame | None = Frame(np.asarray(image, np.uint8), self._time(0, 0.0), 0)
        self.size = (image.shape[1], image.shape[0])

    def _time(self, index: int, before: float) -> float:
        """The container's time of the frame just grabbed; ``before + 1 / fps`` where it has none."""
        assert self._capture is not None
        t = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000.0
        if index == 0:
            return max(t, 0.0) if np.isfinite(t) else 0.0
        return t if np.isfinite(t) and t > before else before + 1.0 / self.fps

    def frames(self, *, start: float = 0.0, end: float | None = None, every: float = 0.0) -> Iterator[Frame]:
        """See `FrameSource.frames`. A video can be read once; unwanted frames are decoded but not copied.

        Raises `PzvisionError` the second time.
        """
        if self._first is None:
            raise PzvisionError(f"{self.name!r} has been read already: open it again")
        frame, self._first = self._first, None
        due, t, index = start, frame.t, 0
        if t + 1e-6 >= due and (end is None or t <= end):
            due = _next_due(due, t, every)
            yield frame
        while self._capture is not None and self._capture.grab():
            index += 1
            t = self._time(index, t)
            if self._stopped or (end is not None and t > end):
                return
            if t + 1e-6 < due:
                continue
            ok, image = self._capture.retrieve()
            if not ok or image is None:
                continue
            due = _next_due(due, t, every)
            yield Frame(np.asarray(image, np.uint8), t, index)
        self._note_truncation(index + 1, t)

    def check_whole(self, *, end: float | None = None) -> None:
        """See `FrameSource.check_whole`. Undecoded packets are read, those at the end or, if need be, all.

        Raises `PzvisionError` saying to which second it can be read.
        """
        if self._url or self.frame_count is None or self.duration is None:
            return
        missing = self._tolerated / self.fps
        # Both must fall short: the count is wrong in a recording of variable rate, the time without stamps.
        last, _ = _last_packet(self.name, self.frame_count - 1 - self._tolerated)
        if last is None or last + 1.0 / self.fps >= self.duration - missing:
            return
        last, read = _last_packet(self.name, 0)
        if last is None or last + 1.0 / self.fps >= self.duration - missing:
            return
        if read >= self.frame_count - self._tolerated or (end is not None and end <= last + 1e-6):
            return
        usable = math.floor(last * 10 + 1e-6) / 10
        raise PzvisionError(
            f"{self.name!r} is truncated: it can be read to {usable:.1f} s of {self.duration:.1f} s;"
            f" copy the recording again, or give --end {usable:.1f} to use what is there"
        )

    @property
    def _tolerated(self) -> int:
        """Frames that may be missing: containers round their counts; a real cut loses more than a few."""
        return max(3, (self.frame_count or 0) // 100)

    def _note_truncation(self, read: int, t: float) -> None:
        if self.frame_count is not None and read < self.frame_count - self._tolerated:
            self.notes.append(
                f"{self.name!r} is truncated: it ends at {t:.1f} s of {self.duration:.1f} s;"
                f" the {read} frames before that were used"
            )

    def close(self) -> None:
        """Let go of the file; closing twice does nothing."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


def _last_packet(name: str, first: int) -> tuple[float | None, int]:
    """Time in s of a file's last readable picture and the packets read, from about frame ``first`` on.

    Nothing is decoded. A seek that fails gives time 0; None: the file cannot be read in this way.
    """
    capture = cv2.VideoCapture(native_name(name), cv2.CAP_FFMPEG, [cv2.CAP_PROP_FORMAT, -1])
    try:
        if not capture.isOpened():
            return None, 0
        if first > 0:
            capture.set(cv2.CAP_PROP_POS_FRAMES, first)
        last, read = 0.0, 0
        while capture.grab():
            read += 1
            t = float(capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000.0
            if math.isfinite(t):
                last = max(last, t)  # pictures are stored in the order of decoding
        return last, read
    finally:
        capture.release()


def _next_due(due: float, t: float, every: float) -> float:
    """The time from which the next frame is wanted, on a grid of ``every`` so that it does not drift."""
    if every <= 0:
        return t
    return due + every * (int((t - due) / every + 1e-6) + 1)


def read_image_or_none(path: Path) -> Image | None:
    """A picture as ``(H, W, 3)`` uint8 BGR (names in any script), or None when it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return decode(data)
