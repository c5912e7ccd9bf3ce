"""Checked fields of a log's record. Each raises `FormatError` naming the record, the field and the value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from pzvision.errors import FormatError
from pzvision.tiles import COPIES, Seat, Tile, format_tile, parse_seat, parse_tiles, to_counts

_T = TypeVar("_T")
_MISSING: Final = object()
_TILE_CACHE: Final[dict[str, Tile]] = {format_tile(kind): kind for kind in range(27)}


def fail(kind: str, name: str, value: object, expected: str) -> FormatError:
    """The error for a bad value, the value shown in at most 60 characters."""
    shown = repr(value)
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return FormatError(f"{kind}: {name} {shown}: {expected}", field=name)


def need(record: Mapping[str, Any], kind: str, name: str) -> Any:
    """A field that must be there. Raises `FormatError`."""
    value = record.get(name, _MISSING)
    if value is _MISSING:
        raise FormatError(f"{kind}: {name} is missing", field=name)
    return value


def seat(record: Mapping[str, Any], kind: str, name: str = "seat") -> Seat:
    """A seat that must be there. Raises `FormatError`."""
    value = need(record, kind, name)
    try:
        return parse_seat(value)
    except FormatError:
        raise fail(kind, name, value, "expected one of E S W N") from None


def tile(record: Mapping[str, Any], kind: str) -> Tile:
    """One tile that must be there. Raises `FormatError`."""
    value = need(record, kind, "tile")
    found = _TILE_CACHE.get(value) if isinstance(value, str) else None
    if found is None:
        raise fail(kind, "tile", value, "expected one tile such as 5m")
    return found


def tiles(record: Mapping[str, Any], kind: str, name: str, most: int) -> tuple[Tile, ...] | None:
    """At most ``most`` tiles, sorted; None when absent or null. Raises `FormatError`."""
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise fail(kind, name, value, "expected tiles such as 123m55s, or null")
    try:
        tiles = parse_tiles(value)
    except FormatError as error:
        raise FormatError(f"{kind}: {name}: {error}", field=name) from None
    if len(tiles) > most:
        raise fail(kind, name, value, f"{len(tiles)} tiles, expected at most {most}")
    for tile, count in enumerate(to_counts(tiles)):
        if count > COPIES:
            raise fail(kind, name, value, f"{count} times {format_tile(tile)}, there are only {COPIES}")
    return tuple(sorted(tiles))


def choice(record: Mapping[str, Any], kind: str, name: str, allowed: tuple[_T, ...]) -> _T:
    """One of some words. Raises `FormatError`."""
    value = need(record, kind, name)
    for choice in allowed:
        if value == choice and isinstance(value, str):
            return choice
    raise fail(kind, name, value, "expected one of " + " ".join(str(a) for a in allowed))


def number(record: Mapping[str, Any], kind: str, name: str) -> float | None:
    """A finite number (s or 0–1, as its field is); None when absent or null. Raises `FormatError`."""
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) > 1e12:
        raise fail(kind, name, value, "expected a number")
    return value


def whole(record: Mapping[str, Any], kind: str, name: str) -> int | None:
    """A whole number; None when absent or null. Raises `FormatError`."""
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 10**12:
        raise fail(kind, name, value, "expected a whole number")
    return value


def seen(record: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The fields a video source adds, as keyword arguments of a record (only those given)."""
    out: dict[str, Any] = {}
    if "t" in record:
        out["t"] = number(record, kind, "t")
    if "frame" in record:
        out["frame"] = whole(record, kind, "frame")
    if "confidence" in record:
        out["confidence"] = number(record, kind, "confidence")
    return out
