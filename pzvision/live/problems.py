"""Records that do not add up, in words: ``东家打 三万,还没人摸牌``."""

from __future__ import annotations

from typing import Final

from pzvision.game import Event, Problem
from pzvision.live.translating import chinese, patterns
from pzvision.live.wording import record_text
from pzvision.messages.problems import MESSAGES
from pzvision.tiles import SEAT_NAMES, Lang, parse_tile, tile_name

_REASONS: Final = patterns(MESSAGES)


def reason_text(reason: str, lang: Lang) -> str:
    """A `Problem`'s reason in a language; in Chinese empty where there are no words for it."""
    if lang == "en":
        return reason
    return chinese(reason, _REASONS, _zh) or ""


def _zh(name: str, value: str) -> str:
    if name == "seat":
        return next((text for seat, text in SEAT_NAMES["zh"].items() if seat == value), value)
    return tile_name(parse_tile(value), "zh") if name == "tile" else value


def problem_text(event: Event, problem: Problem, lang: Lang) -> str:
    """The record and why it cannot be."""
    reason = reason_text(problem.expected, lang)
    between = "," if lang == "zh" else ": "
    return f"{record_text(event, lang)}{between}{reason}" if reason else record_text(event, lang)
