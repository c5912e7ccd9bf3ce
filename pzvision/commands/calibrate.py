"""``pzvision calibrate``: where the table is in the picture, from its four corners."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pzvision.live.fit import Fit
    from pzvision.tiles import Lang
    from pzvision.vision.calibration import Calibration
    from pzvision.vision.capture import Image

SUMMARY = ("标定:告诉程序台面在画面的哪里。", "Calibrate: say where the table is in the picture.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""
    parser.add_argument(
        "source", metavar="SOURCE", help="照片、录像、摄像头编号或网址 photo, video, webcam number or address"
    )
    parser.add_argument(
        "--corners",
        nargs=4,
        metavar="X,Y",
        help="四角:近左 近右 远右 远左,像素或 0–1;不给就开页面用鼠标拖"
        " near-left near-right far-right far-left, px or 0-1; without it a page opens to drag them",
    )
    parser.add_argument("--near", default="E", metavar="SEAT", help="坐近边的是谁 who sits at the near edge")
    parser.add_argument(
        "--table-cm", type=float, default=85.0, metavar="CM", help="台面边长 side of the felt"
    )
    parser.add_argument(
        "--tile-cm",
        default="3.6,2.7,2.1",
        metavar="H,W,T",
        help="牌的高,宽,厚 a tile's height,width,thickness",
    )
    parser.add_argument("--camera", default="table", metavar="NAME", help="摄像头名字 the camera's name")
    parser.add_argument(
        "--at", type=float, default=0.0, metavar="S", help="用第几秒的画面 second of the picture"
    )
    parser.add_argument(
        "--out", default="calibration/table.toml", metavar="FILE", help="写到 where to write (TOML or .json)"
    )
    parser.add_argument("--preview", metavar="OUT.jpg", help="画出牌大小的网格 draw the tile-sized grid here")
    parser.add_argument("--port", type=int, metavar="N", help="页面端口 port (default 8642)")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh", help="语言 language (default zh)")


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`."""
    import cv2

    from pzvision.errors import FormatError, PzvisionError
    from pzvision.live.fit import draw_grid, judge_fit
    from pzvision.live.paths import check_distinct, check_not_empty, check_writable
    from pzvision.live.serving import check_port
    from pzvision.messages import say
    from pzvision.tiles import parse_seat
    from pzvision.vision.capture import open_source

    try:
        near = parse_seat(args.near)
    except FormatError:
        raise PzvisionError(f"--near {args.near!r}: expected one of E S W N") from None
    tile_cm = _numbers(args.tile_cm, 3, "--tile-cm")
    outputs = {"--out": args.out, "--preview": args.preview}
    check_not_empty({"SOURCE": args.source, **outputs})
    if not 0 <= args.at < 1e6:
        raise PzvisionError(f"--at {args.at:g}: expected seconds from 0")
    check_port(args.port)
    check_distinct(outputs, {"SOURCE": args.source})
    out = Path(args.out)
    # The default folder is made when there is something to put in it.
    new_folder = out.parent if out.parent == Path("calibration") and not out.parent.exists() else None
    check_writable(new_folder or out)
    if args.preview:
        if Path(args.preview).suffix.lower() not in (".jpg", ".jpeg", ".png"):
            raise PzvisionError(f"--preview {args.preview!r}: expected a name that ends in .jpg or .png")
        check_writable(Path(args.preview))
    corners = None
    if args.corners:
        corners = [_numbers(word, 2, "--corners") for word in args.corners]
    source = open_source(args.source)
    if source.duration is not None and args.at > 0 and args.at >= source.duration:
        raise PzvisionError(
            f"--at {args.at:g}: {args.source!r} is over at {source.duration:.1f} s; expected less"
        )
    frame = next(iter(source.frames(start=args.at)), None)
    source.close()
    if frame is None:
        raise PzvisionError(f"{args.source!r} has no picture at {args.at:g} s")
    size = (frame.image.shape[1], frame.image.shape[0])
    if corners is not None and any(v > 1.5 for corner in corners for v in corner):
        corners = [[x / size[0], y / size[1]] for x, y in corners]

    def make(points: list[list[float]], seat: str) -> Calibration:
        return _calibration(args, size, points, seat, tile_cm)

    if corners is None:
        calibration = _ask(args, frame.image, make, near)
        if calibration is None:
            return 130
    else:
        calibration = make(corners, near)
    fit = judge_fit(calibration)
    for line in _words(fit, args.lang):
        print(line)
    if new_folder is not None:
        new_folder.mkdir(exist_ok=True)
    calibration.save(out)
    print(say("live.written", args.lang, path=out))
    if args.preview:
        _, data = cv2.imencode(Path(args.preview).suffix, draw_grid(frame.image, calibration))
        Path(args.preview).write_bytes(data.tobytes())
        print(say("live.written", args.lang, path=args.preview))
    return 0


def _calibration(
    args: argparse.Namespace, size: tuple[int, int], corners: list[list[float]], seat: str, tile: list[float]
) -> Calibration:
    from datetime import date

    from pzvision.tiles import parse_seat
    from pzvision.vision.calibration import Calibration

    return Calibration(
        image_size=size,
        corners=tuple((round(x, 5), round(y, 5)) for x, y in corners),
        table_cm=args.table_cm,
        tile_cm=(tile[0], tile[1], tile[2]),
        near_seat=parse_seat(seat),
        camera=args.camera,
        date=date.today().isoformat(),
    )


def _ask(args: argparse.Namespace, image: Image, make, near: str) -> Calibration | None:  # type: ignore[no-untyped-def]
    """Serve the page until the person saves; None when they gave up with Ctrl-C."""
    from pzvision.live.calibrate_page import CalibratePage
    from pzvision.live.fit import judge_fit
    from pzvision.live.serving import serve
    from pzvision.messages import say

    def judged(points: list[list[float]], seat: str) -> tuple[Calibration, dict[str, list[str]]]:
        calibration = make(points, seat)
        fit = judge_fit(calibration)
        return calibration, {"zh": _words(fit, "zh"), "en": _words(fit, "en")}

    page = CalibratePage(image, judged, [[0.2, 0.9], [0.8, 0.9], [0.7, 0.2], [0.3, 0.2]], near)
    server = serve(page.app, args.port, args.lang)
    server.start()
    print(say("calibrate.page", args.lang, url=server.url), flush=True)
    try:
        while not page.saved.wait(0.2):
            pass
        return page.calibration
    except KeyboardInterrupt:
        return None
    finally:
        server.stop()


def _words(fit: Fit, lang: Lang) -> list[str]:
    from pzvision.messages import say

    near, far = (f"{w:.0f}×{h:.0f}" for w, h in (fit.near_px, fit.far_px))
    return [
        say("calibrate.error", lang, error=fit.error_px, focal=fit.focal_px),
        say("calibrate.eye", lang, height=fit.eye_cm[0], distance=fit.eye_cm[1], angle=fit.angle_deg),
        say("calibrate.tiles", lang, near=near, far=far),
        *(say(key, lang) for key in fit.warnings),
    ]


def _numbers(text: str, count: int, name: str) -> list[float]:
    from pzvision.errors import PzvisionError

    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        values = []
    if len(values) != count or not all(abs(v) < 1e6 for v in values):
        raise PzvisionError(f"{name} {text!r}: expected {count} numbers with commas between them")
    return values
