"""The file of an adapted tile set, and how a table finds it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.vision.reader import FaceReader
from pzvision.vision.rectify import SIZE
from pzvision.vision.session import source_digest
from pzvision.vision.tile_set import TileSet, find_tile_set, load_tile_set, set_path

MODELS = Path(__file__).resolve().parents[2] / "models"


def some_set(reader: str = "x", width: int = 768) -> TileSet:
    rng = np.random.default_rng(1)
    weights = rng.normal(0, 0.01, (width, 28)).astype(np.float32)
    return TileSet("club", reader, weights, rng.normal(0, 1, 28).astype(np.float32), "2026-11-30")


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "new" / "club.npz"
    tile_set = some_set()
    tile_set.save(path)
    back = TileSet.load(path)
    assert (back.name, back.reader, back.made) == ("club", "x", "2026-11-30")
    assert (back.weights == tile_set.weights).all() and (back.bias == tile_set.bias).all()
    assert [p.name for p in path.parent.iterdir()] == ["club.npz"]


def test_corrections_are_distributions() -> None:
    rng = np.random.default_rng(2)
    probs = rng.dirichlet(np.ones(28), 5).astype(np.float32)
    features = rng.normal(0, 1, (5, 768)).astype(np.float32)
    out = some_set().correct(probs, features)
    np.testing.assert_allclose(out.sum(axis=1), 1, atol=1e-5)
    assert np.abs(out - probs).max() > 0.01
    nothing = TileSet("n", "x", np.zeros((768, 28), np.float32), np.zeros(28, np.float32))
    np.testing.assert_allclose(nothing.correct(probs, features), probs, atol=1e-5)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04" + b"\0" * 50])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(PzvisionError, match=r"tile set .*x\.npz: not a file that pzvision adapt wrote"):
        TileSet.load(path)


def test_pickles_and_odd_numbers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, schema=np.array(1), name=np.array({"a": 1}, object))
    with pytest.raises(PzvisionError, match="not a file that"):
        TileSet.load(path)
    good = some_set()
    TileSet("club", "x", good.weights * np.nan, good.bias).save(path)
    with pytest.raises(PzvisionError, match="not a file that"):
        TileSet.load(path)
    with pytest.raises(PzvisionError, match="cannot be read"):
        TileSet.load(tmp_path / "missing.npz")
    np.savez(path, schema=np.array(7))
    with pytest.raises(PzvisionError, match="schema 7, expected 1"):
        TileSet.load(path)


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a" * 65, "a b"])
def test_names_that_are_no_file_names(name: str, tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match="expected a name of letters"):
        set_path(name, tmp_path / "table.toml")


def test_where_a_table_finds_its_set(tmp_path: Path) -> None:
    calibration = tmp_path / "table.toml"
    assert find_tile_set(None, None, calibration) is None
    assert find_tile_set(None, "club", None) is None
    with pytest.raises(PzvisionError, match=r"its tile_set 'club' is not there"):
        find_tile_set(None, "club", calibration)
    some_set().save(set_path("club", calibration))
    assert find_tile_set(None, "club", calibration) == tmp_path / "tile_sets" / "club.npz"
    assert find_tile_set("none", "club", calibration) is None
    assert find_tile_set("own.npz", "club", calibration) == Path("own.npz")
    loaded = load_tile_set(None, "club", calibration)
    assert loaded is not None and loaded.name == "club"


def test_a_set_of_another_reader_is_refused() -> None:
    path = MODELS / "reader.int8.onnx"
    with pytest.raises(PzvisionError, match="made for another reader"):
        FaceReader(path, threads=1, backend="onnxruntime", tile_set=some_set("0" * 64))


def test_the_reader_uses_it() -> None:
    path = MODELS / "reader.int8.onnx"
    reader = FaceReader(path, threads=1, backend="onnxruntime")
    faces = np.random.default_rng(0).integers(0, 256, (5, SIZE, SIZE, 3)).astype(np.uint8)
    before = reader.read(faces).probs
    logp, features = reader.features(faces)
    assert logp.shape == (5, 28) and features.shape == (5, 768)
    bias = np.zeros(28, np.float32)
    bias[4] = 30
    reader.tile_set = TileSet("five", source_digest(path), np.zeros((768, 28), np.float32), bias)
    assert (reader.read(faces).kinds == 4).all()
    reader.tile_set = None
    np.testing.assert_array_equal(reader.read(faces).probs, before)
