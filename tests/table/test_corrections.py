"""What people say against the reading: its record, and that the story follows and keeps following."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pzvision.errors import FormatError, PzvisionError
from pzvision.game.events import Declare, Discard, Event, Gang, Leave, Peng, Win
from pzvision.game.simulate import simulate
from pzvision.rules import load_ruleset
from pzvision.table.corrections import KINDS_OF_CORRECTION, Correction
from pzvision.table.reader import TableReader
from pzvision.tiles import parse_tile, parse_tiles

Make = Callable[..., Any]


# ---- the record -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "tile", "event": 7, "tile": "5m", "was": {"type": "discard", "seat": "E", "tile": "6m"}},
        {"kind": "tile", "track": 12, "tile": "9p", "t": 31.5},
        {"kind": "hand", "event": 70, "tiles": "123456789m11s46p"},
        {"kind": "owner", "event": 7, "seat": "W"},
        {"kind": "gang_kind", "event": 30, "gang": "ba_gang", "kept": True},
        {"kind": "declare", "seat": "S", "declaration": "dance", "tiles": "46m", "waits": "5m"},
        {"kind": "undo"},
        {"kind": "insert", "event": 20, "record": {"type": "discard", "seat": "E", "tile": "1s"}},
        {"kind": "confirm", "doubt": "tile-discard-41", "choice": 1},
        {"kind": "resync"},
        {"kind": "new_hand", "dealer": "N", "base": 5, "ruleset": "xichang", "names": {"E": "老王"}},
    ],
)
def test_records_go_round(record: dict[str, Any]) -> None:
    correction = Correction.parse(record)
    assert correction.format() == {"type": "correction", **record}
    assert Correction.parse(correction.format()) == correction


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({}, "kind"),
        ({"kind": "tyle"}, "kind"),
        ({"kind": "tile", "tile": "5m"}, "event"),
        ({"kind": "tile", "event": 3, "track": 4, "tile": "5m"}, "event"),
        ({"kind": "tile", "event": 0, "tile": "5m"}, "event"),
        ({"kind": "tile", "event": 3, "tile": "5x"}, "tile"),
        ({"kind": "owner", "event": 3, "seat": "Q"}, "seat"),
        ({"kind": "gang_kind", "event": 3, "gang": "ming"}, "gang"),
        ({"kind": "insert"}, "record"),
        ({"kind": "insert", "record": {"type": "nothing"}}, "type"),
        ({"kind": "new_hand", "names": {"X": "a"}}, "names"),
    ],
)
def test_bad_records_name_their_field(record: dict[str, Any], field: str) -> None:
    with pytest.raises(FormatError) as error:
        Correction.parse(record)
    assert error.value.field == field
    assert "\n" not in str(error.value)


@given(
    st.dictionaries(
        st.sampled_from(["kind", "event", "tile", "seat", "tiles", "was", "record", "t", "choice", "names"]),
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.just({}), st.just([])),
    ),
    st.sampled_from(KINDS_OF_CORRECTION),
)
def test_any_object_parses_or_is_refused(record: dict[str, Any], kind: str) -> None:
    try:
        correction = Correction.parse({"kind": kind, **record})
    except FormatError:
        return
    assert Correction.parse(correction.format()) == correction


# ---- the story follows ----------------------------------------------------------------------------------


class Game:
    """A simulated hand that is read up to some record, corrected, and read on to its end."""

    def __init__(
        self, simulated: Make, noise: Make, log: list[Event], ruleset: str, hidden: Event | None
    ) -> None:
        self.truth = log
        seen = [e for e in log if e is not hidden]
        self.sim = simulated(seen, ruleset, noise())
        self.reader = TableReader(self.sim.calibration, load_ruleset(ruleset), base=2)
        self.looks = list(self.sim.all_looks())
        self.at = 0
        self.kept: list[Event] = []

    def until(self, t: float) -> None:
        while self.at < len(self.looks) and self.looks[self.at][0] < t:
            t0, index, detections, mask = self.looks[self.at]
            self.follow(self.reader.look(t0, index, self.sim.size, detections, mask))
            self.at += 1

    def follow(self, update: Any) -> None:
        if update is not None:
            self.kept[update.keep :] = update.events
        assert tuple(self.kept) == self.reader.log

    def correct(self, **fields: Any) -> None:
        now = self.looks[max(self.at - 1, 0)][0]
        self.follow(self.reader.correct(Correction.parse(fields), now))

    def end(self) -> list[Event]:
        self.until(1e9)
        self.follow(self.reader.finish(self.looks[-1][0]))
        return list(self.reader.log)

    def line(self, wanted: Callable[[Event], bool]) -> int:
        return next(i for i, e in enumerate(self.reader.log, 1) if wanted(e))


@pytest.fixture
def game(simulated: Make, noise: Make, timed: Make) -> Make:
    def make(
        seed: int = 1,
        ruleset: str = "pzh-popular",
        length: int = 40,
        hide: Callable[[Event], bool] | None = None,
    ) -> Game:
        log = timed(simulate(ruleset, seed, 1, dealer="S", spice=0.5), seed)[:length]
        hidden = next((e for e in log if hide(e)), None) if hide else None
        return Game(simulated, noise, log, ruleset, hidden)

    return make


def discards(log: list[Event]) -> list[tuple[str, str]]:
    return [(e.seat, e.tile) for e in log if isinstance(e, Discard)]  # type: ignore[misc]


def test_a_corrected_tile_stays_whatever_is_seen_later(game: Make) -> None:
    g = game()
    g.until(12.0)
    line = g.line(lambda e: isinstance(e, Discard))
    was = g.reader.log[line - 1]
    other = (was.tile + 5) % 27
    g.correct(kind="tile", event=line, tile=_name(other))
    assert g.reader.log[line - 1].tile == other
    assert g.reader.log[line - 1].confidence == 1.0
    log = g.end()
    assert log[line - 1].tile == other  # type: ignore[union-attr]
    assert discards(log)[1:] == discards(g.truth)[1:]


def test_a_lying_tile_is_corrected_by_its_track(game: Make) -> None:
    g = game()
    g.until(12.0)
    first = next(e for e in g.reader.log if isinstance(e, Discard))
    lying = next(t for t in g.reader.tiles if t.tile == first.tile)
    other = (first.tile + 5) % 27
    g.correct(kind="tile", track=lying.id, tile=_name(other))
    assert next(e for e in g.reader.log if isinstance(e, Discard)).tile == other


def test_somebody_else_discarded_it(game: Make) -> None:
    g = game()
    g.until(20.0)
    lines = [i for i, e in enumerate(g.reader.log, 1) if isinstance(e, Discard)]
    wrong = next(s for s in "ESWN" if s != g.reader.log[lines[-1] - 1].seat)
    tile = g.reader.log[lines[-1] - 1].tile
    g.correct(kind="owner", event=lines[-1], seat=wrong)
    last = [e for e in g.reader.log if isinstance(e, Discard)][-1]
    assert (last.seat, last.tile) == (wrong, tile)


def test_the_dealer_is_corrected_at_the_hands_first_record(game: Make) -> None:
    g = game()
    g.until(20.0)
    assert g.reader.log[0].dealer == "S"
    g.correct(kind="owner", event=1, seat="E")
    assert g.reader.log[0].dealer == "E"
    assert g.end()[0].dealer == "E"  # type: ignore[union-attr]


def test_another_kind_of_kong(game: Make) -> None:
    g = game(length=200)
    kong = next(e for e in g.truth if isinstance(e, Gang))
    g.until(kong.t + 4)
    line = g.line(lambda e: isinstance(e, Gang))
    assert g.reader.log[line - 1].kind == "an_gang"
    g.correct(kind="gang_kind", event=line, gang="zhi_gang")
    told = next(e for e in g.reader.log if isinstance(e, Gang))
    assert (told.kind, told.seat) == ("zhi_gang", kong.seat)


def test_said_declarations_are_kept_and_can_be_taken_back(game: Make) -> None:
    g = game()
    g.until(15.0)
    g.correct(kind="declare", seat="W", declaration="sing", waits="5m")
    g.until(18.0)
    said = [e for e in g.reader.log if isinstance(e, Declare)]
    assert [(d.seat, d.declaration, d.waits) for d in said] == [("W", "sing", (4,))]
    g.correct(kind="undo", event=g.line(lambda e: isinstance(e, Declare)))
    assert not [e for e in g.end() if isinstance(e, Declare) and e.declaration == "sing"]


def test_undo_takes_the_last_act_away_for_good(game: Make) -> None:
    g = game()
    g.until(20.0)
    before = discards(list(g.reader.log))
    g.correct(kind="undo")
    assert discards(list(g.reader.log)) == before[:-1]
    g.until(21.0)
    assert before[-1] not in discards(list(g.reader.log))


def test_a_missed_discard_is_inserted(game: Make) -> None:
    g = game(hide=lambda e: isinstance(e, Discard) and e.t > 12)
    hidden = next(e for e in g.truth if isinstance(e, Discard) and e.t > 12)
    g.until(30.0)
    unseen = g.line(lambda e: isinstance(e, Discard) and (e.confidence or 0) < 0.1)
    g.correct(kind="tile", event=unseen, tile=_name(hidden.tile))
    log = g.end()
    assert discards(log) == discards(g.truth)


def test_a_record_is_inserted_before_another(game: Make) -> None:
    g = game(hide=lambda e: isinstance(e, Discard) and e.t > 12)
    hidden = next(e for e in g.truth if isinstance(e, Discard) and e.t > 12)
    g.until(hidden.t + 1.0)
    told = {"type": "discard", "seat": hidden.seat, "tile": _name(hidden.tile)}
    g.correct(kind="insert", record=told)
    assert discards(list(g.reader.log))[-1] == (hidden.seat, hidden.tile)
    assert discards(g.end()) == discards(g.truth)


def test_a_win_nobody_saw_is_inserted(game: Make) -> None:
    g = game()
    g.until(20.0)
    last = [e for e in g.reader.log if isinstance(e, Discard)][-1]
    winner = next(s for s in "ESWN" if s != last.seat)
    told = {
        "type": "win",
        "seat": winner,
        "by": "discard",
        "tile": _name(last.tile),
        "hand": "123m456m789m11s46p",
    }
    g.correct(kind="insert", record=told)
    win = next(e for e in g.reader.log if isinstance(e, Win))
    assert (win.seat, win.tile, win.hand) == (winner, last.tile, tuple(parse_tiles("123m456m789m11s46p")))


def test_a_player_who_left_is_told(game: Make) -> None:
    g = game()
    g.until(20.0)
    g.correct(kind="insert", record={"type": "leave", "seat": "N", "t": 18.0})
    assert [e.seat for e in g.end() if isinstance(e, Leave)] == ["N"]


def test_a_doubt_is_confirmed(game: Make) -> None:
    g = game(hide=lambda e: isinstance(e, Discard) and e.t > 12)
    g.until(30.0)
    doubts = g.reader.doubts
    assert doubts
    doubt = doubts[0]
    assert doubt.readings[0].tile == g.reader.log[doubt.event].tile
    g.correct(kind="confirm", doubt=doubt.id, choice=1)
    assert g.reader.log[doubt.event].tile == doubt.readings[1].tile
    assert doubt.id not in {d.id for d in g.reader.doubts}


def test_reading_the_table_again_changes_nothing_that_is_right(game: Make) -> None:
    g = game()
    g.until(20.0)
    before = discards(list(g.reader.log))
    g.correct(kind="resync")
    assert discards(list(g.reader.log)) == before
    assert discards(g.end()) == discards(g.truth)


def test_corrections_that_cannot_be_change_nothing(game: Make) -> None:
    g = game()
    g.until(20.0)
    log = g.reader.log
    refused: list[dict[str, Any]] = [
        {"kind": "tile", "event": 999, "tile": "5m"},
        {"kind": "tile", "event": 2, "tile": "5m"},
        {"kind": "hand", "event": 6, "tiles": "5m"},
        {"kind": "gang_kind", "event": 6, "gang": "peng"},
        {"kind": "confirm", "doubt": "nothing"},
        {"kind": "insert", "record": {"type": "gang", "seat": "E", "kind": "ba_gang", "tile": "1m"}},
        {"kind": "insert", "record": {"type": "draw", "seat": "E", "tile": None}},
        {"kind": "undo", "event": 2},
        {"kind": "new_hand"},
        {"kind": "tile", "event": 6, "tile": "5m", "was": {"type": "discard", "seat": "E", "tile": "0"}},
    ]
    for record in refused:
        with pytest.raises(PzvisionError) as error:
            g.correct(**record)
        assert "\n" not in str(error.value)
        assert g.reader.log == log
    assert discards(g.end()) == discards(g.truth)


def test_a_record_is_found_again_when_the_log_moved_on(game: Make) -> None:
    g = game()
    g.until(20.0)
    line = g.line(lambda e: isinstance(e, Discard))
    event = g.reader.log[line - 1]
    was = {"type": "discard", "seat": event.seat, "tile": _name(event.tile)}
    other = (event.tile + 5) % 27
    g.correct(kind="tile", event=line + 3, tile=_name(other), was=was)
    assert g.reader.log[line - 1].tile == other


def test_corrections_come_after_the_end_too(game: Make) -> None:
    g = game()
    log = g.end()
    line = next(i for i, e in enumerate(log, 1) if isinstance(e, Peng | Discard))
    other = (log[line - 1].tile + 5) % 27  # type: ignore[union-attr]
    g.correct(kind="tile", event=line, tile=_name(other))
    assert g.reader.log[line - 1].tile == other
    assert g.reader.log[-1].type == "hand_end"


def _name(tile: int) -> str:
    from pzvision.tiles import format_tile

    assert parse_tile(format_tile(tile)) == tile
    return format_tile(tile)
