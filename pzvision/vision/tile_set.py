"""What `pzvision adapt` learnt of one tile set: a correction of the reader's last layer, in a small file."""

from __future__ import annotations

import os
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.vision.detections import FloatArray

SCHEMA: Final = 1
FOLDER: Final = "tile_sets"
"""Beside a calibration file; a set named in it lies there as ``NAME.npz``."""

_NAME: Final = re.compile(r"[^\W.][\w.-]{0,63}")
_MOST_FEATURES: Final = 65_536
_MOST_BYTES: Final = 64 * 2**20
_TINY: Final = np.float32(1e-7)


@dataclass(frozen=True, eq=False)
class TileSet:
    """One adapted tile set.

    Attributes:
        name: what the calibration calls it.
        reader: digest of the reader's weights it was made for (`session.source_digest`).
        weights: ``(D, 28)`` float32: from the reader's features to what is added to its log-probabilities.
        bias: ``(28,)`` float32, added as well.
        made: when, free text.

    Raises:
        ValueError: on construction, when ``weights`` and ``bias`` do not belong together.
        PzvisionError: on construction, for a name that is unfit for a file.
    """

    name: str
    reader: str
    weights: FloatArray
    bias: FloatArray
    made: str = ""

    def __post_init__(self) -> None:
        check_name(self.name)
        if self.weights.ndim != 2 or self.bias.shape != (self.weights.shape[1],):
            raise ValueError(f"weights, bias: got {self.weights.shape} and {self.bias.shape}")

    def correct(self, probs: FloatArray, features: npt.NDArray[np.floating]) -> FloatArray:
        """The reader's distributions ``(N, 28)`` as they should be for this set, ``(N, 28)``.

        ``features``: ``(N, D)``, the reader's.
        """
        logits = np.log(probs + _TINY) + features @ self.weights + self.bias
        e = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(e / e.sum(axis=1, keepdims=True), np.float32)

    def save(self, path: Path) -> None:
        """Write it, whole or not at all. Raises `PzvisionError` where that cannot be done."""
        partial = path.with_name(f".{path.name}.partial")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as file:
                np.savez_compressed(
                    file,
                    schema=np.array(SCHEMA),
                    name=np.array(self.name),
                    reader=np.array(self.reader),
                    made=np.array(self.made),
                    weights=self.weights.astype(np.float32),
                    bias=self.bias.astype(np.float32),
                )
            os.replace(partial, path)
        except OSError as error:
            raise PzvisionError(f"{path}: cannot be written ({error.strerror})") from None

    @classmethod
    def load(cls, path: Path) -> TileSet:
        """Read one. Raises `PzvisionError` naming the file and what is wrong with it."""
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise ValueError("too large")
            with np.load(path, allow_pickle=False) as file:
                schema = int(file["schema"])
                if schema != SCHEMA:
                    raise PzvisionError(f"tile set {path}: schema {schema}, expected {SCHEMA}")
                weights, bias = file["weights"], file["bias"]
                if weights.dtype != np.float32 or bias.dtype != np.float32:
                    raise ValueError("dtype")
                if len(weights) > _MOST_FEATURES or not (
                    np.isfinite(weights).all() and np.isfinite(bias).all()
                ):
                    raise ValueError("weights")
                return cls(str(file["name"]), str(file["reader"]), weights, bias, str(file["made"]))
        except OSError as error:
            raise PzvisionError(f"tile set {path}: cannot be read ({error.strerror or error})") from None
        except (ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile):
            raise PzvisionError(f"tile set {path}: not a file that pzvision adapt wrote") from None


def check_name(name: str) -> str:
    """A set's name, fit for a file. Raises `PzvisionError` for another."""
    if not _NAME.fullmatch(name):
        raise PzvisionError(f"tile set {name!r}: expected a name of letters, digits, - and _")
    return name


def set_path(name: str, calibration: Path) -> Path:
    """Where the set of that name lies that a calibration file speaks of."""
    return calibration.parent / FOLDER / f"{check_name(name)}.npz"


def find_tile_set(given: str | None, named: str | None, calibration: Path | None) -> Path | None:
    """The file to use.

    Args:
        given: what the user asked for: a file, or ``none`` for no set at all.
        named: the set that the calibration names, if it does.
        calibration: that file.

    Raises:
        PzvisionError: the calibration names a set that does not lie beside it.
    """
    if given is not None:
        return None if given == "none" else Path(given)
    if named is None or calibration is None:
        return None
    path = set_path(named, calibration)
    if not path.is_file():
        raise PzvisionError(
            f"calibration {calibration}: its tile_set {named!r} is not there ({path});"
            " pzvision adapt makes one, --tile-set none goes on without"
        )
    return path


def load_tile_set(given: str | None, named: str | None, calibration: Path | None) -> TileSet | None:
    """The set to use, read; see `find_tile_set`."""
    path = find_tile_set(given, named, calibration)
    return None if path is None else TileSet.load(path)
