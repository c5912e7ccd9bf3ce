"""Whose tile is it: tiles at rest sorted into rivers, melds, laid-down hands, shown tiles and the tail lamp.

A pure function of the tracks: the same tracks give the same facts, so late evidence changes old facts by
itself. A fact says what came to lie where and when; the decoder says what that means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.table.config import TableConfig
from pzvision.table.facts import Fact
from pzvision.table.rows import Rows
from pzvision.table.tracks import Track
from pzvision.tiles import SEATS, Seat
from pzvision.vision.calibration import Calibration
from pzvision.vision.standing import seen_from_behind

FloatArray: TypeAlias = npt.NDArray[np.float64]

Zone: TypeAlias = Literal["river", "meld", "hand", "shown", "tail_lamp"]


class Layout:
    """Sorts tracks into facts by the zones of one table.

    ``tail_lamp``: whether this game shows the wall's last tile; if not, a face on the wall's line is a
    discard thrown far.
    """

    def __init__(
        self, calibration: Calibration, config: TableConfig | None = None, *, tail_lamp: bool = True
    ) -> None:
        self.calibration = calibration
        self.config = config or TableConfig()
        self.tail_lamp = tail_lamp
        self.began: float | None = None
        """s of the first look, None before it."""
        self._rows = Rows(calibration, self.config)

    def seat_of(self, at: FloatArray) -> Seat:
        """The seat whose edge is nearest; ``at``: ``(2,)`` cm on the table."""
        return min(SEATS, key=lambda seat: float(self.calibration.to_seat(at, seat)[0, 1]))

    def seat_before(self, track: Track) -> Seat:
        """Whose row a tile lies in: in a corner, where two rows meet, that for whom it lies upright."""
        nearest = sorted(SEATS, key=lambda seat: float(self.calibration.to_seat(track.at, seat)[0, 1]))
        gaps = [
            self.calibration.half + float(self.calibration.to_seat(track.at, s)[0, 1]) for s in nearest[:2]
        ]
        if gaps[1] < self.config.shown_edge_cm:
            for seat in nearest[:2]:
                if self._lies_upright(track, seat):
                    return seat
        return nearest[0]

    def _lies_upright(self, track: Track, seat: Seat) -> bool:
        """Whether a tile lies along a player's line of sight, by its outline: backs have no top of their own,
        nor has a face like 一筒. Where the outline does not tell, by the top of its face.
        """
        strength = float(np.linalg.norm(track.axis))
        if strength > self.config.oblong:
            ahead = self.calibration.from_seat([[0.0, 0.0], [0.0, 1.0]], seat)
            x, y = ahead[1] - ahead[0]
            doubled = np.array([x * x - y * y, 2 * x * y])
            return float(track.axis @ doubled) / strength > 2 * self.config.upright**2 - 1
        return (
            abs(float(self.calibration.to_seat(track.up, seat)[0, 1])) > self.config.upright
            and not track.is_back
        )

    def zone_of(self, track: Track) -> Zone:
        """By distance from the edge alone; a meld is told from a hand only by `facts`."""
        return self._zone_at(track.at)

    def _zone_at(self, at: FloatArray) -> Zone:
        edge = self.calibration.half - float(np.abs(at).max())
        if edge < self.config.meld_edge_cm:
            return "hand"
        if edge < self.config.shown_edge_cm:
            return "shown"
        return "tail_lamp" if edge < self.config.wall_edge_cm else "river"

    def stacks(self, tracks: Iterable[Track]) -> int:
        """How many stacks of the wall are seen: backs lying on its line."""
        return sum(
            t.is_back and t.settled and t.gone is None and self.zone_of(t) == "tail_lamp" for t in tracks
        )

    def facts(self, tracks: Iterable[Track], now: float) -> list[Fact]:
        """All facts up to ``now`` s, in order of time."""
        config = self.config
        rows: dict[tuple[Seat, Zone], list[Track]] = {}
        found: list[Fact] = []
        tracks = list(tracks)
        upright = self._upright(tracks)
        lamps = self._lamps(tracks) if self.tail_lamp else set()
        early = self._early(tracks)
        for track in tracks:
            if not track.settled or track.id in upright or (track.is_other and not self._unread(track)):
                continue
            if track.id in early and track.id not in lamps and track.pinned is None:
                continue
            zone = self.zone_of(track)
            if zone == "hand":  # in a corner it may be another row's, farther from its player's edge
                depth = self.calibration.half + float(
                    self.calibration.to_seat(track.at, self.seat_before(track))[0, 1]
                )
                zone = "shown" if config.meld_edge_cm <= depth < config.shown_edge_cm else zone
            if track.id in lamps:
                if track.last - track.since >= config.burst_s:
                    found.append(Fact("lamp", track.since, None, (track,)))
                continue
            if track.is_back and not (zone == "hand" and self._may_be_kong(track)):
                continue
            if zone in ("river", "tail_lamp"):
                found.append(
                    replace(
                        self._river(track),
                        on_wall=zone == "tail_lamp" and self._among_wall(track, tracks),
                        moved=self._pushed(track, tracks),
                    )
                )
            elif track.gone is None or track.gone - track.since >= (
                config.row_stays_s if zone == "hand" else config.burst_s
            ):
                rows.setdefault((self.seat_before(track), zone), []).append(track)
        for (seat, zone), row in rows.items():
            facts = self._rows.facts(seat, zone, row, now)
            if zone == "hand":
                facts = self._rows.with_shown(seat, row, rows.get((seat, "shown"), []), facts)
            found.extend(facts)
        return sorted(found, key=lambda f: (f.t, f.tracks[0].id))

    def _early(self, tracks: list[Track]) -> set[int]:
        """Ids of faces that were there from the first look on: of a hand watched from its beginning none is a
        discard and none was laid down (they stand); of one in the middle there are more in the river.
        """
        if self.began is None:
            return set()
        there = [
            t
            for t in tracks
            if t.since <= self.began + self.config.rest_s and t.settled and not t.is_back and not t.is_other
        ]
        rivers = sum(self.zone_of(t) in ("river", "tail_lamp") for t in there)
        return {t.id for t in there} if rivers <= self.config.few_early else set()

    def _lamps(self, tracks: list[Track]) -> set[int]:
        """Ids of tail lamps: faces on the wall's line, flat or on another tile, that were there from the
        beginning (or before anybody discarded) or lie beside the one before.
        """
        config = self.config
        start = min((t.since for t in tracks), default=0.0)
        opened = min((t.since for t in tracks if self._is_discard(t)), default=inf)
        thick = self.calibration.tile_cm[2]
        known: list[Track] = []
        for track in sorted(tracks, key=lambda t: (t.since, t.id)):
            if track.is_back or track.is_other or not track.settled:
                continue
            raised = self.calibration.to_table(self.calibration.to_image([[*track.at, thick]]), 2 * thick)[0]
            zone = self._zone_at(track.at)
            if zone == "hand" or "tail_lamp" not in (zone, self._zone_at(raised)):
                continue
            first = track.since < start + config.lamp_start_s
            if not known:  # walls may be built and a hand dealt before the lamp is turned up
                first = first or (track.since < opened and zone == "tail_lamp")
            if first or any(self._next_lamp(track, k) for k in known):
                known.append(track)
        return {t.id for t in known}

    def _is_discard(self, track: Track) -> bool:
        """Whether it surely lies in the river, face up."""
        found = track.last - track.since >= self.config.burst_s and 2 * track.looks > track.chances
        face = track.settled and not track.is_back and not track.is_other
        return face and found and self.zone_of(track) == "river"

    def _unread(self, track: Track) -> bool:
        """Whether a face that looks like none of the 27 may be a discard all the same: it came during the
        hand to an empty place among the rivers, and stays.
        """
        came = track.empty_at >= (self.began or 0.0) and track.last - track.since >= self.config.burst_s
        return came and 2 * track.looks > track.chances and self.zone_of(track) == "river"

    def _next_lamp(self, track: Track, before: Track) -> bool:
        """Whether it may be the tail tile after ``before``: on the stack beside, or round the corner."""
        gap = float(np.linalg.norm(track.at - before.at))
        if gap < self.config.lamp_next_cm:
            return True
        corner = self.seat_of(track.at) != self.seat_of(before.at)
        return corner and gap < self.config.lamp_corner_cm and self._zone_at(track.at) == "tail_lamp"

    def _upright(self, tracks: list[Track]) -> set[int]:
        """Ids of standing faces: by their own looks, those of their neighbours in the row, and by having
        stood there from the beginning, when nobody has laid down anything.
        """
        config = self.config
        seats = seen_from_behind(self.calibration)
        row = [t for t in tracks if not t.is_back and t.settled and self.zone_of(t) == "hand"]
        row = [t for t in row if self.seat_of(t.at) in seats]
        if not row:
            return set()
        start = min(t.since for t in tracks)
        shares = {
            t.id: 1.0 if t.stands > config.maybe_standing and t.since < start + config.burst_s else t.stands
            for t in row
        }
        out = set()
        for track in row:
            end = track.last if track.gone is None else track.gone
            beside = [
                shares[o.id]
                for o in row
                if float(np.linalg.norm(o.at - track.at)) < config.beside_cm
                and min(end, o.last) - max(track.since, o.since) > config.rest_s
            ]
            mean = (shares[track.id] + sum(beside)) / (1 + len(beside))
            if mean > (0.5 if len(beside) > 1 else config.maybe_standing):  # (it is beside itself)
                out.add(track.id)
        return out

    def _may_be_kong(self, track: Track) -> bool:
        """Whether a tile lying face down came to its row during the hand: not at its beginning, or to where
        the felt had been seen.
        """
        return track.since > self.config.kong_after_s or track.empty_at >= (self.began or 0.0)

    # ---- rivers -----------------------------------------------------------------------------------

    def _among_wall(self, track: Track, tracks: Sequence[Track]) -> bool:
        """Whether tiles of the wall, face down, lay beside it when it came."""
        near = self.config.wall_beside_cm
        return any(
            o.is_back
            and self.zone_of(o) == "tail_lamp"
            and o.since <= track.since
            and (o.gone is None or o.gone >= track.since)
            and float(np.linalg.norm(o.at - track.at)) < near
            for o in tracks
        )

    def _pushed(self, track: Track, tracks: Sequence[Track]) -> bool:
        """Whether a tile of the same kind left a place in the rivers just when it came, or this very place
        not long before; or it lay there at the first look.
        """
        config = self.config
        if self.began is not None and track.since <= self.began + config.rest_s:
            return True
        kind = int(track.evidence.logs.argmax())
        return any(
            o is not track
            and o.gone is not None
            and o.since < track.since
            and int(o.evidence.logs.argmax()) == kind
            and self._may_be_again(o, o.gone, track)
            and self.zone_of(o) in ("river", "tail_lamp")
            for o in tracks
        )

    def _may_be_again(self, before: Track, gone: float, track: Track) -> bool:
        """Whether what left a place at ``gone`` s may lie in another one now, or there again."""
        config = self.config
        gap = float(np.linalg.norm(before.at - track.at))
        if gap <= config.same_place_cm and gone <= track.since <= gone + config.same_place_s:
            return True
        return abs(gone - track.since) <= config.pushed_s and gap < config.pushed_cm

    def _river(self, track: Track) -> Fact:
        return Fact(
            "river",
            track.since,
            None,
            (track,),
            owners=tuple(self.owners(track)),
            arms=tuple(float(track.reach[self.calibration.side_of(seat)]) for seat in SEATS),
        )

    def owners(self, track: Track) -> FloatArray:
        """``(4,)`` E S W N: before whom it lies and towards whom it is turned."""
        logs = np.empty(4)
        for index, seat in enumerate(SEATS):
            place = self.calibration.to_seat(track.at, seat)[0]
            up = self.calibration.to_seat(track.up, seat)[0]
            turned = float(up[1] / max(float(np.linalg.norm(up)), 1e-6))
            logs[index] = -place[1] + self.config.turned_nats * turned
        logs -= logs.max()
        out = np.exp(logs)
        return np.asarray(out / out.sum(), np.float64)
