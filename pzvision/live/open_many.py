"""``pzvision live --table …``: from the command line to several running games and their settlements."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from pzvision.errors import PzvisionError
from pzvision.live.arguments import check_game, check_size
from pzvision.live.desk import Desk
from pzvision.live.hub import Hub
from pzvision.live.many import (
    GameTable,
    TableSpec,
    find_table_calibration,
    named,
    run_tables,
)
from pzvision.live.pipeline import Pipeline
from pzvision.live.report import RecordPrinter, note, printer, settlement
from pzvision.live.resume import attach, choose, writer_for
from pzvision.live.serving import PageOptions
from pzvision.live.shared_detector import SharedDetector
from pzvision.live.store import SessionWriter, Store, default_path
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import CaptureConfig, open_source, without_password
from pzvision.vision.detections import Detector
from pzvision.vision.detector import TileDetector
from pzvision.vision.gate import GateConfig
from pzvision.vision.tile_set import load_tile_set


def check_alone(args: argparse.Namespace) -> None:
    """Raise `PzvisionError` for an argument that is about one table only."""
    given = {
        "--dealer": args.dealer is not None,
        "--name": bool(args.name),
        "--events": args.events is not None,
        "--declarations": args.declarations is not None,
        "--voice": args.voice is not None,
        "--obs": args.obs is not None,
        "--obs-scene": bool(args.obs_scene),
    }
    for argument, is_given in given.items():
        if is_given:
            raise PzvisionError(
                f"{argument}: cannot be given with --table: every table has its own page for that"
            )


def watch(args: argparse.Namespace, specs: Sequence[TableSpec]) -> tuple[int, bool]:
    """Open all tables, play them to their end and print their settlements.

    Returns the exit status, and whether a thread is left in a read that never returns.

    Raises:
        PzvisionError: a table cannot be opened; what was opened before is closed again.
    """
    options = PageOptions(args.port, args.host, args.overlay_delay)
    folder = Path(args.calibration) if args.calibration else None
    files = {spec.name: find_table_calibration(spec, folder) for spec in specs}
    models = Path(args.models) if args.models else None
    detector = SharedDetector(TileDetector(models, threads=args.threads, backend=args.backend))
    with ExitStack() as closing:
        store = None if args.no_store else Store(args.store or default_path())
        if store is not None:
            closing.callback(store.close)
        tables = [_open(args, spec, files[spec.name], detector, store, closing) for spec in specs]
        signal = run_tables(tables, options=options, lang=args.lang, page=not args.no_page)
        lost = []
        for table in tables:
            if table.writer is not None:
                table.hub.publish({"type": "session", "id": table.writer.id, "state": "ended"})
                lost.append(table.writer.finish())
        for text in filter(None, lost):
            note(text)
    for table in tables:
        print(f"{table.name}\n{settlement(table.pipeline.session, args.lang)}")
        if table.stats.speed is not None:
            note(f"{table.name}: {table.stats.speed}")
    failed = any(lost) or any(table.error is not None for table in tables)
    return (128 + signal if signal else int(failed)), any(table.hung for table in tables)


def _open(
    args: argparse.Namespace,
    spec: TableSpec,
    file: Path,
    detector: SharedDetector,
    store: Store | None,
    closing: ExitStack,
) -> GameTable:
    own = argparse.Namespace(**{**vars(args), "calibration": str(file)})
    gate = GateConfig() if args.gate else None
    try:
        setup = check_game(own)
        tile_set = load_tile_set(args.tile_set, setup.calibration.tile_set, file)
        look = detector.of_table(setup.calibration, tile_set=tile_set, gate=gate)
        wanted = CaptureConfig(webcam_size=setup.calibration.image_size)
        source = open_source(spec.source, live=True, config=wanted)
        closing.callback(source.close)
        check_size(setup, source)
    except PzvisionError as error:
        raise PzvisionError(f"--table {spec.name}: {error}") from None

    def new_detector(calibration: Calibration) -> Detector:
        return detector.of_table(calibration, tile_set=tile_set, gate=gate)

    def save(calibration: Calibration) -> None:
        calibration.save(file)

    def tell(text: str) -> None:
        note(f"{spec.name}: {text}")

    hub, desk, maker = Hub(), Desk(), setup.maker()
    old = None
    writer: SessionWriter | None = None
    if store is not None:
        old = choose(store, resume=args.resume, new=args.new, lang=args.lang, table=spec.name)
        set_up = {**maker.settings.to_json(), "table": spec.name}
        writer = writer_for(store, old, f"{spec.name}={without_password(spec.source)}", set_up)
    pipeline = Pipeline(
        source,
        setup.calibration,
        maker,
        look,
        config=setup.pipeline,
        hub=hub,
        on_said=printer(args.lang, named(spec.name)),
        on_records=RecordPrinter(args.lang, every=False, write=named(spec.name)),
        dealer_known=False,
        desk=desk,
        store=writer,
        new_detector=new_detector,
        save_calibration=save,
        note=tell,
    )
    if store is not None and writer is not None:
        resumed = old is not None
        attach(store, writer, hub, pipeline.evening, resumed=resumed, lang=args.lang, tell=tell)
    return GameTable(spec.name, source, pipeline, hub, desk, writer)
