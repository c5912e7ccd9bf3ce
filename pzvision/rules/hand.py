"""What a hand is made of besides tiles: melds, and what a payer brings to the bill (S0 §1.4, §1.10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pzvision.errors import FormatError
from pzvision.tiles import Tile, format_tile, parse_tile

MeldKind: TypeAlias = Literal["peng", "zhi_gang", "an_gang", "ba_gang"]
Declaration: TypeAlias = Literal["none", "sing", "dance", "bai"]
By: TypeAlias = Literal["self_draw", "discard", "rob_kong"]
Opening: TypeAlias = Literal["tian_hu", "di_hu", "tian_jiao", "bao_ting"]
Lang: TypeAlias = Literal["zh", "en"]

MELD_KINDS: Final[tuple[MeldKind, ...]] = ("peng", "zhi_gang", "an_gang", "ba_gang")
KONG_KINDS: Final[tuple[MeldKind, ...]] = ("zhi_gang", "an_gang", "ba_gang")
DECLARATIONS: Final[tuple[Declaration, ...]] = ("none", "sing", "dance", "bai")
BYS: Final[tuple[By, ...]] = ("self_draw", "discard", "rob_kong")


@dataclass(frozen=True, slots=True)
class Meld:
    """A 碰 or one of the three kongs: 点杠/直杠 ``zhi_gang``, 暗杠 ``an_gang``, 巴杠 ``ba_gang`` (S0 §1.4).

    `tile` is a kind 0..26. A meld always stands for three tiles of the hand's fourteen, kong or not.
    """

    kind: MeldKind
    tile: Tile

    @property
    def size(self) -> int:
        """Tiles lying in it: 3 or 4."""
        return 3 if self.kind == "peng" else 4

    @classmethod
    def parse(cls, record: object) -> Meld:
        """``{"kind": "peng", "tile": "3p"}`` → `Meld`. Raises `FormatError` for anything else."""
        if not isinstance(record, dict):
            raise FormatError(
                f'bad meld {record!r}: expected an object such as {{"kind": "peng", "tile": "3p"}}'
            )
        kind = record.get("kind")
        for known in MELD_KINDS:
            if kind == known:
                return cls(known, parse_tile(record.get("tile", "")))
        raise FormatError(f"bad meld kind {kind!r}: expected one of {', '.join(MELD_KINDS)}")

    def format(self) -> dict[str, str]:
        """Inverse of `parse`."""
        return {"kind": self.kind, "tile": format_tile(self.tile)}


@dataclass(frozen=True, slots=True)
class Payer:
    """What the paying side adds to a win: its declaration, 报警 and 报听 (S0 §4.3c; S1 3; S3 (4), (7)).

    >>> Payer("dance")
    Payer(declaration='dance', alarm=False, bao_ting=False)
    """

    declaration: Declaration = "none"
    alarm: bool = False
    bao_ting: bool = False
