"""Workers of a Ray cluster: the same tasks, on as many machines as it has.

Needs the ``batch`` extra. The recordings must be readable under the same path on every machine; only
observations travel. A task whose worker is lost is given to another one; what is finished is not repeated.
"""

from __future__ import annotations

import importlib
import os
import traceback
from collections.abc import Callable
from typing import Any, Final

from pzvision.batch.engine import Failed, Finished, Outcome, Task
from pzvision.errors import PzvisionError

_STARTS: Final = 3  # times a cluster of our own is started before giving up


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _do(task: Task, run: Callable[[Task, Callable[[float], None]], object]) -> tuple[str, Any]:
    """Runs on a worker: what the task gives, or why it could not be done."""
    try:
        return "finished", run(task, lambda done: None)
    except PzvisionError as error:
        return "failed", (str(error), "")
    except Exception as error:
        reason = f"{type(error).__name__}: {_first_line(error)}"
        return "failed", (reason, traceback.format_exc())


class RayEngine:
    """An `pzvision.batch.engine.Engine` on a Ray cluster.

    Args:
        address: of the cluster; None: one is started on this machine.
        slots: tasks at a time; None: the cluster's CPUs.
        run: does a task; another function in tests.

    Raises:
        PzvisionError: Ray is not installed, or there is no cluster at that address.
    """

    def __init__(
        self,
        address: str | None = None,
        slots: int | None = None,
        run: Callable[[Task, Callable[[float], None]], object] = Task.run,
    ) -> None:
        try:
            ray: Any = importlib.import_module("ray")
        except ImportError:
            raise PzvisionError("--engine ray needs Ray: pip install 'pzvision[batch]'") from None
        self._ray = ray
        self._own = address is None and not ray.is_initialized()
        if self._own:
            self._start(slots)
        elif address is not None:
            try:
                ray.init(address=address, log_to_driver=False, logging_level="ERROR")
            except Exception as error:  # Ray raises what it likes
                raise PzvisionError(f"no Ray cluster at {address!r}: {_first_line(error)}") from None
        self.slots = slots or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._call = ray.remote(num_cpus=1, max_retries=0)(_do)
        self._run = run
        self._running: dict[Any, tuple[Task, int]] = {}

    def _start(self, slots: int | None) -> None:
        """Start a cluster on this machine; on a busy one its parts may be too slow to find each other."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_agent_register_timeout_ms", "120000")
        for attempt in range(1, _STARTS + 1):
            try:
                self._ray.init(
                    num_cpus=slots, include_dashboard=False, log_to_driver=False, logging_level="ERROR"
                )
                return
            except Exception as error:
                self._ray.shutdown()
                if attempt == _STARTS:
                    raise PzvisionError(f"Ray does not start on this machine: {_first_line(error)}") from None

    def give(self, task: Task) -> int:
        """See `pzvision.batch.engine.Engine`."""
        taken = {worker for _, worker in self._running.values()}
        worker = next(i for i in range(self.slots) if i not in taken)
        self._running[self._call.remote(task, self._run)] = task, worker
        return worker

    def wait(self, seconds: float) -> list[Outcome]:
        """See `pzvision.batch.engine.Engine`."""
        if not self._running:
            return []
        ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds)
        out: list[Outcome] = []
        for reference in ready:
            task, worker = self._running.pop(reference)
            try:
                kind, value = self._ray.get(reference)
            except self._ray.exceptions.RayError as error:  # the worker, its machine or its memory was lost
                reason = f"a worker was lost ({type(error).__name__})"
                out.append(Failed(task, worker, reason, lost=True))
                continue
            if kind == "finished":
                out.append(Finished(task, worker, value))
            else:
                out.append(Failed(task, worker, *value))
        return out

    def close(self) -> None:
        """See `pzvision.batch.engine.Engine`. A cluster that was there before stays."""
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        self._running.clear()
        if self._own:
            self._ray.shutdown()
