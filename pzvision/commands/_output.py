"""Standard output as INTERFACE.md wants it."""

from __future__ import annotations

import sys


def utf8_output() -> None:
    """UTF-8 with plain line ends in every locale; what is no text (lone surrogates) is escaped."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
