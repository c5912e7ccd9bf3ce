"""The 27 tile kinds, their notation, and their names in Chinese and English.

A kind is an ``int``: 0–8 are 万 ``1m``–``9m``, 9–17 条 ``1s``–``9s``, 18–26 筒 ``1p``–``9p``.
Two further class ids exist only for what a camera sees: `OTHER` (a face that is none of the 27)
and `BACK` (a tile lying face down or seen from behind).

>>> parse_tile("5m"), tile_name(4), tile_name(4, "en")
(4, '五万', '5 of characters')
>>> format_tiles(parse_tiles("9p55s123m"))
'123m55s9p'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from pzvision.errors import FormatError

Tile: TypeAlias = int
Lang: TypeAlias = Literal["zh", "en"]

KINDS: Final = 27
COPIES: Final = 4
ALL_TILES: Final = KINDS * COPIES
OTHER: Final = 27
BACK: Final = 28
CLASSES: Final = 29

SUITS: Final = "msp"
SUIT_NAMES: Final[dict[Lang, tuple[str, str, str]]] = {
    "zh": ("万", "条", "筒"),
    "en": ("characters", "bamboos", "dots"),
}
_DIGITS_ZH: Final = "一二三四五六七八九"

Seat: TypeAlias = Literal["E", "S", "W", "N"]
SEATS: Final[tuple[Seat, Seat, Seat, Seat]] = ("E", "S", "W", "N")
SEAT_NAMES: Final[dict[Lang, dict[Seat, str]]] = {
    "zh": {"E": "东家", "S": "南家", "W": "西家", "N": "北家"},
    "en": {"E": "East", "S": "South", "W": "West", "N": "North"},
}


def suit(tile: Tile) -> int:
    """0 万, 1 条, 2 筒."""
    return tile // 9


def rank(tile: Tile) -> int:
    """1–9."""
    return tile % 9 + 1


def next_seat(seat: Seat, steps: int = 1) -> Seat:
    """The seat `steps` places on in turn order E → S → W → N (counter-clockwise seen from above)."""
    return SEATS[(SEATS.index(seat) + steps) % 4]


def parse_seat(text: str) -> Seat:
    """Parse ``E``, ``S``, ``W`` or ``N``. Raises `FormatError`."""
    for seat in SEATS:
        if text == seat:
            return seat
    raise FormatError(f"unknown seat {text!r}: expected one of E S W N")


def format_tile(tile: Tile) -> str:
    """``4`` → ``"5m"``; also ``"other"`` and ``"back"``. Raises `FormatError` for no class."""
    if tile == OTHER:
        return "other"
    if tile == BACK:
        return "back"
    if not 0 <= tile < KINDS:
        raise FormatError(f"tile id {tile} is not in 0..{CLASSES - 1}")
    return f"{rank(tile)}{SUITS[suit(tile)]}"


def parse_tile(text: str) -> Tile:
    """``"5m"`` → ``4``. Raises `FormatError` for anything but one suited tile."""
    if isinstance(text, str) and len(text) == 2 and text[0] in "123456789" and text[1] in SUITS:
        return SUITS.index(text[1]) * 9 + int(text[0]) - 1
    raise FormatError(f"bad tile {text!r}: expected a digit 1-9 and a suit letter m, s or p, such as 5m")


def parse_tiles(text: str) -> list[Tile]:
    """Digits then a suit letter, any number of groups in any order: ``"123m55s"`` → ``[0, 1, 2, 13, 13]``.

    Raises `FormatError` naming the text and what was expected.
    """
    if not isinstance(text, str):
        raise FormatError(f"bad tiles {text!r}: expected text such as 123m55s")
    tiles: list[Tile] = []
    digits: list[int] = []
    for char in text:
        if char in "123456789":
            digits.append(int(char))
        elif char in SUITS and digits:
            tiles.extend(SUITS.index(char) * 9 + d - 1 for d in digits)
            digits.clear()
        else:
            raise FormatError(f"bad tiles {text!r}: {char!r} does not fit (digits 1-9, then m, s or p)")
    if digits:
        raise FormatError(f"bad tiles {text!r}: the last digits have no suit letter m, s or p")
    return tiles


def format_tiles(tiles: Iterable[Tile]) -> str:
    """Sorted notation 万 条 筒: ``[13, 0, 13]`` → ``"1m55s"``. Inverse of `parse_tiles` up to order."""
    out = ""
    ordered = sorted(tiles)
    for index, letter in enumerate(SUITS):
        ranks = "".join(str(rank(t)) for t in ordered if suit(t) == index)
        if ranks:
            out += ranks + letter
    return out


def to_counts(tiles: Iterable[Tile]) -> list[int]:
    """27 counts."""
    counts = [0] * KINDS
    for tile in tiles:
        counts[tile] += 1
    return counts


def from_counts(counts: Sequence[int]) -> list[Tile]:
    """Inverse of `to_counts`, sorted."""
    return [tile for tile, count in enumerate(counts) for _ in range(count)]


def tile_name(tile: Tile, lang: Lang = "zh") -> str:
    """``五万`` / ``5 of characters``."""
    if tile == OTHER:
        return "其他牌" if lang == "zh" else "other tile"
    if tile == BACK:
        return "牌背" if lang == "zh" else "tile back"
    if lang == "zh":
        return _DIGITS_ZH[rank(tile) - 1] + SUIT_NAMES["zh"][suit(tile)]
    return f"{rank(tile)} of {SUIT_NAMES['en'][suit(tile)]}"
