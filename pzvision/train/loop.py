"""Trains the finder on a recipe, by the clock, resumable.

CPU training needs care to use the machine (one thread each in two processes, bfloat16 autocast, channels
last, loading beside, an allocator that keeps its memory); `environment` says which variables to set before.
"""

from __future__ import annotations

import copy
import json
import math
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from pzvision.errors import PzvisionError
from pzvision.train.augment import AugmentConfig, Augmenter, Sample
from pzvision.train.data import Example, Recipe, Source, read_picture, recipe_examples, stream
from pzvision.train.finder import Finder, FinderSize
from pzvision.train.loss import Batch, FinderLoss


@dataclass(frozen=True)
class TrainConfig:
    """How to train.

    Attributes:
        minutes: wall-clock time of this run; the learning rate falls to its end along it.
        batch: samples a step.
        rate, last_rate: learning rate (AdamW's factor on a step) at its peak and its end.
        warmup: steps up to the peak.
        decay: weight decay, as a share a step times the learning rate.
        threads: of torch, in each process.
        processes: that share a batch, each with ``threads`` of its own: the threads of one process wait for
            each other at every layer, processes only once a step.
        seed: of the stream and the initial weights.
        save_minutes: between checkpoints.
    """

    minutes: float = 60.0
    batch: int = 16
    rate: float = 2e-3
    last_rate: float = 2e-5
    warmup: int = 300
    decay: float = 5e-4
    threads: int = 1
    processes: int = 2
    seed: int = 1
    save_minutes: float = 3.0


class SampleStream(IterableDataset[Batch]):  # type: ignore[misc]
    """Endless batches of samples, made in the loading process."""

    def __init__(self, recipe: Recipe, built: Path, batch: int, augment: AugmentConfig, seed: int) -> None:
        self.recipe, self.built, self.batch, self.augment, self.seed = recipe, built, batch, augment, seed

    def __iter__(self) -> Iterator[Batch]:
        cv2.setNumThreads(1)
        torch.set_num_threads(1)
        rng = np.random.default_rng(self.seed)
        augmenter = Augmenter(self.augment, rng)
        samples = self._samples(augmenter, rng)
        shelf: list[Sample] = [next(samples) for _ in range(3 * self.batch)]
        while True:
            shelf += [next(samples) for _ in range(self.batch)]
            order = rng.permutation(len(shelf))
            yield collate([shelf[i] for i in order[: self.batch]])
            shelf = [shelf[i] for i in order[self.batch :]]

    def mix(self) -> list[tuple[Source, list[Example]]]:
        """The examples of each source."""
        return recipe_examples(self.recipe, self.built)

    def _samples(self, augmenter: Augmenter, rng: np.random.Generator) -> Iterator[Sample]:
        examples = stream(self.mix(), rng)
        size = self.augment.size
        cuts: dict[int, list[Sample]] = {size: [], size // 2: []}
        while True:
            example = next(examples)
            coarse = bool(rng.random() < 0.3)
            flag = cv2.IMREAD_REDUCED_COLOR_2 if coarse else cv2.IMREAD_COLOR
            image = read_picture(example.path, flag)
            shrink = 2.0 if coarse else 1.0
            for _ in range(2):
                part = (
                    size // 2
                    if rng.random() < 4 * augmenter.config.mosaic / (1 + 3 * augmenter.config.mosaic)
                    else size
                )
                cuts[part].append(augmenter.cut(image, example, shrink, part))
            while len(cuts[size // 2]) >= 8:
                pick = rng.permutation(8)[:4]
                yield self._finish(augmenter, augmenter.mosaic([cuts[size // 2][i] for i in pick]))
                cuts[size // 2] = [c for i, c in enumerate(cuts[size // 2]) if i not in pick]
            while cuts[size]:
                yield self._finish(augmenter, cuts[size].pop())

    @staticmethod
    def _finish(augmenter: Augmenter, sample: Sample) -> Sample:
        spoiled = augmenter.spoil(sample.image)
        return Sample(spoiled, sample.quads, sample.classes, sample.outlined, sample.ignore, sample.backs)


def collate(samples: list[Sample]) -> Batch:
    """Pads samples to one `Batch`."""
    many = max(1, max(len(s.quads) for s in samples))
    holes = max(1, max(len(s.ignore) for s in samples))
    n = len(samples)
    quads = np.zeros((n, many, 4, 2), np.float32)
    classes = np.zeros((n, many), np.int64)
    outlined, real = np.zeros((n, many), bool), np.zeros((n, many), bool)
    ignore = np.zeros((n, holes, 4), np.float32)
    for i, s in enumerate(samples):
        k = len(s.quads)
        quads[i, :k], classes[i, :k], outlined[i, :k], real[i, :k] = s.quads, s.classes, s.outlined, True
        if len(s.ignore):
            ignore[i, : len(s.ignore)] = np.concatenate([s.ignore.min(1), s.ignore.max(1)], 1)
    images = np.stack([s.image[..., ::-1].transpose(2, 0, 1) for s in samples])
    return Batch(
        torch.from_numpy(np.ascontiguousarray(images)),
        torch.from_numpy(quads),
        torch.from_numpy(classes),
        torch.from_numpy(outlined),
        torch.from_numpy(real),
        torch.from_numpy(ignore),
        torch.from_numpy(np.stack([s.backs for s in samples])),
    )


class _Average:
    """Exponential moving average of the weights, short at first."""

    def __init__(self, model: nn.Module, updates: int = 0) -> None:
        self.model = copy.deepcopy(model).eval()
        self.updates = updates

    def update(self, model: nn.Module) -> None:
        self.updates += 1
        keep = 0.998 * (1 - math.exp(-self.updates / 500))
        new = model.state_dict()
        for name, value in self.model.state_dict().items():
            if value.dtype.is_floating_point:
                value.mul_(keep).add_(new[name].detach(), alpha=1 - keep)


def train(
    recipe: Recipe,
    built: Path,
    out: Path,
    config: TrainConfig,
    *,
    augment: AugmentConfig | None = None,
    size: FinderSize | None = None,
    start: Path | None = None,
) -> Path:
    """Train for ``config.minutes`` and return the checkpoint ``out/finder.pt`` (also written on the way).

    ``start``: a checkpoint to continue from. With ``out/finder.pt`` of an interrupted run present and no
    ``start``, that run goes on with the minutes it had left. Raises `PzvisionError` for a broken checkpoint.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / "finder.pt"
    job = _Job(recipe, built, path, config, augment or AugmentConfig(), size, start)
    load_checkpoint(start) if start else None
    if config.processes == 1:
        _work(0, job, "")
        return path
    with tempfile.TemporaryDirectory() as folder:
        meeting = (Path(folder) / "meeting").as_uri()
        torch.multiprocessing.spawn(_work, args=(job, meeting), nprocs=config.processes)
    return path


@dataclass(frozen=True)
class _Job:
    recipe: Recipe
    built: Path
    path: Path
    config: TrainConfig
    augment: AugmentConfig
    size: FinderSize | None
    start: Path | None


def _die_with_parent() -> None:
    """A killed run leaves no workers behind that go on training (a watch of the parent, once a second)."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _work(rank: int, job: _Job, meeting: str) -> None:
    """One of ``processes`` that train on their own samples and average their gradients at every step."""
    config, path = job.config, job.path
    torch.set_num_threads(config.threads)
    if meeting:
        _die_with_parent()
    if meeting:
        dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=config.processes)
    torch.manual_seed(config.seed)
    state = load_checkpoint(job.start or path) if (job.start or path.exists()) else None
    model = Finder(job.size or (FinderSize(**state["size"]) if state else None))
    optimiser = torch.optim.AdamW(_groups(model, config.decay), lr=config.rate, betas=(0.9, 0.99))
    average, step, spent, images = _Average(model), 0, 0.0, 0
    if state:
        model.load_state_dict(state["model"])
        average.model.load_state_dict(state["average"])
        average.updates, images = state["updates"], int(state["images"])
        if job.start is None:
            optimiser.load_state_dict(state["optimiser"])
            step, spent = int(state["step"]), state["spent"]
    model.train().to(memory_format=torch.channels_last)
    seed = config.seed + images + 1_000_003 * rank
    samples = SampleStream(job.recipe, job.built, config.batch // config.processes, job.augment, seed)
    loader = DataLoader(samples, batch_size=None, num_workers=1, prefetch_factor=6)
    loss_of = FinderLoss()
    begun, saved = time.monotonic() - spent, time.monotonic()
    sums, counted = dict.fromkeys(("box", "edge", "shape", "class"), 0.0), 0
    for batch in loader:
        share = _together(min(1.0, (time.monotonic() - begun) / (60 * config.minutes)), meeting)
        rate = config.last_rate + (config.rate - config.last_rate) * (1 + math.cos(math.pi * share)) / 2
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / config.warmup)
        pictures = batch.images.float().div_(255).to(memory_format=torch.channels_last)
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16):
            result: Tensor = model(pictures)
        loss, parts = loss_of(result, batch)
        loss.backward()
        if meeting:
            _average_gradients(model)
        norm = nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        if torch.isfinite(norm):
            optimiser.step()
        step, images, counted = step + 1, images + len(pictures) * config.processes, counted + 1
        spent = time.monotonic() - begun
        if rank == 0:
            average.update(model)
            sums = {name: sums[name] + value for name, value in parts.items()}
            if counted == 50:
                line: dict[str, Any] = {"step": step, "images": images, "minutes": round(spent / 60, 2)}
                line |= {"rate": round(rate, 7)} | {k: round(v / counted, 4) for k, v in sums.items()}
                with path.with_name("log.jsonl").open("a", encoding="utf-8") as log:
                    log.write(json.dumps(line) + "\n")
                sums, counted = dict.fromkeys(sums, 0.0), 0
            if share >= 1.0 or time.monotonic() - saved > 60 * config.save_minutes:
                _save(path, model, average, optimiser, step=step, spent=spent, images=images)
                saved = time.monotonic()
        if share >= 1.0:
            break
    if meeting:
        dist.destroy_process_group()


def _together(share: float, meeting: str) -> float:
    """The first process's share of the time, so that all stop at the same step."""
    if not meeting:
        return share
    value = torch.tensor([share], dtype=torch.float64)
    dist.broadcast(value, 0)
    return float(value)


def _average_gradients(model: nn.Module) -> None:
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    flat = torch.cat([g.reshape(-1) for g in grads])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    at = 0
    for g in grads:
        g.copy_(flat[at : at + g.numel()].view_as(g))
        at += g.numel()


def _groups(model: nn.Module, decay: float) -> list[dict[str, Any]]:
    heavy = [p for p in model.parameters() if p.ndim > 1]
    light = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": heavy, "weight_decay": decay}, {"params": light, "weight_decay": 0.0}]


def load_checkpoint(path: Path) -> dict[str, Any]:
    """A checkpoint as `train` wrote it. Raises `PzvisionError` where there is none, or a broken one."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        return {**state, "model": state["model"]}
    except FileNotFoundError:
        raise PzvisionError(f"checkpoint {path}: no such file") from None
    except Exception as error:
        raise PzvisionError(f"checkpoint {path}: cannot be read ({type(error).__name__})") from None


def _save(
    path: Path, model: Finder, average: _Average, optimiser: torch.optim.Optimizer, **numbers: float
) -> None:
    partial = path.with_suffix(".partial")
    size = {"width": model.size.width, "depth": model.size.depth}
    state = {"model": model.state_dict(), "average": average.model.state_dict(), "updates": average.updates}
    torch.save({**state, "optimiser": optimiser.state_dict(), "size": size, **numbers}, partial)
    partial.replace(path)
