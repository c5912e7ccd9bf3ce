"""Recipes drawn at random: recordings on which nothing was developed, to see what a reading is worth."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pzvision.errors import PzvisionError
from pzvision.game.simulate import simulate
from pzvision.golden.looks import GOLDEN_LOOKS
from pzvision.golden.recipes import RECIPES_FILE, Recipe
from pzvision.rules import ruleset_ids
from pzvision.synth.surfaces import HELD_OUT_SURFACES, SURFACES
from pzvision.synth.timeline import build_timeline
from pzvision.tiles import SEATS

_SECONDS: Final = (60.0, 150.0)  # of a hand as it is usually played; others are drawn again
_SPICE: Final = ((0.0, 0.0), (0.3, 0.0), (0.5, 0.0), (0.4, 0.9))  # and how much of it is rare
_TILES: Final = (Recipe.tile_cm, Recipe.tile_cm, (3.4, 2.5, 2.0), (3.9, 2.9, 2.2), (3.7, 2.8, 2.2))
_CAMERAS: Final = ("oblique", "high", "front", "right", "top", "tilted")
_DISTURB: Final = ((), (), (), ("arm",), ("cup",), ("light",), ("drop",), ("bump",))


def draw(seed: int, rounds: int) -> tuple[Recipe, ...]:
    """``rounds`` hands of every ruleset, everything else about them drawn from ``seed``."""
    chance = random.Random(seed)
    surfaces = (*HELD_OUT_SURFACES, *SURFACES)
    out: list[Recipe] = []
    for ruleset in tuple(ruleset_ids()) * rounds:
        while True:
            game = chance.randrange(1000, 100_000)
            spice, rare = chance.choice(_SPICE)
            dealer = chance.choice(SEATS)
            log = simulate(ruleset, game, 1, base=1, dealer=dealer, spice=spice, rare=rare)
            if _SECONDS[0] < build_timeline(list(log), seed=game).duration < _SECONDS[1]:
                break
        out.append(
            Recipe(
                name=f"{len(out) + 1:02d}-{ruleset.removeprefix('pzh-')}",
                ruleset=ruleset,
                seed=game,
                dealer=dealer,
                base=chance.choice((1, 2, 5)),
                spice=spice,
                rare=rare,
                look=chance.choice(tuple(GOLDEN_LOOKS)),
                tile_cm=chance.choice(_TILES),
                felt=(chance.choice(surfaces), chance.randrange(20)),
                room=chance.randrange(10_000),
                camera=_CAMERAS[len(out) % len(_CAMERAS)],
                near=chance.choice(SEATS),
                river=chance.choice(("rows", "heap")),
                mess=chance.choice((0.6, 1.0, 1.4)),
                pace=chance.choice((0.8, 0.85, 0.95, 1.1)),
                an_gang=chance.choice(("up", "up", "down")),
                think=chance.choice((0.05, 0.05, 0.15)),
                disturb=chance.choice(_DISTURB),
            )
        )
    return tuple(out)


def write_recipes(folder: Path, recipes: Sequence[Recipe], remark: str) -> Path:
    """A new folder's recipes; returns the file.

    Raises `PzvisionError` where there are some already, or it cannot be written.
    """
    path = folder / RECIPES_FILE
    lines = [f"# {remark}"]
    for recipe in recipes:
        lines += ["", "[[recipe]]", *(f"{key} = {json.dumps(v)}" for key, v in recipe.format().items())]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
    except FileExistsError:
        raise PzvisionError(f"{path}: there are recipes already; expected another folder") from None
    except OSError as error:
        raise PzvisionError(f"cannot write {str(path)!r}: {error.strerror}") from None
    return path
