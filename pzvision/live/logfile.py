"""The game log on disk: valid JSON lines at every moment, whatever happens to the program.

New records are appended line by line. When the recent past is rewritten, the whole log goes to a file
beside it that then takes its name in one step, so that a reader sees the old log or the new one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from pzvision.errors import PzvisionError
from pzvision.game.events import Event, format_event
from pzvision.live.paths import check_writable, resolved_output


class LogFile:
    """A log file that follows a log. Nothing is created before the first record comes.

    Args:
        path: where to write. An existing file is replaced when the first record comes; a link is followed.

    Raises:
        PzvisionError: the folder is missing or cannot be written to; said before anything is read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        check_writable(self.path)
        self._target = resolved_output(path)
        self._file: IO[str] | None = None
        self._count = 0

    def update(self, log: Sequence[Event], keep: int) -> None:
        """Make the file say ``log``, whose first ``keep`` records are as at the last call.

        Raises `PzvisionError` where it cannot be written.
        """
        try:
            if self._file is None or keep < self._count:
                self._rewrite(log)
            else:
                self._file.write("".join(_line(event) for event in log[self._count :]))
                self._file.flush()
        except OSError as error:
            # What stands there may end in half a line: the next update writes the whole log.
            broken, self._file = self._file, None
            if broken is not None:
                with suppress(OSError):
                    broken.close()
            raise PzvisionError(f"cannot write {str(self.path)!r}: {error.strerror}") from None
        self._count = len(log)

    def _rewrite(self, log: Sequence[Event]) -> None:
        if self._file is not None:
            self._file.close()
        beside = self._target.with_name(f".{self._target.name}.{os.getpid()}.part")
        try:
            with beside.open("w", encoding="utf-8") as out:
                out.write("".join(_line(event) for event in log))
            os.replace(beside, self._target)
        finally:
            beside.unlink(missing_ok=True)
        self._file = self._target.open("a", encoding="utf-8")

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        if self._file is not None:
            self._file.close()
            self._file = None


class PatientLogFile(LogFile):
    """A log file that a game outlasts: what cannot be written is said once and made good later.

    Args:
        path: as `LogFile`.
        note: told in one line what is wrong.
    """

    def __init__(self, path: str | Path, note: Callable[[str], None]) -> None:
        super().__init__(path)
        self._note = note
        self.failing = False

    def update(self, log: Sequence[Event], keep: int) -> None:
        """As `LogFile.update`; never raises."""
        try:
            super().update(log, 0 if self.failing else keep)
        except PzvisionError as error:
            if not self.failing:
                self._note(str(error))
            self.failing = True
        else:
            self.failing = False


def _line(event: Event) -> str:
    return json.dumps(format_event(event), ensure_ascii=False) + "\n"
