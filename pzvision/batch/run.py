"""Who gives out the work: recordings to parts, parts to workers, results to their folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from pzvision.batch.engine import Engine, Failed, Finished, Moved, Task
from pzvision.batch.results import Place
from pzvision.batch.work import Job, Survey
from pzvision.errors import PzvisionError

_TRIES: Final = 3  # of one task, when its workers die
_SHARES: Final = {"survey": 0.15, "detect": 0.8, "decode": 0.05}  # of a recording's time, for the bar


@dataclass
class Progress:
    """How far a recording is.

    Attributes:
        path, folder: of the recording, and where its results go.
        job, place: what is done, and the results; None: it was refused before anything was done.
        state: ``waiting``, ``working``, ``done``, ``skipped`` (was done before) or ``failed``.
        summary: once done. ``error``: why it failed.
        done: 0–1. ``moved``: 0–1 of each part, of the survey (−1) and of the decoding (−2).
    """

    path: str
    folder: Path
    job: Job | None = None
    place: Place | None = None
    state: str = "waiting"
    summary: dict[str, Any] | None = None
    error: str = ""
    done: float = 0.0
    survey: Survey | None = None
    open_parts: list[int] = field(default_factory=list)
    moved: dict[int, float] = field(default_factory=dict)
    parts: int = 0

    @property
    def given(self) -> tuple[Job, Place]:
        """Job and place of a recording that was not refused."""
        assert self.job is not None and self.place is not None
        return self.job, self.place


class Watcher(Protocol):
    """Told what happens; for the bars."""

    def moved(self, runs: Sequence[Progress]) -> None:
        """Something got on."""
        ...

    def begun(self, worker: int, task: Task, run: Progress) -> None:
        """A worker has begun a task."""
        ...

    def working(self, worker: int, done: float) -> None:
        """So much of it is done, 0–1."""
        ...

    def ended(self, run: Progress) -> None:
        """A recording is done, or failed."""
        ...


class Coordinator:
    """Brings recordings through their stages. Each is by itself: one that fails stops no other.

    Args:
        runs: the recordings; those done before are skipped.
        engine: does the work.
        watcher: told what happens.
    """

    def __init__(self, runs: Sequence[Progress], engine: Engine, watcher: Watcher) -> None:
        self._runs = runs
        self._engine = engine
        self._watcher = watcher
        self._ready: list[Task] = []
        self._tries: dict[tuple[str, int, int], int] = {}
        self._free = engine.slots

    def run(self) -> None:
        """Work until nothing is left. An interruption leaves everything finished in its place."""
        for number, run in enumerate(self._runs):
            if run.state == "failed":
                self._watcher.ended(run)
                continue
            job, place = run.given
            run.summary = place.summary()
            if run.summary is not None:
                run.state, run.done = "skipped", 1.0
                self._watcher.ended(run)
                continue
            survey = place.survey()
            if survey is None:
                self._ready.append(Task("survey", number, 0, (job,)))
            else:
                self._surveyed(number, survey)
        self._watcher.moved(self._runs)
        while self._ready or self._free < self._engine.slots:
            self._give_out()
            for outcome in self._engine.wait(0.5):
                if isinstance(outcome, Moved):
                    self._watcher.working(outcome.worker, outcome.done)
                    self._move(outcome.task, outcome.done)
                    continue
                self._free += 1
                try:
                    if isinstance(outcome, Finished):
                        self._finished(outcome)
                    else:
                        self._failed(outcome)
                except PzvisionError as error:  # the disk is full, a part is damaged …
                    self._give_up(outcome.task.job, str(error))
            self._watcher.moved(self._runs)

    def _give_out(self) -> None:
        while self._ready and self._free:
            # What was begun is ended first, in the order of the recordings.
            task = min(self._ready, key=lambda t: (t.kind == "survey", t.job, t.part))
            self._ready.remove(task)
            run = self._runs[task.job]
            if run.state == "failed":
                continue
            run.state = "working"
            self._free -= 1
            self._watcher.begun(self._engine.give(task), task, run)

    def _surveyed(self, number: int, survey: Survey) -> None:
        run = self._runs[number]
        job, place = run.given
        run.survey, run.state = survey, "working"
        size = place.part_asks
        run.parts = -(-len(survey.asks) // size)
        run.moved[-1] = 1.0
        for part in range(run.parts):
            if place.part(part) is not None:
                run.moved[part] = 1.0
                continue
            run.open_parts.append(part)
            asks = survey.asks[part * size : (part + 1) * size]
            self._ready.append(Task("detect", number, part, (job, survey.views, asks)))
        self._detected(number)

    def _detected(self, number: int) -> None:
        run = self._runs[number]
        if run.open_parts or run.survey is None:
            return
        job, place = run.given
        parts = [place.part(part) for part in range(run.parts)]
        whole = [part for part in parts if part is not None]
        if len(whole) < len(parts):
            raise PzvisionError(f"parts of {run.path!r} have vanished from {str(run.folder)!r}")
        self._ready.append(Task("decode", number, 0, (job, run.survey, whole)))

    def _finished(self, outcome: Finished) -> None:
        task = outcome.task
        run = self._runs[task.job]
        if run.state == "failed":
            return
        self._move(task, 1.0)
        _, place = run.given
        if task.kind == "survey":
            place.keep_survey(outcome.value)
            self._surveyed(task.job, outcome.value)
        elif task.kind == "detect":
            place.keep_part(task.part, outcome.value)
            run.open_parts.remove(task.part)
            self._detected(task.job)
        else:
            place.finish(outcome.value)
            run.summary, run.state, run.done = outcome.value.summary, "done", 1.0
            run.survey = None
            self._watcher.ended(run)

    def _failed(self, outcome: Failed) -> None:
        task = outcome.task
        key = (task.kind, task.job, task.part)
        self._tries[key] = self._tries.get(key, 0) + 1
        if outcome.lost and self._tries[key] < _TRIES:
            self._ready.append(task)
            return
        reason = outcome.reason + (f", {_TRIES} times" if outcome.lost else "")
        self._give_up(task.job, reason, outcome.details)

    def _give_up(self, number: int, reason: str, details: str = "") -> None:
        run = self._runs[number]
        if run.state == "failed":
            return
        run.state, run.error, run.survey = "failed", reason, None
        try:
            run.given[1].fail(f"{reason}\n{details}")
        except PzvisionError as error:
            run.error = f"{reason}; {error}"
        self._watcher.ended(run)

    def _move(self, task: Task, done: float) -> None:
        run = self._runs[task.job]
        run.moved[{"survey": -1, "decode": -2}.get(task.kind, task.part)] = done
        detected = sum(v for k, v in run.moved.items() if k >= 0) / run.parts if run.parts else 0.0
        run.done = (
            _SHARES["survey"] * run.moved.get(-1, 0.0)
            + _SHARES["detect"] * detected
            + _SHARES["decode"] * run.moved.get(-2, 0.0)
        )
