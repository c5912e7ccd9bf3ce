"""Corner cards and tokens on a rendered table: found, fitted, and refused with the reason."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.synth.camera import Camera
from pzvision.synth.cards import Card, corner_cards, lay_card, token_card
from pzvision.synth.placing import Plan
from pzvision.synth.room import CAMERAS, felt_corners, make_camera
from pzvision.vision.capture import Image
from pzvision.vision.markers import CORNER_IDS, find_markers, fit_corners
from pzvision.vision.tokens import TOKEN_IDS, TokenFinder

SIZE = (1280, 720)
PLAN = Plan()


def camera_of(preset: str, size: tuple[int, int] = SIZE) -> Camera:
    return make_camera(CAMERAS[preset], PLAN, size)


def table(camera: Camera, cards: list[Card], noise: float = 3.0) -> Image:
    pinhole = camera.pinhole()
    image = np.full((pinhole.size[1], pinhole.size[0], 3), (60, 70, 80), np.uint8)
    cv2.fillConvexPoly(image, np.round(pinhole.project(felt_corners(PLAN))).astype(np.int32), (70, 110, 40))
    for card in cards:
        lay_card(image, pinhole, card)
    if camera.k1:
        image = np.asarray(cv2.remap(image, *camera.lens_maps(), cv2.INTER_LINEAR), np.uint8)
    image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.7), np.uint8)
    grain = np.random.default_rng(3).normal(0, noise, image.shape)
    return np.clip(image + grain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("preset", sorted(CAMERAS))
def test_corners_by_the_cards_from_every_place(preset: str) -> None:
    camera = camera_of(preset)
    lens = [camera.k1, 0.0, 0.0, 0.0, 0.0] if camera.k1 else None
    matrix = camera.intrinsic if camera.k1 else None
    fit = fit_corners(table(camera, corner_cards(85.0)), camera_matrix=matrix, lens=lens)
    true = camera.project(felt_corners(PLAN))
    assert np.abs(np.array(fit.corners) - true).max() < 1.5
    assert fit.error_px < 0.8 and abs(fit.table_cm - 85.0) < 1.0 and fit.seen == 4


def test_cards_laid_round_another_edge_give_the_camera_its_near_edge() -> None:
    camera = camera_of("front")
    quarter = [replace(c, x=-c.y, y=c.x, yaw=np.pi / 2) for c in corner_cards(85.0)]
    fit = fit_corners(table(camera, quarter))
    assert np.abs(np.array(fit.corners) - camera.project(felt_corners(PLAN))).max() < 1.5


def refusal(camera: Camera, cards: list[Card], table_cm: float | None = 85.0) -> str:
    with pytest.raises(PzvisionError) as caught:
        fit_corners(table(camera, cards), table_cm=table_cm)
    return str(caught.value)


def test_refusals_name_the_card_and_the_pixels() -> None:
    camera, cards = camera_of("front"), corner_cards(85.0)
    assert "not seen: far-right (card 3)" in refusal(camera, [c for c in cards if c.number != 2])
    assert "near-left card (card 1) is seen twice" in refusal(camera, [*cards, replace(cards[0], x=0, y=0)])
    shoved = [replace(c, x=c.x - 4) if c.number == 1 else c for c in cards]
    assert "the near-right card (card 2) is off by" in refusal(camera, shoved)
    wide = fit_corners(table(camera_of("wide"), cards), table_cm=85.0)
    assert wide.bent, "a wide lens nobody told of is no shoved card"
    turned = [replace(c, yaw=np.pi / 2) if c.number == 3 else c for c in cards]
    assert "the far-left card (card 4) is off by" in refusal(camera, turned)
    assert "turned" in refusal(camera, turned)
    assert "by the printed markers the felt measures 85" in refusal(camera, cards, 95.0)
    small = camera_of("front", (256, 144))
    assert "px wide, expected 12 or more" in refusal(small, cards) or "not seen" in refusal(small, cards)


@pytest.mark.parametrize(
    ("size", "preset"), [((1280, 720), "low"), ((960, 540), "oblique"), ((800, 450), "high")]
)
def test_tokens_are_read_at_table_scale(size: tuple[int, int], preset: str) -> None:
    kinds = list(TOKEN_IDS.values())
    cards = [token_card(k, -30 + 12 * i, y, yaw=0.4 * i) for y in (-30.0, 30.0) for i, k in enumerate(kinds)]
    camera = camera_of(preset, size)
    image = table(camera, [*cards, *corner_cards(85.0)])
    found = TokenFinder().find(image)
    assert [t.kind for t in found] == [k for k in kinds for _ in range(2)]
    assert [t.corners.tolist() for t in TokenFinder().find(image)] == [t.corners.tolist() for t in found]
    true = camera.project(np.array([(c.x, c.y, 0.0) for c in cards]))
    for token in found:
        off = np.linalg.norm(true - token.centre, axis=1)
        assert off.min() < 1.5 and cards[int(off.argmin())].number in TOKEN_IDS


def test_a_table_without_cards_has_none() -> None:
    assert TokenFinder().find(table(camera_of("oblique"), [])) == ()
    assert find_markers(table(camera_of("oblique"), []), CORNER_IDS) == []


def test_photos_of_real_tiles_hold_no_token(shared: object) -> None:
    from pathlib import Path

    photos = sorted((Path(str(shared)) / "data/photos/eval").rglob("*.jpg"))[:40]
    assert photos
    for path in photos:
        image = cv2.imread(str(path))
        assert image is not None
        assert TokenFinder().find(np.asarray(image, np.uint8)) == (), path.name
