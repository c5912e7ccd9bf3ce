"""Workers on this machine: one process each, as many as cores and memory allow."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

from pzvision.batch.engine import Failed, Finished, Moved, Outcome, Task
from pzvision.errors import PzvisionError

WORKER_BYTES: Final = 900 << 20
"""Memory a worker may come to need: the program 0.25 GB, the detector and a 1080p picture's work the rest."""
_SPARE_BYTES: Final = 700 << 20
_TELL_S: Final = 0.2  # s between two reports of progress


def free_memory() -> int | None:
    """Bytes that can still be used on this machine (and in this container), or None when nobody says."""
    free = None
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) << 10
    with contextlib.suppress(OSError, ValueError):
        most = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
        if most != "max":
            free = min(x for x in (free, int(most) - used) if x is not None)
    return free


def workers_that_fit(cores: int | None = None, free: int | None = None) -> int:
    """How many workers this machine has room for, at least one."""
    cores = (
        cores
        if cores is not None
        else len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1
    )
    free = free_memory() if free is None else free
    if free is None:
        return cores
    return max(1, min(cores, (free - _SPARE_BYTES) // WORKER_BYTES))


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    task: Task | None = None


class LocalEngine:
    """A pool of processes. One that dies is replaced, and its task reported as lost.

    Args:
        slots: how many.
        run: does a task; another function in tests.
    """

    def __init__(self, slots: int, run: Callable[[Task, Callable[[float], None]], object] = Task.run) -> None:
        self.slots = slots
        self._context = multiprocessing.get_context("spawn")
        self._run = run
        self._workers: list[_Worker | None] = [None] * slots

    def give(self, task: Task) -> int:
        """See `pzvision.batch.engine.Engine`."""
        index = next(i for i, w in enumerate(self._workers) if w is None or w.task is None)
        worker = self._workers[index]
        if worker is None:
            worker = self._workers[index] = self._start()
        worker.task = task
        with contextlib.suppress(OSError):  # a dead worker is found in `wait`
            worker.pipe.send(task)
        return index

    def wait(self, seconds: float) -> list[Outcome]:
        """See `pzvision.batch.engine.Engine`."""
        busy = {w.pipe: i for i, w in enumerate(self._workers) if w is not None and w.task is not None}
        if not busy:
            return []
        out: list[Outcome] = []
        for pipe in wait(list(busy), seconds):
            assert isinstance(pipe, Connection)
            index = busy[pipe]
            worker = self._workers[index]
            assert worker is not None and worker.task is not None
            try:
                kind, value = pipe.recv()
            except (EOFError, OSError):
                out.append(self._lost(index, worker))
                continue
            task = worker.task
            if kind == "moved":
                out.append(Moved(task, index, value))
                continue
            worker.task = None
            if kind == "finished":
                out.append(Finished(task, index, value))
            else:
                out.append(Failed(task, index, *value))
        return out

    def close(self) -> None:
        """See `pzvision.batch.engine.Engine`."""
        workers = [w for w in self._workers if w is not None]
        self._workers = [None] * self.slots
        for worker in workers:
            worker.pipe.close()
            worker.process.kill() if worker.task is not None else worker.process.terminate()
        for worker in workers:
            worker.process.join(5)

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=_work, args=(theirs, self._run), name="pzvision-worker", daemon=True
        )
        # Ctrl-C at the terminal is for the one who gives out the tasks: a worker never sees it, from its
        # first moment on (the block is handed down; here it is lifted again).
        if hasattr(signal, "pthread_sigmask"):
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                process.start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        else:
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def _lost(self, index: int, worker: _Worker) -> Failed:
        worker.process.join(5)
        code = worker.process.exitcode
        how = f"killed by signal {-code}" if code is not None and code < 0 else f"lost (status {code})"
        more = " (out of memory?)" if code == -signal.SIGKILL else ""
        self._workers[index] = None
        worker.pipe.close()
        assert worker.task is not None
        reason = f"a worker was {how}{more}" if code else "a worker ended"
        return Failed(worker.task, index, reason, lost=True)


def _work(pipe: Connection, run: Callable[[Task, Callable[[float], None]], object]) -> None:
    """A worker's life: tasks in, reports out, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        told = time.monotonic()

        def progress(done: float) -> None:
            nonlocal told
            if time.monotonic() - told >= _TELL_S:
                told = time.monotonic()
                pipe.send(("moved", done))

        try:
            value = run(task, progress)
            pipe.send(("finished", value))
        except (BrokenPipeError, ConnectionError):
            return
        except PzvisionError as error:
            pipe.send(("failed", (str(error),)))
        except OSError as error:
            pipe.send(("failed", (str(error), traceback.format_exc())))
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            pipe.send(("failed", (reason, traceback.format_exc())))
