"""A Ray cluster of two workers, one killed in the middle: the bytes of one process, nothing done twice."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pzvision.batch.cluster import RayEngine
from pzvision.batch.engine import Task
from pzvision.batch.results import Place
from pzvision.batch.run import Coordinator, Progress
from pzvision.batch.work import Job
from pzvision.errors import PzvisionError


def test_without_ray_its_installation_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    real = importlib.import_module

    def missing(name: str, *more: Any) -> Any:
        if name == "ray":
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr("pzvision.batch.cluster.importlib.import_module", missing)
    with pytest.raises(PzvisionError, match=r"pip install 'pzvision\[batch\]'"):
        RayEngine()


@pytest.mark.slow
def test_two_workers_one_killed_make_the_same_as_one_process(
    job: Job, painted: Any, inline: Any, silent: Any, tmp_path: Path
) -> None:
    pytest.importorskip("ray", reason="Ray is not installed (extra batch)")
    alone = tmp_path / "alone"
    Coordinator([Progress(job.path, alone, job, Place(alone, job, 3))], inline(slots=1), silent).run()
    seen = tmp_path / "seen.pickle"
    seen.write_bytes(pickle.dumps(painted.seen))
    notes = tmp_path / "notes"
    notes.mkdir()
    victim = notes / "victim"

    def run(task: Task, progress: Callable[[float], None]) -> object:
        """On a worker: with the painter's detector; the second part takes until somebody kills its worker."""
        import os
        import pickle
        import time
        import zlib

        from pzvision.batch import work

        table = pickle.loads(seen.read_bytes())
        work.make_detector = lambda job, view: lambda image: table[zlib.crc32(image.tobytes())]
        (notes / f"{task.kind}-{task.part}-{time.monotonic_ns()}").write_text(str(os.getpid()))
        if task.kind == "detect" and task.part == 1 and not victim.exists():
            victim.write_text(str(os.getpid()))
            time.sleep(120)
        return task.run(progress)

    def kill() -> None:
        until = time.monotonic() + 120
        while time.monotonic() < until:
            if victim.exists() and victim.read_text():
                time.sleep(0.5)
                os.kill(int(victim.read_text()), signal.SIGKILL)
                return
            time.sleep(0.1)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    out = tmp_path / "out"
    engine = RayEngine(None, 2, run)
    try:
        progress = Progress(job.path, out, job, Place(out, job, 3))
        Coordinator([progress], engine, silent).run()
    finally:
        engine.close()
    killer.join(5)
    assert progress.state == "done", progress.error
    begun = [path.name.rsplit("-", 1)[0] for path in notes.iterdir() if path != victim]
    assert begun.count("detect-1") == 2, "the killed worker's part was done by another one"
    assert all(begun.count(name) == 1 for name in set(begun) - {"detect-1"}), "nothing else was done twice"
    pids = {path.read_text() for path in notes.iterdir()}
    assert len(pids) >= 2, "both workers worked"
    for name in ("log.jsonl", "observations.jsonl.gz", "settlement.txt", "done.json"):
        assert (out / name).read_bytes() == (alone / name).read_bytes()
