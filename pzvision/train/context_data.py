"""Samples for the context reader: faces of known names cut out wide, mostly those that the reader doubts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from torch.utils.data import IterableDataset

from pzvision.tiles import BACK, OTHER
from pzvision.train.data import Example, Recipe, named_examples, read_picture, shuffled, stream
from pzvision.train.font_faces import stroked
from pzvision.train.matching import polygon_iou
from pzvision.train.outline_data import picture_key, shrunk, spoil, wrong_outlines
from pzvision.train.reader_seen import across
from pzvision.vision.context import SIZE, WIDE
from pzvision.vision.obb import side_px
from pzvision.vision.reader import FaceReader, ReaderConfig
from pzvision.vision.rectify import rectify

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ContextSamples:
    """What samples are like.

    Attributes:
        faces: most faces taken from one picture.
        sides: least and greatest side (root of area) of a face in its picture, px.
        shrunk: chance that a rendered picture is made smaller first; photos always are.
        small_px: sizes that a shrunk picture's median tile may get, px.
        wrong: share by which outlines are moved as a finder errs; of one in four ``very_wrong``.
        overlap: an outline still overlaps its tile by this (IoU, 0–1).
        doubtful: faces that the reader gives less probability, or another name, are all taken ...
        sure: ... of the others this share.
        spoilt: chance of other light, blur and noise.
        recoloured: chance of other colours, as of other inks on other paper.
        restroked: chance of fatter or thinner strokes.
    """

    faces: int = 24
    sides: tuple[float, float] = (9.0, 45.0)
    shrunk: float = 0.2
    small_px: tuple[float, float] = (11.0, 44.0)
    wrong: float = 0.3
    very_wrong: float = 0.7
    overlap: float = 0.45
    doubtful: float = 0.93
    sure: float = 0.08
    spoilt: float = 0.6
    recoloured: float = 0.2
    restroked: float = 0.15


class ContextStream(IterableDataset[tuple[Bytes, Ints, Ints]]):  # type: ignore[misc]
    """Endless batches: pictures ``(N, SIZE, SIZE, 3)`` uint8 BGR, kinds ``(N,)`` and turns ``(N,)``.

    A turn is the corner where the face's own top left is; -1 where that is not known, or where no face is.
    ``reader``: the file of the reader whose doubts are learnt from. ``found``: what `found_outlines` wrote,
    for what a finder takes for tiles.
    """

    def __init__(
        self,
        recipe: Recipe,
        built: Path,
        batch: int,
        seed: int,
        reader: Path,
        found: Path | None = None,
        config: ContextSamples | None = None,
    ) -> None:
        self.recipe, self.built, self.batch, self.seed = recipe, built, batch, seed
        self.reader, self.found = reader, found
        self.config = config or ContextSamples()

    def __iter__(self) -> Iterator[tuple[Bytes, Ints, Ints]]:
        cv2.setNumThreads(0)
        rng = np.random.default_rng(self.seed)
        # opened here: what runs it does not survive the fork into this process
        reader = FaceReader(self.reader, threads=1, config=ReaderConfig(again=0.0), backend="onnxruntime")
        found = dict(np.load(self.found)) if self.found is not None else {}
        mix = [
            (source, [e for e in examples if e.outlines and len(e.quads)])
            for source, examples in named_examples(self.recipe, self.built)
        ]
        parts = (self._of(e, reader, rng, found.get(picture_key(e))) for e in stream(mix, rng))
        yield from shuffled((p for p in parts if p is not None), self.batch, rng)

    def _of(
        self, example: Example, reader: FaceReader, rng: np.random.Generator, seen: Floats | None
    ) -> tuple[Bytes, Ints, Ints] | None:
        cfg = self.config
        image, quads = np.asarray(read_picture(example.path), np.uint8), example.quads
        mistaken = _mistaken(seen, np.concatenate([quads, example.ignore]))
        faces = np.flatnonzero(example.classes <= OTHER)
        if not len(faces):
            return None
        rendered = example.backs
        side = side_px(quads[faces])
        if not rendered or rng.random() < cfg.shrunk:
            image, ratio = shrunk(image, max(float(np.median(side)), 1.0), cfg.small_px, rng)
            quads, mistaken = ((q + 0.5) * ratio - 0.5 for q in (quads, mistaken))
            side = side_px(quads[faces])
        faces = faces[(side >= cfg.sides[0]) & (side <= cfg.sides[1])]
        if not len(faces):
            return None
        truth = quads[faces].astype(np.float32)
        much = np.where(rng.random(len(faces)) < 0.25, cfg.very_wrong, cfg.wrong)
        found = (truth + (wrong_outlines(truth, rng) - truth) * much[:, None, None]).astype(np.float32)
        iou = polygon_iou(found, quads)
        kept = (iou.argmax(axis=1) == faces) & (iou.max(axis=1) > cfg.overlap)
        found, kinds = found[kept], example.classes[faces[kept]].astype(np.int64)
        turns = np.full(len(found), 0 if rendered else -1)
        if rendered:  # what is no face: half of two tiles, backs, and what only a finder takes for one
            moved = rng.permutation(len(truth))[: max(1, len(truth) // 10)]
            backs = rng.permutation(np.flatnonzero(example.classes == BACK))[:4]
            none = np.concatenate([across(rng, truth[moved]), quads[backs], mistaken]).astype(np.float32)
            found = np.concatenate([found, none])
            kinds = np.concatenate([kinds, np.full(len(none), OTHER)])
            turns = np.concatenate([turns, np.full(len(none), -1)])
        start = rng.integers(0, 4, len(found))
        order = (np.arange(4)[None] + start[:, None]) % 4
        found = np.take_along_axis(found, order[..., None], axis=1)
        turns = np.where(turns < 0, -1, -start % 4)
        said = reader.read(reader.cut(image, found)).probs
        doubted = (said.max(axis=1) < cfg.doubtful) | (said.argmax(axis=1) != kinds)
        taken = rng.permutation(np.flatnonzero(doubted | (rng.random(len(found)) < cfg.sure)))[: cfg.faces]
        if not len(taken):
            return None
        middle = found[taken].mean(axis=1, keepdims=True)
        pictures = rectify(image, middle + (found[taken] - middle) * WIDE, SIZE)
        return np.stack([self._other(p, rng) for p in pictures]), kinds[taken], turns[taken]

    def _other(self, picture: Bytes, rng: np.random.Generator) -> npt.NDArray[Any]:
        """A cut-out as of another set in another light, each only sometimes."""
        cfg = self.config
        if rng.random() < cfg.recoloured:
            picture = recoloured(picture, rng)
        if rng.random() < cfg.restroked:
            picture = stroked(picture, float(rng.normal(0, 0.4)), 2)
        return spoil(picture, rng) if rng.random() < cfg.spoilt else picture


def recoloured(picture: Bytes, rng: np.random.Generator) -> Bytes:
    """``picture`` ``(S, S, 3)`` uint8 BGR, its hues turned and made stronger or weaker, the light as it is.

    Of the same shape.
    """
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB).astype(np.float32)
    angle = rng.normal(0, 0.6) if rng.random() < 0.8 else rng.uniform(-np.pi, np.pi)
    gain = rng.uniform(0.2, 1.3)
    turn = gain * np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    lab[..., 1:] = (lab[..., 1:] - 128) @ turn + 128
    return np.asarray(cv2.cvtColor(np.clip(lab, 0, 255).astype(np.uint8), cv2.COLOR_LAB2BGR), np.uint8)


def _mistaken(seen: Floats | None, tiles: Floats) -> Floats:
    """``(N, 4, 2)``: those of the outlines seen by a finder that touch no tile."""
    if seen is None or not len(seen) or not len(tiles):
        return np.zeros((0, 4, 2), np.float32)
    return np.asarray(seen[polygon_iou(seen, tiles).max(axis=1) < 0.1], np.float32)
