"""Weights between those of two checkpoints: a run on new material forgets a little of the old.

For the finder:

    python -m pzvision.train.mix --start models/finder.pt --run runs/finder/finder.pt --export models

The context reader's training does the same with ``--mix``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from pzvision.train.clock import between
from pzvision.train.export import export_finder
from pzvision.train.loop import load_checkpoint


def mix_finder(start: Path, run: Path, share: float, out: Path) -> Path:
    """Write to the folder ``out`` the finder between two checkpoints, ``finder.pt`` and ``finder.onnx``.

    Args:
        start: the checkpoint that the run began with. ``run``: what it came to.
        share: of the latter's averaged weights, 0–1.
        out: a folder.

    Returns:
        The ONNX file.

    Raises:
        PzvisionError: a checkpoint cannot be read.
    """
    old, state = load_checkpoint(start), load_checkpoint(run)
    weights = between(old["average"], state["average"], share)
    kept = {name: value for name, value in state.items() if name != "optimiser"}
    out.mkdir(parents=True, exist_ok=True)
    checkpoint = out / "finder.pt"
    partial = checkpoint.with_suffix(".partial")
    torch.save({**kept, "average": weights, "model": weights}, partial)
    partial.replace(checkpoint)
    return export_finder(checkpoint, out / "finder.onnx")


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--start", type=Path, required=True, help="finder.pt that the run began with")
    parser.add_argument("--run", type=Path, required=True, help="finder.pt that it came to")
    parser.add_argument("--share", type=float, default=0.5, help="of the run's weights, 0 to 1")
    parser.add_argument("--export", type=Path, required=True, help="folder for finder.onnx and finder.pt")
    args = parser.parse_args()
    if not 0 <= args.share <= 1:
        parser.error(f"--share {args.share}: expected 0 to 1")
    print(mix_finder(args.start, args.run, args.share, args.export))


if __name__ == "__main__":
    main()
