"""The finder network: its shape code, its loss's blind spots, and that it learns."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("ultralytics")

from pzvision.train.augment import Sample  # noqa: E402
from pzvision.train.finder import OUTPUTS, Finder, shape_code  # noqa: E402
from pzvision.train.loop import collate  # noqa: E402
from pzvision.train.loss import FinderLoss  # noqa: E402
from pzvision.vision.obb import anchor_points, decode_shape  # noqa: E402


def sample(backs: bool, ignore: bool = False) -> Sample:
    image = np.zeros((64, 64, 3), np.uint8)
    quads = np.array([[[8, 8], [24, 8], [24, 30], [8, 30]]], np.float32)
    hole = (
        np.array([[[36, 36], [60, 36], [60, 60], [36, 60]]], np.float32)
        if ignore
        else np.zeros((0, 4, 2), np.float32)
    )
    return Sample(image, quads, np.zeros(1, np.int64), np.ones(1, bool), hole, np.full((8, 8), backs))


def gradient(s: Sample) -> np.ndarray:
    """Of the loss by the class logits, ``(A, 2)``, for one and the same output."""
    out = torch.zeros(1, len(anchor_points(64, 64)), OUTPUTS)
    out[..., :4] = 1.0
    out.requires_grad_(True)
    FinderLoss()(out, collate([s]))[0].backward()
    return out.grad[0, :, 8:].numpy()


def test_the_shape_code_and_its_decoder_agree() -> None:
    quad = torch.tensor([[[10.0, 5], [34, 12], [30, 44], [6, 37]]])
    box = np.array([[6.0, 5, 34, 44]], np.float32)
    got = decode_shape(box, shape_code(quad).numpy())[0]
    assert min(float(np.abs(np.roll(got, k, 0) - quad[0].numpy()).max()) for k in range(4)) < 0.5


def test_where_backs_are_not_labelled_the_back_class_is_not_judged() -> None:
    known, unknown = gradient(sample(True)), gradient(sample(False))
    far = anchor_points(64, 64)[:, 0] > 40
    assert (known[far, 1] > 0).all()
    assert (unknown[far, 1] == 0).all()
    assert (unknown[far, 0] > 0).all()


def test_ignored_places_are_not_judged() -> None:
    points = anchor_points(64, 64)[:, :2]
    inside = ((points >= 36) & (points <= 60)).all(1)
    got = gradient(sample(True, ignore=True))
    assert inside.sum() >= 9
    assert (got[inside] == 0).all()
    assert (got[~inside].sum(1) != 0).all()


def test_a_few_steps_lower_the_loss() -> None:
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = Finder().train()
    optimiser = torch.optim.AdamW(model.parameters(), 2e-3)
    shown = [sample(True), sample(False)]
    noise = np.random.default_rng(1).integers(0, 80, (64, 64, 3)).astype(np.uint8)
    noise[8:30, 8:24] = 230
    batch = collate([dataclasses.replace(s, image=noise) for s in shown])
    losses = []
    for _ in range(14):
        loss, parts = FinderLoss()(model(batch.images.float() / 255), batch)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.8 * losses[0]
    assert set(parts) == {"box", "edge", "shape", "class"}


def test_training_goes_on_where_it_was_interrupted(tmp_path) -> None:  # type: ignore[no-untyped-def]
    import json

    import cv2

    from pzvision.train.augment import AugmentConfig
    from pzvision.train.data import build_pool, load_recipe
    from pzvision.train.export import export_finder
    from pzvision.train.loop import TrainConfig, load_checkpoint, train
    from pzvision.vision.finder import TileFinder

    crops = tmp_path / "crops" / "1m"
    crops.mkdir(parents=True)
    cv2.imwrite(str(crops / "own_1.png"), np.full((128, 96, 3), 220, np.uint8))
    recipe_path = tmp_path / "r.yaml"
    recipe_path.write_text(
        "name: a\nsources: [{name: c, kind: composites, share: 1, count: 2, seed: 3, crops: crops}]"
    )
    recipe = load_recipe(recipe_path)
    build_pool(recipe, recipe.sources[0], tmp_path / "built")

    def go(minutes: float) -> dict:  # type: ignore[type-arg]
        config = TrainConfig(minutes=minutes, batch=2, processes=1, warmup=2)
        path = train(recipe, tmp_path / "built", tmp_path / "run", config, augment=AugmentConfig(size=64))
        return load_checkpoint(path)

    first = go(0.02)
    second = go(0.04)
    assert second["step"] > first["step"] and second["images"] > first["images"]
    assert second["spent"] >= 0.04 * 60
    assert "optimiser" in second
    model = export_finder(tmp_path / "run" / "finder.pt", tmp_path / "finder.onnx")
    assert len(TileFinder(model)(np.zeros((64, 96, 3), np.uint8))) >= 0
    for line in (
        (tmp_path / "run" / "log.jsonl").read_text().splitlines()
        if (tmp_path / "run" / "log.jsonl").exists()
        else []
    ):
        assert json.loads(line)["step"] > 0
