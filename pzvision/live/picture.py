"""Pictures for people: the frame with its tiles outlined and named, and the state of the game beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.messages import say
from pzvision.synth.faces import draw_face
from pzvision.tiles import BACK, SEAT_NAMES, SEATS, Lang, Seat, Tile, parse_tile, parse_tiles
from pzvision.vision.capture import Image

Colour = tuple[int, int, int]

# BGR
SEAT_COLOURS: Final[dict[Seat, Colour]] = {
    "E": (90, 110, 240),
    "S": (90, 200, 110),
    "W": (235, 170, 80),
    "N": (70, 200, 240),
}
_UNOWNED: Final[Colour] = (210, 210, 210)
_INK: Final[Colour] = (236, 242, 240)
_DIM: Final[Colour] = (165, 180, 172)
_PANEL: Final[Colour] = (38, 34, 22)
_CARD: Final[Colour] = (54, 48, 32)
_GOLD: Final[Colour] = (78, 193, 242)
_GREEN: Final[Colour] = (155, 211, 99)
_RED: Final[Colour] = (95, 111, 240)
_KIND_COLOURS: Final[dict[str, Colour]] = {
    "ready": _GOLD,
    "kong_legal": (255, 183, 125),
    "win": _GREEN,
    "violation": _RED,
    "uncertain": (255, 155, 211),
}

# OpenCV 5 brings fonts with Chinese characters; OpenCV 4 draws ASCII only.
_FONT: Final = cv2.FontFace("sans") if hasattr(cv2, "FontFace") else None


def picture_lang(lang: Lang) -> Lang:
    """The language pictures can be written in: Chinese needs OpenCV 5."""
    return lang if _FONT is not None else "en"


def put_text(
    image: Image, text: str, at: tuple[int, int], colour: Colour, size: int = 18, weight: int = 400
) -> int:
    """Write text, ``size`` px high, its baseline's left end at ``at`` px; returns the x where it ends."""
    if _FONT is not None:
        end, _ = cv2.putText(image, text, at, colour, _FONT, size, weight)
        return int(end[0])
    plain = text.encode("ascii", "replace").decode()
    scale, thick = size / 30, 2 if weight > 500 else 1
    cv2.putText(image, plain, at, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, thick, cv2.LINE_AA)
    return at[0] + int(cv2.getTextSize(plain, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)[0][0])


@lru_cache(maxsize=4096)
def text_width(text: str, size: int = 18, weight: int = 400) -> int:
    """Width of a text in px; so is ``size``."""
    scratch = np.zeros((4, 4, 3), np.uint8)
    return put_text(scratch, text, (0, 2), _INK, size, weight)


def fit_text(text: str, width: int, size: int = 18, weight: int = 400) -> str:
    """The text, ``size`` px high, cut with an ellipsis so that it is at most ``width`` px wide."""
    if text_width(text, size, weight) <= width:
        return text
    while text and text_width(text + "…", size, weight) > width:
        text = text[:-1]
    return text + "…"


def wrap_text(text: str, width: int, size: int = 18, lines: int = 2) -> list[str]:
    """Text, ``size`` px, in at most ``lines`` lines of ``width`` px, the last one cut with an ellipsis."""
    out: list[str] = []
    rest = text
    while rest and len(out) < lines - 1:
        cut = len(rest)
        while cut > 1 and text_width(rest[:cut], size) > width:
            cut -= 1
        if cut < len(rest):
            space = rest.rfind(" ", 0, cut + 1)
            if space > cut // 2:
                cut = space
        out.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    if rest:
        out.append(fit_text(rest, width, size))
    return out


@lru_cache(maxsize=256)
def tile_icon(tile: Tile, height: int) -> Image:
    """A tile as a small picture, ``(height, 3/4 height, 3)``; ``height`` in px."""
    face = draw_face(tile, "jade" if tile == BACK else "white", height).copy()
    cv2.rectangle(face, (0, 0), (face.shape[1] - 1, height - 1), (120, 130, 130), 1)
    return face


def put_tile(image: Image, tile: Tile, at: tuple[int, int], height: int) -> int:
    """Paste a tile, ``height`` px, with its top left ``at`` px; returns the x after it.

    Nothing outside the picture.
    """
    icon = tile_icon(tile, height)
    x, y = at
    if x >= 0 and y >= 0 and x + icon.shape[1] <= image.shape[1] and y + height <= image.shape[0]:
        image[y : y + height, x : x + icon.shape[1]] = icon
    return x + int(icon.shape[1]) + 1


@dataclass(frozen=True, eq=False)
class Outline:
    """One tile to be drawn over the frame.

    Attributes:
        polygon: ``(4, 2)`` px.
        label: short name, such as ``5m``.
        seat: whose it is, or None.
        sure: drawn with a full line; else dashed.
    """

    polygon: npt.NDArray[np.floating]
    label: str
    seat: Seat | None = None
    sure: bool = True


def draw_outlines(image: Image, outlines: Sequence[Outline], lang: Lang = "zh") -> Image:
    """A copy of the picture with every tile outlined in its owner's colour and named."""
    out = image.copy()
    scale = max(1.0, image.shape[1] / 1280)
    for item in outlines:
        colour = SEAT_COLOURS[item.seat] if item.seat else _UNOWNED
        points = np.round(item.polygon).astype(np.int32)
        if item.sure:
            cv2.polylines(out, [points], True, colour, max(1, round(2 * scale)), cv2.LINE_AA)
        else:
            cv2.polylines(out, [points], True, colour, 1, cv2.LINE_AA)
    for item in outlines:
        if not item.label:
            continue
        colour = SEAT_COLOURS[item.seat] if item.seat else _UNOWNED
        low, high = item.polygon.min(axis=0), item.polygon.max(axis=0)
        # As large as the tile allows, so that the names of a row do not cover one another.
        size = round(min(max(0.5 * float((high - low).min()), 10 * scale), 16 * scale))
        wide = text_width(item.label, size, 600)
        x, y = round(float(low[0] + high[0] - wide) / 2), round(float(low[1])) - 1
        cv2.rectangle(out, (x - 1, y - size), (x + wide + 2, y + 3), (20, 20, 20), -1)
        put_text(out, item.label, (x, y), colour, size, 600)
    return out


def side_panel(view: Mapping[str, Any], height: int, lang: Lang = "zh", width: int = 560) -> Image:
    """The state of the game as a picture ``(height, width, 3)``: seats, last announcements, ledger.

    ``view`` is what ``/state`` answers; ``height`` and ``width`` are px.
    """
    lang = picture_lang(lang)
    panel = np.empty((height, width, 3), np.uint8)
    panel[:] = _PANEL
    y = _header(panel, view, lang)
    seats = view.get("seats") or {}
    # Room for the rest: six announcements and the totals.
    each = max(84, min(118, (height - y - 250) // 4))
    for seat in _around(view):
        if seat in seats:
            _seat_card(panel, view, seat, y, each - 6, lang)
        y += each
    y = _totals(panel, view, y + 4, lang)
    _news(panel, view, y + 8, lang)
    return panel


def _around(view: Mapping[str, Any]) -> list[Seat]:
    near = SEATS.index(view.get("near_seat") or "E")
    return [SEATS[(near + i) % 4] for i in range(4)]


def _header(panel: Image, view: Mapping[str, Any], lang: Lang) -> int:
    ruleset = view.get("ruleset")
    x = put_text(panel, ruleset["name"][lang] if ruleset else "pzvision", (14, 28), _INK, 20, 700)
    facts = []
    if view.get("hand"):
        facts.append(say("live.hand", lang, hand=view["hand"]))
    if view.get("wall_left") is not None:
        facts.append(say("live.wall", lang, n=view["wall_left"]))
    source = view.get("source")
    if source and source.get("t") is not None:
        facts.append(f"{source['t']:.1f} s")
    put_text(panel, "   ".join(facts), (x + 18, 28), _DIM, 16)
    return 40


def _seat_card(panel: Image, view: Mapping[str, Any], seat: Seat, y: int, height: int, lang: Lang) -> None:
    player = view["seats"][seat]
    width = panel.shape[1]
    turn = view.get("turn") == seat and view.get("phase") != "over"
    cv2.rectangle(panel, (8, y), (width - 9, y + height), _CARD, -1)
    if turn:
        cv2.rectangle(panel, (8, y), (width - 9, y + height), _GOLD, 2)
    cv2.rectangle(panel, (8, y), (13, y + height), SEAT_COLOURS[seat], -1)
    x = put_text(panel, fit_text(player["name"][lang], 150, 17, 700), (22, y + 20), _INK, 17, 700) + 10
    tags = []
    if view.get("dealer") == seat:
        tags.append(say("live.dealer_mark", lang))
    if player["declaration"] != "none":
        tags.append(say(f"declare.{player['declaration']}", lang))
    tags += [say(f"declare.{mark}", lang) for mark in player["marks"]]
    if player["won"]:
        tags.append(say("live.won_mark", lang))
    for tag in tags:
        x = put_text(panel, tag, (x, y + 20), _GOLD, 15, 600) + 10
    if player["waits"]:
        x = put_text(panel, say("live.waits_mark", lang), (x, y + 20), _GREEN, 15, 600) + 4
        for wait in player["waits"][:8]:
            x = put_tile(panel, parse_tile(wait["tile"]), (x, y + 4), 20)
    total = int(player["total"])
    shown = f"{total:+d}" if total else "0"
    colour = _GREEN if total > 0 else _RED if total < 0 else _DIM
    put_text(panel, shown, (width - 18 - text_width(shown, 18, 700), y + 20), colour, 18, 700)
    x, tall = 22, 30
    for meld in player["melds"]:
        for _ in range(3 if meld["kind"] == "peng" else 4):
            x = put_tile(panel, parse_tile(meld["tile"]), (x, y + 27), tall)
        x += 6
    for tile in parse_tiles(player["known"]):
        x = put_tile(panel, tile, (x, y + 27), tall)
    if player["unknown"]:
        x = put_tile(panel, BACK, (x, y + 27), tall)
        put_text(
            panel, f"×{player['unknown']}" if _FONT else f"x{player['unknown']}", (x + 3, y + 48), _DIM, 15
        )
    x, top, small = 22, y + 61, 24
    for tile in map(parse_tile, player["river"]):
        if x + small > width - 12:
            x, top = 22, top + small + 1
        if top + small > y + height:
            break
        x = put_tile(panel, tile, (x, top), small)


def _totals(panel: Image, view: Mapping[str, Any], y: int, lang: Lang) -> int:
    lines = view.get("ledger") or []
    size = 15
    for pay in lines[-3:]:
        names = SEAT_NAMES[lang]
        text = f"{names[pay['from']]} → {names[pay['to']]}  {pay['amount']}   {pay['why'][lang]}"
        if _FONT is None:
            text = text.replace("→", "->")
        put_text(panel, fit_text(text, panel.shape[1] - 30, size), (16, y + 16), _DIM, size)
        y += 21
    return y


def _news(panel: Image, view: Mapping[str, Any], y: int, lang: Lang) -> None:
    cv2.line(panel, (14, y), (panel.shape[1] - 15, y), (70, 64, 50), 1)
    y += 6
    size = 16
    for news in reversed([a for a in view.get("announcements") or [] if not a.get("retracted")]):
        lines = wrap_text(news[lang], panel.shape[1] - 44, size)
        if y + 21 * len(lines) > panel.shape[0] - 4:
            return
        colour = _KIND_COLOURS.get(news["kind"], _INK)
        cv2.rectangle(panel, (16, y + 4), (19, y + 21 * len(lines) - 2), colour, -1)
        for line in lines:
            put_text(panel, line, (28, y + 17), colour, size)
            y += 21
        y += 4


def beside(frame: Image, panel: Image) -> Image:
    """Frame and panel side by side; the frame is scaled to the panel's height."""
    height = panel.shape[0]
    if frame.shape[0] != height:
        width = round(frame.shape[1] * height / frame.shape[0] / 2) * 2
        frame = np.asarray(cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    return np.hstack([frame, panel])
