"""What the tiles of a story are: the likeliest classes that four of a kind and complete hands allow.

Every tile of the acts is a *node*: all looks at it in all its places (a discard that was claimed is seen in
the river and again in the meld), and how many tiles it stands for.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.rules import Meld
from pzvision.table.config import TableConfig
from pzvision.table.hypotheses import Act
from pzvision.table.tracks import Track
from pzvision.tiles import COPIES, KINDS, Tile

FloatArray: TypeAlias = npt.NDArray[np.float64]
Complete: TypeAlias = Callable[[Sequence[Tile], Sequence[Meld], Tile, Act], bool]

_RANKS = 9  # kinds of a suit


@dataclass(eq=False)
class Node:
    """Tiles of one kind: ``copies`` of them; ``scores`` ``(27,)`` log-probabilities."""

    scores: FloatArray
    copies: int = 1
    tile: Tile = 0

    @property
    def loss(self) -> float:
        """Nats its tile is worse than the likeliest one."""
        return float(self.scores.max() - self.scores[self.tile])

    @property
    def confidence(self) -> float:
        """Probability of its tile, 0–1."""
        return float(np.exp(self.scores[self.tile]) / np.exp(self.scores).sum())


@dataclass(eq=False)
class Reading:
    """Nodes of a story: by discard number, by track id; and by winner (0–3) the one tile of his hand that
    was not found.
    """

    nodes: list[Node] = field(default_factory=list)
    of_discard: dict[int, Node] = field(default_factory=dict)
    of_track: dict[int, Node] = field(default_factory=dict)
    unfound: dict[int, Node] = field(default_factory=dict)

    def new(self, tracks: Sequence[Track], config: TableConfig, copies: int) -> Node:
        """A node of tiles of one kind."""
        node = Node(np.zeros(KINDS), copies)
        self.nodes.append(node)
        self.add(node, tracks, config)
        return node

    def add(self, node: Node, tracks: Sequence[Track], config: TableConfig) -> None:
        """More looks at a node's tiles."""
        for track in tracks:
            if self.of_track.get(track.id) is not node:
                if not track.is_back:
                    node.scores = node.scores + track.scores(config)[:KINDS]
                self.of_track[track.id] = node


def read_classes(
    acts: Sequence[Act],
    config: TableConfig,
    complete: Complete | None = None,
    waits: frozenset[Tile] = frozenset(),
) -> Reading:
    """The classes of a story's tiles.

    Args:
        acts: the story.
        config: thresholds.
        complete: whether a winner's concealed tiles (winning one included), his melds and the winning tile
            are a hand that may win; None skips that.
        waits: what players say they wait for: a kong nobody sees is none of these.
    """
    reading = _nodes(acts, config)
    for node in reading.nodes:
        node.tile = int(node.scores.argmax())
    _moved_into_melds(acts, reading)
    _four_of_a_kind(reading.nodes)
    _guess_unseen(acts, reading, waits)
    if complete is not None:
        for act in acts:
            if act.kind == "win":
                _complete_hand(act, acts, reading, complete, config)
        _four_of_a_kind(reading.nodes)
    return reading


def winning_track(act: Act) -> Track | None:
    """The tile a winner laid apart; where none lies apart, the last of the row (of a self-draw)."""
    if act.apart is not None:
        return act.apart
    if act.by == "self_draw" and act.tracks:
        return act.tracks[-1]
    return None


def shown_tracks(acts: Sequence[Act], seat: int) -> tuple[Track, ...]:
    """Tiles a seat has shown before its hand, as long as they lie there."""
    for act in acts:
        if act.kind == "shown" and act.seat == seat:
            return tuple(t for t in act.tracks if t.gone is None)
    return ()


def hand_tracks(act: Act, acts: Sequence[Act], melds: int) -> tuple[Track, ...]:
    """The tiles of a win's or reveal's hand: those laid down, with those shown before if they are missing."""
    held = 13 - 3 * melds + (1 if act.kind == "win" else 0)
    shown = shown_tracks(acts, act.seat)
    if shown and abs(len(act.tracks) + len(shown) - held) < abs(len(act.tracks) - held):
        return (*shown, *act.tracks)
    return act.tracks


def melds_before(acts: Sequence[Act], act: Act, reading: Reading) -> list[Meld]:
    """The melds the act's player has laid down before it."""
    melds: list[Meld] = []
    for other in acts:
        if other is act:
            break
        if other.seat != act.seat or other.kind not in ("peng", "gang"):
            continue
        tile = meld_node(other, reading).tile
        if other.kind == "peng":
            melds.append(Meld("peng", tile))
        elif other.gang == "ba_gang":
            robbed = any(a.by == "rob_kong" and a.onto == other.tracks for a in acts)
            if not robbed:
                melds = [m for m in melds if m != Meld("peng", tile)] + [Meld("ba_gang", tile)]
        elif other.gang is not None:
            melds.append(Meld(other.gang, tile))
    return melds


def meld_node(act: Act, reading: Reading) -> Node:
    """The node of a 碰 or 杠."""
    if act.target and act.target in reading.of_discard:
        return reading.of_discard[act.target]
    return reading.of_track[act.tracks[0].id]


def _nodes(acts: Sequence[Act], config: TableConfig) -> Reading:
    reading = Reading()
    for act in acts:
        if act.kind == "discard":
            reading.of_discard[act.number] = reading.new(act.tracks, config, 1)
        elif act.kind == "peng" or (act.kind == "gang" and act.gang == "zhi_gang"):
            node = reading.of_discard.get(act.target)
            copies = 3 if act.kind == "peng" else 4
            if node is None:
                reading.of_discard[act.target] = reading.new(act.tracks, config, copies)
            else:
                reading.add(node, act.tracks, config)
                node.copies = copies
        elif act.kind == "gang" and act.gang == "an_gang":
            reading.new(act.tracks, config, 4)
        elif act.kind == "gang":
            node = next((reading.of_track[t.id] for t in act.onto if t.id in reading.of_track), None)
            if node is None:
                node = reading.new(act.onto, config, 3)
            reading.add(node, act.tracks, config)
            node.copies = 4
        elif act.kind in ("win", "reveal", "shown", "lamp"):
            shared: Node | None = None
            winning = winning_track(act) if act.kind == "win" else None
            if act.by == "discard":
                shared = reading.of_discard.get(act.target)
            elif act.by == "rob_kong" and act.onto:
                shared = reading.of_track.get(act.onto[0].id)
            for track in act.tracks:
                if track.id in reading.of_track:
                    continue
                if track is winning and shared is not None:
                    reading.add(shared, [track], config)
                else:
                    copies = 0 if act.kind == "lamp" or (act.kind == "shown" and track.gone) else 1
                    reading.new([track], config, copies)
    return reading


def _moved_into_melds(acts: Sequence[Act], reading: Reading) -> None:
    """Tiles that a player has shown and then lays down as a kong are the same tiles, though they may still be
    held to lie in both places: what has gone is known a moment later than what has come.
    """
    shown: dict[int, list[Node]] = {}
    for act in acts:
        if act.kind == "shown":
            shown[act.seat] = [reading.of_track[t.id] for t in act.tracks if t.gone is None]
        elif act.kind == "gang" and act.seat in shown:
            tile = meld_node(act, reading).tile
            for node in shown[act.seat]:
                if node.tile == tile and node.copies == 1:
                    node.copies = 0


def _four_of_a_kind(nodes: Sequence[Node]) -> None:
    """Move the least certain tiles of a kind there are more than four of to what they may be instead."""
    for _ in range(200):
        counts = np.zeros(KINDS, np.int64)
        for node in nodes:
            counts[node.tile] += node.copies
        if counts.max(initial=0) <= COPIES:
            return
        best: tuple[float, int, int] | None = None
        for index, node in enumerate(nodes):
            if counts[node.tile] <= COPIES or not node.copies:
                continue
            free = counts + node.copies <= COPIES
            if not free.any():
                continue
            tile = int(np.where(free, node.scores, -np.inf).argmax())
            price = float(node.scores[node.tile] - node.scores[tile]) / node.copies
            if best is None or price < best[0]:
                best = (price, index, tile)
        if best is None:
            return
        nodes[best[1]].tile = best[2]


def _guess_unseen(acts: Sequence[Act], reading: Reading, waits: frozenset[Tile]) -> None:
    """A discard nobody saw, or a kong lying face down, needs some tile for the game to go on: one of which
    most are unseen; for a kong one that nobody waits for, in a suit that its player has.
    """
    for act in acts:
        hidden = act.gang == "an_gang" and all(t.is_back for t in act.tracks)
        if hidden or (act.kind == "discard" and not act.tracks):
            counts = np.zeros(KINDS, np.int64)
            for node in reading.nodes:
                counts[node.tile] += max(node.copies, 1)  # those that lie on the wall are seen, too
            node = reading.of_track[act.tracks[0].id] if hidden else reading.of_discard[act.number]
            counts[node.tile] -= node.copies
            worse = 100 * counts
            if hidden:
                worse[sorted(waits)] += 50
                worse += np.repeat(_strange(act.seat, acts, reading), _RANKS)
            node.tile = int(worse.argmin())
            node.scores = np.full(KINDS, -np.log(KINDS))


def _strange(seat: int, acts: Sequence[Act], reading: Reading) -> npt.NDArray[np.int64]:
    """``(3,)`` how unlikely a kong of a suit is: a player has at most two when he wins, and discards the
    third; 0–40.
    """
    kept, thrown = np.zeros(KINDS // _RANKS, np.int64), np.zeros(KINDS // _RANKS, np.int64)
    for act in acts:
        if act.seat != seat:
            continue
        if act.kind == "discard":
            thrown[reading.of_discard[act.number].tile // _RANKS] += 1
            continue
        for track in act.tracks:
            if not track.is_back and track.id in reading.of_track:
                kept[reading.of_track[track.id].tile // _RANKS] += 1
    out = np.minimum(thrown, 9)
    if (kept > 0).sum() >= 2:
        out[kept == 0] += 30
    return out


def _complete_hand(
    act: Act,
    acts: Sequence[Act],
    reading: Reading,
    complete: Complete,
    config: TableConfig,
) -> None:
    """Read a winner's tiles as the likeliest winning hand, cheapest changes first."""
    melds = melds_before(acts, act, reading)
    tracks = hand_tracks(act, acts, len(melds))
    nodes = [reading.of_track[t.id] for t in tracks if t.id in reading.of_track]
    shared = reading.of_discard.get(act.target) if act.by == "discard" else None
    if act.by == "rob_kong" and act.onto:
        shared = reading.of_track.get(act.onto[0].id)
    if shared is not None and shared not in nodes:
        nodes.append(shared)
    if len(nodes) == 13 - 3 * len(melds):  # one tile was not found: any that completes the hand
        lacking = Node(np.full(KINDS, -np.log(KINDS)))
        nodes.append(lacking)
        reading.nodes.append(lacking)
        reading.unfound[act.seat] = lacking
    if len(nodes) != 14 - 3 * len(melds):
        return
    winning = winning_track(act)
    win_node = shared or (reading.of_track.get(winning.id) if winning else None) or nodes[0]
    counts = np.zeros(KINDS, np.int64)
    for node in reading.nodes:
        if node not in nodes:
            counts[node.tile] += node.copies
    options: list[list[tuple[float, Tile]]] = []
    for node in nodes:
        scored = sorted((float(node.scores.max() - node.scores[k]), k) for k in range(KINDS))
        unknown = node is reading.unfound.get(act.seat)
        options.append([o for o in scored if o[0] <= config.hand_span_nats][: KINDS if unknown else 6])
    start = (sum(o[0][0] for o in options), (0,) * len(nodes))
    heap, seen = [start], {start[1]}
    for _ in range(config.hand_search):
        if not heap:
            return
        cost, pick = heapq.heappop(heap)
        tiles = [options[i][p][1] for i, p in enumerate(pick)]
        used = np.bincount(np.array(tiles), minlength=KINDS) + counts
        if used.max() <= COPIES and complete(tiles, melds, tiles[nodes.index(win_node)], act):
            for node, tile in zip(nodes, tiles, strict=True):
                node.tile = tile
            return
        for i, p in enumerate(pick):
            if p + 1 < len(options[i]):
                more = (*pick[:i], p + 1, *pick[i + 1 :])
                if more not in seen:
                    seen.add(more)
                    heapq.heappush(heap, (cost + options[i][p + 1][0] - options[i][p][0], more))
