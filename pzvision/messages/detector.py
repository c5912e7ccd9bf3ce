"""What ``detect``, ``bench-detector`` and ``adapt`` say."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "detector.bench.auto": (
        "auto 会用 {auto};这里最快的是 {fastest}",
        "auto picks {auto}; the fastest here is {fastest}",
    ),
    "detector.bench.each": (
        "{backend},每张照片的牌数和毫秒:{each}",
        "{backend}, tiles and ms of every picture: {each}",
    ),
    "detector.bench.pictures": (
        "{pictures} 张照片,平均识别出 {tiles:.0f} 张牌;中位数,毫秒;cpu 是各线程合计",
        "{pictures} pictures, {tiles:.0f} tiles found in each; medians, ms; cpu is all threads together",
    ),
    "detector.adapt.rows": (
        "{photo}:27 张牌,三排摆好",
        "{photo}: 27 tiles in three rows",
    ),
    "detector.adapt.faces": (
        "{photo}:27 张牌,按牌面认出",
        "{photo}: 27 tiles, told by their faces",
    ),
    "detector.adapt.trial": (
        "拿 {photo} 考(没学过这张):认对 {before}/27 → {after}/27;"
        "远、糊、转着看 {before_small:.1f}% → {after_small:.1f}%",
        "tested on {photo}, learnt from the others: {before}/27 → {after}/27 right;"
        " small, blurred and turned {before_small:.1f}% → {after_small:.1f}%",
    ),
    "detector.adapt.nothing": (
        "这副牌本来就认得一样好,不用另学;什么也没写",
        "this set is already read as well without; nothing written",
    ),
    "detector.adapt.kept": ("以前的留在 {path}", "the earlier one is kept as {path}"),
    "detector.adapt.written": ("写好 {path}", "written {path}"),
    "detector.adapt.named": (
        "{path} 以后用这副牌:{name}",
        "{path} uses this set from now on: {name}",
    ),
}
