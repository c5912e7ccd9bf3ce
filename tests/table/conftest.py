"""A table without pixels: a game log becomes tiles lying in places, and those become noisy detections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from pzvision.game.events import Deal, Declare, Discard, Draw, Event, Gang, Peng, Reveal, TailLamp, Win
from pzvision.rules import load_ruleset
from pzvision.table.reader import TableReader
from pzvision.tiles import BACK, CLASSES, SEATS, Seat, Tile
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionMask

SIZE = (1280, 720)
CALIBRATION = Calibration(
    SIZE, ((0.27547, 0.98), (0.92453, 0.68264), (0.67812, 0.02389), (0.24391, 0.15125)), near_seat="E"
)


@dataclass
class Placed:
    tile: Tile
    seat: Seat
    u: float
    v: float
    yaw: float
    start: float
    end: float = 1e9
    back: bool = False


@dataclass
class Noise:
    """What goes wrong in a look."""

    misread: float = 0.0  # share of looks at a tile whose top class is another
    stubborn: float = 0.0  # share of tiles misread in most looks
    missed: float = 0.0  # share of tiles not found in a look
    jitter_cm: float = 0.1
    false_tiles: float = 0.0  # a look's chance of a tile that is not there
    arms: bool = False  # an arm hides half the table around each act
    masks: bool = True  # the motion masks are there
    lost_looks: float = 0.0  # failed looks
    heap: bool = False
    kongs_down: bool = False  # concealed kongs lie face down
    seed: int = 0


@dataclass
class Table:
    """Places of all tiles over time, by the conventions of the recordings."""

    placed: list[Placed] = field(default_factory=list)
    acts: list[tuple[float, Seat]] = field(default_factory=list)

    @classmethod
    def of(
        cls, log: Sequence[Event], *, heap: bool = False, kongs_down: bool = False, seed: int = 0
    ) -> Table:
        rng = np.random.default_rng(seed)
        table = cls()
        rivers: dict[Seat, list[Placed | None]] = {s: [] for s in SEATS}
        melds: dict[Seat, int] = dict.fromkeys(SEATS, 0)
        pengs: dict[tuple[Seat, Tile], int] = {}
        last: Placed | None = None
        shown: dict[Seat, bool] = {}
        spots: list[tuple[float, float]] = []
        lamp: Placed | None = None

        def put(tile: Tile, seat: Seat, u: float, v: float, t: float, yaw: float = 0.0) -> Placed:
            placed = Placed(tile, seat, u, v, yaw, t)
            table.placed.append(placed)
            return placed

        wins_on_last = 0
        for index, event in enumerate(log):
            t = event.t or 0.0
            if isinstance(event, (Discard, Peng, Gang, Win, Reveal)):
                table.acts.append((t, event.seat))
            if isinstance(event, TailLamp):
                if lamp is not None:
                    lamp.end = t - 0.8
                lamp = put(event.tile, "E", 16.5, 25.0, t)
            elif isinstance(event, Draw) and event.tile is not None and lamp is not None:
                lamp.end, lamp = t - 0.5, None
            elif isinstance(event, Discard):
                river = rivers[event.seat]
                slot = river.index(None) if None in river else len(river)
                u, v = -7.0 + 2.75 * (slot % 6), -10.8 - 3.7 * (slot // 6)
                yaw = float(rng.normal(0, 5))
                if heap:
                    for _ in range(400):
                        u, v = rng.uniform(-17, 17, 2)
                        if all(np.hypot(u - a, v - b) > 4.2 for a, b in spots):
                            break
                    spots.append((u, v))
                    yaw = float(rng.uniform(-180, 180))
                    last = put(event.tile, "E", u, v, t, yaw)
                else:
                    last = put(event.tile, event.seat, u, v, t, yaw)
                if None in river:
                    river[slot] = last
                else:
                    river.append(last)
                wins_on_last = sum(
                    1 for e in log[index + 1 : index + 4] if isinstance(e, Win) and e.by == "discard"
                )
            elif isinstance(event, Peng) or (isinstance(event, Gang) and event.kind != "ba_gang"):
                count = 3 if isinstance(event, Peng) else 4
                for before in table.placed:  # shown tiles that become a kong leave their row
                    if (before.seat, before.v, before.tile) == (event.seat, -32.1, event.tile):
                        before.end = min(before.end, t - 0.7)
                if (isinstance(event, Peng) or event.kind == "zhi_gang") and last is not None:
                    last.end = t - 0.9
                    for river in rivers.values():
                        if river and river[-1] is last:
                            river[-1] = None
                u = 29.8 - 11.6 * melds[event.seat]
                if isinstance(event, Peng):
                    pengs[event.seat, event.tile] = melds[event.seat]
                melds[event.seat] += 1
                for k in range(count):
                    tile = put(event.tile, event.seat, u - 2.75 * k, -37.0, t)
                    tile.back = kongs_down and isinstance(event, Gang) and event.kind == "an_gang"
            elif isinstance(event, Gang):
                u = 29.8 - 11.6 * pengs[event.seat, event.tile] - 2.75 * 3
                put(event.tile, event.seat, u, -37.0, t)
            elif isinstance(event, Declare) and event.tiles and event.declaration in ("dance", "bai"):
                shown[event.seat] = True
                for k, tile in enumerate(event.tiles):
                    put(tile, event.seat, -23.0 + 2.75 * k, -32.1, t)
            elif isinstance(event, (Win, Reveal)):
                tiles = list(event.hand or ())
                for declared in log[:index]:
                    if isinstance(declared, Declare) and declared.seat == event.seat:
                        for tile in declared.tiles if declared.declaration in ("dance", "bai") else ():
                            if tile in tiles:
                                tiles.remove(tile)
                for k, tile in enumerate(tiles):
                    put(tile, event.seat, -23.0 + 2.75 * k, -36.5, t)
                if isinstance(event, Win):
                    many = event.by == "discard" and wins_on_last > 1
                    if not many:
                        put(event.tile, event.seat, -23.0 + 2.75 * len(tiles) + 1.5, -36.5, t)
                    if event.by == "discard" and not many and last is not None:
                        last.end = t - 0.9
        return table

    def looks(
        self, end: float, noise: Noise, step: float = 0.25
    ) -> Iterator[tuple[float, int, Detections | None, MotionMask | None]]:
        rng = np.random.default_rng(noise.seed)
        stubborn = {id(p): int(rng.integers(27)) for p in self.placed if rng.random() < noise.stubborn}
        t, index = 0.0, 0
        while t <= end:
            if rng.random() < noise.lost_looks:
                yield t, index, None, None
            else:
                yield t, index, self._detect(t, noise, rng, stubborn), self._mask(t, noise)
            t = round(t + step, 3)
            index += 2

    def _arm(self, t: float, noise: Noise) -> Seat | None:
        return next((s for at, s in self.acts if at - 0.9 <= t <= at + 0.4), None) if noise.arms else None

    def _mask(self, t: float, noise: Noise) -> MotionMask | None:
        if not noise.masks:
            return None
        cell, count = 1.0, 100
        xs, ys = np.meshgrid(np.arange(count) - 49.5, np.arange(count) - 49.5)
        hidden = np.zeros((count, count), bool)
        sides = np.zeros((0, 4))
        arm = self._arm(t, noise)
        if arm is not None:
            local = CALIBRATION.to_seat(np.column_stack([xs.ravel(), ys.ravel()]), arm)
            hidden = ((np.abs(local[:, 0]) < 6) & (local[:, 1] < 0)).reshape(count, count)
            sides = np.eye(4)[[CALIBRATION.side_of(arm)]]
        bare = ~hidden
        for p in self.placed:
            if p.start <= t < p.end:
                x, y = CALIBRATION.from_seat([[p.u, p.v]], p.seat)[0]
                bare &= (np.abs(xs - x) > 1.8) | (np.abs(ys - y) > 1.8)
        return MotionMask(
            hidden, bare, hidden, -50.0, cell, False, sides, hidden.astype(np.int32), reach_cm=20.0
        )

    def _detect(
        self, t: float, noise: Noise, rng: np.random.Generator, stubborn: dict[int, int]
    ) -> Detections:
        polygons, rows = [], []
        arm = (
            next((seat for at, seat in self.acts if at - 0.9 <= t <= at + 0.4), None) if noise.arms else None
        )
        for p in self.placed:
            if not p.start <= t < p.end or rng.random() < noise.missed:
                continue
            centre = CALIBRATION.from_seat([[p.u, p.v]], p.seat)[0] + rng.normal(0, noise.jitter_cm, 2)
            if arm is not None:
                local = CALIBRATION.to_seat(centre, arm)[0]
                if abs(local[0]) < 6 and local[1] < 0:
                    continue
            tile = p.tile
            if id(p) in stubborn and rng.random() < 0.75:
                tile = stubborn[id(p)]
            elif rng.random() < noise.misread:
                tile = int(rng.integers(27))
            polygons.append(self._polygon(centre, p.yaw, p.seat))
            rows.append(_probs(BACK, BACK, rng) if p.back else _probs(tile, p.tile, rng))
        if rng.random() < noise.false_tiles:
            polygons.append(self._polygon(rng.uniform(-20, 20, 2), float(rng.uniform(0, 360)), "E"))
            rows.append(_probs(int(rng.integers(27)), 27, rng))
        if not rows:
            return Detections.empty(SIZE)
        scores = rng.uniform(0.6, 1.0, len(rows)).astype(np.float32)
        return Detections(np.stack(polygons).astype(np.float32), np.stack(rows), scores, SIZE)

    @staticmethod
    def _polygon(centre: np.ndarray, yaw: float, seat: Seat) -> np.ndarray:
        turn = np.radians(yaw) + np.pi / 2 * CALIBRATION.side_of(seat)
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        outline = np.array([[-1.3, 1.75], [1.3, 1.75], [1.3, -1.75], [-1.3, -1.75]]) @ spin.T + centre
        return CALIBRATION.to_image(np.column_stack([outline, np.full(4, 2.1)]))


def _probs(top: int, true: int, rng: np.random.Generator) -> np.ndarray:
    row = rng.dirichlet(np.full(CLASSES, 0.05))
    row = 0.15 * row
    row[top] += 0.7
    row[true] += 0.15
    return (row / row.sum()).astype(np.float32)


@dataclass
class Simulated:
    """Runs a log through a reader."""

    log: Sequence[Event]
    ruleset: str
    noise: Noise

    def read(self, declarations: Iterable[Declare] = (), step: float = 0.25) -> tuple[Event, ...]:
        reader = TableReader(
            CALIBRATION, load_ruleset(self.ruleset), base=2, declarations=tuple(declarations)
        )
        return self.run(reader, step)

    calibration = CALIBRATION
    size = SIZE

    def all_looks(
        self, step: float = 0.25
    ) -> Iterator[tuple[float, int, Detections | None, MotionMask | None]]:
        """``t, index, detections, mask`` of every look."""
        table = Table.of(
            self.log, heap=self.noise.heap, kongs_down=self.noise.kongs_down, seed=self.noise.seed
        )
        return table.looks(self.end, self.noise, step)

    @property
    def end(self) -> float:
        return max(e.t or 0.0 for e in self.log) + 1.5

    def run(self, reader: TableReader, step: float = 0.25) -> tuple[Event, ...]:
        end = self.end
        kept: list[Event] = []
        for t, index, detections, mask in self.all_looks(step):
            update = reader.look(t, index, SIZE, detections, mask)
            if update is not None:
                kept[update.keep :] = update.events
        update = reader.finish(end)
        if update is not None:
            kept[update.keep :] = update.events
        assert tuple(kept) == reader.log
        return reader.log


@pytest.fixture
def simulated() -> type[Simulated]:
    return Simulated


@pytest.fixture
def noise() -> type[Noise]:
    return Noise


def timed(log: Sequence[Event], seed: int = 0) -> list[Event]:
    """A simulated hand as a camera sees it: times, and nothing that cannot be seen."""
    rng = np.random.default_rng(seed)
    pauses = {
        "draw": 1.7, "discard": 1.5, "peng": 2.5, "gang": 2.1, "win": 2.2, "reveal": 2.1,
        "declare": 0.7, "tail_lamp": 0.4, "hand_end": 1.6,
    }  # fmt: skip
    out: list[Event] = []
    t = 0.0
    kong = False
    for event in log:
        if event.type not in ("hand_start", "deal") and not (event.type == "tail_lamp" and t == 0):
            slow = 2.4 if event.type in ("draw", "discard") and rng.random() < 0.05 else 0.0
            t += pauses.get(event.type, 1.0) + rng.uniform(-0.2, 0.2) + slow
            t += 1.3 if t < 1.9 else 0.0
        seen = replace(event, t=round(t, 2))
        if isinstance(seen, Deal):
            seen = replace(seen, tiles=None)
        elif isinstance(seen, Draw):
            seen = replace(seen, tile=seen.tile if kong and event_shows_lamp(log) else None)
            kong = False
        elif isinstance(seen, Gang):
            kong = True
        elif isinstance(seen, Declare) and (not seen.tiles or seen.declaration not in ("dance", "bai")):
            seen = replace(seen, tiles=None)
        out.append(seen)
    return out


def event_shows_lamp(log: Sequence[Event]) -> bool:
    return any(isinstance(e, TailLamp) for e in log)


@pytest.fixture(name="timed")
def timed_fixture() -> object:
    return timed
