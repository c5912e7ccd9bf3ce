"""What a run shows: on a terminal a bar for the whole and one a worker, elsewhere a line a recording."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest

from pzvision.batch.bars import Bars
from pzvision.batch.results import Place
from pzvision.batch.run import Coordinator, Progress
from pzvision.batch.work import Job


class Terminal(io.StringIO):
    """A terminal that keeps what was written."""

    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, job: Job, inline: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a run of one recording and one that was refused writes."""
    monkeypatch.setattr("sys.stderr", stream)
    runs = [
        Progress(job.path, folder / "a", job, Place(folder / "a", job, 4)),
        Progress("/x/没有标定.mp4", folder / "b", state="failed", error="no calibration"),
    ]
    bars = Bars(runs, 2, "zh")
    Coordinator(runs, inline(slots=2), bars).run()
    bars.close()
    return stream.getvalue()


def test_a_terminal_has_bars(job: Job, inline: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(Terminal(), job, inline, tmp_path, monkeypatch)
    whole = [float(n) for n in re.findall(r"\| ([\d.]+)/2 \[", text)]
    assert whole[0] <= 1.0 and whole[-1] == 2.0 and sorted(whole) == whole
    assert len({n for n in whole if 1 < n < 2}) > 3, "it moves with the parts of a recording"
    assert "100% |" in text
    parts = set(re.findall(r"\b([12]) (浏览|识别|判断)( \d/\d)? 第一局", text))
    assert {("1", "浏览", ""), ("1", "判断", "")} <= parts
    detected = {(worker, part) for worker, kind, part in parts if kind == "识别"}
    assert {part.strip() for _, part in detected} >= {"1/4", "4/4"} and {w for w, _ in detected} == {"1", "2"}
    assert "第一局:1 局" in text and "没有标定.mp4:出错:no calibration" in text


def test_elsewhere_there_are_lines_alone(
    job: Job, inline: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = shown(io.StringIO(), job, inline, tmp_path, monkeypatch)
    assert text.splitlines() == ["没有标定.mp4:出错:no calibration", "第一局:1 局,7 条记录"]
