"""A camera's lens, from a few photos of the printed ChArUco board.

The board is the last page of ``pzvision calibrate --sheet``. Its true size does not matter for the lens, only
that it is flat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.vision.capture import Image

BOARD_DICTIONARY: Final = cv2.aruco.DICT_5X5_100
BOARD_SQUARES: Final = (8, 5)  # columns, rows
BOARD_SQUARE_MM: Final = 32.0
BOARD_MARKER_MM: Final = 24.0


@dataclass(frozen=True)
class LensConfig:
    """When photos of the board are enough, and when a lens is refused.

    Attributes:
        least_photos: usable ones.
        least_corners: inner corners of the board that must be seen in a photo for it to count.
        refuse_px: root mean square reprojection error for a picture 1280 px wide; in proportion for others.
        least_tilt: how differently the board must be held (standard deviation of its tilt, degrees): boards
            all held alike do not say what the focal length is.
    """

    least_photos: int = 4
    least_corners: int = 10
    refuse_px: float = 1.0
    least_tilt: float = 4.0


@dataclass(frozen=True)
class Lens:
    """What a calibration file keeps of a lens.

    Attributes:
        camera_matrix: 3 × 3, px.
        coefficients: OpenCV's ``k1, k2, p1, p2, k3``, factors on powers of distances in focal lengths.
        error_px: root mean square reprojection error over all photos.
        image_size: ``(width, height)`` of the photos, px.
        used: names of the photos used, with each one's error in px.
        left_out: names of the photos that showed too little of the board.
    """

    camera_matrix: tuple[tuple[float, float, float], ...]
    coefficients: tuple[float, float, float, float, float]
    error_px: float
    image_size: tuple[int, int]
    used: tuple[tuple[str, float], ...]
    left_out: tuple[str, ...]

    def scaled(self, width: int, height: int) -> Lens:
        """The same lens in pictures of another size, px. Raises `PzvisionError` for another shape."""
        w, h = self.image_size
        if abs(width * h - height * w) > 0.01 * w * h:
            raise PzvisionError(
                f"--lens: its photos are {w} × {h} px, the picture {width} × {height}: expected one shape"
            )
        factors = np.array([[width / w], [height / h], [1.0]])
        rows = np.array(self.camera_matrix) * factors
        matrix = tuple((float(a), float(b), float(c)) for a, b, c in rows)
        error = self.error_px * width / w
        return Lens(matrix, self.coefficients, error, (width, height), self.used, self.left_out)


@cache
def board() -> cv2.aruco.CharucoBoard:
    """The printed board; lengths in mm."""
    dictionary = cv2.aruco.getPredefinedDictionary(BOARD_DICTIONARY)
    return cv2.aruco.CharucoBoard(BOARD_SQUARES, BOARD_SQUARE_MM, BOARD_MARKER_MM, dictionary)


def find_board(image: Image) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    """The board's inner corners in a picture: ``(N, 2)`` px and their ``(N,)`` numbers."""
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    corners, numbers, _, _ = cv2.aruco.CharucoDetector(board()).detectBoard(grey)
    if corners is None or numbers is None:
        return np.zeros((0, 2), np.float32), np.zeros(0, np.int32)
    return np.asarray(corners, np.float32).reshape(-1, 2), np.asarray(numbers, np.int32).ravel()


def fit_lens(photos: Sequence[tuple[str, Image]], config: LensConfig | None = None) -> Lens:
    """The lens by photos of the board, each a name and ``(H, W, 3)`` uint8 BGR.

    Zhang's calibration from views of a plane, with the coefficients of Brown and Conrady, as OpenCV has both.

    Raises:
        PzvisionError: photos of different sizes, too few that show the board, all held alike, or an error
            that is too great; names the photos and px.
    """
    config = config or LensConfig()
    inner = np.asarray(board().getChessboardCorners(), np.float32)
    size: tuple[int, int] | None = None
    names, left_out, world, seen = [], [], [], []
    for name, image in photos:
        now = (image.shape[1], image.shape[0])
        if size is not None and now != size:
            raise PzvisionError(
                f"--lens {name!r}: {now[0]} × {now[1]} px, expected {size[0]} × {size[1]} as the others"
            )
        size = now
        corners, numbers = find_board(image)
        if len(numbers) < config.least_corners:
            left_out.append(name)
            continue
        names.append(name)
        world.append(inner[numbers])
        seen.append(corners)
    if size is None or len(names) < config.least_photos:
        without = f" (not seen in {', '.join(left_out)})" if left_out else ""
        raise PzvisionError(
            f"--lens: the board is seen in {len(names)} of {len(photos)} photos, expected"
            f" {config.least_photos} or more{without}"
        )
    rms, matrix, coefficients, turns, shifts = cv2.calibrateCamera(
        world, seen, size, None, None, flags=cv2.CALIB_FIX_K3 if len(names) < 8 else 0
    )
    errors = []
    tilts = []
    for points, pixels, turn, shift in zip(world, seen, turns, shifts, strict=True):
        again = cv2.projectPoints(points, turn, shift, matrix, coefficients)[0].reshape(-1, 2)
        errors.append(float(np.sqrt(((again - pixels) ** 2).sum(axis=1).mean())))
        tilts.append(cv2.Rodrigues(turn)[0][:2, 2])
    spread = float(np.degrees(np.sqrt(np.var(np.array(tilts), axis=0).sum())))
    if spread < config.least_tilt:
        raise PzvisionError(
            "--lens: the board is held the same way in all photos: tilt it differently in each,"
            " left, right, up and down"
        )
    limit = config.refuse_px * size[0] / 1280
    if not np.isfinite(rms) or rms > limit:
        worst = int(np.argmax(errors))
        raise PzvisionError(
            f"--lens: reprojection error {rms:.2f} px, expected at most {limit:.2f}:"
            f" the worst photo is {names[worst]!r} ({errors[worst]:.2f} px); is the board flat and sharp?"
        )
    k = np.zeros(5)
    k[: min(5, coefficients.size)] = np.asarray(coefficients, np.float64).ravel()[:5]
    return Lens(
        camera_matrix=tuple((float(a), float(b), float(c)) for a, b, c in matrix),
        coefficients=(float(k[0]), float(k[1]), float(k[2]), float(k[3]), float(k[4])),
        error_px=float(rms),
        image_size=size,
        used=tuple(zip(names, errors, strict=True)),
        left_out=tuple(left_out),
    )
