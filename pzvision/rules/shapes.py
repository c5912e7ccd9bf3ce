"""Winning shapes and waits: four sets and a pair, or seven pairs (RULES §3)."""

from __future__ import annotations

from collections.abc import Sequence

from pzvision.rules.hand import Meld
from pzvision.rules.ruleset import Ruleset
from pzvision.tiles import Tile


def is_complete(concealed: Sequence[int], melds: Sequence[Meld]) -> bool:
    """Whether 27 counts of 14 − 3 × melds concealed tiles, winning tile included, are a winning shape."""
    raise NotImplementedError


def wait_tiles(ruleset: Ruleset, concealed: Sequence[int], melds: Sequence[Meld]) -> tuple[Tile, ...]:
    """听: the tiles that complete 27 counts of 13 − 3 × melds concealed tiles, ascending; shape only.

    A tile all four of which the player holds (concealed and melds) is no wait unless the ruleset's
    ``own_four_wait`` is set (D4). Empty: not ready.
    """
    raise NotImplementedError
