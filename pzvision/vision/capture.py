"""Pictures in, one at a time, each with its time: video files, folders of pictures, addresses, webcams.

A recording (`pzvision.vision.recording`: file, folder) is read frame by frame and loses nothing. A live
source (`pzvision.vision.camera`) keeps only the newest frame.
"""

from __future__ import annotations

import os
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

# FFmpeg and OpenCV would print their own complaints beside our one line. Read when the first capture opens.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OPENCV_LOG_LEVEL", "FATAL")

import cv2

from pzvision.errors import PzvisionError
from pzvision.vision.pictures import native_name

# The same where cv2 was imported before this module.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)

Image = npt.NDArray[np.uint8]
"""A picture: ``(H, W, 3)`` uint8 BGR."""
FrameState = Literal["ok", "black", "frozen"]

# What FFmpeg may decode while it looks a stream over: what cameras, phones and OBS make, and little besides.
_DECODERS: Final = (
    "h264,hevc,av1,libdav1d,libaom-av1,vp8,libvpx,vp9,libvpx-vp9,mjpeg,mpeg4,mpeg1video,mpeg2video,h263,flv,"
    "msmpeg4,msmpeg4v1,msmpeg4v2,wmv1,wmv2,wmv3,vc1,theora,prores,dvvideo,dnxhd,rawvideo,png,ffv1,huffyuv,"
    "ffvhuff,utvideo,gif,webp,aac,mp3,opus,vorbis,ac3,pcm_s16le,pcm_alaw,pcm_mulaw"
)
_OPTIONS: Final = "OPENCV_FFMPEG_CAPTURE_OPTIONS"
# FFmpeg before 8.1.2, which OpenCV 5.0.0 has, writes out of bounds in MagicYUV (CVE-2026-8461).
_REFUSED: Final = re.compile(rb"MAGY|M[802](RG|RA|G0|YA|Y0|Y2|Y4)", re.IGNORECASE)

_URL: Final = re.compile(r"^(https?|rtsps?|rtmp|udp|tcp)://", re.IGNORECASE)


@dataclass(frozen=True)
class CaptureConfig:
    """Limits of reading pictures.

    Attributes:
        open_deadline_s: seconds an address or camera may take to open.
        silent_s: seconds without a frame after which a live source is shown as lost.
        read_deadline_s: seconds without a frame after which it is opened anew.
        first_backoff_s, max_backoff_s: wait before the first reconnect; it doubles up to the cap.
        crashes, crash_window_s: a reader that dies of an error nobody expected is begun anew at most so many
            times in so many seconds.
        frozen_s: seconds of bit-equal frames after which a live picture counts as frozen.
        frozen_reconnect_s: seconds frozen after which the connection is opened anew.
        black_mean, black_deviation: a frame darker and flatter than this (0–255) is black.
        folder_fps: frames a second assumed for a folder of pictures.
        webcam_size, webcam_fps: width and height in px and frames a second asked of a webcam, which gives
            what it can; left alone it would give 640 × 480.
        max_stuck: hung reader threads put up with before a live source gives up.
    """

    open_deadline_s: float = 8.0
    silent_s: float = 1.5
    read_deadline_s: float = 5.0
    first_backoff_s: float = 0.5
    max_backoff_s: float = 8.0
    crashes: int = 5
    crash_window_s: float = 60.0
    frozen_s: float = 3.0
    frozen_reconnect_s: float = 20.0
    black_mean: float = 8.0
    black_deviation: float = 4.0
    folder_fps: float = 10.0
    webcam_size: tuple[int, int] = (1280, 720)
    webcam_fps: float = 30.0
    max_stuck: int = 4


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture.

    Attributes:
        image: ``(H, W, 3)`` uint8 BGR.
        t: seconds from the start of the source.
        index: 0-based number of the frame in the source (for a live source: frames received).
        state: ``black`` and ``frozen`` pictures say nothing about the table.
    """

    image: Image
    t: float
    index: int
    state: FrameState = "ok"


class FrameSource(ABC):
    """Something that yields frames in order of time.

    Attributes:
        name: what the user called it.
        size: ``(width, height)`` in px.
        frame_count: frames the container promises, or None.
        duration: seconds the container promises, or None.
        live: True when frames are lost unless they are fetched in time.
        notes: one-line remarks for the user that came up while reading (such as a truncation).
        on_idle: called by `frames` of a live source while it waits for a frame, about ten times a second.
    """

    name: str
    size: tuple[int, int]
    frame_count: int | None = None
    duration: float | None = None
    live: bool = False
    on_idle: Callable[[], None] | None = None

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._stopped = False

    @abstractmethod
    def frames(self, *, start: float = 0.0, end: float | None = None, every: float = 0.0) -> Iterator[Frame]:
        """Frames with ``start <= t <= end`` (s), at most one per ``every`` seconds (0: all of them)."""

    def __iter__(self) -> Iterator[Frame]:
        return self.frames()

    def stop(self) -> None:
        """Let `frames` end at the next frame. May be called from a signal handler."""
        self._stopped = True

    def check_whole(self, *, end: float | None = None) -> None:  # noqa: B027 - most sources cannot be cut off
        """Raise `PzvisionError` when the source is cut off before ``end`` seconds (None: its own end)."""

    def close(self) -> None:  # noqa: B027 - most sources have nothing to close
        """Let go of the file or the device. Safe to call twice."""


def is_url(spec: str) -> bool:
    """Whether OpenCV would fetch it over a network."""
    return bool(_URL.match(spec))


_SECRET: Final = re.compile(
    r"(?<=://)[^/\s]+@|(?<=[/?&_;])((?:pass|passw|passwd|password|pwd|token|key)=)[^/?&_;\s]+", re.IGNORECASE
)


def without_password(spec: str) -> str:
    """An address as it may be shown and kept: a password in it is left out (``rtsp://…@camera/1``)."""
    return _SECRET.sub(lambda found: f"{found[1]}…" if found[1] else "…@", spec) if is_url(spec) else spec


def open_source(spec: str | Path, *, live: bool = False, config: CaptureConfig | None = None) -> FrameSource:
    """Open a source of frames.

    Args:
        spec: a video file, a picture, a folder of pictures, an address (``http://``, ``rtsp://`` …) or a
            webcam number such as ``"0"``.
        live: treat an address as a camera and play a file at real speed: only the newest frame is kept.
            A webcam is always live.

    Raises:
        PzvisionError: one line naming the source and what is wrong with it.
    """
    from pzvision.vision.recording import VideoSource, open_recording

    config = config or CaptureConfig()
    text = str(spec)
    if text.isdecimal() and not Path(text).exists():
        from pzvision.vision.camera import LiveSource

        return LiveSource.open(int(text), config)
    if is_url(text):
        if live:
            from pzvision.vision.camera import LiveSource

            return LiveSource.open(text, config)
        return VideoSource(text, config)
    source = open_recording(text, config)
    if live:
        from pzvision.vision.camera import LiveSource

        return LiveSource.play(source, config)
    return source


def _limit_decoders() -> None:
    """Tell FFmpeg; read whenever a capture opens. What the user has set stays, else OpenCV's own default."""
    chosen = os.environ.get(_OPTIONS, "rtsp_flags;prefer_tcp")
    if "codec_whitelist" not in chosen:
        os.environ[_OPTIONS] = f"{chosen}|codec_whitelist;{_DECODERS}"


def open_capture(spec: str | int, config: CaptureConfig) -> cv2.VideoCapture | None:
    """An opened OpenCV capture, or None. Raises `PzvisionError` for a video that must not be decoded."""
    if isinstance(spec, int):
        return _open_webcam(spec, config)
    _limit_decoders()
    if is_url(spec):
        options = [
            cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
            int(config.open_deadline_s * 1000),
            cv2.CAP_PROP_READ_TIMEOUT_MSEC,
            int(config.read_deadline_s * 1000),
        ]
        capture = cv2.VideoCapture(spec, cv2.CAP_FFMPEG, options)
    else:
        capture = cv2.VideoCapture(native_name(spec))
    if not capture.isOpened():
        capture.release()
        return None
    kind = int(capture.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
    if _REFUSED.fullmatch(kind.to_bytes(4, "little")):
        capture.release()
        raise PzvisionError(
            f"{without_password(spec)!r} is MagicYUV video, whose decoder is not safe:"
            " convert it, for instance to H.264"
        )
    return capture


# OpenCV's own order of tries is slow on Windows (Media Foundation takes many seconds to open).
_WEBCAM_BACKENDS: Final = {"linux": cv2.CAP_V4L2, "win32": cv2.CAP_DSHOW, "darwin": cv2.CAP_AVFOUNDATION}


def _open_webcam(number: int, config: CaptureConfig) -> cv2.VideoCapture | None:
    """A webcam by the system's own interface, else by any OpenCV has; asked for size, rate and MJPEG."""
    for backend in (_WEBCAM_BACKENDS.get(sys.platform), cv2.CAP_ANY):
        if backend is None:
            continue
        capture = cv2.VideoCapture(number, backend)
        if capture.isOpened():
            # The format first: uncompressed, USB 2 carries 1280 × 720 only at some 10 frames a second.
            capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, config.webcam_size[0])
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, config.webcam_size[1])
            capture.set(cv2.CAP_PROP_FPS, config.webcam_fps)
            return capture
        capture.release()
    return None
