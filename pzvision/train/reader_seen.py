"""Faces as the detector meets them: cut out of rendered tables at their true size, and what is no face.

The other material of the reader is photographed anew for every sample; this one has been through a camera
already, so it is only cut a little wrongly, as a finder does. Its *others* teach the reader to refuse: things
that an earlier finder took for tiles, backs, and cuts that lie across two tiles.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from pzvision.errors import PzvisionError
from pzvision.synth.crop_faces import CropFaces
from pzvision.synth.faces import FaceSource
from pzvision.synth.scenes import Scene, SceneConfig, random_scene
from pzvision.tiles import BACK, OTHER
from pzvision.train.data import Example, pool_examples, read_picture
from pzvision.train.evaluate_scenes import counts
from pzvision.train.matching import polygon_iou
from pzvision.vision.finder import FinderConfig, TileFinder
from pzvision.vision.rectify import rectify

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

WIDE: Final = 1.6
"""How much wider than the outline the stored picture is, so that it can be cut out anew."""
STORED: Final = 80
"""Side of a stored picture, px: `WIDE` times 48, and a little."""


@dataclass(frozen=True, eq=False)
class Seen:
    """Cut-out tiles and others.

    Attributes:
        pictures: (N, STORED, STORED, 3) uint8 BGR, the outline in their middle ``1 / WIDE``, its own top left
            first.
        kinds: (N,) int64, 0–27.
        turned: (N,) whether there is a way up to know (not with others that are no faces).
    """

    pictures: Bytes
    kinds: npt.NDArray[np.int64]
    turned: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.kinds)


def outline() -> Floats:
    """``(4, 2)`` px: where the outline lies in a stored picture."""
    half = STORED / WIDE / 2
    middle = (STORED - 1) / 2
    corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    return (np.array(corners) + middle).astype(np.float32)


def _cut(image: Bytes, quads: Floats) -> Bytes:
    centre = quads.mean(axis=1, keepdims=True)
    return rectify(image, centre + (quads - centre) * WIDE, STORED)


def across(rng: np.random.Generator, quads: Floats) -> Floats:
    """``quads`` ``(N, 4, 2)`` px moved by about half a tile: they lie on two tiles or half beside one.

    Returned in the same shape.
    """
    right, down = quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]
    sign = rng.choice([-1.0, 1.0], (len(quads), 2))
    share = sign * rng.uniform(0.42, 0.65, (len(quads), 2))
    share[np.arange(len(quads)), rng.integers(0, 2, len(quads))] *= rng.choice(
        [0.0, 1.0], len(quads), p=(0.7, 0.3)
    )
    move = right * share[:, :1] + down * share[:, 1:]
    return (quads + move[:, None]).astype(np.float32)


FOUND_IOU: Final = 0.4
"""Least overlap of a found outline with the tile it is taken for."""


def as_found(truth: Floats, found: Floats, rng: np.random.Generator, share: float = 0.6) -> Floats:
    """``(N, 4, 2)``: a share of the true outlines replaced by those a finder gave them.

    ``truth``: ``(N, 4, 2)`` px; ``found``: ``(M, 4, 2)`` px.

    Its outlines are wrong in ways of their own: of small tiles and at flat angles they take in a neighbour or
    leave out a row of dots. Each keeps the true tile's own corner as its first.
    """
    out = truth.copy()
    if not len(truth) or not len(found):
        return out
    iou = polygon_iou(truth, found)
    best = iou.argmax(axis=1)
    for i in np.flatnonzero((iou.max(axis=1) >= FOUND_IOU) & (rng.random(len(truth)) < share)):
        turned = [np.roll(found[best[i]], -k, axis=0) for k in range(4)]
        out[i] = min(turned, key=lambda q: float(np.abs(q - truth[i]).sum()))
    return out


Harvest = tuple[Bytes, list[int], list[bool]]
"""Cut-outs ``(N, STORED, STORED, 3)``, their kinds, and which have a way up."""


def harvest(scene: Scene, finder: TileFinder, rng: np.random.Generator, most: int | None = None) -> Harvest:
    """What one scene gives: its faces, some backs, some cuts across, everything wrongly found.

    ``most``: faces to take of it.
    """
    counted = counts(scene)
    faces = np.flatnonzero(counted & (scene.classes != BACK))
    if most is not None:
        faces = rng.permutation(faces)[:most]
    backs = np.flatnonzero(counted & (scene.classes == BACK))
    backs = rng.permutation(backs)[: max(2, len(faces) // 12)]
    moved = rng.permutation(faces)[: max(1, len(faces) // 8)]
    found = finder(scene.image)
    touches = (
        polygon_iou(found.quads, scene.polygons).max(axis=1) if len(scene.polygons) and len(found) else None
    )
    wrong = found.quads if touches is None else found.quads[touches < 0.1]
    quads = np.concatenate(
        [
            as_found(scene.polygons[faces], found.quads, rng),
            scene.polygons[backs],
            across(rng, scene.polygons[moved]),
            wrong,
        ]
    ).astype(np.float32)
    kinds = [int(k) for k in scene.classes[faces]] + [OTHER] * (len(quads) - len(faces))
    turned = [int(scene.classes[i]) != OTHER for i in faces] + [False] * (len(quads) - len(faces))
    return _cut(np.asarray(scene.image, np.uint8), quads), kinds, turned


def pooled(example: Example) -> Scene:
    """A picture of a built pool that tells names, as the scene it once was; what is hidden is left out.

    Raises `PzvisionError` where the picture cannot be read.
    """
    image = np.asarray(read_picture(example.path), np.uint8)
    quads = np.concatenate([example.quads, example.ignore]).astype(np.float32)
    shown = np.arange(len(quads)) < len(example.quads)
    classes = np.concatenate([example.classes, np.full(len(example.ignore), BACK)])
    return Scene(image, quads, classes, np.where(shown, 1.0, 0.0))


def build(
    out: Path, finder: Path, crops: Path | None, count: int, seed: int, without: tuple[str, ...] = ()
) -> Path:
    """Render ``count`` scenes and write what they give to ``out`` (npz).

    Args:
        out: the file. ``finder``: ONNX file of an earlier finder, whose mistakes become *others*.
        crops: folder of photographed faces for half of the scenes; None: all drawn.
        count: scenes. ``seed``: of their making.
        without: beginnings of the names of faces to leave out.

    Raises:
        PzvisionError: the finder or the faces cannot be read.
    """
    config = SceneConfig(
        layouts=(("game", 4.0), ("heap", 1.0), ("hand", 1.0), ("rows", 1.0), ("few", 1.0)),
        tile_px=(16.0, 60.0), hard=0.7, decoys=3.0, no_tiles=0.03, elevation=(50.0, 18.0),
    )  # fmt: skip
    eager = _eager(finder)
    parts: list[Harvest] = []
    for index in tqdm(range(count), desc="faces as seen", unit="scene"):
        rng = np.random.default_rng([seed, index])
        textures: list[FaceSource] | None = None
        if crops is not None and rng.random() < 0.5:
            textures = [CropFaces(crops, rng, without=without)]
        scene = random_scene(rng, textures=textures, size=(1280, 720), config=config)
        parts.append(harvest(scene, eager, rng))
    return _store(parts, out)


def build_from(out: Path, finder: Path, pools: list[Path], seed: int, most: int = 30) -> Path:
    """Write what the pictures of built pools that tell names give to ``out`` (npz).

    Args:
        out: the file. ``finder``: ONNX file of an earlier finder, whose mistakes become *others*.
        pools: folders as `data.build_pool` makes them with ``named``. ``seed``: of the choice.
        most: faces of one picture.

    Raises:
        PzvisionError: the finder or a picture cannot be read, or a pool was not built.
    """
    eager = _eager(finder)
    rng = np.random.default_rng(seed)
    examples = [example for pool in pools for example in pool_examples(pool)]
    shown = tqdm(examples, desc="faces as seen", unit="picture")
    return _store([harvest(pooled(example), eager, rng, most) for example in shown], out)


def _eager(finder: Path) -> TileFinder:
    return TileFinder(finder, config=FinderConfig(threshold=0.15, back_threshold=0.3), threads=1)


def _store(parts: list[Harvest], out: Path) -> Path:
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_suffix(".partial.npz")
    np.savez_compressed(
        partial,
        pictures=np.concatenate([p[0] for p in parts]),
        kinds=np.array([k for p in parts for k in p[1]], np.int64),
        turned=np.array([t for p in parts for t in p[2]], bool),
    )
    partial.replace(out)
    return out


def load(*paths: Path) -> Seen:
    """Read what `build` wrote, several files as one. Raises `PzvisionError` where one is none."""
    parts = []
    for path in paths:
        try:
            with np.load(path) as stored:
                parts.append((stored["pictures"], stored["kinds"], stored["turned"]))
        except (OSError, KeyError, ValueError) as error:
            raise PzvisionError(f"{path}: not a file of faces as seen ({type(error).__name__})") from None
    pictures, kinds, turned = zip(*parts, strict=True)
    return Seen(np.concatenate(pictures), np.concatenate(kinds), np.concatenate(turned))


def sheet(seen: Seen, rng: np.random.Generator, across: int = 24, down: int = 12) -> Bytes:
    """A picture ``(H, W, 3)`` of them for looking: faces above, others below, as the reader gets them."""
    rows = []
    for others in (False, True):
        pool = np.flatnonzero((seen.kinds == OTHER) == others)
        picks = rng.choice(pool, across * down // 2)
        cells = [rectify(seen.pictures[i], outline()[None])[0] for i in picks]
        rows += [np.hstack(cells[k : k + across]) for k in range(0, len(cells), across)]
    return np.asarray(np.vstack(rows), np.uint8)


def tone(picture: Bytes, rng: np.random.Generator) -> Bytes:
    """A little of other light, blur and noise, for one picture to serve many times; the same shape.

    ``picture``: ``(H, W, 3)`` BGR.
    """
    gain = np.exp(rng.normal(0, 0.12)) * np.exp(rng.normal(0, 0.04, 3))
    table = np.clip((np.arange(256)[:, None] / 255) ** np.exp(rng.normal(0, 0.15)) * 255 * gain, 0, 255)
    out = cv2.LUT(picture, table.astype(np.uint8).reshape(256, 1, 3))
    if rng.random() < 0.3:
        out = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.4, 1.4)))
    if rng.random() < 0.3:
        out = np.clip(out + rng.normal(0, rng.uniform(1, 6), out.shape), 0, 255)
    return np.asarray(out, np.uint8)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="file to write (npz)")
    parser.add_argument(
        "--finder", type=Path, required=True, help="finder.onnx whose mistakes are learnt from"
    )
    parser.add_argument("--crops", type=Path, help="folder of photographed faces")
    parser.add_argument("--without", nargs="*", default=["hlin117"], help="faces to leave out, by file name")
    parser.add_argument("--scenes", type=int, default=400)
    parser.add_argument("--seed", type=int, default=51)
    parser.add_argument(
        "--pools", type=Path, nargs="+", default=[], help="take built pictures with names instead of scenes"
    )
    args = parser.parse_args()
    if args.pools:
        build_from(args.out, args.finder, args.pools, args.seed)
        return
    build(args.out, args.finder, args.crops, args.scenes, args.seed, tuple(args.without))


if __name__ == "__main__":
    main()
