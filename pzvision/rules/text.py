"""Tables for people on a terminal: Chinese characters take two columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def width(text: str) -> int:
    """Columns the text takes on a terminal."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def table(rows: Sequence[Sequence[object]], head: Sequence[str] | None = None) -> str:
    """Left-aligned columns two spaces apart, whole numbers right-aligned, no trailing blanks.

    >>> print(table([["清一色", 4], ["plain", 16]], ["name", "fan"]))
    name    fan
    清一色    4
    plain    16
    """
    cells = [[str(cell) for cell in row] for row in ([head] if head else []) + [list(row) for row in rows]]
    numeric = [all(isinstance(row[i], int) for row in rows) for i in range(len(rows[0]))] if rows else []
    widths = [max(width(row[i]) for row in cells) for i in range(len(cells[0]))] if cells else []
    lines = []
    for row in cells:
        parts = []
        for i, cell in enumerate(row):
            blank = " " * (widths[i] - width(cell))
            parts.append(blank + cell if numeric and numeric[i] else cell + blank)
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)
