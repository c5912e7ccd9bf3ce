"""The API in OpenAPI 3.1 form, and the same as a page to read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from pzvision import __version__
from pzvision.game.events import DECLARATIONS
from pzvision.live.orders import MOST_BASE, MOST_NAME, WHEN
from pzvision.rules import ruleset_ids
from pzvision.table.corrections import KINDS_OF_CORRECTION
from pzvision.tiles import SEATS

Schema = dict[str, Any]

_TILE: Final[Schema] = {"type": "string", "pattern": "^[1-9][msp]$", "examples": ["5m"]}
_TILES: Final[Schema] = {
    "type": "string",
    "pattern": "^([1-9]+[msp])*$",
    "maxLength": 64,
    "examples": ["46m"],
}
_SEAT: Final[Schema] = {"type": "string", "enum": list(SEATS)}
_DECLARATION: Final[Schema] = {"type": "string", "enum": list(DECLARATIONS)}
_NAMES: Final[Schema] = {
    "type": "object",
    "properties": {seat: {"type": "string", "maxLength": MOST_NAME} for seat in SEATS},
    "additionalProperties": False,
}
_BASE: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": MOST_BASE}
_SECONDS: Final[Schema] = {"type": ["number", "null"]}


def _object(properties: Mapping[str, Schema], *required: str) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _bodies() -> dict[str, Schema]:
    ruleset: Schema = {"type": "string", "enum": list(ruleset_ids())}
    options: Schema = {"type": "object", "description": "option to value, as pzvision rules lists them"}
    return {
        "Correction": _object(
            {
                "kind": {"type": "string", "enum": list(KINDS_OF_CORRECTION)},
                "event": {"type": "integer", "minimum": 1, "description": "1-based number of a log record"},
                "was": {"type": "object", "description": "that record as the sender saw it"},
                "track": {"type": "integer", "minimum": 1, "description": "id of a lying tile"},
                "tile": _TILE,
                "tiles": _TILES,
                "waits": _TILES,
                "seat": _SEAT,
                "gang": {"type": "string", "enum": ["peng", "zhi_gang", "an_gang", "ba_gang"]},
                "kept": {"type": "boolean"},
                "declaration": _DECLARATION,
                "record": {"type": "object", "description": "a log record to insert before `event`"},
                "doubt": {"type": "string", "maxLength": 200, "description": "id of a doubt"},
                "choice": {"type": "integer", "minimum": 0},
                "dealer": _SEAT,
                "base": _BASE,
                "ruleset": ruleset,
                "options": options,
                "names": _NAMES,
            },
            "kind",
        ),
        "Declare": _object(
            {"seat": _SEAT, "declaration": _DECLARATION, "tiles": _TILES, "waits": _TILES},
            "seat",
            "declaration",
        ),
        "Hand": _object(
            {
                "when": {"type": "string", "enum": list(WHEN), "default": "next"},
                "ruleset": ruleset,
                "options": options,
                "base": _BASE,
                "dealer": _SEAT,
                "names": _NAMES,
            }
        ),
        "Pause": _object({"paused": {"type": "boolean"}}, "paused"),
        "Calibration": _object(
            {
                "corners": {
                    "type": "array",
                    "minItems": 4,
                    "maxItems": 4,
                    "items": {
                        "type": "array",
                        "minItems": 2,
                        "maxItems": 2,
                        "items": {"type": "number", "minimum": -1, "maximum": 2},
                    },
                },
                "near_seat": _SEAT,
                "save": {"type": "boolean", "default": False},
            },
            "corners",
            "near_seat",
        ),
    }


def _answers() -> dict[str, Schema]:
    said: Schema = {"type": "object", "properties": {"zh": {"type": "string"}, "en": {"type": "string"}}}
    camera = {
        "state": {"type": "string", "enum": ["opening", "ok", "black", "frozen", "lost", "ended"]},
        "reason": {"type": ["string", "null"]},
        "fps": {"type": "number"},
        "age_s": _SECONDS,
        "received": {"type": "integer"},
        "dropped": {"type": "integer"},
        "reconnects": {"type": "integer"},
    }
    return {
        "Done": {
            "type": "object",
            "properties": {"ok": {"const": True}, "seq": {"type": "integer", "minimum": 0}},
            "required": ["ok"],
        },
        "Refused": {
            "type": "object",
            "properties": {"ok": {"const": False}, "error": said},
            "required": ["ok", "error"],
        },
        "Health": {
            "type": "object",
            "properties": {
                "ok": {"type": "boolean"},
                "status": {"type": "string"},
                "cameras": {
                    "type": "object",
                    "additionalProperties": {"type": "object", "properties": camera},
                },
            },
            "required": ["ok", "cameras"],
        },
        "State": {
            "type": "object",
            "properties": {"seq": {"type": "integer", "minimum": 0}},
            "required": ["seq"],
        },
        "Log": {
            "type": "object",
            "properties": {
                "seq": {"type": "integer"},
                "records": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "event": {"type": "integer", "minimum": 1},
                            "hand": {"type": "integer"},
                            "record": {"type": "object"},
                            "text": said,
                            "doubt": {"type": ["string", "null"]},
                        },
                        "required": ["event", "hand", "record"],
                    },
                },
            },
            "required": ["seq", "records"],
        },
    }


_REFUSALS: Final[dict[str, str]] = {
    "400": "不是 JSON 对象 · no JSON object",
    "401": "要口令 · a token is needed",
    "403": "来自别的网页 · from another page",
    "409": "现在做不了 · cannot be done now",
    "413": "太长 · too long",
    "415": "不是 JSON · not JSON",
    "421": "不是这台机器的名字 · this machine has no such name",
    "422": "字段或值不对 · a field or value is not possible",
    "503": "牌局没有回应 · the game does not answer",
}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(name: str, text: str) -> Schema:
    return {"description": text, "content": {"application/json": {"schema": _ref(name)}}}


def _get(zh: str, en: str, answers: dict[str, Schema], *parameters: Schema) -> Schema:
    return {
        "get": {
            "summary": f"{zh} · {en}",
            "parameters": list(parameters),
            "responses": {**answers, "401": _json("Refused", _REFUSALS["401"])},
        }
    }


def _post(zh: str, en: str, body: str) -> Schema:
    return {
        "post": {
            "summary": f"{zh} · {en}",
            "requestBody": {"required": True, "content": {"application/json": {"schema": _ref(body)}}},
            "responses": {
                "200": _json("Done", "做好了 · done"),
                **{code: _json("Refused", text) for code, text in _REFUSALS.items() if code != "421"},
            },
        }
    }


def _query(name: str, schema: Schema, text: str) -> Schema:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": text}


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document."""
    number: Schema = {"type": "integer", "minimum": 0}
    stream = {
        "description": "事件 · events",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
    jpeg = {
        "description": "JPEG",
        "content": {"image/jpeg": {"schema": {"type": "string", "contentMediaType": "image/jpeg"}}},
    }
    paths = {
        "/state": _get("牌局现在的样子", "the whole state", {"200": _json("State", "状态 · state")}),
        "/events": _get(
            "事件流(SSE),断了会从断点接上",
            "the stream (server-sent events); Last-Event-ID resumes",
            {"200": stream},
            _query("last_event_id", number, "records up to this number are known"),
        ),
        "/health": _get(
            "摄像头和存储好不好",
            "whether cameras and store are well",
            {"200": _json("Health", "都好 · well"), "503": _json("Health", "有毛病 · something is not well")},
        ),
        "/frame.jpg": _get(
            "带标注的画面",
            "the annotated picture",
            {"200": jpeg, "204": {"description": "还没有画面 · no picture yet"}},
            _query("after", number, "wait up to 2 s for a picture newer than this number"),
            _query("camera", {"type": "string"}, "table (default) or a hand's, such as hand.S"),
        ),
        "/api/log": _get(
            "整晚的牌谱",
            "every record of the evening",
            {
                "200": _json("Log", "牌谱 · log"),
                "409": _json("Refused", _REFUSALS["409"]),
                "503": _json("Refused", _REFUSALS["503"]),
            },
        ),
        "/api/corrections": _post("更正", "a correction", "Correction"),
        "/api/declare": _post("声明(唱、跳、摆……)", "a declaration", "Declare"),
        "/api/hand": _post("开局设置:玩法、底、庄、名字", "ruleset, stake, dealer, names", "Hand"),
        "/api/pause": _post("暂停或继续看牌", "stop reading the table, or go on", "Pause"),
        "/api/calibration": _post("重新标定", "new corners of the table", "Calibration"),
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "pzvision",
            "version": __version__,
            "license": {"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
            "description": "牌桌的接口。The API of a running game.",
        },
        "paths": paths,
        "components": {
            "schemas": {**_bodies(), **_answers()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def docs_page() -> str:
    """The document as one plain page of HTML, without scripts."""
    api = document()
    schemas = api["components"]["schemas"]
    parts = []
    for path, methods in api["paths"].items():
        for method, about in methods.items():
            parts.append(
                f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(about['summary'])}</p>"
            )
            for parameter in about.get("parameters", []):
                parts.append(
                    f"<p><code>?{escape(parameter['name'])}</code> {escape(parameter['description'])}</p>"
                )
            if "requestBody" in about:
                name = about["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[
                    2
                ]
                parts.append(_fields(schemas[name]))
            answers = "".join(
                f"<li><code>{code}</code> {escape(answer['description'])}</li>"
                for code, answer in about["responses"].items()
            )
            parts.append(f"<ul>{answers}</ul>")
    body = "\n".join(parts)
    return (
        '<!doctype html><html lang="zh"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<title>pzvision API</title><link rel="stylesheet" href="docs.css">'
        '<h1>牌桌的接口 The API of a running game</h1><p><a href="openapi.json">openapi.json</a></p>'
        f"{body}</html>"
    )


def _fields(schema: Schema) -> str:
    rows = []
    for name, about in schema["properties"].items():
        kind = about.get("type", "")
        words = [kind if isinstance(kind, str) else " | ".join(kind), about.get("description", "")]
        if "enum" in about:
            words.append(" ".join(about["enum"]))
        if "minimum" in about:
            words.append(f"≥ {about['minimum']}")
        mark = " *" if name in schema["required"] else ""
        text = escape(" · ".join(word for word in words if word))
        rows.append(f"<tr><td><code>{escape(name)}</code>{mark}</td><td>{text}</td></tr>")
    return f"<table>{''.join(rows)}</table>"


_STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem;
  color: #1d2321; background: #f7f7f3; }
h2 { margin: 2rem 0 .3rem; font-size: 1.05rem; border-top: 1px solid #cfd4cc; padding-top: 1rem; }
table { border-collapse: collapse; } td { padding: .15rem .8rem .15rem 0; vertical-align: top; }
code { background: #e6e9e1; padding: .05rem .3rem; border-radius: 3px; }
@media (prefers-color-scheme: dark) { body { color: #dde3dd; background: #161a18; }
  code { background: #2a312d; }
  h2 { border-color: #3a423d; } a { color: #8fc7a9; } }
"""


def docs_routes() -> list[Route]:
    """``/openapi.json`` and ``/docs``."""

    async def openapi(request: Request) -> Response:
        return JSONResponse(document())

    async def docs(request: Request) -> Response:
        return HTMLResponse(docs_page())

    async def style(request: Request) -> Response:
        return Response(_STYLE, media_type="text/css; charset=utf-8")

    return [Route("/openapi.json", openapi), Route("/docs", docs), Route("/docs.css", style)]
