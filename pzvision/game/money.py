"""Who pays whom (S0 §1, §3; S1; S3 四): ledger lines for kongs, wins, 查叫, 诈胡, 花猪杠 and early leavers.

Each function adds its lines to a state under construction; every line moves an amount from one seat to
another, so the totals stay zero-sum.
"""

from __future__ import annotations

from pzvision.game.entries import Payment, PaymentKind, PendingKong
from pzvision.game.judge import opening_of
from pzvision.game.state import INDEX, State
from pzvision.rules import Payer, Score, cha_jiao_value, kong_fan
from pzvision.tiles import COPIES, SEATS, Seat, suit


def pay(
    state: State,
    event: int,
    kind: PaymentKind,
    source: Seat,
    target: Seat,
    fan: int,
    why: str,
    *,
    payer: Payer | None = None,
    chain: int = 0,
) -> None:
    """One line, unless it is for nothing."""
    if fan <= 0:
        return
    amount = fan * state.base
    state.ledger = (*state.ledger, Payment(event, kind, source, target, fan, amount, why, payer, chain))
    totals = list(state.totals)
    totals[INDEX[source]] -= amount
    totals[INDEX[target]] += amount
    state.totals = (totals[0], totals[1], totals[2], totals[3])


def kong_payers(state: State, kong: PendingKong) -> tuple[Seat, ...]:
    """Who pays for a kong: the discarder of a 点杠, everyone else still in for the others (S0 §1.4)."""
    if kong.kind == "zhi_gang":
        return () if kong.payer is None else (kong.payer,)
    return tuple(seat for seat in state.playing if seat != kong.seat)


def pay_kong(state: State, kong: PendingKong) -> None:
    """The money for a kong whose replacement has just been drawn (S0 §1.4, S3 四)."""
    fan = kong_fan(state.ruleset, kong.kind, kong.chain, kept=kong.kept)
    for payer in kong_payers(state, kong):
        pay(state, kong.event, "kong", payer, kong.seat, fan, kong.kind, chain=kong.chain)


def why_win(score: Score) -> str:
    """The patterns of a win: ``qing_yi_se × ka_xin_wu``; ``ping_hu`` when there are none."""
    return " × ".join(name for name, _ in score.patterns) or "ping_hu"


def pay_win(state: State, winner: Seat, source: Seat | None, score: Score, event: int) -> None:
    """A win: ``source`` alone pays, or everyone still in for a self-draw (S0 §3.1–3.2).

    Call before the winner is out.
    """
    payers = [source] if source is not None else [seat for seat in state.playing if seat != winner]
    for payer in payers:
        brings = state[payer].payer
        pay(state, event, "win", payer, winner, score.payment(brings), why_win(score), payer=brings)


def pay_leaver(state: State, seat: Seat, event: int) -> None:
    """A winner who leaves early pays back the fan won in this hand (D23)."""
    mode = state.ruleset.early_leave
    if mode == "keep":
        return
    kinds = ("win",) if mode == "forfeit_fan" else ("win", "kong")
    for payer in SEATS:
        lines = [p for p in state.ledger if p.target == seat and p.source == payer and p.kind in kinds]
        pay(state, event, "forfeit", seat, payer, sum(p.fan for p in lines), "leave")


def pay_zha_hu(state: State, liar: Seat, event: int) -> None:
    """诈胡: the cap to each of the three others, winners too (S0 §1.10, D29)."""
    for other in SEATS:
        if other != liar:
            pay(state, event, "zha_hu", liar, other, state.ruleset.zha_hu_price, "")


def dead_wait(state: State, seat: Seat, appeared: list[int] | None = None) -> bool:
    """死叫: every waited-for tile has appeared four times, the own tiles counted (S1 特色 2, D22)."""
    s = state[seat]
    waits = state.waits(seat)
    if not waits:
        return False
    seen = state.appeared() if appeared is None else appeared
    for tile in waits:
        own = s.concealed[tile] - min(s.shown.count(tile), s.concealed[tile])  # what lies open is in ``seen``
        if seen[tile] + own < COPIES:
            return False
    return True


def pay_cha_jiao(state: State, event: int) -> bool:
    """查叫, then the kongs of 花猪 (S0 §1.2, S3 查叫; S1 补充, D20).

    False: some tiles are unknown, so some lines may lack.
    """
    ruleset = state.ruleset
    players = state.playing
    if len(players) < 2:
        return True
    waits = {seat: state.waits(seat) for seat in players}
    complete = all(found is not None for found in waits.values())
    appeared = state.appeared()
    neutral = ruleset.si_jiao == "neutral"
    liars = {seat for seat in players if state[seat].zha_hu_paid}
    for payer in players:
        if waits[payer] != () or payer in liars:
            continue
        for collector in players:
            if collector in liars or (neutral and dead_wait(state, collector, appeared)):
                continue
            pay(
                state, event, "cha_jiao", payer, collector, collects(state, collector, state[payer].payer), ""
            )
    if ruleset.hua_zhu_kong_void:
        for seat in players:
            if waits[seat] == () and three_suits(state, seat):
                pay_back_kongs(state, seat, event)
    return complete


def collects(state: State, seat: Seat, payer: Payer) -> int:
    """What a ready hand collects from one unready payer at 查叫, in fan (S0 §1.2)."""
    s = state[seat]
    counts = state.thirteen(seat)
    if counts is None:
        return 0
    opening = opening_of(state, seat, counts)
    value = cha_jiao_value(state.ruleset, counts, s.melds, winner=s.declaration, opening=opening, payer=payer)
    return value or 0


def three_suits(state: State, seat: Seat) -> bool:
    """Whether the player holds all three suits, melds included (花猪, S1 补充)."""
    s = state[seat]
    suits = {suit(tile) for tile in s.hand} | {suit(meld.tile) for meld in s.melds}
    return len(suits) == 3


def pay_back_kongs(state: State, seat: Seat, event: int) -> None:
    """花猪的杠不算: the kong money received in this hand goes back to whoever paid it (D20)."""
    for payer in SEATS:
        fan = sum(p.fan for p in state.ledger if p.kind == "kong" and p.target == seat and p.source == payer)
        pay(state, event, "refund", seat, payer, fan, "hua_zhu")


def next_dealer(state: State) -> Seat:
    """Who deals next (S1 2, S3 一): the first winner, else the dancer or singer, else by the ruleset."""
    wins = [(seat, won) for seat in state.winners if (won := state[seat].won) is not None]
    if wins:
        seat, first = wins[0]
        if first.source is None:
            return seat
        start = INDEX[first.source]
        together = [seat for seat, won in wins if won.offer_event == first.offer_event]
        return min(together, key=lambda seat: (INDEX[seat] - start) % 4)
    if state.ruleset.no_winner_dealer == "last_drawer":
        return state.last_drawer or state.dealer
    for wanted in ("dance", "sing"):
        made = [seat for seat in SEATS if state[seat].declaration == wanted]
        if made:
            return min(made, key=lambda seat: state[seat].declared_event)
    return state.dealer
