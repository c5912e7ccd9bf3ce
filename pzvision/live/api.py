"""The part of the API that changes something, and the log as pages need it to point at its records."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NoReturn

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pzvision.errors import PzvisionError
from pzvision.live.desk import Busy, Desk, Failed, NotNow
from pzvision.live.orders import (
    LogOrder,
    Order,
    parse_calibration,
    parse_correction,
    parse_declare,
    parse_hand,
    parse_pause,
)
from pzvision.live.security import MOST_BODY, refusal

ANSWER_S: Final = 5.0

PARSERS: Final[Mapping[str, Callable[[object], Order]]] = {
    "/api/corrections": parse_correction,
    "/api/declare": parse_declare,
    "/api/hand": parse_hand,
    "/api/pause": parse_pause,
    "/api/calibration": parse_calibration,
}


def api_routes(desk: Desk | None) -> list[Route]:
    """Routes of the API. ``desk``: where orders go; None: there is no game that takes any (409)."""

    async def read_log(request: Request) -> Response:
        return refusal(409, "api.fixed") if desk is None else await _ask(desk, LogOrder())

    routes = [Route("/api/log", read_log)]
    routes.extend(Route(path, _taker(desk, parse), methods=["POST"]) for path, parse in PARSERS.items())
    return routes


def _taker(desk: Desk | None, parse: Callable[[object], Order]) -> Callable[[Request], Awaitable[Response]]:
    async def take(request: Request) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return refusal(415, "api.not_json")
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_BODY:
                return refusal(413, "api.too_long", most=MOST_BODY)
        try:
            parsed = json.loads(body, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return refusal(400, "api.no_object")
        if not isinstance(parsed, dict):
            return refusal(400, "api.no_object")
        if desk is None:
            return refusal(409, "api.fixed")
        try:
            return await _ask(desk, parse(parsed))
        except PzvisionError as error:
            return _refused(422, error)

    return take


async def _ask(desk: Desk, order: Order) -> Response:
    try:
        future = asyncio.wrap_future(desk.ask(order))
        answer = await asyncio.wait_for(future, ANSWER_S)
    except (Busy, TimeoutError):
        return refusal(503, "api.busy")
    except NotNow as error:
        return _refused(409, error)
    except Failed as error:
        return _refused(500, error)
    return JSONResponse({"ok": True, **answer}, headers={"Cache-Control": "no-store"})


def _refused(status: int, error: PzvisionError) -> Response:
    # A body may hold halves of characters, which no answer can.
    text = str(error).encode("utf-8", "replace").decode()
    return refusal(status, "api.refused", text=text)


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number")
