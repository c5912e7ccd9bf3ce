"""Survey, detect and decode give what a replay gives; parts may be done in any order, by anyone, again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from pzvision.batch import work
from pzvision.batch.frames import Ask, crc_of, frames_at
from pzvision.batch.work import Job, Survey, decode, detect, survey
from pzvision.errors import PzvisionError
from pzvision.live.logfile import LogFile
from pzvision.live.pipeline import Pipeline
from pzvision.live.settings import HandMaker
from pzvision.live.stored import header_of
from pzvision.table.observations import ObservationWriter
from pzvision.vision.capture import open_source
from pzvision.vision.recording import read_image_or_none
from pzvision.vision.tokens import Token, TokenFinder


def replayed(job: Job, detector: Any, folder: Path) -> tuple[bytes, bytes, int]:
    """Log, observations and detector calls of the one pipeline that `pzvision replay` runs."""
    source = open_source(job.path)
    looks = ObservationWriter(folder / "o.jsonl.gz", header_of(source, job.calibration, job.models))
    pipeline = Pipeline(
        source,
        job.calibration,
        HandMaker(job.calibration, job.hand, job.declarations),
        detector,
        config=job.pipeline,
        log_file=LogFile(folder / "log.jsonl"),
        dealer_known=job.hand.dealer is not None,
        observations=looks,
        new_detector=lambda calibration: detector,
    )
    stats = pipeline.run()
    return (folder / "log.jsonl").read_bytes(), (folder / "o.jsonl.gz").read_bytes(), stats.detections


def test_the_parts_make_the_replay_byte_for_byte(job: Job, painted: Any, tmp_path: Path) -> None:
    log, observations, asked = replayed(job, painted.detect, tmp_path)
    surveyed = survey(job)
    assert len(surveyed.asks) == asked <= 20  # five seconds, four looks a second
    for size in (1000, 7):
        parts = [
            detect(job, surveyed.views, surveyed.asks[at : at + size])
            for at in reversed(range(0, len(surveyed.asks), size))
        ][::-1]
        decoded = decode(job, Survey.parse(surveyed.format()), parts)
        assert decoded.log == log and decoded.observations == observations
    assert decoded.summary["events"] == log.count(b"\n") > 3
    assert decoded.summary["looks"] == 20 and decoded.summary["detections"] == asked
    assert decoded.summary["hands"] == 1 and sum(decoded.summary["totals"].values()) == 0


def test_a_camera_moved_in_the_middle_is_read_as_a_replay_reads_it(
    job: Job, painted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "moved"
    folder.mkdir()
    seen = {}
    for index in range(len(list(painted.folder.iterdir()))):
        image = read_image_or_none(painted.folder / f"{index}.png")
        assert image is not None
        found = painted.detect(image)
        if index >= 20:  # bumped: everything is elsewhere from now on
            image = np.roll(np.roll(image, 9, axis=1), 5, axis=0)
            found = replace(found, polygons=found.polygons + np.float32([9, 5]))
        cv2.imencode(".png", image)[1].tofile(folder / f"{index}.png")
        seen[crc_of(image)] = found
    monkeypatch.setattr(work, "make_detector", lambda job, view: lambda image: seen[crc_of(image)])
    moved = replace(job, path=str(folder))
    log, observations, asked = replayed(moved, lambda image: seen[crc_of(image)], tmp_path)
    surveyed = survey(moved)
    assert len(surveyed.asks) == asked < 20 and surveyed.notes, "its looks were not seen while it moved"
    decoded = decode(moved, Survey.parse(surveyed.format()), [detect(moved, surveyed.views, surveyed.asks)])
    assert decoded.observations == observations and decoded.log == log


def test_printed_tokens_declare_in_the_parts_as_in_a_replay(
    job: Job, painted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looked for on every look here and once a second there, the log is the same."""
    pictures = {crc_of(open_image(painted.folder / f"{n}.png")): n for n in range(22, 50)}
    corners = job.calibration.to_image(
        np.array([[-2, -34, 0], [2, -34, 0], [2, -30, 0], [-2, -30, 0]], float)
    )

    def find(self: TokenFinder, image: Any) -> tuple[Token, ...]:
        return (Token("sing", corners),) if crc_of(image) in pictures else ()

    monkeypatch.setattr(TokenFinder, "find", find)
    log, observations, _ = replayed(job, painted.detect, tmp_path)
    surveyed = survey(job)
    decoded = decode(job, surveyed, [detect(job, surveyed.views, surveyed.asks)])
    assert b'"declare"' in log and b'"sing"' in log
    assert decoded.log == log and decoded.observations == observations
    plain = tmp_path / "plain"
    plain.mkdir()
    pipeline = Pipeline(
        open_source(job.path),
        job.calibration,
        HandMaker(job.calibration, job.hand, job.declarations),
        painted.detect,
        config=job.pipeline,
        log_file=LogFile(plain / "log.jsonl"),
        dealer_known=True,
        new_detector=lambda calibration: painted.detect,
    )
    pipeline.run()
    assert (plain / "log.jsonl").read_bytes() == log, "keeping what was seen changes nothing"


def open_image(path: Path) -> Any:
    image = read_image_or_none(path)
    assert image is not None
    return image


def test_progress_goes_from_nothing_to_all(job: Job) -> None:
    told: list[float] = []
    surveyed = survey(job, told.append)
    assert told == sorted(told) and 0 <= told[0] < 0.1 and told[-1] > 0.9
    told.clear()
    part = detect(job, surveyed.views, surveyed.asks[:5], told.append)
    assert told == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    told.clear()
    with pytest.raises(PzvisionError, match="5 looks detected, expected"):
        decode(job, surveyed, [part])


def test_a_recording_changed_after_its_survey_is_noticed(job: Job, painted: Any, tmp_path: Path) -> None:
    surveyed = survey(job)
    wrong = [replace(a, crc=a.crc ^ 1) for a in surveyed.asks[:2]]
    with pytest.raises(PzvisionError, match="has changed since it was surveyed"):
        detect(job, surveyed.views, wrong)
    gone = [replace(a, frame=a.frame + 10_000) for a in surveyed.asks[:2]]
    with pytest.raises(PzvisionError, match="has changed since it was surveyed"):
        detect(job, surveyed.views, gone)


def test_a_calibration_for_other_pictures_is_refused(job: Job) -> None:
    smaller = replace(job, calibration=replace(job.calibration, image_size=(320, 180)))
    with pytest.raises(PzvisionError, match="320"):
        survey(smaller)


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty seconds in which every picture differs."""
    path = tmp_path_factory.mktemp("video") / "v.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"mp4v"), 15.0, (96, 64))
    rng = np.random.default_rng(1)
    still = rng.integers(0, 256, (64, 96, 3), dtype=np.uint8)
    for index in range(300):
        image = np.roll(still, index, axis=1)
        cv2.putText(image, str(index), (4, 40), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (255, 255, 255), 2)
        writer.write(image)
    writer.release()
    return path


def asks_of(video: Path) -> list[Ask]:
    source = open_source(video)
    return [
        Ask(number, frame.index, frame.t, crc_of(frame.image))
        for number, frame in enumerate(source.frames(every=0.25))
    ]


@pytest.mark.parametrize("first", [0, 30, 50, 79])
def test_pictures_found_by_searching_are_those_read_in_order(video: Path, first: int) -> None:
    every = asks_of(video)
    assert len(every) == 80
    wanted = every[first::7]
    found = list(frames_at(str(video), wanted, 0.25))
    assert [ask for ask, _ in found] == wanted
    assert [crc_of(image) for _, image in found] == [ask.crc for ask in wanted]


def test_where_searching_goes_wrong_the_recording_is_read_through(
    video: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container whose positions cannot be trusted: the same pictures come, by reading on."""
    wanted = asks_of(video)[50:60]
    real = cv2.VideoCapture.set
    searched = []

    class Lying:
        def __init__(self, path: str) -> None:
            self.inner = cv2.VideoCapture(path)

        def set(self, key: int, value: float) -> bool:
            searched.append(value)
            return bool(real(self.inner, key, value + 6000))  # far beyond

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

    class Module:
        VideoCapture = Lying

        def __getattr__(self, name: str) -> Any:
            return getattr(cv2, name)

    monkeypatch.setattr("pzvision.batch.frames.cv2", Module())
    found = list(frames_at(str(video), wanted, 0.25))
    assert searched and [crc_of(image) for _, image in found] == [ask.crc for ask in wanted]
