"""The context reader: which faces it reads once more, and when the detector asks it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.synth.scenes import Scene, SceneConfig, random_scene
from pzvision.tiles import BACK, KINDS, OTHER
from pzvision.vision.context import ContextConfig, ContextReader
from pzvision.vision.detector import CONTEXT_FILE, DetectorConfig, TileDetector, find_model
from pzvision.vision.obb import side_px


@pytest.fixture(scope="module")
def table() -> Scene:
    config = SceneConfig(layouts=(("game", 1.0),), tile_px=(26.0, 30.0), no_tiles=0.0, arms=0.0, hard=0.5)
    return random_scene(np.random.default_rng([81, 1]), size=(1280, 720), config=config)


def context(**settings: float) -> ContextReader:
    config = ContextConfig(**settings)  # type: ignore[arg-type]
    return ContextReader(find_model(CONTEXT_FILE), threads=1, config=config, backend="onnxruntime")


def test_only_doubtful_small_faces_are_read_once_more(table: Scene) -> None:
    clear = (table.visible > 0.9) & (table.classes < KINDS)
    quads = table.polygons[clear].astype(np.float32)
    assert len(quads) >= 20
    sides = side_px(quads)
    limit = float(np.quantile(sides, 0.7))
    probs = np.full((len(quads), OTHER + 1), 0.02 / OTHER, np.float32)
    probs[:, 0] = 0.98
    probs[::2] = 1 / (OTHER + 1)
    before = probs.copy()
    after = context(largest_px=limit)(table.image, quads, probs)
    assert (probs == before).all(), "what was given stays"
    changed = (after != before).any(axis=1)
    doubtful = np.arange(len(quads)) % 2 == 0
    assert (changed == (doubtful & (sides <= limit))).all()
    assert np.allclose(after.sum(axis=1), 1, atol=1e-3)
    right = after.argmax(axis=1) == table.classes[clear]
    assert right[changed].mean() > 0.8, "a reader that knows nothing is put right"


def test_nothing_doubtful_costs_nothing(table: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = context()
    monkeypatch.setattr(reader.network, "run", lambda feed: pytest.fail("asked"))
    sure = np.eye(OTHER + 1, dtype=np.float32)[:3]
    assert reader(table.image, table.polygons[:3], sure) is sure


def test_another_model_is_refused() -> None:
    with pytest.raises(PzvisionError, match=r"finder\.onnx: does not read faces by what lies round them"):
        ContextReader(find_model("finder.onnx"), threads=1, backend="onnxruntime")


def test_it_is_asked_for_plain_pictures_only(table: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    detector = TileDetector(threads=1, backend="onnxruntime")
    asked = []
    monkeypatch.setattr(ContextReader, "__call__", lambda self, image, quads, probs: asked.append(1) or probs)
    finds = detector.set_right(table.image, detector.find(table.image))
    detector.name(table.image, finds)  # as a calibrated table's view from above is named
    assert not asked
    detector(table.image)
    assert asked


def test_without_its_model_the_reader_has_the_last_word(table: Scene, tmp_path: Path) -> None:
    for name in ("finder.onnx", "reader.onnx", "outliner.onnx"):
        (tmp_path / name).write_bytes(find_model(name).read_bytes())
    bare = TileDetector(tmp_path, threads=1, exact=True, backend="onnxruntime")
    off = TileDetector(threads=1, exact=True, backend="onnxruntime", config=DetectorConfig(context=None))
    assert len(bare.networks) == len(off.networks) == 3
    assert (bare(table.image).probs == off(table.image).probs).all()
    assert (off(table.image).class_ids <= BACK).all()
