"""Words for tiles and payments, shared by announcements, page and prints."""

from __future__ import annotations

from collections.abc import Sequence

from pzvision.game import Declare, Draw, Event, Gang, Payment
from pzvision.messages import catalogue, say
from pzvision.rules.explain import pattern_name
from pzvision.tiles import SEAT_NAMES, Lang, Seat, Tile, format_tiles, tile_name


def tile_names(tiles: Sequence[Tile], lang: Lang) -> str:
    """``五万、八万`` / ``58m``."""
    return "、".join(tile_name(tile, "zh") for tile in tiles) if lang == "zh" else format_tiles(tiles)


def why_text(payment: Payment, lang: Lang) -> str:
    """What a payment is for: the ids of ``why`` by their names, ``清一色 × 卡心五``."""
    if payment.kind == "win" and payment.why:
        return " × ".join(_part(part, lang) for part in payment.why.split(" × "))
    return say(f"game.why.{payment.why}" if payment.kind == "kong" else f"game.kind.{payment.kind}", lang)


def _part(part: str, lang: Lang) -> str:
    try:
        return pattern_name(part, lang)
    except KeyError:
        key = f"rules.factor.{part}"
        if part == "ping_hu":
            key = "rules.plain"
        return say(key, lang) if key in catalogue() else part


def record_text(event: Event, lang: Lang) -> str:
    """A record in a few words: ``西家碰 四条``."""
    seat: Seat | None = getattr(event, "seat", None)
    tile: int | None = getattr(event, "tile", None)
    key = f"record.{event.kind if isinstance(event, Gang) else event.type}"
    if isinstance(event, Draw) and tile is not None:
        key = "record.draw_seen"
    fields = {
        "seat": "" if seat is None else SEAT_NAMES[lang][seat],
        "tile": "" if tile is None else tile_names([tile], lang),
        "what": say(f"declare.{event.declaration}", lang) if isinstance(event, Declare) else "",
    }
    return say(key, lang, **fields)
