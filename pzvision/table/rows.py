"""What lies in one player's rows: his melds, kongs face down, laid-down hands and shown tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.table.config import TableConfig
from pzvision.table.facts import Fact, alike, equality, time_of
from pzvision.table.tracks import Track
from pzvision.tiles import Seat
from pzvision.vision.calibration import Calibration
from pzvision.vision.standing import seen_from_behind

FloatArray: TypeAlias = npt.NDArray[np.float64]


class Rows:
    """Groups the tiles of one seat and zone into facts."""

    def __init__(self, calibration: Calibration, config: TableConfig) -> None:
        self.calibration = calibration
        self.config = config
        self._behind = seen_from_behind(calibration)

    def facts(self, seat: Seat, zone: str, row: list[Track], now: float) -> list[Fact]:
        """What a seat's row of tiles at rest says at time ``now``, s: melds, a hand, shown tiles."""
        config = self.config
        places = {t.id: self.calibration.to_seat(t.at, seat)[0] for t in row}
        row = [t for t in row if not self._replaced(t, row)]
        row.sort(key=lambda t: (float(places[t.id][0]), t.id))
        parts = self._parts(row, places)
        ready = [p for p in parts if now - max(t.since for t in p) >= config.group_wait_s]
        if zone == "shown":
            together = [t for part in ready for t in part]
            alone = len(together) == 1 and now - together[0].since < config.shown_alone_s
            if not together or alone:
                return []
            last = max(t.since for t in together)
            moved = [t for t in together if t.gone is not None and t.gone < last]
            shown = tuple(t for t in together if t not in moved)
            return [Fact("shown", time_of(moved or together, config), seat, shown)]
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
            (melds if len(part) in (3, 4) and alike(part, config) else loose).append(part)
        for kong in self._face_down([t for part in ready for t in part if t.is_back], places):
            edge = min((float(places[t.id][0]) for m in melds for t in m), default=inf)
            left, right = (float(places[t.id][0]) for t in (kong[0], kong[-1]))
            if left > config.kong_from_cm or edge - config.kong_beside_cm <= right <= edge:
                melds.append(kong)
        found = [
            Fact("three" if len(m) == 3 and not m[0].is_back else "four", time_of(m, config), seat, tuple(m))
            for m in melds
        ]
        hands: list[list[Track]] = []
        for part in filter(None, loose):
            host = self._host(part, melds, places)
            if host is not None:
                after = max(part[0].since, time_of(host, config) + 0.01)
                found.append(Fact("added", after, seat, tuple(part), onto=tuple(host)))
            else:
                hands.append(part)
        late = [max(t.since for t in p) for p in parts if p not in ready]
        for hand in self._hands(seat, hands, places):
            whole = hand.apart is not None and len(hand.tracks) > 2
            newest = max(t.since for t in hand.tracks)
            waited = now - newest
            # (One that was not known when the hand was due does not take it back.)
            coming = any(since + config.rest_s < newest + config.hand_wait_s for since in late)
            # Where standing faces are seen, a drawn one held upright passes for one laid down.
            held = len(hand.tracks) == 1 and seat in self._behind
            short = waited >= config.hand_wait_s and not coming and not held
            if whole or short or waited >= 2 * config.hand_wait_s:
                found.append(hand)
        return found

    def _replaced(self, track: Track, row: list[Track]) -> bool:
        """Whether a tile lay there for a moment only and another one lies in its place now."""
        if track.gone is None or track.gone - track.since > self.config.kong_stays_s:
            return False
        near = self.config.match_cm
        return any(o.since >= track.gone and np.linalg.norm(o.at - track.at) < near for o in row)

    def _face_down(self, backs: list[Track], places: dict[int, FloatArray]) -> list[list[Track]]:
        """Three or four tiles face down that came together, stay, and lie side by side; the fourth may not
        have been found.
        """
        config = self.config
        near = config.kong_gap * config.neighbour_cm  # one tile between may not have been found
        groups: list[list[Track]] = []
        for track in sorted(backs, key=lambda t: (float(places[t.id][0]), t.id)):
            if track.gone is not None and track.gone - track.since <= config.kong_stays_s:
                continue
            for group in groups:
                last = group[-1]
                beside = places[track.id][0] - places[last.id][0] < near
                if beside and any(abs(track.since - t.since) <= config.burst_s for t in group):
                    group.append(track)
                    break
            else:
                groups.append([track])
        kongs = []
        for group in groups:
            across = np.array([places[t.id] for t in group])
            wide, deep = np.ptp(across, axis=0)
            if len(group) in (3, 4) and wide <= 3 * config.neighbour_cm and deep <= config.row_deep_cm:
                kongs.append(group)
        return sorted(kongs, key=lambda k: min(t.since for t in k))

    def with_shown(self, seat: Seat, row: list[Track], shown: list[Track], facts: list[Fact]) -> list[Fact]:
        """The facts of a row, with the tiles of which a kong was laid face down: four equal ones that lay
        shown before the hand and left just then. With them two backs are enough to tell the kong.
        """
        config = self.config
        left = sorted((t for t in shown if t.gone is not None and not t.is_back), key=lambda t: t.gone or 0.0)
        out = list(facts)
        for i in range(len(left) - 3):
            four = left[i : i + 4]
            first, last = four[0].gone or 0.0, four[-1].gone or 0.0
            if last - first > config.burst_s or not alike(four, config):
                continue
            until = last + config.turned_over_s
            near = [t for t in row if t.is_back and first - config.rest_s <= t.since <= until]
            near = [t for t in near if t.gone is None or t.gone - t.since > config.kong_stays_s]
            faces = [
                f
                for f in facts
                if f.kind in ("three", "four")
                and first - config.rest_s <= f.t <= until
                and not any(t.is_back for t in f.tracks)
                and equality([*f.tracks, *four], config)[1] < config.wrong_class_nats
            ]
            if faces:
                continue  # it lies there face up
            known = [f for f in out if f.kind == "four" and any(t in near for t in f.tracks)]
            if known and all(t.is_back for t in known[0].tracks):
                out[out.index(known[0])] = replace(known[0], tracks=(*known[0].tracks, *four))
            elif not known and len(near) >= 2:
                out.append(Fact("four", time_of(near, config), seat, (*near, *four)))
        return out

    def _parts(self, row: list[Track], places: dict[int, FloatArray]) -> list[list[Track]]:
        """Neighbours that came together, from left to right."""
        config = self.config

        def touch(a: Track, b: Track) -> bool:
            gap = np.abs(places[a.id] - places[b.id])
            return bool(gap[0] <= config.neighbour_cm and gap[1] <= config.row_deep_cm)

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
        of it is found. A meld comes alone, or soon after another one.
        """
        if len(part) > 4:
            return False
        when = time_of(part, self.config)
        others = [
            p for p in parts if p is not part and abs(time_of(p, self.config) - when) <= self.config.burst_s
        ]
        if all(len(p) in (3, 4) and self._equal(p) for p in (part, *others)):
            return False
        return sum(not t.is_back for p in others for t in p) >= 2

    def _equal(self, part: list[Track]) -> bool:
        """Whether tiles are of one kind, none of them misread."""
        return equality(part, self.config)[1] < self.config.unlike_nats

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
            if gap > config.neighbour_cm + config.host_cm:
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
        parts = sorted(parts, key=lambda p: (time_of(p, config), p[0].id))
        while parts:
            first = time_of(parts[0], config)
            acts = [p for p in parts if time_of(p, config) - first <= 3 * config.burst_s]
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
        return Fact("hand", time_of(body, config), seat, tuple(body), apart=apart, holes=holes)

    def _holes(self, across: Sequence[float]) -> int:
        """How many tiles have room in the gaps of a row with centres at ``across`` cm, left to right."""
        gaps = np.diff(np.array(across))
        if len(gaps) < 3:
            return 0
        pitch = max(float(np.median(gaps)), self.calibration.tile_cm[1])
        return int(np.clip(np.rint(gaps / pitch) - 1, 0, 2).sum())
