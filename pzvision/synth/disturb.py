"""What disturbs a recording: an arm that stays over the table, a cup, the light, a bump, lost frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np

from pzvision.synth import props
from pzvision.synth.camera import Camera
from pzvision.synth.glyphs import Colour, Image

Kind: TypeAlias = Literal["arm", "cup", "light", "bump", "drop"]
KINDS: Final[tuple[Kind, ...]] = ("arm", "cup", "light", "bump", "drop")

_REACH_S: Final = 0.7  # an arm's way in and out
_FADE_S: Final = 0.3  # a lamp's
_SHAKE_S: Final = 0.8  # how long a bumped camera swings
_DROP_S: Final = 5.0


@dataclass(frozen=True)
class Disturbance:
    """One thing that happens beside the game.

    Attributes:
        kind: ``arm``: a left hand stays over the table; ``cup``: one is put down and stays; ``light``: it
            gets darker and warmer and later as before; ``bump``: the camera swings and then looks a little
            elsewhere; ``drop``: no frames come.
        t: when it begins, s. ``seconds``: how long it lasts (a cup and a bump stay).
        side: of the arm: 0 near, 1 right, 2 far, 3 left.
        at: where on the table, cm (arm, cup); how far in px of a picture 1280 wide (bump).
        strength: part of the light that stays (light); radians (bump).
    """

    kind: Kind
    t: float
    seconds: float = 0.0
    side: int = 0
    at: tuple[float, float] = (0.0, 0.0)
    strength: float = 0.0

    def covers(self, t: float) -> bool:
        """Whether it goes on at ``t``."""
        return self.t <= t < self.t + self.seconds

    def presence(self, t: float, fade: float) -> float:
        """0–1: how far it has come in at ``t``, with ``fade`` seconds to come and go."""
        share = min((t - self.t) / fade, (self.t + self.seconds - t) / fade, 1.0)
        share = max(share, 0.0)
        return share * share * (3 - 2 * share)


def draw_times(
    kinds: Sequence[str], duration: float, seed: int, half: float = 42.5
) -> tuple[Disturbance, ...]:
    """Disturbances of these kinds in a recording of ``duration`` s, each in a part of it of its own.

    ``half``: half the felt's side, cm.

    Raises `ValueError` for an unknown kind.
    """
    rng = np.random.default_rng([seed, 29])
    out: list[Disturbance] = []
    for number, kind in enumerate(kinds):
        low = duration * (0.12 + 0.76 * number / len(kinds))
        high = duration * (0.12 + 0.76 * (number + 0.6) / len(kinds))
        t = round(float(rng.uniform(low, high)), 2)
        side = int(rng.integers(4))
        if kind == "arm":
            at = _turned(float(rng.uniform(-14, 6)), float(rng.uniform(-24, -8)), side)
            out.append(Disturbance("arm", t, round(float(rng.uniform(4, 9)), 2), side, at))
        elif kind == "cup":
            corner = _turned(float(rng.uniform(16, 20)), float(-rng.uniform(16, 20)), side)
            out.append(Disturbance("arm", t, 2 * _REACH_S + 0.3, side, corner))
            out.append(Disturbance("cup", round(t + _REACH_S, 2), 1e9, side, corner))
        elif kind == "light":
            strength = float(rng.uniform(0.55, 0.75))
            out.append(Disturbance("light", t, round(float(rng.uniform(8, 20)), 2), strength=strength))
        elif kind == "bump":
            away = tuple(float(v) for v in rng.uniform(3, 6, 2) * rng.choice([-1, 1], 2))
            turn = float(rng.normal(0, 0.002))
            out.append(Disturbance("bump", t, 1e9, at=(away[0], away[1]), strength=turn))
        elif kind == "drop":
            out.append(Disturbance("drop", t, _DROP_S))
        else:
            raise ValueError(f"disturbance: expected one of {' '.join(KINDS)}, got {kind!r}")
    return tuple(out)


def _turned(x: float, y: float, side: int) -> tuple[float, float]:
    angle = side * np.pi / 2
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return x * c - y * s, x * s + y * c


def hand_place(
    disturbances: Sequence[Disturbance], side: int, rest: tuple[float, float, float], t: float
) -> tuple[float, float, float] | None:
    """Where that side's left hand is while it does something, cm; None at rest."""
    for one in disturbances:
        if one.kind == "arm" and one.side == side and one.covers(t):
            share = one.presence(t, _REACH_S)
            sway = 0.6 * np.sin(1.7 * t) * share  # nobody holds an arm quite still
            x, y = (a + (b - a) * share for a, b in zip(rest[:2], one.at, strict=True))
            return x + float(sway), y + float(0.4 * np.cos(1.3 * t) * share), rest[2] + 3.0 * share
    return None


def draw_cups(disturbances: Sequence[Disturbance], image: Image, camera: Camera, t: float) -> None:
    """Draw the cups that stand there at ``t`` s into the picture."""
    for one in disturbances:
        if one.kind == "cup" and one.covers(t):
            tea: Colour = (40, 90, 150)
            paper: Colour = (225, 230, 232)
            props.draw_round(image, None, camera, one.at, 3.6, 7.5, paper, paper, ((0.88, tea),))


def cups(disturbances: Sequence[Disturbance], t: float) -> tuple[Disturbance, ...]:
    """The cups that stand there at ``t`` s."""
    return tuple(one for one in disturbances if one.kind == "cup" and one.covers(t))


def dropped(disturbances: Sequence[Disturbance], t: float) -> bool:
    """Whether the frame at ``t`` s is lost."""
    return any(one.kind == "drop" and one.covers(t) for one in disturbances)


def disturbed(disturbances: Sequence[Disturbance], image: Image, t: float) -> Image:
    """The picture with the light and the camera's swing at ``t`` s."""
    for one in disturbances:
        if one.kind == "light" and one.covers(t):
            share = one.presence(t, _FADE_S)
            dim = 1 - (1 - one.strength) * share
            tint = np.array([dim * (1 - 0.1 * share), dim, dim * (1 + 0.04 * share), 0.0])
            image = np.asarray(cv2.multiply(image, tint, dtype=cv2.CV_8U), np.uint8)
        elif one.kind == "bump" and one.covers(t):
            image = _swung(one, image, t - one.t)
    return image


def _swung(one: Disturbance, image: Image, since: float) -> Image:
    height, width = image.shape[:2]
    scale = width / 1280
    swing = 2.5 * np.exp(-3 * since / _SHAKE_S) * np.cos(2 * np.pi * 6 * since)
    share = min(since / 0.15, 1.0)
    dx, dy = ((share + float(swing)) * scale * v for v in one.at)
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), float(np.degrees(one.strength * share)), 1.0)
    matrix[:, 2] += (dx, dy)
    return np.asarray(
        cv2.warpAffine(
            image, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        ),
        np.uint8,
    )
