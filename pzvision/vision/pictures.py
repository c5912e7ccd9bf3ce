"""Pictures out of bytes that may be damaged, none with more memory than its size warrants; names of files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

_PNG: Final = b"\x89PNG\r\n\x1a\n"


def native_name(path: str | Path) -> str:
    """A file's name as OpenCV takes it, which crashes at a text that is not Unicode throughout.

    Such are names from elsewhere, and every Chinese one in a locale that knows none; where names are bytes
    OpenCV takes those.
    """
    return str(path) if os.name == "nt" else os.fsencode(path)  # type: ignore[return-value]


def as_text(name: str) -> str:
    """A file's name as it may be written into a text file: bytes that are no Unicode become ``\\xd6``."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def decode(data: bytes) -> npt.NDArray[np.uint8] | None:
    """A picture as ``(H, W, 3)`` uint8 BGR, turned upright as its EXIF says; None when it cannot be read."""
    if not data or _overlong(data):
        return None
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)


def _overlong(data: bytes) -> bool:
    """Whether a PNG has a part that claims to be longer than the file; OpenCV would make room for it."""
    if not data.startswith(_PNG):
        return False
    at = len(_PNG)
    while at + 8 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        if length > len(data):
            return True
        at += 12 + length
    return False
