"""``pzvision batch``: many recordings in, a log and a settlement of each and a table of them all out."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pzvision.batch.engine import Engine
    from pzvision.batch.recordings import Recording
    from pzvision.batch.run import Progress
    from pzvision.live.settings import HandSettings

SUMMARY = (
    "看许多录像:可中断、可接着做,汇总成表。",
    "Watch many recordings; a run can go on later.",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""
    from pzvision.live.arguments import add_watch_arguments

    parser.add_argument("recordings", metavar="VIDEO|FOLDER|LIST", nargs="+")
    parser.add_argument("--out", metavar="DIR", required=True)
    add_watch_arguments(parser, threads=1)
    parser.add_argument("--workers", type=int, metavar="N")
    parser.add_argument("--engine", choices=("local", "ray"), default="local")
    parser.add_argument("--ray-address", metavar="ADDRESS")


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`."""
    from pzvision.batch.bars import Bars
    from pzvision.batch.recordings import find_recordings
    from pzvision.batch.results import claimed, write_whole
    from pzvision.batch.run import Coordinator
    from pzvision.batch.summary import summary_csv, summary_html
    from pzvision.errors import PzvisionError
    from pzvision.live.paths import check_not_empty
    from pzvision.live.report import note
    from pzvision.messages import say

    check_not_empty({"--out": args.out, "--calibration": args.calibration, "--models": args.models})
    if args.workers is not None and not 1 <= args.workers <= 512:
        raise PzvisionError(f"--workers {args.workers}: expected 1 to 512")
    if args.ray_address and args.engine != "ray":
        raise PzvisionError(f"--ray-address {args.ray_address!r}: only with --engine ray")
    out = Path(args.out)
    hand = _check(args)
    recordings = find_recordings(args.recordings, skip=out)
    with claimed(out):
        runs = [_progress(args, each, out / each.name, hand) for each in recordings]

        def summarize() -> None:
            write_whole(out / "summary.csv", summary_csv(runs).encode())
            write_whole(out / "summary.html", summary_html(runs, args.lang).encode())

        engine = _engine(args)
        bars = Bars(runs, engine.slots, args.lang)
        try:
            Coordinator(runs, engine, bars).run()
        except KeyboardInterrupt:
            bars.close()
            note(say("batch.go_on", args.lang))
            raise
        finally:
            bars.close()
            engine.close()
            summarize()
    states = [run.state for run in runs]
    counts = {state: states.count(state) for state in ("done", "skipped", "failed")}
    print(say("batch.all", args.lang, all=len(runs), **counts))
    note(say("batch.written", args.lang, path=out / "summary.html"))
    return 1 if counts["failed"] else 0


def _check(args: argparse.Namespace) -> HandSettings:
    """What is the same for all: raises `PzvisionError` for it before any recording is opened."""
    from pzvision.live.arguments import check_hand
    from pzvision.vision.calibration import load
    from pzvision.vision.detector import FINDER_FILE, find_model

    hand = check_hand(args)
    if args.calibration is not None:
        load(Path(args.calibration))
    find_model(FINDER_FILE, Path(args.models) if args.models else None)
    return hand


def _progress(args: argparse.Namespace, recording: Recording, folder: Path, hand: HandSettings) -> Progress:
    """One recording, its calibration and declarations found as `pzvision replay` finds them."""
    from pzvision.batch.results import Place
    from pzvision.batch.run import Progress
    from pzvision.batch.work import Job
    from pzvision.errors import PzvisionError
    from pzvision.live.arguments import find_calibration, find_declarations, read_declarations
    from pzvision.vision.calibration import load
    from pzvision.vision.tile_set import load_tile_set

    path = recording.path
    try:
        made = find_calibration(args.calibration, path)
        calibration = load(made)
        spoken = find_declarations(None, path)
        job = Job(
            str(path),
            calibration,
            hand,
            () if spoken is None else read_declarations(spoken),
            args.every,
            args.models,
            args.backend,
            args.threads,
            load_tile_set(args.tile_set, calibration.tile_set, made),
            args.gate,
            args.lang,
        )
        return Progress(str(path), folder, job, Place(folder, job))
    except PzvisionError as error:
        return Progress(str(path), folder, state="failed", error=str(error))


def _engine(args: argparse.Namespace) -> Engine:
    from pzvision.batch.local import LocalEngine, workers_that_fit

    if args.engine == "ray":
        from pzvision.batch.cluster import RayEngine

        return RayEngine(args.ray_address, args.workers)
    return LocalEngine(args.workers or workers_that_fit())
