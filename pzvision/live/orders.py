"""What a person asks of a running game through the API, checked before the game sees it.

Bodies are JSON objects; an unknown field or a value that is not possible raises `FormatError` naming it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeAlias, get_args

from pzvision.errors import FormatError
from pzvision.rules import load_ruleset, ruleset_ids
from pzvision.table.corrections import Correction
from pzvision.tiles import SEATS, Seat

When: TypeAlias = Literal["current", "next", "now"]
WHEN: Final[tuple[When, ...]] = get_args(When)
MOST_BASE: Final = 1_000_000
MOST_NAME: Final = 40


@dataclass(frozen=True)
class HandOrder:
    """How a hand is set up; None leaves a thing as it is.

    Attributes:
        when: ``current`` sets the running hand right, ``next`` counts from the next hand on, ``now`` ends the
            running hand and begins a new one.
        ruleset: id of a ruleset; with another one, options are those of ``options`` alone.
        options: house options by key.
        base: stake of one fan.
        dealer: who begins.
        names: players' names by seat; an empty one takes a name away.
    """

    when: When
    ruleset: str | None = None
    options: Mapping[str, object] | None = None
    base: int | None = None
    dealer: Seat | None = None
    names: Mapping[Seat, str] | None = None


@dataclass(frozen=True)
class PauseOrder:
    """Stop reading the table, or go on."""

    paused: bool


@dataclass(frozen=True)
class CalibrationOrder:
    """New corners of the table in the picture, 0–1 of width and height, in the calibration file's order."""

    corners: tuple[tuple[float, float], ...]
    near_seat: Seat
    save: bool = False


@dataclass(frozen=True)
class LogOrder:
    """What has been read so far, as ``/api/log`` gives it."""


Order: TypeAlias = Correction | HandOrder | PauseOrder | CalibrationOrder | LogOrder


def parse_correction(body: object) -> Correction:
    """Body of ``POST /api/corrections``."""
    _known(body, {f.name for f in fields(Correction)} - {"t"} | {"type"})
    return Correction.parse(body)


def parse_declare(body: object) -> Correction:
    """Body of ``POST /api/declare``: a correction of kind ``declare`` without saying so."""
    record = _known(body, {"seat", "declaration", "tiles", "waits"})
    return Correction.parse({**record, "kind": "declare"})


def parse_hand(body: object) -> HandOrder:
    """Body of ``POST /api/hand``. Raises `FormatError`."""
    record = _known(body, {f.name for f in fields(HandOrder)})
    when = record.get("when", "next")
    if when not in WHEN:
        raise _bad("when", when, "expected one of " + " ".join(WHEN))
    ruleset = record.get("ruleset")
    if ruleset is not None and (not isinstance(ruleset, str) or ruleset not in ruleset_ids()):
        raise _bad("ruleset", ruleset, "expected one of " + " ".join(ruleset_ids()))
    options = record.get("options")
    if options is not None:
        if not isinstance(options, Mapping):
            raise _bad("options", options, "expected an object of option to value")
        if ruleset is not None:
            load_ruleset(ruleset, options)
    base = record.get("base")
    if base is not None and (
        isinstance(base, bool) or not isinstance(base, int) or not 1 <= base <= MOST_BASE
    ):
        raise _bad("base", base, f"expected a whole number from 1 to {MOST_BASE}")
    return HandOrder(when, ruleset, options, base, _seat(record, "dealer"), _names(record.get("names")))


def parse_pause(body: object) -> PauseOrder:
    """Body of ``POST /api/pause``. Raises `FormatError`."""
    paused = _known(body, {"paused"}).get("paused")
    if not isinstance(paused, bool):
        raise _bad("paused", paused, "expected true or false")
    return PauseOrder(paused)


def parse_calibration(body: object) -> CalibrationOrder:
    """Body of ``POST /api/calibration``. Raises `FormatError`."""
    record = _known(body, {"corners", "near_seat", "save"})
    corners = record.get("corners")
    expected = "expected four [x, y], 0–1 of width and height"
    if not isinstance(corners, list) or len(corners) != 4:
        raise _bad("corners", corners, expected)
    points = []
    for corner in corners:
        if not isinstance(corner, list) or len(corner) != 2 or not all(map(_is_number, corner)):
            raise _bad("corners", corner, expected)
        x, y = float(corner[0]), float(corner[1])
        if not (-1 <= x <= 2 and -1 <= y <= 2):
            raise _bad("corners", corner, expected)
        points.append((x, y))
    near = _seat(record, "near_seat")
    if near is None:
        raise _bad("near_seat", None, "expected one of E S W N")
    save = record.get("save", False)
    if not isinstance(save, bool):
        raise _bad("save", save, "expected true or false")
    return CalibrationOrder(tuple(points), near, save)


def _known(body: object, names: set[str]) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise FormatError("expected a JSON object")
    for name in body:
        if name not in names:
            raise _bad(str(name), body[name], "unknown field, expected " + " ".join(sorted(names)))
    return body


def _bad(name: str, value: object, expected: str) -> FormatError:
    shown = "missing" if value is None else repr(value)[:60]
    return FormatError(f"{name[:40]} {shown}: {expected}", field=name[:40])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _seat(record: Mapping[str, Any], name: str) -> Seat | None:
    value = record.get(name)
    for seat in SEATS:
        if value == seat:
            return seat
    if value is not None:
        raise _bad(name, value, "expected one of E S W N")
    return None


def _names(value: object) -> dict[Seat, str] | None:
    if value is None:
        return None
    expected = f"expected an object of seat to name (at most {MOST_NAME} characters)"
    if not isinstance(value, Mapping):
        raise _bad("names", value, expected)
    out: dict[Seat, str] = {}
    for seat, name in value.items():
        if seat not in SEATS or not isinstance(name, str) or len(name.strip()) > MOST_NAME:
            raise _bad("names", {seat: name}, expected)
        if any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for c in name):
            raise _bad("names", name, "expected no control characters")
        out[seat] = name.strip()
    return out
