from __future__ import annotations

import numpy as np
import pytest

from pzvision.table.config import TableConfig
from pzvision.table.facts import Fact
from pzvision.table.layout import Layout
from pzvision.table.tracks import Evidence, Track, long_axis
from pzvision.tiles import BACK, CLASSES, OTHER, SEATS, Seat
from pzvision.vision.calibration import Calibration

CALIBRATION = Calibration((1280, 720), ((0.12, 0.95), (0.88, 0.95), (0.70, 0.20), (0.30, 0.20)))
LAYOUT = Layout(CALIBRATION)
LATER = 1000.0


class Maker:
    """Makes tracks in a seat's own centimetres."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(
        self, seat: Seat, u: float, v: float, kind: int, since: float, *, sure: float = 0.95, yaw: float = 0.0
    ) -> Track:
        self.count += 1
        at = CALIBRATION.from_seat([[u, v]], seat)[0]
        up = CALIBRATION.from_seat([[-np.sin(np.radians(yaw)), np.cos(np.radians(yaw))]], seat)[0]
        probs = np.full(CLASSES, (1 - sure) / (CLASSES - 1))
        probs[kind] = sure
        evidence = Evidence()
        for _ in range(8):
            evidence.add(probs, 1.0, 0.004)
        track = Track(self.count, at, up, since, LATER, np.zeros((4, 2)), evidence)
        track.looks = track.chances = 8
        track.settled = True
        return track


@pytest.fixture
def tile() -> Maker:
    return Maker()


def told(tracks: list[Track], now: float = LATER) -> list[tuple[str, str | None, int]]:
    return [(f.kind, f.seat, len(f.tracks)) for f in LAYOUT.facts(tracks, now)]


@pytest.mark.parametrize("seat", SEATS)
def test_a_row_before_a_player_is_his_river(seat: Seat, tile: Maker) -> None:
    tracks = [tile(seat, -7 + 2.75 * (i % 6), -10.8 - 3.7 * (i // 6), i, float(i), yaw=8) for i in range(14)]
    facts = LAYOUT.facts(tracks, LATER)
    assert [f.kind for f in facts] == ["river"] * 14
    assert {SEATS[int(np.argmax(f.owners))] for f in facts} == {seat}
    assert min(max(f.owners) for f in facts) > 0.8


@pytest.mark.parametrize("seat", SEATS)
def test_melds_beside_one_another(seat: Seat, tile: Maker) -> None:
    first = [tile(seat, 29.8 - 2.75 * i, -37, 4, 10.0) for i in range(3)]
    second = [tile(seat, 18.2 - 2.75 * i, -37, 7, 20.0) for i in range(4)]
    assert told([*second, *first]) == [("three", seat, 3), ("four", seat, 4)]


def test_a_turned_tile_belongs_to_its_meld(tile: Maker) -> None:
    tracks = [tile("S", u, -37, 4, 10.0, yaw=y) for u, y in ((29.8, 0), (26.65, 90), (23.5, 0))]
    assert told(tracks) == [("three", "S", 3)]


def test_one_misread_tile_does_not_split_a_meld(tile: Maker) -> None:
    tracks = [tile("S", 29.8 - 2.75 * i, -37, k, 10.0, sure=0.6) for i, k in enumerate((4, 5, 4))]
    assert told(tracks) == [("three", "S", 3)]


def test_a_fourth_tile_later_is_added_to_its_own_kind_only(tile: Maker) -> None:
    meld = [tile("N", 29.8 - 2.75 * i, -37, 4, 10.0) for i in range(3)]
    fourth = tile("N", 21.6, -37, 4, 40.0)
    facts = LAYOUT.facts([*meld, fourth], LATER)
    assert [(f.kind, f.t) for f in facts] == [("three", 10.0), ("added", 40.0)]
    assert {t.id for t in facts[1].onto} == {t.id for t in meld}
    other = tile("N", 21.6, -37, 9, 40.0)
    assert [f.kind for f in LAYOUT.facts([*meld, other], LATER)] == ["three", "hand"]


def test_a_hand_with_the_winning_tile_apart(tile: Maker) -> None:
    row = [tile("W", -23 + 2.75 * i, -36.5, k, 50.0 + 0.05 * i) for i, k in enumerate((1, 2, 3, 4, 4, 4, 9))]
    winning = tile("W", -23 + 2.75 * 7 + 1.5, -36.5, 9, 50.2)
    (fact,) = LAYOUT.facts([winning, *row], LATER)
    assert (fact.kind, fact.seat, len(fact.tracks)) == ("hand", "W", 8)
    assert fact.apart is winning


def test_a_hand_with_a_tile_not_found_is_one_hand(tile: Maker) -> None:
    kinds = (23, 24, 24, None, 25, 25, 4)
    row = [tile("W", -23 + 2.75 * i, -36.5, k, 50.0) for i, k in enumerate(kinds) if k is not None]
    assert told(row) == [("hand", "W", 6)]


def test_melds_and_hand_of_one_row_are_told_apart_by_time(tile: Maker) -> None:
    meld = [tile("E", 29.8 - 2.75 * i, -37, 4, 10.0) for i in range(3)]
    hand = [tile("E", -23 + 2.75 * i, -36.5, i, 60.0) for i in range(11)]
    assert told([*meld, *hand]) == [("three", "E", 3), ("hand", "E", 11)]


def test_shown_tiles_and_the_tail_lamp(tile: Maker) -> None:
    shown = [tile("E", -23 + 2.75 * i, -32.1, i, 30.0) for i in range(4)]
    lamp = tile("N", 17.0, -25.0, 8, 0.0)
    assert told([*shown, lamp]) == [("lamp", None, 1), ("shown", "E", 4)]


def test_backs_are_a_kong_only_where_melds_lie_and_when_they_come(tile: Maker) -> None:
    assert told([tile("S", 29.8 - 2.75 * i, -37, BACK, 10.0) for i in range(4)]) == [("four", "S", 4)]
    assert told([tile("S", 29.8 - 2.75 * i, -37, BACK if i in (0, 3) else 6, 10.0) for i in range(4)]) == [
        ("four", "S", 4)
    ]
    assert told([tile("S", 29.8 - 2.75 * i, -37, BACK, 0.0) for i in range(4)]) == []
    assert told([tile("S", -23 + 2.75 * i, -37, BACK, 10.0) for i in range(13)]) == []


def test_a_group_still_growing_waits(tile: Maker) -> None:
    tracks = [tile("S", 29.8 - 2.75 * i, -37, 4, 10.0) for i in range(3)]
    assert told(tracks, now=10.4) == []
    assert told(tracks, now=11.0) == [("three", "S", 3)]


def test_facts_of_the_same_tracks_have_the_same_key(tile: Maker) -> None:
    tracks = [tile("S", 29.8 - 2.75 * i, -37, 4, 10.0) for i in range(3)]
    one, two = (LAYOUT.facts(t, LATER)[0] for t in (tracks, tracks[::-1]))
    assert one.key == two.key and isinstance(one, Fact)


def test_thresholds_grow_with_the_tiles() -> None:
    big = Calibration(CALIBRATION.image_size, CALIBRATION.corners, tile_cm=(4.8, 3.6, 2.8))
    assert TableConfig().scaled_to(big).neighbour_cm == pytest.approx(4.8)
    assert TableConfig().scaled_to(CALIBRATION) == TableConfig()


def test_the_lamp_may_lie_on_another_tile_and_moves_along_the_wall(tile: Maker) -> None:
    def raised(seat: Seat, u: float, kind: int, since: float) -> Track:
        """A tile on the upper layer: seen where a flat one would lie farther from the camera."""
        track = tile(seat, u, -25.0, kind, since)
        seen = CALIBRATION.to_image([[*track.at, 4.2]])
        track.at = CALIBRATION.to_table(seen)[0]
        return track

    for seat in SEATS:
        first, later = raised(seat, 15.0, 8, 0.0), raised(seat, 12.3, 5, 60.0)
        assert [f.kind for f in LAYOUT.facts([first, later], LATER)] == ["lamp", "lamp"]


def test_a_far_discard_is_no_lamp(tile: Maker) -> None:
    lamp, far = tile("N", 17.0, -25.0, 8, 0.0), tile("W", -3.0, -23.5, 4, 30.0)
    assert [f.kind for f in LAYOUT.facts([lamp, far], LATER)] == ["lamp", "river"]
    without = Layout(CALIBRATION, tail_lamp=False)
    assert [f.kind for f in without.facts([far], LATER)] == ["river"]


def test_a_hand_takes_in_late_tiles_but_none_that_left_before(tile: Maker) -> None:
    row = [tile("W", -23 + 2.75 * i, -36.5, i, 50.0) for i in range(6)]
    late, before = tile("W", -23 + 2.75 * 6, -36.5, 9, 54.0), tile("W", -23 + 2.75 * 6, -36.5, 2, 30.0)
    before.gone = 45.0
    facts = LAYOUT.facts([before, *row, late], LATER)
    assert [(f.kind, len(f.tracks)) for f in facts] == [("hand", 1), ("hand", 7)]


@pytest.mark.parametrize("seat", SEATS)
def test_a_shown_row_that_reaches_round_the_corner_stays_its_players(seat: Seat, tile: Maker) -> None:
    row = [tile(seat, 12.0 + 2.75 * i, -31.8, i % 9, 8.0) for i in range(11)]
    assert told(row) == [("shown", seat, 11)]


@pytest.mark.parametrize("places", [(13.3, 16.0, 18.8, 21.5), (13.3, 18.8, 21.5)])
def test_a_kong_face_down_of_which_one_tile_may_be_missing(places: tuple[float, ...], tile: Maker) -> None:
    backs = [tile("W", u, -36.4, BACK, 10.5) for u in places]
    assert told(backs) == [("four", "W", len(places))]


def test_a_second_kong_face_down_lies_beside_the_first(tile: Maker) -> None:
    first = [tile("W", 13.3 + 2.75 * i, -36.4, BACK, 10.5) for i in range(4)]
    second = [tile("W", 1.7 + 2.75 * i, -36.4, BACK, 20.5) for i in range(4)]
    assert told([*first, *second]) == [("four", "W", 4), ("four", "W", 4)]
    assert told(second) == []


def test_gaps_of_a_laid_hand_are_room_for_tiles_not_found(tile: Maker) -> None:
    row = [
        tile("S", -23.6 + 2.9 * i, -36, k, 50.0) for i, k in enumerate((12, 12, 12, 18, 18, 21, 21)) if i != 2
    ]
    (fact,) = LAYOUT.facts(row, LATER)
    assert (fact.kind, fact.holes) == ("hand", 1)


def test_a_face_among_the_wall_is_marked(tile: Maker) -> None:
    wall = [tile("N", -10 + 2.75 * i, -26.7, BACK, 0.0) for i in range(6)]
    face = tile("N", 4.0, -26.5, 10, 109.0)
    alone = tile("N", 15.0, -26.5, 10, 120.0)
    layout = Layout(CALIBRATION, tail_lamp=False)
    assert [f.on_wall for f in layout.facts([*wall, face, alone], LATER) if f.kind == "river"] == [
        True,
        False,
    ]


@pytest.mark.parametrize("found", [2, 4])
def test_a_kong_laid_face_down_is_of_the_four_shown_tiles_that_left(found: int, tile: Maker) -> None:
    shown = [tile("W", -23.0 + 2.75 * i, -31.7, (9, 9, 9, 9, 12, 13, 14)[i], 3.0) for i in range(7)]
    for track in shown[:4]:
        track.gone = 16.0
    lamp = tile("N", 17.0, -25.0, 8, 0.0)
    backs = [tile("W", 24.5 + 2.75 * i, -36.4, BACK, 17.3) for i in range(found)]
    (kong,) = [f for f in LAYOUT.facts([lamp, *shown, *backs], LATER) if f.kind == "four"]
    assert kong.seat == "W" and set(kong.tracks) == {*shown[:4], *backs} and kong.t == 17.3


def test_two_backs_are_no_kong_where_nothing_shown_left(tile: Maker) -> None:
    shown = [tile("W", -23.0 + 2.75 * i, -31.7, (9, 9, 9, 9, 12, 13, 14)[i], 3.0) for i in range(7)]
    lamp = tile("N", 17.0, -25.0, 8, 0.0)
    backs = [tile("W", 24.5 + 2.75 * i, -36.4, BACK, 17.3) for i in range(2)]
    assert [f.kind for f in LAYOUT.facts([lamp, *shown, *backs], LATER)] == ["lamp", "shown"]
    for track in shown[2:6]:
        track.gone = 16.0  # not four of one kind
    assert [f.kind for f in LAYOUT.facts([lamp, *shown, *backs], LATER)] == ["lamp", "shown"]


def test_what_lay_there_at_the_first_look_is_no_act_of_the_hand(tile: Maker) -> None:
    """Standing tiles whose outlines look like lying ones; a hand that is joined in the middle has a river."""
    standing = [tile("S", -20.7 + 2.75 * i, -36.5, 13, 0.0) for i in range(4)]
    meld = [tile("E", 25.0 + 2.75 * i, -36.5, 6, 1.5) for i in range(4)]
    layout = Layout(CALIBRATION)
    layout.began = 0.0
    assert [(f.kind, f.seat) for f in layout.facts([*standing, *meld], LATER)] == [("four", "E")]
    river = [tile("W", -7 + 2.75 * i, -10.8, i, 0.0) for i in range(5)]
    kinds = [f.kind for f in layout.facts([*river, *standing, *meld], LATER)]
    assert sorted(kinds) == ["four", "four", *["river"] * 5]


def outline(track: Track, seat: Seat, *, turned: bool = False) -> Track:
    """The same track with the outline of a tile that lies upright for ``seat``, or turned."""
    wide, tall = (3.6, 2.7) if turned else (2.7, 3.6)
    corners = np.array([[-wide, tall], [wide, tall], [wide, -tall], [-wide, -tall]]) / 2
    at = CALIBRATION.to_seat(track.at, seat)[0]
    track.axis = long_axis(CALIBRATION.from_seat(at + corners, seat))
    return track


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("kind", [BACK, 18])
def test_in_a_corner_a_tile_is_his_for_whom_its_outline_lies_upright(
    seat: Seat, kind: int, tile: Maker
) -> None:
    # 一筒 and a back look the same from all four sides: where their top is cannot be known.
    tracks = [tile(seat, 26.0 + 2.75 * i, -36.5, kind, 10.0, yaw=90) for i in range(4)]
    assert told([outline(t, seat) for t in tracks]) == [("four", seat, 4)]


def test_two_melds_laid_down_in_quick_succession_are_no_hand(tile: Maker) -> None:
    first = [tile("S", 29.8 - 2.75 * i, -37, 9, 10.0) for i in range(3)]
    second = [tile("S", 18.2 - 2.75 * i, -37, 14, 11.2) for i in range(4)]
    assert told([*first, *second]) == [("three", "S", 3), ("four", "S", 4)]


def test_a_kong_face_down_right_at_the_beginning_where_the_felt_was_seen(tile: Maker) -> None:
    layout = Layout(CALIBRATION)
    layout.began = 0.0
    backs = [tile("S", 29.8 - 2.75 * i, -37, BACK, 1.5) for i in range(4)]
    assert layout.facts(backs, LATER) == []
    for back in backs:
        back.empty_at = 0.75
    assert [(f.kind, f.seat) for f in layout.facts(backs, LATER)] == [("four", "S")]


def test_a_face_nobody_can_read_may_be_a_discard_where_the_felt_was_seen_before(tile: Maker) -> None:
    layout = Layout(CALIBRATION)
    layout.began = 0.0
    there = tile("S", 0.0, -10.0, OTHER, 0.0)
    came = tile("S", 5.0, -10.0, OTHER, 20.0)
    came.empty_at = 19.5
    beside = tile("S", -20.0, -37.0, OTHER, 30.0)
    beside.empty_at = 29.5
    assert [f.tracks[0].id for f in layout.facts([there, came, beside], LATER)] == [came.id]


def test_shown_tiles_that_are_moved_count_once(tile: Maker) -> None:
    first = [tile("S", -10 + 2.75 * i, -31.8, i, 5.0) for i in range(7)]
    for track in first:
        track.gone = 14.0
    again = [tile("S", 4 + 2.75 * i, -31.8, i, 15.0) for i in range(7)]
    (fact,) = LAYOUT.facts([*first, *again], LATER)
    assert (fact.kind, fact.t) == ("shown", 5.0)
    assert {t.id for t in fact.tracks} == {t.id for t in again}


def test_a_discard_pushed_aside_is_known_as_moved(tile: Maker) -> None:
    old, new, other = tile("S", 0, -10, 5, 10.0), tile("S", 4, -12, 5, 30.2), tile("S", 9, -12, 6, 30.2)
    old.gone = 30.0
    moved = {f.tracks[0].id: f.moved for f in LAYOUT.facts([old, new, other], LATER)}
    assert moved == {old.id: False, new.id: True, other.id: False}
    layout = Layout(CALIBRATION)
    layout.began = 0.0
    there, came = tile("S", 0, -10, 5, 0.25), tile("S", 4, -12, 6, 3.0)
    rest = [tile("W", 0, -10, k, 0.25) for k in range(4)]  # a hand joined in the middle: it has rivers
    facts = {f.tracks[0].id: f.moved for f in layout.facts([there, came, *rest], LATER)}
    assert facts[there.id] and not facts[came.id]


@pytest.mark.parametrize(
    ("u", "kind", "came", "again"),
    [(0.2, 5, 34.0, True), (0.2, 6, 34.0, False), (1.2, 5, 34.0, False), (0.2, 5, 45.0, False)],
)
def test_a_tile_exactly_where_one_of_its_kind_lay_may_be_that_one(
    tile: Maker, u: float, kind: int, came: float, again: bool
) -> None:
    """An arm of the felt's colour lay over it, and its place looked bare."""
    old, new = tile("S", 0, -10, 5, 10.0), tile("S", u, -10, kind, came)
    old.gone, old.bared = 30.0, True
    moved = {f.tracks[0].id: f.moved for f in LAYOUT.facts([old, new], LATER)}
    assert moved[new.id] is again


def test_a_tile_that_lay_for_a_moment_where_another_lies_now_is_no_part_of_a_hand(tile: Maker) -> None:
    row = [tile("S", -23 + 2.75 * i, -36, i, 50.0) for i in range(7)]
    moment = tile("S", -23 + 2.75 * 3, -36.4, 9, 48.5)
    moment.gone = 49.6
    (fact,) = LAYOUT.facts([*row, moment], LATER)
    assert {t.id for t in fact.tracks} == {t.id for t in row}


def test_a_tile_that_comes_when_a_hand_has_been_told_does_not_take_it_back(tile: Maker) -> None:
    row = [tile("S", -23 + 2.75 * i, -36, i, 50.0) for i in range(10)]
    apart = tile("S", 9.0, -36, 5, 51.5)
    kinds = [[(f.kind, len(f.tracks)) for f in LAYOUT.facts(ts, now)] for ts, now in (
        (row, 51.0), (row, 51.75), ([*row, apart], 52.0), ([*row, apart], 52.4),
    )]  # fmt: skip
    assert kinds == [[], [("hand", 10)], [("hand", 10)], [("hand", 11)]]
    apart.since = 50.75  # it was known when the hand would have been told: that waits for it
    assert LAYOUT.facts([*row, apart], 51.5) == []


def test_a_kong_of_shown_tiles_laid_face_up_is_no_second_one_face_down(tile: Maker) -> None:
    shown = [tile("W", -23.0 + 2.75 * i, -31.7, (9, 9, 9, 9, 12, 13, 14)[i], 3.0) for i in range(7)]
    for track in shown[:4]:
        track.gone = 16.0
    faces = [tile("W", 24.5 + 2.75 * i, -36.4, 9, 16.5) for i in range(4)]
    standing = [tile("W", -23.0 + 4 * i, -35.0, BACK, 17.0) for i in range(2)]
    kongs = [f for f in LAYOUT.facts([*shown, *faces, *standing], LATER) if f.kind == "four"]
    assert [set(f.tracks) for f in kongs] == [set(faces)]
