"""Detections as the records of ``pzvision detect --json`` (INTERFACE.md)."""

from __future__ import annotations

from typing import Any

from pzvision.tiles import format_tile
from pzvision.vision.detections import Detections


def detections_record(image: str, found: Detections) -> dict[str, Any]:
    """One picture's record: surest tile first, px of the original picture to a tenth."""
    ids, sure, boxes = found.class_ids, found.confidences, found.boxes
    rows = []
    for i in sure.argsort()[::-1]:
        rows.append(
            {
                "tile": format_tile(int(ids[i])),
                "confidence": round(float(sure[i]), 4),
                "box": [round(float(v), 1) for v in boxes[i]],
                "polygon": [[round(float(x), 1), round(float(y), 1)] for x, y in found.polygons[i]],
            }
        )
    width, height = found.image_size
    return {"image": image, "width": width, "height": height, "detections": rows}


def summary_line(image: str, found: Detections) -> str:
    """One line for people: ``a.jpg: 14 tiles: 123m55s…, 2 other, 8 backs``."""
    from pzvision.tiles import BACK, KINDS, OTHER, format_tiles

    ids = [int(i) for i in found.class_ids]
    named = format_tiles(i for i in ids if i < KINDS)
    parts = [named] if named else []
    for kind, word in ((OTHER, "other"), (BACK, "back")):
        if kind in ids:
            parts.append(f"{ids.count(kind)} {word}")
    return f"{image}: {len(ids)} 张 tiles" + (": " + ", ".join(parts) if parts else "")
