"""What each suit can do: one number for every combination of nine counts, built by adding up sets.

A suit's key is its nine counts read as a base-5 number, rank 1 the highest digit; `SUIT_TABLE[key]` packs

| bits  | meaning |
|-------|---------|
| 0–8   | ranks that complete the suit to sets |
| 9–17  | ranks that complete it to sets and one pair |
| 18    | it is sets already (an empty suit is) |
| 19    | it is sets and one pair already |
| 20–28 | ranks held an odd number of times |

The counts of two whole suits never mix, so waits of a hand follow from three look-ups (`shapes`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

RANKS: Final = 9
SETS_BIT: Final = 1 << 18
PAIR_BIT: Final = 1 << 19
RANK_MASK: Final = 0x1FF
WAIT_PAIR_SHIFT: Final = 9
ODD_SHIFT: Final = 20

#: Value of each rank's digit in a key.
POWERS: Final[npt.NDArray[np.int32]] = (5 ** np.arange(RANKS - 1, -1, -1)).astype(np.int32)
#: Translates a count (a byte 0–4) into its digit, so that ``int(counts.translate(DIGITS), 5)`` is the key.
#: A count above 4 becomes a letter that `int` refuses.
DIGITS: Final = b"01234" + b"z" * 251

SETS: Final = np.array(
    [[3 if r == t else 0 for r in range(RANKS)] for t in range(RANKS)]
    + [[1 if s <= r <= s + 2 else 0 for r in range(RANKS)] for s in range(RANKS - 2)],
    dtype=np.int32,
)


def _grow(shapes: npt.NDArray[np.int32], parts: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Every shape plus every part, without repeats, at most five of a rank (four and the winning one)."""
    grown = (shapes[:, None, :] + parts[None, :, :]).reshape(-1, RANKS)
    grown = grown[grown.max(axis=1) <= 5]
    _, first = np.unique(grown @ (6 ** np.arange(RANKS)), return_index=True)
    return np.asarray(grown[first], dtype=np.int32)


def _build() -> npt.NDArray[np.int32]:
    sets = [np.zeros((1, RANKS), dtype=np.int32)]
    for _ in range(4):
        sets.append(_grow(sets[-1], SETS))
    complete = np.concatenate(sets)
    with_pair = _grow(complete, 2 * np.eye(RANKS, dtype=np.int32))

    odd = np.zeros(1, dtype=np.int32)
    for rank in range(RANKS):
        bit = 1 << (ODD_SHIFT + rank)
        odd = (odd[:, None] | np.array([0, bit, 0, bit, 0], dtype=np.int32)).ravel()
    table = odd
    for shapes, bit, shift in ((complete, SETS_BIT, 0), (with_pair, PAIR_BIT, WAIT_PAIR_SHIFT)):
        table[shapes[shapes.max(axis=1) <= 4] @ POWERS] |= bit
        for rank in range(RANKS):
            less = shapes[shapes[:, rank] > 0]
            less[:, rank] -= 1
            table[less[less.max(axis=1) <= 4] @ POWERS] |= 1 << (shift + rank)
    table.flags.writeable = False
    return table


#: (5**9,) int32, 7.8 MB; see the module's table.
SUIT_TABLE: Final[npt.NDArray[np.int32]] = _build()
#: The same memory for single look-ups: indexing it gives a plain int, five times faster than numpy's.
SUIT_LOOKUP: Final[memoryview] = SUIT_TABLE.data
