"""The golden set as it is stored: the figures must not fall below the accepted ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from pzvision.golden.evaluate import figures
from pzvision.golden.report import Counts, drops, load_accepted

FOLDER = Path(__file__).parents[2] / "datasets" / "golden"
FAST = ("02-biankadiao", "06-popular", "07-xichang")


@pytest.mark.parametrize("names", [FAST, pytest.param(None, marks=pytest.mark.slow)])
def test_no_figure_is_worse_than_the_accepted_one(names: tuple[str, ...] | None) -> None:
    accepted = load_accepted(FOLDER)
    now = {name: Counts.of(one) for name, one in figures(FOLDER, names) if one is not None}
    assert now.keys() >= set(names or accepted) and now.keys() <= accepted.keys()
    worse = drops(now, accepted, "en")
    assert not worse, "\n".join(worse)
