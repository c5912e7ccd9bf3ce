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
    from pzvision.messages.detector import BACKEND_HELP, TILE_SET_HELP
    from pzvision.rules.arguments import add_ruleset_arguments

    parser.add_argument(
        "recordings",
        metavar="VIDEO|FOLDER|LIST",
        nargs="+",
        help="录像、目录(含子目录)或清单文件 videos, folders to search, or .txt lists of them",
    )
    parser.add_argument("--out", metavar="DIR", required=True, help="结果目录 folder of results")
    add_ruleset_arguments(parser)
    parser.add_argument(
        "--calibration",
        metavar="FILE",
        help="标定文件 calibration of all (default: calibration.toml beside each recording)",
    )
    parser.add_argument("--base", type=int, default=1, metavar="N", help="底 stake of one fan (default 1)")
    parser.add_argument("--models", metavar="DIR", help="模型目录 folder with the ONNX models")
    parser.add_argument("--tile-set", metavar="FILE", help=TILE_SET_HELP)
    parser.add_argument(
        "--every", type=float, default=0.25, metavar="S", help="每几秒看一次 seconds between looks"
    )
    parser.add_argument("--backend", default="auto", metavar="NAME", help=BACKEND_HELP)
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="进程数 processes (default: as many as cores and memory allow)",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="每进程推理线程数 detector threads of each",
    )
    parser.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="本机或 Ray 集群 this machine, or a Ray cluster (pip install 'pzvision[batch]')",
    )
    parser.add_argument(
        "--ray-address", metavar="ADDRESS", help="Ray 集群地址 of the cluster (default: one on this machine)"
    )
    parser.add_argument("--lang", choices=("zh", "en"), default="zh", help="语言 language (default zh)")


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
    from pzvision.live.settings import HandSettings
    from pzvision.messages import say

    check_not_empty({"--out": args.out, "--calibration": args.calibration, "--models": args.models})
    if args.workers is not None and not 1 <= args.workers <= 512:
        raise PzvisionError(f"--workers {args.workers}: expected 1 to 512")
    if args.ray_address and args.engine != "ray":
        raise PzvisionError(f"--ray-address {args.ray_address!r}: only with --engine ray")
    out = Path(args.out)
    hand = HandSettings(*_check(args), args.base)
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


def _check(args: argparse.Namespace) -> tuple[str, dict[str, object]]:
    """What is the same for all: raises `PzvisionError` for it before any recording is opened."""
    from pzvision.errors import PzvisionError
    from pzvision.live.arguments import check_threads
    from pzvision.rules import load_ruleset
    from pzvision.rules.arguments import as_profile, parse_options
    from pzvision.vision.calibration import load
    from pzvision.vision.detector import FINDER_FILE, find_model

    if args.ruleset is None:
        raise PzvisionError("no ruleset: give --ruleset ID (pzvision rules lists them)")
    ruleset, options = as_profile(args.ruleset, parse_options(args.option, args.ruleset))
    load_ruleset(ruleset, options)
    if args.base < 1:
        raise PzvisionError(f"--base {args.base}: expected a whole number from 1")
    if not 0.02 <= args.every <= 5:
        raise PzvisionError(f"--every {args.every}: expected 0.02 to 5 seconds")
    check_threads(args.threads)
    if args.calibration is not None:
        load(Path(args.calibration))
    find_model(FINDER_FILE, Path(args.models) if args.models else None)
    return ruleset, dict(options)


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
