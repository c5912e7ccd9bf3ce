"""What each hand of the golden set is made of."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from pzvision.errors import FormatError, PzvisionError
from pzvision.golden.looks import GOLDEN_LOOKS
from pzvision.rules import ruleset_ids
from pzvision.synth.disturb import KINDS as DISTURBANCES
from pzvision.synth.looks import LOOKS
from pzvision.synth.room import CAMERAS
from pzvision.synth.surfaces import HELD_OUT_SURFACES, SURFACES
from pzvision.tiles import SEATS, Seat

RECIPES_FILE: Final = "recipes.toml"
OBSERVATIONS: Final = "observations"
TRUTH: Final = "truth"


@dataclass(frozen=True)
class Recipe:
    """One recording.

    Attributes:
        name: of its files; lower-case letters, digits and dashes.
        ruleset: id. ``seed``: of the game, the timing and the noise. ``hands``: in a row.
        dealer: of the first hand. ``base``: stake.
        spice, rare, leave: of `pzvision.game.simulate.simulate`.
        look: tile set. ``tile_cm``: height, width, thickness.
        felt: surface and its seed. ``room``: seed of everything else about the room.
        camera: one of `CAMERAS`. ``near``: the seat at the near edge.
        river, mess, pace, an_gang, think: as `pzvision.synth.timeline.Style`.
        breaks: long pauses of a player.
        disturb: what else happens, of `DISTURBANCES`, at times drawn from the seed.
    """

    name: str
    ruleset: str
    seed: int
    hands: int = 1
    dealer: Seat = "E"
    base: int = 1
    spice: float = 0.0
    rare: float = 0.0
    leave: float = 0.0
    look: str = "harbour"
    tile_cm: tuple[float, float, float] = (3.6, 2.7, 2.1)
    felt: tuple[str, int] = ("felt", 0)
    room: int = 0
    camera: str = "oblique"
    near: Seat = "E"
    river: str = "rows"
    mess: float = 1.0
    pace: float = 1.0
    an_gang: str = "up"
    think: float = 0.05
    breaks: int = 0
    disturb: tuple[str, ...] = ()

    @classmethod
    def parse(cls, record: Mapping[str, Any]) -> Recipe:
        """From a table of the recipes' file. Raises `FormatError` naming key, value and what was expected."""
        known = {f.name: f for f in fields(cls)}
        for key in record:
            if key not in known:
                raise FormatError(f"{key}: unknown key, expected one of {', '.join(known)}", field=key)
        values: dict[str, Any] = {}
        for key, field in known.items():
            if key not in record:
                if field.default is dataclasses.MISSING:
                    raise FormatError(f"{key}: missing", field=key)
                continue
            value = record[key]
            values[key] = tuple(value) if isinstance(value, list) else value
        recipe = cls(**values)
        recipe._check()
        return recipe

    def format(self) -> dict[str, Any]:
        """The table again, without what is as by default; inverse of `parse`."""
        out: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                out[field.name] = list(value) if isinstance(value, tuple) else value
        return out

    @property
    def digest(self) -> str:
        """SHA-256 of everything in it but its name."""
        content = {**dataclasses.asdict(self), "name": None}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def _check(self) -> None:
        one_of: dict[str, tuple[object, ...]] = {
            "ruleset": tuple(ruleset_ids()),
            "dealer": SEATS,
            "near": SEATS,
            "look": (*LOOKS, *GOLDEN_LOOKS),
            "camera": tuple(CAMERAS),
            "river": ("rows", "heap"),
            "an_gang": ("up", "down"),
        }
        for key, choices in one_of.items():
            if getattr(self, key) not in choices:
                expected = " ".join(map(str, choices))
                raise FormatError(f"{key} {getattr(self, key)!r}: expected one of {expected}", field=key)
        for kind in self.disturb:
            if kind not in DISTURBANCES:
                raise FormatError(
                    f"disturb {kind!r}: expected one of {' '.join(DISTURBANCES)}", field="disturb"
                )
        surfaces = (*SURFACES, *HELD_OUT_SURFACES)
        if len(self.felt) != 2 or self.felt[0] not in surfaces:
            raise FormatError(
                f"felt {self.felt!r}: expected [one of {' '.join(surfaces)}, seed]", field="felt"
            )
        if len(self.tile_cm) != 3:
            raise FormatError(f"tile_cm {self.tile_cm!r}: expected height, width, thickness", field="tile_cm")
        if not self.name or not all(c.isdigit() or c == "-" or "a" <= c <= "z" for c in self.name):
            raise FormatError(
                f"name {self.name!r}: expected lower-case letters, digits, dashes", field="name"
            )
        limits = {"hands": (1, 8), "pace": (0.5, 3), "mess": (0, 3), "breaks": (0, 5), "base": (1, 10**6)}
        for key, (low, high) in limits.items():
            if not low <= getattr(self, key) <= high:
                raise FormatError(f"{key} {getattr(self, key)}: expected {low} to {high}", field=key)


def load_recipes(folder: Path) -> tuple[Recipe, ...]:
    """The recipes of a golden set, in the file's order.

    Raises `PzvisionError` naming the file, the recipe and what is wrong with it.
    """
    path = folder / RECIPES_FILE
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PzvisionError(f"cannot read {str(path)!r}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PzvisionError(f"{path}: not TOML: {error}") from None
    tables = data.get("recipe")
    if not isinstance(tables, list) or not tables or set(data) != {"recipe"}:
        raise PzvisionError(f"{path}: expected [[recipe]] tables and nothing else")
    out: list[Recipe] = []
    for number, table in enumerate(tables, 1):
        try:
            recipe = Recipe.parse(table)
        except (FormatError, TypeError) as error:
            name = table.get("name", f"number {number}") if isinstance(table, dict) else f"number {number}"
            raise PzvisionError(f"{path}: recipe {name}: {error}") from None
        if any(recipe.name == other.name for other in out):
            raise PzvisionError(f"{path}: recipe {recipe.name}: there are two of that name")
        out.append(recipe)
    return tuple(out)
