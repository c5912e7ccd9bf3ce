"""Each log record acted out on the table: which tiles move where, when, and whose arm does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pzvision.game.events import (
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
    TailLamp,
    Win,
)
from pzvision.synth.bodies import UP
from pzvision.synth.laying import Laying
from pzvision.synth.placing import Spot
from pzvision.synth.timeline import Timeline, Track, face_up
from pzvision.synth.wall import Wall, wall_places
from pzvision.tiles import SEATS, Seat, format_tile

_HAND_SIZE = 13


class Actor(Laying):
    """Plays log records on a `Stage`; `build_timeline` is its way in."""

    def play(self, log: Sequence[Event], index: int) -> None:
        """Act out record ``index``. Raises `ValueError` when the log contradicts itself."""
        event = log[index]
        match event:
            case HandStart():
                self._hand_start(event, log[index + 1 :])
            case Deal():
                self.emit(Deal(event.seat, None))
            case TailLamp():
                self._tail_lamp(event)
            case Draw():
                self._draw(event)
            case Discard():
                self._discard(event)
            case Peng():
                self._claim(event.seat, event.tile, 2)
                self.emit(event)
            case Gang():
                self._gang(event)
            case Declare():
                self._declare(event)
            case Win():
                self.win(event, log, index)
            case Reveal():
                self.reveal(event)
            case Leave():
                self.now += self.pause(0.5, 1.0)
                self.emit(event)
            case HandEnd():
                self.now += 1.6
                self.emit(event)

    def _hand_start(self, event: HandStart, rest: Sequence[Event]) -> None:
        if self.live:
            self.clear()
        deals: dict[Seat, tuple[int, ...] | None] = {}
        for record in rest:
            if isinstance(record, HandStart):
                break
            if isinstance(record, Deal):
                deals[record.seat] = record.tiles
        dice = (int(self.rng.integers(1, 7)), int(self.rng.integers(1, 7)))
        places = wall_places(self.plan, self.near, event.dealer, dice)
        tail = any(isinstance(r, TailLamp) for r in rest[: len(deals) + 1])
        self.wall = Wall([])
        pending = sum(_HAND_SIZE + (s == event.dealer) for s in SEATS)
        seen = bool(self.tracks)  # a recording begins after the first deal, the later ones are seen
        heap: list[Track] = []
        for below, above in places:
            stack: dict[int, int] = {}
            for level, spot in ((1, above), (0, below)):
                if pending:
                    pending -= 1
                    if seen:
                        heap.append(self.new_track(spot, None, "wall"))
                    continue
                track = self.new_track(
                    spot.nudged(self.rng, 0.04 * self.style.mess, 0.01 * self.style.mess), None, "wall"
                )
                stack[level] = track.id
            if stack:
                self.wall.stacks.append(stack)
        if not tail:
            self.wall.lamp = None
        if seen:
            self.build_walls()
            self.throw_dice(event.dealer, dice)
        goals: dict[int, Spot] = {}
        for seat in SEATS:
            count = _HAND_SIZE + (seat == event.dealer)
            kinds = deals.get(seat)
            if kinds is not None and len(kinds) != count:
                raise ValueError(f"deal {seat}: {len(kinds)} tiles, expected {count}")
            self.hands[seat] = []
            for k in range(count):
                spot = self.plan.standing(k, apart=k == _HAND_SIZE).turned(self.side(seat))
                goal = self.nudged(spot, 0.3)
                track = heap[len(self.hands[seat])] if seen else self.new_track(goal, seat, "hand")
                track.kind = None if kinds is None else sorted(kinds)[k]
                self.hands[seat].append(track)
                goals[track.id] = goal
            del heap[:count]
            self.drawn[seat] = self.hands[seat][-1] if count > _HAND_SIZE else None
            self.shown[seat], self.rivers[seat], self.melds[seat] = [], [], []
        self.replacement = False
        self.last_discard = None
        if seen:
            self.deal_out(event.dealer, goals)
        self.plan_breaks(rest)
        self.emit(event)

    def _tail_lamp(self, event: TailLamp) -> None:
        identity = self.wall.tail()
        if identity is None:
            raise ValueError("tail_lamp: there is no wall left")
        track = self.tracks[identity]
        if track.kind not in (None, event.tile):
            raise ValueError(f"tail_lamp: {format_tile(event.tile)} was already seen to be another tile")
        track.kind = event.tile
        self.wall.lamp = identity
        dealt = len(self.events) and isinstance(self.events[-1], Deal)
        if dealt and self.events[-1].t == round(self.now, 2) and not track.moves:
            track.first = face_up(track.first)
            track.zone = "tail_lamp"
        else:
            seat = next((e.seat for e in reversed(self.events) if isinstance(e, Draw | Gang)), self.near)
            start = self.now + self.pause(0.25, 0.4)
            end = self.move(track, face_up(track.spot), None, "tail_lamp", start, 0.45 * self.style.pace)
            self.reach(seat, [(start, track.spot), (end, track.spot)])
            self.now = end
        self.emit(event)

    def _draw(self, event: Draw) -> None:
        seat = event.seat
        lamp = self.wall.lamp
        identity = self.wall.take_tail() if self.replacement and lamp is not None else self.wall.take_front()
        track = self.tracks[identity]
        if event.tile is not None:
            if track.kind not in (None, event.tile):
                raise ValueError(f"draw {seat}: {format_tile(event.tile)} is not the tail lamp")
            track.kind = event.tile
        if self.wall.lamp is not None:
            self._settle_lamp()
        self.replacement = False
        self.hands[seat].append(track)
        self.drawn[seat] = track
        count = len([t for t in self.hands[seat] if t not in self.shown[seat]]) - 1
        goal = self.nudged(self.plan.standing(count, apart=True).turned(self.side(seat)), 0.5)
        grab = self.now + self.pause(0.75, 1.0)
        place = self.move(track, goal, seat, "hand", grab, self.pause(0.6, 0.85))
        self.reach(seat, [(grab, track.moves[-1].start), (place, goal)])
        self.now = place
        seen = track.kind if identity == lamp else None
        self.emit(Draw(seat, seen))

    def _settle_lamp(self) -> None:
        """A lamp whose lower neighbour was taken drops to the table."""
        assert self.wall.lamp is not None
        track = self.tracks[self.wall.lamp]
        stack = self.wall.stacks[-1]
        if len(stack) == 1 and track.spot.z > self.plan.tile[2]:
            goal = replace(track.spot, z=self.plan.tile[2] / 2)
            self.move(track, goal, None, "tail_lamp", self.now + self.pause(1.1, 1.2), 0.2)

    def _discard(self, event: Discard) -> None:
        seat = event.seat
        track = self.take(seat, event.tile)
        wait = self.pause(0.5, 0.9)
        if self.rng.random() < self.style.think:
            wait += self.pause(1.5, 3.0)
        wait += self.breaks.get(self.thrown, 0.0)
        self.thrown += 1
        river = self.rivers[seat]
        if self.style.river == "rows":
            goal = self.nudged(self.plan.river_row(len(river)).turned(self.side(seat)))
        else:
            goal = self._heap_spot(seat)
        grab = self.now + wait
        place = self.move(track, goal, seat, "river", grab, self.pause(0.55, 0.8))
        self.reach(seat, [(grab, track.moves[-1].start), (place, goal)])
        self.now = place
        river.append(track)
        self.last_discard = (seat, track)
        self.drawn[seat] = None
        self.arrange(seat, self.now + 0.15)
        self.emit(event)

    def _heap_spot(self, seat: Seat) -> Spot:
        """A free place in the middle, nearer to its owner than to the others."""
        plan = self.plan
        taken = [t.spot for river in self.rivers.values() for t in river]
        best: tuple[float, Spot] | None = None
        for _ in range(200):
            # grows outwards as the heap grows
            radius = 5.0 + 2.1 * np.sqrt(len(taken) + 1)
            x, y = self.rng.normal(0, 0.55, 2) * radius
            spot = Spot(
                float(x), float(y) - 0.45 * radius, plan.tile[2] / 2, float(self.rng.normal(0, 0.5)), UP
            )
            spot = spot.turned(self.side(seat))
            if max(abs(spot.x), abs(spot.y)) > plan.half - plan.wall_edge - 4.5:
                continue
            clear = min((float(np.hypot(spot.x - o.x, spot.y - o.y)) for o in taken), default=99.0)
            if best is None or clear > best[0]:
                best = (clear, spot)
            if clear > plan.tile[0] * 1.22:
                break
        assert best is not None
        return best[1]

    def _claim(self, seat: Seat, tile: int, own: int) -> list[Track]:
        """``own`` tiles of the hand and the last discard become a meld."""
        if self.last_discard is None:
            raise ValueError(f"{seat} claims {format_tile(tile)}, but nothing was discarded")
        giver, claimed = self.last_discard
        if claimed.kind != tile:
            raise ValueError(f"{seat} claims {format_tile(tile)}, which was not the last discard")
        self.rivers[giver].remove(claimed)
        self.last_discard = None
        mine = [self.take(seat, tile) for _ in range(own)]
        meld = [*mine, claimed]
        self._lay_meld(seat, meld, mine, claimed)
        return meld

    def _lay_meld(
        self, seat: Seat, meld: list[Track], mine: list[Track], claimed: Track | None, *, down: bool = False
    ) -> None:
        group = len(self.melds[seat])
        side = self.side(seat)
        goals = [
            self.nudged(self.plan.meld(group, k, face_down=down).turned(side), 0.6) for k in range(len(meld))
        ]
        start = self.now + self.pause(0.7, 1.1)
        end = start
        for k, track in enumerate(mine):
            end = max(end, self.move(track, goals[k], seat, "meld", start + 0.06 * k, self.pause(0.5, 0.6)))
        stops = [(start, mine[0].moves[-1].start), (end, goals[0])]
        if claimed is not None:
            grab = end + self.pause(0.35, 0.5)
            end = self.move(claimed, goals[-1], seat, "meld", grab, self.pause(0.6, 0.8))
            stops += [(grab, claimed.moves[-1].start), (end, goals[-1])]
        self.reach(seat, stops)
        self.now = end
        self.melds[seat].append(meld)
        self.drawn[seat] = None
        self.arrange(seat, self.now + 0.1)

    def _gang(self, event: Gang) -> None:
        seat, tile = event.seat, event.tile
        self.replacement = True
        self.added = None
        if event.kind == "zhi_gang":
            self._claim(seat, tile, 3)
        elif event.kind == "an_gang":
            mine = [self.take(seat, tile) for _ in range(4)]
            self._lay_meld(seat, mine, mine, None, down=self.style.an_gang == "down")
        else:
            group = next(
                (g for g, m in enumerate(self.melds[seat]) if m[0].kind == tile and len(m) == 3), None
            )
            if group is None:
                raise ValueError(f"ba_gang {seat}: no peng of {format_tile(tile)}")
            track = self.take(seat, tile)
            goal = self.nudged(self.plan.meld(group, 3).turned(self.side(seat)), 0.6)
            grab = self.now + self.pause(0.7, 1.0)
            self.now = self.move(track, goal, seat, "meld", grab, self.pause(0.6, 0.8))
            self.reach(seat, [(grab, track.moves[-1].start), (self.now, goal)])
            self.melds[seat][group].append(track)
            self.drawn[seat] = None
            self.added = track
            self.arrange(seat, self.now + 0.1)
        self.emit(event)

    def _declare(self, event: Declare) -> None:
        seat = event.seat
        if event.tiles:
            start = self.now + self.pause(0.4, 0.6)
            end = start
            stops: list[tuple[float, Spot]] = []
            for tile in sorted(event.tiles):
                track = self.take(seat, tile)
                self.shown[seat].append(track)
                goal = self.nudged(self.plan.shown(len(self.shown[seat]) - 1).turned(self.side(seat)), 0.6)
                end = max(
                    end,
                    self.move(track, goal, seat, "shown", start + 0.08 * len(stops), self.pause(0.5, 0.7)),
                )
                stops.append((end, goal))
            self.reach(seat, [(start, stops[0][1]), (end, stops[-1][1])])
            self.now = end
            self.hands[seat] = [*self.shown[seat], *self.hands[seat]]
            self.drawn[seat] = None
            self.arrange(seat, self.now + 0.1)
        else:
            self.now += self.pause(0.5, 0.8)
        self.emit(replace(event, tiles=event.tiles or None, waits=event.waits or None))

    def finish(self, log: Sequence[Event]) -> Timeline:
        """The finished recording; it goes on for a moment after the last record."""
        self.fill_unknown()
        return Timeline(
            self.plan,
            self.near,
            self.fps,
            tuple(self.events),
            tuple(log),
            round(self.now + 1.5, 2),
            tuple(self.tracks),
            tuple(tuple(keys) for keys in self.arms),
            dice=tuple(self.dice),
        )
