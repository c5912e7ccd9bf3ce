"""What many tables cost: measured on a recording, reckoned from the printed figures, and so on the page."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pzvision.batch.cost import Steps, bill, main, measure
from pzvision.batch.work import Job, decode, detect, survey

PAGE = Path(__file__).parents[2] / "docs" / "batch.md"
ROUND = Steps(1.0, 20.0, 100.0, 10.0, 4.0, 1.5, 0.5, 2.0, 5.0, 0.4)


def test_the_sums() -> None:
    # 15 frames read twice; 4 looks surveyed, decoded and, in part, detected: 30 + 4 * 30 + share * 400 ms
    assert [ROUND.core_seconds(15.0, share) for share in (0.0, 0.5, 1.0)] == pytest.approx([0.15, 0.35, 0.55])
    assert ROUND.travel_kb == pytest.approx(6.0)
    assert bill(ROUND, 1000, 15.0, 4.0, 40, 4.0) == [
        "1000 tables at 15 frames/s, an evening of 4 hours and 40 hands:",
        "  detector asked of every look: 0.55 cores a table, 550 cores, 220 GB of memory",
        "  detector asked of every second look: 0.35 cores a table, 350 cores, 140 GB of memory",
        "  detector asked of every fourth look: 0.25 cores a table, 250 cores, 100 GB of memory",
        "  between machines: 6.0 kB/s a table, 6.0 MB/s",
        "  kept an evening: 29.0 MB a table, 29.0 GB",
        "  video, if kept, at 4 Mbit/s: 7.2 GB a table, 7.2 TB",
    ]


def test_figures_are_read_back() -> None:
    assert Steps.parse(["other", *ROUND.format(), "lines"]) == ROUND
    for lines in (ROUND.format()[1:], [*ROUND.format(), ROUND.format()[0]]):
        with pytest.raises(ValueError, match="expected one line 'reading a frame'"):
            Steps.parse(lines)


def test_what_is_measured_is_the_work_of_a_batch(job: Job) -> None:
    begun = time.process_time()
    steps, done = measure(job)
    passed = 1000 * (time.process_time() - begun)
    surveyed = survey(job)
    part = detect(job, surveyed.views, surveyed.asks)
    decoded = decode(job, surveyed, [part])
    assert f"49 frames, 20 looks, {len(surveyed.asks)} of them asked" in done
    seconds = surveyed.seconds
    assert steps.looks_s == pytest.approx(20 / seconds, abs=0.01)
    assert steps.survey_kb == pytest.approx(len(surveyed.format()) / 1000 / seconds, abs=0.02)
    assert steps.parts_kb == pytest.approx(len(part) / 1000 / seconds, abs=0.02)
    assert steps.looks_kb == pytest.approx(len(decoded.observations) / 1000 / seconds, abs=0.02)
    assert steps.log_kb == pytest.approx(len(decoded.log) / 1000, abs=0.06)
    times = (steps.read_ms, steps.survey_ms, steps.decode_ms)
    assert all(value > 0 for value in times) and steps.memory_gb > 0.05
    # Every frame is read three times here (once to take that time), every look surveyed and decoded once.
    spent = 3 * 50 * steps.read_ms + 20 * (steps.survey_ms + steps.decode_ms)
    assert spent + len(surveyed.asks) * steps.detect_ms <= passed + 5


def test_a_slow_detector_costs_what_it_takes(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    from pzvision.batch import work

    quick = work.make_detector(job, job.calibration)

    def slow(image: Any) -> Any:
        until = time.process_time() + 0.03
        while time.process_time() < until:
            pass
        return quick(image)

    monkeypatch.setattr(work, "make_detector", lambda job, view: slow)
    assert 29 < measure(job)[0].detect_ms < 60


def test_the_command_prints_figures_and_sums(
    job: Job, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    calibration = tmp_path / "calibration.json"
    calibration.write_text(json.dumps(job.calibration.format()), encoding="utf-8")
    words = ["--recording", job.path, "--calibration", str(calibration), "--tables", "20", "--fps", "10"]
    main([*words, "--hours", "1", "--hands", "5", "--mbit", "8"])
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("第一局, 640×360: 5 s, 49 frames")
    steps = Steps.parse(lines)
    assert lines == [*steps.format(), *bill(steps, 20, 10.0, 1.0, 5, 8.0)]


def test_the_page_has_what_the_command_printed() -> None:
    lines = [line.removeprefix("    ") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    steps = Steps.parse(lines)
    printed = [*steps.format(), *bill(steps, 1000, 15.0, 4.0, 40, 4.0)]
    at = lines.index(printed[0])
    assert lines[at : at + len(printed)] == printed
    assert bill(replace(steps, detect_ms=0.0), 1000, 15.0, 4.0, 40, 4.0) != printed[len(steps.format()) :]
