"""The folder of results: one folder a recording, whole at every moment, so that a later run can go on.

``NAME/done.json`` is written last. While a recording is worked on, ``NAME/parts`` holds what is finished of
it; every file takes its name when it is complete. What was made from another recording, calibration or model
is never used.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pzvision import __version__
from pzvision.batch.work import Decoded, Job, Survey, tile_set_digest
from pzvision.errors import PzvisionError
from pzvision.game import format_event
from pzvision.live.stored import model_digests

PART_ASKS: Final = 120
"""Looks for the detector in one part: some ten to thirty seconds of work."""
_FORM: Final = 2


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that a reader sees as before or complete. Raises `PzvisionError` naming it."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except OSError as error:
        raise PzvisionError(f"cannot write {str(path)!r}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


class Place:
    """One recording's folder.

    Args:
        folder: where its results go; made when something is first written.
        job: what is done; results of another job are not taken for its own.
        part_asks: looks for the detector in one part; all of them where each depends on the one before.
    """

    def __init__(self, folder: Path, job: Job, part_asks: int = PART_ASKS) -> None:
        self.folder = folder
        self.part_asks = sys.maxsize if job.gate else part_asks
        self._job = job
        self._looks_key = _digest(
            {
                "form": _FORM,
                "source": _identity(Path(job.path)),
                "calibration": job.calibration.format(),
                "look_s": job.look_s,
                "models": dict(model_digests(job.models)),
                "backend": job.backend,
                "gate": job.gate,
                "tile_set": None if job.tile_set is None else tile_set_digest(job.tile_set),
            }
        )
        self._key = _digest(
            {
                "looks": self._looks_key,
                "hand": job.hand.to_json(),
                "declarations": [format_event(event) for event in job.declarations],
                "lang": job.lang,
                "version": __version__,
            }
        )

    @property
    def _parts(self) -> Path:
        return self.folder / "parts"

    def summary(self) -> dict[str, Any] | None:
        """What came of it, when it is done; None when something remains to be done."""
        try:
            done = json.loads((self.folder / "done.json").read_text("utf-8", "surrogateescape"))
        except (OSError, ValueError):
            return None
        if not isinstance(done, dict) or done.get("key") != self._key:
            return None
        whole = all((self.folder / name).is_file() for name in ("log.jsonl", "observations.jsonl.gz"))
        found = done.get("summary")
        return found if whole and isinstance(found, dict) else None

    def survey(self) -> Survey | None:
        """The survey, when it is finished."""
        data = self._read("survey")
        try:
            return None if data is None else Survey.parse(data)
        except (ValueError, KeyError, TypeError):
            return None

    def part(self, number: int) -> bytes | None:
        """What the detector saw in a part, when that is finished."""
        return self._read(self._part_name(number))

    def keep_survey(self, survey: Survey) -> None:
        """Keep it for this run and the next."""
        self._write("survey", survey.format())

    def keep_part(self, number: int, data: bytes) -> None:
        """Keep it for this run and the next."""
        self._write(self._part_name(number), data)

    def _part_name(self, number: int) -> str:
        return f"{self.part_asks}x{number:05}"

    def finish(self, decoded: Decoded) -> None:
        """Write the results, the mark that they are complete last."""
        self._make(self.folder)
        (self.folder / "done.json").unlink(missing_ok=True)
        write_whole(self.folder / "log.jsonl", decoded.log)
        write_whole(self.folder / "observations.jsonl.gz", decoded.observations)
        write_whole(self.folder / "settlement.txt", decoded.settlement.encode())
        done = {"key": self._key, "recording": self._job.path, "summary": decoded.summary}
        write_whole(
            self.folder / "done.json",
            # names that are no Unicode as the bytes they are
            (json.dumps(done, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogateescape"),
        )
        (self.folder / "error.txt").unlink(missing_ok=True)
        shutil.rmtree(self._parts, ignore_errors=True)

    def fail(self, text: str) -> None:
        """Keep what went wrong."""
        self._make(self.folder)
        write_whole(self.folder / "error.txt", (text.rstrip() + "\n").encode("utf-8", "backslashreplace"))

    def _read(self, name: str) -> bytes | None:
        try:
            return (self._parts / f"{name}-{self._looks_key[:16]}.part").read_bytes()
        except OSError:
            return None

    def _write(self, name: str, data: bytes) -> None:
        self._make(self._parts)
        write_whole(self._parts / f"{name}-{self._looks_key[:16]}.part", data)

    def _make(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PzvisionError(f"cannot make {str(folder)!r}: {error.strerror}") from None


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Make the folder of results and hold it; a second run there would undo the first one's work.

    Raises `PzvisionError` when it cannot be made, or another run holds it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise PzvisionError(f"cannot write in {str(folder)!r}: {error.strerror}") from None
    try:
        try:
            import fcntl
        except ImportError:  # no such locks on this system
            pass
        else:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise PzvisionError(
                    f"another run is writing in {str(folder)!r}: wait for it, or give another --out"
                ) from None
        yield
    finally:
        os.close(handle)


def _digest(what: object) -> str:
    text = json.dumps(what, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _identity(path: Path) -> list[list[Any]]:
    """Name, size and time of a file, or of all files of a folder."""
    try:
        files = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
        return [[p.name, p.stat().st_size, p.stat().st_mtime_ns] for p in files]
    except OSError as error:
        raise PzvisionError(f"cannot read {str(path)!r}: {error.strerror}") from None
