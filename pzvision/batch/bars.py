"""How a run is shown: a bar for the whole and one a worker on a terminal, else a line a recording."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from pzvision.batch.engine import Task
from pzvision.batch.run import Progress
from pzvision.messages import say
from pzvision.tiles import Lang


class Bars:
    """A `pzvision.batch.run.Watcher`. ``workers``: how many lines; ``close`` when it is over."""

    def __init__(self, runs: Sequence[Progress], workers: int, lang: Lang) -> None:
        self._lang = lang
        self._all = tqdm(
            total=len(runs), unit="", position=0, disable=None, dynamic_ncols=True, bar_format=_FORMAT
        )
        self._workers = [
            tqdm(total=1.0, position=1 + i, disable=None, dynamic_ncols=True, leave=False, bar_format=_WORKER)
            for i in range(workers)
        ]

    def moved(self, runs: Sequence[Progress]) -> None:
        """See `Watcher`."""
        self._all.n = round(sum(1.0 if r.state == "failed" else r.done for r in runs), 2)
        self._all.refresh()

    def begun(self, worker: int, task: Task, run: Progress) -> None:
        """See `Watcher`."""
        bar = self._workers[worker]
        what = say(f"batch.kind.{task.kind}", self._lang)
        part = f" {task.part + 1}/{run.parts}" if task.kind == "detect" else ""
        bar.reset(total=1.0)
        bar.set_description_str(f"{worker + 1} {what}{part} {Path(run.path).name[:32]}")

    def working(self, worker: int, done: float) -> None:
        """See `pzvision.batch.run.Watcher`."""
        bar = self._workers[worker]
        bar.n = done
        bar.refresh()

    def ended(self, run: Progress) -> None:
        """See `Watcher`."""
        name = Path(run.path).name.encode("utf-8", "backslashreplace").decode()
        if run.state == "failed":
            tqdm.write(say("batch.failed", self._lang, name=name, why=run.error), file=sys.stderr)
        elif run.state == "done" and run.summary:
            figures = {"hands": run.summary["hands"], "events": run.summary["events"]}
            tqdm.write(say("batch.ended", self._lang, name=name, **figures), file=sys.stderr)

    def close(self) -> None:
        """Take the bars away."""
        for bar in reversed(self._workers):
            bar.close()
        self._all.close()


_FORMAT = "{percentage:3.0f}% |{bar}| {n:.1f}/{total_fmt} [{elapsed}<{remaining}]"
_WORKER = "{desc} {percentage:3.0f}% |{bar:20}|"
