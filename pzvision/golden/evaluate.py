"""Every recording of a golden set measured, one after the other or several at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from pzvision.errors import PzvisionError
from pzvision.golden.ablate import READERS
from pzvision.golden.build import Built
from pzvision.golden.measure import Figures, measure, usual_reader
from pzvision.golden.recipes import Recipe, load_recipes


def figures(
    folder: Path, only: Sequence[str] | None = None, ablate: str | None = None, jobs: int = 1
) -> Iterator[tuple[str, Figures | None]]:
    """Name and figures of each recording, in the recipes' order; None for one that is not built.

    Args:
        folder: of the golden set.
        only: names; None: all.
        ablate: what to leave out, of `READERS`.
        jobs: processes.

    Raises:
        PzvisionError: an unknown name, or a file is damaged.
    """
    recipes = load_recipes(folder)
    for name in only or ():
        if all(recipe.name != name for recipe in recipes):
            raise PzvisionError(f"--only {name!r}: expected a recipe of {folder}")
    tasks = [(folder, recipe, ablate) for recipe in recipes if not only or recipe.name in only]
    names = [recipe.name for _, recipe, _ in tasks]
    if jobs == 1:
        yield from zip(names, map(_one, tasks), strict=True)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from zip(names, pool.map(_one, tasks), strict=True)


def _one(task: tuple[Path, Recipe, str | None]) -> Figures | None:
    folder, recipe, ablate = task
    built = Built.of(folder, recipe)
    if built.state(recipe) == "missing":
        return None
    return measure(built, recipe, READERS[ablate] if ablate else usual_reader)
