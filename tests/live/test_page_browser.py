"""The table page in a real headless Chromium (``pytest -m browser``)."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from typing import Any

import httpx
import pytest

from pzvision.errors import PzvisionError
from pzvision.game.simulate import simulate
from pzvision.live.announcement import Announcement
from pzvision.live.hub import Hub
from pzvision.live.server import PageServer, build_app
from pzvision.live.session import Session
from pzvision.live.view import view_of
from pzvision.vision.detector import find_model

pytestmark = pytest.mark.browser
SIDES = dict(zip("SWNE", ("near", "right", "far", "left"), strict=True))


def shown_totals(page: Any) -> dict[str, str]:
    return {seat: page.inner_text(f"#seat-{side} .total") for seat, side in SIDES.items()}


def as_shown(totals: Any) -> dict[str, str]:
    return {seat: f"{totals[seat]:+d}" if totals[seat] else "0" for seat in SIDES}


def test_page_follows_a_game_to_its_end(played: Any, page: Any, watcher: Any) -> None:
    page.goto(played.url)
    page.wait_for_selector("#news .empty")
    for _ in range(40):
        played.play(5)
    assert not played.rest
    last = played.session.announcement_records()[-1]
    page.wait_for_function(
        "text => document.querySelector('#news').textContent.includes(text)", arg=last["zh"]
    )
    page.wait_for_function("() => document.querySelector('#frame').naturalWidth === 640")
    assert shown_totals(page) == as_shown(played.session.totals)
    assert page.locator(".felt svg.tile").count() > 40
    assert "小王" in page.inner_text("body")
    # A name is text, never markup.
    assert page.locator("#bad").count() == 0
    assert "<b id=bad>" in page.inner_text(".felt")
    # English at the press of a button; the choice is remembered.
    page.click("#lang")
    assert last["en"] in page.inner_text("#news")
    assert page.title() == "Panzhihua mahjong table"
    page.reload()
    page.wait_for_function(
        "text => document.querySelector('#news').textContent.includes(text)", arg=last["en"]
    )
    assert watcher.requests and all(r.startswith((played.url, "blob:")) for r in watcher.requests)
    assert watcher.console == []


NAMES = {"zhi_gang": "点杠", "an_gang": "暗杠", "ba_gang": "巴杠"}


def test_each_seat_shows_what_lies_there_what_it_waits_for_and_its_kongs(played: Any, page: Any) -> None:
    played.rest[:] = simulate("pzh-popular", seed=5)  # a hand with all of it
    page.goto(played.url)
    seen = set()
    while len(played.rest) > 1 and len(seen) < 4:
        played.play(1)
        state = played.hub.state
        sides = {seat: f"#seat-{side}" for seat, side in SIDES.items()}
        new = {
            *("waits" for seat in sides if any(w["left"] is not None for w in state["seats"][seat]["waits"])),
            *("kongs" for seat in sides if state["seats"][seat]["kongs"]),
            *("melds" for seat in sides if state["seats"][seat]["melds"]),
            *("declaration" for seat in sides if state["seats"][seat]["declaration"] != "none"),
        } - seen
        if not new:
            continue
        seen |= new
        turn = state["seats"][state["turn"]]["name"]["zh"] if state["turn"] else ""
        page.wait_for_function(
            "([wall, turn]) => { const text = document.querySelector('#centre').textContent;"
            " return text.includes(wall) && text.includes(turn); }",
            arg=[f"{state['wall_left']}剩余牌", turn],
        )
        for seat, at in sides.items():
            player, text = state["seats"][seat], page.inner_text(at)
            tiles = page.locator(f"{at} .river use").evaluate_all("n => n.map(u => u.getAttribute('href'))")
            assert tiles == [f"#t{tile}" for tile in player["river"]]
            assert page.locator(f"{at} .meld").count() == len(player["melds"])
            waits = page.locator(f"{at} .wait:not(.kong)").all_inner_texts()
            assert len(waits) == len(player["waits"])
            for shown, wait in zip(waits, player["waits"], strict=True):
                assert wait["left"] is None or f"剩{wait['left']}" in shown
                assert not wait["fan"] or f"{wait['fan']}番" in shown
            kongs = [k.strip() for k in page.locator(f"{at} .wait.kong").all_inner_texts()]
            assert kongs == [f"{NAMES[k['kind']]} +{k['price']}" for k in player["kongs"]]
            if player["declaration"] != "none":
                assert {"sing": "唱歌", "dance": "跳舞", "bai": "摆牌"}[player["declaration"]] in text
    assert seen == {"waits", "kongs", "melds", "declaration"}


def test_an_announcement_stands_there_before_the_next_state(played: Any, page: Any) -> None:
    page.goto(played.url)
    page.wait_for_selector("#link.ok")
    played.play(10)
    page.wait_for_function("() => document.querySelectorAll('#news li:not(.empty)').length > 0")
    before = page.locator("#news li").count()
    page.route("**/state", lambda route: None)  # never answered
    seq = played.hub.publish({"type": "announce", "kind": "ready", "zh": "东家听牌", "en": "East", "t": 3.0})
    page.wait_for_selector(f"#news li[data-seq='{seq}']", timeout=5000)
    assert "东家听牌" in page.inner_text("#news li >> nth=0")
    assert page.locator("#news li").count() == before + 1
    page.unroute("**/state")
    # It stays once a state has it, and goes where none ever does.
    played.session.spoken(
        Announcement("ready", "南家听牌", "South", t=4.0),
        played.hub.publish({"type": "announce", "kind": "ready", "zh": "南家听牌", "en": "South", "t": 4.0}),
    )
    played.tell()
    page.wait_for_function("() => document.querySelector('#news').textContent.includes('南家听牌')")
    page.wait_for_function("() => !document.querySelector('#news').textContent.includes('东家听牌')")
    assert page.locator("#news li").count() == before + 1


def test_two_pages_and_one_that_never_reads(played: Any, context: Any) -> None:
    pages = [context.new_page() for _ in range(2)]
    for page in pages:
        page.goto(played.url)
        page.wait_for_selector("#news .empty")
    with httpx.stream("GET", played.url + "events", timeout=10):  # opened, and never read
        for _ in range(3000):
            played.hub.publish({"type": "draw", "seat": "E", "tile": None, "pad": "x" * 200})
        played.play(len(played.rest))
        totals = as_shown(played.session.totals)
        assert any(total != "0" for total in totals.values())
        for page in pages:
            page.wait_for_function("() => document.querySelector('#centre').textContent.includes('本局结束')")
            assert shown_totals(page) == totals


def test_page_says_when_the_program_has_gone_and_finds_it_again(page: Any) -> None:
    def serve(port: int) -> PageServer:
        hub = Hub()
        hub.set_state(view_of(Session(), near_seat="E", source=None))
        server = PageServer(build_app(hub), port, move=False, on_stop=hub.close)
        server.start()
        return server

    first = serve(0)
    page.goto(first.url)
    page.wait_for_selector("#link.ok")
    first.stop()
    page.wait_for_selector("#link.bad", timeout=5000)
    second = serve(first.port)
    try:
        page.wait_for_selector("#link.ok", timeout=10_000)
    finally:
        second.stop()


@pytest.mark.parametrize("width", [360, 414, 768])
def test_page_fits_small_screens(live_table: Any, page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(live_table.server.url + "?lang=en")
    page.wait_for_function("() => document.querySelectorAll('.felt svg.tile').length > 40")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Whatever is pressed can be hit with a finger.
    heights = "[...document.querySelectorAll('button')].map(b => b.offsetHeight).filter(Boolean)"
    low = f"Math.min(...{heights})"
    assert page.evaluate(low) >= 34
    # So do the windows.
    for key in ("?", "i", "d", "n"):
        page.keyboard.press(key)
        box = page.locator("#dialog").bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width
        assert page.evaluate("document.querySelector('#dialog').scrollWidth") <= box["width"]
        assert page.evaluate(low.replace("'button'", "'#dialog button'")) >= 34
        page.keyboard.press("Escape")


def test_every_camera_shows_how_it_is(played: Any, page: Any) -> None:
    played.play(30)
    cameras = {
        "table": {"state": "ok", "fps": 24.9, "dropped": 12},
        "hand.S": {"state": "lost", "fps": 0, "reason": "<i>no frame</i>"},
    }
    played.hub.set_health({"ok": False, "cameras": cameras, "fps": 12.0})
    page.goto(played.url)
    page.wait_for_function("() => document.querySelectorAll('#cameras li').length === 2")
    text = page.inner_text("#cameras")
    for part in ("table", "正常 · 24.9 fps · 丢 12 帧", "hand.S", "摄像头断开 · <i>no frame</i>"):
        assert part in text
    assert page.locator("#cameras .dot.bad").count() == 1
    assert page.inner_text("#link") == "摄像头断开"
    # A camera's name shows its picture.
    with page.expect_request(lambda request: "frame.jpg" in request.url and "camera=hand.S" in request.url):
        page.get_by_role("button", name="hand.S").click()


SPEECH = """
window.spoken = [];
window.finish = null;
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
Object.defineProperty(window, "speechSynthesis", { value: {
  getVoices: () => [{ lang: "zh-CN", name: "x" }], cancel() {},
  speak(words) {
    spoken.push([words.lang, words.text, words.voice?.lang]);
    window.finish = () => words.onend();
  },
} });
"""


def test_announcements_are_spoken_newest_first(played: Any, page: Any) -> None:
    page.add_init_script(SPEECH)
    page.goto(played.url)
    page.wait_for_selector("#link.ok")
    played.play(10)  # before anybody wanted to hear anything
    page.wait_for_function("() => document.querySelectorAll('#news li:not(.empty)').length > 0")
    page.keyboard.press("v")
    assert page.get_attribute("#voice", "aria-pressed") == "true"

    def say(text: str, kind: str = "ready") -> None:
        played.hub.publish({"type": "announce", "kind": kind, "zh": text, "en": "x"})

    for text in ("一", "二", "三", "四"):
        say(text)
    say("不说", "settlement")  # silent unless switched on
    page.wait_for_function("() => spoken.length === 1")
    page.wait_for_timeout(300)
    for _ in range(2):
        page.evaluate("finish()")
    page.wait_for_function("() => spoken.length === 3")
    page.evaluate("finish()")
    assert page.evaluate("spoken") == [["zh-CN", text, "zh-CN"] for text in ("一", "三", "四")]
    # A kind can be switched off and on.
    page.click("#voice")
    page.get_by_label("听牌").uncheck()
    page.get_by_label("结算").check()
    page.keyboard.press("Escape")
    say("听不到")
    say("结算了", "settlement")
    page.wait_for_function("() => spoken.length === 4")
    assert page.evaluate("spoken.at(-1)[1]") == "结算了"


def test_page_follows_the_rendered_demo_to_its_end(page: Any, watcher: Any) -> None:
    try:
        find_model("finder.onnx")
        find_model("reader.onnx")
    except PzvisionError as error:
        pytest.skip(str(error))
    command = [sys.executable, "-m", "pzvision", "demo", "--speed", "0", "--keep", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stderr is not None
    try:
        url = next(line for line in process.stdout if "http" in line)
        url = url[url.index("http") :].strip()
        threading.Thread(target=process.stdout.read, daemon=True).start()  # a full pipe would stop it
        threading.Thread(target=process.stderr.read, daemon=True).start()
        page.goto(url)
        page.wait_for_selector("#link.over", timeout=900_000)
        state = httpx.get(url + "state").json()
        assert state["ledger"] and shown_totals(page) == as_shown(state["session_totals"])
        assert page.locator("#ledger tr").count() == len(state["ledger"])
        assert page.evaluate("document.querySelector('#frame').naturalWidth") > 600
        assert page.locator("#news li").count() == len(state["announcements"])
        assert watcher.console == []
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
