"""Photos of a whole tile set for `pzvision adapt`: its 27 tiles, which is which, and what is good enough."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.tiles import KINDS, format_tile
from pzvision.vision.detections import FloatArray, IntArray
from pzvision.vision.detector import TileDetector
from pzvision.vision.finder import FACE
from pzvision.vision.obb import overlaps, side_px
from pzvision.vision.reader import FaceReader
from pzvision.vision.rectify import rectify
from pzvision.vision.set_layout import LayoutConfig, grid_quads, name_freely, name_grid

Image = npt.NDArray[np.uint8]
"""A picture: ``(H, W, 3)`` uint8 BGR."""
Order: TypeAlias = Literal["auto", "rows", "any"]
ORDERS: Final[tuple[Order, ...]] = ("auto", "rows", "any")


@dataclass(frozen=True)
class AdaptConfig:
    """What makes a photo good enough, and how the correction is learnt.

    Attributes:
        layout: see `LayoutConfig`.
        least_px: smallest side (root of area) of a face in the photo, px.
        least_sharp: least share of fine detail in the photo's faces (`sharpness`), median.
        least_score: finds of a lower share of the median score are not counted as faces.
        paper, ink: a place of the grid without a find is a tile where its light parts are as light as the
            others' to this share, and its contrast has at least this share of theirs.
        disagreeing: most kinds that may look more like another kind of the other photo, by more than
            ``apart`` (cosine of the features): in a photo out in the sun many look alike a little.
        variants, tests: harmed pictures of each face to learn from, and to be tested on.
        sizes: px they are reduced to.
        jitter: standard deviation of an outline's corners, in parts of its side.
        grounds: places beside the tiles, whose reading shall stay as it is.
        components: directions of the features in which a correction is looked for.
        strengths: ridges to choose from (as in `correction.fit`, parts of the features' mean square),
            strongest bond to the trained layer first.
        steps: of the optimiser.
        smoothing: share of a target given to all kinds.
        slack: nats by which the likelihood on unseen photos may fall where more names are right: surer
            than before need a correction not be of what was read well.
        seed: of the harm.
    """

    layout: LayoutConfig = field(default_factory=LayoutConfig)
    least_px: float = 30.0
    least_sharp: float = 0.002
    least_score: float = 0.6
    paper: float = 0.25
    ink: float = 0.4
    disagreeing: int = 5
    apart: float = 0.05
    components: int = 300
    variants: int = 160
    tests: int = 8
    sizes: tuple[int, ...] = (48, 48, 40, 32, 26, 22, 18, 15)
    jitter: float = 0.04
    grounds: int = 80
    strengths: tuple[float, ...] = (0.01, 1e-3, 1e-5, 1e-6)
    steps: int = 400
    smoothing: float = 0.01
    slack: float = 0.05
    seed: int = 5


@dataclass(frozen=True, eq=False)
class SetPhoto:
    """A photo in which all 27 tiles are known.

    Attributes:
        name: for people.
        image: ``(H, W, 3)`` uint8 BGR.
        quads: ``(27, 4, 2)`` px: the outline of each kind's face, any corner first.
        grounds: ``(G, 4, 2)`` px: places of a tile's size where no tile lies.
        in_rows: whether the places told the names; else the faces did.
    """

    name: str
    image: Image
    quads: FloatArray
    grounds: FloatArray
    in_rows: bool


def read_set_photo(
    name: str,
    image: Image,
    detector: TileDetector,
    config: AdaptConfig | None = None,
    *,
    order: Order = "auto",
) -> SetPhoto:
    """Find the 27 tiles of a set and tell which is which.

    Args:
        name: of the photo, for people.
        image: ``(H, W, 3)`` uint8 BGR.
        order: ``rows``: the places in three rows of nine tell, whatever the faces look like; ``any``: the
            faces tell; ``auto``: the places unless the faces surely say otherwise.

    Raises:
        PzvisionError: naming the photo and why it cannot be used: not 27 faces, too small, blurred, no
            three rows of nine and no certain names either, rows in another order.
        ValueError: the detector does not read.
    """
    config = config or AdaptConfig()
    finder, reader = detector.stages
    if reader is None:
        raise ValueError("detector: expected one that reads")
    finds = finder(image)
    if len(finds) >= KINDS:  # all of one size, known now: a look for that size outlines them better
        finds = finder(image, float(np.median(side_px(finds.quads))))
    finds = finds[finds.classes == FACE]
    top = np.sort(finds.scores)[::-1][:KINDS]
    if len(top):
        finds = finds[finds.scores >= config.least_score * float(np.median(top))]
    counted = PzvisionError(
        f"{name}: {len(finds)} faces found; expected the 27 different tiles, face up, apart from each other"
    )
    grid = None if order == "any" else grid_quads(finds.quads, finds.scores, config.layout)
    if grid is not None and not _are_tiles(image, *grid, config):
        grid = None
    if grid is None and len(finds) != KINDS:
        raise counted
    quads = finds.quads if grid is None else grid[0]
    _check_picture(name, image, quads, reader, config)
    logp = np.log(reader.read(reader.cut(image, quads)).probs[:, :KINDS] + np.float32(1e-4))
    kinds = None if grid is None else _by_place(name, logp, order, config)
    in_rows = kinds is not None
    if kinds is None and order != "rows":
        kinds = name_freely(logp, config.layout)
    if kinds is None:
        raise PzvisionError(
            f"{name}: no three rows of nine"
            + ("" if order == "rows" else ", and the faces do not tell for certain which tile is which")
            + "; lay 万, 条 and 筒 in a row each, 1 to 9 from the left"
        )
    return SetPhoto(name, image, quads[np.argsort(kinds)], _grounds(image, finds.quads, config), in_rows)


def _check_picture(
    name: str, image: Image, quads: FloatArray, reader: FaceReader, config: AdaptConfig
) -> None:
    small = float(np.median(side_px(quads)))
    if small < config.least_px:
        raise PzvisionError(
            f"{name}: faces of {small:.0f} px; expected at least {config.least_px:.0f}: go nearer"
        )
    sharp = float(np.median(sharpness(reader.cut(image, quads))))
    if sharp < config.least_sharp:
        raise PzvisionError(
            f"{name}: blurred (sharpness {sharp:.4f}, expected {config.least_sharp}): hold still"
        )


def _are_tiles(image: Image, quads: FloatArray, found: npt.NDArray[np.bool_], config: AdaptConfig) -> bool:
    """Whether the places where no face was found look like tiles: as light as the others, and not empty."""
    if found.all():
        return True
    faces = rectify(image, quads).astype(np.float32).mean(axis=3).reshape(KINDS, -1)
    paper, ink = np.percentile(faces, 75, axis=1), faces.std(axis=1)
    like = np.abs(paper / np.median(paper[found]) - 1) < config.paper
    return bool((like & (ink > config.ink * np.median(ink[found])))[~found].all())


def _by_place(name: str, logp: FloatArray, order: Order, config: AdaptConfig) -> IntArray | None:
    """Names by the places in the rows; where these say another order, None if the faces tell for certain."""
    try:
        kinds = name_grid(logp, config.layout, trusted=order == "rows")
    except PzvisionError as error:
        if order != "rows" and name_freely(logp, config.layout) is not None:
            return None
        raise PzvisionError(f"{name}: {error}") from None
    sure = np.exp(logp.max(axis=1)) >= config.layout.sure
    against = np.flatnonzero(sure & (logp.argmax(axis=1) != kinds))
    if order != "rows" and len(against) > config.layout.contradictions:
        shown = ", ".join(
            f"{format_tile(int(kinds[i]))} looks like {format_tile(int(logp[i].argmax()))}"
            for i in against[:3]
        )
        raise PzvisionError(
            f"{name}: {len(against)} of 27 tiles contradict their places ({shown}, ...); expected 万, 条 and"
            " 筒 from above, each 1 to 9 from the left (where that is so: --order rows)"
        )
    return kinds


def sharpness(faces: Image) -> FloatArray:
    """``(N,)``: share of fine detail (variance of the Laplacian over 64 times that of the grey) in crops.

    ``faces``: ``(N, S, S, 3)`` uint8 BGR.
    """
    out = np.zeros(len(faces), np.float32)
    for i, face in enumerate(faces):
        grey = cv2.cvtColor(face, cv2.COLOR_BGR2GRAY).astype(np.float32)
        out[i] = cv2.Laplacian(grey, cv2.CV_32F).var() / (64 * grey.var() + 64.0)
    return out


def _grounds(image: Image, quads: FloatArray, config: AdaptConfig) -> FloatArray:
    """Outlines of a tile's size and shape that overlap no tile by much: what a wrong find looks like."""
    rng = np.random.default_rng([config.seed, 1])
    height, width = image.shape[:2]
    picked = quads[rng.integers(len(quads), size=config.grounds * 4)]
    low, high = quads.min(axis=(0, 1)), quads.max(axis=(0, 1))
    margin = (high - low) * 0.4
    at = rng.uniform(
        np.maximum(low - margin, 0), np.minimum(high + margin, [width, height]), (len(picked), 2)
    )
    moved = (picked - picked.mean(axis=1, keepdims=True) + at[:, None]).astype(np.float32)
    free = overlaps(moved, quads).max(axis=1) < 0.15
    return np.asarray(moved[free][: config.grounds], np.float32)
