"""What `score` and `waits` have in common."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

from pzvision.commands._output import utf8_output
from pzvision.errors import FormatError, PzvisionError
from pzvision.rules.arguments import parse_options
from pzvision.rules.records import Defaults
from pzvision.rules.ruleset import load_ruleset
from pzvision.rules.stream import json_line, read_records, stdin_lines, wants_table

Parsed = TypeVar("Parsed")

RULESET: Final = "the id of a ruleset, here or with --ruleset"
CONCEALED: Final = "tiles such as 123m55s"
WIN: Final = 'an object such as {"tile": "5m", "by": "discard", "kong_chain": 0}'


def answer_all(
    args: argparse.Namespace,
    parse: Callable[[Mapping[str, Any], Defaults], Parsed],
    answer: Callable[[Parsed], Mapping[str, object]],
    lines: Callable[[Parsed, Any], str],
    needs: Mapping[str, str],
) -> int:
    """Read records from standard input, write an answer for each good one; the exit status.

    ``needs``: the fields a record must have, with what is expected of each. Raises `PzvisionError` for input
    that is empty or no text.
    """
    options = parse_options(args.option, args.ruleset)
    if args.ruleset is not None:
        load_ruleset(args.ruleset, options)  # a bad file or option is one error, not one per record
    defaults = Defaults(args.ruleset, options)
    bad = 0

    def report(message: str) -> None:
        nonlocal bad
        bad += 1
        sys.stdout.flush()
        print(f"pzvision: error: {message}", file=sys.stderr)

    readable = wants_table(args.json)
    if not readable:
        utf8_output()

    def checked(fields: Mapping[str, Any]) -> Parsed:
        for key, expected in needs.items():
            if key not in fields and not (key == "ruleset" and args.ruleset is not None):
                raise FormatError(f"missing: expected {expected}", field=key)
        return parse(fields, defaults)

    for record in read_records(_text_lines(stdin_lines()), checked, report):
        print(lines(record, args.lang) if readable else json_line(answer(record)))
    return 2 if bad else 0


def _text_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The same lines. Refuses the whole input where it is empty or a picture, an archive and the like,
    which would only give an error for each of thousands of lines."""
    begun = False
    for number, line in enumerate(lines, 1):
        if b"\0" in line or (not begun and not _looks_like_text(line)):
            raise PzvisionError(
                f"standard input: line {number}: binary data: expected one JSON record per line, in UTF-8"
            )
        begun = begun or bool(line.strip())
        yield line
    if not begun:
        raise PzvisionError("standard input: is empty: expected one JSON record per line")


def _looks_like_text(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return line.lstrip().startswith(b"{")  # one bad record, perhaps in another encoding
    return True
