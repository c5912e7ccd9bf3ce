"""Dice: every sum and the seeds' examples (S3 二, S1 2)."""

from __future__ import annotations

import pytest

from pzvision.errors import FormatError
from pzvision.game.dice import STACKS, break_wall


def test_the_examples_of_the_seeds() -> None:
    # S3 二.1 庄家掷出5点和3点,则相加为8点,N为3点,就从庄上家的右手边开始数,过3墩
    assert (break_wall(5, 3).steps, break_wall(5, 3).skip) == (3, 3)
    # S3 二.1 掷出2点和2点,从庄上家右手位置过2墩
    assert (break_wall(2, 2).steps, break_wall(2, 2).skip) == (3, 2)
    # S1 2 一个是1,一个是2,则在庄家的对面家面前拿牌,留下1墩
    assert (break_wall(1, 2).steps, break_wall(1, 2).skip) == (2, 1)


@pytest.mark.parametrize(("sums", "steps"), [((5, 9), 0), ((2, 6, 10), 1), ((3, 7, 11), 2), ((4, 8, 12), 3)])
def test_every_sum_picks_its_wall(sums: tuple[int, ...], steps: int) -> None:
    # S3 二.2
    for first in range(1, 7):
        for second in range(1, 7):
            if first + second in sums:
                broken = break_wall(first, second, "W")
                assert broken.seat == "WNES"[steps]
                assert broken.skip == min(first, second)


def test_the_walls_are_the_108_tiles() -> None:
    # S3 码牌:固定东西两家各14墩,南北两家各13墩
    assert STACKS == {"E": 14, "S": 13, "W": 14, "N": 13}
    assert sum(STACKS.values()) * 2 == 108
    assert break_wall(1, 2, "E").stacks == 14


@pytest.mark.parametrize(("dice", "dealer"), [((0, 3), "E"), ((3, 7), "E"), ((1, 1), "X"), ((True, 1), "E")])
def test_bad_dice(dice: tuple[int, int], dealer: str) -> None:
    with pytest.raises(FormatError, match="expected"):
        break_wall(*dice, dealer)  # type: ignore[arg-type]
