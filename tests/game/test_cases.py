"""The worked cases beside the checkout: whole sessions, and the recorded hand with unknown tiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pzvision.errors import PzvisionError
from pzvision.game import (
    Deal,
    Discard,
    Draw,
    HandEnd,
    HandStart,
    Leave,
    Reveal,
    State,
    TailLamp,
    apply,
    parse_event,
    settle_log,
    settle_text,
    start,
)
from pzvision.game.legal import matching_act


def cases(shared: Path) -> list[dict[str, Any]]:
    with (shared / "cases" / "logs.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_every_session_settles_as_worked_out(shared: Path) -> None:
    for case in cases(shared):
        if case["expect"] == "bad":
            with pytest.raises(PzvisionError, match=r"^line \d+: "):
                settle_log(case["records"])
        else:
            assert [hand.to_json() for hand in settle_log(case["records"])] == case["expect"], case["id"]


def test_every_act_of_the_cases_is_among_the_legal_ones(shared: Path) -> None:
    judged = 0
    for case in cases(shared):
        if case["expect"] == "bad":
            continue
        wrong = {v["event"] for hand in case["expect"] for v in hand["violations"]}
        state: State | None = None
        for line, record in enumerate(case["records"], 1):
            event = parse_event(record)
            if isinstance(event, HandStart):
                state = start(event, line)
                continue
            assert state is not None
            if not isinstance(event, Deal | TailLamp | Reveal | Leave | HandEnd) and line not in wrong:
                act = matching_act(state, event)
                assert act is not None and act.certainty == "certain", (case["id"], line, record, act)
                judged += 1
            state = apply(state, event, line)
    assert judged > 3000


def test_the_recorded_hand_with_unknown_tiles_settles(shared: Path) -> None:
    sample = shared / "data" / "video" / "sample-1"
    expected = json.loads((sample / "expected.json").read_text(encoding="utf-8"))
    (hand,) = settle_text((sample / "log.jsonl").read_text(encoding="utf-8"))
    assert hand.to_json() == expected["hands"][0]
    assert not hand.state.unsettled


def test_hiding_the_tiles_changes_no_payment_that_is_shown(shared: Path) -> None:
    """As a camera sees it: deals and draws hidden. What is paid for shown tiles stays; nothing is made up."""
    for case in cases(shared):
        if case["expect"] == "bad":
            continue
        events = [parse_event(record) for record in case["records"]]
        state: State | None = None
        for line, event in enumerate(events, 1):
            if isinstance(event, HandStart):
                state = start(event, line)
                continue
            assert state is not None
            if isinstance(event, Deal):
                event = Deal(event.seat)
            elif isinstance(event, Draw):
                event = Draw(event.seat)
            state = apply(state, event, line)
            assert sum(state.totals) == 0
            if isinstance(event, Discard):
                assert state[event.seat].size + 3 * len(state[event.seat].melds) == 13
            if isinstance(event, HandEnd):
                number = sum(isinstance(e, HandStart) for e in events[:line])
                expected = case["expect"][number - 1]
                won = [(p["event"], p["kind"], p["from"], p["to"], p["fan"]) for p in expected["ledger"]]
                mine = [(p.event, p.kind, p.source, p.target, p.fan) for p in state.ledger]
                if not expected["violations"]:
                    assert mine == won, (case["id"], number)
                    assert not state.violations and not state.problems
