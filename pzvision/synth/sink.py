"""Writes frames to an mp4: H.264 through the ``ffmpeg`` program where there is one, else through OpenCV."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType

import cv2

from pzvision.errors import PzvisionError
from pzvision.synth.glyphs import Image
from pzvision.vision.pictures import native_name


class VideoSink:
    """``with VideoSink(path, size, fps) as sink: sink.write(frame)``.

    Args:
        path: the mp4 to write.
        size: ``(width, height)`` px, both even.
        fps: frames a second.
        crf: quality for H.264, 0 best – 51.

    Raises:
        PzvisionError: the video cannot be written.
    """

    def __init__(self, path: Path, size: tuple[int, int], fps: float, *, crf: int = 26) -> None:
        self.path, self.size = path, size
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: cv2.VideoWriter | None = None
        program = shutil.which("ffmpeg")
        if program and _has_x264(program):
            w, h = size
            command = [
                program, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{w}x{h}",
                "-r", f"{fps:g}", "-i", "-", "-c:v", "libx264", "-preset", "veryfast", "-crf", str(crf),
                "-pix_fmt", "yuv420p", "-threads", "1", "-movflags", "+faststart", str(path),
            ]  # fmt: skip
            # a new session keeps the terminal's Ctrl-C from ending it under our feet
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
            return
        before = os.environ.get("OPENCV_FFMPEG_WRITER_OPTIONS")
        os.environ["OPENCV_FFMPEG_WRITER_OPTIONS"] = "b;6000000|qmax;7"
        try:
            self._writer = cv2.VideoWriter(native_name(path), cv2.VideoWriter.fourcc(*"mp4v"), fps, size)
        finally:
            if before is None:
                del os.environ["OPENCV_FFMPEG_WRITER_OPTIONS"]
            else:
                os.environ["OPENCV_FFMPEG_WRITER_OPTIONS"] = before
        if not self._writer.isOpened():
            raise PzvisionError(f"{path}: OpenCV cannot write mp4 videos here; install ffmpeg")

    def write(self, frame: Image) -> None:
        """Append one ``(H, W, 3)`` uint8 BGR frame.

        Raises `ValueError` for another size, `PzvisionError` where the encoder stopped.
        """
        if frame.shape[1::-1] != self.size:
            raise ValueError(f"frame: expected {self.size}, got {frame.shape[1::-1]}")
        if self._process is not None and self._process.stdin is not None:
            try:
                self._process.stdin.write(frame.tobytes())
            except (BrokenPipeError, OSError) as error:
                raise PzvisionError(f"{self.path}: ffmpeg stopped: {self._complaint()}") from error
        elif self._writer is not None:
            self._writer.write(frame)

    def _complaint(self) -> str:
        if self._process is None or self._process.stderr is None:
            return "no reason given"
        return (
            self._process.stderr.read().decode("utf-8", "replace").strip().replace("\n", "; ")
            or "no reason given"
        )

    def close(self) -> None:
        """Finish the file. Raises `PzvisionError` where the encoder failed."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            complaint = self._complaint()
            if self._process.wait():
                raise PzvisionError(f"{self.path}: ffmpeg failed: {complaint}")
        elif self._writer is not None:
            self._writer.release()

    def __enter__(self) -> VideoSink:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        elif self._process is not None:
            self._process.kill()
            self._process.communicate()
        elif self._writer is not None:
            self._writer.release()


def _has_x264(program: str) -> bool:
    try:
        answer = subprocess.run(
            [program, "-hide_banner", "-encoders"], capture_output=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return b"libx264" in answer.stdout
