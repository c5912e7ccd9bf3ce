"""``pzvision evaluate TRUTH.jsonl LOG.jsonl``: how near a written log comes to the true one."""

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
    """Two logs, ``--tolerance``, ``--below``, ``--all``, ``--json``, ``--lang``."""
    parser.add_argument("truth", metavar="TRUTH.jsonl", help="真牌谱 the true log")
    parser.add_argument("log", metavar="LOG.jsonl", help="要查的牌谱 the log to judge")
    parser.add_argument(
        "--tolerance",
        type=float,
        default=3.0,
        metavar="S",
        help="时间差几秒以内算对 seconds apart (default 3)",
    )
    parser.add_argument(
        "--below",
        type=float,
        metavar="F1",
        help="总 F1 低于它则退出码为 1 exit status 1 when the F1 is lower",
    )
    parser.add_argument("--all", action="store_true", help="逐条列出漏的和多的 list missed and false records")
    parser.add_argument("--json", action="store_true", help="输出一行 JSON one JSON object")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh", help="语言 language (default zh)")


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

    from pzvision.game.events import format_event
    from pzvision.messages import say

    rows = [*result.kinds.items(), (say("table.evaluate.total", lang), result.all)]
    lines = [
        say(
            "table.evaluate.head",
            lang,
            kind=kind,
            true=score.true,
            written=score.written,
            right=score.right,
            precision=score.precision,
            recall=score.recall,
            f1=score.f1,
        )
        for kind, score in rows
    ]
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
