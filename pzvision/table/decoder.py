"""From facts on the table to the most likely legal sequence of acts: a beam of hypotheses.

A hypothesis knows whose turn it is, what was discarded last, who holds which melds and who has won. Each
fact is explained in every legal way, each way at a price in nats; the cheapest story is the game. Acts name
tracks, not classes: what the tiles are is decided afterwards (`pzvision.table.classes`), so that a misread
tile costs something but derails nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from pzvision.rules import Meld, is_complete
from pzvision.table.config import TableConfig
from pzvision.table.layout import Fact, equality
from pzvision.table.tracker import Track
from pzvision.tiles import COPIES, KINDS, SEATS, Seat

ActKind: TypeAlias = Literal["draw", "discard", "peng", "gang", "win", "reveal", "shown", "lamp"]
Phase: TypeAlias = Literal["start", "act", "open", "over"]

WALL_AFTER_DEAL = 55


@dataclass(frozen=True, eq=False, slots=True)
class Act:
    """One thing a player did, in tracks.

    Attributes:
        kind: as the log's record types (``shown``: tiles shown by a dance, ``lamp``: a tail tile turned up).
        seat: who; t: s.
        tracks: the tiles it brought (``discard`` one, ``peng`` three …); all evidence of their classes.
        claimed: the discard it took, as far as it was seen.
        gang: of a ``gang``, its kind; by: of a ``win``, how.
        apart: of a ``win``, the winning tile where it lies apart.
        slot: number of a discard nobody saw, filled later by `Hypothesis.fills`; 0 = seen.
        kept: of a ``ba_gang``, the tile was in the hand before.
        target: of a ``peng``/``gang``/``win`` on a discard, the number of that discard among all discards.
        number: of a ``discard``, its number.
        cost: nats this act was dearer than nothing unusual.
    """

    kind: ActKind
    seat: int
    t: float
    tracks: tuple[Track, ...] = ()
    gang: Literal["zhi_gang", "an_gang", "ba_gang"] | None = None
    by: Literal["self_draw", "discard", "rob_kong"] | None = None
    apart: Track | None = None
    slot: int = 0
    kept: bool = False
    number: int = 0
    target: int = 0
    onto: tuple[Track, ...] = ()
    cost: float = 0.0


@dataclass(frozen=True, eq=False, slots=True)
class Chain:
    """Acts so far, newest first (shared tails)."""

    act: Act
    before: Chain | None


class Hypothesis(NamedTuple):
    """One reading of the hand so far; see the module."""

    cost: float = 0.0
    phase: Phase = "start"
    turn: int = -1  # who acts ("act") or discarded last ("open")
    last: Track | None = None
    last_number: int = 0  # 0 = claimed or never
    last_seen: bool = False  # the last discard was seen at rest
    drawer: int = -1  # after a discard or a win: who draws next
    kong: bool = False  # a kong was made, its replacement is not drawn yet
    kong_ba: tuple[Track, ...] = ()
    active: int = 0b1111
    melds: tuple[int, int, int, int] = (0, 0, 0, 0)
    wins: int = 0
    wall: int = WALL_AFTER_DEAL
    agreed: float = 0.0
    placed: float = 0.0
    t: float = 0.0
    discards: int = 0
    open_slots: tuple[tuple[int, int, float], ...] = ()  # (slot, seat, t) of discards nobody saw
    fills: tuple[tuple[int, Track], ...] = ()
    owed: tuple[tuple[int, int], ...] = ()  # (seat, discard number) of claims whose meld was not seen
    claimers: int = 0  # winners on the last discard so far
    extra_still: float = 0.0
    shown: tuple[int, int, int, int] = (0, 0, 0, 0)
    loose: tuple[int, ...] = ()  # first tracks of threes that meant nothing so far
    counts: bytes = bytes(KINDS)  # tiles of each kind that surely lie on the table
    chain: Chain | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """Hypotheses of one key go on alike: only the cheapest is kept."""
        return (
            self.phase,
            self.turn,
            self.last.id if self.last else 0,
            self.last_number > 0,
            self.drawer,
            self.kong,
            self.active,
            self.melds,
            self.wins,
            self.open_slots,
            self.owed,
            self.loose,
        )

    def acts(self) -> list[Act]:
        """All acts in order. Discards nobody saw are filled in if they were found or claimed later;
        others stay without tracks.
        """
        out: list[Act] = []
        link = self.chain
        while link is not None:
            out.append(link.act)
            link = link.before
        out.reverse()
        filled: dict[int, tuple[Track, ...]] = {slot: (track,) for slot, track in self.fills}
        for act in out:  # a discard that was claimed before anybody saw it is known by the claim
            if act.kind in ("peng", "gang") and act.target:
                filled.setdefault(act.target, act.tracks)
            elif act.kind == "win" and act.target and act.apart is not None:
                filled.setdefault(act.target, (act.apart,))
        return [replace(a, tracks=filled[a.slot]) if a.slot in filled and a.slot else a for a in out]

    def next_active(self, seat: int) -> int:
        """The next seat after ``seat`` that has not won."""
        for step in range(1, 5):
            other = (seat + step) % 4
            if self.active >> other & 1:
                return other
        return seat

    def plus(self, *acts: Act, **changes: object) -> Hypothesis:
        """The hypothesis after some acts."""
        chain = self.chain
        for act in acts:
            chain = Chain(act, chain)
        return self._replace(chain=chain, **changes)  # type: ignore[arg-type]


class Decoder:
    """Explains facts; keeps the beam after every fact, so that only what changed is decided anew.

    Args:
        dealer: who begins, if known.
        rob_kong: whether this game allows 抢杠.
        tail_lamp: whether a kong's replacement is the tail lamp.
        config: prices.
    """

    def __init__(
        self,
        *,
        dealer: Seat | None = None,
        rob_kong: bool = False,
        tail_lamp: bool = False,
        config: TableConfig | None = None,
    ) -> None:
        self.config = config or TableConfig()
        self.dealer = SEATS.index(dealer) if dealer else None
        self.rob_kong = rob_kong
        self.tail_lamp = tail_lamp
        self._limit = inf  # dearer hypotheses of the fact in hand are not worth making
        self._facts: list[tuple[object, ...]] = []
        self._beams: list[list[Hypothesis]] = [[Hypothesis()]]

    def decode(self, facts: Sequence[Fact], since: float = -1.0) -> list[Hypothesis]:
        """The beam after all facts, cheapest first.

        Args:
            facts: in order of time.
            since: facts from this time on are decided anew even if unchanged (their tiles' evidence or
                disappearance may have changed); ``-1`` decides everything anew.
        """
        keep = 0
        for fact, key in zip(facts, self._facts, strict=False):
            if fact.key != key or fact.t >= since:
                break
            keep += 1
        del self._facts[keep:], self._beams[keep + 1 :]
        for fact in facts[keep:]:
            beam = self._step(self._beams[-1], fact)
            self._facts.append(fact.key)
            self._beams.append(beam)
        return self._beams[-1]

    def _step(self, beam: list[Hypothesis], fact: Fact) -> list[Hypothesis]:
        best: dict[tuple[object, ...], Hypothesis] = {}
        self._limit = inf
        for hypothesis in beam:
            if hypothesis.cost > self._limit:
                break
            for grown in self.explain(hypothesis, fact):
                if grown.cost > self._limit:
                    continue
                self._limit = min(self._limit, grown.cost + self.config.beam_nats)
                old = best.get(grown.key)
                if old is None or grown.cost < old.cost:
                    best[grown.key] = grown
        ranked = sorted(best.values(), key=lambda h: h.cost)
        return [h for h in ranked[: self.config.beam] if h.cost <= self._limit]

    # ---- ways to explain a fact ---------------------------------------------------------------------

    def explain(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        """Every legal reading of ``fact`` after ``h``, and "it means nothing"."""
        config = self.config
        if fact.kind == "river":
            track = fact.tracks[0]
            noise = config.weak_noise_nats if track.looks <= config.weak_looks else config.noise_nats
            yield h._replace(cost=h.cost + noise)
            yield from self._discard(h, fact)
        elif fact.kind in ("three", "four"):
            loose = (*h.loose, fact.tracks[0].id) if fact.kind == "three" else h.loose
            yield h._replace(cost=h.cost + self._row_noise(fact), loose=loose)
            yield from self._claim(h, fact)
            if fact.kind == "four":
                yield from self._own_kong(h, fact)
        elif fact.kind == "added":
            yield h._replace(cost=h.cost + self._row_noise(fact))
            yield from self._added_kong(h, fact)
        elif fact.kind == "hand":
            yield h._replace(cost=h.cost + self._row_noise(fact))
            yield from self._win(h, fact)
            yield from self._reveal(h, fact)
        elif fact.kind == "shown":
            assert fact.seat is not None
            seat = SEATS.index(fact.seat)
            counts = list(h.shown)
            counts[seat] += len(fact.tracks)
            yield h.plus(Act("shown", seat, fact.t, fact.tracks), shown=tuple(counts))
        else:
            yield h.plus(Act("lamp", -1, fact.t, fact.tracks)) if self.tail_lamp else h

    def _row_noise(self, fact: Fact) -> float:
        """What it costs that tiles in a player's row mean nothing: little if they did not stay, for melds and
        hands do (a standing tile moved, a hand mistaken for one).
        """
        stay = sum(t.gone is None for t in fact.tracks) / len(fact.tracks)
        weak = self.config.weak_noise_nats
        return weak + stay * (1.5 * self.config.noise_nats - weak)

    # ---- discards ---------------------------------------------------------------------------------

    def _discard(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        config = self.config
        track = fact.tracks[0]
        for slot, seat, t in h.open_slots:
            if fact.t - t < config.late_s:
                cost, agreed = self._place_cost(h, fact, seat)
                counts, fifth = self._count(h.counts, track, 1)
                yield h._replace(
                    cost=h.cost + cost + fifth + 0.5,
                    counts=counts,
                    agreed=h.agreed + agreed,
                    placed=h.placed + 1,
                    open_slots=_without(h.open_slots, slot),
                    fills=(*h.fills, (slot, track)),
                )
        if h.phase == "over":
            return
        for seat in range(4):
            if not h.active >> seat & 1:
                continue
            place, agreed = self._place_cost(h, fact, seat)
            if place > config.noise_nats + 6 or h.cost + place > self._limit:
                continue
            for ready in self._until_turn(h, seat, fact.t, discards=True):
                number = ready.discards + 1
                counts, fifth = self._count(ready.counts, track, 1)
                yield ready.plus(
                    Act("discard", seat, fact.t, fact.tracks, number=number, cost=place + fifth),
                    cost=ready.cost + place + fifth,
                    counts=counts,
                    phase="open",
                    turn=seat,
                    last=track,
                    last_number=number,
                    last_seen=True,
                    drawer=ready.next_active(seat),
                    kong=False,
                    kong_ba=(),
                    agreed=ready.agreed + agreed,
                    placed=ready.placed + 1,
                    t=max(fact.t, ready.t),
                    discards=number,
                    claimers=0,
                    extra_still=0.0,
                )

    def _place_cost(self, h: Hypothesis, fact: Fact, seat: int) -> tuple[float, float]:
        """What it costs that this tile is that seat's, and how sure its place is why (0–1)."""
        config = self.config
        prior = config.place_prior
        # Where tiles lie says whose they are, or (a heap) nothing. How often it says nothing is learnt from
        # the game so far, in a way that does not depend on the order in which tiles came.
        doubt = (h.placed - h.agreed + prior * config.place_doubt) / (h.placed + prior)
        told, untold = (1 - doubt) * fact.owners[seat], doubt * 0.25
        cost = -log(told + untold)
        arms = fact.arms
        if sum(arms) > 0.3:
            cost += config.arm_nats * (max(arms) - arms[seat])
        return cost, told / (told + untold)

    # ---- turns --------------------------------------------------------------------------------------

    def _until_turn(
        self, h: Hypothesis, seat: int, t: float, *, discards: bool = False, plain: bool = False
    ) -> Iterator[Hypothesis]:
        """Ways to come to ``seat``'s turn to act, tile drawn, by ``t``: directly, or past unseen acts."""
        config = self.config
        if h.phase == "over":
            return
        if h.phase == "start":
            if self.dealer is None or self.dealer == seat:
                yield h.plus(phase="act", turn=seat, t=h.t)
                return
            h = h.plus(phase="act", turn=self.dealer)
        if h.phase == "act":
            if h.turn == seat:
                yield self._drawn(h, seat, t)
                return
            if plain:
                return
            h = self._unseen_discard(self._drawn(h, h.turn, t), h.turn, t)
        # phase "open": the last discard lies; players draw in turn until it is ``seat``'s
        gone = self._vanished(h, t)
        if discards and not plain and gone and h.last_number and seat != h.turn and h.active >> seat & 1:
            yield h.plus(
                Act("peng", seat, (h.t + t) / 2, target=h.last_number, cost=config.unseen_claim_nats),
                cost=h.cost + config.unseen_claim_nats,
                phase="act",
                turn=seat,
                last=None,
                last_number=0,
                owed=(*h.owed, (seat, h.last_number)),
                melds=_plus_one(h.melds, seat),
                t=(h.t + t) / 2,
            )
        steps = 0
        walker = h._replace(cost=h.cost + gone)
        while steps < 3:
            steps += 1
            player = walker.drawer
            if walker.wall <= 0:
                walker = walker._replace(cost=walker.cost + 3.0)
            drawn = self._draws(walker, player, t)
            if player == seat:
                hurry = max(0.0, steps * config.turn_s - (t - h.t)) / config.turn_s
                yield drawn._replace(cost=drawn.cost + config.hurry_nats * hurry)
                return
            if plain or drawn.cost + config.missed_nats > self._limit:
                return
            walker = self._unseen_discard(drawn, player, t)

    def _drawn(self, h: Hypothesis, seat: int, t: float) -> Hypothesis:
        """Whoever made a kong has its replacement before he does anything else."""
        return self._draws(h, seat, t) if h.kong else h

    def _draws(self, h: Hypothesis, seat: int, t: float) -> Hypothesis:
        """A draw between the last act and ``t``: mid-way in a short pause, else shortly before ``t``."""
        at = max((h.t + t) / 2, t - 2.9) if t > h.t else h.t
        return h.plus(
            Act("draw", seat, at, tracks=()),
            phase="act",
            turn=seat,
            last=None,
            last_number=0,
            kong=False,
            kong_ba=(),
            wall=h.wall - 1,
            t=max(h.t, min(at, t)),
        )

    def _unseen_discard(self, h: Hypothesis, seat: int, t: float) -> Hypothesis:
        number = h.discards + 1
        return h.plus(
            Act("discard", seat, (h.t + t) / 2, slot=number, number=number, cost=self.config.missed_nats),
            cost=h.cost + self.config.missed_nats,
            phase="open",
            turn=seat,
            last=None,
            last_number=number,
            last_seen=False,
            drawer=h.next_active(seat),
            discards=number,
            open_slots=(*h.open_slots[-2:], (number, seat, (h.t + t) / 2)),
            t=(h.t + t) / 2,
            claimers=0,
            extra_still=0.0,
        )

    def _vanished(self, h: Hypothesis, t: float) -> float:
        """What it costs that the last discard is gone although nobody has claimed it; 0 while it lies."""
        if h.claimers or h.last is None or h.last.gone is None or h.last.gone > t + 0.5:
            return 0.0
        nats = self.config.bared_nats if h.last.bared else self.config.vanished_nats
        return nats * min(h.last.looks / self.config.weak_looks, 1.0)

    # ---- claims and kongs -----------------------------------------------------------------------------

    def _claim(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        """碰 or 直杠: the last discard and two or three of one's own."""
        assert fact.seat is not None
        seat = SEATS.index(fact.seat)
        if not h.active >> seat & 1 or h.phase == "over":
            return
        kong = fact.kind == "four"
        kind: Literal["peng", "gang"] = "gang" if kong else "peng"
        _, unequal = equality(fact.tracks, self.config)
        for owed in h.owed:
            if owed[0] == seat:
                act = Act(kind, seat, fact.t, fact.tracks, gang="zhi_gang" if kong else None, target=owed[1])
                yield h.plus(
                    act, cost=h.cost + 0.5 + 0.3 * unequal, owed=tuple(o for o in h.owed if o is not owed)
                )
        ways = [h] if h.phase == "open" and h.last_number and h.turn != seat else []
        ways.extend(self._past_unseen_discard(h, seat, fact.t))
        for way in ways:
            cost = 0.3 * unequal
            if way.last is not None:
                cost += self._differs(way.last, fact.tracks)
                if way.last.gone is None or way.last.gone > fact.t + 2.5:
                    cost += self.config.still_there_nats
            known = way.last is not None or way.last_number == 0
            counts, fifth = self._count(way.counts, fact.tracks[0], len(fact.tracks) - int(known))
            cost += fifth
            act = Act(
                kind,
                seat,
                fact.t,
                fact.tracks,
                gang="zhi_gang" if kong else None,
                target=way.last_number,
                cost=cost,
            )
            yield way.plus(
                act,
                cost=way.cost + cost,
                phase="act",
                turn=seat,
                last=None,
                last_number=0,
                kong=kong,
                kong_ba=(),
                melds=_plus_one(way.melds, seat),
                open_slots=_without(way.open_slots, way.last_number),
                counts=counts,
                t=max(fact.t, way.t),
            )

    def _past_unseen_discard(self, h: Hypothesis, seat: int, t: float) -> Iterator[Hypothesis]:
        """Ways in which another player than ``seat`` has just discarded a tile nobody saw."""
        if h.phase in ("start", "act"):
            turn = h.turn if h.phase == "act" else self.dealer
            if turn is not None and turn != seat:
                began = h if h.phase == "act" else h.plus(phase="act", turn=turn)
                yield self._unseen_discard(self._drawn(began, turn, t), turn, t)
        elif h.phase == "open" and h.drawer != seat:
            base = h._replace(cost=h.cost + self._vanished(h, t))
            yield self._unseen_discard(self._draws(base, h.drawer, t), h.drawer, t)

    def _own_kong(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        """暗杠: four of one's own, on one's own turn."""
        assert fact.seat is not None
        seat = SEATS.index(fact.seat)
        if not h.active >> seat & 1:
            return
        _, unequal = equality(fact.tracks, self.config)
        for ready in self._until_turn(h, seat, fact.t):
            yield ready.plus(
                Act("gang", seat, fact.t, fact.tracks, gang="an_gang", cost=0.3 * unequal),
                cost=ready.cost + 0.3 * unequal + 0.3,
                kong=True,
                kong_ba=(),
                melds=_plus_one(ready.melds, seat),
                t=max(fact.t, ready.t),
            )

    def _added_kong(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        """巴杠: a fourth tile beside a 碰."""
        assert fact.seat is not None
        seat = SEATS.index(fact.seat)
        if not h.active >> seat & 1:
            return
        if fact.onto and fact.onto[0].id in h.loose:  # no 碰 before: it is the fourth of a kong found late
            four = replace(fact, kind="four", tracks=(*fact.onto, *fact.tracks), onto=())
            whole = h._replace(
                cost=h.cost - 1.5 * self.config.noise_nats + 1.0,
                loose=tuple(i for i in h.loose if i != fact.onto[0].id),
            )
            yield from self._claim(whole, four)
            yield from self._own_kong(whole, four)
            return
        claim = h.chain
        claimed = claim is not None and claim.act.kind == "peng" and claim.act.seat == seat
        if claim is not None and claimed and fact.t - claim.act.t <= self.config.late_fourth_s:
            yield self._fourth_of_claim(h, claim, fact)
            return
        for ready in self._until_turn(h, seat, fact.t):
            newest = ready.chain.act if ready.chain else None
            kept = newest is not None and newest.kind == "peng" and newest.seat == seat
            yield ready.plus(
                Act("gang", seat, fact.t, fact.tracks, gang="ba_gang", kept=kept, onto=fact.onto),
                kong=True,
                kong_ba=fact.tracks,
                t=max(fact.t, ready.t),
            )

    def _fourth_of_claim(self, h: Hypothesis, claim: Chain, fact: Fact) -> Hypothesis:
        """The claim just made was a 直杠 whose fourth tile was laid down a moment after the other three."""
        tracks = (*claim.act.tracks, *fact.tracks)
        kong = replace(claim.act, kind="gang", gang="zhi_gang", tracks=tracks, t=fact.t)
        counts, fifth = self._count(h.counts, fact.tracks[0], 1)
        return h._replace(
            chain=Chain(kong, claim.before), cost=h.cost + fifth, counts=counts, kong=True, t=max(fact.t, h.t)
        )

    # ---- hands laid down --------------------------------------------------------------------------------

    def _win(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        assert fact.seat is not None
        seat = SEATS.index(fact.seat)
        if not h.active >> seat & 1 or h.phase == "over":
            return
        config = self.config
        held = 13 - 3 * h.melds[seat]
        size = len(fact.tracks)
        wrong = self._wrong_count(h, seat, size, held + 1)
        tile = fact.apart
        if h.phase == "open" and h.last_number and h.turn != seat:
            cost = wrong
            if h.last is not None:
                stays = h.last.gone is None or h.last.gone > fact.t + 2.5
                without = self._wrong_count(h, seat, size, held)
                if stays and without <= wrong:  # with several winners nobody has the tile before him
                    cost = without
                    if size == held and not self._completes(h, seat, fact):
                        cost += config.incomplete_nats
                else:
                    cost += self._differs_any(h.last, tile, fact.tracks)
                extra = config.stays_nats if stays and h.claimers == 0 else 0.0
                refund = h.extra_still if h.claimers >= 1 else 0.0
            else:
                cost, extra, refund = cost + 1.0, 0.0, 0.0
            yield self._won(h, seat, fact, "discard", cost + extra - refund, extra)
        for way in self._past_unseen_discard(h, seat, fact.t):
            yield self._won(way, seat, fact, "discard", wrong - 1.0, 0.0)
        if self.rob_kong and h.kong and h.kong_ba and h.turn != seat:
            cost = wrong + 1.0 + self._differs_any(h.kong_ba[0], tile, fact.tracks)
            yield self._won(h, seat, fact, "rob_kong", cost, 0.0)
        for ready in self._until_turn(h, seat, fact.t):
            newest = ready.chain.act if ready.chain else None
            claimed = newest is not None and newest.kind == "peng" and newest.seat == seat
            yield self._won(ready, seat, fact, "self_draw", wrong + (6.0 if claimed else 0.0), 0.0)

    def _completes(self, h: Hypothesis, seat: int, fact: Fact) -> bool:
        """Whether a hand without a tile apart, as it is read, wins on the last discard."""
        assert h.last is not None
        counts = [0] * KINDS
        for track in (*fact.tracks, h.last):
            counts[int(track.scores(self.config)[:KINDS].argmax())] += 1
        if max(counts) > COPIES:
            return False
        return is_complete(counts, [Meld("peng", 0)] * h.melds[seat])

    def _wrong_count(self, h: Hypothesis, seat: int, size: int, expected: int) -> float:
        """What it costs that a hand of ``expected`` tiles shows ``size``, with those shown before or all."""
        off = min(abs(expected - size), abs(expected - h.shown[seat] - size))
        return self.config.wrong_count_nats * min(off, 4)

    def _won(
        self,
        h: Hypothesis,
        seat: int,
        fact: Fact,
        by: Literal["self_draw", "discard", "rob_kong"],
        cost: float,
        extra: float,
    ) -> Hypothesis:
        active = h.active & ~(1 << seat)
        wins = h.wins + 1
        after = h._replace(active=active)
        if by == "self_draw":
            drawer = after.next_active(seat)
        else:  # the last winner in turn order from the discarder (or the robbed) is followed
            giver = h.turn
            winners = [a for a in self._winners(h) if h.claimers] + [seat]
            farthest = max(winners, key=lambda s: (s - giver) % 4)
            drawer = after.next_active(farthest)
        target = h.last_number if by == "discard" else 0
        act = Act("win", seat, fact.t, fact.tracks, by=by, apart=fact.apart, target=target, cost=cost)
        if by == "rob_kong":
            act = replace(act, onto=h.kong_ba)
        return h.plus(
            act,
            cost=h.cost + cost,
            active=active,
            wins=wins,
            phase="over" if wins >= 3 else "open",
            turn=seat if by == "self_draw" else h.turn,
            last=h.last if by == "discard" else None,
            last_number=h.last_number if by == "discard" else 0,
            drawer=drawer,
            kong=False,
            kong_ba=(),
            claimers=h.claimers + 1 if by == "discard" else 0,
            open_slots=h.open_slots if by != "discard" else _without(h.open_slots, h.last_number),
            extra_still=extra,
            t=max(fact.t, h.t),
        )

    def _winners(self, h: Hypothesis) -> list[int]:
        """Who has won on the last discard already."""
        out = []
        link = h.chain
        while link is not None and link.act.kind in ("win", "lamp", "shown"):
            if link.act.kind == "win" and link.act.by == "discard":
                out.append(link.act.seat)
            link = link.before
        return out

    def _reveal(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        assert fact.seat is not None
        seat = SEATS.index(fact.seat)
        config = self.config
        if not h.active >> seat & 1:  # the rest of a hand that has won already
            yield h._replace(cost=h.cost + 4.0)
            return
        held = 13 - 3 * h.melds[seat]
        cost = self._wrong_count(h, seat, len(fact.tracks), held)
        if h.phase != "over":
            cost += min(config.early_nats, 1.5 * max(h.wall, 0))
            cost += self._vanished(h, fact.t)
        yield h.plus(
            Act("reveal", seat, fact.t, fact.tracks, cost=cost),
            cost=h.cost + cost,
            phase="over",
            active=h.active & ~(1 << seat),
            t=max(fact.t, h.t),
        )

    def _count(self, counts: bytes, track: Track, copies: int) -> tuple[bytes, float]:
        """``counts`` with a tile's copies more, if its class is sure, and what a fifth of a kind costs."""
        scores = track.scores(self.config)
        tile = int(scores.argmax())
        if tile >= KINDS or scores[tile] < -0.1:
            return counts, 0.0
        new = counts[tile] + copies
        grown = counts[:tile] + bytes([min(new, 9)]) + counts[tile + 1 :]
        return grown, self.config.fifth_nats * max(0, min(new - COPIES, copies))

    # ---- likeness ---------------------------------------------------------------------------------------

    def _differs(self, track: Track, others: Sequence[Track]) -> float:
        """What it costs that one tile is of the class of several others (nats ≥ 0)."""
        scores = track.scores(self.config)[:KINDS]
        total = np.sum([o.scores(self.config)[:KINDS] for o in others], axis=0)
        cost = float(scores.max() + total.max() - (scores + total).max())
        return min(cost, self.config.wrong_class_nats)

    def _differs_any(self, track: Track, apart: Track | None, hand: Sequence[Track]) -> float:
        """The same for the tile apart, or where none lies apart for the likest of a hand."""
        if apart is not None:
            return self._differs(track, [apart])
        return min((self._differs(track, [t]) for t in hand), default=0.0)


def _plus_one(melds: tuple[int, int, int, int], seat: int) -> tuple[int, int, int, int]:
    counts = list(melds)
    counts[seat] += 1
    return counts[0], counts[1], counts[2], counts[3]


def _without(slots: tuple[tuple[int, int, float], ...], number: int) -> tuple[tuple[int, int, float], ...]:
    return tuple(s for s in slots if s[0] != number)
