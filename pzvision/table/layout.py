"""Whose tile is it: tiles at rest sorted into rivers, melds, laid-down hands, shown tiles and the tail lamp.

A pure function of the tracks: the same tracks give the same facts, so late evidence changes old facts by
itself. A fact says what came to lie where and when; the decoder says what that means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.table.config import TableConfig
from pzvision.table.standing import seen_from_behind
from pzvision.table.tracks import Track
from pzvision.tiles import KINDS, SEATS, Seat
from pzvision.vision.calibration import Calibration

FloatArray: TypeAlias = npt.NDArray[np.float64]
_UPRIGHT = 0.85  # cosine between a tile's own top and its player's line of sight

FactKind: TypeAlias = Literal["river", "three", "four", "added", "hand", "shown", "lamp"]
Zone: TypeAlias = Literal["river", "meld", "hand", "shown", "tail_lamp"]


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
            self.owners if self.forced else (),
        )


def equality(tracks: Sequence[Track], config: TableConfig) -> tuple[int, float]:
    """The class that several tiles have if they are all equal, and what assuming so costs (nats ≥ 0)."""
    faces = [t for t in tracks if not t.is_back] or list(tracks)
    scores = np.array([t.scores(config)[:KINDS] for t in faces])
    total = scores.sum(axis=0)
    best = int(total.argmax())
    return best, float(scores.max(axis=1).sum() - total[best])


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

    def seat_of(self, at: FloatArray) -> Seat:
        """The seat whose edge is nearest."""
        return min(SEATS, key=lambda seat: float(self.calibration.to_seat(at, seat)[0, 1]))

    def seat_before(self, track: Track) -> Seat:
        """Whose row a tile lies in: in a corner, where two rows meet, that for whom it lies upright."""
        nearest = sorted(SEATS, key=lambda seat: float(self.calibration.to_seat(track.at, seat)[0, 1]))
        gaps = [
            self.calibration.half + float(self.calibration.to_seat(track.at, s)[0, 1]) for s in nearest[:2]
        ]
        if gaps[1] < self.config.shown_edge_cm:
            for seat in nearest[:2]:
                if abs(float(self.calibration.to_seat(track.up, seat)[0, 1])) > _UPRIGHT:
                    return seat
        return nearest[0]

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

    def facts(self, tracks: Iterable[Track], now: float) -> list[Fact]:
        """All facts up to ``now`` s, in order of time."""
        config = self.config
        rows: dict[tuple[Seat, Zone], list[Track]] = {}
        found: list[Fact] = []
        tracks = list(tracks)
        upright = self._upright(tracks)
        lamps = self._lamps(tracks) if self.tail_lamp else set()
        for track in tracks:
            if not track.settled or track.is_other or track.id in upright:
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
                found.append(self._river(track))
            elif track.gone is None or track.gone - track.since >= config.burst_s:
                rows.setdefault((self.seat_before(track), zone), []).append(track)
        for (seat, zone), row in rows.items():
            found.extend(self._row(seat, zone, row, now))
        return sorted(found, key=lambda f: (f.t, f.tracks[0].id))

    def _lamps(self, tracks: list[Track]) -> set[int]:
        """Ids of tail lamps: faces on the wall's line, flat or on another tile, that were there from the
        beginning or lie beside the one before.
        """
        config = self.config
        start = min((t.since for t in tracks), default=0.0)
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
            if first or any(self._next_lamp(track, k) for k in known):
                known.append(track)
        return {t.id for t in known}

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
            t.id: 1.0
            if t.standing > config.maybe_standing and t.since < start + config.burst_s
            else t.standing
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
            if mean > 0.5:
                out.add(track.id)
        return out

    def _may_be_kong(self, track: Track) -> bool:
        """Whether a tile lying face down came to its row during the hand."""
        return track.since > self.config.kong_after_s

    # ---- rivers -----------------------------------------------------------------------------------

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
            logs[index] = -place[1] + 1.5 * turned
        logs -= logs.max()
        out = np.exp(logs)
        return np.asarray(out / out.sum(), np.float64)

    # ---- rows before a seat -----------------------------------------------------------------------

    def _row(self, seat: Seat, zone: Zone, row: list[Track], now: float) -> list[Fact]:
        config = self.config
        places = {t.id: self.calibration.to_seat(t.at, seat)[0] for t in row}
        row = sorted(row, key=lambda t: (float(places[t.id][0]), t.id))
        parts = self._parts(row, places)
        ready = [p for p in parts if now - max(t.since for t in p) >= config.group_wait_s]
        if zone == "shown":
            together = [t for part in ready for t in part]
            alone = len(together) == 1 and now - together[0].since < config.shown_alone_s
            if not together or alone:
                return []
            return [Fact("shown", _time(together, config), seat, tuple(together))]
        melds: list[list[Track]] = []
        loose: list[list[Track]] = []
        for part in ready:
            if self._with_others(part, ready):
                loose.append([t for t in part if not t.is_back])
                continue
            faces = [t for t in part if not t.is_back]
            if len(faces) < len(part):  # backs count only as a concealed kong, all or some of it face down
                if len(part) == 4 and faces:
                    melds.append(part)
                elif faces:
                    loose.append(faces)
                continue
            _, cost = equality(part, config)
            limit = config.wrong_class_nats * (len(part) - 1)
            (melds if len(part) in (3, 4) and cost < limit else loose).append(part)
        for kong in self._face_down([t for part in ready for t in part if t.is_back], places):
            edge = min((float(places[t.id][0]) for m in melds for t in m), default=inf)
            left, right = (float(places[t.id][0]) for t in (kong[0], kong[-1]))
            if left > config.kong_from_cm or edge - config.kong_beside_cm <= right <= edge:
                melds.append(kong)
        found = [
            Fact("three" if len(m) == 3 and not m[0].is_back else "four", _time(m, config), seat, tuple(m))
            for m in melds
        ]
        hands: list[list[Track]] = []
        for part in filter(None, loose):
            host = self._host(part, melds, places)
            if host is not None:
                after = max(part[0].since, _time(host, config) + 0.01)
                found.append(Fact("added", after, seat, tuple(part), onto=tuple(host)))
            else:
                hands.append(part)
        found.extend(self._hands(seat, hands, places))
        return found

    def _face_down(self, backs: list[Track], places: dict[int, FloatArray]) -> list[list[Track]]:
        """Three or four tiles face down that came together and lie side by side, in order of time; the
        fourth may not have been found.
        """
        config = self.config
        bursts: list[list[Track]] = []
        for track in sorted(backs, key=lambda t: (t.since, t.id)):
            if bursts and track.since - bursts[-1][0].since <= config.burst_s:
                bursts[-1].append(track)
            else:
                bursts.append([track])
        groups: list[list[Track]] = []
        for burst in bursts:
            burst.sort(key=lambda t: float(places[t.id][0]))
            for track in burst:
                last = groups[-1][-1] if groups else None
                if last in burst and abs(places[track.id][0] - places[last.id][0]) < 2 * config.neighbour_cm:
                    groups[-1].append(track)
                else:
                    groups.append([track])
        kongs = []
        for group in groups:
            across = np.array([places[t.id] for t in group])
            wide, deep = np.ptp(across, axis=0)
            stays = all(t.gone is None or t.gone - t.since > config.kong_stays_s for t in group)
            if len(group) in (3, 4) and wide <= 3 * config.neighbour_cm and deep <= 2.0 and stays:
                kongs.append(group)
        return kongs

    def _parts(self, row: list[Track], places: dict[int, FloatArray]) -> list[list[Track]]:
        """Neighbours that came together, from left to right."""
        config = self.config

        def touch(a: Track, b: Track) -> bool:
            gap = np.abs(places[a.id] - places[b.id])
            return bool(gap[0] <= config.neighbour_cm and gap[1] <= 2.0)

        parts: list[list[Track]] = []
        for track in row:
            for part in parts:
                if any(touch(track, t) and abs(track.since - t.since) <= config.burst_s for t in part):
                    part.append(track)
                    break
            else:
                parts.append([track])
        merged = True
        while merged:  # a chain may have been begun at two ends; a late tile completes what it lies beside
            merged = False
            for a in range(len(parts)):
                for b in range(a + 1, len(parts)):
                    if self._join(parts[a], parts[b], touch):
                        parts[a] = sorted(parts[a] + parts[b], key=lambda t: float(places[t.id][0]))
                        del parts[b]
                        merged = True
                        break
                if merged:
                    break
        return [piece for part in parts for piece in self._fourth_later(part)]

    @staticmethod
    def _fourth_later(part: list[Track]) -> list[list[Track]]:
        """Four in a row of which one's place was seen empty after the three others lay there: it came later,
        as in a 巴杠 right after the 碰.
        """
        if len(part) != 4:
            return [part]
        last = max(part, key=lambda t: t.empty_at)
        others = [t for t in part if t is not last]
        return [others, [last]] if last.empty_at >= max(t.since for t in others) else [part]

    def _join(self, a: list[Track], b: list[Track], touch: object) -> bool:
        assert callable(touch)
        close = [(x, y) for x in a for y in b if touch(x, y)]
        if not close:
            return False
        config = self.config
        if any(abs(x.since - y.since) <= config.burst_s for x, y in close):
            return True
        # Tiles found late: two equal ones wait for their third, a hand for the tile an arm had covered.
        few, many = (a, b) if len(a) <= len(b) else (b, a)
        first = min(t.since for t in many)
        if any(t.gone is not None or t.since < first - config.burst_s for t in few):
            return False
        _, cost = equality(a + b, config)
        if len(a) + len(b) == 3:
            return cost < config.wrong_class_nats
        return len(many) >= 5 and len(few) <= 2 and equality(many, config)[1] > config.wrong_class_nats

    def _with_others(self, part: list[Track], parts: list[list[Track]]) -> bool:
        """Whether other tiles of the row came at the same time: then it is a hand, with gaps where not all
        of it is found. A meld comes alone.
        """
        if len(part) > 4:
            return False
        when = _time(part, self.config)
        others = [
            p for p in parts if p is not part and abs(_time(p, self.config) - when) <= self.config.burst_s
        ]
        return sum(not t.is_back for p in others for t in p) >= 2

    def _host(
        self, part: list[Track], melds: list[list[Track]], places: dict[int, FloatArray]
    ) -> list[Track] | None:
        """The three that a lone later tile beside (or on) them makes a kong of."""
        if len(part) != 1:
            return None
        config = self.config
        tile = part[0]
        best: tuple[float, list[Track]] | None = None
        for meld in melds:
            if len(meld) != 3 or tile.since < min(t.since for t in meld):
                continue
            gap = min(float(np.linalg.norm(places[tile.id] - places[t.id])) for t in meld)
            if gap > config.neighbour_cm + 1.5:
                continue
            _, cost = equality([tile, *meld], config)
            _, alone = equality(meld, config)
            if cost - alone < config.wrong_class_nats and (best is None or cost - alone < best[0]):
                best = (cost - alone, meld)
        return best[1] if best else None

    def _hands(self, seat: Seat, parts: list[list[Track]], places: dict[int, FloatArray]) -> list[Fact]:
        """What was laid down at one time is one hand, the tile a little apart included."""
        if not parts:
            return []
        config = self.config
        found: list[Fact] = []
        parts = sorted(parts, key=lambda p: (_time(p, config), p[0].id))
        while parts:
            first = _time(parts[0], config)
            acts = [p for p in parts if _time(p, config) - first <= 3 * config.burst_s]
            parts = parts[len(acts) :]
            found.append(self._hand(seat, sorted(acts, key=len, reverse=True), places))
        return found

    def _hand(self, seat: Seat, parts: list[list[Track]], places: dict[int, FloatArray]) -> Fact:
        config = self.config
        body = sorted((t for part in parts for t in part), key=lambda t: float(places[t.id][0]))
        apart: Track | None = None
        alone = [p[0] for p in parts[1:] if len(p) == 1]
        if len(body) >= 2:
            gaps = {
                t.id: min(float(np.linalg.norm(places[t.id] - places[o.id])) for o in body if o is not t)
                for t in body
            }
            far = [t for t in body if gaps[t.id] > config.apart_cm]
            if len(body) == 2:
                apart = max(body, key=lambda t: float(places[t.id][0]))
            elif len(far) == 1:
                apart = far[0]
            elif len(alone) == 1 and alone[0] in far:
                apart = alone[0]
        else:
            apart = body[0]
        holes = self._holes([float(places[t.id][0]) for t in body if t is not apart])
        return Fact("hand", _time(body, config), seat, tuple(body), apart=apart, holes=holes)

    def _holes(self, across: Sequence[float]) -> int:
        """How many tiles have room in the gaps of a row with centres at ``across`` cm, left to right."""
        gaps = np.diff(np.array(across))
        if len(gaps) < 3:
            return 0
        pitch = max(float(np.median(gaps)), self.calibration.tile_cm[1])
        return int(np.clip(np.rint(gaps / pitch) - 1, 0, 2).sum())


def _time(tracks: Sequence[Track], config: TableConfig) -> float:
    """When the last tile of an act lay still; one that was found much later does not count."""
    times = sorted(t.since for t in tracks)
    middle = times[len(times) // 2]
    return max(t for t in times if t <= middle + config.burst_s)
