"""A recording as an RTSP camera on this machine: motion JPEG in RTP over TCP, at its own speed, for ever.

For tests, `pzvision.live.bench` and trying things out: ``python -m pzvision.live.loopback VIDEO --rtsp``.
RTSP is RFC 2326 as far as a reader needs it, pictures are packed as RFC 2435 says.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from pzvision.errors import PzvisionError

_JPEG: Final = 26  # RTP's payload type of JPEG
_CLOCK: Final = 90_000  # RTP's ticks a second for video
_MOST: Final = 1400  # bytes of picture in a packet
_TABLES_FOLLOW: Final = 255  # RFC 2435: the quantisation tables are in the first packet of each picture
_SUBSAMPLED: Final = {0x21: 0, 0x22: 1}  # 4:2:2 and 4:2:0 in JPEG, and as RFC 2435 numbers them
_SESSION: Final = "7357"


@dataclass(frozen=True)
class _Scan:
    """A JPEG picture as RFC 2435 wants it."""

    kind: int
    width: int
    height: int
    tables: bytes
    data: bytes


def _scan(picture: bytes) -> _Scan:
    """Take a baseline JPEG with the usual Huffman tables apart.

    Raises:
        PzvisionError: RFC 2435 cannot carry it: sides that are no multiples of 8 or above 2040 px, or colours
            that are neither 4:2:2 nor 4:2:0.
    """
    at, tables = 2, b""
    kind = width = height = 0
    while at + 4 <= len(picture):
        marker, size = picture[at + 1], int.from_bytes(picture[at + 2 : at + 4], "big")
        body = picture[at + 4 : at + 2 + size]
        at += 2 + size
        if marker == 0xDB:  # one table or several, each after a byte with its number
            tables += b"".join(body[i + 1 : i + 65] for i in range(0, len(body), 65))
        elif marker == 0xC0:
            height, width = struct.unpack(">HH", body[1:5])
            if (
                body[5] != 3
                or body[7] not in _SUBSAMPLED
                or width % 8
                or height % 8
                or max(width, height) > 2040
            ):
                break
            kind = _SUBSAMPLED[body[7]]
        elif marker == 0xDA:
            end = -2 if picture.endswith(b"\xff\xd9") else len(picture)
            if width:
                return _Scan(kind, width, height, tables, picture[at:end])
            break
    raise PzvisionError(
        "loopback camera: a picture cannot be sent over RTSP (expected sides of 8·n, at most 2040 px)"
    )


def packets(picture: bytes, sequence: int, ticks: int, source: int = 1) -> list[bytes]:
    """A JPEG picture as RTP packets, numbered from ``sequence``, stamped ``ticks``."""
    scan = _scan(picture)
    out: list[bytes] = []
    offset = 0
    while offset < len(scan.data):
        body = scan.data[offset : offset + _MOST]
        last = offset + len(body) >= len(scan.data)
        head = struct.pack(
            ">BBHII",
            0x80,
            _JPEG | (0x80 if last else 0),
            (sequence + len(out)) & 0xFFFF,
            ticks & 0xFFFFFFFF,
            source,
        )
        jpeg = struct.pack(">IBBBB", offset, scan.kind, _TABLES_FOLLOW, scan.width // 8, scan.height // 8)
        if offset == 0:
            jpeg += struct.pack(">BBH", 0, 0, len(scan.tables)) + scan.tables
        out.append(head + jpeg + body)
        offset += len(body)
    return out


class LoopbackRtspCamera:
    """Serves JPEG pictures at ``rtsp://127.0.0.1:PORT/table`` from threads of its own.

    Every connection begins at the first picture; after the last one they begin again.

    Args:
        pictures: JPEG data, in order; or called with 0, 1, 2 … for the picture to send now.
        fps: pictures a second.
        port: to listen on; 0: any.

    Raises:
        PzvisionError: there are no pictures.
    """

    def __init__(
        self, pictures: Sequence[bytes] | Callable[[int], bytes], fps: float, *, port: int = 0
    ) -> None:
        if callable(pictures):
            self._picture = pictures
        else:
            every = list(pictures)
            if not every:
                raise PzvisionError("loopback camera: no pictures")
            self._picture = lambda n: every[n % len(every)]
        self.fps = fps
        self.connections = 0
        self._over = threading.Event()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port: int = self._socket.getsockname()[1]
        self.url = f"rtsp://127.0.0.1:{self.port}/table"
        threading.Thread(target=self._accept, daemon=True, name="loopback-rtsp").start()

    def close(self) -> None:
        """Stop serving and cut all connections."""
        self._over.set()
        with self._lock:
            # Shut down first: closing alone would not wake the thread that waits in it.
            for each in (self._socket, *self._open):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            self._socket.close()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with self._lock:
                self._open.add(connection)
            self.connections += 1
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        """Answer one reader's requests; pictures are sent by another thread once it says PLAY."""
        writing = threading.Lock()
        gone = threading.Event()
        try:
            with connection, connection.makefile("rb") as lines:
                while (request := _request(lines.readline, lines.read)) is not None:
                    method, headers = request
                    answer = self._answer(method, headers)
                    with writing:
                        connection.sendall(answer)
                    if method == "PLAY":
                        words = (connection, writing, gone)
                        threading.Thread(target=self._play, args=words, daemon=True).start()
                    elif method == "TEARDOWN":
                        return
        except (OSError, ValueError):
            pass  # the reader has gone
        finally:
            gone.set()
            with self._lock:
                self._open.discard(connection)

    def _answer(self, method: str, headers: dict[str, str]) -> bytes:
        status, more, body = "200 OK", "", ""
        if method == "OPTIONS":
            more = "Public: OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN\r\n"
        elif method == "DESCRIBE":
            body = (
                "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=pzvision\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\n"
                "a=control:*\r\n"
                f"m=video 0 RTP/AVP {_JPEG}\r\na=framerate:{self.fps:g}\r\na=control:video\r\n"
            )
            more = f"Content-Base: {self.url}/\r\nContent-Type: application/sdp\r\n"
        elif method == "SETUP":
            if "TCP" in headers.get("transport", ""):
                more = f"Session: {_SESSION}\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n"
            else:
                status = "461 Unsupported Transport"  # a reader that may use TCP asks again
        elif method in ("PLAY", "GET_PARAMETER", "TEARDOWN"):
            more = f"Session: {_SESSION}\r\n"
        else:
            status = "501 Not Implemented"
        head = f"RTSP/1.0 {status}\r\nCSeq: {headers.get('cseq', '0')}\r\n{more}"
        return f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()

    def _play(self, connection: socket.socket, writing: threading.Lock, gone: threading.Event) -> None:
        begun = due = time.monotonic()
        sequence = 0
        with contextlib.suppress(OSError):
            for number in count():
                ticks = round((time.monotonic() - begun) * _CLOCK)
                parts = packets(self._picture(number), sequence, ticks)
                sequence += len(parts)
                with writing:
                    connection.sendall(b"".join(b"$\0" + struct.pack(">H", len(p)) + p for p in parts))
                due = max(due + 1 / self.fps, time.monotonic() - 1.0)
                if gone.wait(max(0.0, due - time.monotonic())) or self._over.is_set():
                    return


def _request(
    readline: Callable[[], bytes], read: Callable[[int], bytes]
) -> tuple[str, dict[str, str]] | None:
    """The next request and its headers; None when the reader hung up. What it sends as RTP is passed over."""
    first = b""
    while not first.strip():
        if not (start := read(1)):
            return None
        if start == b"$":
            read(int.from_bytes(read(3)[1:], "big"))
            continue
        first = start + readline()
    headers: dict[str, str] = {}
    while (line := readline().decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    read(int(headers.get("content-length", "0")))
    return first.split()[0].decode("latin-1"), headers
