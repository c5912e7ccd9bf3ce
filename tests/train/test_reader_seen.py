"""Tiles as a detector meets them: faces keep their names, wrong finds and cuts across become others."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch")

from pzvision.errors import PzvisionError
from pzvision.synth.scenes import Scene
from pzvision.tiles import BACK, OTHER
from pzvision.train import faces, reader_seen
from pzvision.train.data import Example
from pzvision.train.reader_augment import Recipe, Sampler
from pzvision.vision.finder import Finds
from pzvision.vision.rectify import SIZE, rectify


def square(x: float, y: float) -> np.ndarray:
    return np.array([(x, y), (x + 24, y), (x + 24, y + 32), (x, y + 32)], np.float32)


def painted() -> Scene:
    """A red, a green and a blue tile; the blue one is a back."""
    image = np.full((120, 300, 3), 128, np.uint8)
    places = [square(20, 40), square(100, 40), square(180, 40)]
    for place, colour in zip(places, ((0, 0, 255), (0, 255, 0), (255, 0, 0)), strict=True):
        x, y = place[0].astype(int)
        image[y : y + 32, x : x + 24] = colour
    return Scene(image, np.array(places), np.array([3, OTHER, BACK]), np.ones(3, np.float32))


def finder(image: np.ndarray) -> Finds:
    """Finds the red tile, and one where there is none."""
    return Finds(np.array([square(21, 41), square(250, 80)]), np.ones(2, np.float32), np.zeros(2, np.int64))


def test_a_scene_gives_faces_backs_cuts_across_and_wrong_finds() -> None:
    pictures, kinds, turned = reader_seen.harvest(painted(), finder, np.random.default_rng(1))  # type: ignore[arg-type]
    assert kinds == [3, OTHER, OTHER, OTHER, OTHER]
    assert turned == [True, False, False, False, False]
    middles = [rectify(p, reader_seen.outline()[None])[0] for p in pictures]
    assert middles[0].shape == (SIZE, SIZE, 3)
    assert (middles[0][8:-8, 8:-8] == (0, 0, 255)).all() and (middles[2][8:-8, 8:-8] == (255, 0, 0)).all()
    across = middles[3].reshape(-1, 3)
    tile = ((across != 128).any(1)).mean()
    assert 0.2 < tile < 0.75  # about half a tile
    assert (middles[4] == 128).all()


def test_pictures_of_a_pool_that_tells_names_give_the_same(tmp_path: Path) -> None:
    scene = painted()
    cv2.imwrite(str(tmp_path / "a.png"), scene.image)
    hidden = square(60, 80)[None]
    shown = Example(tmp_path / "a.png", scene.polygons, scene.classes, hidden, 1.0, outlines=True, backs=True)
    pooled = reader_seen.pooled(shown)
    assert (pooled.image == scene.image).all() and len(pooled.polygons) == 4
    rng = np.random.default_rng
    pictures, kinds, _ = reader_seen.harvest(pooled, finder, rng(1))  # type: ignore[arg-type]
    expected, names, _ = reader_seen.harvest(scene, finder, rng(1))  # type: ignore[arg-type]
    assert kinds == names and (pictures == expected).all()  # the hidden one is no face to learn
    _, few, _ = reader_seen.harvest(pooled, finder, rng(1), most=1)  # type: ignore[arg-type]
    assert len(few) < len(kinds)


def test_tiles_are_cut_as_a_finder_outlined_them_their_own_corner_first() -> None:
    truth = np.stack([square(20, 40), square(100, 40)])
    off = np.stack(
        [np.roll(square(23, 44), 2, axis=0), square(300, 300)]
    )  # from another corner; and nothing near
    found = reader_seen.as_found(truth, off, np.random.default_rng(1), share=1.0)
    assert (found[0] == square(23, 44)).all() and (found[1] == truth[1]).all()
    assert (reader_seen.as_found(truth, off, np.random.default_rng(1), share=0.0) == truth).all()
    assert (reader_seen.as_found(truth, off[:0], np.random.default_rng(1)) == truth).all()


def test_samples_of_seen_tiles_keep_name_and_way_up() -> None:
    pictures = np.zeros((2, reader_seen.STORED, reader_seen.STORED, 3), np.uint8)
    pictures[0, : reader_seen.STORED // 2] = 255  # bright above
    seen = reader_seen.Seen(pictures, np.array([7, OTHER]), np.array([True, False]))
    none = faces.Bank.of([], (faces.SCENE, faces.SCENE))
    shape = (faces.FACE_HEIGHT, faces.FACE_WIDTH)
    single = faces.Bank.of([(np.zeros((*shape, 3), np.uint8), 1, "a")], shape)
    sampler = Sampler(none, single, single, none, seed=1, recipe=Recipe(seen=1.0, seen_others=0.0), seen=seen)
    checked = 0
    for _ in range(120):
        crop, kind, turn = sampler.sample()
        if kind != 7:
            assert kind == OTHER and turn == -1
            continue
        grey = crop.mean(axis=2)
        edges = [grey[:12].mean(), grey[:, -12:].mean(), grey[-12:].mean(), grey[:, :12].mean()]
        # the tile's own top left is at corner `turn`, so its bright top is the side that starts there
        assert int(np.argmax(edges)) == turn
        checked += 1
    assert checked > 2


def test_several_files_are_one(tmp_path: Path) -> None:
    parts = []
    for k, count in enumerate((2, 3)):
        pictures = np.full((count, reader_seen.STORED, reader_seen.STORED, 3), k, np.uint8)
        np.savez(
            tmp_path / f"{k}.npz", pictures=pictures, kinds=np.full(count, k), turned=np.full(count, k == 1)
        )
        parts.append(tmp_path / f"{k}.npz")
    seen = reader_seen.load(*parts)
    assert seen.kinds.tolist() == [0, 0, 1, 1, 1] and seen.turned.tolist() == [False] * 2 + [True] * 3
    assert seen.pictures[:, 0, 0, 0].tolist() == [0, 0, 1, 1, 1]


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match=r"none\.npz: not a file of faces as seen"):
        reader_seen.load(tmp_path / "none.npz")
