"""``pzvision bench-detector``: how long the detector takes here, stage by stage, on every backend."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pzvision.errors import PzvisionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from pzvision.vision.bench import Bench

SUMMARY = ("测识别速度:各推理后端、各阶段。", "Time the detector, stage by stage, on every backend here.")
_SEED = 440_001


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""

    parser.add_argument(
        "images",
        nargs="*",
        metavar="IMAGE",
    )
    parser.add_argument("--backend", metavar="NAME")
    parser.add_argument("--models", type=Path, metavar="DIR")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--pictures", type=int, default=6, metavar="N")
    parser.add_argument("--rounds", type=int, default=7, metavar="N")
    parser.add_argument("--calibration", type=Path, metavar="FILE")
    parser.add_argument("--peer", type=Path, metavar="PHOTOS")
    parser.add_argument("--json", action="store_true")


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`."""
    from pzvision.vision.bench import Bench
    from pzvision.vision.session import BACKENDS, choose_backend

    for name, low, high in (("threads", 1, 64), ("pictures", 1, 1000), ("rounds", 1, 10_000)):
        value = getattr(args, name)
        if not low <= value <= high:
            raise PzvisionError(f"--{name} {value}: expected {low} to {high}")
    if args.calibration is not None and not args.images:
        raise PzvisionError(f"--calibration {args.calibration}: expected pictures of that table")
    if args.peer is not None:
        return _peer(args)
    if args.backend is not None:
        bench = _measure(args, choose_backend(args.backend))
        print(json.dumps(bench.to_dict()) if args.json else table([bench]))
        return 0
    results = []
    auto = choose_backend("auto")
    for backend in BACKENDS[1:]:
        try:
            choose_backend(backend)
        except PzvisionError as error:
            print(str(error), file=sys.stderr)
            continue
        # A process each: what one holds in memory is not the other's.
        results.append(Bench.parse(_apart(args, backend)))
        if args.json:
            print(json.dumps(results[-1].to_dict()), flush=True)
    if not args.json:
        from pzvision.messages import say

        print(table(results))
        fastest = min(results, key=lambda b: b.whole).backend
        print(say("detector.bench.auto", "zh", auto=auto, fastest=fastest))
        print(say("detector.bench.auto", "en", auto=auto, fastest=fastest))
    return 0


def _peer(args: argparse.Namespace) -> int:
    """Ours and mahjong-detector on the same labelled photos."""
    from dataclasses import asdict

    from pzvision.train import needs_training_packages
    from pzvision.vision.detector import TileDetector

    if args.images:
        raise PzvisionError(f"--peer {args.peer}: takes no further pictures, got {args.images[0]}")
    needs_training_packages(("yaml",))
    from pzvision.train.peer import compare, table

    detector = TileDetector(args.models, threads=args.threads, backend=args.backend or "auto")
    rows = compare(args.peer, detector)
    if args.json:
        for name, figures in rows:
            print(json.dumps({"detector": name, **asdict(figures)}))
    else:
        print(table(rows))
        print(detector.runs_on)
    return 0


def _measure(args: argparse.Namespace, backend: str) -> Bench:
    from pzvision.commands.detect import read_image
    from pzvision.vision.bench import measure
    from pzvision.vision.calibration import load
    from pzvision.vision.detector import TileDetector

    calibration = None if args.calibration is None else load(args.calibration)
    detector = TileDetector(args.models, threads=args.threads, backend=backend)
    pictures = [read_image(Path(name)) for name in args.images] or rendered(args.pictures)
    return measure(detector, pictures, args.rounds, calibration)


def rendered(count: int) -> list[npt.NDArray[np.uint8]]:
    """``count`` pictures ``(720, 1280, 3)`` of tables with at least 60 tiles in plain sight, always the same.

    Raises `PzvisionError` where so many cannot be rendered.
    """
    import numpy as np

    from pzvision.synth.scenes import SceneConfig, random_scene

    config = SceneConfig(layouts=(("game", 1.0), ("rows", 1.0)), tile_px=(26.0, 36.0), no_tiles=0.0, arms=0.1)
    out = []
    for index in range(100 * count):
        scene = random_scene(np.random.default_rng([_SEED, index]), size=(1280, 720), config=config)
        if int((scene.visible > 0.55).sum()) >= 60:
            out.append(scene.image)
        if len(out) == count:
            return out
    raise PzvisionError(f"--pictures {count}: so many tables of 60 tiles could not be rendered")


def _apart(args: argparse.Namespace, backend: str) -> dict[str, object]:
    words = [sys.executable, "-m", "pzvision", "bench-detector", *args.images, "--backend", backend, "--json"]
    words += ["--threads", str(args.threads), "--pictures", str(args.pictures), "--rounds", str(args.rounds)]
    if args.calibration is not None:
        words += ["--calibration", str(args.calibration)]
    if args.models is not None:
        words += ["--models", str(args.models)]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PYTHONUTF8": "1"})
    if done.returncode != 0:
        line = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"status {done.returncode}"
        raise PzvisionError(f"bench-detector --backend {backend}: {line.removeprefix('pzvision: error: ')}")
    record: dict[str, object] = json.loads(done.stdout)
    return record


def table(results: Sequence[Bench]) -> str:
    """The figures as lines for people, ms."""
    from pzvision.messages import say
    from pzvision.vision.bench import STAGES

    head = f"{'ms':<13}" + "".join(f"{name:>10}" for name in (*STAGES, "whole", "p95", "cpu")) + f"{'MB':>7}"
    lines = [head]
    for b in results:
        figures = [*(b.stages[name] for name in STAGES), b.whole, b.slow, b.processor]
        lines.append(f"{b.backend:<13}" + "".join(f"{v:>10.1f}" for v in figures) + f"{b.peak_mb:>7.0f}")
    for b in results:
        lines.append(b.runs_on)
    if results:
        first = results[0]
        for lang in ("zh", "en"):
            lines.append(say("detector.bench.pictures", lang, pictures=first.pictures, tiles=first.tiles))
            for b in results:
                each = ", ".join(f"{tiles}: {ms:.1f}" for tiles, ms in b.each)
                lines.append(say("detector.bench.each", lang, backend=b.backend, each=each))
    return "\n".join(lines)
