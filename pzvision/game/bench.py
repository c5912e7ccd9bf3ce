"""How fast games are played, folded, judged and settled: ``python -m pzvision.game.bench``.

Times are of one core in use (CPU time), so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Sequence

from pzvision.game.events import Deal, Draw, Event, HandStart, format_log
from pzvision.game.fold import apply, start
from pzvision.game.legal import legal
from pzvision.game.settle import settle_text
from pzvision.game.simulate import simulate
from pzvision.rules import ruleset_ids
from pzvision.rules.text import table
from pzvision.tiles import SEATS


def _hidden(event: Event) -> Event:
    if isinstance(event, Deal):
        return dataclasses.replace(event, tiles=None)
    return dataclasses.replace(event, tile=None) if isinstance(event, Draw) else event


def _fold(events: Sequence[Event], judge: bool) -> float:
    """Microseconds a record, with what every seat may do after each when ``judge``."""
    begin = time.process_time()
    state = None
    for event in events:
        if isinstance(event, HandStart):
            state = start(event)
        elif state is not None:
            state = apply(state, event)
            if judge:
                for seat in SEATS:
                    legal(state, seat)
    return (time.process_time() - begin) / len(events) * 1e6


def measure(hands: int, seed: int) -> list[list[object]]:
    """A row per ruleset: simulated and settled hands a second, microseconds a record for the fold alone and
    with all four seats' legal acts, hands known and hidden."""
    rows: list[list[object]] = []
    for ruleset in ruleset_ids():
        begin = time.process_time()
        events = simulate(ruleset, seed, hands)
        simulated = hands / (time.process_time() - begin)
        text = format_log(events)
        begin = time.process_time()
        settle_text(text)
        settled = hands / (time.process_time() - begin)
        unseen = [_hidden(event) for event in events]
        times = [_fold(log, judge) for log in (events, unseen) for judge in (False, True)]
        rows.append([ruleset, round(simulated), round(settled), *(round(t) for t in times)])
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m pzvision.game.bench", description=__doc__)
    parser.add_argument("--hands", type=int, default=60, help="hands per ruleset (default 60)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    head = ["ruleset", "simulate/s", "settle/s", "fold µs", "+legal µs", "unseen µs", "+legal µs"]
    print(table(measure(args.hands, args.seed), head))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
