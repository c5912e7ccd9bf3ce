"""Who may ask the server, and what every answer says: host, origin, token, size, headers.

On loopback the ``Host`` header must name this machine, so that no page from elsewhere can reach the server
under a name of its own (DNS rebinding). On another address a token is needed as well. A request that changes
something must not come from another page (`Origin`).
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pzvision.messages import say

LOOPBACK: Final = "127.0.0.1"
MOST_BODY: Final = 64 * 1024
COOKIE: Final = "pzvision"
_LOCAL: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
# What may be seen without the token: pictures of tiles, the page's own files, whether the server is well.
_OPEN: Final = ("/health", "/static/", "/tiles/", "/overlay/alive.svg")
_TABLE: Final = re.compile(r"^/t/[^/]+(?=/)")  # what stands before the addresses of one of several tables
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


def new_token() -> str:
    """A token nobody guesses: 128 random bits, fit for an address."""
    return secrets.token_urlsafe(16)


@dataclass(frozen=True)
class Access:
    """Who may ask.

    Attributes:
        host: address the server listens on.
        token: what must be shown; None: nothing (loopback only).

    Raises:
        ValueError: another address than loopback without a token.
    """

    host: str = LOOPBACK
    token: str | None = None

    def __post_init__(self) -> None:
        if self.token is None and not is_loopback(self.host):
            raise ValueError(f"host: {self.host!r} is not loopback and there is no token")

    def knows_host(self, header: str) -> bool:
        """Whether a ``Host`` header names this server.

        Beyond loopback any numeric address is this machine's: only names can be made to point elsewhere.
        """
        name = _without_port(header.lower())
        if name in _LOCAL:
            return True
        if is_loopback(self.host):
            return False
        return name == self.host.lower() or _is_address(name)

    def lets_in(self, path: str, headers: dict[bytes, bytes]) -> bool:
        """Whether a request needs no token or shows the right one."""
        if self.token is None or _TABLE.sub("", path).startswith(_OPEN):
            return True
        shown = [_bearer(headers), _cookie(headers)]
        return any(word is not None and self.same(word) for word in shown)

    def same(self, word: str) -> bool:
        """Whether a word is the token; takes as long for any word."""
        return self.token is not None and hmac.compare_digest(word.encode(), self.token.encode())


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def same_origin(headers: dict[bytes, bytes]) -> bool:
    """Whether a request comes from a page of this server, or from no page at all (a script)."""
    origin = headers.get(b"origin")
    if origin is None:
        return headers.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin")
    return origin.lower() == b"http://" + headers.get(b"host", b"").lower()


def own_page(request: Request) -> bool:
    """Whether a request comes from a page of this server, and says so."""
    return "origin" in request.headers and same_origin(dict(request.scope["headers"]))


class Guard:
    """Refuses what must not be answered and adds the security headers to what is.

    Args:
        app: what is guarded.
        access: who may ask; None: this machine, without a token.
    """

    def __init__(self, app: ASGIApp, access: Access | None = None) -> None:
        self.app = app
        self.access = access or Access()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request of ASGI, refused or handed on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                extra = [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items()]
                extra = [(name, value) for name, value in extra if name not in own]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        headers = dict(scope["headers"])
        answer = self._refusal(scope, headers)
        await (answer or self.app)(scope, receive, with_headers)

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> Response | None:
        if not self.access.knows_host(headers.get(b"host", b"").decode("latin-1")):
            return PlainTextResponse("this address is not served\n", 421)
        if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            if not same_origin(headers):
                return refusal(403, "api.foreign")
            length = headers.get(b"content-length", b"0")
            if not length.isdigit() or int(length) > MOST_BODY:
                return refusal(413, "api.too_long", most=MOST_BODY)
        if not self.access.lets_in(scope["path"], headers):
            return self._with_token(scope) or refusal(401, "api.token")
        return None

    def _with_token(self, scope: Scope) -> Response | None:
        """The answer to an address that holds the token: a cookie, and the same page without it."""
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["method"] != "GET" or not any(k == "token" and self.access.same(v) for k, v in pairs):
            return None
        rest = urlencode([(k, v) for k, v in pairs if k != "token"])
        # One slash only: "//evil" would lead to another host.
        path = "/" + quote(scope["path"]).lstrip("/")
        answer = RedirectResponse(path + ("?" + rest if rest else ""), 303)
        # Lax, not strict: the overlay's saved loader comes from a file and follows this redirect.
        # What changes something checks its `Origin` anyway.
        answer.set_cookie(COOKIE, self.access.token or "", httponly=True, samesite="lax", path="/")
        answer.headers["Cache-Control"] = "no-store"
        return answer


def refusal(status: int, key: str, **fields: object) -> JSONResponse:
    """``{"ok": false, "error": {"zh", "en"}}``, the text from the catalogue."""
    error = {"zh": say(key, "zh", **fields), "en": say(key, "en", **fields)}
    return JSONResponse({"ok": False, "error": error}, status, headers={"Cache-Control": "no-store"})


def _without_port(host: str) -> str:
    if host.endswith("]"):
        return host
    name, colon, port = host.rpartition(":")
    return name if colon and name and port.isdigit() else host


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _bearer(headers: dict[bytes, bytes]) -> str | None:
    scheme, _, word = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    return word.strip() if scheme.lower() == "bearer" else None


def _cookie(headers: dict[bytes, bytes]) -> str | None:
    try:
        cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
    except CookieError:
        return None
    return cookies[COOKIE].value if COOKIE in cookies else None
