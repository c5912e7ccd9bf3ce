"""Arrangements of tiles for single pictures: whole games, heaps, rows, hands, close-ups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from pzvision.synth.bodies import DOWN, STANDING, UP, Box
from pzvision.synth.faces import OTHER_VARIANTS, FaceSource
from pzvision.synth.placing import Plan, Spot
from pzvision.tiles import KINDS, OTHER

LAYOUTS: Final = ("game", "heap", "hand", "rows", "spread", "walls", "few")


@dataclass(frozen=True)
class Deck:
    """Hands out tile bodies of one set with the next label each.

    Attributes:
        faces: the set. ``plan``: its sizes.
        others: chance that a tile is an honour, flower or blank.
        rng: source of kinds and small irregularities.
        boxes, classes: grow with each tile: the bodies, and what their faces are.
    """

    faces: FaceSource
    plan: Plan
    others: float
    rng: np.random.Generator
    boxes: list[Box]
    classes: list[int]

    def kind(self) -> tuple[int, int]:
        """A random class and which of its pictures."""
        if self.rng.random() < self.others:
            return OTHER, int(self.rng.integers(OTHER_VARIANTS))
        return int(self.rng.integers(KINDS)), 0

    def put(
        self, spot: Spot, kind: tuple[int, int] | None = None, *, lean: tuple[float, float] = (0.0, 0.0)
    ) -> None:
        """Add one tile; ``lean`` in radians as of `Box`."""
        look = self.faces.look
        tile, copy = kind if kind is not None else self.kind()
        h, w, t = self.plan.tile
        self.boxes.append(
            Box(
                spot.x,
                spot.y,
                spot.z,
                spot.yaw,
                spot.tip,
                (w, h, t),
                front=self.faces.face(tile, copy),
                front_colour=look.face,
                back_colour=look.back,
                back_share=look.back_share,
                lean=lean,
                rounding=0.34 * w / 2.7,
                gloss=look.gloss,
                tint=float(np.clip(self.rng.normal(1.0, 0.02), 0.92, 1.08)),
                label=len(self.boxes),
            )
        )
        self.classes.append(tile)


def _nudge(deck: Deck, spot: Spot, mess: float) -> Spot:
    return spot.nudged(deck.rng, 0.12 * mess, 0.05 * mess)


def _sorted_hand(deck: Deck, count: int) -> list[tuple[int, int]]:
    kinds = [deck.kind() for _ in range(count)]
    return sorted(kinds) if deck.rng.random() < 0.7 else kinds


def game(deck: Deck) -> None:
    """A whole table at some moment of a game."""
    rng, plan = deck.rng, deck.plan
    mess = float(rng.choice([0.3, 1.0, 2.0]))
    discards = int(rng.integers(0, 26))
    heap = bool(rng.random() < 0.35)
    left = int(rng.integers(0, 28))
    ends = rng.random() < 0.3
    for side in range(4):
        melds = int(rng.choice([0, 0, 1, 1, 2, 3, 4]))
        for group in range(melds):
            kind = deck.kind()
            hidden = rng.random() < 0.12
            for k in range(4 if rng.random() < 0.3 else 3):
                deck.put(_nudge(deck, plan.meld(group, k, face_down=hidden), mess).turned(side), kind)
        count = 13 - 3 * melds
        how = rng.random()
        laid = how < (0.7 if ends else 0.12)
        for k, kind in enumerate(_sorted_hand(deck, count)):
            spot = plan.laid(k, face_down=0.12 <= how < 0.15) if laid else plan.standing(k)
            deck.put(_nudge(deck, spot, mess * 0.5).turned(side), kind)
        if rng.random() < 0.25:
            extra = plan.laid(count, apart=True) if laid else plan.standing(count, apart=True)
            deck.put(_nudge(deck, extra, mess).turned(side))
        if rng.random() < 0.08 and not laid:
            for k, kind in enumerate(_sorted_hand(deck, int(rng.integers(1, 8)))):
                deck.put(_nudge(deck, plan.shown(k), mess).turned(side), kind)
        stacks = 13 + side % 2
        for stack in range(min(stacks, left)):
            top = stack > 0 or rng.random() < 0.6
            for level in range(2 if top else 1):
                lamp = stack == 0 and level == int(top) and rng.random() < 0.15
                deck.put(_nudge(deck, plan.wall(stack, level, stacks, face_up=lamp), mess * 0.4).turned(side))
        left = max(0, left - stacks)
        if not heap:
            for k in range(min(discards, 24)):
                deck.put(_nudge(deck, plan.river_row(k), mess).turned(side))
            discards = max(0, discards + int(rng.integers(-2, 3)))
    if heap:
        scatter(deck, min(60, discards * 3 + 4), 16.0, pile=0.08)


def scatter(
    deck: Deck, count: int, radius: float, *, pile: float = 0.3, down: float = 0.06, standing: float = 0.0
) -> None:
    """Loose tiles within ``radius`` cm; ``pile``: chance that a tile lies on others, not beside.

    ``down``, ``standing``: shares that lie on their faces, and that stand.
    """
    rng, plan = deck.rng, deck.plan
    h, w, t = plan.tile
    taken: list[tuple[float, float, float, float]] = [
        (b.x, b.y, b.z + t / 2, max(b.size[:2]) / 2)
        for b in deck.boxes
        if abs(b.x) < radius + 4 and abs(b.y) < radius + 4
    ]
    for _ in range(count):
        for attempt in range(14):
            angle, r = rng.uniform(0, 2 * np.pi), radius * np.sqrt(rng.random())
            x, y = float(r * np.cos(angle)), float(r * np.sin(angle))
            near = [p for p in taken if np.hypot(p[0] - x, p[1] - y) < (h + w) / 2 * 0.98]
            upon = rng.random() < pile
            if not near or (upon and len(near) <= 3 and max(p[2] for p in near) < t * 1.6):
                break
            if attempt == 13:
                near = [(x, y, 99.0, 0.0)]
        base = max((p[2] for p in near), default=0.0)
        if base > t * 1.6:
            continue
        lean = (0.0, 0.0)
        if near:
            # it leans on what it lies on: tip away from the middle of its support
            support = near[0]
            dx, dy = x - support[0], y - support[1]
            tilt = float(rng.uniform(0.05, 0.3)) if len(near) == 1 else float(rng.uniform(0, 0.1))
            size = float(np.hypot(dx, dy)) + 1e-6
            lean = (-dy / size * tilt, dx / size * tilt)
        tip = UP if rng.random() > down else DOWN
        z = base + t / 2 - (0.5 * t * min(1.0, 3 * abs(lean[0] + lean[1])) if near else 0.0)
        if not near and rng.random() < standing:
            tip, z = STANDING, h / 2
        deck.put(Spot(x, y, max(z, t / 2), float(rng.uniform(0, 2 * np.pi)), tip), lean=lean)
        taken.append((x, y, z + t / 2, h / 2))


def heap(deck: Deck) -> None:
    """A loose heap or a scattering, no order at all."""
    rng = deck.rng
    count = int(rng.integers(6, 90))
    crowd = float(rng.uniform(0.9, 2.6))
    radius = crowd * np.sqrt(count * deck.plan.tile[0] * deck.plan.tile[1] / np.pi) * 1.25
    scatter(
        deck,
        count,
        float(radius),
        pile=float(rng.choice([0.0, 0.1, 0.4])),
        down=float(rng.choice([0.0, 0.08, 0.4])),
        standing=0.04,
    )


def hand(deck: Deck) -> None:
    """A player's own hand as his phone or a hand camera sees it, the walls behind it."""
    rng, plan = deck.rng, deck.plan
    count = int(rng.choice([1, 4, 7, 10, 13, 14], p=(0.04, 0.08, 0.12, 0.16, 0.4, 0.2)))
    spots = [plan.standing(k) for k in range(count)]
    shift = -(spots[0].x + spots[-1].x) / 2
    tip = float(rng.choice([STANDING, STANDING, STANDING - 0.2, STANDING - 0.6]))
    for k, kind in enumerate(_sorted_hand(deck, count)):
        spot = _nudge(deck, spots[k], 0.4)
        z = np.sin(tip) * plan.tile[0] / 2 + abs(np.cos(tip)) * plan.tile[2] / 2
        gap = 1.2 if k == 13 else 0.0
        deck.put(replace(spot, x=spot.x + shift + gap, tip=tip, z=float(z)), kind)
    if rng.random() < 0.5:
        for k in range(int(rng.integers(1, 9))):
            deck.put(_nudge(deck, replace(plan.shown(k), y=-plan.half + plan.shown_edge + 1.5), 1.5))
    if rng.random() < 0.8:
        for side in range(4):
            for stack in range(int(rng.integers(0, 14))):
                for level in range(2):
                    deck.put(_nudge(deck, plan.wall(stack, level, 13), 0.3).turned(side))
            if side and rng.random() < 0.5:
                for k in range(13):
                    deck.put(plan.standing(k).turned(side))
    if rng.random() < 0.5:
        for side in range(4):
            for k in range(int(rng.integers(0, 12))):
                deck.put(_nudge(deck, plan.river_row(k), 1.0).turned(side))


def rows(deck: Deck) -> None:
    """Rows laid out neatly, tight or with gaps: all the tiles in order, sets, hands laid down."""
    rng, plan = deck.rng, deck.plan
    h, w, t = plan.tile
    lines, columns = int(rng.integers(1, 6)), int(rng.integers(2, 19))
    gap_x = float(rng.choice([0.02, 0.1, 0.6, 1.5]))
    gap_y = float(rng.choice([0.05, 0.3, 1.5, 4.0]))
    ordered = rng.random() < 0.4
    upright = rng.random() < 0.15
    flip = np.pi if rng.random() < 0.2 else 0.0
    start = int(rng.integers(KINDS))
    for line in range(lines):
        for column in range(columns):
            x = (column - (columns - 1) / 2) * (w + gap_x)
            y = (line - (lines - 1) / 2) * (h + gap_y)
            if rng.random() < 0.03:
                continue
            kind = ((start + line * columns + column) % KINDS, 0) if ordered else None
            tip = STANDING if upright else UP if rng.random() > 0.02 else DOWN
            z = h / 2 if upright else t / 2
            deck.put(_nudge(deck, Spot(x, y, z, flip, tip), 0.7), kind)


def spread(deck: Deck) -> None:
    """Groups of a few tiles here and there, each at its own angle."""
    rng, plan = deck.rng, deck.plan
    places: list[tuple[float, float]] = []
    for _ in range(int(rng.integers(2, 12))):
        x, y = (float(v) for v in rng.uniform(-28, 28, 2))
        if any(np.hypot(x - a, y - b) < 13 for a, b in places):
            continue
        places.append((x, y))
        yaw = float(rng.uniform(0, 2 * np.pi))
        count = int(rng.integers(1, 5))
        kind = deck.kind() if rng.random() < 0.5 else None
        how = rng.random()
        tip, z = (
            (UP, plan.tile[2] / 2)
            if how < 0.8
            else (DOWN, plan.tile[2] / 2)
            if how < 0.9
            else (STANDING, plan.tile[0] / 2)
        )
        for k in range(count):
            along = (k - (count - 1) / 2) * (plan.pitch + float(rng.uniform(0, 0.15)))
            spot = Spot(x + along * np.cos(yaw), y + along * np.sin(yaw), z, yaw, tip)
            deck.put(_nudge(deck, spot, 0.7), kind)


def walls(deck: Deck) -> None:
    """Four walls before or after the deal: nearly all backs."""
    for side in range(4):
        stacks = 13 + side % 2
        first = int(deck.rng.integers(0, 6))
        for stack in range(first, stacks):
            for level in range(2):
                deck.put(_nudge(deck, deck.plan.wall(stack, level, stacks), 0.5).turned(side))
    if deck.rng.random() < 0.6:
        scatter(deck, int(deck.rng.integers(1, 30)), 15.0, pile=0.1, down=0.2)


def few(deck: Deck) -> None:
    """One to eight tiles, for close-ups."""
    scatter(deck, int(deck.rng.integers(1, 9)), 8.0, pile=0.15, down=0.05, standing=0.1)


def build(name: str, deck: Deck) -> None:
    """Fill a deck with one of `LAYOUTS`. Raises `KeyError` for another name."""
    {"game": game, "heap": heap, "hand": hand, "rows": rows, "spread": spread, "walls": walls, "few": few}[
        name
    ](deck)
