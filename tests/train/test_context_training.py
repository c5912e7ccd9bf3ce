"""Samples for the context reader, its network, and its command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("ultralytics")

from pzvision.tiles import OTHER  # noqa: E402
from pzvision.train import reader  # noqa: E402
from pzvision.train.clock import read_checkpoint  # noqa: E402
from pzvision.train.context import ContextNet, export, mixed  # noqa: E402
from pzvision.train.context_data import ContextSamples, ContextStream  # noqa: E402
from pzvision.train.data import Recipe, Source, build_pool  # noqa: E402
from pzvision.train.reader_net import SYMMETRIC  # noqa: E402
from pzvision.vision.context import SIZE, WIDE, ContextReader  # noqa: E402
from pzvision.vision.detector import find_model  # noqa: E402
from pzvision.vision.reader import FaceReader, ReaderConfig  # noqa: E402
from pzvision.vision.rectify import GROW, rectify  # noqa: E402

SCENES = Source(
    "scenes-n", "scenes", 1.0, count=2, seed=5, size=[1280, 720], tile_px=[40, 60], hard=0.0, decoys=0.0,
    layouts={"game": 1.0},
)  # fmt: skip

AS_IS = {"spoilt": 0.0, "recoloured": 0.0, "restroked": 0.0, "shrunk": 0.0}


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    base = tmp_path_factory.mktemp("context")
    made = Recipe("n", base, (SCENES,))
    build_pool(made, SCENES, base / "built", named=True)
    return made


def stream(recipe: Recipe, config: ContextSamples | None = None, seed: int = 1) -> ContextStream:
    file = find_model("reader.int8.onnx")
    return ContextStream(recipe, recipe.base / "built", 24, seed, file, config=config)


def faces_of(pictures: np.ndarray) -> np.ndarray:
    """What the reader would see of ``(N, SIZE, SIZE, 3)`` wide cut-outs."""
    half, middle = SIZE / WIDE / 2 * (1 + GROW), (SIZE - 1) / 2
    corners = np.array([[-half, -half], [half, -half], [half, half], [-half, half]]) + middle
    return np.concatenate([rectify(p, corners[None].astype(np.float32)) for p in pictures])


def test_samples_show_the_named_face_and_its_turn(recipe: Recipe) -> None:
    every = ContextSamples(sure=1.0, wrong=0.0, very_wrong=0.0, **AS_IS, sides=(9.0, 90.0))
    pictures, kinds, turns = next(iter(stream(recipe, every)))
    assert pictures.shape == (24, SIZE, SIZE, 3) and pictures.dtype == np.uint8
    known = (turns >= 0) & (kinds != OTHER)
    assert known.sum() >= 12
    upright = np.stack([np.rot90(p, t) for p, t in zip(pictures[known], turns[known], strict=True)])
    config = ReaderConfig(again=0.0)
    reading = FaceReader(
        find_model("reader.int8.onnx"), threads=1, config=config, backend="onnxruntime"
    ).read(faces_of(upright))
    assert (reading.kinds == kinds[known]).mean() > 0.8
    told = ~np.isin(kinds[known], SYMMETRIC) & (kinds[known] != 18)
    assert (reading.rotation[told] == 0).mean() > 0.8
    assert (kinds[turns < 0] == OTHER).all()


def test_samples_are_the_same_for_a_seed_and_mostly_doubtful(recipe: Recipe) -> None:
    first, again = (next(iter(stream(recipe, seed=7))) for _ in range(2))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], next(iter(stream(recipe, seed=8)))[0])
    few = ContextSamples(sure=0.0)
    pictures, kinds, _ = next(iter(stream(recipe, few)))
    said = FaceReader(
        find_model("reader.int8.onnx"), threads=1, config=ReaderConfig(again=0.0), backend="onnxruntime"
    ).read(faces_of(pictures))
    doubted = (said.probs.max(axis=1) < 0.99) | (said.kinds != kinds)
    assert doubted.mean() > 0.7


def test_it_begins_as_the_reader_and_its_file_says_what_the_network_says(
    recipe: Recipe, tmp_path: Path
) -> None:
    every = ContextSamples(sure=1.0, wrong=0.0, very_wrong=0.0, **AS_IS)
    pictures, _, turns = next(iter(stream(recipe, every)))
    theirs, net = reader.load(find_model("reader.pt")), ContextNet().eval()
    net.begin_as(theirs)
    with torch.no_grad():
        ours = net(reader.to_input(pictures))[0].softmax(1).numpy()
    named, _ = reader.answers(theirs, faces_of(pictures))
    real = turns >= 0
    assert (ours.argmax(1) == named.argmax(1))[real].mean() > 0.7
    torch.save({"average": net.state_dict(), "step": 0, "spent": 0.0}, tmp_path / "context.pt")
    model = ContextReader(
        export(tmp_path / "context.pt", tmp_path / "context.onnx"), threads=1, backend="onnxruntime"
    )
    assert np.allclose(model.network.run(pictures)[0], ours, atol=1e-3)


def test_weights_of_two_runs_are_mixed(tmp_path: Path) -> None:
    nets = [ContextNet().state_dict() for _ in range(2)]
    for name, net in zip("ab", nets, strict=True):
        torch.save({"average": net, "step": 7, "spent": 1.0}, tmp_path / f"{name}.pt")
    state = read_checkpoint(mixed(tmp_path / "a.pt", tmp_path / "b.pt", 0.75, tmp_path / "c.pt"))
    weight = state["average"]["kinds.weight"]
    assert torch.allclose(weight, 0.25 * nets[0]["kinds.weight"] + 0.75 * nets[1]["kinds.weight"], atol=1e-6)
    assert state["step"] == 7 and not state["average"]["kinds.bias"].isnan().any()
    export(tmp_path / "c.pt", tmp_path / "c.onnx")


def test_the_command_trains_and_exports(recipe: Recipe, tmp_path: Path) -> None:
    file = recipe.base / "t.yaml"
    file.write_text("name: t\nsources:\n  - {name: scenes-n, kind: scenes, share: 1}\n", encoding="utf-8")
    words = ["--recipe", file, "--models", find_model("finder.onnx").parent, "--minutes", "0.03"]
    command = [sys.executable, "-m", "pzvision.train.context", *words, "--batch", "16"]
    subprocess.run([*command, "--out", tmp_path / "run", "--export", tmp_path], timeout=240, check=True)
    assert read_checkpoint(tmp_path / "run" / "context.pt")["step"] >= 1
    ContextReader(tmp_path / "context.onnx", threads=1, backend="onnxruntime")
