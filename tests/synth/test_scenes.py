"""Random scenes: repeatable, and every polygon really holds the face its label names, upright."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from pzvision.synth.camera import Camera
from pzvision.synth.faces import DrawnFaces
from pzvision.synth.scenes import Scene, SceneConfig, random_scene
from pzvision.tiles import BACK, KINDS, OTHER

CLEAN = SceneConfig(arms=0.0, props=0.0, hard=0.0, others=(0.0, 0.0), no_tiles=0.0, tile_px=(36.0, 120.0))


def _scene(seed: int, config: SceneConfig = CLEAN, size: tuple[int, int] = (640, 368)) -> Scene:
    return random_scene(np.random.default_rng(seed), textures=[DrawnFaces("jade")], config=config, size=size)


def test_the_same_seed_gives_the_same_scene() -> None:
    a = random_scene(np.random.default_rng(7), size=(480, 272))
    b = random_scene(np.random.default_rng(7), size=(480, 272))
    assert np.array_equal(a.image, b.image)
    assert np.array_equal(a.polygons, b.polygons) and np.array_equal(a.classes, b.classes)
    assert np.array_equal(a.visible, b.visible)
    c = random_scene(np.random.default_rng(8), size=(480, 272))
    assert not np.array_equal(a.image, c.image)


@pytest.mark.parametrize("seed", range(6))
def test_shapes_ranges_and_orientation(seed: int) -> None:
    scene = random_scene(np.random.default_rng(seed), size=(480, 272))
    n = len(scene.classes)
    assert scene.image.shape == (272, 480, 3) and scene.image.dtype == np.uint8
    assert scene.polygons.shape == (n, 4, 2) and scene.polygons.dtype == np.float32
    assert scene.visible.shape == (n,) and scene.classes.dtype == np.int64
    assert ((scene.classes >= 0) & (scene.classes <= BACK)).all()
    assert ((scene.visible > 0) & (scene.visible <= 1)).all()
    x, y = scene.polygons[..., 0], scene.polygons[..., 1]
    area = (x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1) / 2
    assert (area > 0).all()  # clockwise in a picture whose y looks down


def _signature(face: np.ndarray) -> np.ndarray:
    small = cv2.resize(face, (24, 32), interpolation=cv2.INTER_AREA).astype(np.float64)
    small -= small.mean()
    return small / (np.linalg.norm(small) + 1e-9)


def test_polygons_hold_the_faces_their_labels_name() -> None:
    faces = DrawnFaces("jade")
    known = [_signature(faces.face(kind)) for kind in range(KINDS)]
    looked = right = upright = 0
    for seed in range(24):
        scene = _scene(seed)
        for polygon, kind, seen in zip(scene.polygons, scene.classes, scene.visible, strict=True):
            sides = np.linalg.norm(np.roll(polygon, -1, axis=0) - polygon, axis=1)
            if kind >= OTHER or seen < 0.97 or sides.min() < 22:
                continue
            target = np.array([(0, 0), (96, 0), (96, 128), (0, 128)], np.float32)
            crop = cv2.warpPerspective(scene.image, cv2.getPerspectiveTransform(polygon, target), (96, 128))
            mark = _signature(crop)
            scores = [float((mark * k).sum()) for k in known]
            looked += 1
            right += int(np.argmax(scores)) == kind
            turned = float((_signature(np.ascontiguousarray(crop[::-1, ::-1])) * known[kind]).sum())
            upright += scores[kind] >= turned - 0.02
    assert looked > 150
    assert right >= 0.97 * looked
    assert upright >= 0.97 * looked


def test_visible_is_what_shows() -> None:
    # arms and cups over the same scene can only take away
    seen_free, seen_covered = 0.0, 0.0
    for seed in range(8):
        free = _scene(seed, SceneConfig(arms=0.0, props=0.0, hard=0.0))
        covered = _scene(seed, SceneConfig(arms=1.0, props=0.0, hard=0.0))
        seen_free += float(free.visible.sum())
        seen_covered += float(covered.visible.sum())
    assert seen_covered < seen_free


def test_tiles_partly_outside_the_picture_are_partly_visible() -> None:
    found = 0
    for seed in range(30):
        scene = _scene(seed)
        w, h = 640, 368
        for polygon, seen in zip(scene.polygons, scene.visible, strict=True):
            centre = polygon.mean(axis=0)
            if not (0 <= centre[0] < w and 0 <= centre[1] < h):
                assert seen < 0.75
                found += 1
    assert found


def test_scenes_have_backs_others_and_all_kinds() -> None:
    classes = np.concatenate(
        [random_scene(np.random.default_rng(s), size=(320, 184)).classes for s in range(30)]
    )
    assert set(range(KINDS)) <= set(classes.tolist())
    assert (classes == BACK).sum() > 25 and (classes == OTHER).sum() > 5


@pytest.mark.parametrize("k1", [0.0, 0.05])
def test_camera_projects_and_comes_back(k1: float) -> None:
    camera = Camera.look_at((10, -80, 60), (0, 0, 0), 900.0, (640, 360), k1=k1)
    points = np.array([(0.0, 0.0, 0.0), (10.0, 5.0, 0.0), (-12.0, 8.0, 0.0)])
    px = camera.project(points)
    assert np.allclose(px[0], (320, 180))
    if k1 == 0:
        assert np.allclose(camera.on_plane(px), points[:, :2])
    up = camera.project(np.array([(0.0, 0.0, 5.0)]))[0]
    assert up[1] < 180  # higher in the world is higher in the picture
