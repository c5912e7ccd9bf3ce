"""Scores become shares of right finds, and the calibration survives its text."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("yaml")

from pzvision.errors import PzvisionError
from pzvision.train.calibrate_scores import logistic
from pzvision.vision.finder import format_calibration, logit, parse_calibration


@pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (3.0, 0.5), (0.6, -1.0)])
def test_the_line_that_made_the_data_is_found(slope: float, offset: float) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(0, 1.2, 20_000)
    y = rng.random(20_000) < 1 / (1 + np.exp(-(slope * x + offset)))
    assert logistic(x, y) == pytest.approx((slope, offset), abs=0.12)


def test_without_finds_scores_stay_as_they_are() -> None:
    assert logistic(np.zeros(0), np.zeros(0, bool)) == pytest.approx((1.0, 0.0))


def test_all_right_and_all_wrong_end() -> None:
    x = logit(np.linspace(0.31, 0.9, 50))
    assert logistic(x, np.ones(50, bool))[1] > 0.5 > -0.5 > logistic(x, np.zeros(50, bool))[1]


def test_round_trip_and_refusals() -> None:
    lines = ((3.1, 0.39), (1.2, -0.5))
    assert parse_calibration(format_calibration(lines)) == lines
    assert parse_calibration("") == ((1.0, 0.0), (1.0, 0.0))
    for text in ("1 2 3", "1 0 0 0", "a b c d", "nan 0 1 0", "-1 0 1 0"):
        with pytest.raises(PzvisionError, match="expected slope and offset"):
            parse_calibration(text)


def test_logits_are_finite() -> None:
    assert np.isfinite(logit(np.array([0.0, 1.0]))).all() and logit(np.array([0.5]))[0] == 0.0
