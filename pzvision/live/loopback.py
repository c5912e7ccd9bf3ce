"""A recording as a network camera on this machine: motion JPEG over HTTP, at its own speed, over and over.

For tests and for `pzvision.live.bench`. By hand: ``python -m pzvision.live.loopback VIDEO --port N``; with
``--rtsp`` as an RTSP camera (`pzvision.live.loopback_rtsp`).
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.live.loopback_rtsp import LoopbackRtspCamera
from pzvision.vision.capture import open_source

_BOUNDARY: Final = "frame"


class LoopbackCamera:
    """Serves JPEG pictures at ``http://127.0.0.1:PORT/`` from threads of its own.

    Every connection begins at the first picture. After the last one the picture stands still for ``pause_s``
    and the recording begins again.

    Args:
        pictures: JPEG data, in order.
        fps: pictures a second.
        port: to listen on; 0: any.
        pause_s: seconds of the first picture (with a little noise, as a camera has) between two rounds.
    """

    def __init__(self, pictures: Sequence[bytes], fps: float, *, port: int = 0, pause_s: float = 5.0) -> None:
        if not pictures:
            raise PzvisionError("loopback camera: no pictures")
        self.pictures = list(pictures)
        self.fps = fps
        self._still = _noisy(self.pictures[0], max(1, round(pause_s * fps))) if pause_s > 0 else []
        self._over = threading.Event()
        camera = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                camera.serve(self)

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        """Send pictures to one connection until it breaks."""
        handler.send_response(200)
        handler.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={_BOUNDARY}")
        handler.end_headers()
        due = time.monotonic()
        try:
            while not self._over.is_set():
                for picture in (*self.pictures, *self._still):
                    head = (
                        f"--{_BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"
                    )
                    handler.wfile.write(head.encode() + picture + b"\r\n")
                    due = max(due + 1 / self.fps, time.monotonic() - 1.0)
                    if self._over.wait(max(0.0, due - time.monotonic())):
                        return
        except OSError:
            pass  # the reader has gone

    def close(self) -> None:
        """Stop serving."""
        self._over.set()
        self._server.shutdown()
        self._server.server_close()


def _noisy(picture: bytes, count: int) -> list[bytes]:
    """``count`` versions of a picture that differ a little, so that it does not look frozen."""
    image = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        return [picture] * count
    chance = np.random.default_rng(0)
    versions = []
    for _ in range(min(count, 8)):
        noise = chance.integers(-2, 3, image.shape, np.int16)
        versions.append(encode(np.clip(image.astype(np.int16) + noise, 0, 255).astype(np.uint8)))
    return [versions[i % len(versions)] for i in range(count)]


def encode(image: np.ndarray, quality: int = 90) -> bytes:
    """A picture as JPEG."""
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not ok:
        raise PzvisionError("loopback camera: a picture cannot be encoded")
    return bytes(data.tobytes())


def read_pictures(path: str | Path, fps: float) -> list[bytes]:
    """A recording's pictures as JPEG, ``fps`` a second."""
    source = open_source(path)
    try:
        return [encode(frame.image) for frame in source.frames(every=1 / fps)]
    finally:
        source.close()


def main(argv: Sequence[str] | None = None) -> None:
    """Serve a recording until Ctrl-C."""
    parser = argparse.ArgumentParser(description="录像当网络摄像头 serve a recording as a network camera")
    parser.add_argument("video")
    parser.add_argument("--port", type=int, default=8643)
    parser.add_argument("--fps", type=float, default=15.0)
    parser.add_argument("--rtsp", action="store_true", help="RTSP in place of HTTP")
    args = parser.parse_args(argv)
    make = LoopbackRtspCamera if args.rtsp else LoopbackCamera
    camera = make(read_pictures(args.video, args.fps), args.fps, port=args.port)
    print(camera.url, flush=True)
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        camera.close()


if __name__ == "__main__":
    main()
