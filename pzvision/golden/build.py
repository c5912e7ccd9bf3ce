"""Rendering the golden set: recipes straight into the detector, what was seen and the truth into files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pzvision.errors import PzvisionError
from pzvision.game.events import Event, format_event, format_log
from pzvision.game.settle import settle_log
from pzvision.golden.recipes import OBSERVATIONS, TRUTH, Recipe
from pzvision.golden.scene import LOOK_S, MOVING_CELLS, REFRESH_S, RenderedSource, calibration_of, timeline_of
from pzvision.live.asking import Asking
from pzvision.live.eye import Eye
from pzvision.synth.timeline import Timeline
from pzvision.table.observations import Header, ObservationWriter, read_observations
from pzvision.table.packing import rounded
from pzvision.tiles import SEATS
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Frame
from pzvision.vision.detections import Detections, Detector

_CHECK_EVERY_S: Final = 10.0
_QUIET_S: Final = 0.8  # since the last record, at a checkpoint


@dataclass(frozen=True)
class Built:
    """Where a recipe's files lie.

    ``looks``: the observations. ``log``: the true game log. ``truth``: what else is true.
    """

    looks: Path
    log: Path
    truth: Path

    @classmethod
    def of(cls, folder: Path, recipe: Recipe) -> Built:
        """In that golden set."""
        return cls(
            folder / OBSERVATIONS / f"{recipe.name}.jsonl.gz",
            folder / TRUTH / f"{recipe.name}.jsonl",
            folder / TRUTH / f"{recipe.name}.json",
        )

    def state(self, recipe: Recipe, models: dict[str, str] | None = None) -> str:
        """``missing``, ``changed`` (the recipe), ``other models`` or ``built``."""
        if not all(path.is_file() for path in (self.looks, self.log, self.truth)):
            return "missing"
        header = read_observations(self.looks).header
        if header.digest != recipe.digest:
            return "changed"
        return "built" if models is None or dict(header.models) == models else "other models"


def build_one(
    folder: Path,
    recipe: Recipe,
    detector: Callable[[Calibration], Detector],
    progress: Callable[[int, int], None],
    models: Mapping[str, str],
) -> None:
    """Make a recipe's files; an error or Ctrl-C leaves none of them.

    Args:
        folder: of the golden set.
        recipe: what to render.
        detector: makes the detector for a calibration.
        progress: called with (frames done, frames in all).
        models: SHA-256 of its model files, by name.

    Raises:
        PzvisionError: the game does not fit the table, or a file cannot be written.
    """
    built = Built.of(folder, recipe)
    try:
        timeline = timeline_of(recipe)
    except ValueError as error:
        raise PzvisionError(f"recipe {recipe.name}: {error}") from None
    source = RenderedSource(recipe, timeline)
    calibration = calibration_of(recipe)
    header = Header(calibration, recipe.name, recipe.digest, models, frames=source.frame_count)
    try:
        for path in (built.looks, built.log):
            path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PzvisionError(f"cannot write {str(folder)!r}: {error.strerror}") from None
    part = built.looks.with_name(f".{built.looks.name}.{os.getpid()}.part.gz")
    writer = ObservationWriter(part, header)
    find = detector(calibration)

    def move(new: Calibration) -> None:
        nonlocal find
        find = detector(new)

    eye = Eye(calibration, Asking(REFRESH_S, MOVING_CELLS), move)
    seen: Detections | None = None
    last: Frame | None = None
    try:
        for last in source.frames(every=LOOK_S):
            mask = eye.look(last.image, last.t)
            if mask is not None and (eye.due(mask, last.t) or seen is None):
                seen = rounded(eye.standing.to_base(find(last.image)))
            writer.look(last.t, last.index, None if mask is None else seen, mask)
            progress(last.index + 1, source.frame_count or 0)
        assert last is not None
        writer.end(last.t)
        write_truth(built, timeline, recipe)
        os.replace(part, built.looks)
    finally:
        writer.close(keep=False)
        part.unlink(missing_ok=True)


def write_truth(built: Built, timeline: Timeline, recipe: Recipe) -> None:
    """The true log as far as a camera can see it, the settlement with all tiles known, the checkpoints.

    Raises `PzvisionError` where they cannot be written.
    """
    hands = settle_log(format_event(e) for e in timeline.source)
    totals = [{seat: hand.totals[seat] for seat in SEATS} for hand in hands]
    truth = {
        "recipe": recipe.format(),
        "seconds": timeline.duration,
        "totals": totals,
        "checkpoints": checkpoints(timeline.events, timeline),
        "disturbances": [
            {"kind": d.kind, "t": d.t, "seconds": min(d.seconds, timeline.duration)}
            for d in timeline.disturbances
        ],
    }
    try:
        built.log.write_text(format_log(timeline.events), encoding="utf-8")
        built.truth.write_text(json.dumps(truth, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise PzvisionError(f"cannot write {str(built.truth)!r}: {error.strerror}") from None


def checkpoints(events: Sequence[Event], timeline: Timeline) -> list[float]:
    """Times, about one in ten seconds, at which nothing moves and nothing has just happened.

    In each ten seconds it is the moment with the longest quiet before it, `_QUIET_S` at least: a table
    that is behind then is wrong.
    """
    times = sorted(e.t for e in events if e.t is not None)
    out: list[float] = []
    step = 1 / timeline.fps
    for slot in range(int(timeline.duration / _CHECK_EVERY_S)):
        best: tuple[float, float] | None = None
        t = slot * _CHECK_EVERY_S
        while t < (slot + 1) * _CHECK_EVERY_S:
            quiet = t - max((e for e in times if e <= t), default=0.0)
            if quiet >= _QUIET_S and (best is None or quiet > best[0]) and timeline.truth_at(t).still:
                best = quiet, t
            t += step
        if best is not None:
            out.append(round(best[1], 3))
    return out
