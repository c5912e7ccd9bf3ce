"""Declaration tokens in the running game: looked for once a second, when something on the table changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.game import Declare
from pzvision.game.events import DECLARATIONS, DeclarationKind
from pzvision.table.observations import Tokens
from pzvision.table.tokens import TokenTable
from pzvision.tiles import OTHER
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionMask
from pzvision.vision.tokens import TokenFinder

FloatArray: TypeAlias = npt.NDArray[np.float64]

EVERY_S: Final = 1.0
_KINDS: Final[dict[str, DeclarationKind]] = {kind: kind for kind in DECLARATIONS}
_BARE: Final = 0.7  # share of a token's place where the felt must be seen for no token to be there
_ON_TOKEN_CM: Final = 3.2  # what seems to be a tile of no kind within so much of a token is (part of) it
_SAME_CM: Final = 4.0  # two cameras see one token within so much of each other
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
        self._kept: tuple[Detections, tuple[tuple[float, float], ...], Detections] | None = None

    def seen(self, views: Sequence[tuple[Image, Calibration]]) -> Tokens:
        """The tokens on the table, in its cm.

        Args:
            views: pictures that show it, each with where the table is in it; a token seen in several of them
                is where the first has it.
        """
        out: list[tuple[str, float, float]] = []
        for image, calibration in views:
            before = list(out)
            for token in self._finder.find(image):
                x, y = (float(v) for v in calibration.to_table(token.centre, 0.0)[0])
                if all(k != token.kind or np.hypot(x - a, y - b) > _SAME_CM for k, a, b in before):
                    out.append((token.kind, x, y))
        return tuple(out)

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
        tokens = [(_KINDS[kind], np.array([x, y])) for kind, x, y in see() if kind in _KINDS]
        return self._table.look(t, tokens, lambda at: self._bare(mask, at))

    def without(self, detections: Detections) -> Detections:
        """What lies on the table but the tokens, which look like tiles of no kind. The same object where
        nothing is left out, and for the same detections as long as the tokens lie as they did."""
        places = self._table.places
        if not places or not len(detections):
            return detections
        if self._kept is None or self._kept[0] is not detections or self._kept[1] != places:
            centres = self._table.calibration.to_table(detections.polygons.mean(axis=1))
            away = np.linalg.norm(centres[:, None] - self._raised(places)[None], axis=2).min(axis=1)
            keep = (away > _ON_TOKEN_CM) | (detections.probs.argmax(axis=1) < OTHER)
            self._kept = detections, places, detections if keep.all() else detections[keep]
        return self._kept[2]

    def _raised(self, places: npt.ArrayLike) -> FloatArray:
        """Where what lies flat on the felt seems to be on the plane of the tiles' faces, ``(N, 2)`` cm."""
        calibration = self._table.calibration
        flat = np.asarray(places, np.float64).reshape(-1, 2)
        return calibration.to_table(calibration.to_image(np.column_stack([flat, np.zeros(len(flat))])))

    def _bare(self, mask: MotionMask, at: FloatArray) -> bool:
        """Whether the felt is seen where a token would lie."""
        seen = self._raised([at])
        return bool(mask.bare_share(seen)[0] >= _BARE and mask.hidden_share(seen)[0] <= 1 - _BARE)

    def recalibrated(self, calibration: Calibration) -> None:
        """The game reads under another calibration."""
        self._table.calibration = calibration


def later(declaration: Declare, seconds: float) -> Declare:
    """The same, told in a clock that is ``seconds`` ahead."""
    return replace(declaration, t=None if declaration.t is None else round(declaration.t + seconds, 2))
