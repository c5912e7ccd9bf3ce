"""The one message catalogue: every text a player reads, Chinese first, English second.

Each room keeps its texts in a module of this package as ``MESSAGES: dict[str, tuple[str, str]]``
(key → Chinese, English; fields in ``{braces}``). Keys are unique over all of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from pzvision.tiles import Lang


@cache
def catalogue() -> dict[str, tuple[str, str]]:
    """All messages by key. Raises `ValueError` when two modules use one key."""
    merged: dict[str, tuple[str, str]] = {}
    for info in pkgutil.iter_modules(__path__):
        messages = importlib.import_module(f"{__name__}.{info.name}").MESSAGES
        clash = merged.keys() & messages.keys()
        if clash:
            raise ValueError(f"message keys used twice: {sorted(clash)}")
        merged.update(messages)
    return merged


def say(key: str, lang: Lang = "zh", /, **fields: object) -> str:
    """The message in one language with its fields filled in. Raises `KeyError` for an unknown key."""
    zh, en = catalogue()[key]
    return (zh if lang == "zh" else en).format(**fields)
