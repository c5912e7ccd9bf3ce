"""The calibration page in a real headless Chromium: corners dragged by mouse, finger and keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from pzvision.live.calibrate_page import CalibratePage
from pzvision.live.calibrating import Ask
from pzvision.live.server import PageServer
from pzvision.synth.cards import flat_table
from pzvision.vision.capture import Image

pytestmark = pytest.mark.browser
SIZE = (1280, 720)


def felt(*, cards: bool) -> tuple[Image, np.ndarray]:
    """A bare table, and the felt's corners in px."""
    return flat_table("front", SIZE, None if cards else ())


@dataclass
class Served:
    """A calibration page, its address and what its camera shows (the last)."""

    page: CalibratePage
    url: str
    pictures: list[Image]
    corners: np.ndarray


@pytest.fixture
def served() -> Iterator[Served]:
    image, corners = felt(cards=False)
    pictures = [image]
    made = CalibratePage(lambda: pictures[-1], Ask(near="S"), live=True)
    server = PageServer(made.app, 0)
    server.start()
    yield Served(made, server.url, pictures, corners)
    server.stop()


def opened(page: Any, served: Served) -> None:
    page.goto(served.url)
    page.wait_for_function("() => document.querySelector('#picture').naturalWidth === 1280")
    page.wait_for_function("() => document.querySelectorAll('#net line').length === 32 + 25")
    page.wait_for_function("() => document.querySelectorAll('#words li').length > 0")


def on_screen(page: Any, corner: np.ndarray) -> tuple[float, float]:
    """Where a corner (px of the picture) lies in the window."""
    box = page.locator("#picture").bounding_box()
    return box["x"] + corner[0] / SIZE[0] * box["width"], box["y"] + corner[1] / SIZE[1] * box["height"]


def middle(page: Any, number: int) -> tuple[float, float]:
    box = page.locator(f".corner[data-n='{number}']").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Any, number: int, to: tuple[float, float]) -> None:
    page.mouse.move(*middle(page, number))
    page.mouse.down()
    page.mouse.move(*to, steps=4)
    assert page.locator("#loupe").is_visible(), "what lies under the pointer is shown enlarged"
    page.mouse.up()
    assert not page.locator("#loupe").is_visible()


def test_corners_are_dragged_onto_the_felt_and_saved(served: Served, page: Any, watcher: Any) -> None:
    opened(page, served)
    assert page.locator(".corner").all_inner_texts() == ["1", "2", "3", "4"]
    assert "1 近左 → 2 近右 → 3 远右 → 4 远左" in page.inner_text(".hint")
    for number, corner in enumerate(served.corners):
        drag(page, number, on_screen(page, corner))
    page.wait_for_function("() => document.querySelector('#words').textContent.includes('重投影误差')")
    page.wait_for_timeout(400)
    words = page.inner_text("#words")
    assert "Reprojection error" in words and "px" in words
    page.select_option("#near", "W")
    page.wait_for_timeout(400)
    page.click("#save")
    page.wait_for_function("() => document.querySelector('#save').textContent.includes('已保存')")
    saved = served.page.calibration
    assert saved is not None and saved.near_seat == "W"
    assert np.abs(np.array(saved.corners) * SIZE - served.corners).max() < 3
    # On the way a corner may lie where no camera sees it; the server says so.
    assert {line for line in watcher.console if "422" not in line} == set()


def test_the_picture_goes_on_while_corners_are_set(served: Served, page: Any) -> None:
    opened(page, served)
    colour = """() => {
      const pen = document.createElement('canvas').getContext('2d');
      pen.drawImage(document.querySelector('#picture'), 0, 0, 1, 1, 0, 0, 1, 1);
      return pen.getImageData(0, 0, 1, 1).data[0];
    }"""
    before = page.evaluate(colour)
    served.pictures.append(np.full((SIZE[1], SIZE[0], 3), 200, np.uint8))
    page.wait_for_function(f"() => ({colour})() > {before} + 60", timeout=5000)


def test_a_bad_fit_is_refused_with_the_reason(served: Served, page: Any) -> None:
    opened(page, served)
    # The near-left corner among the far ones: no camera sees a table so.
    drag(page, 0, on_screen(page, np.array([1000.0, 60.0])))
    page.wait_for_selector("#words .bad")
    assert "近左角凹进去了" in page.inner_text("#words") and "near-left is a dent" in page.inner_text(
        "#words"
    )
    page.wait_for_function("() => document.querySelector('#save').disabled")
    # Two changed over.
    page.reload()
    opened(page, served)
    first, second = middle(page, 0), middle(page, 1)
    drag(page, 0, (second[0], second[1] - 60))
    drag(page, 1, first)
    page.wait_for_function("() => document.querySelector('#words').textContent.includes('the edges cross')")
    page.wait_for_function("() => document.querySelector('#save').disabled")
    assert served.page.calibration is None


def test_keys_move_a_corner_by_a_pixel(served: Served, page: Any) -> None:
    opened(page, served)
    page.focus(".corner[data-n='1']")
    x, y = middle(page, 1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    moved = middle(page, 1)
    assert moved == pytest.approx((x + 1, y - 10), abs=0.6)


def test_the_corner_cards_set_all_four(served: Served, page: Any) -> None:
    opened(page, served)
    page.click("#auto")
    page.wait_for_selector("#words .bad")
    assert "card 1" in page.inner_text("#words")
    served.pictures.append(felt(cards=True)[0])
    page.click("#auto")
    page.wait_for_function(
        "() => document.querySelector('#words').textContent.includes('px root mean square')"
    )
    for number, corner in enumerate(served.corners):
        assert middle(page, number) == pytest.approx(on_screen(page, corner), abs=2)


def test_a_finger_on_a_phone(served: Served, chromium: Any) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    opened(page, served)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    touch = context.new_cdp_session(page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        where = [{"x": x, "y": y} for x, y in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    for number, corner in enumerate(served.corners):
        (x, y), (to_x, to_y) = middle(page, number), on_screen(page, corner)
        send("touchStart", (x, y))
        for k in range(1, 6):
            send("touchMove", (x + (to_x - x) * k / 5, y + (to_y - y) * k / 5))
        send("touchEnd")
    page.wait_for_timeout(500)
    page.locator("#save").tap()
    page.wait_for_function("() => document.querySelector('#save').textContent.includes('已保存')")
    assert served.page.calibration is not None
    # A pixel of this picture is a third of one on the phone.
    assert np.abs(np.array(served.page.calibration.corners) * SIZE - served.corners).max() < 8
    context.close()
