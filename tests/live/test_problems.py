"""Records that do not add up are told in words of both languages."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

import pzvision.game
from pzvision.game import Discard, Draw, Event, apply, start
from pzvision.game.simulate import simulate
from pzvision.live.announcer import Memory, announce
from pzvision.live.problems import problem_text, reason_text
from pzvision.messages.problems import MESSAGES


def broken(seed: int) -> list[Event]:
    """A game in which records are left out, doubled, changed over and given to others."""
    chance = random.Random(seed)
    events = list(simulate("pzh-popular", seed=seed))
    for _ in range(12):
        i = chance.randrange(1, len(events))
        act = chance.randrange(4)
        if act == 0:
            del events[i]
        elif act == 1:
            events.insert(i, events[chance.randrange(1, len(events))])
        elif act == 2:
            j = chance.randrange(1, len(events))
            events[i], events[j] = events[j], events[i]
        elif isinstance(events[i], (Draw, Discard)):
            events[i] = replace(events[i], seat=chance.choice("ESWN"))  # type: ignore[arg-type, call-arg]
    return events


def test_every_reason_of_broken_games_has_chinese_words() -> None:
    reasons = set()
    for seed in range(40):
        events = broken(seed)
        state = start(events[0], 1)  # type: ignore[arg-type]
        for line, event in enumerate(events[1:], 2):
            before, state = state, apply(state, event, line)
            for problem in state.problems[len(before.problems) :]:
                reasons.add(problem.expected)
                zh, en = (problem_text(event, problem, lang) for lang in ("zh", "en"))
                assert not re.search(r"[A-Za-z]{2}", zh.replace("pzh", "")), zh
                assert problem.expected in en and "line" not in en
    assert len(reasons) > 12


def test_every_reason_in_the_rules_code_has_chinese_words() -> None:
    """Those that broken games do not come to, too: the text given to ``problem`` in the source."""
    folder = Path(pzvision.game.__file__).parent
    code = "\n".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    calls = re.findall(r"\bproblem\(\s*state,(.*?)\n?\s*\)\n", code, re.DOTALL)
    assert len(calls) > 20
    templates = {re.sub(r"\{\w+\}", "*", en) for _, en in MESSAGES.values()}
    for call in calls:
        text = re.findall(r'f?"((?:[^"\\]|\\.)*)"', call)[-1].replace("{COPIES}", "4")
        assert re.sub(r"\{[^}]*\}", "*", text) in templates, text


@pytest.mark.parametrize(
    ("reason", "zh"),
    [
        ("the player cannot hold 5m", "手里不可能有五万"),
        ("it is the turn of S", "现在轮到南家"),
        ("14 tiles, expected 13", "14张,应该是13张"),
        ("something new", ""),
    ],
)
def test_reasons(reason: str, zh: str) -> None:
    assert reason_text(reason, "zh") == zh and reason_text(reason, "en") == reason


def test_it_is_announced_so() -> None:
    events = list(simulate("pzh-popular", seed=1, dealer="E"))
    first = start(events[0], 1)  # type: ignore[arg-type]
    event = Discard("S", 0)
    after = apply(first, event, 2)
    (said,) = [item for item in announce(first, event, after, Memory())[0] if item.kind == "uncertain"]
    assert said.zh == "看不明白:南家打 一万,现在轮到东家"
    assert said.en == "Does not add up: South discards 1m: it is the turn of E"
