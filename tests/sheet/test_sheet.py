"""The printable sheet: what is drawn is what the finders read, at the size it says, in both kinds of file."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from pzvision.cli import main
from pzvision.sheet.pages import A4, corner_page, lens_page, pages, token_page
from pzvision.sheet.paper import Page, pdf, text_width
from pzvision.vision.lens import BOARD_SQUARE_MM, BOARD_SQUARES, find_board
from pzvision.vision.markers import CORNER_CM, CORNER_IDS, TOKEN_CM, find_markers
from pzvision.vision.tokens import TOKEN_IDS, TokenFinder

PER_MM = 5


def drawn(page: Page) -> npt.NDArray[np.uint8]:
    """The page's polygons (not its words) as a picture of `PER_MM` px to the mm."""
    image = np.full((round(page.height * PER_MM), round(page.width * PER_MM)), 255, np.uint8)
    for path, grey in page.shapes:
        if "C" in path:
            continue
        for part in path.strip("Z").split("Z"):
            points = np.array(re.findall(r"[-\d.]+", part), np.float64).reshape(-1, 2) * PER_MM * 16 - 8
            cv2.fillPoly(image, [np.round(points).astype(np.int32)], round(grey * 255), cv2.LINE_8, 4)
    return image


def test_corner_cards_are_read_and_have_their_size() -> None:
    found = find_markers(drawn(corner_page()), CORNER_IDS, fine=True)
    assert [number for number, _ in found] == list(CORNER_IDS)
    for number, quad in found:
        sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1) / PER_MM
        assert np.allclose(sides, 10 * CORNER_CM, atol=0.3), number
        assert quad[0, 0] < quad[1, 0] and quad[0, 1] < quad[3, 1], "printed upright"
    places = {number: quad.mean(axis=0) for number, quad in found}
    # As they lie on the table seen from above: far ones on top, left ones left.
    assert places[0][0] < places[1][0] and places[3][0] < places[2][0]
    assert places[3][1] < places[0][1] and places[2][1] < places[1][1]


def test_every_token_is_there_twice_and_read() -> None:
    image = drawn(token_page())
    tokens = TokenFinder().find(np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8))
    assert [t.kind for t in tokens] == [kind for kind in TOKEN_IDS.values() for _ in range(2)]
    for token in tokens:
        sides = np.linalg.norm(np.roll(token.corners, -1, axis=0) - token.corners, axis=1) / PER_MM
        assert np.allclose(sides, 10 * TOKEN_CM, atol=0.5)


def test_the_lens_board_is_the_one_that_is_looked_for() -> None:
    corners, numbers = find_board(drawn(lens_page()))
    columns, rows = BOARD_SQUARES
    assert sorted(numbers.tolist()) == list(range((columns - 1) * (rows - 1)))
    grid = corners[np.argsort(numbers)].reshape(rows - 1, columns - 1, 2) / PER_MM
    assert np.allclose(np.diff(grid[..., 0], axis=1), BOARD_SQUARE_MM, atol=0.1)


def test_everything_stays_on_the_paper() -> None:
    for name, page in pages().items():
        numbers = np.array(
            [v for path, _ in page.shapes for v in re.findall(r"-?[\d.]+", path)], np.float64
        ).reshape(-1, 2)
        assert numbers.min() >= 5, name
        assert (numbers.max(axis=0) <= (page.width - 5, page.height - 4)).all(), name
    assert text_width("唱歌", 10) == pytest.approx(20, abs=0.1)


def test_command_writes_the_committed_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "--sheet", str(tmp_path / "new")]) == 0
    out = capsys.readouterr().out
    committed = Path(__file__).parents[2] / "calibration"
    for name in ("sheet.pdf", "corners.svg", "tokens.svg", "lens.svg"):
        assert name in out
        assert (tmp_path / "new" / name).read_bytes() == (committed / name).read_bytes(), name
    for name, page in pages().items():
        root = ET.parse(tmp_path / "new" / f"{name}.svg").getroot()
        assert root.get("width") == f"{page.width:g}mm"
        assert not list(root.iter("{http://www.w3.org/2000/svg}text")), (
            "words are outlines, no font is needed"
        )


def test_a_file_where_the_folder_should_be_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("x")
    assert main(["calibrate", "--sheet", str(tmp_path / "taken")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="needs pdftoppm (poppler-utils)")
def test_pdf_prints_at_true_size(tmp_path: Path) -> None:
    (tmp_path / "sheet.pdf").write_bytes(pdf(list(pages().values())))
    words = ["pdftoppm", "-r", "127", "-gray", "-png", "sheet.pdf", "page"]  # 5 px to the mm
    subprocess.run(words, cwd=tmp_path, check=True)
    made = sorted(tmp_path.glob("page-*.png"))
    assert len(made) == 3
    first = cv2.imread(str(made[0]), cv2.IMREAD_GRAYSCALE)
    assert first is not None
    assert np.allclose(first.shape, (A4[1] * PER_MM, A4[0] * PER_MM), atol=1)
    for _, quad in find_markers(np.asarray(first, np.uint8), CORNER_IDS, fine=True):
        sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1) / PER_MM
        assert np.allclose(sides, 10 * CORNER_CM, atol=0.3)
    ruler = first[round(282 * PER_MM) : round(283.2 * PER_MM)].min(axis=0) < 128
    dark = np.flatnonzero(ruler[60 * PER_MM : 167 * PER_MM]) / PER_MM
    assert dark.max() - dark.min() == pytest.approx(100, abs=0.6)
