"""``pzvision rules``: the games, what each counts, and what two of them differ in."""

from __future__ import annotations

import argparse
import json
import shutil
import sys

from pzvision.commands._output import utf8_output
from pzvision.errors import FormatError
from pzvision.messages.rules import MESSAGES
from pzvision.rules.arguments import add_ruleset_arguments, parse_options

SUMMARY = MESSAGES["rules.summary.rules"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``[ID|FILE]``, ``--diff A B``, ``--ruleset``, ``--option``, ``--lang``, ``--json``."""
    parser.add_argument("id", nargs="?", metavar="ID|FILE")
    parser.add_argument("--diff", nargs=2, metavar=("A", "B"))
    add_ruleset_arguments(parser)
    parser.add_argument("--lang", choices=("zh", "en", "both"), default="both")
    parser.add_argument("--json", action="store_true")


def run(args: argparse.Namespace) -> int:
    """Print what was asked for."""
    from pzvision.rules.describe import (
        diff_text,
        differences,
        langs_of,
        list_text,
        ruleset_json,
        ruleset_text,
    )
    from pzvision.rules.ruleset import load_ruleset, ruleset_ids

    one = args.id or args.ruleset
    options = parse_options(args.option, one or (args.diff[0] if args.diff else None))
    langs = langs_of(args.lang)
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    if args.id and args.ruleset and args.id != args.ruleset:
        raise FormatError(
            f"two rulesets named, {args.id!r} and {args.ruleset!r}: expected one, or --diff A B"
        )
    if args.json:
        utf8_output()
    if args.diff:
        if one:
            raise FormatError(f"--diff compares its own two rulesets: expected no {one!r} beside it")
        a, b = (load_ruleset(name, options) for name in args.diff)
        if args.json:
            changed = {
                key: [left if left is not None else "none", right if right is not None else "none"]
                for key, (left, right) in differences(a, b).items()
            }
            print(json.dumps({"a": a.id, "b": b.id, "differences": changed}, ensure_ascii=False))
        else:
            print(diff_text(a, b, langs, columns))
    elif one:
        rules = load_ruleset(one, options)
        print(
            json.dumps(ruleset_json(rules), ensure_ascii=False)
            if args.json
            else ruleset_text(rules, langs, columns)
        )
    else:
        every = [load_ruleset(id_, options) for id_ in ruleset_ids()]
        if args.json:
            for rules in every:
                print(json.dumps(ruleset_json(rules), ensure_ascii=False))
        else:
            print(list_text(every, langs, columns))
    return 0
