"""What cameras on players' hands saw, put into the log: the dealt tiles and the tiles drawn.

A hand's picture says which tiles stand there, not when each came. The log says when its owner drew, discarded
and claimed; between two of these acts the hand has a certain number of tiles. A reading of that number in
that time is the hand then, and what two such hands differ by is the tile drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from pzvision.game.events import Deal, Discard, Draw, Event, Gang, HandEnd, HandStart, Peng, Reveal, Win
from pzvision.table.merging import Line
from pzvision.tiles import KINDS, Seat, Tile
from pzvision.vision.detections import Detections

Tiles: TypeAlias = tuple[Tile, ...]


@dataclass(frozen=True)
class HandConfig:
    """When a hand's picture is believed.

    Attributes:
        sure: least probability of every tile's class in a look.
        looks: equal looks one after the other that make a reading.
        slack_s: seconds a reading may lie beside the time the log gives for it: a tile leaves the hand before
            it lies on the table, and is drawn before it is known to have been.
    """

    sure: float = 0.55
    looks: int = 2
    slack_s: float = 2.5


@dataclass(frozen=True)
class HandReading:
    """The same tiles seen from ``first`` to ``last`` s."""

    tiles: Tiles
    first: float
    last: float


class OwnHands:
    """Readings of every hand a camera is on."""

    def __init__(self, config: HandConfig | None = None) -> None:
        self.config = config or HandConfig()
        self._readings: dict[Seat, list[HandReading]] = {}
        self._recent: dict[Seat, tuple[Tiles, float, int]] = {}

    def look(self, seat: Seat, t: float, detections: Detections | None) -> bool:
        """The row of standing tiles at ``t`` s (`pzvision.vision.hand_row`); None: nothing can be said.

        Returns whether a new reading came of it.
        """
        if detections is None or not len(detections):
            return False
        faces = detections.probs[:, :KINDS]
        if float(faces.max(axis=1).min()) < self.config.sure:
            return False
        tiles = tuple(sorted(int(k) for k in faces.argmax(axis=1)))
        if len(tiles) > 14 or len(tiles) % 3 == 0 or max(Counter(tiles).values()) > 4:
            return False
        before, first, count = self._recent.get(seat, ((), t, 0))
        first, count = (first, count + 1) if tiles == before else (t, 1)
        self._recent[seat] = (tiles, first, count)
        if count < self.config.looks:
            return False
        readings = self._readings.setdefault(seat, [])
        if readings and readings[-1].tiles == tiles:
            readings[-1] = replace(readings[-1], last=t)
            return False
        readings.append(HandReading(tiles, first, t))
        return True

    def fill(self, lines: Sequence[Line]) -> list[Line]:
        """The log's lines with the deals and draws that the readings tell."""
        out = list(lines)
        for seat, readings in self._readings.items():
            for index, event in fill_hand([line.event for line in out], seat, readings, self.config).items():
                out[index] = out[index].but(event)
        return out


def fill_hand(
    events: Sequence[Event], seat: Seat, readings: Sequence[HandReading], config: HandConfig | None = None
) -> dict[int, Event]:
    """New events by index for one seat: its deal and its draws as far as the readings tell them."""
    config = config or HandConfig()
    steps = [(i, e) for i, e in enumerate(events) if getattr(e, "seat", None) == seat and _counts(e)]
    start = next((e for e in events if isinstance(e, HandStart)), None)
    deal = next((i for i, e in enumerate(events) if isinstance(e, Deal) and e.seat == seat), None)
    if start is None or deal is None:
        return {}
    count = 14 if start.dealer == seat else 13
    times = [start.t or 0.0, *((e.t or 0.0) for _, e in steps)]
    over = max((e.t or 0.0) for e in events) + 60.0
    if isinstance(events[-1], HandEnd):
        over = events[-1].t or over
    sizes = [count]
    for _, event in steps:
        sizes.append(sizes[-1] + _change(event))
    seen = [
        _best(readings, sizes[k], times[k], times[k + 1] if k + 1 < len(times) else over, config)
        for k in range(len(sizes))
    ]
    out: dict[int, Event] = {}
    hand = seen[0]
    given = events[deal]
    if hand is not None and isinstance(given, Deal) and given.tiles is None:
        out[deal] = replace(given, tiles=_tiles(hand))
    for k, (index, event) in enumerate(steps):
        if isinstance(event, (Win, Reveal)):
            break
        after = seen[k + 1]
        if isinstance(event, Draw):
            tile = event.tile
            if tile is None and hand is not None:
                tile = _drawn(hand, after)
                following = steps[k + 1][1] if k + 1 < len(steps) else None
                if tile is None and isinstance(following, Discard) and (then := seen[k + 2]) is not None:
                    tile = _drawn(hand, then + Counter([following.tile]))
                if tile is not None:
                    out[index] = replace(event, tile=tile)
            hand = None if hand is None or tile is None else hand + Counter([tile])
        elif hand is not None:
            used = _used(event)
            hand = hand - used if all(hand[k] >= n for k, n in used.items()) else None
        if hand is None:
            hand = after
    return out


def _counts(event: Event) -> bool:
    return isinstance(event, (Draw, Discard, Peng, Gang, Win, Reveal))


def _used(event: Event) -> Counter[Tile]:
    """The tiles that leave the standing hand."""
    if isinstance(event, Discard):
        return Counter([event.tile])
    if isinstance(event, Peng):
        return Counter({event.tile: 2})
    if isinstance(event, Gang):
        return Counter({event.tile: {"zhi_gang": 3, "an_gang": 4, "ba_gang": 1}[event.kind]})
    return Counter()


def _change(event: Event) -> int:
    return 1 if isinstance(event, Draw) else -sum(_used(event).values())


def _best(
    readings: Sequence[HandReading], size: int, start: float, end: float, config: HandConfig
) -> Counter[Tile] | None:
    """The reading of that many tiles that was there longest between two acts."""
    longest, best = 0.0, None
    for reading in readings:
        if len(reading.tiles) != size:
            continue
        low, high = max(reading.first, start - config.slack_s), min(reading.last, end + config.slack_s)
        if high - low > longest:
            longest, best = high - low, reading
    return None if best is None else Counter(best.tiles)


def _drawn(before: Counter[Tile], after: Counter[Tile] | None) -> Tile | None:
    """The one tile that came; None where the hands differ by something else."""
    if after is None:
        return None
    came, went = after - before, before - after
    return next(iter(came)) if sum(came.values()) == 1 and not went else None


def _tiles(hand: Counter[Tile]) -> Tiles:
    return tuple(sorted(hand.elements()))
