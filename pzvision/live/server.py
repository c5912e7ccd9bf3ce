"""The table page on loopback: Starlette routes over a `Hub`, run by uvicorn in a thread of its own.

``/`` the page, ``/events`` the stream (server-sent events), ``/state``, ``/health``, ``/frame.jpg`` the
annotated picture, ``/tiles/5m.svg`` the tiles. No path is ever taken from a request, nothing is fetched
from anywhere else.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pzvision.errors import PzvisionError
from pzvision.live.hub import Hub
from pzvision.live.pages import page_routes
from pzvision.live.sse import event_response

DEFAULT_PORT: Final = 8642
LOOPBACK: Final = "127.0.0.1"
_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Guard:
    """Refuses requests whose ``Host`` is not this machine (DNS rebinding) and adds the security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1").lower()
        name, _, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
        if (name if port.isdigit() and name else host) not in _HOSTS:
            response = PlainTextResponse("this address is not served\n", 421, headers=_HEADERS)
            await response(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                extra = [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items()]
                extra = [(name, value) for name, value in extra if name not in own]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        await self.app(scope, receive, with_headers)


def same_origin(request: Request) -> bool:
    """Whether a request that changes something comes from a page of this server."""
    origin = request.headers.get("origin")
    return origin is not None and origin.lower() == f"http://{request.headers.get('host', '').lower()}"


def build_app(hub: Hub, overlay: Hub | None = None) -> ASGIApp:
    """The ASGI app. ``overlay``: what the overlay shows when it runs behind, such as a `DelayedHub`."""

    async def state(request: Request) -> Response:
        return JSONResponse(hub.state, headers={"Cache-Control": "no-store"})

    async def health(request: Request) -> Response:
        answer = hub.health
        return JSONResponse(answer, 200 if answer.get("ok") else 503, headers={"Cache-Control": "no-store"})

    async def frame(request: Request) -> Response:
        text = request.query_params.get("after", "0")
        after = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
        number, data = await run_in_threadpool(hub.jpeg, after, 2.0)
        if not data:
            return Response(status_code=204, headers={"Cache-Control": "no-store"})
        headers = {"Cache-Control": "no-store", "X-Frame": str(number)}
        return Response(data, media_type="image/jpeg", headers=headers)

    async def events(request: Request) -> Response:
        return event_response(hub, request)

    routes = [
        *page_routes(overlay or hub),
        Route("/state", state),
        Route("/health", health),
        Route("/frame.jpg", frame),
        Route("/events", events),
    ]
    return Guard(Starlette(routes=routes))


class PageServer:
    """Serves an app from a background thread on loopback.

    Args:
        app: what to serve, such as `build_app`'s.
        port: wished for; when it is taken the system picks a free one.
        move: whether it may; else a taken port raises `PzvisionError`.
        on_stop: called first when the server stops, to let streams end.

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
        on_stop: Callable[[], None] | None = None,
    ) -> None:
        self._on_stop = on_stop
        self._socket, self.moved = _bind(port, move)
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{LOOPBACK}:{self.port}/"
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=2,
            server_header=False,
            limit_concurrency=64,
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


def _bind(port: int, move: bool) -> tuple[socket.socket, bool]:
    """A listening socket on loopback, and whether another port than the wished one had to be taken."""
    for wished in (port, 0):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((LOOPBACK, wished))
        except OSError as error:
            sock.close()
            if wished != 0 and not move:
                raise PzvisionError(f"--port {port}: {error.strerror}; give another one") from None
            if wished == 0 or port == 0:
                raise PzvisionError(f"no port on {LOOPBACK} can be opened: {error.strerror}") from None
            continue
        return sock, wished != port
    raise AssertionError("unreachable")
