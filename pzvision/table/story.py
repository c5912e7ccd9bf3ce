"""From acts and classes to the records of a game log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from pzvision.errors import FormatError, PzvisionError
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
    format_event,
)
from pzvision.game.settle import settle_log
from pzvision.rules import Meld, Ruleset, is_complete, score_win, wait_tiles
from pzvision.table.classes import (
    Reading,
    hand_tracks,
    meld_node,
    melds_before,
    shown_tracks,
    winning_track,
)
from pzvision.table.hypotheses import WALL_AFTER_DEAL, Act
from pzvision.tiles import COPIES, SEATS, Seat, Tile, to_counts

REVEAL_S = 2.1  # s; a hand is laid down in about this at the end


@dataclass(frozen=True)
class Hand:
    """What is known of a hand before it is seen: written into its first record."""

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
    declarations: Sequence[Declare] = (),
    end: float | None = None,
) -> list[Event]:
    """The log of a hand.

    Args:
        acts: the story, in order.
        reading: its tiles' classes.
        hand: what its first record says.
        declarations: spoken ones, merged by their ``t``.
        end: s, when it was over; None while it goes on.
    """
    dealer = dealer_of(acts)
    start = hand.start
    events: list[Event] = [
        HandStart(hand.ruleset.id, dealer, hand.base, dict(hand.options), hand.names, t=start)
    ]
    events.extend(Deal(seat, None, t=start) for seat in SEATS)
    declared: set[Seat] = {d.seat for d in declarations if d.declaration in ("dance", "bai") or d.tiles}
    shown: list[Declare] = []
    lamp: Tile | None = None
    wall = WALL_AFTER_DEAL
    kong_by = -1
    kong_lamp: Tile | None = None
    drawn_early = -1
    clock = start
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
            if kong_by >= 0 and kong_lamp is not None:
                # The next tile is turned up: the replacement has been drawn, whatever is done with it.
                wall -= 1
                drawn_early = kong_by
                events.append(Draw(SEATS[kong_by], kong_lamp, t=at))
                kong_by, kong_lamp = -1, None
            elif lamp == node.tile:  # the same one, found again after something had covered it
                continue
            lamp = node.tile
            events.append(TailLamp(node.tile, t=at, confidence=_sure(node.confidence)))
        elif act.kind == "draw":
            if drawn_early == act.seat:
                drawn_early = -1
                continue
            known = kong_lamp if kong_by == act.seat else lamp if wall == 1 else None
            kong_by, kong_lamp = -1, None
            wall -= 1
            events.append(Draw(seat, known, t=at))
        elif act.kind == "discard":
            node = reading.of_discard[act.number]
            events.append(Discard(seat, node.tile, t=at, confidence=_sure(node.confidence)))
        elif act.kind == "peng":
            node = meld_node(act, reading)
            events.append(Peng(seat, node.tile, t=at, confidence=_sure(node.confidence)))
        elif act.kind == "gang" and act.gang is not None:
            node = meld_node(act, reading)
            kong_by, kong_lamp = act.seat, lamp
            events.append(Gang(seat, act.gang, node.tile, act.kept, t=at, confidence=_sure(node.confidence)))
        elif act.kind == "win":
            events.append(_win(act, acts, reading, hand.ruleset, seat, at))
        elif act.kind == "reveal":
            melds = melds_before(acts, act, reading)
            tracks = hand_tracks(act, acts, len(melds))
            tiles = sorted(reading.of_track[t.id].tile for t in tracks if t.id in reading.of_track)
            right = len(tiles) == 13 - 3 * len(melds)
            events.append(Reveal(seat, tuple(tiles) if right else None, t=at))
    events = _locked_hands(_merge(events, [*declarations, *shown]), declarations)
    if end is not None:
        if wall <= 0 or sum(a.kind == "win" for a in acts) >= 3 or any(a.kind == "reveal" for a in acts):
            events = _with_shown(events, _already_shown(acts, reading, clock), end)
            clock = max(clock, events[-1].t or clock)
        events.append(HandEnd(t=round(max(end, clock), 2)))
    return events


def _locked_hands(events: Sequence[Event], spoken: Sequence[Declare]) -> list[Event]:
    """A player who declared with his whole hand told is locked: what he lays down later is that hand.

    Only for hands that are as large and, where they were read, differ in at most three tiles; a kong since
    then makes another hand of it.
    """
    by_word = {d.seat for d in spoken if d.declaration in ("dance", "bai", "bao_ting")}
    known: dict[Seat, tuple[Tile, ...]] = {}
    melds = dict.fromkeys(SEATS, 0)
    out: list[Event] = []
    for event in events:
        if isinstance(event, Peng):
            melds[event.seat] += 1
        elif isinstance(event, Gang):
            melds[event.seat] += event.kind != "ba_gang"
            known.pop(event.seat, None)
        elif isinstance(event, Declare) and event.seat in by_word and event.tiles:
            known[event.seat] = tuple(sorted(event.tiles))
        elif isinstance(event, Win | Reveal):
            told = known.get(event.seat, ())
            held = 13 - 3 * melds[event.seat]
            if len(told) == held and (Counter(told) - Counter(event.hand or told)).total() <= 3:
                event = replace(event, hand=told)
        out.append(event)
    return out


def _with_shown(events: list[Event], shown: Sequence[Reveal], end: float) -> list[Event]:
    """Hands are revealed seat after seat, each in about two seconds; that of a dancer takes its turn too."""
    reveals = [e for e in events if isinstance(e, Reveal)]
    rest = [e for e in events if not isinstance(e, Reveal)]
    last = max((e.t or 0.0 for e in rest), default=0.0)
    out: list[Event] = list(rest)
    for reveal in sorted([*reveals, *shown], key=lambda e: SEATS.index(e.seat)):
        if reveal in shown:
            reveal = replace(reveal, t=round(min(last + REVEAL_S, end), 2))
        last = max(last, reveal.t or 0.0)
        out.append(reveal)
    return out


def _already_shown(acts: Sequence[Act], reading: Reading, at: float) -> list[Reveal]:
    """A dancer who has not won and whose whole hand lies shown has nothing to turn over at the end."""
    done = {a.seat for a in acts if a.kind in ("win", "reveal")}
    out = []
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


def dealer_of(acts: Sequence[Act]) -> Seat:
    """Whoever acts first without a draw; E before anybody has."""
    for act in acts:
        if act.kind in ("discard", "gang", "win", "draw"):
            return SEATS[act.seat]
    return "E"


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
    if held < len(tiles) <= held + 2:
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


def _merge(events: list[Event], declarations: Sequence[Declare]) -> list[Event]:
    """Spoken declarations go after the last record that is not later than they."""
    out = list(events)
    for spoken in sorted(declarations, key=lambda d: d.t if d.t is not None else 0.0):
        moment = spoken.t if spoken.t is not None else 0.0
        place = _place(out, spoken, moment)
        out.insert(place, replace(spoken, t=round(moment, 2)))
    return out


def _place(events: Sequence[Event], spoken: Declare, moment: float) -> int:
    """After the declarer's own last discard if that is near, else by time."""
    by_time = 1 + max(
        (i for i, e in enumerate(events) if (e.t if e.t is not None else 0.0) <= moment), default=0
    )
    for index, event in enumerate(events):
        near = event.t is not None and abs(event.t - moment) <= 3.0
        if isinstance(event, Discard) and event.seat == spoken.seat and near:
            after = index + 1
            while after < len(events) and isinstance(events[after], Declare):
                after += 1
            return after
    return by_time


def consistent(events: Sequence[Event]) -> list[Event]:
    """The log with nothing in it that cannot be true, as far as the tail lamp is to blame.

    A misread lamp that was drawn may be a tile the player cannot have: then it is left open what it was. The
    least certain lamp goes first, all of them if no single one is to blame.
    """
    if not _impossible(events):
        return list(events)
    lamps = [i for i, e in enumerate(events) if isinstance(e, TailLamp)]
    for index in sorted(lamps, key=lambda i: (events[i].confidence or 0.0, i)):
        log = _without_lamp(events, index)
        if not _impossible(log):
            return log
    none: list[Event] = list(events)
    for index in reversed(lamps):
        none = _without_lamp(none, index)
    return none if not _impossible(none) else list(events)


def _without_lamp(events: Sequence[Event], index: int) -> list[Event]:
    """The log without one tail lamp, and with the draw that took it left open."""
    lamp = events[index]
    assert isinstance(lamp, TailLamp)
    after = list(events[index + 1 :])
    for i, event in enumerate(after):
        if isinstance(event, Draw) and event.tile is not None:
            after[i] = replace(event, tile=None) if event.tile == lamp.tile else event
            break
    return [*events[:index], *after]


def _impossible(events: Sequence[Event]) -> bool:
    try:
        settle_log([format_event(e) for e in events])
    except PzvisionError:
        return True
    return False
