"""``pzvision batch`` on the command line: what it refuses, and a run that is interrupted and gone on with."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pzvision.batch import work
from pzvision.batch.results import PART_ASKS, Place
from pzvision.cli import main


@pytest.fixture
def recordings(painted: Any, tmp_path: Path, job: Any) -> Path:
    """A folder with the painted recording and its calibration."""
    folder = tmp_path / "evenings" / "一"
    folder.mkdir(parents=True)
    for picture in painted.folder.iterdir():
        os.link(picture, folder / picture.name)
    (folder / "calibration.json").write_text(json.dumps(job.calibration.format()))
    return folder.parent


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["IN", "--out", "OUT"], "no ruleset: give --ruleset ID"),
        (["IN", "--out", "OUT", "--ruleset", "nope"], "unknown ruleset 'nope'"),
        (["IN", "--out", "OUT", "--ruleset", "xichang", "--option", "cap=x"], "option cap = 'x'"),
        (["IN", "--out", "OUT", "--ruleset", "xichang", "--workers", "0"], "--workers 0: expected 1 to 512"),
        (["IN", "--out", "OUT", "--ruleset", "xichang", "--every", "9"], "--every 9.0: expected 0.02 to 5"),
        (["IN", "--out", "OUT", "--ruleset", "xichang", "--base", "0"], "--base 0: expected a whole number"),
        (["IN", "--out", "OUT", "--ruleset", "xichang", "--calibration", "no.toml"], "no.toml"),
        (["IN", "--out", "OUT", "--ruleset", "xichang", "--models", "IN"], "missing model finder.onnx"),
        (["IN", "--out", "OUT", "--ruleset", "xichang", "--ray-address", "x"], "only with --engine ray"),
        (["gone", "--out", "OUT", "--ruleset", "xichang"], "no such recording: "),
        (["IN", "--out", " ", "--ruleset", "xichang"], "--out ' ': expected a name"),
        (["IN", "--ruleset", "xichang"], "missing --out"),
    ],
)
def test_what_is_refused_before_anything_is_opened(
    recordings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    places = {"IN": str(recordings), "OUT": str(tmp_path / "out")}
    try:
        code = main(["batch", *(places.get(word, word) for word in words)])
    except SystemExit as stop:
        code = int(stop.code or 0)
    error = capsys.readouterr().err
    assert code == 2 and said in error and error.count("\n") == 1


def test_recordings_without_a_calibration_fail_by_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.mp4").write_bytes(b"x")
    assert main(["batch", "in", "--out", "out", "--ruleset", "xichang", "--workers", "1"]) == 1
    out = capsys.readouterr()
    assert "0 个完成,0 个早已完成,1 个出错,共 1 个" in out.out and "no calibration" in out.err
    (row,) = csv.DictReader((tmp_path / "out" / "summary.csv").open(encoding="utf-8"))
    assert row["state"] == "failed" and "no calibration" in row["error"]


@pytest.mark.slow
def test_ctrl_c_leaves_it_whole_and_the_same_command_goes_on(recordings: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [
        *(sys.executable, "-m", "pzvision", "batch", str(recordings), "--out", str(out)),
        *("--ruleset", "pzh-popular", "--workers", "1", "--lang", "en"),
    ]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 300
    while not list(out.glob("*/parts/survey-*")) and time.monotonic() < until:
        assert running.poll() is None, running.communicate()
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=120)
    assert running.returncode == 130 and "the same command goes on from here" in error
    assert "Traceback" not in error and not list(out.glob("*/done.json"))
    (row,) = csv.DictReader((out / "summary.csv").open(encoding="utf-8"))
    assert row["state"] == "working"
    (survey,) = out.glob("*/parts/survey-*")
    before = survey.stat().st_mtime_ns
    again = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    stood = before
    while again.poll() is None:
        stood = survey.stat().st_mtime_ns if survey.exists() else stood
        time.sleep(0.1)
    said, error = again.communicate()
    assert again.returncode == 0 and "1 done, 0 done before, 0 failed, of 1" in said, error
    assert stood == before, "the survey was not made again"
    assert subprocess.run(command, capture_output=True, text=True).stdout.startswith("0 done, 1 done before")
    assert not [p for p in out.rglob("*") if p.name.endswith(".part")]


def test_a_whole_run_in_this_process(
    recordings: Path,
    tmp_path: Path,
    inline: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert work.make_detector  # the painter's, see `job`
    monkeypatch.setattr("pzvision.batch.local.LocalEngine", lambda slots: inline(slots=slots))
    out = tmp_path / "out"
    words = ["batch", str(recordings), "--out", str(out), "--ruleset", "pzh-popular", "--workers", "2"]
    assert main(words) == 0
    said = capsys.readouterr()
    assert "1 个完成" in said.out and "一:1 局" in said.err
    (folder,) = (p for p in out.iterdir() if p.is_dir())
    assert folder.name.startswith("一-") and (folder / "log.jsonl").read_text().count("\n") > 3
    assert "</html>" in (out / "summary.html").read_text(encoding="utf-8")
    assert main(words) == 0
    assert "0 个完成,1 个早已完成" in capsys.readouterr().out


def test_dealer_and_names_stand_in_every_log(
    recordings: Path,
    tmp_path: Path,
    inline: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pzvision.batch.local.LocalEngine", lambda slots: inline(slots=slots))
    out = tmp_path / "out"
    words = ["batch", str(recordings), "--out", str(out), "--ruleset", "pzh-popular", "--gate"]
    assert main([*words, "--dealer", "W", "--name", "E=小王", "--name", "S=老李"]) == 0
    (log,) = out.rglob("log.jsonl")
    first = json.loads(log.read_text(encoding="utf-8").splitlines()[0])
    assert first["dealer"] == "W" and first["names"] == {"E": "小王", "S": "老李"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--dealer", "X"], "--dealer 'X': expected one of E S W N"),
        (["--name", "小王"], "--name '小王': expected SEAT=NAME such as E=小王"),
    ],
)
def test_dealer_and_names_are_checked_as_replay_checks_them(
    words: list[str], says: str, recordings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (["batch", "--out", str(tmp_path / "out")], ["replay"]):
        assert main([*command, str(recordings), "--ruleset", "pzh-popular", *words]) == 2
        assert capsys.readouterr().err == f"pzvision: error: {says}\n"


def test_what_is_looked_at_with_the_gate_is_one_part(job: work.Job, tmp_path: Path) -> None:
    """Each look depends on the one before."""
    assert Place(tmp_path, replace(job, gate=True)).part_asks > 10**9
    assert Place(tmp_path, job).part_asks == PART_ASKS
