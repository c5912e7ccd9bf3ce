"""Writes ``REPORT.md``: the detector's figures on photos and rendered scenes, confusions, worst pictures."""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.tiles import KINDS, format_tile
from pzvision.train.evaluate import (
    Figures,
    PhotoResult,
    confusions,
    evaluate_photos,
    figures,
)
from pzvision.train.evaluate_scenes import (
    FACES_A_TABLE,
    HELD_OUT_PHOTOS,
    SceneFigures,
    TableResult,
    evaluate_scenes,
    evaluate_tables,
    held_out_sets,
    mark_errors,
    table_figures,
    table_scene,
)
from pzvision.train.plots import Reliability, draw_confusion, draw_reliability, draw_worst, reliability
from pzvision.vision.detector import TileDetector


@dataclass(frozen=True)
class ReportPlan:
    """What the report looks at.

    Attributes:
        models: folder with ``finder.onnx`` and ``reader.onnx``; the report and its pictures go there.
        photos: folder of labelled photos; None leaves that part out.
        only: beginnings of the photos' names; all where empty.
        scenes: rendered scenes of every arrangement for stage 1; 0 leaves that part out.
        tables: rendered tables of held-out looks for both stages; 0 leaves that part out.
        crops: folder of single faces, for a held-out set of photographed ones.
    """

    models: Path
    photos: Path | None = None
    only: tuple[str, ...] = ()
    scenes: int = 60
    tables: int = 100
    crops: Path | None = None


def write_report(plan: ReportPlan) -> Path:
    """Judge the models in a folder and write ``REPORT.md`` and its pictures there.

    Raises `PzvisionError` where a model or the photos are missing.
    """
    if plan.photos is not None and not plan.photos.is_dir():
        raise PzvisionError(f"--photos {plan.photos}: no such folder")
    detector = TileDetector(plan.models, threads=2, backend="onnxruntime")
    parts = [
        "# How well the detector does",
        f"Written by `pzvision train --evaluate` on {datetime.date.today():%Y-%m-%d}; "
        f"{', '.join(detector.providers)}, 2 threads. {_digests(plan.models)}",
    ]
    series: dict[str, Reliability] = {}
    if plan.photos is not None:
        results = evaluate_photos(detector, plan.photos, plan.only)
        parts += [_photos(figures(results)), _each(results), _confused(results), _worst(results)]
        series["photos"] = reliability(*_sure_and_right(results))
    tables: list[TableResult] = []
    if plan.tables > 0:
        tables = evaluate_tables(detector, plan.tables, crops=plan.crops)
        parts.append(_tables(tables))
        pairs = Counter(
            (int(t), int(c)) for r in tables for t, c in zip(r.truth, r.called, strict=True) if t < KINDS
        )
        draw_confusion(pairs, plan.models / "confusion.png")
        draw_worst(_worst_tables(detector, tables, plan.crops), plan.models / "worst.jpg")
        series["rendered tables"] = reliability(
            np.concatenate([r.sure for r in tables]), np.concatenate([r.right for r in tables])
        )
    if series:
        parts.append(_reliability(series))
        draw_reliability(series, plan.models / "reliability.png")
    if plan.scenes > 0:
        parts.append(_scenes(evaluate_scenes(detector, plan.scenes)))
    path = plan.models / "REPORT.md"
    partial = path.with_suffix(".partial")
    partial.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    partial.replace(path)
    return path


def _digests(models: Path) -> str:
    names = [
        n for n in ("finder.onnx", "outliner.onnx", "reader.onnx", "context.onnx") if (models / n).is_file()
    ]
    sums = [f"{name} {hashlib.sha256((models / name).read_bytes()).hexdigest()[:12]}" for name in names]
    return "sha256: " + ", ".join(sums) + "."


def _sure_and_right(results: list[PhotoResult]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    suited = [r.found.class_ids < KINDS for r in results]
    return (
        np.concatenate([r.found.confidences[s] for r, s in zip(results, suited, strict=True)]),
        np.concatenate([~r.wrong[s] for r, s in zip(results, suited, strict=True)]),
    )


def _tables(results: list[TableResult]) -> str:
    rows = [
        "## Rendered tables of looks that were not trained on (both stages)",
        "",
        f"1280×720, a game with at least {FACES_A_TABLE} faces that count; IoU ≥ 0.5 and the right name; what"
        " counts: at least 55 % in view, 10 px (root of area), 6 px across. `hlin117` are photographed faces"
        " that the reader and the last training of the finder never saw; the others are drawn, with motifs of"
        " their own.",
        "",
        "| faces | tables | suited tiles | recall | precision | tables without an error |",
        "|---|---|---|---|---|---|",
    ]
    for name in (*sorted({r.look for r in results}), ""):
        f = table_figures([r for r in results if name in ("", r.look)])
        rows.append(
            f"| {name or 'all'} | {f.tables} | {f.tiles} | {f.recall:.3f} | {f.precision:.3f} |"
            f" {f.exact:.2f} |"
        )
    px = np.concatenate([r.px[r.suited] for r in results])
    named = np.concatenate([r.named[r.suited] for r in results])
    sizes = ((10, 14), (14, 18), (18, 24), (24, 34), (34, 1000))
    by_size = [(low, high, named[(px >= low) & (px < high)]) for low, high in sizes]
    rows += [
        "",
        "Recall by size (root of area, px): "
        + ", ".join(
            f"{low}–{high} {share.mean():.3f} of {len(share)}"
            if high < 1000
            else f"from {low} {share.mean():.3f} of {len(share)}"
            for low, high, share in by_size
            if len(share)
        )
        + ".",
    ]
    wrong: Counter[tuple[int, int]] = Counter()
    for r in results:
        for true, called, right in zip(r.truth, r.called, r.named, strict=True):
            if true < KINDS and not right:
                wrong[int(true), int(called)] += 1
    missed = sum(times for (_, called), times in wrong.items() if called < 0)
    named_wrong = sum(wrong.values()) - missed
    stray = sum(int((~r.right).sum()) for r in results)
    often = [
        f"{format_tile(true)} → {format_tile(called)} ×{times}"
        for (true, called), times in wrong.most_common()
        if called >= 0
    ]
    rows += [
        "",
        f"Not found or refused: {missed}; found under another name: {named_wrong}; suited finds that are"
        f" wrong: {stray}. Most often taken for another: " + ", ".join(often[:12]) + ".",
        "",
        "![What is taken for what](confusion.png)",
        "",
        "The tables with the most errors (red: suited finds that are wrong; orange: missed or misnamed):",
        "",
        "![Worst tables](worst.jpg)",
    ]
    return "\n".join(rows)


def _worst_tables(
    detector: TileDetector, results: list[TableResult], crops: Path | None
) -> list[npt.NDArray[Any]]:
    """The drawn tables with the most errors, errors marked (photographed faces are not shown)."""
    sets = held_out_sets(crops)
    drawn = [r for r in results if r.look != HELD_OUT_PHOTOS]
    pictures = []
    for r in sorted(drawn, key=lambda r: r.errors, reverse=True)[:3]:
        scene = table_scene(sets[r.look], r.seed)
        if scene is not None:
            pictures.append(mark_errors(scene, detector(scene.image)))
    return pictures


def _reliability(series: dict[str, Reliability]) -> str:
    rows = [
        "## How far confidences can be believed",
        "",
        "Confidence: the finder's score times the reader's probability of the name. Expected calibration"
        " error (10 bins): " + ", ".join(f"{name} {r.error:.3f}" for name, r in series.items()) + ".",
        "",
        "![Reliability](reliability.png)",
    ]
    return "\n".join(rows)


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
            f"{f.scenes} scenes of every arrangement, 1280×720; outlines at polygon IoU ≥ 0.5. Of the tiles"
            f" at least 55 % in view {sum(f.tiles)} count; {f.passed_over} are smaller than 10 px (root of"
            " area) or 6 px across, and finds on them are neither right nor wrong.",
            "",
            "| faces: recall | precision | of them under 20 px: recall | backs: recall | precision |",
            "|---|---|---|---|---|",
            f"| {f.faces[0]:.3f} | {f.faces[1]:.3f} | {f.small:.3f} | {f.backs[0]:.3f} | {f.backs[1]:.3f} |",
            "",
            f"Mean IoU of found outlines with the true ones: {f.fit:.3f}. The best oriented rectangle round"
            f" each true outline has {f.rectangle:.3f}: what a head for oriented boxes could reach at most.",
        ]
    )
