"""Several tables under one address: ``/`` lists them, ``/t/NAME/`` is the page of one.

Under ``/t/NAME`` a table answers everything a single one answers at the root (`server.table_routes`). At the
root stay ``/`` the list, ``/tables`` the same as JSON, ``/health`` of all, ``/static/…`` and ``/tiles/…``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from pzvision.live.calibrate_page import CalibrateView
from pzvision.live.desk import Desk
from pzvision.live.hub import Hub
from pzvision.live.pages import file_routes, page_files
from pzvision.live.security import Access, Guard
from pzvision.live.server import table_routes
from pzvision.tiles import SEATS


@dataclass(frozen=True)
class TablePage:
    """What one table's pages are made of; see `server.table_routes`."""

    name: str
    hub: Hub
    desk: Desk
    overlay: Hub | None = None
    calibrate: CalibrateView | None = None

    @property
    def path(self) -> str:
        """Where its page is, below the server's address."""
        return f"t/{quote(self.name)}/"


def build_tables_app(tables: Sequence[TablePage], access: Access | None = None) -> ASGIApp:
    """The ASGI app of several tables; ``access``: who may ask, None: this machine."""
    list_page = page_files(
        resources.files("pzvision.live") / "web", {"tables.html": "text/html; charset=utf-8"}
    )

    async def index(request: Request) -> Response:
        return list_page("tables.html")

    async def all_tables(request: Request) -> Response:
        return JSONResponse(
            {"tables": [summary(table) for table in tables]}, headers={"Cache-Control": "no-store"}
        )

    async def health(request: Request) -> Response:
        each = {table.name: table.hub.health for table in tables}
        ok = all(bool(answer.get("ok")) for answer in each.values())
        answer = {"ok": ok, "status": "ok" if ok else "degraded", "tables": each}
        return JSONResponse(answer, 200 if ok else 503, headers={"Cache-Control": "no-store"})

    routes: list[BaseRoute] = [
        Route("/", index),
        Route("/tables", all_tables),
        Route("/health", health),
        *file_routes(),
    ]
    for table in tables:
        own = table_routes(table.hub, table.overlay, desk=table.desk, calibrate=table.calibrate)
        routes.append(Mount(f"/t/{table.name}", routes=own))
    return Guard(Starlette(routes=routes), access)


def summary(table: TablePage) -> dict[str, Any]:
    """One table for the list."""
    state, health = table.hub.state, table.hub.health
    ruleset: Mapping[str, Any] = state.get("ruleset") or {}
    seats: Mapping[str, Any] = state.get("seats") or {}
    said = [item for item in state.get("announcements", ()) if not item.get("retracted")]
    return {
        "name": table.name,
        "path": table.path,
        "ok": bool(health.get("ok")),
        "cameras": health.get("cameras", {}),
        "fps": health.get("fps", 0.0),
        "paused": bool(state.get("paused")),
        "over": bool((state.get("source") or {}).get("over")),
        "hand": state.get("hand", 0),
        "wall_left": state.get("wall_left"),
        "ruleset": ruleset.get("name"),
        "names": {seat: seats[seat]["name"] for seat in SEATS if seat in seats},
        "totals": state.get("session_totals", {}),
        "said": {lang: said[-1][lang] for lang in ("zh", "en")} if said else None,
    }
