"""Where every tile is and what every arm does at each moment of a game.

`build_timeline` turns a game log into timed moves on the table plane; `Timeline.truth_at` says what lies
where at a time, without any picture. Conventions (claimed tiles, kongs, wins, tail lamp) are those of
recordings: a tile claimed for 碰, 直杠 or a single win leaves the river; with several winners on one tile it
stays; a winner lays his tiles before him, the winning tile apart; ``t`` of a record is when its last tile
lies still.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from pzvision.game.events import Event
from pzvision.synth.bodies import STANDING
from pzvision.synth.disturb import Disturbance, hand_place
from pzvision.synth.placing import Plan, Spot
from pzvision.tiles import SEATS, Seat

Zone: TypeAlias = Literal["wall", "hand", "laid", "river", "meld", "shown", "tail_lamp"]
Point: TypeAlias = tuple[float, float, float]
"""x, y and z, cm."""


@dataclass(frozen=True)
class Style:
    """How the people at this table play.

    Attributes:
        river: discards in ``rows`` or thrown into a loose ``heap``.
        mess: factor on how irregularly they lay things down (0 as a machine would, 1 usual, 2 careless).
        pace: factor on all times; 1 is about 1.7 s an act.
        an_gang: concealed kongs lie face ``up`` or ``down``.
        think: chance of a pause of some seconds before a discard.
        breaks: how many long pauses a hand has, when a player is on the phone.
    """

    river: Literal["rows", "heap"] = "rows"
    mess: float = 1.0
    pace: float = 1.0
    an_gang: Literal["up", "down"] = "up"
    think: float = 0.05
    breaks: int = 0


@dataclass(frozen=True)
class Placed:
    """One tile at one moment.

    Attributes:
        id: of the tile, unique in the recording.
        kind: 0–26.
        spot: where and how it lies, cm.
        seat: whose it is, None in the wall.
        zone: ``wall``, ``hand`` (upright), ``laid`` (laid-down hand), ``river``, ``meld``, ``shown``,
            ``tail_lamp``.
        moving: on its way to that zone.
    """

    id: int
    kind: int
    spot: Spot
    seat: Seat | None
    zone: Zone
    moving: bool

    @property
    def face_up(self) -> bool:
        """Its face looks up."""
        return abs(self.spot.tip) < np.pi / 4

    @property
    def standing(self) -> bool:
        """It stands upright."""
        return abs(self.spot.tip - STANDING) < np.pi / 4


@dataclass(frozen=True)
class Hand:
    """A player's hand (the limb).

    Attributes:
        side: 0 near, 1 right, 2 far, 3 left. ``left``: the left one.
        at: middle of the palm, cm; ``shoulder``: where the arm comes from.
        velocity: cm/s. ``resting``: lies at the table's edge.
    """

    side: int
    left: bool
    at: Point
    shoulder: Point
    velocity: Point
    resting: bool


@dataclass(frozen=True)
class Truth:
    """Everything on the table at one moment, ``t`` s."""

    t: float
    tiles: tuple[Placed, ...]
    hands: tuple[Hand, ...]

    @property
    def still(self) -> bool:
        """No tile moves."""
        return not any(tile.moving for tile in self.tiles)


@dataclass(frozen=True)
class Move:
    """A tile travels from ``start`` to ``end`` from ``t0`` to ``t1`` s; then it is ``seat``'s in ``zone``."""

    t0: float
    t1: float
    start: Spot
    end: Spot
    seat: Seat | None
    zone: Zone


@dataclass
class Track:
    """One tile's life, from ``born`` to ``gone`` (s): where it starts and its moves in order of time."""

    id: int
    kind: int | None
    born: float
    first: Spot
    seat: Seat | None
    zone: Zone
    moves: list[Move] = field(default_factory=list)
    gone: float = float("inf")

    def at(self, t: float) -> Placed | None:
        """The tile at ``t`` s, or None when it is not on the table."""
        if not self.born <= t < self.gone or self.kind is None:
            return None
        index = bisect.bisect_right([m.t0 for m in self.moves], t) - 1
        if index < 0:
            return Placed(self.id, self.kind, self.first, self.seat, self.zone, False)
        move = self.moves[index]
        if t >= move.t1:
            return Placed(self.id, self.kind, move.end, move.seat, move.zone, False)
        return Placed(self.id, self.kind, between(move, t), move.seat, move.zone, True)

    @property
    def spot(self) -> Spot:
        """Where its last move ends."""
        return self.moves[-1].end if self.moves else self.first


def between(move: Move, t: float) -> Spot:
    """On the way at ``t`` s: eased in time, lifted over what lies between, turned while lifted."""
    share = (t - move.t0) / max(move.t1 - move.t0, 1e-6)
    share = share * share * (3 - 2 * share)
    a, b = move.start, move.end
    distance = float(np.hypot(b.x - a.x, b.y - a.y))
    lift = min(7.0, 0.35 * distance) if distance > 4 or abs(a.tip - b.tip) > 0.1 else 0.0
    turn = (b.yaw - a.yaw + np.pi) % (2 * np.pi) - np.pi
    return Spot(
        a.x + (b.x - a.x) * share,
        a.y + (b.y - a.y) * share,
        a.z + (b.z - a.z) * share + lift * 4 * share * (1 - share),
        float(a.yaw + turn * share),
        a.tip + (b.tip - a.tip) * share,
    )


@dataclass(frozen=True)
class Die:
    """A die thrown at ``t0`` s that lies at ``end`` with ``face`` on top from ``t1`` until ``gone`` s."""

    t0: float
    t1: float
    gone: float
    start: Spot
    end: Spot
    face: int

    def at(self, t: float) -> Spot | None:
        """Where it is and how it is turned at ``t`` s, or None when it is not on the table."""
        if not self.t0 <= t < self.gone:
            return None
        share = min((t - self.t0) / (self.t1 - self.t0), 1.0)
        share = 1 - (1 - share) ** 2
        left = 1 - share
        return Spot(
            self.start.x + (self.end.x - self.start.x) * share,
            self.start.y + (self.end.y - self.start.y) * share,
            0.8 + abs(float(np.sin(9 * left))) * 3.0 * left,
            self.end.yaw + 14 * left,
            0.0,
        )


@dataclass(frozen=True)
class ArmKey:
    """Where a right hand is at ``t`` s; between keys it moves smoothly."""

    t: float
    at: Point


@dataclass(frozen=True, eq=False)
class Timeline:
    """A whole recording without pixels.

    Attributes:
        plan: the table's geometry. ``near_seat``: who sits at the near edge.
        fps: frames a second that ``frame`` counts in.
        events: the log as far as a camera can see it, with ``t`` and ``frame``.
        source: the log it was made from.
        duration: s.
        tracks: each tile's life. ``arms``: each side's right hand.
        disturbances: what happens beside the game. ``dice``: those thrown between hands.
    """

    plan: Plan
    near_seat: Seat
    fps: float
    events: tuple[Event, ...]
    source: tuple[Event, ...]
    duration: float
    tracks: tuple[Track, ...]
    arms: tuple[tuple[ArmKey, ...], ...]
    disturbances: tuple[Disturbance, ...] = ()
    dice: tuple[Die, ...] = ()

    def side_of(self, seat: Seat) -> int:
        """0 near, 1 right, 2 far, 3 left."""
        return (SEATS.index(seat) - SEATS.index(self.near_seat)) % 4

    @cached_property
    def _arm_times(self) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(key.t for key in keys) for keys in self.arms)

    def _arm(self, side: int, t: float) -> Point:
        keys = self.arms[side]
        index = bisect.bisect_right(self._arm_times[side], t) - 1
        if index < 0:
            return keys[0].at
        if index >= len(keys) - 1:
            return keys[-1].at
        a, b = keys[index], keys[index + 1]
        share = (t - a.t) / max(b.t - a.t, 1e-6)
        share = share * share * (3 - 2 * share)
        x, y, z = (p + (q - p) * share for p, q in zip(a.at, b.at, strict=True))
        return x, y, z

    def truth_at(self, t: float) -> Truth:
        """Every tile and hand at ``t`` seconds."""
        tiles = tuple(tile for track in self.tracks if (tile := track.at(t)) is not None)
        hands = []
        for side in range(4):
            here, before, after = self._arm(side, t), self._arm(side, t - 0.04), self._arm(side, t + 0.04)
            velocity = tuple((b - a) / 0.08 for a, b in zip(before, after, strict=True))
            rest = rest_point(self.plan, side, left=False)
            far = float(np.hypot(here[0] - rest[0], here[1] - rest[1]))
            speed = (velocity[0], velocity[1], velocity[2])
            hands.append(Hand(side, False, here, _shoulder(self.plan, side, left=False), speed, far < 0.05))
            quiet = rest_point(self.plan, side, left=True)
            place = hand_place(self.disturbances, side, quiet, t)
            away = quiet if place is None else place
            hands.append(
                Hand(side, True, away, _shoulder(self.plan, side, left=True), (0.0, 0.0, 0.0), place is None)
            )
        return Truth(t, tiles, tuple(hands))

    def changes(self) -> list[float]:
        """Times, s, at which some tile starts or stops moving, appears or is gone, in order."""
        times = {0.0}
        for track in self.tracks:
            times.add(track.born)
            if track.gone < self.duration:
                times.add(track.gone)
            for move in track.moves:
                times.update((move.t0, move.t1))
        return sorted(times)


def _turned(x: float, y: float, z: float, side: int) -> Point:
    spot = Spot(x, y, z, 0.0, 0.0).turned(side)
    return spot.x, spot.y, spot.z


def rest_point(plan: Plan, side: int, *, left: bool) -> Point:
    """Where a hand lies when it does nothing: at the table's edge."""
    return _turned(-19.0 if left else 19.0, -plan.half - 11.5, 2.5, side)


def _shoulder(plan: Plan, side: int, *, left: bool) -> Point:
    return _turned(-20.0 if left else 20.0, -plan.half - 46.0, 22.0, side)


def face_up(spot: Spot) -> Spot:
    """The same place with the face up."""
    return replace(spot, tip=0.0)


def build_timeline(
    log: Sequence[Event],
    *,
    near_seat: Seat = "E",
    plan: Plan | None = None,
    style: Style | None = None,
    seed: int = 0,
    fps: float = 10.0,
) -> Timeline:
    """Play a log on the table.

    Args:
        log: records of one or more hands. Deals and draws may be without tiles: what a hidden tile is
            then follows from later records, or is chosen at random among what is left.
        near_seat: who sits at the near edge.
        plan: the table; by default 85 cm wide with tiles of 3.6 × 2.7 × 2.1 cm.
        style: how the people play.
        seed: of dice, pauses and irregularities.
        fps: for the records' ``frame``.

    Raises:
        ValueError: the log does not fit 108 tiles (a tile is discarded that nobody can hold, …).
    """
    from pzvision.synth.acts import Actor  # the acts use this module's types

    stage = Actor(near_seat, plan or Plan(), style or Style(), seed, fps)
    for index in range(len(log)):
        stage.play(log, index)
    return stage.finish(log)
