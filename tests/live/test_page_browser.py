"""The table page in a real headless Chromium (``pytest -m browser``)."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pzvision.game import Event, HandStart, format_event
from pzvision.game.simulate import simulate
from pzvision.live.hub import Hub
from pzvision.live.server import PageServer, build_app
from pzvision.live.session import Session
from pzvision.live.view import view_of

pytestmark = pytest.mark.browser
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--remote-debugging-pipe",
]


class Browser:
    """One Chromium page, spoken to over the DevTools pipe."""

    def __init__(self, profile: Path) -> None:
        if CHROMIUM is None:
            pytest.skip("no Chromium is installed")
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        # The pipe's ends have to be descriptors 3 and 4.
        script = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", *command],
            pass_fds=(to_browser, from_browser),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._pending = b""
        self._count = 0
        self._session: str | None = None
        self.log: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + 60
        while time.monotonic() < until:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            if answer.get("method") == "Log.entryAdded":
                self.log.append(answer["params"]["entry"]["text"])
            elif answer.get("method") == "Runtime.exceptionThrown":
                self.log.append(str(answer["params"]["exceptionDetails"]))
            elif answer.get("method") == "Network.requestWillBeSent":
                self.log.append("request " + answer["params"]["request"]["url"])
        raise TimeoutError(method)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._pending:
            data = os.read(self._read, 1 << 16)
            assert data, "the browser has gone"
            self._pending += data
        message, self._pending = self._pending.split(b"\0", 1)
        answer: dict[str, Any] = json.loads(message)
        return answer

    def open(self, url: str, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.call("Page.navigate", url=url)

    def evaluate(self, script: str) -> Any:
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def wait(self, script: str, seconds: float = 20.0) -> None:
        until = time.monotonic() + seconds
        while not self.evaluate(script):
            assert time.monotonic() < until, f"never true: {script}; {self.log}"
            time.sleep(0.05)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10)
        os.close(self._read)
        os.close(self._write)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    browser = Browser(tmp_path / "profile")
    yield browser
    browser.close()


@dataclass
class Played:
    """A page that shows a simulated hand, record by record."""

    hub: Hub
    session: Session
    url: str
    rest: list[Event]

    def play(self, count: int) -> None:
        for event in self.rest[:count]:
            change = self.session.update(len(self.session.log), [event])
            with self.hub.batch():
                self.hub.publish(format_event(event))
                for item in change.said:
                    self.session.spoken(item, self.hub.publish(item.to_record()))
                source = {"name": "x", "t": 9.0, "duration": 20.0, "over": False}
                self.hub.set_state(view_of(self.session, near_seat="S", source=source))
        del self.rest[:count]


@pytest.fixture
def played() -> Iterator[Played]:
    first, *rest = simulate("pzh-popular", seed=4, hands=1)
    assert isinstance(first, HandStart)
    first = replace(first, names={"E": "<b id=bad>x</b>", "S": "小王"})
    hub = Hub()
    hub.set_state(view_of(Session(), near_seat="S", source=None))
    hub.set_picture(lambda: np.full((360, 640, 3), 90, np.uint8))
    server = PageServer(build_app(hub), 0, on_stop=hub.close)
    server.start()
    yield Played(hub, Session(), server.url, [first, *rest])
    server.stop()


def test_page_follows_a_game_to_its_end(played: Played, browser: Browser) -> None:
    browser.open(played.url, 1280, 900)
    browser.wait("document.querySelector('#news .empty') !== null")
    for _ in range(40):
        played.play(5)
    assert not played.rest
    last = played.session.announcement_records()[-1]
    browser.wait(f"document.querySelector('#news').textContent.includes({json.dumps(last['zh'])})")
    assert browser.evaluate("document.querySelector('#frame').naturalWidth") == 640
    for seat, side in zip("SWNE", ("near", "right", "far", "left"), strict=True):
        total = played.session.totals[seat]  # type: ignore[index]
        shown = browser.evaluate(f"document.querySelector('#seat-{side} .total').textContent")
        assert shown == f"{total:+d}" if total else shown == "0"
    assert browser.evaluate("document.querySelectorAll('.felt svg.tile').length") > 40
    assert "小王" in browser.evaluate("document.body.textContent")
    # A name is text, never markup.
    assert browser.evaluate("document.querySelector('#bad') === null")
    assert "<b id=bad>" in browser.evaluate("document.body.textContent")
    # English at the press of a button.
    browser.evaluate("document.querySelector('#lang').click()")
    assert last["en"] in browser.evaluate("document.querySelector('#news').textContent")
    requests = [line for line in browser.log if line.startswith("request ")]
    assert requests and all(played.url in line or "blob:" in line for line in requests)
    assert [line for line in browser.log if not line.startswith("request ")] == []


def test_page_says_when_the_program_has_gone(browser: Browser) -> None:
    hub = Hub()
    hub.set_state(view_of(Session(), near_seat="E", source=None))
    server = PageServer(build_app(hub), 0, on_stop=hub.close)
    server.start()
    browser.open(server.url, 1000, 800)
    browser.wait("document.querySelector('#link').classList.contains('ok')")
    server.stop()
    browser.wait("document.querySelector('#link').classList.contains('bad')", seconds=5)


@pytest.mark.parametrize("width", [360, 414, 768])
def test_page_fits_small_screens(played: Played, browser: Browser, width: int) -> None:
    played.play(200)
    browser.open(played.url + "?lang=en", width, 900)
    browser.wait("document.querySelectorAll('.felt svg.tile').length > 40")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    # Buttons can be hit with a finger.
    assert (
        browser.evaluate("Math.min(...[...document.querySelectorAll('button')].map(b => b.offsetHeight))")
        >= 34
    )
