"""What a hand laid down means: a win, or a hand revealed at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

from pzvision.rules import Meld, is_complete
from pzvision.table.facts import Fact
from pzvision.table.hypotheses import Act, Hypothesis, Told, without
from pzvision.table.tracks import Track
from pzvision.table.turns import Turns
from pzvision.tiles import COPIES, KINDS, SEATS


class Hands(Turns):
    """Wins and reveals; each method yields the hypotheses that explain a fact."""

    def _win(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        assert fact.seat is not None
        seat = SEATS.index(fact.seat)
        if not h.active >> seat & 1 or h.phase == "over":
            return
        config = self.config
        held = 13 - 3 * h.melds[seat]
        size = len(fact.tracks)
        wrong = self._wrong_count(h, seat, fact, held + 1)
        unlike = self._not_the_last(h, seat, fact, fact.tracks[0])
        tile = fact.apart
        ways = {fact.forced[4:]} if fact.forced[4:] else {"discard", "rob_kong", "self_draw"}
        if "discard" in ways and h.phase == "open" and h.last_number and h.turn != seat:
            cost = wrong
            if h.last is not None:
                stays = h.last.gone is None or h.last.gone > fact.t + config.taken_s
                without = self._wrong_count(h, seat, fact, held)
                if stays and without <= wrong:  # with several winners nobody has the tile before him
                    cost = without + (config.apart_nats if tile is not None and size > 1 else 0.0)
                    cost += self._not_the_last(h, seat, fact, h.last)
                    if size == held and not self._completes(h, seat, (*fact.tracks, h.last)):
                        cost += config.incomplete_nats
                else:
                    cost += unlike + self._differs_any(h.last, tile, fact.tracks)
                extra = config.stays_nats if stays and h.claimers == 0 else 0.0
                refund = h.extra_still if h.claimers >= 1 else 0.0
            else:
                cost, extra, refund = cost + config.unseen_last_nats, 0.0, 0.0
            yield self._won(h, seat, fact, "discard", cost + extra - refund, extra)
        for way in self._past_unseen_discard(h, seat, fact.t) if "discard" in ways else ():
            yield self._won(way, seat, fact, "discard", wrong + unlike - 1.0, 0.0)
        if "rob_kong" in ways and self.rob_kong and h.kong and h.kong_ba and h.turn != seat:
            cost = wrong + config.unseen_last_nats + self._differs_any(h.kong_ba[0], tile, fact.tracks)
            yield self._won(h, seat, fact, "rob_kong", cost, 0.0)
        if self._on_its_way(h, seat, fact):
            return
        for ready in self._until_turn(h, seat, fact.t) if "self_draw" in ways else ():
            newest = ready.newest.act if ready.newest else None
            claimed = newest is not None and newest.kind == "peng" and newest.seat == seat
            cost = (
                wrong + unlike + self._no_win(h, seat, fact) + (config.after_claim_nats if claimed else 0.0)
            )
            yield self._won(ready, seat, fact, "self_draw", cost, 0.0)

    def _on_its_way(self, h: Hypothesis, seat: int, fact: Fact) -> bool:
        """Whether the last discard was not seen since before the hand lay there, and it is not known yet
        whether it is gone: the player may have won on it.
        """
        last = h.last
        open_still = last is not None and h.phase == "open" and h.turn != seat and last.gone is None
        soon = self.now < fact.t + self.config.fourth_wait_s
        return last is not None and open_still and soon and last.last < fact.t and not fact.forced

    def _told_wins(self, h: Hypothesis, tile: Track) -> Iterator[Hypothesis]:
        if not self.told or h.phase == "over":
            return
        ready = self._told_ready(h, tile)
        if not ready or not self._time_to_speak(h):
            return  # they may still be saying so
        for size in range(1, len(ready) + 1):
            for winners in combinations(ready, size):
                after = h
                passed = self.config.passed_nats * (len(ready) - size)
                for number, seat in enumerate(winners):
                    t = h.t + self.config.said_s + number * self.config.next_said_s
                    fact = Fact("hand", t, SEATS[seat], ())
                    nats = self.config.told_win_nats
                    if not self._is_locked(h.turn, h.t) and seat not in self.open_hands:
                        nats = self.config.wrongly_won_nats
                    after = self._won(after, seat, fact, "discard", nats, 0.0)
                yield after._replace(cost=after.cost + passed, t=h.t)

    def _time_to_speak(self, h: Hypothesis) -> bool:
        return self.now >= h.t + self.config.said_s + self.config.next_said_s

    def _told_ready(self, h: Hypothesis, tile: Track) -> list[int]:
        """Players who show all they have and wait for this discard, in turn order."""
        kind = int(tile.scores(self.config)[:KINDS].argmax())
        ready = [
            said.seat
            for said in self.told
            if kind in said.waits
            and said.t < h.t
            and said.seat != h.turn
            and h.active >> said.seat & 1
            and self._left(h, said) == 13 - 3 * h.melds[said.seat]
        ]
        return sorted(ready, key=lambda seat: (seat - h.turn) % 4)

    @staticmethod
    def _left(h: Hypothesis, said: Told) -> int:
        """How many of the tiles a player told of are not in kongs that he has made since."""
        link, left = h.chain, said.tiles
        while link is not None and link.act.t > said.t:
            act, link = link.act, link.before
            if act.seat == said.seat and act.kind == "gang" and act.gang != "ba_gang":
                left -= 3
        return left

    def _passed(self, h: Hypothesis, tile: Track) -> float:
        """What it costs that nobody who shows all he has wins on this discard."""
        if not self._is_locked(h.turn, h.t) or not self._time_to_speak(h):
            return 0.0
        return self.config.passed_nats * len(self._told_ready(h, tile))

    def _not_the_last(self, h: Hypothesis, seat: int, fact: Fact, tile: Track) -> float:
        """What it costs that a tile does not win for a hand that was shown before, to which one was laid."""
        held = 13 - 3 * h.melds[seat]
        shown, _ = self._still_shown(h, seat, fact.t)
        if len(fact.tracks) != 1 or len(shown) != held:
            return 0.0
        most = 2 * self.config.incomplete_nats
        said = [s.waits for s in self.told if s.seat == seat and s.t <= fact.t and self._left(h, s) == held]
        if said and said[-1]:
            scores = tile.scores(self.config)[:KINDS]
            return min(most, float(scores.max() - scores[sorted(said[-1])].max()))
        return 0.0 if self._completes(h, seat, (*shown, tile)) else most

    @staticmethod
    def _still_shown(h: Hypothesis, seat: int, t: float) -> tuple[list[Track], bool]:
        """What of the tiles the seat showed before its hand lies there at ``t`` s, and whether it has made a
        kong since, with tiles from there.
        """
        link, kong = h.chain, False
        while link is not None and not (link.act.kind == "shown" and link.act.seat == seat):
            kong = kong or (link.act.kind == "gang" and link.act.seat == seat)
            link = link.before
        if link is None:
            return [], False
        return [k for k in link.act.tracks if k.gone is None or k.gone > t], kong

    def _no_win(self, h: Hypothesis, seat: int, fact: Fact) -> float:
        """What it costs that a whole hand laid down does not win, as it is read, with the drawn tile or,
        where that was not found, with any.
        """
        held = 13 - 3 * h.melds[seat]
        counts = [0] * KINDS
        for track in fact.tracks:
            counts[int(track.scores(self.config)[:KINDS].argmax())] += 1
        melds = [Meld("peng", 0)] * h.melds[seat]
        size = len(fact.tracks)
        if size not in (held, held + 1) or max(counts) > COPIES:
            return 0.0
        if size > held:
            wins = is_complete(counts, melds)
        else:
            more = (
                [*counts[:k], counts[k] + 1, *counts[k + 1 :]] for k in range(KINDS) if counts[k] < COPIES
            )
            wins = any(is_complete(fuller, melds) for fuller in more)
        return 0.0 if wins else self.config.incomplete_nats

    def _completes(self, h: Hypothesis, seat: int, tracks: Sequence[Track]) -> bool:
        """Whether these tiles, as they are read, are a winning hand."""
        counts = [0] * KINDS
        for track in tracks:
            counts[int(track.scores(self.config)[:KINDS].argmax())] += 1
        if max(counts) > COPIES:
            return False
        return is_complete(counts, [Meld("peng", 0)] * h.melds[seat])

    def _wrong_count(self, h: Hypothesis, seat: int, fact: Fact, expected: int) -> float:
        """What it costs that a hand of ``expected`` tiles shows as many as it does: with those shown before
        or all, and with those that have room in its gaps or without.
        """
        told = max((self._left(h, s) for s in self.told if s.seat == seat and s.t <= fact.t), default=0)
        still, kong = self._still_shown(h, seat, fact.t)
        before = {len(still), 0} if kong else {len(still), max(h.shown[seat], told), 0}
        config = self.config
        costs = []
        for holes in {0, fact.holes}:
            size = len(fact.tracks) + holes
            off = min(abs(expected - shown - size) for shown in before)
            costs.append(config.wrong_count_nats * min(off, 4) + config.hole_nats * holes)
        return min(costs)

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
            open_slots=h.open_slots if by != "discard" else without(h.open_slots, h.last_number),
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
            yield h._replace(cost=h.cost + config.rest_of_hand_nats)
            return
        held = 13 - 3 * h.melds[seat]
        cost = self._wrong_count(h, seat, fact, held)
        if h.phase != "over":
            cost += min(config.early_nats, config.early_each_nats * max(h.wall, 0))
            cost += self._vanished(h, fact.t)
        yield h.plus(
            Act("reveal", seat, fact.t, fact.tracks, cost=cost),
            cost=h.cost + cost,
            phase="over",
            active=h.active & ~(1 << seat),
            t=max(fact.t, h.t),
        )
