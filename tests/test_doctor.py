"""The doctor: each thing that can be wrong is found, named and comes with what to do; nothing stops it."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.doctor import DoctorConfig, Finding, Wanted, examine, installed, machine, table
from pzvision.messages import catalogue
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections

QUICK = DoctorConfig(watch_s=0.3, open_s=5.0)
CORNERS = ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05))  # seen too low for comfort
PACKAGE = Path(table.__file__).parents[1]
GOOD = PACKAGE / "live" / "demo" / "calibration.json"


def only(findings: Any) -> Finding:
    (finding,) = findings
    return finding


def test_versions_within_bounds() -> None:
    for have, want, held in (
        ("4.10.0.84", ">=4.10,<6", True),
        ("4.9.0", ">=4.10,<6", False),
        ("6.0.0", ">=4.10,<6", False),
        ("2.1.0", "==2.1.0", True),
        ("2.1.1", "==2.1.0", False),
        ("1.0", "", True),
        ("0.3", ">0.3", False),
        ("0.3", "<=0.3,!=0.2", True),
        ("5.0.0.93rc1", ">=5", True),
    ):
        assert installed.satisfies(have, want) == held, (have, want)


def test_packages_missing_old_and_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [
        "numpy>=1.26,<3",
        "opencv-python>=4.10",
        "nothing-like-it>=1",
        "pytest>=99; extra == 'dev'",
        "tqdm>=99",
    ]
    monkeypatch.setattr(installed.metadata, "requires", lambda name: wanted)
    real = installed.importlib.import_module

    def broken(name: str) -> Any:
        if name == "cv2":
            raise ImportError("libGL.so.1: cannot open shared object file")
        return real(name)

    monkeypatch.setattr(installed.importlib, "import_module", broken)
    found = {f.fields["name"]: f for f in installed.packages()}
    assert {name: (f.state, f.text) for name, f in found.items()} == {
        "opencv-python": ("bad", "package_broken"),
        "nothing-like-it": ("bad", "package_missing"),
        "tqdm": ("warn", "package_old"),
    }
    assert "apt-get install libgl1" in found["opencv-python"].mend_line("en")
    assert found["nothing-like-it"].mend_line("zh") == "pip install 'nothing-like-it>=1'"


def test_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for free, state in ((400 << 20, "warn"), (8 << 30, "ok"), (None, "ok")):
        monkeypatch.setattr("pzvision.batch.local.free_memory", lambda free=free: free)
        assert only(machine.machine(QUICK)).state == state


def test_a_model_missing_slow_or_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = only(machine.model(str(tmp_path), QUICK))
    assert missing.state == "bad" and "missing model" in missing.line("en") and missing.mend

    class Fake:
        backend = "onnxruntime"
        networks = ()

        def __init__(self, folder: Path | None) -> None: ...

        def __call__(self, image: Any) -> Detections:
            return Detections.empty((1280, 720))

    monkeypatch.setattr("pzvision.vision.detector.TileDetector", Fake)
    well, backend = machine.model(None, QUICK)
    assert (well.state, well.text) == ("ok", "model") and "pzvision[fast]" in backend.mend_line("zh")
    slow, _ = machine.model(None, DoctorConfig(slow_ms=-1))
    assert (slow.state, slow.text) == ("warn", "model_slow")


def test_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pzvision.live.picture.picture_lang", lambda lang: "en")
    monkeypatch.setattr(machine.shutil, "which", lambda name: "/usr/bin/fc-list")
    nothing = subprocess.CompletedProcess([], 0, b"\n", b"")
    monkeypatch.setattr(machine.subprocess, "run", lambda *args, **more: nothing)
    assert [f.text for f in machine.fonts()] == ["font_cv", "font_page"]
    monkeypatch.setattr("pzvision.live.picture.picture_lang", lambda lang: lang)
    monkeypatch.setattr(machine.shutil, "which", lambda name: None)
    assert only(machine.fonts()).state == "ok"


def test_video_files_can_be_written_here() -> None:
    assert only(machine.video()).state == "ok"


# --- the table ---------------------------------------------------------------------------------------


def film(path: Path, shade: int, size: tuple[int, int] = (1280, 720)) -> str:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 15.0, size)
    for step in range(45):
        image = np.full((size[1], size[0], 3), shade, np.uint8)
        image[:40, : 10 * step + 10] = shade
        if shade:
            image[step * 4 : step * 4 + 40, 100:300] = 255 - shade
        writer.write(image)
    writer.release()
    return str(path)


@pytest.mark.parametrize(
    ("shade", "size", "state", "text"),
    [
        (90, (1280, 720), "ok", "camera"),
        (0, (1280, 720), "bad", "camera_black"),
        (90, (640, 360), "warn", "camera_small"),
    ],
)
def test_a_camera_is_watched(
    tmp_path: Path, shade: int, size: tuple[int, int], state: str, text: str
) -> None:
    seen: list[tuple[int, int]] = []
    config = DoctorConfig(watch_s=0.5, open_s=30, low_fps=0.0)
    found = only(table.camera(film(tmp_path / "v.mp4", shade, size), config, seen))
    assert (found.state, found.text) == (state, text) and seen == [size]
    if text == "camera":
        slow = only(table.camera(str(tmp_path / "v.mp4"), DoctorConfig(watch_s=0.3, low_fps=1e6), []))
        assert (slow.state, slow.text) == ("warn", "camera_slow")


def test_a_camera_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = only(table.camera(str(tmp_path / "none.mp4"), QUICK, []))
    assert gone.state == "bad" and "no such source" in gone.line("en") and "VLC" in gone.mend_line("en")
    monkeypatch.setattr(table.Path, "glob", lambda self, pattern: iter(()))
    assert only(table.camera(None, QUICK, [])).text == "camera_none"
    monkeypatch.setattr(table.Path, "glob", lambda self, pattern: iter([Path("/dev/video0")]))
    monkeypatch.setattr(table.os, "access", lambda path, mode: False)
    monkeypatch.setattr(table.sys, "platform", "linux")
    assert "usermod -aG video" in only(table.camera(None, QUICK, [])).mend_line("en")


def test_calibrations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert only(table.calibration(None, [])).text == "calibration_none"
    path = tmp_path / "table.json"
    path.write_bytes(GOOD.read_bytes())
    well = only(table.calibration(str(path), [(1280, 720)]))
    assert well.state == "ok" and "table.json" in well.line("zh")
    size = only(table.calibration(str(path), [(1920, 1080)]))
    assert size.state == "bad" and "1280×720" in size.line("en") and "1920×1080" in size.line("en")
    path.write_text("{")
    assert only(table.calibration(str(path), [])).text == "calibration_bad"
    small = Calibration((320, 180), CORNERS, near_seat="S")
    path.write_text(json.dumps(small.format()))
    doubts = list(table.calibration(str(path), []))
    assert {f.state for f in doubts} == {"warn"} and all(f.line("zh") != f.line("en") for f in doubts)


def test_a_port_in_use() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        found = only(table.port(number))
        assert found.state == "bad" and str(number) in found.line("zh") and "--port" in found.mend_line("en")
    assert only(table.port(number)).state == "ok"


def test_storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PZVISION_DATA", str(tmp_path / "not" / "yet"))
    assert only(machine.storage(DoctorConfig(low_disk_gb=0))).state == "ok"
    assert not (tmp_path / "not").exists()
    assert only(machine.storage(DoctorConfig(low_disk_gb=1e9))).state == "warn"
    assert only(machine.storage(DoctorConfig(low_disk_gb=1e9, bad_disk_gb=1e9))).state == "bad"

    def denied(**more: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(machine.tempfile, "NamedTemporaryFile", denied)
    found = only(machine.storage(QUICK))
    assert found.state == "bad" and "Permission denied" in found.line("en")


def test_a_terminal_without_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    class Out:
        encoding = "ascii"

    monkeypatch.setattr(machine.sys, "stdout", Out())
    assert only(machine.terminal()).text == "terminal_bad"


# --- the whole ---------------------------------------------------------------------------------------


def test_a_check_that_cannot_be_made_stops_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def crash() -> Any:
        raise ValueError("of all things\nsecond line")

    monkeypatch.setattr(machine, "fonts", crash)
    monkeypatch.setattr(machine, "model", lambda folder, config: iter(()))
    found = list(examine(Wanted(camera=str(tmp_path / "none")), QUICK))
    crashed = next(f for f in found if f.check == "fonts")
    assert crashed.state == "bad" and crashed.line("en").endswith("of all things")
    assert {"port", "storage", "terminal", "camera"} <= {f.check for f in found}


def test_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(machine, "model", lambda folder, config: iter(()))
    camera = str(tmp_path / "none")
    assert main(["doctor", "--camera", camera, "--json"]) == 1
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    bad = [r for r in records if r["state"] == "bad"]
    assert [r["check"] for r in bad] == ["camera"] and bad[0]["mend"]["zh"] and bad[0]["mend"]["en"]
    assert main(["doctor", "--camera", camera, "--lang", "en"]) == 1
    out = capsys.readouterr().out
    assert "✗ camera" in out and "    to mend: " in out and re.search(r"\d to mend, \d to note", out)
    assert main(["doctor", "--port", "70000"]) == 2
    assert "--port 70000: expected 0 to 65535" in capsys.readouterr().err


def test_every_finding_has_words_in_both_languages() -> None:
    source = "".join(p.read_text(encoding="utf-8") for p in sorted((PACKAGE / "doctor").glob("*.py")))
    named = set(re.findall(r'Finding\(\s*"(\w+)",\s*[\w"]+,\s*"(\w+)"(?:,\s*"(\w+)")?', source))
    assert len(named) > 25
    texts = catalogue()
    for check, text, mend in named:
        assert f"doctor.check.{check}" in texts
        for key in filter(None, (text, mend)):
            assert f"doctor.{key}" in texts, key
