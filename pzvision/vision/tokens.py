"""Declaration tokens: printed cards laid on the table that say what a player declares.

A card of ``pzvision calibrate --sheet`` carries an ArUco marker; where it rests says whose it is (the table
decides that), the marker's number says what is declared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.vision.capture import Image
from pzvision.vision.markers import find_markers

FloatArray: TypeAlias = npt.NDArray[np.float64]

# As the log's ``declare`` record names them; vision knows nothing of games, so they are said again here.
TokenKind: TypeAlias = Literal["sing", "dance", "alarm", "tian_jiao", "bai", "bao_ting"]

# Marker number → declaration, as in the log's ``declare`` record. The order of the printed sheet.
TOKEN_IDS: Final[dict[int, TokenKind]] = {
    10: "sing",
    11: "dance",
    12: "alarm",
    13: "tian_jiao",
    14: "bai",
    15: "bao_ting",
}


@dataclass(frozen=True, eq=False)
class Token:
    """A token seen in a picture.

    Attributes:
        kind: the declaration: ``sing``, ``dance``, ``alarm``, ``tian_jiao``, ``bai`` or ``bao_ting``.
        corners: ``(4, 2)`` px, clockwise from the marker's own top left.
    """

    kind: TokenKind
    corners: npt.NDArray[np.float32]

    @property
    def centre(self) -> FloatArray:
        """``(2,)`` px: where the marker's diagonals meet, its true centre in perspective."""
        a, b, c, d = self.corners.astype(np.float64)
        along, across = c - a, d - b
        turn = along[0] * across[1] - along[1] * across[0]
        if abs(turn) < 1e-9:
            return np.asarray(self.corners.mean(axis=0), np.float64)
        share = ((b[0] - a[0]) * across[1] - (b[1] - a[1]) * across[0]) / turn
        return np.asarray(a + share * along, np.float64)


class TokenFinder:
    """Finds the declaration tokens in a picture; the same picture always gives the same answer.

    About 8 ms for 1280 × 720 on one core: ask it once a second, when the picture changed.
    """

    def find(self, image: Image) -> tuple[Token, ...]:
        """The tokens in ``(H, W, 3)`` uint8 BGR, by kind in the sheet's order, then from top to bottom."""
        return tuple(Token(TOKEN_IDS[k], quad) for k, quad in find_markers(image, TOKEN_IDS.keys()))
