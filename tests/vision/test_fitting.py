from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from pzvision.tiles import OTHER
from pzvision.vision.finder import BACK, FACE, Finds
from pzvision.vision.fitting import lengthened, make_whole
from pzvision.vision.reader import Reading

WIDE, TALL = 24.0, 32.0


def turned(x: float, y: float, right: float, bottom: float, angle: float = 0.0) -> np.ndarray:
    """A rectangle turned round (50, 50)."""
    quad = np.array([[x, y], [right, y], [right, bottom], [x, bottom]], np.float64) - 50
    c, s = np.cos(angle), np.sin(angle)
    return (quad @ np.array([[c, s], [-s, c]]) + 50).astype(np.float32)


class Brightest:
    """A reader that is the surer of a face the more of its cut is white."""

    def cut(self, image: np.ndarray, quads: np.ndarray) -> Any:
        cuts = []
        for quad in quads:
            mask = np.zeros(image.shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), 1)
            inside = (image[..., 0][mask > 0] > 0).sum() / (WIDE * TALL)
            outside = (image[..., 0][mask > 0] == 0).sum() / (WIDE * TALL)
            cuts.append(max(0.0, min(1.0, inside - outside)))
        return np.array(cuts)

    def read(self, faces: Any) -> Reading:
        probs = np.zeros((len(faces), OTHER + 1), np.float32)
        probs[:, 4] = faces
        probs[:, OTHER] = 1 - faces
        return Reading(probs, np.full((len(faces), 4), 0.25, np.float32))


def look(*quads: np.ndarray, classes: tuple[int, ...] | None = None) -> Finds:
    kinds = np.array(classes or (FACE,) * len(quads), np.int64)
    return Finds(np.stack(quads), np.ones(len(quads), np.float32), kinds)


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.5, 3.0])
@pytest.mark.parametrize(("lost", "end"), [(14.0, "top"), (14.0, "bottom"), (8.0, "left"), (8.0, "right")])
def test_a_face_that_lost_a_row_of_marks_gets_it_back(angle: float, lost: float, end: str) -> None:
    image = np.zeros((100, 100, 3), np.uint8)
    tile = turned(40, 35, 40 + WIDE, 35 + TALL, angle)
    cv2.fillConvexPoly(image, np.round(tile).astype(np.int32), (255, 255, 255))
    x, y, right, bottom = 40.0, 35.0, 40 + WIDE, 35 + TALL
    part = turned(
        x + lost * (end == "left"),
        y + lost * (end == "top"),
        right - lost * (end == "right"),
        bottom - lost * (end == "bottom"),
        angle,
    )
    found = make_whole(image, look(part), Brightest(), WIDE, TALL)  # type: ignore[arg-type]
    both = cv2.intersectConvexConvex(found.quads[0], tile)[0]
    assert both > 0.9 * WIDE * TALL
    assert cv2.contourArea(found.quads[0]) == pytest.approx(WIDE * TALL, rel=0.05)


def test_whole_tiles_backs_and_unlike_outlines_stay_as_they_are() -> None:
    image = np.full((100, 100, 3), 255, np.uint8)
    whole, short = turned(40, 35, 62, 66), turned(10, 10, 34, 28)
    tiny, long = turned(5, 50, 17, 62), turned(70, 10, 94, 98)
    finds = look(whole, tiny, long, short, classes=(FACE, FACE, FACE, BACK))
    found = make_whole(image, finds, Brightest(), WIDE, TALL)  # type: ignore[arg-type]
    assert (found.quads == finds.quads).all()
    assert lengthened(whole, WIDE, TALL) == [] and lengthened(tiny, WIDE, TALL) == []


def test_an_outline_does_not_grow_over_its_neighbours() -> None:
    image = np.full((100, 100, 3), 255, np.uint8)
    part = turned(40, 40, 64, 58)  # a tile's lower or upper half: there is room below only
    above = turned(40, 8, 64, 40)
    found = make_whole(image, look(part, above), Brightest(), WIDE, TALL)  # type: ignore[arg-type]
    assert found.quads[0].min(axis=0).tolist() == [40, 40]
    assert found.quads[0].max(axis=0).tolist() == pytest.approx([64, 72], abs=0.1)
    apart = make_whole(image, look(part), Brightest(), WIDE, TALL, beside=above[None])  # type: ignore[arg-type]
    assert np.allclose(apart.quads[0], found.quads[0])


def test_what_the_reader_does_not_know_stays() -> None:
    dark = np.zeros((100, 100, 3), np.uint8)
    finds = look(turned(40, 40, 64, 58))
    assert (make_whole(dark, finds, Brightest(), WIDE, TALL).quads == finds.quads).all()  # type: ignore[arg-type]


def test_outlines_said_to_be_whole_stay() -> None:
    image = np.full((100, 100, 3), 255, np.uint8)
    finds = look(turned(40, 40, 64, 58), turned(10, 70, 34, 88))
    assert not (make_whole(image, finds, Brightest(), WIDE, TALL).quads == finds.quads).all(axis=(1, 2)).any()  # type: ignore[arg-type]
    kept = make_whole(image, finds, Brightest(), WIDE, TALL, whole=np.array([True, False]))  # type: ignore[arg-type]
    assert (kept.quads == finds.quads).all(axis=(1, 2)).tolist() == [True, False]
