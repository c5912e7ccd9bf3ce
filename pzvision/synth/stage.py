"""The table while a game is played on it: tiles, hands, time; the tools that `pzvision.synth.acts` uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pzvision.game.events import Event
from pzvision.synth.bodies import UP
from pzvision.synth.placing import Plan, Spot
from pzvision.synth.timeline import ArmKey, Die, Move, Point, Style, Track, Zone, rest_point
from pzvision.synth.wall import Wall
from pzvision.tiles import COPIES, KINDS, SEATS, Seat, format_tile


class Stage:
    """Tiles, hands and the clock."""

    def __init__(self, near: Seat, plan: Plan, style: Style, seed: int, fps: float) -> None:
        self.near, self.plan, self.style, self.fps = near, plan, style, fps
        self.rng = np.random.default_rng([seed, 7])
        self.now = 0.0
        self.tracks: list[Track] = []
        self.events: list[Event] = []
        self.arms: list[list[ArmKey]] = [[ArmKey(0.0, rest_point(plan, s, left=False))] for s in range(4)]
        self.last_stop = [0.0] * 4
        self.live: list[Track] = []
        self.hands: dict[Seat, list[Track]] = {}
        self.drawn: dict[Seat, Track | None] = {}
        self.shown: dict[Seat, list[Track]] = {}
        self.rivers: dict[Seat, list[Track]] = {}
        self.melds: dict[Seat, list[list[Track]]] = {}
        self.wall = Wall([])
        self.replacement = False
        self.added: Track | None = None
        self.last_discard: tuple[Seat, Track] | None = None
        self.dice: list[Die] = []
        self.thrown = 0  # discards so far
        self.breaks: dict[int, float] = {}  # before which of them everybody waits, s

    def side(self, seat: Seat) -> int:
        """0 near, 1 right, 2 far, 3 left."""
        return (SEATS.index(seat) - SEATS.index(self.near)) % 4

    def pause(self, low: float, high: float) -> float:
        """Seconds, at this table's pace."""
        return float(self.rng.uniform(low, high)) * self.style.pace

    def move(
        self, track: Track, spot: Spot, seat: Seat | None, zone: Zone, t0: float, seconds: float
    ) -> float:
        """Add a move from ``t0`` s on, no earlier than the last one ended; returns its end, s."""
        if track.moves:
            t0 = max(t0, track.moves[-1].t1)
        t0, t1 = round(t0, 3), round(t0 + seconds, 3)
        track.moves.append(Move(t0, t1, track.spot, spot, seat, zone))
        return t1

    def reach(self, seat: Seat, stops: Sequence[tuple[float, Spot]]) -> None:
        """The seat's right hand goes to each place at its time (s) and back to rest."""
        side = self.side(seat)
        keys = self.arms[side]
        first, last = stops[0][0], stops[-1][0]
        start = max(first - 0.45 * self.style.pace, self.last_stop[side] + 0.02)
        here = _interpolate(keys, start)
        del keys[_count_until(keys, start) :]
        if start < first:
            keys.append(ArmKey(start, here))
        for t, spot in stops:
            keys.append(ArmKey(max(t, keys[-1].t + 0.01), self._palm(spot, side)))
        keys.append(
            ArmKey(max(last, keys[-1].t) + 0.55 * self.style.pace, rest_point(self.plan, side, left=False))
        )
        self.last_stop[side] = last

    def _palm(self, spot: Spot, side: int) -> Point:
        """Where the palm is when the fingertips hold a tile there: a hand's length back towards its owner."""
        back = Spot(2.0, -8.0, 0.0, 0.0, UP).turned(side)
        return spot.x + back.x, spot.y + back.y, spot.z + 2.0

    def emit(self, event: Event) -> None:
        """Write the record, its time being now."""
        t = round(self.now, 2)
        self.events.append(replace(event, t=t, frame=round(t * self.fps)))

    def nudged(self, spot: Spot, amount: float = 1.0) -> Spot:
        """Laid down by hand; ``amount``: factor on how carelessly."""
        return spot.nudged(self.rng, 0.1 * amount * self.style.mess, 0.035 * amount * self.style.mess)

    def take(self, seat: Seat, kind: int) -> Track:
        """A tile of that kind out of the seat's concealed tiles; the drawn one if it is one of them.

        Raises `ValueError` when the seat cannot hold one.
        """
        hand = self.hands[seat]
        drawn = self.drawn[seat]
        order = ([drawn] if drawn is not None and drawn in hand else []) + hand[::-1]
        for known in (True, False):
            for track in order:
                if track.kind == kind if known else track.kind is None:
                    track.kind = kind
                    hand.remove(track)
                    if track is drawn:
                        self.drawn[seat] = None
                    return track
        raise ValueError(f"{seat} has no {format_tile(kind)} to play")

    def arrange(self, seat: Seat, t0: float) -> None:
        """Close the gaps of the standing hand from ``t0`` s on: sorted, the drawn tile apart."""
        hand = self.hands[seat]
        drawn = self.drawn[seat]
        fixed = [t for t in hand if t is not drawn and t not in self.shown[seat]]
        fixed.sort(key=lambda t: (KINDS if t.kind is None else t.kind, t.id))
        for index, track in enumerate(fixed):
            goal = self.plan.standing(index).turned(self.side(seat))
            if np.hypot(track.spot.x - goal.x, track.spot.y - goal.y) > 0.8:
                self.move(track, self.nudged(goal, 0.3), seat, "hand", t0, 0.3)
        standing = fixed + ([drawn] if drawn is not None and drawn in hand else [])
        self.hands[seat] = [t for t in hand if t in self.shown[seat]] + standing

    def fill_unknown(self) -> None:
        """Tiles nobody ever saw: any of those left. Raises `ValueError` for a fifth of a kind."""
        left = [COPIES] * KINDS
        for track in self.live:
            if track.kind is not None:
                left[track.kind] -= 1
                if left[track.kind] < 0:
                    raise ValueError(f"the log has five {format_tile(track.kind)}")
        pool = [kind for kind, count in enumerate(left) for _ in range(count)]
        self.rng.shuffle(pool)
        for track in self.live:
            if track.kind is None:
                track.kind = pool.pop()


def _count_until(keys: Sequence[ArmKey], t: float) -> int:
    return next((i for i, key in enumerate(keys) if key.t > t), len(keys))


def _interpolate(keys: Sequence[ArmKey], t: float) -> Point:
    n = _count_until(keys, t)
    if n == 0:
        return keys[0].at
    if n == len(keys):
        return keys[-1].at
    a, b = keys[n - 1], keys[n]
    share = (t - a.t) / max(b.t - a.t, 1e-6)
    share = share * share * (3 - 2 * share)
    x, y, z = (p + (q - p) * share for p, q in zip(a.at, b.at, strict=True))
    return x, y, z
