"""Writes ``REPORT.md``: the detector's figures on photos and rendered scenes, confusions, worst pictures."""

from __future__ import annotations

import datetime
from pathlib import Path

from pzvision.errors import PzvisionError
from pzvision.tiles import KINDS, format_tile
from pzvision.train.evaluate import (
    Figures,
    PhotoResult,
    confusions,
    evaluate_photos,
    figures,
)
from pzvision.train.evaluate_scenes import SceneFigures, evaluate_scenes
from pzvision.vision.detector import TileDetector


def write_report(models: Path, photos: Path | None, scenes: int) -> Path:
    """Judge the models in a folder and write ``REPORT.md`` there.

    Args:
        models: folder with ``finder.onnx`` and ``reader.onnx``.
        photos: folder of labelled photos; None leaves that part out.
        scenes: number of rendered scenes; 0 leaves that part out.

    Raises:
        PzvisionError: a model or the photos are missing.
    """
    if photos is not None and not photos.is_dir():
        raise PzvisionError(f"--photos {photos}: no such folder")
    detector = TileDetector(models, threads=2)
    parts = [
        "# How well the detector does",
        f"Written by `pzvision train --evaluate` on {datetime.date.today():%Y-%m-%d}; "
        f"{', '.join(detector.providers)}, 2 threads.",
    ]
    if photos is not None:
        results = evaluate_photos(detector, photos)
        parts += [_photos(figures(results)), _each(results), _confused(results), _worst(results)]
    if scenes > 0:
        parts.append(_scenes(evaluate_scenes(detector, scenes)))
    path = models / "REPORT.md"
    partial = path.with_suffix(".partial")
    partial.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    partial.replace(path)
    return path


def _photos(f: Figures) -> str:
    return "\n".join(
        [
            "## Photos of tables and sets that were not trained on",
            "",
            f"{f.photos} photos, {f.tiles} tiles of the 27 kinds; IoU ≥ 0.5 of axis-aligned boxes; finds of"
            " backs and of other faces are no errors; no adaptation.",
            "",
            "| recall | precision | mAP50 | exact photos | recall of the place alone | median ms a photo |",
            "|---|---|---|---|---|---|",
            f"| {f.recall:.3f} | {f.precision:.3f} | {f.map50:.3f} | {f.exact} of {f.photos} |"
            f" {f.placed:.3f} | {f.ms:.0f} |",
        ]
    )


def _each(results: list[PhotoResult]) -> str:
    rows = ["| photo | tiles | right | place found | wrong finds | ms |", "|---|---|---|---|---|---|"]
    for r in results:
        s = r.suited
        rows.append(
            f"| {r.path.stem} | {int(s.sum())} | {int((r.named[s] >= 0).sum())} |"
            f" {int((r.match[s] >= 0).sum())} | {int(r.wrong.sum())} | {r.ms:.0f} |"
        )
    return "\n".join(rows)


def _confused(results: list[PhotoResult]) -> str:
    rows = ["## What is taken for what", "", "| tile | taken for | times |", "|---|---|---|"]
    for (true, called), times in confusions(results).most_common(30):
        rows.append(
            f"| {format_tile(true)} | {'not found' if called < 0 else format_tile(called)} | {times} |"
        )
    suits: dict[str, list[int]] = {"m": [0, 0], "s": [0, 0], "p": [0, 0]}
    for r in results:
        for true, named in zip(r.truth, r.named, strict=True):
            if true < KINDS:
                suits[format_tile(int(true))[1]][0] += int(named >= 0)
                suits[format_tile(int(true))[1]][1] += 1
    rows += ["", "Recall by suit: " + ", ".join(f"{k} {a}/{b}" for k, (a, b) in suits.items() if b) + "."]
    return "\n".join(rows)


def _worst(results: list[PhotoResult]) -> str:
    def errors(r: PhotoResult) -> int:
        return int((r.named[r.suited] < 0).sum()) + int(r.wrong.sum())

    worst = sorted(results, key=errors, reverse=True)[:5]
    lines = [
        f"- {r.path.stem}: {errors(r)} errors in {int(r.suited.sum())} tiles" for r in worst if errors(r)
    ]
    return "\n".join(["## Worst pictures", "", *lines])


def _scenes(f: SceneFigures) -> str:
    return "\n".join(
        [
            "## Rendered scenes of seeds that were not trained on (stage 1, where the tiles are)",
            "",
            f"{f.scenes} scenes, 1280×720; outlines at polygon IoU ≥ 0.5; tiles that show less than 55 %"
            " don't count.",
            "",
            "| faces: recall | precision | of them under 20 px: recall | backs: recall | precision |",
            "|---|---|---|---|---|",
            f"| {f.faces[0]:.3f} | {f.faces[1]:.3f} | {f.small:.3f} | {f.backs[0]:.3f} | {f.backs[1]:.3f} |",
            "",
            f"Mean IoU of found outlines with the true ones: {f.fit:.3f}. The best oriented rectangle round"
            f" each true outline has {f.rectangle:.3f}: what a head for oriented boxes could reach at most.",
        ]
    )
