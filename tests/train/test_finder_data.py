"""Recipes, composites and samples of the finder's training."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("yaml")

from pzvision.errors import PzvisionError
from pzvision.tiles import BACK
from pzvision.train.augment import AugmentConfig, Augmenter
from pzvision.train.composite import TileSet, compose
from pzvision.train.data import (
    Example,
    Source,
    box_quads,
    build_pool,
    load_recipe,
    named_examples,
    pool_examples,
    recipe_examples,
    rendered_scene,
)

MARK = np.full((128, 96, 3), 235, np.uint8)
cv2.circle(MARK, (48, 64), 30, (30, 30, 220), -1)
SET = TileSet((MARK,), (225, 230, 235), (60, 140, 40))


def scene(seed: int):  # type: ignore[no-untyped-def]
    return compose(np.random.default_rng(seed), SET, 640, 480)


def test_a_composite_depends_on_its_seed_alone() -> None:
    a, b, c = scene(5), scene(5), scene(6)
    assert (a.image == b.image).all() and (a.quads == b.quads).all()
    assert a.image.shape == c.image.shape and (a.image != c.image).any()


def test_the_outlines_of_a_composite_lie_on_its_tiles() -> None:
    """Every labelled face has the red mark of the set's only face in its middle."""
    checked = 0
    for seed in range(12):
        s = scene(seed)
        inside = (s.quads > 4).all((1, 2)) & (s.quads < [636, 476]).all((1, 2))
        for quad in s.quads[inside & (s.classes == 0)]:
            x, y = np.round(quad.mean(0)).astype(int)
            b, _, r = s.image[y, x].astype(int)
            checked += 1
            if not r > b + 20:  # an arm or a tile before it may cover the middle
                checked -= 2
    assert checked > 60


def test_quads_of_a_composite_go_clockwise() -> None:
    for seed in range(6):
        for quad in scene(seed).quads:
            first, second = quad[1] - quad[0], quad[2] - quad[1]
            assert first[0] * second[1] - first[1] * second[0] > 0


def recipe_file(folder: Path, text: str) -> Path:
    path = folder / "r.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name: a", "keys name and sources"),
        ("name: a\nsources: [{name: b, kind: photos, share: 1, wide: 2}]", "unknown key 'wide'"),
        ("name: a\nsources: [{name: b, kind: films, share: 1}]", "'films'"),
        ("name: a\nsources: [{name: b, kind: photos}]", "lacks 'share'"),
        ("name: [", "not YAML"),
    ],
)
def test_bad_recipes_are_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(PzvisionError, match=says):
        load_recipe(recipe_file(tmp_path, text))


def test_a_missing_recipe_is_named(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match=r"none\.yaml: cannot be read"):
        load_recipe(tmp_path / "none.yaml")


def test_shipped_recipes_load() -> None:
    folder = Path(__file__).resolve().parents[2] / "datasets"
    names = [load_recipe(path).name for path in sorted(folder.glob("finder*.yaml"))]
    assert "finder" in names


def test_a_pool_is_built_once_and_read_back(tmp_path: Path) -> None:
    crops = tmp_path / "crops" / "1m"
    crops.mkdir(parents=True)
    for i in range(3):
        cv2.imwrite(str(crops / f"own_{i}.png"), MARK)
    path = recipe_file(
        tmp_path, "name: a\nsources: [{name: c, kind: composites, share: 1, count: 2, seed: 3, crops: crops}]"
    )
    recipe = load_recipe(path)
    pool = build_pool(recipe, recipe.sources[0], tmp_path / "built")
    before = {p.name: p.stat().st_mtime_ns for p in (pool / "pictures").iterdir()}
    build_pool(recipe, recipe.sources[0], tmp_path / "built")
    assert before == {p.name: p.stat().st_mtime_ns for p in (pool / "pictures").iterdir()}
    examples = pool_examples(pool)
    assert len(examples) == 2
    assert all(e.backs and e.outlines and e.quads.shape[1:] == (4, 2) for e in examples)


def test_a_pool_that_tells_names_serves_the_finder_too(tmp_path: Path) -> None:
    path = recipe_file(
        tmp_path,
        "name: a\nsources: [{name: s, kind: scenes, named: true, share: 1, count: 1, seed: 5, drawn: 1,"
        " size: [480, 360], layouts: {game: 1}}]",
    )
    recipe = load_recipe(path)
    pool = build_pool(recipe, recipe.sources[0], tmp_path / "built")
    [stored] = pool_examples(pool)
    [(_, [named])] = named_examples(recipe, tmp_path / "built")
    [(_, [found])] = recipe_examples(recipe, tmp_path / "built")
    assert len(set(stored.classes.tolist())) > 4 and (named.classes == stored.classes).all()
    assert (found.classes == (stored.classes == BACK)).all() and (found.quads == stored.quads).all()


def test_a_source_says_from_how_high_scenes_are_seen() -> None:
    def flatness(elevation: tuple[float, float]) -> float:
        source = Source(
            "s",
            "scenes",
            1.0,
            elevation=elevation,
            layouts={"game": 1.0},
            tile_px=(40.0, 50.0),
            size=(640, 360),
        )
        ratios = []
        for seed in range(3):
            quads = rendered_scene(np.random.default_rng(seed), None, source).quads
            box = quads.max(axis=1) - quads.min(axis=1)
            areas = np.array([cv2.contourArea(q) for q in quads])
            ratios += list(areas / box.max(axis=1) ** 2)
        return float(np.median(ratios))

    assert flatness((25.0, 1.0)) < 0.75 * flatness((85.0, 1.0))


def test_an_unbuilt_pool_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match="not built yet"):
        pool_examples(tmp_path / "none")


def test_samples_keep_their_labels_on_the_tiles() -> None:
    """Marks painted at the labels are still under the labels after turning, tilting and scaling."""
    image = np.full((400, 600, 3), 90, np.uint8)
    boxes = np.array([[100 + 60 * i, 150, 150 + 60 * i, 220] for i in range(6)], np.float64)
    for x1, y1, x2, y2 in boxes.astype(int):
        cv2.rectangle(image, (x1, y1), (x2, y2), (0, 0, 255), -1)
    example = Example(
        Path("x"), box_quads(boxes), np.zeros(6, np.int64), np.zeros((0, 4, 2), np.float32), 1, True, False
    )
    augmenter = Augmenter(AugmentConfig(size=256), np.random.default_rng(2))
    seen = 0
    for _ in range(40):
        sample = augmenter.cut(image, example, 1.0, 256)
        for quad in sample.quads:
            x, y = np.round(quad.mean(0)).astype(int)
            if 2 < x < 253 and 2 < y < 253:
                b, g, r = sample.image[y, x].astype(int)
                seen += 1
                assert r > 200 and b < 60 and g < 60
    assert seen > 60


def test_a_loose_photo_is_not_turned() -> None:
    image = np.zeros((200, 300, 3), np.uint8)
    quads = box_quads(np.array([[50.0, 60, 90, 120], [100, 60, 140, 120]]))
    example = Example(
        Path("x"), quads, np.zeros(2, np.int64), np.zeros((0, 4, 2), np.float32), 1, False, False
    )
    augmenter = Augmenter(AugmentConfig(size=128), np.random.default_rng(3))
    for _ in range(20):
        for quad in augmenter.cut(image, example, 1.0, 128).quads:
            edge = quad[1] - quad[0]
            assert abs(edge[1]) < 0.1 * abs(edge[0])
            assert not augmenter.cut(image, example, 1.0, 128).outlined.any()
