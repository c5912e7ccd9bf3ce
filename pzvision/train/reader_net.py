"""The face reader's network: a small residual CNN, its loss, and its ONNX form."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import torch
import torch.nn.functional as F
from torch import nn

from pzvision.tiles import OTHER
from pzvision.train.onnx_file import write_onnx
from pzvision.vision.rectify import SIZE

CLASSES: Final = OTHER + 1
TURNS: Final = 4
WIDTHS: Final = (32, 64, 128, 192)
DEPTHS: Final = (1, 2, 2)

# Kinds whose faces look the same upside down in most sets: which way is up cannot be asked of them.
SYMMETRIC: Final = (19, 20, 21, 22, 25, 26, 10, 12, 13, 14, 16, 17)
ROUND: Final = 18
"""1筒 looks much the same from all four sides."""


class Block(nn.Module):  # type: ignore[misc]
    """Two 3×3 convolutions and a way past them; ``stride`` 2 halves the picture."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.past: nn.Module = nn.Identity()
        if stride == 2 or inputs != outputs:
            self.past = nn.Sequential(
                nn.AvgPool2d(stride), nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Maps ``(N, C, H, W)`` to maps ``(N, D, H/stride, W/stride)``."""
        y = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(y)) + self.past(x))


class ReaderNet(nn.Module):  # type: ignore[misc]
    """``(N, 3, SIZE, SIZE)`` float BGR 0–255 → logits ``(N, 28)`` of the kind, ``(N, 4)`` of the rotation."""

    def __init__(self, widths: tuple[int, ...] = WIDTHS, depths: tuple[int, ...] = DEPTHS) -> None:
        super().__init__()
        layers: list[nn.Module] = [
            nn.Conv2d(3, widths[0], 3, 2, 1, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(),
        ]
        inputs = widths[0]
        for outputs, depth in zip(widths[1:], depths, strict=True):
            for index in range(depth):
                layers.append(Block(inputs, outputs, 2 if index == 0 else 1))
                inputs = outputs
        self.features = nn.Sequential(*layers)
        # The last map is read in place (3 × 3 positions), since a face's layout is its name.
        self.squeeze = nn.Sequential(nn.Conv2d(inputs, 64, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU())
        side = SIZE // 16
        self.drop = nn.Dropout(0.1)
        self.kinds = nn.Linear(inputs + 64 * side * side, CLASSES)
        self.turns = nn.Linear(inputs + 64 * side * side, TURNS)

    def look(self, x: torch.Tensor) -> torch.Tensor:
        """Of ``(N, 3, H, W)``, the numbers ``(N, D)`` that both answers are made of, for `pzvision adapt`."""
        # Takes out exposure and the light's colour: each channel around its mean, one scale for all three.
        x = x - x.mean((2, 3), keepdim=True)
        x = x / (x.square().mean((1, 2, 3), keepdim=True).sqrt() + 4.0)
        y = self.features(x)
        return torch.cat([y.mean((2, 3)), self.squeeze(y).flatten(1)], 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Faces ``(N, 3, H, W)`` to logits of the kinds ``(N, 28)`` and of the way up ``(N, 4)``."""
        flat = self.drop(self.look(x))
        return self.kinds(flat), self.turns(flat)


def loss(
    kinds: torch.Tensor, turns: torch.Tensor, kind: torch.Tensor, turn: torch.Tensor, smoothing: float = 0.05
) -> torch.Tensor:
    """Cross entropy of both answers, a scalar. Symmetric faces may be read either way up.

    `kinds`: logits ``(N, 28)``; `kind`: ``(N,)``. `turns`: logits ``(N, 4)``; `turn`: ``(N,)``, −1 unknown.
    `smoothing`: share of the target that all kinds get.
    """
    first = F.cross_entropy(kinds, kind, label_smoothing=smoothing)
    known = (turn >= 0) & (kind != ROUND)
    if not bool(known.any()):
        return first
    logp = F.log_softmax(turns[known], 1)
    here = turn[known]
    direct = logp.gather(1, here[:, None])[:, 0]
    flipped = logp.gather(1, ((here + 2) % 4)[:, None])[:, 0]
    either = torch.logaddexp(direct, flipped)
    free = torch.isin(kind[known], torch.tensor(SYMMETRIC))
    second = -torch.where(free, either, direct)
    return first + 0.25 * second.mean()


class _Exported(nn.Module):  # type: ignore[misc]
    """What the ONNX file does: uint8 pictures in, calibrated distributions out."""

    def __init__(self, net: ReaderNet, temperature: float) -> None:
        super().__init__()
        self.net, self.temperature = net, temperature

    def forward(self, faces: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        flat = self.net.look(faces.permute(0, 3, 1, 2).float())
        kinds, turns = self.net.kinds(flat), self.net.turns(flat)
        return (kinds / self.temperature).softmax(1), turns.softmax(1), flat


def export(net: ReaderNet, path: Path, *, temperature: float, metadata: dict[str, str] | None = None) -> None:
    """Write ``path``: ``faces`` (N, SIZE, SIZE, 3) uint8 BGR in; ``kinds`` (N, 28), ``turns`` (N, 4)
    and ``features`` (N, D) out. ``temperature``: factor the logits are divided by."""
    notes = {"temperature": f"{temperature:.4f}", **(metadata or {})}
    write_onnx(_Exported(net, temperature), path, SIZE, ("faces", ("kinds", "turns", "features")), notes)
