"""Stored looks: what is read back is what the reader of the table was given."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.table.observations import Header, ObservationWriter, read_observations
from pzvision.table.packing import rounded
from pzvision.tiles import CLASSES
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionDetector, MotionMask

SIZE = (640, 360)
CALIBRATION = Calibration(SIZE, ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05)), near_seat="W")


def some_detections(rng: np.random.Generator, count: int) -> Detections:
    at = rng.uniform(0, 600, (count, 1, 2))
    probs = rng.dirichlet(np.full(CLASSES, 0.05), count).astype(np.float32)
    polygons = (at + rng.normal(0, 15, (count, 4, 2))).astype(np.float32)
    return Detections(polygons, probs.reshape(count, CLASSES), rng.random(count).astype(np.float32), SIZE)


def shaken_a_little(seen: Detections, rng: np.random.Generator) -> Detections:
    polygons = seen.polygons + rng.normal(0, 0.6, seen.polygons.shape).astype(np.float32)
    order = rng.permutation(len(seen))[: max(len(seen) - 1, 0)]
    return Detections(polygons[order], seen.probs[order], seen.scores[order], SIZE)


def same(a: Detections, b: Detections) -> bool:
    return all(np.array_equal(getattr(a, n), getattr(b, n)) for n in ("polygons", "probs", "scores"))


def masks(count: int) -> list[MotionMask]:
    rng = np.random.default_rng(4)
    detector = MotionDetector(CALIBRATION)
    image = np.full((SIZE[1], SIZE[0], 3), (70, 110, 40), np.uint8)
    out = []
    for k in range(count):
        now = image.copy()
        x = 20 + 45 * k
        now[40 : 40 + 30 * k, x : x + 60] = rng.integers(0, 255, 3)
        out.append(detector.look(now, k * 0.25))
    return out


@pytest.mark.parametrize("count", [0, 1, 40])
def test_rounding_is_small_and_done_once(count: int) -> None:
    seen = some_detections(np.random.default_rng(count), count)
    once = rounded(seen)
    assert same(once, rounded(once))
    assert np.abs(once.polygons - seen.polygons).max(initial=0) <= 0.2501
    assert np.abs(once.scores - seen.scores).max(initial=0) <= 0.00051
    np.testing.assert_allclose(once.probs.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(once.class_ids, seen.class_ids)


def test_what_cameras_on_hands_showed_is_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    small = (320, 240)
    row = rounded(some_detections(rng, 13))
    row = Detections(row.polygons, row.probs, row.scores, small)
    writer = ObservationWriter(tmp_path / "a.jsonl", Header(CALIBRATION))
    shown = [(("S", row), ("N", None)), (), (("S", rounded(some_detections(rng, 0))),)]
    for k, hands in enumerate(shown):
        writer.look(float(k), k, None, None, hands=hands)  # type: ignore[arg-type]
    writer.end(3.0)
    kept = [look.hands for look in read_observations(tmp_path / "a.jsonl")]
    assert [[seat for seat, _ in hands] for hands in kept] == [["S", "N"], [], ["S"]]
    back = kept[0][0][1]
    assert back is not None and same(back, row) and back.image_size == small
    assert kept[0][1][1] is None
    empty = kept[2][0][1]
    assert empty is not None and len(empty) == 0


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_what_is_read_is_what_was_written(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(1)
    first = rounded(some_detections(rng, 30))
    later = rounded(shaken_a_little(first, rng))
    seen = [first, first, later, None, later, rounded(some_detections(rng, 0)), first]
    header = Header(CALIBRATION, "x.mp4", "00ff", {"finder.onnx": "1234"}, frames=70)
    writer = ObservationWriter(tmp_path / name, header)
    moving = masks(len(seen))
    for k, (detections, mask) in enumerate(zip(seen, moving, strict=True)):
        writer.look(k / 3, 3 * k, detections, None if detections is None else mask)
    assert not (tmp_path / name).exists()  # no name before it is complete
    writer.end(2.5)
    assert [p.name for p in tmp_path.iterdir()] == [name]

    stored = read_observations(tmp_path / name)
    assert stored.header == header
    for _ in range(2):  # it can be read again
        looks = list(stored)
        assert [look.t for look in looks] == [k / 3 for k in range(len(seen))]
        assert [look.frame for look in looks] == [3 * k for k in range(len(seen))]
        for look, detections, mask in zip(looks, seen, moving, strict=True):
            if detections is None:
                assert look.detections is None and look.motion is None
                continue
            assert look.detections is not None and look.motion is not None
            assert same(look.detections, detections)
            for field in ("hidden", "bare", "moving", "sides", "patches"):
                np.testing.assert_array_equal(getattr(look.motion, field), getattr(mask, field), field)
            assert look.motion.shaken == mask.shaken
    assert any(mask.shaken for mask in moving[1:]) or any(mask.moving.any() for mask in moving)
    assert stored.end == 2.5


def test_the_same_looks_make_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        writer = ObservationWriter(tmp_path / name, Header(CALIBRATION))
        writer.look(0.0, 0, rounded(some_detections(np.random.default_rng(2), 5)), masks(1)[0])
        writer.end(0.0)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_an_interrupted_file_leaves_nothing(tmp_path: Path) -> None:
    writer = ObservationWriter(tmp_path / "a.jsonl.gz", Header(CALIBRATION))
    writer.look(0.0, 0, None, None)
    writer.close(keep=False)
    writer.close()
    assert not list(tmp_path.iterdir())


def _whole(path: Path) -> list[str]:
    writer = ObservationWriter(path, Header(CALIBRATION))
    rng = np.random.default_rng(3)
    for k, mask in enumerate(masks(3)):
        writer.look(k / 4, k, rounded(some_detections(rng, 3)), mask)
    writer.end(0.5)
    return path.read_text().splitlines()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [], "no stored observations"),
        (lambda lines: ["{}"], "no stored observations"),
        (lambda lines: [lines[0].replace('"schema":1', '"schema":9', 1)], "schema 9: expected 1"),
        (lambda lines: lines[:-1], "its end record is missing"),
        (lambda lines: [*lines[:2], lines[2][:40]], "line 3: damaged"),
        (lambda lines: [*lines[:2], '{"t":1,"frame":1,"tiles":[[9,0,0,0,0,0,0,0,0,0]]}'], "line 3: damaged"),
        (lambda lines: [*lines[:2], '{"t":1,"frame":1,"mask":["?","",""]}'], "line 3: damaged"),
        (lambda lines: [*lines[:2], "[]"], "line 3: damaged"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, change: object, message: str) -> None:
    lines = _whole(tmp_path / "good.jsonl")
    bad = tmp_path / "bad.jsonl"
    bad.write_text("\n".join(change(lines)))  # type: ignore[operator]
    with pytest.raises(PzvisionError, match=message):
        list(read_observations(bad))


def test_a_cut_off_archive_is_refused(tmp_path: Path) -> None:
    text = "\n".join(_whole(tmp_path / "good.jsonl"))
    bad = tmp_path / "bad.jsonl.gz"
    bad.write_bytes(gzip.compress(text.encode())[:-30])
    with pytest.raises(PzvisionError, match="damaged or cut off"):
        list(read_observations(bad))
    with pytest.raises(PzvisionError, match="cannot read"):
        read_observations(tmp_path / "none.jsonl.gz")


def test_the_header_is_plain_json(tmp_path: Path) -> None:
    record = json.loads(_whole(tmp_path / "good.jsonl")[0])
    assert Header.parse(record) == Header(CALIBRATION)
    assert record["image_size"] == list(SIZE)
