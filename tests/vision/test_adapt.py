"""Teaching a tile set from two photos: sets unlike any other, held-out looks, and photos that are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.synth.glyphs import Image
from pzvision.synth.looks import HELD_OUT, LOOKS, Look
from pzvision.synth.set_photo import SetPhotoConfig, set_photo
from pzvision.vision.adapt import (
    Adaptation,
    AdaptConfig,
    Score,
    SetPhoto,
    adapt,
    check_agreement,
    gains,
    read_set_photo,
    sharpness,
)
from pzvision.vision.calibration import Calibration, load
from pzvision.vision.detector import TileDetector
from pzvision.vision.tile_set import TileSet

QUICK = AdaptConfig(variants=48, strengths=(1e-4, 1e-6), steps=300)
ARRANGED = ((1,), (1, 1), (1, 1, 1), (2, 2), (2, 1, 2), (2, 2, 2), (2, 3, 2), (3, 2, 3), (3, 3, 3))


class Strange:
    """A set that no reader was taught: Arabic numerals over a cross, triangles, square frames."""

    def __init__(self) -> None:
        self._look = replace(LOOKS["jade"], name="strange")

    @property
    def look(self) -> Look:
        return self._look

    def face(self, kind: int, copy: int = 0) -> Image:
        image = np.full((176, 132, 3), (235, 240, 242), np.uint8)
        suit, number = kind // 9, kind % 9 + 1
        if suit == 0:
            cv2.putText(
                image, str(number), (36, 92), cv2.FONT_HERSHEY_DUPLEX, 2.6, (40, 30, 150), 7, cv2.LINE_AA
            )
            cv2.line(image, (30, 130), (102, 130), (30, 30, 30), 9)
            cv2.line(image, (66, 112), (66, 160), (30, 30, 30), 9)
            return image
        k = 1.7 if number == 1 else 1.0
        for row, count in enumerate(ARRANGED[number - 1]):
            y = 88 + (row - (len(ARRANGED[number - 1]) - 1) / 2) * 52
            for i in range(count):
                x = 66 + (i - (count - 1) / 2) * (38 if count == 3 else 52)
                if suit == 1:
                    corners = np.array([[x, y - 19 * k], [x + 16 * k, y + 15 * k], [x - 16 * k, y + 15 * k]])
                    cv2.fillPoly(image, [np.rint(corners).astype(int)], (60, 120, 20), cv2.LINE_AA)
                else:
                    low = (round(x - 14 * k), round(y - 14 * k))
                    cv2.rectangle(image, low, (round(x + 14 * k), round(y + 14 * k)), (160, 70, 20), 6)
        return image


@pytest.fixture(scope="module")
def detector() -> TileDetector:
    return TileDetector(threads=1, backend="onnxruntime")


def shot(look: object, seed: int, **kwargs: object) -> Image:
    config = SetPhotoConfig(**{"hard": 0.3, **kwargs})  # type: ignore[arg-type]
    return set_photo(np.random.default_rng([17, seed]), look, config=config).image  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def strange(detector: TileDetector) -> list[SetPhoto]:
    return [
        read_set_photo(f"photo {seed}", shot(Strange(), seed), detector, order="rows") for seed in (1, 4, 6)
    ]


@pytest.fixture(scope="module")
def learnt(detector: TileDetector, strange: list[SetPhoto]) -> Adaptation:
    return adapt("strange", strange[:2], detector, QUICK)


def test_a_set_read_badly_is_read_well_after(learnt: Adaptation) -> None:
    assert learnt.tile_set is not None and learnt.strength is not None
    for trial in learnt.trials:
        assert trial.before.right <= 9
        assert trial.after.right >= 23
        assert trial.after.small >= 0.9


def test_a_third_photo_nobody_learnt_from_is_read_well(
    detector: TileDetector, strange: list[SetPhoto], learnt: Adaptation
) -> None:
    photo = strange[2]
    before = detector.stages[1].read_quads(photo.image, photo.quads)[0].kinds  # type: ignore[union-attr]
    taught = TileDetector(threads=1, backend="onnxruntime", tile_set=learnt.tile_set)
    after = taught.stages[1].read_quads(photo.image, photo.quads)[0].kinds  # type: ignore[union-attr]
    assert (before == np.arange(27)).sum() <= 9
    assert (after == np.arange(27)).sum() >= 25
    found = taught(photo.image)
    assert len(set(found.class_ids.tolist()) & set(range(27))) >= 24


def test_a_photo_of_a_moving_camera_is_read_well(
    detector: TileDetector, strange: list[SetPhoto], learnt: Adaptation
) -> None:
    reader = detector.stages[1]
    assert reader is not None and learnt.tile_set is not None
    right = []
    for smear in (0, 8):
        kernel = np.zeros((9, 9), np.float32)
        kernel[4, :] = 1 / 9
        shot = strange[2].image if not smear else cv2.filter2D(strange[2].image, -1, kernel)
        logp, features = reader.features(reader.cut(np.asarray(shot, np.uint8), strange[2].quads))
        right.append(int((learnt.tile_set.correct(np.exp(logp), features).argmax(axis=1) == range(27)).sum()))
    assert right[0] >= 25 and right[1] >= 24


def test_places_without_tiles_are_taken_for_tiles_no_more_often(
    detector: TileDetector, strange: list[SetPhoto], learnt: Adaptation
) -> None:
    reader = detector.stages[1]
    assert reader is not None and learnt.tile_set is not None
    photo = strange[2]
    faces = reader.cut(photo.image, photo.grounds)
    assert len(faces) >= 20
    logp, features = reader.features(faces)
    before = (logp.argmax(axis=1) < 27).mean()
    after = (learnt.tile_set.correct(np.exp(logp), features).argmax(axis=1) < 27).mean()
    assert after <= before + 0.1


@pytest.mark.parametrize("name", ["harbour", "market", "old"])
def test_never_worse_on_a_photo_that_was_not_learnt_from(detector: TileDetector, name: str) -> None:
    look = HELD_OUT[name] if name in HELD_OUT else LOOKS[name]
    photos = [read_set_photo(str(s), shot(look, s, tile_px=60.0), detector) for s in (21, 22)]
    quick = replace(AdaptConfig(), variants=16, strengths=(0.001, 1e-4))
    result = adapt(name, photos, detector, quick)
    for trial in result.trials:
        assert trial.after.right >= trial.before.right
        assert trial.after.nll <= trial.before.nll + AdaptConfig().slack
    assert (result.tile_set is None) == (result.strength is None)


def test_a_correction_is_taken_where_it_rights_a_name_and_wrongs_none() -> None:
    config = AdaptConfig()
    read = [Score(26, 0.98, 0.03), Score(27, 0.99, 0.03)]
    assert gains(read, [Score(27, 0.99, 0.03 + config.slack), Score(27, 0.99, 0.05)], config)
    assert not gains(read, [Score(27, 0.99, 0.04 + config.slack), Score(27, 0.99, 0.05)], config)
    assert not gains(read, [Score(27, 0.97, 0.03), Score(27, 0.99, 0.03)], config)  # worse when small
    assert not gains(read, [Score(27, 1.0, 0.01), Score(26, 1.0, 0.01)], config)  # one name lost
    assert not gains(read, [Score(26, 1.0, 0.029), Score(27, 1.0, 0.029)], config)  # not worth it
    assert gains(read, [Score(26, 1.0, 0.003), Score(27, 1.0, 0.003)], config)


def test_a_photo_out_in_the_sun_is_of_the_same_set(detector: TileDetector) -> None:
    photos = [
        read_set_photo(f"photo {seed}", shot(Strange(), seed), detector, order="rows") for seed in (1, 4)
    ]
    pale = np.clip(photos[1].image.astype(np.float32) * 0.45 + 150, 0, 255).astype(np.uint8)
    reader = detector.stages[1]
    assert reader is not None
    check_agreement([photos[0], replace(photos[1], image=pale)], reader, AdaptConfig())
    turned = photos[1].quads.copy()
    turned[:9] = turned[8::-1]
    with pytest.raises(PzvisionError, match="contradicts"):
        check_agreement([photos[0], replace(photos[1], quads=turned)], reader, AdaptConfig())


def test_the_detector_keeps_its_own_set(detector: TileDetector, strange: list[SetPhoto]) -> None:
    reader = detector.stages[1]
    assert reader is not None
    adapt("x", strange[:2], detector, replace(AdaptConfig(), variants=4, strengths=(0.1,)))
    assert reader.tile_set is None


def test_tiles_in_any_order_are_told_by_their_faces(detector: TileDetector) -> None:
    order = np.random.default_rng(4).permutation(27)
    scene = set_photo(
        np.random.default_rng([17, 1]), "jade", order.tolist(), SetPhotoConfig(hard=0.2, columns=7)
    )
    photo = read_set_photo("any", scene.image, detector)
    assert not photo.in_rows
    true = scene.polygons[np.argsort(order)].mean(axis=1)
    assert np.abs(photo.quads.mean(axis=1) - true).max() < 12


def test_a_photo_from_the_other_side(detector: TileDetector) -> None:
    scene = set_photo(np.random.default_rng(8), "blue", config=SetPhotoConfig(hard=0.2, upside_down=1.0))
    photo = read_set_photo("across", scene.image, detector)
    assert photo.in_rows
    assert np.abs(photo.quads.mean(axis=1) - scene.polygons.mean(axis=1)).max() < 12


def refused(image: Image, says: str, detector: TileDetector, look_order: str = "auto") -> None:
    with pytest.raises(PzvisionError, match=says) as caught:
        read_set_photo("p.jpg", image, detector, order=look_order)  # type: ignore[arg-type]
    assert str(caught.value).startswith("p.jpg: ") and "\n" not in str(caught.value)


def test_too_few_or_too_many_tiles(detector: TileDetector) -> None:
    rng = np.random.default_rng(3)
    few = set_photo(rng, "jade", list(range(20)), SetPhotoConfig(hard=0.2)).image
    refused(few, r"20 faces found; expected the 27", detector)
    many = set_photo(rng, "jade", [*range(27), 3, 4, 5, 6, 7, 8, 9, 10, 11], SetPhotoConfig(hard=0.2)).image
    refused(many, r"36 faces found; expected the 27", detector)
    refused(np.full((600, 800, 3), 90, np.uint8), "0 faces found", detector)


def test_one_tile_twice(detector: TileDetector) -> None:
    kinds = list(range(27))
    kinds[5] = 4
    image = set_photo(np.random.default_rng(5), "jade", kinds, SetPhotoConfig(hard=0.2, columns=7)).image
    refused(image, "no three rows of nine, and the faces do not tell", detector)


def test_rows_of_a_strange_set_need_the_users_word(detector: TileDetector) -> None:
    refused(shot(Strange(), 1), "--order rows", detector)


def test_too_small_and_blurred(detector: TileDetector) -> None:
    refused(shot("jade", 2, size=(640, 480), tile_px=30.0, hard=0.0), "faces of 2. px; expected at least 30",
            detector)  # fmt: skip
    blurred = cv2.GaussianBlur(shot("jade", 2, hard=0.0), (0, 0), 5.0)
    refused(np.asarray(blurred, np.uint8), "blurred", detector)


def test_sharpness_falls_with_blur(detector: TileDetector) -> None:
    image = shot("jade", 2, hard=0.0)
    photo = read_set_photo("a", image, detector)
    reader = detector.stages[1]
    assert reader is not None
    levels = [
        float(np.median(sharpness(reader.cut(np.asarray(cv2.GaussianBlur(image, (0, 0), s)), photo.quads))))
        for s in (0.5, 2.0, 4.0)
    ]
    assert levels[0] > 2 * levels[1] > 3 * levels[2]


def test_photos_that_contradict_each_other(detector: TileDetector, strange: list[SetPhoto]) -> None:
    swapped = strange[1].quads.reshape(3, 9, 4, 2)[[0, 2, 1]].reshape(27, 4, 2)
    other = replace(strange[1], name="other", quads=swapped)
    with pytest.raises(PzvisionError, match=r"^other contradicts photo 1: 1\d of 27 look like others"):
        adapt("x", [strange[0], other], detector)
    with pytest.raises(PzvisionError, match="the same picture as photo 1"):
        adapt("x", [strange[0], replace(strange[0], name="copy")], detector)
    with pytest.raises(PzvisionError, match="expected two"):
        adapt("x", strange[:1], detector)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command learns from fewer pictures, so that it does not take long."""
    monkeypatch.setattr("pzvision.vision.adapt.AdaptConfig", lambda: QUICK)


@pytest.mark.usefixtures("quick")
def test_the_command_from_photos_to_detection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for seed in (1, 4):
        paths.append(str(tmp_path / f"{seed}.png"))
        cv2.imwrite(paths[-1], shot(Strange(), seed))
    table = tmp_path / "table.toml"
    corners = ((0.3, 0.8), (0.7, 0.8), (0.65, 0.3), (0.35, 0.3))
    Calibration((1280, 720), corners).save(table)
    words = [
        "adapt",
        *paths,
        "--name",
        "club",
        "--calibration",
        str(table),
        "--order",
        "rows",
        "--lang",
        "en",
    ]
    words += ["--threads", "1", "--backend", "onnxruntime"]
    assert main(words) == 0
    out = capsys.readouterr().out
    written = tmp_path / "tile_sets" / "club.npz"
    assert f"written {written}" in out and out.count("/27 right") == 2
    assert load(table).tile_set == "club"
    first = written.read_bytes()
    assert main(words) == 0  # the same again: the old one stays, the new one is equal
    assert "the earlier one is kept as" in capsys.readouterr().out
    assert (tmp_path / "tile_sets" / "club.1.npz").read_bytes() == first
    assert (
        TileSet.load(written).weights == TileSet.load(tmp_path / "tile_sets" / "club.1.npz").weights
    ).all()
    again = ["detect", paths[0], "--threads", "1", "--backend", "onnxruntime"]
    assert main([*again, "--tile-set", str(written)]) == 0
    taught = capsys.readouterr().out
    assert main(again) == 0
    assert "123456789m" in taught and "123456789m" not in capsys.readouterr().out


@pytest.mark.usefixtures("quick")
def test_nothing_to_gain_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for seed in (1, 3):
        paths.append(str(tmp_path / f"{seed}.png"))
        cv2.imwrite(paths[-1], shot("jade", seed, hard=0.1))
    out = tmp_path / "set.npz"
    assert main(["adapt", *paths, "--out", str(out), "--lang", "en", "--threads", "1"]) == 1
    assert "nothing written" in capsys.readouterr().out and not out.exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["a.jpg"], "a.jpg: one photo"),
        (["a.jpg", "b.jpg"], "a.jpg: cannot be read"),
        (["a.jpg", "b.jpg", "--name", "../x"], "tile set '../x'"),
        (["a.jpg", "b.jpg", "--threads", "0"], "--threads 0"),
        (["a.jpg", "b.jpg", "--calibration", "c.toml", "--out", "x"], "--out x"),
        (["a.jpg", "b.jpg", "--calibration", "c.toml"], "c.toml: cannot read"),
    ],
)
def test_bad_input(
    words: list[str],
    says: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["adapt", *words]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and err.startswith("pzvision: error: ") and says in err
