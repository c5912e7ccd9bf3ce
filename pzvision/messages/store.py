"""What is said about stored evenings, by `live` and `sessions`."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "store.ask": (
        "第 {id} 场({when} 开始,打完 {hands} 局)没有正常结束。接着打吗? [Y/n]",
        "Evening {id} (begun {when}, {hands} hands settled) was broken off. Go on with it? [Y/n]",
    ),
    "store.broken_off": (
        "第 {id} 场没有正常结束;这次另开一场,要接着打用 --resume",
        "evening {id} was broken off; this is a new one, --resume goes on with the old one",
    ),
    "store.resumed": (
        "接着第 {id} 场:{records} 条记录,打完 {hands} 局",
        "going on with evening {id}: {records} records, {hands} hands settled",
    ),
    "store.kept": ("第 {id} 场,存在 {path}", "Evening {id}, kept in {path}"),
    "store.failing": (
        "存不下来:{reason}。牌局照常进行,会一直重试;已经存的不受影响",
        "cannot be stored: {reason}. The game goes on and storing is tried again; what was stored is safe",
    ),
    "store.well": ("又能存了,没存的都补上了", "storing works again, nothing is missing"),
    "live.token_page": (
        "手机打开(含口令,不要外传):{url}",
        "For the phone (holds the token, keep it to yourself): {url}",
    ),
    "live.stays": ("按 Ctrl-C 关闭页面", "Ctrl-C closes the page"),
    # Lists and reports.
    "sessions.none": ("还没有存过牌局", "No evening has been stored yet"),
    "sessions.head": (
        "场次  开始              局数  记录  状态",
        "No.   begun             hands  records  state",
    ),
    "sessions.ended": ("结束", "ended"),
    "sessions.open": ("未结束", "broken off"),
    "sessions.title": ("第 {id} 场 · {when}", "Evening {id} · {when}"),
    "sessions.source": ("来源 {source}", "Watched: {source}"),
    "sessions.hand": ("第{hand}局 {ruleset} 庄 {dealer}", "Hand {hand}  {ruleset}  dealer {dealer}"),
    "sessions.total": ("合计", "Total"),
    "sessions.corrections": ("更正 {n} 次", "{n} corrections"),
    "sessions.cameras": ("摄像头断过 {n} 次", "Cameras were lost {n} times"),
    "sessions.over_time": ("输赢走势", "Totals over the evening"),
    "sessions.values": ("每局进出", "What each hand moved"),
    "sessions.flows": ("谁给了谁", "Who paid whom"),
    "sessions.flows_note": ("行付给列", "rows pay columns"),
    "sessions.ledger": ("明细", "Ledger"),
    "sessions.start": ("开始", "Start"),
    "sessions.hand_axis": ("局", "hand"),
    "sessions.no_hand": ("没有打完的局", "No hand was settled"),
    "sessions.col_hand": ("局", "Hand"),
    "sessions.col_from": ("付", "From"),
    "sessions.col_to": ("收", "To"),
    "sessions.col_fan": ("番", "Fan"),
    "sessions.col_amount": ("金额", "Amount"),
    "sessions.col_why": ("名目", "Why"),
}
