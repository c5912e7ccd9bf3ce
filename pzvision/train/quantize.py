"""Networks in eight bits: ``python -m pzvision.train.quantize --models models``.

Writes ``reader.int8.onnx`` beside ``reader.onnx``, with the ``features`` output that `pzvision adapt` needs.
It is only kept when it names faces as well as the one it was made from. So it does for the context reader
and, where asked, the outliner (`quantize_tables`), which are judged by whole tables.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.tiles import BACK, OTHER
from pzvision.vision.reader import FaceReader, ReaderConfig
from pzvision.vision.rectify import GROW, rectify
from pzvision.vision.session import digest

Faces = npt.NDArray[np.uint8]
"""``(N, SIZE, SIZE, 3)`` BGR."""
Kinds = npt.NDArray[np.int64]
"""``(N,)``, 0–27."""

FEATURES: Final = "features"


@dataclass(frozen=True)
class QuantizePlan:
    """How the reader is quantised and when the result is taken.

    Attributes:
        calibration_scenes, test_scenes: rendered scenes whose faces set the ranges and judge the result.
        seed: of both; no scene is in both.
        jitter: standard deviation of an outline's corners, in parts of its side, as a finder's would be.
        batch: faces per calibration step.
        most_lost: share of the test faces that may be lost.
        most_nll: by how much the mean negative log-likelihood of the truth may grow, nats.
        narrow: weights in seven bits, for processors whose eight-bit products saturate (AVX2 without VNNI).
    """

    calibration_scenes: int = 40
    test_scenes: int = 80
    seed: int = 660_001
    jitter: float = 0.03
    batch: int = 64
    most_lost: float = 0.004
    most_nll: float = 0.01
    narrow: bool = True


@dataclass(frozen=True)
class Comparison:
    """The same faces read by both.

    Attributes:
        faces: how many.
        right: share read rightly by the exact reader and by the eight-bit one.
        nll: mean negative log-likelihood of the truth, nats, of both.
        agree: share of equal names.
    """

    faces: int
    right: tuple[float, float]
    nll: tuple[float, float]
    agree: float

    def __str__(self) -> str:
        return (
            f"{self.faces} faces: right {self.right[0]:.4f} exact, {self.right[1]:.4f} in eight bits;"
            f" nll {self.nll[0]:.4f}, {self.nll[1]:.4f}; same name {self.agree:.4f}"
        )


def scene_faces(count: int, seed: int, jitter: float) -> tuple[Faces, Kinds]:
    """Faces cut from ``count`` rendered scenes, and their classes 0–27.

    ``jitter``: deviation by which corners are shaken, as a share of the side.
    """
    from pzvision.synth.scenes import SceneConfig, random_scene

    faces, kinds = [], []
    for index in range(count):
        rng = np.random.default_rng([seed, index])
        config = SceneConfig(tile_px=(20.0, 90.0), no_tiles=0.0, hard=0.8)
        scene = random_scene(rng, size=(1280, 720), config=config)
        picked = (scene.visible > 0.8) & (scene.classes != BACK)
        quads = scene.polygons[picked]
        sides = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2).mean(axis=1)
        quads = quads + rng.normal(0, jitter, quads.shape) * sides[:, None, None]
        turns = rng.integers(4, size=len(quads))
        order = (np.arange(4)[None] + turns[:, None]) % 4
        quads = np.take_along_axis(quads, order[..., None], axis=1)
        centre = quads.mean(axis=1, keepdims=True)
        faces.append(rectify(scene.image, (centre + (quads - centre) * (1 + GROW)).astype(np.float32)))
        kinds.append(np.minimum(scene.classes[picked], OTHER))
    return np.concatenate(faces), np.concatenate(kinds).astype(np.int64)


def photo_faces(folder: Path, finder: Path, most: int, seed: int) -> tuple[Faces, Kinds]:
    """Faces of labelled photos, as the finder outlines them: at most ``most``, from photos drawn evenly.

    Raises `PzvisionError` where no tile is found in any.
    """
    from pzvision.train.boxes import read_photos
    from pzvision.train.data import read_picture
    from pzvision.train.evaluate import box_iou, match
    from pzvision.vision.finder import FACE, TileFinder

    look = TileFinder(finder, threads=2, backend="onnxruntime")
    faces: list[Faces] = []
    kinds: list[Kinds] = []
    photos = read_photos(folder)
    for index in np.random.default_rng(seed).permutation(len(photos)):
        photo = photos[index]
        image = read_picture(photo.path)
        finds = look(image)
        quads = finds.quads[finds.classes == FACE]
        if not len(quads) or not len(photo.boxes):
            continue
        size = np.array([image.shape[1], image.shape[0]] * 2)
        paired = match(box_iou(photo.boxes * size, np.concatenate([quads.min(1), quads.max(1)], 1)), 0.6)
        chosen = quads[paired[paired >= 0]]
        centre = chosen.mean(axis=1, keepdims=True)
        faces.append(rectify(image, centre + (chosen - centre) * (1 + GROW)))
        kinds.append(photo.classes[paired >= 0].astype(np.int64))
        if sum(len(k) for k in kinds) >= most:
            break
    if not faces:
        raise PzvisionError(f"{folder}: no labelled photo whose tiles are found")
    return np.concatenate(faces)[:most], np.concatenate(kinds)[:most]


def expose_features(model: Any) -> None:
    """Give a reader's ONNX model the numbers its last layer sees as a third output, ``features`` (N, D).

    One that has it stays as it is. Raises `PzvisionError` where there is no such layer.
    """
    import onnx

    graph = model.graph
    if any(o.name == FEATURES for o in graph.output):
        return
    gemm = _last_layer(graph)
    width = next(list(i.dims) for i in graph.initializer if i.name == gemm.input[1])
    flipped = any(a.name == "transB" and a.i for a in gemm.attribute)
    graph.node.append(onnx.helper.make_node("Identity", [gemm.input[0]], [FEATURES], name=FEATURES))
    shape = ["n", width[1] if flipped else width[0]]
    graph.output.append(onnx.helper.make_tensor_value_info(FEATURES, onnx.TensorProto.FLOAT, shape))
    onnx.checker.check_model(model)


def _last_layer(graph: Any) -> Any:
    """The fully connected layer whose answer becomes ``kinds``."""
    makers = {out: node for node in graph.node for out in node.output}
    node = makers.get("kinds")
    while node is not None and node.op_type != "Gemm":
        node = makers.get(node.input[0])
    if node is None:
        raise PzvisionError("reader: expected a fully connected layer before its output kinds")
    return node


def quantize(model: Path, out: Path, faces: Faces, plan: QuantizePlan, *, features: bool = True) -> Path:
    """Write a network in eight bits, ranges set by ``faces``, ``(N, S, S, 3)`` uint8 as it is given them.

    Convolutions and what lies between them are quantised; the light's correction before them and the last
    layers after them stay exact. ``features``: as a third output, of a reader.
    """
    import onnx
    from onnxruntime.quantization import (
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quantize_static,
    )
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Calibration(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self._rest = iter(np.array_split(faces, max(1, len(faces) // plan.batch)))

        def get_next(self) -> dict[str, Faces] | None:
            batch = next(self._rest, None)
            return None if batch is None else {name: np.ascontiguousarray(batch)}

    with tempfile.TemporaryDirectory() as work, _quiet():
        loaded = onnx.load(str(model))
        notes = {p.key: p.value for p in loaded.metadata_props}
        name = loaded.graph.input[0].name
        if features:
            expose_features(loaded)
        exposed = Path(work) / "exposed.onnx"
        onnx.save(loaded, str(exposed))
        prepared = Path(work) / "prepared.onnx"
        quant_pre_process(str(exposed), str(prepared), skip_symbolic_shape=True)
        graph = onnx.load(str(prepared)).graph
        quantised = Path(work) / "quantised.onnx"
        quantize_static(
            str(prepared),
            str(quantised),
            Calibration(),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=plan.narrow,
            nodes_to_exclude=_exact_nodes(graph),
        )
        result = onnx.load(str(quantised))
    del result.metadata_props[:]
    for key, value in {**notes, "source_sha256": digest(model), "arithmetic": "int8"}.items():
        entry = result.metadata_props.add()
        entry.key, entry.value = key, value
    partial = out.with_suffix(".partial")
    onnx.save(result, str(partial))
    partial.replace(out)
    return out


def _exact_nodes(graph: Any) -> list[str]:
    """Everything before the first convolution and from the first flattening after the last one on."""
    order = [node.op_type for node in graph.node]
    first = order.index("Conv")
    kept = {node.name for node in graph.node[:first]}
    makers = {out: node for node in graph.node for out in node.output}
    todo = [makers[o.name] for o in graph.output if o.name in makers]
    while todo:
        node = todo.pop()
        if node.name in kept or node.op_type in ("Conv", "Relu", "Add"):
            continue
        kept.add(node.name)
        todo.extend(makers[i] for i in node.input if i in makers)
    return sorted(kept)


@contextlib.contextmanager
def _quiet() -> Any:
    """The quantiser's advice and progress are not for the reader of our output."""
    logger = logging.getLogger()
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logger.setLevel(before)


def compare(exact: Path, small: Path, faces: Faces, kinds: Kinds, backend: str = "onnxruntime") -> Comparison:
    """Read the same faces with both, doubtful ones in four turns as always."""
    readings = [
        FaceReader(path, threads=2, config=ReaderConfig(), backend=where).read(faces)
        for path, where in ((exact, "onnxruntime"), (small, backend))
    ]
    rows = np.arange(len(kinds))
    nll = [float(-np.log(r.probs[rows, kinds] + 1e-7).mean()) for r in readings]
    right = [float((r.kinds == kinds).mean()) for r in readings]
    agree = float((readings[0].kinds == readings[1].kinds).mean())
    return Comparison(len(kinds), (right[0], right[1]), (nll[0], nll[1]), agree)


def quantize_reader(
    models: Path,
    plan: QuantizePlan | None = None,
    photos: Path | None = None,
    finder: Path | None = None,
) -> list[Comparison]:
    """Quantise and compare; keep ``reader.int8.onnx`` only where nothing is lost.

    Args:
        models: folder with ``reader.onnx`` (and ``finder.onnx`` where photos are judged).
        photos: labelled photos to judge on as well as on rendered scenes.
        finder: another finder than the folder's.

    Returns:
        One comparison for rendered scenes, and one for the photos if there are some.

    Raises:
        PzvisionError: no reader there, or the eight-bit one is worse than ``plan`` allows (it is removed).
    """
    plan = plan or QuantizePlan()
    model, out = models / "reader.onnx", models / "reader.int8.onnx"
    if not model.is_file():
        raise PzvisionError(f"missing model {model}: train it with pzvision train --stage reader")
    material, _ = scene_faces(plan.calibration_scenes, plan.seed, plan.jitter)
    judged = [scene_faces(plan.test_scenes, plan.seed + 1, plan.jitter)]
    if photos is not None:
        judged.append(photo_faces(photos, finder or models / "finder.onnx", 3000, plan.seed))
    candidate = out.with_name("reader.candidate.onnx")
    try:
        quantize(model, candidate, material, plan)
        results = [compare(model, candidate, *pair) for pair in judged]
        for result in results:
            _accept(result, plan)
        candidate.replace(out)
    finally:
        candidate.unlink(missing_ok=True)
    return results


def _accept(result: Comparison, plan: QuantizePlan) -> None:
    lost, grown = result.right[0] - result.right[1], result.nll[1] - result.nll[0]
    if not (lost <= plan.most_lost and grown <= plan.most_nll) or math.isnan(grown):
        raise PzvisionError(
            f"eight bits lose too much: {result}; at most {plan.most_lost} of the faces and"
            f" {plan.most_nll} nats may be lost; the reader stays as it is"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of this module. Raises SystemExit with one line where something cannot be done."""
    from pzvision.train.quantize_tables import NETWORKS, quantize_tables

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder with the models")
    parser.add_argument("--photos", type=Path, help="labelled photos to judge the reader on as well")
    parser.add_argument(
        "--what", choices=("all", "reader", *NETWORKS), default="all", help="all: what is used, both readers"
    )
    args = parser.parse_args(arguments)
    try:
        if args.what in ("all", "reader"):
            results = quantize_reader(args.models, photos=args.photos)
            for name, result in zip(("rendered scenes", "photos"), results, strict=False):
                print(f"{name}: {result}")
            print(f"written: {args.models / 'reader.int8.onnx'}")
        if args.what != "reader":
            wanted = ("context",) if args.what == "all" else (args.what,)
            for name, errors in quantize_tables(args.models, wanted).items():
                print(f"{name}: errors on rendered tables {errors[0]} exact, {errors[1]} in eight bits")
                print(f"written: {args.models / name}.int8.onnx")
    except PzvisionError as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
