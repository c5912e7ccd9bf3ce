"""`pzvision live` on a Motion-JPEG camera on loopback, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.tableview import TableDetector

SIZE = (320, 180)
CORNERS = ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05))


class NothingThere:
    """A detector for an empty table."""

    providers = ("none",)

    def __init__(self, *args: object, **options: object) -> None:
        pass

    def __call__(self, image: np.ndarray) -> Detections:
        return Detections.empty((image.shape[1], image.shape[0]))


@pytest.fixture
def camera() -> Iterator[str]:
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            count = 0
            try:
                while not over.wait(0.04):
                    image = np.full((SIZE[1], SIZE[0], 3), (60, 120, 50), np.uint8)
                    cv2.putText(image, str(count), (4, 20), cv2.FONT_HERSHEY_PLAIN, 1, (255, 255, 255))
                    body = cv2.imencode(".jpg", image)[1].tobytes()
                    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(body)}\r\n\r\n"
                    self.wfile.write(head.encode() + body + b"\r\n")
                    count += 1
            except OSError:
                pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/cam"
    over.set()
    server.shutdown()
    server.server_close()


def test_live_serves_the_page_until_ctrl_c(
    camera: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert TableDetector  # imported before the name of what it wraps is replaced
    monkeypatch.setattr("pzvision.vision.detector.TileDetector", NothingThere)
    Calibration(SIZE, CORNERS).save(tmp_path / "c.toml")
    seen: dict[str, object] = {}

    def visit() -> None:
        try:
            until = time.monotonic() + 30
            url = None
            while url is None and time.monotonic() < until:
                time.sleep(0.1)
                out = capfd.readouterr().out
                seen["out"] = str(seen.get("out", "")) + out
                url = next((w for w in str(seen["out"]).split() if w.startswith("http://127")), None)
                if url is None:
                    url = next((w[5:] for w in str(seen["out"]).split() if "http://127" in w), None)
            assert url is not None
            url = url[url.index("http") :]
            seen["url"] = url
            while time.monotonic() < until:
                health = httpx.get(url + "health").json()
                if health.get("cameras", {}).get("table", {}).get("state") == "ok" and health.get("fps"):
                    break
                time.sleep(0.1)
            seen["health"] = health
            seen["frame"] = httpx.get(url + "frame.jpg").content
            seen["state"] = httpx.get(url + "state").json()
        finally:
            if running.is_set():
                os.kill(os.getpid(), signal.SIGINT)

    running = threading.Event()
    running.set()
    visitor = threading.Thread(target=visit)
    visitor.start()
    words = ["--ruleset", "xichang", "--calibration", str(tmp_path / "c.toml"), "--port", "0"]
    try:
        status = main(["live", "--camera", camera, *words, "--events", str(tmp_path / "log.jsonl")])
    finally:
        running.clear()
    visitor.join()
    assert status == 130
    assert "health" in seen, seen
    health = seen["health"]
    assert isinstance(health, dict) and health["ok"] and health["cameras"]["table"]["received"] > 3
    assert health["latency_ms"]["p50"] < 2000
    image = cv2.imdecode(np.frombuffer(seen["frame"], np.uint8), cv2.IMREAD_COLOR)  # type: ignore[arg-type]
    assert image is not None and image.shape == (SIZE[1], SIZE[0], 3)
    assert isinstance(seen["state"], dict) and seen["state"]["source"]["live"]
    assert (tmp_path / "log.jsonl").exists()
    assert threading.active_count() < 12
