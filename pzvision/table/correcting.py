"""How a correction changes what is held against the evidence, and whether the story then says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pzvision.errors import PzvisionError
from pzvision.game.events import (
    Declare,
    Discard,
    Event,
    Gang,
    HandStart,
    Leave,
    Peng,
    Reveal,
    Win,
    format_event,
)
from pzvision.table.classes import Node, Reading, meld_node
from pzvision.table.corrections import Correction, MeldKind
from pzvision.table.doubts import Doubt
from pzvision.table.hypotheses import Act
from pzvision.table.merging import Line
from pzvision.table.pins import Pins
from pzvision.table.tracks import Track
from pzvision.tiles import SEATS, Seat, Tile, format_tiles

Holds: TypeAlias = Callable[[Sequence[Line]], bool]

_NEAR_S = 3.0  # s between a record that was told and the one the story has for it


@dataclass(frozen=True)
class Known:
    """What a reader knows when a correction comes: its log line by line, the classes, doubts and pins."""

    lines: Sequence[Line]
    reading: Reading
    doubts: Sequence[Doubt]
    pins: Pins
    spoken: tuple[Event, ...]
    dealer: int | None
    now: float


@dataclass(frozen=True)
class Change:
    """What a correction changes; ``dealer`` 0–3 or None; ``holds`` tells whether a story obeys it."""

    pins: Pins
    spoken: tuple[Event, ...]
    dealer: int | None
    holds: Holds


def change(correction: Correction, known: Known) -> Change:
    """What to hold from now on.

    Raises:
        PzvisionError: the correction names nothing that is there, or something that cannot be changed.
    """
    none = Change(known.pins, known.spoken, known.dealer, lambda lines: True)
    match correction.kind:
        case "tile":
            return _tile(correction, known, none)
        case "hand":
            return _hand(correction, known, none)
        case "owner":
            assert correction.seat is not None
            return _owner(find_line(correction, known.lines), correction.seat, known, none)
        case "gang_kind":
            assert correction.gang is not None
            return _gang(find_line(correction, known.lines), correction.gang, correction.kept, known, none)
        case "declare":
            return _declare(correction, known, none)
        case "undo":
            return _undo(correction, known, none)
        case "insert":
            return _insert(correction, known, none)
        case "confirm":
            return _confirm(correction, known, none)
        case "resync":
            return none
        case _:
            raise PzvisionError(
                "correction: kind 'new_hand': this reader reads one hand; end it and begin another"
            )


def find_line(correction: Correction, lines: Sequence[Line]) -> int:
    """Index of the line a correction is about, also when the log has moved on since it was sent.

    Raises:
        PzvisionError: it is not there (any more).
    """
    assert correction.event is not None
    index = correction.event - 1
    if correction.was is None:
        if index < len(lines):
            return index
        raise PzvisionError(f"correction: event {correction.event}: expected 1 to {len(lines)}")
    was = _bare(correction.was)
    same = [i for i, line in enumerate(lines) if _bare(format_event(line.event)) == was]
    if not same:
        raise PzvisionError(f"correction: event {correction.event}: that record is not in the log any more")
    return min(same, key=lambda i: abs(i - index))


def _bare(record: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in record.items() if k not in ("t", "frame", "confidence") and v is not None}


# ---- tiles ----------------------------------------------------------------------------------------------


def _tile(correction: Correction, known: Known, none: Change) -> Change:
    tile = correction.tile
    assert tile is not None
    if correction.track is not None:
        node = known.reading.of_track.get(correction.track)
        ids = _ids(node, known.reading) if node is not None else {correction.track}
        return _pin_tile(ids, tile, known, none)
    index = find_line(correction, known.lines)
    line = known.lines[index]
    if isinstance(line.event, Declare):
        raise PzvisionError("correction: a declaration is changed by 'undo' and 'declare'")
    if not hasattr(line.event, "tile") or line.act is None or line.event.type == "draw":
        raise PzvisionError(
            f"correction: event {index + 1} ({line.event.type}): expected a record whose tile can be seen:"
            " tail_lamp, discard, peng, gang or win"
        )
    ids = _ids(node_of(line.act, known.reading), known.reading)
    if ids:
        return _pin_tile(ids, tile, known, none)
    if isinstance(line.event, Discard):  # nobody saw it: it is told as if somebody had
        event = replace(line.event, tile=tile)
        t = event.t if event.t is not None else known.now
        return replace(none, pins=known.pins.tell(event, t), holds=_has(event))
    raise PzvisionError(f"correction: event {index + 1}: no tile of it was seen; undo it, insert another")


def _pin_tile(ids: set[int], tile: Tile, known: Known, none: Change) -> Change:
    pins = replace(known.pins, tiles={**known.pins.tiles, **dict.fromkeys(ids, tile)})
    said = [
        replace(fact, tracks=tuple(_repinned(t, tile) if t.id in ids else t for t in fact.tracks))
        for fact in pins.said
    ]

    def holds(lines: Sequence[Line]) -> bool:
        return all(
            getattr(line.event, "tile", tile) == tile
            for line in lines
            if line.act is not None
            and line.act.kind in ("discard", "peng", "gang", "lamp")
            and any(t.id in ids for t in line.act.tracks)
            and line.event.type != "draw"
        )

    return replace(none, pins=replace(pins, said=tuple(said)), holds=holds)


def _repinned(track: Track, tile: Tile) -> Track:
    return replace(track, pinned=tile)


def node_of(act: Act, reading: Reading) -> Node | None:
    """The node whose tile an act's record names."""
    if act.kind == "discard":
        return reading.of_discard.get(act.number)
    if act.kind in ("peng", "gang"):
        return meld_node(act, reading)
    if act.kind == "win":
        if act.by == "discard" and act.target in reading.of_discard:
            return reading.of_discard[act.target]
        if act.by == "rob_kong" and act.onto:
            return reading.of_track.get(act.onto[0].id)
        winning = act.apart if act.apart is not None else act.tracks[-1] if act.tracks else None
        return None if winning is None else reading.of_track.get(winning.id)
    return reading.of_track.get(act.tracks[0].id) if act.tracks else None


def _ids(node: Node | None, reading: Reading) -> set[int]:
    return {id for id, other in reading.of_track.items() if other is node}


def _hand(correction: Correction, known: Known, none: Change) -> Change:
    index = find_line(correction, known.lines)
    event = known.lines[index].event
    tiles = correction.tiles
    assert tiles is not None
    if not isinstance(event, Win | Reveal):
        raise PzvisionError(f"correction: event {index + 1} ({event.type}): expected a win or a reveal")
    melds = sum(
        isinstance(e.event, Peng) or (isinstance(e.event, Gang) and e.event.kind != "ba_gang")
        for e in known.lines[:index]
        if getattr(e.event, "seat", None) == event.seat
    )
    if len(tiles) != 13 - 3 * melds:
        raise PzvisionError(
            f"correction: tiles {format_tiles(tiles)}: {len(tiles)} tiles, expected {13 - 3 * melds}"
            " (without the winning tile and the melds)"
        )
    hands = {**known.pins.hands, (event.type, event.seat): tiles}
    return replace(none, pins=replace(known.pins, hands=hands))


# ---- acts -----------------------------------------------------------------------------------------------


def _owner(index: int, seat: Seat, known: Known, none: Change) -> Change:
    line = known.lines[index]
    event = line.event
    if isinstance(event, HandStart):
        return replace(
            none, dealer=SEATS.index(seat), holds=lambda lines: _dealer(lines) in (None, seat) or not lines
        )
    if line.said is not None:
        spoken = tuple(replace(e, seat=seat) if e is line.said else e for e in known.spoken)  # type: ignore[arg-type]
        return replace(none, spoken=spoken)
    if not isinstance(event, Discard | Peng | Gang | Win | Reveal) or line.act is None:
        raise PzvisionError(
            f"correction: event {index + 1} ({event.type}): expected an act of a player that was seen"
        )
    tracks = line.act.tracks
    told = replace(event, seat=seat)
    if isinstance(event, Discard) and (not tracks or tracks[0].id < 0):
        pins = _without_said(known.pins, tracks)
        t = event.t if event.t is not None else known.now
        return replace(none, pins=pins.tell(told, t), holds=_has(told))
    ids = {t.id for t in _own_tracks(line.act)}
    said = tuple(replace(f, seat=seat) if any(t.id in ids for t in f.tracks) else f for f in known.pins.said)
    pins = replace(known.pins, seats={**known.pins.seats, **dict.fromkeys(ids, seat)}, said=said)
    return replace(none, pins=pins, holds=_by(ids, lambda e: getattr(e, "seat", None) == seat))


def _own_tracks(act: Act) -> Sequence[Track]:
    """The tracks of the fact an act came from; of a discard the first (a claim's come later)."""
    return act.tracks[:1] if act.kind == "discard" else act.tracks


def _dealer(lines: Sequence[Line]) -> Seat | None:
    return next((e.event.dealer for e in lines if isinstance(e.event, HandStart)), None)


def _gang(index: int, kind: MeldKind, kept: bool | None, known: Known, none: Change) -> Change:
    line = known.lines[index]
    event, act = line.event, line.act
    if not isinstance(event, Peng | Gang) or act is None:
        raise PzvisionError(f"correction: event {index + 1} ({event.type}): expected a peng or a gang")
    ids = {t.id for t in act.tracks}
    pins = known.pins
    if kept is not None:
        pins = replace(pins, kept={**pins.kept, **dict.fromkeys(ids, kept)})
    if kind == _meld_kind(event):
        if kept is None:
            pins = replace(pins, acts={**pins.acts, **dict.fromkeys(ids, kind)})
        return replace(none, pins=pins)
    said = tuple(replace(f, forced=kind) if any(t.id in ids for t in f.tracks) else f for f in pins.said)
    pins = replace(pins, acts={**pins.acts, **dict.fromkeys(ids, kind)}, said=said)

    def right(e: Event) -> bool:
        return isinstance(e, Peng) if kind == "peng" else isinstance(e, Gang) and e.kind == kind

    return replace(none, pins=pins, holds=_by(ids, right))


def _declare(correction: Correction, known: Known, none: Change) -> Change:
    assert correction.seat is not None and correction.declaration is not None
    t = correction.t if correction.t is not None else known.now
    said = Declare(correction.seat, correction.declaration, correction.tiles, correction.waits, t=round(t, 2))
    same = (said.seat, said.declaration)
    others = tuple(e for e in known.spoken if not isinstance(e, Declare) or (e.seat, e.declaration) != same)
    return replace(none, spoken=(*others, said))


def _undo(correction: Correction, known: Known, none: Change) -> Change:
    if correction.event is None:
        done = [i for i, e in enumerate(known.lines) if e.said is not None or _seen(e)]
        if not done:
            raise PzvisionError("correction: undo: nothing has happened in this hand")
        index = done[-1]
    else:
        index = find_line(correction, known.lines)
    line = known.lines[index]
    if line.said is not None:
        return replace(none, spoken=tuple(e for e in known.spoken if e is not line.said))
    if not _seen(line):
        raise PzvisionError(
            f"correction: event {index + 1} ({line.event.type}): nobody saw it, it follows from the others;"
            " change those"
        )
    assert line.act is not None
    ids = {t.id for t in _own_tracks(line.act)}
    pins = _without_said(known.pins, line.act.tracks)
    pins = replace(pins, ignored=pins.ignored | {i for i in ids if i > 0})
    return replace(none, pins=pins)


def _seen(line: Line) -> bool:
    return line.act is not None and bool(line.act.tracks) and line.event.type not in ("draw", "hand_start")


def _without_said(pins: Pins, tracks: Sequence[Track]) -> Pins:
    ids = {t.id for t in tracks}
    return replace(pins, said=tuple(f for f in pins.said if not any(t.id in ids for t in f.tracks)))


def _insert(correction: Correction, known: Known, none: Change) -> Change:
    event = correction.record
    assert event is not None
    t = event.t if event.t is not None and correction.event is None else known.now
    if correction.event is not None:
        index = find_line(correction, known.lines) if correction.event <= len(known.lines) else None
        if index is not None:
            after = known.lines[index].event.t
            before = next((e.event.t for e in reversed(known.lines[:index]) if e.event.t is not None), None)
            t = after if after is not None else known.now
            t = t if before is None else (before + t) / 2
    event = replace(event, t=round(t, 3), frame=None, confidence=None)
    if isinstance(event, Declare | Leave):
        return replace(none, spoken=(*known.spoken, event))
    onto: Sequence[Track] = ()
    if isinstance(event, Gang) and event.kind == "ba_gang":
        pengs = [
            e.act.tracks
            for e in known.lines
            if isinstance(e.event, Peng)
            and (e.event.seat, e.event.tile) == (event.seat, event.tile)
            and e.act is not None
        ]
        if not pengs:
            raise PzvisionError(f"correction: record gang: {event.seat} has no 碰 of that tile")
        onto = pengs[-1]
    pins = known.pins.tell(event, t, onto)
    if isinstance(event, Win | Reveal) and event.hand is not None:
        pins = replace(pins, hands={**pins.hands, (event.type, event.seat): event.hand})
    return replace(none, pins=pins, holds=_has(event))


def _confirm(correction: Correction, known: Known, none: Change) -> Change:
    doubt = next((d for d in known.doubts if d.id == correction.doubt), None)
    if doubt is None or doubt.event >= len(known.lines):
        raise PzvisionError(f"correction: doubt {correction.doubt!r}: there is none (any more)")
    if correction.choice >= len(doubt.readings):
        raise PzvisionError(
            f"correction: choice {correction.choice}: expected 0 to {len(doubt.readings) - 1}"
        )
    right = doubt.readings[correction.choice]
    line = known.lines[doubt.event]
    seat = getattr(right, "seat", None)
    if isinstance(right, Gang | Peng) and isinstance(line.event, Gang | Peng):
        kind = _meld_kind(right)
        if kind != _meld_kind(line.event):
            return _gang(doubt.event, kind, None, known, none)
    if seat is not None and seat != getattr(line.event, "seat", None):
        return _owner(doubt.event, seat, known, none)
    tile = getattr(right, "tile", None)
    if tile is None:
        raise PzvisionError(f"correction: doubt {correction.doubt!r}: nothing to confirm")
    return _tile(Correction(kind="tile", event=doubt.event + 1, tile=tile), known, none)


def _meld_kind(event: Peng | Gang) -> MeldKind:
    return event.kind if isinstance(event, Gang) else "peng"


# ---- does the story obey? -------------------------------------------------------------------------------


def _by(ids: set[int], right: Callable[[Event], bool]) -> Holds:
    """Some record that comes from these tracks is right."""

    def holds(lines: Sequence[Line]) -> bool:
        return any(
            right(line.event) and line.act is not None and any(t.id in ids for t in line.act.tracks)
            for line in lines
        )

    return holds


def _has(event: Event) -> Holds:
    """There is such a record at about its time."""
    wanted = {k: v for k, v in _bare(format_event(event)).items() if k not in ("hand", "kept")}

    def holds(lines: Sequence[Line]) -> bool:
        for line in lines:
            record = _bare(format_event(line.event))
            near = abs((line.event.t or 0.0) - (event.t or 0.0)) <= _NEAR_S
            if near and all(record.get(k) == v for k, v in wanted.items()):
                return True
        return False

    return holds
