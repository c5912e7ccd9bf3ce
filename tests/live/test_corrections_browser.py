"""Corrections on the table page, by mouse, touch and keyboard, in a real Chromium."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pzvision.game import Declare, Discard, Gang, HandStart, Win, format_event
from pzvision.live.orders import HandOrder, PauseOrder
from pzvision.table.corrections import Correction
from pzvision.tiles import parse_tile

pytestmark = pytest.mark.browser


@pytest.fixture
def opened(live_table: Any, page: Any) -> Any:
    """The page with the table on it."""
    page.goto(live_table.server.url)
    page.wait_for_function("() => document.querySelectorAll('.felt .river .pick').length > 10")
    return page


def until_order(page: Any, table: Any, count: int = 1) -> Any:
    """Wait until the program was asked, and the window is gone."""
    for _ in range(200):
        if len(table.orders) >= count:
            break
        page.wait_for_timeout(25)
    assert len(table.orders) == count, page.inner_text("#toast")
    page.wait_for_function("() => !document.querySelector('#dialog').open")
    return table.orders[-1]


def newest_discard(table: Any) -> tuple[int, Any]:
    """Number and record of the last discard that still lies in its river."""
    log = table.session.log
    lying = {index for river in table.session.places.rivers for index in river}
    return next((i, log[i]) for i in range(len(log) - 1, -1, -1) if i in lying)


def river_of(table: Any, seat: str) -> Any:
    near = "SWNE".index(seat)
    return f"#seat-{('near', 'right', 'far', 'left')[near]} .river .pick"


def test_a_tapped_tile_becomes_another_kind(opened: Any, live_table: Any) -> None:
    index, record = newest_discard(live_table)
    opened.click(f"{river_of(live_table, record.seat)} >> nth=-1")
    opened.wait_for_selector("#dialog[open]")
    opened.click("#dialog .kinds .pick[data-kind='9p']")
    order = until_order(opened, live_table)
    assert isinstance(order, Correction)
    assert (order.kind, order.event, order.tile) == ("tile", index + 1, parse_tile("9p"))
    changed = live_table.session.log[index]
    assert isinstance(changed, Discard) and changed.tile == parse_tile("9p")
    # The page follows by itself.
    last = f"{river_of(live_table, record.seat)} >> nth=-1"
    opened.wait_for_selector(f"{last} >> use[href='#t9p']", state="attached")


def test_a_kind_can_be_typed(opened: Any, live_table: Any) -> None:
    opened.keyboard.press("ArrowRight")  # the first tile of the table
    for _ in range(30):
        if opened.evaluate("document.activeElement.dataset.key?.includes('river')"):
            break
        opened.keyboard.press("ArrowDown")
    opened.keyboard.press("Enter")
    opened.wait_for_selector("#dialog[open] .kinds")
    opened.keyboard.press("8")
    opened.keyboard.press("s")
    assert until_order(opened, live_table).tile == parse_tile("8s")


def test_a_discards_owner_changes(opened: Any, live_table: Any) -> None:
    index, record = newest_discard(live_table)
    opened.click(f"{river_of(live_table, record.seat)} >> nth=-1")
    other = "N" if record.seat != "N" else "W"
    name = {"N": "阿明", "W": "李姐"}[other]
    opened.get_by_role("button", name=name, exact=True).last.click()
    order = until_order(opened, live_table)
    assert (order.kind, order.event, order.seat) == ("owner", index + 1, other)
    assert live_table.session.log[index].seat == other


def test_money_follows_a_changed_kong(opened: Any, live_table: Any) -> None:
    """The ledger and the totals follow when a kong turns out to have been a peng."""
    log = live_table.session.log
    begun = max(i for i, e in enumerate(log) if isinstance(e, HandStart))
    index, record = next((i, e) for i, e in enumerate(log) if i > begun and isinstance(e, Gang))
    before = dict(live_table.session.totals)
    shown = opened.inner_text("#totals")
    opened.click("#tab-log")
    opened.wait_for_selector("#log li")
    rows = opened.locator("#log li")
    rows.nth(len(log) - 1 - index).locator("button").click()
    opened.wait_for_selector("#dialog[open]")
    assert record.kind == "zhi_gang"
    opened.get_by_role("button", name="碰", exact=True).click()
    order = until_order(opened, live_table)
    assert (order.kind, order.event, order.gang) == ("gang_kind", index + 1, "peng")
    totals = live_table.session.totals
    assert totals != before and sum(totals.values()) == 0
    opened.wait_for_function("text => document.querySelector('#totals').innerText !== text", arg=shown)
    for seat, side in zip("SWNE", ("near", "right", "far", "left"), strict=True):
        assert int(opened.inner_text(f"#seat-{side} .total")) == totals[seat]


def test_a_declaration_for_a_seat(opened: Any, live_table: Any) -> None:
    opened.click("#seat-right .who .pick")
    opened.wait_for_selector("#dialog[open]")
    opened.click("#dialog details >> nth=0")
    opened.click("#dialog details >> nth=0 >> .pick[data-kind='5m']")
    opened.get_by_role("button", name="唱歌", exact=True).click()
    order = until_order(opened, live_table)
    assert (order.kind, order.seat, order.declaration) == ("declare", "W", "sing")
    said = next(e for e in reversed(live_table.session.log) if isinstance(e, Declare))
    assert (said.seat, said.declaration, said.waits) == ("W", "sing", (parse_tile("5m"),))
    opened.wait_for_selector("#seat-right .tag.say")


def test_undo_asks_first(opened: Any, live_table: Any) -> None:
    length = len(live_table.session.log)
    opened.keyboard.press("u")
    opened.wait_for_selector("#dialog[open]")
    opened.get_by_role("button", name="取消").click()
    assert live_table.orders == []
    opened.click("#undo")
    opened.wait_for_selector("#dialog[open] .main")
    opened.click("#dialog .main")
    assert until_order(opened, live_table).kind == "undo"
    assert len(live_table.session.log) == length - 1


def test_a_missed_record_is_inserted(opened: Any, live_table: Any) -> None:
    length = len(live_table.session.log)
    opened.keyboard.press("i")
    opened.click("#dialog .body > .actions .main")  # nothing chosen yet: refused at once
    assert opened.locator("#dialog .choice.missing").count() == 1 and live_table.orders == []
    opened.locator("#dialog").get_by_role("button", name="阿明", exact=True).click()
    opened.click("#dialog .kinds .pick[data-kind='1s']")
    opened.click("#dialog .body > .actions .main")
    order = until_order(opened, live_table)
    assert order.kind == "insert" and order.record == Discard("N", parse_tile("1s"))
    assert len(live_table.session.log) == length + 1


def test_insert_before_a_record(opened: Any, live_table: Any) -> None:
    index, record = newest_discard(live_table)
    opened.click(f"{river_of(live_table, record.seat)} >> nth=-1")
    opened.get_by_role("button", name="补一条 (插在这条之前)").click()
    opened.locator("#dialog").get_by_role("button", name="摸牌", exact=True).click()
    opened.locator("#dialog").get_by_role("button", name="小王", exact=True).click()
    opened.click("#dialog .body > .actions .main")
    order = until_order(opened, live_table)
    assert (order.kind, order.event) == ("insert", index + 1)
    assert live_table.session.log[index].type == "draw" and live_table.session.log[index + 1] == record


def test_a_doubt_shows_both_readings(live_table: Any, page: Any) -> None:
    index, record = newest_discard(live_table)
    doubt = {"id": "d7", "event": index + 1, "seat": record.seat, "tiles": ["5m", "6m"]}
    live_table.hub.set_state({**live_table.hub.state, "doubts": [doubt]})
    page.goto(live_table.server.url)
    page.wait_for_selector("#doubts .reading")
    assert page.locator("#doubts use").evaluate_all("n => n.map(u => u.getAttribute('href'))") == [
        "#t5m",
        "#t6m",
    ]
    assert page.locator(".felt .pick.doubt").count() == 1
    posted: list[Any] = []
    page.on("request", lambda r: posted.append(r.post_data_json) if r.method == "POST" else None)
    page.keyboard.press("2")
    page.wait_for_selector("#toast:not([hidden])")
    page.click("#doubts .reading >> nth=0")
    page.wait_for_timeout(200)
    assert posted == [
        {"kind": "confirm", "doubt": "d7", "choice": 1},
        {"kind": "confirm", "doubt": "d7", "choice": 0},
    ]


def test_a_new_hand_and_the_set_up(opened: Any, live_table: Any) -> None:
    opened.keyboard.press("n")
    opened.wait_for_selector("#dialog[open]")
    dialog = opened.locator("#dialog")
    dialog.get_by_role("button", name="从下一局起").click()
    dialog.get_by_role("button", name="李姐", exact=True).click()
    dialog.get_by_label("规则").select_option("pzh-traditional")
    dialog.get_by_label("底", exact=True).fill("5")
    dialog.get_by_label("北").fill("<i>新人</i>")
    opened.click("#dialog .body > .actions .main")
    order = until_order(opened, live_table)
    assert isinstance(order, HandOrder)
    assert (order.when, order.ruleset, order.base, order.dealer) == ("next", "pzh-traditional", 5, "W")
    assert order.names is not None and order.names["N"] == "<i>新人</i>"
    assert live_table.evening.settings.base == 5


def test_pause_and_resume(opened: Any, live_table: Any) -> None:
    opened.keyboard.press("p")
    assert until_order(opened, live_table) == PauseOrder(True)
    opened.wait_for_function("() => document.querySelector('#pause').textContent === '继续'")
    assert opened.inner_text("#link") == "已暂停"
    opened.click("#pause")
    assert until_order(opened, live_table, 2) == PauseOrder(False)
    opened.wait_for_function("() => document.querySelector('#pause').textContent === '暂停'")


def test_reading_the_table_again_asks_first(opened: Any, live_table: Any) -> None:
    opened.keyboard.press("r")
    assert "重新读一遍" in opened.inner_text("#dialog")
    opened.keyboard.press("Escape")
    assert live_table.orders == []
    opened.click("#resync")
    opened.click("#dialog .main")
    order = until_order(opened, live_table)
    assert isinstance(order, Correction) and order.kind == "resync"


def test_what_is_refused_says_why(opened: Any, live_table: Any) -> None:
    wrong = "import('/static/api.js').then(api => api.correct('tile', {event: 9999, tile: '1m'}))"
    opened.evaluate(wrong)
    opened.wait_for_selector("#toast.bad:not([hidden])")
    assert "没有改成" in opened.inner_text("#toast") and "9999" in opened.inner_text("#toast")
    live_table.server.stop()
    opened.keyboard.press("p")
    opened.wait_for_function("() => document.querySelector('#toast').textContent === '连不上程序'")


def test_keys_are_listed_and_leave_fields_alone(opened: Any, live_table: Any) -> None:
    opened.keyboard.press("?")
    listed = opened.locator("#dialog dt").all_inner_texts()
    assert {"?", "u", "i", "d", "r", "n", "p", "1", "2", "v", "l", "o", "Enter", "Esc"} <= set(listed)
    opened.keyboard.press("Escape")
    opened.keyboard.press("n")
    opened.locator("#dialog").get_by_label("南").fill("")
    opened.keyboard.type("purl")
    assert opened.locator("#dialog").get_by_label("南").input_value() == "purl"
    assert live_table.orders == []


def test_a_winners_hand_is_put_right(played: Any, page: Any) -> None:
    played.play(len(played.rest))
    log = played.session.log
    number, win = next((i + 1, e) for i, e in enumerate(log) if isinstance(e, Win))
    records = [{"event": i + 1, "hand": 1, "record": format_event(e), "text": {}} for i, e in enumerate(log)]
    body = json.dumps({"seq": 1, "records": records})
    page.route("**/api/log", lambda route: route.fulfill(body=body, content_type="application/json"))
    posted: list[Any] = []
    page.route(
        "**/api/corrections",
        lambda route: (
            posted.append(route.request.post_data_json),
            route.fulfill(body='{"ok": true, "seq": 1}', content_type="application/json"),
        ),
    )
    page.goto(played.url)
    side = ("near", "right", "far", "left")["SWNE".index(win.seat)]
    page.click(f"#seat-{side} [data-key='{win.seat}-hand']")
    page.wait_for_selector("#dialog[open] .tilespicker")
    assert page.locator("#dialog .chosen .tile").count() == len(win.hand)
    page.click("#dialog .chosen")
    page.get_by_role("button", name="清空").click()
    for kind in ("1m", "1m", "9s"):
        page.click(f"#dialog .tilespicker .pick[data-kind='{kind}']")
    page.get_by_role("button", name="确定").click()
    page.wait_for_function("() => !document.querySelector('#dialog').open")
    assert posted == [{"kind": "hand", "event": number, "was": format_event(win), "tiles": "11m9s"}]


def test_touch_is_enough(live_table: Any, chromium: Any) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    try:
        page = context.new_page()
        page.goto(live_table.server.url)
        page.wait_for_selector(".felt .river .pick")
        _, record = newest_discard(live_table)
        page.locator(f"{river_of(live_table, record.seat)} >> nth=-1").tap()
        page.locator("#dialog .kinds .pick[data-kind='2p']").tap()
        assert until_order(page, live_table).tile == parse_tile("2p")
    finally:
        context.close()


def test_a_tile_seen_from_above_is_corrected_where_it_lies(live_table: Any, page: Any) -> None:
    spots = [
        {
            "id": 7,
            "tile": "5m",
            "x": 10,
            "y": -20,
            "yaw": 90,
            "seat": None,
            "zone": "river",
            "confidence": 0.9,
        },
        {"id": 9, "tile": "back", "x": 0, "y": 0, "yaw": 0, "seat": None, "zone": "meld", "confidence": 1},
    ]
    live_table.hub.set_state({**live_table.hub.state, "tiles": spots})
    page.goto(live_table.server.url)
    page.wait_for_selector("#tab-map:visible")
    page.keyboard.press("m")
    assert page.locator("#map .spot").count() == 2 and page.locator("#felt").is_hidden()
    # Ten centimetres to the right of the middle, twenty towards the near seat.
    map_box, tile_box = page.locator("#map").bounding_box(), page.locator("#map [data-key]").bounding_box()
    scale = map_box["height"] / 90
    middle = (map_box["x"] + map_box["width"] / 2, map_box["y"] + map_box["height"] / 2)
    assert abs(tile_box["x"] + tile_box["width"] / 2 - middle[0] - 10 * scale) < 2
    assert abs(tile_box["y"] + tile_box["height"] / 2 - middle[1] - 20 * scale) < 2
    assert tile_box["width"] > tile_box["height"], "it lies across"
    posted: list[Any] = []
    page.on("request", lambda r: posted.append(r.post_data_json) if r.method == "POST" else None)
    page.click("#map [data-key='track-7']")
    page.click("#dialog .kinds .pick[data-kind='6m']")
    page.wait_for_selector("#toast:not([hidden])")
    assert posted == [{"kind": "tile", "track": 7, "tile": "6m"}]
    page.keyboard.press("Escape")
    page.click("#tab-seats")
    assert page.locator("#map").is_hidden() and page.locator("#felt").is_visible()
