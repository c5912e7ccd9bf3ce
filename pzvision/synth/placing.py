"""Where tiles lie on a table: hands, walls, rivers, melds, shown tiles, in the table frame (cm).

Everything is worked out for the near player and turned by quarter circles for the others. Sides are
numbered as the seats follow each other: 0 near, 1 right, 2 far, 3 left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pzvision.synth.bodies import DOWN, STANDING, UP


@dataclass(frozen=True)
class Spot:
    """A place for one tile: its centre ``(x, y, z)``, cm; ``yaw`` and ``tip``, radians, of `bodies.Box`."""

    x: float
    y: float
    z: float
    yaw: float
    tip: float

    def turned(self, side: int) -> Spot:
        """The same place before another player."""
        angle = side * np.pi / 2
        c, s = np.cos(angle), np.sin(angle)
        return replace(
            self, x=float(self.x * c - self.y * s), y=float(self.x * s + self.y * c), yaw=self.yaw + angle
        )

    def nudged(self, rng: np.random.Generator, cm: float, turn: float) -> Spot:
        """Laid down by a person, not a machine: off by ``cm`` and ``turn`` radians (deviations)."""
        dx, dy, dt = rng.normal(0, 1, 3)
        return replace(
            self, x=self.x + float(dx) * cm, y=self.y + float(dy) * cm, yaw=self.yaw + float(dt) * turn
        )


@dataclass(frozen=True)
class Plan:
    """The geometry of one table and one set of tiles.

    All lengths are cm.

    Attributes:
        felt: side of the square felt.
        tile: height, width, thickness of a tile.
        gap: between neighbours. ``hand_edge``, ``meld_edge``, ``shown_edge``, ``wall_edge``: distance of the
            hand's, melds', shown tiles', walls' middle from the felt's edge.
        hand_left: x of the hand's left end. ``meld_right``: x of the first meld's right end.
        river: distance of the first row's middle from the table's middle; ``per_row`` tiles a row.
    """

    felt: float = 85.0
    tile: tuple[float, float, float] = (3.6, 2.7, 2.1)
    gap: float = 0.08
    hand_edge: float = 6.6
    meld_edge: float = 6.0
    shown_edge: float = 10.7
    wall_edge: float = 16.0
    hand_left: float = -25.0
    meld_right: float = 35.0
    river: float = 10.6
    per_row: int = 6

    @property
    def half(self) -> float:
        """Half the felt's side, cm."""
        return self.felt / 2

    @property
    def pitch(self) -> float:
        """From one tile to its neighbour in a row, cm."""
        return self.tile[1] + self.gap

    def standing(self, index: int, *, apart: bool = False) -> Spot:
        """Tile ``index`` of the hand from the player's left, upright; ``apart``: the drawn one."""
        x = self.hand_left + (index + 0.5) * self.pitch + (1.1 if apart else 0.0)
        return Spot(x, -self.half + self.hand_edge, self.tile[0] / 2, 0.0, STANDING)

    def laid(self, index: int, *, apart: bool = False, face_down: bool = False) -> Spot:
        """Tile ``index`` of a laid-down hand; ``apart``: the winning tile."""
        x = self.hand_left + (index + 0.5) * self.pitch + (2.0 if apart else 0.0)
        return Spot(x, -self.half + self.hand_edge, self.tile[2] / 2, 0.0, DOWN if face_down else UP)

    def shown(self, index: int) -> Spot:
        """Tile ``index`` of those a dancer shows before his hand."""
        return replace(self.laid(index), y=-self.half + self.shown_edge)

    def wall(self, stack: int, level: int, stacks: int, *, face_up: bool = False) -> Spot:
        """Stack ``stack`` counted from the player's right end; ``level`` 0 below, 1 above."""
        x = (stacks / 2 - stack - 0.5) * self.pitch
        z = self.tile[2] * (0.5 + level)
        return Spot(x, -self.half + self.wall_edge, z, 0.0, UP if face_up else DOWN)

    def river_row(self, index: int) -> Spot:
        """Discard ``index`` in rows of `per_row` before the centre, from the player's left."""
        row, column = divmod(index, self.per_row)
        x = (column - (self.per_row - 1) / 2) * (self.pitch + 0.05)
        return Spot(x, -self.river - row * (self.tile[0] + 0.15), self.tile[2] / 2, 0.0, UP)

    def meld(self, group: int, index: int, *, face_down: bool = False) -> Spot:
        """Tile ``index`` (0–3) of meld ``group`` from the player's right end; each has room for four."""
        x = self.meld_right - group * (4 * self.pitch + 0.9) - (index + 0.5) * self.pitch
        return Spot(x, -self.half + self.meld_edge, self.tile[2] / 2, 0.0, DOWN if face_down else UP)
