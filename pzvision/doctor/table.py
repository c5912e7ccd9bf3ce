"""Checks of what a game at a table needs: a camera, its calibration, a port for the page."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pzvision.doctor.findings import DoctorConfig, Finding, State
from pzvision.errors import PzvisionError


def camera(spec: str | None, config: DoctorConfig, size: list[tuple[int, int]]) -> Iterator[Finding]:
    """The camera named, or the first one there is, watched for a moment. ``size`` gets its picture's, px."""
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
    """The calibration can be read, describes a table, and fits the camera looked at before (``size``, px)."""
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
