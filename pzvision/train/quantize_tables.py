"""The outliner and the context reader in eight bits, kept where whole tables are read as well with them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.synth.faces import DrawnFaces, random_look
from pzvision.synth.scenes import Scene
from pzvision.train.evaluate_scenes import judge_table, table_scene
from pzvision.train.quantize import Faces, QuantizePlan, quantize
from pzvision.vision.context import ContextReader
from pzvision.vision.detector import DetectorConfig, TileDetector, find_model
from pzvision.vision.finder import FACE
from pzvision.vision.obb import side_px
from pzvision.vision.outliner import Outliner
from pzvision.vision.session import Network

NETWORKS: Final = ("outliner", "context")
"""What can be written in eight bits here."""

_NEEDED: Final = ("finder.onnx", "reader.onnx", "reader.int8.onnx", "outliner.onnx", "context.onnx")


@dataclass(frozen=True)
class TablesPlan:
    """What sets the ranges, and when the result is taken.

    Attributes:
        calibration_tables, test_tables: rendered tables, every one of another look drawn as in training.
        seed: of both; no table is in both.
        most_more: by what share the errors on the test tables may grow.
    """

    calibration_tables: int = 24
    test_tables: int = 80
    seed: int = 660_003
    most_more: float = 0.01


def quantize_tables(
    models: Path, wanted: Sequence[str] = NETWORKS, plan: TablesPlan | None = None
) -> dict[str, tuple[int, int]]:
    """Write ``outliner.int8.onnx`` and ``context.int8.onnx`` beside the networks they are made from.

    Args:
        models: folder with all the models.
        wanted: some of `NETWORKS`.
        plan: how they are made and judged.

    Returns:
        For each the number of errors on the test tables with the exact one and with the one in eight bits.

    Raises:
        PzvisionError: a model is missing, or one gets worse than ``plan`` allows (it is not written).
    """
    plan = plan or TablesPlan()
    for name in wanted:
        find_model(f"{name}.onnx", models)
    given = _given(models, [scene for _, scene in _tables(plan.calibration_tables, plan.seed)])
    judged = list(_tables(plan.test_tables, plan.seed + 1))
    before = _errors(models, {}, judged)
    results = {}
    for name in wanted:
        candidate = models / f"{name}.candidate.onnx"
        try:
            quantize(models / f"{name}.onnx", candidate, given[name], QuantizePlan(), features=False)
            after = _errors(models, {f"{name}.onnx": candidate}, judged)
            if after > before * (1 + plan.most_more):
                raise PzvisionError(
                    f"{name} in eight bits loses too much: {after} errors on {len(judged)} rendered tables"
                    f" instead of {before}; at most {plan.most_more:.0%} more may be"
                )
            candidate.replace(models / f"{name}.int8.onnx")
        finally:
            candidate.unlink(missing_ok=True)
        results[name] = (before, after)
    return results


def _tables(count: int, seed: int) -> Iterator[tuple[tuple[int, int], Scene]]:
    index = made = 0
    while made < count:
        faces = DrawnFaces(random_look(np.random.default_rng([seed, 1, index])), 176)
        scene = table_scene(faces, (seed, index))
        if scene is not None:
            yield (seed, index), scene
            made += 1
        index += 1


class _Noted:
    """A network that keeps what it was given."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.given: list[Faces] = []

    def run(self, feed: npt.NDArray[Any]) -> list[npt.NDArray[np.float32]]:
        self.given.append(feed.copy())
        return self.network.run(feed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.network, name)


def _given(models: Path, scenes: Sequence[Scene]) -> dict[str, Faces]:
    """What the two networks are given on these tables."""
    alone = DetectorConfig(outliner=None, context=None)
    finder, reader = TileDetector(models, config=alone, threads=1, backend="onnxruntime").stages
    outliner = Outliner(models / "outliner.onnx", threads=1, backend="onnxruntime")
    context = ContextReader(models / "context.onnx", threads=1, backend="onnxruntime")
    outlined, read = _Noted(outliner.network), _Noted(context.network)
    outliner.network, context.network = outlined, read
    assert reader is not None
    for scene in scenes:
        finds = finder(scene.image)
        small = side_px(finds.quads) * finder.scale(scene.image) <= outliner.config.largest_px
        quads, _ = outliner(scene.image, finds.quads[(finds.classes == FACE) & small])
        if len(quads):
            reading, quads = reader.read_quads(scene.image, quads)
            context(scene.image, quads, reading.probs / reading.probs.sum(axis=1, keepdims=True))
    if not outlined.given or not read.given:
        raise PzvisionError(
            "nothing to set the ranges by: no doubtful faces are found on the rendered tables"
        )
    return {"outliner": np.concatenate(outlined.given), "context": np.concatenate(read.given)}


def _errors(
    models: Path, instead: Mapping[str, Path], tables: Sequence[tuple[tuple[int, int], Scene]]
) -> int:
    """Errors on tables, some models replaced, the outliner and the context reader else exact."""
    with tempfile.TemporaryDirectory() as work:
        for name in _NEEDED:
            if (models / name).is_file():
                shutil.copy(instead.get(name, models / name), Path(work) / name)
        detector = TileDetector(Path(work), threads=1, backend="onnxruntime")
        return sum(judge_table(scene, detector(scene.image), "", key).errors for key, scene in tables)
