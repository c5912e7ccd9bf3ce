"""Pictures out of bytes that may be damaged: none takes more memory than its own size warrants."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

_PNG: Final = b"\x89PNG\r\n\x1a\n"


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
