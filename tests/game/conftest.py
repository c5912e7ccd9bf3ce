"""A table for scripted games: named hands, the rest filled in, every record checked to be possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pzvision.game import (
    Act,
    Deal,
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    HandEnd,
    HandStart,
    Leave,
    Peng,
    Reveal,
    State,
    TailLamp,
    Win,
    apply,
    format_event,
    legal,
    settle_log,
    start,
)
from pzvision.tiles import (
    COPIES,
    KINDS,
    SEATS,
    format_tile,
    from_counts,
    next_seat,
    parse_tile,
    parse_tiles,
    to_counts,
)


class Table:
    """Deals the given hands, fills the others from what is left, and folds one record after another.

    ``wall``: tiles nobody may be dealt by the filling, to be drawn by name later.
    """

    def __init__(
        self,
        ruleset: str = "pzh-traditional",
        *,
        dealer: str = "E",
        base: int = 1,
        options: Mapping[str, object] | None = None,
        lamp: str | None = None,
        wall: str = "",
        **hands: str,
    ) -> None:
        self.events: list[Event] = [HandStart(ruleset, dealer, base, dict(options or {}))]
        self.state: State = start(self.events[0])
        self.left = [COPIES] * KINDS
        reserved = parse_tiles(wall)
        for tile in [*reserved, *(t for hand in hands.values() for t in parse_tiles(hand))]:
            self.left[tile] -= 1
        if lamp is not None:
            self.left[parse_tile(lamp)] -= 1
        assert min(self.left) >= 0, "the script deals a tile five times"
        filled = {}
        for seat in SEATS:
            size = 14 if seat == dealer else 13
            hand = parse_tiles(hands.get(seat, ""))
            filled[seat] = hand + [self._filler() for _ in range(size - len(hand))]
            assert len(filled[seat]) == size, f"{seat} has {len(filled[seat])} tiles"
        for tile in reserved:
            self.left[tile] += 1
        for step in range(4):
            seat = next_seat(dealer, step)
            self.add(Deal(seat, tuple(sorted(filled[seat]))))
        if lamp is not None:
            self.add(TailLamp(parse_tile(lamp)))

    def _filler(self) -> int:
        # Kinds far apart, so that filled hands are never ready and fit nothing.
        order = sorted(range(KINDS), key=lambda t: (-self.left[t], t * 5 % KINDS))
        tile = next(t for t in order if self.left[t])
        self.left[tile] -= 1
        return tile

    def add(self, event: Event) -> State:
        self.events.append(event)
        self.state = apply(self.state, event)
        assert not self.state.problems, self.state.problems
        return self.state

    def lamp(self, tile: str) -> State:
        """The next tail lamp; from now on it is drawn only as such."""
        self.left[parse_tile(tile)] -= 1
        assert self.left[parse_tile(tile)] >= 0, f"no {tile} left to show"
        return self.add(TailLamp(parse_tile(tile)))

    def draw(self, seat: str, tile: str) -> State:
        last = self.state.pending is not None or self.state.wall_left == 1
        if not (last and self.state.tail_lamp is not None):
            self.left[parse_tile(tile)] -= 1
        assert self.left[parse_tile(tile)] >= 0, f"no {tile} left to draw"
        return self.add(Draw(seat, parse_tile(tile)))

    def discard(self, seat: str, tile: str) -> State:
        return self.add(Discard(seat, parse_tile(tile)))

    def turn(self, seat: str, drawn: str, discarded: str | None = None) -> State:
        """Draw and discard; by default the tile just drawn."""
        self.draw(seat, drawn)
        return self.discard(seat, discarded or drawn)

    def peng(self, seat: str, tile: str) -> State:
        return self.add(Peng(seat, parse_tile(tile)))

    def gang(self, seat: str, kind: str, tile: str, kept: bool = False) -> State:
        return self.add(Gang(seat, kind, parse_tile(tile), kept))

    def declare(self, seat: str, what: str, waits: str | None = None) -> State:
        shown = tuple(self.state[seat].hand) if what == "dance" else ()
        said = self.state.waits(seat) if waits is None else tuple(parse_tiles(waits))
        return self.add(Declare(seat, what, shown, said or ()))

    def win(self, seat: str, tile: str, by: str | None = None) -> State:
        kind = parse_tile(tile)
        s = self.state[seat]
        if by is None:
            by = "self_draw" if self.state.phase == "act" else "discard"
        hand = to_counts(s.hand)
        if by == "self_draw":
            hand[kind] -= 1
        return self.add(Win(seat, by, kind, tuple(from_counts(hand))))

    def leave(self, seat: str) -> State:
        return self.add(Leave(seat))

    def reveal(self, seat: str) -> State:
        return self.add(Reveal(seat, self.state[seat].hand))

    def end(self) -> State:
        return self.add(HandEnd())

    def run_down(self, left: int, avoid: str = "") -> State:
        """Everybody draws and discards useless tiles until so many are in the wall.

        ``avoid``: kinds not to be drawn in this.
        """
        kept = set(parse_tiles(avoid))
        while self.state.wall_left > left:
            lamp = self.state.tail_lamp
            if lamp is not None and self.state.wall_left == 1:
                tile = lamp
            else:
                kinds = [t for t in range(KINDS) if self.left[t] and t not in kept]
                tile = max(kinds, key=lambda t: (self.left[t], t))
            self.turn(self.state.next_draw, format_tile(tile))
        return self.state

    def spare(self, avoid: str = "") -> str:
        """The tile most are left of, none of ``avoid``."""
        kept = set(parse_tiles(avoid))
        kinds = [t for t in range(KINDS) if self.left[t] > 0 and t not in kept]
        return format_tile(max(kinds, key=lambda t: (self.left[t], t)))

    @property
    def ledger(self) -> list[tuple[Any, ...]]:
        return [(p.kind, p.source, p.target, p.fan) for p in self.state.ledger]

    @property
    def violations(self) -> list[tuple[int, str, str]]:
        return [(v.event, v.kind, v.seat) for v in self.state.violations]

    @property
    def line(self) -> int:
        return self.state.line

    def act(self, seat: str, kind: str, tile: str | None = None) -> Act | None:
        wanted = None if tile is None else parse_tile(tile)
        return next(
            (a for a in legal(self.state, seat) if a.kind == kind and (wanted is None or a.tile == wanted)),
            None,
        )

    def settled(self) -> dict[str, Any]:
        """The same through the log's text."""
        return settle_log([format_event(e) for e in self.events])[0].to_json()


@pytest.fixture
def table() -> type[Table]:
    return Table
