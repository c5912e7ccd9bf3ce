"""What ``pzvision live`` was not told and can find out: which game is played, and where the table is.

So that ``pzvision live --camera 0`` is enough: the rules are those of the evening before, and where there is
no calibration the page to make one comes first.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from pzvision.errors import PzvisionError
from pzvision.live.arguments import DEFAULT_CALIBRATION, find_calibration
from pzvision.live.calibrating import Ask, ask, fit_words, take_picture
from pzvision.live.fit import judge_fit
from pzvision.live.report import note
from pzvision.live.store import Store, default_path
from pzvision.messages import say
from pzvision.rules import load_ruleset

USUAL: Final = "pzh-popular"
"""The game where nobody has ever said another one."""


def choose_rules(args: argparse.Namespace, *, tell: Callable[[str], None] = note) -> None:
    """Where ``args.ruleset`` is None, put the last evening's rules there, else the usual ones, and say so.

    Args:
        args: of `live`; its ``option`` is filled in with them where none was given.
        tell: given a line for the person at the terminal.

    Raises:
        PzvisionError: the store cannot be read.
    """
    if args.ruleset is not None:
        return
    key, ruleset = "live.rules_usual", USUAL
    options: Mapping[str, object] = {}
    path = Path(args.store or default_path())
    if not args.no_store and path.is_file():
        store = Store(path)
        try:
            setups = [session.setup for session in store.sessions()]
        finally:
            store.close()
        if setups and isinstance(setups[-1].get("ruleset"), str):
            key, ruleset = "live.rules_last", setups[-1]["ruleset"]
            options = setups[-1].get("options") or {}
    args.ruleset = ruleset
    if not args.option:
        args.option = [f"{name}={_word(value)}" for name, value in options.items()]
    tell(say(key, args.lang, name=load_ruleset(ruleset).name(args.lang), id=ruleset))


def _word(value: object) -> str:
    """An option's value as `--option` takes it: ``true``, ``none``, ``64``."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def calibrate_first(args: argparse.Namespace, source: str, *, tell: Callable[[str], None] = note) -> bool:
    """Where there is no calibration and somebody is at the terminal, let him make one on the page.

    Args:
        args: of `live`.
        source: the camera on the table.
        tell: given a line for the person at the terminal.

    Returns:
        False when he gave up with Ctrl-C.

    Raises:
        PzvisionError: the camera cannot be opened.
    """
    if args.calibration is not None or args.no_page or not sys.stdin.isatty():
        return True
    path = Path(source)
    try:
        find_calibration(None, path if path.exists() else None)
    except PzvisionError:
        tell(say("live.calibrate_first", args.lang))
    else:
        return True
    picture, _ = take_picture(source, 0.0)
    made = ask(source, picture, Ask(), args.port, args.lang)
    if made is None:
        return False
    DEFAULT_CALIBRATION.parent.mkdir(exist_ok=True)
    made.save(DEFAULT_CALIBRATION)
    for line in (
        *fit_words(judge_fit(made), args.lang),
        say("live.written", args.lang, path=DEFAULT_CALIBRATION),
    ):
        print(line, flush=True)
    return True
