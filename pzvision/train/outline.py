"""Trains the outliner (`pzvision.vision.outliner`), by the clock, resumable.

    python -m pzvision.train.outline --recipe datasets/outline.yaml --finder models/finder.onnx \\
        --out runs/outline --minutes 60 --export models

The pools of the recipe must have been built (`pzvision train-data`).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import cv2
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pzvision.train.clock import Batch, ClockRun, read_checkpoint, slim, train_by_clock
from pzvision.train.data import load_recipe
from pzvision.train.onnx_file import write_onnx
from pzvision.train.outline_data import OutlineStream, found_outlines
from pzvision.train.reader_net import Block
from pzvision.vision.outliner import CORNERS, SIZE

WIDTHS: Final = (24, 40, 64, 96)
_SURE: Final = 0.15  # weight of learning how far off the corners are


def _narrow(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


class OutlineNet(nn.Module):  # type: ignore[misc]
    """``(N, 3, SIZE, SIZE)`` float BGR 0–255 → corners' moves ``(N, 8)``, log distance ``(N,)``."""

    def __init__(self, widths: tuple[int, ...] = WIDTHS) -> None:
        super().__init__()
        self.near = nn.Sequential(
            nn.Conv2d(3, widths[0], 5, 2, 2, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(),
            Block(widths[0], widths[1], 2),
            Block(widths[1], widths[2], 2),
        )
        self.far = nn.Sequential(Block(widths[2], widths[3], 2), Block(widths[3], widths[3], 1))
        # Both maps are read in place: where an edge lies is the answer.
        self.fine, self.coarse = _narrow(widths[2], 20), _narrow(widths[3], 48)
        inputs = 20 * (SIZE // 8) ** 2 + 48 * (SIZE // 16) ** 2
        self.hidden = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU())
        self.out = nn.Linear(128, 9)
        nn.init.normal_(self.out.weight, 0, 1e-3)
        nn.init.zeros_(self.out.bias)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Pictures ``(N, 3, SIZE, SIZE)`` → moves ``(N, 8)`` and log distances ``(N,)``; see the class."""
        x = x - x.mean((2, 3), keepdim=True)
        x = x / (x.square().mean((1, 2, 3), keepdim=True).sqrt() + 4.0)
        near = self.near(x)
        maps = [self.fine(near).flatten(1), self.coarse(self.far(near)).flatten(1)]
        y = self.out(self.hidden(torch.cat(maps, 1)))
        return y[:, :8], y[:, 8]


def outline_loss(moves: Tensor, spread: Tensor, truth: Tensor) -> Tensor:
    """Mean distance of the corners, and how well the network knows it; a scalar.

    ``moves`` and ``truth``: ``(N, 8)``; ``spread``: ``(N,)``, log distance.
    """
    gap = F.smooth_l1_loss(moves, truth, reduction="none", beta=0.03).mean(1)
    distance = (moves.detach() - truth).abs().mean(1)
    known = distance * torch.exp(-spread) + spread
    return (gap.clamp(max=1.5) + 0.1 * _SURE * known).mean()


def train(stream: OutlineStream, out: Path, config: ClockRun, start: Path | None = None) -> Path:
    """Train and return the checkpoint ``out/outliner.pt``; an unfinished one there goes on.

    ``start``: a checkpoint whose averaged weights a new run begins with. Raises `PzvisionError` where one
    cannot be read.
    """
    corners = torch.from_numpy(CORNERS)

    def measure(net: nn.Module, batch: Batch) -> tuple[Tensor, dict[str, float]]:
        pictures, truth = batch
        with torch.autocast("cpu", torch.bfloat16):
            moves, spread = net(pictures.permute(0, 3, 1, 2).float())
        goal = (truth - corners).flatten(1)
        distance = (moves.detach().float() - goal).abs().mean().item()
        return outline_loss(moves.float(), spread.float(), goal), {"distance": distance}

    return train_by_clock(OutlineNet(), stream, measure, out / "outliner.pt", config, start)


class _Exported(nn.Module):  # type: ignore[misc]
    """What the ONNX file does: uint8 pictures in; moves, and the mean distance still to expect, out."""

    def __init__(self, net: OutlineNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        moves, spread = self.net(pictures.permute(0, 3, 1, 2).float())
        return moves, spread.exp()


def export(checkpoint: Path, out: Path) -> Path:
    """Write the averaged weights of a checkpoint as ONNX."""
    net = OutlineNet()
    state = read_checkpoint(checkpoint)
    net.load_state_dict(state["average"])
    notes = {"task": "pzvision-outliner", "steps": str(state["step"])}
    return write_onnx(_Exported(net), out, SIZE, ("pictures", ("moves", "distance")), notes)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--recipe", type=Path, required=True)
    parser.add_argument(
        "--built", type=Path, help="folder of the built pools; default: built/ beside the recipe"
    )
    parser.add_argument("--finder", type=Path, help="an earlier finder, whose outlines are to be set right")
    parser.add_argument("--out", type=Path, default=Path("runs/outline"))
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="checkpoint whose weights a new run begins with")
    parser.add_argument("--export", type=Path, help="folder for outliner.onnx and outliner.pt")
    args = parser.parse_args()
    recipe = load_recipe(args.recipe)
    built = args.built or args.recipe.parent / "built"
    found = args.out / "found.npz"
    cv2.setNumThreads(0)  # its thread pool does not survive the fork of the loader's worker
    if args.finder is not None and not found.exists():
        found_outlines(recipe, built, args.finder, found)
    stream = OutlineStream(recipe, built, 256, args.seed, found if found.exists() else None)
    config = ClockRun(minutes=args.minutes, rate=args.rate, seed=args.seed)
    checkpoint = train(stream, args.out, config, args.start)
    if args.export is not None:
        slim(checkpoint, args.export / "outliner.pt")
        print(export(checkpoint, args.export / "outliner.onnx"))


if __name__ == "__main__":
    main()
