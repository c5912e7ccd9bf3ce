"""``pzvision simulate --ruleset ID --hands 10 --seed 1``: simulated hands, as a game log."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pzvision.commands._output import utf8_output
from pzvision.errors import PzvisionError
from pzvision.messages.game import MESSAGES
from pzvision.rules.arguments import add_ruleset_arguments, as_profile, parse_options
from pzvision.tiles import SEATS

SUMMARY = MESSAGES["game.summary.simulate"]


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


_count.__name__ = "whole number from 1"
_share.__name__ = "share from 0 to 1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to play, how much of it, how it starts, and where to write it."""
    add_ruleset_arguments(parser, default="pzh-traditional")
    parser.add_argument("--hands", type=_count, default=1, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--base", type=_count, default=1, metavar="N")
    parser.add_argument("--dealer", choices=SEATS, default="E")
    parser.add_argument("--spice", type=_share, default=0.0, metavar="SHARE")
    parser.add_argument("--leave", type=_share, default=0.0, metavar="SHARE")
    parser.add_argument("--out", type=Path, metavar="LOG.jsonl")


def run(args: argparse.Namespace) -> int:
    """Write the log."""
    from pzvision.game.events import format_log
    from pzvision.game.simulate import simulate

    if args.out is not None and not args.out.parent.is_dir():
        raise PzvisionError(f"cannot write {str(args.out)!r}: there is no folder {str(args.out.parent)!r}")
    ruleset, options = as_profile(args.ruleset, parse_options(args.option, args.ruleset))
    events = simulate(
        ruleset,
        args.seed,
        args.hands,
        base=args.base,
        options=options,
        dealer=args.dealer,
        spice=args.spice,
        leave=args.leave,
    )
    text = format_log(events)
    if args.out is None:
        utf8_output()
        sys.stdout.write(text)
        return 0
    try:
        args.out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PzvisionError(f"cannot write {str(args.out)!r}: {error.strerror or error}") from None
    return 0
