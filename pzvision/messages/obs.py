"""What the scene switch says."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "obs.missing": (
        "换场景要先装 pip install 'pzvision[obs]'",
        "--obs-scene needs the obs extra: pip install 'pzvision[obs]'",
    ),
    "obs.address": (
        "--obs {value!r}:应为 地址:端口",
        "--obs {value!r}: expected HOST:PORT such as 127.0.0.1:4455",
    ),
    "obs.scene": (
        "--obs-scene {value!r}:应为 种类=场景,种类有 {kinds}",
        "--obs-scene {value!r}: expected KIND=SCENE such as win=Close-up, with KIND one of {kinds}",
    ),
    "obs.no_scenes": (
        "有 --obs 就要有 --obs-scene 种类=场景",
        "--obs: give at least one --obs-scene KIND=SCENE",
    ),
    "obs.hold": (
        "--obs-hold {value:g}:应为 1 到 600 秒",
        "--obs-hold {value:g}: expected 1 to 600 seconds",
    ),
    "obs.failed": (
        "OBS({address})换不了场景:{reason};过一会儿再试",
        "OBS at {address} does not change scenes: {reason}; trying again later",
    ),
}
