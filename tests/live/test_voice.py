"""The local voice: newest wins, kinds, programs, never in the game's way."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from pzvision.errors import PzvisionError
from pzvision.live.announcement import Announcement, Correction, Kind
from pzvision.live.voice import KINDS, SPOKEN, SpeechProgram, Voice, VoiceConfig, find_program, parse_kinds

PROGRAM = SpeechProgram("x", ("x", "zh"), ("x", "en"))


def said(text: str, kind: Kind = "ready") -> Announcement:
    return Announcement(kind, f"中{text}", f"en {text}")


class Mouth:
    """Speaks only when let."""

    def __init__(self) -> None:
        self.spoken: list[tuple[tuple[str, ...], str]] = []
        self.busy = threading.Event()
        self.go = threading.Semaphore(0)

    def __call__(self, command: Sequence[str], text: str) -> None:
        self.busy.set()
        assert self.go.acquire(timeout=5)
        self.spoken.append((tuple(command), text))


def wait_until(true: object, seconds: float = 5.0) -> None:
    until = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < until
        time.sleep(0.005)


def test_the_newest_win_and_nobody_waits() -> None:
    mouth = Mouth()
    voice = Voice(PROGRAM, "zh", run=mouth)
    voice.hear(said("1"))
    assert mouth.busy.wait(5)
    begun = time.monotonic()
    for i in range(2, 101):
        voice.hear(said(str(i)))
    assert time.monotonic() - begun < 1
    for _ in range(3):
        mouth.go.release()
    wait_until(lambda: len(mouth.spoken) == 3)
    assert [text for _, text in mouth.spoken] == ["中1", "中99", "中100"]
    assert mouth.spoken[0][0] == ("x", "zh")
    voice.close()


def test_only_the_kinds_asked_for_are_spoken() -> None:
    mouth = Mouth()
    for _ in range(10):
        mouth.go.release()
    voice = Voice(PROGRAM, "en", frozenset({"win"}), run=mouth)
    voice.hear(said("a", "ready"))
    voice.hear(said("b", "win"))
    voice.hear(Correction(said("c", "win")))  # corrections are a kind of doubt
    voice.hear(said("d", "win"))
    wait_until(lambda: len(mouth.spoken) == 2)
    assert [text for _, text in mouth.spoken] == ["en b", "en d"]
    voice.close()
    both = Voice(PROGRAM, "en", frozenset({"win", "uncertain"}), run=mouth)
    both.hear(Correction(said("c", "win")))
    wait_until(lambda: len(mouth.spoken) == 3)
    assert "en c" in mouth.spoken[2][1]
    both.close()


def test_kinds_are_checked() -> None:
    assert parse_kinds("ready, win") == {"ready", "win"}
    assert parse_kinds("all") == set(KINDS)
    assert "settlement" not in SPOKEN
    for bad in ("redy", "ready,nothing", ",", "all,ready"):
        with pytest.raises(PzvisionError, match=r"--voice .*expected kinds from all ready"):
            parse_kinds(bad)


@pytest.mark.parametrize("name", ["spd-say", "espeak-ng", "say", "powershell", "pwsh"])
def test_each_program_is_found_and_reads_standard_input(name: str) -> None:
    program = find_program(lambda wanted: f"/bin/{wanted}" if wanted == name else None)
    assert program.name == name
    for lang in ("zh", "en"):
        command = program.command(lang)  # type: ignore[arg-type]
        assert command[0] == f"/bin/{name}" and len(command) > 1
    assert program.zh != program.en


def test_without_a_program_it_says_what_to_install() -> None:
    with pytest.raises(PzvisionError, match="espeak-ng"):
        find_program(lambda wanted: None)


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_a_real_program_gets_the_text_and_is_ended_on_close(tmp_path: Path) -> None:
    out = tmp_path / "said"
    script = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"
    program = SpeechProgram("py", (sys.executable, "-c", script, str(out)), ("false",))
    voice = Voice(program, "zh")
    voice.hear(Announcement("win", "--help $(id) `x`;东家", "x"))
    wait_until(lambda: out.exists() and out.read_text().endswith("东家\n"), 20)
    assert out.read_text() == "--help $(id) `x`;东家\n"
    voice.close()
    asleep = Voice(SpeechProgram("sleep", ("sleep", "60"), ("sleep", "60")))
    asleep.hear(said("x"))
    wait_until(lambda: asleep._process is not None)
    begun = time.monotonic()
    asleep.close()
    assert time.monotonic() - begun < 2 and not asleep._thread.is_alive()


def test_a_failing_or_hanging_program_is_said_once_and_survived(capsys: pytest.CaptureFixture[str]) -> None:
    program = SpeechProgram("gone", ("/no/such/program",), ("/no/such/program",))
    voice = Voice(program, "en", config=VoiceConfig(longest_s=0.1))
    voice.hear(said("1"))
    wait_until(lambda: not voice._waiting)
    voice.hear(said("2"))
    wait_until(lambda: not voice._waiting)
    time.sleep(0.05)
    assert voice._thread.is_alive()
    voice.close()
    assert capsys.readouterr().err.count("the speech program gone failed") == 1
    slow = Voice(SpeechProgram("sleep", ("sleep", "60"), ("sleep", "60")), config=VoiceConfig(longest_s=0.1))
    slow.hear(said("1"))
    slow.hear(said("2"))
    wait_until(lambda: not slow._waiting and slow._process is None)
    slow.close()
