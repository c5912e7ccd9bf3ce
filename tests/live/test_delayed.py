"""The overlay's stream some seconds behind: nothing comes early, everything comes, under the same numbers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from pzvision.live.delayed import DelayedHub
from pzvision.live.hub import Hub
from pzvision.live.server import PageServer, build_app

DELAY_S = 0.6


@pytest.fixture
def hubs() -> Iterator[tuple[Hub, DelayedHub]]:
    hub = Hub()
    yield hub, DelayedHub(hub, DELAY_S)
    hub.close()


def wait_for(seq: int, hub: Hub) -> float:
    begun = time.monotonic()
    while hub.seq < seq:
        assert time.monotonic() - begun < 10
        time.sleep(0.005)
    return time.monotonic()


def test_everything_comes_later_in_order(hubs: tuple[Hub, DelayedHub]) -> None:
    hub, late = hubs
    told = time.monotonic()
    hub.publish({"type": "draw", "seat": "E"})
    hub.set_state({"wall_left": 50})
    hub.set_health({"ok": True, "cameras": {"table": {"state": "ok"}}})
    assert late.seq == 0 and late.state == {"seq": 0}
    time.sleep(DELAY_S / 2)
    middle = time.monotonic()
    hub.publish({"type": "discard", "seat": "E", "tile": "5m"})
    hub.set_state({"wall_left": 49})
    assert late.seq == 0 and late.since(0) == ([], False)
    assert wait_for(1, late) - told >= DELAY_S
    time.sleep(0.05)
    assert late.seq == 1 and late.state == {"seq": 1, "wall_left": 50}
    assert late.health["cameras"] == {"table": {"state": "ok"}}
    assert wait_for(2, late) - middle >= DELAY_S
    time.sleep(0.05)
    assert late.state == {"seq": 2, "wall_left": 49}
    assert [record.text for record in late.since(0)[0]] == [record.text for record in hub.since(0)[0]]


def test_it_closes_at_once(hubs: tuple[Hub, DelayedHub]) -> None:
    hub, late = hubs
    hub.publish({"type": "draw", "seat": "E"})
    hub.close()
    begun = time.monotonic()
    while not late.closed:
        assert time.monotonic() - begun < 5
        time.sleep(0.005)
    assert time.monotonic() - begun < DELAY_S
    assert late.seq == 0, "what was not yet due is not told because the program ends"


def test_a_busy_game_keeps_its_delay(hubs: tuple[Hub, DelayedHub]) -> None:
    hub, late = hubs
    for i in range(500):
        hub.publish({"type": "draw", "number": i})
        hub.set_state({"number": i})
    last = time.monotonic()
    assert wait_for(500, late) - last < DELAY_S + 1
    assert late.state["number"] <= 499
    assert sum(thread.name == "pzvision-overlay" for thread in threading.enumerate()) >= 1


def test_the_overlay_alone_runs_behind(hubs: tuple[Hub, DelayedHub]) -> None:
    hub, late = hubs
    server = PageServer(build_app(hub, late), 0, on_stop=hub.close)
    server.start()
    try:
        hub.publish({"type": "draw", "seat": "E"})
        hub.set_state({"wall_left": 50})
        assert httpx.get(server.url + "state").json()["wall_left"] == 50
        early = httpx.get(server.url + "overlay/state").json()
        assert "wall_left" not in early and early["seq"] == 0 and early["delay"] == DELAY_S
        with httpx.stream("GET", server.url + "overlay/events", timeout=5) as answer:
            next(line for line in answer.iter_lines() if line.startswith("data: "))
        assert httpx.get(server.url + "overlay/state").json()["seq"] == 1
    finally:
        server.stop()
