"""The page on which a person drags the table's four corners over the picture."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any, Final

import cv2
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from pzvision.errors import PzvisionError
from pzvision.live.fit import draw_grid
from pzvision.live.pages import page_files
from pzvision.live.security import Guard, own_page
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image

_MOST_BYTES: Final = 4096
_FILES: Final = {
    "calibrate.html": "text/html; charset=utf-8",
    "calibrate.js": "text/javascript; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
}


class CalibratePage:
    """The app, and what the person did there.

    Args:
        image: the picture, ``(H, W, 3)`` uint8 BGR.
        make: from four corners (0–1) and the near seat to a calibration and its figures in words.
        first: corners to begin with.

    Attributes:
        saved: set when the person pressed save.
        calibration: what was saved.
    """

    def __init__(
        self,
        image: Image,
        make: Callable[[list[list[float]], str], tuple[Calibration, dict[str, list[str]]]],
        first: list[list[float]],
        near: str,
    ) -> None:
        self._image = image
        self._make = make
        self._first = first
        self._near = near
        self.saved = threading.Event()
        self.calibration: Calibration | None = None
        self.app: ASGIApp = Guard(Starlette(routes=self._routes()))

    def _routes(self) -> list[Route]:
        pages = page_files(resources.files("pzvision.live") / "web", _FILES)

        async def index(request: Request) -> Response:
            return pages("calibrate.html")

        async def static(request: Request) -> Response:
            return pages(request.path_params["name"])

        async def picture(request: Request) -> Response:
            _, data = cv2.imencode(".jpg", self._image, [cv2.IMWRITE_JPEG_QUALITY, 90])
            return Response(data.tobytes(), media_type="image/jpeg", headers={"Cache-Control": "no-store"})

        async def start(request: Request) -> Response:
            size = [self._image.shape[1], self._image.shape[0]]
            return JSONResponse({"corners": self._first, "near": self._near, "size": size})

        async def check(request: Request) -> Response:
            return await self._judge(request, keep=False)

        async def save(request: Request) -> Response:
            return await self._judge(request, keep=True)

        async def grid(request: Request) -> Response:
            if self.calibration is None:
                return Response(status_code=204)
            drawn = await run_in_threadpool(draw_grid, self._image, self.calibration)
            _, data = cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, 85])
            return Response(data.tobytes(), media_type="image/jpeg", headers={"Cache-Control": "no-store"})

        return [
            Route("/", index),
            Route("/static/{name}", static),
            Route("/picture.jpg", picture),
            Route("/grid.jpg", grid),
            Route("/start", start),
            Route("/check", check, methods=["POST"]),
            Route("/save", save, methods=["POST"]),
        ]

    async def _judge(self, request: Request, *, keep: bool) -> Response:
        if not own_page(request):
            return PlainTextResponse("not from this page\n", 403)
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MOST_BYTES:
                return PlainTextResponse("too long\n", 413)
        try:
            corners, near = _parse(json.loads(body))
            calibration, words = await run_in_threadpool(self._make, corners, near)
        except (ValueError, KeyError, TypeError) as error:
            text = str(error) if isinstance(error, PzvisionError) else "expected corners and near"
            return JSONResponse({"ok": False, "error": text}, 422)
        except PzvisionError as error:
            return JSONResponse({"ok": False, "error": str(error)}, 422)
        self.calibration = calibration
        if keep:
            self.saved.set()
        return JSONResponse({"ok": True, "words": words})


def _parse(body: Mapping[str, Any]) -> tuple[list[list[float]], str]:
    corners = [[float(x), float(y)] for x, y in body["corners"]]
    if len(corners) != 4:
        raise ValueError("four corners")
    return corners, str(body["near"])
