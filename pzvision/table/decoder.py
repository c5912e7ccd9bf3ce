"""From facts on the table to the most likely legal sequence of acts: a beam of hypotheses.

A hypothesis knows whose turn it is, what was discarded last, who holds which melds and who has won. Each
fact is explained in every legal way, each way at a price in nats; the cheapest story is the game. Acts name
tracks, not classes: what the tiles are is decided afterwards (`pzvision.table.classes`), so that a misread
tile costs something but derails nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf

from pzvision.table.claims import Claims
from pzvision.table.config import TableConfig
from pzvision.table.facts import Fact
from pzvision.table.hands import Hands
from pzvision.table.hypotheses import Act, Hypothesis, Told
from pzvision.tiles import SEATS, Seat


class Decoder(Claims, Hands):
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
        super().__init__(dealer=dealer, rob_kong=rob_kong, tail_lamp=tail_lamp, config=config)
        self.eager = False
        """What lies on the table is hardly ever taken for nothing (a person asked to read it again)."""
        said = self.config.said_s + self.config.next_said_s
        over = (self.config.over_s, self.config.over_unshown_s)
        self.waits = sorted((self.config.fourth_wait_s, said, *over))
        """s after the newest fact at which its readings change though nothing else does."""
        self.discarded: Mapping[int, float] = {}
        """Seats that have discarded by some time (s), as follows from what they said."""
        self._facts: list[tuple[object, ...]] = []
        self._beams: list[list[Hypothesis]] = [[Hypothesis()]]

    def decode(self, facts: Sequence[Fact], since: float = -1.0) -> list[Hypothesis]:
        """The beam after all facts, cheapest first.

        Args:
            facts: in order of time.
            since: s; facts from this time on are decided anew even if unchanged (their tiles' evidence or
                disappearance may have changed); ``-1`` decides everything anew.
        """
        keep = 0
        for fact, key in zip(facts, self._facts, strict=False):
            if fact.key != key or fact.t >= since:
                break
            keep += 1
        del self._facts[keep:], self._beams[keep + 1 :]
        for i, fact in enumerate(facts[keep:], keep):
            beam = self._heed(self._beams[-1], facts[i - 1].t if i else -inf, fact.t)
            beam = self._step(beam, fact)
            self._facts.append(fact.key)
            self._beams.append(beam)
        return self._beams[-1]

    def hear(
        self,
        told: tuple[Told, ...],
        locked: Mapping[int, float],
        open_hands: frozenset[int],
        discarded: Mapping[int, float] | None = None,
    ) -> None:
        """What players have said so far; everything is decided anew when that changes.

        ``locked``: since when (s) a seat has declared. ``discarded``: seats that have discarded by some time
        (s), for only then they may say what they said.
        """
        new = (told, locked, open_hands, discarded or {})
        if new != (self.told, self.locked, self.open_hands, self.discarded):
            self.told, self.locked, self.open_hands, self.discarded = new
            self.forget()

    def forget(self) -> None:
        """Decide everything anew the next time."""
        del self._facts[:], self._beams[1:]

    def _heed(self, beam: list[Hypothesis], after: float, till: float) -> list[Hypothesis]:
        """Hold against each reading what somebody declared between ``after`` and ``till`` s who had not
        discarded by it. If nobody has acted by it, he is the dealer, and his discard was not seen.
        """
        cost = self.config.undiscarded_nats
        for seat, t in self.discarded.items():
            if not after < t + self.config.said_early_s <= till:
                continue
            dealt = [
                self._unseen_discard(h.plus(phase="act", turn=seat), seat, t)
                for h in beam
                if h.phase == "start" and self.dealer in (None, seat)
            ]
            held = [h if h.has_discarded(seat) else h._replace(cost=h.cost + cost) for h in beam]
            beam = sorted([*held, *dealt], key=lambda h: h.cost)
        return beam

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
            noise = config.weak_noise_nats
            if not fact.on_wall:
                sure = min((track.looks - 1) / config.weak_looks, 1.0)
                noise += sure * (config.noise_nats - noise)
                if not fact.moved and track.looks >= config.many_looks:
                    noise = config.clear_noise_nats
            if fact.forced:
                noise = config.said_nats
            elif track.is_other:
                noise = config.weak_noise_nats
            elif self.eager and track.gone is None:
                noise *= 3
            yield h._replace(cost=h.cost + noise)
            yield from self._discard(h, fact)
        elif fact.kind in ("three", "four"):
            loose = (*h.loose, fact.tracks[0].id) if fact.kind == "three" else h.loose
            yield h._replace(cost=h.cost + self._row_noise(fact), loose=loose)
            if fact.forced != "an_gang":
                yield from self._claim(h, fact)
            if fact.forced == "an_gang" or (fact.kind == "four" and not fact.forced):
                yield from self._own_kong(h, fact)
            if not fact.forced and h.melds[SEATS.index(fact.seat or "E")] == 3:  # all he has, or nearly
                as_hand = replace(fact, kind="hand")
                yield from self._win(h, as_hand)
                yield from self._reveal(h, as_hand)
        elif fact.kind == "added":
            yield h._replace(cost=h.cost + self._row_noise(fact))
            yield from self._added_kong(h, fact)
        elif fact.kind == "hand":
            yield h._replace(cost=h.cost + self._row_noise(fact))
            if fact.forced != "reveal":
                yield from self._win(h, fact)
            if not fact.forced.startswith("win"):
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
        if fact.forced:
            return self.config.said_nats
        stay = sum(t.gone is None for t in fact.tracks) / len(fact.tracks)
        weak = self.config.weak_noise_nats
        if len(fact.tracks) == 1:
            return weak + stay * (self.config.noise_nats - weak)
        return weak + stay * (self.config.row_noise_nats - weak)
