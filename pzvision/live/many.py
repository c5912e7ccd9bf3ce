"""Several tables from one process: ``pzvision live --table A=0 --table B=rtsp://…``.

Each table is a game of its own: source, calibration, reader, log, store, pages, health, in a thread of its
own. They share one detector (`pzvision.live.shared_detector`), one store file (an evening a table) and one
server.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pzvision.errors import PzvisionError
from pzvision.live.calibrate_live import GameView
from pzvision.live.delayed import DelayedHub
from pzvision.live.desk import Desk
from pzvision.live.hub import Hub
from pzvision.live.pipeline import Pipeline
from pzvision.live.report import note
from pzvision.live.running import Stats, interruptible
from pzvision.live.security import Access, is_loopback, new_token
from pzvision.live.server import MOST_CONNECTIONS, PageServer
from pzvision.live.serving import PageOptions, serve, show_token
from pzvision.live.store import SessionWriter
from pzvision.live.tables_page import TablePage, build_tables_app
from pzvision.messages import say
from pzvision.tiles import Lang
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import FrameSource

MOST_TABLES: Final = 32
_NAME: Final = re.compile(r"[^\W_][\w-]{0,23}")
_ATTEND_S: Final = 0.5


@dataclass(frozen=True)
class TableSpec:
    """One table: ``name`` as in its address, ``source`` a number, address or video."""

    name: str
    source: str

    def format(self) -> str:
        """As it is given: ``A=rtsp://…``."""
        return f"{self.name}={self.source}"


def parse_tables(words: Sequence[str]) -> tuple[TableSpec, ...]:
    """``--table`` values, ``NAME=SOURCE``.

    Raises `PzvisionError` for a name that is none or stands twice, a source that is empty or stands twice.
    """
    specs: dict[str, TableSpec] = {}
    for word in words:
        name, equals, source = word.partition("=")
        if not equals or not _NAME.fullmatch(name):
            raise PzvisionError(
                f"--table {word!r}: expected NAME=SOURCE, NAME up to 24 letters, digits, - and _"
            )
        if not source.strip():
            raise PzvisionError(f"--table {word!r}: expected a webcam number, an address or a video after =")
        if name in specs:
            raise PzvisionError(
                f"--table {word!r}: {name} is {specs[name].source!r} already: give one of each"
            )
        for other in specs.values():
            if other.source == source:
                raise PzvisionError(f"--table {word!r}: {other.name} watches {source!r} already")
        specs[name] = TableSpec(name, source)
    if len(specs) > MOST_TABLES:
        raise PzvisionError(f"--table: {len(specs)} tables; expected at most {MOST_TABLES}")
    return tuple(specs.values())


def find_table_calibration(spec: TableSpec, folder: Path | None) -> Path:
    """Calibration of a table: ``NAME.toml`` in ``folder``, else beside its recording or in ``calibration/``.

    Raises `PzvisionError` naming where it was looked for.
    """
    names = [f"{spec.name}.toml", f"{spec.name}.json"]
    places = []
    if folder is not None:
        if folder.is_file():
            raise PzvisionError(
                f"--calibration {str(folder)!r}: with --table give a folder that holds NAME.toml of each"
            )
        places = [folder / name for name in names]
    else:
        path = Path(spec.source)
        if path.exists():
            beside = path if path.is_dir() else path.parent
            places = [beside / name for name in (*names, "calibration.toml", "calibration.json")]
        places += [Path("calibration") / name for name in names]
    for place in places:
        if place.is_file():
            return place
    looked = ", ".join(map(str, places))
    raise PzvisionError(
        f"--table {spec.name}: no calibration (looked for {looked}): make one with pzvision calibrate"
        f" SOURCE --camera {spec.name}"
    )


@dataclass
class GameTable:
    """One table's game, ready to run."""

    name: str
    source: FrameSource
    pipeline: Pipeline
    hub: Hub
    desk: Desk
    writer: SessionWriter | None = None
    stats: Stats = field(default_factory=Stats)
    error: str | None = None

    def play(self, over: threading.Event, stay: bool) -> None:
        """Run the game in this thread; afterwards take orders until ``over``, when the pages ``stay``.

        An error ends this table's game, not the others'.
        """
        try:
            self.stats = self.pipeline.run()
        except Exception as error:
            self.error = (
                str(error) if isinstance(error, PzvisionError) else f"{type(error).__name__}: {error}"
            )
            self.error = self.error.splitlines()[0]
            note(f"{self.name}: {self.error}")
        while stay and not over.is_set():
            self.pipeline.attend(_ATTEND_S)

    @property
    def hung(self) -> bool:
        """Whether a thread sits in a read that never returns."""
        return isinstance(self.source, LiveSource) and self.source.hung


def run_tables(
    tables: Sequence[GameTable], *, options: PageOptions | None = None, lang: Lang = "zh", page: bool = True
) -> int:
    """Play all tables until their sources are over or Ctrl-C; the number of the signal, or 0.

    Args:
        tables: ready to run; each pipeline told to use its table's hub and desk.
        options: how the pages are served.
        lang: of the notes printed.
        page: False serves none.
    """
    options = options or PageOptions()
    over = threading.Event()
    stay = options.stay
    if stay is None:
        stay = page and sys.stdin.isatty() and sys.stdout.isatty()
    with ExitStack() as closing:
        if page:
            closing.callback(_serve(tables, options, lang).stop)
        caught = closing.enter_context(interruptible(lambda: _end(tables, over)))
        threads = [
            threading.Thread(target=table.play, args=(over, stay), name=f"pzvision-table-{table.name}")
            for table in tables
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.5)
        finally:
            over.set()
            for table in tables:
                table.source.stop()
                table.source.close()
            for thread in threads:
                thread.join(5.0)
        return caught[0] if caught else 0


def _serve(tables: Sequence[GameTable], options: PageOptions, lang: Lang) -> PageServer:
    token = None if is_loopback(options.host) else new_token()
    pages = []
    for table in tables:
        delay = options.overlay_delay_s
        overlay = DelayedHub(table.hub, delay) if delay > 0 else None
        view = GameView(table.pipeline, table.desk)
        pages.append(TablePage(table.name, table.hub, table.desk, overlay, view))

    def stop() -> None:
        for table in tables:
            table.desk.close()
            table.hub.close()

    app = build_tables_app(pages, Access(options.host, token))
    server = serve(
        app, options.port, lang, host=options.host, on_stop=stop, most=MOST_CONNECTIONS * len(tables)
    )
    server.start()
    print(say("live.page", lang, url=server.url), flush=True)
    for each in pages:
        print(f"  {each.name}  {server.url}{each.path}", flush=True)
    if token is not None:
        show_token(f"{server.url}?token={token}", lang)
    return server


def _end(tables: Sequence[GameTable], over: threading.Event) -> None:
    """Let every table end its look."""
    over.set()
    for table in tables:
        table.source.stop()


def named(name: str) -> Callable[[str], None]:
    """Prints a line on standard output under a table's name."""
    return lambda line: print(f"{name}: {line}", flush=True)
