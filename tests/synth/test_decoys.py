"""Things that are no tiles, and arrangements of backs: they are drawn, and they cover no label."""

from __future__ import annotations

import numpy as np
import pytest

from pzvision.synth import decoys, stacks
from pzvision.synth.camera import Camera
from pzvision.synth.looks import HELD_OUT, LOOKS, random_look
from pzvision.synth.motifs import HELD_OUT_BAMBOOS, HELD_OUT_BIRDS, HELD_OUT_DOTS
from pzvision.synth.scenes import SceneConfig, random_scene
from pzvision.tiles import BACK

CAMERA = Camera.look_at([0.0, -60.0, 70.0], [0.0, 0.0, 0.0], 700.0, (640, 480))
MAKERS = [maker for maker, _, _, _ in decoys._PLATES]


@pytest.mark.parametrize("make", MAKERS, ids=lambda m: m.__name__)
def test_every_thing_depends_on_its_seed_and_has_something_on_it(make: decoys.Maker) -> None:
    a, b, c = (make(np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert a.shape == b.shape and (a == b).all()
    assert a.dtype == np.uint8 and a.std() > 2
    assert a.shape != c.shape or (a != c).any()


def test_a_lit_display_shows_its_digits() -> None:
    """8 lights every segment, 1 only two: the picture of 8 has more light."""
    pictures = []
    for number in (1, 8):
        picture = np.zeros((120, 90, 3), np.uint8)
        decoys._digit(picture, number, (20, 20, 40, 80), (0, 0, 255), (0, 0, 0))
        pictures.append(int((picture[..., 2] > 128).sum()))
    assert pictures[1] > 2.5 * pictures[0] > 0


def test_a_plate_lies_where_it_is_laid() -> None:
    image = np.zeros((480, 640, 3), np.uint8)
    decoys.lay_plate(image, CAMERA, np.full((40, 40, 3), 255, np.uint8), (5.0, 3.0), 0.7, (6.0, 6.0))
    ys, xs = np.nonzero(image[..., 0] > 200)
    x, y = CAMERA.project(np.array([[5.0, 3.0, 0.05]]))[0]
    assert abs(xs.mean() - x) < 2 and abs(ys.mean() - y) < 2


def test_a_plate_behind_the_camera_is_not_drawn() -> None:
    image = np.zeros((480, 640, 3), np.uint8)
    decoys.lay_plate(image, CAMERA, np.full((40, 40, 3), 255, np.uint8), (0.0, -400.0), 0.0, (6.0, 6.0))
    assert not image.any()


def test_things_change_the_picture_and_no_label() -> None:
    """The tiles are placed first: a scene with things has the same tiles as one without."""
    none, many = (
        random_scene(np.random.default_rng(8), size=(480, 320), config=SceneConfig(decoys=n, props=0, arms=0))
        for n in (0.0, 20.0)
    )
    assert (none.image != many.image).mean() > 0.02
    assert (none.classes == many.classes).all()
    assert (
        np.abs(none.polygons - many.polygons).max() < 1e-4
        and np.abs(none.visible - many.visible).max() < 1e-4
    )


@pytest.mark.parametrize("name", list(stacks.LAYOUTS))
def test_arrangements_of_backs_show_backs(name: str) -> None:
    backs = tiles = 0
    for seed in range(4):
        config = SceneConfig(layouts=((name, 1.0),), tile_px=(20, 60), no_tiles=0.0)
        scene = random_scene(np.random.default_rng(seed), size=(640, 480), config=config)
        backs, tiles = backs + int((scene.classes == BACK).sum()), tiles + len(scene.classes)
    assert tiles > 20 and backs > 0.25 * tiles


def test_held_out_looks_share_no_motif_with_any_look_that_is_trained_on() -> None:
    assert len(HELD_OUT) >= 2 and not set(HELD_OUT) & set(LOOKS)
    trained = [*LOOKS.values(), *(random_look(np.random.default_rng(seed)) for seed in range(200))]
    for look in HELD_OUT.values():
        assert look.dot in HELD_OUT_DOTS and look.bamboo in HELD_OUT_BAMBOOS and look.bird in HELD_OUT_BIRDS
        assert all(look.dot != t.dot and look.bamboo != t.bamboo and look.bird != t.bird for t in trained)
