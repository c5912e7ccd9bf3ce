"""Tile sets drawn with installed fonts, and scenes made of them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL")
pytest.importorskip("yaml")

from pzvision.errors import PzvisionError
from pzvision.tiles import BACK, KINDS, OTHER
from pzvision.train import font_faces
from pzvision.train.data import Source, load_recipe, rendered_scene
from pzvision.train.faces import Bank
from pzvision.train.font_faces import ArtworkFaces, FontFaces, font_set, stroked
from pzvision.train.reader_canvas import font_files

pytestmark = pytest.mark.skipif(not font_files(), reason="no font with Chinese characters is installed here")


def made(seed: int, without: tuple[str, ...] = ()) -> FontFaces:
    return FontFaces(np.random.default_rng(seed), without)


def test_a_set_is_the_same_for_a_seed_and_every_kind_has_a_face_of_its_own() -> None:
    first, again, other = made(3), made(3), made(4)
    faces = [first.face(kind) for kind in range(BACK + 1)]
    assert {f.shape for f in faces} == {(176, 132, 3)} and {f.dtype for f in faces} == {np.dtype(np.uint8)}
    assert all((f == again.face(kind)).all() for kind, f in enumerate(faces))
    assert any((f != other.face(kind)).any() for kind, f in enumerate(faces))
    assert len({f.tobytes() for f in faces[:KINDS]}) == KINDS
    assert (faces[BACK] == first.look.back).all()
    assert (first.face(OTHER, 1) != first.face(OTHER, 2)).any()
    middle = np.median(faces[0][3:12].reshape(-1, 3), axis=0)
    assert np.abs(middle - first.look.face).max() < 12  # painted on the look's paper


def test_fonts_can_be_kept_out_and_none_left_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {Path(made(seed).style.font).name for seed in range(12)}
    kept_out = sorted(names)[0]
    if len(names) > 1:
        left = {Path(made(seed, (kept_out,)).style.font).name for seed in range(12)}
        assert kept_out not in left and left
    monkeypatch.setattr(font_faces, "font_files", list)
    with pytest.raises(PzvisionError, match="fonts-noto-cjk"):
        made(1, ("nothing begins so",))


def test_scenes_take_their_share_and_older_recipes_stay_as_they_were(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[tuple[str, ...]] = []

    def noted(rng: np.random.Generator, without: tuple[str, ...]) -> FontFaces:
        asked.append(without)
        return made(1)

    monkeypatch.setattr(font_faces, "font_set", noted)
    old = Source("s", "scenes", 1.0, size=(320, 240), layouts={"few": 1.0}, without=("bkai",))
    plain = rendered_scene(np.random.default_rng(1), None, old)
    assert not asked
    always = dataclasses.replace(old, fonts=1.0)
    scenes = [rendered_scene(np.random.default_rng(1), None, always) for _ in range(2)]
    assert asked == [("bkai",)] * 2
    assert (scenes[0].image == scenes[1].image).all() and (scenes[0].image != plain.image).any()
    assert len(scenes[0].quads)
    file = tmp_path / "r.yaml"
    file.write_text(
        "name: r\nsources:\n  - {name: s, kind: scenes, share: 1, fonts: 0.5}\n", encoding="utf-8"
    )
    assert load_recipe(file).sources[0].fonts == 0.5


def test_artwork_is_a_set_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pictures = np.full((OTHER + 2, 96, 72, 3), 255, np.uint8)
    for kind in range(OTHER + 2):
        pictures[kind, 20:60, 10 : 12 + kind] = (0, 0, 200)
    kinds = np.append(np.arange(OTHER + 1), OTHER)
    bank = Bank(pictures, kinds, np.array(["a"] * len(kinds)))
    faces = ArtworkFaces(bank, np.random.default_rng(1))
    assert faces.face(5).shape == faces.face(BACK).shape == (176, 132, 3)
    assert (faces.face(OTHER, 0) != faces.face(OTHER, 1)).any()
    assert isinstance(font_set(np.random.default_rng(1), artwork=tmp_path), FontFaces)  # none there
    monkeypatch.setattr(font_faces, "_artwork", lambda folder: bank)
    sets = [font_set(np.random.default_rng(seed)) for seed in range(40)]
    assert 1 <= sum(isinstance(s, ArtworkFaces) for s in sets) <= 15


def test_strokes_get_fatter_and_thinner() -> None:
    picture = np.full((20, 20, 3), 250, np.uint8)
    picture[:, 8:12] = 10
    dark = [int((stroked(picture, by, 3) < 128).sum()) for by in (-1.0, 0.0, 1.0)]
    assert dark[0] < dark[1] < dark[2]
