"""``pzvision settle LOG.jsonl``: check a game log against the rules and settle it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pzvision.commands._output import utf8_output
from pzvision.errors import FormatError, PzvisionError
from pzvision.messages.game import MESSAGES

SUMMARY = MESSAGES["game.summary.settle"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The log, ``--json``, ``--lenient``, ``--lang``."""
    parser.add_argument("log", metavar="LOG.jsonl")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--lenient",
        action="store_true",
    )
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")


def read_text(name: str) -> str:
    """The log as text. Raises `PzvisionError` for a file that cannot be read or is not UTF-8."""
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise PzvisionError(f"cannot read {name!r}: {getattr(error, 'strerror', None) or error}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{name}: line {line}: not UTF-8 at byte {error.start} of the file") from None


def run(args: argparse.Namespace) -> int:
    """Settle every hand, or write nothing and say which record is wrong."""
    from pzvision.game.report import evening_lines, hand_lines
    from pzvision.game.settle import settle_text
    from pzvision.messages import say
    from pzvision.rules.stream import json_line

    text = read_text(args.log)
    name = "standard input" if args.log == "-" else args.log
    if not text.strip():
        raise PzvisionError(f"{name}: is empty: expected a game log")
    try:
        results = settle_text(text, lenient=args.lenient)
    except PzvisionError as error:
        raise PzvisionError(f"{name}: {error}") from None
    if not results:
        raise PzvisionError(f"{name}: holds no hand: expected a hand_start record")
    utf8_output()
    if args.json:
        for result in results:
            print(json_line(result.to_json()))
    else:
        print("\n\n".join(hand_lines(result, args.lang) for result in results))
        print("\n" + evening_lines(results, args.lang))
    for result in results:
        for line in result.state.unsettled:
            print(f"pzvision: note: {say('game.unsettled', args.lang, line=line)}", file=sys.stderr)
        for problem in result.state.problems:
            print(f"pzvision: note: {say('game.problem', args.lang, what=problem)}", file=sys.stderr)
    return 0
