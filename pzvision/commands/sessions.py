"""``pzvision sessions``: the evenings that were stored: list, show, export."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pzvision.live.played import PlayedEvening
    from pzvision.live.stored_evening import StoredSession

SUMMARY = ("看存下来的牌局,导出账本和报告。", "Stored evenings: list, show, export.")
FORMATS = ("jsonl", "csv", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "show", "export"),
        default="list",
    )
    parser.add_argument("id", nargs="?", metavar="ID")
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--jsonl", action="store_true")
    formats.add_argument("--csv", action="store_true")
    formats.add_argument("--html", action="store_true")
    parser.add_argument("--out", metavar="FILE")
    parser.add_argument("--store", metavar="FILE")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`."""
    from pzvision.errors import PzvisionError
    from pzvision.live.paths import check_distinct, check_not_empty
    from pzvision.live.played import PlayedEvening, list_text, show_text
    from pzvision.live.store import Store, default_path
    from pzvision.messages import say

    check_not_empty({"--store": args.store, "--out": args.out, "ID": args.id})
    wanted = [name for name in FORMATS if getattr(args, name)]
    if args.action != "export" and (wanted or args.out):
        raise PzvisionError(f"sessions {args.action}: --{wanted[0] if wanted else 'out'} goes with export")
    if args.action != "list" and args.id is None:
        raise PzvisionError(f"sessions {args.action}: which one? give its number, or last")
    if args.action == "list" and args.id is not None:
        raise PzvisionError(f"sessions list {args.id}: expected no number; show {args.id} shows one")
    path = Path(args.store or default_path())
    if args.action == "list" and not args.store and not path.exists():
        print(say("sessions.none", args.lang))
        return 0
    check_distinct({"--out": args.out}, {"--store": path})
    store = Store(path, create=False)
    try:
        if args.action == "list":
            print(list_text(store.sessions(), args.lang))
            return 0
        row = store.session(_number(store.sessions(), args.id))
        evening = PlayedEvening(row, store.read(row.id))
    finally:
        store.close()
    if args.action == "show":
        print(show_text(evening, args.lang))
        return 0
    return _export(evening, wanted[0] if wanted else "jsonl", args)


def _number(known: Sequence[StoredSession], word: str) -> int:
    from pzvision.errors import PzvisionError

    if word == "last":
        if known:
            return known[-1].id
        raise PzvisionError("sessions: no evening has been stored yet")
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise PzvisionError(f"ID {word!r}: expected the number of an evening, or last")
    return int(word)


def _export(evening: PlayedEvening, form: str, args: argparse.Namespace) -> int:
    from pzvision.commands._output import utf8_output
    from pzvision.live.paths import check_writable, write_text
    from pzvision.live.played import to_csv, to_jsonl
    from pzvision.live.played_page import to_html
    from pzvision.live.report import note
    from pzvision.messages import say

    if args.out:
        check_writable(Path(args.out))
    if form == "csv":
        text = to_csv(evening, args.lang)
    elif form == "html":
        text = to_html(evening, args.lang)
    else:
        text = to_jsonl(evening.stored.log)
    if evening.stored.damage:
        note(evening.stored.damage)
    if not args.out:
        utf8_output()
        sys.stdout.write(text)
        return 0
    write_text(Path(args.out), text)
    note(say("live.written", args.lang, path=args.out))
    return 0
