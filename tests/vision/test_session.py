"""How models are opened: backends, notes in the file, eight-bit forms."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
import pytest

from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.synth.faces import draw_face
from pzvision.tiles import KINDS
from pzvision.vision import session
from pzvision.vision.detector import TileDetector
from pzvision.vision.reader import FaceReader
from pzvision.vision.rectify import SIZE
from pzvision.vision.session import (
    choose_backend,
    digest,
    model_metadata,
    open_network,
    quantised,
    source_digest,
)

MODELS = Path(__file__).resolve().parents[2] / "models"
OPENVINO = importlib.util.find_spec("openvino") is not None
needs_openvino = pytest.mark.skipif(not OPENVINO, reason="needs the extra fast: openvino")


@pytest.fixture(scope="module")
def faces() -> np.ndarray:
    drawn = [
        cv2.resize(draw_face(kind, look, 96), (SIZE, SIZE), interpolation=cv2.INTER_AREA)
        for look in ("jade", "blue", "white")
        for kind in range(KINDS)
    ]
    return np.array(drawn, np.uint8)


@pytest.mark.parametrize(
    "name",
    ["finder.onnx", "outliner.onnx", "reader.onnx", "reader.int8.onnx", "context.onnx", "context.int8.onnx"],
)
def test_notes_are_read_as_onnxruntime_reads_them(name: str) -> None:
    theirs = ort.InferenceSession(str(MODELS / name)).get_modelmeta().custom_metadata_map
    assert model_metadata(MODELS / name) == theirs and theirs


@pytest.mark.parametrize("content", [b"", b"no model", b"\xff" * 40, b"\x0a\xff\xff"])
def test_files_that_are_no_models(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.onnx"
    path.write_bytes(content)
    if content:
        with pytest.raises(PzvisionError, match=r"x\.onnx: not a usable ONNX file"):
            model_metadata(path)
    with pytest.raises(PzvisionError, match=r"x\.onnx: not a usable ONNX file"):
        open_network(path, 1, "onnxruntime")


def test_auto_takes_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    there: dict[str, object] = {"openvino": object()}
    monkeypatch.setattr(session.importlib.util, "find_spec", there.get)
    assert choose_backend() == choose_backend("openvino") == "openvino"
    assert choose_backend("onnxruntime") == "onnxruntime"
    there.clear()
    assert choose_backend() == "onnxruntime"
    with pytest.raises(
        PzvisionError, match=r"^--backend openvino: not installed; pip install 'pzvision\[fast\]'$"
    ):
        choose_backend("openvino")


@pytest.mark.parametrize("name", ["ultralytics", "tensorrt", ""])
def test_other_backends_are_refused_with_what_was_expected(name: str) -> None:
    with pytest.raises(PzvisionError, match="expected auto, onnxruntime or openvino"):
        choose_backend(name)


def test_detect_refuses_a_backend_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), np.zeros((64, 64, 3), np.uint8))
    assert main(["detect", str(path), "--backend", "ultralytics"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "--backend ultralytics" in err and "expected auto" in err


def test_the_shipped_eight_bit_reader_stands_for_the_shipped_weights() -> None:
    """After new weights: python -m pzvision.train.quantize --models models."""
    assert quantised(MODELS / "reader.onnx") == MODELS / "reader.int8.onnx"
    assert quantised(MODELS / "context.onnx") == MODELS / "context.int8.onnx"
    assert source_digest(MODELS / "reader.int8.onnx") == digest(MODELS / "reader.onnx")
    assert source_digest(MODELS / "reader.onnx") == digest(MODELS / "reader.onnx")


def test_an_eight_bit_reader_of_other_weights_does_not_count(tmp_path: Path) -> None:
    own = tmp_path / "reader.onnx"
    assert quantised(own) == own
    own.write_bytes((MODELS / "finder.onnx").read_bytes())
    assert quantised(own) == own
    (tmp_path / "reader.int8.onnx").write_bytes((MODELS / "reader.int8.onnx").read_bytes())
    assert quantised(own) == own
    own.write_bytes((MODELS / "reader.onnx").read_bytes())
    assert quantised(own) == tmp_path / "reader.int8.onnx"


def test_eight_bits_read_as_the_exact_weights_do(faces: np.ndarray) -> None:
    exact = FaceReader(MODELS / "reader.onnx", threads=1, backend="onnxruntime").read(faces)
    small = FaceReader(MODELS / "reader.int8.onnx", threads=1, backend="onnxruntime").read(faces)
    assert (exact.kinds == small.kinds).mean() >= 0.97
    assert np.abs(exact.probs - small.probs).max(axis=1).mean() < 0.03


def test_what_runs_is_said() -> None:
    detector = TileDetector(threads=1, backend="onnxruntime")
    assert detector.runs_on == f"onnxruntime {ort.__version__}: CPUExecutionProvider"
    assert [n.backend for n in detector.networks] == ["onnxruntime"] * 4


@needs_openvino
def test_openvino_reads_as_onnxruntime_does(faces: np.ndarray) -> None:
    for name in ("reader.onnx", "reader.int8.onnx"):
        ours = FaceReader(MODELS / name, threads=1, backend="onnxruntime").read(faces[:50])
        theirs = FaceReader(MODELS / name, threads=1, backend="openvino").read(faces[:50])
        assert len(theirs) == 50
        assert (ours.kinds == theirs.kinds).mean() >= 0.95
        assert np.abs(ours.probs - theirs.probs).max(axis=1).mean() < 0.04


@needs_openvino
def test_openvino_finds_what_onnxruntime_finds() -> None:
    from pzvision.synth.scenes import SceneConfig, random_scene

    config = SceneConfig(layouts=(("rows", 1.0),), tile_px=(45.0, 60.0), no_tiles=0.0, arms=0.0, hard=0.2)
    image = random_scene(np.random.default_rng(5), size=(640, 480), config=config).image
    ours = TileDetector(threads=1, backend="onnxruntime")(image)
    theirs = TileDetector(threads=1, backend="openvino")(image)
    assert "openvino" in TileDetector(threads=1, backend="openvino").runs_on
    assert abs(len(ours) - len(theirs)) <= 1 and len(ours) >= 8
    near = np.abs(ours.polygons.mean(1)[:, None] - theirs.polygons.mean(1)[None]).max(-1).min(1)
    assert (near < 1.5).mean() > 0.9


@needs_openvino
def test_a_shape_that_comes_often_gets_the_same_answers() -> None:
    network = open_network(MODELS / "finder.onnx", 1, "openvino")
    picture = np.random.default_rng(3).integers(0, 255, (1, 96, 160, 3)).astype(np.uint8)
    other = picture[:, :64].copy()
    (first,), (before,) = network.run(picture), network.run(other)
    for _ in range(20):
        (last,) = network.run(picture)
    np.testing.assert_allclose(last, first, atol=0.05)
    np.testing.assert_array_equal(network.run(other)[0], before)
    assert first.std() > 0.1 and last.shape == first.shape
