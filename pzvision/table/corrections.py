"""What people say against the program's reading of the table: the record of one correction.

A correction is a JSON object ``{"type": "correction", "kind": …}`` with the fields its kind needs:

| kind | fields | meaning |
|---|---|---|
| `tile` | `event` or `track`, `tile` | this record's (or lying tile's) kind is that; it stays so |
| `hand` | `event`, `tiles` | these were the concealed tiles of this win or reveal |
| `owner` | `event`, `seat` | somebody else did it |
| `gang_kind` | `event`, `gang`, `kept` | 碰, 直杠, 暗杠, 巴杠; was its tile kept from an earlier turn |
| `declare` | `seat`, `declaration`, `tiles`, `waits` | said now (at `t`) |
| `undo` | `event` (default: the last act) | this never happened |
| `insert` | `record`, `event` (default: at the end) | a log record that was missed, before this one |
| `confirm` | `doubt`, `choice` (default 0) | that reading of a doubt is right |
| `resync` | – | read the table again: what lies there now is what counts |
| `new_hand` | `dealer`, `base`, `ruleset`, `options`, `names` (all optional) | the next hand begins |

``event`` is the 1-based number of a record in the log, as the ledger counts. ``was``, with any kind that has
an ``event``, is that record as its sender saw it: when the log has moved on meanwhile, the record is looked
for, and the correction is refused if it is not there any more. ``t`` is in seconds of the recording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from pzvision.errors import FormatError
from pzvision.game.events import DECLARATIONS, GANG_KINDS, DeclarationKind, Event, format_event, parse_event
from pzvision.tiles import KINDS, Seat, Tile, format_tile, format_tiles, parse_seat, parse_tile, parse_tiles

CorrectionKind: TypeAlias = Literal[
    "tile", "hand", "owner", "gang_kind", "declare", "undo", "insert", "confirm", "resync", "new_hand"
]
MeldKind: TypeAlias = Literal["peng", "zhi_gang", "an_gang", "ba_gang"]

KINDS_OF_CORRECTION: Final[tuple[CorrectionKind, ...]] = get_args(CorrectionKind)
_MELDS: Final[tuple[MeldKind, ...]] = ("peng", *GANG_KINDS)
_NEEDS: Final[dict[str, tuple[str, ...]]] = {
    "tile": ("tile",),
    "hand": ("event", "tiles"),
    "owner": ("event", "seat"),
    "gang_kind": ("event", "gang"),
    "declare": ("seat", "declaration"),
    "insert": ("record",),
    "confirm": ("doubt",),
}
_MOST_TILES: Final = 13


@dataclass(frozen=True, kw_only=True)
class Correction:
    """One correction; see the module for what each kind means.

    Attributes:
        kind: which.
        t: s, when it was made; None until a reader has taken it.
        event: 1-based number of a log record; was: that record as the sender saw it.
        track: `TableTile.id` of a lying tile.
        tile, tiles, waits: tile kinds 0–26.
        seat, gang, kept, declaration: as in log records.
        record: a record to insert.
        doubt: `Doubt.id`; choice: index of the right one of its readings.
        dealer, base, ruleset, options, names: of a new hand; None: as before (dealer: as the rules say).
    """

    kind: CorrectionKind
    t: float | None = None
    event: int | None = None
    was: Mapping[str, Any] | None = None
    track: int | None = None
    tile: Tile | None = None
    seat: Seat | None = None
    gang: MeldKind | None = None
    kept: bool | None = None
    declaration: DeclarationKind | None = None
    tiles: tuple[Tile, ...] | None = None
    waits: tuple[Tile, ...] | None = None
    record: Event | None = None
    doubt: str | None = None
    choice: int = 0
    dealer: Seat | None = None
    base: int | None = None
    ruleset: str | None = None
    options: Mapping[str, object] | None = field(default=None)
    names: Mapping[str, str] | None = None

    def __hash__(self) -> int:
        return hash((self.kind, self.t, self.event, self.track, self.tile, self.seat, self.doubt))

    @classmethod
    def parse(cls, record: object) -> Correction:
        """A record as its dataclass.

        Raises:
            FormatError: naming the field and what was expected. Unknown fields are ignored.
        """
        if not isinstance(record, Mapping):
            raise FormatError(f"correction {str(record)[:40]!r}: expected a JSON object", field="correction")
        kind = _choice(record, "kind", KINDS_OF_CORRECTION)
        if kind is None:
            raise _fail("kind", None, "expected one of " + " ".join(KINDS_OF_CORRECTION))
        for name in _NEEDS.get(kind, ()):
            if record.get(name) is None:
                raise _fail(name, None, f"a {kind} correction needs it")
        if kind == "tile" and (record.get("event") is None) == (record.get("track") is None):
            raise _fail("event", record.get("event"), "expected event or track, one of them")
        choice = _whole(record, "choice", 0)
        return cls(
            kind=kind,
            t=_number(record, "t"),
            event=_whole(record, "event", 1),
            was=_mapping(record, "was"),
            track=_whole(record, "track", 1),
            tile=_tile(record),
            seat=_seat(record, "seat"),
            gang=_choice(record, "gang", _MELDS),
            kept=_flag(record, "kept"),
            declaration=_choice(record, "declaration", DECLARATIONS),
            tiles=_tiles(record, "tiles", _MOST_TILES),
            waits=_tiles(record, "waits", KINDS),
            record=None if record.get("record") is None else parse_event(record["record"]),
            doubt=_text(record, "doubt"),
            choice=0 if choice is None else choice,
            dealer=_seat(record, "dealer"),
            base=_whole(record, "base", 1),
            ruleset=_text(record, "ruleset"),
            options=_mapping(record, "options"),
            names=_names(record),
        )

    def format(self) -> dict[str, Any]:
        """The record, the inverse of `parse`; fields that say nothing are left out."""
        out: dict[str, Any] = {"type": "correction", "kind": self.kind}
        plain = ("t", "event", "track", "seat", "gang", "kept", "declaration", "doubt", "dealer", "base")
        for name in (*plain, "ruleset"):
            if getattr(self, name) is not None:
                out[name] = getattr(self, name)
        for name in ("was", "options", "names"):
            if getattr(self, name) is not None:
                out[name] = dict(getattr(self, name))
        if self.choice:
            out["choice"] = self.choice
        if self.tile is not None:
            out["tile"] = format_tile(self.tile)
        for name in ("tiles", "waits"):
            if getattr(self, name) is not None:
                out[name] = format_tiles(getattr(self, name))
        if self.record is not None:
            out["record"] = format_event(self.record)
        return out


def _fail(name: str, value: object, expected: str) -> FormatError:
    shown = "missing" if value is None else repr(value)
    return FormatError(f"correction: {name} {shown[:60]}: {expected}", field=name)


def _choice(record: Mapping[str, Any], name: str, allowed: tuple[Any, ...]) -> Any:
    value = record.get(name)
    if value is not None and (not isinstance(value, str) or value not in allowed):
        raise _fail(name, value, "expected one of " + " ".join(allowed))
    return value


def _whole(record: Mapping[str, Any], name: str, least: int) -> int | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10**9:
        raise _fail(name, value, f"expected a whole number from {least}")
    return value


def _number(record: Mapping[str, Any], name: str) -> float | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        raise _fail(name, value, "expected a number of seconds")
    return float(value)


def _flag(record: Mapping[str, Any], name: str) -> bool | None:
    value = record.get(name)
    if value is not None and not isinstance(value, bool):
        raise _fail(name, value, "expected true or false")
    return value


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    if value is not None and (not isinstance(value, str) or not 0 < len(value) <= 200):
        raise _fail(name, value, "expected text")
    return value


def _mapping(record: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise _fail(name, value, "expected an object")
    return dict(value)


def _names(record: Mapping[str, Any]) -> dict[str, str] | None:
    names = _mapping(record, "names")
    for seat, name in (names or {}).items():
        if seat not in ("E", "S", "W", "N") or not isinstance(name, str):
            raise _fail("names", names, "expected an object of seat to name")
    return names


def _seat(record: Mapping[str, Any], name: str) -> Seat | None:
    value = record.get(name)
    if value is None:
        return None
    try:
        return parse_seat(value)
    except FormatError:
        raise _fail(name, value, "expected one of E S W N") from None


def _tile(record: Mapping[str, Any]) -> Tile | None:
    value = record.get("tile")
    if value is None:
        return None
    try:
        return parse_tile(value)
    except (FormatError, AttributeError, TypeError):
        raise _fail("tile", value, "expected one tile such as 5m") from None


def _tiles(record: Mapping[str, Any], name: str, most: int) -> tuple[Tile, ...] | None:
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise _fail(name, value, "expected tiles such as 123m55s")
    try:
        tiles = parse_tiles(value)
    except FormatError as error:
        raise FormatError(f"correction: {name}: {error}", field=name) from None
    if len(tiles) > most:
        raise _fail(name, value, f"{len(tiles)} tiles, expected at most {most}")
    return tuple(sorted(tiles))
