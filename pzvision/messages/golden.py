"""What ``pzvision golden`` and ``pzvision evaluate GOLDEN`` say."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "golden.summary": (
        "生成或列出金标集:渲染的整局牌,真值全知。",
        "Build or list the golden set: rendered hands whose whole truth is known.",
    ),
    "golden.built": ("已有", "built"),
    "golden.missing": ("没有", "missing"),
    "golden.changed": ("配方已变", "recipe changed"),
    "golden.other_models": ("用的是别的模型", "built with other models"),
    "golden.done": ("{number}/{total} {name} 好了", "{number}/{total} {name} built"),
    "golden.drawn": ("抽好了 {total} 份配方:{path}", "{total} recipes drawn: {path}"),
    "golden.nothing": ("{total} 份都已齐全", "all {total} are built"),
    "golden.seen": ("看得见的合计", "all that is seen"),
    "golden.tables": (
        "整桌全对:{checks} 次查看中 {exact} 次({share:.1%})",
        "whole table exact: {exact} of {checks} checkpoints ({share:.1%})",
    ),
    "golden.settled": (
        "算账全对:{hands} 局中 {settled} 局({share:.1%});最多改一处就对:{mended} 局({mendable:.1%})",
        "settled exactly: {settled} of {hands} hands ({share:.1%});"
        " with one correction: {mended} ({mendable:.1%})",
    ),
    "golden.false": (
        "误报:每小时 {false:.1f} 次(共播报 {said} 次);另有存疑每小时 {doubts:.1f} 次",
        "false announcements: {false:.1f} an hour ({said} said in all); mere doubts: {doubts:.1f} an hour",
    ),
    "golden.delay": (
        "从发生到记下(秒):中位 {p50:.2f},95% 在 {p95:.2f} 以内",
        "from event to log, s: median {p50:.2f}, 95% within {p95:.2f}",
    ),
    "golden.one": (
        "{name:<28} F1 {f1:.3f}  整桌 {exact}/{checks}  算账 {settled}/{hands}  误报 {false}",
        "{name:<28} F1 {f1:.3f}  tables {exact}/{checks}  settled {settled}/{hands}  false {false}",
    ),
    "golden.wrong": ("  {t:.1f} 秒桌面不对:{what}", "  {t:.1f} s: table wrong: {what}"),
    "golden.untrue": ("  {t:.1f} 秒误报:{what}", "  {t:.1f} s: false: {what}"),
    "golden.word.tables": ("整桌全对", "whole tables"),
    "golden.word.settled": ("算账全对", "settled exactly"),
    "golden.word.mended": ("改一处就对", "settled with one correction"),
    "golden.word.false": ("每小时误报", "false announcements an hour"),
    "golden.word.delay": ("延迟 p95", "delay p95"),
    "golden.drop": (
        "退步了:{what} 现在 {now:.4f},上次认可的是 {accepted:.4f}",
        "worse: {what} is {now:.4f}, accepted was {accepted:.4f}",
    ),
    "golden.accepted": ("已记为认可的数字:{path}", "accepted figures written: {path}"),
    "golden.skipped": ("{name} 还没生成,略过", "{name} is not built: left out"),
}
