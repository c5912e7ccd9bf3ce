"""The shipped detector: stage 1 and both stages together on rendered scenes."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.synth.scenes import Scene, SceneConfig, random_scene
from pzvision.tiles import BACK
from pzvision.vision.detector import TileDetector, find_model
from pzvision.vision.finder import BACK as BACK_FOUND
from pzvision.vision.finder import FinderConfig, TileFinder
from pzvision.vision.obb import overlaps

EASY = SceneConfig(
    layouts=(("rows", 1.0), ("spread", 1.0)), tile_px=(45.0, 60.0), no_tiles=0.0, arms=0.0, hard=0.2
)


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [random_scene(np.random.default_rng([77, i]), size=(960, 544), config=EASY) for i in range(4)]


@pytest.fixture(scope="module")
def detector() -> TileDetector:
    return TileDetector(threads=2)


def alike(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(N, M) likeness of outlines."""
    return overlaps(np.concatenate([a, b]).astype(np.float32))[: len(a), len(a) :]


def test_faces_of_easy_scenes_are_found_where_they_lie(detector: TileDetector, scenes: list[Scene]) -> None:
    found = total = 0
    for scene in scenes:
        finds = detector.find(scene.image)
        clear = (scene.visible > 0.9) & (scene.classes != BACK)
        best = alike(scene.polygons[clear], finds.quads[finds.classes != BACK_FOUND]).max(axis=1)
        found, total = found + int((best > 0.6).sum()), total + int(clear.sum())
    assert total >= 40
    assert found / total >= 0.95


def test_few_faces_are_named_where_no_tile_is(detector: TileDetector, scenes: list[Scene]) -> None:
    wrong = total = 0
    for scene in scenes:
        found = detector(scene.image)
        faces = found.polygons[found.class_ids != BACK]
        best = alike(faces, scene.polygons).max(axis=1)
        wrong, total = wrong + int((best < 0.3).sum()), total + len(faces)
    assert total >= 40
    assert wrong / total <= 0.08


def test_both_stages_give_names_and_the_tiles_own_top_left(
    detector: TileDetector, scenes: list[Scene]
) -> None:
    right = turned = seen = 0
    for scene in scenes:
        found = detector(scene.image)
        assert found.image_size == (960, 544)
        assert np.allclose(found.probs.sum(axis=1), 1, atol=1e-4)
        clear = (scene.visible > 0.9) & (scene.classes < 27)
        likeness = alike(scene.polygons[clear], found.polygons)
        for polygon, kind, row in zip(scene.polygons[clear], scene.classes[clear], likeness, strict=True):
            at = int(row.argmax())
            if row[at] < 0.6:
                continue
            seen += 1
            right += int(found.class_ids[at] == kind)
            lopsided = kind < 9 or kind in (9, 15, 24)  # 万, 1条, 7条, 7筒 differ upside down
            turned += int(not lopsided or np.abs(found.polygons[at] - polygon).max() < 0.45 * np.ptp(polygon))
    assert seen >= 30
    assert right / seen >= 0.8
    assert turned / seen >= 0.8


def test_a_plain_picture_has_no_tiles(detector: TileDetector) -> None:
    found = detector(np.full((480, 640, 3), 90, np.uint8))
    assert len(found) == 0 and found.image_size == (640, 480)


@pytest.mark.parametrize("shape", [(1, 1, 3), (7, 900, 3), (900, 7, 3), (33, 31, 3)])
def test_odd_sizes_are_looked_at(detector: TileDetector, shape: tuple[int, int, int]) -> None:
    assert detector(np.zeros(shape, np.uint8)).image_size == (shape[1], shape[0])


@pytest.mark.parametrize(
    "image", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32), np.zeros((0, 4, 3), np.uint8)]
)
def test_what_is_no_picture_is_refused(detector: TileDetector, image: np.ndarray) -> None:
    with pytest.raises(ValueError, match="image: expected uint8"):
        detector(image)


def test_the_same_picture_gives_the_same_finds(detector: TileDetector, scenes: list[Scene]) -> None:
    a, b = detector(scenes[0].image), detector(scenes[0].image)
    assert (a.polygons == b.polygons).all() and (a.probs == b.probs).all()


def test_small_tiles_of_a_large_picture_get_a_second_look(scenes: list[Scene]) -> None:
    large = np.full((2400, 4200, 3), (60, 110, 60), np.uint8)
    h, w = scenes[0].image.shape[:2]
    large[900 : 900 + h, 1500 : 1500 + w] = scenes[0].image
    path = find_model("finder.onnx")
    once = TileFinder(path, threads=2, config=FinderConfig(again=False))(large)
    twice = TileFinder(path, threads=2)(large)
    clear = (scenes[0].visible > 0.9) & (scenes[0].classes != BACK)
    truth = scenes[0].polygons[clear] + np.array([1500, 900], np.float32)

    def recall(quads: np.ndarray) -> float:
        return float((alike(truth, quads).max(axis=1) > 0.6).mean()) if len(quads) else 0.0

    assert recall(twice.quads) >= max(0.9, recall(once.quads))


def test_providers_are_shown() -> None:
    detector = TileDetector(threads=1, backend="onnxruntime")
    assert detector.providers == ("CPUExecutionProvider",)


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match=r"missing model finder\.onnx"):
        TileDetector(tmp_path)


def test_detect_json_and_annotated_picture(
    tmp_path: Path, scenes: list[Scene], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), scenes[0].image)
    assert main(["detect", str(path), "--json", "--out", str(tmp_path / "out")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    record = json.loads(lines[0])
    assert (record["image"], record["width"], record["height"]) == (str(path), 960, 544)
    assert len(record["detections"]) >= 8
    for row in record["detections"]:
        assert set(row) == {"tile", "confidence", "box", "polygon"}
        assert 0 < row["confidence"] <= 1
        assert row["box"][0] == pytest.approx(min(x for x, _ in row["polygon"]), abs=0.11)
        assert row["box"][3] == pytest.approx(max(y for _, y in row["polygon"]), abs=0.11)
    sure = [row["confidence"] for row in record["detections"]]
    assert sure == sorted(sure, reverse=True)
    drawn = cv2.imread(str(tmp_path / "out" / "a.tiles.jpg"))
    assert drawn is not None and drawn.shape == scenes[0].image.shape
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["a.tiles.jpg"]
