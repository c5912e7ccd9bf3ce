"""What the voice says about itself."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "voice.none": (
        "--voice:这台机器没有朗读程序;请装 speech-dispatcher 或 espeak-ng",
        "--voice: no speech program found; install speech-dispatcher or espeak-ng",
    ),
    "voice.kinds": (
        "--voice {value!r}:只认 {kinds}",
        "--voice {value!r}: expected kinds from {kinds}, separated by commas",
    ),
    "voice.failed": (
        "朗读程序 {program} 出错:{reason}",
        "the speech program {program} failed: {reason}",
    ),
}
