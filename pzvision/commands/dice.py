"""``pzvision dice 5 3 --dealer E``: whose wall is broken, and where."""

from __future__ import annotations

import argparse
import json

from pzvision.game.dice import break_wall
from pzvision.messages import say
from pzvision.messages.game import MESSAGES
from pzvision.tiles import SEAT_NAMES, SEATS

SUMMARY = MESSAGES["game.summary.dice"]
_PLACES = ("game.dice.dealer", "game.dice.next", "game.dice.opposite", "game.dice.previous")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Two dice, ``--dealer``, ``--json``, ``--lang``."""
    parser.add_argument("dice", nargs=2, type=int, metavar="DIE")
    parser.add_argument("--dealer", choices=SEATS, default="E")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")


def run(args: argparse.Namespace) -> int:
    """Print where to take the first tiles."""
    first, second = args.dice
    broken = break_wall(first, second, args.dealer)
    if args.json:
        print(
            json.dumps(
                {"dice": [first, second], "seat": broken.seat, "skip": broken.skip, "stacks": broken.stacks}
            )
        )
        return 0
    print(
        say(
            "game.dice.line",
            args.lang,
            a=first,
            b=second,
            sum=first + second,
            seat=SEAT_NAMES[args.lang][broken.seat],
            place=say(_PLACES[broken.steps], args.lang),
            skip=broken.skip,
            first=broken.skip + 1,
            stacks=broken.stacks,
        )
    )
    return 0
