"""Checks of the machine: is it quick enough, and can it show, write and keep what it should."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pzvision.doctor.findings import DoctorConfig, Finding, State
from pzvision.errors import PzvisionError


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
