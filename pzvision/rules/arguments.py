"""Command-line pieces that every command with a ruleset shares: ``--ruleset``, ``--option``, ``--lang``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from pzvision.errors import FormatError
from pzvision.rules.options import Value, find_option


def add_ruleset_arguments(parser: argparse.ArgumentParser, *, default: str | None = None) -> None:
    """Add ``--ruleset ID|FILE.toml`` and the repeatable ``--option KEY=VALUE``."""
    parser.add_argument(
        "--ruleset",
        metavar="ID|FILE",
        default=default,
        help="玩法编号或自定义规则文件 ruleset id or .toml file",
    )
    parser.add_argument(
        "--option",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="改一条规则,可多次 change one option, such as cap=64; repeatable",
    )


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--json`` and ``--lang``."""
    parser.add_argument("--json", action="store_true", help="总是输出 JSON always print JSON")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh", help="语言 language (default zh)")


def parse_options(words: Iterable[str]) -> dict[str, Value]:
    """``["cap=64", "rob_kong=true"]`` → ``{"cap": 64, "rob_kong": True}``.

    Raises `FormatError` naming the key, the value and what is allowed.
    """
    options: dict[str, Value] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise FormatError(f"bad option {word!r}: expected KEY=VALUE such as cap=64", field="options")
        option = find_option(key.strip())
        options[option.key] = option.parse(text)
    return options
