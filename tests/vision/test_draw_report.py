"""Annotated pictures and the records of detect."""

from __future__ import annotations

import numpy as np
import pytest

from pzvision.tiles import BACK, CLASSES, OTHER
from pzvision.vision.detections import Detections
from pzvision.vision.draw import DrawStyle, draw_detections
from pzvision.vision.report import detections_record, summary_line


def found(kinds: list[int], sure: float = 0.9) -> Detections:
    n = len(kinds)
    quads = np.array(
        [[[x, 20], [x + 30, 20], [x + 30, 60], [x, 60]] for x in range(10, 10 + 50 * n, 50)], np.float32
    )
    probs = np.full((n, CLASSES), (1 - sure) / (CLASSES - 1), np.float32)
    probs[np.arange(n), kinds] = sure
    return Detections(quads.reshape(n, 4, 2), probs, np.linspace(0.5, 0.9, n).astype(np.float32), (320, 100))


def test_a_record_is_as_documented_and_surest_first() -> None:
    record = detections_record("a.jpg", found([4, OTHER, BACK]))
    assert (record["image"], record["width"], record["height"]) == ("a.jpg", 320, 100)
    assert [row["tile"] for row in record["detections"]] == ["back", "other", "5m"]
    last = record["detections"][-1]
    assert last["confidence"] == pytest.approx(0.45, abs=1e-3)
    assert last["box"] == [10, 20, 40, 60]
    assert last["polygon"] == [[10, 20], [40, 20], [40, 60], [10, 60]]


def test_a_record_of_nothing() -> None:
    assert detections_record("a.jpg", Detections.empty((4, 3)))["detections"] == []
    assert summary_line("a.jpg", Detections.empty((4, 3))) == "a.jpg: 0 张 tiles"


def test_a_summary_names_tiles_and_counts_the_rest() -> None:
    assert (
        summary_line("a.jpg", found([18, 0, OTHER, BACK, BACK])) == "a.jpg: 5 张 tiles: 1m1p, 1 other, 2 back"
    )


def test_drawing_marks_each_tile_in_its_colour_on_a_copy() -> None:
    image = np.zeros((100, 320, 3), np.uint8)
    style = DrawStyle()
    out = draw_detections(image, found([0, 9, 18, OTHER, BACK]), style)
    assert not image.any()
    for k, colour in enumerate((*style.suits, style.other, style.back)):
        hue = out[25:55, 10 + 50 * k].astype(float).mean(0)
        assert hue @ np.array(colour) > 0.99 * np.linalg.norm(hue) * np.linalg.norm(colour)


def test_doubt_shows() -> None:
    sure = draw_detections(np.zeros((100, 320, 3), np.uint8), found([0], 0.99), DrawStyle(doubt=0.3))
    unsure = draw_detections(np.zeros((100, 320, 3), np.uint8), found([0], 0.99), DrawStyle(doubt=0.8))
    assert (sure != unsure).any()
