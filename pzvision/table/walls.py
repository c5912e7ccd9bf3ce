"""What is left of the wall, by the stacks that are seen: a check on what the records say is left.

A stack is two tiles, and its upper one is seen as a back. Not every camera sees the whole wall: hands and
standing tiles hide it. Whether this one does is learnt while a hand begins, when what is left is known.
"""

from __future__ import annotations

from collections import deque
from statistics import median
from typing import Final

from pzvision.table.config import TableConfig

_TILES: Final = 2  # of a stack


class WallWatch:
    """Follows one hand.

    Attributes:
        seen: tiles left by the stacks seen; None while it is not known that the whole wall is.
        off: for some time what is seen and what the records say has been far apart.
    """

    def __init__(self, config: TableConfig | None = None) -> None:
        self.config = config or TableConfig()
        self.seen: int | None = None
        self.off = False
        self._counts: deque[tuple[float, int]] = deque()
        self._near = self._looks = 0
        self._most = 0
        self._off_since: float | None = None

    def look(self, t: float, stacks: int, left: int | None) -> None:
        """``stacks`` are seen at ``t`` s; ``left``: tiles left by the records, None before and after play."""
        config = self.config
        self._counts.append((t, stacks))
        while self._counts[0][0] < t - config.wall_steady_s:
            self._counts.popleft()
        if left is None:
            return
        tiles = _TILES * round(median(count for _, count in self._counts))
        self._most = max(self._most, left)
        if left > self._most - config.wall_first_tiles:
            self._looks += 1
            self._near += abs(tiles - left) <= config.wall_near_tiles
        whole = self._looks >= config.wall_first_looks and self._near >= config.wall_near_share * self._looks
        self.seen = tiles if whole else None
        if not whole or abs(tiles - left) <= config.wall_off_tiles:
            self._off_since, self.off = None, False
        elif self._off_since is None:
            self._off_since = t
        else:
            self.off = t - self._off_since >= config.wall_off_s
