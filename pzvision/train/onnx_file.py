"""Writes the small networks, which look at cut-outs, as ONNX files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn

LICENCE: Final = "AGPL-3.0-or-later"


def write_onnx(
    net: nn.Module, path: Path, side: int, names: tuple[str, tuple[str, ...]], notes: dict[str, str]
) -> Path:
    """Write ``net``, which takes ``(N, side, side, 3)`` uint8 BGR, and return ``path``.

    Args:
        net: what to write; its outputs have N rows.
        path: the file. ``side``: of the cut-outs, px.
        names: of the input and of the outputs.
        notes: kept in the file (``metadata_props``), with the licence.
    """
    import onnx

    path.parent.mkdir(parents=True, exist_ok=True)
    given, told = names
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            net.eval(),
            (torch.zeros(2, side, side, 3, dtype=torch.uint8),),
            str(path),
            dynamo=False,
            opset_version=17,
            input_names=[given],
            output_names=list(told),
            dynamic_axes={name: {0: "n"} for name in (given, *told)},
        )
    stored: Any = onnx.load(str(path))
    for key, value in {"licence": LICENCE, **notes}.items():
        entry = stored.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(stored, str(path))
    return path
