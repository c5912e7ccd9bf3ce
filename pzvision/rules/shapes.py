"""Winning shapes and waits: four sets and a pair, or seven pairs (S3 胡牌的基本牌型, S0 §4.2a).

One hand costs three table look-ups; `wait_masks` and `complete_mask` do the same for arrays of hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pzvision.errors import FormatError
from pzvision.rules.hand import Meld
from pzvision.rules.ruleset import Ruleset
from pzvision.rules.tables import (
    DIGITS,
    ODD_SHIFT,
    PAIR_BIT,
    POWERS,
    RANK_MASK,
    SETS_BIT,
    SUIT_LOOKUP,
    SUIT_TABLE,
    WAIT_PAIR_SHIFT,
)
from pzvision.tiles import COPIES, KINDS, Tile, format_tile, format_tiles

#: Lowest bit of each of 27 little-endian bytes: a hand whose counts are all even has none of them.
ODD_BYTES: Final = int.from_bytes(b"\x01" * KINDS, "little")
_CHUNK: Final = 1 << 15  # hands per step of the array functions: the step's arrays stay in cache


class _TilesOfMask(dict[int, tuple[Tile, ...]]):
    """27-bit mask → its tiles, remembered; real waits make only a few thousand different masks."""

    def __missing__(self, mask: int) -> tuple[Tile, ...]:
        tiles = tuple(tile for tile in range(KINDS) if mask >> tile & 1)
        if len(self) < 100_000:
            self[mask] = tiles
        return tiles


_TILES: Final = _TilesOfMask()


def hand_error(concealed: Sequence[int], melds: Sequence[Meld], extra: Tile | None, size: int) -> FormatError:
    """The error that says what is wrong with a hand that should have `size` concealed tiles."""
    counts = [int(c) for c in concealed]
    if len(counts) != KINDS or min(counts) < 0:
        return FormatError(
            f"bad hand: expected {KINDS} counts of 0 or more, got {counts!r}", field="concealed"
        )
    if len(melds) > 4:
        return FormatError(f"{len(melds)} melds: expected at most 4", field="melds")
    if extra is not None:
        counts[extra] += 1
    every = list(counts)
    for meld in melds:
        every[meld.tile] += meld.size
    for tile, count in enumerate(every):
        if count > COPIES:
            return FormatError(f"{count} of {format_tile(tile)}: there are only {COPIES}", field="concealed")
    shown = format_tiles([t for t, c in enumerate(counts) for _ in range(c)])
    if extra is not None:
        counts[extra] -= 1
        size -= 1
    return FormatError(
        f"hand {shown!r} has {sum(counts)} concealed tiles: expected {size} with {len(melds)} melds",
        field="concealed",
    )


def is_complete(concealed: Sequence[int], melds: Sequence[Meld]) -> bool:
    """Whether 27 counts of 14 − 3 × melds concealed tiles, winning tile included, are a winning shape.

    Raises `FormatError` for another number of tiles or five of a kind in the concealed part.
    """
    try:
        hand = bytes(concealed)
    except (ValueError, TypeError) as error:
        raise hand_error(concealed, melds, None, 14 - 3 * len(melds)) from error
    if len(hand) != KINDS or sum(hand) != 14 - 3 * len(melds) or max(hand) > COPIES:
        raise hand_error(concealed, melds, None, 14 - 3 * len(melds))
    digits = hand.translate(DIGITS)
    done = SETS_BIT | PAIR_BIT
    # The number of tiles leaves room for one pair only, so three finished suits are a finished hand.
    if (
        SUIT_LOOKUP[int(digits[:9], 5)] & done
        and SUIT_LOOKUP[int(digits[9:18], 5)] & done
        and SUIT_LOOKUP[int(digits[18:], 5)] & done
    ):
        return True
    return not melds and not int.from_bytes(hand, "little") & ODD_BYTES


def _mask(hand: bytes, open_hand: bool) -> int:
    """27-bit mask of the tiles that complete a hand of the right size, whoever holds their copies."""
    digits = hand.translate(DIGITS)
    m = SUIT_LOOKUP[int(digits[:9], 5)]
    s = SUIT_LOOKUP[int(digits[9:18], 5)]
    p = SUIT_LOOKUP[int(digits[18:], 5)]
    mask = 0
    # Two suits finished and the third one tile short: of sets where a finished one has the pair, else of
    # sets and a pair. The number of tiles sees to it that only one of these can be.
    if m & SETS_BIT:
        if s & SETS_BIT:
            mask = (p >> WAIT_PAIR_SHIFT & RANK_MASK) << 18
        if s & PAIR_BIT:
            mask |= (p & RANK_MASK) << 18
        if p & SETS_BIT:
            mask |= (s >> WAIT_PAIR_SHIFT & RANK_MASK) << 9
        if p & PAIR_BIT:
            mask |= (s & RANK_MASK) << 9
    elif m & PAIR_BIT:
        if s & SETS_BIT:
            mask = (p & RANK_MASK) << 18
        if p & SETS_BIT:
            mask |= (s & RANK_MASK) << 9
    if s & SETS_BIT:
        if p & SETS_BIT:
            mask |= m >> WAIT_PAIR_SHIFT & RANK_MASK
        elif p & PAIR_BIT:
            mask |= m & RANK_MASK
    elif s & PAIR_BIT and p & SETS_BIT:
        mask |= m & RANK_MASK
    if not open_hand:
        odd = m >> ODD_SHIFT | s >> ODD_SHIFT << 9 | p >> ODD_SHIFT << 18
        if not odd & (odd - 1):
            mask |= odd
    return mask


def wait_tiles(ruleset: Ruleset, concealed: Sequence[int], melds: Sequence[Meld]) -> tuple[Tile, ...]:
    """听: the tiles that complete 27 counts of 13 − 3 × melds concealed tiles, ascending; shape only.

    A tile all four of which the player holds (concealed and melds) is no wait unless the ruleset's
    ``own_four_wait`` is set (D4). Empty: not ready. Raises `FormatError` for another number of tiles or
    five of a kind in the concealed part.
    """
    try:
        hand = bytes(concealed)
        if sum(hand) != 13 - 3 * len(melds) or len(hand) != KINDS:
            raise hand_error(concealed, melds, None, 13 - 3 * len(melds))
        mask = _mask(hand, bool(melds))
    except (ValueError, TypeError) as error:
        if isinstance(error, FormatError):
            raise
        raise hand_error(concealed, melds, None, 13 - 3 * len(melds)) from error
    if not mask or ruleset.own_four_wait:
        return _TILES[mask]
    for meld in melds:
        if mask >> meld.tile & 1 and hand[meld.tile] + meld.size >= COPIES:
            mask ^= 1 << meld.tile
    tiles = _TILES[mask]
    for tile in tiles:
        if hand[tile] == COPIES:
            mask ^= 1 << tile
    return _TILES[mask]


Counts = npt.NDArray[np.uint8]

# One matrix product turns 27 counts into three suit keys and the number of tiles; float32 holds them exactly.
_KEY_MATRIX: Final = np.zeros((KINDS, 4), dtype=np.float32)
for _suit in range(3):
    _KEY_MATRIX[9 * _suit : 9 * _suit + 9, _suit] = POWERS
_KEY_MATRIX[:, 3] = 1


def _checked(counts: npt.NDArray[Any]) -> Counts:
    array = np.asarray(counts)
    if array.ndim != 2 or array.shape[1] != KINDS or array.dtype != np.uint8:
        raise FormatError(f"expected a (n, {KINDS}) uint8 array, got {array.shape} {array.dtype}")
    if array.size and array.max() > COPIES:
        raise FormatError(f"a count of {array.max()}: there are only {COPIES} of a kind")
    return array


def _look_up(counts: Counts) -> tuple[list[npt.NDArray[np.int32]], npt.NDArray[np.float32]]:
    keys = counts.astype(np.float32) @ _KEY_MATRIX
    suits = [SUIT_TABLE.take(keys[:, suit].astype(np.int32)) for suit in range(3)]
    return suits, keys[:, 3]


def wait_masks(counts: Counts, *, own_four_wait: bool = False) -> npt.NDArray[np.uint32]:
    """Waits of many hands at once.

    `counts`: (n, 27) uint8, each row the concealed tiles of one hand (1, 4, 7, 10 or 13 of them; other
    numbers have no wait). Returns (n,) uint32, bit k set where kind k completes the row. Four of a kind in
    the row itself are no wait unless `own_four_wait`; kinds lying in melds are the caller's to remove.
    Raises `FormatError` for another shape, dtype or five of a kind.
    """
    array = _checked(counts)
    out = np.empty(len(array), dtype=np.uint32)
    for start in range(0, len(array), _CHUNK):
        rows = array[start : start + _CHUNK]
        suits, total = _look_up(rows)
        sets = [(suit & SETS_BIT) != 0 for suit in suits]
        pair = [(suit & PAIR_BIT) != 0 for suit in suits]
        mask = np.zeros(len(rows), dtype=np.int32)
        odd = np.zeros(len(rows), dtype=np.int32)
        for this, (one, two) in enumerate(((1, 2), (0, 2), (0, 1))):
            both = sets[one] & sets[two]
            mixed = (sets[one] & pair[two]) | (pair[one] & sets[two])
            short = np.where(both, suits[this] >> WAIT_PAIR_SHIFT, np.where(mixed, suits[this], 0))
            mask |= (short & RANK_MASK) << (9 * this)
            odd |= (suits[this] >> ODD_SHIFT) << (9 * this)
        mask |= np.where((total == 13) & ((odd & (odd - 1)) == 0), odd, 0)
        # A hand whose number of tiles is not one of a hand in play cannot be one tile short.
        mask[(total > 13) | (total % 3 != 1)] = 0
        if not own_four_wait:
            ready = np.flatnonzero(mask)
            fours = (rows[ready] == COPIES) @ (1 << np.arange(KINDS, dtype=np.int32))
            mask[ready] &= ~fours.astype(np.int32)
        out[start : start + _CHUNK] = mask
    return out


def complete_mask(counts: Counts) -> npt.NDArray[np.bool_]:
    """Which of many hands are winning shapes.

    `counts`: (n, 27) uint8, each row the concealed tiles with the winning one (2, 5, 8, 11 or 14; others
    are not complete). Returns (n,) bool. Raises `FormatError` as `wait_masks` does.
    """
    array = _checked(counts)
    out = np.empty(len(array), dtype=np.bool_)
    for start in range(0, len(array), _CHUNK):
        suits, total = _look_up(array[start : start + _CHUNK])
        odd = np.zeros(len(total), dtype=np.int32)
        standard = (total <= 14) & (total % 3 == 2)
        for suit in suits:
            standard &= (suit & (SETS_BIT | PAIR_BIT)) != 0
            odd |= suit >> ODD_SHIFT
        out[start : start + _CHUNK] = standard | ((total == 14) & (odd == 0))
    return out
