"""A page of filled shapes, in millimetres, written as SVG or as a page of a PDF.

Text is drawn as outlines (`text_path`), so that neither file needs a font where it is shown or printed.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Final, Literal

Anchor = Literal["left", "middle", "right"]
_POINTS: Final = 72 / 25.4  # PDF points in a mm
_STEP: Final = re.compile(r"([MLCZ])([^MLCZ]*)")


@dataclass
class Page:
    """One sheet of paper; ``x`` to the right and ``y`` down from its top left corner.

    All lengths in its methods are mm, a ``grey`` is 0 (black) to 1 (white), 0–1.

    Attributes:
        width, height: mm.
        title: for readers of the file.
        shapes: ``(path, grey)``: path data of absolute ``M L C Z`` in mm, filled with a grey of 0–1.
    """

    width: float
    height: float
    title: str
    shapes: list[tuple[str, float]] = field(default_factory=list)

    def polygon(self, points: Sequence[tuple[float, float]], grey: float = 0.0) -> None:
        """A filled polygon."""
        steps = [f"{'L' if k else 'M'}{_n(x)} {_n(y)}" for k, (x, y) in enumerate(points)]
        self.shapes.append(("".join(steps) + "Z", grey))

    def rect(self, x: float, y: float, width: float, height: float, grey: float = 0.0) -> None:
        """A filled rectangle."""
        self.polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], grey)

    def frame(self, x: float, y: float, width: float, height: float, line: float, grey: float = 0.0) -> None:
        """A rectangle's outline of that line width, inside it."""
        self.rect(x, y, width, line, grey)
        self.rect(x, y + height - line, width, line, grey)
        self.rect(x, y + line, line, height - 2 * line, grey)
        self.rect(x + width - line, y + line, line, height - 2 * line, grey)

    def text(
        self, x: float, y: float, text: str, size: float, *, anchor: Anchor = "left", grey: float = 0.0
    ) -> None:
        """A line of text, its baseline at ``y``, ``size`` mm to the em."""
        width = text_width(text, size)
        start = x - {"left": 0.0, "middle": width / 2, "right": width}[anchor]
        path = text_path(start, y, text, size)
        if path:
            self.shapes.append((path, grey))

    def svg(self) -> str:
        """The page as an SVG file of its true size."""
        rows = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(self.width)}mm" height="{_n(self.height)}mm"'
            f' viewBox="0 0 {_n(self.width)} {_n(self.height)}">',
            f"<title>{self.title}</title>",
            f'<rect width="{_n(self.width)}" height="{_n(self.height)}" fill="#fff"/>',
        ]
        for path, grey in self.shapes:
            level = f"{round(grey * 255):02x}"
            rows.append(f'<path fill="#{level * 3}" d="{path}"/>')
        return "\n".join([*rows, "</svg>", ""])

    def content(self) -> bytes:
        """The page's content stream, in mm from the top left."""
        rows = [f"{_POINTS:.6f} 0 0 {-_POINTS:.6f} 0 {self.height * _POINTS:.4f} cm"]
        for path, grey in self.shapes:
            rows.append(f"{_n(grey)} g")
            for letter, numbers in _STEP.findall(path):
                rows.append(f"{numbers.strip()} {_OPERATORS[letter]}".strip())
            rows.append("f")
        return "\n".join(rows).encode("ascii")


_OPERATORS: Final = {"M": "m", "L": "l", "C": "c", "Z": "h"}


def pdf(pages: Sequence[Page]) -> bytes:
    """A PDF 1.4 of these pages. The same pages always give the same bytes."""
    objects: list[bytes] = []
    kids = " ".join(f"{3 + 2 * k} 0 R" for k in range(len(pages)))
    objects.append(b"<< /Type /Catalog /Pages 2 0 R >>")
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode("ascii"))
    for k, page in enumerate(pages):
        box = f"[0 0 {page.width * _POINTS:.3f} {page.height * _POINTS:.3f}]"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Resources << >> /Contents {4 + 2 * k} 0 R >>"
            .encode("ascii")
        )  # fmt: skip
        data = zlib.compress(page.content(), 9)
        head = f"<< /Length {len(data)} /Filter /FlateDecode >>\nstream\n".encode("ascii")
        objects.append(head + data + b"\nendstream")
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode("ascii") + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode("ascii")
    for place in places:
        out += f"{place:010d} 00000 n \n".encode("ascii")
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode("ascii")
    return bytes(out)


def text_width(text: str, size: float) -> float:
    """Width in mm of a line of text, ``size`` mm to the em. Raises `KeyError` for a character not drawn."""
    glyphs = _outlines()
    return sum(float(glyphs[char][0]) for char in text) * size / 1000


def text_path(x: float, y: float, text: str, size: float) -> str:
    """Path data of a line of text whose baseline starts at ``(x, y)`` mm, ``size`` mm to the em.

    Raises `KeyError` for a character not drawn.
    """
    glyphs = _outlines()
    scale = size / 1000
    out = []
    for char in text:
        advance, path = glyphs[char]
        for letter, numbers in _STEP.findall(path):
            values = [float(v) for v in numbers.split()]
            moved = [_n(x + v * scale) if k % 2 == 0 else _n(y - v * scale) for k, v in enumerate(values)]
            out.append(letter + " ".join(moved))
        x += float(advance) * scale
    return "".join(out)


@cache
def _outlines() -> dict[str, tuple[float, str]]:
    """Each character's advance and path (1000 to the em, y up)."""
    data = (resources.files("pzvision.sheet") / "outlines.json").read_text(encoding="utf-8")
    return {char: (float(advance), str(path)) for char, (advance, path) in json.loads(data).items()}


def _n(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
