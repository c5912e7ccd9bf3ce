"""Weights between those of two checkpoints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("ultralytics")
pytest.importorskip("onnxslim")

import torch

from pzvision.errors import PzvisionError
from pzvision.train import mix
from pzvision.train.clock import between
from pzvision.train.finder import Finder
from pzvision.train.loop import load_checkpoint
from pzvision.vision.finder import TileFinder


def checkpoint(path: Path, seed: int) -> Path:
    torch.manual_seed(seed)
    weights = Finder().state_dict()
    size = {"width": Finder().size.width, "depth": Finder().size.depth}
    torch.save(
        {"model": weights, "average": weights, "updates": seed, "size": size, "images": 7, "optimiser": {}},
        path,
    )
    return path


def test_counters_are_the_new_ones_and_weights_lie_between() -> None:
    old = {"w": torch.tensor([0.0, 4.0]), "n": torch.tensor(3)}
    new = {"w": torch.tensor([1.0, 0.0]), "n": torch.tensor(9)}
    found = between(old, new, 0.25)
    assert found["w"].tolist() == [0.25, 3.0] and found["n"].item() == 9
    assert between(old, new, 1.0)["w"].tolist() == [1.0, 0.0]


def test_a_mixed_finder_runs_and_can_be_trained_on(tmp_path: Path) -> None:
    one, two = checkpoint(tmp_path / "one.pt", 1), checkpoint(tmp_path / "two.pt", 2)
    model = mix.mix_finder(one, two, 0.5, tmp_path / "out")
    stored = load_checkpoint(tmp_path / "out" / "finder.pt")
    name = next(iter(stored["average"]))
    parts = [load_checkpoint(p)["average"][name] for p in (one, two)]
    assert torch.allclose(stored["average"][name], (parts[0] + parts[1]) / 2)
    assert torch.equal(stored["model"][name], stored["average"][name])
    assert stored["images"] == 7 and "optimiser" not in stored
    TileFinder(model, threads=1)(np.zeros((64, 64, 3), np.uint8))


def test_a_missing_checkpoint_is_named(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match=r"none\.pt: no such file"):
        mix.mix_finder(tmp_path / "none.pt", tmp_path / "none.pt", 0.5, tmp_path)
