"""Photo labels, and telling tight boxes from loose ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.train.boxes import Photo, read_labels, read_photos, row_tilt, tight


def row(tilt_degrees: float, n: int = 8) -> np.ndarray:
    slope = np.tan(np.radians(tilt_degrees))
    x = 20 + 30.0 * np.arange(n)
    y = 100 + slope * 30 * np.arange(n)
    return np.stack([x, y, x + 29, y + 40], 1)


@pytest.mark.parametrize("tilt", [0.0, 1.0, -2.0, 8.0])
def test_tilt_of_a_row(tilt: float) -> None:
    assert row_tilt(row(tilt)) == pytest.approx(abs(tilt), abs=0.05)


def test_too_few_tiles_have_no_tilt() -> None:
    assert row_tilt(row(0, 2)) is None


def test_a_tilted_row_and_a_lone_tile_are_loose(tmp_path: Path) -> None:
    def photo(boxes: np.ndarray) -> Photo:
        return Photo(tmp_path / "a_b.jpg", np.zeros(len(boxes), np.int64), boxes / 400)

    assert tight(photo(row(0.5)), 400, 400)
    assert not tight(photo(row(6)), 400, 400)
    assert not tight(photo(row(0, 1)), 400, 400)


def test_labels_become_corners(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("3 0.5 0.5 0.2 0.4\n\n27 0.1 0.1 0.2 0.2\n")
    classes, boxes = read_labels(path)
    assert classes.tolist() == [3, 27]
    assert boxes[0].tolist() == pytest.approx([0.4, 0.3, 0.6, 0.7])


def test_a_bad_label_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("3 0.5 0.5 0.2 0.4\n3 0.5 wide 0.2 0.4\n")
    with pytest.raises(PzvisionError, match=r"a\.txt:2: expected class x y w h"):
        read_labels(path)


def test_a_folder_without_photos_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match="no images"):
        read_photos(tmp_path)
