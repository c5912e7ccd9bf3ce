"""Where the table is in the picture: a camera's calibration file and the table plane in centimetres.

The table frame: origin at the centre of the felt square, ``x`` to the right of the near edge as the near
player sees it, ``y`` away from the near player, ``z`` up, all in cm. Pictures are in px, y down.

Four corners of a square fix the plane. With square pixels and the principal point at the picture's
centre they fix the focal length and the pose too, so heights (a tile's face lies a tile's thickness above
the felt) project rightly.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import FormatError, PzvisionError
from pzvision.tiles import SEATS, Seat, next_seat, parse_seat
from pzvision.vision.square import camera_matrix, check_corners, find_focal, refine_plane

FloatArray: TypeAlias = npt.NDArray[np.float64]
Side: TypeAlias = Literal["near", "right", "far", "left"]
SIDES: Final[tuple[Side, Side, Side, Side]] = ("near", "right", "far", "left")

SCHEMA: Final = 1
DEFAULT_TABLE_CM: Final = 85.0
_REQUIRED: Final = ("schema", "image_size", "corners", "table_cm", "tile_cm", "near_seat")
# How the table turns for each side's player: his right and away from him, in table x and y.
_TURNS: Final = tuple(
    np.array(rows, np.float64)
    for rows in ([[1, 0], [0, 1]], [[0, 1], [-1, 0]], [[-1, 0], [0, -1]], [[0, -1], [1, 0]])
)


@dataclass(frozen=True)
class Calibration:
    """One camera's view of the table.

    Attributes:
        image_size: ``(width, height)`` in px of the pictures it was made on.
        corners: near-left, near-right, far-right, far-left corner of the playing surface as the camera
            sees it, each ``(x, y)`` in 0–1 of width and height (a little outside where the picture cuts
            a corner off).
        table_cm: side of that square, cm.
        tile_cm: a tile's height, width and thickness, cm.
        near_seat: who sits at the near edge.
        camera: ``"table"``, or ``"hand.S"`` for a camera on one hand.
        lens: OpenCV's ``k1, k2, p1, p2, k3``, or None for a lens without distortion.
        camera_matrix: 3 × 3 px, needed with ``lens``.
        tile_set: name of an adapted tile set, if any.
        date: when it was made, free text.

    Raises:
        FormatError: on construction, naming the field, its value and what was expected.
    """

    image_size: tuple[int, int]
    corners: tuple[tuple[float, float], ...]
    table_cm: float = DEFAULT_TABLE_CM
    tile_cm: tuple[float, float, float] = (3.6, 2.7, 2.1)
    near_seat: Seat = "E"
    camera: str = "table"
    lens: tuple[float, ...] | None = None
    camera_matrix: tuple[tuple[float, float, float], ...] | None = None
    tile_set: str | None = None
    date: str | None = None
    schema: int = field(default=SCHEMA)

    def __post_init__(self) -> None:
        if self.schema != SCHEMA:
            raise FormatError(f"schema: {self.schema!r} is not known, expected {SCHEMA}", field="schema")
        width, height = self.image_size
        if not (16 <= width <= 32768 and 16 <= height <= 32768):
            raise FormatError(
                f"image_size: {width} × {height} px, expected 16 to 32768 each", field="image_size"
            )
        if not 20.0 <= self.table_cm <= 300.0:
            raise FormatError(f"table_cm: {self.table_cm} cm, expected 20 to 300", field="table_cm")
        if not all(0.5 <= side <= 10.0 for side in self.tile_cm):
            raise FormatError(f"tile_cm: {list(self.tile_cm)}, expected 0.5 to 10 cm each", field="tile_cm")
        if (self.lens is None) != (self.camera_matrix is None):
            lacking = "camera_matrix" if self.camera_matrix is None else "lens"
            raise FormatError(f"{lacking}: missing, lens and camera_matrix go together", field=lacking)
        check_corners(self.corners, self.image_size)

    # ---- geometry -------------------------------------------------------------------------------

    @property
    def half(self) -> float:
        """Half the side of the felt, cm."""
        return self.table_cm / 2

    @cached_property
    def _matrix(self) -> FloatArray:
        """``(3, 4)``: table cm (homogeneous) → undistorted px (homogeneous)."""
        half = self.half
        square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
        pixels = self._undistort(np.array(self.corners) * np.array(self.image_size, np.float64))
        plane = cv2.getPerspectiveTransform(square.astype(np.float32), pixels.astype(np.float32))
        plane = refine_plane(np.asarray(plane, np.float64), square, pixels)
        camera = self._camera(square, pixels)
        # The corners fix the plane exactly; the pose adds only the direction of "up".
        columns = np.linalg.inv(camera) @ plane
        scale = (np.linalg.norm(columns[:, 0]) + np.linalg.norm(columns[:, 1])) / 2
        if columns[2, 2] < 0:  # the table lies before the camera
            scale = -scale
        right, away = columns[:, 0] / scale, columns[:, 1] / scale
        up = np.cross(right, away)
        up /= np.linalg.norm(up)
        lifted = camera @ up * scale
        return np.column_stack([plane[:, 0], plane[:, 1], lifted, plane[:, 2]])

    def _camera(self, square: FloatArray, pixels: FloatArray) -> FloatArray:
        if self.camera_matrix is not None:
            return np.array(self.camera_matrix, np.float64)
        focal = find_focal(square, pixels, self.image_size)
        return camera_matrix(focal, self.image_size)

    @cached_property
    def focal_px(self) -> float:
        """Focal length in px, from the corners or the camera matrix."""
        half = self.half
        square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
        pixels = self._undistort(np.array(self.corners) * np.array(self.image_size, np.float64))
        return float(self._camera(square, pixels)[0, 0])

    @cached_property
    def eye(self) -> tuple[float, float, float]:
        """Where the camera is, table cm."""
        matrix = self._matrix
        place = -np.linalg.solve(matrix[:, :3], matrix[:, 3])
        return float(place[0]), float(place[1]), float(place[2])

    def _undistort(self, points: FloatArray) -> FloatArray:
        if self.lens is None or self.camera_matrix is None or not len(points):
            return points
        camera = np.array(self.camera_matrix, np.float64)
        out = cv2.undistortPoints(points.reshape(-1, 1, 2), camera, np.array(self.lens), P=camera)
        return np.asarray(out, np.float64).reshape(-1, 2)

    def _distort(self, points: FloatArray) -> FloatArray:
        if self.lens is None or self.camera_matrix is None or not len(points):
            return points
        camera = np.array(self.camera_matrix, np.float64)
        rays = np.column_stack([points, np.ones(len(points))]) @ np.linalg.inv(camera).T
        out, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), camera, np.array(self.lens))
        return np.asarray(out, np.float64).reshape(-1, 2)

    def to_table(self, points: npt.ArrayLike, z: float | None = None) -> FloatArray:
        """Where pixels lie on the plane at height ``z``.

        Args:
            points: ``(N, 2)`` px.
            z: height in cm; a tile's thickness (the face of a lying tile) by default.

        Returns:
            ``(N, 2)`` cm. Points above the horizon give values far outside the table.
        """
        pixels = self._undistort(np.asarray(points, np.float64).reshape(-1, 2))
        matrix = self._matrix
        height = self.tile_cm[2] if z is None else z
        plane = np.column_stack([matrix[:, 0], matrix[:, 1], matrix[:, 3] + height * matrix[:, 2]])
        rays = np.column_stack([pixels, np.ones(len(pixels))]) @ np.linalg.inv(plane).T
        depth = np.where(np.abs(rays[:, 2:]) < 1e-12, 1e-12, rays[:, 2:])
        return np.asarray(rays[:, :2] / depth, np.float64)

    def to_image(self, points: npt.ArrayLike) -> FloatArray:
        """Where table points are seen: ``(N, 3)`` cm, or ``(N, 2)`` on the felt, → ``(N, 2)`` px."""
        table = np.asarray(points, np.float64)
        table = table.reshape(-1, table.shape[-1] if table.ndim else 3)
        if table.shape[1] == 2:
            table = np.column_stack([table, np.zeros(len(table))])
        seen = np.column_stack([table, np.ones(len(table))]) @ self._matrix.T
        return self._distort(np.asarray(seen[:, :2] / seen[:, 2:], np.float64))

    # ---- seats ----------------------------------------------------------------------------------

    def seat_at(self, side: Side | int) -> Seat:
        """Who sits at a side of the table: ``near``, ``right``, ``far``, ``left`` or 0–3."""
        index = SIDES.index(side) if isinstance(side, str) else side % 4
        return next_seat(self.near_seat, index)

    def side_of(self, seat: Seat) -> int:
        """0 near, 1 right, 2 far, 3 left."""
        return (SEATS.index(seat) - SEATS.index(self.near_seat)) % 4

    def to_seat(self, points: npt.ArrayLike, seat: Seat) -> FloatArray:
        """Table cm as one player sees them: ``u`` to his right, ``v`` away from him, origin at the centre.

        ``(N, 2)`` cm → ``(N, 2)`` cm; his own edge is at ``v = -half``.
        """
        table = np.asarray(points, np.float64).reshape(-1, 2)
        return table @ _TURNS[self.side_of(seat)].T

    def from_seat(self, points: npt.ArrayLike, seat: Seat) -> FloatArray:
        """Inverse of `to_seat`: ``(N, 2)`` cm → ``(N, 2)`` table cm."""
        own = np.asarray(points, np.float64).reshape(-1, 2)
        return own @ _TURNS[self.side_of(seat)]

    # ---- checks and files -----------------------------------------------------------------------

    def check_image_size(self, width: int, height: int) -> None:
        """Raise `PzvisionError` when pictures of this size cannot be those of this calibration.

        The same shape at another scale is refused too: corners would fit, but a phone's crop would not.
        """
        if (width, height) != self.image_size:
            w, h = self.image_size
            raise PzvisionError(
                f"calibration is for pictures of {w} × {h} px, got {width} × {height}: "
                "calibrate this camera anew"
            )

    def scaled(self, width: int, height: int) -> Calibration:
        """The same camera's view in pictures of another size. Raises `PzvisionError` for another shape."""
        w, h = self.image_size
        if abs(width * h - height * w) > 0.01 * w * h:
            raise PzvisionError(f"pictures of {width} × {height} px have another shape than {w} × {h}")
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values["image_size"] = (width, height)
        if self.camera_matrix is not None:
            sx, sy = width / w, height / h
            rows = np.array(self.camera_matrix) * np.array([[sx], [sy], [1.0]])
            values["camera_matrix"] = tuple(tuple(float(x) for x in row) for row in rows)
        return Calibration(**values)

    @classmethod
    def parse(cls, record: Mapping[str, Any]) -> Calibration:
        """From the file's keys. Unknown keys are errors. Raises `FormatError` naming key and value."""
        known = {f.name for f in fields(cls)}
        for key in record:
            if key not in known:
                raise FormatError(
                    f"{key}: unknown key, expected one of {', '.join(sorted(known))}", field=key
                )
        for key in _REQUIRED:
            if key not in record:
                raise FormatError(f"{key}: missing", field=key)
        values: dict[str, Any] = {
            "schema": record["schema"],
            "image_size": tuple(int(v) for v in _numbers(record, "image_size", 2, whole=True)),
            "corners": tuple((row[0], row[1]) for row in _rows(record, "corners", 4, 2)),
            "table_cm": _number(record["table_cm"], "table_cm"),
            "tile_cm": tuple(_numbers(record, "tile_cm", 3)),
        }
        try:
            values["near_seat"] = parse_seat(record["near_seat"])
        except FormatError as error:
            raise FormatError(f"near_seat: {error}", field="near_seat") from None
        if record.get("lens") is not None:
            values["lens"] = tuple(_numbers(record, "lens", 5))
        if record.get("camera_matrix") is not None:
            values["camera_matrix"] = tuple(tuple(row) for row in _rows(record, "camera_matrix", 3, 3))
        for key in ("camera", "tile_set", "date"):
            if record.get(key) is not None:
                values[key] = str(record[key])
        return cls(**values)

    def format(self) -> dict[str, Any]:
        """The file's keys; inverse of `parse`."""
        out: dict[str, Any] = {
            "schema": self.schema,
            "camera": self.camera,
            "image_size": list(self.image_size),
            "corners": [list(c) for c in self.corners],
            "table_cm": self.table_cm,
            "tile_cm": list(self.tile_cm),
            "near_seat": self.near_seat,
        }
        if self.lens is not None and self.camera_matrix is not None:
            out["lens"] = list(self.lens)
            out["camera_matrix"] = [list(row) for row in self.camera_matrix]
        for key in ("tile_set", "date"):
            if getattr(self, key) is not None:
                out[key] = getattr(self, key)
        return out

    def save(self, path: str | Path) -> None:
        """Write JSON (``.json``) or TOML (any other name). Raises `PzvisionError` when it cannot."""
        target = Path(path)
        if target.suffix == ".json":
            text = json.dumps(self.format(), ensure_ascii=False, indent=1) + "\n"
        else:
            # JSON's strings, numbers and lists are TOML's too.
            text = "".join(
                f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in self.format().items()
            )
        try:
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            raise PzvisionError(f"{target}: cannot write the calibration: {error.strerror}") from None


def load(path: str | Path) -> Calibration:
    """Read a calibration file, TOML or JSON. Raises `PzvisionError` naming the file, key and value."""
    source = Path(path)
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        raise PzvisionError(f"{source}: cannot read the calibration: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PzvisionError(f"{source}: not a calibration file (not UTF-8 text)") from None
    try:
        record = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise PzvisionError(f"{source}: neither TOML nor JSON: {error}") from None
    if not isinstance(record, dict):
        raise PzvisionError(f"{source}: expected keys and values of a calibration")
    try:
        return Calibration.parse(record)
    except FormatError as error:
        raise PzvisionError(f"{source}: {error}") from None


# ---- helpers ----------------------------------------------------------------------------------------


def _number(value: object, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise FormatError(f"{key}: {value!r} is not a number", field=key)
    return float(value)


def _numbers(record: Mapping[str, Any], key: str, count: int, *, whole: bool = False) -> list[float]:
    value = record[key]
    if not isinstance(value, (list, tuple)) or len(value) != count:
        raise FormatError(f"{key}: {value!r}, expected {count} numbers", field=key)
    out = [_number(v, key) for v in value]
    if whole and any(v != int(v) for v in out):
        raise FormatError(f"{key}: {value!r}, expected {count} whole numbers", field=key)
    return out


def _rows(record: Mapping[str, Any], key: str, rows: int, columns: int) -> list[list[float]]:
    value = record[key]
    if not isinstance(value, (list, tuple)) or len(value) != rows:
        raise FormatError(f"{key}: expected {rows} rows of {columns} numbers, got {value!r}", field=key)
    out = []
    for row in value:
        if not isinstance(row, (list, tuple)) or len(row) != columns:
            raise FormatError(f"{key}: expected {columns} numbers in each row, got {row!r}", field=key)
        out.append([_number(v, key) for v in row])
    return out
