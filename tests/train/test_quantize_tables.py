"""The outliner and the context reader in eight bits."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")

from pzvision.errors import PzvisionError
from pzvision.train import quantize_tables as module
from pzvision.train.quantize_tables import TablesPlan, quantize_tables
from pzvision.vision.session import open_network, quantised

MODELS = Path(__file__).resolve().parents[2] / "models"
QUICK = TablesPlan(calibration_tables=1, test_tables=1, most_more=1.0)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for name in ("finder", "reader", "reader.int8", "outliner", "context"):
        shutil.copy(MODELS / f"{name}.onnx", tmp_path)
    return tmp_path


def test_both_are_written_and_answer_alike(models: Path) -> None:
    results = quantize_tables(models, plan=QUICK)
    assert list(results) == ["outliner", "context"] and len({exact for exact, _ in results.values()}) == 1
    assert not list(models.glob("*candidate*"))
    rng = np.random.default_rng(1)
    for name, side in (("outliner", 48), ("context", 80)):
        exact, small = models / f"{name}.onnx", models / f"{name}.int8.onnx"
        assert quantised(exact) == small and small.stat().st_size < 0.4 * exact.stat().st_size
        pictures = np.repeat(rng.integers(0, 256, (6, side // 8, side // 8, 3), np.uint8), 8, 1).repeat(8, 2)
        ours, theirs = (open_network(p, 1, "onnxruntime").run(pictures) for p in (small, exact))
        assert len(ours) == len(theirs)
        assert np.abs(ours[0] - theirs[0]).mean() < 0.1


def test_what_loses_too_much_is_not_written(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (models / "context.int8.onnx").write_bytes(b"the old one")
    monkeypatch.setattr(module, "_tables", lambda count, seed: iter(()))
    monkeypatch.setattr(module, "_given", lambda *a: {"context": np.zeros((8, 80, 80, 3), np.uint8)})
    monkeypatch.setattr(module, "quantize", lambda model, out, *a, **k: out.write_bytes(b"x"))
    monkeypatch.setattr(module, "_errors", lambda models, instead, tables: 102 if instead else 100)
    with pytest.raises(PzvisionError, match=r"context in eight bits loses too much: 102 errors"):
        quantize_tables(models, ("context",))
    assert (models / "context.int8.onnx").read_bytes() == b"the old one"
    assert not list(models.glob("*candidate*"))
    assert quantize_tables(models, ("context",), TablesPlan(most_more=0.02)) == {"context": (100, 102)}


def test_a_missing_network_is_named(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match=r"missing model outliner\.onnx"):
        quantize_tables(tmp_path)
