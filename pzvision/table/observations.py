"""What was seen in a recording, look by look, kept in a file: the table can be read again without pictures.

JSON lines, compressed when the name ends in ``.gz``. The first record says what was looked at with what;
then one record a look, each written as what is new in it since the look before; the last one says when the
recording was over. What a reader of the table is given is rounded before it sees it (`rounded`), so reading
from the file gives the same game, byte for byte, as reading from the pictures did.
"""

from __future__ import annotations

import binascii
import gzip
import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.errors import FormatError, PzvisionError
from pzvision.table.packing import PackedTile, delta, from_delta, from_runs, pack, runs, unpack
from pzvision.tiles import SEATS, Seat
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionConfig, MotionDetector, MotionMask

SCHEMA: Final = 1

Tokens: TypeAlias = tuple[tuple[str, float, float], ...]
"""Tokens seen: what each says, and where it lies, x and y, table cm."""
Hands: TypeAlias = tuple[tuple[Seat, Detections | None], ...]
"""What cameras on players' hands showed: each seat's row, None where the picture said nothing."""


@dataclass(frozen=True, eq=False)
class Look:
    """One look at the table.

    Attributes:
        t: s. ``frame``: its number in the source.
        detections: rounded; None when the look failed (nothing was seen, nothing is gone).
        motion: the mask, or None.
        tokens: declaration tokens lying on the table, each its kind and its place in table cm.
        hands: rounded, of the players whose hands were looked at, too.
    """

    t: float
    frame: int
    detections: Detections | None
    motion: MotionMask | None
    tokens: Tokens = ()
    hands: Hands = ()


@dataclass(frozen=True)
class Header:
    """What was looked at, with what.

    Attributes:
        calibration: of the camera.
        source: name of the recording. ``digest``: SHA-256 of its bytes (or of what it was rendered from).
        models: SHA-256 of each model file, by name.
        motion: settings of the motion masks.
        frames: how many frames the recording promises, or None.
    """

    calibration: Calibration
    source: str = ""
    digest: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    motion: MotionConfig = field(default_factory=MotionConfig)
    frames: int | None = None

    @property
    def image_size(self) -> tuple[int, int]:
        """Of the pictures, px."""
        return self.calibration.image_size

    def format(self) -> dict[str, Any]:
        """The file's first record; inverse of `parse`."""
        motion = {f: getattr(self.motion, f) for f in self.motion.__dataclass_fields__}
        return {
            "type": "observations",
            "schema": SCHEMA,
            "image_size": list(self.image_size),
            "calibration": self.calibration.format(),
            "source": self.source,
            "digest": self.digest,
            "models": dict(self.models),
            "motion": motion,
            "frames": self.frames,
        }

    @classmethod
    def parse(cls, record: object) -> Header:
        """From the first record. Raises `FormatError` naming field and value."""
        if not isinstance(record, dict) or record.get("type") != "observations":
            raise FormatError("no stored observations: expected a first record of type observations")
        if record.get("schema") != SCHEMA:
            raise FormatError(f"schema {record.get('schema')!r}: expected {SCHEMA}", field="schema")
        if not isinstance(record.get("calibration"), dict):
            raise FormatError("calibration: missing", field="calibration")
        known = MotionConfig.__dataclass_fields__
        motion = record.get("motion")
        values = {k: float(v) for k, v in (motion or {}).items() if k in known}
        if "work_width" in values:
            values["work_width"] = int(values["work_width"])
        models = record.get("models")
        frames = record.get("frames")
        return cls(
            Calibration.parse(record["calibration"]),
            str(record.get("source", "")),
            str(record.get("digest", "")),
            {str(k): str(v) for k, v in models.items()} if isinstance(models, dict) else {},
            MotionConfig(**values),  # type: ignore[arg-type]
            frames if isinstance(frames, int) else None,
        )


# ---- writing --------------------------------------------------------------------------------------------


class ObservationWriter:
    """Writes a file of looks. It gets its name when it is complete; an interruption leaves nothing half done.

    Args:
        path: where to; compressed when it ends in ``.gz``.
        header: what is looked at.

    Raises:
        PzvisionError: it cannot be written.
    """

    def __init__(self, path: str | Path, header: Header) -> None:
        self.path = Path(path)
        self._part = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        self._tiles: list[PackedTile] = []
        self._last: Detections | None = None
        self._masks: dict[str, npt.NDArray[np.bool_]] = {}
        self._tokens: Tokens = ()
        self._out: IO[bytes] | None = None
        try:
            raw = self._part.open("wb")
            zipped = self.path.suffix == ".gz"
            self._raw = raw
            # no name and no time in it: the same looks make the same bytes
            self._out = gzip.GzipFile("", "wb", 9, raw, mtime=0) if zipped else raw  # type: ignore[assignment]
        except OSError as error:
            raise PzvisionError(f"cannot write {str(self.path)!r}: {error.strerror}") from None
        self._write(header.format())

    def look(
        self,
        t: float,
        frame: int,
        detections: Detections | None,
        motion: MotionMask | None,
        tokens: Tokens | None = None,
        hands: Hands = (),
    ) -> None:
        """One look at ``t`` s; ``detections`` rounded, the same object as at the last look if nothing is new.

        ``tokens``: None where nobody looked for them, so they are as at the look before. ``hands``: rounded.
        """
        record: dict[str, Any] = {"t": t, "frame": frame}
        if detections is None:
            record["tiles"] = None
        elif detections is not self._last:
            tiles = pack(detections)
            record["tiles"] = delta(tiles, self._tiles)
            self._tiles, self._last = tiles, detections
        if motion is not None:
            masks = {"hidden": motion.hidden, "bare": motion.bare, "moving": motion.moving}
            record["mask"] = [runs(mask, self._masks.get(name)) for name, mask in masks.items()]
            self._masks = masks
            if motion.shaken:
                record["shaken"] = True
        if tokens is not None and tokens != self._tokens:
            record["tokens"] = [list(token) for token in tokens]
            self._tokens = tokens
        if hands:
            record["hands"] = [_hand_record(seat, row) for seat, row in hands]
        self._write(record)

    def end(self, t: float) -> None:
        """The recording is over at ``t`` s; the file is complete."""
        self._write({"end": t})
        self.close()

    def close(self, *, keep: bool = True) -> None:
        """Close; ``keep`` False throws away what was written. Safe to call twice.

        Raises `PzvisionError` where it cannot be written.
        """
        if self._out is None:
            return
        out, self._out = self._out, None
        try:
            out.close()
            self._raw.close()
            if keep:
                os.replace(self._part, self.path)
        except OSError as error:
            raise PzvisionError(f"cannot write {str(self.path)!r}: {error.strerror}") from None
        finally:
            self._part.unlink(missing_ok=True)

    def _write(self, record: dict[str, Any]) -> None:
        assert self._out is not None
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        try:
            self._out.write(text.encode())
        except OSError as error:
            raise PzvisionError(f"cannot write {str(self.path)!r}: {error.strerror}") from None


# ---- reading --------------------------------------------------------------------------------------------


class Observations:
    """A stored recording: `header`, and its looks by iterating (any number of times).

    ``end`` is the time the recording was over, known once all looks were read.

    Raises:
        PzvisionError: the file is missing or no stored observations; while iterating: it is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.end: float | None = None
        with self._open() as lines:
            first = next(self._records(lines), (1, None))[1]
        try:
            self.header = Header.parse(first)
        except FormatError as error:
            raise PzvisionError(f"{self.path}: {error}") from None
        self._mask_maker = MotionDetector(self.header.calibration, self.header.motion)

    def _open(self) -> io.TextIOWrapper:
        try:
            raw: Any = (gzip.open if self.path.suffix == ".gz" else open)(self.path, "rb")
        except OSError as error:
            raise PzvisionError(f"cannot read {str(self.path)!r}: {error.strerror}") from None
        return io.TextIOWrapper(raw, "utf-8")

    def _records(self, lines: IO[str]) -> Iterator[tuple[int, Any]]:
        number = 0
        while True:
            number += 1
            try:
                line = lines.readline()
                record = json.loads(line) if line else None
            except (OSError, EOFError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else None
                raise PzvisionError(f"{self.path}: line {number}: {why or 'damaged or cut off'}") from None
            if not line:
                return
            yield number, record

    def __iter__(self) -> Iterator[Look]:
        last: Detections | None = None
        tiles: list[PackedTile] = []
        shape = self._mask_maker.shape
        masks = [np.zeros(shape, np.bool_) for _ in range(3)]
        tokens: Tokens = ()
        with self._open() as lines:
            for number, record in self._records(lines):
                if number == 1:
                    continue
                try:
                    if "end" in record:
                        self.end = float(record["end"])
                        return
                    motion = None
                    if "mask" in record:
                        masks = [from_runs(r, m) for r, m in zip(record["mask"], masks, strict=True)]
                        motion = self._mask_maker.mask(*masks, shaken=record.get("shaken", False))
                    failed = "tiles" in record and record["tiles"] is None
                    if not failed and "tiles" in record:
                        tiles = from_delta(record["tiles"], tiles)
                        last = unpack(tiles, self.header.image_size)
                    if "tokens" in record:
                        tokens = tuple((str(kind), float(x), float(y)) for kind, x, y in record["tokens"])
                    seen = None if failed else last
                    hands = tuple(_hand(entry) for entry in record.get("hands", ()))
                    yield Look(float(record["t"]), int(record["frame"]), seen, motion, tokens, hands)
                except (AttributeError, KeyError, IndexError, TypeError, ValueError, binascii.Error) as error:
                    raise PzvisionError(f"{self.path}: line {number}: damaged record ({error})") from None
        raise PzvisionError(f"{self.path}: cut off: its end record is missing")


def _hand_record(seat: Seat, row: Detections | None) -> list[Any]:
    return [seat, None] if row is None else [seat, list(row.image_size), delta(pack(row), [])]


def _hand(record: list[Any]) -> tuple[Seat, Detections | None]:
    seat = SEATS[SEATS.index(record[0])]
    if record[1] is None:
        return seat, None
    width, height = record[1]
    return seat, unpack(from_delta(record[2], []), (int(width), int(height)))


def read_observations(path: str | Path) -> Observations:
    """Open a file of looks. Raises `PzvisionError` when it is none."""
    return Observations(path)


def file_digest(path: Path) -> str:
    """SHA-256 of a file; of a folder, of its files' names and sizes. Empty for what is neither."""
    digest = hashlib.sha256()
    if path.is_file():
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    elif path.is_dir():
        for file_path in sorted(path.iterdir()):
            digest.update(f"{file_path.name} {file_path.stat().st_size}\n".encode())
    else:
        return ""
    return digest.hexdigest()
