"""Samples for the outliner: tiles of known outline, cut out along one that is a little or badly wrong.

Half of the wrong outlines are those an earlier finder gave these tiles, the others are drawn: moved, turned,
slanted, and too short or too long at one side: those that lost a row of marks or took in a neighbour.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from torch.utils.data import IterableDataset
from tqdm import tqdm

from pzvision.train.data import Example, Recipe, read_picture, recipe_examples, shuffled, stream
from pzvision.train.matching import polygon_iou
from pzvision.vision.finder import FACE, FinderConfig, TileFinder
from pzvision.vision.outliner import CORNERS, SIZE, WIDE, parallelograms, to_unit
from pzvision.vision.rectify import rectify

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
FOUND_IOU: Final = 0.25
"""Least overlap of a found outline with the tile it is taken for."""


@dataclass(frozen=True)
class OutlineSamples:
    """What samples are like.

    Attributes:
        faces: most faces taken from one picture.
        found: chance that a tile's wrong outline is the finder's, where it found the tile.
        least_px: a tile is at least this large in the picture it is cut from (root of area).
        shrunk: chance that a rendered picture is made smaller first; photos and composites always are.
        small_px: sizes that a shrunk picture's median tile may get, px.
    """

    faces: int = 40
    found: float = 0.5
    least_px: float = 9.0
    shrunk: float = 0.25
    small_px: tuple[float, float] = (13.0, 60.0)


def found_outlines(recipe: Recipe, built: Path, finder: Path, out: Path, most: int = 180) -> Path:
    """Write to ``out`` (npz, picture → (N, 4, 2) px) what ``finder`` outlines in rendered pictures.

    The first ``most`` of each source are looked at.

    Raises `PzvisionError` where the finder or a pool is missing.
    """
    eager = TileFinder(finder, config=FinderConfig(threshold=0.15), threads=1, backend="onnxruntime")
    quads: dict[str, Floats] = {}
    for source, examples in recipe_examples(recipe, built):
        if source.kind != "scenes":
            continue
        for example in tqdm(examples[:most], desc=source.name, unit="picture"):
            finds = eager(np.asarray(read_picture(example.path), np.uint8))
            quads[picture_key(example)] = finds.quads[finds.classes == FACE]
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_suffix(".partial.npz")
    np.savez(partial, **quads)  # type: ignore[arg-type]
    partial.replace(out)
    return out


def picture_key(example: Example) -> str:
    """What `found_outlines` calls a picture: its pool and number."""
    return f"{example.path.parent.parent.name}/{example.path.stem}"


def wrong_outlines(truth: Floats, rng: np.random.Generator) -> Floats:
    """``(N, 4, 2)`` px: outlines wrong in ways a finder's are, for true ones ``(N, 4, 2)`` px."""
    n = len(truth)
    quads = parallelograms(truth)
    centre = quads.mean(axis=1)
    u = (quads[:, 1] - quads[:, 0]) / 2
    v = (quads[:, 3] - quads[:, 0]) / 2
    # of most outlines a little is wrong, of some much
    size = np.where(rng.random((n, 1)) < 0.25, 2.2, 1.0) * np.exp(rng.normal(-0.2, 0.4, (n, 1)))
    move = rng.normal(0, 0.13, (n, 2)) * size
    stretch = np.exp(rng.normal(0, 0.12, (n, 2)) * size)
    slant = rng.normal(0, 0.12, (n, 2)) * size
    new_u = u * stretch[:, :1] + v * slant[:, :1]
    new_v = v * stretch[:, 1:] + u * slant[:, 1:]
    centre = centre + u * move[:, :1] + v * move[:, 1:]
    # one side lost, or one of a neighbour taken in
    cut = np.flatnonzero(rng.random(n) < 0.2)
    side = rng.integers(0, 4, len(cut))
    amount = np.where(
        rng.random(len(cut)) < 0.6, -rng.uniform(0.1, 0.5, len(cut)), rng.uniform(0.1, 0.7, len(cut))
    )
    for i, which, share in zip(cut, side, amount, strict=True):
        edge = new_u if which < 2 else new_v
        centre[i] = centre[i] + edge[i] * share * (1 if which % 2 else -1)
        edge[i] = edge[i] * (1 + share)
    corners = [centre - new_u - new_v, centre + new_u - new_v, centre + new_u + new_v, centre - new_u + new_v]
    return np.stack(corners, axis=1).astype(np.float32)


def nearest_turn(quads: Floats, goal: Floats = CORNERS) -> Floats:
    """Outlines ``(N, 4, 2)`` in the same units, each from the corner that makes it lie nearest to the goal.

    ``quads``: ``(N, 4, 2)`` in any units; ``goal``: ``(4, 2)`` or as many, in the same units.
    """
    turned = np.stack([np.roll(quads, k, axis=1) for k in range(4)], axis=1)
    best = np.abs(turned - goal).sum(axis=(2, 3)).argmin(axis=1)
    return np.asarray(turned[np.arange(len(quads)), best], np.float32)


class OutlineStream(IterableDataset[tuple[Bytes, Floats]]):  # type: ignore[misc]
    """Endless batches ``(pictures (N, SIZE, SIZE, 3) uint8 BGR, true corners (N, 4, 2))``.

    Corners are in units of the outline that the picture was cut along: its own corners are `CORNERS`.
    """

    def __init__(
        self,
        recipe: Recipe,
        built: Path,
        batch: int,
        seed: int,
        found: Path | None = None,
        config: OutlineSamples | None = None,
    ) -> None:
        self.recipe, self.built, self.batch, self.seed, self.found = recipe, built, batch, seed, found
        self.config = config or OutlineSamples()

    def __iter__(self) -> Iterator[tuple[Bytes, Floats]]:
        cv2.setNumThreads(1)
        rng = np.random.default_rng(self.seed)
        found = dict(np.load(self.found)) if self.found is not None else {}
        mix = [
            (source, [e for e in examples if e.outlines and len(e.quads)])
            for source, examples in recipe_examples(self.recipe, self.built)
        ]
        parts = (self._of(example, found.get(picture_key(example)), rng) for example in stream(mix, rng))
        yield from shuffled((part for part in parts if part is not None), self.batch, rng)

    def _of(
        self, example: Example, found: Floats | None, rng: np.random.Generator
    ) -> tuple[Bytes, Floats] | None:
        cfg = self.config
        image = np.asarray(read_picture(example.path), np.uint8)
        quads = example.quads
        faces = np.flatnonzero(example.classes == FACE)
        if not len(faces):
            return None
        side = np.sqrt([max(cv2.contourArea(quads[i]), 1.0) for i in faces])
        if not example.path.parent.parent.name.startswith("scenes") or rng.random() < cfg.shrunk:
            image, ratio = shrunk(image, float(np.median(side)), cfg.small_px, rng)
            quads = (quads + 0.5) * ratio - 0.5
            found = None if found is None else (found + 0.5) * ratio - 0.5
            side = side * np.sqrt(ratio.prod())
        height, width = image.shape[:2]
        middle = quads[faces].mean(axis=1)
        inside = ((middle > 0) & (middle < [width, height])).all(axis=1)
        faces = rng.permutation(faces[inside & (side >= cfg.least_px)])[: cfg.faces]
        if not len(faces):
            return None
        truth = quads[faces].astype(np.float32)
        wrong = wrong_outlines(truth, rng)
        if found is not None and len(found):
            iou = polygon_iou(truth, found)
            best = iou.argmax(axis=1)
            take = (iou.max(axis=1) >= FOUND_IOU) & (rng.random(len(truth)) < cfg.found)
            wrong[take] = found[best[take]]
        else:
            take = np.zeros(len(truth), bool)
        # an outline that lies more on another tile is that tile's
        iou = polygon_iou(wrong, quads)
        keep = take | ((iou.argmax(axis=1) == faces) & (iou.max(axis=1) > FOUND_IOU))
        truth, wrong = truth[keep], wrong[keep]
        if not len(truth):
            return None
        start = rng.integers(0, 4, len(wrong))
        wrong = np.take_along_axis(wrong, ((np.arange(4)[None] + start[:, None]) % 4)[..., None], axis=1)
        wrong = parallelograms(wrong)
        middle = wrong.mean(axis=1, keepdims=True)
        pictures = rectify(image, middle + (wrong - middle) * WIDE, SIZE)
        goal = nearest_turn(to_unit(truth, wrong))
        sane = np.abs(goal).max(axis=(1, 2)) < 3.0
        if not sane.any():
            return None
        return np.stack([spoil(p, rng) for p in pictures[sane]]), goal[sane]


def shrunk(
    image: Bytes, side: float, small_px: tuple[float, float], rng: np.random.Generator
) -> tuple[Bytes, Floats]:
    """``image`` ``(H, W, 3)`` made smaller, so that ``side`` px become some of ``small_px``.

    It stays as it is where it would hardly change.

    Returns:
        The picture ``(H, W, 3)`` and the ratio of its sides to those before, x and y ``(2,)``.
    """
    scale = min(1.0, float(np.exp(rng.uniform(*np.log(small_px)))) / side)
    if scale >= 0.95:
        return image, np.ones(2, np.float32)
    size = max(8, round(image.shape[1] * scale)), max(8, round(image.shape[0] * scale))
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return small, np.array([size[0] / image.shape[1], size[1] / image.shape[0]], np.float32)


def spoil(picture: Bytes, rng: np.random.Generator) -> npt.NDArray[Any]:
    """``picture`` ``(S, S, 3)`` uint8 in other light, blurred and noisy, each only sometimes.

    Of the same shape.
    """
    out: npt.NDArray[Any] = picture
    kind = rng.random()
    if kind < 0.12:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.5, 2.0))
    if rng.random() < 0.5:
        ramp = np.arange(256) / 255
        table = ramp[:, None] ** np.exp(rng.normal(0, 0.25)) * 255 * rng.uniform(0.6, 1.3)
        table = np.clip((table + rng.uniform(-20, 20)) * rng.normal(1, 0.08, 3), 0, 255).astype(np.uint8)
        out = cv2.LUT(out, table.reshape(256, 1, 3))
    if rng.random() < 0.2:
        noise = rng.normal(0, rng.uniform(2, 10), out.shape)
        out = np.clip(out + noise, 0, 255).astype(np.uint8)
    return out
