"""Tables and paragraphs for people on a terminal: Chinese characters take two columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

_NOT_FIRST: Final = frozenset(",。、;:!?)》」』”’…%·,.;:!?)]}")
_NOT_LAST: Final = frozenset("(《「『“‘([{")
NARROWEST: Final = 8
"""Places that a column keeps when a table is made to fit."""


def width(text: str) -> int:
    """Columns the text takes on a terminal."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _pieces(text: str) -> list[str]:
    """The text cut wherever a line may end: after blanks, and beside Chinese characters (but punctuation
    stays with what it belongs to)."""
    pieces: list[str] = []
    for char in text.replace("\n", " "):
        if pieces:
            last = pieces[-1][-1]
            wide = width(last) == 2 or width(char) == 2
            cut = last == " " != char or (wide and char != " " and last != " ")
            if char in _NOT_FIRST or last in _NOT_LAST:
                cut = False
            if not cut:
                pieces[-1] += char
                continue
        pieces.append(char)
    return pieces


def wrap(text: str, columns: int) -> list[str]:
    """The text in lines of at most ``columns``; only a single word that is longer is cut within.

    Line breaks in the text stay. An empty text is one empty line.

    >>> wrap("清一色:手牌、碰、杠全是一种花色", 12)
    ['清一色:手', '牌、碰、杠全', '是一种花色']
    >>> wrap("one suit, melds included", 12)
    ['one suit,', 'melds', 'included']
    """
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for piece in _pieces(paragraph):
            if line and width(line) + width(piece.rstrip()) > columns:
                lines.append(line.rstrip())
                line = ""
            while width(piece.rstrip()) > columns:
                take = 1
                while take < len(piece) and width(piece[: take + 1]) <= columns:
                    take += 1
                lines.append(piece[:take])
                piece = piece[take:]
            line += piece
        lines.append(line.rstrip())
    return lines


def table(
    rows: Sequence[Sequence[object]], head: Sequence[str] | None = None, columns: int | None = None
) -> str:
    """Left-aligned columns two spaces apart, whole numbers right-aligned, no trailing blanks.

    With ``columns`` the table is made to fit a terminal: the widest columns are narrowed and their cells
    wrapped, but no word is cut; line breaks in cells stay.

    >>> print(table([["清一色", 4], ["plain", 16]], ["name", "fan"]))
    name    fan
    清一色    4
    plain    16
    """
    cells = [[str(cell) for cell in row] for row in ([head] if head else []) + [list(row) for row in rows]]
    numeric = [all(isinstance(row[i], int) for row in rows) for i in range(len(rows[0]))] if rows else []
    widths = (
        [max(width(line) for row in cells for line in row[i].split("\n")) for i in range(len(cells[0]))]
        if cells
        else []
    )
    if columns is not None:
        words = [
            max(width(piece.rstrip()) for row in cells for piece in _pieces(row[i]) or [""])
            for i in range(len(widths))
        ]
        widths = _fitting(widths, words, columns)
    lines = []
    for row in cells:
        wrapped = [
            wrap(cell, widths[i]) if columns is not None else cell.split("\n") for i, cell in enumerate(row)
        ]
        for at in range(max(map(len, wrapped))):
            parts = []
            for i, cell in enumerate(wrapped):
                text = cell[at] if at < len(cell) else ""
                blank = " " * (widths[i] - width(text))
                parts.append(blank + text if numeric and numeric[i] else text + blank)
            lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def _fitting(widths: Sequence[int], least: Sequence[int], columns: int) -> list[int]:
    """The widths, the widest columns narrowed until all fit; none below its longest word, nor `NARROWEST`."""
    fitting = list(widths)
    while sum(fitting) + 2 * (len(fitting) - 1) > columns:
        shrinkable = [i for i, now in enumerate(fitting) if now > max(least[i], NARROWEST)]
        if not shrinkable:
            break
        fitting[max(shrinkable, key=lambda i: fitting[i])] -= 1
    return fitting


def table_width(text: str) -> int:
    """Columns that the widest line of a text takes."""
    return max(width(line) for line in text.split("\n"))
