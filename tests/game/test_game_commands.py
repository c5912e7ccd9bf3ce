"""``pzvision settle``, ``dice`` and ``simulate``."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from pzvision.cli import main
from pzvision.game import format_log, parse_event, settle_text
from pzvision.game.bench import main as bench
from pzvision.game.simulate import simulate


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "evening.jsonl"
    assert (
        main(
            [
                "simulate",
                "--ruleset",
                "pzh-popular",
                "--hands",
                "3",
                "--seed",
                "4",
                "--spice",
                "0.6",
                "--base",
                "5",
                "--out",
                str(path),
            ]
        )
        == 0
    )
    return path


def test_simulate_writes_the_log_of_the_seed(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert log.read_text(encoding="utf-8") == format_log(simulate("pzh-popular", 4, 3, base=5, spice=0.6))
    assert main(["simulate", "--ruleset", "xichang", "--option", "cap=8", "--dealer", "S"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert records[0]["options"] == {"cap": 8} and records[0]["dealer"] == "S"
    assert [parse_event(r) for r in records] == simulate("xichang", 1, 1, options={"cap": 8}, dealer="S")


def test_settle_json_prints_an_object_per_hand(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settle", str(log), "--json"]) == 0
    out = capsys.readouterr().out
    hands = [json.loads(line) for line in out.splitlines()]
    assert hands == [h.to_json() for h in settle_text(log.read_text(encoding="utf-8"))]
    assert [h["hand"] for h in hands] == [1, 2, 3]
    assert list(hands[0]) == ["hand", "ruleset", "ledger", "totals", "violations", "next_dealer"]
    assert list(hands[0]["ledger"][0]) == ["event", "kind", "from", "to", "fan", "amount", "why"]


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("zh", ["第 1 局", "全场累计", "下一局庄家", "说明"]),
        ("en", ["Hand 1", "The whole evening", "Next dealer", "why"]),
    ],
)
def test_settle_for_people(
    log: Path, capsys: pytest.CaptureFixture[str], lang: str, words: list[str]
) -> None:
    assert main(["settle", str(log), "--lang", lang]) == 0
    out = capsys.readouterr().out
    for word in words:
        assert word in out
    sums = [0, 0, 0, 0]
    for hand in settle_text(log.read_text(encoding="utf-8")):
        sums = [a + b for a, b in zip(sums, hand.state.totals, strict=True)]
    assert out.strip().splitlines()[-1].split()[1:] == [str(s) for s in sums]


def test_settle_reads_standard_input(
    log: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + log.read_bytes()), encoding="utf-8")
    )
    assert main(["settle", "-", "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"type": "draw", "seat": "X"}\n', "line 1: draw: seat 'X'"),
        (b'{"type": "hand_end"}\n', "expected hand_start first"),
        (
            b'{"type": "hand_start", "ruleset": "nope", "dealer": "E"}',
            "line 1: hand_start: unknown ruleset 'nope'",
        ),
        (
            b'{"type": "hand_start", "ruleset": "xichang", "dealer": "E", "options": {"cap": "x"}}',
            "option cap = 'x'",
        ),
        (
            b'{"type": "hand_start", "ruleset": "xichang", "dealer": "E"}\n\n'
            b'{"type": "declare", "seat": "E", "declaration": "sing"}',
            "line 3: declare: declaration 'sing': xichang has no such declaration",
        ),
        (b"\xff\xfe", "not UTF-8"),
        (b"{\n", "line 1: not a JSON object"),
    ],
)
def test_a_bad_log_writes_nothing_and_names_the_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, words: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    assert main(["settle", str(path), "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1


def test_a_log_that_does_not_fit_settles_only_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(
        '{"type": "hand_start", "ruleset": "xichang", "dealer": "E"}\n'
        '{"type": "peng", "seat": "S", "tile": "1m"}\n'
    )
    assert main(["settle", str(path)]) == 2
    assert "line 2: peng: tile 1m: there is no discard to claim" in capsys.readouterr().err
    assert main(["settle", str(path), "--lenient"]) == 0
    assert "there is no discard to claim" in capsys.readouterr().err


def test_settle_an_empty_log_and_a_missing_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    assert main(["settle", str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl: is empty" in capsys.readouterr().err
    assert main(["settle", str(tmp_path / "missing.jsonl")]) == 2
    assert "cannot read" in capsys.readouterr().err


def test_violations_and_unknown_tiles_are_shown_to_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "seen.jsonl"
    records = [
        {"type": "hand_start", "ruleset": "pzh-popular", "dealer": "E", "names": {"S": "小李"}},
        {"type": "discard", "seat": "E", "tile": "1m"},
        {"type": "declare", "seat": "E", "declaration": "dance", "waits": "69p"},
        {"type": "draw", "seat": "S", "tile": None},
        {"type": "discard", "seat": "S", "tile": "6p"},
        {"type": "draw", "seat": "W", "tile": None},
        {"type": "win", "seat": "W", "by": "self_draw", "tile": "1p"},
        {"type": "hand_end"},
    ]
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    assert main(["settle", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "第 5 行 南家 小李:打了跳舞者要胡的牌" in out and "记录没有打完" in out
    assert "第 7 行" in err


def test_dice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dice", "5", "3", "--dealer", "E"]) == 0
    assert "从北家(上家)面前右手边数,过 3 墩,从第 4 墩开始拿牌" in capsys.readouterr().out
    assert main(["dice", "1", "2", "--lang", "en"]) == 0
    assert "the wall of West (the opposite player), from its right: leave 1 stack" in capsys.readouterr().out
    assert main(["dice", "5", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"dice": [5, 3], "seat": "N", "skip": 3, "stacks": 13}
    assert main(["dice", "7", "3"]) == 2
    assert "die 7: expected a number from 1 to 6" in capsys.readouterr().err


def test_simulate_cannot_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--out", str(tmp_path / "no" / "log.jsonl")]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert main(["simulate", "--ruleset", "nope"]) == 2
    with pytest.raises(SystemExit):
        main(["simulate", "--hands", "0"])


@pytest.mark.benchmark
def test_benchmark_prints_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench(["--hands", "30"]) == 0
    with capsys.disabled():
        print("\n" + capsys.readouterr().out)
