"""``pzvision detect``: find and name the tiles in pictures."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.commands._output import utf8_output
from pzvision.errors import PzvisionError
from pzvision.vision.pictures import decode

SUMMARY = ("识别照片里的麻将牌。", "Find and name the tiles in pictures.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("images", nargs="+", metavar="IMAGE")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--out", type=Path, metavar="DIR")
    parser.add_argument("--models", type=Path, metavar="DIR")
    parser.add_argument("--threads", type=int, metavar="N")
    parser.add_argument("--tile-set", metavar="FILE")
    parser.add_argument("--backend", default="auto", metavar="NAME")
    parser.add_argument("--providers", action="store_true")


def read_image(path: Path) -> npt.NDArray[np.uint8]:
    """A picture as ``(H, W, 3)`` uint8 BGR, turned upright as its EXIF says.

    Raises `PzvisionError` for a missing or empty file and for what is no picture.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PzvisionError(f"{path}: cannot be read ({error.strerror})") from None
    if data.startswith(b"\xff\xd8\xff") and _cut_off(data):
        raise PzvisionError(f"{path}: the JPEG is cut off (it has no end); expected a whole picture")
    if not data:
        raise PzvisionError(f"{path}: is empty; expected a picture")
    image = decode(data)
    if image is None:
        raise PzvisionError(f"{path}: not a picture that can be read (JPEG, PNG, WebP, BMP, TIFF)")
    return image


def _cut_off(data: bytes) -> bool:
    """Whether a JPEG stops before its end marker (EOI).

    The segments of the header are stepped over, since a thumbnail in one of them has an EOI of its own; in
    what follows, an FF of the picture's data is never followed by D9. Bytes behind the EOI do not matter.
    """
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        if marker == 0xDA:
            return b"\xff\xd9" not in data[at:]
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:  # markers without a length
            at += 2
            continue
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return at >= len(data)  # else no JPEG that is merely too short: the decoder says what it thinks of it


def run(args: argparse.Namespace) -> int:
    """Run the command. All pictures are checked before the first is worked on."""
    from pzvision.vision.detector import TileDetector
    from pzvision.vision.draw import draw_detections
    from pzvision.vision.report import detections_record, summary_line
    from pzvision.vision.tile_set import load_tile_set

    if args.json:
        utf8_output()
    if args.threads is not None and args.threads < 1:
        raise PzvisionError(f"--threads {args.threads}: expected at least 1")
    paths = [Path(name) for name in args.images]
    targets = _targets(paths, args.out) if args.out else {}
    for path in paths:
        read_image(path)
    tile_set = load_tile_set(args.tile_set, None, None)
    detector = TileDetector(args.models, threads=args.threads, backend=args.backend, tile_set=tile_set)
    if args.providers:
        print(detector.runs_on, file=sys.stderr)
    if args.out:
        try:
            args.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PzvisionError(f"--out {args.out}: cannot be made ({error.strerror})") from None
    for name, path in zip(args.images, paths, strict=True):
        image = read_image(path)
        found = detector(image)
        if args.out:
            _write(targets[path], draw_detections(image, found))
        if args.json:
            print(json.dumps(detections_record(name, found), ensure_ascii=False), flush=True)
        else:
            note = f" → {targets[path]}" if args.out else ""
            print(summary_line(name, found) + note, flush=True)
    return 0


def _targets(paths: list[Path], out: Path) -> dict[Path, Path]:
    """Where each picture's annotated copy goes. Raises `PzvisionError` where two would share a name."""
    if out.exists() and not out.is_dir():
        raise PzvisionError(f"--out {out}: is a file; expected a folder")
    targets: dict[Path, Path] = {}
    for path in dict.fromkeys(paths):
        target = out / f"{path.stem}.tiles.jpg"
        if target in targets.values():
            raise PzvisionError(f"--out {out}: two pictures would both be written as {target.name}")
        targets[path] = target
    return targets


def _write(target: Path, image: npt.NDArray[np.uint8]) -> None:
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])
    if not ok:
        raise PzvisionError(f"{target}: the picture cannot be encoded")
    partial = target.with_name(f".{target.name}.partial")
    try:
        partial.write_bytes(data.tobytes())
        os.replace(partial, target)
    except OSError as error:
        raise PzvisionError(f"{target}: cannot be written ({error.strerror})") from None
