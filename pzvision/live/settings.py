"""How hands are set up: ruleset, options, stake, dealer, names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pzvision.game import HandStart
from pzvision.live.orders import HandOrder
from pzvision.rules import Ruleset, load_ruleset
from pzvision.tiles import SEATS, Seat


@dataclass(frozen=True)
class HandSettings:
    """What a hand starts with.

    Attributes:
        ruleset, options: id of a built-in ruleset and the house options.
        base: stake of one fan.
        dealer: who begins; None: whoever acts first, or as the rules say after a hand.
        names: by seat.
    """

    ruleset: str
    options: Mapping[str, object] = field(default_factory=dict)
    base: int = 1
    dealer: Seat | None = None
    names: Mapping[Seat, str] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.ruleset, self.base, self.dealer))

    @classmethod
    def of(cls, event: HandStart) -> HandSettings:
        """Those a hand was begun with."""
        names = event.names or {}
        seated: dict[Seat, str] = {seat: names[seat] for seat in SEATS if seat in names}
        return cls(event.ruleset, dict(event.options), event.base, event.dealer, seated)

    def changed(self, order: HandOrder) -> HandSettings:
        """With what an order says. Raises `FormatError` when ruleset and options do not fit together."""
        names: dict[Seat, str] = dict(self.names)
        for seat, name in (order.names or {}).items():
            if name:
                names[seat] = name
            else:
                names.pop(seat, None)
        other = order.ruleset is not None and order.ruleset != self.ruleset
        options = dict(order.options) if order.options is not None else {} if other else dict(self.options)
        new = replace(
            self,
            ruleset=order.ruleset or self.ruleset,
            options=options,
            base=order.base or self.base,
            dealer=order.dealer or self.dealer,
            names=names,
        )
        new.load()
        return new

    def load(self) -> Ruleset:
        """The ruleset. Raises `FormatError` for one that does not exist or options it does not have."""
        return load_ruleset(self.ruleset, self.options)

    def put(self, event: HandStart) -> HandStart:
        """A hand's first record as these settings have it; the dealer only where they name one."""
        return replace(
            event,
            ruleset=self.ruleset,
            options=dict(self.options),
            base=self.base,
            dealer=self.dealer or event.dealer,
            names=dict(self.names) or None,
        )

    def to_json(self) -> dict[str, Any]:
        """As ``/state`` gives it."""
        return {
            "ruleset": self.ruleset,
            "options": dict(self.options),
            "base": self.base,
            "dealer": self.dealer,
            "names": dict(self.names),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> HandSettings:
        """The inverse of `to_json`."""
        return cls(
            record["ruleset"], dict(record["options"]), record["base"], record["dealer"], record["names"]
        )
