"""What ``pzvision batch`` says: Chinese first, English second."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "batch.title": ("录像结算汇总", "Recordings and settlements"),
    "batch.state.done": ("完成", "done"),
    "batch.state.skipped": ("已完成(跳过)", "done before"),
    "batch.state.failed": ("出错", "failed"),
    "batch.state.waiting": ("未做", "waiting"),
    "batch.state.working": ("未做完", "unfinished"),
    "batch.kind.survey": ("浏览", "survey"),
    "batch.kind.detect": ("识别", "detect"),
    "batch.kind.decode": ("判断", "decode"),
    "batch.ended": ("{name}:{hands} 局,{events} 条记录", "{name}: {hands} hands, {events} records"),
    "batch.failed": ("{name}:出错:{why}", "{name}: failed: {why}"),
    "batch.all": ("{done} 个完成,{skipped} 个早已完成,{failed} 个出错,共 {all} 个",
                  "{done} done, {skipped} done before, {failed} failed, of {all}"),
    "batch.written": ("汇总写在 {path}", "summary in {path}"),
    "batch.go_on": ("再运行一次同样的命令即可接着做", "the same command goes on from here"),
    "batch.workers": ("{workers} 个进程", "{workers} workers"),
    "batch.head.recording": ("录像", "recording"),
    "batch.head.state": ("状态", "state"),
    "batch.head.seconds": ("时长", "length"),
    "batch.head.hands": ("局", "hands"),
    "batch.head.events": ("记录", "events"),
    "batch.head.doubts": ("存疑", "doubts"),
    "batch.head.violations": ("违规", "violations"),
    "batch.head.unsettled": ("未算清", "unsettled"),
    "batch.head.note": ("备注", "note"),
    "batch.files": ("牌谱 · 结算", "log · settlement"),
    "batch.total": ("合计", "all"),
}  # fmt: skip
