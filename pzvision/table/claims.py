"""What tiles in a meld's place mean: 碰, 直杠, 暗杠, 巴杠."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Literal

from pzvision.table.facts import Fact, equality
from pzvision.table.hypotheses import Act, Chain, Fill, Hypothesis, plus_one, without
from pzvision.table.turns import Turns
from pzvision.tiles import SEATS


class Claims(Turns):
    """Claims and kongs; each method yields the hypotheses that explain a fact."""

    def _claim(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        """碰 or 直杠: the last discard and two or three of one's own."""
        assert fact.seat is not None
        seat = SEATS.index(fact.seat)
        if not h.active >> seat & 1 or h.phase == "over":
            return
        kong = fact.forced == "zhi_gang" or (fact.kind == "four" and fact.forced != "peng")
        kind: Literal["peng", "gang"] = "gang" if kong else "peng"
        _, unequal = equality(fact.tracks, self.config)
        for owed in h.owed:
            if owed[0] == seat:
                fill = Fill(-owed[1], fact.tracks, "zhi_gang" if kong else None)
                yield h._replace(
                    cost=h.cost + self.config.late_nats + self.config.unequal_share * unequal,
                    owed=tuple(o for o in h.owed if o is not owed),
                    fills=(*h.fills, fill),
                )
        locked = self._is_locked(seat, fact.t) and kind == "peng" and not fact.forced
        if locked and self.now < fact.t + self.config.fourth_wait_s:
            return  # he may not 碰 any more: the fourth tile of a kong is on its way
        ways = [h] if h.phase == "open" and h.last_number and h.turn != seat else []
        ways.extend(self._past_unseen_discard(h, seat, fact.t))
        for way in ways:
            if kong and not fact.forced and self._third_is_claimed(way, fact):
                yield from self._peng_then_fourth(way, fact)
                continue
            cost = self.config.unequal_share * unequal
            if way.last is not None:
                cost += self._differs(way.last, fact.tracks)
                if way.last.id > 0 and (
                    way.last.gone is None or way.last.gone > fact.t + self.config.taken_s
                ):
                    cost += self.config.still_there_nats
            elif kong and not fact.forced:  # more likely four of his own
                cost += self.config.unseen_last_nats
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
                melds=plus_one(way.melds, seat),
                open_slots=without(way.open_slots, way.last_number),
                counts=counts,
                t=max(fact.t, way.t),
            )

    def _third_is_claimed(self, h: Hypothesis, fact: Fact) -> bool:
        """Whether of four in a row three lay there only after the discard had left the river, and the fourth
        came some time later: a 碰, then a 巴杠. Of a 直杠 three of one's own come first.
        """
        if h.last is None or fact.kind != "four" or any(t.is_back for t in fact.tracks):
            return False
        times = sorted(t.since for t in fact.tracks)
        end = h.last.last if h.last.gone is None else h.last.gone
        late = times[3] - times[2] > self.config.late_fourth_s
        return late and end + self.config.rest_s < times[2]

    def _peng_then_fourth(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        *three, fourth = sorted(fact.tracks, key=lambda t: (t.since, t.id))
        whole = tuple(t for t in fact.tracks if t is not fourth)
        for claimed in self._claim(h, replace(fact, kind="three", tracks=whole, t=three[-1].since)):
            if claimed.turn == SEATS.index(fact.seat or "E") and claimed.phase == "act":
                added = replace(fact, kind="added", tracks=(fourth,), onto=whole, t=fourth.since)
                yield from self._added_kong(claimed, added)

    def _own_kong(self, h: Hypothesis, fact: Fact) -> Iterator[Hypothesis]:
        """暗杠: four of one's own, on one's own turn."""
        assert fact.seat is not None
        seat = SEATS.index(fact.seat)
        if not h.active >> seat & 1:
            return
        _, unequal = equality(fact.tracks, self.config)
        for ready in self._until_turn(h, seat, fact.t):
            yield ready.plus(
                Act(
                    "gang",
                    seat,
                    fact.t,
                    fact.tracks,
                    gang="an_gang",
                    cost=self.config.unequal_share * unequal,
                ),
                cost=ready.cost + self.config.unequal_share * unequal + self.config.own_kong_nats,
                kong=True,
                kong_ba=(),
                melds=plus_one(ready.melds, seat),
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
                cost=h.cost - self.config.row_noise_nats + self.config.found_late_nats,
                loose=tuple(i for i in h.loose if i != fact.onto[0].id),
            )
            yield from self._claim(whole, four)
            yield from self._own_kong(whole, four)
            return
        if self._has_fourth(h, fact):
            return
        claim = h.newest
        claimed = claim is not None and claim.act.kind == "peng" and claim.act.seat == seat
        late = fact.t - claim.act.t if claim is not None and claimed else inf
        limit = self.config.fourth_wait_s if self._is_locked(seat, fact.t) else self.config.late_fourth_s
        same = fact.forced == "zhi_gang" or (not fact.forced and late <= limit)
        if claim is not None and claimed and not fact.forced and late <= self.config.own_first_s:
            same = same or self._own_first(claim)
        if claim is not None and claimed and same:
            yield self._fourth_of_claim(h, claim, fact)
            return
        for ready in self._until_turn(h, seat, fact.t):
            newest = ready.newest.act if ready.newest else None
            kept = newest is not None and newest.kind == "peng" and newest.seat == seat
            yield ready.plus(
                Act("gang", seat, fact.t, fact.tracks, gang="ba_gang", kept=kept, onto=fact.onto),
                kong=True,
                kong_ba=fact.tracks,
                t=max(fact.t, ready.t),
            )

    @staticmethod
    def _has_fourth(h: Hypothesis, fact: Fact) -> bool:
        """Whether these three are a kong already: its fourth tile was lost and found again."""
        three = {t.id for t in fact.onto}
        link = h.chain
        while link is not None:
            act = link.act
            if act.kind == "gang" and three <= {t.id for t in (*act.onto, *act.tracks)}:
                return True
            link = link.before
        return False

    @staticmethod
    def _own_first(claim: Chain) -> bool:
        """Whether the claimed discard still lay in the river when the three lay in the meld: then these are
        all the player's own, and the fourth is the claimed one.
        """
        link = claim.before
        while link is not None:
            if link.act.kind == "discard" and link.act.number == claim.act.target and link.act.tracks:
                taken = link.act.tracks[0]
                end = taken.last if taken.gone is None else taken.gone
                return end >= max(t.since for t in claim.act.tracks)
            link = link.before
        return False

    def _fourth_of_claim(self, h: Hypothesis, claim: Chain, fact: Fact) -> Hypothesis:
        """The claim just made was a 直杠 whose fourth tile was laid down a moment after the other three."""
        tracks = (*claim.act.tracks, *fact.tracks)
        kong = replace(claim.act, kind="gang", gang="zhi_gang", tracks=tracks, t=fact.t)
        counts, fifth = self._count(h.counts, fact.tracks[0], 1)
        return h._replace(
            chain=Chain(kong, claim.before), cost=h.cost + fifth, counts=counts, kong=True, t=max(fact.t, h.t)
        )
