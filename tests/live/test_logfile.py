"""The log on disk is valid JSON lines at every moment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pzvision.errors import PzvisionError
from pzvision.game import read_log
from pzvision.game.simulate import simulate
from pzvision.live.logfile import LogFile

EVENTS = simulate("pzh-popular", seed=2, hands=1)


def on_disk(path: Path) -> list[object]:
    return [line.event for line in read_log(path.read_text(encoding="utf-8").splitlines())]


def test_appends_and_rewrites(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = LogFile(path)
    assert not path.exists(), "nothing is written before the first record"
    log.update(EVENTS[:5], 0)
    assert on_disk(path) == EVENTS[:5]
    log.update(EVENTS[:9], 5)
    assert on_disk(path) == EVENTS[:9]
    # The recent past is rewritten, shorter than before.
    log.update([*EVENTS[:3], EVENTS[6]], 3)
    assert on_disk(path) == [*EVENTS[:3], EVENTS[6]]
    log.update([*EVENTS[:3], EVENTS[6], EVENTS[7]], 4)
    log.close()
    assert on_disk(path) == [*EVENTS[:3], EVENTS[6], EVENTS[7]]
    assert os.listdir(tmp_path) == ["log.jsonl"]


def test_an_old_file_stays_until_the_first_record(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("old\n")
    log = LogFile(path)
    assert path.read_text() == "old\n"
    log.update(EVENTS[:1], 0)
    assert on_disk(path) == EVENTS[:1]


def test_an_empty_game_leaves_an_empty_log(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("old\n")
    log = LogFile(path)
    log.update([], 0)
    log.close()
    assert path.read_text() == ""


def test_places_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match="no folder"):
        LogFile(tmp_path / "missing" / "log.jsonl")
    with pytest.raises(PzvisionError, match="is a folder"):
        LogFile(tmp_path)
