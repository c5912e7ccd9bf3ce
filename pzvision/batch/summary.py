"""The summary of a run: ``summary.csv`` for programs, ``summary.html`` (one file, no network) for people."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from typing import Any, Final

from pzvision.batch.run import Progress
from pzvision.live.report import clock
from pzvision.messages import say
from pzvision.rules.explain import pattern_name
from pzvision.rules.patterns import PATTERNS
from pzvision.tiles import SEAT_NAMES, SEATS, Lang

FIGURES: Final = ("hands", "events", "doubts", "violations", "unsettled")

_STYLE: Final = """
body{font:15px/1.5 system-ui,"Noto Sans CJK SC","Microsoft YaHei",sans-serif;margin:2rem}
body{color:#1d2320;background:#fafaf7}
h1{font-size:1.4rem} table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.35rem .7rem;border-bottom:1px solid #dcdcd2;text-align:right} th{background:#eeeee6}
th{white-space:nowrap} td:first-child{min-width:11rem} td a{white-space:nowrap} td.l{max-width:30rem}
td:first-child,th:first-child,th:nth-child(2),.l{text-align:left}
tr.failed{background:#fbe9e7} tfoot td{font-weight:600}
details{margin:.4rem 0} summary{cursor:pointer} a{color:#1a5f46} .minus{color:#a33327}
""".strip()


def summary_csv(runs: Sequence[Progress]) -> str:
    """A row a recording: what was found in it, and each seat's total."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["recording", "folder", "state", "seconds", "frames", *FIGURES, *SEATS, "error"])
    for run in runs:
        s = run.summary or {}
        figures = [s.get(name, "") for name in ("seconds", "frames", *FIGURES)]
        totals = [s.get("totals", {}).get(seat, "") for seat in SEATS]
        state = "done" if run.state == "skipped" else run.state
        # Undecodable bytes of file names are kept readable; a table must be text.
        row = [run.path, run.folder.name, state, *figures, *totals, run.error]
        writer.writerow([str(cell).encode("utf-8", "backslashreplace").decode() for cell in row])
    return out.getvalue()


def summary_html(runs: Sequence[Progress], lang: Lang) -> str:
    """The same as a page, with every hand's payments, and links to the logs beside it."""
    title = html.escape(say("batch.title", lang))
    head = ["recording", "state", "seconds", *FIGURES]
    names = [say(f"batch.head.{key}", lang) for key in head] + [SEAT_NAMES[lang][seat] for seat in SEATS]
    rows = "\n".join(_row(run, lang) for run in runs)
    hands = "\n".join(_hands(run, lang) for run in runs if run.summary)
    sums = [sum((run.summary or {}).get(name, 0) for run in runs) for name in FIGURES]
    foot = f"<td>{html.escape(say('batch.total', lang))}</td><td></td><td></td>" + "".join(
        f"<td>{value}</td>" for value in sums
    )
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>\n'
        f"<style>{_STYLE}</style></head>\n<body><h1>{title}</h1>\n<table><thead><tr>"
        + "".join(f"<th>{html.escape(name)}</th>" for name in names)
        + f'</tr></thead>\n<tbody>\n{rows}\n</tbody>\n<tfoot><tr>{foot}<td colspan="4"></td></tr></tfoot>'
        f"</table>\n{hands}\n</body></html>\n"
    )


def _row(run: Progress, lang: Lang) -> str:
    s = run.summary or {}
    folder = html.escape(run.folder.name, quote=True)
    name = html.escape(_shown(run.path.replace("\\", "/").rsplit("/", 1)[-1]))
    if run.summary:
        links = (f"{folder}/log.jsonl", f"{folder}/settlement.txt")
        words = say("batch.files", lang).split(" · ")
        anchors = " · ".join(
            f'<a href="{link}">{html.escape(word)}</a>' for link, word in zip(links, words, strict=True)
        )
        name += f"<br>{anchors}"
    state = html.escape(say(f"batch.state.{run.state}", lang))
    if run.error:
        state += f"<br>{html.escape(_shown(run.error))}"
    for text in s.get("notes", ()):
        state += f"<br>{html.escape(_shown(str(text)))}"
    cells = "".join(f"<td>{html.escape(str(s.get(key, '')))}</td>" for key in FIGURES)
    money = "".join(_amount(s.get("totals", {}).get(seat, "")) for seat in SEATS)
    length = clock(s["seconds"]) if "seconds" in s else ""
    kind = ' class="failed"' if run.state == "failed" else ""
    return f'<tr{kind}><td>{name}</td><td class="l">{state}</td><td>{length}</td>{cells}{money}</tr>'


def _hands(run: Progress, lang: Lang) -> str:
    out = []
    names = {seat: html.escape(name) for seat, name in SEAT_NAMES[lang].items()}
    for record in (run.summary or {}).get("settlements", ()):
        head = html.escape(say("live.hand", lang, hand=record["hand"]))
        rows = "".join(
            f"<tr><td>{names[p['from']]} → {names[p['to']]}</td><td>{p['fan']}</td><td>{p['amount']}</td>"
            f'<td class="l">{html.escape(_why(p, lang))}</td></tr>'
            for p in record["ledger"]
        )
        totals = "  ".join(f"{names[seat]} {amount:+d}" for seat, amount in record["totals"].items())
        out.append(f"<h3>{head}  {totals}</h3><table>{rows}</table>")
    if not out:
        return ""
    name = html.escape(_shown(run.folder.name))
    return f"<details><summary>{name}</summary>{''.join(out)}</details>"


def _why(payment: dict[str, Any], lang: Lang) -> str:
    """What a line is for: ``胡 清一色 × 卡心五``."""
    kind = say(f"game.kind.{payment['kind']}", lang)
    parts = str(payment["why"]).split(" × ")
    if payment["kind"] == "win":
        words = [pattern_name(id_, lang) if id_ in PATTERNS else say("rules.plain", lang) for id_ in parts]
        return f"{kind} {' × '.join(words)}"
    return say(f"game.why.{parts[0]}", lang) if payment["kind"] == "kong" else kind


def _amount(value: object) -> str:
    if not isinstance(value, int):
        return "<td></td>"
    if value < 0:
        return f'<td class="minus">{value}</td>'
    return f"<td>{value:+d}</td>" if value else "<td>0</td>"


def _shown(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
