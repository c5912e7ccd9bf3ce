"""The other design, to compare with: one network that finds tiles and names them at once.

Body, head, loss and augmentation are the finder's, with the 29 classes of `pzvision.tiles` instead of face
and back; by default at YOLO11n's width, which costs about what finder and reader cost together. Not part of
the product. Trains for so many minutes of processor time, whatever else the machine does:

    python -m pzvision.train.one_network --recipe datasets/one-network.yaml --out runs/one-network
    python -m pzvision.train.one_network --out runs/one-network --evaluate --photos PHOTOS --tables 100
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import time
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from pzvision.errors import PzvisionError
from pzvision.tiles import CLASSES
from pzvision.train.augment import AugmentConfig
from pzvision.train.data import (
    Example,
    Recipe,
    Source,
    build_pool,
    load_recipe,
    named_examples,
)
from pzvision.train.evaluate import evaluate_photos, figures
from pzvision.train.evaluate_scenes import evaluate_tables, table_figures
from pzvision.train.finder import Finder, FinderSize
from pzvision.train.loop import SampleStream, load_checkpoint
from pzvision.train.loss import FinderLoss
from pzvision.vision.detections import Detections
from pzvision.vision.obb import anchor_points, covered, decode, suppress, vote

AUGMENT: Final = AugmentConfig(mirrored=0.0, quarters=True)
"""As for the finder, but no face is mirrored, and photos are turned by quarters, for names at every angle."""


class NamedStream(SampleStream):
    """Samples whose classes are those of `pzvision.tiles`."""

    def mix(self) -> list[tuple[Source, list[Example]]]:
        """See `SampleStream.mix`."""
        return named_examples(self.recipe, self.built)


def train(recipe: Recipe, built: Path, out: Path, minutes: float, *, size: FinderSize, seed: int = 1) -> Path:
    """Train for ``minutes`` of this process's processor time, loading included; goes on where it stopped."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(seed)
    out.mkdir(parents=True, exist_ok=True)
    path = out / "finder.pt"
    state = load_checkpoint(path) if path.exists() else None
    model, step, images, spent = Finder(size, CLASSES), 0, 0, 0.0
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.99), weight_decay=5e-4)
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    if state is not None:
        model.load_state_dict(state["model"])
        average.module.load_state_dict(state["average"])
        average.n_averaged.fill_(1)
        optimiser.load_state_dict(state["optimiser"])
        step, images, spent = int(state["step"]), int(state["images"]), float(state["spent"])
    model.train().to(memory_format=torch.channels_last)
    loss_of = FinderLoss(classes=CLASSES)
    begun = saved = time.process_time()

    def save() -> None:
        parts = {"model": model.state_dict(), "average": average.module.state_dict()}
        parts |= {"optimiser": optimiser.state_dict(), "size": dataclasses.asdict(size)}
        torch.save({**parts, "step": step, "images": images, "spent": used}, path.with_suffix(".partial"))
        path.with_suffix(".partial").replace(path)

    sums: dict[str, float] = {}
    for batch in NamedStream(recipe, built, 16, AUGMENT, seed + images):
        used = spent + time.process_time() - begun
        share = min(1.0, used / (60 * minutes))
        rate = 2e-5 + (2e-3 - 2e-5) * (1 + math.cos(math.pi * share)) / 2 * min(1.0, (step + 1) / 200)
        for group in optimiser.param_groups:
            group["lr"] = rate
        pictures = batch.images.float().div_(255).to(memory_format=torch.channels_last)
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16):
            result = model(pictures)
        loss, parts = loss_of(result, batch)
        loss.backward()
        if torch.isfinite(nn.utils.clip_grad_norm_(model.parameters(), 10.0)):
            optimiser.step()
        average.update_parameters(model)
        step, images = step + 1, images + len(pictures)
        sums = {name: sums.get(name, 0.0) + value for name, value in parts.items()}
        if step % 50 == 0:
            line: dict[str, Any] = {"step": step, "images": images, "minutes": round(used / 60, 2)}
            line |= {name: round(value / 50, 4) for name, value in sums.items()}
            sums = {}
            with (out / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(line) + "\n")
        if share >= 1.0 or time.process_time() - saved > 180:
            save()
            saved = time.process_time()
        if share >= 1.0:
            break
    return path


class OneNetwork:
    """Finds and names in one look; a stand-in for `TileDetector` in evaluations.

    ``least``: a tile's score (probability of its likeliest class) is at least this. ``long_side``: px of the
    input.
    """

    def __init__(self, checkpoint: Path, *, least: float = 0.3, long_side: int = 1280) -> None:
        torch.set_num_threads(1)
        state = load_checkpoint(checkpoint)
        self.model = Finder(FinderSize(**state["size"]), CLASSES)
        self.model.load_state_dict(state["average"])
        self.model.eval()
        self.least, self.long_side = least, long_side

    def __call__(self, image: npt.NDArray[Any]) -> Detections:
        """The tiles in ``(H, W, 3)`` uint8 BGR."""
        height, width = image.shape[:2]
        scale = min(self.long_side / max(height, width), 2.0)
        w, h = max(1, round(width * scale)), max(1, round(height * scale))
        canvas = np.full((-(-h // 32) * 32, -(-w // 32) * 32, 3), 114, np.uint8)
        canvas[:h, :w] = cv2.resize(
            image, (w, h), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        )
        x = torch.from_numpy(canvas[..., ::-1].copy()).permute(2, 0, 1)[None].float() / 255
        with torch.inference_mode():
            maps = self.model.features(x)
            rows = torch.cat(
                [
                    torch.cat([shape(m), names(m)], 1).flatten(2)
                    for m, shape, names in zip(
                        maps, self.model.shape_heads, self.model.class_heads, strict=True
                    )
                ],
                2,
            )[0].T.numpy()
        quads, scores, classes = decode(rows, anchor_points(canvas.shape[1], canvas.shape[0]), self.least)
        keep = suppress(quads, scores, 0.5)
        quads[keep] = vote(quads, scores, keep, 0.6)
        keep = keep[~covered(quads[keep], 0.65)]
        quads, scores, classes = quads[keep], scores[keep], classes[keep]
        probs = np.zeros((len(quads), CLASSES), np.float32)
        probs[np.arange(len(quads)), classes] = 1.0
        grown = (quads * np.array([width / w, height / h])).astype(np.float32)
        return Detections(grown, probs, scores.astype(np.float32), (width, height))


def main() -> None:
    """Train, or evaluate what was trained. Raises `PzvisionError` when neither is asked for."""
    parser = argparse.ArgumentParser(description="One network with all the classes, to compare with.")
    parser.add_argument("--recipe", type=Path)
    parser.add_argument("--built", type=Path, default=Path("datasets/built"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=45.0)
    parser.add_argument("--width", type=float, default=0.25)
    parser.add_argument("--evaluate", action="store_true")
    parser.add_argument("--least", type=float, default=0.3)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--crops", type=Path)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seed", type=int, default=990_002)
    args = parser.parse_args()
    if args.recipe is not None:
        recipe = load_recipe(args.recipe)
        for source in recipe.sources:
            if source.kind != "photos":
                build_pool(recipe, source, args.built, named=True)
        print(f"checkpoint: {train(recipe, args.built, args.out, args.minutes, size=FinderSize(args.width))}")
    if args.evaluate:
        network = OneNetwork(args.out / "finder.pt", least=args.least)
        if args.photos is not None:
            f = figures(evaluate_photos(network, args.photos))
            print(
                f"photos: recall {f.recall:.3f}, precision {f.precision:.3f}, mAP50 {f.map50:.3f}, exact"
                f" {f.exact} of {f.photos}, place alone {f.placed:.3f}, processor {f.cpu_ms:.0f} ms"
            )
        if args.tables > 0:
            t = table_figures(evaluate_tables(network, args.tables, crops=args.crops, seed=args.seed))
            print(f"tables: recall {t.recall:.3f}, precision {t.precision:.3f}, exact {t.exact:.2f}")
    if args.recipe is None and not args.evaluate:
        raise PzvisionError("nothing to do: give --recipe FILE or --evaluate")


if __name__ == "__main__":
    main()
