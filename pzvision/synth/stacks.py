"""Arrangements in which most tiles are seen from behind: walls, stacks, mixed heaps, others' hands."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from pzvision.synth.bodies import DOWN, STANDING, UP
from pzvision.synth.layouts import Deck, scatter
from pzvision.synth.placing import Spot


def stacks(deck: Deck) -> None:
    """Pieces of walls one to three high, at any angle, whole or broken, some tiles turned up or missing."""
    rng, plan = deck.rng, deck.plan
    t = plan.tile[2]
    places: list[tuple[float, float]] = []
    for _ in range(int(rng.integers(2, 9))):
        x, y = (float(v) for v in rng.uniform(-26, 26, 2))
        if any(np.hypot(x - a, y - b) < 14 for a, b in places):
            continue
        places.append((x, y))
        yaw = float(rng.uniform(0, 2 * np.pi))
        count, levels = int(rng.integers(2, 14)), int(rng.choice([1, 2, 2, 2, 3]))
        spread = (count - 1) / 2 * plan.pitch
        turned = rng.random() < 0.15  # faces up, for the sides to be learnt as well
        mess = float(rng.choice([0.2, 0.6, 1.5]))
        for k in range(count):
            along = k * plan.pitch - spread
            if abs(along) > 13:
                continue
            for level in range(levels - int(rng.random() < 0.15)):
                up = turned or rng.random() < 0.02
                spot = Spot(
                    x + along * float(np.cos(yaw)), y + along * float(np.sin(yaw)), t * (0.5 + level), yaw,
                    UP if up else DOWN,
                )  # fmt: skip
                deck.put(spot.nudged(rng, 0.1 * mess, 0.04 * mess))


def ranks(deck: Deck) -> None:
    """Standing hands at every side of the table, seen from the front, from behind and from the side."""
    rng, plan = deck.rng, deck.plan
    for side in range(4):
        if rng.random() < 0.15:
            continue
        inwards = rng.random() < 0.25  # turned round: their faces are seen from across the table
        lean = float(rng.choice([0.0, 0.0, 0.12, 0.3]))
        edge = float(rng.uniform(4, 24))
        first, count = int(rng.integers(0, 5)), int(rng.choice([4, 7, 10, 13, 14]))
        for k in range(first, first + count):
            spot = replace(plan.standing(k), y=-plan.half + edge, tip=STANDING - lean)
            z = np.sin(spot.tip) * plan.tile[0] / 2 + abs(np.cos(spot.tip)) * plan.tile[2] / 2
            spot = replace(spot, z=float(z), yaw=np.pi if inwards else 0.0)
            deck.put(spot.nudged(rng, 0.06, 0.02).turned(side))
    if rng.random() < 0.7:
        for side in range(4):
            for stack in range(int(rng.integers(0, 14))):
                for level in range(2):
                    spot = plan.wall(stack, level, 13)
                    deck.put(spot.nudged(rng, 0.05, 0.02).turned(side))
    if rng.random() < 0.6:
        scatter(deck, int(rng.integers(1, 30)), 12.0, pile=0.05, down=0.1)


def mixed(deck: Deck) -> None:
    """Tiles being mixed: a wide heap, about half of them face down."""
    rng = deck.rng
    count = int(rng.integers(12, 108))
    radius = (
        float(rng.uniform(0.8, 1.5)) * np.sqrt(count * deck.plan.tile[0] * deck.plan.tile[1] / np.pi) * 1.25
    )
    pile, down = float(rng.choice([0.0, 0.15, 0.4])), float(rng.uniform(0.3, 0.95))
    scatter(deck, count, float(radius), pile=pile, down=down, standing=0.06)


LAYOUTS: Final = {"stacks": stacks, "ranks": ranks, "mixed": mixed}
