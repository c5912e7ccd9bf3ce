"""What was given as files: empty words, outputs that would overwrite something, pictures for recordings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from pzvision.errors import PzvisionError
from pzvision.vision.recording import IMAGE_SUFFIXES


def check_not_empty(words: Mapping[str, str | None]) -> None:
    """Raise `PzvisionError` naming the first argument whose value is an empty word. None: not given."""
    for label, value in words.items():
        if value is not None and not value.strip():
            raise PzvisionError(f"{label} {value!r}: expected a name, got an empty one")


def check_distinct(outputs: Mapping[str, str | None], inputs: Mapping[str, str | Path | None]) -> None:
    """Raise `PzvisionError` when an output is an input or another output, under whatever name.

    Links are followed and hard links count. A picture inside an input folder counts as that input.

    Args:
        outputs: argument to path, in the order in which they are checked; None: not given.
        inputs: the same for what is read; what is no file (an address, a webcam) never matches.
    """
    read = [(label, Path(value)) for label, value in inputs.items() if value is not None]
    for label, value in outputs.items():
        if value is None:
            continue
        out = Path(value)
        for other, path in read:
            inside = path.is_dir() and out.exists() and out.suffix.lower() in IMAGE_SUFFIXES
            if _same(out, path) or (inside and _same(out.parent, path)):
                raise PzvisionError(
                    f"{label} {value!r} would overwrite {other} {str(path)!r}: give it another name"
                )
        read.append((label, out))


def _same(a: Path, b: Path) -> bool:
    if os.path.realpath(a) == os.path.realpath(b):
        return True
    try:
        return os.path.samefile(a, b)
    except (OSError, ValueError):
        return False


def check_no_picture(spec: str, expected: str) -> None:
    """Raise `PzvisionError` when a picture file was given where a video is ``expected``."""
    path = Path(spec)
    if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file():
        raise PzvisionError(f"{spec!r} is a picture; expected {expected}: pzvision detect reads pictures")


def resolved_output(path: str | Path) -> Path:
    """Where an output really goes: a link is followed, so that the link stays and its target is written."""
    return Path(os.path.realpath(path))


def check_writable(path: Path) -> None:
    """Raise `PzvisionError` unless a regular file can be made or replaced there. Makes nothing."""
    if path.is_dir():
        raise PzvisionError(f"cannot write {str(path)!r}: it is a folder")
    target = resolved_output(path)
    if os.path.lexists(target) and not target.is_file():
        raise PzvisionError(f"cannot write {str(path)!r}: it is no regular file")
    if not target.parent.is_dir():
        raise PzvisionError(f"cannot write {str(path)!r}: there is no folder {str(path.parent)!r}")
    # The new content is written beside it and then takes its name.
    places: Iterable[Path] = (target, target.parent) if target.exists() else (target.parent,)
    if not all(os.access(place, os.W_OK) for place in places):
        raise PzvisionError(f"cannot write {str(path)!r}: permission denied")


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 with line ends as they are; a reader sees the old file or the whole new one.

    Raises `PzvisionError` when it cannot be written.
    """
    target = resolved_output(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        beside.write_text(text, encoding="utf-8", newline="")
        os.replace(beside, target)
    except OSError as error:
        raise PzvisionError(f"cannot write {str(path)!r}: {error.strerror}") from None
    finally:
        beside.unlink(missing_ok=True)
