"""Side by side with the peer: a stand-in package of the same shape plays it."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("yaml")

from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.synth.scenes import SceneConfig, random_scene
from pzvision.tiles import KINDS, OTHER, parse_tile
from pzvision.train.peer import PeerDetector

STAND_IN = """
from typing import NamedTuple
CLASS_NAMES = ["1m", "9p", "chun"]
class Detection(NamedTuple):
    x1: int
    y1: int
    x2: int
    y2: int
    class_id: int
    confidence: float
def predict(picture, padding):
    red = picture.getpixel((0, 0))[0]  # RGB
    return [Detection(10, 20, 30, 50, 1, 0.75), Detection(60, 20, 80, 50, 2, 0.5)] if red > 100 else []
"""
PICTURE = """
class Picture:
    def __init__(self, array):
        self.array = array
    def getpixel(self, at):
        return tuple(int(v) for v in self.array[at[1], at[0]])
def fromarray(array):
    return Picture(array)
"""


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages named as the peer's and Pillow's, with as little in them as is used."""
    for package, module, text in (
        ("mahjong_detector", "predict", STAND_IN),
        ("mahjong_detector", "preprocess", "def preprocess_image(picture):\n    return picture, None\n"),
        ("PIL", "Image", PICTURE),
    ):
        folder = tmp_path / "packages" / package
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
        (folder / f"{module}.py").write_text(text)
    for name in [n for n in sys.modules if n.split(".")[0] in ("mahjong_detector", "PIL")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    importlib.invalidate_caches()


@pytest.mark.usefixtures("peer")
def test_the_peers_boxes_and_names_become_ours() -> None:
    image = np.zeros((60, 100, 3), np.uint8)
    image[..., 2] = 200  # red in BGR
    found = PeerDetector()(image)
    assert found.class_ids.tolist() == [parse_tile("9p"), OTHER]
    assert found.boxes.tolist() == [[10, 20, 30, 50], [60, 20, 80, 50]]
    assert found.scores.tolist() == [0.75, 0.5] and found.image_size == (100, 60)
    assert len(PeerDetector()(np.zeros((60, 100, 3), np.uint8))) == 0


@pytest.mark.usefixtures("peer")
def test_both_are_judged_on_the_same_photos(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = SceneConfig(layouts=(("rows", 1.0),), tile_px=(45.0, 55.0), no_tiles=0.0, arms=0.0, hard=0.0)
    scene = random_scene(np.random.default_rng(5), size=(960, 544), config=config)
    for name in ("images", "labels"):
        (tmp_path / name).mkdir()
    cv2.imwrite(str(tmp_path / "images" / "a.jpg"), scene.image)
    rows = []
    for kind, polygon in zip(scene.classes, scene.polygons, strict=True):
        if kind < KINDS:
            low, high = polygon.min(axis=0) / (960, 544), polygon.max(axis=0) / (960, 544)
            (x, y), (w, h) = (low + high) / 2, high - low
            rows.append(f"{kind} {x} {y} {w} {h}")
    (tmp_path / "labels" / "a.txt").write_text("\n".join(rows))
    assert main(["bench-detector", "--peer", str(tmp_path), "--threads", "1", "--json"]) == 0
    peer, ours = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (peer["detector"], ours["detector"]) == ("mahjong-detector", "pzvision")
    assert peer["tiles"] == ours["tiles"] == len(rows) and peer["photos"] == ours["photos"] == 1
    assert ours["recall"] > peer["recall"] and ours["ms"] > 0
    assert main(["bench-detector", "--peer", str(tmp_path), "--threads", "1"]) == 0
    out = capsys.readouterr().out
    assert "mahjong-detector" in out and "pzvision" in out


def test_without_the_peer_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *rest: None)
    with pytest.raises(
        PzvisionError, match=r"mahjong_detector is not installed; pip install 'pzvision\[bench\]'"
    ):
        PeerDetector()


def test_pictures_beside_a_folder_of_photos_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench-detector", "x.jpg", "--peer", str(tmp_path)]) == 2
    assert "takes no further pictures" in capsys.readouterr().err
