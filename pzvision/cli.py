"""The ``pzvision`` command: finds the subcommand's module and runs it."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Final

from pzvision import __version__
from pzvision.errors import PzvisionError

COMMANDS: Final[dict[str, str]] = {
    "demo": "pzvision.commands.demo",
    "replay": "pzvision.commands.replay",
    "live": "pzvision.commands.live",
    "detect": "pzvision.commands.detect",
    "calibrate": "pzvision.commands.calibrate",
    "score": "pzvision.commands.score",
    "waits": "pzvision.commands.waits",
    "settle": "pzvision.commands.settle",
    "rules": "pzvision.commands.rules",
    "dice": "pzvision.commands.dice",
    "simulate": "pzvision.commands.simulate",
    "render": "pzvision.commands.render",
    "evaluate": "pzvision.commands.evaluate",
    "train": "pzvision.commands.train",
    "train-data": "pzvision.commands.train_data",
}


def _load(name: str) -> ModuleType:
    return importlib.import_module(COMMANDS[name])


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The whole parser, or with ``only`` just that subcommand's (fast start)."""
    parser = argparse.ArgumentParser(
        prog="pzvision",
        description="攀枝花/西昌麻将牌桌助手:看一整局牌,自动算账。"
        " Reads a whole game of Panzhihua or Xichang mahjong from a camera and settles it.",
    )
    parser.add_argument("--version", action="version", version=f"pzvision {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [only] if only else COMMANDS:
        module = _load(name)
        zh, en = module.SUMMARY
        sub = commands.add_parser(name, help=f"{zh} {en}", description=f"{zh} {en}")
        module.add_arguments(sub)
        sub.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, 1 (a finding), 2 (bad input) or 130 (interrupted)."""
    words = list(sys.argv[1:] if argv is None else argv)
    only = words[0] if words and words[0] in COMMANDS else None
    try:
        args = build_parser(only).parse_args(words)
        return int(args.run(args))
    except PzvisionError as error:
        print(f"pzvision: error: {error}", file=sys.stderr)
        return 2
    except ImportError as error:
        if error.name != "cv2" and ".so" not in str(error):
            raise
        print(
            f"pzvision: error: a system library is missing ({error}); on Debian and Ubuntu: "
            "apt-get install libgl1 libglib2.0-0",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print("pzvision: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


if __name__ == "__main__":
    raise SystemExit(main())
