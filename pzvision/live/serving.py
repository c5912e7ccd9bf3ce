"""A pipeline with the table page beside it, for `live` and `demo`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from starlette.types import ASGIApp

from pzvision.errors import PzvisionError
from pzvision.live.hub import Hub
from pzvision.live.running import Stats
from pzvision.live.server import DEFAULT_PORT, PageServer, build_app
from pzvision.messages import say
from pzvision.tiles import Lang


def check_port(port: int | None) -> None:
    """Raise `PzvisionError` for a number that is no port. None: not given."""
    if port is not None and not 0 <= port <= 65535:
        raise PzvisionError(f"--port {port}: expected 0 to 65535")


def serve(
    app: ASGIApp, port: int | None, lang: Lang, *, on_stop: Callable[[], None] | None = None
) -> PageServer:
    """A server, not yet started, on the port asked for (None: the default one or, said so, another).

    Raises `PzvisionError` when a port was asked for and is taken.
    """
    wished = DEFAULT_PORT if port is None else port
    server = PageServer(app, wished, move=port is None, on_stop=on_stop)
    if server.moved:
        print(say("live.port_taken", lang, port=wished, new=server.port), file=sys.stderr)
    return server


def run_with_page(
    hub: Hub, run: Callable[[], Stats], *, port: int | None, lang: Lang, stay: bool | None = None
) -> Stats:
    """Serve the page while ``run`` runs.

    Args:
        hub: what ``run`` tells.
        run: a `Pipeline.run`.
        port: asked for, or None for the default one.
        lang: of the notes printed.
        stay: whether the page stays until Ctrl-C when ``run`` is over; None: if this is a terminal.
    """
    server = serve(build_app(hub), port, lang, on_stop=hub.close)
    server.start()
    print(say("live.page", lang, url=server.url), flush=True)
    try:
        stats = run()
        if stay is None:
            stay = sys.stdin.isatty() and sys.stdout.isatty()
        if stay and not stats.interrupted:
            print(say("live.page_stays", lang), flush=True)
            try:
                while True:
                    time.sleep(3600)
            except KeyboardInterrupt:
                pass
        return stats
    finally:
        server.stop()
