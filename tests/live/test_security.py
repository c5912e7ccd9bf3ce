"""Who may ask: names of hosts, origins, the token beyond this machine, headers, names of players."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from pzvision.errors import PzvisionError
from pzvision.live.cameras import parse_cameras
from pzvision.live.desk import Desk
from pzvision.live.hub import Hub
from pzvision.live.security import COOKIE, Access, new_token
from pzvision.live.server import PageServer, build_app
from pzvision.live.serving import PageOptions, show_token

TOKEN = new_token()


@pytest.fixture
def open_server() -> Iterator[str]:
    """Served to the network: reached here by loopback, with the token asked for."""
    hub = Hub()
    app = build_app(hub, desk=Desk(), access=Access("0.0.0.0", TOKEN))
    server = PageServer(app, 0, host="0.0.0.0", on_stop=hub.close)
    server.start()
    yield f"http://127.0.0.1:{server.port}/"
    server.stop()


def test_beyond_this_machine_everything_that_shows_the_game_needs_the_token(open_server: str) -> None:
    closed = (
        "",
        "state",
        "frame.jpg",
        "events",
        "overlay",
        "overlay/state",
        "overlay/events",
        "api/log",
        "docs",
    )
    for path in closed:
        assert httpx.get(open_server + path).status_code == 401, path
        assert httpx.get(open_server + path, headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert httpx.get(open_server + path, cookies={COOKIE: TOKEN[:-1]}).status_code == 401
    for path in ("api/pause", "api/hand", "api/corrections", "api/declare", "api/calibration"):
        assert httpx.post(open_server + path, json={}).status_code == 401
    for path in ("health", "static/style.css", "tiles/5m.svg"):
        assert httpx.get(open_server + path).status_code == 200
    shown = {"Authorization": f"Bearer {TOKEN}"}
    assert httpx.get(open_server + "state", headers=shown).status_code == 200
    assert httpx.post(open_server + "api/hand", json={"base": 0}, headers=shown).status_code == 422


def test_the_address_from_the_qr_code_opens_the_page_and_hides_the_token(open_server: str) -> None:
    with httpx.Client() as phone:
        answer = phone.get(open_server + f"overlay?theme=dark&token={TOKEN}&lang=en")
        assert answer.status_code == 303 and answer.headers["location"] == "/overlay?theme=dark&lang=en"
        cookie = answer.headers["set-cookie"].lower()
        assert (
            "httponly" in cookie
            and "samesite=lax" in cookie
            and "no-store" in answer.headers["cache-control"]
        )
        assert phone.get(open_server + "state").status_code == 200
    assert httpx.get(open_server + "?token=" + TOKEN[:-1] + "x").status_code == 401
    # A path that a browser would take for another host.
    answer = httpx.get(open_server + f"/evil.example/?token={TOKEN}")
    assert answer.headers["location"].startswith("/evil") and not answer.headers["location"].startswith("//")


@pytest.mark.parametrize(
    ("host", "status"),
    [("192.168.1.7:8642", 200), ("10.0.0.1", 200), ("evil.example", 421), ("", 421), ("laptop.local", 421)],
)
def test_only_numeric_addresses_beyond_this_machine(open_server: str, host: str, status: int) -> None:
    headers = {"Host": host, "Authorization": f"Bearer {TOKEN}"}
    assert httpx.get(open_server + "state", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 422),
        ({"Origin": "SELF"}, 422),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://127.0.0.1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 422),
    ],
)
def test_another_page_changes_nothing(headers: dict[str, str], status: int) -> None:
    hub = Hub()
    server = PageServer(build_app(hub, desk=Desk()), 0, on_stop=hub.close)
    server.start()
    try:
        sent = {k: server.url.rstrip("/") if v == "SELF" else v for k, v in headers.items()}
        assert httpx.post(server.url + "api/hand", json={"base": 0}, headers=sent).status_code == status
    finally:
        server.stop()


def test_every_answer_has_the_strict_headers(open_server: str) -> None:
    for path in ("", "health", "state", "nowhere", "static/../x", "docs.css"):
        answer = httpx.get(open_server + path, headers={"Authorization": f"Bearer {TOKEN}"})
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_beyond_this_machine_never_without_a_token() -> None:
    with pytest.raises(ValueError, match="token"):
        Access("0.0.0.0")
    assert Access("::1").token is None and Access("localhost").token is None
    assert len({new_token() for _ in range(50)}) == 50 and len(new_token()) >= 22


def test_the_token_is_shown_once_and_not_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    show_token(f"http://10.0.0.1:8642/?token={TOKEN}", "en")
    out, err = capsys.readouterr()
    assert out == "" and err.count(TOKEN) == 1


def test_the_qr_code_says_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    import cv2
    import numpy as np
    import segno

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    url = f"http://10.0.0.1:8642/?token={TOKEN}"
    show_token(url, "zh")
    assert "▀" in terminal.getvalue() or "█" in terminal.getvalue()
    matrix = np.array(list(segno.make(url, error="m").matrix_iter(scale=6, border=4)), np.uint8)
    text, _, _ = cv2.QRCodeDetector().detectAndDecode(np.where(matrix, 0, 255).astype(np.uint8))
    assert text == url


@pytest.mark.parametrize("host", ["198.51.100.7", "not an address", "nowhere.invalid"])
def test_an_address_of_another_machine_is_refused(host: str) -> None:
    with pytest.raises(PzvisionError, match="--host"):
        PageServer(build_app(Hub(), access=Access(host, TOKEN)), 0, host=host)


@pytest.mark.parametrize(
    ("more", "expected"), [({"port": 70000}, "--port"), ({"overlay_delay_s": -1.0}, "--overlay-delay")]
)
def test_page_options_are_checked(more: dict[str, Any], expected: str) -> None:
    with pytest.raises(PzvisionError, match=expected):
        PageOptions(**more)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["0"], [("table", "0")]),
        (["hand.S=1", "table=0"], [("table", "0"), ("hand.S", "1")]),
        (["http://10.0.0.2/video?a=b"], [("table", "http://10.0.0.2/video?a=b")]),
        (["hand.N=rtsp://x/?a=b", "牌桌=1.mp4"], [("table", "牌桌=1.mp4"), ("hand.N", "rtsp://x/?a=b")]),
    ],
)
def test_cameras_are_named(words: list[str], expected: list[tuple[str, str]]) -> None:
    assert [(camera.name, camera.source) for camera in parse_cameras(words)] == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["hand.S=1"], "no camera sees the table"),
        (["0", "1"], "table is '0' already"),
        (["0", "hand.Q=1"], "hand.Q=1"),
        (["table="], "expected a webcam"),
        ([""], "expected a webcam"),
    ],
)
def test_cameras_that_cannot_be(words: list[str], expected: str) -> None:
    with pytest.raises(PzvisionError, match=expected):
        parse_cameras(words)
