"""What is on the sheet's pages (A4): the corner cards, the declaration tokens, the lens board."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.messages.calibrate import SHEET
from pzvision.sheet.paper import Page, pdf, text_width
from pzvision.vision.lens import BOARD_SQUARE_MM, BOARD_SQUARES, board
from pzvision.vision.markers import (
    CORNER_CM,
    CORNER_GAP_CM,
    CORNER_IDS,
    TOKEN_CM,
    marker_bits,
)
from pzvision.vision.tokens import TOKEN_IDS

A4: Final = (210.0, 297.0)
_CUT: Final = 0.65  # grey of the lines to cut along
_BAND: Final = 14.0  # mm of a card that hold its words
CORNER_CARD_MM: Final = 10 * (CORNER_CM + 2 * CORNER_GAP_CM)
TOKEN_CARD_MM: Final = (58.0, 64.0)


def corner_page() -> Page:
    """Four corner cards to cut out and a plan of where they lie."""
    page = Page(*A4, "pzvision: corner cards")
    _heading(page, "corners")
    wide, tall = CORNER_CARD_MM, CORNER_CARD_MM + _BAND
    for k in CORNER_IDS:
        right, far = k in (1, 2), k in (2, 3)
        x = 105 + (5 if right else -5 - wide)
        y = 40.0 if far else 40.0 + tall + 6
        _corner_card(page, k, x, y, right=right, far=far)
    _plan(page, 24, 241)
    _words(page, 66, 243, SHEET["corners_how"], 3.6)
    _ruler(page, 66, 283)
    return page


def _corner_card(page: Page, number: int, x: float, y: float, *, right: bool, far: bool) -> None:
    """A card whose outer corner (towards the table's corner) carries the arrow."""
    side, gap = 10 * CORNER_CM, 10 * CORNER_GAP_CM
    wide, tall = CORNER_CARD_MM, CORNER_CARD_MM + _BAND
    page.frame(x, y, wide, tall, 0.25, _CUT)
    left = x + (wide - gap - side if right else gap)
    top = y + (gap if far else tall - gap - side)
    _marker(page, number, left, top, side)
    corner = (x + (wide if right else 0.0), y + (0.0 if far else tall))
    dx, dy = (-1.0 if right else 1.0), (1.0 if far else -1.0)
    page.polygon([corner, (corner[0] + dx * 6, corner[1]), (corner[0], corner[1] + dy * 6)])
    zh, en = SHEET["corner_names"][number]
    base = y + (tall - 8.0 if far else 8.0)
    page.text(x + wide / 2, base, f"{number + 1}  {zh}  {en}", 5.5, anchor="middle")
    small = SHEET["marker"][0].format(number=number, mm=round(side))
    page.text(left + side / 2, base + 4.3, small, 2.6, anchor="middle", grey=0.45)
    # The marker's top is away from the near edge: a small sign beside it says which way that is.
    inner = x + (3.2 if right else wide - 3.2)
    page.polygon([(inner, top + 4), (inner - 1.6, top + 8), (inner + 1.6, top + 8)], 0.45)


def token_page() -> Page:
    """Twelve declaration tokens: each kind twice."""
    page = Page(*A4, "pzvision: declaration tokens")
    _heading(page, "tokens", at=10)
    wide, tall = TOKEN_CARD_MM
    side = 10 * TOKEN_CM
    left = (A4[0] - 3 * wide) / 2
    for place, (number, kind) in enumerate([*TOKEN_IDS.items()] * 2):
        row, column = divmod(place, 3)
        x, y = left + column * wide, 27 + row * tall
        page.frame(x, y, wide, tall, 0.25, _CUT)
        _marker(page, number, x + (wide - side) / 2, y + (wide - side) / 2, side)
        zh, en = SHEET["token_names"][kind]
        both = text_width(zh, 8.0) + 2.5 + text_width(en, 4.4)
        start = x + (wide - both) / 2
        page.text(start, y + tall - 4.6, zh, 8.0)
        page.text(start + text_width(zh, 8.0) + 2.5, y + tall - 4.6, en, 4.4)
    _ruler(page, 18, 288)
    return page


def lens_page() -> Page:
    """The ChArUco board."""
    page = Page(A4[1], A4[0], "pzvision: lens board")
    _heading(page, "lens", at=9)
    columns, rows = BOARD_SQUARES
    size = BOARD_SQUARE_MM
    left, top = (A4[1] - columns * size) / 2, 26.0
    for row in range(rows):
        for column in range(columns):
            if (row + column) % 2 == 0:
                page.rect(left + column * size, top + row * size, size, size)
    definition = board()
    bits = definition.getDictionary()
    for number, points in zip(np.ravel(definition.getIds()), definition.getObjPoints(), strict=True):
        corners = np.asarray(points, np.float64)
        x, y = (float(v) for v in corners[:, :2].min(axis=0))
        side = float(np.ptp(corners[:, 0]))
        modules = bits.markerSize + 2
        white = bits.generateImageMarker(int(number), modules) > 127
        _squares(page, white, left + x, top + y, side)
    _ruler(page, left, 199)
    return page


def pages() -> dict[str, Page]:
    """All pages by the name of their SVG file, in the PDF's order."""
    return {"corners": corner_page(), "tokens": token_page(), "lens": lens_page()}


def write_sheet(folder: Path) -> list[Path]:
    """Write ``sheet.pdf`` and an SVG for each page. Raises `PzvisionError` when that fails."""
    made = pages()
    out = [folder / "sheet.pdf", *(folder / f"{name}.svg" for name in made)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        out[0].write_bytes(pdf(list(made.values())))
        for path, page in zip(out[1:], made.values(), strict=True):
            path.write_text(page.svg(), encoding="utf-8")
    except OSError as error:
        raise PzvisionError(f"--sheet {str(folder)!r}: cannot be written: {error.strerror}") from None
    return out


# ---- parts -------------------------------------------------------------------------------------------


def _marker(page: Page, number: int, x: float, y: float, side: float) -> None:
    _squares(page, marker_bits(number), x, y, side)


def _squares(page: Page, white: npt.NDArray[np.bool_], x: float, y: float, side: float) -> None:
    """A black square with its white modules cut out of it, as few rectangles as rows have runs."""
    page.rect(x, y, side, side)
    count = len(white)
    step = side / count
    for row in range(count):
        column = 0
        while column < count:
            run = column
            while run < count and white[row, run]:
                run += 1
            if run > column:
                page.rect(x + column * step, y + row * step, (run - column) * step, step, 1.0)
            column = max(run, column + 1)


def _heading(page: Page, key: str, at: float = 14) -> None:
    zh, en = SHEET["titles"][key]
    page.text(15, at + 4, zh, 6.5)
    page.text(15 + text_width(zh, 6.5) + 4, at + 4, en, 5.0, grey=0.3)
    _words(page, 15, at + 10, SHEET[f"{key}_print"], 3.3)


def _words(page: Page, x: float, y: float, lines: tuple[str, ...], size: float) -> None:
    for k, line in enumerate(lines):
        page.text(x, y + k * size * 1.5, line, size, grey=0.2)


def _ruler(page: Page, x: float, y: float) -> None:
    """100 mm to check the print by."""
    page.rect(x, y - 0.15, 100, 0.3)
    for mm in range(0, 101, 10):
        page.rect(x + mm - 0.1, y - (3 if mm % 50 == 0 else 1.8), 0.2, 3 if mm % 50 == 0 else 1.8)
    page.text(x + 102, y, SHEET["ruler"][0], 3.3, grey=0.2)


def _plan(page: Page, x: float, y: float) -> None:
    """The felt from above with its four cards, and the camera below the near edge."""
    side, card = 34.0, 8.0
    page.frame(x, y, side, side, 0.5)
    for k in CORNER_IDS:
        left = x + (side - card - 0.5 if k in (1, 2) else 0.5)
        top = y + (0.5 if k in (2, 3) else side - card - 0.5)
        page.frame(left, top, card, card, 0.3)
        page.text(left + card / 2, top + card - 2.3, str(k + 1), 5.0, anchor="middle")
    zh, en = SHEET["felt"]
    page.text(x + side / 2, y + side / 2 + 0.5, zh, 3.4, anchor="middle", grey=0.35)
    page.text(x + side / 2, y + side / 2 + 4.8, en, 3.0, anchor="middle", grey=0.35)
    zh, en = SHEET["camera_here"]
    page.polygon(
        [(x + side / 2, y + side + 1), (x + side / 2 - 2, y + side + 4), (x + side / 2 + 2, y + side + 4)]
    )
    page.text(x + side / 2, y + side + 8, f"{zh} {en}", 3.0, anchor="middle")
