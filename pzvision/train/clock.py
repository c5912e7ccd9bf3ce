"""A training run by the clock: resumable, its weights averaged, with a log of every hundred steps."""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from pzvision.errors import PzvisionError

Batch = tuple[Tensor, ...]


@dataclass(frozen=True)
class ClockRun:
    """How to train: for so many minutes, the learning rate ``rate`` falling to nothing along them.

    Attributes:
        minutes: by the clock, interrupted runs together.
        batch: samples a step.
        rate, decay: AdamW's factors: the learning rate at its peak, the weight decay.
        seed: of everything random; ``warm``: steps until the rate is at its peak.
        save_minutes: between checkpoints.
    """

    minutes: float = 60.0
    batch: int = 256
    rate: float = 3e-3
    decay: float = 1e-3
    seed: int = 1
    warm: int = 200
    save_minutes: float = 3.0


def train_by_clock(
    net: nn.Module,
    stream: Any,
    measure: Callable[[nn.Module, Batch], tuple[Tensor, dict[str, float]]],
    path: Path,
    config: ClockRun,
    start: Path | None = None,
) -> Path:
    """Train ``net`` and return the checkpoint ``path``; an unfinished one there goes on.

    Args:
        net: what to train.
        stream: a dataset that yields batches and has a ``seed``; made in a process of its own.
        measure: the loss of a batch, and figures of it for the log beside ``path``.
        path: the checkpoint: ``model``, ``average`` (the weights to use), ``optimiser``,
            ``step``, ``spent`` (s).
        config: for how long, and how.
        start: a checkpoint whose averaged weights a new run begins with.

    Raises:
        PzvisionError: a checkpoint cannot be read.
    """
    torch.set_num_threads(1)
    torch.manual_seed(config.seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    if start is not None and not path.exists():
        net.load_state_dict(read_checkpoint(start)["average"])
    average = copy.deepcopy(net).eval()
    optimiser = torch.optim.AdamW(net.parameters(), lr=config.rate, weight_decay=config.decay)
    step, spent = 0, 0.0
    if path.exists():
        state = read_checkpoint(path)
        net.load_state_dict(state["model"])
        average.load_state_dict(state["average"])
        optimiser.load_state_dict(state["optimiser"])
        step, spent = state["step"], state["spent"]
    net.train().to(memory_format=torch.channels_last)
    begun, saved = time.monotonic() - spent, time.monotonic()
    figures: list[dict[str, float]] = []
    stream.seed += step
    for batch in DataLoader(stream, batch_size=None, num_workers=1, prefetch_factor=8):
        share = min(1.0, (time.monotonic() - begun) / (60 * config.minutes))
        rate = config.rate * (1 + math.cos(math.pi * share)) / 2 * min(1.0, (step + 1) / config.warm)
        for group in optimiser.param_groups:
            group["lr"] = rate
        optimiser.zero_grad(set_to_none=True)
        loss, figure = measure(net, batch)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        _follow(average, net, min(0.998, step / (step + 20)))
        figures.append(figure)
        spent = time.monotonic() - begun
        if len(figures) == 100:
            line = {"step": step, "samples": step * config.batch, "minutes": round(spent / 60, 2)}
            line |= {name: round(float(np.mean([f[name] for f in figures])), 4) for name in figure}
            with (path.parent / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(line) + "\n")
            figures = []
        if share >= 1.0 or time.monotonic() - saved > 60 * config.save_minutes:
            partial = path.with_suffix(".partial")
            state = {"model": net.state_dict(), "average": average.state_dict(), "step": step, "spent": spent}
            torch.save({**state, "optimiser": optimiser.state_dict()}, partial)
            partial.replace(path)
            saved = time.monotonic()
        if share >= 1.0:
            break
    return path


@torch.no_grad()  # type: ignore[untyped-decorator]
def _follow(average: nn.Module, net: nn.Module, keep: float) -> None:
    for old, new in zip(average.state_dict().values(), net.state_dict().values(), strict=True):
        if old.dtype.is_floating_point:
            old.mul_(keep).add_(new, alpha=1 - keep)
        else:
            old.copy_(new)


def read_checkpoint(path: Path) -> dict[str, Any]:
    """What `train_by_clock` or `slim` wrote. Raises `PzvisionError` where there is none."""
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        return {**state, "average": state["average"]}
    except FileNotFoundError:
        raise PzvisionError(f"checkpoint {path}: no such file") from None
    except Exception as error:  # torch has no class of its own for what it raises
        raise PzvisionError(f"checkpoint {path}: cannot be read ({type(error).__name__})") from None


def slim(checkpoint: Path, out: Path) -> Path:
    """Copy what another run may begin with (``--start``): the averaged weights."""
    state = read_checkpoint(checkpoint)
    torch.save({name: state[name] for name in ("average", "step", "spent")}, out)
    return out


def between(old: Mapping[str, Tensor], new: Mapping[str, Tensor], share: float) -> dict[str, Tensor]:
    """Weights that lie between two.

    Args:
        old: weights by name, of any shape.
        new: the same names, each of the same shape.
        share: of the new ones, 0–1; the rest is of the old ones.

    Returns:
        Each of the same shape. Counters, which are no floats, are the new ones.
    """
    return {
        name: torch.lerp(old[name], value, share) if value.dtype.is_floating_point else value
        for name, value in new.items()
    }
