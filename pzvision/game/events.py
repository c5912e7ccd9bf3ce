"""The records of a game log: one frozen dataclass per type, with `parse_event` and `format_event`.

The log is JSON lines. Tiles are kinds 0..26, seats "E" "S" "W" "N". Unknown fields are ignored on input;
a bad value raises `FormatError` naming the record, the field and the value.

>>> event = parse_event({"type": "discard", "seat": "E", "tile": "5m", "t": 3.5})
>>> event
Discard(seat='E', tile=4, t=3.5, frame=None, confidence=None)
>>> format_event(event)
{'type': 'discard', 'seat': 'E', 'tile': '5m', 't': 3.5}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, TypeAlias, TypeVar, get_args

from pzvision.errors import FormatError
from pzvision.rules.stream import json_line
from pzvision.tiles import (
    COPIES,
    SEATS,
    Seat,
    Tile,
    format_tile,
    format_tiles,
    parse_seat,
    parse_tiles,
    to_counts,
)

GangKind: TypeAlias = Literal["zhi_gang", "an_gang", "ba_gang"]
DeclarationKind: TypeAlias = Literal["sing", "dance", "bai", "alarm", "tian_jiao", "bao_ting"]
WinBy: TypeAlias = Literal["self_draw", "discard", "rob_kong"]
Tiles: TypeAlias = tuple[Tile, ...]

GANG_KINDS: Final[tuple[GangKind, ...]] = get_args(GangKind)
DECLARATIONS: Final[tuple[DeclarationKind, ...]] = get_args(DeclarationKind)
WIN_BY: Final[tuple[WinBy, ...]] = get_args(WinBy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a video source adds to every record."""

    t: float | None = None
    """Seconds from the start of the recording, when the act was complete."""
    frame: int | None = None
    """Number of that frame."""
    confidence: float | None = None
    """0..1."""


@dataclass(frozen=True, slots=True)
class HandStart(Seen):
    """A new hand. ``options`` override the ruleset's; ``base`` is the stake of one fan."""

    type: ClassVar[str] = "hand_start"
    ruleset: str
    dealer: Seat
    base: int = 1
    options: Mapping[str, object] = field(default_factory=dict)
    names: Mapping[str, str] | None = None

    def __hash__(self) -> int:
        return hash((self.ruleset, self.dealer, self.base))


@dataclass(frozen=True, slots=True)
class Deal(Seen):
    """A dealt hand: 14 tiles for the dealer, 13 for the others; None when it cannot be seen."""

    type: ClassVar[str] = "deal"
    seat: Seat
    tiles: Tiles | None = None


@dataclass(frozen=True, slots=True)
class TailLamp(Seen):
    """The face-up last tile of the wall (尾灯), after the deal and again after each kong."""

    type: ClassVar[str] = "tail_lamp"
    tile: Tile


@dataclass(frozen=True, slots=True)
class Draw(Seen):
    """A tile drawn from the wall, in turn or as a kong's replacement; None when it cannot be seen."""

    type: ClassVar[str] = "draw"
    seat: Seat
    tile: Tile | None = None


@dataclass(frozen=True, slots=True)
class Discard(Seen):
    """A discarded tile."""

    type: ClassVar[str] = "discard"
    seat: Seat
    tile: Tile


@dataclass(frozen=True, slots=True)
class Peng(Seen):
    """碰: claims the last discard."""

    type: ClassVar[str] = "peng"
    seat: Seat
    tile: Tile


@dataclass(frozen=True, slots=True)
class Gang(Seen):
    """杠. ``kept``: a 巴杠 with a tile held since an earlier turn, which pays nothing."""

    type: ClassVar[str] = "gang"
    seat: Seat
    kind: GangKind
    tile: Tile
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Declare(Seen):
    """A declaration. ``tiles``: what is shown with it; ``waits``: what it waits for, when said or seen."""

    type: ClassVar[str] = "declare"
    seat: Seat
    declaration: DeclarationKind
    tiles: Tiles | None = None
    waits: Tiles | None = None


@dataclass(frozen=True, slots=True)
class Win(Seen):
    """胡. ``hand``: the concealed tiles shown, without the winning tile; None when not readable."""

    type: ClassVar[str] = "win"
    seat: Seat
    by: WinBy
    tile: Tile
    hand: Tiles | None = None


@dataclass(frozen=True, slots=True)
class Reveal(Seen):
    """A hand shown at the end."""

    type: ClassVar[str] = "reveal"
    seat: Seat
    hand: Tiles | None = None


@dataclass(frozen=True, slots=True)
class Leave(Seen):
    """A winner leaves the table before the hand is over."""

    type: ClassVar[str] = "leave"
    seat: Seat


@dataclass(frozen=True, slots=True)
class HandEnd(Seen):
    """The hand is over, or its recording stops."""

    type: ClassVar[str] = "hand_end"


Event: TypeAlias = (
    HandStart | Deal | TailLamp | Draw | Discard | Peng | Gang | Declare | Win | Reveal | Leave | HandEnd
)

EVENT_TYPES: Final[tuple[str, ...]] = tuple(cls.type for cls in get_args(Event))


@dataclass(frozen=True, slots=True)
class LogLine:
    """A record with its 1-based line number in the file."""

    line: int
    event: Event


# --- parsing -----------------------------------------------------------------------------------------

_T = TypeVar("_T")
_MISSING: Final = object()
_TILE_CACHE: Final[dict[str, Tile]] = {format_tile(kind): kind for kind in range(27)}


def _fail(kind: str, name: str, value: object, expected: str) -> FormatError:
    shown = repr(value)
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return FormatError(f"{kind}: {name} {shown}: {expected}", field=name)


def _need(record: Mapping[str, Any], kind: str, name: str) -> Any:
    value = record.get(name, _MISSING)
    if value is _MISSING:
        raise FormatError(f"{kind}: {name} is missing", field=name)
    return value


def _seat(record: Mapping[str, Any], kind: str, name: str = "seat") -> Seat:
    value = _need(record, kind, name)
    try:
        return parse_seat(value)
    except FormatError:
        raise _fail(kind, name, value, "expected one of E S W N") from None


def _tile(record: Mapping[str, Any], kind: str) -> Tile:
    value = _need(record, kind, "tile")
    found = _TILE_CACHE.get(value) if isinstance(value, str) else None
    if found is None:
        raise _fail(kind, "tile", value, "expected one tile such as 5m")
    return found


def _tiles(record: Mapping[str, Any], kind: str, name: str, most: int) -> Tiles | None:
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise _fail(kind, name, value, "expected tiles such as 123m55s, or null")
    try:
        tiles = parse_tiles(value)
    except FormatError as error:
        raise FormatError(f"{kind}: {name}: {error}", field=name) from None
    if len(tiles) > most:
        raise _fail(kind, name, value, f"{len(tiles)} tiles, expected at most {most}")
    for tile, count in enumerate(to_counts(tiles)):
        if count > COPIES:
            raise _fail(kind, name, value, f"{count} times {format_tile(tile)}, there are only {COPIES}")
    return tuple(sorted(tiles))


def _choice(record: Mapping[str, Any], kind: str, name: str, allowed: tuple[_T, ...]) -> _T:
    value = _need(record, kind, name)
    for choice in allowed:
        if value == choice and isinstance(value, str):
            return choice
    raise _fail(kind, name, value, "expected one of " + " ".join(str(a) for a in allowed))


def _number(record: Mapping[str, Any], kind: str, name: str) -> float | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) > 1e12:
        raise _fail(kind, name, value, "expected a number")
    return value


def _whole(record: Mapping[str, Any], kind: str, name: str) -> int | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 10**12:
        raise _fail(kind, name, value, "expected a whole number")
    return value


def _seen(record: Mapping[str, Any], kind: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if "t" in record:
        out["t"] = _number(record, kind, "t")
    if "frame" in record:
        out["frame"] = _whole(record, kind, "frame")
    if "confidence" in record:
        out["confidence"] = _number(record, kind, "confidence")
    return out


def _hand_start(record: Mapping[str, Any]) -> HandStart:
    kind = "hand_start"
    ruleset = _need(record, kind, "ruleset")
    if not isinstance(ruleset, str) or not ruleset:
        raise _fail(kind, "ruleset", ruleset, "expected the id of a ruleset")
    options = record.get("options")
    if options is None:
        options = {}
    if not isinstance(options, Mapping):
        raise _fail(kind, "options", options, "expected an object of options")
    base = record.get("base", 1)
    if isinstance(base, bool) or not isinstance(base, int) or not 1 <= base <= 10**9:
        raise _fail(kind, "base", base, "expected a whole number from 1")
    names = record.get("names")
    if names is not None:
        if not isinstance(names, Mapping):
            raise _fail(kind, "names", names, "expected an object of seat to name")
        for seat, name in names.items():
            if seat not in SEATS:
                raise _fail(kind, "names", seat, "expected seats E S W N")
            if not isinstance(name, str):
                raise _fail(kind, "names", name, "expected text")
        names = dict(names)
    dealer = _seat(record, kind, "dealer")
    return HandStart(ruleset, dealer, base, dict(options), names, **_seen(record, kind))


def _draw_tile(record: Mapping[str, Any]) -> Tile | None:
    return None if record.get("tile") is None else _tile(record, "draw")


def _kept(record: Mapping[str, Any]) -> bool:
    value = record.get("kept")
    if value is None:
        return False
    if not isinstance(value, bool):
        raise _fail("gang", "kept", value, "expected true or false")
    return value


_PARSERS: Final[dict[str, Callable[[Mapping[str, Any]], Event]]] = {
    "hand_start": _hand_start,
    "deal": lambda r: Deal(_seat(r, "deal"), _tiles(r, "deal", "tiles", 14), **_seen(r, "deal")),
    "tail_lamp": lambda r: TailLamp(_tile(r, "tail_lamp"), **_seen(r, "tail_lamp")),
    "draw": lambda r: Draw(_seat(r, "draw"), _draw_tile(r), **_seen(r, "draw")),
    "discard": lambda r: Discard(_seat(r, "discard"), _tile(r, "discard"), **_seen(r, "discard")),
    "peng": lambda r: Peng(_seat(r, "peng"), _tile(r, "peng"), **_seen(r, "peng")),
    "gang": lambda r: Gang(
        _seat(r, "gang"),
        _choice(r, "gang", "kind", GANG_KINDS),
        _tile(r, "gang"),
        _kept(r),
        **_seen(r, "gang"),
    ),
    "declare": lambda r: Declare(
        _seat(r, "declare"),
        _choice(r, "declare", "declaration", DECLARATIONS),
        _tiles(r, "declare", "tiles", 13),
        _tiles(r, "declare", "waits", 27),
        **_seen(r, "declare"),
    ),
    "win": lambda r: Win(
        _seat(r, "win"),
        _choice(r, "win", "by", WIN_BY),
        _tile(r, "win"),
        _tiles(r, "win", "hand", 13),
        **_seen(r, "win"),
    ),
    "reveal": lambda r: Reveal(_seat(r, "reveal"), _tiles(r, "reveal", "hand", 14), **_seen(r, "reveal")),
    "leave": lambda r: Leave(_seat(r, "leave"), **_seen(r, "leave")),
    "hand_end": lambda r: HandEnd(**_seen(r, "hand_end")),
}


def parse_event(record: Mapping[str, Any]) -> Event:
    """A log record as its dataclass. Raises `FormatError` naming record type, field and value."""
    if not isinstance(record, Mapping):
        raise FormatError(f"record {str(record)[:40]!r}: expected a JSON object with a type", field="type")
    kind = record.get("type")
    parser = _PARSERS.get(kind) if isinstance(kind, str) else None
    if parser is None:
        raise _fail("record", "type", kind, "expected one of " + " ".join(EVENT_TYPES))
    return parser(record)


def _shown(tiles: Tiles | None) -> str | None:
    return None if tiles is None else format_tiles(tiles)


def format_event(event: Event) -> dict[str, Any]:
    """The record of an event; the inverse of `parse_event` (None fields that are optional are left out)."""
    out: dict[str, Any] = {"type": event.type}
    match event:
        case HandStart():
            out.update(
                ruleset=event.ruleset, options=dict(event.options), base=event.base, dealer=event.dealer
            )
            if event.names is not None:
                out["names"] = dict(event.names)
        case Deal():
            out.update(seat=event.seat, tiles=_shown(event.tiles))
        case TailLamp():
            out["tile"] = format_tile(event.tile)
        case Draw():
            out.update(seat=event.seat, tile=None if event.tile is None else format_tile(event.tile))
        case Discard() | Peng():
            out.update(seat=event.seat, tile=format_tile(event.tile))
        case Gang():
            out.update(seat=event.seat, kind=event.kind, tile=format_tile(event.tile), kept=event.kept)
        case Declare():
            out.update(
                seat=event.seat,
                declaration=event.declaration,
                tiles=_shown(event.tiles),
                waits=_shown(event.waits),
            )
        case Win():
            out.update(seat=event.seat, by=event.by, tile=format_tile(event.tile), hand=_shown(event.hand))
        case Reveal():
            out.update(seat=event.seat, hand=_shown(event.hand))
        case Leave():
            out["seat"] = event.seat
        case HandEnd():
            pass
    if event.t is not None:
        out["t"] = event.t
    if event.frame is not None:
        out["frame"] = event.frame
    if event.confidence is not None:
        out["confidence"] = event.confidence
    return out


def format_log(events: Iterable[Event]) -> str:
    """The events as JSON lines, each ending in a newline."""
    return "".join(json_line(format_event(event)) + "\n" for event in events)


def read_log(lines: Iterable[str]) -> Iterator[LogLine]:
    """Parse JSON lines; blank lines are skipped but counted.

    Raises `FormatError` whose message starts with the line number, at the first bad line.
    """
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", type(error).__name__)
            raise FormatError(f"line {number}: not a JSON object: {reason}", field="record") from None
        try:
            event = parse_event(record)
        except FormatError as error:
            raise FormatError(f"line {number}: {error}", field=error.field) from None
        yield LogLine(number, event)
