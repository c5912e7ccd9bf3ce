"""The overlay for streams in a real Chromium: transparent, sized by its address, never old data as live."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from pzvision.live.hub import Hub
from pzvision.live.security import Access
from pzvision.live.server import PageServer, build_app

pytestmark = pytest.mark.browser


def alpha(page: Any, path: Path) -> np.ndarray:
    """The picture's opacity, ``(H, W)`` uint8, as a streaming program gets it."""
    page.screenshot(path=str(path), omit_background=True)
    image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    assert image is not None and image.shape[2] == 4
    return image[..., 3]


def opened(page: Any, url: str, query: str = "", size: tuple[int, int] = (1280, 720)) -> Any:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{url}overlay?width={size[0]}&height={size[1]}&{query}")
    return page


@pytest.mark.parametrize("theme", ["felt", "paper", "plain"])
def test_overlay_is_transparent_and_shows_the_seats(
    played: Any, page: Any, watcher: Any, tmp_path: Path, theme: str
) -> None:
    played.hub.set_state({})
    opened(page, played.url, f"theme={theme}")
    page.wait_for_timeout(300)
    assert alpha(page, tmp_path / "empty.png").max() == 0, "nothing to show: nothing at all"
    played.play(60)
    page.wait_for_selector(".card")
    seats = page.locator(".card").evaluate_all("cards => cards.map(c => c.dataset.seat)")
    assert seats == ["S", "W", "N", "E"]
    assert "小王" in page.inner_text(".cards") and "<b id=bad>" in page.inner_text(".cards")
    page.wait_for_timeout(500)
    seen = alpha(page, tmp_path / "seats.png")
    assert seen.shape == (720, 1280)
    assert (seen == 0).mean() > 0.6 and (seen > 200).mean() > 0.005
    assert seen[250:380].max() == 0, "the table's middle stays free"
    assert watcher.console == [] and all(r.startswith(played.url) for r in watcher.requests)


def test_query_sets_size_seats_language_and_parts(played: Any, page: Any) -> None:
    played.play(60)
    opened(page, played.url, "lang=en&seats=NS&show=seats,money&scale=1.5", (1000, 700))
    page.wait_for_selector(".card")
    assert page.locator(".card").evaluate_all("cards => cards.map(c => c.dataset.seat)") == ["N", "S"]
    box = page.locator("#stage").bounding_box()
    assert (box["width"], box["height"]) == (1000, 700)
    assert page.locator(".wind").all_inner_texts() == ["N", "S"]
    assert page.locator(".wait, .meld, .info:not(:empty)").count() == 0
    large = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    opened(page, played.url, "theme=nonsense&seats=&width=abc&scale=-7", (1000, 700))
    page.wait_for_selector(".card")
    assert page.locator(".card").count() == 4
    assert page.evaluate("document.body.dataset.theme") == "felt"
    assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") < large


def test_hidden_hands_stay_hidden_unless_asked_for(played: Any, page: Any) -> None:
    played.play(8)  # all hands known to the program, nobody has shown anything
    assert all(seat.hand for seat in played.session.state.seats)
    opened(page, played.url)
    page.wait_for_selector(".card")
    assert page.locator(".card .tiles .tile").count() == 0
    opened(page, played.url, "show=seats,melds,hands")
    page.wait_for_selector(".card .tiles .tile")
    assert page.locator(".card .tiles .tile").count() >= 52


def test_payments_fly_and_the_settlement_is_shown(played: Any, page: Any) -> None:
    opened(page, played.url)
    played.play(len(played.rest) - 30)
    page.wait_for_selector(".card")
    page.wait_for_timeout(1000)
    assert page.locator(".settled").is_hidden()
    before = len(played.session.state.ledger)
    while len(played.session.state.ledger) == before:
        played.play(1)
    page.wait_for_selector(".floater", state="attached")
    page.wait_for_selector(".coin", state="attached")
    played.play(len(played.rest))
    page.wait_for_selector(".settled:not([hidden])")
    totals = played.session.state.totals
    rows = page.locator(".settled tr").all_inner_texts()
    amounts = sorted((int(row.split("\t")[1]) for row in rows), reverse=True)
    assert amounts == sorted(totals, reverse=True) and sum(amounts) == 0
    # A page that comes later does not show it as if it were happening.
    page.reload()
    page.wait_for_selector(".card")
    page.wait_for_timeout(1200)
    assert page.locator(".settled").is_hidden() and page.locator(".coin").count() == 0


def test_the_last_announcement_goes_by(played: Any, page: Any) -> None:
    opened(page, played.url)
    played.play(3)
    last = played.session.announcement_records()[-1]
    page.wait_for_selector(".news:not([hidden])")
    assert page.inner_text(".news") == last["zh"]
    until = time.monotonic() + 15
    while page.locator(".news").is_visible():
        played.tell()
        page.wait_for_timeout(200)
        assert time.monotonic() < until


def keep_telling(page: Any, played: Any, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        played.tell()
        page.wait_for_timeout(150)


def stale_after(page: Any) -> float:
    begun = time.monotonic()
    page.wait_for_selector("body.stale .mark:not([hidden])", timeout=10_000)
    return time.monotonic() - begun


def test_old_data_is_marked_within_three_seconds(played: Any, page: Any) -> None:
    opened(page, played.url)
    played.play(40)
    page.wait_for_selector(".card")
    keep_telling(page, played, 4.0)
    assert page.locator(".mark").is_hidden(), "a game that goes on is not stale"
    # The game stands still although the server answers.
    assert stale_after(page) < 3.3
    assert page.inner_text(".mark") == "信号中断"
    keep_telling(page, played, 1.5)
    assert page.locator(".mark").is_hidden()
    # The camera is lost.
    played.hub.set_health({"ok": False, "cameras": {"table": {"state": "lost"}}})
    keep_telling(page, played, 1.5)
    assert page.inner_text(".mark") == "画面中断"
    played.hub.set_health({"ok": True, "cameras": {"table": {"state": "ok"}}})
    keep_telling(page, played, 1.5)
    assert page.locator(".mark").is_hidden()
    # The program is gone.
    played.server.stop()
    assert stale_after(page) < 3.3


def test_overlay_comes_back_with_the_server(played: Any, page: Any) -> None:
    opened(page, played.url)
    played.play(40)
    page.wait_for_selector(".card")
    played.server.stop()
    page.wait_for_selector("body.stale")
    again = Hub()
    server = PageServer(build_app(again), played.server.port, move=False, on_stop=again.close)
    server.start()
    try:
        for _ in range(40):
            again.set_state({k: v for k, v in played.hub.state.items() if k != "seq"})
            page.wait_for_timeout(200)
            if page.locator("body.stale").count() == 0:
                break
        assert page.locator(".mark").is_hidden() and page.locator(".card").count() == 4
    finally:
        server.stop()


def test_a_saved_loader_waits_for_the_server(played: Any, page: Any, watcher: Any, tmp_path: Path) -> None:
    played.play(40)
    file = tmp_path / "loader.html"
    query = "theme=paper&width=800&height=600&evil=%22%3E%3Cscript%3E"
    answer = httpx.get(f"{played.url}overlay/loader.html?{query}")
    assert "evil" not in answer.text and "unsafe" not in answer.headers["content-security-policy"]
    file.write_text(answer.text, encoding="utf-8")
    played.server.stop()
    page.goto(file.as_uri())
    page.wait_for_timeout(1500)
    assert page.url == file.as_uri() and alpha(page, tmp_path / "waiting.png").max() == 0
    hub = Hub()
    hub.set_state({k: v for k, v in played.hub.state.items() if k != "seq"})
    server = PageServer(build_app(hub), played.server.port, move=False, on_stop=hub.close)
    server.start()
    try:
        page.wait_for_url("**/overlay?*", timeout=10_000)
        page.wait_for_selector(".card")
        assert page.evaluate("document.body.dataset.theme") == "paper"
        assert page.locator("#stage").bounding_box()["width"] == 800
        assert all("Failed to load" in line for line in watcher.console)
    finally:
        server.stop()


def test_a_saved_loader_knows_the_token(played: Any, context: Any, chromium: Any, tmp_path: Path) -> None:
    hub = Hub()
    played.play(40)
    hub.set_state({k: v for k, v in played.hub.state.items() if k != "seq"})
    server = PageServer(build_app(hub, access=Access("127.0.0.1", "sesame")), 0, on_stop=hub.close)
    server.start()
    try:
        page = context.new_page()
        assert page.goto(server.url + "overlay").status == 401
        page.goto(server.url + "?token=sesame")
        page.wait_for_selector(".felt svg.tile")
        page.keyboard.press("o")
        with page.expect_download() as download:
            page.click("#dialog a[download]")
        file = tmp_path / "loader.html"
        download.value.save_as(file)
        fresh = chromium.new_context()
        other = fresh.new_page()
        other.goto(file.as_uri())
        other.wait_for_selector(".card")
        assert "token" not in other.url
        fresh.close()
    finally:
        server.stop()


def test_the_address_is_put_together_on_the_page(played: Any, page: Any) -> None:
    played.play(40)
    page.goto(played.url)
    page.wait_for_selector(".felt svg.tile")
    page.click("#overlay")
    dialog = page.locator("#dialog")
    dialog.get_by_role("button", name="宣纸").click()
    dialog.get_by_label("宽").fill("1280")
    dialog.get_by_label("阿明").uncheck()
    dialog.get_by_label("播报").uncheck()
    address = dialog.get_by_label("地址").input_value()
    assert address.startswith(played.url + "overlay?width=1280&height=1080&theme=paper&lang=zh")
    assert "seats=ESW" in address and "show=info%2Cseats%2Cmelds%2Cwaits%2Cmoney%2Csettle" in address
    page.goto(address)
    page.wait_for_selector(".card")
    assert page.locator(".card").count() == 3
