"""Printed cards lying on a rendered table: the corner cards and declaration tokens of the sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np

from pzvision.synth.camera import Camera
from pzvision.synth.compose import blend
from pzvision.synth.glyphs import Image
from pzvision.synth.placing import Plan
from pzvision.synth.room import CAMERAS, felt_corners, make_camera
from pzvision.synth.timeline import Hand, Truth
from pzvision.synth.video import Renderer
from pzvision.vision.markers import (
    CORNER_CM,
    CORNER_GAP_CM,
    CORNER_IDS,
    MODULES,
    TOKEN_CM,
    corner_places,
    marker_bits,
)
from pzvision.vision.tokens import TOKEN_IDS

_PAPER: Final = 236  # grey of paper in the room's light
_INK: Final = 34
_MODULE_PX: Final = 24


@dataclass(frozen=True)
class Card:
    """A card with one marker.

    Attributes:
        number: of the marker.
        x, y: where the marker's middle lies, table cm.
        yaw: radians, anticlockwise; 0: its top is away from the near player.
        marker_cm: side of the black square. ``white_cm``: white paper round it.
        since, until: seconds while it lies there.
    """

    number: int
    x: float
    y: float
    yaw: float = 0.0
    marker_cm: float = TOKEN_CM
    white_cm: float = 0.8
    since: float = 0.0
    until: float = float("inf")


def token_card(kind: str, x: float, y: float, yaw: float = 0.0, **times: float) -> Card:
    """The token of that declaration at ``(x, y)`` cm, turned by ``yaw`` radians; ``times`` as of `Card`, s.

    Raises `KeyError` for an unknown one.
    """
    number = {str(name): k for k, name in TOKEN_IDS.items()}[kind]
    return Card(number, x, y, yaw, **times)


def corner_cards(table_cm: float) -> list[Card]:
    """The four corner cards, each in its corner."""
    middles = corner_places(table_cm).mean(axis=1)
    return [
        Card(k, float(x), float(y), marker_cm=CORNER_CM, white_cm=CORNER_GAP_CM)
        for k, (x, y) in zip(CORNER_IDS, middles, strict=True)
    ]


def flat_table(
    preset: str, size: tuple[int, int], cards: Iterable[int] | None = None
) -> tuple[Image, np.ndarray]:
    """A bare table in one colour with the corner cards of these numbers (None: all four), for calibrating.

    Args:
        preset: camera, one of `pzvision.synth.room.CAMERAS`.
        size: width and height, px.

    Returns:
        The picture ``(H, W, 3)`` uint8 BGR and the felt's corners ``(4, 2)`` px.
    """
    plan = Plan()
    camera = make_camera(CAMERAS[preset], plan, size)
    image = np.full((size[1], size[0], 3), (50, 60, 70), np.uint8)
    corners = camera.project(felt_corners(plan))
    cv2.fillConvexPoly(image, np.round(corners).astype(np.int32), (70, 110, 40))
    shown = CORNER_IDS if cards is None else tuple(cards)
    for card in corner_cards(plan.felt):
        if card.number in shown:
            lay_card(image, camera, card)
    return image, corners


def lay_card(image: Image, camera: Camera, card: Card, *, z: float = 0.03) -> None:
    """Paint a card, ``z`` cm above the table, into a picture of an undistorted camera, in place."""
    share = card.white_cm / card.marker_cm
    side = MODULES * _MODULE_PX
    margin = round(side * share)
    whole = side + 2 * margin
    bits = np.where(marker_bits(card.number), _PAPER, _INK).astype(np.uint8)
    texture = np.full((whole, whole), _PAPER, np.uint8)
    texture[margin : margin + side, margin : margin + side] = np.kron(
        bits, np.ones((_MODULE_PX, _MODULE_PX), np.uint8)
    )
    half = card.marker_cm / 2 + card.white_cm
    c, s = np.cos(card.yaw), np.sin(card.yaw)
    corners = np.array([(-half, half), (half, half), (half, -half), (-half, -half)]) @ np.array(
        [[c, s], [-s, c]]
    )
    world = np.column_stack([corners + np.array([card.x, card.y]), np.full(4, z)])
    px = camera.project(world).astype(np.float32)
    # Shrunk by area first: a card seen from afar would alias.
    span = float(np.linalg.norm(px - np.roll(px, 1, axis=0), axis=1).max())
    small = max(24, min(whole, round(span * 2)))
    texture = np.asarray(cv2.resize(texture, (small, small), interpolation=cv2.INTER_AREA), np.uint8)
    matrix = cv2.getPerspectiveTransform(
        np.array([(0, 0), (small, 0), (small, small), (0, small)], np.float32), px
    )
    h, w = image.shape[:2]
    warped = cv2.warpPerspective(cv2.merge([texture] * 3), matrix, (w, h), borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros((h, w), np.uint8)
    cv2.fillConvexPoly(mask, np.round(px * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    image[:] = blend(np.asarray(warped, np.uint8), image, mask)


class CardRenderer(Renderer):
    """A `Renderer` with cards on the felt, under tiles and arms."""

    def __init__(self, *args: Any, cards: Sequence[Card] = (), **more: Any) -> None:
        self._cards = list(cards)
        self._lying: tuple[Card, ...] = ()
        super().__init__(*args, **more)

    def paint(self, truth: Truth) -> Image:
        """See `Renderer.paint`."""
        lying = tuple(card for card in self._cards if card.since <= truth.t < card.until)
        if lying != self._lying:
            self._lying, self._key = lying, ()
            self._bases.clear()
        return super().paint(truth)

    def _base(self, hands: Sequence[Hand], resting: tuple[tuple[int, bool], ...]) -> Image:
        if resting not in self._bases:
            plain, self._table = self._table, self._table.copy()
            for card in self._lying:
                lay_card(self._table, self.camera, card)
            image = super()._base(hands, resting)
            self._table = plain
            return image
        return super()._base(hands, resting)
