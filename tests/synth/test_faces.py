"""Drawn faces: complete, distinct, repeatable; faces from a folder of pictures."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.synth.crop_faces import CropFaces
from pzvision.synth.faces import LOOKS, OTHER_VARIANTS, DrawnFaces, draw_face, random_look
from pzvision.synth.glyphs import GLYPHS
from pzvision.tiles import BACK, KINDS, OTHER, format_tile


def _difference(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a.astype(int) - b.astype(int)).mean())


def test_there_are_at_least_fifteen_looks_and_they_differ() -> None:
    assert len(LOOKS) >= 15
    sheets = {name: np.hstack([draw_face(k, name, 48) for k in (4, 9, 16, 17, 20)]) for name in LOOKS}
    for a, b in combinations(sheets, 2):
        assert _difference(sheets[a], sheets[b]) > 1.5, (a, b)


@pytest.mark.parametrize("name", list(LOOKS))
def test_no_two_kinds_look_alike(name: str) -> None:
    faces = [draw_face(kind, name, 64) for kind in range(KINDS)]
    assert faces[0].shape == (64, 48, 3) and faces[0].dtype == np.uint8
    for a, b in combinations(range(KINDS), 2):
        assert _difference(faces[a], faces[b]) > 2.0, (format_tile(a), format_tile(b))


def test_other_faces_are_distinct_and_none_is_a_suited_tile() -> None:
    others = [draw_face(OTHER, "jade", 64, variant=v) for v in range(OTHER_VARIANTS)]
    suited = [draw_face(kind, "jade", 64) for kind in range(KINDS)]
    for a, b in combinations(others, 2):
        assert _difference(a, b) > 0.5
    for a in others:
        for b in suited:
            assert _difference(a, b) > 2.0


def test_a_face_is_the_same_every_time_and_a_back_is_plain() -> None:
    assert np.array_equal(draw_face(4, "blue", 96), draw_face(4, "blue", 96))
    back = draw_face(BACK, "blue", 32)
    assert (back == np.array(LOOKS["blue"].back)).all()


def test_eight_of_bamboos_is_w_above_m() -> None:
    # the inner bars meet in the middle of the upper half's top and of the lower half's bottom
    face = cv2.cvtColor(draw_face(16, "jade", 256), cv2.COLOR_BGR2GRAY)
    ink = face < 150
    rows = np.flatnonzero(ink.any(axis=1))
    middle = ink[:, 80:112].sum(axis=1)
    top, bottom = rows[0], rows[-1]
    upper = middle[top : (top + bottom) // 2]
    lower = middle[(top + bottom) // 2 : bottom]
    assert upper[: len(upper) // 2].sum() > upper[len(upper) // 2 :].sum()
    assert lower[len(lower) // 2 :].sum() > lower[: len(lower) // 2].sum()


def test_random_looks_follow_the_generator() -> None:
    assert random_look(np.random.default_rng(1)) == random_look(np.random.default_rng(1))
    assert random_look(np.random.default_rng(1)) != random_look(np.random.default_rng(2))


def test_unknown_look_and_kind() -> None:
    with pytest.raises(PzvisionError, match="unknown look 'nope'"):
        draw_face(0, "nope")
    with pytest.raises(PzvisionError, match="unknown look 'nope'"):
        DrawnFaces("nope")
    with pytest.raises(ValueError, match=r"expected 0\.\.28, got 29"):
        draw_face(29, "jade")


@pytest.mark.parametrize("glyph", sorted(GLYPHS))
def test_strokes_stay_near_their_box(glyph: str) -> None:
    for kind, points in GLYPHS[glyph]:
        assert kind in "hspndz" and len(points) >= 2
        assert all(-2 <= v <= 102 for point in points for v in point)


def _crops(folder: Path) -> Path:
    for kind in range(KINDS + 1):
        (folder / format_tile(kind)).mkdir()
        for look in ("jade", "ivory"):
            cv2.imwrite(str(folder / format_tile(kind) / f"{look}.png"), draw_face(kind, look, 160))
    return folder


def test_faces_from_pictures_keep_their_kind(tmp_path: Path) -> None:
    faces = CropFaces(_crops(tmp_path), np.random.default_rng(3))
    drawn = [[draw_face(kind, look, 64) for kind in range(KINDS)] for look in ("jade", "ivory")]
    right = 0
    for kind in range(KINDS):
        face = cv2.resize(faces.face(kind), (48, 64), interpolation=cv2.INTER_AREA)
        scores = [min(_difference(face, drawn[k][other]) for k in (0, 1)) for other in range(KINDS)]
        right += int(np.argmin(scores)) == kind
    assert right >= 25
    assert faces.face(BACK).shape == faces.face(0).shape


def test_a_folder_without_a_class_is_named(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match="1m: no pictures"):
        CropFaces(tmp_path, np.random.default_rng(0))


def test_real_crops_make_sets(shared: Path) -> None:
    folder = shared / "data" / "crops"
    if not folder.is_dir():
        pytest.skip("no crops beside this checkout")
    faces = CropFaces(folder, np.random.default_rng(0))
    for kind in range(KINDS):
        assert faces.face(kind).std() > 8
