"""Command-line pieces that every command with a ruleset shares: ``--ruleset``, ``--option``, ``--lang``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path

from pzvision.errors import FormatError
from pzvision.rules.options import Value, find_option
from pzvision.rules.ruleset import load_ruleset, ruleset_ids


def add_ruleset_arguments(parser: argparse.ArgumentParser, *, default: str | None = None) -> None:
    """Add ``--ruleset ID|FILE.toml`` and the repeatable ``--option KEY=VALUE``."""
    parser.add_argument(
        "--ruleset",
        metavar="ID|FILE",
        default=default,
    )
    parser.add_argument(
        "--option",
        metavar="KEY=VALUE",
        action="append",
        default=[],
    )


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--json`` and ``--lang``."""
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")


def as_profile(
    id_or_path: str | Path, options: Mapping[str, object] | None = None
) -> tuple[str, dict[str, object]]:
    """A ruleset as the id of a built-in profile and the options that differ from it.

    So that a log played under a house-rule file can be settled where that file is not. An id comes back with
    the options as given. Raises `FormatError` as `load_ruleset`.
    """
    ruleset = load_ruleset(id_or_path, options)
    if ruleset.id in ruleset_ids():
        return ruleset.id, dict(options or {})

    def changes(id_: str) -> dict[str, object]:
        plain = load_ruleset(id_).values()
        return {
            key: "none" if value is None else value
            for key, value in ruleset.values().items()
            if value != plain[key] or type(value) is not type(plain[key])
        }

    if ruleset.parent_id in ruleset_ids():
        return str(ruleset.parent_id), changes(str(ruleset.parent_id))
    nearest = min(ruleset_ids(), key=lambda id_: len(changes(id_)))
    return nearest, changes(nearest)


def parse_options(words: Iterable[str], ruleset: str | None = None) -> dict[str, Value]:
    """``["cap=64", "rob_kong=true"]`` → ``{"cap": 64, "rob_kong": True}``.

    `ruleset`: the one at hand, which an error refers to.

    Raises `FormatError` naming the key, the value and what is allowed.
    """
    options: dict[str, Value] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise FormatError(f"bad option {word!r}: expected KEY=VALUE such as cap=64", field="options")
        try:
            option = find_option(key.strip())
        except FormatError as error:
            hint = str(error).replace(
                "`pzvision rules pzh-traditional`", f"`pzvision rules {ruleset or 'ID'}`"
            )
            raise FormatError(hint, field=error.field) from None
        options[option.key] = option.parse(text)
    return options
