"""Changes OBS's scene when something is announced, and back again: the optional ``obs`` extra.

OBS is spoken to through its WebSocket server, from a worker thread, so the game never waits for it. An OBS
that is not there yet, or goes away, is tried again at the next announcement. The password comes from the
environment variable ``OBS_PASSWORD``, never from the command line.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, get_args

from pzvision.errors import PzvisionError
from pzvision.live.announcement import Announcement, Correction, Kind
from pzvision.messages import say
from pzvision.tiles import Lang

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_PORT: Final = 4455
_MOST_HOLD_S: Final = 600.0


@dataclass(frozen=True)
class SceneConfig:
    """What changes to which scene.

    Attributes:
        scenes: scene by kind of announcement.
        host, port: of OBS's WebSocket server.
        hold_s: seconds a scene stays before the one from before comes back.
        delay_s: seconds after the announcement, as far as the overlay runs behind.
        timeout_s: seconds OBS may take to answer.
        retry_s: seconds after a failure in which OBS is left alone.
    """

    scenes: Mapping[Kind, str]
    host: str = "127.0.0.1"
    port: int = _PORT
    hold_s: float = 8.0
    delay_s: float = 0.0
    timeout_s: float = 3.0
    retry_s: float = 5.0
    password: str = field(default="", repr=False)

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{self.host}:{self.port}"


class Client(Protocol):
    """What is needed of OBS."""

    def current(self) -> str:
        """The scene on air."""
        ...

    def change(self, scene: str) -> None:
        """Put a scene on air."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


class _Obs:
    """OBS through `obsws_python`."""

    def __init__(self, config: SceneConfig) -> None:
        import obsws_python

        # Its own tracebacks would land on the player's terminal; failures are told in one line here.
        logging.getLogger("obsws_python").setLevel(logging.CRITICAL + 1)
        self._client: Any = obsws_python.ReqClient(
            host=config.host, port=config.port, password=config.password, timeout=config.timeout_s
        )

    def current(self) -> str:
        answer: Any = self._client.send("GetCurrentProgramScene", raw=True)
        return str(answer["currentProgramSceneName"])

    def change(self, scene: str) -> None:
        self._client.send("SetCurrentProgramScene", {"sceneName": scene})

    def close(self) -> None:
        self._client.disconnect()


class SceneSwitch:
    """Hears announcements and changes scenes. `hear` and `close` may be called from any thread.

    Args:
        config: which scene for what.
        lang: of its one complaint.
        connect: opens the connection, or raises; for tests.
    """

    def __init__(
        self, config: SceneConfig, lang: Lang = "zh", connect: Callable[[SceneConfig], Client] = _Obs
    ) -> None:
        self.config = config
        self._lang = lang
        self._connect = connect
        self._client: Client | None = None
        self._came = threading.Condition()
        self._due: list[tuple[float, str]] = []  # when, which scene
        self._closed = False
        self._home: str | None = None  # the scene from before, while another is on air for an announcement
        self._shown: str | None = None
        self._back_at = float("inf")
        self._quiet_until = float("-inf")
        self._complained = False
        self._thread = threading.Thread(target=self._work, daemon=True, name="pzvision-obs")
        self._thread.start()

    def hear(self, item: Announcement | Correction) -> None:
        """Take an announcement; returns at once."""
        scene = None if isinstance(item, Correction) else self.config.scenes.get(item.kind)
        if scene is not None:
            with self._came:
                self._due.append((time.monotonic() + self.config.delay_s, scene))
                self._came.notify()

    def close(self) -> None:
        """Put the scene from before back and hang up."""
        with self._came:
            self._closed = True
            self._came.notify()
        self._thread.join(2 * self.config.timeout_s)

    def _work(self) -> None:
        while True:
            with self._came:
                while not self._closed and (wait := self._next_at() - time.monotonic()) > 0:
                    self._came.wait(None if wait == float("inf") else wait)
                closed, now = self._closed, time.monotonic()
                due = [scene for when, scene in self._due if when <= now]
                self._due = [(when, scene) for when, scene in self._due if when > now]
            if closed:
                self._try(self._go_home)
                if self._client is not None:
                    self._try(self._client.close)
                return
            if due and now >= self._quiet_until:
                self._try(lambda scene=due[-1]: self._show(scene))  # type: ignore[misc]
            elif not due and now >= self._back_at:
                self._try(self._go_home)

    def _next_at(self) -> float:
        return min((when for when, _ in self._due), default=self._back_at) if self._due else self._back_at

    def _show(self, scene: str) -> None:
        if self._client is None:
            self._client = self._connect(self.config)
        if self._home is None:
            self._home = self._client.current()
        self._client.change(scene)
        self._shown = scene
        self._back_at = time.monotonic() + self.config.hold_s

    def _go_home(self) -> None:
        home, self._home, self._back_at = self._home, None, float("inf")
        # Whoever changed the scene by hand meanwhile meant it.
        if home is not None and self._client is not None and self._client.current() == self._shown:
            self._client.change(home)

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
            self._complained = False
        except Exception as error:  # the library raises all sorts, also the WebSocket library's own
            self._client, self._home, self._back_at = None, None, float("inf")
            self._quiet_until = time.monotonic() + self.config.retry_s
            if not self._complained and not self._closed:
                self._complained = True  # once, until it works again
                reason = str(error).splitlines()[0] if str(error) else type(error).__name__
                text = say("obs.failed", self._lang, address=self.config.address, reason=reason)
                print(f"pzvision: {text}", file=sys.stderr)


def add_obs_arguments(parser: argparse._ActionsContainer) -> None:
    """``--obs``, ``--obs-scene`` and ``--obs-hold``."""
    parser.add_argument("--obs", metavar="HOST:PORT")
    parser.add_argument("--obs-scene", action="append", default=[], metavar="KIND=SCENE")
    parser.add_argument("--obs-hold", type=float, default=8.0, metavar="S")


def scene_config(
    address: str | None, scenes: list[str], hold_s: float, *, delay_s: float = 0.0
) -> SceneConfig | None:
    """The arguments, checked; None where no scene is to be changed.

    Raises:
        PzvisionError: naming the argument and what was expected, or that the extra is not installed.
    """
    if not scenes and address is None:
        return None
    if not scenes:
        raise PzvisionError(say("obs.no_scenes", "en"))
    host, colon, port = ("127.0.0.1", ":", str(_PORT)) if address is None else address.rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise PzvisionError(say("obs.address", "en", value=address))
    if not 1 <= hold_s <= _MOST_HOLD_S:
        raise PzvisionError(say("obs.hold", "en", value=hold_s))
    by_kind: dict[Kind, str] = {}
    for word in scenes:
        name, equals, scene = word.partition("=")
        kind = next((kind for kind in KINDS if kind == name.strip()), None)
        if kind is None or not equals or not scene.strip():
            raise PzvisionError(say("obs.scene", "en", value=word, kinds=" ".join(KINDS)))
        by_kind[kind] = scene.strip()
    if importlib.util.find_spec("obsws_python") is None:
        raise PzvisionError(say("obs.missing", "en"))
    password = os.environ.get("OBS_PASSWORD", "")
    return SceneConfig(by_kind, host.strip("[]"), int(port), hold_s, delay_s, password=password)
