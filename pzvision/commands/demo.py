"""``pzvision demo``: the embedded recording through the real pipeline, with the table page."""

from __future__ import annotations

import argparse
from pathlib import Path

SUMMARY = (
    "演示:放一段自带的录像,不用摄像头。",
    "Demonstration: plays the embedded recording, no camera needed.",
)
FILES = ("demo.mp4", "calibration.json", "log.jsonl", "declarations.jsonl")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""

    parser.add_argument("--no-page", action="store_true")
    parser.add_argument("--port", type=int, metavar="N")
    parser.add_argument(
        "--speed",
        type=float,
        metavar="X",
    )
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--models", metavar="DIR")
    parser.add_argument("--backend", default="auto", metavar="NAME")
    parser.add_argument("--threads", type=int, metavar="N")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`."""
    from importlib import resources

    from pzvision.errors import PzvisionError
    from pzvision.live.arguments import check_threads
    from pzvision.live.paths import check_not_empty
    from pzvision.live.serving import check_port

    check_port(args.port)
    if args.speed is not None and not 0 <= args.speed <= 100:
        raise PzvisionError(f"--speed {args.speed:g}: expected 0 to 100")
    check_threads(args.threads)
    check_not_empty({"--models": args.models})
    with resources.as_file(resources.files("pzvision.live") / "demo") as folder:
        for name in FILES:
            if not (folder / name).is_file():
                raise PzvisionError(f"missing {name} of the demonstration in {folder}: reinstall pzvision")
        return _play(args, folder)


def _play(args: argparse.Namespace, folder: Path) -> int:
    from pzvision.errors import PzvisionError
    from pzvision.game import HandStart, read_log
    from pzvision.live.arguments import GameSetup, read_declarations
    from pzvision.live.desk import Desk
    from pzvision.live.hub import Hub
    from pzvision.live.pipeline import Pipeline
    from pzvision.live.report import RecordPrinter, note, printer, settlement
    from pzvision.live.serving import PageOptions, run_with_page
    from pzvision.rules import load_ruleset
    from pzvision.vision.calibration import load
    from pzvision.vision.capture import open_source
    from pzvision.vision.detector import TileDetector
    from pzvision.vision.tableview import TableDetector

    with (folder / "log.jsonl").open(encoding="utf-8") as lines:
        start = next(read_log(lines)).event
    if not isinstance(start, HandStart):
        raise PzvisionError(f"{folder / 'log.jsonl'}: expected hand_start first; reinstall pzvision")
    setup = GameSetup(
        ruleset=load_ruleset(start.ruleset, start.options),
        ruleset_id=start.ruleset,
        options=start.options,
        calibration=load(folder / "calibration.json"),
        base=start.base,
        dealer=start.dealer,
        names=start.names or {},
        declarations=read_declarations(folder / "declarations.jsonl"),
    )
    finder = TileDetector(
        Path(args.models) if args.models else None, threads=args.threads, backend=args.backend
    )
    detector = TableDetector(finder, setup.calibration)
    source = open_source(folder / "demo.mp4")
    hub, desk = (None, None) if args.no_page else (Hub(), Desk())
    speed = args.speed if args.speed is not None else 0.0 if args.no_page else 1.0
    pipeline = Pipeline(
        source,
        setup.calibration,
        setup.maker(),
        detector,
        config=setup.pipeline,
        hub=hub,
        on_said=printer(args.lang),
        on_records=RecordPrinter(args.lang, every=False),
        speed=speed,
        desk=desk,
    )
    if hub is None or desk is None:
        stats = pipeline.run()
    else:
        options = PageOptions(args.port, stay=True if args.keep else None)
        stats = run_with_page(pipeline, hub, desk, options=options, lang=args.lang)
    print(settlement(pipeline.session, args.lang))
    note(f"{stats.frames} frames in {stats.seconds:.1f} s: {stats.fps:.1f} frames/s ({stats.looks} looks)")
    return stats.exit_status
