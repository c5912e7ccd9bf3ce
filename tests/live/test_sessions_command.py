"""`pzvision sessions` and the store behind `pzvision live`, at the command line."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.game import Event, HandStart, format_event, settle_text
from pzvision.game.simulate import simulate
from pzvision.live.hub import Hub
from pzvision.live.played_page import nice_ticks
from pzvision.live.store import Store
from pzvision.live.teller import Teller
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image
from pzvision.vision.detections import Detections

NAMES = {"E": "老王<script>alert(1)</script>", "S": "=1+1", "W": "小李 & 'Co'", "N": "🀄" * 12}
EVENTS: list[Event] = [
    replace(e, names=NAMES) if isinstance(e, HandStart) else e
    for e in simulate("pzh-popular", seed=11, hands=3)
]


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A store with an evening of three hands and one that was broken off at once."""
    path = tmp_path / "一晚.sqlite"
    store = Store(path)
    writer = store.begin("table=0 <b>", {})
    hub = Hub()
    hub.keep(writer.keep)
    teller = Teller(hub=hub)
    hub.publish({"type": "camera", "camera": "table", "state": "lost", "reason": None})
    with teller.batch():
        teller.change(0, EVENTS, 0.0)
    hub.publish({"type": "correction", "hand": 1, "correction": {"kind": "undo"}})
    hub.publish({"type": "session", "id": 1, "state": "ended"})
    other = Hub()
    other.keep(store.begin("table=1", {}).keep)
    other.publish({"type": "session", "id": 2, "state": "begun"})
    store.close()
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["sessions", *words])
    out, err = capsys.readouterr()
    return status, out, err


def test_list_and_show(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--store", str(stored), "--lang", "en")
    lines = out.splitlines()
    assert status == 0 and len(lines) == 3
    assert lines[1].split()[0] == "1" and lines[1].endswith("ended") and lines[2].endswith("broken off")
    totals = [hand.totals for hand in settle_text(_export(stored, capsys, "--jsonl"))]
    sums = {seat: sum(t[seat] for t in totals) for seat in "ESWN"}
    status, out, _ = run(capsys, "show", "1", "--store", str(stored))
    assert status == 0 and out.count("第") >= 4
    assert f"合计  {NAMES['E']} {sums['E']:+d}" in out
    assert "更正 1 次" in out and "摄像头断过 1 次" in out
    status, out, _ = run(capsys, "show", "last", "--store", str(stored))
    assert status == 0 and "没有打完的局" in out


def _export(stored: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    status, out, err = run(capsys, "export", "1", *words, "--store", str(stored))
    assert status == 0 and err == ""
    return out


def test_export_of_the_log_settles_as_it_was_settled(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = _export(stored, capsys)
    assert [json.loads(line)["type"] for line in text.splitlines()] == [e.type for e in EVENTS]
    assert len(settle_text(text)) == 3


def test_export_of_the_ledger(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = _export(stored, capsys, "--csv")
    assert text[0] == "\ufeff"
    rows = list(csv.DictReader(io.StringIO(text[1:])))
    paid = [
        (n, p) for n, hand in enumerate(settle_text(_export(stored, capsys)), 1) for p in hand.state.ledger
    ]
    assert [(int(r["hand"]), int(r["amount"]), int(r["event"])) for r in rows] == [
        (n, p.amount, p.event) for n, p in paid
    ]
    assert all(sum(int(row[seat]) for seat in "ESWN") == 0 for row in rows)
    assert {row["from"] for row in rows} | {row["to"] for row in rows} <= {
        *NAMES.values(),
        "'" + NAMES["S"],
    }
    assert not any(cell.startswith("=") for row in rows for cell in row.values()), "no formulas"


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_report_is_one_file_that_loads_nothing(
    stored: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, lang: str
) -> None:
    out = tmp_path / "报告.html"
    status, printed, _ = run(
        capsys, "export", "1", "--html", "--out", str(out), "--store", str(stored), "--lang", lang
    )
    page = out.read_text(encoding="utf-8")
    assert status == 0 and printed == ""
    assert "<script" not in page and "&lt;script&gt;" in page and "table=0 &lt;b&gt;" in page
    assert not re.search(r"(src|href)=|url\(|@import|https?:", page)
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawings) == 2
    lines = [ElementTree.fromstring(d) for d in drawings]
    assert len([e for e in lines[0] if e.tag == "polyline"]) == 4
    assert len([e for e in lines[1] if e.tag == "rect"]) == 3
    for drawing in lines:
        for text in (e for e in drawing if e.tag == "text"):
            assert 0 <= float(text.get("x", "nan")) <= 760 and 0 <= float(text.get("y", "nan")) <= 300
    names = [e for e in lines[0] if e.get("class") == "name"]
    places = sorted(float(e.get("y", "nan")) for e in names)
    assert all(b - a >= 14 for a, b in itertools.pairwise(places)), "no label covers another"
    status, _, _ = run(capsys, "export", "2", "--html", "--store", str(stored))
    assert status == 0


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0), (0, 1), (-3, 4), (0, 7), (-250, 90), (0, 10**6), (-1, 0), (-99, 101), (5, 9)]
)
def test_ticks(low: int, high: int) -> None:
    ticks = nice_ticks(low, high)
    assert 0 in ticks and ticks[0] <= low and ticks[-1] >= high and 2 <= len(ticks) <= 9
    assert len({b - a for a, b in itertools.pairwise(ticks)}) == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["show"], "which one"),
        (["show", "7"], "session 7: expected 1 to 2"),
        (["show", "0"], "session 0"),
        (["show", "-1"], ""),
        (["show", "one"], "'one'"),
        (["list", "1"], "sessions list 1"),
        (["show", "1", "--csv"], "--csv goes with export"),
        (["export", "1", "--out", "nowhere/x.html"], "nowhere"),
        (["export", "1", "--out", "STORE"], "would overwrite --store"),
    ],
)
def test_bad_input(stored: Path, capsys: pytest.CaptureFixture[str], words: list[str], expected: str) -> None:
    before = stored.read_bytes()
    words = [str(stored) if word == "STORE" else word for word in words]
    status = main(["sessions", *words, "--store", str(stored)])
    out, err = capsys.readouterr()
    assert status == 2 and out == "" and expected in err and stored.read_bytes() == before


def test_no_store_yet(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PZVISION_DATA", str(tmp_path))
    assert run(capsys) == (0, "还没有存过牌局\n", "")
    status, _, err = run(capsys, "--store", str(tmp_path / "no.sqlite"))
    assert status == 2 and "no.sqlite" in err
    assert list(tmp_path.iterdir()) == [], "looking makes nothing"


class NoTiles:
    """In place of the models."""

    def __init__(self, *_: object, **__: object) -> None:
        self.providers = ("none",)

    def __call__(self, image: Image) -> Detections:
        return Detections.empty((image.shape[1], image.shape[0]))


def test_live_stores_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pzvision.vision.detector.TileDetector", NoTiles)
    monkeypatch.setattr("pzvision.vision.tableview.TableDetector", NoTiles)
    size = (320, 180)
    writer = cv2.VideoWriter("v.avi", cv2.VideoWriter.fourcc(*"MJPG"), 10, size)
    for i in range(8):
        writer.write(np.full((180, 320, 3), 60 + i, np.uint8))
    writer.release()
    corners = ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05))
    Calibration(size, corners, near_seat="E").save("c.toml")
    words = ["live", "--camera", "v.avi", "--ruleset", "pzh-popular", "--calibration", "c.toml", "--no-page"]
    words = [*words, "--name", "E=老王", "--store", "s.sqlite"]
    assert main([*words, "--base", "3"]) == 0
    assert "第 1 场" in capsys.readouterr().err
    store = Store("s.sqlite")
    (row,) = store.sessions()
    assert row.ended and row.source == "table=v.avi" and row.setup["base"] == 3
    # As if the power had been cut in the middle of a hand.
    hub, stored = Hub(), store.read(1)
    hub.restore(stored.stream)
    hub.keep(store.resume(1).keep)
    hub.publish({"type": "session", "id": 1, "state": "resumed"})
    for event in EVENTS[:9]:
        hub.publish(format_event(event))
    store.close()
    assert main(words) == 0, "not at a terminal: a new one is begun, and said so"
    assert "第 1 场没有正常结束" in capsys.readouterr().err
    assert main([*words, "--resume"]) == 0
    assert "NoTiles" not in capsys.readouterr().err
    store = Store("s.sqlite")
    assert [s.id for s in store.sessions()] == [1, 2]
    monkeypatch.setattr("pzvision.live.resume.broken_off", lambda _: store.session(1))
    assert main([*words, "--new"]) == 0 and len(store.sessions()) == 3
    store.close()


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (["--resume", "--new"], "--resume and --new"),
        (["--store", "x.sqlite", "--no-store"], "--store and --no-store"),
        (["--store", "v.avi"], "would overwrite"),
        (["--store", ""], "--store ''"),
        (["--host", ""], "--host ''"),
        (["--overlay-delay", "-1"], "--overlay-delay"),
        (["--camera", "hand.Q=1"], "hand.Q=1"),
        (["--declarations", "missing.jsonl"], "missing.jsonl"),
    ],
)
def test_bad_input_to_live(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.avi").write_bytes(b"x")
    Calibration((320, 180), ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05))).save("c.toml")
    before = sorted(p.name for p in tmp_path.iterdir())
    words = ["live", "--camera", "v.avi", "--ruleset", "pzh-popular", "--calibration", "c.toml"]
    assert main([*words, *more]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and expected in err
    assert sorted(p.name for p in tmp_path.iterdir()) == before
