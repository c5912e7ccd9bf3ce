"""One tile at rest and what speaks for its class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.table.config import TableConfig
from pzvision.tiles import BACK, CLASSES, OTHER

FloatArray: TypeAlias = npt.NDArray[np.float64]

PINNED_NATS: Final = 200.0
"""How much a person's word outweighs any number of looks."""


@dataclass(eq=False)
class Evidence:
    """Log-probabilities over the 29 classes, summed over looks.

    Attributes:
        logs: ``(29,)`` nats. ``weight``: how many looks they are of, those that count less in part.
    """

    logs: FloatArray = field(default_factory=lambda: np.zeros(CLASSES))
    weight: float = 0.0
    _scores: tuple[float, FloatArray] | None = None

    def add(self, probs: FloatArray, weight: float, floor: float) -> None:
        """One look's distribution ``(29,)``, counting ``weight`` times; no share is under ``floor``."""
        self.logs = self.logs + weight * np.log(np.maximum(probs, floor))
        self.weight += weight

    def merge(self, other: Evidence) -> None:
        """Looks of the same tile kept elsewhere."""
        self.logs = self.logs + other.logs
        self.weight += other.weight

    def fade(self, weight: float) -> None:
        """Let what was seen so far count as so many looks at most."""
        if self.weight > weight:
            self.logs = self.logs * (weight / self.weight)
            self.weight = weight
            self._scores = None

    def scores(self, correlation: float) -> FloatArray:
        """``(29,)`` log-probabilities (normalised), as if by the number of independent looks.

        ``n`` looks of ``correlation`` ``c``, 0–1, are worth ``n / (1 + c (n − 1))``.
        """
        if self.weight <= 0:
            return np.full(CLASSES, -np.log(CLASSES))
        if self._scores is not None and self._scores[0] == self.weight:
            return self._scores[1]
        mean = self.logs / self.weight
        # However little they weigh against better ones, looks are worth at least one while they are all.
        worth = max(self.weight / (1 + correlation * max(self.weight - 1, 0.0)), 1.0)
        total = mean * worth
        total = total - total.max()
        scores = np.asarray(total - np.log(np.exp(total).sum()), np.float64)
        self._scores = (self.weight, scores)
        return scores


@dataclass(eq=False)
class Track:
    """One tile in one place.

    Attributes:
        id: in order of first look.
        at: ``(2,)`` centre, table cm, on the plane of faces.
        up: ``(2,)`` unit vector of the tile's own top, table plane (mean over looks).
        axis: ``(2,)`` of `long_axis` (a logarithm), mean over looks.
        since: s, first look at rest there.
        last: s, last look in which it was found.
        gone: s of the last look in which it was found, once it is known to be gone; else None.
        bared: it is gone for certain, for the felt was seen in its place.
        looks: in how many looks it was found; ``chances``: in how many its place was seen.
        evidence: of its class.
        reach: ``(4,)`` from which sides an arm reached there when it came (near, right, far, left).
        polygon: ``(4, 2)`` table cm of the last sharp look.
        covered: a hand or an arm covered it since it was last found.
        stood: in how many looks a standing face was seen there instead.
        standing: mean over looks of how likely it is a standing face, 0–1.
        backness: the same of a back, 0–1. ``back_at``: s, when it was found again after an absence.
        empty_at: s, when the felt was last seen in its place before it came, if within the last moments.
        clear: looks in a row at a face that looks like one of the 27 where none could be read before;
            ``clear_at``: s, the first of them.
        settled: it has been at rest long enough to count.
        pinned: its class as a person said it, whatever the looks say.
    """

    id: int
    at: FloatArray
    up: FloatArray
    since: float
    last: float
    polygon: FloatArray
    evidence: Evidence = field(default_factory=Evidence)
    after_absence: Evidence | None = None
    looks: int = 0
    chances: int = 0
    absent_s: float = 0.0
    absent_looks: int = 0
    bare_s: float = 0.0
    covered: bool = False
    gone: float | None = None
    bared: bool = False
    back_at: float = 0.0
    settled: bool = False
    standing: float = 0.0
    stood: int = 0
    backness: float = 0.0
    empty_at: float = -1e9
    reach: FloatArray = field(default_factory=lambda: np.zeros(4))
    pinned: int | None = None
    clear: Evidence | None = None
    clear_at: float = 0.0
    axis: FloatArray = field(default_factory=lambda: np.zeros(2))

    def scores(self, config: TableConfig) -> FloatArray:
        """``(29,)`` normalised log-probabilities of its class."""
        if self.pinned is not None:
            said = np.full(CLASSES, -PINNED_NATS)
            said[self.pinned] = 0.0
            return said
        return self.evidence.scores(config.look_correlation)

    @property
    def stands(self) -> float:
        """How likely it is a standing face by all looks at its place, 0–1."""
        return (self.standing * self.looks + self.stood) / max(self.looks + self.stood, 1)

    @property
    def is_back(self) -> bool:
        """It lies face down (or is a wall's tile)."""
        return self.pinned is None and int(self.evidence.logs.argmax()) == BACK

    @property
    def is_other(self) -> bool:
        """Its face is none of the 27."""
        return self.pinned is None and int(self.evidence.logs.argmax()) == OTHER


def long_axis(polygon: FloatArray) -> FloatArray:
    """Along which line a tile lies, by its outline ``(4, 2)`` in any units; ``(2,)``.

    ``(cos 2a, sin 2a)`` of the angle ``a`` of its longer sides, times the logarithm of how much longer they
    are. Such vectors may be averaged.
    """
    first, second = polygon[1] - polygon[0], polygon[2] - polygon[1]
    one, other = float(np.linalg.norm(first)), float(np.linalg.norm(second))
    if min(one, other) <= 0:
        return np.zeros(2)
    x, y = first / one
    return float(np.log(one / other)) * np.array([x * x - y * y, 2 * x * y])
