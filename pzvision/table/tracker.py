"""Tiles at rest: where each lies, since when, until when, and what it seems to be.

A tile at rest does not move, so detections are matched to known places first; what an arm covers is
"not seen", and never empty. Times are those of the looks; nothing depends on how many looks a second
there are.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.table.config import TableConfig
from pzvision.table.tracks import Evidence, Track, long_axis
from pzvision.tiles import BACK, OTHER
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionMask
from pzvision.vision.standing import seen_from_behind, standing_share

FloatArray: TypeAlias = npt.NDArray[np.float64]


class Tracker:
    """Keeps the tracks of one camera's view.

    `look` takes every look in order of time; `tracks` are all tiles that ever were at rest (gone ones
    too), `candidates` what may become one.
    """

    def __init__(self, calibration: Calibration, config: TableConfig | None = None) -> None:
        self.calibration = calibration
        self.config = config or TableConfig()
        self.tracks: list[Track] = []
        self.candidates: list[Track] = []
        self._behind = seen_from_behind(calibration)
        self.version = 0
        """Grows whenever a tile comes, goes, comes back or is exchanged."""
        self._next = 0
        self._time: float | None = None
        self._previous: Detections | None = None
        self._news = 1.0
        self._reaches: deque[tuple[float, MotionMask]] = deque()

    @property
    def lying(self) -> list[Track]:
        """Tiles at rest now."""
        return [t for t in self.tracks if t.gone is None]

    def recalibrate(self, calibration: Calibration) -> None:
        """The same table through a camera that was moved."""
        self.calibration, self._behind = calibration, seen_from_behind(calibration)
        self._previous = None

    def look(self, t: float, detections: Detections | None, motion: MotionMask | None = None) -> None:
        """One look at ``t`` s. ``detections`` None is a failed look: nothing was seen, nothing is gone."""
        before, self._time = self._time, t
        step = 0.0 if before is None else min(max(t - before, 0.0), 1.0)
        if motion is not None:
            self._reaches.append((t, motion))
            while self._reaches and self._reaches[0][0] < t - 2.5:
                self._reaches.popleft()
        if detections is None or (motion is not None and motion.shaken):
            return
        # The same detections again say that nothing has changed, but nothing new about any class.
        self._news = 0.0 if detections is self._previous else 1.0
        self._previous = detections
        seen = self._lying_faces(detections)
        live = self.lying
        taken = self._match(live, seen)
        for track in live:
            index = taken.get(track.id)
            if index is None:
                self._miss(track, t, step, motion)
                gaps = np.linalg.norm(seen.upright - track.at, axis=1)
                track.stood += bool(gaps.min(initial=np.inf) < self.config.match_cm)
            else:
                self._hit(track, seen, index, t, motion)
        used = set(taken.values())
        rest = [i for i in range(len(seen.at)) if i not in used]
        self._new(rest, seen, t, motion)

    # ---- one look ---------------------------------------------------------------------------------

    def _lying_faces(self, detections: Detections) -> _Seen:
        keep = detections.scores >= self.config.min_score
        chosen = detections[keep]
        count = len(chosen)
        corners = self.calibration.to_table(chosen.polygons.reshape(-1, 2)).reshape(count, 4, 2)
        probs = chosen.probs.astype(np.float64)
        if not count:
            return _Seen(np.zeros((0, 2)), np.zeros((0, 2)), corners, probs, np.zeros(0), np.zeros((0, 2)))
        at = corners.mean(axis=1)
        up = (corners[:, 0] + corners[:, 1] - corners[:, 2] - corners[:, 3]) / 2
        length = np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-6)
        cross = corners - np.roll(corners, 1, axis=1)
        following = np.roll(corners, -1, axis=1) - corners
        area = np.abs((cross[..., 0] * following[..., 1] - cross[..., 1] * following[..., 0]).sum(axis=1)) / 4
        true = self.calibration.tile_cm[0] * self.calibration.tile_cm[1]
        limit = self.calibration.half + self.config.beyond_cm
        fits = (
            (np.abs(at).max(axis=1) <= limit)
            & (area >= self.config.size_low * true)
            & (area <= self.config.size_high * true)
        )
        standing = standing_share(self.calibration, chosen.polygons)
        upright = at[~fits & (standing > 0.5)]
        return _Seen(at[fits], (up / length)[fits], corners[fits], probs[fits], standing[fits], upright)

    def _match(self, live: list[Track], seen: _Seen) -> dict[int, int]:
        """Track id → detection, nearest pairs first."""
        if not live or not len(seen.at):
            return {}
        places = np.array([t.at for t in live])
        gaps = np.linalg.norm(places[:, None] - seen.at[None], axis=2)
        stands = np.array([t.standing for t in live])
        gaps[np.abs(stands[:, None] - seen.standing[None]) > self.config.otherwise] = np.inf
        # A tile laid down where it stood lies a little nearer to its player.
        unclear = self._where_some_stand(places)
        gaps[unclear[:, None] & (gaps > self.config.row_match_cm)] = np.inf
        backs = np.array([t.backness for t in live])
        gaps[np.abs(backs[:, None] - seen.probs[None, :, BACK]) > self.config.turned] = np.inf
        pairs = np.argwhere(gaps <= self.config.match_cm)
        order = sorted((float(gaps[a, b]), int(a), int(b)) for a, b in pairs)
        taken: dict[int, int] = {}
        used: set[int] = set()
        for _, a, b in order:
            if live[a].id not in taken and b not in used:
                taken[live[a].id] = b
                used.add(b)
        return taken

    def _where_some_stand(self, at: FloatArray) -> npt.NDArray[np.bool_]:
        """``(N, 2)`` → ``(N,)``: in a row whose standing faces the camera sees."""
        edge = self.config.meld_edge_cm - self.calibration.half
        out = np.zeros(len(at), bool)
        for seat in self._behind:
            out |= self.calibration.to_seat(at, seat)[:, 1] < edge
        return out

    def _weight(self, at: FloatArray, motion: MotionMask | None) -> float:
        if motion is None or motion.hidden_share(at)[0] <= self.config.sharp_motion:
            return self._news
        return self._news * self.config.soft_weight

    def _hit(self, track: Track, seen: _Seen, index: int, t: float, motion: MotionMask | None) -> None:
        config = self.config
        weight = self._weight(seen.at[index], motion)
        long = t - track.last > config.absent_s
        if track.after_absence is None and (long or track.covered):
            track.after_absence = Evidence()
            track.back_at = t
            track.covered = not long
        track.looks += 1
        track.chances += 1
        track.standing += (float(seen.standing[index]) - track.standing) / track.looks
        track.backness += (float(seen.probs[index, BACK]) - track.backness) / track.looks
        track.last, track.absent_s, track.absent_looks, track.bare_s = t, 0.0, 0, 0.0
        if weight >= 1.0:
            share = 1.0 / min(track.looks, 20)
            track.at = track.at + share * (seen.at[index] - track.at)
            track.up = track.up + share * (seen.up[index] - track.up)
            track.axis = track.axis + share * (long_axis(seen.polygons[index]) - track.axis)
            track.polygon = seen.polygons[index]
        if self._is_laid_now(track, seen, index, t):
            return
        pending = track.after_absence
        if pending is None:
            track.evidence.add(seen.probs[index], weight, config.look_floor)
            return
        pending.add(seen.probs[index], self._news, config.look_floor)
        if pending.weight >= 3:
            track.after_absence = None
            nats = config.swap_nats if track.covered else config.exchange_nats
            track.covered = False
            if self._exchanged(track.evidence, pending, nats):
                self._split(track, pending, t)
            else:
                track.evidence.merge(pending)

    def _is_laid_now(self, track: Track, seen: _Seen, index: int, t: float) -> bool:
        """Whether a tile was laid down where one stood, of which now and then something was seen: in some
        looks running it is there and is one of the 27. The track begins anew then.
        """
        config, probs = self.config, seen.probs[index]
        run = 0.0 if track.clear is None else track.clear.weight
        before = max(track.chances - run, 1.0)
        faint = before >= config.faint_chances and track.looks - run < config.faint_share * before
        unread = track.is_other or faint
        if not unread or probs.argmax() >= OTHER or not self._where_some_stand(track.at[None])[0]:
            track.clear = None
            return False
        if track.clear is None:
            track.clear, track.clear_at = Evidence(), t
        track.clear.add(probs, 1.0, config.look_floor)
        if track.clear.weight < config.clear_looks:
            return False
        track.since, track.evidence, track.clear, track.after_absence = (
            track.clear_at,
            track.clear,
            None,
            None,
        )
        track.looks = track.chances = config.clear_looks
        track.at, track.up, track.polygon = seen.at[index], seen.up[index], seen.polygons[index]
        track.standing, track.stood, track.covered = float(seen.standing[index]), 0, False
        track.backness = float(probs[BACK])
        self.version += 1
        return True

    def _exchanged(self, before: Evidence, after: Evidence, nats: float) -> bool:
        """Whether the looks before and after an absence are of two different tiles."""
        a = before.scores(self.config.look_correlation)
        b = after.scores(self.config.look_correlation)
        if a.argmax() == b.argmax():
            return False
        one = float((a + b).max())
        two = float(a.max() + b.max())
        return two - one > nats

    def _split(self, track: Track, evidence: Evidence, t: float) -> None:
        """Another tile lies where this one lay: it went unseen, the new one came at ``back_at``."""
        fresh = Track(self._id(), track.at, track.up, track.back_at, t, track.polygon, evidence)
        fresh.looks = fresh.chances = 3
        fresh.settled = True
        track.looks, track.chances = max(track.looks - 3, 1), max(track.chances - 3, 1)
        track.gone = track.back_at
        self.tracks.append(fresh)

    def _miss(self, track: Track, t: float, step: float, motion: MotionMask | None) -> None:
        config = self.config
        if motion is not None:
            if motion.hidden_share(track.at)[0] > config.hidden_share:
                track.covered = True
                return
            # (A back may have the felt's colour: that it looks bare says nothing then.)
            if track.backness <= self.config.turned and motion.bare_share(track.at)[0] > config.bare_share:
                track.bare_s += step
        track.clear = None
        track.chances += 1
        track.absent_s += step
        track.absent_looks += 1
        found = track.looks / max(track.chances - track.absent_looks, 1)
        patience = config.gone_s * min(1.0 / max(found, 0.1), config.gone_patience)
        if track.bare_s >= config.gone_bare_s or track.absent_s >= patience:
            track.gone = track.last
            track.bared = track.bare_s >= config.gone_bare_s
            self.version += 1

    def _new(self, rest: list[int], seen: _Seen, t: float, motion: MotionMask | None) -> None:
        config = self.config
        free = set(rest)
        for candidate in self.candidates:
            near = [
                (float(np.linalg.norm(seen.at[i] - candidate.at)), i)
                for i in free
                if abs(candidate.standing - seen.standing[i]) <= self.config.otherwise
                and abs(candidate.backness - seen.probs[i, BACK]) <= self.config.turned
            ]
            near = [pair for pair in near if pair[0] <= config.match_cm]
            if not near:
                continue
            gap, index = min(near)
            free.discard(index)
            weight = self._weight(seen.at[index], motion)
            if gap > config.still_cm:  # still on its way: it begins anew where it is now
                candidate.at, candidate.since, candidate.looks = seen.at[index], t, 0
                candidate.empty_at = self._empty_at(candidate.at)
                candidate.evidence = Evidence()
            else:
                share = 1.0 / (candidate.looks + 1)
                candidate.at = candidate.at + share * (seen.at[index] - candidate.at)
            candidate.up = seen.up[index]
            candidate.axis = long_axis(seen.polygons[index])
            candidate.polygon = seen.polygons[index]
            candidate.evidence.add(seen.probs[index], weight, config.look_floor)
            candidate.looks += 1
            candidate.chances += 1
            candidate.standing += (float(seen.standing[index]) - candidate.standing) / candidate.looks
            candidate.backness += (float(seen.probs[index, BACK]) - candidate.backness) / candidate.looks
            candidate.last = t
        for index in sorted(free):
            fresh = Track(-1, seen.at[index], seen.up[index], t, t, seen.polygons[index])
            fresh.evidence.add(seen.probs[index], self._weight(fresh.at, motion), config.look_floor)
            fresh.looks = fresh.chances = 1
            fresh.reach = self._reach(fresh.at)
            fresh.empty_at = self._empty_at(fresh.at)
            fresh.standing = float(seen.standing[index])
            fresh.backness = float(seen.probs[index, BACK])
            self.candidates.append(fresh)
        waiting = []
        for candidate in self.candidates:
            if candidate.looks >= config.rest_looks and candidate.last - candidate.since >= config.rest_s:
                if not self._twin(candidate) and not self._revive(candidate):
                    candidate.id = self._id()
                    candidate.settled = True
                    self.tracks.append(candidate)
            elif t - candidate.last <= config.candidate_s:
                waiting.append(candidate)
        self.candidates = waiting

    def _twin(self, candidate: Track) -> bool:
        """It lies where a tile lies that was found meanwhile: two outlines of one tile."""
        for track in self.lying:
            if (
                track.last >= candidate.since
                and float(np.linalg.norm(track.at - candidate.at)) <= self.config.match_cm
                and abs(track.standing - candidate.standing) <= self.config.otherwise
                and abs(track.backness - candidate.backness) <= self.config.turned
            ):
                return True
        return False

    def _revive(self, candidate: Track) -> bool:
        """A tile thought gone lies there again, the same as before: it was only covered."""
        for track in reversed(self.tracks):
            if track.gone is None or np.linalg.norm(track.at - candidate.at) > self.config.match_cm:
                continue
            if track.bare_s >= self.config.gone_bare_s:  # its place was seen empty
                return False
            a = track.evidence.scores(self.config.look_correlation)
            b = candidate.evidence.scores(self.config.look_correlation)
            if float(a.max() + b.max() - (a + b).max()) > self.config.exchange_nats / 2:
                return False
            track.evidence.merge(candidate.evidence)
            track.looks += candidate.looks
            track.chances += candidate.looks
            track.last, track.gone, track.bared = candidate.last, None, False
            track.absent_s, track.absent_looks, track.bare_s = 0.0, 0, 0.0
            self.version += 1
            return True
        return False

    def _reach(self, at: FloatArray) -> FloatArray:
        """From where an arm reached there in the last moments, each side 0–1."""
        out = np.zeros(4)
        for _, motion in self._reaches:
            out = np.maximum(out, motion.reach(at))
        total = out.sum()
        return out / total if total > 1 else out

    def _empty_at(self, at: FloatArray) -> float:
        bare = [t for t, m in self._reaches if m.bare_share(at)[0] > self.config.bare_share]
        return max(bare, default=-1e9)

    def _id(self) -> int:
        self._next += 1
        self.version += 1
        return self._next


@dataclass(frozen=True)
class _Seen:
    """Faces of one look: ``at``, ``up`` ``(N, 2)`` and ``polygons`` ``(N, 4, 2)`` cm, the rest per face;
    ``upright`` ``(M, 2)`` cm: standing ones too slim to be lying.
    """

    at: FloatArray
    up: FloatArray
    polygons: FloatArray
    probs: FloatArray
    standing: FloatArray
    upright: FloatArray
