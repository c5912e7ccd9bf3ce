"""What this machine has of what pzvision needs, what is wrong, and how to mend it.

Every check is by itself: one that cannot be made says so and stops no other.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import pzvision
from pzvision.errors import PzvisionError
from pzvision.messages import say
from pzvision.tiles import Lang

State: TypeAlias = Literal["ok", "warn", "bad"]

_MODULES: Final = {"opencv-python": "cv2"}  # where a package's module is called otherwise


@dataclass(frozen=True)
class DoctorConfig:
    """When something is worth a word.

    Attributes:
        slow_ms: a picture through the detector; half of it is noted, twice of it is bad for a live game.
        low_memory_gb, low_disk_gb, bad_disk_gb: free.
        watch_s: seconds a camera is watched. open_s: seconds it may take to give its first picture.
        low_fps, small_px: of a camera: frames a second, and the picture's width.
    """

    slow_ms: float = 600.0
    low_memory_gb: float = 1.0
    low_disk_gb: float = 2.0
    bad_disk_gb: float = 0.1
    watch_s: float = 2.0
    open_s: float = 12.0
    low_fps: float = 8.0
    small_px: int = 960


@dataclass(frozen=True)
class Finding:
    """One line of the report. ``text`` and ``mend``: message keys after ``doctor.``, filled with ``fields``
    (``why_key`` is a message itself); an ``ok`` finding's ``mend`` is a tip."""

    check: str
    state: State
    text: str
    mend: str = ""
    fields: dict[str, Any] = field(default_factory=dict)

    def line(self, lang: Lang) -> str:
        """What is found, in words."""
        why = {"why": say(self.fields["why_key"], lang)} if "why_key" in self.fields else {}
        return say(f"doctor.{self.text}", lang, **self.fields, **why)

    def mend_line(self, lang: Lang) -> str:
        """What to do about it; empty: nothing."""
        return say(f"doctor.{self.mend}", lang, **self.fields) if self.mend else ""

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        texts = {lang: self.line(lang) for lang in ("zh", "en")}
        mend = {lang: self.mend_line(lang) for lang in ("zh", "en")} if self.mend else None
        return {"check": self.check, "state": self.state, **texts, "mend": mend}


@dataclass(frozen=True)
class Wanted:
    """What the user named: a camera, a calibration file, a port, a folder of models; None: find one."""

    camera: str | None = None
    calibration: str | None = None
    port: int | None = None
    models: str | None = None


def examine(wanted: Wanted, config: DoctorConfig | None = None) -> Iterator[Finding]:
    """All findings, in order, each as soon as it is known."""
    config = config or DoctorConfig()
    size: list[tuple[int, int]] = []
    checks: dict[str, Callable[[], Iterator[Finding]]] = {
        "program": program,
        "packages": packages,
        "machine": lambda: machine(config),
        "model": lambda: model(wanted.models, config),
        "fonts": fonts,
        "video": video,
        "camera": lambda: camera(wanted.camera, config, size),
        "calibration": lambda: calibration(wanted.calibration, size),
        "port": lambda: port(wanted.port),
        "storage": lambda: storage(config),
        "terminal": terminal,
    }
    for name, check in checks.items():
        try:
            yield from check()
        except Exception as error:
            why = (str(error).strip().splitlines() or [type(error).__name__])[0]
            yield Finding(name, "bad", "crashed", fields={"why": why})


# --- the program ---------------------------------------------------------------------------------------


def program() -> Iterator[Finding]:
    """Versions of pzvision and Python."""
    python = ".".join(map(str, sys.version_info[:3]))
    fields = {"version": pzvision.__version__, "python": python}
    yield Finding("program", "ok", "program", fields=fields)


def packages() -> Iterator[Finding]:
    """Everything a `pip install pzvision` brings: there, recent enough, and loading."""
    try:
        wanted = [text for text in metadata.requires("pzvision") or () if "extra ==" not in text]
    except metadata.PackageNotFoundError:
        yield Finding("packages", "warn", "not_installed", "not_installed_mend")
        return
    well = 0
    for text in wanted:
        match = re.match(r"([A-Za-z0-9_.-]+)\s*([^;]*)", text)
        assert match is not None
        name, want = match[1], match[2].strip()
        fields = {"name": name, "want": want}
        try:
            have: str | None = metadata.version(name)
        except metadata.PackageNotFoundError:
            have = _version_of_module(name)  # such as opencv-python-headless in place of opencv-python
        if have is None:
            yield Finding("packages", "bad", "package_missing", "package_mend", fields)
            continue
        try:
            importlib.import_module(_MODULES.get(name, name.replace("-", "_")))
        except ImportError as error:
            mend = "cv2_mend" if name.startswith("opencv") else "package_mend"
            yield Finding("packages", "bad", "package_broken", mend, {**fields, "why": str(error)})
            continue
        if not satisfies(have, want):
            yield Finding("packages", "warn", "package_old", "package_mend", {**fields, "have": have})
            continue
        well += 1
    if well == len(wanted):
        yield Finding("packages", "ok", "packages", fields={"count": well})


def _version_of_module(name: str) -> str | None:
    with suppress(ImportError):
        return str(importlib.import_module(_MODULES.get(name, name)).__version__)
    return None


def satisfies(have: str, want: str) -> bool:
    """Whether a version is within bounds such as ``>=4.10,<6``.

    >>> satisfies("5.0.0", ">=4.10,<6"), satisfies("4.9", ">=4.10,<6"), satisfies("6.0rc1", ">=4.10,<6")
    (True, False, False)
    """

    def numbers(text: str) -> tuple[int, ...]:
        return tuple(int(part) for part in re.findall(r"\d+", text.split("+")[0])[:3])

    for bound in filter(None, (part.strip() for part in want.split(","))):
        match = re.match(r"(>=|<=|==|!=|<|>|~=)\s*(.+)", bound)
        if match is None:
            continue
        ours, theirs = numbers(have), numbers(match[2])
        width = max(len(ours), len(theirs))
        a, b = ours + (0,) * (width - len(ours)), theirs + (0,) * (width - len(theirs))
        held = {">=": a >= b, "<=": a <= b, "==": a == b, "!=": a != b, "<": a < b, ">": a > b, "~=": a >= b}
        if not held[match[1]]:
            return False
    return True


# --- the machine ---------------------------------------------------------------------------------------


def machine(config: DoctorConfig) -> Iterator[Finding]:
    """Cores and memory."""
    from pzvision.batch.local import free_memory

    cores, free = os.cpu_count() or 1, free_memory()
    if free is None:
        yield Finding("machine", "ok", "machine_cores", fields={"cores": cores})
        return
    fields = {"cores": cores, "free": free / 2**30}
    if free / 2**30 < config.low_memory_gb:
        yield Finding("machine", "warn", "memory_low", "memory_mend", fields)
    else:
        yield Finding("machine", "ok", "machine", fields=fields)


def model(folder: str | None, config: DoctorConfig) -> Iterator[Finding]:
    """The models load, run and are quick enough; what runs them."""
    import numpy as np

    from pzvision.vision.detector import FINDER_FILE, TileDetector, find_model

    where = Path(folder) if folder else None
    try:
        path = find_model(FINDER_FILE, where)
        detector = TileDetector(where)
        picture = np.full((720, 1280, 3), 110, np.uint8)
        detector(picture)
        times = []
        for _ in range(3):
            begun = time.perf_counter()
            detector(picture)
            times.append(1000 * (time.perf_counter() - begun))
    except PzvisionError as error:
        yield Finding("model", "bad", "crashed", "model_mend", {"why": str(error)})
        return
    fields = {"path": str(path.parent), "ms": min(times)}
    if min(times) > config.slow_ms:
        yield Finding("model", "warn", "model_slow", "model_slow_mend", fields)
    else:
        yield Finding("model", "ok", "model", fields=fields)
    provider = ", ".join(dict.fromkeys(network.provider for network in detector.networks))
    tip = "" if detector.backend == "openvino" else "backend_tip"
    yield Finding("backend", "ok", "backend", tip, {"backend": detector.backend, "provider": provider})


def fonts() -> Iterator[Finding]:
    """Whether Chinese can be written into pictures, and shown by a browser on this machine."""
    import cv2

    from pzvision.live.picture import picture_lang

    well = True
    if picture_lang("zh") != "zh":
        well = False
        yield Finding("fonts", "warn", "font_cv", "font_cv_mend", {"version": cv2.__version__})
    if shutil.which("fc-list"):
        listed = subprocess.run(["fc-list", ":lang=zh"], capture_output=True, timeout=20, check=False)
        if listed.returncode == 0 and not listed.stdout.strip():
            well = False
            yield Finding("fonts", "warn", "font_page", "font_page_mend")
    if well:
        yield Finding("fonts", "ok", "fonts")


def video() -> Iterator[Finding]:
    """A short mp4 is written and read back."""
    import cv2
    import numpy as np

    with tempfile.TemporaryDirectory(prefix="pzvision-") as folder:
        path = str(Path(folder) / "test.mp4")
        writer = cv2.VideoWriter(path, cv2.VideoWriter.fourcc(*"mp4v"), 10.0, (64, 64))
        for shade in range(0, 200, 50):
            writer.write(np.full((64, 64, 3), shade, np.uint8))
        writer.release()
        capture = cv2.VideoCapture(path)
        ok, _ = capture.read()
        capture.release()
    yield Finding("video", "ok", "video") if ok else Finding("video", "warn", "video_none", "video_mend")


# --- the table -----------------------------------------------------------------------------------------


def camera(spec: str | None, config: DoctorConfig, size: list[tuple[int, int]]) -> Iterator[Finding]:
    """The camera named, or the first one there is, watched for a moment. ``size`` gets its picture's."""
    if spec is None:
        found = sorted(Path("/dev").glob("video*")) if sys.platform.startswith("linux") else []
        if not found:
            yield Finding("camera", "warn", "camera_none", "camera_none_mend")
            return
        if not os.access(found[0], os.R_OK | os.W_OK):
            yield Finding("camera", "bad", "camera_denied", "camera_denied_mend", {"name": str(found[0])})
            return
        spec = found[0].name.removeprefix("video")
    from pzvision.vision.camera import LiveSource
    from pzvision.vision.capture import open_source

    name: dict[str, Any] = {"name": spec}
    try:
        source = open_source(spec, live=True)
    except PzvisionError as error:
        yield Finding("camera", "bad", "camera_lost", "camera_lost_mend", {**name, "why": str(error)})
        return
    assert isinstance(source, LiveSource)
    try:
        first = source.latest(timeout=config.open_s)
        if first is None:
            why = source.health.reason or f"{config.open_s:g} s"
            yield Finding("camera", "bad", "camera_lost", "camera_lost_mend", {**name, "why": why})
            return
        begun, before = time.monotonic(), source.health.received
        time.sleep(config.watch_s)
        rate = (source.health.received - before) / (time.monotonic() - begun)
        frame = source.latest(timeout=0.1) or first
    finally:
        source.close()
    height, width = first.image.shape[:2]
    size.append((width, height))
    fields = {**name, "width": width, "height": height, "fps": rate}
    if frame.state == "black":
        yield Finding("camera", "bad", "camera_black", "camera_black_mend", fields)
    elif width < config.small_px:
        yield Finding("camera", "warn", "camera_small", "camera_small_mend", fields)
    elif rate < config.low_fps:
        yield Finding("camera", "warn", "camera_slow", "camera_slow_mend", fields)
    else:
        yield Finding("camera", "ok", "camera", fields=fields)


def calibration(named: str | None, size: list[tuple[int, int]]) -> Iterator[Finding]:
    """The calibration can be read, describes a table, and fits the camera looked at before."""
    from pzvision.live.arguments import DEFAULT_CALIBRATION
    from pzvision.live.fit import judge_fit
    from pzvision.vision.calibration import load

    path = Path(named) if named else DEFAULT_CALIBRATION
    if not named and not path.is_file():
        yield Finding("calibration", "warn", "calibration_none", "calibration_none_mend")
        return
    try:
        made = load(path)
        fit = judge_fit(made)
    except PzvisionError as error:
        yield Finding("calibration", "bad", "calibration_bad", "calibration_bad_mend", {"why": str(error)})
        return
    fields: dict[str, Any] = {"path": str(path), "error": fit.error_px, "tile": fit.far_px[0]}
    if size and size[0] != tuple(made.image_size):
        want, have = ("×".join(map(str, s)) for s in (made.image_size, size[0]))
        more = {"want": want, "have": have}
        yield Finding("calibration", "bad", "calibration_size", "calibration_bad_mend", {**fields, **more})
        return
    for key in fit.warnings:
        yield Finding(
            "calibration", "warn", "calibration_doubt", "calibration_bad_mend", {**fields, "why_key": key}
        )
    if not fit.warnings:
        yield Finding("calibration", "ok", "calibration", fields=fields)


def port(wanted: int | None) -> Iterator[Finding]:
    """Whether the page's port is free."""
    from pzvision.live.server import DEFAULT_PORT

    number = DEFAULT_PORT if wanted is None else wanted
    with socket.socket() as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
        try:
            probe.bind(("127.0.0.1", number))
        except OSError:
            state: State = "warn" if wanted is None else "bad"
            text = "port_taken" if wanted is None else "port_taken_bad"
            yield Finding("port", state, text, "port_mend", {"port": number})
            return
    yield Finding("port", "ok", "port", fields={"port": number})


def storage(config: DoctorConfig) -> Iterator[Finding]:
    """Whether evenings can be stored, and for how long there is room."""
    from pzvision.live.store import default_path

    folder = default_path().parent
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    try:
        with tempfile.NamedTemporaryFile(dir=there):
            pass
    except OSError as error:
        reason = error.strerror or type(error).__name__
        fields: dict[str, Any] = {"path": str(folder), "why": reason}
        yield Finding("storage", "bad", "storage_bad", "storage_bad_mend", fields)
        return
    free = shutil.disk_usage(there).free / 2**30
    fields = {"path": str(folder), "free": free}
    if free < config.low_disk_gb:
        state: State = "bad" if free < config.bad_disk_gb else "warn"
        yield Finding("storage", state, "storage_low", "storage_low_mend", fields)
    else:
        yield Finding("storage", "ok", "storage", fields=fields)


def terminal() -> Iterator[Finding]:
    """Whether this terminal can show Chinese."""
    encoding = (getattr(sys.stdout, "encoding", None) or "?").lower()
    fields = {"encoding": encoding}
    try:
        "麻将".encode(encoding)
    except (LookupError, UnicodeEncodeError):
        yield Finding("terminal", "warn", "terminal_bad", "terminal_mend", fields)
        return
    yield Finding("terminal", "ok", "terminal", fields=fields)
