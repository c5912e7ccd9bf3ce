"""How well a tile set is read after `pzvision adapt` has seen two photos of it, on further photos of it.

Nothing is chosen here: sets and photos are drawn anew from the seed. Per set two photos as `adapt` asks for
them, then others that it never sees: tiles laid out anyhow, and tables; 40 and more tiles each, sizes of
phones and webcams. Whole detector, found and named (IoU ≥ 0.5), before and after.

    python -m pzvision.train.adapt_report --seed 1 --crops ../shared/data/crops --write docs/detector.md

``--write`` puts the tables between the marks `BEGIN` and `END` of that file.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from pzvision.errors import PzvisionError
from pzvision.synth import motifs
from pzvision.synth.faces import DrawnFaces, FaceSource
from pzvision.synth.invented import InventedFaces
from pzvision.synth.looks import random_look
from pzvision.synth.scenes import Scene, SceneConfig, random_scene
from pzvision.synth.set_photo import SetPhotoConfig, set_photo
from pzvision.tiles import BACK, KINDS
from pzvision.train.evaluate_scenes import (
    HELD_OUT_PHOTOS,
    TableFigures,
    TableResult,
    TrimmedFaces,
    counts,
    judge_table,
    table_figures,
)
from pzvision.vision.adapt import Adaptation, SetPhoto, adapt, read_set_photo
from pzvision.vision.detector import TileDetector

BEGIN: Final = "<!-- adapt-report: begin -->"
END: Final = "<!-- adapt-report: end -->"
_SIZES: Final = ((1920, 1440), (1280, 720), (1600, 1200), (1920, 1080))
_LEAST_TILES: Final = 40
_TRIES: Final = 8


@dataclass(frozen=True, eq=False)
class SetReport:
    """One tile set.

    Attributes:
        name: what it looks like.
        refused: photos for `adapt` that were refused and taken anew.
        learnt: what came of it.
        seconds, processor: s by the clock and of processor for finding tiles in two photos and learning.
        before, after: results on the tested photos, laid out and tables.
    """

    name: str
    refused: int
    learnt: Adaptation
    seconds: float
    processor: float
    before: dict[str, list[TableResult]]
    after: dict[str, list[TableResult]]


def sets(seed: int, invented: int, drawn: int, crops: Path | None) -> dict[str, FaceSource]:
    """The sets of a seed: invented ones, drawn ones with motifs of no training, a photographed one."""
    found: dict[str, FaceSource] = {}
    for number in range(invented):
        strange = InventedFaces([seed, number])
        found[f"invented {number + 1} ({strange.described})"] = strange
    for number in range(drawn):
        rng = np.random.default_rng([seed, 50 + number])
        look = replace(
            random_look(rng),
            dot=str(rng.choice(motifs.HELD_OUT_DOTS)),
            bamboo=str(rng.choice(motifs.HELD_OUT_BAMBOOS)),
            bird=str(rng.choice(motifs.HELD_OUT_BIRDS)),
        )
        found[f"drawn {number + 1} ({look.dot}, {look.bamboo}, {look.bird})"] = DrawnFaces(look, 176)
    if crops is not None:
        found[f"photographed ({HELD_OUT_PHOTOS})"] = TrimmedFaces(crops, HELD_OUT_PHOTOS)
    return found


def lesson(faces: FaceSource, rng: np.random.Generator, index: int) -> Scene:
    """A photo as `adapt` asks for it, of a phone's or a webcam's size."""
    size = _SIZES[index % len(_SIZES)]
    tile = float(rng.uniform(0.062, 0.085)) * size[0]
    return set_photo(rng, faces, config=SetPhotoConfig(size=size, tile_px=tile))


def laid(faces: FaceSource, rng: np.random.Generator, index: int) -> Scene:
    """45 tiles laid out carelessly in rows, any of the 27, up to four of each."""
    size = _SIZES[index % len(_SIZES)]
    kinds = rng.permutation(np.repeat(np.arange(KINDS), 4))[:45]
    tile = float(rng.uniform(0.04, 0.072)) * size[0]
    config = SetPhotoConfig(size=size, tile_px=tile, mess=1.0, gap_cm=float(rng.uniform(0.1, 0.8)))
    return set_photo(rng, faces, [int(k) for k in kinds], config)


def table(faces: FaceSource, rng: np.random.Generator, index: int) -> Scene:
    """A table with tiles in rows and groups at every angle, 40 at least that count."""
    size = _SIZES[index % len(_SIZES)]
    config = SceneConfig(
        layouts=(("rows", 1.0), ("spread", 1.0), ("game", 1.0)),
        tile_px=(0.028 * size[0], 0.055 * size[0]),
        others=(0.0, 0.0),
        no_tiles=0.0,
        hard=0.5,
    )
    while True:
        scene = random_scene(rng, textures=[faces], size=size, config=config)
        if int((counts(scene) & (scene.classes != BACK)).sum()) >= _LEAST_TILES:
            return scene


def report_set(
    name: str, faces: FaceSource, detector: TileDetector, seed: list[int], photos: int
) -> SetReport:
    """Teach one set by two photos and judge it on ``photos`` others of each sort.

    Raises `PzvisionError` where no two photos can be used.
    """
    before_wall, before_cpu = 0.0, 0.0
    lessons: list[SetPhoto] = []
    refused = 0
    for take in range(_TRIES):
        scene = lesson(faces, np.random.default_rng([*seed, 1, take]), take)
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            lessons.append(read_set_photo(f"photo {take}", scene.image, detector, order="rows"))
        except PzvisionError:
            refused += 1
            continue
        before_wall += time.perf_counter() - wall
        before_cpu += time.process_time() - cpu
        if len(lessons) == 2:
            break
    else:
        raise PzvisionError(f"{name}: {_TRIES} photos and no two that could be used")
    wall, cpu = time.perf_counter(), time.process_time()
    learnt = adapt("set", lessons, detector)
    seconds, processor = time.perf_counter() - wall + before_wall, time.process_time() - cpu + before_cpu
    reader = detector.stages[1]
    assert reader is not None
    before: dict[str, list[TableResult]] = {"laid": [], "table": []}
    after: dict[str, list[TableResult]] = {"laid": [], "table": []}
    for number, (sort, make) in enumerate((("laid", laid), ("table", table))):
        for index in range(photos):
            key = (seed[0], 1000 * seed[1] + 100 * number + index)
            scene = make(faces, np.random.default_rng([*seed, 2 + number, index]), index)
            for found, worn in ((before, None), (after, learnt.tile_set)):
                reader.tile_set = worn
                found[sort].append(judge_table(scene, detector(scene.image), name, key))
            reader.tile_set = None
    return SetReport(name, refused, learnt, seconds, processor, before, after)


def lines(reports: list[SetReport], seed: int, photos: int, threads: int) -> str:
    """The figures as Markdown."""
    rows = [
        f"`python -m pzvision.train.adapt_report --seed {seed} --photos {photos} --crops CROPS`: per set two"
        f" photos learnt from, {photos} others of 45 tiles laid out and {photos} tables of at least 40 tiles;"
        " pictures of 1280×720 to 1920×1440, a tile laid out as high as 4 to 7 % of the width; found and"
        " rightly named, IoU ≥ 0.5.",
        "",
        "| set | recall before | after | precision before | after | photos without an error | recall of the"
        " place alone | the same on tables |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for report in reports:
        rows.append(_row(report.name, [report]))
    if len(reports) > 1:
        rows.append(_row("all", reports))
    slow = max(reports, key=lambda r: r.processor)
    nothing = [r.name for r in reports if r.learnt.tile_set is None]
    rows += [
        "",
        f"Learning took at most {slow.processor:.0f} s of processor time"
        f" ({max(r.seconds for r in reports):.0f} s by the clock of a busy machine, {threads} threads),"
        " finding the tiles in the two photos included."
        f" {sum(r.refused for r in reports)} of {sum(r.refused + 2 for r in reports)} photos were refused and"
        " taken anew."
        + (f" Nothing was written for: {'; '.join(nothing)} (read as well before)." if nothing else ""),
    ]
    return "\n".join(rows)


def _row(name: str, reports: list[SetReport]) -> str:
    def of(sort: str, after: bool) -> tuple[TableFigures, float]:
        results = [r for report in reports for r in (report.after if after else report.before)[sort]]
        placed = np.concatenate([(r.called >= 0)[r.suited] for r in results])
        return table_figures(results), float(placed.mean())

    (old, _), (new, placed) = of("laid", False), of("laid", True)
    (old_table, _), (new_table, placed_table) = of("table", False), of("table", True)
    return (
        f"| {name} | {old.recall:.3f} | {new.recall:.3f} | {old.precision:.3f} | {new.precision:.3f} |"
        f" {round(new.exact * new.tables)} of {new.tables} | {placed:.3f} |"
        f" recall {old_table.recall:.3f} → {new_table.recall:.3f} (place {placed_table:.3f}), precision"
        f" {old_table.precision:.3f} → {new_table.precision:.3f} |"
    )


def put(text: str, into: str) -> str:
    """``into`` with ``text`` between its marks. Raises `PzvisionError` where it has none."""
    if into.count(BEGIN) != 1 or into.count(END) != 1:
        raise PzvisionError(f"expected the marks {BEGIN} and {END} once each")
    return f"{into.split(BEGIN)[0]}{BEGIN}\n\n{text}\n\n{END}{into.split(END)[1]}"


def main() -> None:
    """See the module's text."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(
        description="How well a set is read after adapt, on photos it never saw."
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--invented", type=int, default=4)
    parser.add_argument("--drawn", type=int, default=2)
    parser.add_argument("--photos", type=int, default=6)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--crops", type=Path)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    detector = TileDetector(args.models, threads=args.threads, backend="onnxruntime")
    reports = []
    for number, (name, faces) in enumerate(sets(args.seed, args.invented, args.drawn, args.crops).items()):
        reports.append(report_set(name, faces, detector, [args.seed, number], args.photos))
        print(_row(name, reports[-1:]), f"strength {reports[-1].learnt.strength}", flush=True)
    text = lines(reports, args.seed, args.photos, args.threads)
    print(text)
    if args.write is not None:
        args.write.write_text(put(text, args.write.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
