"""``pzvision bench-detector``: its figures, and what it refuses."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.commands.bench_detector import table
from pzvision.synth.scenes import SceneConfig, random_scene
from pzvision.vision.bench import STAGES, Bench, measure
from pzvision.vision.calibration import Calibration
from pzvision.vision.detector import TileDetector


@pytest.fixture(scope="module")
def image() -> np.ndarray:
    config = SceneConfig(layouts=(("rows", 1.0),), tile_px=(40.0, 50.0), no_tiles=0.0, arms=0.0, hard=0.2)
    return random_scene(np.random.default_rng(3), size=(640, 384), config=config).image


def test_every_stage_is_timed(image: np.ndarray) -> None:
    bench = measure(TileDetector(threads=1, backend="onnxruntime"), [image, image], rounds=2)
    assert set(bench.stages) == set(STAGES) and all(ms > 0 for ms in bench.stages.values())
    assert bench.pictures == 2 and bench.tiles >= 5
    assert 0 < bench.whole <= bench.slow and bench.processor > 0
    assert [tiles for tiles, _ in bench.each] == [bench.tiles] * 2
    assert all(0 < ms <= bench.slow for _, ms in bench.each)
    assert 50 < bench.peak_mb < 100_000
    assert Bench.parse(json.loads(json.dumps(bench.to_dict()))) == bench
    lines = table([bench]).splitlines()
    assert all(name in lines[0] for name in STAGES)
    (tiles, ms), _ = bench.each
    assert lines[-1].startswith(f"onnxruntime, tiles and ms of every picture: {tiles}: {ms:.1f}, ")
    assert lines[1].startswith("onnxruntime") and f"{bench.whole:.1f}" in lines[1]


def test_a_calibrated_table_is_timed_from_above(
    tmp_path: Path, image: np.ndarray, capsys: pytest.CaptureFixture[str]
) -> None:
    path, table_file = tmp_path / "a.png", tmp_path / "table.toml"
    cv2.imwrite(str(path), image)
    height, width = image.shape[:2]
    corners = ((0.2, 0.95), (0.8, 0.95), (0.7, 0.1), (0.3, 0.1))
    Calibration((width, height), corners).save(table_file)
    words = [
        "bench-detector",
        str(path),
        "--backend",
        "onnxruntime",
        "--rounds",
        "1",
        "--threads",
        "1",
        "--json",
    ]
    assert main([*words, "--calibration", str(table_file)]) == 0
    above = Bench.parse(json.loads(capsys.readouterr().out))
    assert above.pictures == 1 and above.whole > 0 and set(above.stages) == set(STAGES)
    assert main(["bench-detector", "--calibration", str(table_file)]) == 2
    assert "expected pictures of that table" in capsys.readouterr().err


def test_nothing_to_time_is_refused(image: np.ndarray) -> None:
    with pytest.raises(ValueError, match="at least one picture"):
        measure(TileDetector(threads=1, backend="onnxruntime"), [])
    with pytest.raises(ValueError, match="that reads"):
        measure(TileDetector(threads=1, backend="onnxruntime", read=False), [image])


def test_the_command_names_what_auto_picks(
    tmp_path: Path, image: np.ndarray, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), image)
    assert main(["bench-detector", str(path), "--rounds", "1", "--threads", "1"]) == 0
    out, err = capsys.readouterr()
    there = importlib.util.find_spec("openvino") is not None
    assert ("openvino  " in out) == there
    assert ("--backend openvino: not installed" in err) != there
    assert f"auto picks {'openvino' if there else 'onnxruntime'}" in out


def test_one_backend_as_json(tmp_path: Path, image: np.ndarray, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), image)
    words = [str(path), "--rounds", "1", "--threads", "1", "--backend", "onnxruntime", "--json"]
    assert main(["bench-detector", *words]) == 0
    bench = Bench.parse(json.loads(capsys.readouterr().out))
    assert bench.backend == "onnxruntime" and bench.pictures == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--rounds", "0"], "--rounds 0"),
        (["--threads", "0"], "--threads 0"),
        (["--backend", "cuda"], "--backend cuda"),
        (["missing.jpg", "--backend", "onnxruntime"], "missing.jpg"),
        (["missing.jpg"], "missing.jpg"),
    ],
)
def test_bad_input(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench-detector", *words]) == 2
    err = capsys.readouterr().err.splitlines()
    assert err[-1].startswith("pzvision: error: ") and says in err[-1]
