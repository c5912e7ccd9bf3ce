"""The game as a fold over its log: ``state = apply(start(first), next) …`` (S0–S3).

`apply` never raises on illegal play. What the rules forbid becomes a `Violation`. The sources do not
say what then follows; we decided that a win or declaration that is none and a kong without a wall change
nothing, and that any other misplay stands. What cannot be true beside the earlier records becomes a
`Problem`, and the fold goes on as well as it can. Records may come without tiles (draws and deals that no
camera sees).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pzvision.game import endings, judge, money
from pzvision.game.book import (
    account,
    drop_drawn,
    judged,
    learn,
    leave_river,
    not_to_act,
    problem,
    take,
    undo_kong,
    violation,
)
from pzvision.game.endings import close_offer, own_pass
from pzvision.game.entries import Offer, PendingKong
from pzvision.game.events import (
    Deal,
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    HandEnd,
    HandStart,
    Leave,
    Peng,
    Reveal,
    TailLamp,
    Win,
)
from pzvision.game.state import WALL_AFTER_DEAL, State, make_setup
from pzvision.rules import Meld
from pzvision.tiles import COPIES, SEATS, Seat, Tile, format_tile, format_tiles


def start(event: HandStart, line: int = 1) -> State:
    """The state after ``hand_start``, all hands unknown. Raises `FormatError` for a bad ruleset or option.

    ``line``: the record's 1-based line number in its log; the following records count on from it.
    """
    return State(make_setup(event, line))


def apply(state: State, event: Event, line: int | None = None) -> State:
    """The state after one more record; ``state`` itself is not changed.

    ``line``: the record's line number when lines were skipped. Never raises for illegal or impossible play.
    """
    new = state.copy()
    new.line = state.line + 1 if line is None else line
    handler = _HANDLERS.get(type(event))
    if handler is None:
        problem(new, event.type, "type", event.type, "a new hand needs a new start")
    elif new.phase == "end":
        problem(new, event.type, "type", event.type, "the hand is over, expected hand_start")
    else:
        handler(new, event)
    return new


# --- the records -------------------------------------------------------------------------------------


def _deal(state: State, event: Deal) -> None:
    s = state.own(event.seat)
    if state.wall_left < WALL_AFTER_DEAL or state.first_discard or any(x.melds for x in state.seats):
        problem(state, "deal", "seat", event.seat, "the game has begun")
        return
    if event.tiles is None:
        return
    size = s.size
    if s.known:
        problem(state, "deal", "seat", event.seat, "this player has been dealt to already")
    elif len(event.tiles) != size:
        problem(
            state, "deal", "tiles", format_tiles(event.tiles), f"{len(event.tiles)} tiles, expected {size}"
        )
    else:
        learn(state, s, event.tiles, "deal", "tiles")


def _tail_lamp(state: State, event: TailLamp) -> None:
    if not state.ruleset.shows_tail:
        problem(state, "tail_lamp", "tile", format_tile(event.tile), "this game has no tail lamp")
        return
    if state.wall_left == 0:
        problem(state, "tail_lamp", "tile", format_tile(event.tile), "the wall is empty")
        return
    if state.accounted[event.tile] >= COPIES:
        problem(state, "tail_lamp", "tile", format_tile(event.tile), "all 4 of it are elsewhere already")
    state.tail_lamp = event.tile


def _draw(state: State, event: Draw) -> None:
    kong = state.pending
    replacement = kong is not None
    close_offer(state)
    if kong is not None:
        expected = kong.seat
        if event.seat == expected and state.wall_left > 0:
            money.pay_kong(state, kong)
        state.pending = None
    else:
        expected = state.next_draw
        state.chain = 0
        state.turn_kongs = 0
        if state.phase == "act":
            problem(state, "draw", "seat", event.seat, f"{state.turn} has not discarded yet")
    if event.seat != expected:
        problem(state, "draw", "seat", event.seat, f"it is for {expected} to draw")
    if len(state.winners) >= 3:
        problem(state, "draw", "seat", event.seat, "three players have won, expected hand_end")
    if state.wall_left == 0:
        problem(state, "draw", "seat", event.seat, "the wall is empty")
    else:
        state.wall_left -= 1
    tile = event.tile
    lamp = state.tail_lamp
    if lamp is not None and (replacement or state.wall_left == 0):
        if tile is not None and tile != lamp:
            problem(state, "draw", "tile", format_tile(tile), f"the tail tile is {format_tile(lamp)}")
        tile = lamp if tile is None else tile
        state.tail_lamp = None
    s = state.own(event.seat)
    for seat in SEATS:
        if seat != event.seat and state[seat].drew:
            drop_drawn(state.own(seat))
    s.drew = True
    s.drawn = tile
    s.drawn_event = state.line
    s.passed = None
    if not replacement:
        s.draws += 1
    if tile is None:
        s.unknown += 1
    else:
        s.concealed[tile] += 1
        account(state, tile, 1, "draw")
    state.phase = "act"
    state.turn = event.seat
    state.last_drawer = event.seat


def _discard(state: State, event: Discard) -> None:
    seat, tile = event.seat, event.tile
    kong = state.pending
    if kong is not None and kong.seat == seat and state.wall_left == 0:
        undo_kong(state, seat)  # its player goes on as if nothing had been said
        state.pending = None
    elif not_to_act(state, seat, "discard"):
        state.pending = None
    own_pass(state, seat)
    verdict = judge.judge_discard(state, seat, tile)
    judged(state, verdict, seat)
    s = state.own(seat)
    if s.locked and s.drew and s.drawn is None and s.unknown:
        # A locked player discards the tile just drawn: the known ones stay.
        s.unknown -= 1
        account(state, tile, 1, "discard")
    else:
        take(state, s, tile, 1, "discard")
        if not (s.drew and s.drawn == tile):
            s.waits_cache = None
    if s.tian_jiao:
        if not s.drew or (s.drawn is not None and s.drawn != tile):
            s.tian_jiao = False
        elif s.drawn is None and not s.locked:
            s.tian_jiao_unsure = True
    drop_drawn(s)
    s.river = (*s.river, tile)
    s.discards += 1
    forbidden = verdict.certainty == "impossible" and verdict.violation == "forbidden_discard"
    state.offer = Offer(seat, tile, state.line, state.turn_kongs, forbidden)
    state.first_discard = True
    state.phase = "claim"
    state.turn = seat
    state.next_draw = state.following(seat)


def _claimable(state: State, seat: Seat, tile: Tile, record: str) -> Seat | None:
    """The discarder of a discard that this player may claim; None (and a problem) when there is none."""
    offer = state.offer
    if state.phase != "claim" or offer is None or offer.robbed:
        problem(state, record, "tile", format_tile(tile), "there is no discard to claim")
    elif offer.tile != tile:
        problem(state, record, "tile", format_tile(tile), f"the discard is {format_tile(offer.tile)}")
    elif offer.seat == seat:
        problem(state, record, "seat", seat, "nobody claims the own discard")
    elif offer.winners:
        problem(state, record, "tile", format_tile(tile), "the discard has been won on")
    elif state[seat].won is not None:
        problem(state, record, "seat", seat, "this player has won already")
    else:
        return offer.seat
    return None


def _peng(state: State, event: Peng) -> None:
    seat, tile = event.seat, event.tile
    source = _claimable(state, seat, tile, "peng")
    if source is None:
        return
    verdict = judge.judge_peng(state, seat, tile)
    close_offer(state)
    judged(state, verdict, seat)
    leave_river(state, source)
    s = state.own(seat)
    take(state, s, tile, 2, "peng")
    s.melds = (*s.melds, Meld("peng", tile))
    s.waits_cache = None
    s.tian_jiao = False
    drop_drawn(s)
    state.chain = 0
    state.turn_kongs = 0
    state.phase = "act"
    state.turn = seat


def _gang(state: State, event: Gang) -> None:
    seat, tile, kind = event.seat, event.tile, event.kind
    source: Seat | None = None
    if kind == "zhi_gang":
        source = _claimable(state, seat, tile, "gang")
        if source is None:
            return
    elif not_to_act(state, seat, "gang"):
        return
    if kind == "ba_gang" and Meld("peng", tile) not in state[seat].melds:
        problem(state, "gang", "tile", format_tile(tile), "the player has no 碰 of it")
        return
    if kind != "zhi_gang":
        own_pass(state, seat)
    verdict = judge.judge_gang(state, seat, kind, tile)
    keeps = judge.kong_keeps_waits(state, seat, kind, tile) if state[seat].tian_jiao else None
    close_offer(state)
    judged(state, verdict, seat)
    if source is not None:
        leave_river(state, source)
    s = state.own(seat)
    kept = kind == "ba_gang" and event.kept
    if kind == "ba_gang" and not (s.drew and s.drawn is None):
        kept = not s.drew or s.drawn != tile
    take(state, s, tile, judge.KONG_TAKES[kind], "gang")
    s.melds = judge.melds_after(s, kind, tile)
    s.waits_cache = None
    if keeps is False:
        s.tian_jiao = False
    drop_drawn(s)
    state.pending = PendingKong(seat, kind, tile, kept, state.chain, source, state.line)
    state.chain += 1
    state.turn_kongs = 1 if kind == "zhi_gang" else state.turn_kongs + 1
    state.offer = Offer(seat, tile, state.line, 0, robbed=True) if kind == "ba_gang" else None
    state.phase = "kong"
    state.turn = seat


def _declare(state: State, event: Declare) -> None:
    seat, made = event.seat, event.declaration
    ruleset = state.ruleset
    allowed = (*ruleset.declarations[1:], *(o for o in ruleset.openings if o in ("tian_jiao", "bao_ting")))
    if made not in allowed and not (made == "alarm" and ruleset.has_alarm):
        problem(state, "declare", "declaration", repr(made), f"{ruleset.id} has no such declaration")
        return
    if state[seat].won is not None:
        problem(state, "declare", "seat", seat, "this player has won already")
        return
    s = state.own(seat)
    if event.tiles:
        learn(state, s, event.tiles, "declare", "tiles")
    if made == "alarm":
        s.alarm = True
        return
    waits = state.waits(seat)
    ready = None if waits is None else bool(waits)
    if state.phase == "act" and state.turn == seat:
        ready = None  # said before the discard it goes with: which hand is meant shows later
    if made == "tian_jiao":
        if seat != state.dealer and not state.first_discard and not s.melds and ready is not False:
            s.tian_jiao = True
            s.said_waits = event.waits
        return
    if made == "bao_ting":
        if s.discards <= 1 and not s.melds:
            s.bao_ting = True
            s.said_waits = event.waits
        return
    if made in ("sing", "dance"):
        if state.wall_left <= ruleset.no_declare_tiles:
            violation(state, "late_declaration", seat)
            return
        upgrade = s.declaration == "sing" and made == "dance" and ruleset.upgrade_declaration
        if s.declaration not in ("none", made) and not upgrade:
            violation(state, "declaration_change", seat)
            return
    if s.declaration == "none":
        s.declared_event = state.line
        s.declared_ready = ready
    s.declaration = "sing" if made == "sing" else "dance" if made == "dance" else "bai"
    if event.waits is not None:
        if s.tian_jiao_unsure and s.said_waits is not None and set(s.said_waits) != set(event.waits):
            s.tian_jiao = False  # the hand was changed in turns nobody saw
        s.said_waits = event.waits
    if event.tiles and made != "sing":
        s.shown = event.tiles


_HANDLERS: Final[dict[type, Callable[[State, Any], None]]] = {
    Deal: _deal,
    TailLamp: _tail_lamp,
    Draw: _draw,
    Discard: _discard,
    Peng: _peng,
    Gang: _gang,
    Declare: _declare,
    Win: endings.win,
    Reveal: endings.reveal,
    Leave: endings.leave,
    HandEnd: endings.hand_end,
}
