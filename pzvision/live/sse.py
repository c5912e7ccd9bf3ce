"""A hub's records as server-sent events, with resume by ``Last-Event-ID``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pzvision.live.hub import Hub, Record

KEEP_ALIVE_S: Final = 10.0
CHUNK: Final = 32_768  # characters


def last_event_id(request: Request) -> int:
    """The id a client has read up to, from its header or the query; 0 when it gives none that is a number."""
    text = request.headers.get("last-event-id") or request.query_params.get("last_event_id") or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def event_response(hub: Hub, request: Request) -> Response:
    """The answer to a request for the stream of ``hub``."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(
        stream(hub, last_event_id(request)), media_type="text/event-stream", headers=headers
    )


def _chunks(records: Sequence[Record]) -> Iterator[str]:
    """Records as events, many in one piece: a page that connects reads thousands."""
    lines: list[str] = []
    size = 0
    for record in records:
        lines.append(f"id: {record.seq}\ndata: {record.text}\n\n")
        size += len(lines[-1])
        if size >= CHUNK:
            yield "".join(lines)
            lines, size = [], 0
    if lines:
        yield "".join(lines)


async def stream(hub: Hub, last: int) -> AsyncIterator[str]:
    """The stream after ``last`` as server-sent events, until the hub closes.

    Where records are no longer kept a ``reset`` record tells the client to read the state anew.
    """
    key, woken = hub.listen(asyncio.get_running_loop())
    try:
        yield "retry: 1000\n\n"
        while True:
            woken.clear()
            records, missing = hub.since(last)
            if missing:
                yield 'data: {"type": "reset"}\n\n'
            for chunk in _chunks(records):
                yield chunk
                # Whoever connects late gets much at once; a reader that has gone meanwhile is noticed here.
                await asyncio.sleep(0)
            if records:
                last = records[-1].seq
            if hub.closed:
                return
            try:
                await asyncio.wait_for(woken.wait(), KEEP_ALIVE_S)
            except TimeoutError:
                yield ": still here\n\n"
    finally:
        hub.unlisten(key)
