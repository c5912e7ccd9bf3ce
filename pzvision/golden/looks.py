"""Tile sets of the golden set: those no model is trained on, and more of their motifs in other colours."""

# ruff: noqa: E501  (tables of data)

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pzvision.synth.looks import HELD_OUT, Look

_HARBOUR, _MARKET = HELD_OUT["harbour"], HELD_OUT["market"]

GOLDEN_LOOKS: Final[dict[str, Look]] = {
    **HELD_OUT,
    **{
        look.name: look
        for look in (
            # colours are BGR
            replace(_HARBOUR, name="lagoon", back=(150, 128, 30), bamboo="twin", bird="hen", index="left", gloss=0.8,
                    face=(250, 250, 246), green=(70, 120, 20), dark=(120, 60, 20), numeral=(90, 30, 20), art=0.9, shake=111),
            replace(_MARKET, name="quarry", back=(95, 90, 88), bamboo="spindle", bird="swallow", brush="hei", weight=11.0,
                    wan_char="萬", face=(236, 238, 240), numeral=(30, 30, 30), wan=(40, 40, 170), gloss=0.15, shake=112),
            replace(_MARKET, name="plum", back=(110, 40, 105), dot="sun", bird="swallow", brush="bold", weight=16.0,
                    face=(232, 242, 250), dark=(90, 30, 60), numeral=(60, 30, 50), art=1.03, bar=1.15, shake=113),
            replace(_HARBOUR, name="straw", back=(95, 185, 215), dot="square", bird="hen", wan_char="万", five="五", weight=13.0,
                    face=(225, 240, 245), dark=(35, 45, 60), engraving=0.8, bar=0.85, shake=114),
        )
    },
}  # fmt: skip
"""By name; every set has a motif or more that is in no training picture."""
