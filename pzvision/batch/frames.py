"""Some pictures of a recording, got at without reading all of it, and known to be the right ones."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.vision.capture import Image, open_source
from pzvision.vision.pictures import native_name

_BEFORE_S: Final = 1.0  # s before the first picture wanted that a search in the video aims at
_SAME_S: Final = 1e-4  # s two times of one picture may differ
_READ_ON_S: Final = 8.0  # s into a recording up to which reading on is as quick as searching


@dataclass(frozen=True)
class Ask:
    """A look that needs the detector.

    Attributes:
        look: its number among the looks.
        frame, t: its frame's number and time, s.
        crc: CRC-32 of its picture.
        view: under which of the survey's calibrations it is looked at.
    """

    look: int
    frame: int
    t: float
    crc: int
    view: int = 0


def crc_of(image: Image) -> int:
    """CRC-32 of a picture's bytes."""
    return zlib.crc32(image.tobytes())


def frames_at(path: str, asks: Sequence[Ask], every: float) -> Iterator[tuple[Ask, Image]]:
    """The pictures of these looks, in order. ``every``: seconds between looks, as in the survey.

    Long videos are searched by time. Times and positions of containers cannot be trusted, so every picture
    is compared with what the survey saw; where one differs the rest is read from the beginning instead.

    Raises `PzvisionError` when a picture is not there: the recording was changed meanwhile.
    """
    rest = list(asks)
    if rest and rest[0].t > _READ_ON_S and not Path(path).is_dir():
        for ask, image in _searched(path, rest):
            yield ask, image
            rest = rest[1:]
    if rest:
        yield from _read_through(path, rest, every)


def _searched(path: str, asks: Sequence[Ask]) -> Iterator[tuple[Ask, Image]]:
    capture = cv2.VideoCapture(native_name(path))
    try:
        if not capture.isOpened() or not capture.set(
            cv2.CAP_PROP_POS_MSEC, 1000 * max(0.0, asks[0].t - _BEFORE_S)
        ):
            return
        for ask in asks:
            while True:
                if not capture.grab():
                    return
                t = float(capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
                if not math.isfinite(t) or t > ask.t + _SAME_S:
                    return
                if t >= ask.t - _SAME_S:
                    break
            ok, image = capture.retrieve()
            if not ok or image is None:
                return
            picture = np.asarray(image, np.uint8)
            if crc_of(picture) != ask.crc:
                return
            yield ask, picture
    finally:
        capture.release()


def _read_through(path: str, asks: Sequence[Ask], every: float) -> Iterator[tuple[Ask, Image]]:
    wanted = {ask.frame: ask for ask in asks}
    source = open_source(path)
    try:
        for frame in source.frames(end=asks[-1].t + _SAME_S, every=every):
            ask = wanted.pop(frame.index, None)
            if ask is not None:
                if crc_of(frame.image) != ask.crc:
                    break
                yield ask, frame.image
            if not wanted:
                return
    finally:
        source.close()
    raise PzvisionError(f"{path!r} has changed since it was surveyed: run it again")
