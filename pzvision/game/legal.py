"""What each seat may do now, with the reason where it may not (judged by `judge`: S0–S3).

    for act in legal(state, "S"):
        act.kind, act.tile, act.certainty, act.reason, act.fan

Acts the player lacks the tiles for are left out; acts the rules forbid stay in as "impossible" with their
reason, so that a table can say why. Where tiles are unknown an act is "possible", never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from pzvision.game import judge
from pzvision.game.entries import PendingKong
from pzvision.game.events import (
    DeclarationKind,
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    GangKind,
    Peng,
    Tiles,
    Win,
    WinBy,
)
from pzvision.game.judge import CERTAIN, Certainty, Verdict, worst
from pzvision.game.money import kong_payers
from pzvision.game.seat import SeatState
from pzvision.game.state import State
from pzvision.rules import Score, kong_fan
from pzvision.tiles import COPIES, KINDS, Seat, Tile

ActKind: TypeAlias = Literal[
    "draw",
    "discard",
    "peng",
    "zhi_gang",
    "an_gang",
    "ba_gang",
    "win",
    "sing",
    "dance",
    "bai",
    "alarm",
    "tian_jiao",
    "bao_ting",
]
ACT_KINDS: Final[tuple[ActKind, ...]] = get_args(ActKind)


@dataclass(frozen=True, slots=True)
class Act:
    """One thing a seat may do, or may not.

    kind: what. tile: which tile, None where none is meant or it cannot be known. certainty, reason:
    see `judge.Verdict`; ``reason`` is the message key ``reason_…`` without its beginning, "" when allowed.
    fan: for a kong what each payer owes, for a win its `total` (before the payer's factor), else 0.
    payers: who pays. must: the rules force this act (报警, 必胡, a singer's win). by: for a win.
    waits: for a declaration what it would wait for, when known. replacement: the tail tile a kong would draw,
    when shown; replacement_wins: whether that wins, None when not known.
    """

    kind: ActKind
    tile: Tile | None = None
    certainty: Certainty = "certain"
    reason: str = ""
    fan: int = 0
    payers: tuple[Seat, ...] = ()
    must: bool = False
    by: WinBy | None = None
    waits: Tiles | None = None
    replacement: Tile | None = None
    replacement_wins: bool | None = None
    score: Score | None = None


def legal(state: State, seat: Seat) -> tuple[Act, ...]:
    """Everything ``seat`` may do in this state, and what it may not do although it has the tiles for it."""
    s = state[seat]
    if s.won is not None or state.phase == "end":
        return ()
    return tuple(_acts(state, seat, s))


def _acts(state: State, seat: Seat, s: SeatState) -> Iterator[Act]:
    ended = len(state.winners) >= 3
    if state.phase == "act" and state.turn == seat and not ended:
        yield from _own_wins(state, seat, s)
        yield from _own_kongs(state, seat, s)
        yield from _discards(state, seat, s)
        due = judge.alarm_due(state, seat)
        if due is not False:
            yield Act("alarm", certainty="certain" if due else "possible", must=bool(due))
    offer = state.offer
    if offer is not None and offer.seat != seat and seat not in offer.winners and not ended:
        if offer.robbed:
            if state.ruleset.rob_kong:
                yield from _claimed_win(state, seat, s, "rob_kong", offer.tile)
        elif state.phase == "claim":
            yield from _claimed_win(state, seat, s, "discard", offer.tile)
            if not offer.winners:
                yield from _claims(state, seat, offer.tile)
    yield from _declarations(state, seat, s)
    if ended or state.wall_left == 0:
        return
    if (state.phase == "claim" and state.next_draw == seat) or (
        state.phase == "kong" and state.pending is not None and state.pending.seat == seat
    ):
        yield Act("draw")


def _win_act(
    state: State, seat: Seat, by: WinBy, tile: Tile | None, verdict: Verdict, score: Score | None
) -> Act:
    if by == "self_draw" or state.offer is None:
        payers = tuple(other for other in state.playing if other != seat)
    else:
        payers = (state.offer.seat,)
    total = score.total if score is not None else 0
    must = verdict.certainty == "certain" and judge.must_win(state, seat)
    return Act("win", tile, verdict.certainty, verdict.reason, total, payers, must=must, by=by, score=score)


def _own_wins(state: State, seat: Seat, s: SeatState) -> Iterator[Act]:
    if s.drew:
        if s.drawn is not None:
            yield from _one_win(state, seat, s, "self_draw", s.drawn)
        else:
            waits = state.waits(seat)
            if waits is None:
                yield _win_act(state, seat, "self_draw", None, judge.UNKNOWN_TILES, None)
            for tile in waits or ():
                verdict, score = judge.judge_win(state, seat, "self_draw", tile, s.concealed)
                yield _win_act(state, seat, "self_draw", tile, worst(verdict, judge.UNKNOWN_TILES), score)
    elif judge.offered(state, seat, "self_draw", -1):
        if s.unknown:
            yield _win_act(state, seat, "self_draw", None, judge.UNKNOWN_TILES, None)
            return
        for tile in sorted(set(s.hand)):
            yield from _one_win(state, seat, s, "self_draw", tile)


def _one_win(state: State, seat: Seat, s: SeatState, by: WinBy, tile: Tile) -> Iterator[Act]:
    verdict, score = judge.judge_win(state, seat, by, tile, judge.counts_for_win(state, seat, by, tile))
    if verdict.reason != "not_complete":
        yield _win_act(state, seat, by, tile, verdict, score)


def _claimed_win(state: State, seat: Seat, s: SeatState, by: WinBy, tile: Tile) -> Iterator[Act]:
    waits = state.waits(seat)
    if waits is None and s.unknown == 0:
        return
    if waits is None:
        if state.accounted[tile] <= COPIES:
            verdict, score = judge.judge_win(state, seat, by, tile, None)
            yield _win_act(state, seat, by, tile, verdict, score)
    elif tile in waits:
        yield from _one_win(state, seat, s, by, tile)


def _kong_act(state: State, seat: Seat, kind: GangKind, tile: Tile, held: Verdict) -> Act:
    s = state[seat]
    verdict = worst(held, judge.judge_gang(state, seat, kind, tile))
    kept = kind == "ba_gang" and not (s.drew and s.drawn in (tile, None))
    offer = state.offer
    payer = offer.seat if kind == "zhi_gang" and offer is not None else None
    kong = PendingKong(seat, kind, tile, kept, state.chain, payer, state.line)
    shown = state.ruleset.shows_tail
    return Act(
        kind,
        tile,
        verdict.certainty,
        verdict.reason,
        kong_fan(state.ruleset, kind, state.chain, kept=kept),
        kong_payers(state, kong),
        replacement=state.tail_lamp if shown else None,
        replacement_wins=judge.replacement_wins(state, seat, kind, tile) if shown else None,
    )


def _own_kongs(state: State, seat: Seat, s: SeatState) -> Iterator[Act]:
    for meld in s.melds:
        if meld.kind == "peng":
            held = judge.holds(state, seat, meld.tile, 1)
            if held.certainty != "impossible":
                yield _kong_act(state, seat, "ba_gang", meld.tile, held)
    if s.unknown:
        kinds = [t for t in range(KINDS) if state.accounted[t] == s.concealed[t]]
    else:
        kinds = [t for t, count in enumerate(s.concealed) if count == COPIES]
    for tile in kinds:
        held = judge.holds(state, seat, tile, COPIES)
        if held.certainty != "impossible":
            yield _kong_act(state, seat, "an_gang", tile, held)


def _claims(state: State, seat: Seat, tile: Tile) -> Iterator[Act]:
    held = judge.holds(state, seat, tile, 2)
    if held.certainty == "impossible":
        return
    verdict = worst(held, judge.judge_peng(state, seat, tile))
    yield Act("peng", tile, verdict.certainty, verdict.reason)
    held = judge.holds(state, seat, tile, 3)
    if held.certainty != "impossible":
        yield _kong_act(state, seat, "zhi_gang", tile, held)


def _discards(state: State, seat: Seat, s: SeatState) -> Iterator[Act]:
    for tile in range(KINDS):
        if s.concealed[tile] == 0 and (s.unknown == 0 or state.accounted[tile] >= COPIES):
            continue
        held = CERTAIN if s.concealed[tile] else judge.UNKNOWN_TILES
        verdict = worst(held, judge.judge_discard(state, seat, tile))
        if verdict.violation == "missed_alarm":
            # Allowed once 报警 has been called; which tile then is the locked player's rule.
            ok = tile == s.drawn
            yield Act("discard", tile, "certain" if ok else "impossible", "must_alarm")
            continue
        yield Act("discard", tile, verdict.certainty, verdict.reason)


def _declarations(state: State, seat: Seat, s: SeatState) -> Iterator[Act]:
    ruleset = state.ruleset
    offer = state.offer
    own_discard = state.phase == "claim" and offer is not None and offer.seat == seat and not offer.robbed
    dealt = not state.first_discard and seat != state.dealer and not s.melds and s.discards == 0
    if not own_discard and not dealt:
        return
    waits = state.waits(seat)
    ready = CERTAIN if waits else Verdict("impossible", "not_ready")
    if waits is None:
        ready = judge.UNKNOWN_TILES

    def act(kind: ActKind, verdict: Verdict) -> Act:
        return Act(kind, None, verdict.certainty, verdict.reason, waits=waits)

    if dealt and "tian_jiao" in ruleset.openings and not s.tian_jiao and waits != ():
        yield act("tian_jiao", ready)
    if waits == () and not s.locked:
        return  # not ready: nothing worth saying about it
    for kind in ruleset.declarations[1:]:
        if kind == "bai":
            if own_discard and s.declaration == "none":
                yield act("bai", ready)
            continue
        if not own_discard and not s.tian_jiao:
            continue
        if s.declaration != "none":
            upgrade = s.declaration == "sing" and kind == "dance"
            if not upgrade:
                continue
            change = Verdict("impossible", "declaration_stays")
            yield act("dance", ready if ruleset.upgrade_declaration else change)
        elif state.wall_left <= ruleset.no_declare_tiles:
            yield act("sing" if kind == "sing" else "dance", Verdict("impossible", "late"))
        elif not s.alarm:
            yield act("sing" if kind == "sing" else "dance", ready)
    if "bao_ting" in ruleset.openings and own_discard and s.discards == 1 and not s.melds and not s.bao_ting:
        yield act("bao_ting", ready)


# --- one event ---------------------------------------------------------------------------------------

_DECLARED: Final[dict[DeclarationKind, ActKind]] = {
    "sing": "sing",
    "dance": "dance",
    "bai": "bai",
    "alarm": "alarm",
    "tian_jiao": "tian_jiao",
    "bao_ting": "bao_ting",
}


def matching_act(state: State, event: Event) -> Act | None:
    """The act of `legal` that this event carries out; None when there is none (the player has not the tiles,
    it is not its turn …), or for records that are no acts (deal, tail_lamp, reveal, leave, hand_end)."""
    match event:
        case Draw():
            wanted: ActKind = "draw"
            tile = None
        case Discard():
            wanted, tile = "discard", event.tile
        case Peng():
            wanted, tile = "peng", event.tile
        case Gang():
            wanted, tile = event.kind, event.tile
        case Win():
            wanted, tile = "win", event.tile
        case Declare():
            wanted, tile = _DECLARED[event.declaration], None
        case _:
            return None
    for act in legal(state, event.seat):
        if act.kind == wanted and (tile is None or act.tile is None or act.tile == tile):
            return act
    return None
