"""Makes ``outlines.json`` anew from a font file, after the sheet's words have changed.

    python -m pzvision.sheet.make_outlines NotoSansCJK-Regular.ttc "Noto Sans CJK SC"

Needs fontTools, which nothing else here does. The font's licence must allow its outlines in a document:
Noto Sans CJK is under the SIL Open Font License 1.1 (``OFL.txt`` beside the outlines).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pzvision.messages.calibrate import SHEET


def characters(value: Any = SHEET) -> set[str]:
    """Every character of the sheet's words, and those its pages put between them."""
    if isinstance(value, str):
        return set(value)
    items = value.values() if isinstance(value, dict) else value
    return {char for item in items for char in characters(item)} | set("0123456789 ")


def main(font_file: str, family: str) -> None:
    """Write the outlines of that family out of a font collection."""
    from fontTools.pens.recordingPen import RecordingPen  # type: ignore[import-untyped,import-not-found,unused-ignore]
    from fontTools.ttLib import TTCollection  # type: ignore[import-untyped,import-not-found,unused-ignore]

    font = next(f for f in TTCollection(font_file).fonts if f["name"].getDebugName(1) == family)
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    letters = {"moveTo": "M", "lineTo": "L", "curveTo": "C", "closePath": "Z", "endPath": "Z"}
    rows = []
    for char in sorted(characters()):
        glyph = glyphs[names[ord(char)]]
        pen = RecordingPen()
        glyph.draw(pen)
        path = "".join(
            letters[step] + " ".join(f"{round(x)} {round(y)}" for x, y in points)
            for step, points in pen.value
        )
        rows.append(f" {json.dumps(char, ensure_ascii=False)}: {json.dumps([round(glyph.width), path])}")
    target = Path(__file__).with_name("outlines.json")
    target.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
