"""The finder network: a YOLO11 body with a head that describes each tile as a parallelogram.

A tile on a table is seen at a slant, so an oriented *rectangle* around it also holds parts of its
neighbours. The head here gives, per anchor, the four distances to the sides of the axis-aligned box
(as YOLO does, without the distribution layer), and four numbers for the shape inside that box. With
half edges ``u`` and ``v`` as complex numbers, a parallelogram is the set ``{±u, ±v}``, whose invariants
``u² + v²`` and ``u² v²`` do not depend on which edge is called which. They change smoothly as the tile
turns, where an angle or a list of corners has a jump that a network cannot learn.
`pzvision.vision.obb.decode_shape` turns them back into corners.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import yaml
from torch import Tensor, nn
from ultralytics.nn.modules import Conv, DWConv
from ultralytics.nn.tasks import parse_model

CLASS_NAMES = ("face", "back")
STRIDES = (8, 16, 32)
OUTPUTS = 4 + 4 + len(CLASS_NAMES)
"""Channels per anchor: left, top, right, bottom (strides), four shape numbers, class logits."""


@dataclass(frozen=True)
class FinderSize:
    """Factors on width and depth of YOLO11 (``n`` is 0.25 and 0.5)."""

    width: float = 0.125
    depth: float = 0.5


def _body(size: FinderSize) -> tuple[nn.Sequential, list[int], list[int]]:
    """YOLO11's backbone and neck, its layers to keep, and the channels of its three outputs."""
    import ultralytics

    path = Path(ultralytics.__file__).parent / "cfg" / "models" / "11" / "yolo11.yaml"
    spec: dict[str, Any] = yaml.safe_load(path.read_text())
    spec["scales"] = {"x": [size.depth, size.width, 1024]}
    spec["scale"] = "x"
    spec["nc"] = len(CLASS_NAMES)
    sources = spec["head"][-1][0]
    model, save = parse_model(spec, ch=3, verbose=False)
    channels = [layer[0].conv.in_channels for layer in model[-1].cv2]
    return model[:-1], sorted({*save, *sources}), channels


class Finder(nn.Module):  # type: ignore[misc]
    """Picture ``(B, 3, H, W)`` in 0–1, RGB, ``H`` and ``W`` multiples of 32 → ``(B, A, 10)``.

    ``A`` anchors: stride 8 row by row, then 16, then 32; ``classes`` columns of the 10 are classes, the last
    of them the back. In training mode the class columns are
    logits; in evaluation mode they are probabilities and the box columns are px ``x1, y1, x2, y2``.
    """

    def __init__(self, size: FinderSize | None = None, classes: int = len(CLASS_NAMES)) -> None:
        super().__init__()
        self.size, self.classes = size or FinderSize(), classes
        self.body, self.keep, channels = _body(self.size)
        box = max(16, channels[0])
        self.shape_heads = nn.ModuleList(
            nn.Sequential(Conv(c, box, 3), Conv(box, box, 3), nn.Conv2d(box, 8, 1)) for c in channels
        )
        self.class_heads = nn.ModuleList(
            nn.Sequential(DWConv(c, c, 3), Conv(c, box, 1), DWConv(box, box, 3), nn.Conv2d(box, classes, 1))
            for c in channels
        )
        for shape, names, stride in zip(self.shape_heads, self.class_heads, STRIDES, strict=True):
            shape[-1].bias.data[:4] = 1.0
            names[-1].bias.data[:] = -4.0 - 0.5 * (32 // stride == 4)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eps, module.momentum = 1e-3, 0.03
            elif isinstance(module, nn.SiLU):
                module.inplace = True

    def features(self, x: Tensor) -> list[Tensor]:
        """The three maps ``(N, C, H/s, W/s)`` for strides s = 8, 16, 32 of pictures ``(N, 3, H, W)``."""
        kept: list[Tensor | None] = []
        for layer in self.body:
            if layer.f != -1:
                x = (
                    kept[layer.f]
                    if isinstance(layer.f, int)
                    else [x if j == -1 else kept[j] for j in layer.f]
                )
            x = layer(x)
            kept.append(x if layer.i in self.keep else None)
        return [kept[i] for i in (16, 19, 22)]

    def forward(self, x: Tensor) -> Tensor:
        """Pictures ``(N, 3, H, W)``, RGB 0–1, to what the heads say of every cell, ``(N, A, 10)``."""
        maps = self.features(x)
        rows = []
        for m, shape, classes in zip(maps, self.shape_heads, self.class_heads, strict=True):
            rows.append(torch.cat([shape(m), classes(m)], 1).flatten(2))
        out = torch.cat(rows, 2).transpose(1, 2)
        if self.training:
            return out
        points, strides = anchors([(m.shape[2], m.shape[3]) for m in maps])
        low = (points - out[..., :2]) * strides
        high = (points + out[..., 2:4]) * strides
        return torch.cat([low, high, out[..., 4:8], out[..., 8:].sigmoid()], -1)


def anchors(sizes: list[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    """Cell centres ``(A, 2)`` in units of strides, and the stride ``(A, 1)`` px of each anchor."""
    points, strides = [], []
    for (h, w), stride in zip(sizes, STRIDES, strict=True):
        ys, xs = torch.meshgrid(torch.arange(h) + 0.5, torch.arange(w) + 0.5, indexing="ij")
        points.append(torch.stack([xs, ys], -1).reshape(-1, 2))
        strides.append(torch.full((h * w, 1), float(stride)))
    return torch.cat(points), torch.cat(strides)


def shape_code(quads: Tensor) -> Tensor:
    """Corners ``(..., 4, 2)`` px in order round the tile → the shape numbers ``(..., 4)``, each in -1…1.

    Source: the half edges of the parallelogram nearest to the quad; see the module's text.
    """
    a = (quads[..., 1, :] + quads[..., 2, :] - quads[..., 0, :] - quads[..., 3, :]) / 4
    b = (quads[..., 2, :] + quads[..., 3, :] - quads[..., 0, :] - quads[..., 1, :]) / 4
    u = torch.complex(a[..., 0].float(), a[..., 1].float()) ** 2
    v = torch.complex(b[..., 0].float(), b[..., 1].float()) ** 2
    rho = (u.abs() + v.abs()).clamp(min=1e-6)
    s, q = (u + v) / rho, 4 * u * v / rho**2
    return torch.stack([s.real, s.imag, q.real, q.imag], -1)
