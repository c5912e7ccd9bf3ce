"""A correction of the reader's last layer, found by ridge-bound logistic regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pzvision.tiles import OTHER
from pzvision.vision.detections import FloatArray


@dataclass(frozen=True, eq=False)
class Samples:
    """Features ``(N, D)``, log-probabilities as trained ``(N, 28)`` and wanted distributions ``(N, 28)``."""

    features: FloatArray
    logp: FloatArray
    targets: FloatArray

    @classmethod
    def join(cls, parts: Sequence[Samples]) -> Samples:
        """All of them, one after another."""
        return cls(*(np.concatenate([getattr(p, n) for p in parts]) for n in ("features", "logp", "targets")))


@dataclass(frozen=True, eq=False)
class Basis:
    """The directions in which samples differ most ``(D, C)``, their mean ``(D,)``, and the samples there."""

    mean: FloatArray
    directions: FloatArray
    samples: Samples

    @classmethod
    def of(cls, samples: Samples, components: int) -> Basis:
        """At most ``components`` of them."""
        mean = samples.features.mean(axis=0)
        x = samples.features - mean
        scale = float(np.sqrt((x**2).sum(axis=1).mean())) or 1.0
        _, vectors = np.linalg.eigh((x.T @ x).astype(np.float64))
        directions = np.asarray(vectors[:, ::-1][:, :components] / scale, np.float32)
        return cls(mean, directions, Samples(x @ directions, samples.logp, samples.targets))


def fit(basis: Basis, ridge: float, steps: int) -> tuple[FloatArray, FloatArray]:
    """Weights ``(D, 28)`` and bias ``(28,)`` to add to the log-probabilities: accelerated gradient descent.

    ``ridge`` holds the weights back, in parts of the features' mean square.
    """
    x, logp, targets = basis.samples.features, basis.samples.logp, basis.samples.targets
    count = len(x)
    # The likeliest answer's curvature is at most half the features' largest variance.
    step = np.float32(1.0 / (0.55 * float((x**2).mean(axis=0).max()) + ridge))
    weights = np.zeros((x.shape[1], OTHER + 1), np.float32)
    ahead = weights.copy()
    momentum = 1.0
    for _ in range(steps):
        logits = logp + x @ ahead
        e = np.exp(logits - logits.max(axis=1, keepdims=True))
        wrong = e / e.sum(axis=1, keepdims=True) - targets
        new = ahead - step * (x.T @ wrong / count + np.float32(ridge) * ahead)
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + np.float32((momentum - 1) / following) * (new - weights)
        weights, momentum = new, float(following)
    full = (basis.directions @ weights).astype(np.float32)
    return full, np.asarray(-basis.mean @ full, np.float32)
