"""The game as a fold over its log: ``state = apply(start(first), next) …`` (RULES §2, §5–§9).

`apply` never raises on illegal play. What the rules forbid becomes a `Violation` with the consequence written
in RULES §6; what cannot be true beside the earlier records becomes a `Problem`, and the fold goes on as well
as it can. Records may come without tiles (draws and deals that no camera sees).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pzvision.game import judge, money
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
    WinBy,
)
from pzvision.game.state import (
    DEALT,
    INDEX,
    WALL_AFTER_DEAL,
    Offer,
    PendingKong,
    Problem,
    SeatState,
    State,
    Violation,
    ViolationKind,
    Won,
    make_setup,
)
from pzvision.rules import Meld, is_complete
from pzvision.tiles import COPIES, Seat, Tile, format_tile, format_tiles, to_counts


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
        _problem(new, event.type, "type", event.type, "a new hand needs a new start")
    elif new.phase == "end":
        _problem(new, event.type, "type", event.type, "the hand is over, expected hand_start")
    else:
        handler(new, event)
    return new


# --- bookkeeping -------------------------------------------------------------------------------------


def _problem(state: State, record: str, name: str, value: str, expected: str) -> None:
    state.problems = (*state.problems, Problem(state.line, record, name, value, expected))


def _violation(state: State, kind: ViolationKind, seat: Seat, event: int | None = None) -> None:
    found = Violation(state.line if event is None else event, kind, seat)
    state.violations = (*state.violations, found)


def _judged(state: State, verdict: judge.Verdict, seat: Seat) -> None:
    if verdict.violation is None:
        return
    if verdict.certainty == "impossible":
        _violation(state, verdict.violation, seat)
    elif verdict.violation == "forbidden_discard" and verdict.certainty == "possible":
        state.suspicions = (*state.suspicions, Violation(state.line, verdict.violation, seat))


def _account(state: State, tile: Tile, number: int, record: str) -> None:
    state.accounted = state.accounted[:]
    state.accounted[tile] += number
    lamp = 1 if state.tail_lamp == tile else 0
    if state.accounted[tile] + lamp > COPIES:
        _problem(state, record, "tile", format_tile(tile), f"all {COPIES} of it are elsewhere already")


def _learn(state: State, s: SeatState, tiles: tuple[Tile, ...], record: str, name: str) -> None:
    """The player is seen to hold at least these concealed tiles."""
    counts = to_counts(tiles)
    for tile in set(tiles):
        missing = counts[tile] - s.concealed[tile]
        if missing > 0:
            if missing > s.unknown:
                text = format_tiles(tiles)
                _problem(state, record, name, text, f"the player cannot hold {format_tile(tile)}")
                return
            s.concealed[tile] += missing
            s.unknown -= missing
            s.waits_cache = None
            _account(state, tile, missing, record)


def _take(state: State, s: SeatState, tile: Tile, number: int, record: str) -> None:
    """Tiles leave the concealed hand and lie open."""
    known = min(number, s.concealed[tile])
    rest = number - known
    if rest > s.unknown:
        _problem(state, record, "tile", format_tile(tile), "the player does not hold it")
        rest = s.unknown
    if rest:
        s.unknown -= rest
        _account(state, tile, rest, record)
    s.concealed[tile] -= known


def _drop_drawn(s: SeatState) -> None:
    s.drew = False
    s.drawn = None


def _end_turn_problem(state: State, seat: Seat, record: str) -> bool:
    """Whether it is not this player's turn to act with a tile too many (recorded as a problem)."""
    if state.phase == "act" and state.turn == seat:
        return False
    if state[seat].won is not None:
        _problem(state, record, "seat", seat, "this player has won already")
    elif state.phase == "act":
        _problem(state, record, "seat", seat, f"it is the turn of {state.turn}")
    else:
        _problem(state, record, "seat", seat, "nobody has drawn a tile")
    return True


# --- offers that lapse, and wins passed by -----------------------------------------------------------


def _close_offer(state: State) -> None:
    """The next act shows who let the offered tile pass (RULES §8, 必胡, singers)."""
    offer = state.offer
    state.offer = None
    if offer is None or offer.forbidden:
        return
    by: WinBy = "rob_kong" if offer.robbed else "discard"
    if offer.robbed and not state.ruleset.rob_kong:
        return
    state.offer = offer
    for seat in state.playing:
        s = state[seat]
        if seat == offer.seat or (s.alarm and s.declaration == "none"):
            continue
        waits = state.waits(seat)
        if waits is None:
            said = state.claimed_waits(seat)
            if said and offer.tile in said and judge.must_win(state, seat):
                state.suspicions = (*state.suspicions, Violation(offer.event, "missed_win", seat))
            continue
        if offer.tile not in waits:
            continue
        verdict, score = judge.judge_win(state, seat, by, offer.tile, s.concealed)
        if verdict.certainty != "certain" or score is None:
            continue
        if judge.must_win(state, seat):
            _violation(state, "missed_win", seat, offer.event)
        if not offer.robbed and state.ruleset.no_passing:
            mine = state.own(seat)
            mine.passed = max(score.total, mine.passed or 0)
    state.offer = None


def _own_pass(state: State, seat: Seat) -> None:
    """The player acts on instead of winning with what was drawn."""
    s = state[seat]
    if s.unknown or s.won is not None:
        return
    if s.drew and s.drawn is not None:
        waits = state.waits(seat)
        if not waits or s.drawn not in waits:
            return
        tile = s.drawn
    elif judge.offered(state, seat, "self_draw", -1):
        # The dealer's fourteen: 天胡 is a self-draw, whichever tile is named.
        if not is_complete(s.concealed, s.melds):
            return
        tile = s.hand[0]
    else:
        return
    counts = s.concealed[:]
    counts[tile] -= 1
    verdict, score = judge.judge_win(state, seat, "self_draw", tile, counts)
    if verdict.certainty != "certain" or score is None:
        return
    if s.drew and judge.must_win(state, seat):
        _violation(state, "missed_win", seat, s.drawn_event)
    if state.ruleset.no_passing:
        mine = state.own(seat)
        mine.passed = max(score.total, mine.passed or 0)


# --- the records -------------------------------------------------------------------------------------


def _deal(state: State, event: Deal) -> None:
    s = state.own(event.seat)
    if state.wall_left < WALL_AFTER_DEAL or state.first_discard or any(x.melds for x in state.seats):
        _problem(state, "deal", "seat", event.seat, "the game has begun")
        return
    if event.tiles is None:
        return
    size = s.size
    if s.known:
        _problem(state, "deal", "seat", event.seat, "this player has been dealt to already")
    elif len(event.tiles) != size:
        _problem(
            state, "deal", "tiles", format_tiles(event.tiles), f"{len(event.tiles)} tiles, expected {size}"
        )
    else:
        _learn(state, s, event.tiles, "deal", "tiles")


def _tail_lamp(state: State, event: TailLamp) -> None:
    if not state.ruleset.shows_tail:
        _problem(state, "tail_lamp", "tile", format_tile(event.tile), "this game has no tail lamp")
        return
    if state.wall_left == 0:
        _problem(state, "tail_lamp", "tile", format_tile(event.tile), "the wall is empty")
        return
    if state.accounted[event.tile] >= COPIES:
        _problem(state, "tail_lamp", "tile", format_tile(event.tile), "all 4 of it are elsewhere already")
    state.tail_lamp = event.tile


def _draw(state: State, event: Draw) -> None:
    kong = state.pending
    replacement = kong is not None
    _close_offer(state)
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
            _problem(state, "draw", "seat", event.seat, f"{state.turn} has not discarded yet")
    if event.seat != expected:
        _problem(state, "draw", "seat", event.seat, f"it is for {expected} to draw")
    if len(state.winners) >= 3:
        _problem(state, "draw", "seat", event.seat, "three players have won, expected hand_end")
    if state.wall_left == 0:
        _problem(state, "draw", "seat", event.seat, "the wall is empty")
    else:
        state.wall_left -= 1
    tile = event.tile
    lamp = state.tail_lamp
    if lamp is not None and (replacement or state.wall_left == 0):
        if tile is not None and tile != lamp:
            _problem(state, "draw", "tile", format_tile(tile), f"the tail tile is {format_tile(lamp)}")
        tile = lamp if tile is None else tile
        state.tail_lamp = None
    s = state.own(event.seat)
    for seat in ("E", "S", "W", "N"):
        if seat != event.seat and state[seat].drew:
            _drop_drawn(state.own(seat))
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
        _account(state, tile, 1, "draw")
    state.phase = "act"
    state.turn = event.seat
    state.last_drawer = event.seat


def _discard(state: State, event: Discard) -> None:
    seat, tile = event.seat, event.tile
    kong = state.pending
    if kong is not None and kong.seat == seat and state.wall_left == 0:
        state.pending = None  # a kong on the empty wall has no replacement; its player goes on
    elif _end_turn_problem(state, seat, "discard"):
        state.pending = None
    _own_pass(state, seat)
    verdict = judge.judge_discard(state, seat, tile)
    _judged(state, verdict, seat)
    s = state.own(seat)
    if s.locked and s.drew and s.drawn is None and s.unknown:
        # A locked player discards the tile just drawn: the known ones stay.
        s.unknown -= 1
        _account(state, tile, 1, "discard")
    else:
        _take(state, s, tile, 1, "discard")
        if not (s.drew and s.drawn == tile):
            s.waits_cache = None
    if s.tian_jiao and (not s.drew or (s.drawn is not None and s.drawn != tile)):
        s.tian_jiao = False
    _drop_drawn(s)
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
        _problem(state, record, "tile", format_tile(tile), "there is no discard to claim")
    elif offer.tile != tile:
        _problem(state, record, "tile", format_tile(tile), f"the discard is {format_tile(offer.tile)}")
    elif offer.seat == seat:
        _problem(state, record, "seat", seat, "nobody claims the own discard")
    elif offer.winners:
        _problem(state, record, "tile", format_tile(tile), "the discard has been won on")
    elif state[seat].won is not None:
        _problem(state, record, "seat", seat, "this player has won already")
    else:
        return offer.seat
    return None


def _leave_river(state: State, seat: Seat) -> None:
    s = state.own(seat)
    s.river = s.river[:-1]


def _peng(state: State, event: Peng) -> None:
    seat, tile = event.seat, event.tile
    source = _claimable(state, seat, tile, "peng")
    if source is None:
        return
    verdict = judge.judge_peng(state, seat, tile)
    _close_offer(state)
    _judged(state, verdict, seat)
    _leave_river(state, source)
    s = state.own(seat)
    _take(state, s, tile, 2, "peng")
    s.melds = (*s.melds, Meld("peng", tile))
    s.waits_cache = None
    s.tian_jiao = False
    _drop_drawn(s)
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
    elif _end_turn_problem(state, seat, "gang"):
        return
    if kind == "ba_gang" and Meld("peng", tile) not in state[seat].melds:
        _problem(state, "gang", "tile", format_tile(tile), "the player has no 碰 of it")
        return
    if kind != "zhi_gang":
        _own_pass(state, seat)
    verdict = judge.judge_gang(state, seat, kind, tile)
    keeps = judge.kong_keeps_waits(state, seat, kind, tile) if state[seat].tian_jiao else None
    _close_offer(state)
    _judged(state, verdict, seat)
    if source is not None:
        _leave_river(state, source)
    s = state.own(seat)
    kept = kind == "ba_gang" and event.kept
    if kind == "ba_gang" and not (s.drew and s.drawn is None):
        kept = not s.drew or s.drawn != tile
    _take(state, s, tile, judge.KONG_TAKES[kind], "gang")
    s.melds = judge.melds_after(s, kind, tile)
    s.waits_cache = None
    if keeps is False:
        s.tian_jiao = False
    _drop_drawn(s)
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
        _problem(state, "declare", "declaration", repr(made), f"{ruleset.id} has no such declaration")
        return
    if state[seat].won is not None:
        _problem(state, "declare", "seat", seat, "this player has won already")
        return
    s = state.own(seat)
    if event.tiles:
        _learn(state, s, event.tiles, "declare", "tiles")
    if made == "alarm":
        s.alarm = True
        return
    waits = state.waits(seat)
    ready = None if waits is None else bool(waits)
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
            _violation(state, "late_declaration", seat)
            return
        upgrade = s.declaration == "sing" and made == "dance" and ruleset.upgrade_declaration
        if s.declaration not in ("none", made) and not upgrade:
            _violation(state, "declaration_change", seat)
            return
    if s.declaration == "none":
        s.declared_event = state.line
        s.declared_ready = ready
    s.declaration = "sing" if made == "sing" else "dance" if made == "dance" else "bai"
    if event.waits is not None:
        s.said_waits = event.waits
    if event.tiles and made != "sing":
        s.shown = event.tiles


def _win(state: State, event: Win) -> None:
    seat, tile, by = event.seat, event.tile, event.by
    s = state[seat]
    if s.won is not None:
        _problem(state, "win", "seat", seat, "this player has won already")
        return
    shown = None if event.hand is None else to_counts(event.hand)
    if shown is not None and sum(shown) + 3 * len(s.melds) > DEALT:
        _problem(
            state,
            "win",
            "hand",
            format_tiles(event.hand or ()),
            f"{sum(shown)} tiles, expected {DEALT - 3 * len(s.melds)}",
        )
        return
    if not judge.offered(state, seat, by, tile):
        if by == "self_draw" and state.phase == "act" and state.turn == seat and not s.drew:
            _violation(state, "illegal_win", seat)  # after a 碰 nothing was drawn to win with
        else:
            _problem(state, "win", "tile", format_tile(tile), f"no such tile to win on by {by}")
        return
    counts = judge.counts_for_win(state, seat, by, tile)
    if counts is not None and shown is not None and counts != shown:
        _problem(
            state, "win", "hand", format_tiles(event.hand or ()), "these are not the player's concealed tiles"
        )
        return
    if counts is None:
        if by == "self_draw" and s.known:
            _problem(state, "win", "tile", format_tile(tile), "the player does not hold it")
            return
        counts = shown
        if counts is not None and sum(counts) + 3 * len(s.melds) != DEALT:
            counts = None
    verdict, score = judge.judge_win(state, seat, by, tile, counts)
    if verdict.certainty == "impossible":
        # Void: nothing is paid and the player stays in (RULES §6).
        _violation(state, verdict.violation or "illegal_win", seat)
        return
    _settle_win(state, event, counts, score)


def _settle_win(state: State, event: Win, counts: list[int] | None, score: Any) -> None:
    seat, tile, by = event.seat, event.tile, event.by
    offer = state.offer
    source = None if by == "self_draw" or offer is None else offer.seat
    if score is None:
        state.unsettled = (*state.unsettled, state.line)
    else:
        money.pay_win(state, seat, source, score, state.line)
    s = state.own(seat)
    if by == "self_draw":
        if s.drew and s.drawn is None and s.unknown:
            s.unknown -= 1
            _account(state, tile, 1, "win")
        else:
            _take(state, s, tile, 1, "win")
    if counts is not None:
        _learn(state, s, tuple(t for t, n in enumerate(counts) for _ in range(n)), "win", "hand")
    _drop_drawn(s)
    s.waits_cache = None
    offer_event = 0 if source is None or offer is None else offer.event
    robbed = by == "rob_kong"
    s.won = Won(state.line, tile, source, offer_event, robbed, score)
    state.winners = (*state.winners, seat)
    state.chain = 0
    if source is None or offer is None:
        state.offer = None
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
            robbed.melds = tuple(
                Meld("peng", m.tile) if m.kind == "ba_gang" and m.tile == offer.tile else m
                for m in robbed.melds
            )
            robbed.waits_cache = None
            state.pending = None
            state.turn_kongs = 0
    elif winners == 1:
        _leave_river(state, offer.seat)
    elif winners == 2:
        discarder = state.own(offer.seat)
        discarder.river = (*discarder.river, offer.tile)


def _reveal(state: State, event: Reveal) -> None:
    s = state.own(event.seat)
    if event.hand is not None and s.won is None:
        if len(event.hand) > s.size:
            _problem(
                state,
                "reveal",
                "hand",
                format_tiles(event.hand),
                f"{len(event.hand)} tiles, expected {s.size}",
            )
            return
        _learn(state, s, event.hand, "reveal", "hand")
    _find_zha_hu(state, event.seat, state.line)


def _find_zha_hu(state: State, seat: Seat, line: int) -> None:
    """诈胡, once the tiles are shown: sang or danced without being ready (RULES §6)."""
    s = state[seat]
    if s.declaration not in ("sing", "dance") or s.zha_hu_paid or not state.ruleset.zha_hu:
        return
    ready = s.declared_ready
    if ready is None and s.won is None:
        # A locked hand does not change, so what is shown now is what was declared.
        waits = state.waits(seat)
        ready = None if waits is None else bool(waits)
    if ready is False:
        state.own(seat).zha_hu_paid = True
        _violation(state, "zha_hu", seat, s.declared_event)
        money.pay_zha_hu(state, seat, line)


def _leave(state: State, event: Leave) -> None:
    if state[event.seat].left:
        return
    s = state.own(event.seat)
    s.left = True
    if s.won is not None:
        money.pay_leaver(state, event.seat, state.line)


def _hand_end(state: State, event: HandEnd) -> None:
    state.cut = not state.finished
    if not state.cut:
        _close_offer(state)
        for seat in ("E", "S", "W", "N"):
            _find_zha_hu(state, seat, state.line)
        if len(state.winners) < 3 and not money.pay_cha_jiao(state, state.line):
            state.unsettled = (*state.unsettled, state.line)
    state.phase = "end"


_HANDLERS: Final[dict[type, Callable[[State, Any], None]]] = {
    Deal: _deal,
    TailLamp: _tail_lamp,
    Draw: _draw,
    Discard: _discard,
    Peng: _peng,
    Gang: _gang,
    Declare: _declare,
    Win: _win,
    Reveal: _reveal,
    Leave: _leave,
    HandEnd: _hand_end,
}
