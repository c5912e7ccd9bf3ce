"""The embedded recording, through the real models, comes out as the settled game it shows."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.game import settle_text
from pzvision.live.arguments import read_declarations
from pzvision.tiles import SEAT_NAMES
from pzvision.vision.calibration import load
from pzvision.vision.capture import open_source
from pzvision.vision.detector import find_model

DEMO = Path(str(resources.files("pzvision.live") / "demo"))


def test_the_embedded_recording_is_whole_and_small() -> None:
    source = open_source(DEMO / "demo.mp4")
    load(DEMO / "calibration.json").check_image_size(*source.size)
    assert source.duration is not None and source.duration < 120
    frames = sum(1 for _ in source)
    assert frames == source.frame_count and source.notes == []
    assert (DEMO / "demo.mp4").stat().st_size < 5_000_000
    (hand,) = settle_text((DEMO / "log.jsonl").read_text(encoding="utf-8"))
    assert hand.state.winners
    assert read_declarations(DEMO / "declarations.jsonl")


def test_bad_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--port", "-1"]) == 2
    assert main(["demo", "--speed", "-3"]) == 2
    assert main(["demo", "--threads", "0"]) == 2
    assert capsys.readouterr().err.count("\n") == 3


@pytest.mark.slow
def test_demo_settles_the_game_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        find_model("finder.onnx")
        find_model("reader.onnx")
    except PzvisionError as error:
        pytest.skip(str(error))
    assert main(["demo", "--no-page"]) == 0
    out = capsys.readouterr().out
    (hand,) = settle_text((DEMO / "log.jsonl").read_text(encoding="utf-8"))
    totals = "  ".join(f"{SEAT_NAMES['zh'][seat]} {amount:+d}" for seat, amount in hand.totals.items())
    assert totals in out
