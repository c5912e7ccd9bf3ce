"""What a person is shown of a running game: the state for the page, how its cameras are, its picture."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pzvision.live.cameras import HandCameras
from pzvision.live.evening import Evening
from pzvision.live.eye import Eye
from pzvision.live.hub import Hub
from pzvision.live.more_cameras import MoreTables
from pzvision.live.picture import Outline, draw_outlines
from pzvision.live.store import SessionWriter
from pzvision.live.teller import Teller
from pzvision.live.view import tile_records, view_of
from pzvision.live.vitals import Vitals
from pzvision.table.reader import TableTile
from pzvision.tiles import BACK, OTHER, Lang, format_tile
from pzvision.vision.calibration import Calibration
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import Frame, FrameSource, Image
from pzvision.vision.pictures import as_text


class Showing:
    """One game's window. Its own thread is the pipeline's; `cameras` is asked from the server's too.

    Args:
        source: the camera on the table, or a recording.
        calibration: of it.
        eye: says how it stands.
        evening, teller: the game, and what was told of it.
        hub: given the state, the health and the picture; None: nobody looks.
        hands, tables: further cameras.
        store: asked how it is doing.
        note: given remarks for the person at the terminal.

    Attributes:
        vitals: how the game is doing.
        calibration: the one that holds now; set by whoever changes it.
        frame: the newest; None before the first.
        over: whether the source is at its end.
    """

    def __init__(
        self,
        source: FrameSource,
        calibration: Calibration,
        eye: Eye,
        evening: Evening,
        teller: Teller,
        *,
        hub: Hub | None,
        hands: HandCameras | None,
        tables: MoreTables | None,
        store: SessionWriter | None,
        note: Callable[[str], None],
    ) -> None:
        self.calibration = calibration
        self.frame: Frame | None = None
        self.over = False
        self._source = source
        self._eye = eye
        self._evening = evening
        self._teller = teller
        self._hub = hub
        self._hands = hands
        self._tables = tables
        self.vitals = Vitals(self.cameras, None if store is None else store.health, note)
        self._camera_states: dict[str, tuple[str, int]] = {}
        self._outlines: list[Outline] = []
        self._tiles: Sequence[TableTile] = ()
        self._told_at = float("-inf")
        self._told = 0
        self._told_seen = False
        if hub is not None:
            hub.ask_health(self.vitals.health)

    # -- the state

    def saw(self, tiles: Sequence[TableTile]) -> None:
        """What lies on the table now; the page is told at once when a record came of it."""
        self._outlines, self._tiles = self._outline(tiles), tiles
        if self._teller.told != self._told:
            self.tell()

    def tell(self) -> None:
        """Give the page state and health as they are now."""
        if self._hub is None:
            return
        self._told_at = time.monotonic()
        self._told = self._teller.told
        self._told_seen = self.vitals.sees
        with self._hub.batch():
            self._hub.set_state(self.view())
            self._hub.set_health(self.vitals.health())

    def tell_now_and_then(self, every_s: float) -> None:
        """`tell` after ``every_s`` s without; that the table is not seen any more does not wait for it."""
        if time.monotonic() - self._told_at > every_s or self.vitals.sees != self._told_seen:
            self.tell()

    def view(self) -> dict[str, Any]:
        """What ``/state`` answers now."""
        source = {
            "name": as_text(self._source.name),
            "t": None if self.frame is None else round(self.frame.t, 2),
            "duration": None if self._source.duration is None else round(self._source.duration, 2),
            "live": self._source.live,
            "over": self.over,
        }
        session = self._teller.session
        out = view_of(session, near_seat=self.calibration.near_seat, source=source)
        set_up, following = self._evening.set_up_now(), self._evening.settings
        return {
            **out,
            "wall_seen": self._evening.wall_seen,
            "paused": self.vitals.paused or self._eye.standing.blocked,
            "seen": self.vitals.sees,
            "tiles": tile_records(self._tiles),
            "records": session.length,
            "setup": None if set_up is None else set_up.to_json(),
            "next": None if following is None else following.to_json(),
            "doubts": self._evening.doubt_records(),
        }

    # -- the cameras

    def cameras(self) -> dict[str, dict[str, Any]]:
        """State of each camera by name, as JSON fields."""
        camera: dict[str, Any] = {"state": "ended" if self.over else "ok"}
        if isinstance(self._source, LiveSource):
            camera = self._source.health.to_dict()
        if camera["state"] == "ok":
            camera = {**camera, **self._eye.standing.health()}
        tables = {} if self._tables is None else self._tables.health()
        hands = {} if self._hands is None else self._hands.health()
        return {self.calibration.camera: camera, **tables, **hands}

    def tell_cameras(self) -> None:
        """Tell of every camera that was lost or is back since the last call."""
        for name, camera in self.vitals.cameras().items():
            state, reconnects = camera["state"], camera.get("reconnects", 0)
            before, opened = self._camera_states.get(name, ("ok", 0))
            if before == state != "lost" and reconnects > opened:
                self._tell_camera(name, "lost", None)  # and back, both since the last time it was asked
                before = "lost"
            if before != state:
                self._tell_camera(name, state, camera.get("reason"))
            self._camera_states[name] = (state, reconnects)

    def _tell_camera(self, name: str, state: str, reason: object) -> None:
        self._teller.tell({"type": "camera", "camera": name, "state": state, "reason": reason})

    # -- the picture

    def show(self, frame: Frame) -> None:
        """The newest frame, with the tiles found in it or before it, is what the page's picture shows."""
        if self._hub is not None:
            image, outlines = frame.image, self._outlines
            self._hub.set_picture(lambda: draw_outlines(image, outlines))

    def picture(self, lang: Lang = "zh") -> Image:
        """The newest frame with its tiles outlined, ``(H, W, 3)`` uint8 BGR."""
        assert self.frame is not None
        return draw_outlines(self.frame.image, self._outlines, lang)

    def _outline(self, tiles: Sequence[TableTile]) -> list[Outline]:
        if not tiles:
            return []
        corners = np.concatenate([t.polygon for t in tiles])
        height = np.full((len(corners), 1), self.calibration.tile_cm[2])
        pixels = self.calibration.to_image(np.hstack([corners, height])).reshape(-1, 4, 2)
        return [
            Outline(
                polygon,
                "" if tile.tile in (BACK, OTHER) else format_tile(tile.tile),
                tile.seat,
                tile.confidence > 0.6,
            )
            for tile, polygon in zip(tiles, pixels, strict=True)
        ]
