"""The detector on rendered scenes: stage 1 alone on everything, both stages on tables of held-out looks.

What counts: a tile at least 55 % of whose outline shows, at least `LEAST_PX` large (root of its area) and at
least `LEAST_ACROSS_PX` across at its narrowest. A find on any other tile is neither right nor wrong.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from pzvision.synth.faces import DrawnFaces, FaceSource
from pzvision.synth.looks import HELD_OUT, Look, random_look
from pzvision.synth.scenes import Scene, SceneConfig, random_scene
from pzvision.tiles import BACK, KINDS, OTHER, format_tile
from pzvision.train.data import read_picture
from pzvision.train.matching import Ints, match, polygon_iou
from pzvision.vision.detections import Detections
from pzvision.vision.detector import TileDetector
from pzvision.vision.obb import side_px

SHOWN: Final = 0.55
LEAST_PX: Final = 10.0
LEAST_ACROSS_PX: Final = 6.0
SMALL_PX: Final = 20.0
EXCUSED_IOU: Final = 0.3
FACES_A_TABLE: Final = 60
HELD_OUT_PHOTOS: Final = "hlin117"
"""Photographed faces that no reader was trained on; the names of their files begin so."""

Mask = npt.NDArray[np.bool_]
"""``(N,)`` bool."""


def counts(scene: Scene) -> Mask:
    """``(N,)``: which tiles of a scene count (see the module's text)."""
    if not len(scene.polygons):
        return np.zeros(0, bool)
    area = np.array([cv2.contourArea(p) for p in scene.polygons])
    sides = np.linalg.norm(np.roll(scene.polygons, -1, axis=1) - scene.polygons, axis=2)
    longest = np.maximum(sides.max(axis=1), 1e-6)
    across = area / longest
    return np.asarray(
        (scene.visible >= SHOWN) & (np.sqrt(area) >= LEAST_PX) & (across >= LEAST_ACROSS_PX), bool
    )


@dataclass(frozen=True)
class SceneFigures:
    """Stage 1 on rendered scenes.

    Attributes:
        scenes: how many.
        faces, backs: recall and precision, 0–1, of outlines at polygon IoU ≥ 0.5.
        tiles: faces and backs that count.
        passed_over: tiles at least 55 % in view that are too small or too flat to count.
        fit: mean IoU, 0–1, of the matched faces.
        rectangle: mean IoU, 0–1, of the best oriented rectangle round each true face, for comparison.
        small: share found of the faces under `SMALL_PX`.
    """

    scenes: int
    faces: tuple[float, float]
    backs: tuple[float, float]
    tiles: tuple[int, int]
    passed_over: int
    fit: float
    rectangle: float
    small: float


def evaluate_scenes(detector: TileDetector, count: int, seed: int = 990_001) -> SceneFigures:
    """Stage 1 on ``count`` rendered scenes of every arrangement, of drawn faces."""
    hits, seen, said = np.zeros(2), np.zeros(2), np.zeros(2)
    fits: list[float] = []
    rectangles: list[float] = []
    small = [0, 0]
    passed_over = 0
    for index in tqdm(range(count), desc="scenes", unit="scene", leave=False):
        rng = np.random.default_rng([seed, index])
        scene = random_scene(rng, size=(1280, 720), config=SceneConfig(tile_px=(18.0, 110.0), hard=0.7))
        finds = detector.find(scene.image)
        iou = polygon_iou(scene.polygons, finds.quads)
        plain = counts(scene)
        passed_over += int(((scene.visible >= SHOWN) & ~plain).sum())
        kinds = (scene.classes == BACK).astype(np.int64)
        for kind in (0, 1):
            ours = finds.classes == kind
            true = plain & (kinds == kind)
            paired = match(iou[np.ix_(true, ours)])
            hits[kind] += (paired >= 0).sum()
            seen[kind] += true.sum()
            excused = _excused(iou[:, ours], plain)
            excused[paired[paired >= 0]] = False
            said[kind] += (~excused).sum()
            if kind == 0:
                for polygon, at in zip(scene.polygons[true], paired, strict=True):
                    tiny = np.sqrt(cv2.contourArea(polygon)) < SMALL_PX
                    small[0] += int(tiny and at >= 0)
                    small[1] += int(tiny)
                    box = np.asarray(cv2.boxPoints(cv2.minAreaRect(polygon)), np.float32)
                    rectangles.append(float(polygon_iou(polygon[None], box[None])[0, 0]))
                fits += [float(iou[np.ix_(true, ours)][i, p]) for i, p in enumerate(paired) if p >= 0]
    recall, precision = hits / np.maximum(seen, 1), hits / np.maximum(said, 1)
    return SceneFigures(
        count,
        (float(recall[0]), float(precision[0])),
        (float(recall[1]), float(precision[1])),
        (int(seen[0]), int(seen[1])),
        passed_over,
        float(np.mean(fits)) if fits else 0.0,
        float(np.mean(rectangles)) if rectangles else 0.0,
        small[0] / max(small[1], 1),
    )


def _excused(iou: npt.NDArray[np.floating[Any]], plain: Mask) -> Mask:
    """Which finds lie on tiles that do not count."""
    return np.asarray((iou >= EXCUSED_IOU)[~plain].any(axis=0), bool).reshape(-1)


@dataclass(frozen=True, eq=False)
class TableResult:
    """Both stages on one rendered table.

    Attributes:
        look: the tile set.
        seed: of the scene, to see it again with `table_scene`.
        truth: (N,) true classes that count. ``named``: (N,) whether found (IoU ≥ 0.5) under that name.
        called: (N,) class of the find at that place, -1 for none.
        px: (N,) root of the area of each true tile's outline.
        sure, right: (D,) confidence of each suited find that is judged, and whether place and name are right.
    """

    look: str
    seed: tuple[int, int]
    truth: Ints
    named: Mask
    called: Ints
    px: npt.NDArray[np.float32]
    sure: npt.NDArray[np.float32]
    right: Mask

    @property
    def suited(self) -> Mask:
        """Which true tiles are of the 27 kinds."""
        return np.asarray(self.truth < KINDS, bool)

    @property
    def errors(self) -> int:
        """Suited tiles missed or misnamed, and suited finds that are none."""
        return int((~self.named[self.suited]).sum() + (~self.right).sum())


def table_scene(faces: FaceSource, seed: tuple[int, int]) -> Scene | None:
    """A whole table at some moment of a game, 1280×720; None where under `FACES_A_TABLE` faces count."""
    rng = np.random.default_rng(seed)
    config = SceneConfig(layouts=(("game", 1.0),), tile_px=(24.0, 75.0), no_tiles=0.0, hard=0.7, decoys=0.5)
    scene = random_scene(rng, textures=[faces], size=(1280, 720), config=config)
    return scene if int((counts(scene) & (scene.classes != BACK)).sum()) >= FACES_A_TABLE else None


class TrimmedFaces:
    """Photographed tiles seen from a little below, cut down to their faces, ``height`` px: a `FaceSource`.

    Raises `PzvisionError` where a picture cannot be read, `IndexError` where a kind has none.
    """

    _TRIM: Final = (0.13, 0.07, 0.87, 0.75)
    """Where the face is: left, top, right, bottom as parts of the picture (measured on the 33 pictures)."""

    def __init__(self, crops: Path, source: str, height: int = 256) -> None:
        self._faces: list[list[npt.NDArray[np.uint8]]] = []
        for kind in range(OTHER + 1):
            paths = sorted((crops / format_tile(kind)).glob(f"{source}*"))
            self._faces.append([self._cut(path, height) for path in paths])
        paper = np.percentile(self._faces[0][0].reshape(-1, 3), 80, axis=0)
        b, g, r = (int(v) for v in paper)
        self._look = dataclasses.replace(random_look(np.random.default_rng(7)), face=(b, g, r), name=source)

    def _cut(self, path: Path, height: int) -> npt.NDArray[np.uint8]:
        picture = read_picture(path)
        h, w = picture.shape[:2]
        x0, y0, x1, y1 = (np.array(self._TRIM) * (w, h, w, h)).astype(int)
        size = (round(height * 0.75), height)
        return np.asarray(cv2.resize(picture[y0:y1, x0:x1], size, interpolation=cv2.INTER_AREA), np.uint8)

    @property
    def look(self) -> Look:
        """Body colours: the first face's paper, any back."""
        return self._look

    def face(self, kind: int, copy: int = 0) -> npt.NDArray[np.uint8]:
        """``(H, W, 3)``: see `FaceSource.face`; a back is plain."""
        if kind == BACK:
            return np.full_like(self._faces[0][0], self._look.back)
        faces = self._faces[kind]
        return faces[copy % len(faces)]


def held_out_sets(crops: Path | None) -> dict[str, FaceSource]:
    """The looks no model was trained on, and a set of photographed faces where ``crops`` holds it."""
    sets: dict[str, FaceSource] = {name: DrawnFaces(look, 176) for name, look in HELD_OUT.items()}
    if crops is not None and list(crops.glob(f"*/{HELD_OUT_PHOTOS}*")):
        sets[HELD_OUT_PHOTOS] = TrimmedFaces(crops, HELD_OUT_PHOTOS)
    return sets


def tables(
    sets: dict[str, FaceSource], count: int, seed: int
) -> Iterator[tuple[str, tuple[int, int], Scene]]:
    """``count`` tables, the sets in turn; scenes with too few faces are passed over."""
    names = list(sets)
    index = made = 0
    while made < count:
        name = names[made % len(names)]
        scene = table_scene(sets[name], (seed, index))
        if scene is not None:
            yield name, (seed, index), scene
            made += 1
        index += 1


def judge_table(scene: Scene, found: Detections, look: str, seed: tuple[int, int]) -> TableResult:
    """Compare what was found on a table with what is there."""
    iou = polygon_iou(scene.polygons, found.polygons)
    plain = counts(scene)
    true = np.flatnonzero(plain & (scene.classes != BACK))
    place = match(iou[true])
    same = scene.classes[true][:, None] == found.class_ids[None]
    named = match(np.where(same, iou[true], 0))
    suited = found.class_ids < KINDS
    right = np.zeros(len(found), bool)
    right[named[named >= 0]] = True
    judged = suited & ~(_excused(iou, plain) & ~right)
    called = np.where(place >= 0, found.class_ids[np.maximum(place, 0)] if len(found) else -1, -1)
    return TableResult(
        look, seed, scene.classes[true], named >= 0, np.asarray(called, np.int64),
        side_px(scene.polygons[true]), found.confidences[judged], right[judged],
    )  # fmt: skip


def mark_errors(scene: Scene, found: Detections) -> npt.NDArray[np.uint8]:
    """The picture ``(H, W, 3)`` with errors drawn in: wrong suited finds red, missed or misnamed orange."""
    picture = np.asarray(scene.image, np.uint8).copy()
    iou = polygon_iou(scene.polygons, found.polygons)
    plain = counts(scene)
    true = np.flatnonzero(plain & (scene.classes < KINDS))
    same = scene.classes[true][:, None] == found.class_ids[None]
    named = match(np.where(same, iou[true], 0))
    right = np.zeros(len(found), bool)
    right[named[named >= 0]] = True
    wrong = (found.class_ids < KINDS) & ~right & ~_excused(iou, plain)
    for quads, colour in (
        (found.polygons[wrong], (40, 40, 255)),
        (scene.polygons[true[named < 0]], (0, 160, 255)),
    ):
        for quad in quads:
            cv2.polylines(picture, [np.round(quad).astype(np.int32)], True, colour, 2, cv2.LINE_AA)
    return picture


def evaluate_tables(
    detector: Callable[[npt.NDArray[Any]], Detections],
    count: int,
    *,
    crops: Path | None = None,
    seed: int = 990_002,
) -> list[TableResult]:
    """Both stages on ``count`` tables of held-out sets. ``crops``: folder of photographed faces, if any.

    ``detector``: given ``(H, W, 3)`` uint8 BGR.
    """
    shown = tqdm(
        tables(held_out_sets(crops), count, seed), total=count, desc="tables", unit="table", leave=False
    )
    return [judge_table(scene, detector(scene.image), look, key) for look, key, scene in shown]


@dataclass(frozen=True)
class TableFigures:
    """Over some tables: suited tiles, recall, precision, and the share of tables without any error."""

    tables: int
    tiles: int
    recall: float
    precision: float
    exact: float


def table_figures(results: list[TableResult]) -> TableFigures:
    """Recall, precision and exact tables."""
    tiles = sum(int(r.suited.sum()) for r in results)
    right = sum(int(r.named[r.suited].sum()) for r in results)
    wrong = sum(int((~r.right).sum()) for r in results)
    exact = sum(r.errors == 0 for r in results)
    n = max(len(results), 1)
    return TableFigures(len(results), tiles, right / max(tiles, 1), right / max(right + wrong, 1), exact / n)
