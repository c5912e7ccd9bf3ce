"""A game killed at any instant: what was committed is there, and the reopened game is the fold of it."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from pzvision.game import Event, format_event, read_log
from pzvision.game.simulate import simulate
from pzvision.live.bench_parts import Plan, playing
from pzvision.live.evening import Evening
from pzvision.live.hub import Hub
from pzvision.live.logfile import LogFile
from pzvision.live.pipeline import Pipeline
from pzvision.live.resume import broken_off, restore
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.live.store import Store
from pzvision.live.stored import StoredLooks, never
from pzvision.live.stored_evening import StoredEvening, fold_records
from pzvision.live.teller import Teller
from pzvision.live.view import view_of
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Frame

CORNERS = ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05))
CALIBRATION = Calibration((640, 360), CORNERS, near_seat="E")
EVENTS = list(simulate("pzh-popular", seed=4, hands=3))

KILLS = int(os.environ.get("PZVISION_FAULT_KILLS", "200"))
COMMAND_KILLS = int(os.environ.get("PZVISION_FAULT_COMMAND_KILLS", "20"))
LOOKS = Path(__file__).parents[2] / "datasets" / "golden" / "observations" / "06-popular.jsonl.gz"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def changes(seed: int) -> list[tuple[int, list[Event]]]:
    """What a reader tells: records one by one, and now and then the recent past anew."""
    chance = random.Random(seed)
    out: list[tuple[int, list[Event]]] = []
    length = 0
    while length < len(EVENTS):
        again = length > 20 and chance.random() < 0.15
        keep = length - chance.randrange(1, 8) if again else length
        length = min(length + chance.randrange(1, 4), len(EVENTS))
        out.append((keep, EVENTS[keep:length]))
    return out


def live(folder: Path, seed: int, progress: int) -> None:
    """What a live game does with its store, until it is killed; reports each number that was committed."""
    store = Store(folder / "s.sqlite")
    writer = store.begin("table=0", {})
    hub = Hub()
    hub.keep(writer.keep)
    teller = Teller(hub=hub, log_file=LogFile(folder / "log.jsonl"))
    hub.publish({"type": "session", "id": writer.id, "state": "begun"})
    for keep, events in changes(seed):
        with teller.batch():
            teller.change(keep, events, events[0].t or 0.0)
            teller.say_held(events[0].t or 0.0, (), 0)
        os.write(progress, hub.seq.to_bytes(4, "big"))


def read_looks(folder: Path, seed: int, progress: int) -> None:
    """`pzvision live` without camera and detector: stored looks through reader, game, hub and store."""
    store = Store(folder / "s.sqlite")
    source, hub = StoredLooks(LOOKS), Hub()
    settings = HandSettings("pzh-popular")
    writer = store.begin("table=0", settings.to_json())
    hub.keep(writer.keep)
    hub.publish({"type": "session", "id": writer.id, "state": "begun"})
    maker = HandMaker(source.header.calibration, settings)

    def committed(frame: Frame, pipeline: Pipeline) -> None:
        os.write(progress, hub.seq.to_bytes(4, "big"))

    Pipeline(source, source.header.calibration, maker, never, hub=hub, store=writer, on_frame=committed).run()


def play_and_kill(
    folder: Path, seed: int, after_s: float, play: Callable[[Path, int, int], None] = live
) -> int:
    """Newest number that was committed for sure when the game was killed."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            play(folder, seed, theirs)
        finally:
            os._exit(0)
    os.close(theirs)
    committed = int.from_bytes(os.read(ours, 4), "big")
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while True:
        rest = os.read(ours, 4)
        if len(rest) < 4:
            break
        committed = int.from_bytes(rest, "big")
    os.close(ours)
    return committed


def come_back(stored: StoredEvening) -> tuple[Hub, dict[str, Any]]:
    """The evening as a program started anew has it: its hub, and what a page shows."""
    hub = Hub()
    evening = Evening(HandMaker(CALIBRATION, HandSettings("pzh-popular")), Teller(hub=hub))
    restore(stored, hub, evening)
    return hub, view_of(evening.session)


def check(stored: StoredEvening, view: dict[str, Any], committed: int) -> None:
    """No gap, nothing lost that was committed for sure, and the view is that of the log's fold."""
    seq = stored.records[-1]["seq"]
    assert stored.damage is None and [r["seq"] for r in stored.records] == list(range(1, seq + 1)), "no gap"
    assert committed <= seq, "nothing that was committed is lost"
    assert list(stored.log) == fold_records(stored.records)
    fresh = Teller(hub=Hub())
    if stored.log:
        fresh.change(0, stored.log, 0.0)
    ignored = {"announcements": None}
    assert {**view, **ignored} == {**view_of(fresh.session), **ignored}


@pytest.mark.parametrize("times", [6, pytest.param(KILLS, marks=pytest.mark.slow)])
def test_a_killed_game_comes_back(tmp_path: Path, times: int) -> None:
    chance = random.Random(7)
    slowest, cut_off = 0.0, 0
    for turn in range(times):
        folder = tmp_path / f"第 {turn} 次"
        folder.mkdir()
        committed = play_and_kill(folder, turn, chance.uniform(0.0, 0.6))
        begun = time.monotonic()
        store = Store(folder / "s.sqlite")
        found = broken_off(store)
        assert found is not None
        stored = store.read(found.id)
        hub, view = come_back(stored)
        slowest = max(slowest, time.monotonic() - begun)

        check(stored, view, committed)
        seq = stored.records[-1]["seq"]
        cut_off += seq < _whole(turn)

        # The log is one that the reader told.
        lengths = {len(log) for log in _logs(turn)}
        assert len(stored.log) in lengths and list(stored.log) == EVENTS[: len(stored.log)]
        assert [a["zh"] for a in view["announcements"]] == [
            r["zh"] for r in stored.of_type("announce") if "retracts" not in r
        ][-80:]

        # The log beside it may end in half a line, which is left out.
        if (folder / "log.jsonl").exists():
            text = (folder / "log.jsonl").read_text(encoding="utf-8")
            lines = text.splitlines(keepends=True)
            whole = [line for line in lines if line.endswith("\n")]
            assert len(lines) - len(whole) <= 1
            assert [line.event for line in read_log(whole)] == EVENTS[: len(whole)]

        # And the game goes on under the following numbers.
        hub.keep(store.resume(found.id).keep)
        assert hub.publish({"type": "session", "id": found.id, "state": "resumed"}) == seq + 1
        assert store.read(found.id).records[-1]["state"] == "resumed"
        store.close()
    assert times < 100 or cut_off > times // 4, "most of them were killed in the middle"
    assert slowest < 5.0
    print(f"killed {times} times, {cut_off} in mid-game; ready again within {slowest:.2f} s")


@pytest.mark.parametrize("times", [2, pytest.param(KILLS, marks=pytest.mark.slow)])
def test_a_game_killed_while_it_reads_comes_back(tmp_path: Path, times: int) -> None:
    chance = random.Random(11)
    slowest, records = 0.0, []
    for turn in range(times):
        folder = tmp_path / str(turn)
        folder.mkdir()
        committed = play_and_kill(folder, turn, chance.uniform(0.0, 3.0), read_looks)
        begun = time.monotonic()
        store = Store(folder / "s.sqlite")
        found = broken_off(store)
        assert found is not None
        stored = store.read(found.id)
        _, view = come_back(stored)
        slowest = max(slowest, time.monotonic() - begun)
        check(stored, view, committed)
        records.append(len(stored.log))
        store.close()
    # On a busy machine fewer records come in the same time.
    assert times < 100 or len(set(records)) > 4, "they were killed at different moments"
    assert slowest < 5.0
    print(
        f"killed {times} times after {min(records)} to {max(records)} records; ready within {slowest:.2f} s"
    )


@pytest.mark.slow
def test_the_command_killed_again_and_again_goes_on(tmp_path: Path, live_command: Any) -> None:
    """`pzvision live` at a network camera, killed from its first moment on; each start goes on with it."""
    chance = random.Random(13)
    place = tmp_path / "s.sqlite"
    words = ["--ruleset", "pzh-popular", "--calibration", str(Plan.calibration), "--store", str(place)]
    log: list[Event] = []
    ready, before_ready, going = [], 0, False
    with playing(Plan(fps=8.0)) as (url, _):
        for _ in range(COMMAND_KILLS):
            game = live_command(["--camera", url, *words, "--resume" if going else "--new"])
            # Half of them within the seconds in which it starts, half while it plays.
            early, later, told = chance.uniform(0.0, 4.0), chance.uniform(0.0, 10.0), 0
            kill_at = game.begun + early
            if chance.random() < 0.5:
                assert game.page(60)
                kill_at = time.monotonic() + later
            while time.monotonic() < kill_at and (page := game.page(kill_at - time.monotonic())):
                told = max(told, game.newest_record(page, kill_at))
            game.kill()
            if game.ready_s is None:
                before_ready += 1
            else:
                ready.append(game.ready_s)
            store = Store(place)
            sessions = store.sessions()
            assert len(sessions) >= going and len(sessions) < 2, "each start goes on with the same evening"
            going = bool(sessions)
            for evening in sessions:
                stored = store.read(evening.id)
                if stored.records:
                    check(stored, come_back(stored)[1], told)
                assert told <= len(stored.records)
                assert list(stored.log[: len(log)]) == log, "what was told before the last kill stays"
                log = list(stored.log)
            assert sessions or not told
            store.close()
        game = live_command(["--camera", url, *words, "--resume"])
        records = httpx.get(game.page(60) + "api/log", timeout=30).json()["records"]
        assert [r["record"] for r in records[: len(log)]] == [format_event(event) for event in log]
        _, said = game.interrupt()
    assert game.process.returncode == 130 and "Traceback" not in said
    assert len(log) > 5 and len(ready) > COMMAND_KILLS // 4 and max(ready) < 60
    print(
        f"killed {COMMAND_KILLS} times, {before_ready} before the page was there; {len(log)} records stayed"
    )
    print(f"page there {sorted(ready)[len(ready) // 2]:.1f} s, at most {max(ready):.1f} s after the start")


def _logs(seed: int) -> list[list[Event]]:
    log: list[Event] = []
    out: list[list[Event]] = [[]]
    for keep, events in changes(seed):
        log = [*log[:keep], *events]
        out.append(log)
    return out


def _whole(seed: int) -> int:
    hub = Hub()
    teller = Teller(hub=hub)
    hub.publish({"type": "session", "id": 1, "state": "begun"})
    for keep, events in changes(seed):
        with teller.batch():
            teller.change(keep, events, events[0].t or 0.0)
            teller.say_held(events[0].t or 0.0, (), 0)
    return hub.seq
