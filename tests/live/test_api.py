"""The API that changes a running game: what is refused and how, and that changes reach state and stream."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from pzvision.game import Discard, Event, HandEnd, HandStart, Win, settle_log
from pzvision.game.simulate import simulate
from pzvision.live.desk import MOST_WAITING, Busy, Desk
from pzvision.live.hub import Hub
from pzvision.live.openapi import docs_page, document
from pzvision.live.orders import PauseOrder
from pzvision.live.pipeline import Pipeline
from pzvision.live.security import MOST_BODY
from pzvision.live.server import PageServer, build_app
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import FrameSource, Image
from pzvision.vision.detections import Detections

CORNERS = ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05))
CALIBRATION = Calibration((640, 360), CORNERS, near_seat="E")
EVENTS = list(simulate("pzh-popular", seed=4, hands=2))


@dataclass
class Game:
    """A game of two finished hands whose page is open."""

    pipeline: Pipeline
    hub: Hub
    url: str

    def post(self, path: str, body: Any, **more: Any) -> httpx.Response:
        return httpx.post(self.url + path, json=body, timeout=10, **more)

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = httpx.get(self.url + "state").json()
        return state

    @property
    def log(self) -> list[Event]:
        return self.pipeline.session.log


@pytest.fixture
def game(no_pictures: FrameSource, sees_nothing: Callable[[Image], Detections]) -> Iterator[Game]:
    hub, desk = Hub(), Desk()
    maker = HandMaker(CALIBRATION, HandSettings("pzh-popular"))
    pipeline = Pipeline(no_pictures, CALIBRATION, maker, sees_nothing, hub=hub, desk=desk)
    pipeline.evening.restore(EVENTS)
    over = threading.Event()

    def play() -> None:
        while not over.is_set():
            pipeline.attend(0.05)

    thread = threading.Thread(target=play)
    thread.start()
    server = PageServer(build_app(hub, desk=desk), 0, on_stop=hub.close)
    server.start()
    playing = Game(pipeline, hub, server.url)
    until = time.monotonic() + 20.0
    while "next" not in playing.state():  # the game's thread has told its first state
        assert time.monotonic() < until
        time.sleep(0.02)
    yield playing
    over.set()
    thread.join()
    server.stop()


def test_a_corrected_tile_changes_log_ledger_and_stream(game: Game) -> None:
    before = game.state()
    seq = game.hub.seq
    at = next(i for i, e in enumerate(EVENTS) if isinstance(e, Discard) and i > 40 and EVENTS.count(e) == 1)
    old = EVENTS[at]
    assert isinstance(old, Discard)
    new = "1m" if old.tile else "9m"
    entry = httpx.get(game.url + "api/log").json()["records"][at]
    assert entry["event"] == at + 1 and entry["record"]["type"] == "discard" and entry["text"]["zh"]
    body = {"kind": "tile", "event": at + 1, "was": entry["record"], "tile": new}
    answer = game.post("api/corrections", body)
    assert answer.status_code == 200 and answer.json()["ok"] and answer.json()["seq"] > seq
    changed = game.log[at]
    assert isinstance(changed, Discard) and changed.tile == (0 if old.tile else 8)
    records = [json.loads(record.text) for record in game.hub.since(seq)[0]]
    assert [r["type"] for r in records[:2]] == ["correction", "rewrite"] and records[1]["keep"] <= at
    assert records[0]["correction"]["tile"] == new and records[0]["hand"] >= 1
    assert game.state()["seq"] == game.hub.seq > before["seq"]
    # The same once more: the record the sender saw is gone.
    assert game.post("api/corrections", body).status_code in (409, 422)


def test_an_undone_win_takes_its_money_back(game: Game) -> None:
    win = next(i for i, e in enumerate(EVENTS) if isinstance(e, Win))
    assert game.post("api/corrections", {"kind": "undo", "event": win + 1}).status_code == 200
    expected = [e for i, e in enumerate(EVENTS) if i != win]
    assert game.log == expected
    totals = [hand.totals for hand in settle_log([json.dumps(r) for r in _records(expected)], lenient=True)]
    assert game.state()["session_totals"] == {s: sum(t[s] for t in totals) for s in "ESWN"}
    told = [json.loads(r.text) for r in game.hub.since(0)[0]]
    assert [r["hand"] for r in told if r["type"] == "hand"][-1] in (1, 2)


def _records(events: list[Event]) -> list[dict[str, Any]]:
    from pzvision.game import format_event

    return [format_event(event) for event in events]


def test_another_stake_for_the_next_hand_only(game: Game) -> None:
    before = game.state()
    answer = game.post("api/hand", {"when": "next", "base": 7, "names": {"S": "小李<b>"}, "dealer": "W"})
    assert answer.status_code == 200
    state = game.state()
    assert state["next"] == {**before["next"], "base": 7, "names": {"S": "小李<b>"}, "dealer": "W"}
    assert state["session_totals"] == before["session_totals"]
    # Nobody has acted in the new hand: setting it up now shows at once.
    assert game.post("api/hand", {"when": "current", "ruleset": "pzh-traditional"}).status_code == 200
    assert game.state()["setup"]["ruleset"] == "pzh-traditional" and game.log == EVENTS


def test_pause_stops_the_reading(game: Game) -> None:
    assert game.post("api/pause", {"paused": True}).status_code == 200
    assert game.state()["paused"] and httpx.get(game.url + "health").json()["paused"]
    game.post("api/pause", {"paused": True})
    game.post("api/pause", {"paused": False})
    told = [json.loads(r.text) for r in game.hub.since(0)[0]]
    assert [r["paused"] for r in told if r["type"] == "pause"] == [True, False]


@pytest.mark.parametrize(
    ("path", "body", "status", "expected"),
    [
        ("corrections", {}, 422, "kind"),
        ("corrections", {"kind": "magic"}, 422, "magic"),
        ("corrections", {"kind": "tile", "event": 3, "tile": "0z"}, 422, "0z"),
        ("corrections", {"kind": "tile", "event": 10**6, "tile": "1m"}, 409, "1000000"),
        ("corrections", {"kind": "tile", "event": 1, "tile": "1m"}, 422, "hand_start"),
        ("corrections", {"kind": "owner", "event": 1, "seat": "Q"}, 422, "seat"),
        ("corrections", {"kind": "undo", "evnet": 3}, 422, "evnet"),
        (
            "corrections",
            {"kind": "tile", "event": 4, "was": {"type": "leave", "seat": "N"}, "tile": "1m"},
            409,
            "any more",
        ),
        ("declare", {"seat": "S"}, 422, "declaration"),
        ("declare", {"seat": "S", "declaration": "shout"}, 422, "shout"),
        ("hand", {"when": "yesterday"}, 422, "yesterday"),
        ("hand", {"ruleset": "../../etc/passwd"}, 422, "ruleset"),
        ("hand", {"ruleset": "pzh-popular", "options": {"cap": "seven"}}, 422, "cap"),
        ("hand", {"options": {"capp": 7}}, 422, "capp"),
        ("hand", {"base": 0}, 422, "base"),
        ("hand", {"base": True}, 422, "base"),
        ("hand", {"dealer": "X"}, 422, "dealer"),
        ("hand", {"names": {"E": "x" * 41}}, 422, "names"),
        ("hand", {"names": {"E": "a\u0000b"}}, 422, "control"),
        ("hand", {"names": ["E"]}, 422, "names"),
        ("pause", {"paused": "yes"}, 422, "paused"),
        ("calibration", {"corners": [[0, 0]], "near_seat": "E"}, 422, "corners"),
        ("calibration", {"corners": [[0, 0], [0, 0], [0, 0], [0, 0]], "near_seat": "E"}, 409, "fixed"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    game: Game, path: str, body: object, status: int, expected: str
) -> None:
    seq, log, setup = game.hub.seq, list(game.log), game.state()["next"]
    answer = game.post(f"api/{path}", body)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert not answer.json()["ok"] and expected in error["en"] and expected in error["zh"]
    assert "\n" not in error["en"] and len(error["en"]) < 400
    assert (game.hub.seq, game.log, game.state()["next"]) == (seq, log, setup)


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{}", "text/plain", 415),
        (b"{}", None, 415),
        (b"paused=true", "application/x-www-form-urlencoded", 415),
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'{"paused": NaN}', "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"[" * 50000, "application/json", 400),
        (b'{"paused": ' + b"1" * 9000 + b"}", "application/json", 400),
        (b'{"paused": "\\ud800"}', "application/json", 422),
        (b'{"\\ud800": 1}', "application/json", 422),
        (b" " * (MOST_BODY + 1), "application/json", 413),
    ],
)
def test_bodies_that_are_none(game: Game, content: bytes, kind: str | None, status: int) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    answer = httpx.post(game.url + "api/pause", content=content, headers=headers)
    assert answer.status_code == status and not answer.json()["ok"]

    def pieces() -> Iterator[bytes]:
        for start in range(0, len(content), 1000):
            yield content[start : start + 1000]

    # The same without saying how long it is.
    answer = httpx.post(game.url + "api/pause", content=pieces(), headers=headers)
    assert answer.status_code == status


def test_nothing_is_changed_where_there_is_no_game() -> None:
    hub = Hub()
    server = PageServer(build_app(hub), 0, on_stop=hub.close)
    server.start()
    try:
        assert httpx.post(server.url + "api/pause", json={"paused": True}).status_code == 409
        assert httpx.get(server.url + "api/log").status_code == 409
        assert httpx.get(server.url + "api/pause").status_code == 405
    finally:
        server.stop()


def test_a_game_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pzvision.live.api.ANSWER_S", 0.1)
    hub, desk = Hub(), Desk()
    server = PageServer(build_app(hub, desk=desk), 0, on_stop=hub.close)
    server.start()
    try:
        assert httpx.post(server.url + "api/pause", json={"paused": True}).status_code == 503
        done: list[object] = []
        assert desk.attend(lambda order: done.append(order) or {}) == 0 and not done, "nobody waits any more"
        desk.close()
        assert httpx.post(server.url + "api/pause", json={"paused": True}).status_code == 503
    finally:
        server.stop()


def test_a_desk_takes_only_so_many_and_answers_each() -> None:
    desk = Desk()
    futures = [desk.ask(PauseOrder(bool(i % 2))) for i in range(MOST_WAITING)]
    with pytest.raises(Busy):
        desk.ask(PauseOrder(True))
    assert desk.attend(lambda order: {"paused": order.paused}) == MOST_WAITING  # type: ignore[union-attr]
    assert [f.result()["paused"] for f in futures] == [bool(i % 2) for i in range(MOST_WAITING)]
    late = desk.ask(PauseOrder(True))
    desk.close()
    with pytest.raises(Busy):
        late.result()


def test_the_document_describes_every_address(game: Game) -> None:
    api = httpx.get(game.url + "openapi.json").json()
    assert api == json.loads(json.dumps(document())) and api["openapi"].startswith("3.1")
    for path in api["paths"]:
        answer = httpx.get(game.url + path[1:], timeout=5) if path != "/events" else None
        assert answer is None or answer.status_code in (200, 204, 405), path
    page = httpx.get(game.url + "docs")
    assert page.text == docs_page() and "<script" not in page.text and "http://" not in page.text
    for path in api["paths"]:
        assert path in page.text


def test_hand_orders_now_end_the_hand(game: Game) -> None:
    starts = [e for e in EVENTS if isinstance(e, HandStart)]
    ends = [e for e in EVENTS if isinstance(e, HandEnd)]
    assert len(starts) == len(ends) == 2
    assert game.post("api/hand", {"when": "now", "dealer": "N"}).status_code == 200
    assert game.state()["next"]["dealer"] is None, "a dealer named for now is not the next one's as well"
