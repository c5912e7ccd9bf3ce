"""Bookkeeping of a state under construction: where tiles are, what was wrong, what was not allowed."""

from __future__ import annotations

from pzvision.game.entries import Problem, Violation, ViolationKind
from pzvision.game.judge import Verdict
from pzvision.game.seat import SeatState
from pzvision.game.state import State
from pzvision.rules import Meld
from pzvision.tiles import COPIES, Seat, Tile, format_tile, format_tiles, to_counts


def problem(state: State, record: str, name: str, value: str, expected: str) -> None:
    """A record that cannot be true beside the earlier ones."""
    state.problems = (*state.problems, Problem(state.line, record, name, value, expected))


def violation(state: State, kind: ViolationKind, seat: Seat, event: int | None = None) -> None:
    """An act the rules forbid, by default in the current record."""
    found = Violation(state.line if event is None else event, kind, seat)
    state.violations = (*state.violations, found)


def judged(state: State, verdict: Verdict, seat: Seat) -> None:
    """Record what a verdict says about an act that was done anyway."""
    if verdict.violation is None:
        return
    if verdict.certainty == "impossible":
        violation(state, verdict.violation, seat)
    elif verdict.violation == "forbidden_discard":
        state.suspicions = (*state.suspicions, Violation(state.line, verdict.violation, seat))


def account(state: State, tile: Tile, number: int, record: str) -> None:
    """So many more of a kind have a known place; a fifth one is a problem."""
    state.accounted = state.accounted[:]
    state.accounted[tile] += number
    lamp = 1 if state.tail_lamp == tile else 0
    if state.accounted[tile] + lamp > COPIES:
        problem(state, record, "tile", format_tile(tile), f"all {COPIES} of it are elsewhere already")


def learn(state: State, s: SeatState, tiles: tuple[Tile, ...], record: str, name: str) -> None:
    """The player is seen to hold at least these concealed tiles."""
    counts = to_counts(tiles)
    for tile in set(tiles):
        missing = counts[tile] - s.concealed[tile]
        if missing > 0:
            if missing > s.unknown:
                text = format_tiles(tiles)
                problem(state, record, name, text, f"the player cannot hold {format_tile(tile)}")
                return
            s.concealed[tile] += missing
            s.unknown -= missing
            s.waits_cache = None
            account(state, tile, missing, record)


def take(state: State, s: SeatState, tile: Tile, number: int, record: str) -> None:
    """Tiles leave the concealed hand and lie open."""
    known = min(number, s.concealed[tile])
    rest = number - known
    if rest > s.unknown:
        problem(state, record, "tile", format_tile(tile), "the player does not hold it")
        rest = s.unknown
    if rest:
        s.unknown -= rest
        account(state, tile, rest, record)
    s.concealed[tile] -= known


def drop_drawn(s: SeatState) -> None:
    """No tile is the one just drawn any more."""
    s.drew = False
    s.drawn = None


def undo_kong(state: State, seat: Seat) -> None:
    """A kong of own tiles on the empty wall is taken back: no replacement, no kong (D2)."""
    kong = state.pending
    if kong is None or kong.seat != seat or kong.payer is not None or state.wall_left:
        return
    state.pending = None
    s = state.own(seat)
    if kong.kind == "ba_gang":
        s.melds = tuple(Meld("peng", m.tile) if m.tile == kong.tile else m for m in s.melds)
        s.concealed[kong.tile] += 1
    else:
        s.melds = s.melds[:-1]
        s.concealed[kong.tile] += COPIES
    s.waits_cache = None


def not_to_act(state: State, seat: Seat, record: str) -> bool:
    """Whether it is not this player's turn to act with a tile too many (recorded as a problem)."""
    if state.phase == "act" and state.turn == seat:
        return False
    if state[seat].won is not None:
        problem(state, record, "seat", seat, "this player has won already")
    elif state.phase == "act":
        problem(state, record, "seat", seat, f"it is the turn of {state.turn}")
    else:
        problem(state, record, "seat", seat, "nobody has drawn a tile")
    return True


def leave_river(state: State, seat: Seat) -> None:
    """The last discard is taken away."""
    s = state.own(seat)
    s.river = s.river[:-1]
