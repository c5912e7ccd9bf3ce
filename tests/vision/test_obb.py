"""Parallelograms: the numbers that describe them, decoding, and keeping one per tile."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pzvision.vision.obb import (
    alike,
    anchor_points,
    bounds,
    covered,
    decode,
    decode_shape,
    overlaps,
    side_px,
    suppress,
    vote,
)


def parallelogram(turn: float, width: float, height: float, slant: float) -> np.ndarray:
    c, s = np.cos(turn), np.sin(turn)
    flat = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    flat[:, 0] += slant * flat[:, 1]
    return (flat @ np.array([[c, s], [-s, c]]) + [100, 80]).astype(np.float32)


def code(quad: np.ndarray) -> np.ndarray:
    """The four shape numbers as the module's text defines them."""
    a, b = (quad[1] - quad[0]) / 2, (quad[3] - quad[0]) / 2
    u, v = complex(*a) ** 2, complex(*b) ** 2
    rho = abs(u) + abs(v)
    s, q = (u + v) / rho, 4 * u * v / rho**2
    return np.array([[s.real, s.imag, q.real, q.imag]], np.float32)


@given(
    turn=st.floats(0, 2 * np.pi),
    width=st.floats(8, 60),
    ratio=st.floats(0.6, 2.2),
    slant=st.floats(-0.7, 0.7),
)
def test_decoding_a_shape_gives_its_corners_back(
    turn: float, width: float, ratio: float, slant: float
) -> None:
    quad = parallelogram(turn, width, width * ratio, slant)
    box = np.concatenate([quad.min(0), quad.max(0)])[None]
    got = decode_shape(box, code(quad))[0]
    gap = min(float(np.abs(np.roll(got, k, axis=0) - quad).max()) for k in range(4))
    assert gap < 0.05 * width


@given(turn=st.floats(0, 2 * np.pi), slant=st.floats(-0.6, 0.6))
def test_corners_go_clockwise_and_the_first_edge_points_right(turn: float, slant: float) -> None:
    quad = parallelogram(turn, 30, 40, slant)
    got = decode_shape(np.concatenate([quad.min(0), quad.max(0)])[None], code(quad))[0]
    first, second = got[1] - got[0], got[2] - got[1]
    assert first[0] * second[1] - first[1] * second[0] > 0
    assert first[0] >= abs(second[0]) - 1e-3


@given(turn=st.floats(-0.01, 0.01))
def test_the_code_is_smooth_where_the_edges_change_names(turn: float) -> None:
    base = np.pi / 4
    gap = np.abs(code(parallelogram(base + turn, 30, 30.5, 0)) - code(parallelogram(base, 30, 30.5, 0)))
    assert gap.max() < 0.05


def test_anchors_follow_the_networks_order() -> None:
    got = anchor_points(64, 32)
    assert len(got) == 8 * 4 + 4 * 2 + 2 * 1
    assert got[0].tolist() == [4, 4, 8]
    assert got[1].tolist() == [12, 4, 8]
    assert got[8 * 4].tolist() == [8, 8, 16]
    assert got[-1].tolist() == [48, 16, 32]


def test_decode_keeps_what_reaches_the_threshold_best_first() -> None:
    anchors = anchor_points(64, 32)
    rows = np.zeros((len(anchors), 10), np.float32)
    rows[:, 8:] = -9
    rows[0, :8] = [1, 2, 1, 2, -0.6, 0, -0.64, 0]
    rows[0, 8:] = [0.5, -2]
    rows[9, :8] = [1, 1, 1, 1, 0, 0, -1, 0]
    rows[9, 8:] = [-3, 2.0]
    quads, scores, classes = decode(rows, anchors, 0.3)
    assert classes.tolist() == [1, 0]
    assert scores == pytest.approx([1 / (1 + np.exp(-2.0)), 1 / (1 + np.exp(-0.5))], abs=1e-6)
    assert quads[1].min(0).tolist() == pytest.approx([-4, -12])
    assert quads[1].max(0).tolist() == pytest.approx([12, 20])


def test_overlap_is_one_for_the_same_outline_and_small_for_neighbours() -> None:
    quad = parallelogram(0.4, 30, 40, 0.2)
    along = (quad[1] - quad[0])[None]
    got = overlaps(np.stack([quad, quad + along / 10, quad + along, quad + 4 * along]))
    assert got[0, 0] == pytest.approx(1, abs=2e-3)
    assert got[0, 1] > 0.8
    assert got[0, 2] < 0.2
    assert got[0, 3] < 0.01
    assert np.allclose(got, got.T, atol=1e-5)


def test_overlap_is_near_iou_where_it_is_high() -> None:
    quad = parallelogram(0.3, 30, 40, 0.1)
    for step in (0.05, 0.1, 0.2):
        other = quad + step * (quad[1] - quad[0])
        both, _ = cv2.intersectConvexConvex(quad, other)
        iou = both / (2 * cv2.contourArea(quad) - both)
        assert overlaps(np.stack([quad, other]))[0, 1] == pytest.approx(iou, abs=0.12)


def test_suppress_keeps_the_best_of_each_tile_in_a_tight_row() -> None:
    quad = parallelogram(0.8, 28, 38, 0.3)
    tiles = [quad + k * (quad[1] - quad[0]) for k in range(5)]
    quads = np.concatenate([np.stack(tiles), np.stack(tiles) + 2.0, np.stack(tiles) - 1.5]).astype(np.float32)
    scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5] + [0.45] * 5 + [0.95, 0.4, 0.4, 0.4, 0.4], np.float32)
    kept = suppress(quads, scores, 0.5)
    assert sorted(kept.tolist()) == [1, 2, 3, 4, 10]
    assert scores[kept].tolist() == sorted(scores[kept].tolist(), reverse=True)


def test_suppress_of_nothing_is_nothing() -> None:
    assert suppress(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32), 0.5).tolist() == []


def test_side_is_the_root_of_the_area() -> None:
    quad = parallelogram(1.1, 30, 40, 0.5)
    assert side_px(quad[None])[0] == pytest.approx(np.sqrt(cv2.contourArea(quad)), rel=1e-3)


def test_voting_averages_what_sees_the_same_tile_whatever_its_first_corner() -> None:
    quad = parallelogram(0.7, 30, 40, 0.2)
    far = quad + np.float32(200)
    quads = np.stack([quad, np.roll(quad + 2, 1, axis=0), np.roll(quad - 1, 2, axis=0), far]).astype(
        np.float32
    )
    scores = np.array([0.8, 0.4, 0.4, 0.7], np.float32)
    got = vote(quads, scores, np.array([0, 3]), 0.6)
    assert got[0] == pytest.approx(quad + (0.4 * 2 - 0.4 * 1) / 1.6, abs=1e-3)
    assert got[1] == pytest.approx(far)


def test_a_piece_of_a_better_find_is_covered_and_a_neighbour_is_not() -> None:
    quad = parallelogram(0.7, 40, 50, 0.2)
    middle = quad.mean(0)
    piece = middle + (quad - middle) * np.float32(0.5)
    half_under = quad + (quad[1] - quad[0]) * np.float32(0.5)
    beside = quad + (quad[1] - quad[0])
    quads = np.stack([quad, piece, half_under, beside]).astype(np.float32)
    assert covered(quads, 0.65).tolist() == [False, True, False, False]
    assert covered(quads[:0], 0.65).tolist() == []


def test_a_network_may_have_more_classes_than_two() -> None:
    anchors = anchor_points(64, 32)
    rows = np.full((len(anchors), 8 + 29), -9.0, np.float32)
    rows[:, :8] = [2, 2, 2, 2, 0, 0, 1, 0]
    rows[3, 8 + 20], rows[5, 8 + 1] = 2.0, 3.0
    quads, scores, classes = decode(rows, anchors, 0.3)
    assert classes.tolist() == [1, 20] and quads.shape == (2, 4, 2)
    np.testing.assert_allclose(scores, 1 / (1 + np.exp([-3.0, -2.0])), rtol=1e-6)


@given(st.integers(0, 2**32 - 1), st.floats(0.3, 0.9))
@settings(max_examples=60, deadline=None)
def test_the_pairs_that_are_alike_are_those_of_the_whole_table(seed: int, limit: float) -> None:
    rng = np.random.default_rng(seed)
    base = rng.uniform(0, 200, (30, 1, 2)) + rng.normal(0, rng.uniform(2, 30), (30, 4, 2))
    quads = np.concatenate([base, base + rng.normal(0, 2, base.shape)]).astype(np.float32)
    rows, columns = alike(quads[:25], quads, limit)
    expected = np.nonzero(overlaps(quads[:25], quads) > limit)
    np.testing.assert_array_equal(rows, expected[0])
    np.testing.assert_array_equal(columns, expected[1])
    low, high = bounds(quads)
    np.testing.assert_array_equal(low, quads.min(axis=1))
    np.testing.assert_array_equal(high, quads.max(axis=1))
