"""Whose turn it is: discards, the draws between them, and turns in which nobody saw anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, log

import numpy as np

from pzvision.table.config import TableConfig
from pzvision.table.facts import Fact
from pzvision.table.hypotheses import Act, Fill, Hypothesis, Told, plus_one, without
from pzvision.table.tracks import Track
from pzvision.tiles import COPIES, KINDS, SEATS, Seat


class Turns:
    """What every explanation of a fact needs; see `pzvision.table.decoder.Decoder` for the arguments."""

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
        self.told: tuple[Told, ...] = ()
        self.locked: Mapping[int, float] = {}
        """Seats that have sung, danced or called 报警, and since when (s): they discard what they draw."""
        self.open_hands: frozenset[int] = frozenset()
        """Seats whose hands lie open without a dance (摆牌): nobody is forbidden what they wait for."""
        self.now = inf
        self._limit = inf  # dearer hypotheses of the fact in hand are not worth making

    # ---- discards ---------------------------------------------------------------------------------

    def _discard(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        config = self.config
        track = fact.tracks[0]
        for slot, seat, t in h.open_slots:
            lay = track.empty_at <= t + config.turn_s  # else the felt was seen there after that discard
            if lay and fact.t - t < config.late_s and not fact.forced:
                cost, agreed = self._place_cost(h, fact, seat)
                said = self._said(h, slot)
                counts, fifth = self._count(h.counts, track, 0 if said else 1)
                if said is not None:
                    cost += self._differs(track, [said])
                yield h._replace(
                    cost=h.cost + cost + fifth + config.late_nats,
                    counts=counts,
                    agreed=h.agreed + agreed,
                    placed=h.placed + 1,
                    open_slots=without(h.open_slots, slot),
                    fills=(*h.fills, Fill(slot, (track,))),
                )
        if h.phase == "over":
            return
        for seat in range(4):
            if not h.active >> seat & 1 or (fact.forced and fact.owners[seat] < 0.5):
                continue
            place, agreed = self._place_cost(h, fact, seat)
            if place > config.noise_nats + 6 or h.cost + place > self._limit:
                continue
            for ready in self._until_turn(h, seat, fact.t, discards=True):
                number = ready.discards + 1
                counts, fifth = self._count(ready.counts, track, 1)
                # One that a person inserted may be found later, as one nobody saw.
                slot = number if track.id < 0 else 0
                slots = ready.open_slots
                after = ready.plus(
                    Act("discard", seat, fact.t, fact.tracks, slot=slot, number=number, cost=place + fifth),
                    open_slots=(*slots[-2:], (number, seat, fact.t)) if slot else slots,
                    cost=ready.cost + place + fifth,
                    counts=counts,
                    phase="open",
                    turn=seat,
                    last=track,
                    last_number=number,
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
                yield after if not self.told else after._replace(cost=after.cost + self._passed(after, track))
                if self.told:
                    yield from self._told_wins(after, track)

    def _passed(self, h: Hypothesis, tile: Track) -> float:
        """What it costs that nobody who shows all he has wins on this discard."""
        raise NotImplementedError

    def _told_wins(self, h: Hypothesis, tile: Track) -> Iterator[Hypothesis]:
        """Players who show all they have, wait for this discard and win on it: they need lay nothing down."""
        raise NotImplementedError

    @staticmethod
    def _said(h: Hypothesis, slot: int) -> Track | None:
        """The tile of a discard that a person inserted."""
        link = h.chain
        while link is not None:
            if link.act.slot == slot and link.act.kind == "discard":
                return link.act.tracks[0] if link.act.tracks else None
            link = link.before
        return None

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
        if fact.tracks[0].is_other:
            cost += config.unread_nats
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
                Act(
                    "peng",
                    seat,
                    (h.t + t) / 2,
                    slot=-h.last_number,
                    target=h.last_number,
                    cost=config.unseen_claim_nats,
                ),
                cost=h.cost + config.unseen_claim_nats,
                phase="act",
                turn=seat,
                last=None,
                last_number=0,
                owed=(*h.owed, (seat, h.last_number)),
                melds=plus_one(h.melds, seat),
                t=(h.t + t) / 2,
            )
        steps = 0
        walker = h._replace(cost=h.cost + gone)
        while steps < 3:
            steps += 1
            player = walker.drawer
            if walker.wall <= 0:
                walker = walker._replace(cost=walker.cost + config.empty_wall_nats)
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
        """A draw between the last act and ``t``: mid-way in a short pause; in a long one soon after the last
        act, for players draw first and think then.
        """
        pause = max(t - h.t, 0.0)
        at = h.t + (pause / 2 if pause < self.config.think_s else self.config.draw_s)
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
            drawer=h.next_active(seat),
            discards=number,
            open_slots=(*h.open_slots[-2:], (number, seat, (h.t + t) / 2)),
            t=(h.t + t) / 2,
            claimers=0,
            extra_still=0.0,
        )

    def _vanished(self, h: Hypothesis, t: float) -> float:
        """What it costs that the last discard is gone although nobody has claimed it; 0 while it lies."""
        if h.claimers or h.last is None or h.last.gone is None or h.last.gone > t + self.config.vanish_s:
            return 0.0
        nats = self.config.bared_nats if h.last.bared else self.config.vanished_nats
        return nats * min(h.last.looks / self.config.weak_looks, 1.0)

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

    def _count(self, counts: bytes, track: Track, copies: int) -> tuple[bytes, float]:
        """``counts`` with a tile's copies more, if its class is sure, and what a fifth of a kind costs."""
        scores = track.scores(self.config)
        tile = int(scores.argmax())
        if tile >= KINDS or scores[tile] < -0.1:
            return counts, 0.0
        new = counts[tile] + copies
        grown = counts[:tile] + bytes([min(new, 9)]) + counts[tile + 1 :]
        return grown, self.config.fifth_nats * max(0, min(new - COPIES, copies))

    def _is_locked(self, seat: int, t: float) -> bool:
        """Whether the seat had declared before ``t`` s."""
        return self.locked.get(seat, inf) < t

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
