"""What a win is worth: the dearest reading, the refusals, the bill (S0 §1.2, §2, §4; S1; S2; S3; D3).

Concealed tiles are 27 counts; `concealed` never includes the winning tile in `score_win`, `wait_values`
and `cha_jiao_value` (13 − 3 × melds tiles).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final, NamedTuple

from pzvision.rules.hand import By, Declaration, Lang, Meld, Opening, Payer
from pzvision.rules.readings import (
    OTHER_SUIT,
    WINNING_SUIT,
    Reading,
    facts_of_melds,
    find_reading,
    seven_pairs_facts,
)
from pzvision.rules.ruleset import Ruleset
from pzvision.rules.shapes import ODD_BYTES, hand_error, wait_tiles
from pzvision.rules.value import Value, Values, values_of
from pzvision.tiles import COPIES, KINDS, Tile


class Score:
    """The answer of `score_win`; immutable.

    `legal`: whether this wins under the ruleset. `reason`: None, or the first that applies of
    ``not_complete``, ``que_yi_men`` (缺: three suits), ``huo_que`` (或缺: a one-fan hand of three suits),
    ``rob_kong`` (no 抢杠 in this game), ``opening`` (an opening that this hand cannot have).
    `face`: 牌面, luck included. `play`: the 边卡吊 factor. `total`: face × play × the winner's own factors,
    floored and capped, before the payer's factor. All three are 0 where the tiles do not win, and what the
    hand would be worth where the ruleset refuses it. `patterns`: (id, fan) in counting order.
    """

    __slots__ = ("_facts", "_hand", "_melds", "_tile", "_value", "by", "ruleset")

    def __init__(
        self,
        ruleset: Ruleset,
        by: By,
        value: Value | None,
        hand: bytes,
        melds: Sequence[Meld],
        tile: Tile,
        facts: int,
    ) -> None:
        self.ruleset = ruleset
        self.by = by
        self._value = value
        self._hand = hand
        self._melds = melds
        self._tile = tile
        self._facts = facts

    @property
    def value(self) -> Value | None:
        """The counted reading's value; None where the tiles do not win."""
        return self._value

    @property
    def legal(self) -> bool:
        """Whether this wins under the ruleset."""
        return self._value is not None and self._value.reason is None

    @property
    def reason(self) -> str | None:
        """None, or why it does not win."""
        return "not_complete" if self._value is None else self._value.reason

    @property
    def face(self) -> int:
        """牌面, luck included."""
        return 0 if self._value is None else self._value.face

    @property
    def play(self) -> int:
        """The 边卡吊 factor, 1 or 2."""
        return 0 if self._value is None else self._value.play

    @property
    def total(self) -> int:
        """After the winner's own factors, floor and cap, before the payer's."""
        return 0 if self._value is None else self._value.total

    @property
    def patterns(self) -> tuple[tuple[str, int], ...]:
        """(id, fan) of the patterns that count."""
        return () if self._value is None else self._value.shape + self._value.luck

    @property
    def reading(self) -> Reading | None:
        """The counted reading; None where the tiles do not win."""
        if self._value is None:
            return None
        return find_reading(self._hand, self._melds, self._tile, self._facts)

    def payer_factors(self, payer: Payer) -> tuple[tuple[str, int], ...]:
        """The factors this payer adds: (id, factor)."""
        value = self._value
        if value is None or value.exact:
            return ()
        fan = self.ruleset.fan
        factors: list[tuple[str, int]] = []
        if payer.declaration != "none":
            factors.append((payer.declaration, fan[payer.declaration]))
        if payer.bao_ting and self.ruleset.payer_bao_ting != 1:
            factors.append(("bao_ting", self.ruleset.payer_bao_ting))
        if payer.alarm and self.by == "discard":
            factors.append(("alarm", fan["alarm"]))
        return tuple(factors)

    def payment(self, payer: Payer) -> int:
        """What this payer owes, in fan, capped; 0 where not legal. Amount = fan × base."""
        value = self._value
        if value is None or value.reason is not None:
            return 0
        return self.ruleset.capped(value.worth * prod(factor for _, factor in self.payer_factors(payer)))

    def explain(self, lang: Lang = "zh", payer: Payer | None = None) -> str:
        """One line a player accepts: ``清一色 4 × 卡心五 2 = 8,唱歌 ×2 = 16``; with a payer, to his bill."""
        from pzvision.rules.explain import explain_score

        return explain_score(self, lang, payer)

    def __repr__(self) -> str:
        if not self.legal:
            return f"Score(legal=False, reason={self.reason!r})"
        return f"Score(face={self.face}, play={self.play}, total={self.total}, patterns={self.patterns})"


class WaitValue(NamedTuple):
    """One waited-for tile. `left`: copies neither in the own hand nor in `seen` (never below 0).

    `face`: as in `Score`. `fan`: face × play × own declaration, floor and cap applied, 0 where not `legal`.
    """

    tile: Tile
    left: int
    face: int
    fan: int
    legal: bool


def _best(values: Values, hand: bytes, melds: int, tile: Tile) -> tuple[Value | None, int]:
    """The dearest reading's value and facts. `hand`: 27 counts with the winning tile; `melds`: their facts.

    Of readings that rank the same (`Value.rank`) the first in the table's order, so that the same hand is
    always read the same way. (None, 0) where the tiles are no winning shape.
    """
    men, tiao, tong = hand[:9], hand[9:18], hand[18:]
    if tile < 9:
        won, one, two = WINNING_SUIT[tile][men][0], OTHER_SUIT[tiao][1], OTHER_SUIT[tong][2]
    elif tile < 18:
        won, one, two = WINNING_SUIT[tile][tiao][1], OTHER_SUIT[men][0], OTHER_SUIT[tong][2]
    else:
        won, one, two = WINNING_SUIT[tile][tong][2], OTHER_SUIT[men][0], OTHER_SUIT[tiao][1]
    best: Value | None = None
    facts = 0
    for a in won:
        for b in one:
            for c in two:
                bits = a | b | c | melds
                value = values[bits]
                if best is None or value.rank > best.rank:
                    best, facts = value, bits
    if not melds and not int.from_bytes(hand, "little") & ODD_BYTES:
        bits = seven_pairs_facts(hand, tile)
        value = values[bits]
        if best is None or value.rank > best.rank:
            best, facts = value, bits
    return best, facts


def _melds_fit(hand: bytes, melds: Sequence[Meld]) -> bool:
    """No more than four of a kind in the melds and the hand together."""
    tiles = {meld.tile for meld in melds}
    return len(tiles) == len(melds) and all(hand[meld.tile] + meld.size <= COPIES for meld in melds)


_UP_TO_FOUR: Final = bytes(range(COPIES + 1))


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
    """The dearest value of winning on `tile` (D3).

    `concealed`: 27 counts without `tile`. `kong_chain`: kongs just before the win, the winner's own
    (self_draw) or the discarder's (discard). `winner`: the winner's declaration. `bao_ting`: the winner
    called 报听 (the same as ``opening="bao_ting"``). Raises `FormatError` when the number of tiles is wrong,
    there are more than four of a kind, or the game has not that opening or declaration.
    """
    try:
        work = bytearray(concealed)
        work[tile] += 1
        hand = bytes(work)
    except (ValueError, TypeError, IndexError) as error:
        raise hand_error(concealed, melds, None, 13 - 3 * len(melds)) from error
    if (
        sum(hand) != 14 - 3 * len(melds)
        or hand.translate(None, _UP_TO_FOUR)
        or len(hand) != KINDS
        or tile < 0
    ):
        raise hand_error(concealed, melds, tile, 14 - 3 * len(melds))
    if melds:
        if not _melds_fit(hand, melds):
            raise hand_error(concealed, melds, tile, 14 - 3 * len(melds))
        bits = facts_of_melds(hand, melds, tile)
    else:
        bits = 0
    values = values_of(ruleset, (by, kong_chain if kong_chain < 16 else 16, opening, winner, bao_ting))
    value, facts = _best(values, hand, bits, tile)
    return Score(ruleset, by, value, hand, melds, tile, facts)


def wait_scores(
    ruleset: Ruleset,
    concealed: Sequence[int],
    melds: Sequence[Meld],
    *,
    winner: Declaration = "none",
    opening: Opening | None = None,
    bao_ting: bool = False,
) -> tuple[tuple[Tile, Score], ...]:
    """Every wait of `wait_tiles` with the `Score` of winning on it by a plain discard.

    Raises `FormatError` as `wait_tiles` and `score_win` do.
    """
    values = values_of(ruleset, ("discard", 0, opening, winner, bao_ting))
    scores: list[tuple[Tile, Score]] = []
    for tile in wait_tiles(ruleset, concealed, melds):
        work = bytearray(concealed)
        work[tile] += 1
        hand = bytes(work)
        bits = facts_of_melds(hand, melds, tile) if melds else 0
        value, facts = _best(values, hand, bits, tile)
        scores.append((tile, Score(ruleset, "discard", value, hand, melds, tile, facts)))
    return tuple(scores)


def wait_values(
    ruleset: Ruleset,
    concealed: Sequence[int],
    melds: Sequence[Meld],
    *,
    winner: Declaration = "none",
    opening: Opening | None = None,
    bao_ting: bool = False,
    seen: Sequence[int] | None = None,
) -> tuple[WaitValue, ...]:
    """Every wait of `wait_tiles` with what it is worth, without luck but 天叫/报听 given as `opening`.

    `seen`: 27 counts of tiles visible elsewhere (own hand not included), for `left`. Raises `FormatError`
    as `wait_tiles` and `score_win` do.
    """
    scores = wait_scores(ruleset, concealed, melds, winner=winner, opening=opening, bao_ting=bao_ting)
    left = [COPIES - count for count in concealed]
    for meld in melds:
        left[meld.tile] -= meld.size
    if seen is not None:
        left = [here - there for here, there in zip(left, seen, strict=True)]
    return tuple(
        WaitValue(tile, max(0, left[tile]), score.face, score.total if score.legal else 0, score.legal)
        for tile, score in scores
    )


def cha_jiao_value(
    ruleset: Ruleset,
    concealed: Sequence[int],
    melds: Sequence[Meld],
    *,
    winner: Declaration = "none",
    opening: Opening | None = None,
    bao_ting: bool = False,
    payer: Payer | None = None,
) -> int | None:
    """What this hand collects from one unready `payer` at 查叫, in fan, capped (S0 §1.2, S3 查叫, D21).

    The dearest wait; no luck but 天叫/报听 (`opening`), no floor, no refusal; of the payer's side only 摆牌
    counts. None: it collects nothing, either because it has no wait (`wait_tiles` is empty) or because
    ``cha_jiao_collect_requires_que`` is set and no wait would be allowed to win.
    """
    worth = [
        score.value.uncapped
        for _, score in wait_scores(
            ruleset, concealed, melds, winner=winner, opening=opening, bao_ting=bao_ting
        )
        if score.value is not None and (score.legal or not ruleset.cha_jiao_collect_requires_que)
    ]
    if not worth:
        return None
    shown = ruleset.fan["bai"] if payer is not None and payer.declaration == "bai" else 1
    return ruleset.capped(max(worth) * shown)
