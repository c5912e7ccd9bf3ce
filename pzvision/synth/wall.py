"""The wall: how it is built, from where it is taken, and what of it still stands."""

from __future__ import annotations

from dataclasses import dataclass

from pzvision.synth.placing import Plan, Spot
from pzvision.tiles import SEATS, Seat


def wall_stacks(seat: Seat) -> int:
    """E and W build 14 stacks, S and N 13 (S3)."""
    return 14 if seat in ("E", "W") else 13


@dataclass
class Wall:
    """The stacks still standing, in the order they are taken; each by level (0 below, 1 above)."""

    stacks: list[dict[int, int]]
    lamp: int | None = None

    def take_front(self) -> int:
        """The next tile in turn: the top of the first stack; the lamp only when nothing else is left.

        Raises `ValueError` when the wall is empty.
        """
        for stack in self.stacks[:1]:
            levels = sorted(stack, reverse=True)
            free = [level for level in levels if stack[level] != self.lamp] or levels
            tile = stack.pop(free[0])
            if not stack:
                self.stacks.pop(0)
            if tile == self.lamp:
                self.lamp = None
            return tile
        raise ValueError("the wall is empty: the log draws more tiles than there are")

    def tail(self) -> int | None:
        """The last tile: the top one of the last stack."""
        return self.stacks[-1][max(self.stacks[-1])] if self.stacks else None

    def take_tail(self) -> int:
        """Takes the last tile. Raises `ValueError` when the wall is empty."""
        if not self.stacks:
            raise ValueError("the wall is empty: the log draws more tiles than there are")
        stack = self.stacks[-1]
        tile = stack.pop(max(stack))
        if not stack:
            self.stacks.pop()
        if tile == self.lamp:
            self.lamp = None
        return tile


def wall_places(plan: Plan, near: Seat, dealer: Seat, dice: tuple[int, int]) -> list[list[Spot]]:
    """The 54 stacks in the order they are taken, each (below, above).

    The dice' sum picks the wall counted from the dealer, the smaller die is how many stacks from that
    player's right are left standing (S3 二); then to the left, on through the wall of the player to
    the left.
    """
    chosen = (SEATS.index(dealer) + sum(dice) - 1) % 4
    skip = min(dice)
    order: list[tuple[Seat, int]] = []
    for step in range(5):
        seat = SEATS[(chosen - step) % 4]
        stacks = range(wall_stacks(seat))
        if step == 0:
            order += [(seat, k) for k in stacks if k >= skip]
        elif step == 4:
            order += [(seat, k) for k in stacks if k < skip]
        else:
            order += [(seat, k) for k in stacks]
    out = []
    for seat, stack in order:
        side = (SEATS.index(seat) - SEATS.index(near)) % 4
        out.append([plan.wall(stack, level, wall_stacks(seat)).turned(side) for level in (0, 1)])
    return out
