"""A running pipeline and its page in a real Chromium: what a person says there stands against the camera."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pzvision.game.simulate import simulate
from pzvision.live.desk import Desk
from pzvision.live.hub import Hub
from pzvision.live.pipeline import Pipeline
from pzvision.live.server import PageServer, build_app
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.synth.timeline import build_timeline
from pzvision.tiles import format_tile

pytestmark = pytest.mark.browser
END_S = 45.0


def _painted() -> Any:
    """The painted game of the pipeline's tests."""
    spec = importlib.util.spec_from_file_location(
        "painted_game", Path(__file__).with_name("test_pipeline.py")
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Game:
    """A painted game through the pipeline, with its page."""

    def __init__(self) -> None:
        painted = _painted()
        events = simulate("pzh-popular", seed=17, hands=1, dealer="E")
        source = painted.PaintedGame(build_timeline(events, near_seat="E", seed=1))
        hub, self._desk = Hub(), Desk()
        maker = HandMaker(painted.CALIBRATION, HandSettings("pzh-popular", dealer="E", names={"E": "小王"}))
        self.pipeline = Pipeline(
            source, painted.CALIBRATION, maker, source, hub=hub, desk=self._desk, speed=6.0
        )
        self.server = PageServer(build_app(hub, desk=self._desk), 0, on_stop=hub.close)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        self.pipeline.run(end=END_S)
        while not self._over.is_set():
            self.pipeline.attend(0.2)

    def start(self) -> None:
        """Begin to play."""
        self.server.start()
        self._thread.start()

    def close(self) -> None:
        """Stop."""
        self._over.set()
        self.pipeline.source.stop()
        self._thread.join(30)
        self._desk.close()
        self.server.stop()


@pytest.fixture
def running() -> Iterator[Game]:
    game = Game()
    yield game
    game.close()


def test_a_corrected_tile_stays_and_the_money_follows(running: Game, page: Any, watcher: Any) -> None:
    running.start()
    page.goto(running.server.url)
    page.wait_for_function(
        "() => document.querySelectorAll('.felt .river .pick').length >= 4", timeout=60_000
    )
    # Somebody says a discard is another tile, in the middle of the game.
    river = page.locator(".felt .river .pick").nth(0)
    key = river.get_attribute("data-key")
    seen = river.locator("use").get_attribute("href")
    taken = set(page.locator(".felt use").evaluate_all("n => n.map(u => u.getAttribute('href').slice(2))"))
    other = next(f"{n}{suit}" for suit in "smp" for n in range(9, 0, -1) if f"{n}{suit}" not in taken)
    river.click()
    page.click(f"#dialog .kinds .pick[data-kind='{other}']")
    page.wait_for_selector(f"[data-key='{key}'] use[href='#t{other}']", state="attached")
    assert seen != f"#t{other}"
    # From above, too, where it lies.
    page.wait_for_function("() => !document.querySelector('dialog[open]')")  # keys go to it while it is open
    page.keyboard.press("m")
    page.wait_for_selector(f"#map use[href='#t{other}']", state="attached")
    page.keyboard.press("m")
    # The game goes on to its end, and the camera never has its way.
    page.wait_for_selector("#link.over", timeout=180_000)
    assert page.locator(f"[data-key='{key}'] use").get_attribute("href") == f"#t{other}"
    log = running.pipeline.session.log
    assert any(event.type == "discard" and format_tile(event.tile) == other for event in log)
    sides = dict(zip("ESWN", ("near", "right", "far", "left"), strict=True))
    before = running.pipeline.session.totals
    assert any(before.values()), "money has changed hands"
    assert {s: int(page.inner_text(f"#seat-{side} .total")) for s, side in sides.items()} == before
    # The stake was another one: every amount and every total follows.
    page.keyboard.press("n")
    page.get_by_role("button", name="这一局设错了,改这一局").click()
    page.get_by_label("底", exact=True).fill("5")
    page.click("#dialog .body > .actions .main")
    page.wait_for_function("() => document.querySelector('#facts').textContent.includes('底 5')")
    after = running.pipeline.session.totals
    assert after == {seat: 5 * amount for seat, amount in before.items()}
    assert {s: int(page.inner_text(f"#seat-{side} .total")) for s, side in sides.items()} == after
    assert watcher.console == []
