"""A game that was broken off in the middle of a hand goes on: what was told stays, new acts follow."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pzvision.game import Discard, HandStart
from pzvision.game.simulate import simulate
from pzvision.live.evening import Evening
from pzvision.live.hub import Hub
from pzvision.live.pipeline import Pipeline
from pzvision.live.resume import restore
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.live.store import Store
from pzvision.live.teller import Teller
from pzvision.synth.timeline import build_timeline
from pzvision.vision.capture import Frame, FrameSource


def _painted() -> Any:
    """The painted game of the pipeline's tests."""
    path = Path(__file__).with_name("test_pipeline.py")
    spec = importlib.util.spec_from_file_location("painted_game", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Later(FrameSource):
    """A camera that is switched on when the game has been going on for ``start`` seconds."""

    def __init__(self, game: Any, start: float) -> None:
        super().__init__()
        self.name, self.size = game.name, game.size
        self._game, self._start = game, start

    def frames(self, *, start: float = 0.0, end: float | None = None, every: float = 0.0) -> Iterator[Frame]:
        until = None if end is None else end + self._start
        for frame in self._game.frames(start=self._start, end=until, every=every):
            yield Frame(frame.image, frame.t - self._start, frame.index)


def test_an_evening_broken_off_before_its_first_record_goes_on(tmp_path: Path) -> None:
    painted = _painted()
    store = Store(tmp_path / "s.sqlite")
    settings = HandSettings("pzh-popular", base=3)
    writer = store.begin("painted", settings.to_json())
    hub = Hub()
    hub.keep(writer.keep)
    hub.publish({"type": "session", "id": writer.id, "state": "begun"})
    stored = store.read(writer.id)
    assert stored.log == () and len(stored.records) == 1

    again = Hub()
    evening = Evening(HandMaker(painted.CALIBRATION, settings), Teller(hub=again))
    restore(stored, again, evening)
    assert evening.session.log == [] and not evening.reader.tiles and evening.shift == 0.0
    assert again.publish({"type": "session", "id": writer.id, "state": "resumed"}) == 2
    store.close()


@pytest.mark.parametrize(("broken", "back", "end"), [(30.0, 31.0, 60.0)])
def test_a_hand_goes_on_where_it_stopped(tmp_path: Path, broken: float, back: float, end: float) -> None:
    painted = _painted()
    timeline = build_timeline(simulate("pzh-popular", seed=21, hands=1, dealer="E"), near_seat="E", seed=1)
    game = painted.PaintedGame(timeline)
    store = Store(tmp_path / "s.sqlite")
    settings = HandSettings("pzh-popular", dealer="E", base=3, names={"E": "小王"})
    writer = store.begin("painted", settings.to_json())
    hub = Hub()
    hub.keep(writer.keep)
    first = Pipeline(
        game, painted.CALIBRATION, HandMaker(painted.CALIBRATION, settings), game, hub=hub, store=writer
    )
    finish = first._finish
    first._finish = lambda: None  # type: ignore[method-assign]  # the power is cut
    first.run(end=broken)
    told = list(first.session.log)
    assert callable(finish) and len(told) > 8

    stored = store.read(writer.id)
    assert list(stored.log) == told
    hub = Hub()
    game = painted.PaintedGame(timeline)
    source = Later(game, back)
    maker = HandMaker(painted.CALIBRATION, HandSettings("pzh-popular"))
    second = Pipeline(source, painted.CALIBRATION, maker, game, hub=hub, store=store.resume(writer.id))
    restore(stored, hub, second.evening)
    assert second.session.log == told and second.view()["seats"]["E"]["name"]["zh"] == "小王"
    hub.keep(store.resume(writer.id).keep)
    second.run(end=end - back)

    log = second.session.log
    assert log[: len(told)] == told, "what was told stays"
    assert sum(isinstance(e, HandStart) for e in log) == 1 and second.session.state is not None
    assert second.session.state.base == 3
    times = [e.t for e in log if e.t is not None]
    assert times == sorted(times)
    # Acts after the reader had taken in the table are found, in order, with their owners.
    wanted = [
        (e.seat, e.tile)
        for e in timeline.events
        if isinstance(e, Discard) and e.t is not None and back + 5.0 < e.t < end - 3.0
    ]
    found = [(e.seat, e.tile) for e in log[len(told) :] if isinstance(e, Discard)]
    assert len(wanted) >= 4 and len([d for d in wanted if d in found]) >= 0.8 * len(wanted)
    # The stream goes on under the next numbers, and the store has all of it.
    everything = store.read(writer.id)
    assert list(everything.log) == log
    assert [r["seq"] for r in everything.records] == list(range(1, hub.seq + 1))
    assert json.loads(hub.since(hub.seq - 1)[0][0].text)["seq"] == hub.seq
