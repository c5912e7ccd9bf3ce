"""The reader in eight bits."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from pzvision.errors import PzvisionError  # noqa: E402
from pzvision.train import quantize  # noqa: E402
from pzvision.train.quantize import (  # noqa: E402
    Comparison,
    QuantizePlan,
    compare,
    expose_features,
    quantize_reader,
    scene_faces,
)
from pzvision.vision.reader import FaceReader  # noqa: E402
from pzvision.vision.session import digest, model_metadata, quantised  # noqa: E402

MODELS = Path(__file__).resolve().parents[2] / "models"
QUICK = QuantizePlan(calibration_scenes=3, test_scenes=3, most_lost=0.05, most_nll=0.1)


@pytest.fixture(scope="module")
def faces() -> tuple[np.ndarray, np.ndarray]:
    return scene_faces(3, 17, 0.03)


def test_scene_faces_are_crops_with_classes(faces: tuple[np.ndarray, np.ndarray]) -> None:
    crops, kinds = faces
    assert crops.shape[1:] == (48, 48, 3) and crops.dtype == np.uint8
    assert len(crops) == len(kinds) >= 15 and kinds.min() >= 0 and kinds.max() <= 27
    again, _ = scene_faces(3, 17, 0.03)
    assert (again == crops).all()


def test_features_are_what_the_last_layer_sees(tmp_path: Path, faces: tuple[np.ndarray, np.ndarray]) -> None:
    model = onnx.load(str(MODELS / "reader.onnx"))
    expose_features(model)
    expose_features(model)  # once is enough
    assert [o.name for o in model.graph.output] == ["kinds", "turns", "features"]
    path = tmp_path / "reader.onnx"
    onnx.save(model, str(path))
    reader = FaceReader(path, threads=1, backend="onnxruntime")
    logp, features = reader.features(faces[0])
    weights = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
    gemm = quantize._last_layer(model.graph)
    matrix, bias = weights[gemm.input[1]], weights[gemm.input[2]]
    logits = features @ (matrix.T if matrix.shape[0] == 28 else matrix) + bias
    logits /= float(model_metadata(MODELS / "reader.onnx")["temperature"])
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    likely = logp > np.log(1e-3)
    np.testing.assert_allclose(logits[likely], logp[likely], atol=2e-3)


def test_eight_bits_stand_for_their_source(tmp_path: Path, faces: tuple[np.ndarray, np.ndarray]) -> None:
    shutil.copy(MODELS / "reader.onnx", tmp_path)
    results = quantize_reader(tmp_path, QUICK)
    small = tmp_path / "reader.int8.onnx"
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["reader.int8.onnx", "reader.onnx"]
    assert quantised(tmp_path / "reader.onnx") == small
    assert model_metadata(small)["source_sha256"] == digest(tmp_path / "reader.onnx")
    assert small.stat().st_size < 0.4 * (tmp_path / "reader.onnx").stat().st_size
    assert len(results) == 1 and results[0].agree > 0.95
    one = compare(tmp_path / "reader.onnx", small, *faces)
    assert one.faces == len(faces[1]) and one.agree > 0.95
    assert str(one).startswith(f"{one.faces} faces: right ")


def test_what_loses_too_much_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(MODELS / "reader.onnx", tmp_path)
    (tmp_path / "reader.int8.onnx").write_bytes(b"the old one")
    worse = Comparison(100, (0.95, 0.90), (0.2, 0.2), 0.93)
    monkeypatch.setattr(quantize, "compare", lambda *a, **k: worse)
    monkeypatch.setattr(quantize, "scene_faces", lambda *a: (np.zeros((8, 48, 48, 3), np.uint8), np.zeros(8)))
    monkeypatch.setattr(quantize, "quantize", lambda model, out, *a: out.write_bytes(b"x"))
    with pytest.raises(PzvisionError, match="eight bits lose too much: 100 faces"):
        quantize_reader(tmp_path, replace(QUICK, most_lost=0.01))
    assert (tmp_path / "reader.int8.onnx").read_bytes() == b"the old one"
    assert len(list(tmp_path.iterdir())) == 2


def test_no_reader_there(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match=r"missing model .*reader\.onnx"):
        quantize_reader(tmp_path)
