"""What the commands say of input that is empty, binary, cut off, of the wrong kind or in the wrong place."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.rules.arguments import as_profile


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.startswith("pzvision: error: ")
    return err.strip().removeprefix("pzvision: error: ")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    assert main(["simulate", "--out", str(path)]) == 0
    return path


def test_empty_logs(capsys: pytest.CaptureFixture[str], tmp_path: Path, log: Path, typed) -> None:  # type: ignore[no-untyped-def]
    empty = tmp_path / "empty.jsonl"
    for text in ("", "\n \n"):
        empty.write_text(text)
        for words in (
            ["settle", str(empty)],
            ["evaluate", str(empty), str(log)],
            ["evaluate", str(log), str(empty)],
        ):
            assert refused(capsys, *words).startswith(f"{empty}: is empty")
    typed(b"")
    assert refused(capsys, "settle", "-").startswith("standard input: is empty")


@pytest.mark.parametrize("command", ["score", "waits"])
def test_input_that_is_no_text(capsys: pytest.CaptureFixture[str], typed, command: str) -> None:  # type: ignore[no-untyped-def]
    picture = cv2.imencode(".png", np.zeros((8, 8, 3), np.uint8))[1].tobytes()
    for data in (picture, b"\xff\xfe{\x00}\x00" * 90, b"\x93\xfa\n" * 5000, b"PK\3\4\x14\0\n" * 99):
        typed(data)
        assert "binary data" in refused(capsys, command)
    typed(b" \n\n")
    assert refused(capsys, command).startswith("standard input: is empty")


def test_a_missing_field_is_said_to_be_missing(capsys: pytest.CaptureFixture[str], typed) -> None:  # type: ignore[no-untyped-def]
    typed(b"{}\n")
    assert refused(capsys, "score").startswith("line 1: ruleset: missing: expected the id")
    typed(b"{}\n")
    assert refused(capsys, "score", "--ruleset", "xichang") == (
        "line 1: concealed: missing: expected tiles such as 123m55s"
    )
    typed(b'{"concealed": "4678978912333m"}\n')
    assert refused(capsys, "score", "--ruleset", "xichang").startswith("line 1: win: missing")
    typed(b'{"concealed": "4678978912333m"}\n')
    assert main(["waits", "--ruleset", "xichang"]) == 0


@pytest.mark.parametrize("value", ["nan", "-0.1", "1.01", "inf"])
def test_a_bound_that_is_no_f1(capsys: pytest.CaptureFixture[str], log: Path, value: str) -> None:
    assert "expected an F1 from 0 to 1" in refused(capsys, "evaluate", str(log), str(log), f"--below={value}")
    assert main(["evaluate", str(log), str(log), "--below", "1"]) == 0


def test_an_unknown_option_refers_to_the_game_at_hand(capsys: pytest.CaptureFixture[str], typed) -> None:  # type: ignore[no-untyped-def]
    for command in ("rules", "simulate", "score"):
        typed(b"{}")
        words = [command, "--option", "foo=1", "--ruleset", "pzh-popular"]
        assert refused(capsys, *words) == "unknown option 'foo': `pzvision rules pzh-popular` lists them"


def house(folder: Path) -> Path:
    path = folder / "ours.toml"
    path.write_text('parent = "pzh-traditional"\n[options]\ncap = "none"\n[fan]\nqing_yi_se = 8\n')
    return path


def test_a_house_rule_file_wherever_a_ruleset_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, out = house(tmp_path), tmp_path / "log.jsonl"
    assert main(["simulate", "--ruleset", str(path), "--option", "que=must", "--out", str(out)]) == 0
    first = json.loads(out.read_text("utf-8").splitlines()[0])
    assert first["ruleset"] == "pzh-traditional"
    assert first["options"] == {"cap": "none", "qing_yi_se_fan": 8, "que": "must"}
    assert main(["settle", str(out), "--json"]) == 0
    # `render` gets past its rulesets, and says what else is wrong.
    capsys.readouterr()
    words = ["render", "--ruleset", str(path), "--out", str(tmp_path / "x")]
    assert "unknown camera" in refused(capsys, *words, "--camera", "nope")


def test_a_house_rule_file_of_a_house_rule_file(tmp_path: Path) -> None:
    house(tmp_path)
    path = tmp_path / "hers.toml"
    path.write_text('parent = "ours.toml"\n[options]\nrob_kong = true\n')
    id_, options = as_profile(path)
    assert id_ == "pzh-traditional" and options["cap"] == "none" and options["qing_yi_se_fan"] == 8
    assert as_profile("xichang", {"cap": 8}) == ("xichang", {"cap": 8})


def test_places_that_are_of_the_wrong_kind(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, log: Path
) -> None:
    missing = tmp_path / "missing"
    assert refused(capsys, "simulate", "--out", str(missing / "x.jsonl")).endswith(
        f"there is no folder '{missing}'"
    )
    assert f"--out {log}: is a file" in refused(capsys, "render", "--out", str(log))
    words = ["render", "--out", str(tmp_path / "x"), "--crops"]
    assert refused(capsys, *words, str(missing)).startswith(f"--crops {missing}: there is no such folder")
    assert refused(capsys, *words, str(log)).startswith(f"--crops {log}: is a file")


def test_a_jpeg_that_is_cut_off(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from pzvision.commands.detect import read_image

    noise = np.random.default_rng(1).integers(0, 255, (90, 120, 3)).astype(np.uint8)
    whole = cv2.imencode(".jpg", noise)[1].tobytes()
    thumbnail = b"\xff\xe1\x00\x08\xff\xd8\xff\xd9xy"  # a segment with an end marker of its own
    whole = whole[:2] + thumbnail + whole[2:]
    path = tmp_path / "a.jpg"
    for share in (0.1, 0.5, 0.999):
        path.write_bytes(whole[: int(len(whole) * share)])
        assert "the JPEG is cut off" in refused(capsys, "detect", str(path))
    path.write_bytes(whole + b"\0" * 20)  # some cameras write more behind the end
    assert read_image(path).shape == (90, 120, 3)


@pytest.mark.parametrize(
    "words", [["--minutes", "nan"], ["--minutes", "0"], ["--rate=-1"], ["--steps", "0"], ["--scenes=-1"]]
)
def test_numbers_that_cannot_train(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    line = refused(capsys, "train", "--recipe", "nosuch", *words)
    assert line.startswith(words[0].partition("=")[0]) and "expected" in line
