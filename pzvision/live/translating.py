"""English sentences of the lower rooms in Chinese: matched against the messages that they are made from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping


def patterns(messages: Mapping[str, tuple[str, str]]) -> list[tuple[re.Pattern[str], str]]:
    """Of each message what its English may look like, with its fields as groups, and its Chinese."""
    out = []
    for zh, en in messages.values():
        pattern = "".join(
            f"(?P<{part[1:-1]}>.+)" if part.startswith("{") else re.escape(part)
            for part in re.split(r"(\{\w+\})", en)
        )
        out.append((re.compile(pattern), zh))
    return out


def chinese(
    text: str, known: list[tuple[re.Pattern[str], str]], field: Callable[[str, str], str]
) -> str | None:
    """The sentence in Chinese; None where it is none of ``known``.

    Args:
        text: in English.
        known: `patterns`.
        field: given a field's name and what stands there, what stands there in Chinese.
    """
    for pattern, zh in known:
        if (found := pattern.fullmatch(text)) is not None:
            return zh.format(**{name: field(name, value) for name, value in found.groupdict().items()})
    return None
