"""The report of what adapting gains: its sets, its pictures, its place in a document."""

from __future__ import annotations

import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.synth.invented import InventedFaces
from pzvision.tiles import BACK, KINDS
from pzvision.train import adapt_report
from pzvision.train.evaluate_scenes import counts


def test_invented_sets_tell_27_tiles_apart_and_come_again() -> None:
    for seed in range(6):
        faces = InventedFaces([3, seed])
        small = np.stack([faces.face(k)[::8, ::6].astype(int) for k in range(KINDS)])
        gaps = np.abs(small[:, None] - small[None]).mean(axis=(2, 3, 4)) + 1e3 * np.eye(KINDS)
        assert gaps.min() > 0.5
        assert (InventedFaces([3, seed]).face(5) == faces.face(5)).all()
    assert InventedFaces([3, 0]).described != InventedFaces([3, 1]).described
    assert np.ptp(faces.face(BACK).reshape(-1, 3), axis=0).max() == 0


def test_pictures_have_forty_tiles_of_the_kinds_asked_for() -> None:
    faces = next(iter(adapt_report.sets(5, 1, 0, None).values()))
    for index, make in enumerate((adapt_report.laid, adapt_report.table)):
        scene = make(faces, np.random.default_rng(index), 1)
        assert scene.image.shape == (720, 1280, 3)
        assert int((counts(scene) & (scene.classes < KINDS)).sum()) >= 40
    photo = adapt_report.lesson(faces, np.random.default_rng(2), 0)
    assert photo.classes.tolist() == list(range(KINDS))


def test_the_figures_go_between_the_marks() -> None:
    text = f"a\n{adapt_report.BEGIN}\nold\n{adapt_report.END}\nb\n"
    new = adapt_report.put("figures", text)
    assert "old" not in new and "figures" in new and new.startswith("a\n") and new.endswith("b\n")
    assert adapt_report.put("figures", new) == new
    with pytest.raises(PzvisionError, match="marks"):
        adapt_report.put("figures", "no marks")
