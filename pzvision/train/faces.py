"""The bank of labelled tile faces the reader learns from, cut once and kept as uint8 arrays.

Three kinds of material, each with its own way into a training sample (see `reader_augment`):

* ``scenes``: boxes of the photos with their surroundings, `SCENE` × `SCENE` px, the box stretched to the
  middle `FACE` × `FACE`. Which way is up is unknown (labels do not say).
* ``faces``: single upright faces without surroundings (photographed crops, artwork of open tile sets, drawn
  faces), `FACE_HEIGHT` × `FACE_WIDTH` px.
* ``grounds``: pieces of the photos away from every box, `SCENE` px: tables, cloth, backs, hands.

Every item carries its kind (0–27, 27 = any other face) and the name of the set or series it comes from, so
that rare sets weigh as much as long series and whole sets can be held out.
"""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.synth.faces import OTHER_VARIANTS, random_look
from pzvision.synth.faces import draw_face as draw_look
from pzvision.tiles import KINDS, OTHER, parse_tile
from pzvision.train.reader_canvas import font_files, random_style
from pzvision.train.reader_draw import draw_face

Bytes = npt.NDArray[np.uint8]
SCENE: Final = 96
FACE: Final = 64
FACE_HEIGHT: Final = 96
FACE_WIDTH: Final = 72

# Where the sets of the numbered camerash crops begin; found from the sizes of the pictures and by looking.
_CAMERASH_SETS: Final = (0, 32, 93, 140, 182, 224, 260, 296, 338, 374, 416, 461, 503, 541, 586)
# A single seven of circles filed under "other" in the public data.
_WRONG_CROPS: Final = frozenset({"other/justinchan_629"})


@dataclass(frozen=True, eq=False)
class Bank:
    """``pictures`` (N, H, W, 3) uint8 BGR, their ``kinds`` (N,) int64 and the names of their ``sets``."""

    pictures: Bytes
    kinds: npt.NDArray[np.int64]
    sets: npt.NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.kinds)

    def select(self, keep: Callable[[str], bool]) -> Bank:
        """The items whose set name satisfies `keep`."""
        mask = np.array([keep(str(s)) for s in self.sets], bool)
        return Bank(self.pictures[mask], self.kinds[mask], self.sets[mask])

    @staticmethod
    def of(items: list[tuple[Bytes, int, str]], shape: tuple[int, int]) -> Bank:
        """Stack items of picture ``(H, W, 3)``, kind and set, each picture of `shape` (H, W) px."""
        if not items:
            return Bank(np.zeros((0, *shape, 3), np.uint8), np.zeros(0, np.int64), np.zeros(0, "<U1"))
        return Bank(
            np.stack([p for p, _, _ in items]),
            np.array([k for _, k, _ in items], np.int64),
            np.array([s for _, _, s in items]),
        )

    @staticmethod
    def join(banks: list[Bank]) -> Bank:
        """All items of `banks`, which must agree in picture size."""
        return Bank(
            np.concatenate([b.pictures for b in banks]),
            np.concatenate([b.kinds for b in banks]),
            np.concatenate([b.sets.astype("<U64") for b in banks]),
        )


def photo_set(stem: str) -> str:
    """Which series a training photo belongs to; photos of one series show the same tiles."""
    source = stem.split("_")[0]
    if source == "camerash":
        return stem
    if source == "leomiura":
        return source
    rest = stem.split("_", 1)[1]
    if rest.startswith("IMG_"):
        return f"tray_{rest[4:10]}"
    # Picture numbers of one time begin alike; web pictures have names of mixed letters; the rest are words.
    if rest[:3].isdigit():
        return f"rfcmj_{rest[:2]}"
    word = re.match(r"[a-z]{3,}(?=_)", rest)
    return "rfcmj_" + ("web" if word is None else "hand" if word.group() == "hand" else "family")


def read_labels(path: Path) -> list[tuple[int, float, float, float, float]]:
    """YOLO lines ``class cx cy w h`` (shares of the picture). Raises `PzvisionError` naming a bad line."""
    boxes = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split()
        if not words:
            continue
        try:
            kind, (cx, cy, w, h) = int(words[0]), (float(v) for v in words[1:5])
        except ValueError:
            raise PzvisionError(f"{path}: line {number}: {line!r} is not: class cx cy width height") from None
        boxes.append((kind, cx, cy, w, h))
    return boxes


def _photos(folder: Path) -> Iterator[tuple[Path, Bytes, list[tuple[int, float, float, float, float]]]]:
    for path in sorted((folder / "images").iterdir()):
        labels = folder / "labels" / f"{path.stem}.txt"
        image = cv2.imread(str(path))
        if image is not None and labels.exists():
            height, width = image.shape[:2]
            boxes = [
                (k, x * width, y * height, w * width, h * height) for k, x, y, w, h in read_labels(labels)
            ]
            yield path, np.asarray(image, np.uint8), boxes


def _cut(image: Bytes, cx: float, cy: float, w: float, h: float, size: int) -> Bytes:
    """The ``w`` × ``h`` rectangle around a point, stretched to `size`²; the picture's edge is repeated."""
    x0, y0, x1, y1 = round(cx - w / 2), round(cy - h / 2), round(cx + w / 2), round(cy + h / 2)
    height, width = image.shape[:2]
    pads = max(0, -y0), max(0, y1 - height), max(0, -x0), max(0, x1 - width)
    piece = image[max(y0, 0) : max(y1, 1), max(x0, 0) : max(x1, 1)]
    if any(pads):
        piece = np.asarray(cv2.copyMakeBorder(piece, *pads, cv2.BORDER_REPLICATE), np.uint8)
    shrink = piece.shape[0] > size or piece.shape[1] > size
    method = cv2.INTER_AREA if shrink else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(piece, (size, size), interpolation=method), np.uint8)


def scenes_and_grounds(folder: Path, seed: int = 0) -> tuple[Bank, Bank]:
    """Cut every labelled box of a YOLO `folder` (``images/``, ``labels/``) and some places without one."""
    rng = np.random.default_rng(seed)
    scenes: list[tuple[Bytes, int, str]] = []
    grounds: list[tuple[Bytes, int, str]] = []
    for path, image, boxes in _photos(folder):
        name = photo_set(path.stem)
        for kind, cx, cy, w, h in boxes:
            if min(w, h) >= 12:
                grow = SCENE / FACE
                scenes.append((_cut(image, cx, cy, w * grow, h * grow, SCENE), min(kind, OTHER), name))
        height, width = image.shape[:2]
        corners = np.array([(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for _, x, y, w, h in boxes]).reshape(
            -1, 4
        )
        for _ in range(12):
            size = float(np.exp(rng.uniform(np.log(40), np.log(max(60, min(height, width) / 2)))))
            x, y = rng.uniform(0, width), rng.uniform(0, height)
            r = size / 2
            wide = np.minimum(corners[:, 2], x + r) - np.maximum(corners[:, 0], x - r)
            high = np.minimum(corners[:, 3], y + r) - np.maximum(corners[:, 1], y - r)
            if not np.any((wide > 0) & (high > 0)):
                grounds.append((_cut(image, x, y, size, size, SCENE), OTHER, name))
    return Bank.of(scenes, (SCENE, SCENE)), Bank.of(grounds, (SCENE, SCENE))


def _upright(image: Bytes) -> Bytes:
    shrink = image.shape[0] > FACE_HEIGHT
    method = cv2.INTER_AREA if shrink else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, (FACE_WIDTH, FACE_HEIGHT), interpolation=method), np.uint8)


def crop_set(name: str) -> str:
    """The tile set of a crop by its file name: ``camerash_230.jpg`` → ``camerash_225``, the set's first."""
    source, _, rest = name.partition("_")
    number = re.match(r"\d+", rest)
    if source == "camerash" and number:
        start = max(s for s in _CAMERASH_SETS if s < int(number.group()))
        return f"camerash_{start + 1:03d}"
    return source


def crops(folder: Path) -> Bank:
    """Single upright faces: ``folder/<5m | other>/*``. Raises `PzvisionError` where a folder is no kind."""
    items: list[tuple[Bytes, int, str]] = []
    for sub in sorted(p for p in folder.iterdir() if p.is_dir()):
        kind = OTHER if sub.name == "other" else parse_tile(sub.name)
        for path in sorted(sub.iterdir()):
            image = cv2.imread(str(path))
            if image is not None and f"{sub.name}/{path.stem}" not in _WRONG_CROPS:
                items.append((_upright(np.asarray(image, np.uint8)), kind, crop_set(path.name)))
    return Bank.of(items, (FACE_HEIGHT, FACE_WIDTH))


def drawn(styles: int, seed: int = 0, *, made_up: bool = False, without: tuple[str, ...] = ()) -> Bank:
    """Faces of `styles` invented sets (`reader_draw`): 27 kinds and 5 others each.

    ``made_up``: with makes of circles and bamboo that nobody drew. ``without``: fonts whose file names begin
    with one of these are left out.

    Raises `PzvisionError` without a font with Chinese characters.
    """
    rng = np.random.default_rng(seed)
    fonts = [font for font in font_files() if not Path(font[0]).name.startswith(without)]
    if not fonts:
        raise PzvisionError(
            "no font with Chinese characters found: install one, such as Debian's fonts-noto-cjk"
        )
    items: list[tuple[Bytes, int, str]] = []
    for index in range(styles):
        style = random_style(rng, fonts, made_up=made_up)
        for kind in [*range(KINDS), *[OTHER] * 5]:
            items.append((_upright(draw_face(kind, style, rng)), kind, f"drawn_{index % 64}"))
    return Bank.of(items, (FACE_HEIGHT, FACE_WIDTH))


def rendered(looks: int, seed: int = 0) -> Bank:
    """Faces of `looks` random looks of the project's own renderer (`pzvision.synth.faces`)."""
    rng = np.random.default_rng(seed)
    items: list[tuple[Bytes, int, str]] = []
    for index in range(looks):
        look = random_look(rng)
        for kind in [*range(KINDS), *[OTHER] * 6]:
            variant = int(rng.integers(OTHER_VARIANTS)) if kind == OTHER else 0
            items.append((_upright(draw_look(kind, look, 128, variant=variant)), kind, f"look_{index % 64}"))
    return Bank.of(items, (FACE_HEIGHT, FACE_WIDTH))


# ---- artwork of open tile sets (KMahjongg: GPL), if its packages are unpacked on the training machine

_KMAHJONGG: Final = (
    [(f"CHARACTER_{i}", i - 1) for i in range(1, 10)]
    + [(f"BAMBOO_{i}", 8 + i) for i in range(1, 10)]
    + [(f"ROD_{i}", 17 + i) for i in range(1, 10)]
    + [(f"WIND_{i}", OTHER) for i in range(1, 5)]
    + [(f"DRAGON_{i}", OTHER) for i in range(1, 4)]
    + [(f"{name}_{i}", OTHER) for name in ("FLOWER", "SEASON") for i in range(1, 5)]
)  # fmt: skip


def kmahjongg(folder: Path, names: tuple[str, ...] = ("default", "traditional")) -> Bank:
    """Faces of KMahjongg tile sets (``*.svgz``) drawn with ``rsvg-convert``; empty where either is missing.

    Upstream calls circles ROD and bamboo BAMBOO.
    """
    items: list[tuple[Bytes, int, str]] = []
    tool = shutil.which("rsvg-convert")
    for name in names:
        path = folder / f"{name}.svgz"
        if tool is None or not path.exists():
            continue
        svg = gzip.decompress(path.read_bytes())
        for element, kind in _KMAHJONGG:
            command = [tool, "-i", element, "-h", "400", "-b", "white"]
            done = subprocess.run(command, input=svg, capture_output=True, check=False)
            image = (
                cv2.imdecode(np.frombuffer(done.stdout, np.uint8), cv2.IMREAD_COLOR) if done.stdout else None
            )
            if image is not None:
                items.append((_framed(np.asarray(image, np.uint8)), kind, f"kmahjongg_{name}"))
    return Bank.of(items, (FACE_HEIGHT, FACE_WIDTH))


def _framed(image: Bytes) -> Bytes:
    """Ink trimmed of its white border and centred on a face with the usual margins."""
    ink = np.argwhere(image.min(axis=2) < 245)
    face = np.full((FACE_HEIGHT, FACE_WIDTH, 3), 255, np.uint8)
    if len(ink) < 20:
        return face
    (y0, x0), (y1, x1) = ink.min(0), ink.max(0) + 1
    piece = image[y0:y1, x0:x1]
    scale = min(FACE_HEIGHT * 0.86 / piece.shape[0], FACE_WIDTH * 0.82 / piece.shape[1])
    w, h = max(1, round(piece.shape[1] * scale)), max(1, round(piece.shape[0] * scale))
    top, left = (FACE_HEIGHT - h) // 2, (FACE_WIDTH - w) // 2
    face[top : top + h, left : left + w] = cv2.resize(piece, (w, h), interpolation=cv2.INTER_AREA)
    return face
