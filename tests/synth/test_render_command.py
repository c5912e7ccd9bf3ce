"""``pzvision render`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pzvision.cli import main


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--look", "nope"], "unknown look 'nope'"),
        (["--camera", "nope"], "unknown camera 'nope'"),
        (["--size", "100"], "--size '100': expected WIDTHxHEIGHT"),
        (["--size", "1281x720"], "expected even numbers"),
        (["--ruleset", "nope"], "nope"),
        (["--near", "Q"], "expected one of E S W N"),
        (["--fps", "0"], "--fps 0.0: expected 1 to 60"),
        (["--hands", "0"], "--hands 0: expected 1 to 16"),
        (["--breaks", "9"], "--breaks 9: expected 0 to 5"),
        (["--disturb", "rain"], "--disturb 'rain': expected some of arm cup"),
    ],
)
def test_bad_options_are_one_line_and_write_nothing(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["render", "--out", str(tmp_path / "x"), *words]) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith("pzvision: error: ") and message in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_whole_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "x"
    words = [
        "--seed",
        "394",
        "--ruleset",
        "pzh-traditional",
        "--size",
        "320x180",
        "--fps",
        "2",
        "--pace",
        "0.4",
    ]
    assert main(["render", "--out", str(out), *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["records"] == len((out / "log.jsonl").read_text("utf-8").splitlines())
