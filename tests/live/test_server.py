"""The page's server: stream with resume, state, health, picture, headers, hosts."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import cv2
import httpx
import numpy as np
import pytest

from pzvision.game import format_event
from pzvision.game.simulate import simulate
from pzvision.live.hub import Hub
from pzvision.live.server import PageServer, build_app
from pzvision.live.session import Session
from pzvision.live.view import view_of

EVENTS = simulate("pzh-popular", seed=4, hands=1)


def feed(hub: Hub, session: Session, events: list) -> None:  # type: ignore[type-arg]
    for event in events:
        change = session.update(len(session.log), [event])
        with hub.batch():
            hub.publish(format_event(event))
            for item in change.said:
                session.spoken(item, hub.publish(item.to_record()))
            hub.set_state(view_of(session, near_seat="S", source=None))


@pytest.fixture
def served() -> Iterator[tuple[Hub, Session, str]]:
    hub = Hub()
    server = PageServer(build_app(hub), 0, on_stop=hub.close)
    server.start()
    yield hub, Session(), server.url
    server.stop()


def read_events(url: str, count: int, last: int | None = None) -> list[dict[str, object]]:
    headers = {} if last is None else {"Last-Event-ID": str(last)}
    out: list[dict[str, object]] = []
    with httpx.stream("GET", url + "events", headers=headers, timeout=5) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        ident = None
        for line in answer.iter_lines():
            if line.startswith("id: "):
                ident = int(line[4:])
            elif line.startswith("data: "):
                record = json.loads(line[6:])
                assert record.get("seq") == ident
                out.append(record)
                if len(out) == count:
                    break
    return out


def test_stream_has_every_record_in_order_and_resumes(served: tuple[Hub, Session, str]) -> None:
    hub, session, url = served
    feed(hub, session, EVENTS)
    total = hub.seq
    everything = read_events(url, total)
    assert [r["seq"] for r in everything] == list(range(1, total + 1))
    log = [r for r in everything if r["type"] != "announce"]
    assert [{k: v for k, v in r.items() if k != "seq"} for r in log] == [format_event(e) for e in EVENTS]
    said = [r for r in everything if r["type"] == "announce"]
    assert said and set(said[0]) >= {"type", "seq", "kind", "seat", "tiles", "zh", "en", "fan"}
    assert read_events(url, total - 7, last=7) == everything[7:]
    # An id of an earlier run that this one never reached: everything again.
    assert read_events(url, 3, last=10**6) == everything[:3]


def test_stream_goes_on_live(served: tuple[Hub, Session, str]) -> None:
    hub, session, url = served
    feed(hub, session, EVENTS[:3])
    before = hub.seq
    with httpx.stream("GET", url + "events", headers={"Last-Event-ID": str(before)}, timeout=5) as answer:
        lines = answer.iter_lines()
        assert next(lines) == "retry: 1000"
        feed(hub, session, EVENTS[3:6])
        got = []
        for line in lines:
            if line.startswith("id: "):
                got.append(int(line[4:]))
            if len(got) == hub.seq - before:
                break
    assert got == list(range(before + 1, hub.seq + 1))


def test_lost_records_are_said_by_a_reset() -> None:
    hub = Hub(kept=5)
    server = PageServer(build_app(hub), 0, on_stop=hub.close)
    server.start()
    try:
        for i in range(12):
            hub.publish({"type": "draw", "number": i})
        with httpx.stream("GET", server.url + "events", headers={"Last-Event-ID": "2"}, timeout=5) as answer:
            data = []
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    data.append(json.loads(line[6:]))
                if len(data) == 6:
                    break
        assert data[0] == {"type": "reset"}
        assert [r["seq"] for r in data[1:]] == [8, 9, 10, 11, 12]
    finally:
        server.stop()


def test_state_and_health(served: tuple[Hub, Session, str]) -> None:
    hub, session, url = served
    feed(hub, session, EVENTS)
    state = httpx.get(url + "state").json()
    assert state["seq"] == hub.seq and state["hand"] == 1 and state["near_seat"] == "S"
    assert state["ruleset"]["id"] == "pzh-popular"
    assert sum(state["totals"].values()) == 0
    assert [line["amount"] for line in state["ledger"]] == [p.amount for p in session.final_states[0].ledger]
    assert set(state["seats"]) == {"E", "S", "W", "N"}
    assert httpx.get(url + "health").status_code == 200
    hub.set_health({"ok": False, "cameras": {"table": {"state": "lost"}}})
    answer = httpx.get(url + "health")
    assert answer.status_code == 503 and answer.json()["cameras"]["table"]["state"] == "lost"


def test_picture_is_drawn_only_when_asked_for(served: tuple[Hub, Session, str]) -> None:
    hub, _, url = served
    assert httpx.get(url + "frame.jpg?after=0", timeout=5).status_code == 204
    drawn = []

    def draw() -> np.ndarray:
        drawn.append(1)
        return np.full((40, 60, 3), 99, np.uint8)

    hub.set_picture(draw)
    assert not drawn
    answer = httpx.get(url + "frame.jpg?after=0", timeout=5)
    image = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None and image.shape == (40, 60, 3)
    assert answer.headers["x-frame"] == "1"
    httpx.get(url + "frame.jpg", timeout=5)
    assert len(drawn) == 1, "one picture is encoded once, however many look"


def test_page_is_strict_and_complete(served: tuple[Hub, Session, str]) -> None:
    _, _, url = served
    page = httpx.get(url)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    for part in ("static/app.js", "static/style.css", "tiles/5m.svg", "tiles/back.svg", "tiles/all.svg"):
        answer = httpx.get(url + part)
        assert answer.status_code == 200, part
        assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", ""), part
        assert "https://" not in answer.text, part
    assert "<script>" not in page.text and "style=" not in page.text and "onclick" not in page.text
    sprite = httpx.get(url + "tiles/all.svg").text
    assert all(f'id="t{n}{suit}"' in sprite for n in range(1, 10) for suit in "msp")


@pytest.mark.parametrize("path", ["static/hub.py", "static/..%2fhub.py", "tiles/..%2f..%2fhub.py", "x"])
def test_other_files_are_not_served(served: tuple[Hub, Session, str], path: str) -> None:
    assert httpx.get(served[2] + path).status_code == 404


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:1234", 200),
        ("[::1]:80", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example:8642", 421),
        ("evil.example:80", 421),
        ("", 421),
    ],
)
def test_foreign_hosts_are_refused(served: tuple[Hub, Session, str], host: str, status: int) -> None:
    assert httpx.get(served[2] + "state", headers={"Host": host}).status_code == status


def test_a_taken_port_is_replaced() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        hub = Hub()
        server = PageServer(build_app(hub), taken.getsockname()[1], on_stop=hub.close)
        server.start()
        try:
            assert server.moved and server.port != taken.getsockname()[1]
            assert httpx.get(server.url + "health").status_code == 200
        finally:
            server.stop()


def test_stop_ends_open_streams_quickly() -> None:
    import time

    hub = Hub()
    server = PageServer(build_app(hub), 0, on_stop=hub.close)
    server.start()
    with httpx.stream("GET", server.url + "events", timeout=5) as answer:
        next(answer.iter_lines())
        begun = time.monotonic()
        server.stop()
        assert time.monotonic() - begun < 3.5


def test_a_stream_nobody_reads_costs_nothing(served: tuple[Hub, Session, str]) -> None:
    hub, _, url = served
    with httpx.stream("GET", url + "events", timeout=5):
        for i in range(20000):
            hub.publish({"type": "draw", "seat": "E", "tile": None, "number": i})
        assert httpx.get(url + "health", timeout=5).status_code == 200
