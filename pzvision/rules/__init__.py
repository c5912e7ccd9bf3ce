"""The rules of the seven games: rulesets, waits, scores, kong money.

    ruleset = load_ruleset("pzh-traditional", {"cap": 64})
    score = score_win(ruleset, to_counts(parse_tiles("1112346678999m")), (), tile=4, by="discard")
    score.payment(Payer("sing")), score.explain("zh")

Nothing here knows about games in progress; `pzvision.game` does.
"""

from __future__ import annotations

from pzvision.rules.explain import pattern_name, reason_text
from pzvision.rules.hand import By, Declaration, Meld, MeldKind, Opening, Payer
from pzvision.rules.kongs import kong_fan
from pzvision.rules.options import OPTIONS, Option
from pzvision.rules.readings import Reading
from pzvision.rules.ruleset import Ruleset, load_ruleset, ruleset_ids
from pzvision.rules.score import Score, WaitValue, cha_jiao_value, score_win, wait_scores, wait_values
from pzvision.rules.shapes import complete_mask, is_complete, wait_masks, wait_tiles

__all__ = [
    "OPTIONS",
    "By",
    "Declaration",
    "Meld",
    "MeldKind",
    "Opening",
    "Option",
    "Payer",
    "Reading",
    "Ruleset",
    "Score",
    "WaitValue",
    "cha_jiao_value",
    "complete_mask",
    "is_complete",
    "kong_fan",
    "load_ruleset",
    "pattern_name",
    "reason_text",
    "ruleset_ids",
    "score_win",
    "wait_masks",
    "wait_scores",
    "wait_tiles",
    "wait_values",
]
