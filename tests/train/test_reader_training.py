"""The face reader's training material: labels are kept, sets are balanced, samples are reproducible."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch")

from pzvision.errors import PzvisionError
from pzvision.tiles import KINDS, OTHER
from pzvision.train import faces
from pzvision.train.reader_augment import Recipe, Sampler, scene_crops
from pzvision.vision.rectify import SIZE


def bank(
    kinds: list[int], sets: list[str], value: int = 200, side: tuple[int, int] | None = None
) -> faces.Bank:
    shape = side or (faces.FACE_HEIGHT, faces.FACE_WIDTH)
    return faces.Bank.of(
        [(np.full((*shape, 3), value, np.uint8), k, s) for k, s in zip(kinds, sets, strict=True)], shape
    )


def empty(side: tuple[int, int]) -> faces.Bank:
    return faces.Bank.of([], side)


SCENE = (faces.SCENE, faces.SCENE)
FACE = (faces.FACE_HEIGHT, faces.FACE_WIDTH)


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("leomiura_2025-09-19-18-38-35", "leomiura"),
        ("rfcmjU_IMG_20231217_172406", "tray_202312"),
        ("rfcmjA_hand_022", "rfcmj_hand"),
        ("rfcmjU_hand_004", "rfcmj_hand"),
        ("rfcmjU_393902821_64195", "rfcmj_39"),
        ("rfcmjA_EfdaeK3YK7qCRDmsUoH", "rfcmj_web"),
        ("rfcmjA_bamboo_family_003", "rfcmj_family"),
        ("camerash_6-3", "camerash_6-3"),
    ],
)
def test_photos_of_one_series_are_one_set(stem: str, name: str) -> None:
    assert faces.photo_set(stem) == name


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("camerash_225.jpg", "camerash_225"),
        ("camerash_260.jpg", "camerash_225"),
        ("hlin117_wan-one.jpg", "hlin117"),
    ],
)
def test_crops_of_one_set_are_found_by_number(file: str, name: str) -> None:
    assert faces.crop_set(file) == name


def test_bad_label_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("3 0.5 0.5 0.1 0.1\n4 0.5 zero\n")
    with pytest.raises(PzvisionError, match="line 2"):
        faces.read_labels(path)


def test_scene_has_the_box_in_its_middle(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "labels").mkdir()
    image = np.zeros((200, 300, 3), np.uint8)
    image[60:120, 100:140] = 255
    cv2.imwrite(str(tmp_path / "images" / "leomiura_1.png"), image)
    (tmp_path / "labels" / "leomiura_1.txt").write_text(f"7 {120 / 300} {90 / 200} {40 / 300} {60 / 200}\n")
    scenes, grounds = faces.scenes_and_grounds(tmp_path)
    assert scenes.kinds.tolist() == [7]
    crop, _ = scene_crops(scenes)
    assert crop[0][2:-2, 2:-2].min() > 200
    border = scenes.pictures[0].copy()
    border[14:82, 14:82] = 0
    assert border.max() < 60
    assert len(grounds) > 0 and grounds.pictures[..., 0].max() == 0


@pytest.mark.parametrize("kind", [*range(KINDS), OTHER])
def test_drawn_faces_differ_between_styles(kind: int) -> None:
    from pzvision.train.reader_canvas import font_files, random_style
    from pzvision.train.reader_draw import draw_face

    fonts = font_files()
    if not fonts:
        pytest.skip("no font with Chinese characters is installed here")
    rng = np.random.default_rng(kind)
    pictures = [draw_face(kind, random_style(rng, fonts), rng) for _ in range(4)]
    ink = [float((255 - p).mean()) for p in pictures]
    assert len(set(ink)) == 4
    if kind != OTHER:  # among the others are blanks
        assert min(ink) > 2


def test_drawn_banks_leave_fonts_out_and_can_make_up_circles(monkeypatch: pytest.MonkeyPatch) -> None:
    from pzvision.train.reader_canvas import MADE_UP, Style, font_files

    names = {Path(path).name for path, _ in font_files()}
    if len(names) < 2:
        pytest.skip("fewer than two fonts with Chinese characters are installed here")
    kept = sorted(names)[0]
    out = tuple(names - {kept})
    styles: list[Style] = []

    def noted(kind: int, style: Style, rng: np.random.Generator) -> np.ndarray:
        styles.append(style)
        return np.full((128, 96, 3), 255, np.uint8)

    monkeypatch.setattr(faces, "draw_face", noted)
    assert len(faces.drawn(8, made_up=True, without=out)) == 8 * 32
    made_up = {(s.dot >= MADE_UP, s.bar >= MADE_UP) for s in styles}
    assert len(made_up) > 1 and {Path(s.font).name for s in styles} == {kept}
    styles.clear()
    faces.drawn(8)
    assert {(s.dot >= MADE_UP, s.bar >= MADE_UP) for s in styles} == {(False, False)}
    with pytest.raises(PzvisionError, match="fonts-noto-cjk"):
        faces.drawn(1, without=("",))


class TestSampler:
    def sampler(self, seed: int = 3, **recipe: float) -> Sampler:
        kinds = [*range(KINDS), OTHER]
        many = bank(kinds, ["a"] * 28)
        rare = faces.Bank.join(
            [bank([0] * 50, ["series"] * 50, value=90), bank([0], ["single"], value=230), many]
        )
        return Sampler(empty(SCENE), rare, empty(FACE), empty(SCENE), seed=seed, recipe=Recipe(**recipe))

    def test_same_seed_same_samples(self) -> None:
        a, b = self.sampler(), self.sampler()
        for _ in range(20):
            (x, k, t), (y, m, u) = a.sample(), b.sample()
            assert (k, t) == (m, u)
            assert np.array_equal(x, y)

    def test_kinds_are_even(self) -> None:
        sampler = self.sampler(other_share=0.1)
        kinds = np.array([sampler.sample()[1] for _ in range(1500)])
        counts = np.bincount(kinds, minlength=28)
        assert counts[:KINDS].min() > 20 and counts[:KINDS].max() < 100
        assert 0.06 < counts[OTHER] / len(kinds) < 0.14

    def test_a_long_series_does_not_drown_a_single_face(self) -> None:
        sampler = self.sampler()
        picked = [sampler._pick("faces", 0) for _ in range(600)]
        single = np.mean([sampler.banks["faces"].sets[i] == "single" for i in picked])
        assert single > 0.1  # 1 of 52 in proportion

    def test_rotation_label_follows_the_picture(self) -> None:
        # A face dark in its own upper half: the label must say where that half went.
        face = np.full((*FACE, 3), 240, np.uint8)
        face[: faces.FACE_HEIGHT // 2] = 10
        half = faces.Bank.of([(face, k, "a") for k in range(28)], FACE)
        sampler = Sampler(empty(SCENE), half, empty(FACE), empty(SCENE), seed=5)
        right = 0
        for _ in range(60):
            crop, _, turn = sampler.sample()
            upright = np.rot90(crop, turn)[SIZE // 6 : -SIZE // 6, SIZE // 6 : -SIZE // 6].astype(float)
            n = len(upright) // 2
            right += upright[:n].mean() < upright[n:].mean()
        assert right >= 54


def test_loss_forgives_only_what_cannot_be_seen() -> None:
    import torch

    from pzvision.train.reader_net import loss

    kinds = torch.zeros(1, 28)
    turns = torch.tensor([[0.0, 0.0, 9.0, 0.0]])  # read upside down

    def of(kind: int) -> float:
        return float(loss(kinds, turns, torch.tensor([kind]), torch.tensor([0])))

    unknown = float(loss(kinds, turns, torch.tensor([0]), torch.tensor([-1])))
    assert of(21) < unknown + 0.01  # 4筒 has no top
    assert of(18) == pytest.approx(unknown)  # 1筒 is not asked
    assert of(0) > unknown + 1  # 一万 has one


def test_export_agrees_with_torch(tmp_path: Path) -> None:
    import torch

    from pzvision.train.reader_net import ReaderNet, export
    from pzvision.vision.reader import FaceReader, ReaderConfig

    torch.manual_seed(0)
    net = ReaderNet().eval()
    crops = np.random.default_rng(0).integers(0, 256, (3, SIZE, SIZE, 3)).astype(np.uint8)
    export(net, tmp_path / "r.onnx", temperature=1.7)
    with torch.no_grad():
        kinds, turns = net(torch.from_numpy(crops).permute(0, 3, 1, 2).float())
    once = ReaderConfig(again=0)
    reading = FaceReader(tmp_path / "r.onnx", threads=1, config=once).read(crops)
    np.testing.assert_allclose(reading.probs, (kinds / 1.7).softmax(1).numpy(), atol=1e-4)
    np.testing.assert_allclose(reading.turns, turns.softmax(1).numpy(), atol=1e-4)
