"""The face reader: cutting faces out, reading them, and telling which way up they lie."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.synth.faces import draw_face
from pzvision.tiles import KINDS, parse_tile
from pzvision.vision.reader import CLASSES, FaceReader, ReaderConfig, Reading
from pzvision.vision.rectify import SIZE, rectify

MODEL = Path(__file__).resolve().parents[2] / "models" / "reader.onnx"


def checkers(size: int, cell: int) -> np.ndarray:
    y, x = np.mgrid[0:size, 0:size]
    board = (((x // cell) + (y // cell)) % 2 * 255).astype(np.uint8)
    return np.repeat(board[..., None], 3, axis=2)


def rectangle(x: float, y: float, w: float, h: float) -> np.ndarray:
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], np.float32)


class TestRectify:
    def test_identity_keeps_pixels(self) -> None:
        image = np.random.default_rng(0).integers(0, 256, (SIZE, SIZE, 3)).astype(np.uint8)
        quad = rectangle(-0.5, -0.5, SIZE, SIZE)
        assert np.abs(rectify(image, quad[None])[0].astype(int) - image).max() <= 1

    @pytest.mark.parametrize("turns", [0, 1, 2, 3])
    def test_first_corner_becomes_top_left(self, turns: int) -> None:
        image = np.zeros((100, 100, 3), np.uint8)
        image[20:40, 20:40] = 255  # bright at the top left of the quad
        quad = np.roll(rectangle(20, 20, 60, 60), -turns, axis=0)
        face = rectify(image, quad[None])[0]
        corner = np.rot90(face, -turns)[: SIZE // 4, : SIZE // 4]
        assert corner.mean() > 250
        assert face.mean() < 60

    def test_large_faces_are_averaged_not_aliased(self) -> None:
        # 5 px cells shrunk five to one: a point-sampled result would be black and white.
        face = rectify(checkers(SIZE * 10, 2), rectangle(-0.5, -0.5, SIZE * 5, SIZE * 5)[None])[0]
        assert 90 < face.mean() < 165
        assert face.astype(float).std() < 60

    def test_outside_the_picture_repeats_its_edge(self) -> None:
        image = np.full((30, 30, 3), 77, np.uint8)
        assert np.all(rectify(image, rectangle(-40, -40, 60, 60)[None]) == 77)

    def test_degenerate_and_infinite_quads_do_not_raise(self) -> None:
        image = np.full((30, 30, 3), 9, np.uint8)
        quads = np.array([np.zeros((4, 2)), np.full((4, 2), np.nan)], np.float32)
        assert rectify(image, quads).shape == (2, SIZE, SIZE, 3)

    def test_no_quads(self) -> None:
        assert rectify(np.zeros((9, 9, 3), np.uint8), np.zeros((0, 4, 2))).shape == (0, SIZE, SIZE, 3)

    @pytest.mark.parametrize(
        ("image", "quads", "message"),
        [
            (np.zeros((9, 9, 3), np.uint8), np.zeros((4, 2)), "quads"),
            (np.zeros((9, 9), np.uint8), np.zeros((1, 4, 2)), "image"),
            (np.zeros((9, 9, 3), np.float32), np.zeros((1, 4, 2)), "image"),
        ],
    )
    def test_wrong_shapes_are_named(self, image: np.ndarray, quads: np.ndarray, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            rectify(image, quads)


def test_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match=r"nothing\.onnx"):
        FaceReader(tmp_path / "nothing.onnx")


def test_broken_model_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"not a model")
    with pytest.raises(PzvisionError, match=r"broken\.onnx"):
        FaceReader(path)


def test_reading_gives_the_likeliest() -> None:
    probs = np.full((1, CLASSES), 0.01, np.float32)
    probs[0, 5] = 0.7
    reading = Reading(probs, np.array([[0.1, 0.2, 0.6, 0.1]], np.float32))
    assert (reading.kinds.tolist(), reading.rotation.tolist(), len(reading)) == ([5], [2], 1)


@pytest.fixture(scope="module")
def reader() -> FaceReader:
    return FaceReader(MODEL, threads=1)


def test_answers_are_distributions_whatever_the_batch(reader: FaceReader) -> None:
    faces = np.random.default_rng(1).integers(0, 256, (7, SIZE, SIZE, 3)).astype(np.uint8)
    whole = reader.read(faces)
    assert whole.probs.shape == (7, CLASSES) and whole.turns.shape == (7, 4)
    np.testing.assert_allclose(whole.probs.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(whole.turns.sum(axis=1), 1, atol=1e-5)
    pieces = FaceReader(MODEL, threads=1, config=ReaderConfig(batch=3)).read(faces)
    np.testing.assert_allclose(pieces.probs, whole.probs, atol=1e-4)


def test_a_doubtful_face_reads_the_same_in_every_turn(reader: FaceReader) -> None:
    faces = np.stack([cv2.resize(draw_face(kind, "old", 96), (SIZE, SIZE)) for kind in range(KINDS)])
    every = FaceReader(MODEL, threads=1, config=ReaderConfig(again=1.1))
    first = every.read(faces)
    for k in (1, 2, 3):
        turned = every.read(np.ascontiguousarray(np.rot90(faces, k, axes=(1, 2))))
        np.testing.assert_allclose(turned.probs, first.probs, atol=1e-3)
        np.testing.assert_allclose(np.roll(turned.turns, k, axis=1), first.turns, atol=1e-3)
    once = FaceReader(MODEL, threads=1, config=ReaderConfig(again=0)).read(faces)
    assert np.abs(once.probs - first.probs).max() > 1e-3


def test_no_faces(reader: FaceReader) -> None:
    assert len(reader.read(np.zeros((0, SIZE, SIZE, 3), np.uint8))) == 0


def test_wrong_faces_are_named(reader: FaceReader) -> None:
    with pytest.raises(ValueError, match="faces"):
        reader.read(np.zeros((1, 3, SIZE, SIZE), np.float32))


def table_of(look: str, angle_deg: float) -> tuple[np.ndarray, np.ndarray]:
    """All 27 faces of a look on green cloth, turned by `angle_deg`, and their outlines."""
    image = np.full((560, 1000, 3), (70, 120, 40), np.uint8)
    quads = []
    for kind in range(KINDS):
        face = draw_face(kind, look, 76)
        h, w = face.shape[:2]
        centre = (70 + kind % 9 * 105, 90 + kind // 9 * 180)
        turn = cv2.getRotationMatrix2D((w / 2, h / 2), -angle_deg, 1)
        turn[:, 2] += np.array(centre) - (w / 2, h / 2)
        size = (image.shape[1], image.shape[0])
        mask = cv2.warpAffine(np.full((h, w), 255, np.uint8), turn, size)
        image[mask > 127] = cv2.warpAffine(face, turn, size)[mask > 127]
        quads.append(rectangle(0, 0, w, h) @ turn[:, :2].T + turn[:, 2])
    return image, np.array(quads, np.float32)


@pytest.mark.parametrize("angle_deg", [0.0, 37.0, 118.0, 251.0])
def test_reads_a_drawn_set_at_any_angle(reader: FaceReader, angle_deg: float) -> None:
    image, quads = table_of("jade", angle_deg)
    reading, upright = reader.read_quads(image, np.roll(quads, 1, axis=1))
    wrong = [k for k in range(KINDS) if reading.kinds[k] != k]
    assert len(wrong) <= 1, wrong
    # Faces with a top: the outline must come back from their own top left.
    for kind in [*range(9), parse_tile("7p"), parse_tile("3s"), parse_tile("7s")]:
        if kind not in wrong:
            assert np.abs(upright[kind] - quads[kind]).max() < 0.01, kind


def test_first_corner_does_not_change_the_name(reader: FaceReader) -> None:
    image, quads = table_of("jade", 15.0)
    named = [reader.read_quads(image, np.roll(quads, k, axis=1))[0].kinds for k in range(4)]
    agree = np.mean([np.array_equal(n[i], named[0][i]) for n in named for i in range(KINDS)])
    assert agree > 0.97
