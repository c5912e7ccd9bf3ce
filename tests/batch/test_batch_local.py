"""Processes as workers: they report, fail, die and are replaced; how many a machine has room for."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pzvision.batch.engine import Failed, Finished, Moved, Task
from pzvision.batch.local import WORKER_BYTES, LocalEngine, free_memory, workers_that_fit

JOBS = """
import os, signal, time
from pathlib import Path
from pzvision.errors import PzvisionError

def run(task, progress):
    what, = task.given
    if what == "slow":
        for step in range(1, 5):
            time.sleep(0.25)
            progress(step / 4)
        return "slept"
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "bad":
        raise PzvisionError("no such thing: 7")
    if what == "bug":
        raise ZeroDivisionError("by nothing")
    if what == "exit":
        os._exit(3)
    if what == "forever":
        time.sleep(60)
    return (what, os.getpid())
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalEngine]:
    (tmp_path / "batch_jobs_of_a_test.py").write_text(JOBS)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("batch_jobs_of_a_test", None)
    module = importlib.import_module("batch_jobs_of_a_test")
    engine = LocalEngine(2, module.run)
    yield engine
    engine.close()


def outcomes(engine: LocalEngine, count: int = 1, moved: list[Moved] | None = None) -> list[Any]:
    """What ended, until so many did."""
    ended: list[Any] = []
    until = time.monotonic() + 60
    while len(ended) < count and time.monotonic() < until:
        for outcome in engine.wait(0.2):
            if isinstance(outcome, Moved):
                (moved if moved is not None else []).append(outcome)
            else:
                ended.append(outcome)
    return ended


def task(what: str, part: int = 0) -> Task:
    return Task("test", 0, part, (what,))


def test_workers_work_beside_each_other_and_are_used_again(engine: LocalEngine) -> None:
    assert engine.wait(0.0) == []
    assert [engine.give(task("a", 1)), engine.give(task("b", 2))] == [0, 1]
    found = {o.task.part: o.value for o in outcomes(engine, 2)}
    assert {part: value[0] for part, value in found.items()} == {1: "a", 2: "b"}
    assert len({found[1][1], found[2][1], os.getpid()}) == 3
    engine.give(task("c", 3))
    (third,) = outcomes(engine)
    assert third.value[1] in (found[1][1], found[2][1])


def test_progress_is_told_meanwhile(engine: LocalEngine) -> None:
    moved: list[Moved] = []
    engine.give(task("slow"))
    (end,) = outcomes(engine, moved=moved)
    assert end.value == "slept" and moved and all(0 < m.done <= 1 for m in moved)


def test_failures_say_what_was_wrong_and_a_mistake_of_ours_where(engine: LocalEngine) -> None:
    engine.give(task("bad"))
    (bad,) = outcomes(engine)
    assert (bad.reason, bad.details, bad.lost) == ("no such thing: 7", "", False)
    engine.give(task("bug"))
    (bug,) = outcomes(engine)
    assert bug.reason == "ZeroDivisionError: by nothing" and "Traceback" in bug.details and not bug.lost
    engine.give(task("fine"))
    assert isinstance(outcomes(engine)[0], Finished)


@pytest.mark.parametrize(("how", "words"), [("die", "killed by signal 9"), ("exit", "status 3")])
def test_a_worker_that_dies_is_replaced(engine: LocalEngine, how: str, words: str) -> None:
    engine.give(task(how))
    (lost,) = outcomes(engine)
    assert isinstance(lost, Failed) and lost.lost and words in lost.reason
    engine.give(task("after"))
    (end,) = outcomes(engine)
    assert end.value[0] == "after"


def test_closing_ends_workers_at_once_and_ctrl_c_is_not_for_them(engine: LocalEngine) -> None:
    engine.give(task("forever"))
    engine.give(task("idle"))
    outcomes(engine)
    workers = [w.process for w in engine._workers if w is not None]
    pids = [p.pid for p in workers]
    assert os.getpgid(pids[1]) != os.getpgid(0)
    os.kill(pids[1], signal.SIGINT)
    time.sleep(0.2)
    assert all(p.is_alive() for p in workers)
    began = time.monotonic()
    engine.close()
    assert time.monotonic() - began < 5 and not any(p.is_alive() for p in workers)


def test_as_many_workers_as_cores_and_memory_allow() -> None:
    free = free_memory()
    assert free is None or free > 0
    assert workers_that_fit(cores=8, free=100 * WORKER_BYTES) == 8
    assert workers_that_fit(cores=8, free=4 * WORKER_BYTES) == 3
    assert workers_that_fit(cores=8, free=0) == 1
    assert workers_that_fit() >= 1
