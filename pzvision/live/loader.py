"""``/overlay/loader.html``: a page that waits for the server and then becomes the overlay.

Saved as a file and opened by OBS it may be there before the server is. The settings in its address are
checked and written into the file; the file's own policy lets it load one picture from the server and run
only the script it came with.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from importlib import resources
from typing import Final
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response

from pzvision.live.security import COOKIE

_PATTERNS: Final = {
    "width": r"[1-9]\d{1,3}",
    "height": r"[1-9]\d{1,3}",
    "scale": r"\d{1,2}(\.\d{1,3})?",
    "theme": r"[a-z]{1,16}",
    "lang": r"zh|en",
    "seats": r"[ESWN]{1,4}",
    "show": r"[a-z,]{1,80}",
    "token": r"[A-Za-z0-9_-]{1,128}",
}
_TEXT: Final = (resources.files("pzvision.live") / "web" / "loader.html").read_text(encoding="utf-8")


def _hash(tag: str) -> str:
    """The CSP source of the one inline script or style of the file."""
    match = re.search(rf"<{tag}>(.*?)</{tag}>", _TEXT, re.DOTALL)
    assert match is not None
    return "'sha256-" + base64.b64encode(hashlib.sha256(match.group(1).encode()).digest()).decode() + "'"


_INLINE: Final = (
    f"script-src {_hash('script')}; style-src {_hash('style')}; base-uri 'none'; form-action 'none'"
)


def loader_page(request: Request) -> Response:
    """The file for the address and settings it was asked under; settings that are none are left out."""
    given = request.query_params
    settings = {
        name: given[name]
        for name, pattern in _PATTERNS.items()
        if name in given and re.fullmatch(pattern, given[name], re.ASCII)
    }
    if COOKIE in request.cookies:
        # Whoever asked had the token; the saved file needs it too.
        settings["token"] = request.cookies[COOKIE]
    origin = f"{request.url.scheme}://{request.headers['host']}"
    # Of one of several tables: the page is found under that table's address.
    folder = quote(request.scope.get("root_path", ""))
    address = f"{origin}{folder}/overlay" + (f"?{urlencode(settings)}" if settings else "")
    policy = f"default-src 'none'; img-src {origin}; {_INLINE}"
    text = _TEXT.replace("@POLICY@", html.escape(policy)).replace("@ADDRESS@", html.escape(address))
    headers = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
    }
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)
