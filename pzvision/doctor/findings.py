"""What a check finds, and when something is worth a word."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pzvision.messages import say
from pzvision.tiles import Lang

State: TypeAlias = Literal["ok", "warn", "bad"]


@dataclass(frozen=True)
class DoctorConfig:
    """When something is worth a word.

    Attributes:
        slow_ms: a picture through the detector; half of it is noted, twice of it is bad for a live game.
        low_memory_gb, low_disk_gb, bad_disk_gb: free.
        watch_s: seconds a camera is watched. open_s: seconds it may take to give its first picture.
        low_fps, small_px: of a camera: frames a second, and the picture's width.
    """

    slow_ms: float = 600.0
    low_memory_gb: float = 1.0
    low_disk_gb: float = 2.0
    bad_disk_gb: float = 0.1
    watch_s: float = 2.0
    open_s: float = 12.0
    low_fps: float = 8.0
    small_px: int = 960


@dataclass(frozen=True)
class Finding:
    """One line of the report. ``text`` and ``mend``: message keys after ``doctor.``, filled with ``fields``
    (``why_key`` is a message itself); an ``ok`` finding's ``mend`` is a tip."""

    check: str
    state: State
    text: str
    mend: str = ""
    fields: dict[str, Any] = field(default_factory=dict)

    def line(self, lang: Lang) -> str:
        """What is found, in words."""
        why = {"why": say(self.fields["why_key"], lang)} if "why_key" in self.fields else {}
        return say(f"doctor.{self.text}", lang, **self.fields, **why)

    def mend_line(self, lang: Lang) -> str:
        """What to do about it; empty: nothing."""
        return say(f"doctor.{self.mend}", lang, **self.fields) if self.mend else ""

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        texts = {lang: self.line(lang) for lang in ("zh", "en")}
        mend = {lang: self.mend_line(lang) for lang in ("zh", "en")} if self.mend else None
        return {"check": self.check, "state": self.state, **texts, "mend": mend}


@dataclass(frozen=True)
class Wanted:
    """What the user named: a camera, a calibration file, a port, a folder of models; None: find one."""

    camera: str | None = None
    calibration: str | None = None
    port: int | None = None
    models: str | None = None
