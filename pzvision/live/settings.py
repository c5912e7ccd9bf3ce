"""How hands are set up: ruleset, options, stake, dealer, names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pzvision.game import Declare, HandStart
from pzvision.live.orders import HandOrder
from pzvision.rules import Ruleset, load_ruleset
from pzvision.table.reader import TableReader
from pzvision.tiles import Seat
from pzvision.vision.calibration import Calibration


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
    names: Mapping[str, str] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.ruleset, self.base, self.dealer))

    @classmethod
    def of(cls, event: HandStart) -> HandSettings:
        """Those a hand was begun with."""
        return cls(event.ruleset, dict(event.options), event.base, event.dealer, dict(event.names or {}))

    def changed(self, order: HandOrder) -> HandSettings:
        """With what an order says. Raises `FormatError` when ruleset and options do not fit together."""
        names = dict(self.names)
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


class HandMaker:
    """Makes the reader of each hand from settings that may change in between.

    Args:
        calibration: of the table's camera.
        settings: of the first hand. Its dealer counts once; after that the rules say who
            deals, until somebody names one again.
        declarations: spoken ones with ``t``, each for the hand it falls into.
    """

    def __init__(
        self, calibration: Calibration, settings: HandSettings, declarations: Sequence[Declare] = ()
    ) -> None:
        self.calibration = calibration
        self.settings = settings
        self._declarations = tuple(declarations)
        self.since = float("-inf")
        """Declarations before this time belong to earlier hands."""

    def __call__(self, dealer: Seat | None) -> TableReader:
        """A reader for one hand; ``dealer``: as the rules say, or None."""
        settings, self.settings = self.settings, replace(self.settings, dealer=None)
        return TableReader(
            self.calibration,
            settings.load(),
            base=settings.base,
            dealer=settings.dealer or dealer,
            names=dict(settings.names) or None,
            options=settings.options,
            declarations=[d for d in self._declarations if d.t is None or d.t >= self.since],
        )
