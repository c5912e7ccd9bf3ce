"""Declaration tokens on the table: whose, when, and once."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from pzvision.game.events import DeclarationKind, Declare
from pzvision.table.tokens import TokenTable
from pzvision.tiles import Seat
from pzvision.vision.calibration import Calibration

CALIBRATION = Calibration(
    (1280, 720), ((0.12, 0.95), (0.88, 0.95), (0.70, 0.20), (0.30, 0.20)), near_seat="S"
)


Tokens: TypeAlias = list[tuple[DeclarationKind, tuple[float, float]]]


def play(*looks: tuple[float, Tokens]) -> list[Declare]:
    table = TokenTable(CALIBRATION)
    out: list[Declare] = []
    for t, tokens in looks:
        out.extend(table.look(t, [(kind, np.array(at)) for kind, at in tokens]))
    return out


@pytest.mark.parametrize(
    ("at", "seat"), [((3, -28), "S"), ((30, 5), "W"), ((-8, 30), "N"), ((-33, -20), "E")]
)
def test_a_token_belongs_to_the_nearest_edge(at: tuple[float, float], seat: Seat) -> None:
    said = play((0.0, []), (5.0, [("sing", at)]), (6.0, [("sing", at)]), (7.0, [("sing", at)]))
    assert said == [Declare(seat, "sing", t=5.0)]


def test_what_does_not_rest_or_lies_in_the_middle_says_nothing() -> None:
    carried: list[tuple[float, Tokens]] = [(5.0 + k, [("dance", (-30.0 + 5 * k, -30.0))]) for k in range(6)]
    assert play((0.0, []), *carried) == []
    middle: list[tuple[float, Tokens]] = [(5.0 + k, [("dance", (4.0, 6.0))]) for k in range(6)]
    assert play((0.0, []), *middle) == []


def test_one_that_is_shoved_says_nothing_new_but_one_handed_on_does() -> None:
    places = [(0.0, -30.0), (0.0, -30.0), (0.0, -30.0), (4.0, -32.0), (4.0, -32.0), (4.0, -32.0)]
    assert play(*[(float(t), [("alarm", at)]) for t, at in enumerate(places)]) == [], "left from before"
    # Laid within two seconds of the first look it would be from before as well.
    laid: list[tuple[float, Tokens]] = [(t + 6.0, [("alarm", at)]) for t, at in enumerate(places)]
    assert play((0.0, []), *laid) == [Declare("S", "alarm", t=6.0)]
    over: list[tuple[float, Tokens]] = [(t, [("alarm", (27.0, -28.0))]) for t in (20.0, 21.0, 22.0)]
    onto: list[tuple[float, Tokens]] = [(t, [("alarm", (29.5, -26.0))]) for t in (23.0, 24.0, 25.0)]
    said = play((0.0, []), *over, *onto)
    assert [d.seat for d in said] == ["S", "W"]


def test_a_token_left_from_before_counts_only_when_laid_anew() -> None:
    here: Tokens = [("alarm", (0.0, -30.0))]
    assert play(*[(float(k), here) for k in range(10)]) == []
    looks = [(0.0, here), (1.0, here), (2.0, []), (3.0, []), (4.0, []), (5.0, here), (6.0, here)]
    assert play(*looks) == [Declare("S", "alarm", t=5.0)]


def test_a_covered_token_is_not_said_again_and_a_new_hand_may_say_it() -> None:
    here: list[tuple[DeclarationKind, npt.NDArray[np.float64]]] = [("sing", np.array([0.0, -30.0]))]
    table = TokenTable(CALIBRATION)
    said = [table.look(float(t), here if t in (4, 5, 6, 12, 13, 14) else []) for t in range(15)]
    assert [len(s) for s in said] == [0] * 5 + [1] + [0] * 9, "an arm over it does not make two of one"
    table.new_hand()
    assert not any(table.look(float(t), here) for t in range(15, 19))
    assert not any(table.look(float(t), []) for t in range(19, 24))
    assert [d.declaration for t in range(24, 27) for d in table.look(float(t), here)] == ["sing"]
