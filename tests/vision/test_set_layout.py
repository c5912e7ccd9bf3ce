"""Telling which of 27 faces is which, by place or by face."""

from __future__ import annotations

from itertools import permutations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pzvision.errors import PzvisionError
from pzvision.vision.set_layout import (
    LayoutConfig,
    assign,
    fit_grid,
    grid_quads,
    name_freely,
    name_grid,
)

CONFIG = LayoutConfig()


def laid_out(seed: int, mess: float = 0.12) -> np.ndarray:
    """(27, 4, 2) px: outlines of tiles in three rows of nine, seen at a slant and turned anyhow."""
    rng = np.random.default_rng(seed)
    cells = np.stack(np.meshgrid(np.arange(9) * 3.2, np.arange(3) * 4.1), -1).reshape(-1, 2)
    centres = cells + rng.normal(0, mess, cells.shape)
    tile = np.array([[-1.35, -1.8], [1.35, -1.8], [1.35, 1.8], [-1.35, 1.8]])
    corners = centres[:, None] + tile[None]
    source = np.array([[0, 0], [26, 0], [26, 8], [0, 8]], np.float32)
    target = (source * 30 + rng.normal(0, 45, (4, 2)) + 300).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    seen = cv2.perspectiveTransform(corners.reshape(1, -1, 2).astype(np.float32), matrix)[0]
    angle = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    quads = (seen @ turn.T).reshape(-1, 4, 2)
    first = rng.integers(4, size=27)
    order = (np.arange(4)[None] + first[:, None]) % 4
    return np.take_along_axis(quads, order[..., None], axis=1).astype(np.float32)


def in_order(places: np.ndarray) -> bool:
    """Whether places run 0–26, or backwards: half a turn is not told apart here."""
    return places.tolist() in (list(range(27)), list(range(26, -1, -1)))


@pytest.mark.parametrize("seed", range(25))
def test_three_rows_are_found_however_they_are_photographed(seed: int) -> None:
    quads = laid_out(seed)
    mixed = np.random.default_rng(seed).permutation(27)
    places = fit_grid(quads[mixed].mean(axis=1), CONFIG.off)
    assert places is not None
    assert in_order(places[np.argsort(mixed)])


@pytest.mark.parametrize("seed", range(5))
def test_what_is_no_grid_is_none(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert fit_grid(rng.uniform(0, 900, (27, 2)), CONFIG.off) is None
    assert fit_grid(np.zeros((27, 2)), CONFIG.off) is None
    assert fit_grid(rng.uniform(0, 900, (3, 2)), CONFIG.off) is None
    row = np.stack([np.arange(27) * 30.0, np.zeros(27)], axis=1)
    assert fit_grid(row, CONFIG.off) is None


def test_missed_and_false_finds_are_put_up_with() -> None:
    quads = laid_out(3)
    scores = np.full(27, 0.8, np.float32)
    kept = np.array([k for k in range(27) if k not in (11, 22)])
    result = grid_quads(quads[kept], scores[kept], CONFIG)
    assert result is not None
    every, found = result
    assert found.sum() == 25 and set(np.flatnonzero(~found)) in ({11, 22}, {15, 4})
    missing = quads[[11, 22]].mean(axis=1)
    size = np.linalg.norm(quads[0, 0] - quads[0, 2])
    for centre in every[~found].mean(axis=1):
        assert np.linalg.norm(missing - centre, axis=1).min() < 0.15 * size
    extra = np.concatenate([quads, quads[:1] + 4 * size])
    result = grid_quads(extra, np.append(scores, 0.4).astype(np.float32), CONFIG)
    assert result is not None and result[1].all()
    assert np.abs(np.sort(result[0].mean(1), axis=0) - np.sort(quads.mean(1), axis=0)).max() < 1e-3
    assert grid_quads(quads[:20], scores[:20], CONFIG) is None
    assert grid_quads(np.concatenate([quads] * 2), np.tile(scores, 2), CONFIG) is None


def certain(order: np.ndarray, p: float = 0.6) -> np.ndarray:
    """Log-probabilities of faces that look like the kinds in ``order``."""
    out = np.full((27, 27), (1 - p) / 26)
    out[np.arange(27), order] = p
    return np.log(out).astype(np.float32)


KINDS = np.arange(27)
ROWS = KINDS.reshape(3, 9)


def test_rows_are_named_either_way_up() -> None:
    assert name_grid(certain(KINDS), CONFIG).tolist() == KINDS.tolist()
    assert name_grid(certain(KINDS[::-1]), CONFIG).tolist() == KINDS[::-1].tolist()


@pytest.mark.parametrize("suits", [p for p in permutations(range(3)) if p != (0, 1, 2)])
@pytest.mark.parametrize("turned", [False, True])
def test_rows_in_another_order_are_said(suits: tuple[int, ...], turned: bool) -> None:
    order = ROWS[list(suits)].reshape(-1)
    names = " ".join("万条筒"[s] for s in suits)
    with pytest.raises(PzvisionError, match=f"^the rows look like {names}; expected 万, 条 and 筒"):
        name_grid(certain(order[::-1] if turned else order), CONFIG)


def test_rows_that_say_nothing() -> None:
    nothing = np.full((27, 27), np.log(1 / 27), np.float32)
    for trusted in (False, True):
        with pytest.raises(PzvisionError, match="which way up"):
            name_grid(nothing, CONFIG, trusted=trusted)


def test_who_says_that_they_lie_so_is_believed() -> None:
    order = ROWS[[0, 2, 1]].reshape(-1)  # a set whose bamboos look like our dots
    with pytest.raises(PzvisionError, match="--order rows"):
        name_grid(certain(order), CONFIG)
    assert name_grid(certain(order), CONFIG, trusted=True).tolist() == KINDS.tolist()


@given(st.permutations(list(range(27))))
@settings(max_examples=30, deadline=None)
def test_faces_that_tell_are_named_in_any_order(order: list[int]) -> None:
    named = name_freely(certain(np.array(order)), CONFIG)
    assert named is not None and named.tolist() == order


def test_two_tiles_that_could_be_exchanged_are_not_named() -> None:
    logp = certain(KINDS)
    logp[3] = logp[4]
    assert name_freely(logp, CONFIG) is None


@given(st.integers(1, 6), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_assignment_is_the_cheapest(n: int, seed: int) -> None:
    cost = np.random.default_rng(seed).normal(size=(n, n))
    rows = np.arange(n)
    least = min(float(cost[rows, list(p)].sum()) for p in permutations(range(n)))
    columns = assign(cost)
    assert sorted(columns.tolist()) == list(range(n))
    assert float(cost[rows, columns].sum()) == pytest.approx(least)
