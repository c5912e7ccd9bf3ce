"""Reading pictures: times, bad inputs, truncation, and a camera that misbehaves."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import CaptureConfig, open_source, without_password

FAST = CaptureConfig(
    open_deadline_s=3.0,
    read_deadline_s=0.6,
    first_backoff_s=0.1,
    max_backoff_s=0.4,
    frozen_s=0.4,
    frozen_reconnect_s=30.0,
)


def picture(value: int, size: tuple[int, int] = (160, 96)) -> np.ndarray:
    image = np.full((size[1], size[0], 3), 60, np.uint8)
    cv2.putText(image, str(value), (10, 60), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (255, 255, 255), 2)
    return image


def write_video(path: Path, frames: int, fps: float = 10.0) -> Path:
    """Motion JPEG in an AVI: frames are independent, so a cut file is readable up to the cut."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (160, 96))
    assert writer.isOpened()
    for i in range(frames):
        writer.write(picture(i))
    writer.release()
    return path


def test_video_frames_and_times(tmp_path: Path) -> None:
    source = open_source(write_video(tmp_path / "a.avi", 30))
    assert source.size == (160, 96)
    frames = list(source)
    assert [f.index for f in frames] == list(range(30))
    assert np.allclose([f.t for f in frames], np.arange(30) / 10, atol=0.01)
    assert frames[0].image.shape == (96, 160, 3) and frames[0].image.dtype == np.uint8
    assert source.notes == []


@pytest.mark.parametrize(
    ("start", "end", "every", "expected"),
    [
        (0.0, None, 0.5, [0, 5, 10, 15, 20, 25]),
        (1.0, 2.0, 0.0, list(range(10, 21))),
        (0.75, 2.0, 0.4, [8, 12, 16, 20]),
        (9.0, None, 0.0, []),
    ],
)
def test_window_and_rate(
    tmp_path: Path, start: float, end: float | None, every: float, expected: list[int]
) -> None:
    source = open_source(write_video(tmp_path / "a.avi", 30))
    assert [f.index for f in source.frames(start=start, end=end, every=every)] == expected


def test_variable_rate_times_come_from_the_container(shared: Path, tmp_path: Path) -> None:
    import shutil
    import subprocess

    if shutil.which("ffmpeg") is None:
        pytest.skip("ffmpeg, which writes the variable-rate file, is not installed")
    out = tmp_path / "vfr.mp4"
    subprocess.run(
        [
            *("ffmpeg", "-v", "error", "-t", "6", "-i", str(shared / "data/video/sample-1/video.mp4")),
            *("-vf", "select='lt(n,10)+not(mod(n,5))',scale=320:-2", "-fps_mode", "vfr", str(out)),
        ],
        check=True,
    )
    source = open_source(out)
    source.check_whole()
    times = [f.t for f in source]
    assert np.allclose(times[:10], np.arange(10) / 10, atol=0.01)
    assert np.allclose(np.diff(times[10:]), 0.5, atol=0.01)


def test_truncated_video_is_used_and_said(shared: Path, tmp_path: Path) -> None:
    data = (shared / "data/video/sample-1/video.mp4").read_bytes()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(data[: len(data) // 10])
    source = open_source(cut)
    frames = list(source.frames(every=1.0))
    assert len(frames) >= 5
    assert len(source.notes) == 1
    assert "truncated" in source.notes[0] and "cut.mp4" in source.notes[0] and "182.6 s" in source.notes[0]


def test_a_cut_is_found_before_reading(shared: Path, tmp_path: Path) -> None:
    whole = shared / "data/video/sample-1/video.mp4"
    data = whole.read_bytes()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(data[: len(data) // 10])
    source = open_source(cut)
    with pytest.raises(PzvisionError) as caught:
        source.check_whole()
    text = str(caught.value)
    end = float(text.rpartition("--end ")[2].split()[0])
    assert "cut.mp4' is truncated" in text and "of 182.6 s" in text and f"read to {end:.1f} s" in text
    with pytest.raises(PzvisionError, match="truncated"):
        source.check_whole(end=end + 1)
    source.check_whole(end=end)
    assert abs(end - max(frame.t for frame in source.frames(every=0.1))) < 0.25
    begun = time.monotonic()
    open_source(whole).check_whole()
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize("name", ["a.avi", "a.mkv", "a.mp4"])
def test_whole_recordings_pass_the_check(tmp_path: Path, name: str) -> None:
    codec = cv2.VideoWriter.fourcc(*("mp4v" if name == "a.mp4" else "MJPG"))
    writer = cv2.VideoWriter(str(tmp_path / name), codec, 10, (160, 96))
    for i in range(60):
        writer.write(picture(i))
    writer.release()
    source = open_source(tmp_path / name)
    source.check_whole()
    assert len(list(source)) == 60 and source.notes == []


def _empty(folder: Path) -> Path:
    (folder / "x.mp4").touch()
    return folder / "x.mp4"


def _junk(folder: Path) -> Path:
    (folder / "x.mp4").write_bytes(b"not a video " * 500)
    return folder / "x.mp4"


def _no_index(folder: Path) -> Path:
    # The first quarter of an MP4 whose index stands at the end.
    (folder / "x.mp4").write_bytes(b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + bytes(5000))
    return folder / "x.mp4"


def _folder(folder: Path) -> Path:
    (folder / "pictures").mkdir()
    (folder / "pictures" / "notes.txt").write_text("no picture")
    return folder / "pictures"


def _bad_pictures(folder: Path) -> Path:
    (folder / "pictures").mkdir()
    (folder / "pictures" / "a.jpg").write_bytes(b"junk")
    return folder / "pictures"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_empty, "empty file"),
        (_junk, "not a video that can be read"),
        (_no_index, "not a video that can be read"),
        (_folder, "no pictures in the folder"),
        (_bad_pictures, "not a picture that can be read"),
        (lambda folder: folder / "missing.mp4", "no such source"),
        (lambda folder: "7", "no camera 7"),
        (lambda folder: "http://127.0.0.1:9/video", "cannot open 'http://127.0.0.1:9/video'"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, make, words: str) -> None:  # type: ignore[no-untyped-def]
    begun = time.monotonic()
    with pytest.raises(PzvisionError) as caught:
        open_source(make(tmp_path), config=FAST)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - begun < 5


def test_folder_in_natural_order_leaves_out_broken_pictures(tmp_path: Path) -> None:
    for i in (10, 9, 1):
        cv2.imwrite(str(tmp_path / f"{i}.png"), picture(i))
    (tmp_path / "5.png").write_bytes(b"junk")
    cv2.imwrite(str(tmp_path / "11.png"), picture(11, (80, 80)))
    source = open_source(tmp_path)
    frames = list(source)
    assert [f.index for f in frames] == [0, 2, 3]
    assert np.array_equal(frames[2].image, picture(10))
    assert len(source.notes) == 2
    assert "'5.png'" in source.notes[0] and "80x80" in source.notes[1]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("rtsp://admin:p@ss@10.0.0.5:554/1?x=2", "rtsp://…@10.0.0.5:554/1?x=2"),
        ("http://cam/video?user=a&pwd=geheim&fps=5", "http://cam/video?user=a&pwd=…&fps=5"),
        ("rtsp://cam/user=admin_password=geheim_channel=1", "rtsp://cam/user=admin_password=…_channel=1"),
        ("rtsp://cam:8554/table@home", "rtsp://cam:8554/table@home"),
        ("pass=word/a@b.mp4", "pass=word/a@b.mp4"),
        ("0", "0"),
    ],
)
def test_passwords_in_addresses_are_not_shown(address: str, shown: str) -> None:
    assert without_password(address) == shown


def test_no_message_or_name_holds_the_password(camera: Camera) -> None:
    host = camera.url.removeprefix("http://")
    address = f"http://admin:geheim@{host}?password=geheim"
    source = open_source(address, live=True, config=FAST)
    assert isinstance(source, LiveSource)
    camera.mode = "close"
    assert wait_for(lambda: source.health.state == "lost")
    assert source.health.reason and "geheim" not in source.name + source.health.reason
    source.close()
    for live in (True, False):
        with pytest.raises(PzvisionError, match="…@127") as caught:
            open_source("http://admin:geheim@127.0.0.1:9/x", live=live, config=FAST)
        assert "geheim" not in str(caught.value)


# -- cameras: a Motion-JPEG server on loopback


class Camera:
    """An HTTP camera whose behaviour the test changes while it runs."""

    def __init__(self) -> None:
        self.mode = "play"  # play | hang | close | same | black
        self.connections = 0
        camera = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                camera.connections += 1
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                count = 0
                try:
                    while camera.mode != "close":
                        if camera.mode == "hang":
                            time.sleep(0.05)
                            continue
                        image = picture(0 if camera.mode == "same" else count)
                        if camera.mode == "black":
                            image[:] = 2
                        _, jpeg = cv2.imencode(".jpg", image)
                        body = jpeg.tobytes()
                        self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\n")
                        self.wfile.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body + b"\r\n")
                        count += 1
                        time.sleep(0.03)
                except OSError:
                    pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/video.mjpg"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def camera() -> Iterator[Camera]:
    camera = Camera()
    yield camera
    camera.mode = "close"
    camera.server.shutdown()
    camera.server.server_close()


def wait_for(condition, seconds: float = 6.0) -> bool:  # type: ignore[no-untyped-def]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_camera_keeps_the_newest_frame_and_counts_drops(camera: Camera) -> None:
    source = open_source(camera.url, live=True, config=FAST)
    assert isinstance(source, LiveSource)
    first = source.latest(timeout=2.0)
    assert first is not None and first.state == "ok"
    time.sleep(0.7)
    second = source.latest(timeout=1.0)
    assert second is not None
    assert second.index - first.index > 5, "frames in between were not skipped"
    assert second.t > first.t
    assert source.health.dropped >= second.index - first.index - 1
    source.close()


def test_camera_that_hangs_or_closes_is_reconnected(camera: Camera) -> None:
    source = open_source(camera.url, live=True, config=FAST)
    assert isinstance(source, LiveSource)
    for mode in ("hang", "close"):
        before = camera.connections
        camera.mode = mode
        assert wait_for(lambda: source.health.state == "lost"), mode
        assert source.health.reason
        camera.mode = "play"
        assert wait_for(lambda: source.health.state == "ok"), mode
        assert camera.connections > before
    assert source.health.reconnects >= 2
    source.close()


@pytest.mark.parametrize(("mode", "state"), [("same", "frozen"), ("black", "black")])
def test_frozen_and_black_pictures_are_recognised(camera: Camera, mode: str, state: str) -> None:
    source = open_source(camera.url, live=True, config=FAST)
    assert isinstance(source, LiveSource)
    assert wait_for(lambda: source.health.state == "ok")
    camera.mode = mode
    assert wait_for(lambda: source.health.state == state)
    camera.mode = "play"
    assert wait_for(lambda: source.health.state == "ok")
    source.close()


def test_closing_leaves_no_thread_behind(camera: Camera) -> None:
    before = threading.active_count()
    source = open_source(camera.url, live=True, config=FAST)
    source.close()
    assert wait_for(lambda: threading.active_count() <= before + 1)  # the server's own thread may linger


def test_a_recording_played_live_keeps_its_times_and_ends(tmp_path: Path) -> None:
    source = open_source(write_video(tmp_path / "a.avi", 10), live=True)
    begun = time.monotonic()
    frames = list(source)
    assert 0.7 < time.monotonic() - begun < 4.0
    assert frames[-1].t == pytest.approx(0.9, abs=0.01)
    assert all(abs(f.t - f.index / 10) < 0.01 for f in frames)


@pytest.mark.parametrize("kind", ["MAGY", "M8RG"])
def test_a_video_whose_decoder_is_not_safe_is_never_decoded(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "牌.avi"
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*kind), 10, (160, 96))
    assert writer.isOpened()
    for i in range(3):
        writer.write(picture(i))
    writer.release()
    with pytest.raises(PzvisionError, match="is MagicYUV video, whose decoder is not safe: convert it"):
        open_source(path)
    with pytest.raises(PzvisionError, match="cannot open"):
        LiveSource.open(str(path), FAST)


def test_what_the_user_told_ffmpeg_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCV_FFMPEG_CAPTURE_OPTIONS", "rtsp_transport;udp")
    source = open_source(write_video(tmp_path / "v.avi", 2))
    source.close()
    told = os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"]
    assert told.startswith("rtsp_transport;udp|codec_whitelist;h264,") and "magicyuv" not in told
    monkeypatch.setenv("OPENCV_FFMPEG_CAPTURE_OPTIONS", "codec_whitelist;mjpeg")
    open_source(tmp_path / "v.avi").close()
    assert os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] == "codec_whitelist;mjpeg"


@pytest.mark.skipif(os.name == "nt", reason="names are bytes only where POSIX is")
@pytest.mark.parametrize("name", [b"\xc5\xc6 \xbe\xd6.avi", "一 局.avi".encode()])
@pytest.mark.parametrize("utf8", ["0", "1"])
def test_names_that_are_no_unicode_and_a_locale_that_knows_none(
    tmp_path: Path, name: bytes, utf8: str
) -> None:
    """OpenCV crashes at a text that is not Unicode throughout."""
    os.rename(write_video(tmp_path / "v.avi", 3), os.path.join(os.fsencode(tmp_path), name))
    reads = (
        "import sys; from pzvision.vision.capture import open_source as o; print(len(list(o(sys.argv[1]))))"
    )
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": utf8, "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", reads, name], env=env, cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, b"3"), done.stderr
