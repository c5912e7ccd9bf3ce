"""Calibrating one camera: its picture, its lens, its corners by cards or by hand, and the words about it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

import cv2

from pzvision.errors import PzvisionError
from pzvision.live.fit import Fit, draw_grid, judge_fit
from pzvision.messages import say
from pzvision.tiles import Lang, Seat, parse_seat
from pzvision.vision.calibration import Calibration, load
from pzvision.vision.capture import Frame, FrameSource, Image, is_url, open_source
from pzvision.vision.lens import Lens, fit_lens
from pzvision.vision.markers import CORNER_NAMES, fit_corners
from pzvision.vision.recording import ImageSource

_TRY_S: Final = 10.0  # how long a live camera is watched for the corner cards
_PATIENCE: Final = 40  # pictures of a recording that are looked at for them
_NAMES_ZH: Final = dict(zip(CORNER_NAMES, ("近左", "近右", "远右", "远左"), strict=True))
_LANGS: Final[tuple[Lang, Lang]] = ("zh", "en")


@dataclass(frozen=True)
class Found:
    """A calibration by the corner cards and its figures in words, by language."""

    calibration: Calibration
    words: dict[Lang, list[str]]


@dataclass(frozen=True)
class Ask:
    """What a new calibration is to say besides the corners.

    ``table_cm`` None: measured by the corner cards, else the usual felt.
    """

    near: Seat = "E"
    camera: str = "table"
    table_cm: float | None = None
    tile_cm: tuple[float, float, float] = (3.6, 2.7, 2.1)
    lens: Lens | None = None
    tile_set: str | None = None

    @classmethod
    def like(cls, calibration: Calibration) -> Ask:
        """Everything as in an earlier calibration of this camera."""
        lens = None
        if calibration.lens is not None and calibration.camera_matrix is not None:
            lens = _lens_of(calibration)
        return cls(
            near=calibration.near_seat,
            camera=calibration.camera,
            table_cm=calibration.table_cm,
            tile_cm=calibration.tile_cm,
            lens=lens,
            tile_set=calibration.tile_set,
        )

    def calibration(
        self,
        size: tuple[int, int],
        corners: Sequence[Sequence[float]],
        table_cm: float,
        near: str | None = None,
    ) -> Calibration:
        """With these corners, 0–1 of a picture of ``(width, height)`` px. Raises `FormatError` as it does."""
        lens = None if self.lens is None else self.lens.scaled(*size)
        return Calibration(
            image_size=size,
            corners=tuple((round(float(x), 5), round(float(y), 5)) for x, y in corners),
            table_cm=round(table_cm, 1),
            tile_cm=self.tile_cm,
            near_seat=self.near if near is None else parse_seat(near),
            camera=self.camera,
            lens=None if lens is None else lens.coefficients,
            camera_matrix=None if lens is None else lens.camera_matrix,
            tile_set=self.tile_set,
            date=date.today().isoformat(),
        )

    def by_markers(self, image: Image, *, near: str | None = None) -> Found:
        """The calibration by the corner cards in a picture.

        Raises:
            PzvisionError: which card is missing or off and by how many px, or what else does not fit.
        """
        size = (image.shape[1], image.shape[0])
        lens = None if self.lens is None else self.lens.scaled(*size)
        fit = fit_corners(
            image,
            table_cm=self.table_cm,
            camera_matrix=None if lens is None else lens.camera_matrix,
            lens=None if lens is None else lens.coefficients,
        )
        side = fit.table_cm if self.table_cm is None else self.table_cm
        corners = [(x / size[0], y / size[1]) for x, y in fit.corners]
        calibration = self.calibration(size, corners, side, near)
        words: dict[Lang, list[str]] = {}
        for lang in _LANGS:
            name, worst = fit.worst
            card = _NAMES_ZH[name] if lang == "zh" else name
            words[lang] = [
                say("calibrate.markers", lang, error=fit.error_px, worst=worst, card=card),
                say("calibrate.table_side", lang, cm=fit.table_cm),
                *([say("calibrate.bent", lang)] if fit.bent else []),
            ]
        return Found(calibration, words)


def judged(calibration: Calibration) -> dict[Lang, list[str]]:
    """How good a calibration is, in words by language. Raises `PzvisionError` when it is refused."""
    fit = judge_fit(calibration)
    return {lang: fit_words(fit, lang) for lang in _LANGS}


def fit_words(fit: Fit, lang: Lang) -> list[str]:
    """The figures of a fit, a line each, and its warnings."""
    near, far = (f"{w:.0f}×{h:.0f}" for w, h in (fit.near_px, fit.far_px))
    return [
        say("calibrate.error", lang, error=fit.error_px, focal=fit.focal_px),
        say("calibrate.eye", lang, height=fit.eye_cm[0], distance=fit.eye_cm[1], angle=fit.angle_deg),
        say("calibrate.tiles", lang, near=near, far=far),
        *(say(key, lang) for key in fit.warnings),
    ]


def take_picture(spec: str, at: float, markers: Ask | None = None) -> tuple[Image, Found | None]:
    """A source's picture ``at`` s; with ``markers`` the first from then on in which the corner cards fit.

    Raises:
        PzvisionError: no picture there, or why the cards do not fit (of the last picture tried).
    """
    source = open_source(spec)
    if source.duration is not None and at > 0 and at >= source.duration:
        raise PzvisionError(f"--at {at:g}: {spec!r} is over at {source.duration:.1f} s; expected less")
    refused: PzvisionError | None = None
    try:
        for frame in _tries(source, at, patient=markers is not None):
            if markers is None:
                return frame.image, None
            try:
                return frame.image, markers.by_markers(frame.image)
            except PzvisionError as error:
                refused = error
    finally:
        source.close()
    if refused is not None:
        raise refused
    raise PzvisionError(f"{spec!r} has no picture at {at:g} s")


def _tries(source: FrameSource, at: float, *, patient: bool) -> Iterator[Frame]:
    """The pictures worth trying: the first, and where that is no use, those of the next seconds."""
    begun = time.monotonic()
    for count, frame in enumerate(source.frames(start=at, every=0.25), 1):
        if frame.state != "black" or not source.live:
            yield frame
        late = time.monotonic() - begun > _TRY_S if source.live else count >= _PATIENCE
        if not patient or late:
            return


def read_lens(words: Sequence[str], lang: Lang) -> Lens:
    """The lens of ``--lens``: photos of the board, folders of them, or one calibration file.

    Prints what it found. Raises `PzvisionError` naming the photo or file.
    """
    if len(words) == 1 and Path(words[0]).suffix.lower() in (".toml", ".json"):
        calibration = load(words[0])
        if calibration.lens is None:
            raise PzvisionError(f"--lens {words[0]!r}: that calibration has no lens")
        return _lens_of(calibration)
    photos: list[tuple[str, Image]] = []
    for word in words:
        source = open_source(word)
        if source.live:
            source.close()
            raise PzvisionError(f"--lens {word!r}: expected photos of the board or a folder of them")
        many = isinstance(source, ImageSource) and Path(word).is_dir()
        for frame in source.frames(every=0.0 if many or isinstance(source, ImageSource) else 1.0):
            photos.append((f"{word} {frame.index + 1}" if many else word, frame.image))
        source.close()
    lens = fit_lens(photos)
    print(
        say("calibrate.lens", lang, used=len(lens.used), error=lens.error_px, k1=lens.coefficients[0]),
        flush=True,
    )
    if lens.left_out:
        print(say("calibrate.lens_left_out", lang, names=", ".join(lens.left_out)))
    return lens


def _lens_of(calibration: Calibration) -> Lens:
    assert calibration.lens is not None and calibration.camera_matrix is not None
    k1, k2, p1, p2, k3 = calibration.lens
    return Lens(calibration.camera_matrix, (k1, k2, p1, p2, k3), 0.0, calibration.image_size, (), ())


def save_preview(path: Path, picture: Image, calibration: Calibration) -> None:
    """The picture with the tile-sized grid over it."""
    _, data = cv2.imencode(path.suffix, draw_grid(picture, calibration))
    path.write_bytes(data.tobytes())


def ask(spec: str, picture: Image, wish: Ask, port: int | None, lang: Lang) -> Calibration | None:
    """Serve the page until the person saves; None when they gave up with Ctrl-C.

    A live camera's picture goes on while the corners are dragged.
    """
    from pzvision.live.calibrate_page import CalibratePage
    from pzvision.live.serving import serve

    source = open_source(spec, live=is_url(spec))
    latest = picture

    def now() -> Image:
        nonlocal latest
        from pzvision.vision.camera import LiveSource

        if isinstance(source, LiveSource):
            frame = source.latest(timeout=0.0)
            if frame is not None and frame.state == "ok":
                latest = frame.image
        return latest

    page = CalibratePage(now, wish, live=source.live)
    server = serve(page.app, port, lang)
    server.start()
    print(say("calibrate.page", lang, url=server.url), flush=True)
    try:
        while not page.saved.wait(0.2):
            pass
        return page.calibration
    except KeyboardInterrupt:
        return None
    finally:
        server.stop()
        source.close()


def moved(calibration: Calibration, corners: Sequence[Sequence[float]]) -> Calibration:
    """The same camera after it was moved: other corners (0–1), today's date."""
    points = tuple((round(float(x), 5), round(float(y), 5)) for x, y in corners)
    return replace(calibration, corners=points, date=date.today().isoformat())
