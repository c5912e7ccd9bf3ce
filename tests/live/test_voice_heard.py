"""Whether the local voice is heard: espeak-ng through PulseAudio into a sink that is recorded (``-m slow``).

Debian: pulseaudio, pulseaudio-utils, espeak-ng.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from pzvision.live.announcement import Announcement, Kind
from pzvision.live.voice import Voice, find_program

pytestmark = pytest.mark.slow
RATE = 8000
DEMO = Path(__file__).parents[2] / "pzvision/live/demo"
LONG = "东家听牌,胡一万、四万、七万、二条、五条、八条,还剩十二张"


def said(text: str, kind: Kind = "ready") -> Announcement:
    return Announcement(kind, text, f"en {text}")


class Room:
    """A sound card that plays nowhere, and a microphone in it."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.file = folder / "heard.raw"
        self._recorder: subprocess.Popen[bytes] | None = None
        self._stack = stack

    def listen(self) -> None:
        """Begin to record."""
        words = [
            "parec",
            "--device=room.monitor",
            "--raw",
            "--format=s16le",
            f"--rate={RATE}",
            "--channels=1",
        ]
        out = self._stack.enter_context(self.file.open("wb"))
        self._recorder = subprocess.Popen([*words, "--latency-msec=50"], stdout=out)
        self._stack.callback(self._recorder.kill)
        until = time.monotonic() + 10
        while self.file.stat().st_size == 0:
            assert time.monotonic() < until
            time.sleep(0.05)

    def heard(self) -> npt.NDArray[np.float64]:
        """Loudness (root mean square, 0–1) in steps of 50 ms since `listen`; ends it."""
        assert self._recorder is not None
        time.sleep(0.5)
        self._recorder.terminate()
        self._recorder.wait()
        sound = np.frombuffer(self.file.read_bytes()[: self.file.stat().st_size // 2 * 2], "<i2") / 32768
        step = RATE // 20
        blocks = sound[: len(sound) // step * step].reshape(-1, step)
        return np.asarray(np.sqrt((blocks**2).mean(axis=1)))


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    for name in ("pulseaudio", "parec", "espeak-ng"):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed (apt-get install pulseaudio pulseaudio-utils espeak-ng)")
    if shutil.which("spd-say"):
        pytest.skip("spd-say would speak, through a daemon that has its own sound server")
    socket = tmp_path / "sound"
    words = [
        "pulseaudio",
        "-n",
        "--daemonize=no",
        "--exit-idle-time=-1",
        "--use-pid-file=no",
        "--log-level=error",
    ]
    words += ["--load=module-null-sink sink_name=room"]
    words += [f"--load=module-native-protocol-unix auth-anonymous=1 socket={socket}"]
    env = {**os.environ, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    for name in ("HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("PULSE_SERVER", f"unix:{socket}")
    with ExitStack() as stack:
        server = subprocess.Popen(words, env=env, stderr=subprocess.DEVNULL)
        stack.callback(server.wait)
        stack.callback(server.terminate)
        until = time.monotonic() + 20
        while not socket.exists():
            assert server.poll() is None and time.monotonic() < until
            time.sleep(0.05)
        yield Room(tmp_path, stack)


def idle(voice: Voice) -> bool:
    return not voice._waiting and voice._process is None


def speak(voice: Voice, *texts: str) -> float:
    """Seconds until everything that is spoken has been."""
    begun = time.monotonic()
    for text in texts:
        voice.hear(said(text))
    time.sleep(0.3)
    quiet = 0
    while quiet < 5:
        time.sleep(0.05)
        quiet = quiet + 1 if idle(voice) else 0
        assert time.monotonic() - begun < 60
    return time.monotonic() - begun


def test_an_announcement_is_heard_and_silence_before_it(room: Room) -> None:
    assert find_program().name == "espeak-ng"
    voice = Voice(find_program(), "zh")
    room.listen()
    time.sleep(1.0)
    speak(voice, LONG)
    voice.close()
    loud = room.heard()
    assert loud[:15].max() < 0.001, "nothing is heard before anything is said"
    assert (loud > 0.02).sum() * 0.05 > 2.0, "a long sentence takes seconds to say"
    print(f"heard for {(loud > 0.02).sum() * 0.05:.1f} s, loudest {loud.max():.2f}")


def test_newest_win_by_ear(room: Room) -> None:
    voice = Voice(find_program(), "zh")
    room.listen()
    speak(voice, LONG)
    alone = (room.heard() > 0.02).sum() * 0.05
    room.listen()
    # The first is under way when the others come; of those only the last two are spoken.
    speak(voice, "一", LONG, LONG, LONG, "二", "三")
    voice.close()
    together = (room.heard() > 0.02).sum() * 0.05
    print(f"a long sentence {alone:.1f} s; six of which three are long, newest win: {together:.1f} s")
    assert 0.2 < together < alone


def test_a_game_is_heard_in_english_and_chinese(room: Room) -> None:
    for lang in ("zh", "en"):
        room.listen()
        words = [sys.executable, "-m", "pzvision", "live", "--camera", str(DEMO / "demo.mp4"), "--no-page"]
        words += [
            "--ruleset",
            "pzh-traditional",
            "--calibration",
            str(DEMO / "calibration.json"),
            "--no-store",
        ]
        words += [
            "--dealer",
            "E",
            "--declarations",
            str(DEMO / "declarations.jsonl"),
            "--lang",
            lang,
            "--voice",
        ]
        game = subprocess.run(words, capture_output=True, text=True, timeout=200)
        assert game.returncode == 0 and "speech" not in game.stderr, game.stderr
        loud = room.heard()
        print(f"{lang}: heard for {(loud > 0.02).sum() * 0.05:.1f} s of {len(loud) * 0.05:.0f} s")
        assert (loud > 0.02).sum() * 0.05 > 3.0
