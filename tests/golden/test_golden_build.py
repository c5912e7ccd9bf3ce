"""Building a recording of the golden set and measuring what is read from it, with a detector that knows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pzvision.golden.build as building
from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.game import Event, Win, read_log
from pzvision.golden.build import Built, build_one, checkpoints
from pzvision.golden.measure import measure, read_truth
from pzvision.golden.recipes import Recipe
from pzvision.golden.scene import FPS, RenderedSource, calibration_of, timeline_of
from pzvision.synth.timeline import Timeline
from pzvision.table.doubts import Doubt
from pzvision.table.observations import read_observations
from pzvision.table.reader import TableReader, Update
from pzvision.tiles import BACK, CLASSES
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Frame
from pzvision.vision.detections import Detections

RECIPE = Recipe("short", "pzh-biankadiao", 8, dealer="E", spice=0.3, disturb=("drop",), room=7001)
MODELS = {"finder.onnx": "00", "reader.onnx": "11"}


class Plain(RenderedSource):
    """The recording with a blank for every picture: the detector below looks at the truth instead."""

    now = 0.0

    def picture(self, t: float) -> np.ndarray:
        Plain.now = t
        return np.full((720, 1280, 3), 90, np.uint8)


class Knowing:
    """Finds every face-up tile that lies still."""

    def __init__(self, timeline: Timeline, calibration: Calibration) -> None:
        self.timeline, self.calibration, self.asked = timeline, calibration, 0

    def __call__(self, image: np.ndarray) -> Detections:
        self.asked += 1
        tiles = [p for p in self.timeline.truth_at(Plain.now).tiles if not p.moving and not p.standing]
        polygons, probs = [], []
        tall, wide, thick = self.calibration.tile_cm
        for tile in tiles:
            c, s = np.cos(tile.spot.yaw), np.sin(tile.spot.yaw)
            corners = [
                (
                    tile.spot.x + a * c * wide / 2 - b * s * tall / 2,
                    tile.spot.y + a * s * wide / 2 + b * c * tall / 2,
                )
                for a, b in ((-1, 1), (1, 1), (1, -1), (-1, -1))
            ]
            height = tile.spot.z + thick / 2
            polygons.append(self.calibration.to_image(np.column_stack([corners, np.full(4, height)])))
            one = np.full(CLASSES, 0.1 / (CLASSES - 1))
            one[tile.kind if tile.face_up else BACK] = 0.9
            probs.append(one)
        n = len(tiles)
        return Detections(
            np.array(polygons, np.float32).reshape(n, 4, 2),
            np.array(probs, np.float32).reshape(n, CLASSES),
            np.full(n, 0.9, np.float32),
            (1280, 720),
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("golden")
    body = "\n".join(f"{k} = {json.dumps(v)}" for k, v in RECIPE.format().items())
    (out / "recipes.toml").write_text(f"[[recipe]]\n{body}\n")
    timeline = timeline_of(RECIPE)
    steps: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "RenderedSource", Plain)
        build_one(out, RECIPE, lambda c: Knowing(timeline, c), lambda a, b: steps.append((a, b)), MODELS)
    assert steps == sorted(steps) and steps[-1][0] <= steps[-1][1]
    return out


def test_what_is_built(folder: Path) -> None:
    built = Built.of(folder, RECIPE)
    timeline = timeline_of(RECIPE)
    assert built.state(RECIPE) == built.state(RECIPE, MODELS) == "built"
    assert built.state(RECIPE, {"finder.onnx": "22"}) == "other models"
    other = Recipe("short", "pzh-biankadiao", 9)
    assert Built.of(folder, other).state(other) == "changed"
    none = Recipe("none", "pzh-biankadiao", 9)
    assert Built.of(folder, none).state(none) == "missing"
    assert [line.event for line in read_log(built.log.read_text().splitlines())] == list(timeline.events)
    truth = json.loads(built.truth.read_text())
    assert truth["totals"] and all(sum(hand.values()) == 0 for hand in truth["totals"])
    looks = list(read_observations(built.looks))
    gap = next(d for d in timeline.disturbances if d.kind == "drop")
    steps = np.diff([look.t for look in looks])
    assert sorted(steps)[-1] == pytest.approx(5.25, abs=0.3) and sorted(steps)[-2] == 0.25
    assert not any(gap.t < look.t < gap.t + 5 for look in looks)
    assert sorted(p.name for p in folder.rglob("*") if p.is_file()) == [
        "recipes.toml", "short.json", "short.jsonl", "short.jsonl.gz",
    ]  # fmt: skip


def test_checkpoints_are_quiet_moments() -> None:
    timeline = timeline_of(RECIPE)
    times = checkpoints(timeline.events, timeline)
    assert len(times) >= 3 and len({int(t / 10) for t in times}) == len(times)
    for t in times:
        assert timeline.truth_at(t).still
        assert not any(t - 0.8 < (e.t or 0.0) <= t for e in timeline.events)


def test_measuring_what_was_built(folder: Path) -> None:
    figures = measure(Built.of(folder, RECIPE), RECIPE)
    assert figures.comparison.all.true > 10
    assert figures.comparison.kinds["win"].right == 3  # flawless sight: at least the wins are read
    assert len(figures.checks) == len(figures.wrong) + sum(figures.checks)
    assert len(figures.settled) == 1 and figures.said >= 4
    assert np.median(figures.delays) < 2.0


class Perfect(TableReader):
    """Writes the true log, each record a moment late."""

    def tell(self, events: list[Event]) -> Perfect:
        self.true, self.told = events, 0
        return self

    @property
    def log(self) -> tuple[Event, ...]:
        return tuple(self.true[: self.told])

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        return ()

    def look(self, t, *_, **__):  # type: ignore[no-untyped-def]
        return self._upto(sum((e.t or 0.0) + 0.6 <= t and e.type != "hand_end" for e in self.true))

    def finish(self, t: float) -> Update:
        return self._upto(len(self.true))

    def _upto(self, count: int) -> Update:
        keep, self.told = self.told, count
        return Update(keep, tuple(self.true[keep:count]))


def test_who_reads_everything_rightly_is_measured_so(folder: Path) -> None:
    built = Built.of(folder, RECIPE)
    truth, _ = read_truth(built)

    def make(calibration, ruleset, recipe, declarations, dealer):  # type: ignore[no-untyped-def]
        return Perfect(calibration, ruleset).tell(truth)

    figures = measure(built, RECIPE, make)
    assert figures.comparison.all.f1 == 1.0
    assert all(figures.checks) and len(figures.checks) >= 3
    assert figures.settled == (True,)
    assert figures.false == () and figures.said >= 8 and figures.doubts == 0
    assert np.median(figures.delays) < 0.9
    assert 5 < max(figures.delays) < 6  # frames were lost just then

    # and who is late or mistakes one tile is not
    def late(calibration, ruleset, recipe, declarations, dealer):  # type: ignore[no-untyped-def]
        slow = [replace(e, t=(e.t or 0.0) + 4.0) for e in truth]
        return Perfect(calibration, ruleset).tell(slow)

    figures = measure(built, RECIPE, late)
    assert figures.comparison.kinds["discard"].right == 0 and not all(figures.checks)

    def mistaken(calibration, ruleset, recipe, declarations, dealer):  # type: ignore[no-untyped-def]
        k = next(k for k, e in enumerate(truth) if isinstance(e, Win))
        win = truth[k]
        assert isinstance(win, Win)
        return Perfect(calibration, ruleset).tell(
            [*truth[:k], replace(win, tile=(win.tile + 9) % 27), *truth[k + 1 :]]
        )

    figures = measure(built, RECIPE, mistaken)
    assert figures.comparison.kinds["win"].right == 2
    assert not all(figures.checks) and figures.false and figures.settled == (False,)
    assert figures.mended == (True,)


def test_the_command_compares_with_the_accepted_figures(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate = ["evaluate", str(folder)]
    assert main([*evaluate, "--lang", "en"]) == 0
    first = capsys.readouterr().out
    assert "whole table exact" in first and "short" in first
    assert main([*evaluate, "--accept"]) == 0
    accepted = json.loads((folder / "accepted.json").read_text())
    capsys.readouterr()
    assert main([*evaluate, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["recordings"]["short"]["f1"] == record["f1"] > 0.5
    # the accepted figures were better: it says so and fails
    accepted["short"]["kinds"]["discard"] = [20, 20, 20]
    accepted["short"]["checks"] = [7, 7]
    (folder / "accepted.json").write_text(json.dumps(accepted))
    assert main([*evaluate, "--lang", "en"]) == 1
    out = capsys.readouterr().out
    assert "worse: F1" in out or "worse: whole tables" in out
    assert main([*evaluate, "--ablate", "decoder"]) == 0  # never held against the accepted ones
    capsys.readouterr()
    for words, message in (
        ([*evaluate, "--only", "x"], "--only 'x'"),
        ([*evaluate, "x.jsonl"], "needs no other log"),
        ([*evaluate, "--accept", "--ablate", "decoder"], "--accept: not with --ablate"),
        ([*evaluate, "--jobs", "0"], "--jobs 0"),
        (["evaluate", "a.jsonl"], "expected a LOG.jsonl"),
        (["evaluate", "a.jsonl", "b.jsonl", "--accept"], "--accept: only with"),
    ):
        assert main(words) == 2
        assert message in capsys.readouterr().err
    (folder / "accepted.json").write_text("[]")
    assert main(evaluate) == 2
    assert "no accepted figures" in capsys.readouterr().err
    (folder / "accepted.json").unlink()


def test_an_interruption_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Plain):
        def picture(self, t: float) -> np.ndarray:
            if t > 3:
                raise KeyboardInterrupt
            return super().picture(t)

    monkeypatch.setattr(building, "RenderedSource", Interrupted)
    timeline = timeline_of(RECIPE)
    with pytest.raises(KeyboardInterrupt):
        build_one(tmp_path, RECIPE, lambda c: Knowing(timeline, c), lambda a, b: None, MODELS)
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_the_list_says_what_is_built(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["golden", "list", str(folder), "--lang", "en"]) == 0
    assert "short" in capsys.readouterr().out
    assert main(["golden", "list", str(folder), "--only", "long"]) == 2
    assert "--only 'long'" in capsys.readouterr().err


def test_a_rendered_source_gives_frames_in_time() -> None:
    source = RenderedSource(RECIPE, timeline_of(RECIPE))
    first: list[Frame] = []
    for frame in source.frames(start=2.0, every=0.25):
        first.append(frame)
        if len(first) == 2:
            source.stop()
    assert [f.t for f in first] == [2.0, 2.25] and first[1].index == 2.25 * FPS
    assert first[0].image.shape == (720, 1280, 3) and first[0].image.std() > 10
    calibration_of(RECIPE).check_image_size(1280, 720)


def test_what_was_not_built_cannot_be_measured(tmp_path: Path) -> None:
    with pytest.raises(PzvisionError, match="not built"):
        measure(Built.of(tmp_path, RECIPE), RECIPE)
