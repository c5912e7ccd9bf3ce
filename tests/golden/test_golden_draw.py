"""Recipes drawn at random."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.golden.draw import draw, write_recipes
from pzvision.golden.recipes import load_recipes
from pzvision.rules import ruleset_ids

GOLDEN = Path(__file__).parents[2] / "datasets" / "golden"


def test_a_seed_gives_the_same_recipes_and_another_gives_others() -> None:
    first = draw(11, 1)
    assert first == draw(11, 1)
    assert {r.seed for r in first}.isdisjoint(r.seed for r in draw(12, 1))


def test_every_ruleset_is_drawn_and_what_is_written_reads_back(tmp_path: Path) -> None:
    recipes = draw(5, 2)
    assert Counter(r.ruleset for r in recipes) == dict.fromkeys(ruleset_ids(), 2)
    assert {r.seed for r in recipes}.isdisjoint(r.seed for r in load_recipes(GOLDEN))
    write_recipes(tmp_path / "fresh", recipes, "drawn")
    assert load_recipes(tmp_path / "fresh") == recipes
    with pytest.raises(PzvisionError, match="recipes already"):
        write_recipes(tmp_path / "fresh", recipes, "drawn")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "fresh")
    assert main(["golden", "draw", folder, "--seed", "3", "--lang", "en"]) == 0
    assert "7 recipes drawn" in capsys.readouterr().out
    assert main(["golden", "list", folder]) == 0
    assert capsys.readouterr().out.count("没有") == 7
    assert main(["golden", "draw", folder, "--rounds", "0"]) == 2
    assert "--rounds 0: expected 1 to 20" in capsys.readouterr().err
