"""Declaration tokens in the running game: looked for once a second, when something on the table changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from pzvision.game import Declare
from pzvision.game.events import DECLARATIONS, DeclarationKind
from pzvision.table.observations import Tokens
from pzvision.table.tokens import TokenTable
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image
from pzvision.vision.motion import MotionMask
from pzvision.vision.tokens import TokenFinder

EVERY_S: Final = 1.0
_KINDS: Final[dict[str, DeclarationKind]] = {kind: kind for kind in DECLARATIONS}
_CELLS: Final = 6  # cells of the mask that must have moved for another look


class TokenWatch:
    """One camera's tokens.

    Args:
        calibration: under which the game reads; its seats are those of the declarations.
    """

    def __init__(self, calibration: Calibration) -> None:
        self._finder = TokenFinder()
        self._table = TokenTable(calibration)
        self._looked = float("-inf")
        self._changed = True
        self._hand: object = None

    def seen(self, image: Image, calibration: Calibration) -> Tokens:
        """The tokens in a picture, in table cm; ``calibration``: where the table is in it."""
        places = (
            (token.kind, calibration.to_table(token.centre, 0.0)[0]) for token in self._finder.find(image)
        )
        return tuple((kind, float(at[0]), float(at[1])) for kind, at in places)

    def look(
        self, t: float, mask: MotionMask, hand: object, see: Callable[[], Tokens]
    ) -> tuple[Declare, ...]:
        """New declarations at ``t`` s.

        Args:
            mask: of this look.
            hand: the running hand; another object than before is a new hand.
            see: what lies there; asked only when it may have changed.
        """
        if hand is not self._hand:
            self._hand = hand
            self._table.new_hand()
            self._changed = True
        self._changed |= mask.shaken or int(mask.moving.sum()) >= _CELLS
        if t - self._looked < EVERY_S - 1e-6 or not (self._changed or self._table.waiting):
            return ()
        self._looked, self._changed = t, False
        return self._table.look(
            t, [(_KINDS[kind], np.array([x, y])) for kind, x, y in see() if kind in _KINDS]
        )

    def recalibrated(self, calibration: Calibration) -> None:
        """The game reads under another calibration."""
        self._table.calibration = calibration


def later(declaration: Declare, seconds: float) -> Declare:
    """The same, told in a clock that is ``seconds`` ahead."""
    return replace(declaration, t=None if declaration.t is None else round(declaration.t + seconds, 2))
