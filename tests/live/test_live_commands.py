"""`replay`, `live` and `calibrate` at the command line: bad input is one line and leaves nothing behind."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.game import HandStart
from pzvision.live.arguments import find_declarations
from pzvision.live.fit import judge_fit
from pzvision.live.logfile import LogFile
from pzvision.live.video import VideoFile
from pzvision.vision.calibration import Calibration, load
from pzvision.vision.capture import open_source

CORNERS = ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05))
GOOD = Calibration((320, 180), CORNERS, near_seat="E")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a short video, its calibration and a wrong one; also the working directory."""
    monkeypatch.chdir(tmp_path)
    writer = cv2.VideoWriter(str(tmp_path / "v.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 10, (320, 180))
    for i in range(15):
        writer.write(np.full((180, 320, 3), 60 + i, np.uint8))
    writer.release()
    GOOD.save(tmp_path / "c.toml")
    Calibration((1280, 720), CORNERS).save(tmp_path / "other.toml")
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "junk.mp4").write_bytes(b"no video " * 999)
    (tmp_path / "declared.jsonl").write_text('{"type": "discard", "seat": "E", "tile": "1m"}\n')
    (tmp_path / "nomodels").mkdir()
    (tmp_path / "photo.jpg").write_bytes(cv2.imencode(".jpg", np.zeros((180, 320, 3), np.uint8))[1].tobytes())
    (tmp_path / "zero.jpg").touch()
    return tmp_path


BASE = ["--ruleset", "pzh-popular", "--calibration", "c.toml"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["v.avi", "--calibration", "c.toml"], "--ruleset"),
        (["v.avi", "--ruleset", "nonsense", "--calibration", "c.toml"], "nonsense"),
        (["v.avi", *BASE, "--option", "cap=seven"], "seven"),
        (["v.avi", *BASE, "--option", "capp=7"], "capp"),
        (["v.avi", "--ruleset", "pzh-popular"], "--calibration"),
        (["v.avi", "--ruleset", "pzh-popular", "--calibration", "missing.toml"], "missing.toml"),
        (["v.avi", "--ruleset", "pzh-popular", "--calibration", "other.toml"], "1280 × 720"),
        (["missing.mp4", *BASE], "missing.mp4"),
        (["empty.mp4", *BASE], "empty file"),
        (["junk.mp4", *BASE], "junk.mp4"),
        (["nomodels", *BASE], "no pictures"),
        (["http://127.0.0.1:9/x", *BASE], "127.0.0.1:9"),
        (["v.avi", *BASE, "--dealer", "Q"], "'Q'"),
        (["v.avi", *BASE, "--base", "0"], "--base 0"),
        (["v.avi", *BASE, "--every", "0"], "--every"),
        (["v.avi", *BASE, "--start", "5", "--end", "2"], "--end 2"),
        (["v.avi", *BASE, "--name", "X=a"], "X=a"),
        (["v.avi", *BASE, "--name", "E=a", "--name", "E=b"], "'E=b'"),
        (["v.avi", *BASE, "--every", "nan"], "--every"),
        (["v.avi", *BASE, "--every", "-1"], "--every"),
        (["v.avi", *BASE, "--start", "nan"], "--start nan"),
        (["v.avi", *BASE, "--start", "-1"], "--start -1"),
        (["v.avi", *BASE, "--start", "30"], "--start 30: 'v.avi' is over at 1.5 s"),
        (["v.avi", *BASE, "--end", "nan"], "--end nan"),
        (["v.avi", *BASE, "--end", "-2"], "--end -2"),
        (["v.avi", *BASE, "--threads", "65"], "--threads 65: expected 1 to 64"),
        (["", *BASE], "SOURCE ''"),
        (["v.avi", "--ruleset", "pzh-popular", "--calibration", ""], "--calibration ''"),
        (["v.avi", *BASE, "--declarations", ""], "--declarations ''"),
        (["photo.jpg", *BASE], "is a picture; expected a video"),
        (
            ["v.avi", "--ruleset", "pzh-popular", "--calibration", "other.toml"],
            "'other.toml' does not fit 'v.avi'",
        ),
        (["v.avi", *BASE, "--declarations", "declared.jsonl"], "line 1"),
        (["v.avi", *BASE, "--models", "nomodels"], "missing model finder.onnx"),
    ],
)
def test_bad_input_to_replay(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], expected: str
) -> None:
    before = sorted(p.name for p in folder.iterdir())
    status = main(["replay", *words, "--events", "out.jsonl", "--render", "out.mp4"])
    out, err = capsys.readouterr()
    assert status == 2
    assert out == "" and err.count("\n") == 1 and err.startswith("pzvision: error: ")
    assert expected in err
    assert sorted(p.name for p in folder.iterdir()) == before


def contents(folder: Path) -> dict[str, bytes | None]:
    return {p.name: p.read_bytes() if p.is_file() else None for p in folder.iterdir()}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["replay", "v.avi", *BASE, "--render", "v.avi"], ("--render", "SOURCE")),
        (["replay", "v.avi", *BASE, "--events", "hard.avi"], ("--events", "SOURCE")),
        (["replay", "v.avi", *BASE, "--events", "link.avi"], ("--events", "SOURCE")),
        (["replay", "v.avi", *BASE, "--events", "nomodels/../c.toml"], ("--events", "--calibration")),
        (["replay", "v.avi", "--ruleset", "pzh-popular", "--events", "calibration.toml"], ("--calibration",)),
        (
            ["replay", "v.avi", *BASE, "--declarations", "spoken.jsonl", "--events", "spoken.jsonl"],
            ("--events", "--declarations"),
        ),
        (
            ["replay", "v.avi", *BASE, "--events", "new.mp4", "--render", "./new.mp4"],
            ("--render", "--events"),
        ),
        (["replay", "pictures", *BASE, "--events", "pictures/1.jpg"], ("--events", "SOURCE")),
        (["live", "--camera", "v.avi", *BASE, "--events", "v.avi"], ("--events", "--camera")),
        (["calibrate", "photo.jpg", "--preview", "photo.jpg"], ("--preview", "SOURCE")),
        (["calibrate", "photo.jpg", "--out", "photo.jpg"], ("--out", "SOURCE")),
        (["calibrate", "photo.jpg", "--out", "a.jpg", "--preview", "a.jpg"], ("--preview", "--out")),
    ],
)
def test_no_output_overwrites_an_input_or_another_output(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], named: tuple[str, ...]
) -> None:
    (folder / "hard.avi").hardlink_to(folder / "v.avi")
    (folder / "link.avi").symlink_to("v.avi")
    (folder / "spoken.jsonl").touch()
    (folder / "pictures").mkdir()
    (folder / "pictures" / "1.jpg").write_bytes((folder / "photo.jpg").read_bytes())
    GOOD.save(folder / "calibration.toml")
    before = contents(folder)
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "would overwrite" in err
    assert all(name in err for name in named)
    assert contents(folder) == before


def test_outputs_that_are_no_files_are_refused_and_links_followed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.mp4")
    (tmp_path / "pipe.jsonl").symlink_to("pipe.mp4")
    for make in (LogFile, lambda path: VideoFile(path.with_suffix(".mp4"), 10)):
        with pytest.raises(PzvisionError, match="no regular file"):
            make(tmp_path / "pipe.jsonl")
    (tmp_path / "there").mkdir()
    for name in ("log.jsonl", "out.mp4"):
        (tmp_path / name).symlink_to(f"there/{name}")
    log = LogFile(tmp_path / "log.jsonl")
    log.update([HandStart("pzh-popular", "E")], 0)
    log.close()
    video = VideoFile(tmp_path / "out.mp4", 10)
    video.write(np.zeros((72, 128, 3), np.uint8), 0.0)
    video.close()
    assert sorted(os.listdir(tmp_path / "there")) == ["log.jsonl", "out.mp4"]
    assert (tmp_path / "log.jsonl").is_symlink() and (tmp_path / "out.mp4").is_symlink()
    assert '"hand_start"' in (tmp_path / "there" / "log.jsonl").read_text()


def test_a_cut_off_recording_is_refused_before_anything_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = cv2.VideoWriter("long.mkv", cv2.VideoWriter.fourcc(*"MJPG"), 10, (320, 180))
    for i in range(100):
        writer.write(np.full((180, 320, 3), i, np.uint8))
    writer.release()
    data = Path("long.mkv").read_bytes()
    Path("long.mkv").write_bytes(data[: len(data) // 2])
    before = sorted(os.listdir())
    assert main(["replay", "long.mkv", *BASE, "--events", "out.jsonl"]) == 2
    err = capsys.readouterr().err
    assert "'long.mkv' is truncated: it can be read to" in err and "of 10.0 s" in err
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("command", [["live", "--camera", "v.avi", *BASE], ["calibrate", "v.avi"]])
def test_a_port_that_was_asked_for_and_is_taken(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    stand_in = SimpleNamespace(providers=())
    monkeypatch.setattr("pzvision.vision.detector.TileDetector", lambda *args, **options: stand_in)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main([*command, "--port", port]) == 2
    assert f"--port {port}" in capsys.readouterr().err
    assert not Path("calibration").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--events", "missing/out.jsonl"], "missing"),
        (["--render", "out.gif"], "out.gif"),
        (["--render", "missing/out.mp4"], "missing"),
    ],
)
def test_places_that_cannot_be_written(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    expected: str,
) -> None:
    # The check comes after the models are found, which need not be there for this.
    stand_in = SimpleNamespace(providers=())
    monkeypatch.setattr("pzvision.vision.detector.TileDetector", lambda *args, **options: stand_in)
    assert main(["replay", "v.avi", *BASE, *words]) == 2
    assert expected in capsys.readouterr().err
    assert not list(folder.glob("*out*"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--camera", "9", *BASE, "--port", "70000"], "70000"),
        (["--camera", "9", *BASE, "--models", "nomodels"], "missing model"),
        (["--camera", "v.avi", "--ruleset", "nonsense"], "nonsense"),
        (["--camera", "", *BASE], "--camera ''"),
        (["--camera", "photo.jpg", *BASE], "pzvision detect reads pictures"),
    ],
)
def test_bad_input_to_live(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], expected: str
) -> None:
    assert main(["live", *words]) == 2
    assert expected in capsys.readouterr().err


def test_no_camera_is_said_at_once(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = SimpleNamespace(providers=())
    monkeypatch.setattr("pzvision.vision.detector.TileDetector", lambda *args, **options: stand_in)
    begun = time.monotonic()
    assert main(["live", "--camera", "9", *BASE]) == 2
    assert "no camera 9" in capsys.readouterr().err
    assert time.monotonic() - begun < 5


# -- the rendered video


def test_rendered_video_keeps_time(tmp_path: Path) -> None:
    out = VideoFile(tmp_path / "out.mp4", 10)
    assert list(tmp_path.iterdir()) == []
    for t, value in ((0.0, 20), (0.1, 60), (0.9, 120), (1.0, 200)):
        out.write(np.full((72, 128, 3), value, np.uint8), t)
    assert not (tmp_path / "out.mp4").exists(), "the name appears when the video is complete"
    out.close()
    frames = list(open_source(tmp_path / "out.mp4"))
    levels = [float(f.image.mean()) for f in frames]
    assert len(frames) == 11
    assert all(abs(level - 60) < 12 for level in levels[1:9])
    assert abs(levels[9] - 120) < 12 and abs(levels[10] - 200) < 12
    assert [p.name for p in tmp_path.iterdir()] == ["out.mp4"]


def test_an_abandoned_video_leaves_nothing(tmp_path: Path) -> None:
    out = VideoFile(tmp_path / "out.mp4", 10)
    out.write(np.zeros((72, 128, 3), np.uint8), 0.0)
    out.close(keep=False)
    assert list(tmp_path.iterdir()) == []


# -- calibrate


def test_calibrate_with_numbers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    points = [f"{x * 320:.1f},{y * 180:.1f}" for x, y in CORNERS]
    words = ["v.avi", "--corners", *points, "--near", "S", "--out", "new.toml", "--preview", "grid.jpg"]
    assert main(["calibrate", *words, "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert "Reprojection error" in out and "px near" in out
    made = load("new.toml")
    assert made.near_seat == "S" and made.image_size == (320, 180)
    assert np.allclose(made.corners, CORNERS, atol=0.001)
    drawn = cv2.imread("grid.jpg")
    assert drawn is not None and drawn.shape == (180, 320, 3)
    assert float(np.abs(drawn.astype(int) - 60).max()) > 80, "nothing was drawn"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["v.avi", "--corners", "0,0", "1,0", "1,1"], None),  # argparse: four are needed
        (["v.avi", "--corners", "0.2,0.9", "0.8,0.9", "0.7,0.1", "x"], "'x'"),
        (["v.avi", "--corners", "0.3,0.1", "0.7,0.1", "0.8,0.9", "0.2,0.9"], "order"),
        (["v.avi", "--corners", "0.1,0.9", "0.9,0.95", "0.9,0.4", "0.85,0.1"], "corners"),
        (["missing.jpg", "--corners", "0.2,0.9", "0.8,0.9", "0.7,0.1", "0.3,0.1"], "missing.jpg"),
        (["v.avi", "--near", "Z"], "'Z'"),
        (["zero.jpg"], "copy the photo again"),
        (["missing.jpg"], "photo"),
        (["", "--near", "E"], "SOURCE ''"),
        (["v.avi", "--at", "9"], "--at 9: 'v.avi' is over at 1.5 s"),
        (["v.avi", "--at", "nan"], "--at nan"),
        (["v.avi", "--tile-cm", "3,2"], "--tile-cm"),
    ],
)
def test_calibrate_bad_input(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], expected: str | None
) -> None:
    if expected is None:
        with pytest.raises(SystemExit) as caught:
            main(["calibrate", *words])
        assert caught.value.code == 2
        return
    assert main(["calibrate", *words, "--out", "new.toml", "--preview", "grid.jpg"]) == 2
    assert expected in capsys.readouterr().err
    assert not Path("new.toml").exists() and not Path("grid.jpg").exists()


def test_fit_refuses_what_is_no_square() -> None:
    corners = ((0.27547, 0.98), (0.92453, 0.68264), (0.67812, 0.02389), (0.24391, 0.15125))
    fit = judge_fit(Calibration((1280, 720), corners))
    assert fit.error_px < 3 and fit.warnings == () and 20 < fit.angle_deg < 90
    assert fit.near_px[0] > fit.far_px[0]
    with pytest.raises(PzvisionError, match="no camera sees a square"):
        judge_fit(Calibration((1280, 720), ((0.05, 0.95), (0.95, 0.55), (0.6, 0.05), (0.3, 0.1))))


def test_a_house_rule_file_is_logged_as_profile_and_options(folder: Path) -> None:
    from argparse import Namespace

    from pzvision.game import HandStart, format_event, settle_log
    from pzvision.live.arguments import check_game

    Path("house.toml").write_text(
        'id = "our-house"\nparent = "pzh-popular"\nname_zh = "我家"\nname_en = "Ours"\n[options]\ncap = 32\n'
    )
    words = {
        "calibration": "c.toml",
        "dealer": "S",
        "base": 2,
        "name": ["E=小王"],
        "every": 0.25,
        "threads": None,
    }
    setup = check_game(Namespace(ruleset="house.toml", option=["rob_kong=true"], **words))
    assert (setup.ruleset_id, setup.options) == ("pzh-popular", {"cap": 32, "rob_kong": True})
    assert setup.names == {"E": "小王"} and setup.dealer == "S"
    start = HandStart(setup.ruleset_id, "E", setup.base, setup.options)
    (hand,) = settle_log([format_event(start), {"type": "hand_end"}])
    assert hand.state.ruleset.cap == 32


def test_declarations_beside_a_recording_are_found_unless_others_are_named(tmp_path: Path) -> None:
    recording = tmp_path / "game.mp4"
    recording.touch()
    assert find_declarations(None, recording) is None
    beside = tmp_path / "declarations.jsonl"
    beside.touch()
    assert find_declarations(None, recording) == beside
    assert find_declarations(None, tmp_path) == beside
    assert find_declarations("said.jsonl", recording) == Path("said.jsonl")
    assert find_declarations(None, Path("http://127.0.0.1/stream")) is None
