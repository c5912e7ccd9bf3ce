"""``pzvision render``: a simulated game as video with its truth."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Final

import numpy as np
from tqdm import tqdm

from pzvision.errors import PzvisionError
from pzvision.game.simulate import simulate
from pzvision.rules import ruleset_ids
from pzvision.rules.arguments import as_profile
from pzvision.synth.crop_faces import CropFaces
from pzvision.synth.disturb import KINDS
from pzvision.synth.faces import LOOKS, DrawnFaces, FaceSource, random_look
from pzvision.synth.room import CAMERAS
from pzvision.synth.timeline import Style
from pzvision.synth.video import render_video
from pzvision.tiles import Seat, parse_seat

SUMMARY: Final = ("把模拟牌局渲染成带真值的录像。", "Renders a simulated game as video with its truth.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--ruleset",
        default="pzh-popular",
        metavar="ID|FILE",
        help=" ".join(ruleset_ids()),
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--hands", type=int, default=1, metavar="N")
    parser.add_argument("--look", default="orange", metavar="NAME", help=" ".join(["random", *LOOKS]))
    parser.add_argument("--crops", type=Path, metavar="DIR")
    parser.add_argument("--camera", default="oblique", metavar="NAME", help=" ".join(CAMERAS))
    parser.add_argument("--near", default="E", metavar="SEAT")
    parser.add_argument("--river", default="rows", choices=("rows", "heap"))
    parser.add_argument("--mess", type=float, default=1.0, metavar="X")
    parser.add_argument("--pace", type=float, default=1.0, metavar="X")
    parser.add_argument("--an-gang", default="up", choices=("up", "down"))
    parser.add_argument("--breaks", type=int, default=0, metavar="N")
    parser.add_argument(
        "--disturb",
        nargs="+",
        default=[],
        metavar="KIND",
        help=" ".join(KINDS),
    )
    parser.add_argument("--size", default="1280x720", metavar="WxH")
    parser.add_argument("--fps", type=float, default=10.0, metavar="N")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")


def run(args: argparse.Namespace) -> int:
    """Render; 0 when the folder is complete."""
    ruleset, options = as_profile(args.ruleset)
    size = _size(args.size)
    for name, low, high in (
        ("hands", 1, 16),
        ("mess", 0, 3),
        ("pace", 0.3, 3),
        ("breaks", 0, 5),
        ("fps", 1, 60),
        ("seed", 0, 2**31),
    ):
        value = getattr(args, name)
        if not low <= value <= high:
            raise PzvisionError(f"--{name} {value}: expected {low} to {high}")
    if args.out.exists() and not args.out.is_dir():
        raise PzvisionError(f"--out {args.out}: is a file: expected a new or empty folder")
    if args.crops is not None and not args.crops.is_dir():
        what = "is a file" if args.crops.exists() else "there is no such folder"
        raise PzvisionError(f"--crops {args.crops}: {what}: expected a folder with one folder per tile")
    for kind in args.disturb:
        if kind not in KINDS:
            raise PzvisionError(f"--disturb {kind!r}: expected some of {' '.join(KINDS)}")
    near: Seat = parse_seat(args.near)
    faces = _faces(args)
    log = list(simulate(ruleset, seed=args.seed, hands=args.hands, options=options))
    style = Style(river=args.river, mess=args.mess, pace=args.pace, an_gang=args.an_gang, breaks=args.breaks)
    with tqdm(unit="frame", file=sys.stderr, disable=None) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        timeline = render_video(
            log, args.out, faces=faces, camera=args.camera, seed=args.seed, near_seat=near, style=style,
            size=size, fps=args.fps, disturb_by=args.disturb, progress=progress,
        )  # fmt: skip
    print(json.dumps({"out": str(args.out), "seconds": timeline.duration, "records": len(timeline.events)}))
    return 0


def _size(text: str) -> tuple[int, int]:
    try:
        w, h = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise PzvisionError(f"--size {text!r}: expected WIDTHxHEIGHT such as 1280x720") from None
    if w % 2 or h % 2 or not (320 <= w <= 3840 and 180 <= h <= 2160):
        raise PzvisionError(f"--size {text}: expected even numbers from 320x180 to 3840x2160")
    return w, h


def _faces(args: argparse.Namespace) -> FaceSource:
    rng = np.random.default_rng([args.seed, 5])
    if args.crops is not None:
        return CropFaces(args.crops, rng)
    return DrawnFaces(random_look(rng) if args.look == "random" else args.look)
