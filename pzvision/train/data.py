"""What the finder learns from: recipes, pools of pictures on disk, and the endless stream of samples.

A recipe (``datasets/*.yaml``) names its sources, their shares of the stream and their seeds. Photos are
read where they lie; composites and rendered scenes are built once into a pool folder
(``pictures/*.jpg`` and ``truth.npz``), deterministically by seed.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import yaml
from tqdm import tqdm

from pzvision.errors import PzvisionError
from pzvision.tiles import BACK
from pzvision.train.boxes import read_photos, tight
from pzvision.train.composite import IGNORED, VISIBLE, Scene, TileSet, compose
from pzvision.train.grounds import body_colour, random_back

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Source:
    """One source of a recipe.

    Attributes:
        name: names the pool.
        kind: ``photos``, ``composites`` or ``scenes``.
        share: of the stream; all shares are divided by their sum.
        count: pictures to build (composites and scenes).
        seed: of the building.
        path: folder of photos (``photos``).
        crops: folder of single faces by class (``composites``).
        per_series: the photos of one series have at most this number of votes, equal ones.
        drawn: share of pictures whose faces are drawn instead of photographed.
        fonts: of the scenes whose faces are not photographed, the share whose sets are made from installed
            fonts and open tile sets (`font_faces`) instead of drawn as `pzvision.synth` does.
        tile_px: least and greatest height of tiles in scenes, px of 1280×960.
        layouts: shares of the arrangements of scenes; None for the usual ones.
        decoys: mean number of things in a scene that look a little like tiles.
        no_tiles: share of scenes without any tile.
        size: width and height of scenes, px.
        elevation: of the camera over scenes, degrees: mean and standard deviation.
        hard: factor on blur, noise and light faults in scenes (0 none, 1 usual).
        without: photos, single faces or fonts whose file names begin with one of these are left out.
        named: the pool tells the names of its tiles (it is shared with readers, which need them).
    """

    name: str
    kind: str
    share: float
    count: int = 0
    seed: int = 0
    path: str = ""
    crops: str = ""
    per_series: float = 12.0
    drawn: float = 0.0
    fonts: float = 0.0
    tile_px: tuple[float, float] = (22.0, 110.0)
    layouts: Mapping[str, float] | None = None
    decoys: float = 0.0
    no_tiles: float = 0.02
    size: tuple[int, int] = (1280, 960)
    elevation: tuple[float, float] = (58.0, 17.0)
    hard: float = 0.4
    without: tuple[str, ...] = ()
    named: bool = False


@dataclass(frozen=True)
class Recipe:
    """A training mix: the name, the folder that relative paths start from, and its sources."""

    name: str
    base: Path
    sources: tuple[Source, ...]


def load_recipe(path: Path) -> Recipe:
    """Read a recipe. Raises `PzvisionError` naming an unknown key, kind or a missing file."""
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PzvisionError(f"recipe {path}: cannot be read ({error.strerror})") from None
    except yaml.YAMLError as error:
        raise PzvisionError(f"recipe {path}: not YAML ({str(error).splitlines()[0]})") from None
    if not isinstance(raw, dict) or set(raw) != {"name", "sources"}:
        raise PzvisionError(f"recipe {path}: expected the keys name and sources")
    fields = {f.name for f in dataclasses.fields(Source)}
    sources = []
    for entry in raw["sources"]:
        unknown = set(entry) - fields
        if unknown:
            raise PzvisionError(f"recipe {path}: unknown key {sorted(unknown)[0]!r} in a source")
        missing = {"name", "kind", "share"} - set(entry)
        if missing:
            raise PzvisionError(f"recipe {path}: a source lacks {sorted(missing)[0]!r}")
        if entry["kind"] not in ("photos", "composites", "scenes"):
            raise PzvisionError(
                f"recipe {path}: kind {entry['kind']!r}: expected photos, composites or scenes"
            )
        sources.append(Source(**entry))
    return Recipe(str(raw["name"]), path.resolve().parent, tuple(sources))


@dataclass(frozen=True)
class Example:
    """One picture with its truth, ready to be cut and turned.

    Attributes:
        path: the picture.
        quads: (N, 4, 2) float32 px.
        classes: (N,) int64, 0 face, 1 back.
        ignore: (M, 4, 2) float32 px: neither right nor wrong to find.
        weight: how many votes it has within its source.
        outlines: the quads are outlines; else only the boxes around them hold, and the picture is not turned.
        backs: every back in view is labelled.
    """

    path: Path
    quads: Floats
    classes: npt.NDArray[np.int64]
    ignore: Floats
    weight: float
    outlines: bool
    backs: bool


def box_quads(boxes: npt.NDArray[np.floating[Any]]) -> Floats:
    """Rows ``x1 y1 x2 y2`` ``(N, 4)`` → clockwise corners ``(N, 4, 2)``, both px or 0–1."""
    x1, y1, x2, y2 = boxes.T
    return np.stack([x1, y1, x2, y1, x2, y2, x1, y2], 1).reshape(-1, 4, 2).astype(np.float32)


def photo_examples(
    folder: Path, per_series: float, ignore_file: Path | None = None, without: tuple[str, ...] = ()
) -> list[Example]:
    """The labelled photos of a folder; ``per_series``: how many votes a series may have at most.

    ``ignore_file``: npz of ``stem → (M, 4, 2)`` px, faces known to lie there without a label.
    ``without``: photos whose file names begin with one of these are left out.
    """
    photos = [p for p in read_photos(folder) if not (without and p.path.name.startswith(without))]
    votes = Counter(photo.series for photo in photos)
    holes = dict(np.load(ignore_file)) if ignore_file and ignore_file.exists() else {}
    examples = []
    for photo in photos:
        size = read_picture(photo.path, cv2.IMREAD_REDUCED_GRAYSCALE_2)
        height, width = size.shape[0] * 2, size.shape[1] * 2
        quads = box_quads(photo.boxes) * np.array([width, height], np.float32)
        examples.append(
            Example(
                photo.path,
                quads,
                np.zeros(len(quads), np.int64),
                holes.get(photo.path.stem, np.zeros((0, 4, 2), np.float32)).astype(np.float32),
                min(1.0, per_series / votes[photo.series]),
                tight(photo, width, height),
                False,
            )
        )
    return examples


def read_picture(path: Path, flag: int = cv2.IMREAD_COLOR) -> npt.NDArray[Any]:
    """A picture as OpenCV reads it, ``(H, W, 3)`` BGR or as ``flag`` says.

    Raises `PzvisionError` where it is none.
    """
    image = cv2.imread(str(path), flag)
    if image is None:
        raise PzvisionError(f"{path}: not a picture")
    return image


def crop_faces(folder: Path, without: tuple[str, ...] = ()) -> dict[str, list[Path]]:
    """Single faces by the source named in front of ``_`` in their file names, some sources left out.

    Raises `PzvisionError` where the folder has none.
    """
    sets: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*/*")):
        if without and path.name.startswith(without):
            continue
        if path.suffix.lower() in (".jpg", ".jpeg", ".png"):
            sets.setdefault(path.stem.split("_")[0], []).append(path)
    if not sets:
        raise PzvisionError(f"crops {folder}: no <class>/*.jpg in it")
    return sets


class FacePool:
    """Makes tile sets of photographed faces: crops, and the boxes of photos whose boxes are outlines."""

    def __init__(self, crops: Path | None, photos: list[Example], without: tuple[str, ...] = ()) -> None:
        self.groups: list[list[Path]] = []
        if crops is not None:
            for paths in crop_faces(crops, without).values():
                self.groups.append(sorted(paths, key=lambda p: (p.stem, p.parent.name)))
        self.photos = [e for e in photos if e.outlines and len(e.quads) >= 9]
        self.weights = np.array([e.weight for e in self.photos])

    def draw(self, rng: np.random.Generator) -> TileSet:
        """A set: faces of one photo, or a handful of single faces."""
        if self.photos and (not self.groups or rng.random() < 0.6):
            example = self.photos[int(rng.choice(len(self.photos), p=self.weights / self.weights.sum()))]
            image = read_picture(example.path)
            faces = []
            for quad in example.quads:
                (x1, y1), (x2, y2) = quad.min(0).astype(int), np.ceil(quad.max(0)).astype(int)
                face = image[max(0, y1) : y2, max(0, x1) : x2]
                if min(face.shape[:2]) >= 16 and 1.1 < face.shape[0] / face.shape[1] < 1.75:
                    faces.append(face)
            if len(faces) >= 6:
                return self.dress(faces, rng)
        group = self.groups[int(rng.integers(len(self.groups)))]
        start = int(rng.integers(len(group)))
        picked = [group[(start + i) % len(group)] for i in range(24)]
        return self.dress([read_picture(path) for path in picked], rng)

    @staticmethod
    def dress(faces: list[npt.NDArray[Any]], rng: np.random.Generator) -> TileSet:
        """A tile set of 27 faces ``(H, W, 3)`` uint8 BGR in one light, with a fitting body and back."""
        gain = rng.uniform(0.85, 1.1, 3) if rng.random() < 0.5 else np.ones(3)
        small = [cv2.resize(f, (96, 128), interpolation=cv2.INTER_AREA) for f in faces]
        toned = tuple(np.clip(f * gain, 0, 255).astype(np.uint8) for f in small)
        return TileSet(toned, body_colour(toned, rng), random_back(rng))


def drawn_set(rng: np.random.Generator) -> TileSet:
    """A set of faces drawn by `pzvision.synth.faces`."""
    from pzvision.synth import faces as drawing

    look = drawing.random_look(rng)
    kinds = rng.choice(28, 20, replace=False)
    faces = [drawing.draw_face(int(k), look, 128, variant=int(rng.integers(18))) for k in kinds]
    return FacePool.dress(faces, rng)


def build_pool(recipe: Recipe, source: Source, out: Path, *, named: bool = False) -> Path:
    """Build the pictures of a composite or scene source, unless they are there already; returns the pool.

    ``named``: scenes with the classes of `pzvision.tiles` instead of 0 face, 1 back.
    """
    pool = out / source.name
    if (pool / "truth.npz").exists():
        return pool
    (pool / "pictures").mkdir(parents=True, exist_ok=True)
    make: Callable[[np.random.Generator], Scene]
    crops = recipe.base / source.crops if source.crops else None
    if source.kind == "composites":
        photos = photo_examples(recipe.base / source.path, 12.0) if source.path else []
        faces = FacePool(crops, photos, tuple(source.without))

        def make(rng: np.random.Generator) -> Scene:
            tile_set = drawn_set(rng) if rng.random() < source.drawn else faces.draw(rng)
            return compose(rng, tile_set)
    else:

        def make(rng: np.random.Generator) -> Scene:
            return rendered_scene(rng, crops, source, named=named or source.named)

    truth: dict[str, npt.NDArray[Any]] = {}
    for index in tqdm(range(source.count), desc=source.name, unit="picture"):
        scene = make(np.random.default_rng([source.seed, index]))
        cv2.imwrite(str(pool / "pictures" / f"{index:06d}.jpg"), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 92])
        truth[f"{index:06d}.quads"] = scene.quads
        truth[f"{index:06d}.classes"] = scene.classes
        truth[f"{index:06d}.ignore"] = scene.ignore
    partial = pool / "partial.npz"
    np.savez_compressed(partial, **truth)  # type: ignore[arg-type]
    partial.replace(pool / "truth.npz")
    return pool


def rendered_scene(
    rng: np.random.Generator, crops: Path | None, source: Source, *, named: bool = False
) -> Scene:
    """One scene of `pzvision.synth.scenes`, its faces drawn, from ``crops`` or of fonts as the source says.

    ``named``: with the classes of `pzvision.tiles` instead of 0 face, 1 back.
    """
    from pzvision.synth.crop_faces import CropFaces
    from pzvision.synth.faces import FaceSource
    from pzvision.synth.scenes import SceneConfig, random_scene

    textures: list[FaceSource] | None = None
    if crops is not None and rng.random() >= source.drawn:
        textures = [CropFaces(crops, rng, without=tuple(source.without))]
    elif source.fonts > 0 and rng.random() < source.fonts:
        from pzvision.train.font_faces import font_set  # needs Pillow

        textures = [font_set(rng, tuple(source.without))]
    low, high = source.tile_px
    config = SceneConfig(
        tile_px=(low, high),
        hard=source.hard,
        decoys=source.decoys,
        no_tiles=source.no_tiles,
        elevation=(source.elevation[0], source.elevation[1]),
    )
    if source.layouts:
        config = dataclasses.replace(config, layouts=tuple(source.layouts.items()))
    scene = random_scene(rng, size=(source.size[0], source.size[1]), textures=textures, config=config)
    shown = scene.visible >= VISIBLE
    hidden = ~shown & (scene.visible >= IGNORED)
    return Scene(
        scene.image,
        scene.polygons[shown],
        scene.classes[shown] if named else (scene.classes[shown] == BACK).astype(np.int64),
        scene.polygons[hidden],
    )


def pool_examples(pool: Path) -> list[Example]:
    """The pictures of a built pool. Raises `PzvisionError` where it was not built."""
    if not (pool / "truth.npz").exists():
        raise PzvisionError(f"pool {pool}: not built yet; run pzvision train-data first")
    truth = np.load(pool / "truth.npz")
    return [
        Example(
            path,
            truth[f"{path.stem}.quads"],
            truth[f"{path.stem}.classes"],
            truth[f"{path.stem}.ignore"],
            1.0,
            True,
            True,
        )
        for path in sorted((pool / "pictures").glob("*.jpg"))
        if f"{path.stem}.quads" in truth
    ]


def recipe_examples(recipe: Recipe, built: Path) -> list[tuple[Source, list[Example]]]:
    """All examples of a recipe by source, classes 0 face and 1 back; pools must have been built."""
    return [
        (s, [dataclasses.replace(e, classes=(e.classes == BACK).astype(np.int64)) for e in examples])
        if s.named
        else (s, examples)
        for s, examples in _examples(recipe, built)
    ]


def _examples(recipe: Recipe, built: Path) -> list[tuple[Source, list[Example]]]:
    """All examples of a recipe by source, their classes as the pools have them."""
    found = []
    for source in recipe.sources:
        if source.kind == "photos":
            examples = photo_examples(
                recipe.base / source.path,
                source.per_series,
                built / f"{source.name}-unlabelled.npz",
                tuple(source.without),
            )
        else:
            examples = pool_examples(built / source.name)
        found.append((source, examples))
    return found


def named_examples(recipe: Recipe, built: Path) -> list[tuple[Source, list[Example]]]:
    """As `recipe_examples`, the classes being those of `pzvision.tiles`; pools must have been built so."""
    found = []
    for source, examples in _examples(recipe, built):
        if source.kind == "photos":
            kinds = {photo.path: photo.classes for photo in read_photos(recipe.base / source.path)}
            examples = [dataclasses.replace(e, classes=kinds[e.path]) for e in examples]
        found.append((source, examples))
    return found


def stream(mix: list[tuple[Source, list[Example]]], rng: np.random.Generator) -> Iterator[Example]:
    """Endless examples, sources by share, examples by weight."""
    shares = np.array([source.share for source, examples in mix])
    weights = [np.array([e.weight for e in examples]) for _, examples in mix]
    while True:
        k = int(rng.choice(len(mix), p=shares / shares.sum()))
        examples = mix[k][1]
        yield examples[int(rng.choice(len(examples), p=weights[k] / weights[k].sum()))]


def shuffled(
    parts: Iterator[tuple[npt.NDArray[Any], ...]], batch: int, rng: np.random.Generator
) -> Iterator[Any]:
    """Batches of ``batch`` rows out of parts of any length ≥ 1, all tuples of as many arrays ``(N, …)``.

    Rows of at least four batches are mixed, so that a batch is not of one picture.
    """
    shelf: list[tuple[npt.NDArray[Any], ...]] = []
    waiting = 0
    for part in parts:
        shelf.append(part)
        waiting += len(part[0])
        if waiting >= 4 * batch:
            columns = [np.concatenate(column) for column in zip(*shelf, strict=True)]
            order = rng.permutation(waiting)
            for start in range(0, 2 * batch, batch):
                yield tuple(column[order[start : start + batch]] for column in columns)
            rest = order[2 * batch :]
            shelf, waiting = [tuple(column[rest] for column in columns)], len(rest)
