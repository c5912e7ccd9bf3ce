"""``pzvision calibrate``: where the table is in the picture, by its corners dragged, given or marked."""

from __future__ import annotations

import argparse
from pathlib import Path

SUMMARY = ("标定:告诉程序台面在画面的哪里。", "Calibrate: say where the table is in the picture.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""
    parser.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
    )
    parser.add_argument(
        "--corners",
        nargs=4,
        metavar="X,Y",
    )
    parser.add_argument(
        "--markers",
        action="store_true",
    )
    parser.add_argument(
        "--lens",
        nargs="+",
        metavar="PHOTO",
    )
    parser.add_argument(
        "--sheet",
        metavar="DIR",
    )
    parser.add_argument("--near", default="E", metavar="SEAT")
    parser.add_argument(
        "--table-cm",
        type=float,
        metavar="CM",
    )
    parser.add_argument(
        "--tile-cm",
        default="3.6,2.7,2.1",
        metavar="H,W,T",
    )
    parser.add_argument(
        "--camera",
        default="table",
        metavar="NAME",
    )
    parser.add_argument("--at", type=float, default=0.0, metavar="S")
    parser.add_argument(
        "--out",
        metavar="FILE",
    )
    parser.add_argument("--preview", metavar="OUT.jpg")
    parser.add_argument("--port", type=int, metavar="N")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`."""
    from pzvision.errors import FormatError, PzvisionError
    from pzvision.live.calibrating import Ask, ask, fit_words, read_lens, save_preview, take_picture
    from pzvision.live.fit import judge_fit
    from pzvision.live.paths import check_distinct, check_not_empty, check_writable
    from pzvision.live.serving import check_port
    from pzvision.messages import say
    from pzvision.tiles import parse_seat
    from pzvision.vision.calibration import DEFAULT_TABLE_CM

    if args.sheet is not None:
        from pzvision.sheet.pages import write_sheet

        check_not_empty({"--sheet": args.sheet})
        for path in write_sheet(Path(args.sheet)):
            print(say("live.written", args.lang, path=path))
        if args.source is None and _named_source(args) is None:
            return 0
    spec = args.source if args.source is not None else _named_source(args)
    if spec is None:
        raise PzvisionError("no picture: give a photo, video, webcam number or address (or --sheet DIR)")
    name = args.camera if args.source is not None else args.camera.rpartition("=")[0] or "table"
    _check_name(name)
    try:
        near = parse_seat(args.near)
    except FormatError:
        raise PzvisionError(f"--near {args.near!r}: expected one of E S W N") from None
    tile = _numbers(args.tile_cm, 3, "--tile-cm")
    if args.corners and args.markers:
        raise PzvisionError("--corners and --markers: give one of them")
    out = Path(args.out) if args.out is not None else Path("calibration") / f"{name}.toml"
    outputs = {"--out": args.out, "--preview": args.preview}
    lenses = {f"--lens {word!r}": word for word in args.lens or ()}
    check_not_empty({"SOURCE": spec, **outputs, **lenses})
    if not 0 <= args.at < 1e6:
        raise PzvisionError(f"--at {args.at:g}: expected seconds from 0")
    check_port(args.port)
    check_distinct(outputs, {"SOURCE": spec})
    # The default folder is made when there is something to put in it.
    new_folder = out.parent if out.parent == Path("calibration") and not out.parent.exists() else None
    check_writable(new_folder or out)
    if args.preview:
        if Path(args.preview).suffix.lower() not in (".jpg", ".jpeg", ".png"):
            raise PzvisionError(f"--preview {args.preview!r}: expected a name that ends in .jpg or .png")
        check_writable(Path(args.preview))
    corners = [_numbers(word, 2, "--corners") for word in args.corners] if args.corners else None
    lens = read_lens(args.lens, args.lang) if args.lens else None
    wish = Ask(
        near=near,
        camera=name,
        table_cm=args.table_cm,
        tile_cm=(tile[0], tile[1], tile[2]),
        lens=lens,
    )
    picture, by_markers = take_picture(spec, args.at, wish if args.markers else None)
    if args.markers:
        assert by_markers is not None
        calibration = by_markers.calibration
        for line in by_markers.words[args.lang]:
            print(line)
    elif corners is not None:
        size = (picture.shape[1], picture.shape[0])
        if any(v > 1.5 for corner in corners for v in corner):
            corners = [[x / size[0], y / size[1]] for x, y in corners]
        calibration = wish.calibration(size, corners, args.table_cm or DEFAULT_TABLE_CM)
    else:
        chosen = ask(spec, picture, wish, args.port, args.lang)
        if chosen is None:
            return 130
        calibration = chosen
    fit = judge_fit(calibration)
    for line in fit_words(fit, args.lang):
        print(line)
    if new_folder is not None:
        new_folder.mkdir(exist_ok=True)
    calibration.save(out)
    print(say("live.written", args.lang, path=out))
    if args.preview:
        save_preview(Path(args.preview), picture, calibration)
        print(say("live.written", args.lang, path=args.preview))
    return 0


def _named_source(args: argparse.Namespace) -> str | None:
    """What ``--camera`` says where no SOURCE is given: ``0``, an address, or ``table2=0``."""
    from pzvision.vision.capture import is_url

    name, equals, spec = args.camera.partition("=")
    if equals and name and not is_url(args.camera):
        return str(spec)
    return str(args.camera) if args.camera.isdecimal() or is_url(args.camera) else None


def _check_name(name: str) -> None:
    from pzvision.errors import PzvisionError

    if not name or len(name) > 40 or not all(c.isalnum() or c in "._-" for c in name):
        raise PzvisionError(f"--camera {name!r}: expected a name of letters, digits, dots and dashes")


def _numbers(text: str, count: int, name: str) -> list[float]:
    from pzvision.errors import PzvisionError

    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        values = []
    if len(values) != count or not all(abs(v) < 1e6 for v in values):
        raise PzvisionError(f"{name} {text!r}: expected {count} numbers with commas between them")
    return values
