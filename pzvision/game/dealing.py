"""Deals for the simulator: shuffled, and stacked ones so that rare rules are met."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from pzvision.game.seat import DEALT
from pzvision.tiles import COPIES, KINDS, SEATS, Seat, Tile, next_seat


def deal(
    random: Random, dealer: Seat, spice: float = 0.0, wanted: Mapping[Seat, list[Tile]] | None = None
) -> tuple[dict[Seat, list[Tile]], list[Tile]]:
    """A shuffled deal: hands by seat (14 for the dealer) and the wall in drawing order.

    With probability ``spice`` each hand is stacked: with quads, a ready hand, or (the dealer) a complete one,
    so that rare rules are met. ``wanted``: tiles that go to a seat first.
    """
    given = wanted or {}
    wall = [tile for tile in range(KINDS) for _ in range(COPIES)]
    random.shuffle(wall)
    hands: dict[Seat, list[Tile]] = {}
    for seat in SEATS:
        size = DEALT + 1 if seat == dealer else DEALT
        stack = given.get(seat) or (_stack(random, size) if random.random() < spice else [])
        hand: list[Tile] = []
        for tile in stack:
            if tile in wall and len(hand) < size:
                wall.remove(tile)
                hand.append(tile)
        while len(hand) < size:
            hand.append(wall.pop())
        hands[seat] = hand
    return hands, wall


def _stack(random: Random, size: int) -> list[Tile]:
    """Tiles of an interesting hand, at most ``size``."""
    suits = random.sample(range(3), random.choice((1, 1, 2)))
    kinds = [9 * suit + rank for suit in suits for rank in range(9)]
    style = random.choice(("quads", "quads", "ready", "pairs"))
    if style == "quads":
        return [tile for tile in random.sample(kinds, min(3, len(kinds))) for _ in range(COPIES)][:size]
    if style == "pairs":
        return [tile for tile in random.sample(kinds, 7) for _ in range(2)][:size]
    tiles: list[Tile] = []
    for _ in range(4):
        suit = random.choice(suits)
        if random.random() < 0.5:
            low = 9 * suit + random.randrange(7)
            tiles += [low, low + 1, low + 2]
        else:
            tiles += [9 * suit + random.randrange(9)] * 3
    pair = random.choice(kinds)
    return [*tiles, pair, pair][:size]


def rare_hands(random: Random, dealer: Seat) -> dict[Seat, list[Tile]]:
    """Hands for the rarest rules: three that wait for all nine ranks of a suit and one that holds little but
    that suit (报警), or one ready with sets of 2, 5 and 8 (将对)."""
    first, second, third = (9 * suit for suit in random.sample(range(3), 3))
    seats = [next_seat(dealer, step) for step in range(4)]
    if random.random() < 0.5:
        triplets = [first + rank for rank in (1, 4, 7) for _ in range(3)]
        return {random.choice(seats): [*triplets, *[second + 1] * 2, *[second + 4] * 2]}
    hands: dict[Seat, list[Tile]] = {}
    rest = [first + rank for rank in range(9) for _ in range(COPIES)]
    for step, (low, high) in enumerate(((0, 3), (3, 6), (0, 6))):
        run = [first + rank for rank in range(step + 1, step + 6)]  # 23456: waits for 1, 4 and 7
        for tile in run:
            rest.remove(tile)
        sets = [second + start + rank for start in (low, high) for rank in range(3)]
        hands[seats[step]] = [*run, *sets, *[third + step] * 2]
    random.shuffle(rest)
    hands[seats[3]] = rest[:DEALT]
    return hands
