"""Speed of waits and scores, side by side with other hand engines where they are installed.

``python -m pzvision.rules.bench`` prints a table; every call gets a hand no call before it had. The peers
(extra ``bench``) play other games with other patterns, so a row compares the same question ("is this won and
what is its dearest value", "what does this wait for") on the same tiles, each in the peer's own format,
made ready before the clock starts.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from pzvision.rules.facts import facts_table
from pzvision.rules.ruleset import Ruleset, load_ruleset
from pzvision.rules.score import score_win
from pzvision.rules.shapes import complete_mask, wait_masks, wait_tiles
from pzvision.rules.tables import SUIT_TABLE
from pzvision.rules.text import table

Hand = tuple[list[int], int]  # 27 counts without the winning tile, the winning tile
Call = Callable[[], object]
Maker = Callable[[Hand], Call]

_SETS: Final = [(t, t, t) for t in range(27)] + [(t, t + 1, t + 2) for t in range(27) if t % 9 < 7]
#: Most winning hands in play stay within one or two suits, so half of the sample does.
_NARROW: Final = 0.5


def winning_hands(count: int, seed: int = 1) -> list[Hand]:
    """That many different concealed winning hands of 13 + 1 tiles, one in ten of them seven pairs."""
    rnd = random.Random(seed)
    hands: dict[tuple[tuple[int, ...], int], None] = {}
    while len(hands) < count:
        suits = rnd.sample(range(3), 2) if rnd.random() < _NARROW else [0, 1, 2]
        counts = [0] * 27
        if rnd.random() < 0.1:
            for kind in rnd.sample([t for t in range(27) if t // 9 in suits], 7):
                counts[kind] += 2
        else:
            sets = [part for part in _SETS if part[0] // 9 in suits]
            for part in rnd.choices(sets, k=4):
                for kind in part:
                    counts[kind] += 1
            counts[9 * rnd.choice(suits) + rnd.randrange(9)] += 2
        if max(counts) > 4:
            continue
        tile = rnd.choice([kind for kind in range(27) if counts[kind]])
        counts[tile] -= 1
        hands[tuple(counts), tile] = None
    return [(list(counts), tile) for counts, tile in hands]


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine's two questions; `score` or `waits` is None where it has no such function."""

    name: str
    score: Maker | None
    waits: Maker | None


def _completed(hand: Hand) -> list[int]:
    counts, tile = hand
    return [count + (kind == tile) for kind, count in enumerate(counts)]


def _copies(counts: Sequence[int]) -> list[int]:
    """27 counts → tile numbers 0–107, four to a kind, as the 136-tile engines number them."""
    return [4 * kind + copy for kind, count in enumerate(counts) for copy in range(count)]


def _ours(rules: Ruleset) -> Engine:
    def score(hand: Hand) -> Call:
        counts, won = hand
        return lambda: score_win(rules, counts, (), tile=won, by="self_draw")

    def waits(hand: Hand) -> Call:
        return lambda: wait_tiles(rules, hand[0], ())

    return Engine("pzvision", score, waits)


def _mahjong() -> Engine:
    module: Any = importlib.import_module("mahjong.hand_calculating.hand")
    config: Any = importlib.import_module("mahjong.hand_calculating.hand_config")
    agari: Any = importlib.import_module("mahjong.agari")
    tsumo = config.HandConfig(is_tsumo=True)

    def score(hand: Hand) -> Call:
        tiles, won = _copies(_completed(hand)), 4 * hand[1]
        return lambda: module.HandCalculator.estimate_hand_value(tiles, won, config=tsumo)

    def wait_list(counts: list[int]) -> list[int]:
        found = []
        for kind in range(27):
            if counts[kind] < 4:
                counts[kind] += 1
                if agari.Agari.is_agari(counts):
                    found.append(kind)
                counts[kind] -= 1
        return found

    def waits(hand: Hand) -> Call:
        counts = [*hand[0], *[0] * 7]
        return lambda: wait_list(counts)

    return Engine("mahjong", score, waits)


def _mahjong_gb() -> Engine:
    module: Any = importlib.import_module("MahjongGB")
    names = [f"{letter}{rank}" for letter in "WTB" for rank in range(1, 10)]

    def score(hand: Hand) -> Call:
        tiles = tuple(names[kind] for kind, count in enumerate(hand[0]) for _ in range(count))
        won = names[hand[1]]
        return lambda: module.MahjongFanCalculator((), tiles, won, 0, True, False, False, False, 0, 0)

    return Engine("PyMahjongGB", score, None)


def _riichienv() -> Engine:
    module: Any = importlib.import_module("riichienv")
    how = module.Conditions(tsumo=True)

    def score(hand: Hand) -> Call:
        tiles, won = _copies(_completed(hand)), 4 * hand[1]
        return lambda: module.HandEvaluator(tiles).calc(won, conditions=how)

    def waits(hand: Hand) -> Call:
        tiles = _copies(hand[0])
        return lambda: module.HandEvaluator(tiles).get_waits()

    return Engine("riichienv", score, waits)


def _xiangting() -> Engine:
    module: Any = importlib.import_module("xiangting")

    def waits(hand: Hand) -> Call:
        counts = [*hand[0], *[0] * 7]
        return lambda: module.calculate_necessary_tiles(counts, module.PlayerCount.FOUR)

    return Engine("xiangting", None, waits)


PEERS: Final[dict[str, Callable[[], Engine]]] = {
    "mahjong": _mahjong,
    "PyMahjongGB": _mahjong_gb,
    "riichienv": _riichienv,
    "xiangting": _xiangting,
}


def _microseconds(calls: dict[str, list[Call]]) -> dict[str, tuple[float, float]]:
    """Median and mean per engine, the engines taking turns hand by hand so that noise meets all alike."""
    clock = time.perf_counter_ns
    spent: dict[str, list[int]] = {name: [] for name in calls}
    gc.collect()
    gc.disable()  # the prepared calls are many objects; going through them is not the engines' work
    try:
        for step in range(min(len(each) for each in calls.values())):
            for name, each in calls.items():
                call = each[step]
                start = clock()
                call()
                spent[name].append(clock() - start)
    finally:
        gc.enable()
    return {
        name: (statistics.median(times) / 1e3, statistics.fmean(times) / 1e3) for name, times in spent.items()
    }


def _per_second(work: Callable[[np.ndarray[Any, Any]], object], counts: np.ndarray[Any, Any]) -> float:
    rates = []
    for _ in range(5):
        start = time.process_time()
        work(counts)
        rates.append(len(counts) / max(time.process_time() - start, 1e-9))
    return statistics.median(rates)


def _import_seconds() -> float:
    """CPU time of a fresh interpreter importing `pzvision.rules`, less that of a bare one; median of 5."""

    def start(code: str) -> float:
        times = []
        for _ in range(5):
            before = os.times()
            subprocess.run([sys.executable, "-c", code], check=True)
            after = os.times()
            spent = after.children_user + after.children_system
            times.append(spent - before.children_user - before.children_system)
        return statistics.median(times)

    return start("import pzvision.rules") - start("pass")


def measure(hands: int = 20_000, ruleset: str = "pzh-traditional", *, peers: bool = True) -> dict[str, Any]:
    """All figures: median and mean µs per engine for score and waits, array rates, import time, table.

    ``build_ms``: CPU time of building the table of readings, which a program's first score pays once; it is
    kept out of the mean (spread over 20,000 hands it was more than half of it).
    """
    engines = [_ours(load_ruleset(ruleset))]
    missing = []
    for name, make in PEERS.items() if peers else ():
        try:
            engines.append(make())
        except ImportError:
            missing.append(name)
    start = time.process_time()
    facts_table()
    build = time.process_time() - start
    sample = winning_hands(hands)
    figures: dict[str, Any] = {"hands": hands, "ruleset": ruleset, "missing": missing}
    figures["build_ms"] = build * 1e3
    figures["score_us"] = _microseconds(
        {e.name: [e.score(hand) for hand in sample] for e in engines if e.score}
    )
    figures["waits_us"] = _microseconds(
        {e.name: [e.waits(hand) for hand in sample] for e in engines if e.waits}
    )
    ready = np.array([counts for counts, _ in sample], dtype=np.uint8)
    won = ready.copy()
    won[np.arange(len(won)), [tile for _, tile in sample]] += 1
    many = max(1, 200_000 // len(ready))
    figures["waits_per_s"] = _per_second(wait_masks, np.tile(ready, (many, 1)))
    figures["complete_per_s"] = _per_second(complete_mask, np.tile(won, (many, 1)))
    figures["import_s"] = _import_seconds()
    figures["table_mb"] = (SUIT_TABLE.nbytes + facts_table().nbytes) / 1e6
    return figures


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m pzvision.rules.bench", description=__doc__)
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--ruleset", default="pzh-traditional")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)
    figures = measure(args.hands, args.ruleset, peers=not args.no_peers)
    if args.json:
        print(json.dumps(figures))
        return 0
    names = list(dict.fromkeys([*figures["score_us"], *figures["waits_us"]]))
    rows = []
    for name in names:
        row = [name]
        for question in ("score_us", "waits_us"):
            median, mean = figures[question].get(name, (None, None))
            row += ["-" if median is None else f"{median:.1f}", "-" if mean is None else f"{mean:.1f}"]
        rows.append(row)
    print(table(rows, ["µs a hand", "score median", "mean", "waits median", "mean"]))
    print(f"arrays, CPU time: waits {figures['waits_per_s'] / 1e6:.1f} M hands/s,", end=" ")
    print(f"complete {figures['complete_per_s'] / 1e6:.1f} M hands/s")
    print(f"import {figures['import_s']:.2f} s of CPU, first score {figures['build_ms']:.0f} ms,", end=" ")
    print(f"table {figures['table_mb']:.1f} MB", end="")
    print(f"; not installed: {', '.join(figures['missing'])}" if figures["missing"] else "")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
