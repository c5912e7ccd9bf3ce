"""How tiles are won on or passed by, and how a hand ends (S0 §1.1–1.2, §1.10, §3; S2 §2; S3)."""

from __future__ import annotations

from pzvision.game import judge, money
from pzvision.game.book import (
    account,
    drop_drawn,
    judged,
    learn,
    leave_river,
    problem,
    take,
    undo_kong,
    violation,
)
from pzvision.game.entries import Offer, Violation, Won
from pzvision.game.events import HandEnd, Leave, Reveal, Win, WinBy
from pzvision.game.seat import DEALT
from pzvision.game.state import INDEX, State
from pzvision.rules import Meld, Score
from pzvision.tiles import SEATS, Seat, format_tile, format_tiles, to_counts

# --- offers that lapse, and wins passed by -----------------------------------------------------------


def close_offer(state: State) -> None:
    """The next act shows who let the offered tile pass (S0 §3.3; 必胡 S2 §2.5; singers S0 §1.10)."""
    offer = state.offer
    if offer is not None and not offer.forbidden and (state.ruleset.rob_kong or not offer.robbed):
        _passed_by(state, offer)
    state.offer = None


def _passed_by(state: State, offer: Offer) -> None:
    by: WinBy = "rob_kong" if offer.robbed else "discard"
    for seat in state.playing:
        s = state[seat]
        if seat == offer.seat:
            continue
        waits = state.waits(seat)
        if waits is None:
            said = state.claimed_waits(seat)
            if said and offer.tile in said and judge.must_win(state, seat):
                state.suspicions = (*state.suspicions, Violation(offer.event, "missed_win", seat))
            continue
        if offer.tile not in waits:
            continue
        score = judge.sure_win(state, seat, by, offer.tile, s.concealed)
        if score is None:
            continue
        if judge.must_win(state, seat):
            violation(state, "missed_win", seat, offer.event)
        if not offer.robbed:
            state.own(seat).passed = score.total  # dearer than one passed before, or it would be barred


def own_pass(state: State, seat: Seat) -> None:
    """The player acts on instead of winning with what was drawn."""
    s = state[seat]
    waits = state.waits(seat)
    # The dealer's fourteen are no draw, so a 天胡 not called is no pass.
    if not waits or s.drawn is None or s.drawn not in waits:
        return
    counts = s.concealed[:]
    counts[s.drawn] -= 1
    score = judge.sure_win(state, seat, "self_draw", s.drawn, counts)
    if score is None:
        return
    if judge.must_win(state, seat):
        violation(state, "missed_win", seat, s.drawn_event)
    state.own(seat).passed = score.total


def win(state: State, event: Win) -> None:
    """A win, or a call that was none and changes nothing."""
    seat, tile, by = event.seat, event.tile, event.by
    s = state[seat]
    if s.won is not None:
        problem(state, "win", "seat", seat, "this player has won already")
        return
    hand = event.hand
    size = DEALT - 3 * len(s.melds)
    if hand is not None and len(hand) > size:
        problem(state, "win", "hand", format_tiles(hand), f"{len(hand)} tiles, expected {size}")
        return
    if not judge.offered(state, seat, by, tile):
        # Called out of turn, too late, on a 暗杠, without a drawn tile …: a void call, nothing moves.
        violation(state, "illegal_win", seat)
        return
    counts = judge.counts_for_win(state, seat, by, tile)
    if counts is not None and hand is not None and counts != to_counts(hand):
        problem(state, "win", "hand", format_tiles(hand), "these are not the player's concealed tiles")
        return
    if counts is None:
        if s.known:
            problem(state, "win", "tile", format_tile(tile), "the player does not hold it")
            return
        if hand is not None and len(hand) == size:
            counts = to_counts(hand)
    verdict, score = judge.judge_win(state, seat, by, tile, counts)
    judged(state, verdict, seat)
    if verdict.certainty == "impossible":
        return  # void: nothing is paid and the player stays in
    _settle_win(state, event, counts, score)


def _settle_win(state: State, event: Win, counts: list[int] | None, score: Score | None) -> None:
    seat, tile, by = event.seat, event.tile, event.by
    offer = None if by == "self_draw" else state.offer
    source = None if offer is None else offer.seat
    if score is None:
        state.unsettled = (*state.unsettled, state.line)
    else:
        money.pay_win(state, seat, source, score, state.line)
    s = state.own(seat)
    if by == "self_draw":
        if s.drew and s.drawn is None and s.unknown:
            s.unknown -= 1
            account(state, tile, 1, "win")
        else:
            take(state, s, tile, 1, "win")
    if counts is not None:
        learn(state, s, tuple(t for t, n in enumerate(counts) for _ in range(n)), "win", "hand")
    drop_drawn(s)
    offer_event = 0 if offer is None else offer.event
    s.won = Won(state.line, tile, source, offer_event, by == "rob_kong", score)
    state.winners = (*state.winners, seat)
    state.chain = 0
    if offer is None:
        state.next_draw = state.following(seat)
    else:
        winners = (*offer.winners, seat)
        state.offer = Offer(
            offer.seat, offer.tile, offer.event, offer.chain, offer.forbidden, offer.robbed, winners
        )
        _tile_to_winner(state, offer, len(winners))
        last = max(winners, key=lambda w: (INDEX[w] - INDEX[offer.seat]) % 4)
        state.next_draw = state.following(last)
    state.phase = "claim"


def _tile_to_winner(state: State, offer: Offer, winners: int) -> None:
    if offer.robbed:
        if winners == 1:
            # The robbed kong is void: its 碰 stays, the added tile is the winner's.
            robbed = state.own(offer.seat)
            robbed.melds = tuple(Meld("peng", m.tile) if m.tile == offer.tile else m for m in robbed.melds)
            robbed.waits_cache = None
            state.pending = None
    elif winners == 1:
        leave_river(state, offer.seat)
    elif winners == 2:
        discarder = state.own(offer.seat)
        discarder.river = (*discarder.river, offer.tile)


def reveal(state: State, event: Reveal) -> None:
    """A hand shown at the end: now a 诈胡 can be found."""
    if event.hand is not None and len(event.hand) > state[event.seat].size:
        undo_kong(state, event.seat)
    s = state.own(event.seat)
    if event.hand is not None and s.won is None:
        if len(event.hand) > s.size:
            problem(
                state,
                "reveal",
                "hand",
                format_tiles(event.hand),
                f"{len(event.hand)} tiles, expected {s.size}",
            )
            return
        learn(state, s, event.hand, "reveal", "hand")
    _find_zha_hu(state, event.seat, state.line)


def _find_zha_hu(state: State, seat: Seat, line: int) -> None:
    """诈胡, once the tiles are shown: sang or danced without being ready (S0 §1.10)."""
    s = state[seat]
    if s.declaration not in ("sing", "dance") or s.zha_hu_paid or not state.ruleset.zha_hu:
        return
    ready = s.declared_ready
    if ready is None:
        # A locked hand does not change, so what is shown now is what was declared.
        waits = state.waits(seat)
        ready = None if waits is None else bool(waits)
    if ready is False:
        state.own(seat).zha_hu_paid = True
        violation(state, "zha_hu", seat, s.declared_event)
        money.pay_zha_hu(state, seat, line)


def leave(state: State, event: Leave) -> None:
    """A player leaves the table (S0 §1.1, D23)."""
    if state[event.seat].left:
        return
    s = state.own(event.seat)
    s.left = True
    if s.won is not None:
        money.pay_leaver(state, event.seat, state.line)


def hand_end(state: State, event: HandEnd) -> None:
    """The hand is over: 诈胡, 查叫 and refunds (S0 §1.2, §1.10, D20), unless the recording was cut."""
    state.cut = not state.finished
    if not state.cut:
        close_offer(state)
        for seat in SEATS:
            _find_zha_hu(state, seat, state.line)
        if not money.pay_cha_jiao(state, state.line):
            state.unsettled = (*state.unsettled, state.line)
    state.phase = "end"
