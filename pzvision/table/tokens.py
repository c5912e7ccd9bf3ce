"""Declaration tokens on the table: which seat laid one down, and that it rests there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.game.events import DeclarationKind, Declare
from pzvision.tiles import SEATS, Seat
from pzvision.vision.calibration import Calibration

FloatArray: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TokenConfig:
    """When a token is a declaration.

    Attributes:
        rest_s: seconds it must lie still.
        same_cm: moved by less it is the same token at the same place.
        shoved_cm: moved by less from one look to the next it is the same token; it says nothing anew unless
            it lies before another player then.
        middle_cm: nearer than this to the table's middle it belongs to nobody.
        gone_s: seconds the felt must be seen in its place for it to have been taken away.
        old_s: tokens that lie there within so many seconds of the hand's first look were left from before.
    """

    rest_s: float = 1.0
    same_cm: float = 2.0
    shoved_cm: float = 6.0
    middle_cm: float = 14.0
    gone_s: float = 2.0
    old_s: float = 2.0


@dataclass(eq=False)
class _Lying:
    kind: DeclarationKind
    at: FloatArray
    since: float
    seen: float
    done: bool = False
    missed: bool = False  # by the last look
    bare: float | None = None  # since when the felt is seen in its place


@dataclass
class TokenTable:
    """Follows the tokens of one camera's looks; says each declaration once a hand and seat."""

    calibration: Calibration
    config: TokenConfig = field(default_factory=TokenConfig)
    _lying: list[_Lying] = field(default_factory=list)
    _said: set[tuple[Seat, str]] = field(default_factory=set)
    _begun: float | None = None

    def new_hand(self) -> None:
        """What lies there now is left from before and says nothing until it is laid down anew."""
        self._said.clear()
        self._begun = None

    @property
    def waiting(self) -> bool:
        """Whether a token has been seen that has not yet rested long enough, or may be gone."""
        return any(not token.done or token.missed for token in self._lying)

    @property
    def places(self) -> tuple[tuple[float, float], ...]:
        """Table cm of the tokens that lie there as far as is known."""
        return tuple((float(token.at[0]), float(token.at[1])) for token in self._lying)

    def look(
        self,
        t: float,
        tokens: Sequence[tuple[DeclarationKind, FloatArray]],
        bare: Callable[[FloatArray], bool] = lambda at: True,
    ) -> tuple[Declare, ...]:
        """The tokens seen at ``t`` s, each a declaration and ``(2,)`` table cm.

        Args:
            bare: whether the felt is seen at a place, so that no token lies there. What is covered is not
                gone, however long an arm rests over it.

        Returns:
            New declarations; ``t`` is when the token was laid down.
        """
        config = self.config
        if self._begun is None:
            self._begun = t
            for token in self._lying:
                token.done = True
        free = list(self._lying)
        for kind, at in tokens:
            alike = [x for x in free if x.kind == kind]
            known = min(alike, key=lambda x: float(np.linalg.norm(x.at - at)), default=None)
            away = np.inf if known is None else float(np.linalg.norm(known.at - at))
            if known is None or away >= config.shoved_cm:
                old = t - self._begun < config.old_s
                self._lying.append(_Lying(kind, np.asarray(at, np.float64), t, t, done=old))
                continue
            free.remove(known)
            known.seen, known.missed, known.bare = t, False, None
            if away >= config.same_cm:
                known.done &= self.seat_of(known.at) == self.seat_of(at)
                known.at, known.since = np.asarray(at, np.float64), t
        for token in free:
            token.missed = True
            if not bare(token.at):
                token.bare = None
            elif token.bare is None:
                token.bare = t
        self._lying = [x for x in self._lying if not self._gone(x, t)]
        out = []
        for token in self._lying:
            if token.done or token.seen != t or t - token.since < config.rest_s - 1e-6:
                continue
            token.done = True
            seat = self.seat_of(token.at)
            if seat is None or (seat, token.kind) in self._said:
                continue
            self._said.add((seat, token.kind))
            out.append(Declare(seat, token.kind, t=round(token.since, 2)))
        return tuple(out)

    def _gone(self, token: _Lying, t: float) -> bool:
        return token.bare is not None and t - token.bare >= self.config.gone_s - 1e-6

    def seat_of(self, at: FloatArray) -> Seat | None:
        """Whose a token at ``(2,)`` cm is: the nearest edge's player; None in the middle or off the table."""
        if np.abs(at).max() < self.config.middle_cm or np.abs(at).max() > self.calibration.half + 10.0:
            return None
        depths = {seat: float(self.calibration.to_seat(at, seat)[0, 1]) for seat in SEATS}
        return min(SEATS, key=lambda seat: depths[seat])
