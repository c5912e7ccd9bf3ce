"""How a running game is doing, for ``/health``: asked from the server's thread while the game goes on."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from pzvision.live.report import note

RECENT_S: Final = 5.0
BLIND_S: Final = 1.5
MOST_SAID: Final = 100
WELL: Final = ("ok", "ended")


class Vitals:
    """Thread-safe.

    Args:
        cameras: asked for the state of each camera, by name, as JSON fields; must be quick.
        store: asked how the store is doing, as JSON fields; None: there is none.
        tell: given a line for the person at the terminal.
    """

    def __init__(
        self,
        cameras: Callable[[], Mapping[str, Mapping[str, Any]]],
        store: Callable[[], Mapping[str, Any]] | None = None,
        tell: Callable[[str], None] = note,
    ) -> None:
        self._cameras = cameras
        self._tell = tell
        self._store = store
        self._lock = threading.Lock()
        self._looks: deque[float] = deque(maxlen=300)
        self._latencies: deque[float] = deque(maxlen=2000)
        self._seen_at: float | None = None
        self._trouble: str | None = None
        self._said: set[str] = set()
        self.paused = False

    def fault(self, reason: str | None) -> None:
        """A look failed for this reason; None: they work."""
        if reason is not None and reason not in self._said:
            if len(self._said) >= MOST_SAID:  # reasons that hold numbers must not pile up
                self._said.clear()
            self._said.add(reason)
            self._tell(reason)
        self._trouble = reason

    @property
    def sees(self) -> bool:
        """Whether the table was seen within the last moments; what was not seen is not gone."""
        return self._seen_at is not None and time.monotonic() - self._seen_at < BLIND_S

    def looked(self, latency_ms: float | None = None, *, seen: bool = True) -> None:
        """A look is done.

        Args:
            latency_ms: since its frame arrived, for a camera.
            seen: whether it showed the table; False for a black picture or a detector that failed.
        """
        with self._lock:
            self._looks.append(time.monotonic())
            if seen:
                self._seen_at = self._looks[-1]
            if latency_ms is not None:
                self._latencies.append(latency_ms)

    def latency(self, recent: int | None = None) -> tuple[float, float] | None:
        """Median and 95th percentile in ms of the last ``recent`` looks (None: 2000)."""
        with self._lock:
            values = list(self._latencies)[-(recent or 2000) :]
        if not values:
            return None
        p50, p95 = np.percentile(np.array(values), [50, 95])
        return float(p50), float(p95)

    def cameras(self) -> dict[str, dict[str, Any]]:
        """State of each camera now."""
        return {name: dict(camera) for name, camera in self._cameras().items()}

    def health(self) -> dict[str, Any]:
        """What ``/health`` answers."""
        now = time.monotonic()
        with self._lock:
            recent = [t for t in self._looks if now - t < RECENT_S]
        fps = (len(recent) - 1) / (recent[-1] - recent[0]) if len(recent) > 2 else 0.0
        cameras = self.cameras()
        store = {"state": "off"} if self._store is None else dict(self._store())
        ok = all(c["state"] in WELL for c in cameras.values()) and store["state"] != "failing"
        ok = ok and self._trouble is None
        out: dict[str, Any] = {
            "ok": ok,
            "status": "ok" if ok else "degraded",
            "paused": self.paused,
            "seen": self.sees,
            "cameras": cameras,
            "fps": round(fps, 1),
            "store": store,
        }
        if self._trouble is not None:
            out["trouble"] = self._trouble
        latency = self.latency(200)
        if latency is not None:
            out["latency_ms"] = {"p50": round(latency[0], 1), "p95": round(latency[1], 1)}
        return out
