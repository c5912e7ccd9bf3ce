"""From acts and classes to the records of a game log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from pzvision.errors import FormatError
from pzvision.game.events import (
    Deal,
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    HandEnd,
    HandStart,
    Peng,
    Reveal,
    TailLamp,
    Win,
)
from pzvision.rules import Meld, Ruleset, is_complete, score_win, wait_tiles
from pzvision.table.classes import (
    Reading,
    hand_tracks,
    meld_node,
    melds_before,
    shown_tracks,
    winning_track,
)
from pzvision.table.config import TableConfig
from pzvision.table.hypotheses import WALL_AFTER_DEAL, Act, Told
from pzvision.table.merging import Line, locked_hands, merge_said, with_shown
from pzvision.table.tracks import Track
from pzvision.tiles import COPIES, SEATS, Seat, Tile, to_counts


@dataclass(frozen=True)
class Hand:
    """What is known of a hand before it is seen: written into its first record. ``start``: s."""

    ruleset: Ruleset
    base: int = 1
    options: Mapping[str, object] = field(default_factory=dict)
    names: Mapping[str, str] | None = None
    start: float = 0.0


def may_win(ruleset: Ruleset, tiles: Sequence[Tile], melds: Sequence[Meld], tile: Tile, act: Act) -> bool:
    """Whether these concealed tiles (with the winning ``tile``) may win in this game, sung or not."""
    counts = to_counts(tiles)
    if max(counts) > COPIES or not is_complete(counts, melds):
        return False
    counts[tile] -= 1
    by = act.by if act.by in ("self_draw", "discard", "rob_kong") else "discard"
    try:
        score = score_win(ruleset, counts, melds, tile=tile, by=by)
    except FormatError:
        return False
    return score.legal or score.reason == "huo_que"


def tell(
    acts: Sequence[Act],
    reading: Reading,
    hand: Hand,
    declarations: Sequence[Event] = (),
    end: float | None = None,
    config: TableConfig | None = None,
) -> list[Line]:
    """The log of a hand.

    Args:
        acts: the story, in order.
        reading: its tiles' classes.
        hand: what its first record says.
        declarations: spoken ones (and whoever left), merged by their ``t``.
        end: s, when it was over; None while it goes on.
        config: thresholds.
    """
    spoken = [d for d in declarations if isinstance(d, Declare)]
    dealer = dealer_of(acts, spoken)
    start = hand.start
    opening = HandStart(hand.ruleset.id, dealer, hand.base, dict(hand.options), hand.names, t=start)
    lines = [Line(opening), *(Line(Deal(seat, None, t=start)) for seat in SEATS)]
    declared: set[Seat] = {d.seat for d in spoken if d.declaration in ("dance", "bai") or d.tiles}
    shown: list[Declare] = []
    lamp: Tile | None = None  # the tile that would be drawn now
    turned_up: Tile | None = None  # the last one seen
    lamp_track: Track | None = None
    wall = WALL_AFTER_DEAL
    kong_by = -1
    kong_lamp: Tile | None = None
    drawn_early = -1
    clock = start
    same = (config or TableConfig()).lamp_same_cm

    def near(track: Track, other: Track | None) -> bool:
        return other is not None and float(np.linalg.norm(track.at - other.at)) < same

    for act in acts:
        seat = SEATS[act.seat] if act.seat >= 0 else "E"
        if act.kind == "shown":
            if seat not in declared and act.tracks:
                shown.append(_shown(act, acts, reading, hand.ruleset, seat, act.t))
            continue
        clock = max(clock, act.t)
        at = round(clock, 2)
        if act.kind == "lamp":
            node = reading.of_track[act.tracks[0].id]
            # The same one may be found again after something had covered it.
            again = turned_up == node.tile and (lamp is not None or near(act.tracks[0], lamp_track))
            if kong_by >= 0 and (kong_lamp is not None or not again):
                # The next tile is turned up: the replacement has been drawn, whatever is done with it.
                wall -= 1
                drawn_early = kong_by
                lines.append(Line(Draw(SEATS[kong_by], kong_lamp, t=at), act))
                kong_by, kong_lamp = -1, None
            elif again:
                continue
            lamp = turned_up = node.tile
            lamp_track = act.tracks[0]
            lines.append(Line(TailLamp(node.tile, t=at, confidence=_sure(node.confidence)), act))
        elif act.kind == "draw":
            if drawn_early == act.seat:
                drawn_early = -1
                continue
            known = kong_lamp if kong_by == act.seat else lamp if wall == 1 else None
            if known is not None:
                lamp = None  # it is drawn; whether the next one is seen or not
            kong_by, kong_lamp = -1, None
            wall -= 1
            lines.append(Line(Draw(seat, known, t=at), act))
        elif act.kind == "discard":
            node = reading.of_discard[act.number]
            lines.append(Line(Discard(seat, node.tile, t=at, confidence=_sure(node.confidence)), act))
        elif act.kind == "peng":
            node = meld_node(act, reading)
            lines.append(Line(Peng(seat, node.tile, t=at, confidence=_sure(node.confidence)), act))
        elif act.kind == "gang" and act.gang is not None:
            node = meld_node(act, reading)
            kong_by, kong_lamp = act.seat, lamp
            kong = Gang(seat, act.gang, node.tile, act.kept, t=at, confidence=_sure(node.confidence))
            lines.append(Line(kong, act))
        elif act.kind == "win":
            lines.append(Line(_win(act, acts, reading, hand.ruleset, seat, at), act))
        elif act.kind == "reveal":
            melds = melds_before(acts, act, reading)
            tracks = hand_tracks(act, acts, len(melds))
            tiles = sorted(reading.of_track[t.id].tile for t in tracks if t.id in reading.of_track)
            right = len(tiles) == 13 - 3 * len(melds)
            lines.append(Line(Reveal(seat, tuple(tiles) if right else None, t=at), act))
    lines = locked_hands(merge_said(lines, [*declarations, *shown]), spoken)
    if end is not None:
        if wall <= 0 or sum(a.kind == "win" for a in acts) >= 3 or any(a.kind == "reveal" for a in acts):
            lines = with_shown(lines, _already_shown(acts, reading, spoken, clock), end)
            clock = max(clock, lines[-1].event.t or clock)
        lines.append(Line(HandEnd(t=round(max(end, clock), 2))))
    return lines


def told_by(said: Sequence[Event], ruleset: Ruleset | None = None) -> tuple[Told, ...]:
    """What players told of their hands with a dance or 摆牌; no waits where dancers win by draws only."""
    out = []
    for e in said:
        if not isinstance(e, Declare) or e.declaration not in ("dance", "bai") or not e.tiles:
            continue
        drawn = ruleset is not None and e.declaration == "dance" and ruleset.dancer_wins_on == "self_draw"
        waits = frozenset[Tile]() if drawn else frozenset(e.waits or ())
        out.append(Told(SEATS.index(e.seat), len(e.tiles), waits, e.t or 0.0))
    return tuple(out)


def declared(said: Sequence[Event]) -> tuple[dict[int, float], frozenset[int]]:
    """Seats that are locked by what they said with the time they said it (s), and those of them whose hands
    lie open without a dance.
    """
    made = [(SEATS.index(e.seat), e.declaration, e.t or 0.0) for e in said if isinstance(e, Declare)]
    locked: dict[int, float] = {}
    for seat, kind, t in made:
        if kind != "tian_jiao":
            locked[seat] = min(t, locked.get(seat, t))
    return locked, frozenset(seat for seat, kind, _ in made if kind == "bai")


def discarded_before(said: Sequence[Event]) -> dict[int, float]:
    """Seats that have discarded by some time (s), for they declared what one declares after a discard of
    one's own; with 天叫 one may before the first.
    """
    made = [(SEATS.index(e.seat), e.declaration, e.t or 0.0) for e in said if isinstance(e, Declare)]
    from_the_start = {seat for seat, kind, _ in made if kind == "tian_jiao"}
    out: dict[int, float] = {}
    for seat, kind, t in made:
        if kind in ("sing", "dance", "bai", "bao_ting") and seat not in from_the_start:
            out[seat] = min(t, out.get(seat, t))
    return out


def _already_shown(
    acts: Sequence[Act], reading: Reading, spoken: Sequence[Declare], at: float
) -> list[Reveal]:
    """A dancer who has not won and whose whole hand lies shown has nothing to turn over at the end."""
    done = {a.seat for a in acts if a.kind in ("win", "reveal")}
    out = []
    for said in told_by(spoken):
        melds = melds_before(acts, Act("reveal", said.seat, at), reading)
        if said.seat not in done and said.tiles == 13 - 3 * len(melds):
            done.add(said.seat)
            shown = next(e.tiles for e in reversed(spoken) if SEATS.index(e.seat) == said.seat and e.tiles)
            out.append(Reveal(SEATS[said.seat], shown, t=at))
    for act in acts:
        if act.kind != "shown" or act.seat in done:
            continue
        melds = melds_before(acts, replace(act), reading)
        tiles = [
            reading.of_track[t.id].tile for t in shown_tracks(acts, act.seat) if t.id in reading.of_track
        ]
        if len(tiles) == 13 - 3 * len(melds):
            out.append(Reveal(SEATS[act.seat], tuple(sorted(tiles)), t=at))
    return out


def dealer_of(acts: Sequence[Act], spoken: Sequence[Declare] = ()) -> Seat:
    """Whoever acts first without a draw. Before anybody has it is still open: the first seat that has not
    said 天叫, which only the others may.
    """
    for act in acts:
        if act.kind in ("discard", "gang", "win", "draw"):
            return SEATS[act.seat]
    others = {d.seat for d in spoken if d.declaration == "tian_jiao"}
    return next((seat for seat in SEATS if seat not in others), SEATS[0])


def _sure(confidence: float) -> float:
    return round(min(max(confidence, 0.0), 1.0), 3)


def _win(act: Act, acts: Sequence[Act], reading: Reading, ruleset: Ruleset, seat: Seat, at: float) -> Win:
    melds = melds_before(acts, act, reading)
    tracks = hand_tracks(act, acts, len(melds))
    tiles = [reading.of_track[t.id].tile for t in tracks if t.id in reading.of_track]
    if act.seat in reading.unfound:
        tiles.append(reading.unfound[act.seat].tile)
    winning = winning_track(act)
    node = reading.of_discard.get(act.target) if act.by == "discard" else None
    if act.by == "rob_kong" and act.onto:
        node = reading.of_track.get(act.onto[0].id)
    if node is None and winning is not None:
        node = reading.of_track.get(winning.id)
    tile = node.tile if node is not None else (tiles[-1] if tiles else 0)
    held = 13 - 3 * len(melds)
    if tile in tiles and (len(tiles) > held or winning is not None):
        tiles.remove(tile)
    confidence = node.confidence if node is not None else 0.0
    shown = _fitting(tiles, held, lambda rest: may_win(ruleset, [*rest, tile], melds, tile, act))
    return Win(seat, act.by or "discard", tile, shown, t=at, confidence=_sure(confidence))


def _fitting(
    tiles: Sequence[Tile], held: int, wins: Callable[[Sequence[Tile]], bool]
) -> tuple[Tile, ...] | None:
    """The hand if it has the right size; one or two tiles too many are left out so that it wins."""
    if len(tiles) == held:
        return tuple(sorted(tiles))
    if 0 <= held < len(tiles) <= held + 2:
        for rest in sorted(set(combinations(sorted(tiles), held))):
            if wins(rest):
                return rest
    return None


def _shown(
    act: Act, acts: Sequence[Act], reading: Reading, ruleset: Ruleset, seat: Seat, at: float
) -> Declare:
    """A dance (``bai`` in Xichang) told by the tiles shown; its waits where the whole hand is shown."""
    tiles = tuple(sorted(reading.of_track[t.id].tile for t in act.tracks if t.id in reading.of_track))[:13]
    melds = melds_before(acts, act, reading)
    waits: tuple[Tile, ...] | None = None
    if len(tiles) == 13 - 3 * len(melds):
        try:
            waits = wait_tiles(ruleset, to_counts(tiles), melds) or None
        except FormatError:
            waits = None
    kind = "bai" if ruleset.id.startswith("xichang") or ruleset.parent_id == "xichang" else "dance"
    return Declare(seat, "bai" if kind == "bai" else "dance", tiles, waits, t=at)
