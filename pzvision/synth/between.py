"""Between two hands: the table is cleared, walls come up, dice are thrown, tiles dealt; and long pauses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pzvision.game.events import Discard, Event, HandStart
from pzvision.synth.bodies import UP
from pzvision.synth.placing import Spot
from pzvision.synth.stage import Stage
from pzvision.synth.timeline import Die, Track, Zone
from pzvision.tiles import SEATS, Seat


class Between(Stage):
    """What players do when no hand is going on."""

    def new_track(self, spot: Spot, seat: Seat | None, zone: Zone) -> Track:
        """A tile that lies there from now on."""
        track = Track(len(self.tracks), None, round(self.now, 3), spot, seat, zone)
        self.tracks.append(track)
        self.live.append(track)
        return track

    def clear(self) -> None:
        """Between hands: everything is pushed into the middle and swallowed, new walls come up."""
        self.fill_unknown()
        self.now += 1.5
        start = self.now
        for track in self.live:
            x, y = self.rng.normal(0, 6, 2)
            goal = Spot(
                float(x), float(y), self.plan.tile[2] / 2, float(self.rng.uniform(0, 6.28)), track.spot.tip
            )
            self.move(track, goal, track.seat, track.zone, start + float(self.rng.uniform(0, 0.5)), 1.2)
            track.gone = start + 2.2
        middle = Spot(0.0, 0.0, 1.0, 0.0, UP)
        for seat in SEATS:
            edge = Spot(0.0, -self.plan.half + 8, 1.0, 0.0, UP).turned(self.side(seat))
            self.reach(seat, [(start + 0.3, edge), (start + 1.6, middle)])
        self.live = []
        self.now = start + 4.0

    def build_walls(self) -> None:
        """The four walls come up out of the table and are pushed outwards to their places."""
        start = self.now
        for track in self.live:
            goal = track.first
            side = round(float(np.arctan2(goal.x, -goal.y)) / (np.pi / 2)) % 4
            back = Spot(0.0, 5.5, 0.0, 0.0, goal.tip).turned(side)
            track.first = replace(goal, x=goal.x + back.x, y=goal.y + back.y)
            self.move(track, goal, None, "wall", start + 0.5 + 0.15 * side, 0.9)
        for seat in SEATS:
            row = Spot(0.0, -self.plan.half + self.plan.wall_edge + 4, 1.0, 0.0, UP).turned(self.side(seat))
            self.reach(seat, [(start + 0.3, row), (start + 1.5, row)])
        self.now = start + 2.4

    def throw_dice(self, dealer: Seat, faces: tuple[int, int]) -> None:
        """Two dice roll across the middle and lie there until the deal is over."""
        side = self.side(dealer)
        rng = np.random.default_rng([len(self.tracks), 31])
        start = self.now + 0.5
        for face in faces:
            x, y = (float(v) for v in rng.uniform(-4.5, 4.5, 2))
            hand = Spot(2.0 + float(rng.normal(0, 1)), -15.0, 2.5, 0.0, UP).turned(side)
            roll = float(rng.uniform(0.8, 1.2))
            self.dice.append(
                Die(start, start + roll, start + roll + 8.0, hand, Spot(x, y, 0.0, roll, UP), face)
            )
        self.reach(dealer, [(start - 0.1, Spot(2.0, -15.0, 1.0, 0.0, UP).turned(side))])
        self.now = start + 2.0

    def deal_out(self, dealer: Seat, goals: dict[int, Spot]) -> None:
        """Four tiles at a time go to each player in turn, then the last ones; about eight seconds."""
        order = [SEATS[(SEATS.index(dealer) + k) % 4] for k in range(4)]
        for turn in range(4):
            for seat in order:
                hand = self.hands[seat]
                block = hand[4 * turn : 4 * turn + 4] if turn < 3 else hand[12:]
                end = self.now + 0.45
                for track in block:
                    self.move(track, goals[track.id], seat, "hand", self.now + 0.05, 0.4)
                self.reach(seat, [(self.now, block[0].moves[-1].start), (end, goals[block[-1].id])])
                self.now = end
        self.now += 0.8

    def plan_breaks(self, rest: Sequence[Event]) -> None:
        """Before which discards of this hand somebody makes everybody wait."""
        count = 0
        for record in rest:
            if isinstance(record, HandStart):
                break
            count += isinstance(record, Discard)
        rng = np.random.default_rng([len(self.tracks), count, 37])
        chosen = rng.permutation(max(count, 1))[: self.style.breaks]
        self.breaks = {self.thrown + int(k): float(rng.uniform(9, 16)) for k in chosen}
