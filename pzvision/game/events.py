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
from typing import Any, ClassVar, Final, Literal, TypeAlias, get_args

from pzvision.errors import FormatError
from pzvision.game import fields
from pzvision.rules.stream import json_line
from pzvision.tiles import (
    SEATS,
    Seat,
    Tile,
    format_tile,
    format_tiles,
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
    """0–1."""


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


def _hand_start(record: Mapping[str, Any]) -> HandStart:
    kind = "hand_start"
    ruleset = fields.need(record, kind, "ruleset")
    if not isinstance(ruleset, str) or not ruleset:
        raise fields.fail(kind, "ruleset", ruleset, "expected the id of a ruleset")
    options = record.get("options")
    if options is None:
        options = {}
    if not isinstance(options, Mapping):
        raise fields.fail(kind, "options", options, "expected an object of options")
    base = record.get("base", 1)
    if isinstance(base, bool) or not isinstance(base, int) or not 1 <= base <= 10**9:
        raise fields.fail(kind, "base", base, "expected a whole number from 1")
    names = record.get("names")
    if names is not None:
        if not isinstance(names, Mapping):
            raise fields.fail(kind, "names", names, "expected an object of seat to name")
        for seat, name in names.items():
            if seat not in SEATS:
                raise fields.fail(kind, "names", seat, "expected seats E S W N")
            if not isinstance(name, str):
                raise fields.fail(kind, "names", name, "expected text")
        names = dict(names)
    dealer = fields.seat(record, kind, "dealer")
    return HandStart(ruleset, dealer, base, dict(options), names, **fields.seen(record, kind))


def _draw_tile(record: Mapping[str, Any]) -> Tile | None:
    return None if record.get("tile") is None else fields.tile(record, "draw")


def _kept(record: Mapping[str, Any]) -> bool:
    value = record.get("kept")
    if value is None:
        return False
    if not isinstance(value, bool):
        raise fields.fail("gang", "kept", value, "expected true or false")
    return value


_PARSERS: Final[dict[str, Callable[[Mapping[str, Any]], Event]]] = {
    "hand_start": _hand_start,
    "deal": lambda r: Deal(
        fields.seat(r, "deal"), fields.tiles(r, "deal", "tiles", 14), **fields.seen(r, "deal")
    ),
    "tail_lamp": lambda r: TailLamp(fields.tile(r, "tail_lamp"), **fields.seen(r, "tail_lamp")),
    "draw": lambda r: Draw(fields.seat(r, "draw"), _draw_tile(r), **fields.seen(r, "draw")),
    "discard": lambda r: Discard(
        fields.seat(r, "discard"), fields.tile(r, "discard"), **fields.seen(r, "discard")
    ),
    "peng": lambda r: Peng(fields.seat(r, "peng"), fields.tile(r, "peng"), **fields.seen(r, "peng")),
    "gang": lambda r: Gang(
        fields.seat(r, "gang"),
        fields.choice(r, "gang", "kind", GANG_KINDS),
        fields.tile(r, "gang"),
        _kept(r),
        **fields.seen(r, "gang"),
    ),
    "declare": lambda r: Declare(
        fields.seat(r, "declare"),
        fields.choice(r, "declare", "declaration", DECLARATIONS),
        fields.tiles(r, "declare", "tiles", 13),
        fields.tiles(r, "declare", "waits", 27),
        **fields.seen(r, "declare"),
    ),
    "win": lambda r: Win(
        fields.seat(r, "win"),
        fields.choice(r, "win", "by", WIN_BY),
        fields.tile(r, "win"),
        fields.tiles(r, "win", "hand", 13),
        **fields.seen(r, "win"),
    ),
    "reveal": lambda r: Reveal(
        fields.seat(r, "reveal"), fields.tiles(r, "reveal", "hand", 14), **fields.seen(r, "reveal")
    ),
    "leave": lambda r: Leave(fields.seat(r, "leave"), **fields.seen(r, "leave")),
    "hand_end": lambda r: HandEnd(**fields.seen(r, "hand_end")),
}


def parse_event(record: Mapping[str, Any]) -> Event:
    """A log record as its dataclass. Raises `FormatError` naming record type, field and value."""
    if not isinstance(record, Mapping):
        raise FormatError(f"record {str(record)[:40]!r}: expected a JSON object with a type", field="type")
    kind = record.get("type")
    parser = _PARSERS.get(kind) if isinstance(kind, str) else None
    if parser is None:
        raise fields.fail("record", "type", kind, "expected one of " + " ".join(EVENT_TYPES))
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
