"""``pzvision replay``: a recorded game in, announcements and a settled log out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pzvision.vision.calibration import Calibration

SUMMARY = ("看一段录像:播报、牌谱、结算。", "Watch a recording: announcements, game log, settlement.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""
    from pzvision.live.arguments import add_game_arguments

    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
    )
    add_game_arguments(parser)
    parser.add_argument(
        "--camera",
        action="append",
        default=[],
        metavar="NAME=FILE",
    )
    parser.add_argument("--render", metavar="OUT.mp4")
    parser.add_argument(
        "--declarations",
        metavar="FILE",
    )
    parser.add_argument(
        "--observations",
        metavar="OUT.jsonl.gz",
    )
    parser.add_argument(
        "--from-log",
        metavar="FILE",
    )
    parser.add_argument(
        "--all",
        action="store_true",
    )
    parser.add_argument("--start", type=float, default=0.0, metavar="S")
    parser.add_argument("--end", type=float, metavar="S")
    parser.add_argument(
        "--fps",
        type=float,
        default=10.0,
        metavar="N",
    )


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`."""
    from tqdm import tqdm

    from pzvision.errors import PzvisionError
    from pzvision.live.arguments import check_game, check_size, find_declarations
    from pzvision.live.logfile import LogFile
    from pzvision.live.more_cameras import TABLES, HandRecordings, open_tables, parse_recordings
    from pzvision.live.paths import check_distinct, check_no_picture, check_not_empty
    from pzvision.live.picture import beside, picture_lang, side_panel
    from pzvision.live.pipeline import Pipeline
    from pzvision.live.report import RecordPrinter, act_line, frames_between, note, printer, settlement
    from pzvision.live.stored import StoredLooks, header_of, never
    from pzvision.live.video import VideoFile
    from pzvision.messages import say
    from pzvision.table.observations import ObservationWriter
    from pzvision.vision.capture import CaptureConfig, Frame, open_source
    from pzvision.vision.detections import Detector
    from pzvision.vision.detector import TileDetector
    from pzvision.vision.gate import GateConfig
    from pzvision.vision.recording import VideoSource
    from pzvision.vision.tableview import TableDetector
    from pzvision.vision.tile_set import load_tile_set

    more = parse_recordings(args.camera)
    outputs = {"--events": args.events, "--render": args.render, "--observations": args.observations}
    inputs = {
        "SOURCE": args.source,
        "--from-log": args.from_log,
        "--calibration": args.calibration,
        "--declarations": args.declarations,
        **{f"--camera {name}": word for name, word in more.items()},
    }
    check_not_empty({**inputs, **outputs, "--models": args.models})
    _check_source(args)
    path = Path(args.source or args.from_log)
    declarations = find_declarations(args.declarations, path)
    inputs["--declarations"] = str(declarations) if declarations else None
    if not 0 <= args.start < 1e6:
        raise PzvisionError(f"--start {args.start:g}: expected seconds from 0")
    if args.end is not None and not 0 <= args.end < 1e6:
        raise PzvisionError(f"--end {args.end:g}: expected seconds from 0")
    if args.end is not None and args.end <= args.start:
        raise PzvisionError(f"--end {args.end:g}: expected more than --start {args.start:g}")
    if not 0.1 <= args.fps <= 240:
        raise PzvisionError(f"--fps {args.fps:g}: expected 0.1 to 240")
    if args.source:
        check_no_picture(args.source, "a video, a folder of pictures or an address")
    check_distinct(outputs, inputs)
    stored = StoredLooks(args.from_log) if args.from_log else None
    setup = check_game(
        args,
        beside=path if path.exists() else None,
        declarations=declarations,
        calibration=stored.header.calibration if stored else None,
    )
    check_distinct(outputs, {**inputs, "--calibration": setup.calibration_file, "--ruleset": args.ruleset})
    source = stored or open_source(args.source, config=CaptureConfig(folder_fps=args.fps))
    check_size(setup, source)
    if source.duration is not None and args.start >= source.duration:
        raise PzvisionError(
            f"--start {args.start:g}: {args.source!r} is over at {source.duration:.1f} s; expected less"
        )
    source.check_whole(end=args.end)
    if declarations and not args.declarations:
        note(say("live.declarations_beside", args.lang, path=declarations))
    detector: Detector = never
    providers = "never"
    tables = hands = None
    gate = GateConfig() if args.gate else None

    def new_detector(calibration: Calibration) -> TableDetector:
        return TableDetector(finder, calibration, gate=gate)

    if stored is None:
        finder = TileDetector(
            Path(args.models) if args.models else None,
            threads=args.threads,
            backend=args.backend,
            tile_set=load_tile_set(args.tile_set, setup.calibration.tile_set, setup.calibration_file),
        )
        detector = new_detector(setup.calibration)
        config = CaptureConfig(folder_fps=args.fps)
        tables = open_tables(
            {name: open_source(word, config=config) for name, word in more.items() if name in TABLES},
            setup.calibration_file,
            setup.calibration,
            new_detector,
            setup.pipeline.asking,
        )
        hands = HandRecordings.open(more, finder, config)
        providers = ", ".join(finder.providers)
    looks = None
    if args.observations:
        looks = ObservationWriter(args.observations, header_of(source, setup.calibration, args.models))
    log_file = LogFile(args.events) if args.events else None
    video = None
    if args.render:
        video = VideoFile(args.render, source.fps if isinstance(source, VideoSource) else args.fps)

    bar = tqdm(
        total=frames_between(source, args.start, args.end),
        unit="frame",
        unit_scale=False,
        disable=None,
        dynamic_ncols=True,
    )
    panel = None
    panel_at = -1.0

    def draw(frame: Frame, pipeline: Pipeline) -> None:
        nonlocal panel, panel_at
        assert video is not None
        height = 720
        if panel is None or frame.t - panel_at >= 0.2:
            panel, panel_at = side_panel(pipeline.view(), height, args.lang), frame.t
        video.write(beside(pipeline.picture(picture_lang(args.lang)), panel), frame.t)

    def advance(frames: int) -> None:
        bar.set_postfix_str(act_line(pipeline.session, args.lang), refresh=False)
        bar.update(frames)

    def write_line(line: str) -> None:
        tqdm.write(line)
        sys.stdout.flush()  # it is said as it happens, into a pipe too

    pipeline = Pipeline(
        source,
        setup.calibration,
        setup.maker(),
        detector,
        config=setup.pipeline,
        log_file=log_file,
        on_said=printer(args.lang, write=write_line),
        on_frame=draw if video is not None else None,
        on_progress=advance,
        on_records=RecordPrinter(args.lang, every=args.all, write=write_line),
        dealer_known=setup.dealer is not None,
        observations=looks,
        recorded_hands=hands,
        tables=tables,
        new_detector=None if stored else new_detector,
    )
    try:
        stats = pipeline.run(start=args.start, end=args.end)
    except BaseException:
        bar.close()
        if video is not None:
            video.close(keep=False)
        if looks is not None:
            looks.close(keep=False)
        raise
    bar.close()
    if looks is not None:
        looks.close(keep=False)  # already complete, unless there was nothing to look at
    if video is not None:
        video.close()
    for text in source.notes:
        note(text)
    print(settlement(pipeline.session, args.lang))
    note(
        f"{stats.frames} frames in {stats.seconds:.1f} s: {stats.fps:.1f} frames/s"
        f" ({stats.looks} looks, detector asked {stats.detections} times, {providers})"
    )
    for out in (
        args.events if pipeline.session.log else None,
        args.render if stats.frames else None,
        args.observations if stats.looks else None,
    ):
        if out:
            note(say("live.written", args.lang, path=out))
    return stats.exit_status


def _check_source(args: argparse.Namespace) -> None:
    """Raise `PzvisionError` unless there is just one thing to read, and pictures where they are needed."""
    from pzvision.errors import PzvisionError

    if bool(args.source) == bool(args.from_log):
        got = "both" if args.source else "neither"
        raise PzvisionError(f"expected SOURCE or --from-log FILE, got {got}")
    for name in ("render", "observations"):
        if args.from_log and getattr(args, name):
            raise PzvisionError(f"--{name} {getattr(args, name)!r}: needs a SOURCE, not --from-log")
