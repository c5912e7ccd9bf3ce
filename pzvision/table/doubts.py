"""What the table cannot tell for sure, with its readings."""

from __future__ import annotations

from dataclasses import dataclass

from pzvision.game.events import Event
from pzvision.tiles import Seat, Tile


@dataclass(frozen=True)
class Doubt:
    """A record of which another reading is almost as likely.

    Attributes:
        event: index in the log.
        seat: whose act it is, if anybody's.
        tiles: kinds its tile may be, likeliest first; one where the tile is not what is unsure.
        margin: nats between the readings.
        id: stays the same while the doubt lasts.
        readings: the record as it may be, likeliest (as in the log) first.
    """

    event: int
    seat: Seat | None
    tiles: tuple[Tile, ...]
    margin: float
    id: str = ""
    readings: tuple[Event, ...] = ()
