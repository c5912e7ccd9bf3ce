"""A score in words a player accepts: ``清一色 4 × 卡心五 2 = 8,唱歌 ×2 = 16``."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from pzvision.messages import say
from pzvision.rules.hand import Lang, Payer
from pzvision.rules.patterns import PATTERNS

if TYPE_CHECKING:
    from pzvision.rules.score import Score


def pattern_name(id_: str, lang: Lang = "zh") -> str:
    """``清一色`` / ``one suit``. Raises `KeyError` for an unknown id."""
    unit = PATTERNS[id_]
    return unit.zh if lang == "zh" else unit.en


def reason_text(reason: str, lang: Lang = "zh") -> str:
    """Why a hand does not win, in words."""
    return say(f"rules.reason.{reason}", lang)


def explain_score(score: Score, lang: Lang = "zh", payer: Payer | None = None) -> str:
    """One line: patterns and their product, each factor and what it makes, floor and cap; or the refusal.

    Without `payer` the line ends at the score's `total`, with one at what he pays.
    """
    value = score.value
    if value is None or score.reason is not None:
        return reason_text(score.reason or "not_complete", lang)
    rules = score.ruleset
    steps: list[str] = []

    def times(names: list[tuple[str, int]], now: int) -> str:
        text = " × ".join(f"{name} {fan}" for name, fan in names)
        return text if len(names) == 1 else f"{text} = {now}"

    shape = [(pattern_name(id_, lang), fan) for id_, fan in value.shape]
    luck = [(pattern_name(id_, lang), fan) for id_, fan in value.luck]
    plain = prod(fan for _, fan in shape)
    now = plain
    if rules.pattern_cap is not None and plain > rules.pattern_cap and not value.exact:
        now = rules.pattern_cap
        steps += [times(shape, plain), say("rules.pattern_cap", lang, fan=now)]
        steps += [f"{name} ×{fan} = {(now := now * fan)}" for name, fan in luck]
    else:
        now = value.face
        steps.append(times(shape + luck or [(say("rules.plain", lang), 1)], now))

    def factor(name: str, by: int) -> None:
        nonlocal now
        now *= by
        steps.append(f"{name} ×{by} = {now}")

    if value.play != 1:
        factor(say("rules.factor.bian_ka_diao", lang), value.play)
    for id_, by in value.own:
        factor(say(f"rules.factor.{id_}", lang), by)
    if value.doubled != 1:
        factor(say("rules.que_doubles", lang), value.doubled)
    if now < value.floor:
        now = value.floor
        steps.append(say("rules.floor", lang, fan=now))
    if payer is not None:
        for id_, by in score.payer_factors(payer):
            factor(say(f"rules.payer.{id_}", lang), by)
    if rules.capped(now) != now:
        steps.append(say("rules.cap", lang, fan=rules.capped(now)))
    return say("rules.comma", lang).join(steps)
