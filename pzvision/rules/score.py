"""What a win is worth: the dearest reading, the patterns, the refusals, the bill (RULES §3–§5, §9).

Concealed tiles are 27 counts; `concealed` never includes the winning tile in `score_win`, `wait_values`
and `cha_jiao_value` (13 − 3 × melds tiles), and does in `is_complete` (14 − 3 × melds).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pzvision.rules.hand import By, Declaration, Lang, Meld, Opening, Payer
from pzvision.rules.ruleset import Ruleset
from pzvision.tiles import Tile


class WaitValue(NamedTuple):
    """One waited-for tile. `left`: copies neither in the own hand nor in `seen` (never below 0).

    `face`: as in `Score`. `fan`: face × play × own declaration, floor and cap applied, 0 where not `legal`.
    """

    tile: Tile
    left: int
    face: int
    fan: int
    legal: bool


@dataclass(frozen=True, slots=True)
class Score:
    """The answer of `score_win`.

    `legal`: whether this wins under the ruleset. `reason`: None, or the first that applies of
    ``not_complete``, ``que_yi_men`` (缺: three suits), ``huo_que`` (或缺: a one-fan hand of three suits),
    ``rob_kong`` (no 抢杠 in this game), ``opening`` (an opening that this hand cannot have).
    `face`: 牌面, luck included. `play`: the 边卡吊 factor. `total`: face × play × the winner's own factors,
    floored and capped, before the payer's factor; 0 where not legal. `patterns`: (id, fan) in counting
    order. `reading`: the counted reading in tiles, see `Reading`.
    """

    legal: bool
    reason: str | None
    face: int
    play: int
    total: int
    patterns: tuple[tuple[str, int], ...]

    def payment(self, payer: Payer) -> int:
        """What this payer owes, in fan, capped; 0 where not legal. Amount = fan × base."""
        raise NotImplementedError

    def explain(self, lang: Lang = "zh") -> str:
        """One line a player accepts: ``清一色 4 × 卡心五 2 = 8,唱歌 ×2 = 16``."""
        raise NotImplementedError


def score_win(
    ruleset: Ruleset,
    concealed: Sequence[int],
    melds: Sequence[Meld],
    *,
    tile: Tile,
    by: By,
    kong_chain: int = 0,
    opening: Opening | None = None,
    winner: Declaration = "none",
    bao_ting: bool = False,
) -> Score:
    """The dearest value of winning on `tile`.

    `concealed`: 27 counts without `tile`. `kong_chain`: kongs just before the win, the winner's own
    (self_draw) or the discarder's (discard). `winner`: the winner's declaration. `bao_ting`: the winner
    called 报听 (the same as ``opening="bao_ting"``). Raises `FormatError` when the number of tiles is wrong
    or there are more than four of a kind.
    """
    raise NotImplementedError


def wait_values(
    ruleset: Ruleset,
    concealed: Sequence[int],
    melds: Sequence[Meld],
    *,
    winner: Declaration = "none",
    opening: Opening | None = None,
    seen: Sequence[int] | None = None,
) -> tuple[WaitValue, ...]:
    """Every wait of `wait_tiles` with what it is worth, without luck but 天叫/报听 given as `opening`.

    `seen`: 27 counts of tiles visible elsewhere (own hand not included), for `left`.
    """
    raise NotImplementedError


def cha_jiao_value(
    ruleset: Ruleset,
    concealed: Sequence[int],
    melds: Sequence[Meld],
    *,
    winner: Declaration = "none",
    opening: Opening | None = None,
    payer: Payer = Payer(),
) -> int | None:
    """What this hand collects from one unready `payer` at 查叫 (RULES §9), in fan, capped.

    The dearest wait; no luck but 天叫/报听 (`opening`), no floor, no refusal; of the payer's side only 摆牌
    counts. None: the hand collects nothing and need not pay as unready only if `wait_tiles` is not empty
    (``cha_jiao_collect_requires_que`` and no allowed wait); with no wait at all it is unready.
    """
    raise NotImplementedError
