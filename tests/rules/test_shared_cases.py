"""The worked cases beside the checkout: all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pzvision.errors import FormatError
from pzvision.rules.records import ScoreRecord, WaitsRecord, load_record


def cases(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def answer(case: dict[str, Any], kind: type[ScoreRecord] | type[WaitsRecord]) -> dict[str, Any]:
    try:
        record = load_record(case["raw"]) if "raw" in case else case["case"]
        return kind.parse(record).answer()
    except FormatError as error:
        assert "\n" not in str(error)
        return {"bad": error.field}


def ordered(answer: dict[str, Any]) -> dict[str, Any]:
    if "patterns" in answer:
        answer["patterns"] = sorted(answer["patterns"], key=lambda p: (p["id"], p["fan"]))
    return answer


def test_score_cases(shared: Path) -> None:
    every = cases(shared / "cases" / "score.jsonl")
    assert len(every) > 400
    for case in every:
        assert ordered(answer(case, ScoreRecord)) == ordered(case["expect"]), case


def test_waits_cases(shared: Path) -> None:
    every = cases(shared / "cases" / "waits.jsonl")
    assert len(every) > 200
    for case in every:
        expected = case["expect"]
        for wait in expected.get("waits", []):
            wait.pop("faces")  # all faces that pay the same; ours is the largest, as the case's is
        assert answer(case, WaitsRecord) == expected, case


@pytest.mark.parametrize(("name", "kind"), [("score", ScoreRecord), ("waits", WaitsRecord)])
def test_answers_survive_json(shared: Path, name: str, kind: type[ScoreRecord] | type[WaitsRecord]) -> None:
    for case in cases(shared / "cases" / f"{name}.jsonl")[:60]:
        got = answer(case, kind)
        assert json.loads(json.dumps(got, ensure_ascii=False)) == got
