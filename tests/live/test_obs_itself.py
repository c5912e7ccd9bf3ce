"""The scene switch against OBS itself, under a virtual display (``-m slow``; Debian: obs-studio, xvfb)."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pzvision.live.announcement import Announcement, Kind
from pzvision.live.obs import SceneSwitch, scene_config

pytestmark = pytest.mark.slow
DEMO = Path(__file__).parents[2] / "pzvision/live/demo"
WIDE, CLOSE, MONEY = "全景", "特写", "结算"
PASSWORD = "geheim-密码"
SETTINGS = """[General]
FirstRun=true
EnableAutoUpdates=false

[OBSWebSocket]
FirstLoad=false
ServerEnabled=true
ServerPort={port}
AlertsEnabled=false
AuthRequired=true
ServerPassword={password}
"""


def said(kind: Kind) -> Announcement:
    return Announcement(kind, "中", "en")


def wait_for(what: Callable[[], bool], seconds: float = 10.0) -> float:
    begun = time.monotonic()
    while not what():
        assert time.monotonic() - begun < seconds
        time.sleep(0.05)
    return time.monotonic() - begun


@dataclass
class Studio:
    """A running OBS with three scenes, and what it showed."""

    port: int
    client: Any
    shown: list[str] = field(default_factory=list)

    @property
    def scene(self) -> str:
        """On air now."""
        answer = self.client.send("GetCurrentProgramScene", raw=True)
        return str(answer["currentProgramSceneName"])

    def look(self) -> bool:
        """Note the scene where it is another one."""
        if not self.shown or self.shown[-1] != self.scene:
            self.shown.append(self.scene)
        return True


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    obsws = pytest.importorskip("obsws_python", reason="the obs extra is not installed")
    if shutil.which("obs") is None or shutil.which("Xvfb") is None:
        pytest.skip("OBS or Xvfb is not installed (apt-get install obs-studio xvfb)")
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    folder = tmp_path / ".config/obs-studio"
    folder.mkdir(parents=True)
    (folder / "global.ini").write_text(SETTINGS.format(port=port, password=PASSWORD), "utf-8")
    with ExitStack() as stack:

        def start(words: list[str], **more: Any) -> subprocess.Popen[str]:
            process = subprocess.Popen(words, stderr=subprocess.DEVNULL, text=True, **more)

            def end() -> None:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

            stack.callback(end)
            return process

        words = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
        display = start(words, stdout=subprocess.PIPE)
        assert display.stdout is not None
        number = display.stdout.readline().strip()
        home = {"HOME": tmp_path, "XDG_RUNTIME_DIR": tmp_path, "XDG_CONFIG_HOME": tmp_path / ".config"}
        # OpenCV points Qt at its own plugins.
        env = {name: value for name, value in os.environ.items() if not name.startswith("QT_")}
        env |= {name: str(place) for name, place in home.items()}
        env |= {"DISPLAY": f":{number}", "LIBGL_ALWAYS_SOFTWARE": "1", "LANG": "C.UTF-8"}
        start(["obs", "--multi"], env=env, stdout=subprocess.DEVNULL)

        logging.getLogger("obsws_python").setLevel(logging.CRITICAL + 1)

        def connected() -> bool:
            try:
                studio.client = obsws.ReqClient(host="127.0.0.1", port=port, password=PASSWORD, timeout=3)
            except Exception:  # not there yet: the library raises all sorts
                return False
            return True

        studio = Studio(port, None)
        wait_for(connected, 60)
        stack.callback(lambda: studio.client.disconnect())
        for scene in (WIDE, CLOSE, MONEY):
            studio.client.send("CreateScene", {"sceneName": scene})
        studio.client.send("SetCurrentProgramScene", {"sceneName": WIDE})
        yield studio


def test_obs_shows_the_scene_and_goes_back(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OBS_PASSWORD", PASSWORD)
    config = scene_config(f"127.0.0.1:{studio.port}", [f"win={CLOSE}", f"settlement={MONEY}"], 3)
    assert config is not None
    scenes = SceneSwitch(config)
    try:
        scenes.hear(said("ready"))
        time.sleep(0.5)
        assert studio.scene == WIDE
        scenes.hear(said("win"))
        took = wait_for(lambda: studio.scene == CLOSE)
        scenes.hear(said("settlement"))
        wait_for(lambda: studio.scene == MONEY)
        wait_for(lambda: studio.scene == WIDE)
        # Somebody changes the scene by hand while ours is on air: it stays.
        scenes.hear(said("win"))
        wait_for(lambda: studio.scene == CLOSE)
        studio.client.send("SetCurrentProgramScene", {"sceneName": MONEY})
        time.sleep(4)
        assert studio.scene == MONEY
    finally:
        scenes.close()
    print(f"scene changed {1000 * took:.0f} ms after the announcement")


def test_a_scene_that_obs_has_not_is_one_line(
    studio: Studio, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OBS_PASSWORD", PASSWORD)
    config = scene_config(f"127.0.0.1:{studio.port}", ["win=没有"], 3)
    assert config is not None
    scenes = SceneSwitch(config, "en")
    scenes.hear(said("win"))
    wait_for(lambda: scenes._complained)
    scenes.close()
    assert studio.scene == WIDE
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "does not change scenes" in err and PASSWORD not in err


def test_a_game_changes_obs_scenes(studio: Studio, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "pzvision", "live", "--camera", str(DEMO / "demo.mp4"), "--no-page"]
    words += ["--ruleset", "pzh-traditional", "--calibration", str(DEMO / "calibration.json"), "--no-store"]
    words += ["--declarations", str(DEMO / "declarations.jsonl"), "--dealer", "E"]
    words += ["--obs", f"127.0.0.1:{studio.port}", "--obs-scene", f"win={CLOSE}", "--obs-hold", "2"]
    env = {**os.environ, "OBS_PASSWORD": PASSWORD}
    game = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    try:
        wait_for(lambda: studio.look() and game.poll() is not None, 200)
        _, err = game.communicate()
    finally:
        game.kill()
    assert game.returncode == 0 and "OBS" not in err, err
    assert studio.shown[:2] == [WIDE, CLOSE] and studio.scene == WIDE
    print(f"scenes: {' '.join(studio.shown)}")
