"""Speaks announcements on a machine without a browser, through a speech program that is installed there.

The program runs in a worker thread, so the game never waits for it. At most two sentences wait; when more
come, the oldest is left out: the newest wins.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from pzvision.errors import PzvisionError
from pzvision.live.announcement import Announcement, Correction, Kind
from pzvision.messages import say
from pzvision.tiles import Lang

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
SPOKEN: Final[frozenset[Kind]] = frozenset(KINDS) - {"settlement"}
"""What is spoken unless said otherwise: a settlement is long and stands on the page."""
_ALL: Final = "all"

# Reads UTF-8 from standard input, so that no text can become part of a command.
_POWERSHELL: Final = (
    "[Console]::InputEncoding=[Text.Encoding]::UTF8; Add-Type -AssemblyName System.Speech;"
    " $s=New-Object System.Speech.Synthesis.SpeechSynthesizer;"
    " try {{$s.SelectVoiceByHints('NotSet','NotSet',0,[Globalization.CultureInfo]'{culture}')}} catch {{}};"
    " $s.Speak([Console]::In.ReadToEnd())"
)


@dataclass(frozen=True)
class VoiceConfig:
    """Limits of the voice.

    Attributes:
        waiting: most sentences that wait.
        longest_s: seconds after which a program that has not finished a sentence is ended.
    """

    waiting: int = 2
    longest_s: float = 20.0


@dataclass(frozen=True)
class SpeechProgram:
    """A program that speaks what it reads from standard input, and returns when it has spoken."""

    name: str
    zh: tuple[str, ...]
    en: tuple[str, ...]

    def command(self, lang: Lang) -> tuple[str, ...]:
        """The command for a language."""
        return self.zh if lang == "zh" else self.en


def find_program(which: Callable[[str], str | None] = shutil.which) -> SpeechProgram:
    """The first speech program installed here.

    ``which`` gives a program's path, or None.

    Raises:
        PzvisionError: there is none; says what to install.
    """
    for name, zh, en in (
        (
            "spd-say",
            ("--wait", "--pipe-mode", "--language", "zh"),
            ("--wait", "--pipe-mode", "--language", "en"),
        ),
        ("espeak-ng", ("-v", "cmn", "--stdin"), ("-v", "en", "--stdin")),
        ("say", ("-v", "Tingting", "-f", "-"), ("-f", "-")),
        *(
            (
                name,
                ("-NoProfile", "-Command", _POWERSHELL.format(culture="zh-CN")),
                ("-NoProfile", "-Command", _POWERSHELL.format(culture="en-US")),
            )
            for name in ("powershell", "pwsh")
        ),
    ):
        path = which(name)
        if path is not None:
            return SpeechProgram(name, (path, *zh), (path, *en))
    raise PzvisionError(say("voice.none", "en"))


def parse_kinds(text: str) -> frozenset[Kind]:
    """``"ready,win"`` as kinds; ``"all"``: every kind. Raises `PzvisionError` for one that is none."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if words == [_ALL]:
        return frozenset(KINDS)
    kinds = frozenset(kind for kind in KINDS if kind in words)
    if not words or len(kinds) != len(set(words)):
        raise PzvisionError(say("voice.kinds", "en", value=text, kinds=" ".join((_ALL, *KINDS))))
    return kinds


class Voice:
    """Speaks what it hears, in a thread of its own. `hear` and `close` may be called from any thread.

    Args:
        program: what speaks.
        lang: of the sentences.
        kinds: which announcements are spoken.
        run: speaks one sentence and returns, or raises OSError; for tests.
    """

    def __init__(
        self,
        program: SpeechProgram,
        lang: Lang = "zh",
        kinds: frozenset[Kind] = SPOKEN,
        *,
        config: VoiceConfig | None = None,
        run: Callable[[Sequence[str], str], None] | None = None,
    ) -> None:
        self.config = config or VoiceConfig()
        self._program = program
        self._lang = lang
        self._kinds = kinds
        self._run = run or self._speak
        self._waiting: deque[str] = deque(maxlen=self.config.waiting)
        self._came = threading.Condition()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True, name="pzvision-voice")
        self._thread.start()

    def hear(self, item: Announcement | Correction) -> None:
        """Take an announcement; returns at once."""
        kind = item.of.kind if isinstance(item, Correction) else item.kind
        if kind not in self._kinds or (isinstance(item, Correction) and "uncertain" not in self._kinds):
            return
        with self._came:
            self._waiting.append(item.text(self._lang))
            self._came.notify()

    def close(self) -> None:
        """Stop speaking, in the middle of a word if need be."""
        with self._came:
            self._closed = True
            self._waiting.clear()
            if self._process is not None:
                self._process.terminate()
            self._came.notify()
        self._thread.join(2.0)

    def _work(self) -> None:
        complained = False
        while True:
            with self._came:
                self._came.wait_for(lambda: bool(self._waiting) or self._closed)
                if self._closed:
                    return
                text = self._waiting.popleft()
            try:
                self._run(self._program.command(self._lang), text)
            except OSError as error:
                if not complained and not self._closed:
                    complained = True  # once is enough
                    reason = error.strerror or str(error)
                    text = say("voice.failed", self._lang, program=self._program.name, reason=reason)
                    print(f"pzvision: {text}", file=sys.stderr)

    def _speak(self, command: Sequence[str], text: str) -> None:
        quiet = subprocess.DEVNULL
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet) as process:
            with self._came:
                self._process = process
                if self._closed:
                    process.terminate()
            try:
                process.communicate(text.encode() + b"\n", self.config.longest_s)
            except subprocess.TimeoutExpired:
                process.kill()
            finally:
                with self._came:
                    self._process = None
        if process.returncode > 0:
            raise OSError(f"exit status {process.returncode}")


def add_voice_argument(parser: argparse.ArgumentParser) -> None:
    """``--voice [KINDS]``."""
    parser.add_argument("--voice", nargs="?", const="", metavar="KINDS")


def voice_from(args: argparse.Namespace) -> Voice | None:
    """The voice asked for; None where none was. Raises `PzvisionError` for bad kinds or no program."""
    if args.voice is None:
        return None
    kinds = parse_kinds(args.voice) if args.voice else SPOKEN
    return Voice(find_program(), args.lang, kinds)
