"""``pzvision evaluate TRUTH.jsonl LOG.jsonl``: how near a written log comes to the true one.

``pzvision evaluate GOLDEN`` does it for every recording of a golden set, reading it from its stored looks.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from pzvision.commands._output import utf8_output
from pzvision.errors import PzvisionError
from pzvision.messages.table import MESSAGES
from pzvision.tiles import Lang

SUMMARY = MESSAGES["table.summary.evaluate"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Two logs or a golden set, and what to print."""
    parser.add_argument(
        "truth",
        metavar="TRUTH.jsonl|GOLDEN",
    )
    parser.add_argument("log", nargs="?", metavar="LOG.jsonl")
    golden = parser.add_argument_group("golden")
    golden.add_argument("--only", nargs="+", metavar="NAME")
    golden.add_argument(
        "--ablate",
        choices=("decoder", "hysteresis"),
    )
    golden.add_argument("--accept", action="store_true")
    golden.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument(
        "--tolerance",
        type=float,
        default=3.0,
        metavar="S",
    )
    parser.add_argument(
        "--below",
        type=float,
        metavar="F1",
    )
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")


def _read(name: str) -> list[Any]:
    from pzvision.game.events import HandStart, read_log

    try:
        lines = Path(name).read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise PzvisionError(f"cannot read {name!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PzvisionError(f"{name}: not a game log (not UTF-8 text)") from None
    try:
        events = [line.event for line in read_log(lines)]
    except PzvisionError as error:
        raise PzvisionError(f"{name}: {error}") from None
    if not any(isinstance(event, HandStart) for event in events):
        what = "holds no hand" if events else "is empty"
        raise PzvisionError(f"{name}: {what}: expected a game log with a hand_start record")
    return events


def run(args: argparse.Namespace) -> int:
    """Print the comparison; status 1 when the F1 is below ``--below``."""
    from pzvision.evaluation import compare

    if Path(args.truth).is_dir():
        return _golden(args)
    if args.log is None:
        raise PzvisionError(f"{args.truth}: expected a LOG.jsonl beside it, or a golden set's folder")
    for name in ("only", "ablate", "accept"):
        if getattr(args, name):
            raise PzvisionError(f"--{name}: only with a golden set's folder")
    if args.below is not None and not 0 <= args.below <= 1:
        raise PzvisionError(f"--below {args.below}: expected an F1 from 0 to 1")
    if not args.tolerance >= 0:
        raise PzvisionError(f"--tolerance {args.tolerance}: expected seconds, 0 or more")
    result = compare(_read(args.truth), _read(args.log), args.tolerance)
    utf8_output()
    if args.json:
        print(json.dumps(result.to_json(), ensure_ascii=False))
    else:
        for line in _lines(result, args.lang, args.all):
            print(line)
    return 1 if args.below is not None and result.all.f1 < args.below else 0


def _lines(result: Any, lang: Lang, every: bool) -> list[str]:
    import numpy as np

    from pzvision.evaluation import score_line
    from pzvision.game.events import format_event
    from pzvision.messages import say

    rows = [*result.kinds.items(), (say("table.evaluate.total", lang), result.all)]
    lines = [score_line(kind, score, lang) for kind, score in rows]
    if result.delays:
        p50 = float(np.median(result.delays))
        p95 = float(np.percentile(np.abs(result.delays), 95))
        lines.append(say("table.evaluate.delay", lang, p50=p50, p95=p95))
    for number, (true, written) in enumerate(result.totals, 1):
        lines.append(say("table.evaluate.totals", lang, hand=number, true=true, written=written or "-"))
    verdict = {True: "settled", False: "unsettled", None: "none"}[result.settled]
    lines.append(say(f"table.evaluate.{verdict}", lang))
    if every:
        for key, events in (("missed", result.missed), ("false", result.false)):
            for event in events:
                record = json.dumps(format_event(event), ensure_ascii=False)
                lines.append(say(f"table.evaluate.{key}", lang, record=record))
    return lines


def _golden(args: argparse.Namespace) -> int:
    """The golden set; 1 when a figure is worse than the accepted one, or the F1 is below ``--below``."""
    from pzvision.golden.evaluate import figures
    from pzvision.golden.report import (
        ACCEPTED_FILE,
        Counts,
        drops,
        lines,
        load_accepted,
        save_accepted,
        total,
    )
    from pzvision.messages import say

    if args.log is not None:
        raise PzvisionError(f"{args.log}: a golden set's folder needs no other log")
    if args.ablate and args.accept:
        raise PzvisionError("--accept: not with --ablate")
    if not 1 <= args.jobs <= 64:
        raise PzvisionError(f"--jobs {args.jobs}: expected 1 to 64")
    folder = Path(args.truth)
    accepted = load_accepted(folder)
    utf8_output()
    counts: dict[str, Counts] = {}
    for name, one in figures(folder, args.only, args.ablate, args.jobs):
        if one is None:
            print(say("golden.skipped", args.lang, name=name), flush=True)
            continue
        counts[name] = now = Counts.of(one)
        if args.json:
            continue
        words = {
            "f1": now.seen.f1,
            "exact": now.exact,
            "checks": now.checks,
            "settled": now.settled,
            "hands": now.hands,
            "false": now.false,
        }
        print(say("golden.one", args.lang, name=name, **words), flush=True)
        if args.all:
            for line in _details(one, args.lang):
                print(line)
    if not counts:
        raise PzvisionError(f"{folder}: nothing is built: run pzvision golden build")
    whole = total(counts.values())
    if args.json:
        each = {name: one.to_json() for name, one in counts.items()}
        print(json.dumps({**whole.to_json(), "recordings": each}, ensure_ascii=False))
    else:
        for line in lines(whole, args.lang):
            print(line)
    worse = [] if args.ablate else drops(counts, accepted, args.lang)
    if args.accept:
        save_accepted(folder, counts)
        print(say("golden.accepted", args.lang, path=folder / ACCEPTED_FILE))
        return 0
    for line in worse:
        print(line)
    return 1 if worse or (args.below is not None and whole.seen.f1 < args.below) else 0


def _details(one: Any, lang: Lang) -> list[str]:
    from pzvision.game.events import format_event
    from pzvision.golden.measure import SEEN
    from pzvision.messages import say

    out = []
    for key, events in (("missed", one.comparison.missed), ("false", one.comparison.false)):
        for event in events:
            if event.type in SEEN:
                record = json.dumps(format_event(event), ensure_ascii=False)
                out.append("  " + say(f"table.evaluate.{key}", lang, record=record))
    out += [say("golden.wrong", lang, t=t, what=what) for t, what in one.wrong]
    out += [say("golden.untrue", lang, t=t, what=what) for t, what in one.false]
    return out
