"""Who does the work: what an engine is, and the tasks it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from pzvision.batch import work


@dataclass(frozen=True)
class Task:
    """A piece of work: ``kind`` names a function of `pzvision.batch.work`, ``given`` its arguments.

    ``job``, ``part``: which recording and which part of it, as the one who gave it out counts them.
    """

    kind: str
    job: int
    part: int
    given: tuple[Any, ...]

    def run(self, progress: Callable[[float], None]) -> Any:
        """Do it here."""
        function = {"survey": work.survey, "detect": work.detect, "decode": work.decode}[self.kind]
        return function(*self.given, progress)  # type: ignore[operator]


@dataclass(frozen=True)
class Moved:
    """So much of a task is done, 0–1."""

    task: Task
    worker: int
    done: float


@dataclass(frozen=True)
class Finished:
    """A task is done; ``value`` is what its function returned."""

    task: Task
    worker: int
    value: Any


@dataclass(frozen=True)
class Failed:
    """A task could not be done. ``lost``: its worker died, so another may yet do it; else it is the work's
    own failure, ``details`` tell a programmer where."""

    task: Task
    worker: int
    reason: str
    details: str = ""
    lost: bool = False


Outcome: TypeAlias = Moved | Finished | Failed


class Engine(Protocol):
    """Does tasks, so many at a time."""

    slots: int

    def give(self, task: Task) -> int:
        """Begin a task; returns the worker that does it (0 ≤ worker < slots). Only while one is free."""
        ...

    def wait(self, seconds: float) -> list[Outcome]:
        """What happened since; returns early when something does."""
        ...

    def close(self) -> None:
        """End all workers at once, whatever they do."""
        ...
