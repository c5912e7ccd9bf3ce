"""The game as JSON for pages, overlays and the rendered video: what ``/state`` answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pzvision.game import Payment, State
from pzvision.live.announcer import certain_kongs, hand_values
from pzvision.live.places import Indices
from pzvision.live.session import Session
from pzvision.live.wording import why_text
from pzvision.table.reader import TableTile
from pzvision.tiles import COPIES, SEAT_NAMES, SEATS, Seat, format_tile, format_tiles

SHOWN_ANNOUNCEMENTS = 80


def view_of(
    session: Session, *, near_seat: Seat = "E", source: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The whole state.

    Args:
        session: the game so far.
        near_seat: who sits at the near edge of the picture.
        source: ``name``, ``t``, ``duration`` and ``over`` of what is being watched.
    """
    state = session.state
    totals = session.totals
    out: dict[str, Any] = {
        "near_seat": near_seat,
        "source": source,
        "hand": session.hand,
        "session_totals": totals,
        "announcements": session.announcement_records(SHOWN_ANNOUNCEMENTS),
        "ruleset": None,
        "base": None,
        "dealer": None,
        "turn": None,
        "phase": None,
        "wall_left": None,
        "wall_seen": None,
        "tail_lamp": None,
        "last_discard": None,
        "totals": dict.fromkeys(SEATS, 0),
        "ledger": [],
        "violations": [],
        "problems": [],
        "seats": {seat: _empty_seat(seat, totals[seat]) for seat in SEATS},
    }
    if state is None:
        return out
    discard = state.last_discard
    places = session.places
    out.update(
        ruleset={
            "id": state.ruleset.id,
            "name": {"zh": state.ruleset.name("zh"), "en": state.ruleset.name("en")},
        },
        base=state.base,
        dealer=state.dealer,
        turn=None if state.phase == "end" else state.turn,
        phase="over" if state.phase == "end" else state.phase,
        wall_left=state.wall_left,
        tail_lamp=None if state.tail_lamp is None else format_tile(state.tail_lamp),
        last_discard=None if discard is None else {"seat": discard[0], "tile": format_tile(discard[1])},
        totals={seat: state.total(seat) for seat in SEATS},
        ledger=[payment_record(p) for p in state.ledger],
        violations=[{"event": v.event, "kind": v.kind, "seat": v.seat} for v in state.violations],
        problems=[{"event": p.event, "text": str(p)} for p in state.problems],
        seats={
            seat: {
                **_seat(state, seat, totals[seat]),
                "river_events": _numbers(places.rivers[i]),
                "meld_events": _numbers(places.melds[i]),
            }
            for i, seat in enumerate(SEATS)
        },
    )
    return out


def _numbers(indices: Indices) -> list[int | None]:
    """Numbers of records as the ledger counts them, from 1."""
    return [None if index is None else index + 1 for index in indices]


def tile_records(tiles: Sequence[TableTile]) -> list[dict[str, Any]]:
    """Tiles as they lie on the table, for a page to draw and to point at.

    ``x``, ``y``: their middle, cm from the table's, to the right and away as the near player sees it.
    ``yaw``: degrees counter-clockwise by which the face is turned from upright for that player.
    """
    out: list[dict[str, Any]] = []
    for tile in tiles:
        x, y = tile.polygon.mean(axis=0)
        along = tile.polygon[1] - tile.polygon[0]
        out.append(
            {
                "id": tile.id,
                "tile": format_tile(tile.tile),
                "x": round(float(x), 1),
                "y": round(float(y), 1),
                "yaw": round(math.degrees(math.atan2(along[1], along[0]))),
                "seat": tile.seat,
                "zone": tile.zone,
                "confidence": round(tile.confidence, 2),
            }
        )
    return out


def payment_record(payment: Payment) -> dict[str, Any]:
    """A ledger line as ``settle --json`` has it, with ``why`` in words."""
    return {
        "event": payment.event,
        "kind": payment.kind,
        "from": payment.source,
        "to": payment.target,
        "fan": payment.fan,
        "amount": payment.amount,
        "why": {"zh": why_text(payment, "zh"), "en": why_text(payment, "en")},
    }


def _names(seat: Seat, given: str | None = None) -> dict[str, str]:
    zh, en = SEAT_NAMES["zh"][seat], SEAT_NAMES["en"][seat]
    if not given or given in (zh, en, seat, zh[0]):
        return {"zh": zh, "en": en}
    return {"zh": given, "en": given}


def _empty_seat(seat: Seat, total: int) -> dict[str, Any]:
    return {
        "name": _names(seat),
        "river": [],
        "river_events": [],
        "melds": [],
        "meld_events": [],
        "known": "",
        "unknown": 0,
        "declaration": "none",
        "marks": [],
        "won": None,
        "waits": [],
        "kongs": [],
        "total": total,
    }


def _seat(state: State, seat: Seat, total: int) -> dict[str, Any]:
    player = state[seat]
    out = _empty_seat(seat, total)
    marks = [name for name in ("alarm", "tian_jiao", "bao_ting") if getattr(player, name)]
    out.update(
        name=_names(seat, state.setup.names.get(seat)),
        river=[format_tile(tile) for tile in player.river],
        melds=[meld.format() for meld in player.melds],
        known=format_tiles(player.hand),
        unknown=player.unknown,
        declaration=player.declaration,
        marks=marks,
        won=None if player.won is None else {"tile": format_tile(player.won.tile), "event": player.won.event},
    )
    if player.won is None:
        out["waits"] = _waits(state, seat)
        out["kongs"] = [
            {"kind": act.kind, "tile": format_tile(act.tile), "price": act.fan * state.base * len(act.payers)}
            for act in certain_kongs(state, seat)
            if act.tile is not None
        ]
    return out


def _waits(state: State, seat: Seat) -> list[dict[str, Any]]:
    values = hand_values(state, seat)
    if values is not None:
        return [
            {"tile": format_tile(v.tile), "left": v.left, "most": False, "fan": v.fan, "legal": v.legal}
            for v in values
        ]
    said = state.claimed_waits(seat) or ()
    if not said:
        return []
    # The hand is hidden: copies nobody sees, some of which the player may hold.
    seen = state.visible()
    return [
        {
            "tile": format_tile(tile),
            "left": max(0, COPIES - seen[tile]),
            "most": True,
            "fan": None,
            "legal": None,
        }
        for tile in said
    ]
