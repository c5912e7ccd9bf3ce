"""The page on which a person sets the table's corners: dragged over the picture, or by the corner cards.

The same page stands alone (``pzvision calibrate``) and beside a running game (``/calibrate``); what differs
is where its picture comes from and what saving does: a `CalibrateView`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any, Final, Protocol

import cv2
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from pzvision.errors import PzvisionError
from pzvision.live.calibrating import Ask, judged
from pzvision.live.fit import draw_grid, refusal_zh
from pzvision.live.pages import page_files
from pzvision.live.security import Guard, own_page
from pzvision.vision.calibration import DEFAULT_TABLE_CM, Calibration
from pzvision.vision.capture import Image

_MOST_BYTES: Final = 4096
_FIRST: Final = ((0.2, 0.9), (0.8, 0.9), (0.7, 0.2), (0.3, 0.2))
_FILES: Final = {
    "calibrate.html": "text/html; charset=utf-8",
    "calibrate.js": "text/javascript; charset=utf-8",
    "calibrate.css": "text/css; charset=utf-8",
    "calibrate.svg": "image/svg+xml",
}


class CalibrateView(Protocol):
    """What the page is about. Called from the server's threads."""

    live: bool

    def picture(self) -> Image | None:
        """The camera's newest picture, ``(H, W, 3)`` uint8 BGR; None before the first."""
        ...

    def current(self) -> Calibration | None:
        """The calibration in use, to begin with."""
        ...

    def wish(self) -> Ask:
        """What a new calibration says besides its corners."""
        ...

    def save(self, calibration: Calibration) -> None:
        """Use it from now on. Raises `PzvisionError` when that cannot be."""
        ...


def calibrate_routes(view: CalibrateView) -> list[Route]:
    """``/calibrate`` and what the page asks for, all under it."""
    pages = page_files(resources.files("pzvision.live") / "web", _FILES)

    async def index(request: Request) -> Response:
        return pages("calibrate.html")

    async def file(request: Request) -> Response:
        return pages(request.path_params["name"])

    async def picture(request: Request) -> Response:
        image = await run_in_threadpool(view.picture)
        return await _jpeg(image, 88)

    async def start(request: Request) -> Response:
        image = await run_in_threadpool(view.picture)
        current, wish = view.current(), view.wish()
        corners = _FIRST if current is None else current.corners
        side = wish.table_cm or (current.table_cm if current is not None else DEFAULT_TABLE_CM)
        answer = {
            "corners": [list(c) for c in corners],
            "near": wish.near if current is None else current.near_seat,
            "size": None if image is None else [image.shape[1], image.shape[0]],
            "live": view.live,
            "game": not isinstance(view, CalibratePage),
            "camera": wish.camera,
            # How many tiles fit along the felt, across and away, for the grid.
            "grid": [max(2, round(side / wish.tile_cm[1])), max(2, round(side / wish.tile_cm[0]))],
        }
        return JSONResponse(answer, headers={"Cache-Control": "no-store"})

    async def check(request: Request) -> Response:
        return await _answer(request, lambda body: _by_hand(view, body)[1])

    async def grid(request: Request) -> Response:
        current, image = view.current(), await run_in_threadpool(view.picture)
        if current is None or image is None or current.image_size != (image.shape[1], image.shape[0]):
            return Response(status_code=204, headers={"Cache-Control": "no-store"})
        return await _jpeg(await run_in_threadpool(draw_grid, image, current), 85)

    async def auto(request: Request) -> Response:
        return await _answer(request, lambda body: _by_cards(view, body))

    async def save(request: Request) -> Response:
        def do(body: Mapping[str, Any]) -> dict[str, Any]:
            calibration, answer = _by_hand(view, body)
            view.save(calibration)
            return answer

        return await _answer(request, do)

    return [
        Route("/calibrate", index),
        Route("/calibrate/files/{name}", file),
        Route("/calibrate/picture.jpg", picture),
        Route("/calibrate/grid.jpg", grid),
        Route("/calibrate/start", start),
        Route("/calibrate/check", check, methods=["POST"]),
        Route("/calibrate/auto", auto, methods=["POST"]),
        Route("/calibrate/save", save, methods=["POST"]),
    ]


class CalibratePage:
    """The page standing alone, and what the person did there.

    Args:
        picture: the newest picture.
        wish: what the calibration says besides its corners.
        first: a calibration to begin with.
        live: whether the picture goes on.

    Attributes:
        saved: set when the person pressed save.
        calibration: what was saved.
    """

    def __init__(
        self,
        picture: Callable[[], Image],
        wish: Ask,
        *,
        first: Calibration | None = None,
        live: bool = False,
    ) -> None:
        self._picture, self._wish = picture, wish
        self.live = live
        self.saved = threading.Event()
        self.calibration = first

        async def index(request: Request) -> Response:
            return Response(status_code=307, headers={"Location": "/calibrate"})

        self.app: ASGIApp = Guard(Starlette(routes=[Route("/", index), *calibrate_routes(self)]))

    def picture(self) -> Image | None:
        """See `CalibrateView`."""
        return self._picture()

    def current(self) -> Calibration | None:
        """See `CalibrateView`."""
        return self.calibration

    def wish(self) -> Ask:
        """See `CalibrateView`."""
        return self._wish

    def save(self, calibration: Calibration) -> None:
        """See `CalibrateView`."""
        self.calibration = calibration
        self.saved.set()


def _by_hand(view: CalibrateView, body: Mapping[str, Any]) -> tuple[Calibration, dict[str, Any]]:
    """The calibration with the corners a person set, and the answer to him."""
    corners = [[float(x), float(y)] for x, y in body["corners"]]
    if len(corners) != 4:
        raise ValueError("four corners")
    image = view.picture()
    if image is None:
        raise PzvisionError("no picture yet: is the camera on?")
    wish = view.wish()
    side = body.get("table_cm")  # as the cards measured it
    if side is None:
        current = view.current()
        side = wish.table_cm or (current.table_cm if current is not None else DEFAULT_TABLE_CM)
    size = (image.shape[1], image.shape[0])
    calibration = wish.calibration(size, corners, float(side), str(body["near"]))
    return calibration, {"ok": True, "words": judged(calibration)}


def _by_cards(view: CalibrateView, body: Mapping[str, Any]) -> dict[str, Any]:
    image = view.picture()
    if image is None:
        raise PzvisionError("no picture yet: is the camera on?")
    found = view.wish().by_markers(image, near=str(body["near"]))
    words = judged(found.calibration)
    return {
        "ok": True,
        "corners": [list(c) for c in found.calibration.corners],
        "table_cm": found.calibration.table_cm,
        "words": {lang: [*found.words[lang], *words[lang]] for lang in found.words},
    }


async def _answer(request: Request, do: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Response:
    if not own_page(request):
        return PlainTextResponse("not from this page\n", 403)
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            return PlainTextResponse("too long\n", 413)
    try:
        parsed = json.loads(body)
        if not isinstance(parsed, dict):
            raise ValueError("no object")
        answer = await run_in_threadpool(do, parsed)
    except PzvisionError as error:
        return JSONResponse({"ok": False, "error": str(error), "error_zh": refusal_zh(str(error))}, 422)
    except (ValueError, KeyError, TypeError):
        return JSONResponse({"ok": False, "error": "expected corners and near"}, 422)
    return JSONResponse(answer, headers={"Cache-Control": "no-store"})


async def _jpeg(image: Image | None, quality: int) -> Response:
    if image is None:
        return Response(status_code=204, headers={"Cache-Control": "no-store"})

    def encode() -> bytes:
        _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        return bytes(data.tobytes())

    data = await run_in_threadpool(encode)
    return Response(data, media_type="image/jpeg", headers={"Cache-Control": "no-store"})
