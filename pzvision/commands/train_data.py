"""``pzvision train-data``: build and look at the finder's training set."""

from __future__ import annotations

import argparse
from pathlib import Path

from pzvision.errors import PzvisionError

SUMMARY = ("按配方生成训练数据。", "Build the training pictures of a recipe; preview them.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--recipe", type=Path, required=True, metavar="FILE")
    parser.add_argument("--built", type=Path, default=Path("datasets/built"), metavar="DIR")
    parser.add_argument("--mark", type=Path, metavar="FINDER")  # fmt: skip
    parser.add_argument("--preview", type=Path, metavar="PICTURE")
    parser.add_argument("--samples", type=int, default=16, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from pzvision.train import needs_training_packages

    needs_training_packages()
    from pzvision.train.data import build_pool, load_recipe
    from pzvision.train.preview import contact_sheet
    from pzvision.train.unlabelled import mark_unlabelled
    from pzvision.vision.finder import TileFinder

    if args.samples < 1:
        raise PzvisionError(f"--samples {args.samples}: expected at least 1")
    recipe = load_recipe(args.recipe)
    for source in recipe.sources:
        if source.kind != "photos":
            print(f"{source.name}: {build_pool(recipe, source, args.built)}")
        elif args.mark:
            marks = args.built / f"{source.name}-unlabelled.npz"
            args.built.mkdir(parents=True, exist_ok=True)
            count = mark_unlabelled(TileFinder(args.mark), recipe.base / source.path, marks)
            print(f"{source.name}: {count} faces without a label, not judged in training ({marks})")
    if args.preview:
        contact_sheet(recipe, args.built, args.preview, args.samples, args.seed)
        print(f"preview: {args.preview}")
    return 0
