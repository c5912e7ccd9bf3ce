"""What came to lie on the table: the facts that the decoder explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from pzvision.table.config import TableConfig
from pzvision.table.tracks import Track
from pzvision.tiles import KINDS, Seat

FactKind: TypeAlias = Literal["river", "three", "four", "added", "hand", "shown", "lamp"]


@dataclass(frozen=True, eq=False)
class Fact:
    """Something that came to lie on the table.

    Attributes:
        kind: ``river`` one tile; ``three``/``four`` equal tiles in a meld's place; ``added`` a fourth beside
            three; ``hand`` a laid-down hand; ``shown`` tiles before a hand; ``lamp`` one on the wall.
        t: s, when the last of its tiles lay still.
        seat: whose it is; None for ``river`` and ``lamp``.
        tracks: its tiles, from the owner's left to right.
        apart: of a hand, the tile that lies away from the rest (the winning one), if any.
        onto: of ``added``, the tracks of the three.
        owners: of ``river``, ``(4,)`` probabilities of E S W N by place and direction.
        arms: of ``river``, ``(4,)`` 0–1, whose arm reached there when it came, E S W N.
        forced: what a person said it is: ``discard``, ``peng``, a kind of kong, ``win_`` and how,
            ``reveal``; "" if nobody said anything.
        on_wall: of ``river``, it lies among tiles of the wall: its face may be no face at all.
        moved: of ``river``, it may be no new one: a tile of its kind has just left another place, or lay
            exactly there not long ago; or it lay there at the first look.
        holes: of a ``hand``, how many tiles have room in the gaps of its row.
    """

    kind: FactKind
    t: float
    seat: Seat | None
    tracks: tuple[Track, ...]
    apart: Track | None = None
    onto: tuple[Track, ...] = ()
    owners: tuple[float, ...] = ()
    arms: tuple[float, ...] = ()
    forced: str = ""
    holes: int = 0
    on_wall: bool = False
    moved: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two facts of different looks the same."""
        return (
            self.kind,
            self.seat,
            tuple(t.id for t in self.tracks),
            self.apart.id if self.apart else None,
            round(self.t, 3),
            self.forced,
            self.moved,
            self.owners if self.forced else (),
        )


def equality(tracks: Sequence[Track], config: TableConfig) -> tuple[int, float]:
    """The class that several tiles have if they are all equal, and what assuming so costs (nats ≥ 0)."""
    faces = [t for t in tracks if not t.is_back] or list(tracks)
    scores = np.array([t.scores(config)[:KINDS] for t in faces])
    total = scores.sum(axis=0)
    best = int(total.argmax())
    return best, float(scores.max(axis=1).sum() - total[best])


def alike(tracks: Sequence[Track], config: TableConfig) -> bool:
    """Whether tiles side by side may be a meld: all equal but for one that is misread."""
    best, cost = equality(tracks, config)
    scores = [t.scores(config)[:KINDS] for t in tracks if not t.is_back]
    odd = sum(float(s.max() - s[best]) > config.unlike_nats for s in scores)
    return cost < config.wrong_class_nats * (len(tracks) - 1) and (odd <= 1 or len(tracks) < 3)


def time_of(tracks: Sequence[Track], config: TableConfig) -> float:
    """When the last tile of an act lay still, s; one that was found much later does not count."""
    times = sorted(t.since for t in tracks)
    middle = times[len(times) // 2]
    return max(t for t in times if t <= middle + config.burst_s)
