"""The 27 tiles and a back as our own SVG pictures, for pages and overlays.

Characters come from the strokes of `pzvision.synth.glyphs`, so no font is needed.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from pzvision.synth.glyphs import GLYPHS, smooth
from pzvision.tiles import BACK, KINDS, format_tile, rank, suit, tile_name

WIDTH: Final = 60
HEIGHT: Final = 80
_RED: Final = "#b3261e"
_GREEN: Final = "#1f7a4d"
_BLUE: Final = "#1d3f72"
_DIGITS: Final = "一二三四五六七八九"

# Centres of the dots in a 60 × 80 tile, with their radius.
_DOTS: Final[dict[int, tuple[float, tuple[tuple[float, float], ...]]]] = {
    1: (21, ((30, 40),)),
    2: (11.5, ((30, 23), (30, 57))),
    3: (9.5, ((16, 18), (30, 40), (44, 62))),
    4: (10, ((18, 24), (42, 24), (18, 56), (42, 56))),
    5: (9, ((16, 20), (44, 20), (30, 40), (16, 60), (44, 60))),
    6: (8.8, ((19, 19), (41, 19), (19, 43), (41, 43), (19, 62), (41, 62))),
    7: (7.4, ((14, 14), (30, 21), (46, 28), (20, 47), (40, 47), (20, 65), (40, 65))),
    8: (7.4, ((20, 15), (40, 15), (20, 32), (40, 32), (20, 49), (40, 49), (20, 66), (40, 66))),
    9: (7.2, tuple((x, y) for y in (17, 40, 63) for x in (13, 30, 47))),
}
_DOT_COLOURS: Final[dict[int, str]] = {
    1: "r",
    2: "gb",
    3: "brg",
    4: "bggb",
    5: "bgrgb",
    6: "ggrrrr",
    7: "gggrrrr",
    8: "bbbbbbbb",
    9: "gggrrrbbb",
}
# Centres of the sticks, their colours and their half length; 8 is drawn as two zigzags.
_STICKS: Final[dict[int, tuple[float, tuple[tuple[float, float, str], ...]]]] = {
    2: (13, ((30, 23, "b"), (30, 57, "g"))),
    3: (13, ((30, 23, "b"), (17, 57, "g"), (43, 57, "g"))),
    4: (13, ((17, 23, "b"), (43, 23, "g"), (17, 57, "g"), (43, 57, "b"))),
    5: (12, ((15, 23, "g"), (45, 23, "b"), (30, 40, "r"), (15, 57, "b"), (45, 57, "g"))),
    6: (13, ((14, 23, "g"), (30, 23, "g"), (46, 23, "g"), (14, 57, "b"), (30, 57, "b"), (46, 57, "b"))),
    7: (
        9,
        (
            (30, 15, "r"),
            (14, 40, "g"),
            (30, 40, "b"),
            (46, 40, "g"),
            (14, 64, "g"),
            (30, 64, "b"),
            (46, 64, "g"),
        ),
    ),
    9: (9, tuple((x, y, c) for y in (16, 40, 64) for x, c in ((14, "g"), (30, "r"), (46, "b")))),
}
_COLOURS: Final = {"r": _RED, "g": _GREEN, "b": _BLUE}


def _number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def _glyph(
    char: str, left: float, top: float, width: float, height: float, colour: str, weight: float
) -> str:
    """A character's strokes as one path."""
    parts = []
    for kind, points in GLYPHS[char]:
        path = np.array(points, np.float64)
        if kind in ("p", "n", "d"):
            path = smooth(path, 4)
        path = path * (width / 100, height / 100) + (left, top)
        parts.append("M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in path))
    return (
        f'<path d="{"".join(parts)}" fill="none" stroke="{colour}" stroke-width="{_number(weight)}"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _dot(x: float, y: float, radius: float, colour: str) -> str:
    ring = _number(radius * 0.24)
    return (
        f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius - radius * 0.12)}" fill="#fff"'
        f' stroke="{colour}" stroke-width="{ring}"/>'
        f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius * 0.42)}" fill="{colour}"/>'
    )


def _big_dot() -> str:
    petals = "".join(
        f'<ellipse cx="30" cy="29" rx="3.6" ry="6.5" fill="{_RED if i % 2 else _GREEN}"'
        f' transform="rotate({i * 45} 30 40)"/>'
        for i in range(8)
    )
    return (
        f'<circle cx="30" cy="40" r="21" fill="#fff" stroke="{_BLUE}" stroke-width="3.5"/>'
        f'<circle cx="30" cy="40" r="16.8" fill="none" stroke="{_GREEN}" stroke-width="1.6"/>{petals}'
        f'<circle cx="30" cy="40" r="4.6" fill="{_RED}"/>'
    )


def _stick(x: float, y: float, half: float, colour: str, turn: float = 0.0) -> str:
    spin = f' transform="rotate({_number(turn)} {_number(x)} {_number(y)})"' if turn else ""
    wide = max(7.0, half * 0.66)

    def bar(width: float, top: float, height: float, paint: str) -> str:
        return (
            f'<rect x="{_number(x - width / 2)}" y="{_number(top)}" width="{_number(width)}"'
            f' height="{_number(height)}" rx="{_number(min(width, height) / 2)}" {paint}/>'
        )

    stem = bar(wide, y - half, 2 * half, f'fill="{colour}"')
    shine = bar(wide * 0.28, y - half + 3, 2 * half - 6, 'fill="#fff" opacity=".75"')
    joint = bar(wide * 1.3, y - 1.6, 3.2, f'fill="{colour}"')
    return f"<g{spin}>{stem}{shine}{joint}</g>"


def _bird() -> str:
    """The bird of 一条: tail feathers, body, head, on a twig."""
    tail = "".join(
        f'<path d="M25 50Q{x} 30 {x2} 10" fill="none" stroke="{c}" stroke-width="4" stroke-linecap="round"/>'
        for x, x2, c in ((10, 12, _GREEN), (18, 22, _BLUE), (27, 32, _GREEN))
    )
    return (
        f'{tail}<path d="M18 50C18 38 34 32 42 40C48 46 46 60 34 62C24 63 18 58 18 50Z" fill="{_GREEN}"/>'
        f'<path d="M24 49C30 42 38 44 41 50C36 57 28 57 24 49Z" fill="#fff" opacity=".8"/>'
        f'<circle cx="43" cy="35" r="8" fill="{_RED}"/><circle cx="45" cy="33.5" r="1.9" fill="#fff"/>'
        f'<path d="M50 34L57 37L50 39.5Z" fill="#d9902f"/>'
        f'<path d="M29 62V71M36 61V71M14 71H50" stroke="{_BLUE}" stroke-width="3" stroke-linecap="round"/>'
    )


def _face(tile: int) -> str:
    number = rank(tile)
    if suit(tile) == 0:
        return _glyph(_DIGITS[number - 1], 13, 7, 34, 28, _BLUE, 4.2) + _glyph(
            "萬", 12, 39, 36, 34, _RED, 3.3
        )
    if suit(tile) == 2:
        if number == 1:
            return _big_dot()
        radius, centres = _DOTS[number]
        return "".join(
            _dot(x, y, radius, _COLOURS[c]) for (x, y), c in zip(centres, _DOT_COLOURS[number], strict=True)
        )
    if number == 1:
        return _bird()
    if number == 8:
        flat = [(10, 23, "g", 0), (23, 23, "g", -32), (37, 23, "g", 32), (50, 23, "g", 0)]
        flat += [(10, 57, "b", 0), (23, 57, "b", 32), (37, 57, "b", -32), (50, 57, "b", 0)]
        return "".join(_stick(x, y, 13, _COLOURS[c], turn) for x, y, c, turn in flat)
    half, sticks = _STICKS[number]
    return "".join(_stick(x, y, half, _COLOURS[c]) for x, y, c in sticks)


def _card(fill: str, stroke: str, height: float) -> str:
    return f'<rect x="1" y="1" width="58" height="{_number(height)}" rx="7" fill="{fill}" stroke="{stroke}"/>'


@cache
def _body(tile: int) -> str:
    """The shapes of one tile, without the document around them."""
    if tile == BACK:
        inner = '<rect x="7" y="7" width="46" height="66" rx="4" fill="none" stroke="#7cc3a2"/>'
        return _card("#2e7d5b", "#1b4d38", 78) + inner
    face = f'<g transform="translate(1.5 .5) scale(.95)">{_face(tile)}</g>'
    return _card("#d8d2c2", "none", 78) + _card("#fffdf6", "#b9b19c", 75.5) + face


def tile_svg(tile: int) -> str:
    """One tile as a whole SVG document of 60 × 80 units. ``tile`` is a kind or `tiles.BACK`."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{tile_name(tile)} {tile_name(tile, 'en')}</title>{_body(tile)}</svg>"
    )


@cache
def tile_files() -> dict[str, str]:
    """``"5m.svg"`` → the picture, also ``back.svg``; ``all.svg`` holds them all as ``#t5m`` symbols."""
    kinds = [*range(KINDS), BACK]
    files = {f"{format_tile(tile)}.svg": tile_svg(tile) for tile in kinds}
    symbols = "".join(
        f'<symbol id="t{format_tile(tile)}" viewBox="0 0 {WIDTH} {HEIGHT}">{_body(tile)}</symbol>'
        for tile in kinds
    )
    files["all.svg"] = f'<svg xmlns="http://www.w3.org/2000/svg">{symbols}</svg>'
    return files
