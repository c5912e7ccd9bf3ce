"""Train the face reader: ``python -m pzvision.train.reader --data DIR --out models``.

Resumable: a checkpoint is written every few minutes, and the same command goes on from it. All randomness
comes from the seed. With ``--hold-out`` some whole tile sets and series are kept from training and the reader
is judged on them; the temperature that calibrates its probabilities is found there.
"""

from __future__ import annotations

import argparse
import copy
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch.utils.data import DataLoader, IterableDataset

from pzvision.errors import PzvisionError
from pzvision.train import faces, reader_seen
from pzvision.train.reader_augment import Recipe, Sampler, scene_crops
from pzvision.train.reader_net import ReaderNet, export, loss
from pzvision.vision.rectify import SIZE

# Kept from training wherever their licence does not name a use (``hlin117``): only ever judged on.
_NEVER_TRAINED: Final = ("hlin117",)
_HELD_OUT: Final = (
    *_NEVER_TRAINED,
    "leomiura",
    "tray_",
    "camerash_225",
    "camerash_261",
    "camerash_417",
    "camerash_504",
)
# The sheets of the camerash photos show the same sets as its crops.
_HELD_OUT_PHOTOS: Final = (*_HELD_OUT, "camerash")


@dataclass(frozen=True)
class Plan:
    """One training run: ``steps`` of ``batch`` samples; ``rate``: factor on a step at its peak (AdamW).

    ``decay``: share of the weights that falls away, times ``rate``, a step. ``average``: share that averaged
    weights keep of themselves a step. ``made_up``: whether drawn sets have makes of circles and bamboo that
    nobody drew. ``without_fonts``: beginnings of the file names of fonts kept out, for comparing.
    """

    steps: int = 6000
    batch: int = 256
    rate: float = 3e-3
    warm: int = 200
    decay: float = 0.02
    average: float = 0.998
    seed: int = 1
    hold_out: bool = False
    drawn_styles: int = 120
    rendered_looks: int = 80
    made_up: bool = False
    without_fonts: tuple[str, ...] = ()
    check_every: int = 400
    recipe: Recipe = field(default_factory=Recipe)


@dataclass(frozen=True, eq=False)
class Material:
    """The banks of a run: what is trained on and what is judged on.

    ``judged``: name → crops ``(N, S, S, 3)`` and kinds ``(N,)``.
    """

    scenes: faces.Bank
    singles: faces.Bank
    drawn: faces.Bank
    grounds: faces.Bank
    judged: dict[str, tuple[faces.Bytes, npt.NDArray[np.int64]]]


def _starts(prefixes: tuple[str, ...]) -> Callable[[str], bool]:
    return lambda name: name.startswith(prefixes)


def load_material(data: Path, plan: Plan, artwork: Path | None = None) -> Material:
    """Read ``data/crops`` and ``data/photos/train``, draw the rest. Raises `PzvisionError` without them."""
    for needed in (data / "crops", data / "photos" / "train" / "images"):
        if not needed.is_dir():
            raise PzvisionError(f"{needed}: no such folder; expected the training data there")
    scenes, grounds = faces.scenes_and_grounds(data / "photos" / "train", plan.seed)
    crops = faces.crops(data / "crops")
    styles = faces.drawn(plan.drawn_styles, plan.seed, made_up=plan.made_up, without=plan.without_fonts)
    drawn = [styles, faces.rendered(plan.rendered_looks, plan.seed)]
    if artwork is not None:
        crops = faces.Bank.join([crops, faces.kmahjongg(artwork)])
    judged = {
        "photos leomiura": scene_crops(scenes.select(_starts(("leomiura",)))),
        "photos tray": scene_crops(scenes.select(_starts(("tray_",)))),
        "photos camerash": scene_crops(scenes.select(_starts(("camerash",)))),
        "crops hlin117": _face_crops(crops.select(_starts(("hlin117",)))),
        "crops held out": _face_crops(crops.select(_starts(_HELD_OUT[3:]))),
    }
    out, out_photos = (_HELD_OUT, _HELD_OUT_PHOTOS) if plan.hold_out else (_NEVER_TRAINED, _NEVER_TRAINED)
    train_scenes = scenes.select(lambda s: not s.startswith(out_photos))
    train_faces = crops.select(lambda s: not s.startswith(out))
    grounds = grounds.select(lambda s: not s.startswith(out_photos))
    return Material(train_scenes, train_faces, faces.Bank.join(drawn), grounds, judged)


def _face_crops(bank: faces.Bank) -> tuple[faces.Bytes, npt.NDArray[np.int64]]:
    crops = [cv2.resize(p, (SIZE, SIZE), interpolation=cv2.INTER_AREA) for p in bank.pictures]
    return np.array(crops, np.uint8).reshape(-1, SIZE, SIZE, 3), bank.kinds


class _Samples(IterableDataset):  # type: ignore[misc]
    """Whole batches, made in the loader's worker."""

    def __init__(
        self,
        material: Material,
        plan: Plan,
        start: int,
        turns: npt.NDArray[np.int64] | None,
        seen: reader_seen.Seen | None,
    ) -> None:
        self.material, self.plan, self.start, self.turns, self.seen = material, plan, start, turns, seen

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        cv2.setNumThreads(0)
        m = self.material
        sampler = Sampler(
            m.scenes, m.singles, m.drawn, m.grounds,
            seed=self.plan.seed * 1_000_003 + self.start, recipe=self.plan.recipe, scene_turns=self.turns,
            seen=self.seen,
        )  # fmt: skip
        while True:
            batch = [sampler.sample() for _ in range(self.plan.batch)]
            yield (
                torch.from_numpy(np.stack([b[0] for b in batch])),
                torch.tensor([b[1] for b in batch]),
                torch.tensor([b[2] for b in batch]),
            )


def to_input(crops: faces.Bytes | torch.Tensor) -> torch.Tensor:
    """``(N, S, S, 3)`` uint8 → ``(N, 3, S, S)`` float, channels last in memory."""
    tensor = torch.from_numpy(crops) if isinstance(crops, np.ndarray) else crops
    return tensor.permute(0, 3, 1, 2).float()


@torch.no_grad()  # type: ignore[untyped-decorator]
def answers(net: ReaderNet, crops: faces.Bytes) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Logits of kinds ``(N, 28)`` and turns ``(N, 4)`` of ``(N, S, S, 3)`` uint8 crops."""
    net.eval()
    parts = [net(to_input(crops[i : i + 256])) for i in range(0, len(crops), 256)]
    if not parts:
        return np.zeros((0, 28), np.float32), np.zeros((0, 4), np.float32)
    kinds, turns = (torch.cat(p).float().numpy() for p in zip(*parts, strict=True))
    return kinds, turns


def judge(net: ReaderNet, judged: dict[str, tuple[faces.Bytes, npt.NDArray[np.int64]]]) -> dict[str, float]:
    """Share of kinds read rightly, per held-out group of ``(N, S, S, 3)`` faces and ``(N,)`` kinds."""
    report = {}
    for name, (crops, kinds) in judged.items():
        picked = slice(None, None, max(1, len(crops) // 1500))
        logits, _ = answers(net, crops[picked])
        report[name] = float((logits.argmax(1) == kinds[picked]).mean()) if len(logits) else math.nan
    return report


def scene_turns(net: ReaderNet, bank: faces.Bank, least: float = 0.9) -> npt.NDArray[np.int64]:
    """Which way is up in each scene, ``(N,)``, read by an earlier reader; −1 where less sure.

    `least`: probability it must be sure with.
    """
    crops, _ = scene_crops(bank)
    _, logits = answers(net, crops)
    p = torch.from_numpy(logits).softmax(1).numpy()
    return np.where(p.max(1) >= least, p.argmax(1), -1).astype(np.int64)


def temperature(logits: npt.NDArray[np.float32], kinds: npt.NDArray[np.int64]) -> float:
    """The temperature that makes the probabilities likeliest on held-out faces, 0.3–3.

    ``logits``: ``(N, classes)``; ``kinds``: ``(N,)``.
    """
    x, y = torch.from_numpy(logits), torch.from_numpy(kinds)
    grid = np.exp(np.linspace(np.log(0.3), np.log(3.0), 60))
    return float(min(grid, key=lambda t: float(torch.nn.functional.cross_entropy(x / float(t), y))))


def train(
    data: Path,
    out: Path,
    plan: Plan,
    *,
    artwork: Path | None = None,
    turns_from: Path | None = None,
    start_from: Path | None = None,
    calibration: float = 1.0,
    seen: tuple[Path, ...] = (),
    log: Callable[[str], None] = print,
) -> ReaderNet:
    """Train, going on from ``out/reader.pt`` where that is an unfinished run of the same plan.

    Writes ``reader.pt`` (averaged weights; the optimizer's state while unfinished) and ``reader.onnx``.

    Args:
        artwork: folder of KMahjongg tile sets to learn from as well.
        turns_from: a finished reader that tells which way is up in the photos.
        start_from: a finished reader whose weights to begin with.
        calibration: temperature of the probabilities, found by an earlier run with ``hold_out``.
        seen: files of `reader_seen`: faces cut out of rendered tables, and what is none.
    """
    torch.set_num_threads(1)
    cv2.setNumThreads(0)  # its thread pool does not survive the fork of the loader's worker
    torch.manual_seed(plan.seed)
    out.mkdir(parents=True, exist_ok=True)
    checkpoint = out / "reader.pt"
    material = load_material(data, plan, artwork)
    log(
        f"{len(material.scenes)} boxes in photos, {len(material.singles)} crops, {len(material.drawn)} drawn,"
        f" {len(material.grounds)} grounds"
    )
    net = ReaderNet()
    if start_from is not None:
        net.load_state_dict(load(start_from).state_dict())
    turns = None if turns_from is None else scene_turns(load(turns_from), material.scenes)
    if turns is not None:
        log(f"way up known for {(turns >= 0).mean():.1%} of the boxes")
    net = net.to(memory_format=torch.channels_last)
    mean: ReaderNet = copy.deepcopy(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=plan.rate, weight_decay=plan.decay)
    begin = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        if state.get("plan") == _plan_text(plan) and "optimizer" in state:
            net.load_state_dict(state["live"])
            mean.load_state_dict(state["net"])
            optimizer.load_state_dict(state["optimizer"])
            begin = int(state["step"])
            log(f"going on from step {begin}")
    loader: Any = DataLoader(
        _Samples(material, plan, begin, turns, reader_seen.load(*seen) if seen else None),
        batch_size=None,
        num_workers=1,
        prefetch_factor=6,
    )
    started = saved = time.monotonic()
    running = 0.0
    step = begin
    for crops, kind, turn in loader:
        if step >= plan.steps:
            break
        rate = _rate(plan, step)
        for group in optimizer.param_groups:
            group["lr"] = rate
        net.train()
        with torch.autocast("cpu", torch.bfloat16):
            kinds, turns_out = net(to_input(crops))
        value = loss(kinds.float(), turns_out.float(), kind, turn)
        optimizer.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        step += 1
        _average(mean, net, min(plan.average, (1 + step) / (10 + step)))
        running = float(value.detach()) if not running else 0.98 * running + 0.02 * float(value.detach())
        if step % 100 == 0:
            speed = (step - begin) * plan.batch / (time.monotonic() - started)
            log(f"step {step}/{plan.steps} loss {running:.3f} rate {rate:.5f} {speed:.0f} faces/s")
        if step % plan.check_every == 0:
            log("  " + "  ".join(f"{k} {v:.3f}" for k, v in judge(mean, material.judged).items()))
        if time.monotonic() - saved > 90:
            _save(checkpoint, plan, step, mean, net, optimizer)
            saved = time.monotonic()
    report = judge(mean, material.judged)
    log("  " + "  ".join(f"{k} {v:.3f}" for k, v in report.items()))
    if plan.hold_out:
        parts = [(answers(mean, c[::5])[0], k[::5]) for c, k in material.judged.values()]
        calibration = temperature(
            np.concatenate([p for p, _ in parts]), np.concatenate([k for _, k in parts])
        )
        log(f"temperature {calibration:.3f}")
    torch.save(
        {"net": mean.state_dict(), "plan": _plan_text(plan), "temperature": calibration, "step": step},
        checkpoint,
    )
    mean.eval()
    export(
        mean.to(memory_format=torch.contiguous_format),
        out / "reader.onnx",
        temperature=calibration,
        metadata={"seed": str(plan.seed), "steps": str(step)},
    )
    return mean


def load(path: Path) -> ReaderNet:
    """The averaged weights of a checkpoint. Raises `PzvisionError` where there is none."""
    if not path.exists():
        raise PzvisionError(f"{path}: no such checkpoint of a face reader")
    net = ReaderNet()
    net.load_state_dict(torch.load(path, weights_only=True)["net"])
    net.eval()
    return net


def _plan_text(plan: Plan) -> str:
    return repr(plan)


def _rate(plan: Plan, step: int) -> float:
    if step < plan.warm:
        return plan.rate * (step + 1) / plan.warm
    done = (step - plan.warm) / max(1, plan.steps - plan.warm)
    return plan.rate * (0.005 + 0.995 * 0.5 * (1 + math.cos(math.pi * done)))


@torch.no_grad()  # type: ignore[untyped-decorator]
def _average(mean: ReaderNet, net: ReaderNet, keep: float) -> None:
    for a, b in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
        if a.dtype.is_floating_point:
            a.lerp_(b, 1 - keep)
        else:
            a.copy_(b)


def _save(
    path: Path, plan: Plan, step: int, mean: ReaderNet, net: ReaderNet, optimizer: torch.optim.Optimizer
) -> None:
    state = {
        "net": mean.state_dict(), "live": net.state_dict(), "optimizer": optimizer.state_dict(),
        "plan": _plan_text(plan), "step": step,
    }  # fmt: skip
    partial = path.with_suffix(".part")
    torch.save(state, partial)
    partial.replace(path)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with crops/ and photos/train/")
    parser.add_argument("--out", type=Path, required=True, help="where reader.pt and reader.onnx go")
    parser.add_argument("--artwork", type=Path, help="folder of KMahjongg tile sets (*.svgz)")
    parser.add_argument("--turns-from", type=Path, help="reader.pt that tells which way is up in the photos")
    parser.add_argument("--start-from", type=Path, help="reader.pt to begin with")
    parser.add_argument(
        "--seen", type=Path, nargs="+", default=[], help="npz of pzvision.train.reader_seen to learn from too"
    )
    parser.add_argument("--steps", type=int, default=Plan.steps)
    parser.add_argument("--rate", type=float, default=Plan.rate)
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--hold-out", action="store_true")
    parser.add_argument("--styles", type=int, default=Plan.drawn_styles, help="invented sets to draw")
    parser.add_argument(
        "--made-up", action="store_true", help="their circles and bamboo of makes nobody drew"
    )
    parser.add_argument("--without-fonts", nargs="*", default=[], help="fonts to keep out, by file name")
    args = parser.parse_args()
    plan = Plan(
        steps=args.steps, rate=args.rate, seed=args.seed, hold_out=args.hold_out, drawn_styles=args.styles,
        made_up=args.made_up, without_fonts=tuple(args.without_fonts),
    )  # fmt: skip
    train(
        args.data, args.out, plan, artwork=args.artwork, turns_from=args.turns_from,
        start_from=args.start_from, calibration=args.temperature, seen=tuple(args.seen),
        log=lambda line: print(line, flush=True),
    )  # fmt: skip


if __name__ == "__main__":
    main()
