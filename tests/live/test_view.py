"""The state as pages get it: tiles where they lie, waits of hands that are hidden."""

from __future__ import annotations

import numpy as np
import pytest

from pzvision.game import Declare, parse_event
from pzvision.live.session import Session
from pzvision.live.view import tile_records, view_of
from pzvision.table.reader import TableTile
from pzvision.tiles import BACK, OTHER, parse_tile


@pytest.mark.parametrize("turned", [0, 30, 90, 180, -90])
def test_tiles_are_told_with_place_and_turn(turned: int) -> None:
    angle = np.radians(turned)
    right, up = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    middle = np.array([12.0, -7.5])
    corners = [middle + a * right * 1.35 + b * up * 1.8 for a, b in ((-1, 1), (1, 1), (1, -1), (-1, -1))]
    tile = TableTile(np.array(corners), parse_tile("5m"), 0.987, "S", "river", 4)
    (record,) = tile_records([tile])
    assert (record["x"], record["y"]) == (12.0, -7.5)
    assert (record["yaw"] - turned) % 360 == 0
    expected = {"id": 4, "tile": "5m", "seat": "S", "zone": "river", "confidence": 0.99}
    assert {key: record[key] for key in expected} == expected


def test_backs_and_strangers_are_told_too() -> None:
    square = np.array([[0.0, 1], [1, 1], [1, 0], [0, 0]])
    tiles = [TableTile(square, kind, 1.0, None, "meld", i) for i, kind in enumerate((BACK, OTHER))]
    assert [record["tile"] for record in tile_records(tiles)] == ["back", "other"]


def test_a_hidden_hands_waits_say_how_many_may_be_left_at_most() -> None:
    session = Session()
    records = [
        {"type": "hand_start", "ruleset": "pzh-traditional", "dealer": "E"},
        {"type": "discard", "seat": "E", "tile": "5m"},
        {"type": "declare", "seat": "S", "declaration": "sing", "waits": "5m8p"},
    ]
    for record in records:
        session.update(len(session.log), [parse_event(record)])
    assert isinstance(session.log[-1], Declare)
    waits = view_of(session)["seats"]["S"]["waits"]
    assert [(w["tile"], w["left"], w["most"]) for w in waits] == [("5m", 3, True), ("8p", 4, True)]
