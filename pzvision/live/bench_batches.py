"""Whether several tables' pictures are found quicker in one run: ``python -m pzvision.live.bench_batches``.

The finder is exported for one picture a run. Its first half (all layers before the attention, some half of
its time) takes any number: that half is run on one picture and on several together, and the processor time a
picture is printed. Needs ``onnx`` (extra ``train``).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pzvision.live.bench_parts import plan_parser
from pzvision.vision.calibration import load
from pzvision.vision.capture import open_source
from pzvision.vision.detector import FINDER_FILE, TileDetector, find_model
from pzvision.vision.tableview import TableDetector

SIZES: Final = (1, 2, 4)
_APART_S: Final = 5.0  # s between the pictures that are taken
_ATTENTION: Final = "attn"


def first_half(data: bytes) -> bytes:
    """The part of an ONNX model that comes before its attention, for any number of pictures.

    Raises `ValueError` when it has no attention.
    """
    import onnx

    model = onnx.load_from_string(data)
    graph = model.graph
    made_by = {name: node for node in graph.node for name in node.output}
    block = next((node.name.split("/m/")[0] for node in graph.node if _ATTENTION in node.name), None)
    if block is None:
        raise ValueError("first_half: expected a network with attention")
    cut = next(n for n in graph.node if n.name.startswith(block + "/")).input[0]
    kept: list[Any] = []
    wanted = [cut]
    while wanted:
        node = made_by.get(wanted.pop())
        if node is not None and node not in kept:
            kept.append(node)
            wanted.extend(node.input)
    ordered = [node for node in graph.node if node in kept]
    del graph.node[:], graph.output[:], graph.value_info[:]
    graph.node.extend(ordered)
    graph.output.append(onnx.helper.make_tensor_value_info(cut, onnx.TensorProto.FLOAT, None))
    graph.input[0].type.tensor_type.shape.dim[0].dim_param = "n"
    return bytes(model.SerializeToString())


def open_half(data: bytes, threads: int) -> Any:
    """A session of `first_half` (onnxruntime, CPU): ``run(None, {"image": (n, H, W, 3) uint8})``."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3  # what is left over of the other half
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def measure(session: Any, pictures: npt.NDArray[np.uint8], size: int, runs: int) -> float:
    """Median processor time a picture, ms, of ``runs`` runs on the first of ``pictures`` ``(n, H, W, 3)``.

    ``size``: how many of them are looked at in a run.
    """
    taken = []
    for _ in range(runs):
        begun = time.process_time()
        session.run(None, {"image": pictures[:size]})
        taken.append(1000 * (time.process_time() - begun) / size)
    return float(np.median(taken))


def main(argv: Sequence[str] | None = None) -> None:
    """See the module. Raises `PzvisionError` for a recording or calibration that cannot be read."""
    words = __doc__.splitlines()[0] if __doc__ else None
    parser = argparse.ArgumentParser(description=words, parents=[plan_parser()])
    parser.add_argument("--runs", type=int, default=24, help="of each size (default 24)")
    args = parser.parse_args(argv)
    detector = TileDetector(threads=args.threads or 1)
    finder, _ = detector.stages
    view = TableDetector(detector, load(args.calibration)).view
    source = open_source(str(args.recording))
    canvases = []
    for frame in source.frames(every=_APART_S):
        image = view.warp(frame.image)
        canvas, _ = finder.prepare(image, finder.scale(image))
        canvases.append(canvas.reshape(canvas.shape[-3:]))
        if len(canvases) == max(SIZES):
            break
    source.close()
    pictures = np.stack(canvases)
    session = open_half(first_half(find_model(FINDER_FILE).read_bytes()), args.threads or 1)
    height, width = pictures.shape[1:3]
    print(f"{width}×{height}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for size in SIZES * 2:
        ms = measure(session, pictures, size, args.runs)
        print(f"{size} in a run: {ms:.1f} ms of processor a picture", flush=True)


if __name__ == "__main__":
    main()
