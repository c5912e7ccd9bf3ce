"""A pipeline with the table page beside it, for `live` and `demo`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp

from pzvision.errors import PzvisionError
from pzvision.live.calibrate_live import GameView
from pzvision.live.delayed import DelayedHub
from pzvision.live.desk import Desk
from pzvision.live.hub import Hub
from pzvision.live.pipeline import Pipeline
from pzvision.live.running import Stats
from pzvision.live.security import LOOPBACK, Access, is_loopback, new_token
from pzvision.live.server import DEFAULT_PORT, MOST_CONNECTIONS, PageServer, build_app
from pzvision.messages import say
from pzvision.tiles import Lang

MOST_DELAY_S = 600.0


@dataclass(frozen=True)
class PageOptions:
    """How the page is served.

    Attributes:
        port: asked for; None: the default one or another that is free.
        host: address to listen on; any but loopback needs a token, which is made and shown.
        overlay_delay_s: how far the overlay runs behind the game.
        stay: whether the page stays until Ctrl-C when the source is over; None: if this is a terminal.

    Raises:
        PzvisionError: naming the argument and what was expected.
    """

    port: int | None = None
    host: str = LOOPBACK
    overlay_delay_s: float = 0.0
    stay: bool | None = None

    def __post_init__(self) -> None:
        check_port(self.port)
        if not 0 <= self.overlay_delay_s <= MOST_DELAY_S:
            raise PzvisionError(
                f"--overlay-delay {self.overlay_delay_s:g}: expected 0 to {MOST_DELAY_S:g} seconds"
            )


def check_port(port: int | None) -> None:
    """Raise `PzvisionError` for a number that is no port. None: not given."""
    if port is not None and not 0 <= port <= 65535:
        raise PzvisionError(f"--port {port}: expected 0 to 65535")


def serve(
    app: ASGIApp,
    port: int | None,
    lang: Lang,
    *,
    host: str = LOOPBACK,
    on_stop: Callable[[], None] | None = None,
    most: int = MOST_CONNECTIONS,
) -> PageServer:
    """A server, not yet started, on the port asked for (None: the default one or, said so, another).

    Raises `PzvisionError` when a port was asked for and is taken, or the address is not this machine's.
    """
    wished = DEFAULT_PORT if port is None else port
    server = PageServer(app, wished, move=port is None, host=host, on_stop=on_stop, most=most)
    if server.moved:
        print(say("live.port_taken", lang, port=wished, new=server.port), file=sys.stderr)
    return server


def run_with_page(
    pipeline: Pipeline, hub: Hub, desk: Desk, *, options: PageOptions | None = None, lang: Lang = "zh"
) -> Stats:
    """Serve the page while the pipeline runs.

    Args:
        pipeline: told to use ``hub`` and ``desk``.
        hub: what it tells.
        desk: where orders from the page go.
        options: how the page is served.
        lang: of the notes printed.
    """
    options = options or PageOptions()
    token = None if is_loopback(options.host) else new_token()
    access = Access(options.host, token)
    overlay = DelayedHub(hub, options.overlay_delay_s) if options.overlay_delay_s > 0 else None
    app = build_app(hub, overlay, desk=desk, access=access, calibrate=GameView(pipeline, desk))

    def stop() -> None:
        desk.close()
        hub.close()

    server = serve(app, options.port, lang, host=options.host, on_stop=stop)
    server.start()
    print(say("live.page", lang, url=server.url), flush=True)
    if token is not None:
        show_token(f"{server.url}?token={token}", lang)
    try:
        stats = pipeline.run()
        stay = options.stay
        if stay is None:
            stay = sys.stdin.isatty() and sys.stdout.isatty()
        if stay and not stats.interrupted:
            print(say("live.page_stays", lang), flush=True)
            try:
                while True:
                    pipeline.attend(3600.0)
            except KeyboardInterrupt:
                pass
        return stats
    finally:
        server.stop()


def show_token(url: str, lang: Lang) -> None:
    """Show the address that holds the token, once, at the terminal and not where output may be kept."""
    print(f"pzvision: {say('live.token_page', lang, url=url)}", file=sys.stderr)
    if sys.stderr.isatty():
        import segno

        segno.make(url, error="m").terminal(out=sys.stderr, border=2, compact=True)
    sys.stderr.flush()
