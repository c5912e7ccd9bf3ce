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
from pzvision.vision.finder import FinderConfig, TileFinder, cut_by, window_spots
from pzvision.vision.obb import overlaps, side_px

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
    path = find_model("finder.onnx")
    finders = TileFinder(path, threads=2, config=FinderConfig(again=False)), TileFinder(path, threads=2)
    hits, total = np.zeros(2), 0
    for scene in scenes:
        large = np.full((2400, 4200, 3), (60, 110, 60), np.uint8)
        h, w = scene.image.shape[:2]
        large[900 : 900 + h, 1500 : 1500 + w] = scene.image
        clear = (scene.visible > 0.9) & (scene.classes != BACK)
        truth = scene.polygons[clear] + np.array([1500, 900], np.float32)
        total += len(truth)
        for k, finder in enumerate(finders):
            hits[k] += (alike(truth, finder(large).quads).max(axis=1) > 0.6).sum()
    assert total >= 60
    assert hits[1] >= max(0.95 * total, hits[0])


def looks(finder: TileFinder, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Collects the shape of each input of the network from now on."""
    seen: list[tuple[int, ...]] = []
    run = finder.network.run

    def counted(feed: np.ndarray) -> list[np.ndarray]:
        seen.append(feed.shape)
        return run(feed)

    monkeypatch.setattr(finder.network, "run", counted)
    return seen


@pytest.fixture
def finder() -> TileFinder:
    return TileFinder(find_model("finder.onnx"), threads=2)


def test_tiles_far_away_are_looked_at_again_enlarged(
    finder: TileFinder, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = SceneConfig(layouts=(("game", 1.0),), tile_px=(12.0, 15.0), no_tiles=0.0, arms=0.0, hard=0.0)
    once = TileFinder(find_model("finder.onnx"), threads=2, config=FinderConfig(again=False))
    shapes = looks(finder, monkeypatch)
    hits, total = np.zeros(2), 0
    for index in range(3):
        far = random_scene(np.random.default_rng([79, index]), size=(1280, 720), config=config)
        clear = (far.visible > 0.9) & (far.classes != BACK)
        total += int(clear.sum())
        for k, found in enumerate((once(far.image), finder(far.image))):
            hits[k] += (alike(far.polygons[clear], found.quads).max(axis=1) > 0.6).sum()
            among = alike(found.quads, found.quads) - np.eye(len(found))
            assert among.max() <= 0.62, "one tile was found twice, at a seam or by both looks"
    assert total >= 100
    assert hits[1] >= hits[0] + 0.1 * total
    assert len(shapes) == 6, "a first look at each table and one more at the tiles"
    assert set(shapes[::2]) == {(1, 544, 960, 3)}


def test_pictures_of_one_camera_are_looked_at_again_in_one_size(
    finder: TileFinder, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = SceneConfig(layouts=(("game", 1.0),), tile_px=(30.0, 36.0), no_tiles=0.0, arms=0.0, hard=0.0)
    scene = random_scene(np.random.default_rng([81, 0]), size=(1280, 720), config=config)
    shapes = looks(finder, monkeypatch)
    rng = np.random.default_rng(5)
    for _ in range(8):
        noisy = scene.image + rng.normal(0, 4, scene.image.shape)
        finder(np.clip(noisy, 0, 255).astype(np.uint8))
    first, again = shapes[::2], shapes[1::2]
    assert len(first) == len(again) == 8
    assert max(again.count(shape) for shape in again) >= 6, again


def test_near_tiles_are_looked_at_again_at_full_size_only(
    finder: TileFinder, scenes: list[Scene], monkeypatch: pytest.MonkeyPatch
) -> None:
    near = [s for s in scenes if side_px(s.polygons).min() * 1280 / 960 > 32]
    assert len(near) >= 2
    shapes = looks(finder, monkeypatch)
    for scene in near:
        shapes.clear()
        finder(scene.image)
        first, again = shapes
        assert first == (1, 544, 960, 3)
        assert max(again[1:3]) <= 1280, "not enlarged beyond one look at the whole picture"


def test_where_the_size_of_tiles_is_known_it_alone_says_how_to_look(
    finder: TileFinder, scenes: list[Scene], monkeypatch: pytest.MonkeyPatch
) -> None:
    shapes = looks(finder, monkeypatch)
    far = cv2.resize(scenes[0].image, (320, 181), interpolation=cv2.INTER_AREA)
    finder(far, 30.0)  # said to be large: one look, whatever is found
    assert len(shapes) == 1
    shapes.clear()
    found = finder(far, 8.0)  # enlarged twice they would be 16 px: windows that enlarge three times, no more
    assert shapes == [(1, 544, 640, 3), (1, 544, 640, 3)]
    clear = (scenes[0].visible > 0.9) & (scenes[0].classes != BACK)
    assert (alike(scenes[0].polygons[clear] / 3, found.quads).max(axis=1) > 0.5).mean() > 0.7


def test_windows_cover_the_area_and_overlap() -> None:
    area, span, margin = (100.0, 50.0, 1150.0, 700.0), 300.0, 40.0
    spots = np.array(window_spots((1280, 720), area, span, margin))
    assert spots.min() >= 0 and (spots[:, 2] <= 1280).all() and (spots[:, 3] <= 720).all()
    rng = np.random.default_rng(3)
    corner = rng.uniform([100, 50], [1150 - margin, 700 - margin], (500, 2))
    inside = (corner[:, None] >= spots[None, :, :2] - 1) & (
        corner[:, None] + margin <= spots[None, :, 2:] + 1
    )
    assert inside.all(axis=2).any(axis=1).all(), "anything smaller than the margin is whole in some window"
    points = np.array([[110.0, 60.0]], np.float32)
    assert window_spots((1280, 720), area, span, margin, points) == [(100, 50, 400, 350)]


def test_outlines_that_a_window_cuts_are_left_to_its_neighbour() -> None:
    def box(x: float, y: float, right: float, bottom: float) -> np.ndarray:
        return np.array([[x, y], [right, y], [right, bottom], [x, bottom]], np.float32)

    quads = np.stack(
        [box(10, 10, 30, 40), box(101, 10, 120, 40), box(180, 10, 199, 40), box(150, 0, 170, 30)]
    )
    assert cut_by(quads, (100, 0, 200, 300), (600, 300)).tolist() == [True, True, True, False]
    assert not cut_by(quads[:1], (0, 0, 600, 300), (600, 300)).any()


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
