"""The recipes of the golden set, and what they promise about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pzvision.errors import PzvisionError
from pzvision.golden.looks import GOLDEN_LOOKS
from pzvision.golden.recipes import Recipe, load_recipes
from pzvision.rules import ruleset_ids
from pzvision.synth.disturb import KINDS
from pzvision.synth.looks import LOOKS
from pzvision.synth.motifs import BAMBOO_STYLES, BIRDS, DOT_STYLES
from pzvision.synth.surfaces import SURFACES

FOLDER = Path(__file__).parents[2] / "datasets" / "golden"


def test_the_set_is_as_wide_as_it_says() -> None:
    recipes = load_recipes(FOLDER)
    assert sum(r.hands for r in recipes) >= 40
    assert {r.ruleset for r in recipes} == set(ruleset_ids())
    assert len({r.camera for r in recipes}) >= 3
    assert {r.river for r in recipes} == {"rows", "heap"}
    assert {r.an_gang for r in recipes} == {"up", "down"}
    assert {kind for r in recipes for kind in r.disturb} == set(KINDS)
    assert len({r.look for r in recipes}) >= 5
    assert len({r.felt for r in recipes if r.felt[0] not in SURFACES}) >= 5
    assert sum(r.hands > 1 for r in recipes) >= 3 and any(r.breaks for r in recipes)


def test_no_model_was_trained_on_its_looks() -> None:
    for recipe in load_recipes(FOLDER):
        look = GOLDEN_LOOKS[recipe.look]
        assert recipe.look not in LOOKS
        assert look.dot not in DOT_STYLES
        assert look.bamboo not in BAMBOO_STYLES
        assert look.bird not in BIRDS


def test_a_recipe_is_read_as_it_was_written() -> None:
    for recipe in load_recipes(FOLDER):
        assert Recipe.parse(recipe.format()) == recipe
    one = load_recipes(FOLDER)[0]
    assert replace(one, name="x").digest == one.digest
    assert replace(one, seed=one.seed + 1).digest != one.digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected \\[\\[recipe\\]\\]"),
        ("x = 1", "expected \\[\\[recipe\\]\\]"),
        ("[[recipe", "not TOML"),
        ('[[recipe]]\nname = "a"\nseed = 1', "recipe a: ruleset: missing"),
        ('[[recipe]]\nname = "a"\nseed = 1\nruleset = "x"', "recipe a: ruleset 'x': expected one of pzh-"),
        ('[[recipe]]\nname = "A"\nseed = 1\nruleset = "xichang"', "name 'A': expected lower-case"),
        ('[[recipe]]\nname = "a"\nseed = 1\nruleset = "xichang"\nfog = 1', "fog: unknown key"),
        ('[[recipe]]\nname = "a"\nseed = 1\nruleset = "xichang"\nhands = 9', "hands 9: expected 1 to 8"),
        ('[[recipe]]\nname = "a"\nseed = 1\nruleset = "xichang"\ndisturb = ["rain"]', "disturb 'rain'"),
        ('[[recipe]]\nname = "a"\nseed = 1\nruleset = "xichang"\nfelt = ["x", 1]', "felt"),
        ('[[recipe]]\nname = "a"\nseed = 1\nruleset = "xichang"\n' * 2, "there are two of that name"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "recipes.toml").write_text(text)
    with pytest.raises(PzvisionError, match=message) as error:
        load_recipes(tmp_path)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match="cannot read"):
        load_recipes(tmp_path)
