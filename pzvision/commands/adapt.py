"""``pzvision adapt``: teach the reader one tile set from two photos of its 27 tiles."""

from __future__ import annotations

import argparse
import datetime
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pzvision.errors import PzvisionError

if TYPE_CHECKING:
    from pzvision.vision.adapt import Score, Trial

SUMMARY = (
    "教会识别你的牌:把 27 张牌按万、条、筒各一排 1 到 9 摆好,拍两张照片。",
    "Teach the detector your tile set: lay its 27 tiles in three rows (万, 条, 筒, 1 to 9), take two photos.",
)

# Waiting threads of numpy's matrix library cost more than they bring here; it has not been loaded yet.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""

    parser.add_argument("photos", nargs="+", metavar="PHOTO")
    parser.add_argument("--name", default="tiles", metavar="NAME")
    parser.add_argument(
        "--calibration",
        type=Path,
        metavar="FILE",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
    )
    parser.add_argument(
        "--order",
        choices=("auto", "rows", "any"),
        default="auto",
    )
    parser.add_argument("--models", type=Path, metavar="DIR")
    parser.add_argument("--threads", type=int, metavar="N")
    parser.add_argument("--backend", default="auto", metavar="NAME")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`. Exit status 1: the set is already read as well as it can be."""
    from pzvision.commands.detect import read_image
    from pzvision.messages import say
    from pzvision.vision.adapt import adapt, read_set_photo
    from pzvision.vision.calibration import load
    from pzvision.vision.detector import TileDetector
    from pzvision.vision.tile_set import FOLDER, check_name, set_path

    check_name(args.name)
    if args.threads is not None and args.threads < 1:
        raise PzvisionError(f"--threads {args.threads}: expected at least 1")
    if len(args.photos) < 2:
        raise PzvisionError(
            f"{args.photos[0]}: one photo; expected two, the second to test what the first taught"
        )
    if args.calibration is not None and args.out is not None:
        raise PzvisionError(f"--out {args.out}: not with --calibration, which says where the set goes")
    calibration = None if args.calibration is None else load(args.calibration)
    target = args.out or Path("calibration") / FOLDER / f"{args.name}.npz"
    if args.calibration is not None:
        target = set_path(args.name, args.calibration)
    if target.is_dir():
        raise PzvisionError(f"{target}: is a folder; expected a file")
    pictures = [(name, read_image(Path(name))) for name in args.photos]
    detector = TileDetector(args.models, threads=args.threads, backend=args.backend)
    photos = []
    for name, image in pictures:
        photos.append(read_set_photo(name, image, detector, order=args.order))
        way = "rows" if photos[-1].in_rows else "faces"
        print(say(f"detector.adapt.{way}", args.lang, photo=name))
    result = adapt(args.name, photos, detector)
    for trial in result.trials:
        print(_line(trial, args.lang))
    if result.tile_set is None:
        print(say("detector.adapt.nothing", args.lang))
        return 1
    kept = _keep(target)
    today = datetime.date.today().isoformat()
    replace(result.tile_set, made=today).save(target)
    if kept is not None:
        print(say("detector.adapt.kept", args.lang, path=kept))
    print(say("detector.adapt.written", args.lang, path=target))
    if calibration is not None:
        replace(calibration, tile_set=args.name).save(args.calibration)
        print(say("detector.adapt.named", args.lang, path=args.calibration, name=args.name))
    return 0


def _line(trial: Trial, lang: str) -> str:
    from pzvision.messages import say

    def fields(score: Score, name: str) -> dict[str, object]:
        return {name: score.right, f"{name}_small": 100 * score.small}

    text = say(
        "detector.adapt.trial",
        "en" if lang == "en" else "zh",
        photo=trial.tested,
        **fields(trial.before, "before"),
        **fields(trial.after, "after"),
    )
    return text + (f" ({' '.join(trial.after.wrong)})" if trial.after.wrong else "")


def _keep(target: Path) -> Path | None:
    """Move an earlier set aside as ``NAME.1.npz`` and so on; where it went."""
    if not target.exists():
        return None
    for number in range(1, 1000):
        aside = target.with_name(f"{target.stem}.{number}{target.suffix}")
        if not aside.exists():
            try:
                os.rename(target, aside)
            except OSError as error:
                raise PzvisionError(f"{target}: cannot be moved aside ({error.strerror})") from None
            return aside
    raise PzvisionError(f"{target}: too many earlier ones beside it; move some away")
