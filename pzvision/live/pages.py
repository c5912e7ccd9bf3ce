"""The table page, the overlay and the tiles as routes: a fixed set of files, read once.

``/`` the table page, ``/overlay`` the overlay for streams with its own ``/overlay/state`` and
``/overlay/events`` (which may run behind, see `pzvision.live.delayed`), ``/overlay/loader.html`` a file to
save that waits for the server, ``/static/…`` scripts and styles, ``/tiles/5m.svg`` the tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from pzvision.live.hub import Hub
from pzvision.live.loader import loader_page
from pzvision.live.sse import event_response
from pzvision.live.tile_svg import tile_files

_HTML: Final = "text/html; charset=utf-8"
_SCRIPT: Final = "text/javascript; charset=utf-8"
_STYLE: Final = "text/css; charset=utf-8"
_PAGES: Final = ("index.html", "overlay.html")
_FOLDER: Final = resources.files("pzvision.live") / "web"
_SUFFIXES: Final = {".js": _SCRIPT, ".css": _STYLE}


def page_files(folder: Traversable, types: Mapping[str, str]) -> Callable[[str], Response]:
    """Answers for a fixed set of files, read once; any other name is 404."""
    data = {name: (folder / name).read_bytes() for name in types}

    def answer(name: str) -> Response:
        if name not in data:
            return PlainTextResponse("not found\n", 404)
        return Response(data[name], media_type=types[name], headers={"Cache-Control": "no-cache"})

    return answer


def file_routes() -> list[Route]:
    """``/static/…`` and ``/tiles/…``: scripts, styles and tiles."""
    names = [item.name for item in _FOLDER.iterdir()]
    types = {name: kind for name in names for suffix, kind in _SUFFIXES.items() if name.endswith(suffix)}
    files = page_files(_FOLDER, types)
    tiles = tile_files()

    async def static(request: Request) -> Response:
        return files(request.path_params["name"])

    async def tile(request: Request) -> Response:
        svg = tiles.get(request.path_params["name"])
        if svg is None:
            return PlainTextResponse("not found\n", 404)
        return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})

    return [Route("/static/{name}", static), Route("/tiles/{name}", tile)]


def page_routes(overlay: Hub) -> list[Route]:
    """Routes of the pages. ``overlay``: what the overlay shows, the hub itself or one that runs behind."""
    pages = page_files(_FOLDER, dict.fromkeys(_PAGES, _HTML))

    async def index(request: Request) -> Response:
        return pages("index.html")

    async def overlay_page(request: Request) -> Response:
        return pages("overlay.html")

    async def alive(request: Request) -> Response:
        # The one thing a page from elsewhere (the saved loader) may load: that the server answers.
        headers = {"Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "cross-origin"}
        return Response(tile_files()["back.svg"], media_type="image/svg+xml", headers=headers)

    async def state(request: Request) -> Response:
        answer = {
            **overlay.state,
            "age": round(overlay.age, 2),
            "delay": overlay.delay_s,
            "cameras": overlay.health.get("cameras", {}),
        }
        return JSONResponse(answer, headers={"Cache-Control": "no-store"})

    async def events(request: Request) -> Response:
        return event_response(overlay, request)

    return [
        Route("/", index),
        Route("/overlay", overlay_page),
        Route("/overlay/loader.html", loader_page),
        Route("/overlay/alive.svg", alive),
        Route("/overlay/state", state),
        Route("/overlay/events", events),
        *file_routes(),
    ]
