"""A pipeline with the table page beside it, for `live` and `demo`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from pzvision.live.hub import Hub
from pzvision.live.pipeline import Stats
from pzvision.live.server import PageServer, build_app
from pzvision.messages import say
from pzvision.tiles import Lang


def run_with_page(
    hub: Hub, run: Callable[[], Stats], *, port: int, lang: Lang, stay: bool | None = None
) -> Stats:
    """Serve the page while ``run`` runs.

    Args:
        hub: what ``run`` tells.
        run: a `Pipeline.run`.
        port: wished for.
        lang: of the notes printed.
        stay: whether the page stays until Ctrl-C when ``run`` is over; None: if this is a terminal.
    """
    server = PageServer(build_app(hub), port, on_stop=hub.close)
    if server.moved:
        print(say("live.port_taken", lang, port=port), file=sys.stderr)
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
