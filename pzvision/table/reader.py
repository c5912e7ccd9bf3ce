"""The table as it goes on: looks in, log records out, with late corrections of the recent past."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.game.events import Declare, Event
from pzvision.rules import Meld, Ruleset
from pzvision.table.classes import Reading, read_classes
from pzvision.table.config import TableConfig
from pzvision.table.correcting import Known, change, node_of
from pzvision.table.corrections import Correction
from pzvision.table.decoder import Decoder
from pzvision.table.doubts import Doubt
from pzvision.table.hypotheses import Act, Hypothesis
from pzvision.table.layout import Layout, Zone
from pzvision.table.merging import Line, consistent
from pzvision.table.own_hands import OwnHands
from pzvision.table.pins import Pins
from pzvision.table.story import Hand, declared, discarded_before, may_win, tell, told_by
from pzvision.table.tracker import Tracker
from pzvision.table.tracks import Track
from pzvision.tiles import KINDS, SEATS, Seat, Tile
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionMask

_OPENING = ("draw", "discard", "peng", "gang", "win")


@dataclass(frozen=True)
class Update:
    """The log is now ``log[:keep] + events``; a late correction has ``keep`` below the log's length."""

    keep: int
    events: tuple[Event, ...]
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, eq=False)
class TableTile:
    """A tile at rest now: ``polygon`` ``(4, 2)`` table cm and its class (27 other, 28 back).

    ``confidence``: in that class, 0–1. ``id``: of its track, for a correction of this tile.
    """

    polygon: npt.NDArray[np.float64]
    tile: int
    confidence: float
    seat: Seat | None
    zone: Zone
    id: int = 0


class TableReader:
    """Reads one hand from one camera.

    Args:
        calibration: of the camera.
        ruleset: of the game.
        base: stake of one fan.
        dealer: who begins; None: whoever acts first.
        names: of the players, by seat.
        options: house options, for the log's first record.
        declarations: spoken ones with ``t``, merged by time; more may come by `declare`.
        config: thresholds.
    """

    def __init__(
        self,
        calibration: Calibration,
        ruleset: Ruleset,
        *,
        base: int = 1,
        dealer: Seat | None = None,
        names: Mapping[str, str] | None = None,
        options: Mapping[str, object] | None = None,
        declarations: Sequence[Declare] = (),
        config: TableConfig | None = None,
    ) -> None:
        self.config = (config or TableConfig()).scaled_to(calibration)
        self.calibration = calibration
        self.ruleset = ruleset
        self.tracker = Tracker(calibration, self.config)
        self.layout = Layout(calibration, self.config, tail_lamp=ruleset.shows_tail)
        self._decoder = Decoder(
            dealer=dealer, rob_kong=ruleset.rob_kong, tail_lamp=ruleset.shows_tail, config=self.config
        )
        self._hand = Hand(ruleset, base, dict(options or {}), names)
        self._declarations: list[Event] = list(declarations)
        self._pins = Pins()
        self._lines: list[Line] = []
        self._end: float | None = None
        self._looks: list[tuple[float, int]] = []
        self._signature: tuple[object, ...] = ()
        self._version = -1
        self._changed = self._decided = -1e9
        self._over: float | None = None  # s, when the hand was found to be over and the log last changed
        self._own_hands = OwnHands()
        self._events: tuple[Event, ...] = ()
        self._reading = Reading()
        self._beam: list[Hypothesis] = []
        self._doubts: tuple[Doubt, ...] = ()

    @property
    def stacks(self) -> int:
        """How many stacks of the wall are seen now."""
        return self.layout.stacks(self.tracker.tracks)

    # ---- in ---------------------------------------------------------------------------------------

    def look(
        self,
        t: float,
        frame_index: int,
        image_size: tuple[int, int],
        detections: Detections | None,
        motion: MotionMask | None = None,
    ) -> Update | None:
        """One look at ``t`` s, at a picture of ``image_size`` px (width, height).

        ``detections`` None is a failed one: nothing was seen, nothing is gone.

        Returns:
            What changed in the log, or None. Raises `PzvisionError` for pictures of another size than
            the calibration's.
        """
        self.calibration.check_image_size(*image_size)
        if not self._looks:
            self._hand = replace(self._hand, start=round(t, 2))
            self.layout.began = t
        self._looks.append((t, frame_index))
        self.tracker.look(t, detections, motion)
        if self.tracker.version != self._version:
            self._version, self._changed = self.tracker.version, t
        longest = max(self.config.group_wait_s, self.config.hand_wait_s)
        if t - self._changed > longest + 0.5 and t - self._decided < self.config.refresh_s:
            return None
        return self._decide(t, max(t - self.config.window_s, 0.0))

    def look_hand(self, seat: Seat, t: float, detections: Detections | None) -> Update | None:
        """What a camera on a player's hand saw at ``t`` s: the row of his standing tiles, left to right.

        Returns:
            What changed in the log, or None.
        """
        if not self._own_hands.look(seat, t, detections) or not self._events:
            return None
        self._signature = ()
        return self._decide(t, max(t - self.config.window_s, 0.0))

    def declare(self, declaration: Declare) -> None:
        """A spoken declaration (its ``t`` set); the next look or `finish` merges it."""
        self._declarations.append(declaration)
        self._signature = ()
        self._over = None
        self._decided = -1e9

    def recalibrate(self, calibration: Calibration) -> None:
        """The camera has moved, the table has not: what lies there keeps its place in centimetres.

        Raises `PzvisionError` when another seat is at the near edge, or table or tiles have another size.
        """
        for name in ("near_seat", "table_cm", "tile_cm"):
            was, now = getattr(self.calibration, name), getattr(calibration, name)
            if was != now:
                raise PzvisionError(f"calibration: {name} {now!r}: expected {was!r} until this hand is over")
        self.calibration = self.layout.calibration = calibration
        self.tracker.recalibrate(calibration)

    def correct(self, correction: Correction, t: float) -> Update:
        """Take a person's word for something; it stands against all evidence that comes later.

        Args:
            correction: what is right; ``event`` counts this hand's records from 1.
            t: s, when it was said.

        Returns:
            What changed in the log (nothing: ``keep`` is its length).

        Raises:
            PzvisionError: why it cannot be so; then nothing has changed.
        """
        dealer = self._decoder.dealer
        known = Known(
            self._lines, self._reading, self._doubts, self._pins, tuple(self._declarations), dealer, t
        )
        new = change(correction, known)
        before = (known.pins, known.spoken, dealer)
        self._hold(new.pins, new.spoken, new.dealer)
        if correction.kind == "resync":
            self._decoder.eager = True
            for track in self.tracker.lying:
                track.evidence.fade(self.config.resync_looks)
        story = (self._events, self._lines, self._reading, self._beam, self._doubts)
        update = self._decide(t, -1.0, end=self._end)
        if not new.holds(self._lines):
            self._hold(*before)
            self._events, self._lines, self._reading, self._beam, self._doubts = story
            self._decoder.forget()
            raise PzvisionError(f"correction: {correction.kind}: the rest of the game does not allow it")
        return update if update is not None else Update(len(self._events), (), self._doubts)

    def _hold(self, pins: Pins, spoken: Sequence[Event], dealer: int | None) -> None:
        self._pins, self._declarations, self._decoder.dealer = pins, list(spoken), dealer
        pins.put_on(self.tracker.tracks)
        self._signature = ()

    def finish(self, t: float) -> Update | None:
        """The recording ends at ``t`` s: all is decided once more with all evidence, and the hand ended."""
        self._signature = ()
        self._end = t
        if self._closed(t):
            return None
        return self._decide(t + max(self.config.group_wait_s, 2 * self.config.hand_wait_s), -1.0, end=t)

    # ---- out --------------------------------------------------------------------------------------

    @property
    def log(self) -> tuple[Event, ...]:
        """All records so far. Empty until somebody has acted."""
        return self._events

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """What is not sure in the log."""
        return self._doubts

    @property
    def tiles(self) -> tuple[TableTile, ...]:
        """What lies on the table now, face up or down."""
        out = []
        for track in self.tracker.lying:
            scores = track.scores(self.config)
            zone = self.layout.zone_of(track)
            seat = self.layout.seat_of(track.at) if zone in ("hand", "shown") else None
            node = self._reading.of_track.get(track.id)
            tile = node.tile if node is not None else int(scores.argmax())
            confidence = node.confidence if node is not None else float(np.exp(scores.max()))
            out.append(TableTile(track.polygon, tile, confidence, seat, zone, track.id))
        return tuple(out)

    # ---- between ----------------------------------------------------------------------------------

    def _decide(self, now: float, since: float, end: float | None = None) -> Update | None:
        self._decided = now
        if since > -1.0 and self._closed(now):
            return None
        facts = self._pins.facts(self.layout.facts(self._pins.meant(self.tracker.tracks), now))
        weak, many = self.config.weak_looks, self.config.many_looks
        signature: tuple[object, ...] = tuple(
            (f.key, *((t.gone, _top(t), min(t.looks, weak + 1), t.looks >= many) for t in f.tracks))
            for f in facts
        )
        if facts:  # some readings of the newest fact wait until players have had time to speak and to act
            signature = (*signature, bisect_right(self._decoder.waits, now - facts[-1].t))
        if signature == self._signature and end is None:
            return None
        self._signature = signature
        heard = self._heard(now)
        self._decoder.hear(told_by(heard, self.ruleset), *declared(heard), discarded_before(heard))
        self._decoder.now = now if end is None else inf
        self._beam = self._decoder.decode(facts, since)
        best = self._beam[0]
        acts = best.acts()
        known = self._decoder.dealer is not None and bool(acts)
        spoken = [d for d in self._heard(now) if isinstance(d, Declare)]
        if not known and end is None and not spoken and not any(a.kind in _OPENING for a in acts):
            return None  # who deals is not known before somebody has acted
        waits = frozenset[Tile]().union(*(d.waits or () for d in spoken))
        self._reading = read_classes(acts, self.config, self._may_win, waits)
        over = None
        last = max((a.t for a in acts), default=now)
        won = sum(a.kind == "win" for a in acts)
        done = won + sum(a.kind == "reveal" for a in acts)
        wait = self.config.over_s if done == len(SEATS) else self.config.over_unshown_s
        if end is not None:
            over = min(end, last + self.config.ends_s)
        elif (done == len(SEATS) or won == len(SEATS) - 1) and now >= last + wait:
            over = last + self.config.ends_s
        lines = self._pins.lines(tell(acts, self._reading, self._hand, self._heard(now), over, self.config))
        if end is not None:
            lines = consistent(lines)
        lines = self._own_hands.fill(lines)
        self._lines = [line.but(self._with_frame(line.event)) for line in lines]
        update = self._publish([line.event for line in self._lines], now)
        if over is None or update is not None or self._over is None:
            self._over = None if over is None else now
        return update

    def _seen(self, track: Track) -> int:
        """Looks at a tile, as far as more of them change what it may be."""
        config = self.config
        return min(track.looks, config.weak_looks + 1) + (track.looks >= config.many_looks)

    def _closed(self, now: float) -> bool:
        """Whether the hand is over for good, unless a person corrects it."""
        return self._over is not None and now > self._over + self.config.closed_s

    def _heard(self, now: float) -> list[Event]:
        return [d for d in self._declarations if d.t is None or d.t <= now]

    def _may_win(self, tiles: Sequence[Tile], melds: Sequence[Meld], tile: Tile, act: Act) -> bool:
        return may_win(self.ruleset, tiles, melds, tile, act)

    def _with_frame(self, event: Event) -> Event:
        if event.t is None:
            return event
        index = bisect_right(self._looks, (event.t + 1e-6, 1 << 60)) - 1
        frame = self._looks[max(index, 0)][1] if self._looks else 0
        return replace(event, frame=frame)

    def _publish(self, events: list[Event], now: float) -> Update | None:
        keep = 0
        for old, new in zip(self._events, events, strict=False):
            if not _same(old, new):
                break
            keep += 1
        if keep == len(self._events) == len(events):
            return None
        fresh = tuple(events[keep:])
        self._events = (*self._events[:keep], *fresh)
        self._doubts = self._find_doubts(now)
        return Update(keep, fresh, self._doubts)

    def _find_doubts(self, now: float) -> tuple[Doubt, ...]:
        """Records whose tile two kinds explain almost as well, once there has been time to look."""
        doubts = []
        for index, (event, line) in enumerate(zip(self._events, self._lines, strict=True)):
            tile = getattr(event, "tile", None)
            young = event.t is not None and now - event.t < self.config.doubt_after_s
            node = node_of(line.act, self._reading) if line.act is not None else None
            if tile is None or node is None or young or event.type == "draw" or node.confidence > 0.9:
                continue
            if event.type == "gang" and line.act is not None and all(t.is_back for t in line.act.tracks):
                continue  # face down on purpose: it may be anything
            order = np.argsort(-node.scores[:KINDS], kind="stable")
            other = int(order[0] if order[0] != tile else order[1])
            margin = float(node.scores[tile] - node.scores[other])
            if margin < self.config.close_nats:
                seat = getattr(event, "seat", None)
                first = line.act.tracks[0].id if line.act is not None and line.act.tracks else 0
                name = f"tile-{event.type}-{first}" if first else f"tile-{event.type}-at-{event.t:.1f}"
                readings = (event, replace(event, tile=other))  # type: ignore[arg-type]
                doubts.append(Doubt(index, seat, (int(tile), other), margin, name, readings))
        return tuple(doubts)


def _top(track: Track) -> int:
    return int(track.evidence.logs.argmax())


def _same(a: Event, b: Event) -> bool:
    """Equal but for how sure they are and small changes of time."""
    if type(a) is not type(b):
        return False
    if abs((a.t or 0.0) - (b.t or 0.0)) > 1.0:
        return False
    return replace(a, t=None, frame=None, confidence=None) == replace(b, t=None, frame=None, confidence=None)
