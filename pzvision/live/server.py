"""The table page: Starlette routes over a `Hub`, run by uvicorn in a thread of its own.

The pages (`pzvision.live.pages`), ``/events`` the stream (server-sent events), ``/state``, ``/health``,
``/frame.jpg`` the annotated picture, ``/api/…`` what a person may change (`pzvision.live.api`). No path is
ever taken from a request, nothing is fetched from anywhere else.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from collections.abc import Callable
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from pzvision.errors import PzvisionError
from pzvision.live.api import api_routes
from pzvision.live.calibrate_page import CalibrateView, calibrate_routes
from pzvision.live.desk import Desk
from pzvision.live.hub import TABLE, Hub
from pzvision.live.openapi import docs_routes
from pzvision.live.pages import page_routes
from pzvision.live.security import LOOPBACK, Access, Guard
from pzvision.live.sse import event_response

DEFAULT_PORT: Final = 8642
MOST_CONNECTIONS: Final = 64  # of one table


def build_app(
    hub: Hub,
    overlay: Hub | None = None,
    *,
    desk: Desk | None = None,
    access: Access | None = None,
    calibrate: CalibrateView | None = None,
) -> ASGIApp:
    """The ASGI app of one table. Arguments as `table_routes`; ``access``: who may ask, None: this machine."""
    return Guard(Starlette(routes=table_routes(hub, overlay, desk=desk, calibrate=calibrate)), access)


def table_routes(
    hub: Hub,
    overlay: Hub | None = None,
    *,
    desk: Desk | None = None,
    calibrate: CalibrateView | None = None,
) -> list[Route]:
    """Everything one table answers.

    Args:
        hub: what is told.
        overlay: what the overlay shows when it runs behind, such as a `DelayedHub`.
        desk: where a person's orders go; None: nothing can be changed.
        calibrate: what ``/calibrate`` is about; None: there is no such page.
    """

    async def state(request: Request) -> Response:
        return JSONResponse(hub.state, headers={"Cache-Control": "no-store"})

    async def health(request: Request) -> Response:
        answer = hub.health
        return JSONResponse(answer, 200 if answer.get("ok") else 503, headers={"Cache-Control": "no-store"})

    async def frame(request: Request) -> Response:
        text = request.query_params.get("after", "0")
        after = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
        camera = request.query_params.get("camera", TABLE)
        number, data = await run_in_threadpool(hub.jpeg, after, 2.0, camera)
        if not data:
            return Response(status_code=204, headers={"Cache-Control": "no-store"})
        headers = {"Cache-Control": "no-store", "X-Frame": str(number)}
        return Response(data, media_type="image/jpeg", headers=headers)

    async def events(request: Request) -> Response:
        return event_response(hub, request)

    return [
        *page_routes(overlay or hub),
        Route("/state", state),
        Route("/health", health),
        Route("/frame.jpg", frame),
        Route("/events", events),
        *api_routes(desk),
        *([] if calibrate is None else calibrate_routes(calibrate)),
        *docs_routes(),
    ]


class PageServer:
    """Serves an app from a background thread.

    Args:
        app: what to serve, such as `build_app`'s.
        port: wished for; when it is taken the system picks a free one.
        move: whether it may; else a taken port raises `PzvisionError`.
        host: address to listen on; ``0.0.0.0`` for all of this machine's.
        on_stop: called first when the server stops, to let streams end.
        most: connections at once; more are answered 503.

    Attributes:
        url: where the page is.
        moved: True when the wished port was taken.
    """

    def __init__(
        self,
        app: ASGIApp,
        port: int = DEFAULT_PORT,
        *,
        move: bool = True,
        host: str = LOOPBACK,
        on_stop: Callable[[], None] | None = None,
        most: int = MOST_CONNECTIONS,
    ) -> None:
        self._on_stop = on_stop
        self._socket, self.moved = _bind(host, port, move)
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{_in_url(host)}:{self.port}/"
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=2,
            server_header=False,
            limit_concurrency=most,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, daemon=True, name="pzvision-page")

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def start(self) -> None:
        """Begin to serve; returns once requests are answered. Raises `PzvisionError` when that fails."""
        self._thread.start()
        for _ in range(500):
            if self._server.started:
                return
            self._thread.join(0.01)
            if not self._thread.is_alive():
                break
        raise PzvisionError(f"the page could not be served at {self.url}")

    def stop(self) -> None:
        """End all streams and stop. Safe to call twice."""
        if self._on_stop is not None:
            self._on_stop()
        self._server.should_exit = True
        self._thread.join(4.0)
        self._socket.close()


def _in_url(host: str) -> str:
    """An address as it stands in a URL; for "any address" the one this machine has in its network."""
    if host in ("0.0.0.0", "::"):
        return own_address()
    return f"[{host}]" if ":" in host else host


def own_address() -> str:
    """The address by which others in the network reach this machine; loopback where there is no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation; nothing is sent
            return str(probe.getsockname()[0])
        except OSError:
            return LOOPBACK


def _bind(host: str, port: int, move: bool) -> tuple[socket.socket, bool]:
    """A listening socket, and whether another port than the wished one had to be taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for wished in (port, 0):
        # With the protocol named asyncio switches Nagle's algorithm off; else every answer waits some 40 ms
        # for the reader to acknowledge its headers.
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, wished))
        except OSError as error:
            sock.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise PzvisionError(
                    f"--host {host}: {error.strerror}; give an address of this machine"
                ) from None
            if wished != 0 and not move:
                raise PzvisionError(f"--port {port}: {error.strerror}; give another one") from None
            if wished == 0 or port == 0:
                raise PzvisionError(f"no port on {host} can be opened: {error.strerror}") from None
            continue
        return sock, wished != port
    raise AssertionError("unreachable")
