"""``pzvision live``: a camera in, announcements, a game log and the table page out."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

SUMMARY = ("接摄像头看一局牌,开牌桌页面。", "Watch a table through a camera and serve the table page.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""
    from pzvision.live.arguments import add_game_arguments

    parser.add_argument(
        "--camera",
        required=True,
        metavar="N|URL|FILE",
        help="摄像头编号、网址或录像 webcam number, address, or a video played at real speed",
    )
    add_game_arguments(parser)
    parser.add_argument("--port", type=int, metavar="N", help="页面端口 port (default 8642)")
    parser.add_argument("--no-page", action="store_true", help="不开页面 print only, serve no page")


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`."""
    from pzvision.live.arguments import check_game, check_size
    from pzvision.live.hub import Hub
    from pzvision.live.logfile import LogFile
    from pzvision.live.paths import check_distinct, check_no_picture, check_not_empty
    from pzvision.live.pipeline import Pipeline
    from pzvision.live.report import RecordPrinter, note, printer, settlement
    from pzvision.live.serving import check_port, run_with_page
    from pzvision.vision.camera import LiveSource
    from pzvision.vision.capture import open_source
    from pzvision.vision.detector import TileDetector
    from pzvision.vision.tableview import TableDetector

    outputs = {"--events": args.events}
    inputs = {"--camera": args.camera, "--calibration": args.calibration}
    check_not_empty({**inputs, **outputs, "--models": args.models})
    check_no_picture(args.camera, "a webcam number, an address or a video")
    check_distinct(outputs, inputs)
    check_port(args.port)
    path = Path(args.camera)
    setup = check_game(args, beside=path if path.is_file() else None)
    check_distinct(outputs, {"--calibration": setup.calibration_file, "--ruleset": args.ruleset})
    finder = TileDetector(
        Path(args.models) if args.models else None, threads=args.threads, backend=args.backend
    )
    detector = TableDetector(finder, setup.calibration)
    log_file = LogFile(args.events) if args.events else None
    source = open_source(args.camera, live=True)
    hub = None if args.no_page else Hub()
    try:
        check_size(setup, source)
        pipeline = Pipeline(
            source,
            setup.calibration,
            setup.reader,
            detector,
            config=setup.pipeline,
            hub=hub,
            log_file=log_file,
            on_said=printer(args.lang),
            on_records=RecordPrinter(args.lang, every=False),
            dealer_known=setup.dealer is not None,
        )
        if hub is None:
            stats = pipeline.run()
        else:
            stats = run_with_page(hub, pipeline.run, port=args.port, lang=args.lang)
    finally:
        source.close()
    print(settlement(pipeline.session, args.lang))
    if stats.latency_ms is not None:
        p50, p95 = stats.latency_ms
        note(f"frame to announcement: median {p50:.0f} ms, 95 % within {p95:.0f} ms ({stats.looks} looks)")
    status = stats.exit_status
    if isinstance(source, LiveSource) and source.hung:
        # Its thread sits in a read that never returns; the interpreter cannot end with it in an orderly way.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status
