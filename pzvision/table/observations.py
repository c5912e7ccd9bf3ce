"""What was seen in a recording, look by look, kept in a file: the table can be read again without pictures.

JSON lines, compressed when the name ends in ``.gz``. The first record says what was looked at with what;
then one record a look, each written as what is new in it since the look before; the last one says when the
recording was over. What a reader of the table is given is rounded before it sees it (`rounded`), so reading
from the file gives the same game, byte for byte, as reading from the pictures did.
"""

from __future__ import annotations

import base64
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
from pzvision.tiles import CLASSES
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionConfig, MotionDetector, MotionMask

SCHEMA: Final = 1

_PX: Final = 2  # outlines are kept in halves of a pixel: ± 0.03 cm on the table
_PARTS: Final = 1000  # probabilities and scores in thousandths
_CLASSES_KEPT: Final = 4  # of a distribution; the others share what is left equally
_LEAST_KEPT: Final = 4  # thousandths; less proves nothing to the reader (`TableConfig.look_floor`)

Ints = npt.NDArray[np.int64]
Tokens: TypeAlias = tuple[tuple[str, float, float], ...]


@dataclass(frozen=True, eq=False)
class Look:
    """One look at the table.

    Attributes:
        t: s. ``frame``: its number in the source.
        detections: rounded; None when the look failed (nothing was seen, nothing is gone).
        motion: the mask, or None.
        tokens: declaration tokens lying on the table, each its kind and its place in table cm.
    """

    t: float
    frame: int
    detections: Detections | None
    motion: MotionMask | None
    tokens: Tokens = ()


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


# ---- rounding -------------------------------------------------------------------------------------------


def _pack(detections: Detections) -> list[tuple[Ints, list[int]]]:
    """Per tile: outline and score as whole numbers ``(9,)``, and ``class, thousandths`` likeliest first."""
    outlines = np.rint(detections.polygons.reshape(-1, 8).astype(np.float64) * _PX).astype(np.int64)
    scores = np.rint(detections.scores.astype(np.float64) * _PARTS).astype(np.int64)
    parts = np.rint(detections.probs.astype(np.float64) * _PARTS).astype(np.int64)
    order = np.argsort(-parts, axis=1, kind="stable")[:, :_CLASSES_KEPT]
    out = []
    for i in range(len(detections)):
        kept: list[int] = []
        left = _PARTS
        for kind in order[i]:
            part = min(int(parts[i, kind]), left)
            if part < _LEAST_KEPT:
                break
            kept += [int(kind), part]
            left -= part
        out.append((np.append(outlines[i], scores[i]), kept))
    return out


def _unpack(tiles: list[tuple[Ints, list[int]]], size: tuple[int, int]) -> Detections:
    count = len(tiles)
    numbers = np.array([t[0] for t in tiles], np.int64).reshape(count, 9)
    probs = np.zeros((count, CLASSES), np.float64)
    for i, (_, kept) in enumerate(tiles):
        kinds, parts = kept[::2], kept[1::2]
        probs[i] = (_PARTS - sum(parts)) / _PARTS / max(CLASSES - len(kinds), 1)
        probs[i, kinds] = np.array(parts, np.float64) / _PARTS
    return Detections(
        (numbers[:, :8] / _PX).reshape(count, 4, 2).astype(np.float32),
        probs.astype(np.float32),
        (numbers[:, 8] / _PARTS).astype(np.float32),
        size,
    )


def rounded(detections: Detections) -> Detections:
    """As a file would keep them: outlines to half a pixel, scores and probabilities to a thousandth.

    Of a distribution the four likeliest classes stay; the others share what is left. Rounding twice changes
    nothing more.
    """
    return _unpack(_pack(detections), detections.image_size)


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
        self._tiles: list[tuple[Ints, list[int]]] = []
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
    ) -> None:
        """One look; ``detections`` rounded, and the same object as at the last look when nothing is new.

        ``tokens``: None where nobody looked for them, so they are as at the look before.
        """
        record: dict[str, Any] = {"t": t, "frame": frame}
        if detections is None:
            record["tiles"] = None
        elif detections is not self._last:
            record["tiles"] = self._delta(_pack(detections))
            self._last = detections
        if motion is not None:
            masks = {"hidden": motion.hidden, "bare": motion.bare, "moving": motion.moving}
            record["mask"] = [_runs(mask, self._masks.get(name)) for name, mask in masks.items()]
            self._masks = masks
            if motion.shaken:
                record["shaken"] = True
        if tokens is not None and tokens != self._tokens:
            record["tokens"] = [list(token) for token in tokens]
            self._tokens = tokens
        self._write(record)

    def _delta(self, tiles: list[tuple[Ints, list[int]]]) -> list[list[Any]]:
        """Each tile as the number of the nearest tile of the look before and what is different."""
        before = np.array([t[0][:8] for t in self._tiles], np.int64).reshape(-1, 4, 2).mean(axis=1)
        out: list[list[Any]] = []
        expected = 0
        for numbers, kept in tiles:
            entry: list[Any]
            index = -1
            if len(before):
                away = np.abs(before - numbers[:8].reshape(4, 2).mean(axis=0)).max(axis=1)
                index = int(away.argmin())
            if index >= 0 and away[index] < 8 * _PX:
                old, old_kept = self._tiles[index]
                entry = [index - expected, *(int(v) for v in numbers - old)]
                if kept != old_kept:
                    entry.append(kept)
                expected = index + 1
            else:
                entry = [None, *(int(v) for v in numbers), kept]
            out.append(entry)
        self._tiles = tiles
        return out

    def end(self, t: float) -> None:
        """The recording is over at ``t``; the file is complete."""
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


def _runs(mask: npt.NDArray[np.bool_], before: npt.NDArray[np.bool_] | None) -> str:
    """The cells that changed, as base64 of run lengths (same, changed, same, …) in 7-bit groups."""
    flat = mask.ravel() if before is None else (mask ^ before).ravel()
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flat])))
    lengths = np.diff(np.concatenate([[0], edges]))
    out = bytearray()
    for length in lengths:
        value = int(length)
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)
    return base64.b64encode(bytes(out)).decode()


def _from_runs(text: str, before: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    flat = np.zeros(before.size, np.bool_)
    at = value = shift = 0
    on = False
    for byte in base64.b64decode(text, validate=True):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            if on:
                flat[at : at + value] = True
            at, on, value, shift = at + value, not on, 0, 0
    if on:
        flat[at:] = True
    return before ^ flat.reshape(before.shape)


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
        tiles: list[tuple[Ints, list[int]]] = []
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
                        masks = [_from_runs(r, m) for r, m in zip(record["mask"], masks, strict=True)]
                        motion = self._mask_maker.mask(*masks, shaken=record.get("shaken", False))
                    failed = "tiles" in record and record["tiles"] is None
                    if not failed and "tiles" in record:
                        tiles = _from_delta(record["tiles"], tiles)
                        last = _unpack(tiles, self.header.image_size)
                    if "tokens" in record:
                        tokens = tuple((str(kind), float(x), float(y)) for kind, x, y in record["tokens"])
                    seen = None if failed else last
                    yield Look(float(record["t"]), int(record["frame"]), seen, motion, tokens)
                except (KeyError, IndexError, TypeError, ValueError, binascii.Error) as error:
                    raise PzvisionError(f"{self.path}: line {number}: damaged record ({error})") from None
        raise PzvisionError(f"{self.path}: cut off: its end record is missing")


def _from_delta(
    entries: list[list[Any]], before: list[tuple[Ints, list[int]]]
) -> list[tuple[Ints, list[int]]]:
    out = []
    expected = 0
    for entry in entries:
        numbers = np.array(entry[1:10], np.int64)
        if entry[0] is None:
            out.append((numbers, list(entry[10])))
            continue
        index = expected + int(entry[0])
        old, kept = before[index]
        out.append((old + numbers, list(entry[10]) if len(entry) > 10 else kept))
        expected = index + 1
    return out


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
