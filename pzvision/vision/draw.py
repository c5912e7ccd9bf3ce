"""Annotated pictures: outlines, names in tile notation, doubt in colour."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.tiles import BACK, OTHER, format_tile, suit
from pzvision.vision.detections import Detections

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class DrawStyle:
    """Colours are BGR; ``text_share`` is a name's height as a share of its tile's side."""

    suits: tuple[Colour, Colour, Colour] = ((60, 60, 235), (70, 190, 40), (235, 150, 30))
    other: Colour = (190, 60, 190)
    back: Colour = (150, 150, 150)
    doubt: float = 0.6
    """Names of a lower probability than this get a question mark."""
    text_share: float = 0.34
    text_px: float = 9.0
    """Names are at least this high."""


def draw_detections(
    image: npt.NDArray[np.uint8], found: Detections, style: DrawStyle | None = None
) -> npt.NDArray[np.uint8]:
    """A copy of ``image`` ``(H, W, 3)`` uint8 BGR with every tile outlined and named, in the same shape.

    A dot marks a tile's top left.
    """
    style = style or DrawStyle()
    out = image.copy()
    ids, sure = found.class_ids, found.confidences
    for i in np.argsort(sure):
        kind, quad = int(ids[i]), found.polygons[i]
        colour = style.back if kind == BACK else style.other if kind == OTHER else style.suits[suit(kind)]
        side = float(np.sqrt(max(cv2.contourArea(quad), 1.0)))
        thick = max(1, round(side / 40))
        cv2.polylines(out, [np.round(quad * 16).astype(np.int32)], True, colour, thick, cv2.LINE_AA, 4)
        if kind == BACK:
            continue
        corner = quad[0] + 0.12 * (quad[2] - quad[0])
        cv2.circle(
            out,
            (round(float(corner[0])), round(float(corner[1]))),
            max(1, round(side / 22)),
            colour,
            -1,
            cv2.LINE_AA,
        )
        text = format_tile(kind) if kind != OTHER else "other"
        label(out, text + ("?" if sure[i] < style.doubt else ""), quad.mean(axis=0), side, colour, style)
    return out


def label(
    image: npt.NDArray[np.uint8],
    text: str,
    centre: npt.NDArray[np.floating],
    side: float,
    colour: Colour,
    style: DrawStyle,
) -> None:
    """Write ASCII ``text`` in a box of ``colour`` round ``centre`` ``(2,)`` px of an image ``(H, W, 3)``.

    ``side``: its tile's, px.
    """
    font = cv2.FONT_HERSHEY_SIMPLEX
    scale = max(style.text_px, side * style.text_share) / 22 * min(1.0, 4.0 / len(text) ** 1.1)
    thick = max(1, round(scale * 1.6))
    (w, h), _ = cv2.getTextSize(text, font, scale, thick)
    x, y = round(float(centre[0]) - w / 2), round(float(centre[1]) + h / 2)
    cv2.rectangle(image, (x - 1, y - h - 2), (x + w + 1, y + 2), colour, -1)
    cv2.putText(image, text, (x, y), font, scale, (255, 255, 255), thick, cv2.LINE_AA)
