"""Hands laid open: by a winner, and at the end of a hand."""

from __future__ import annotations

from collections.abc import Sequence

from pzvision.game.events import Event, Leave, Reveal, Win
from pzvision.synth.between import Between
from pzvision.synth.timeline import Track
from pzvision.tiles import KINDS, Seat


class Laying(Between):
    """What a player does who has won, or whose tiles the others want to see."""

    def _lay_down(self, seat: Seat, kinds: Sequence[int] | None, start: float) -> float:
        """Lay the standing tiles face up, sorted; returns when the last lies still."""
        hand = self.hands[seat]
        if kinds is not None:
            left = list(kinds)
            for track in hand:
                if track.kind in left:
                    left.remove(track.kind)
            for track in hand:
                if track.kind is None and left:
                    track.kind = left.pop(0)
        standing = [t for t in hand if t not in self.shown[seat]]
        standing.sort(key=lambda t: (KINDS if t.kind is None else t.kind, t.id))
        end = start
        stops = []
        for index, track in enumerate(standing):
            goal = self.nudged(self.plan.laid(index).turned(self.side(seat)), 0.4)
            end = max(end, self.move(track, goal, seat, "laid", start + 0.05 * index, 0.5 * self.style.pace))
            stops.append(goal)
        if stops:
            self.reach(seat, [(start, stops[0]), (end, stops[-1])])
        return end

    def win(self, event: Win, log: Sequence[Event], index: int) -> None:
        """A win, which is record ``index``: the hand is laid down, the winning tile beside it."""
        seat = event.seat
        start = self.now + self.pause(0.8, 1.2)
        sharing = _winners_on_one_tile(log, index)
        prize: Track | None = None
        if event.by == "self_draw":
            prize = self.take(seat, event.tile)
        elif event.by == "discard" and self.last_discard is not None and sharing == 1:
            giver, prize = self.last_discard
            self.rivers[giver].remove(prize)
            self.last_discard = None
        elif event.by == "rob_kong" and self.added is not None and sharing == 1:
            prize = self.added
            for meld in (m for melds in self.melds.values() for m in melds):
                if prize in meld:
                    meld.remove(prize)
            self.added = None
        end = self._lay_down(seat, event.hand, start)
        if prize is not None:
            count = len([t for t in self.hands[seat] if t not in self.shown[seat]])
            goal = self.nudged(self.plan.laid(count, apart=True).turned(self.side(seat)), 0.8)
            grab = end + self.pause(0.3, 0.5)
            end = self.move(prize, goal, seat, "laid", grab, self.pause(0.5, 0.8))
            self.reach(seat, [(grab, prize.moves[-1].start), (end, goal)])
        self.replacement = False
        self.now = end
        self.emit(event)

    def reveal(self, event: Reveal) -> None:
        """A hand is shown at the end."""
        self.now = self._lay_down(event.seat, event.hand, self.now + self.pause(0.7, 1.1))
        self.emit(event)


def _winners_on_one_tile(log: Sequence[Event], index: int) -> int:
    """How many win on the tile that record ``index`` wins on: the run of wins around it."""
    first = last = index
    while first > 0 and isinstance(log[first - 1], Win | Leave):
        first -= 1
    while last + 1 < len(log) and isinstance(log[last + 1], Win | Leave):
        last += 1
    event = log[index]
    assert isinstance(event, Win)
    run = [e for e in log[first : last + 1] if isinstance(e, Win)]
    return sum(e.by == event.by and e.by != "self_draw" and e.tile == event.tile for e in run) or 1
