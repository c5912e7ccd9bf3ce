"""The scene switch: which scene when, back again, and an OBS that is not there."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pzvision.errors import PzvisionError
from pzvision.live.announcement import Announcement, Correction, Kind
from pzvision.live.obs import SceneConfig, SceneSwitch, scene_config


def said(kind: Kind) -> Announcement:
    return Announcement(kind, "中", "en")


class Studio:
    """An OBS that can be switched off."""

    def __init__(self) -> None:
        self.scene = "全景"
        self.there = True
        self.changes: list[str] = []
        self.connected = 0

    def connect(self, config: SceneConfig) -> Studio:
        self._check()
        self.connected += 1
        return self

    def _check(self) -> None:
        if not self.there:
            raise ConnectionRefusedError("refused")

    def current(self) -> str:
        self._check()
        return self.scene

    def change(self, scene: str) -> None:
        self._check()
        self.scene = scene
        self.changes.append(scene)

    def close(self) -> None:
        pass


@pytest.fixture
def studio() -> Studio:
    return Studio()


def switch(studio: Studio, **config: Any) -> SceneSwitch:
    scenes: dict[Kind, str] = {"win": "特写", "settlement": "结算"}
    return SceneSwitch(SceneConfig(scenes, **config), "en", studio.connect)


def wait_until(true: Any, seconds: float = 5.0) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_a_scene_comes_and_the_one_before_returns(studio: Studio) -> None:
    scenes = switch(studio, hold_s=0.2)
    scenes.hear(said("ready"))  # no scene for this
    scenes.hear(Correction(said("win")))
    scenes.hear(said("win"))
    wait_until(lambda: studio.changes == ["特写"])
    scenes.hear(said("settlement"))
    wait_until(lambda: studio.changes == ["特写", "结算", "全景"])
    scenes.close()
    assert studio.connected == 1


def test_nobodys_hand_is_overruled(studio: Studio) -> None:
    scenes = switch(studio, hold_s=0.15)
    scenes.hear(said("win"))
    wait_until(lambda: studio.changes == ["特写"])
    studio.scene = "广告"  # by hand
    time.sleep(0.4)
    assert studio.scene == "广告" and studio.changes == ["特写"]
    scenes.close()


def test_closing_puts_the_scene_back(studio: Studio) -> None:
    scenes = switch(studio, hold_s=60)
    scenes.hear(said("win"))
    wait_until(lambda: studio.scene == "特写")
    scenes.close()
    assert studio.scene == "全景" and not scenes._thread.is_alive()


def test_it_runs_behind_with_the_overlay(studio: Studio) -> None:
    scenes = switch(studio, hold_s=5, delay_s=0.4)
    begun = time.monotonic()
    scenes.hear(said("win"))
    wait_until(lambda: studio.changes == ["特写"])
    assert time.monotonic() - begun >= 0.4
    scenes.close()


def test_an_obs_that_is_away_is_said_once_and_tried_again(
    studio: Studio, capsys: pytest.CaptureFixture[str]
) -> None:
    studio.there = False
    scenes = switch(studio, hold_s=0.1, retry_s=0.05)
    for _ in range(3):
        scenes.hear(said("win"))
        time.sleep(0.1)
    assert capsys.readouterr().err.count("OBS at 127.0.0.1:4455 does not change scenes: refused") == 1
    studio.there = True
    scenes.hear(said("win"))
    wait_until(lambda: studio.changes == ["特写", "全景"])
    scenes.close()


@pytest.mark.parametrize(
    ("address", "scenes", "hold", "message"),
    [
        ("127.0.0.1:4455", [], 8, "at least one --obs-scene"),
        ("localhost", ["win=x"], 8, "--obs 'localhost': expected HOST:PORT"),
        ("localhost:70000", ["win=x"], 8, "expected HOST:PORT"),
        (":4455", ["win=x"], 8, "expected HOST:PORT"),
        (None, ["winn=x"], 8, "--obs-scene 'winn=x': expected KIND=SCENE"),
        (None, ["win="], 8, "expected KIND=SCENE"),
        (None, ["win"], 8, "expected KIND=SCENE"),
        (None, ["win=x"], 0, "--obs-hold 0: expected 1 to 600"),
        (None, ["win=x"], float("nan"), "--obs-hold nan: expected 1 to 600"),
    ],
)
def test_arguments_are_checked(address: str | None, scenes: list[str], hold: float, message: str) -> None:
    with pytest.raises(PzvisionError, match=message):
        scene_config(address, scenes, hold)


def test_without_arguments_nothing_is_switched() -> None:
    assert scene_config(None, [], 8) is None


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(PzvisionError, match=r"pzvision\[obs\]"):
        scene_config(None, ["win=x"], 8)


# -- against the real library and a server that speaks OBS's protocol


class WireObs:
    """obs-websocket 5 with a password, as far as scenes need it."""

    PASSWORD = "secret"

    def __init__(self) -> None:
        self.scene = "Wide"
        self.identified = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            key = ""
            while (line := lines.readline().strip()) != b"":
                name, _, value = line.decode().partition(": ")
                if name.lower() == "sec-websocket-key":
                    key = value
            digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
            accept = base64.b64encode(digest).decode()
            head = "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
            connection.sendall(f"{head}{accept}\r\n\r\n".encode())
            salt, challenge = "salt", "challenge"
            hello = {"rpcVersion": 1, "authentication": {"salt": salt, "challenge": challenge}}
            self._send(connection, 0, hello)
            secret = base64.b64encode(hashlib.sha256((self.PASSWORD + salt).encode()).digest())
            expected = base64.b64encode(hashlib.sha256(secret + challenge.encode()).digest()).decode()
            while (message := self._receive(lines)) is not None:
                data = message["d"]
                if message["op"] == 1:
                    if data["authentication"] != expected:
                        return
                    self.identified += 1
                    self._send(connection, 2, {"negotiatedRpcVersion": 1})
                    continue
                answer: dict[str, Any] = {"requestType": data["requestType"], "requestId": data["requestId"]}
                answer["requestStatus"] = {"result": True, "code": 100}
                if data["requestType"] == "GetCurrentProgramScene":
                    answer["responseData"] = {"currentProgramSceneName": self.scene}
                else:
                    self.scene = data["requestData"]["sceneName"]
                self._send(connection, 7, answer)

    @staticmethod
    def _send(connection: socket.socket, op: int, data: dict[str, Any]) -> None:
        payload = json.dumps({"op": op, "d": data}).encode()
        size = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + struct.pack(">H", len(payload))
        connection.sendall(b"\x81" + size + payload)

    @staticmethod
    def _receive(lines: Any) -> Any:
        head = lines.read(2)
        if len(head) < 2 or head[0] & 15 == 8:
            return None
        size = head[1] & 127
        if size == 126:
            size = struct.unpack(">H", lines.read(2))[0]
        mask = lines.read(4)
        return json.loads(bytes(b ^ mask[i % 4] for i, b in enumerate(lines.read(size))))

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def wire() -> Iterator[WireObs]:
    pytest.importorskip("obsws_python", reason="the obs extra is not installed")
    server = WireObs()
    yield server
    server.close()


def test_the_real_library_changes_scenes(wire: WireObs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OBS_PASSWORD", WireObs.PASSWORD)
    config = scene_config(f"127.0.0.1:{wire.port}", ["win=Close-up"], 60)
    assert config is not None and WireObs.PASSWORD not in repr(config)
    scenes = SceneSwitch(config)
    scenes.hear(said("win"))
    wait_until(lambda: wire.scene == "Close-up", 10)
    scenes.close()
    wait_until(lambda: wire.scene == "Wide", 10)
    assert wire.identified == 1


def test_a_wrong_password_is_one_line(
    wire: WireObs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OBS_PASSWORD", "wrong")
    config = scene_config(f"127.0.0.1:{wire.port}", ["win=Close-up"], 60)
    assert config is not None
    scenes = SceneSwitch(config, "en")
    scenes.hear(said("win"))
    wait_until(lambda: scenes._complained, 10)
    scenes.close()
    assert wire.scene == "Wide" and wire.identified == 0
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1 and "wrong" not in lines[0]
