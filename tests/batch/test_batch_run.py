"""Many recordings: each resumable by itself, none stopped by another, and the same bytes whoever did what."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pzvision.batch.engine import Failed, Task
from pzvision.batch.results import Place, claimed
from pzvision.batch.run import Coordinator, Progress
from pzvision.batch.summary import summary_csv, summary_html
from pzvision.batch.work import Job
from pzvision.errors import PzvisionError
from pzvision.table.observations import read_observations


def run_of(job: Job, folder: Path, part_asks: int = 4) -> Progress:
    return Progress(job.path, folder, job, Place(folder, job, part_asks))


def results(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def whole(job: Job, inline: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one worker makes of it without interruption."""
    folder = tmp_path_factory.mktemp("batch") / "whole"
    Coordinator([run_of(job, folder, 1000)], inline(slots=1), Unheard()).run()
    return results(folder)


class Unheard:
    """A watcher that does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args: None


def test_the_results_are_a_log_what_was_seen_a_settlement_and_the_mark(whole: dict[str, bytes]) -> None:
    assert sorted(whole) == ["done.json", "log.jsonl", "observations.jsonl.gz", "settlement.txt"]
    summary = json.loads(whole["done.json"])["summary"]
    assert summary["events"] == whole["log.jsonl"].count(b"\n") > 3
    assert whole["settlement.txt"].decode().startswith("结算")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_number_of_workers_in_any_order_make_the_same(
    job: Job, whole: dict[str, bytes], inline: Any, silent: Any, tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    folder = tmp_path / "out"
    engine = inline(slots=4, order=rng.choice)
    Coordinator([run_of(job, folder, rng.choice([1, 3, 7]))], engine, silent).run()
    assert results(folder) == whole
    assert silent.shares == sorted(silent.shares) and silent.shares[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("after", [0, 1, 3, 4])
def test_an_interrupted_run_is_gone_on_with(
    job: Job, whole: dict[str, bytes], inline: Any, silent: Any, tmp_path: Path, after: int
) -> None:
    folder = tmp_path / "out"

    def interrupt(task: Task) -> None:
        if len(first.done) == after:
            raise KeyboardInterrupt

    first = inline(before=interrupt)
    with pytest.raises(KeyboardInterrupt):
        Coordinator([run_of(job, folder)], first, silent).run()
    assert not (folder / "done.json").exists()
    second = inline()
    Coordinator([run_of(job, folder)], second, silent).run()
    assert results(folder) == whole
    twice = Counter((t.kind, t.part) for t in (*first.done, *second.done))
    assert set(twice.values()) == {1}, "no finished work is repeated"


@pytest.mark.skipif(os.name == "nt", reason="names are bytes only where POSIX is")
def test_a_recording_whose_name_is_no_unicode(job: Job, inline: Any, silent: Any, tmp_path: Path) -> None:
    path = os.path.join(tmp_path, os.fsdecode(b"\xc5\xc6 \xbe\xd6"))
    shutil.copytree(job.path, path)
    other, folder = replace(job, path=path), tmp_path / "out"
    for state in ("done", "skipped"):
        (run,) = runs = [run_of(other, folder)]
        Coordinator(runs, inline(), silent).run()
        assert run.state == state and run.summary is not None
    (seen,) = folder.glob("*.gz")
    assert read_observations(seen).header.source == "\\xc5\\xc6 \\xbe\\xd6"


def test_what_is_done_is_skipped_and_other_settings_are_not(
    job: Job, inline: Any, silent: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    Coordinator([run_of(job, folder)], inline(), silent).run()
    again = inline()
    (run,) = runs = [run_of(job, folder)]
    Coordinator(runs, again, silent).run()
    assert again.done == [] and run.state == "skipped" and run.summary is not None
    other = replace(job, hand=replace(job.hand, ruleset="xichang"))
    (run,) = runs = [run_of(other, folder)]
    Coordinator(runs, inline(), silent).run()
    assert run.state == "done" and b'"ruleset": "xichang"' in (folder / "log.jsonl").read_bytes()


def test_results_that_lost_a_file_are_made_again(job: Job, inline: Any, silent: Any, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    Coordinator([run_of(job, folder)], inline(), silent).run()
    (folder / "log.jsonl").unlink()
    Coordinator([run_of(job, folder)], inline(), silent).run()
    assert (folder / "log.jsonl").is_file()
    for damage in (b"", b"{", b"[]", b'{"key": 1}'):
        (folder / "done.json").write_bytes(damage)
        assert Place(folder, job).summary() is None


def test_damaged_parts_of_an_earlier_run_are_no_obstacle(
    job: Job, whole: dict[str, bytes], inline: Any, silent: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "out"

    def interrupt(task: Task) -> None:
        if task.kind == "decode":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Coordinator([run_of(job, folder)], inline(before=interrupt), silent).run()
    survey = next((folder / "parts").glob("survey-*"))
    survey.write_bytes(b"nonsense")
    Coordinator([run_of(job, folder)], inline(), silent).run()
    assert results(folder) == whole


def test_one_that_fails_stops_no_other(job: Job, inline: Any, silent: Any, tmp_path: Path) -> None:
    bad = replace(job, calibration=replace(job.calibration, image_size=(320, 180)))
    runs = [
        Progress("/nowhere/x.mp4", tmp_path / "x", state="failed", error="no calibration"),
        run_of(bad, tmp_path / "bad"),
        run_of(job, tmp_path / "good"),
    ]
    Coordinator(runs, inline(), silent).run()
    assert [run.state for run in runs] == ["failed", "failed", "done"]
    assert "320" in runs[1].error and (tmp_path / "bad" / "error.txt").read_text().startswith(runs[1].error)
    assert dict(silent.ends) == {"x": "failed", "bad": "failed", "good": "done"}
    # Put right, it succeeds and the error is gone.
    (run,) = runs = [run_of(job, tmp_path / "bad")]
    Coordinator(runs, inline(), silent).run()
    assert run.state == "done" and not (tmp_path / "bad" / "error.txt").exists()


@pytest.mark.parametrize(("deaths", "state"), [(1, "done"), (2, "done"), (3, "failed")])
def test_a_lost_worker_s_task_is_given_to_another_three_times(
    job: Job, inline: Any, silent: Any, tmp_path: Path, deaths: int, state: str
) -> None:
    died = Counter[tuple[str, int]]()

    def lose(task: Task) -> Failed | None:
        if task.kind == "detect" and task.part == 1 and died[task.kind, task.part] < deaths:
            died[task.kind, task.part] += 1
            return Failed(task, 0, "a worker was killed by signal 9", lost=True)
        return None

    engine = inline(before=lose)
    (run,) = runs = [run_of(job, tmp_path / "out")]
    Coordinator(runs, engine, silent).run()
    assert run.state == state
    assert max(Counter((t.kind, t.part) for t in engine.done).values()) == 1
    if state == "failed":
        assert run.error == "a worker was killed by signal 9, 3 times"


def test_a_full_disk_fails_the_recording_and_says_so(
    job: Job, inline: Any, silent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace

    def full(source: Any, target: Any) -> None:
        if "log.jsonl" in str(target) and "out" in str(target):
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr("pzvision.batch.results.os.replace", full)
    (run,) = runs = [run_of(job, tmp_path / "out")]
    Coordinator(runs, inline(), silent).run()
    assert run.state == "failed" and "No space left on device" in run.error
    assert not (tmp_path / "out" / "done.json").exists()
    monkeypatch.undo()
    assert Place(tmp_path / "out", job, 4).survey() is not None, "what was finished is kept"


def test_two_runs_do_not_write_in_one_folder(tmp_path: Path) -> None:
    first = claimed(tmp_path / "out")
    with first, pytest.raises(PzvisionError, match="another run is writing in"), claimed(tmp_path / "out"):
        pass
    with claimed(tmp_path / "out"):
        pass
    (tmp_path / "file").write_text("x")
    with pytest.raises(PzvisionError, match="cannot write in"), claimed(tmp_path / "file"):
        pass


# --- the summary -------------------------------------------------------------------------------------


def test_the_summary_for_programs_and_for_people(job: Job, inline: Any, silent: Any, tmp_path: Path) -> None:
    bad = Progress("/in/<b>坏&.mp4", tmp_path / "bad-1", state="failed", error='no "calibration" <here>')
    runs = [run_of(job, tmp_path / "good-1"), bad]
    Coordinator(runs, inline(), silent).run()
    rows = list(csv.DictReader(io.StringIO(summary_csv(runs))))
    assert [row["state"] for row in rows] == ["done", "failed"]
    assert rows[0]["hands"] == "1" and int(rows[0]["events"]) > 3 and rows[0]["recording"] == job.path
    assert rows[1]["error"] == 'no "calibration" <here>' and rows[1]["hands"] == ""
    for lang in ("zh", "en"):
        page = summary_html(runs, lang)
        assert "<b>坏" not in page and "&lt;b&gt;坏&amp;.mp4" in page and "&lt;here&gt;" in page
        assert 'href="good-1/log.jsonl"' in page and "http" not in page and "<script" not in page


def test_every_payment_stands_in_the_page(job: Job, tmp_path: Path) -> None:
    from pzvision.game import format_event, settle_log
    from pzvision.game.simulate import simulate

    hands = settle_log([format_event(event) for event in simulate("pzh-popular", 5, 2, spice=0.6)])
    run = run_of(job, tmp_path / "x")
    run.state = "done"
    run.summary = {"settlements": [hand.to_json() for hand in hands], "totals": {}}
    page = summary_html([run], "zh")
    ledger = [payment for hand in hands for payment in hand.state.ledger]
    assert ledger and page.count("→") == len(ledger)
