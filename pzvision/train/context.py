"""Trains the context reader (`pzvision.vision.context`), by the clock, resumable.

    python -m pzvision.train.context --recipe datasets/context.yaml --models models --out runs/context \\
        --minutes 50 --export models

Begins with the weights of the reader in ``--models``, whose doubts it learns to resolve, and the finder's
mistakes. The recipe's scenes are built with the names of their tiles.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

import cv2
import torch
from torch import Tensor, nn

from pzvision.train import reader
from pzvision.train.clock import Batch, ClockRun, between, read_checkpoint, slim, train_by_clock
from pzvision.train.context_data import ContextStream
from pzvision.train.data import build_pool, load_recipe
from pzvision.train.onnx_file import write_onnx
from pzvision.train.outline_data import found_outlines
from pzvision.train.reader_net import CLASSES, TURNS, WIDTHS, ReaderNet, loss
from pzvision.vision.context import SIZE, WIDE
from pzvision.vision.session import quantised

_CELL: Final = 16  # px of the picture per position of the last map
_POSITIONS: Final = SIZE // _CELL
_FACE: Final = slice(1, 4)  # of those positions the face lies in these
_HALF: Final = round(SIZE / WIDE / 2)
_SMOOTH: Final = 0.03


class ContextNet(ReaderNet):
    """``(N, 3, SIZE, SIZE)`` float BGR 0–255 → logits ``(N, 28)`` of the kind, ``(N, 4)`` of the rotation.

    The reader's body, read in place over all of a wider picture.
    """

    def __init__(self) -> None:
        super().__init__()
        numbers = WIDTHS[-1] + 64 * _POSITIONS**2
        self.kinds, self.turns = nn.Linear(numbers, CLASSES), nn.Linear(numbers, TURNS)

    def look(self, x: Tensor) -> Tensor:
        """See `ReaderNet.look`; exposure and colour are taken out by the face's own."""
        middle = slice(SIZE // 2 - _HALF, SIZE // 2 + _HALF)
        x = x - x[:, :, middle, middle].mean((2, 3), keepdim=True)
        x = x / (x[:, :, middle, middle].square().mean((1, 2, 3), keepdim=True).sqrt() + 4.0)
        y = self.features(x)
        return torch.cat([y[:, :, _FACE, _FACE].mean((2, 3)), self.squeeze(y).flatten(1)], 1)

    def begin_as(self, other: ReaderNet) -> None:
        """Take over a reader's weights, so that the face is read as by it and the rest counts nothing yet."""
        theirs, ours = other.state_dict(), self.state_dict()
        for name, value in theirs.items():
            if not name.startswith(("kinds.weight", "turns.weight")):
                ours[name].copy_(value)
                continue
            mean, places = value[:, : WIDTHS[-1]], value[:, WIDTHS[-1] :].reshape(len(value), 64, 3, 3)
            wide = torch.zeros(len(value), 64, _POSITIONS, _POSITIONS)
            wide[:, :, _FACE, _FACE] = places
            ours[name].copy_(torch.cat([mean, wide.flatten(1)], 1))
        self.load_state_dict(ours)


def train(
    stream: ContextStream, out: Path, config: ClockRun, start: Path | None = None, begin: Path | None = None
) -> Path:
    """Train and return the checkpoint ``out/context.pt``; an unfinished one there goes on.

    Args:
        stream: the samples. ``out``: a folder.
        config: for how long, and how.
        start: a checkpoint of a context reader whose averaged weights a new run begins with.
        begin: without one, that of a reader.

    Raises:
        PzvisionError: a checkpoint cannot be read.
    """
    net = ContextNet()
    if begin is not None:
        net.begin_as(reader.load(begin))

    def measure(net: nn.Module, batch: Batch) -> tuple[Tensor, dict[str, float]]:
        pictures, kinds, turns = batch
        with torch.autocast("cpu", torch.bfloat16):
            named, turned = net(pictures.permute(0, 3, 1, 2).float())
        right = (named.argmax(1) == kinds).float().mean().item()
        value = loss(named.float(), turned.float(), kinds, turns, smoothing=_SMOOTH)
        return value, {"loss": value.item(), "right": right}

    return train_by_clock(net, stream, measure, out / "context.pt", config, start)


class _Exported(nn.Module):  # type: ignore[misc]
    """What the ONNX file does: uint8 pictures in, distributions over the kinds out."""

    def __init__(self, net: ContextNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, faces: Tensor) -> Any:
        return self.net.kinds(self.net.look(faces.permute(0, 3, 1, 2).float())).softmax(1)


def export(checkpoint: Path, out: Path) -> Path:
    """Write the averaged weights of a checkpoint as ONNX: ``faces`` in, ``kinds`` ``(N, 28)`` out."""
    net, state = ContextNet(), read_checkpoint(checkpoint)
    net.load_state_dict(state["average"])
    notes = {"task": "pzvision-context", "steps": str(state["step"])}
    return write_onnx(_Exported(net), out, SIZE, ("faces", ("kinds",)), notes)


def mixed(start: Path, checkpoint: Path, share: float, out: Path) -> Path:
    """Write a checkpoint whose averaged weights lie between those of two, for `export` and ``--start``.

    A run on new tile sets forgets a little of the old ones; some of the old weights bring that back.

    Args:
        start: the checkpoint that the run began with. ``checkpoint``: what it came to.
        share: of the latter's weights, 0–1.
        out: the file to write.

    Raises:
        PzvisionError: a checkpoint cannot be read.
    """
    old, state = read_checkpoint(start)["average"], read_checkpoint(checkpoint)
    average = between(old, state["average"], share)
    torch.save({"average": average, "step": state["step"], "spent": state["spent"]}, out)
    return out


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--recipe", type=Path, required=True)
    parser.add_argument(
        "--built", type=Path, help="folder of the built pools; default: built/ beside the recipe"
    )
    parser.add_argument("--models", type=Path, required=True, help="folder of the finder and the reader")
    parser.add_argument("--out", type=Path, default=Path("runs/context"))
    parser.add_argument("--minutes", type=float, default=50.0)
    parser.add_argument("--rate", type=float, default=1.2e-3)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="checkpoint whose weights a new run begins with")
    parser.add_argument(
        "--mix", type=float, default=1.0, help="share of the new weights in what is exported; rest: --start"
    )
    parser.add_argument("--export", type=Path, help="folder for context.onnx and context.pt")
    args = parser.parse_args()
    if not 0 <= args.mix <= 1:
        parser.error(f"--mix {args.mix}: expected 0 to 1")
    cv2.setNumThreads(0)  # its thread pool does not survive the fork of the loader's worker
    recipe = load_recipe(args.recipe)
    built = args.built or args.recipe.parent / "built"
    for source in recipe.sources:
        if source.kind != "photos":
            build_pool(recipe, source, built, named=True)
    found = args.out / "found.npz"
    if not found.exists():
        found_outlines(recipe, built, args.models / "finder.onnx", found)
    stream = ContextStream(
        recipe, built, args.batch, args.seed, quantised(args.models / "reader.onnx"), found
    )
    config = ClockRun(args.minutes, args.batch, args.rate, decay=0.02, seed=args.seed, warm=100)
    begin = None if args.start is not None else args.models / "reader.pt"
    checkpoint = train(stream, args.out, config, args.start, begin)
    if args.export is not None:
        kept = args.export / "context.pt"
        if args.start is not None and args.mix < 1:
            mixed(args.start, checkpoint, args.mix, kept)
        else:
            slim(checkpoint, kept)
        print(export(kept, args.export / "context.onnx"))


if __name__ == "__main__":
    main()
