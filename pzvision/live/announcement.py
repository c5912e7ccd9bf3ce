"""Something said about the game, and something taken back; as records of the live stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from pzvision.messages import say
from pzvision.tiles import Lang, Seat, Tile, format_tiles, parse_tiles

Kind: TypeAlias = Literal[
    "ready", "kong_legal", "win", "settlement", "violation", "dealer", "uncertain", "declare"
]
LANGS: Final[tuple[Lang, Lang]] = ("zh", "en")


@dataclass(frozen=True, slots=True)
class Announcement:
    """One thing said.

    Attributes:
        kind: as in the live stream; ``declare`` is a declaration whose waits are not known.
        zh, en: the sentence.
        seat, tiles, fan: what it is about, where that applies.
        t: seconds in the source, from the record it follows.
        key: two announcements with one key say the same thing.
    """

    kind: Kind
    zh: str
    en: str
    seat: Seat | None = None
    tiles: tuple[Tile, ...] = ()
    fan: int | None = None
    t: float | None = None
    key: tuple[object, ...] = field(default=(), compare=False)

    def text(self, lang: Lang) -> str:
        """The sentence in one language."""
        return self.zh if lang == "zh" else self.en

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Announcement:
        """What a record of the live stream said; equal sentences share a key."""
        tiles = tuple(parse_tiles(record["tiles"]))
        key = (None, record["kind"], record["seat"], record["zh"])
        return cls(
            record["kind"], record["zh"], record["en"], record["seat"], tiles, record["fan"], record["t"], key
        )

    def to_record(self) -> dict[str, Any]:
        """The record of the live stream, without its ``seq``."""
        return {
            "type": "announce",
            "kind": self.kind,
            "seat": self.seat,
            "tiles": format_tiles(self.tiles),
            "zh": self.zh,
            "en": self.en,
            "fan": self.fan,
            "t": self.t,
        }


@dataclass(frozen=True)
class Correction:
    """An announcement taken back because the log was rewritten."""

    of: Announcement

    def text(self, lang: Lang) -> str:
        """The sentence in one language."""
        return say("announce.retract", lang, text=self.of.text(lang))

    def to_record(self) -> dict[str, Any]:
        """The record of the live stream, without its ``seq``."""
        zh, en = self.text("zh"), self.text("en")
        return {**self.of.to_record(), "kind": "uncertain", "zh": zh, "en": en, "fan": None}
