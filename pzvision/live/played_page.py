"""A stored evening as one HTML file with drawings: nothing is loaded from anywhere, nothing runs in it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from html import escape
from typing import Final

from pzvision.live.played import PlayedEvening, local
from pzvision.live.wording import why_text
from pzvision.messages import say
from pzvision.tiles import SEATS, Lang, Seat

# Told apart by people who see colours differently, on light and dark grounds.
_COLOURS: Final[dict[Seat, str]] = {"E": "#d1495b", "S": "#2e8b57", "W": "#3c78c8", "N": "#b8860b"}
_WIDTH: Final = 760
_HEIGHT: Final = 300
_LEFT: Final = 52
_RIGHT: Final = 128
_TOP: Final = 14
_BOTTOM: Final = 30

_STYLE: Final = """
:root { --ink: #1f2623; --soft: #66706b; --line: #d5dad4; --ground: #fbfbf8; --bar: #7a8f84; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e8e3; --soft: #98a29c; --line: #3a423d; --ground: #161a18; --bar: #7f9a8c; } }
body { font: 15px/1.55 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif;
  color: var(--ink); background: var(--ground); max-width: 820px; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2.2rem 0 .6rem; }
.soft { color: var(--soft); } svg { width: 100%; height: auto; display: block; }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft); } .axis { stroke: var(--line); }
.zero { stroke: var(--soft); } .bar { fill: var(--bar); } svg text.name { font-weight: 600; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: .25rem .7rem .25rem 0; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.sums { display: flex; flex-wrap: wrap; gap: .6rem 2.2rem; margin: 1.2rem 0; }
.sums b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.flows { table-layout: fixed; }
.flows td { text-align: right; font-variant-numeric: tabular-nums; padding: .45rem .7rem; }
"""


def to_html(evening: PlayedEvening, lang: Lang) -> str:
    """The report, as text of an HTML file."""
    names = {seat: evening.name(seat, lang) for seat in SEATS}
    title = say("sessions.title", lang, id=evening.row.id, when=local(evening.row.started))
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">{escape(say("sessions.source", lang, source=evening.row.source))}</p>',
    ]
    if evening.hands:
        sums = "".join(
            f'<div><span class="soft">{escape(names[seat])}</span>'
            f'<b style="color:{_COLOURS[seat]}">{evening.totals[seat]:+d}</b></div>'
            for seat in SEATS
        )
        parts.append(f'<div class="sums">{sums}</div>')
        for key, drawing in (
            ("sessions.over_time", totals_chart(evening, names, lang)),
            ("sessions.values", values_chart([hand.moved for hand in evening.hands], lang)),
            ("sessions.flows", _flows(evening, names, lang)),
            ("sessions.ledger", _ledger(evening, names, lang)),
        ):
            parts.append(f"<h2>{escape(say(key, lang))}</h2>{drawing}")
    else:
        parts.append(f"<p>{escape(say('sessions.no_hand', lang))}</p>")
    remarks = []
    if evening.corrections:
        remarks.append(say("sessions.corrections", lang, n=len(evening.corrections)))
    if evening.camera_losses:
        remarks.append(say("sessions.cameras", lang, n=evening.camera_losses))
    parts.extend(f'<p class="soft">{escape(remark)}</p>' for remark in remarks)
    body = "\n".join(parts)
    language = "zh-CN" if lang == "zh" else "en"
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def totals_chart(evening: PlayedEvening, names: dict[Seat, str], lang: Lang) -> str:
    """Each player's running total after every hand, as SVG."""
    series = {seat: [0, *(hand.after[seat] for hand in evening.hands)] for seat in SEATS}
    values = [v for line in series.values() for v in line]
    ticks = nice_ticks(min(values), max(values))
    count = len(evening.hands)
    parts = _grid(ticks, range(count + 1), count, lang)
    ends = _apart({seat: _y(line[-1], ticks) for seat, line in series.items()}, 15)
    for seat, line in series.items():
        points = " ".join(f"{_x(i, count):.1f},{_y(v, ticks):.1f}" for i, v in enumerate(line))
        colour = _COLOURS[seat]
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"'
            ' stroke-linejoin="round"/>'
        )
        parts.extend(
            f'<circle cx="{_x(i, count):.1f}" cy="{_y(v, ticks):.1f}" r="3" fill="{colour}">'
            f"<title>{escape(names[seat])} {v:+d}</title></circle>"
            for i, v in enumerate(line)
        )
        parts.append(
            f'<text class="name" x="{_WIDTH - _RIGHT + 10}" y="{ends[seat] + 4:.1f}" style="fill:{colour}">'
            f"{escape(_short(names[seat]))} {line[-1]:+d}</text>"
        )
    return _svg(parts)


def values_chart(moved: Sequence[int], lang: Lang) -> str:
    """What changed hands in each hand, as SVG bars."""
    ticks = nice_ticks(0, max(moved))
    count = len(moved)
    parts = _grid(ticks, range(1, count + 1), count, lang, bars=True)
    wide = min(46.0, (_WIDTH - _LEFT - _RIGHT) / count * 0.7)
    for i, value in enumerate(moved):
        x, y = _x(i + 0.5, count), _y(value, ticks)
        parts.append(
            f'<rect class="bar" x="{x - wide / 2:.1f}" y="{y:.1f}" width="{wide:.1f}"'
            f' height="{_y(0, ticks) - y:.1f}" rx="2"><title>{i + 1}: {value}</title></rect>'
        )
        if count <= 24:
            parts.append(f'<text x="{x:.1f}" y="{y - 5:.1f}" text-anchor="middle">{value}</text>')
    return _svg(parts)


def nice_ticks(low: float, high: float, most: int = 6) -> list[int]:
    """Round numbers from below ``low`` to above ``high``, at most ``most`` steps apart, with 0 among them."""
    low, high = min(low, 0), max(high, 0)
    span = max(high - low, 1)
    step = 10 ** math.floor(math.log10(span / most)) if span / most >= 1 else 1
    while span / step > most:
        step = step * 2 if str(step)[0] in "15" else step // 2 * 5
    first, last = math.floor(low / step), math.ceil(high / step)
    return [i * step for i in range(first, max(last, first + 1) + 1)]


def _grid(ticks: Sequence[int], marks: range, count: int, lang: Lang, *, bars: bool = False) -> list[str]:
    parts = []
    for tick in ticks:
        y = _y(tick, ticks)
        style = "zero" if tick == 0 else "axis"
        parts.append(f'<line class="{style}" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick}</text>')
    every = max(1, math.ceil(count / 20))
    for mark in marks:
        if mark % every == 0 or mark == count:
            x = _x(mark - 0.5 if bars else mark, count)
            parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - 10}" text-anchor="middle">{mark}</text>')
    axis = escape(say("sessions.hand_axis", lang))
    parts.append(f'<text x="{_WIDTH - _RIGHT + 10}" y="{_HEIGHT - 10}">{axis}</text>')
    return parts


def _x(at: float, count: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * at / max(count, 1)


def _y(value: float, ticks: Sequence[int]) -> float:
    share = (value - ticks[0]) / (ticks[-1] - ticks[0])
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share


def _apart(places: dict[Seat, float], gap: float) -> dict[Seat, float]:
    """Places of labels, moved so that none covers another."""
    order = sorted(places, key=lambda seat: places[seat])
    out = dict(places)
    for before, after in itertools.pairwise(order):
        out[after] = max(out[after], out[before] + gap)
    over = out[order[-1]] - (_HEIGHT - _BOTTOM)
    if over > 0:
        out[order[-1]] -= over
        for after, before in itertools.pairwise(order[::-1]):
            out[before] = min(out[before], out[after] - gap)
    return out


def _short(name: str, most: int = 8) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _svg(parts: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">{"".join(parts)}</svg>'


def _flows(evening: PlayedEvening, names: dict[Seat, str], lang: Lang) -> str:
    flows = evening.flows
    most = max(flows.values(), default=0) or 1
    head = "".join(f"<td>{escape(names[seat])}</td>" for seat in SEATS)
    rows = []
    for payer in SEATS:
        cells = []
        for payee in SEATS:
            if payer == payee:
                cells.append('<td class="soft">·</td>')
                continue
            amount = flows[payer, payee]
            shade = round(100 * amount / most * 0.55)
            ground = f"color-mix(in srgb,{_COLOURS[payee]} {shade}%,transparent)"
            cells.append(f'<td style="background:{ground}">{amount}</td>')
        rows.append(f"<tr><th>{escape(names[payer])}</th>{''.join(cells)}</tr>")
    note = escape(say("sessions.flows_note", lang))
    return f'<p class="soft">{note}</p><table class="flows"><tr><th></th>{head}</tr>{"".join(rows)}</table>'


def _ledger(evening: PlayedEvening, names: dict[Seat, str], lang: Lang) -> str:
    columns = (("hand", "n"), ("from", ""), ("to", ""), ("fan", "n"), ("amount", "n"), ("why", ""))
    head = "".join(
        f'<th class="{style}">{escape(say(f"sessions.col_{column}", lang))}</th>' for column, style in columns
    )
    rows = []
    for hand in evening.hands:
        for payment in hand.ledger:
            cells = (
                str(hand.number),
                names[payment.source],
                names[payment.target],
                str(payment.fan),
                str(payment.amount),
                why_text(payment, lang),
            )
            row = "".join(
                f'<td class="{style}">{escape(cell)}</td>'
                for cell, (_, style) in zip(cells, columns, strict=True)
            )
            rows.append(f"<tr>{row}</tr>")
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"
