"""What one reading is worth: patterns, factors, refusals, floor and cap (S0 §1.11, §4; S1 3–17; S2 §3; S3).

A value depends on a reading's packed facts and on the circumstances of the win only, so it is worked out
once for each and remembered in the ruleset.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import NamedTuple, cast

from pzvision.errors import FormatError
from pzvision.rules.hand import BYS, By, Declaration, Opening
from pzvision.rules.patterns import Facts, fills_bian_ka_diao, hand_patterns
from pzvision.rules.ruleset import Ruleset


class Circumstances(NamedTuple):
    """How a win came about, apart from its tiles."""

    by: By
    kong_chain: int
    opening: Opening | None
    winner: Declaration
    bao_ting: bool


@dataclass(frozen=True, slots=True)
class Value:
    """What one reading under given circumstances is worth; shared by all hands with the same facts.

    `shape`, `luck`: patterns (id, fan). `own`: the winner's factors (id, factor). `uncapped`: face × play ×
    own, before floor and cap. `floor`: least worth before the payer's factor. `doubled`: 2 where
    或缺 doubles. `exact`: nothing of the payer's side counts. `total`: floored and capped.
    `rank` orders readings: a legal one first, then the dearer; of equally dear ones the dearer face, then
    seven pairs before sets (龙七对 rather than 卡心五 × 暗归) and triplets before sequences (大对,
    not 卡心五).
    """

    reason: str | None
    face: int
    play: int
    shape: tuple[tuple[str, int], ...]
    luck: tuple[tuple[str, int], ...]
    own: tuple[tuple[str, int], ...]
    uncapped: int
    floor: int
    doubled: int
    exact: bool
    total: int
    rank: tuple[bool, int, int, bool, bool]

    @property
    def worth(self) -> int:
        """Fan before the payer's factor and the cap."""
        return max(self.floor, self.uncapped * self.doubled)


def _own_factors(rules: Ruleset, how: Circumstances) -> tuple[tuple[str, int], ...]:
    own: list[tuple[str, int]] = []
    if how.winner != "none":
        own.append((how.winner, rules.fan[how.winner]))
    if how.bao_ting or how.opening == "bao_ting":
        own.append(("bao_ting", rules.fan["bao_ting"]))
    return tuple(own)


def _impossible_opening(how: Circumstances, facts: Facts) -> bool:
    """天胡/地胡 are drawn before any meld; 天叫 is lost on 碰 and 报听 forbids it (S3 (5)–(7), D11)."""
    if how.opening in ("tian_hu", "di_hu"):
        return how.by != "self_draw" or how.kong_chain > 0 or facts.has_meld
    return facts.has_peng and (how.opening in ("tian_jiao", "bao_ting") or how.bao_ting)


def evaluate(rules: Ruleset, bits: int, how: Circumstances) -> Value:
    """The value of one reading with the packed facts `bits` (`readings`; S0 §4.1, D12, D16, D27)."""
    facts = Facts.unpack(bits, how.by, how.kong_chain, how.opening)
    shape = hand_patterns(facts, rules, "shape")
    luck = hand_patterns(facts, rules, "luck")
    own = _own_factors(rules, how)
    play = rules.fan["bian_ka_diao"] if rules.bian_ka_diao and fills_bian_ka_diao(facts, rules) else 1
    exact = how.opening == "di_hu" or (how.opening == "tian_hu" and rules.tian_hu_pays != "times_face")
    if exact:
        fan = dict(luck)[str(how.opening)]
        if how.opening == "tian_hu" and rules.tian_hu_pays == "cap" and rules.cap is not None:
            fan = rules.cap
        shape, luck, own, play = [], [(str(how.opening), fan)], (), 1
    face = prod(fan for _, fan in shape)
    if rules.pattern_cap is not None:
        face = min(face, rules.pattern_cap)
    face *= prod(fan for _, fan in luck)
    uncapped = face * play * prod(fan for _, fan in own)

    floor, doubled, reason = 0, 1, None
    if rules.que == "must" and facts.suits == 3:
        reason = "que_yi_men"
    elif rules.que == "huo_que" and not exact:
        tested = face if rules.huo_que_test == "face" else face * play
        if facts.suits == 3 and tested == 1 and how.winner == "none" and how.opening != "tian_hu":
            reason = "huo_que"
        if rules.que_scoring == "floor":
            floor = 2
        elif facts.suits < 3:
            doubled = 2
    if reason is None and how.by == "rob_kong" and not rules.rob_kong:
        reason = "rob_kong"
    if reason is None and _impossible_opening(how, facts):
        reason = "opening"
    total = rules.capped(max(floor, uncapped * doubled))
    return Value(
        reason, face, play, tuple(shape), tuple(luck), own, uncapped, floor, doubled, exact, total,
        (reason is None, uncapped * doubled, face, facts.seven_pairs, facts.all_triplets),
    )  # fmt: skip


class Values(dict[int, Value]):
    """Packed facts → value, under one ruleset and one set of circumstances; a few hundred entries."""

    def __init__(self, rules: Ruleset, how: Circumstances) -> None:
        super().__init__()
        self.rules = rules
        self.how = how

    def __missing__(self, bits: int) -> Value:
        value = self[bits] = evaluate(self.rules, bits, self.how)
        return value


def values_of(rules: Ruleset, how: tuple[By, int, Opening | None, Declaration, bool]) -> Values:
    """The remembered values for these circumstances. Raises `FormatError` where the game has them not."""
    try:
        return cast(Values, rules.memo[how])
    except KeyError:
        known = Circumstances(*how)
        _check(rules, known)
        values = rules.memo[known] = Values(rules, known)
        return values


def _check(rules: Ruleset, how: Circumstances) -> None:
    if how.by not in BYS:
        raise FormatError(f"bad by {how.by!r}: expected one of {', '.join(BYS)}", field="win")
    if how.opening is not None and how.opening not in rules.openings:
        raise FormatError(
            f"opening {how.opening!r} is not in {rules.id}: expected null or {', '.join(rules.openings)}",
            field="opening",
        )
    if how.winner not in rules.declarations:
        raise FormatError(
            f"winner {how.winner!r} is not in {rules.id}: expected one of {', '.join(rules.declarations)}",
            field="winner",
        )
    if how.bao_ting and "bao_ting" not in rules.openings:
        raise FormatError(f"bao_ting is not in {rules.id}", field="opening")
