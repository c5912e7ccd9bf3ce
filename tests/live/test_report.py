"""What is printed: records as they come, the settlement, the length of the progress bar."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from pzvision.game import Discard, Draw, Event, Gang, HandEnd, HandStart, Peng
from pzvision.game.simulate import simulate
from pzvision.live.report import RecordPrinter, frames_between, record_text, settlement
from pzvision.live.session import Session
from pzvision.tiles import parse_tile
from pzvision.vision.capture import open_source

FOUR = parse_tile("4s")
NINE = parse_tile("9s")
PLAY: list[Event] = [
    HandStart("pzh-popular", "E"),
    Discard("E", FOUR, t=61.0),
    Peng("W", FOUR, t=62.5),
    Draw("N", t=63.0),
    Gang("N", "an_gang", NINE, t=64.0),
]


def test_peng_and_kongs_are_printed_without_being_asked_for() -> None:
    lines: list[str] = []
    RecordPrinter("zh", every=False, write=lines.append)([], PLAY)
    assert lines == ["  1:02.5  西家碰 四条", "  1:04.0  北家暗杠 九条"]


def test_all_records_and_their_corrections() -> None:
    lines: list[str] = []
    show = RecordPrinter("en", every=True, write=lines.append)
    show([], PLAY)
    assert len(lines) == len(PLAY) and lines[1] == "  1:01.0  East discards 4s"
    lines.clear()
    # The last two are seen anew, one of them as another tile; the draw was said already.
    show(PLAY[3:], [Draw("N", t=63.1), Gang("N", "an_gang", FOUR, t=64.1)])
    assert len(lines) == 2 and "Correction" in lines[0] and "kong of 9s" in lines[0]
    assert lines[1] == "  1:04.1  North makes a concealed kong of 4s"


def test_every_kind_of_record_has_words() -> None:
    for ruleset in ("pzh-popular", "xichang"):
        for event in simulate(ruleset, seed=3, hands=2, spice=0.5):
            for lang in ("zh", "en"):
                text = record_text(event, lang)
                assert text.strip() and "{" not in text


def test_a_hand_cut_short_is_not_settled_in_words() -> None:
    session = Session()
    change = session.update(0, [*PLAY[:2], HandEnd(t=70.0)])
    texts = [item.zh for item in change.said]
    assert "录像到此为止,本局未完" in texts
    assert not any("本局结算" in text for text in texts)
    shown = settlement(session, "zh")
    assert "录像到此为止,本局未完" in shown and "合计" not in shown


def test_the_bar_is_as_long_as_the_part_that_is_read(tmp_path: Path) -> None:
    writer = cv2.VideoWriter(str(tmp_path / "v.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 10, (160, 96))
    for _ in range(40):
        writer.write(np.zeros((96, 160, 3), np.uint8))
    writer.release()
    source = open_source(tmp_path / "v.avi")
    assert frames_between(source, 0.0, None) == 40
    assert frames_between(source, 1.0, None) == 30
    assert frames_between(source, 1.0, 2.5) == 15
    assert frames_between(source, 1.0, 99.0) == 30
