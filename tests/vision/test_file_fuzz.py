"""Damaged files: recordings, pictures, calibrations and house rules with bytes changed, cut and repeated.

They are read by a process of its own, so that a crash, a hang or a picture that claims to be huge is seen.
How many of each kind the slow test tries: ``PZVISION_FUZZ_FILES`` (3000).
"""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

FULL = int(os.environ.get("PZVISION_FUZZ_FILES", "3000"))
MOST_MB = 2500  # of memory while reading any of them
MOST_S = 20.0  # for any of them

READER = """
import json, resource, sys, time
from pathlib import Path
from pzvision.errors import PzvisionError
from pzvision.rules import load_ruleset
from pzvision.vision.calibration import load
from pzvision.vision.capture import CaptureConfig, open_source

def play(path):
    source = open_source(path, config=CaptureConfig(open_deadline_s=5.0))
    try:
        return sum(1 for frame in source.frames())
    finally:
        source.close()

READ = {"video": play, "picture": play, "calibration": load, "rules": load_ruleset}
for line in sys.stdin:
    kind, path = json.loads(line)
    begun, outcome = time.monotonic(), "read"
    try:
        READ[kind](Path(path))
    except PzvisionError as error:
        outcome = "refused" if str(error) and "\\n" not in str(error) else f"not one line: {error!r}"
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([outcome, time.monotonic() - begun, used]), flush=True)
"""


def _video(path: Path, code: str) -> bytes:
    noise = np.random.default_rng(0)
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), 10, (160, 96))
    for _ in range(8):
        writer.write(noise.integers(0, 255, (96, 160, 3)).astype(np.uint8))
    writer.release()
    return path.read_bytes()


def _pictures() -> dict[str, bytes]:
    image = np.random.default_rng(1).integers(0, 255, (48, 64, 3)).astype(np.uint8)
    return {suffix: cv2.imencode(suffix, image)[1].tobytes() for suffix in (".jpg", ".png", ".bmp", ".webp")}


def _huge() -> list[tuple[str, bytes]]:
    """Small files that claim a huge picture, or none at all."""
    pictures = _pictures()
    png, bmp, jpg = pictures[".png"], pictures[".bmp"], pictures[".jpg"]
    out = []
    for width, height in ((2**31 - 1, 2**31 - 1), (100_000, 100_000), (0, 0), (1, 2**30), (30_000, 30_000)):
        header = png[12:16] + struct.pack(">II", width, height) + png[24:29]
        checked = struct.pack(">I", zlib.crc32(header))
        out.append((".png", png[:12] + header + checked + png[33:]))
        out.append((".bmp", bmp[:18] + struct.pack("<ii", min(width, 2**31 - 1), height) + bmp[26:]))
    at = jpg.index(b"\xff\xc0") + 5
    for side in (b"\xff\xff", b"\x75\x30", b"\x00\x00"):
        out.append((".jpg", jpg[:at] + side + side + jpg[at + 4 :]))
    return out


CALIBRATION = b"""schema = 1
camera = "table"
image_size = [1280, 720]
corners = [[0.12, 0.95], [0.88, 0.95], [0.70, 0.20], [0.30, 0.20]]
table_cm = 85.0
tile_cm = [3.6, 2.7, 2.1]
near_seat = "S"
"""
RULES = b"""parent = "pzh-biankadiao"
name_zh = "\xe6\x88\x91\xe5\xae\xb6"
[options]
cap = 32
rob_kong = true
[fan]
da_dui = 3
"""


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Cut, changed or repeated; the first bytes, where headers are, most of all."""
    out = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5])):
        if not out:
            break
        at = chance.randrange(min(len(out), 200) if chance.random() < 0.6 else len(out))
        how = chance.randrange(5)
        if how == 0:
            out[at] = chance.randrange(256)
        elif how == 1:
            del out[at:]
        elif how == 2:
            out[at : at + 4] = chance.choice([b"\xff\xff\xff\xff", bytes(4), b"\x7f\xff\xff\xff"])
        elif how == 3:
            del out[at : at + chance.randrange(1, 50)]
        else:
            out[at:at] = out[at : at + chance.randrange(1, 50)]
    return bytes(out)


def make(folder: Path, kind: str, count: int) -> list[Path]:
    """Damaged files of one kind."""
    chance = random.Random(count)
    if kind == "video":
        whole = [(".avi", _video(folder / "w.avi", "MJPG")), (".mp4", _video(folder / "w.mp4", "mp4v"))]
    elif kind == "picture":
        whole = list(_pictures().items())
    else:
        whole = [(".toml", CALIBRATION if kind == "calibration" else RULES)]
    files = []
    huge = _huge() if kind == "picture" else []
    for i in range(count):
        suffix, data = huge[i] if i < len(huge) else whole[i % len(whole)]
        if i >= max(len(huge), len(whole)):  # the first of each kind are whole, or claim to be huge
            data = damaged(data, chance)
        if kind == "picture":  # pictures are read as a folder of them
            place = folder / f"f{i}"
            place.mkdir()
            (place / f"a{suffix}").write_bytes(data)
            files.append(place)
        else:
            files.append(folder / f"f{i}{suffix}")
            files[-1].write_bytes(data)
    return files


@pytest.mark.parametrize("kind", ["video", "picture", "calibration", "rules"])
@pytest.mark.parametrize("count", [20, pytest.param(FULL, marks=pytest.mark.slow)])
def test_a_damaged_file_is_read_or_refused(tmp_path: Path, kind: str, count: int) -> None:
    files = make(tmp_path, kind, count)
    reader = subprocess.Popen(
        [sys.executable, "-c", READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    lines = "".join(json.dumps([kind, str(path)]) + "\n" for path in files)
    try:
        out, err = reader.communicate(lines.encode(), timeout=30 + MOST_S * count / 10)
    except subprocess.TimeoutExpired:
        reader.kill()
        raise
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == count, f"the process died at {files[len(answers)]}: {err.decode()[-500:]}"
    wrong = [(str(p), a) for p, a in zip(files, answers, strict=True) if a[0] not in ("read", "refused")]
    assert not wrong, wrong[:5]
    assert b"Traceback" not in err
    slowest, most = max(a[1] for a in answers), answers[-1][2]
    assert slowest < MOST_S and most < MOST_MB
    refused = sum(a[0] == "refused" for a in answers)
    assert refused > 0 and (kind == "picture" or answers[0][0] == "read"), answers[0]
    print(f"{count} {kind} files: {refused} refused, slowest {slowest:.2f} s, at most {most:.0f} MB")
