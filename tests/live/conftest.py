"""A real headless Chromium for the tests marked ``browser``, and games for its pages to show."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from pzvision.game import Event, HandStart, format_event
from pzvision.game.simulate import simulate
from pzvision.live.desk import Desk
from pzvision.live.evening import Evening
from pzvision.live.hub import Hub
from pzvision.live.orders import HandOrder, LogOrder, Order, PauseOrder
from pzvision.live.server import PageServer, build_app
from pzvision.live.session import Session
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.live.teller import Teller
from pzvision.live.view import view_of
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Frame, FrameSource, Image
from pzvision.vision.detections import Detections

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
CALIBRATION = Calibration((640, 360), ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05)), near_seat="S")


def game(seed: int = 4, hands: int = 1) -> list[Event]:
    """A simulated evening with names, one of them hostile."""
    names = {"E": "<b id=bad>x</b>", "S": "小王", "W": "李姐", "N": "阿明"}
    events = simulate("pzh-popular", seed=seed, hands=hands)
    return [replace(event, names=names) if isinstance(event, HandStart) else event for event in events]


class NoPictures(FrameSource):
    """A camera of the right size that shows nothing."""

    name = "nothing"
    size = (640, 360)

    def frames(self, *, start: float = 0.0, end: float | None = None, every: float = 0.0) -> Iterator[Frame]:
        yield from ()


def nothing(image: Image) -> Detections:
    return Detections.empty((640, 360))


@pytest.fixture(scope="session")
def no_pictures() -> FrameSource:
    """A camera for games that only people tell the program about."""
    return NoPictures()


@pytest.fixture(scope="session")
def sees_nothing() -> Callable[[Image], Detections]:
    """A detector that finds no tile."""
    return nothing


@dataclass
class Watcher:
    """What a page wrote to its console and asked for."""

    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, one for all tests."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def watcher() -> Watcher:
    """Filled by `page`."""
    return Watcher()


@pytest.fixture
def context(chromium: Any) -> Iterator[Any]:
    """A browser without cookies or memory."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(20_000)
    yield context
    context.close()


@pytest.fixture
def page(context: Any, watcher: Watcher) -> Any:
    """A new page, watched."""
    page = context.new_page()
    page.on("console", lambda message: watcher.console.append(message.text))
    page.on("pageerror", lambda error: watcher.console.append(str(error)))
    page.on("request", lambda request: watcher.requests.append(request.url))
    return page


@dataclass
class Played:
    """A page that shows a simulated hand, record by record."""

    hub: Hub
    session: Session
    server: PageServer
    rest: list[Event]

    @property
    def url(self) -> str:
        """Of the page."""
        return self.server.url

    def play(self, count: int) -> None:
        """The next records."""
        for event in self.rest[:count]:
            change = self.session.update(len(self.session.log), [event])
            with self.hub.batch():
                self.hub.publish(format_event(event))
                for item in change.said:
                    self.session.spoken(item, self.hub.publish(item.to_record()))
                self.tell()
        del self.rest[:count]

    def tell(self, **more: Any) -> None:
        """The state now, with ``more`` in it."""
        source = {"name": "x", "t": 9.0, "duration": 20.0, "over": False}
        self.hub.set_state({**view_of(self.session, near_seat="S", source=source), **more})


@pytest.fixture
def played() -> Iterator[Played]:
    """A hand not yet begun."""
    hub = Hub()
    hub.set_state(view_of(Session(), near_seat="S", source=None))
    hub.set_picture(lambda: np.full((360, 640, 3), 90, np.uint8))
    server = PageServer(build_app(hub), 0, on_stop=hub.close)
    server.start()
    yield Played(hub, Session(), server, game())
    server.stop()


class LiveTable:
    """An evening that takes corrections, as `pzvision live` does, without a camera.

    Its first hand is over; the second is under way.
    """

    def __init__(self) -> None:
        events = game(seed=3, hands=2)
        starts = [i for i, event in enumerate(events) if isinstance(event, HandStart)]
        self.hub, self.desk = Hub(), Desk()
        settings = HandSettings("pzh-popular", names={"S": "小王"})
        self.evening = Evening(HandMaker(CALIBRATION, settings), Teller(hub=self.hub))
        self.evening.restore(events[: starts[1] + 60])
        self.paused = False
        self.orders: list[Order] = []
        self.server = PageServer(build_app(self.hub, desk=self.desk), 0, on_stop=self.hub.close)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.tell()
        self.server.start()
        self._thread.start()

    @property
    def session(self) -> Session:
        """The game so far."""
        return self.evening.session

    def tell(self) -> None:
        """The state now."""
        source = {"name": "x", "t": 9.0, "duration": None, "over": False}
        set_up, following = self.evening.set_up_now(), self.evening.settings
        state = view_of(self.session, near_seat="S", source=source)
        state.update(
            paused=self.paused,
            records=len(self.session.log),
            doubts=self.evening.doubt_records(),
            setup=None if set_up is None else set_up.to_json(),
            next=None if following is None else following.to_json(),
            rulesets=[{"id": "pzh-traditional", "name": {"zh": "传统", "en": "Traditional"}}],
        )
        self.hub.set_state(state)

    def close(self) -> None:
        """Stop."""
        self._over.set()
        self._thread.join(5)
        self.server.stop()

    def _run(self) -> None:
        while not self._over.is_set():
            self.desk.wait(0.05)
            self.desk.attend(self._carry_out)

    def _carry_out(self, order: Order) -> dict[str, Any]:
        if isinstance(order, LogOrder):
            return {"seq": self.hub.seq, "records": self.evening.log_view()}
        self.orders.append(order)
        with self.hub.batch():
            answer: dict[str, Any] = {}
            if isinstance(order, PauseOrder):
                self.paused = order.paused
            elif isinstance(order, HandOrder):
                answer = self.evening.set_up(order)
            else:
                answer = self.evening.correct(order)  # type: ignore[arg-type]
            self.tell()
        return {"seq": self.hub.seq, **answer}


@pytest.fixture
def live_table() -> Iterator[LiveTable]:
    """See `LiveTable`."""
    table = LiveTable()
    yield table
    table.close()


class LiveCommand:
    """``pzvision live`` in a process of its own, its page on any port; what it prints goes into files."""

    def __init__(self, words: list[str], out: Path) -> None:
        self._out, self._err = out.with_suffix(".out"), out.with_suffix(".err")
        command = [sys.executable, "-m", "pzvision", "live", "--port", "0", "--lang", "en", *words]
        self.begun = time.monotonic()
        with self._out.open("wb") as out_file, self._err.open("wb") as err_file:
            self.process = subprocess.Popen(command, stdout=out_file, stderr=err_file)
        self.ready_s: float | None = None

    def page(self, seconds: float = 60.0) -> str:
        """Its address, as soon as it says so; empty where it has not within so long."""
        until = time.monotonic() + seconds
        while True:
            for line in self._out.read_text(encoding="utf-8").splitlines(keepends=True):
                if "http://" in line and line.endswith("\n"):
                    if self.ready_s is None:
                        self.ready_s = time.monotonic() - self.begun
                    return line[line.index("http://") :].split()[0]
            assert self.process.poll() is None, self._err.read_text(encoding="utf-8")
            if time.monotonic() >= until:
                return ""
            time.sleep(0.02)

    def newest_record(self, page: str, until: float) -> int:
        """Follow the stream until then (s of `time.monotonic`); the last number it gave, 0 if none."""
        newest = 0
        try:
            with httpx.stream("GET", page + "events", timeout=max(0.05, until - time.monotonic())) as answer:
                for line in answer.iter_lines():
                    if line.startswith("data: "):
                        newest = max(newest, json.loads(line[6:]).get("seq", 0))
                    if time.monotonic() >= until:
                        break
        except httpx.TransportError:  # nothing more came until then
            pass
        return newest

    def kill(self) -> None:
        """At once (SIGKILL)."""
        self.process.kill()
        self.process.wait()

    def interrupt(self, seconds: float = 30.0) -> tuple[str, str]:
        """Ctrl-C; what it had printed on both streams when it was over."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(seconds)
        return self._out.read_text(encoding="utf-8"), self._err.read_text(encoding="utf-8")


@pytest.fixture
def live_command(tmp_path: Path) -> Iterator[Callable[[list[str]], LiveCommand]]:
    """Starts `LiveCommand`s; those that still run are killed in the end."""
    begun: list[LiveCommand] = []

    def start(words: list[str]) -> LiveCommand:
        begun.append(LiveCommand(words, tmp_path / f"live-{len(begun)}"))
        return begun[-1]

    yield start
    for command in begun:
        command.kill()
