"""One reading of a hand so far: its acts, and what they leave open for the next one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from pzvision.table.tracks import Track
from pzvision.tiles import KINDS, Tile

ActKind: TypeAlias = Literal["draw", "discard", "peng", "gang", "win", "reveal", "shown", "lamp"]
Phase: TypeAlias = Literal["start", "act", "open", "over"]

WALL_AFTER_DEAL = 55


@dataclass(frozen=True, eq=False, slots=True)
class Act:
    """One thing a player did, in tracks.

    Attributes:
        kind: as the log's record types (``shown``: tiles shown by a dance, ``lamp``: a tail tile turned up).
        seat: who; ``t``: s.
        tracks: the tiles it brought (``discard`` one, ``peng`` three …); all evidence of their classes.
        claimed: the discard it took, as far as it was seen.
        gang: of a ``gang``, its kind; by: of a ``win``, how.
        apart: of a ``win``, the winning tile where it lies apart.
        slot: of an act nobody saw, filled later by `Hypothesis.fills`: the discard's number, of a claim the
            negative one of its target; 0 = seen.
        kept: of a ``ba_gang``, the tile was in the hand before.
        target: of a ``peng``/``gang``/``win`` on a discard, the number of that discard among all discards.
        number: of a ``discard``, its number.
        cost: nats this act was dearer than nothing unusual.
    """

    kind: ActKind
    seat: int
    t: float
    tracks: tuple[Track, ...] = ()
    gang: Literal["zhi_gang", "an_gang", "ba_gang"] | None = None
    by: Literal["self_draw", "discard", "rob_kong"] | None = None
    apart: Track | None = None
    slot: int = 0
    kept: bool = False
    number: int = 0
    target: int = 0
    onto: tuple[Track, ...] = ()
    cost: float = 0.0


@dataclass(frozen=True, eq=False, slots=True)
class Chain:
    """Acts so far, newest first (shared tails)."""

    act: Act
    before: Chain | None


class Fill(NamedTuple):
    """What was found later of an act nobody saw. ``gang``: the claim was this kong and no 碰."""

    slot: int
    tracks: tuple[Track, ...]
    gang: Literal["zhi_gang"] | None = None


class Told(NamedTuple):
    """What a player said with a dance (or 摆牌) at ``t`` s: how many tiles he shows, what they wait for."""

    seat: int
    tiles: int
    waits: frozenset[Tile]
    t: float


class Hypothesis(NamedTuple):
    """One reading of the hand so far; see the module."""

    cost: float = 0.0  # nats
    phase: Phase = "start"
    turn: int = -1  # who acts ("act") or discarded last ("open")
    last: Track | None = None
    last_number: int = 0  # 0 = claimed or never
    drawer: int = -1  # after a discard or a win: who draws next
    kong: bool = False  # a kong was made, its replacement is not drawn yet
    kong_ba: tuple[Track, ...] = ()
    active: int = 0b1111
    melds: tuple[int, int, int, int] = (0, 0, 0, 0)
    wins: int = 0
    wall: int = WALL_AFTER_DEAL
    agreed: float = 0.0  # how many discards lie before their owner, each by its probability,
    placed: float = 0.0  # and of how many
    t: float = 0.0  # s, of the last act
    discards: int = 0
    open_slots: tuple[tuple[int, int, float], ...] = ()  # (slot, seat, t in s) of discards nobody saw
    fills: tuple[Fill, ...] = ()
    owed: tuple[tuple[int, int], ...] = ()  # (seat, discard number) of claims whose meld was not seen
    claimers: int = 0  # winners on the last discard so far
    extra_still: float = 0.0  # nats that the last discard, won on, still lies there; a second winner is free
    shown: tuple[int, int, int, int] = (0, 0, 0, 0)
    loose: tuple[int, ...] = ()  # first tracks of threes that meant nothing so far
    counts: bytes = bytes(KINDS)  # tiles of each kind that surely lie on the table
    chain: Chain | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """Hypotheses of one key go on alike: only the cheapest is kept."""
        return (
            self.phase,
            self.turn,
            self.last.id if self.last else 0,
            self.last_number > 0,
            self.drawer,
            self.kong,
            self.active,
            self.melds,
            self.wins,
            self.open_slots,
            self.owed,
            self.loose,
        )

    def acts(self) -> list[Act]:
        """All acts in order. Acts nobody saw are filled in if their tiles were found or claimed later;
        others stay without tracks.
        """
        found = {fill.slot: fill for fill in self.fills}
        out: list[Act] = []
        link = self.chain
        while link is not None:
            act, link = link.act, link.before
            fill = found.get(act.slot) if act.slot else None
            if fill is not None and fill.gang:
                out.append(Act("draw", act.seat, act.t))
                act = replace(act, kind="gang", gang=fill.gang)
            out.append(act if fill is None else replace(act, tracks=(*act.tracks, *fill.tracks)))
        out.reverse()
        filled: dict[int, tuple[Track, ...]] = {}
        for act in out:  # a discard that was claimed before anybody saw it is known by the claim
            if act.kind in ("peng", "gang") and act.target:
                filled.setdefault(act.target, act.tracks)
            elif act.kind == "win" and act.target and act.apart is not None:
                filled.setdefault(act.target, (act.apart,))
        return [
            replace(a, tracks=filled[a.slot]) if a.slot > 0 and not a.tracks and a.slot in filled else a
            for a in out
        ]

    @property
    def newest(self) -> Chain | None:
        """The chain from its last act of a player on, without lamps and shown tiles."""
        link = self.chain
        while link is not None and link.act.kind in ("lamp", "shown"):
            link = link.before
        return link

    def has_discarded(self, seat: int) -> bool:
        """Whether this seat has discarded."""
        link = self.chain
        while link is not None:
            if link.act.kind == "discard" and link.act.seat == seat:
                return True
            link = link.before
        return False

    def next_active(self, seat: int) -> int:
        """The next seat after ``seat`` that has not won."""
        for step in range(1, 5):
            other = (seat + step) % 4
            if self.active >> other & 1:
                return other
        return seat

    def plus(self, *acts: Act, **changes: object) -> Hypothesis:
        """The hypothesis after some acts."""
        chain = self.chain
        for act in acts:
            chain = Chain(act, chain)
        return self._replace(chain=chain, **changes)  # type: ignore[arg-type]


def plus_one(melds: tuple[int, int, int, int], seat: int) -> tuple[int, int, int, int]:
    """A seat's count one more."""
    counts = list(melds)
    counts[seat] += 1
    return counts[0], counts[1], counts[2], counts[3]


def without(slots: tuple[tuple[int, int, float], ...], number: int) -> tuple[tuple[int, int, float], ...]:
    """Open slots (slot, seat, s) but for one."""
    return tuple(s for s in slots if s[0] != number)
