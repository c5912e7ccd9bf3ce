"""What the rules say about one act in one state: allowed, forbidden, or not to be known.

The rules are those of S0 §1.10, §2 and §3, S1 3, S2 §1.4 and §2, S3 (3) to (7), and decisions named below.

Every answer is a `Verdict`. "certain": the player may, whatever the unknown tiles are. "impossible": the
rules or the known tiles forbid it, whatever the unknown are. "possible": it depends on tiles nobody can see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pzvision.game.entries import ViolationKind
from pzvision.game.events import GangKind, Tiles, WinBy
from pzvision.game.seat import DEALT, SeatState, is_thirteen
from pzvision.game.state import State
from pzvision.rules import Meld, Opening, Score, score_win, wait_tiles
from pzvision.tiles import COPIES, KINDS, SEATS, Seat, Tile, suit, to_counts

Certainty: TypeAlias = Literal["certain", "possible", "impossible"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer. ``reason``: key of a message, "" when allowed. ``violation``: its kind when done anyway."""

    certainty: Certainty
    reason: str = ""
    violation: ViolationKind | None = None


CERTAIN: Final = Verdict("certain")
UNKNOWN_TILES: Final = Verdict("possible", "unknown_tiles")
NO_TILES: Final = Verdict("impossible", "no_tiles")
LOCKED_DISCARD: Final = Verdict("impossible", "locked", "locked_discard")
LOCKED_CLAIM: Final = Verdict("impossible", "locked", "locked_claim")
LOCKED_MAYBE: Final = Verdict("possible", "waits_may_change", "locked_claim")
FORBIDDEN_DISCARD: Final = Verdict("impossible", "dancer_waits", "forbidden_discard")
FORBIDDEN_MAYBE: Final = Verdict("possible", "dancer_waits", "forbidden_discard")
MISSED_ALARM: Final = Verdict("impossible", "must_alarm", "missed_alarm")
FORBIDDEN_CLAIM: Final = Verdict("impossible", "no_legal_discard_after", "forbidden_claim")
FORBIDDEN_CLAIM_MAYBE: Final = Verdict("possible", "no_legal_discard_after", "forbidden_claim")
NO_WALL: Final = Verdict("impossible", "no_wall", "no_wall_kong")
DANCE_OFFER: Final = Verdict("impossible", "forbidden_offer", "illegal_win")
SELF_DRAW_ONLY: Final = Verdict("impossible", "dancer_self_draw_only", "illegal_win")
PASSED: Final = Verdict("impossible", "passed", "passed_win")

_RANK: Final = {"certain": 0, "possible": 1, "impossible": 2}
_NOTHING: Final[frozenset[Tile]] = frozenset()


def worst(first: Verdict, second: Verdict) -> Verdict:
    """The less certain of two; the first when equal."""
    return second if _RANK[second.certainty] > _RANK[first.certainty] else first


# --- dancers and their tiles -------------------------------------------------------------------------


def dancer_waits(state: State, dancer: Seat) -> Tiles | None:
    """The tiles a dancer waits for: from the tiles if known, else as declared, else from what is shown."""
    found = state.claimed_waits(dancer)
    return found if found is not None else shown_waits(state, state[dancer])


def shown_waits(state: State, s: SeatState) -> Tiles | None:
    """What the part of a hand shown by a dancer waits for, standing alone. None when that says nothing."""
    part = s.shown
    if not part or len(part) > DEALT or len(part) % 3 == 0:
        return None
    counts = to_counts(part)
    if max(counts) > COPIES:  # misread: says nothing
        return None
    spare = next((t for t in range(KINDS) if all(suit(t) != suit(p) for p in part)), None)
    if len(part) % 3 == 2:
        if spare is None:
            return None
        counts[spare] += 2  # the pair is elsewhere in the hand; any pair of another suit stands for it
    missing = (DEALT - sum(counts)) // 3
    # The rest of the hand stands aside as melds of kinds that nothing shown could wait for.
    apart = [t for t in range(KINDS) if all(suit(t) != suit(p) or abs(t - p) > 1 for p in part)]
    melds = tuple(Meld("an_gang", t) for t in apart)[:missing]
    return tuple(t for t in wait_tiles(state.ruleset, counts, melds) if t != spare)


def forbidden_tiles(state: State, seat: Seat) -> frozenset[Tile]:
    """What dancers other than ``seat`` wait for: an unlocked ``seat`` may not discard it (S0 §1.10)."""
    found: set[Tile] = set()
    for other, s in zip(SEATS, state.seats, strict=True):
        if s.declaration == "dance" and other != seat and s.won is None:
            found.update(dancer_waits(state, other) or ())
    return frozenset(found) if found else _NOTHING


def _free_discard(state: State, bad: frozenset[Tile], counts: Sequence[int], unknown: int) -> bool | None:
    """Whether some tile of the hand is none of ``bad``; None when that depends on the unknown tiles."""
    for tile, count in enumerate(counts):
        if count and tile not in bad:
            return True
    if unknown == 0:
        return False
    # More unknown tiles than copies of the forbidden kinds can still be hidden: one of them must be free.
    hidden = sum(COPIES - state.accounted[tile] for tile in bad)
    return True if unknown > hidden else None


# --- discards ----------------------------------------------------------------------------------------


def alarm_due(state: State, seat: Seat) -> bool | None:
    """Whether 报警 must be called before this discard (S1 3). None: not to be known."""
    s = state[seat]
    if not state.ruleset.has_alarm or s.locked or not s.drew or state.turn != seat:
        return False
    bad = forbidden_tiles(state, seat)
    if not bad:
        return False
    free = _free_discard(state, bad, s.concealed, s.unknown)
    if free is not False:
        return False if free else None
    waits = state.waits(seat)
    return None if waits is None else not waits


def judge_discard(state: State, seat: Seat, tile: Tile) -> Verdict:
    """Whether the rules let ``seat``, whose turn it is, discard ``tile`` (S0 §1.10, S1 3).

    It is taken to hold the tile.
    """
    s = state[seat]
    if s.locked:
        if not s.drew or s.drawn == tile:
            return CERTAIN
        return LOCKED_DISCARD if s.drawn is not None else Verdict("possible", "locked", "locked_discard")
    bad = forbidden_tiles(state, seat)
    if tile not in bad:
        return CERTAIN
    free = _free_discard(state, bad, s.concealed, s.unknown)
    if free is None:
        return FORBIDDEN_MAYBE
    if free:
        return FORBIDDEN_DISCARD
    return MISSED_ALARM if alarm_due(state, seat) else CERTAIN


# --- claims and kongs --------------------------------------------------------------------------------


def holds(state: State, seat: Seat, tile: Tile, number: int) -> Verdict:
    """Whether the player has that many of a kind among the concealed tiles."""
    s = state[seat]
    missing = number - s.concealed[tile]
    if missing <= 0:
        return CERTAIN
    if missing > s.unknown or state.accounted[tile] + missing > COPIES:
        return NO_TILES
    return UNKNOWN_TILES


def _after(s: SeatState, tile: Tile, number: int) -> tuple[list[int], int]:
    counts = s.concealed[:]
    known = min(number, counts[tile])
    counts[tile] -= known
    return counts, max(0, s.unknown - (number - known))


def judge_peng(state: State, seat: Seat, tile: Tile) -> Verdict:
    """Whether the rules let ``seat`` claim ``tile`` for a 碰, tiles aside (S0 §1.10, S1 3)."""
    s = state[seat]
    if s.locked:
        return LOCKED_CLAIM
    bad = forbidden_tiles(state, seat)
    if not bad:
        return CERTAIN
    free = _free_discard(state, bad, *_after(s, tile, 2))
    return CERTAIN if free else FORBIDDEN_CLAIM_MAYBE if free is None else FORBIDDEN_CLAIM


def melds_after(s: SeatState, kind: GangKind, tile: Tile) -> tuple[Meld, ...]:
    """The melds once the kong lies there."""
    if kind == "ba_gang":
        old = Meld("peng", tile)
        if old in s.melds:
            return tuple(Meld("ba_gang", tile) if m == old else m for m in s.melds)
    return (*s.melds, Meld(kind, tile))


KONG_TAKES: Final[dict[GangKind, int]] = {"zhi_gang": 3, "an_gang": 4, "ba_gang": 1}


def kong_keeps_waits(state: State, seat: Seat, kind: GangKind, tile: Tile) -> bool | None:
    """Whether the hand waits for the same tiles after the kong (D18). None: not to be known."""
    s = state[seat]
    before = state.waits(seat)
    if before is None:
        return None
    counts, _ = _after(s, tile, KONG_TAKES[kind])
    melds = melds_after(s, kind, tile)
    if not is_thirteen(counts, melds):
        return None
    return tuple(wait_tiles(state.ruleset, counts, melds)) == before


def judge_gang(state: State, seat: Seat, kind: GangKind, tile: Tile) -> Verdict:
    """Whether the rules let ``seat`` make this kong, tiles aside (S1 3, S3 (4), D2, D18)."""
    if state.wall_left == 0:
        return NO_WALL
    s = state[seat]
    if s.locked:
        if state.ruleset.kong_after_declaring == "never":
            return LOCKED_CLAIM
        if kind != "zhi_gang" and (not s.drew or (s.drawn is not None and s.drawn != tile)):
            return LOCKED_CLAIM
        same = kong_keeps_waits(state, seat, kind, tile)
        return CERTAIN if same else LOCKED_MAYBE if same is None else LOCKED_CLAIM
    bad = forbidden_tiles(state, seat)
    if not bad:
        return CERTAIN
    counts, unknown = _after(s, tile, KONG_TAKES[kind])
    free = _free_discard(state, bad, counts, unknown)
    if free:
        return CERTAIN
    lamp = state.tail_lamp
    if lamp is not None and (lamp not in bad or replacement_wins(state, seat, kind, tile)):
        return CERTAIN
    return FORBIDDEN_CLAIM_MAYBE if free is None else FORBIDDEN_CLAIM


def replacement_wins(state: State, seat: Seat, kind: GangKind, tile: Tile) -> bool | None:
    """Whether the shown tail tile, drawn for this kong, would win. None: not to be known."""
    s = state[seat]
    if state.tail_lamp is None:
        return None
    counts, _ = _after(s, tile, KONG_TAKES[kind])
    melds = melds_after(s, kind, tile)
    if not _fits(counts, melds, state.tail_lamp):
        return None
    # Whether it may win, not how dear: one kong's luck is as good for that as the whole chain's.
    score = score_win(
        state.ruleset,
        counts,
        melds,
        tile=state.tail_lamp,
        by="self_draw",
        kong_chain=1,
        opening="tian_jiao" if s.tian_jiao else None,
        winner=s.declaration,
        bao_ting=s.bao_ting,
    )
    return score.legal


# --- wins --------------------------------------------------------------------------------------------


def opening_of(state: State, seat: Seat, counts: Sequence[int]) -> Opening | None:
    """天胡, 地胡, 天叫 or 报听, as far as this player could claim it for a win now with these 27 concealed
    counts (without the winning tile)."""
    s = state[seat]
    openings = state.ruleset.openings
    if not s.melds:
        if "tian_hu" in openings and seat == state.dealer and not state.first_discard and s.draws == 0:
            return "tian_hu"
        if "di_hu" in openings and seat != state.dealer and s.draws == 1 and s.drew and s.discards == 0:
            return "di_hu"
    if s.tian_jiao:
        return None if _tian_jiao_lost(state, seat, counts) else "tian_jiao"
    return "bao_ting" if s.bao_ting else None


def _tian_jiao_lost(state: State, seat: Seat, counts: Sequence[int]) -> bool:
    """Whether these concealed tiles, now seen, show that 天叫 was lost in turns nobody saw."""
    s = state[seat]
    if not s.tian_jiao_unsure or s.said_waits is None:
        return False
    return set(wait_tiles(state.ruleset, counts, s.melds)) != set(s.said_waits)


def _fits(counts: Sequence[int], melds: Sequence[Meld], tile: Tile) -> bool:
    """Whether these can be thirteen tiles and ``tile`` the fourteenth: none a fifth time."""
    copies = counts[tile] + sum(m.size for m in melds if m.tile == tile)
    return is_thirteen(counts, melds) and copies < COPIES


def value_of_win(state: State, seat: Seat, by: WinBy, tile: Tile, counts: Sequence[int]) -> Score | None:
    """The score of winning now on ``tile`` with these 27 concealed counts (without ``tile``).

    None when the counts cannot be a hand: wrong number, or a fifth copy.
    """
    s = state[seat]
    if not _fits(counts, s.melds, tile):
        return None
    chain = 0 if state.offer is None else state.offer.chain
    if by == "self_draw":
        chain = state.turn_kongs
    return score_win(
        state.ruleset,
        counts,
        s.melds,
        tile=tile,
        by=by,
        kong_chain=chain,
        opening=opening_of(state, seat, counts),
        winner=s.declaration,
        bao_ting=s.bao_ting,
    )


def counts_for_win(state: State, seat: Seat, by: WinBy, tile: Tile) -> list[int] | None:
    """The player's known concealed counts without the winning tile; None when some are unknown."""
    s = state[seat]
    counts = s.concealed
    if by == "self_draw":
        if s.unknown == 1 and s.drew and s.drawn is None:
            return counts
        if s.unknown or not counts[tile]:
            return None
        counts = counts[:]
        counts[tile] -= 1
        return counts
    return None if s.unknown else counts


def offered(state: State, seat: Seat, by: WinBy, tile: Tile) -> bool:
    """Whether such a tile is there to be won on."""
    s = state[seat]
    offer = state.offer
    if by == "self_draw":
        if state.phase != "act":
            return False
        if not s.drew:
            return seat == state.dealer and not state.first_discard
        return s.drawn is None or s.drawn == tile
    if offer is None or offer.seat == seat or offer.tile != tile or offer.robbed != (by == "rob_kong"):
        return False
    return state.phase in ("claim", "kong")


def judge_win(
    state: State, seat: Seat, by: WinBy, tile: Tile, counts: Sequence[int] | None
) -> tuple[Verdict, Score | None]:
    """Whether ``seat`` may win on an offered ``tile`` (S0 §2, §3.3–3.4; S2 §1.4).

    ``counts``: the 27 concealed counts, None when unknown.
    """
    s = state[seat]
    if by != "self_draw":
        if state.offer is not None and state.offer.forbidden:
            return DANCE_OFFER, None
        if s.declaration == "dance" and state.ruleset.dancer_wins_on == "self_draw":
            return SELF_DRAW_ONLY, None
    if counts is None:
        return UNKNOWN_TILES, None
    score = value_of_win(state, seat, by, tile, counts)
    if score is None:
        return Verdict("impossible", "not_complete", "illegal_win"), None
    if score.reason is not None:
        return Verdict("impossible", score.reason, "illegal_win"), score
    if by == "discard" and state.ruleset.no_passing and s.passed is not None:
        # 放大掴小: a dearer win than the best one passed, for a player who neither sings nor dances.
        dearer = s.declaration == "none" and score.total > s.passed
        return CERTAIN if dearer else PASSED, score
    return CERTAIN, score


def sure_win(state: State, seat: Seat, by: WinBy, tile: Tile, counts: Sequence[int]) -> Score | None:
    """The score of a win that ``seat`` may certainly take; None when it may not. As `judge_win`."""
    verdict, score = judge_win(state, seat, by, tile, counts)
    return score if verdict.certainty == "certain" else None


def must_win(state: State, seat: Seat) -> bool:
    """Whether a win offered to this player now must be taken: a singer (S0 §1.10), or 必胡 (S2 §2.5)."""
    last = state.ruleset.must_win_tiles
    return state[seat].declaration == "sing" or (last > 0 and state.wall_left <= last)
