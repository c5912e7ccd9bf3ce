"""The JSON records of ``pzvision score`` and ``pzvision waits``: parsed strictly, answered exactly.

Every error is a `FormatError` whose ``field`` names the record's field (``json`` where there is no record).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pzvision.errors import FormatError
from pzvision.rules.hand import BYS, DECLARATIONS, By, Declaration, Meld, Opening, Payer
from pzvision.rules.ruleset import Ruleset, load_ruleset, ruleset_ids
from pzvision.rules.score import Score, WaitValue, score_win, wait_scores, wait_values
from pzvision.tiles import COPIES, Seat, Tile, format_tile, parse_seat, parse_tile, parse_tiles, to_counts

_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Defaults:
    """What the command line adds: a ruleset for records that name none, a house-rule file, more options.

    `ruleset` is an id or a path; a record may name the file by the id that stands in it. `options` are
    overridden by a record's own.
    """

    ruleset: str | Path | None = None
    options: Mapping[str, object] | None = None


NOTHING_ADDED: Final = Defaults()


def _bad(field: str, value: object, expected: str) -> FormatError:
    shown = json.dumps(value, ensure_ascii=False, default=repr)
    shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
    return FormatError(f"bad {field} {shown}: expected {expected}", field=field.split(".")[0])


def _named(error: FormatError, field: str) -> FormatError:
    return FormatError(str(error), field=error.field or field)


def load_record(line: str) -> dict[str, Any]:
    """One line of JSONL → an object. Raises `FormatError` with field ``json``."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", field="json") from error
    if not isinstance(record, dict):
        raise _bad("json", record, "an object")
    return record


def _ruleset(record: Mapping[str, Any], defaults: Defaults) -> Ruleset:
    named = record.get("ruleset", defaults.ruleset)
    if named is None or ("ruleset" in record and not isinstance(named, str)):
        raise _bad("ruleset", named, f"one of {', '.join(ruleset_ids())}")
    options = record.get("options")
    if options is not None and not isinstance(options, dict):
        raise _bad("options", options, 'an object such as {"cap": 64}')
    merged = {**(defaults.options or {}), **(options or {})}
    if "ruleset" in record and named not in ruleset_ids() and defaults.ruleset is not None:
        # The only other name a record may use is the one in the house-rule file given on the command line.
        house = load_ruleset(defaults.ruleset, merged)
        if house.id == named:
            return house
    if "ruleset" in record and named not in ruleset_ids():
        raise _bad("ruleset", named, f"one of {', '.join(ruleset_ids())}")
    return load_ruleset(named, merged)


def _melds(record: Mapping[str, Any]) -> tuple[Meld, ...]:
    written = record.get("melds")
    if written is None:
        return ()
    if not isinstance(written, list) or len(written) > 4:
        raise _bad("melds", written, "a list of at most 4 melds")
    try:
        return tuple(Meld.parse(meld) for meld in written)
    except FormatError as error:
        raise _named(error, "melds") from error


def _concealed(record: Mapping[str, Any], melds: tuple[Meld, ...]) -> list[int]:
    written = record.get("concealed")
    if not isinstance(written, str):
        raise _bad("concealed", written, "tiles such as 123m55s")
    try:
        tiles = parse_tiles(written)
    except FormatError as error:
        raise _named(error, "concealed") from error
    if len(tiles) != 13 - 3 * len(melds):
        expected = f"{13 - 3 * len(melds)} tiles with {len(melds)} melds, got {len(tiles)}"
        raise _bad("concealed", written, expected)
    counts = to_counts(tiles)
    every = list(counts)
    for meld in melds:
        every[meld.tile] += meld.size
    for tile, count in enumerate(every):
        if count > COPIES:
            # Melds that clash among themselves are their own fault, not the concealed tiles'.
            field = "concealed" if counts[tile] else "melds"
            raise _bad(field, record.get(field), f"at most {COPIES} of {format_tile(tile)}, got {count}")
    return counts


def _declaration(value: object, ruleset: Ruleset, field: str) -> Declaration:
    for declaration in ruleset.declarations:
        if value == declaration:
            return declaration
    expected = f"one of {', '.join(ruleset.declarations)}"
    if value in DECLARATIONS:
        expected += f" in {ruleset.id}"
    raise _bad(field, value, expected)


def _opening(record: Mapping[str, Any], ruleset: Ruleset) -> Opening | None:
    written = record.get("opening")
    if written is None:
        return None
    for opening in ruleset.openings:
        if written == opening:
            return opening
    raise _bad("opening", written, f"null or one of {', '.join(ruleset.openings)} in {ruleset.id}")


def _flag(record: Mapping[str, Any], key: str, field: str, allowed: bool, game: str) -> bool:
    value = record.get(key, False)
    if not isinstance(value, bool):
        raise _bad(field, value, "true or false")
    if value and not allowed:
        raise _bad(field, value, f"false in {game}")
    return value


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """A parsed record of ``pzvision score``."""

    id: object
    ruleset: Ruleset
    concealed: list[int]
    melds: tuple[Meld, ...]
    tile: Tile
    by: By
    kong_chain: int
    opening: Opening | None
    winner: Declaration
    payers: tuple[tuple[Seat, Payer], ...]

    @classmethod
    def parse(cls, record: Mapping[str, Any], defaults: Defaults = NOTHING_ADDED) -> ScoreRecord:
        """From JSON. Raises `FormatError` with the field."""
        ruleset = _ruleset(record, defaults)
        melds = _melds(record)
        concealed = _concealed(record, melds)
        tile, by, chain = _win(record)
        if concealed[tile] + sum(meld.size for meld in melds if meld.tile == tile) >= COPIES:
            raise _bad(
                "win.tile", record["win"]["tile"], f"a tile of which the hand holds fewer than {COPIES}"
            )
        opening = _opening(record, ruleset)
        winner = _declaration(record.get("winner", "none"), ruleset, "winner")
        payers = _payers(record, ruleset, by)
        return cls(record.get("id"), ruleset, concealed, melds, tile, by, chain, opening, winner, payers)

    def score(self) -> Score:
        """The engine's answer."""
        return score_win(
            self.ruleset,
            self.concealed,
            self.melds,
            tile=self.tile,
            by=self.by,
            kong_chain=self.kong_chain,
            opening=self.opening,
            winner=self.winner,
        )

    def answer(self) -> dict[str, object]:
        """The answer record of INTERFACE.md."""
        score = self.score()
        out: dict[str, object] = {"id": self.id, "legal": score.legal, "reason": score.reason}
        if score.legal:
            out |= {
                "face": score.face,
                "patterns": [{"id": id_, "fan": fan} for id_, fan in score.patterns],
                "play": score.play,
                "total": score.total,
                "payments": [{"seat": seat, "fan": score.payment(payer)} for seat, payer in self.payers],
            }
        return out


def _win(record: Mapping[str, Any]) -> tuple[Tile, By, int]:
    win = record.get("win")
    if not isinstance(win, dict):
        raise _bad("win", win, 'an object such as {"tile": "5m", "by": "discard", "kong_chain": 0}')
    try:
        tile = parse_tile(win.get("tile", ""))
    except FormatError as error:
        raise _named(error, "win") from error
    chain = win.get("kong_chain", 0)
    if not isinstance(chain, int) or isinstance(chain, bool) or chain < 0:
        raise _bad("win.kong_chain", chain, "a whole number from 0 up")
    for by in BYS:
        if win.get("by") == by:
            return tile, by, chain
    raise _bad("win.by", win.get("by"), f"one of {', '.join(BYS)}")


def _payers(record: Mapping[str, Any], ruleset: Ruleset, by: By) -> tuple[tuple[Seat, Payer], ...]:
    written = record.get("payers")
    if written is None:
        return ()
    most = 3 if by == "self_draw" else 1
    if not isinstance(written, list) or len(written) > most:
        raise _bad("payers", written, f"a list of at most {most} with a win by {by}")
    payers: list[tuple[Seat, Payer]] = []
    for item in written:
        if not isinstance(item, dict):
            raise _bad("payers", item, 'an object such as {"seat": "S", "declaration": "none"}')
        try:
            seat = parse_seat(item.get("seat", ""))
        except (FormatError, TypeError) as error:
            raise _bad("payers.seat", item.get("seat"), "one of E S W N") from error
        if any(seat == other for other, _ in payers):
            raise _bad("payers.seat", seat, "each payer once")
        declaration = _declaration(item.get("declaration", "none"), ruleset, "payers.declaration")
        alarm = _flag(item, "alarm", "payers.alarm", ruleset.has_alarm, ruleset.id)
        bao_ting = _flag(item, "bao_ting", "payers.bao_ting", "bao_ting" in ruleset.openings, ruleset.id)
        payers.append((seat, Payer(declaration, alarm, bao_ting)))
    return tuple(payers)


@dataclass(frozen=True, slots=True)
class WaitsRecord:
    """A parsed record of ``pzvision waits``."""

    id: object
    ruleset: Ruleset
    concealed: list[int]
    melds: tuple[Meld, ...]
    winner: Declaration
    seen: list[int] | None

    @classmethod
    def parse(cls, record: Mapping[str, Any], defaults: Defaults = NOTHING_ADDED) -> WaitsRecord:
        """From JSON. Raises `FormatError` with the field."""
        ruleset = _ruleset(record, defaults)
        melds = _melds(record)
        concealed = _concealed(record, melds)
        winner = _declaration(record.get("winner", "none"), ruleset, "winner")
        seen = _seen(record, concealed, melds)
        return cls(record.get("id"), ruleset, concealed, melds, winner, seen)

    def waits(self) -> tuple[WaitValue, ...]:
        """The engine's answer."""
        return wait_values(self.ruleset, self.concealed, self.melds, winner=self.winner, seen=self.seen)

    def scores(self) -> tuple[Score, ...]:
        """The same waits' scores, for the words."""
        scored = wait_scores(self.ruleset, self.concealed, self.melds, winner=self.winner)
        return tuple(score for _, score in scored)

    def answer(self) -> dict[str, object]:
        """The answer record of INTERFACE.md."""
        waits = self.waits()
        return {
            "id": self.id,
            "ready": bool(waits),
            "waits": [
                {"tile": format_tile(w.tile), "left": w.left, "face": w.face, "fan": w.fan, "legal": w.legal}
                for w in waits
            ],
        }


def _seen(record: Mapping[str, Any], concealed: list[int], melds: tuple[Meld, ...]) -> list[int] | None:
    written = record.get("seen")
    if written is None:
        return None
    if not isinstance(written, str):
        raise _bad("seen", written, "tiles such as 111m2p")
    try:
        seen = to_counts(parse_tiles(written))
    except FormatError as error:
        raise _named(error, "seen") from error
    held = list(concealed)
    for meld in melds:
        held[meld.tile] += meld.size
    for tile, count in enumerate(seen):
        if count + held[tile] > COPIES:
            got = f"got {count} and {held[tile]} in the hand"
            raise _bad("seen", written, f"at most {COPIES} of {format_tile(tile)}, {got}")
    return seen
