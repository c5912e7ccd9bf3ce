"""A recording as a network camera on this machine: motion JPEG over HTTP, at its own speed, over and over.

For tests and for `pzvision.live.bench`. By hand: ``python -m pzvision.live.loopback VIDEO --port N``; with
``--rtsp`` as an RTSP camera (`pzvision.live.loopback_rtsp`).
"""

from __future__ import annotations

import argparse
import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.live.loopback_rtsp import LoopbackRtspCamera
from pzvision.vision.capture import Image, open_source

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
        on_sent: called with the number of each picture right before it is sent; the pictures are stamped with
            it then (`stamp`), those of the pause too.

    Raises:
        PzvisionError: there are no pictures.
    """

    def __init__(
        self,
        pictures: Sequence[bytes],
        fps: float,
        *,
        port: int = 0,
        pause_s: float = 5.0,
        on_sent: Callable[[int], None] | None = None,
    ) -> None:
        if not pictures:
            raise PzvisionError("loopback camera: no pictures")
        self.pictures = list(pictures)
        self.fps = fps
        self._on_sent = on_sent
        first = None if on_sent is None else len(self.pictures)
        count = max(1, round(pause_s * fps)) if pause_s > 0 else 0
        self._still = _noisy(self.pictures[0], count, first)
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
                for number, picture in (*enumerate(self.pictures), *self._still):
                    if self._on_sent is not None:
                        self._on_sent(number)
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


def _noisy(picture: bytes, count: int, first: int | None) -> list[tuple[int, bytes]]:
    """``count`` versions of a picture that differ a little, so that it does not look frozen, with their
    numbers; ``first``: the first of them, stamped on the pictures, or None."""
    image = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        return [(0, picture)] * count
    chance = np.random.default_rng(0)
    versions = []
    for i in range(min(count, 8)):
        noise = chance.integers(-2, 3, image.shape, np.int16)
        noisy = np.clip(image.astype(np.int16) + noise, 0, 255).astype(np.uint8)
        if first is not None:
            stamp(noisy, first + i)
        versions.append(((first or 0) + i, encode(noisy)))
    return [versions[i % len(versions)] for i in range(count)]


_BITS: Final = 14
_BLOCK: Final = 12  # px


def stamp(image: Image, number: int) -> None:
    """Write a number below 2^14 into the upper left corner of ``(H, W, 3)`` uint8, as black and white."""
    for bit in range(_BITS):
        image[:_BLOCK, _BLOCK * bit : _BLOCK * (bit + 1)] = 255 if number >> bit & 1 else 0


def read_stamp(image: Image) -> int:
    """The number that `stamp` wrote; JPEG and video leave it readable."""
    middle = image[_BLOCK // 2, _BLOCK // 2 : _BLOCK * _BITS : _BLOCK, 1]
    return int(sum(1 << bit for bit in range(_BITS) if middle[bit] > 127))


def encode(image: Image, quality: int = 90) -> bytes:
    """A picture as JPEG. Raises `PzvisionError` where it cannot be encoded."""
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not ok:
        raise PzvisionError("loopback camera: a picture cannot be encoded")
    return bytes(data.tobytes())


def read_pictures(path: str | Path, fps: float, *, stamped: bool = False) -> list[bytes]:
    """A recording's pictures as JPEG, ``fps`` a second; ``stamped`` with their numbers (`stamp`)."""
    source = open_source(path)
    try:
        out = []
        for number, frame in enumerate(source.frames(every=1 / fps)):
            image = frame.image.copy()
            if stamped:
                stamp(image, number)
            out.append(encode(image))
        return out
    finally:
        source.close()


def _print_sent(number: int) -> None:
    with contextlib.suppress(OSError):  # nobody reads any more
        print(number, time.monotonic(), flush=True)


def main(argv: Sequence[str] | None = None) -> None:
    """Serve a recording until Ctrl-C."""
    parser = argparse.ArgumentParser(description="录像当网络摄像头 serve a recording as a network camera")
    parser.add_argument("video")
    parser.add_argument("--port", type=int, default=8643)
    parser.add_argument("--fps", type=float, default=15.0)
    parser.add_argument("--rtsp", action="store_true", help="RTSP in place of HTTP")
    parser.add_argument("--stamp", action="store_true", help="number the pictures, print when each is sent")
    args = parser.parse_args(argv)
    pictures = read_pictures(args.video, args.fps, stamped=args.stamp)
    camera: LoopbackCamera | LoopbackRtspCamera
    if args.rtsp:
        camera = LoopbackRtspCamera(pictures, args.fps, port=args.port)
    else:
        on_sent = _print_sent if args.stamp else None
        camera = LoopbackCamera(pictures, args.fps, port=args.port, on_sent=on_sent)
    print(camera.url, flush=True)
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        camera.close()


if __name__ == "__main__":
    main()
