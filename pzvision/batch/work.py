"""The three kinds of work on a recording: survey, detect, decode. Each is a function of its arguments alone.

What travels between them is bytes in the form of `pzvision.table.observations`, so a worker may be a process
here or a machine elsewhere; only the recording itself must be readable where the pictures are looked at.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from pzvision.batch.frames import Ask, crc_of, frames_at
from pzvision.errors import PzvisionError
from pzvision.game import Declare
from pzvision.live.eye import Eye
from pzvision.live.logfile import LogFile
from pzvision.live.pipeline import Pipeline, PipelineConfig
from pzvision.live.report import settlement
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.live.stored import StoredLooks, header_of, never
from pzvision.live.token_watch import TokenWatch
from pzvision.table.observations import Header, ObservationWriter, read_observations
from pzvision.table.packing import rounded
from pzvision.tiles import Lang
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import open_source
from pzvision.vision.detections import Detections, Detector
from pzvision.vision.fusion import transfer
from pzvision.vision.tile_set import TileSet

Progress: TypeAlias = Callable[[float], None]
"""Told how much of the work is done, 0–1."""


@dataclass(frozen=True)
class Job:
    """A recording and how it is to be read.

    Attributes:
        path: of the recording, as the workers see it.
        calibration, hand, declarations: as `pzvision replay` has them.
        look_s: seconds between looks.
        models, backend, threads, tile_set: of the detector; None: as `TileDetector` has them.
        gate: whether parts of the table that stay as they were are not looked at again. What is seen in a
            look then depends on the look before: the whole recording is one part.
        lang: of the settlement.
    """

    path: str
    calibration: Calibration
    hand: HandSettings
    declarations: tuple[Declare, ...] = ()
    look_s: float = 0.25
    models: str | None = None
    backend: str = "auto"
    threads: int | None = 1
    tile_set: TileSet | None = None
    gate: bool = False
    lang: Lang = "zh"

    @property
    def pipeline(self) -> PipelineConfig:
        """As replay has it."""
        return PipelineConfig(look_s=self.look_s)


@dataclass(frozen=True)
class Survey:
    """A recording gone through once without the detector.

    Attributes:
        looks: stored observations of all looks, with motion and without tiles.
        asks: the looks that need the detector.
        views: calibrations of the camera: the given one, and those it was set right to when it was moved.
        frames: of the recording, as far as it could be read.
        seconds: when it was over.
        notes: remarks for the user.
    """

    looks: bytes
    asks: tuple[Ask, ...]
    views: tuple[Calibration, ...]
    frames: int
    seconds: float
    notes: tuple[str, ...] = ()

    def format(self) -> bytes:
        """As a file keeps it: a line of JSON, then `looks`."""
        head = {
            "asks": [[ask.look, ask.frame, ask.t, ask.crc, ask.view] for ask in self.asks],
            "views": [view.format() for view in self.views],
            "frames": self.frames,
            "seconds": self.seconds,
            "notes": list(self.notes),
        }
        return json.dumps(head).encode() + b"\n" + self.looks

    @classmethod
    def parse(cls, data: bytes) -> Survey:
        """Inverse of `format`. Raises `ValueError` or `KeyError` for what it did not write."""
        line, _, looks = data.partition(b"\n")
        head = json.loads(line)
        asks = tuple(Ask(int(a), int(b), float(t), int(c), int(v)) for a, b, t, c, v in head["asks"])
        views = tuple(Calibration.parse(view) for view in head["views"])
        notes = tuple(map(str, head["notes"]))
        return cls(looks, asks, views, int(head["frames"]), float(head["seconds"]), notes)


@dataclass(frozen=True)
class Decoded:
    """The game of a recording.

    Attributes:
        log: the game log, JSON lines.
        observations: everything seen, gzipped.
        settlement: for a person.
        summary: figures, see `pzvision.batch.summary`.
    """

    log: bytes
    observations: bytes
    settlement: str
    summary: dict[str, Any] = field(default_factory=dict)


def survey(job: Job, progress: Progress = lambda done: None) -> Survey:
    """Go through the recording: where something moves, and which looks need the detector.

    Raises `PzvisionError` when it cannot be read, is cut off or does not fit its calibration.
    """
    source = open_source(job.path)
    try:
        job.calibration.check_image_size(*source.size)
        source.check_whole()
        config = job.pipeline
        views = [job.calibration]
        asks: list[Ask] = []
        notes: list[str] = []

        eye = Eye(job.calibration, config.asking(), views.append, tell=notes.append)
        tokens = TokenWatch(job.calibration)
        with tempfile.TemporaryDirectory(prefix="pzvision-") as folder:
            path = Path(folder) / "looks.jsonl.gz"
            writer = ObservationWriter(path, header_of(source, job.calibration, job.models))
            count = frames = 0
            t = 0.0
            for frame in source.frames(every=job.look_s):
                t, frames = frame.t, frame.index + 1
                mask = eye.look(frame.image, t)
                if mask is not None:
                    if eye.due(mask, t):
                        asks.append(Ask(count, frame.index, t, crc_of(frame.image), len(views) - 1))
                    lying = tokens.seen([(frame.image, eye.calibration)])
                    writer.look(t, frame.index, None, mask, lying)
                else:
                    writer.look(t, frame.index, None, None)
                count += 1
                if source.duration:
                    progress(min(1.0, t / source.duration))
            if not count:
                writer.close(keep=False)
                raise PzvisionError(f"{job.path!r} holds no picture that can be read")
            writer.end(t)
            notes += source.notes
            return Survey(path.read_bytes(), tuple(asks), tuple(views), frames, t, tuple(notes))
    finally:
        source.close()


def detect(
    job: Job, views: Sequence[Calibration], asks: Sequence[Ask], progress: Progress = lambda done: None
) -> bytes:
    """What the detector sees in these looks, as stored observations.

    ``views``: the survey's; what is seen under another than the first is given as the first would see it.

    Raises `PzvisionError` when the recording does not hold them (it was changed).
    """
    detectors = {view: make_detector(job, views[view]) for view in {ask.view for ask in asks}}
    with tempfile.TemporaryDirectory(prefix="pzvision-") as folder:
        path = Path(folder) / "part.jsonl.gz"
        writer = ObservationWriter(path, Header(job.calibration))
        try:
            for done, (ask, image) in enumerate(frames_at(job.path, asks, job.look_s), 1):
                found = detectors[ask.view](image)
                if ask.view:
                    found = transfer(found, views[ask.view], views[0])
                writer.look(ask.t, ask.frame, rounded(found), None)
                progress(done / len(asks))
            writer.end(asks[-1].t)
        except BaseException:
            writer.close(keep=False)
            raise
        return path.read_bytes()


_DETECTORS: dict[tuple[object, ...], Any] = {}


def make_detector(job: Job, calibration: Calibration) -> Detector:
    """The detector for a job's pictures under a calibration; the model is loaded once in a process."""
    from pzvision.vision.detector import TileDetector
    from pzvision.vision.gate import GateConfig
    from pzvision.vision.tableview import TableDetector

    tile_set = job.tile_set
    key = (job.models, job.threads, job.backend, None if tile_set is None else tile_set_digest(tile_set))
    if key not in _DETECTORS:
        folder = None if job.models is None else Path(job.models)
        _DETECTORS[key] = TileDetector(folder, threads=job.threads, backend=job.backend, tile_set=tile_set)
    return TableDetector(_DETECTORS[key], calibration, gate=GateConfig() if job.gate else None)


def tile_set_digest(tile_set: TileSet) -> str:
    """SHA-256 of what a tile set changes."""
    digest = hashlib.sha256(tile_set.reader.encode())
    digest.update(tile_set.weights.tobytes())
    digest.update(tile_set.bias.tobytes())
    return digest.hexdigest()


def decode(
    job: Job, surveyed: Survey, parts: Sequence[bytes], progress: Progress = lambda done: None
) -> Decoded:
    """The game, from the survey and the detector's answers to all its asks, in their order.

    Raises `PzvisionError` when parts do not belong together, KeyboardInterrupt when it was asked to stop.
    """
    with tempfile.TemporaryDirectory(prefix="pzvision-") as folder:
        place = Path(folder)
        found = [seen for number, part in enumerate(parts) for seen in _seen(place / f"{number}.gz", part)]
        if len(found) != len(surveyed.asks):
            raise PzvisionError(f"{job.path!r}: {len(found)} looks detected, expected {len(surveyed.asks)}")
        observations = place / "observations.jsonl.gz"
        _join(place / "looks.jsonl.gz", observations, surveyed, found)
        log = place / "log.jsonl"
        total = max(surveyed.frames, 1)
        frames = 0

        def advance(passed: int) -> None:
            nonlocal frames
            frames += passed
            progress(min(1.0, frames / total))

        pipeline = Pipeline(
            StoredLooks(observations),
            job.calibration,
            HandMaker(job.calibration, job.hand, job.declarations),
            never,
            config=job.pipeline,
            log_file=LogFile(log),
            dealer_known=job.hand.dealer is not None,
            on_progress=advance,
        )
        stats = pipeline.run()
        if stats.interrupted:
            raise KeyboardInterrupt
        session = pipeline.session
        said = session.announcement_records()
        summary = {
            "seconds": round(surveyed.seconds, 3),
            "frames": surveyed.frames,
            "looks": stats.looks,
            "detections": len(surveyed.asks),
            "hands": session.hand,
            "events": session.length,
            "doubts": sum(r["kind"] == "uncertain" and not r["retracted"] for r in said),
            "violations": sum(len(state.violations) for state in session.final_states),
            "unsettled": sum(len(state.unsettled) for state in session.final_states),
            "totals": session.totals,
            "settlements": [r for _, r in sorted(session.hand_records().items())],
            "notes": list(surveyed.notes),
        }
        return Decoded(
            log.read_bytes() if log.exists() else b"",
            observations.read_bytes(),
            settlement(session, job.lang) + "\n",
            summary,
        )


def _seen(path: Path, part: bytes) -> list[Detections]:
    path.write_bytes(part)
    looks = list(read_observations(path))
    if any(look.detections is None for look in looks):
        raise PzvisionError("a part holds a look without detections")
    return [look.detections for look in looks if look.detections is not None]


def _join(surveyed: Path, path: Path, survey: Survey, found: Sequence[Detections]) -> None:
    """Write the observations as a replay would have: each look's motion, and what was last detected."""
    surveyed.write_bytes(survey.looks)
    stored = read_observations(surveyed)
    writer = ObservationWriter(path, stored.header)
    asked = {ask.look: seen for ask, seen in zip(survey.asks, found, strict=True)}
    current: Detections | None = None
    for number, look in enumerate(stored):
        if look.motion is None:  # the camera was being moved: nothing was seen
            writer.look(look.t, look.frame, None, None)
            continue
        current = asked.get(number, current)
        writer.look(look.t, look.frame, current, look.motion, look.tokens)
    writer.end(survey.seconds)
