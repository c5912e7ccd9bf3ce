"""From a checkpoint to an ONNX file that takes a picture as OpenCV reads it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from pzvision.train.finder import CLASS_NAMES, STRIDES, Finder, FinderSize
from pzvision.train.loop import load_checkpoint


class _Deployed(nn.Module):  # type: ignore[misc]
    """``(1, H, W, 3)`` uint8 BGR → ``(A, 10)`` raw rows; scale and channel order are in the first layer."""

    def __init__(self, model: Finder) -> None:
        super().__init__()
        self.model = model.eval()
        weight = model.body[0].conv.weight.data
        weight.copy_(weight.flip(1) / 255)

    def forward(self, image: Tensor) -> Tensor:
        x = image.permute(0, 3, 1, 2).float()
        maps = self.model.features(x)
        rows = [
            torch.cat([shape(m), classes(m)], 1).flatten(2)
            for m, shape, classes in zip(maps, self.model.shape_heads, self.model.class_heads, strict=True)
        ]
        return torch.cat(rows, 2).transpose(1, 2)[0]


def export_finder(checkpoint: Path, out: Path) -> Path:
    """Write the averaged weights of a checkpoint as ONNX with free height and width (multiples of 32)."""
    import onnx
    import onnxslim

    state = load_checkpoint(checkpoint)
    model = Finder(FinderSize(**state["size"]))
    model.load_state_dict(state["average"])
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_suffix(".partial")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _Deployed(model),
            (torch.zeros(1, 544, 960, 3, dtype=torch.uint8),),
            str(partial),
            input_names=["image"],
            output_names=["rows"],
            dynamic_axes={"image": {1: "height", 2: "width"}, "rows": {0: "anchors"}},
            opset_version=17,
            dynamo=False,
        )
    graph = onnxslim.slim(onnx.load(str(partial)))
    notes = {
        "task": "pzvision-finder",
        "classes": json.dumps(CLASS_NAMES),
        "strides": json.dumps(STRIDES),
        "images_seen": str(int(state["images"])),
        "licence": "AGPL-3.0-or-later",
    }
    for key, value in notes.items():
        entry = graph.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(graph, str(partial))
    partial.replace(out)
    return out


def slim_checkpoint(checkpoint: Path, out: Path) -> Path:
    """Copy a checkpoint without the optimiser's state: enough to start another run from (``--start``)."""
    state = load_checkpoint(checkpoint)
    partial = out.with_suffix(".partial")
    torch.save({name: value for name, value in state.items() if name != "optimiser"}, partial)
    partial.replace(out)
    return out
