from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pzvision.cli import main
from pzvision.evaluation import Score, compare
from pzvision.game.events import Discard, Draw, Event, HandEnd, HandStart, format_log


def game() -> list[Event]:
    return [
        HandStart("xichang", "E", t=0.0),
        Discard("E", 3, t=2.0),
        Draw("S", t=4.0),
        Discard("S", 8, t=6.0),
        Draw("W", t=8.0),
        Discard("W", 8, t=10.0),
        HandEnd(t=12.0),
    ]


def test_a_log_is_equal_to_itself() -> None:
    result = compare(game(), game())
    assert result.all == Score(7, 7, 7)
    assert result.all.f1 == 1.0 and result.settled is True
    assert not result.missed and not result.false


@pytest.mark.parametrize(
    ("change", "right"),
    [
        ({"t": 8.9}, 7),
        ({"t": 9.1}, 6),
        ({"tile": 7}, 6),
        ({"seat": "E"}, 6),
        ({"confidence": 0.1, "frame": 77}, 7),
    ],
)
def test_tile_seat_and_time_must_fit(change: dict[str, object], right: int) -> None:
    written = game()
    written[3] = replace(written[3], **change)  # type: ignore[type-var]
    result = compare(game(), written)
    assert result.all.right == right
    assert len(result.missed) == len(result.false) == 7 - right


def test_missing_and_invented_records_count() -> None:
    written = [e for e in game() if e.type != "draw"] + [Discard("N", 1, t=11.0)]
    result = compare(game(), written)
    assert result.kinds["draw"] == Score(2, 0, 0)
    assert result.kinds["discard"] == Score(3, 4, 3)
    assert result.kinds["draw"].precision == 0.0 and result.kinds["draw"].f1 == 0.0
    assert result.all.f1 == pytest.approx(2 * 5 / (7 + 6))


def test_each_written_record_is_used_once() -> None:
    truth = [HandStart("xichang", "E", t=0.0), Discard("E", 3, t=2.0), Discard("E", 3, t=2.5)]
    assert compare(truth, truth[:2]).kinds["discard"] == Score(2, 1, 1)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    true, written = tmp_path / "true.jsonl", tmp_path / "log.jsonl"
    true.write_text(format_log(game()))
    written.write_text(format_log([e for e in game() if e.type != "draw"]))
    assert main(["evaluate", str(true), str(written), "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["kinds"]["discard"]["f1"] == 1.0 and out["all"]["right"] == 5
    assert main(["evaluate", str(true), str(written), "--below", "0.99", "--all", "--lang", "en"]) == 1
    assert "missed: " in capsys.readouterr().out
    assert main(["evaluate", str(tmp_path / "none"), str(written)]) == 2
    assert "none" in capsys.readouterr().err
