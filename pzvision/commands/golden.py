"""``pzvision golden``: the golden set rendered straight into the detector, and others like it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from pzvision.errors import PzvisionError
from pzvision.messages.golden import MESSAGES

SUMMARY = MESSAGES["golden.summary"]
DEFAULT = Path("datasets/golden")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, with which recipes, where."""
    parser.add_argument("action", choices=("build", "list", "draw"))
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=DEFAULT,
        metavar="GOLDEN",
    )
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--rounds", type=int, default=1, metavar="N")
    parser.add_argument("--models", metavar="DIR")
    parser.add_argument("--threads", type=int, metavar="N")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")


def run(args: argparse.Namespace) -> int:
    """Build, list or draw. An interruption leaves what is complete."""
    from tqdm import tqdm

    from pzvision.golden.build import Built, build_one
    from pzvision.golden.recipes import load_recipes
    from pzvision.live.stored import model_digests
    from pzvision.messages import say
    from pzvision.vision.calibration import Calibration
    from pzvision.vision.detector import TileDetector
    from pzvision.vision.tableview import TableDetector

    if args.threads is not None and not 1 <= args.threads <= 64:
        raise PzvisionError(f"--threads {args.threads}: expected 1 to 64")
    if args.action == "draw":
        return _draw(args)
    recipes = load_recipes(args.folder)
    if args.only:
        names = {recipe.name for recipe in recipes}
        for name in args.only:
            if name not in names:
                raise PzvisionError(f"--only {name!r}: expected one of {' '.join(sorted(names))}")
        recipes = tuple(recipe for recipe in recipes if recipe.name in args.only)
    models = model_digests(args.models)
    states = {recipe.name: Built.of(args.folder, recipe).state(recipe, models) for recipe in recipes}
    if args.action == "list":
        for recipe in recipes:
            key = states[recipe.name].replace(" ", "_")
            what = " ".join((recipe.look, recipe.camera, recipe.river, *recipe.disturb))
            print(f"{recipe.name:<28} {say(f'golden.{key}', args.lang)}  {recipe.ruleset}  {what}")
        return 0
    wanted = {"missing", "changed"} | ({"other models"} if args.again else set())
    todo = [recipe for recipe in recipes if states[recipe.name] in wanted]
    finder = TileDetector(Path(args.models) if args.models else None, threads=args.threads)

    def detector(calibration: Calibration) -> TableDetector:
        return TableDetector(finder, calibration)

    for number, recipe in enumerate(todo, 1):
        with tqdm(
            unit="frame", file=sys.stderr, disable=None, desc=f"{number}/{len(todo)} {recipe.name}"
        ) as bar:

            def progress(done: int, total: int, bar: Any = bar) -> None:
                bar.total = total
                bar.update(done - bar.n)

            build_one(args.folder, recipe, detector, progress, models)
        print(say("golden.done", args.lang, name=recipe.name, number=number, total=len(todo)), flush=True)
    if not todo:
        print(say("golden.nothing", args.lang, total=len(recipes)))
    return 0


def _draw(args: argparse.Namespace) -> int:
    from pzvision.golden.draw import draw, write_recipes
    from pzvision.messages import say

    if not 1 <= args.rounds <= 20:
        raise PzvisionError(f"--rounds {args.rounds}: expected 1 to 20")
    recipes = draw(args.seed, args.rounds)
    remark = f"pzvision golden draw --seed {args.seed} --rounds {args.rounds}"
    path = write_recipes(args.folder, recipes, remark)
    print(say("golden.drawn", args.lang, total=len(recipes), path=path))
    return 0
