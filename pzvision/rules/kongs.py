"""Kong money (刮风下雨): what a kong pays at once (S0 §1.4, S1 补充, S3 四)."""

from __future__ import annotations

from pzvision.rules.hand import MeldKind
from pzvision.rules.ruleset import Ruleset

_BASE = {"zhi_gang": 2, "an_gang": 2, "ba_gang": 1}


def kong_fan(ruleset: Ruleset, kind: MeldKind, chain: int = 0, *, kept: bool = False) -> int:
    """Fan that each payer owes for a kong, never capped (S0 §1.4, §1.11; S3 四; claimed in a chain: D28).

    The payers are the caller's business.

    `chain`: kongs made immediately before this one (0: none). `kept`: a 巴杠 of a tile held since an
    earlier turn, which pays nothing. 点杠 is paid by the discarder alone, the others by everyone still in.

    >>> from pzvision.rules.ruleset import load_ruleset
    >>> [kong_fan(load_ruleset("pzh-traditional"), "zhi_gang", chain) for chain in range(4)]
    [2, 4, 8, 12]
    """
    base = _BASE[kind]
    if kept and kind == "ba_gang":
        return 0
    if chain < 1:
        return base
    if ruleset.kong_chain == "once":
        return base * 2 if chain == 1 else base
    if kind == "zhi_gang" and ruleset.claimed_chain == "linear":
        return base * chain * 2
    return base << chain
