"""``pzvision train``: train, export and judge the two stages of the detector."""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path

from pzvision.errors import PzvisionError

SUMMARY = ("训练并评测识别模型。", "Train, export and judge the tile models.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--stage", choices=("finder", "reader"), default="finder")
    parser.add_argument("--recipe", type=Path, metavar="FILE")
    parser.add_argument("--built", type=Path, default=Path("datasets/built"), metavar="DIR")
    parser.add_argument("--data", type=Path, metavar="DIR")
    parser.add_argument("--out", type=Path, metavar="DIR")
    parser.add_argument("--start", type=Path, metavar="PT")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--rate", type=float, metavar="RATE")
    parser.add_argument("--processes", type=int, default=2, metavar="N")
    parser.add_argument("--steps", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--export", type=Path, metavar="DIR")
    parser.add_argument("--evaluate", type=Path, nargs="?", const=Path("models"), metavar="DIR")
    parser.add_argument("--photos", type=Path, metavar="DIR")
    parser.add_argument("--scenes", type=int, default=60, metavar="N")
    parser.add_argument(
        "--tables",
        type=int,
        default=100,
        metavar="N",
    )
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--crops", type=Path, metavar="DIR")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from pzvision.train import needs_training_packages

    _check(args)
    needs_training_packages()
    out = args.out or Path("runs") / args.stage
    done = False
    if args.stage == "reader" and args.data:
        _train_reader(args, out)
        done = True
    elif args.recipe:
        _train_finder(args, out)
        done = True
    if args.export:
        from pzvision.train.export import export_finder, slim_checkpoint

        print(f"exported: {export_finder(out / 'finder.pt', args.export / 'finder.onnx')}")
        slim_checkpoint(out / "finder.pt", args.export / "finder.pt")
        done = True
    if args.evaluate:
        from pzvision.train.evaluate_report import ReportPlan, write_report

        plan = ReportPlan(args.evaluate, args.photos, tuple(args.only), args.scenes, args.tables, args.crops)
        print(f"report: {write_report(plan)}")
        done = True
    if not done:
        raise PzvisionError(
            "nothing to do: give --recipe FILE (finder), --data DIR (reader), --export or --evaluate"
        )
    return 0


def _check(args: argparse.Namespace) -> None:
    """Raise `PzvisionError` for a number that is none or out of range (nan is neither above nor below)."""
    if not 0 < args.minutes < math.inf:
        raise PzvisionError(f"--minutes {args.minutes:g}: expected more than 0")
    if args.rate is not None and not 0 < args.rate <= 1:
        raise PzvisionError(f"--rate {args.rate:g}: expected more than 0, at most 1")
    for name, least in (("steps", 1), ("scenes", 0), ("tables", 0), ("processes", 1)):
        value = getattr(args, name)
        if value is not None and value < least:
            raise PzvisionError(f"--{name} {value}: expected a whole number from {least}")


def _train_finder(args: argparse.Namespace, out: Path) -> None:
    from pzvision.train.environment import ENVIRONMENT

    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)  # the training processes start with these
    from pzvision.train.data import load_recipe
    from pzvision.train.loop import TrainConfig, train

    recipe = load_recipe(args.recipe)
    rate = args.rate or TrainConfig.rate
    config = TrainConfig(minutes=args.minutes, rate=rate, seed=args.seed, processes=args.processes)
    print(f"training into {out} for {args.minutes:g} min; progress in {out / 'log.jsonl'}", flush=True)
    print(f"checkpoint: {train(recipe, args.built, out, config, start=args.start)}")


def _train_reader(args: argparse.Namespace, out: Path) -> None:
    from pzvision.train.reader import Plan, train

    plan = Plan(steps=args.steps or Plan.steps, rate=args.rate or Plan.rate, seed=args.seed)
    train(args.data, out, plan, start_from=args.start, log=lambda line: print(line, flush=True))
    print(f"model: {out / 'reader.onnx'}")
