"""What `score` and `waits` have in common."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pzvision.rules.arguments import parse_options
from pzvision.rules.records import Defaults
from pzvision.rules.ruleset import load_ruleset
from pzvision.rules.stream import json_line, read_records, stdin_lines, wants_table

Parsed = TypeVar("Parsed")


def answer_all(
    args: argparse.Namespace,
    parse: Callable[[Mapping[str, Any], Defaults], Parsed],
    answer: Callable[[Parsed], Mapping[str, object]],
    lines: Callable[[Parsed, Any], str],
) -> int:
    """Read records from standard input, write an answer for each good one; the exit status."""
    options = parse_options(args.option)
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
    if not readable and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    for record in read_records(stdin_lines(), lambda fields: parse(fields, defaults), report):
        print(lines(record, args.lang) if readable else json_line(answer(record)))
    return 2 if bad else 0
