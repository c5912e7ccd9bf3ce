"""What the table room and ``pzvision evaluate`` say."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "table.summary.evaluate": (
        "拿写出的牌谱和真牌谱比:每种记录的 F1、算账对不对。",
        "Compare a written game log with the true one: F1 per kind of record, settlement equal or not.",
    ),
    "table.evaluate.head": (
        "{kind:<12} 真 {true:>4}  写 {written:>4}  对 {right:>4}"
        "  准 {precision:.3f}  全 {recall:.3f}  F1 {f1:.3f}",
        "{kind:<12} true {true:>4}  written {written:>4}  right {right:>4}"
        "  precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}",
    ),
    "table.evaluate.missed": ("漏了:{record}", "missed: {record}"),
    "table.evaluate.false": ("多了:{record}", "false: {record}"),
    "table.evaluate.delay": (
        "时间差(秒):中位 {p50:+.2f},95% 在 {p95:.2f} 以内",
        "time difference, s: median {p50:+.2f}, 95% within {p95:.2f}",
    ),
    "table.evaluate.totals": (
        "第 {hand} 局:真 {true};写 {written}",
        "hand {hand}: true {true}; written {written}",
    ),
    "table.evaluate.settled": ("算账一致", "settlement equal"),
    "table.evaluate.unsettled": ("算账不一致", "settlement differs"),
    "table.evaluate.none": ("真牌谱没有可算的局", "the true log holds no hand to settle"),
    "table.evaluate.total": ("合计", "all"),
}
