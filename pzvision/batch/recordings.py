"""Which recordings are meant: videos, folders (searched through), folders of pictures, lists of paths."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pzvision.errors import PzvisionError
from pzvision.vision.recording import IMAGE_SUFFIXES

VIDEO_SUFFIXES: Final = frozenset(
    {".mp4", ".mkv", ".mov", ".avi", ".webm", ".m4v", ".ts", ".mts", ".m2ts", ".mpg", ".mpeg", ".3gp"}
)
LIST_SUFFIXES: Final = frozenset({".txt", ".lst", ".list", ".m3u", ".m3u8"})


@dataclass(frozen=True)
class Recording:
    """One recording: where it is, and the name of its folder among the results."""

    path: Path
    name: str


def find_recordings(words: Sequence[str], skip: Path | None = None) -> list[Recording]:
    """The recordings meant by the arguments, each once, in their order; those of a folder by name.

    Args:
        words: videos, folders, or lists (`LIST_SUFFIXES`: a path a line, ``#`` begins a remark; relative to
            the list).
        skip: a folder not to search (the results).

    Raises:
        PzvisionError: naming what is missing, cannot be read or holds no recording.
    """
    found: dict[Path, None] = {}
    for word in words:
        for path in _of_word(Path(word), None if skip is None else skip.resolve()):
            found[path] = None
    return [Recording(path, _name(path)) for path in found]


def _of_word(path: Path, skip: Path | None) -> Iterator[Path]:
    if path.is_dir():
        inside = list(_of_folder(path.resolve(), skip))
        if not inside:
            raise PzvisionError(f"no recordings in the folder {str(path)!r} (expected videos or pictures)")
        yield from inside
        return
    if not path.exists():
        raise PzvisionError(
            f"no such recording: {str(path)!r} (expected a video, a folder or a list of them)"
        )
    if path.suffix.lower() in LIST_SUFFIXES:
        yield from _of_list(path, skip)
    elif path.suffix.lower() in IMAGE_SUFFIXES:
        raise PzvisionError(f"{str(path)!r} is a picture; expected a video or a folder of pictures")
    else:
        yield path.resolve()


def _of_list(path: Path, skip: Path | None) -> Iterator[Path]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise PzvisionError(f"cannot read {str(path)!r}: {why}") from None
    entries = [(n, text.strip()) for n, text in enumerate(lines, 1)]
    entries = [(n, text) for n, text in entries if text and not text.startswith("#")]
    if not entries:
        raise PzvisionError(f"the list {str(path)!r} names no recording (expected a path a line)")
    for number, text in entries:
        entry = path.parent / text
        if entry.suffix.lower() in LIST_SUFFIXES:
            raise PzvisionError(f"{path}: line {number}: {text!r} is a list: expected a recording")
        try:
            yield from _of_word(entry, skip)
        except PzvisionError as error:
            raise PzvisionError(f"{path}: line {number}: {error}") from None


def _of_folder(folder: Path, skip: Path | None) -> Iterator[Path]:
    """Videos in it and below; a folder with pictures and no videos of its own is a recording itself."""
    if folder == skip:
        return
    try:
        entries = sorted(folder.iterdir(), key=_natural)
    except OSError as error:
        raise PzvisionError(f"cannot read {str(folder)!r}: {error.strerror}") from None
    shown = [entry for entry in entries if not entry.name.startswith(".")]
    videos = [p for p in shown if p.suffix.lower() in VIDEO_SUFFIXES and p.is_file()]
    yield from videos
    if not videos and any(p.suffix.lower() in IMAGE_SUFFIXES and p.is_file() for p in shown):
        yield folder
    for below in _folders(shown):
        yield from _of_folder(below, skip)


def _folders(entries: Iterable[Path]) -> Iterator[Path]:
    yield from (entry for entry in entries if entry.is_dir() and not entry.is_symlink())


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """``9.mp4`` before ``10.mp4``."""
    return [(0, int(w), "") if w.isdecimal() else (1, 0, w) for w in re.split(r"(\d+)", path.name)]


def _name(path: Path) -> str:
    """Readable, and the same for the same path however many other recordings there are."""
    digest = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    stem = re.sub(r"[^\w.-]+", "_", path.stem if path.is_file() else path.name).strip("._")[:60]
    return f"{stem or 'recording'}-{digest}"
