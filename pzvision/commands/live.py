"""``pzvision live``: cameras in, announcements, the stored evening and the table page out."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pzvision.live.store import Store
    from pzvision.live.stored_evening import StoredSession
    from pzvision.live.teller import Said
    from pzvision.tiles import Lang
    from pzvision.vision.calibration import Calibration

SUMMARY = ("接摄像头看一局牌,开牌桌页面。", "Watch a table through a camera and serve the table page.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""
    from pzvision.live.arguments import add_game_arguments
    from pzvision.live.obs import add_obs_arguments
    from pzvision.live.voice import add_voice_argument

    watched = parser.add_mutually_exclusive_group(required=True)
    watched.add_argument(
        "--camera",
        action="append",
        metavar="[NAME=]N|URL|FILE",
    )
    watched.add_argument(
        "--table",
        action="append",
        metavar="NAME=N|URL|FILE",
    )
    add_game_arguments(parser)
    parser.add_argument("--declarations", metavar="FILE")
    page = parser.add_argument_group("page")
    page.add_argument("--port", type=int, metavar="N")
    page.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDR",
    )
    page.add_argument(
        "--overlay-delay",
        type=float,
        default=0.0,
        metavar="S",
    )
    page.add_argument("--no-page", action="store_true")
    add_voice_argument(parser)
    add_obs_arguments(page)
    store = parser.add_argument_group("store")
    store.add_argument("--store", metavar="FILE")
    store.add_argument("--no-store", action="store_true")
    store.add_argument("--resume", action="store_true")
    store.add_argument("--new", action="store_true")


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`."""
    if args.table:
        return _run_tables(args)
    from pzvision.live.arguments import check_game, check_size
    from pzvision.live.cameras import HandCameras, parse_cameras
    from pzvision.live.desk import Desk
    from pzvision.live.first_time import calibrate_first, choose_rules
    from pzvision.live.hub import Hub
    from pzvision.live.logfile import PatientLogFile
    from pzvision.live.more_cameras import TABLES, open_tables
    from pzvision.live.obs import SceneSwitch, scene_config
    from pzvision.live.pipeline import Pipeline
    from pzvision.live.report import RecordPrinter, note, settlement
    from pzvision.live.resume import attach, writer_for
    from pzvision.live.serving import PageOptions, run_with_page
    from pzvision.live.voice import voice_from
    from pzvision.vision.camera import LiveSource
    from pzvision.vision.capture import CaptureConfig, FrameSource, open_source, without_password
    from pzvision.vision.detector import TileDetector
    from pzvision.vision.gate import GateConfig
    from pzvision.vision.tableview import TableDetector
    from pzvision.vision.tile_set import load_tile_set

    cameras = parse_cameras(args.camera)
    _check(args, [camera.source for camera in cameras])
    options = PageOptions(args.port, args.host, args.overlay_delay)
    scenes = scene_config(args.obs, args.obs_scene, args.obs_hold, delay_s=args.overlay_delay)
    path = Path(cameras[0].source)
    declarations = Path(args.declarations) if args.declarations else None
    choose_rules(args)
    if not calibrate_first(args, cameras[0].source):
        return 130
    setup = check_game(args, beside=path if path.is_file() else None, declarations=declarations)
    _check_outputs(args, cameras[0].source, setup.calibration_file)
    gate = GateConfig() if args.gate else None
    finder = TileDetector(
        Path(args.models) if args.models else None,
        threads=args.threads,
        backend=args.backend,
        tile_set=load_tile_set(args.tile_set, setup.calibration.tile_set, setup.calibration_file),
    )
    log_file = PatientLogFile(args.events, note) if args.events else None
    store, old = _open_store(args)
    source = hands = voice = switch = writer = None
    further: dict[str, FrameSource] = {}
    try:
        wanted = CaptureConfig(webcam_size=setup.calibration.image_size)
        source = open_source(cameras[0].source, live=True, config=wanted)
        check_size(setup, source)
        hands = HandCameras.open(cameras[1:], finder) if any(c.seat for c in cameras) else None
        further = {c.name: open_source(c.source, live=True) for c in cameras if c.name in TABLES}
        voice = voice_from(args)
        switch = None if scenes is None else SceneSwitch(scenes, args.lang)
        hub, desk, maker = Hub(), Desk(), setup.maker()
        if store is not None:
            source_text = " ".join(f"{camera.name}={without_password(camera.source)}" for camera in cameras)
            writer = writer_for(store, old, source_text, maker.settings.to_json())

        def new_detector(calibration: Calibration) -> TableDetector:
            return TableDetector(finder, calibration, gate=gate)

        tables = open_tables(
            further, setup.calibration_file, setup.calibration, new_detector, setup.pipeline.asking
        )
        pipeline = Pipeline(
            source,
            setup.calibration,
            maker,
            new_detector(setup.calibration),
            config=setup.pipeline,
            hub=hub,
            log_file=log_file,
            on_said=_tellers(args.lang, *(thing.hear for thing in (voice, switch) if thing is not None)),
            on_records=RecordPrinter(args.lang, every=False),
            dealer_known=setup.dealer is not None,
            desk=desk,
            hands=hands,
            tables=tables,
            store=writer,
            new_detector=new_detector,
            save_calibration=_saver(setup.calibration_file),
        )
        if store is not None and writer is not None:
            attach(store, writer, hub, pipeline.evening, resumed=old is not None, lang=args.lang)
        if args.no_page:
            stats = pipeline.run()
        else:
            stats = run_with_page(pipeline, hub, desk, options=options, lang=args.lang)
        if writer is not None:
            hub.publish({"type": "session", "id": writer.id, "state": "ended"})
    finally:
        for thing in (source, hands, voice, switch, *further.values()):
            if thing is not None:
                thing.close()
        lost = None if writer is None else writer.finish()
        if store is not None:
            store.close()
        if lost is not None:
            note(lost)
    print(settlement(pipeline.session, args.lang))
    if stats.speed is not None:
        note(stats.speed)
    status = stats.exit_status or (1 if lost is not None else 0)
    if (isinstance(source, LiveSource) and source.hung) or (hands is not None and hands.hung):
        _leave(status)
    return status


def _run_tables(args: argparse.Namespace) -> int:
    from pzvision.live.first_time import choose_rules
    from pzvision.live.many import parse_tables
    from pzvision.live.open_many import check_alone, watch

    specs = parse_tables(args.table)
    check_alone(args)
    _check(args, [spec.source for spec in specs])
    choose_rules(args)
    status, hung = watch(args, specs)
    if hung:
        _leave(status)
    return status


def _leave(status: int) -> None:
    """End at once: with a thread in a read that never returns an orderly end would never come."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _check(args: argparse.Namespace, sources: list[str]) -> None:
    """What can be said before anything is read."""
    from pzvision.errors import PzvisionError
    from pzvision.live.paths import check_no_picture, check_not_empty

    words = {
        "--calibration": args.calibration,
        "--events": args.events,
        "--declarations": args.declarations,
        "--models": args.models,
        "--store": args.store,
        "--host": args.host,
    }
    check_not_empty(words)
    for source in sources:
        check_no_picture(source, "a webcam number, an address or a video")
    for one, other in (("resume", "new"), ("store", "no_store"), ("resume", "no_store")):
        if getattr(args, one) and getattr(args, other):
            first, second = (name.replace("_", "-") for name in (one, other))
            raise PzvisionError(f"--{first} and --{second}: give one of them")


def _check_outputs(args: argparse.Namespace, camera: str, calibration: Path | None) -> None:
    from pzvision.live.paths import check_distinct

    outputs = {"--events": args.events, "--store": args.store}
    inputs: dict[str, str | Path | None] = {
        "--camera": camera,
        "--calibration": args.calibration or calibration,
        "--declarations": args.declarations,
        "--ruleset": args.ruleset,
    }
    check_distinct(outputs, inputs)


def _open_store(args: argparse.Namespace) -> tuple[Store | None, StoredSession | None]:
    """The store, and the evening to go on with."""
    from pzvision.live.resume import choose
    from pzvision.live.store import Store, default_path

    if args.no_store:
        return None, None
    store = Store(args.store or default_path())
    try:
        old = choose(store, resume=args.resume, new=args.new, lang=args.lang)
    except BaseException:
        store.close()
        raise
    return store, old


def _tellers(lang: Lang, *hears: Callable[[Said], None]) -> Callable[[Said], None]:
    """Prints what is said, and hands it on: to the voice, to the scene switch."""
    from pzvision.live.report import printer

    show = printer(lang)

    def tell(item: Said) -> None:
        show(item)
        for hear in hears:
            hear(item)

    return tell


def _saver(path: Path | None) -> Callable[[Calibration], None] | None:
    """Writes a calibration over the file it was read from."""
    return None if path is None else lambda calibration: calibration.save(path)
