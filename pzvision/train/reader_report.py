"""How well a face reader names faces whose outlines are known: ``python -m pzvision.train.reader_report``.

On photos with YOLO labels the outline is the label's box; on a recording with ``truth.json`` the
face's polygon. Nothing is chosen here; it prints tables for the model card.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.tiles import KINDS, OTHER, format_tile, parse_tile
from pzvision.train.faces import read_labels
from pzvision.train.reader_net import ROUND, SYMMETRIC
from pzvision.vision.reader import FaceReader

_BINS: Final = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0001)


@dataclass(frozen=True, eq=False)
class Answers:
    """Faces read: distributions ``(N, 28)``, true kinds ``(N,)``, longer sides ``(N,)`` px, and pictures."""

    probs: npt.NDArray[np.float32]
    kinds: npt.NDArray[np.int64]
    heights: npt.NDArray[np.float64]
    places: list[str]
    turned: npt.NDArray[np.bool_]
    """``(N,)``: whether another corner than the true one was taken for the top left (False where unknown)."""

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """``(N,)``: whether the likeliest kind is the true one."""
        return np.asarray(self.probs.argmax(1) == self.kinds)


def _gather(
    reader: FaceReader, pictures: Iterator[tuple[str, np.ndarray, np.ndarray, list[int], bool]]
) -> Answers:
    probs: list[npt.NDArray[np.float32]] = []
    kinds: list[int] = []
    heights: list[float] = []
    places: list[str] = []
    turned: list[bool] = []
    for name, image, quads, labels, oriented in pictures:
        if not labels:
            continue
        reading, upright = reader.read_quads(image, quads)
        probs.append(reading.probs)
        kinds += labels
        heights += np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2).max(1).tolist()
        places += [name] * len(labels)
        turned += (np.abs(upright - quads).max((1, 2)) > 0.01).tolist() if oriented else [False] * len(labels)
    if not probs:
        raise PzvisionError(
            "no labelled faces found: expected images/ and labels/, or a recording with truth.json"
        )
    return Answers(
        np.concatenate(probs), np.array(kinds), np.array(heights), places, np.array(turned, np.bool_)
    )


def read_photos(reader: FaceReader, folder: Path) -> Answers:
    """Every box of a YOLO folder (``images/``, ``labels/``)."""

    def pictures() -> Iterator[tuple[str, np.ndarray, np.ndarray, list[int], bool]]:
        for path in sorted((folder / "images").iterdir()):
            image = cv2.imread(str(path))
            labels = folder / "labels" / f"{path.stem}.txt"
            if image is None or not labels.exists():
                continue
            h, w = image.shape[:2]
            boxes = read_labels(labels)
            quads = np.array(
                [
                    [
                        (x - a / 2, y - b / 2),
                        (x + a / 2, y - b / 2),
                        (x + a / 2, y + b / 2),
                        (x - a / 2, y + b / 2),
                    ]
                    for _, x, y, a, b in boxes
                ]
            ).reshape(-1, 4, 2) * (w, h)
            yield path.stem, image, quads, [min(k, OTHER) for k, *_ in boxes], False

    return _gather(reader, pictures())


def read_recording(reader: FaceReader, folder: Path, least_visible: float = 0.9) -> Answers:
    """Every face-up tile of a recording's ``truth.json`` of which at least this share is seen."""

    def pictures() -> Iterator[tuple[str, np.ndarray, np.ndarray, list[int], bool]]:
        truth = json.loads((folder / "truth.json").read_text())
        frames = next(v for v in truth.values() if isinstance(v, list) and v and isinstance(v[0], dict))
        video = cv2.VideoCapture(str(folder / "video.mp4"))
        wanted = {int(f["frame"]): f for f in frames}
        for index in range(max(wanted) + 1):
            ok, image = video.read()
            if not ok:
                break
            if index in wanted:
                tiles = [t for t in wanted[index]["face_up"] if t["visible"] >= least_visible]
                quads = np.array([t["polygon"] for t in tiles]).reshape(-1, 4, 2)
                yield (
                    f"{wanted[index]['t']:.0f} s",
                    image,
                    quads,
                    [parse_tile(t["tile"]) for t in tiles],
                    True,
                )

    return _gather(reader, pictures())


def describe(answers: Answers, title: str) -> str:
    """Markdown: shares read rightly, confused pairs, calibration, accuracy by size."""
    right, kinds = answers.right, answers.kinds
    read = answers.probs.argmax(1)
    confidence = answers.probs.max(1)
    suited = kinds < KINDS
    lines = [
        f"### {title}",
        "",
        f"{len(kinds)} faces, read rightly {right.mean():.3f};"
        f" suited {right[suited].mean():.3f} of {suited.sum()}"
        + (f"; others {right[~suited].mean():.3f} of {(~suited).sum()}" if (~suited).any() else ""),
        "",
        "| height px | faces | right |",
        "|---|---|---|",
    ]
    for least, most in pairwise((0, 20, 26, 40, 70, 120, 9999)):
        mask = (answers.heights >= least) & (answers.heights < most)
        if mask.any():
            lines.append(
                f"| {least}–{most if most < 9999 else ''} | {mask.sum()} | {right[mask].mean():.3f} |"
            )
    lines += ["", "| confidence | faces | mean | right |", "|---|---|---|---|"]
    for low, high in pairwise(_BINS):
        mask = (confidence >= low) & (confidence < high)
        if mask.any():
            span = f"{low:.2f}–{min(high, 1):.2f}"
            mean = confidence[mask].mean()
            lines.append(f"| {span} | {mask.sum()} | {mean:.3f} | {right[mask].mean():.3f} |")
    pairs = Counter(
        (format_tile(int(a)), format_tile(int(b))) for a, b in zip(kinds[~right], read[~right], strict=True)
    )
    lines += [
        "",
        "Confused (true → read): " + ", ".join(f"{a}→{b} ×{n}" for (a, b), n in pairs.most_common(24)),
    ]
    by_place = Counter(p for p, ok in zip(answers.places, right, strict=True) if not ok)
    lines += ["", "Errors by picture: " + ", ".join(f"{p} {n}" for p, n in by_place.most_common(16))]
    topped = suited & ~np.isin(kinds, [*SYMMETRIC, ROUND])
    if answers.turned.any():
        lines += [
            "",
            f"Way up wrong where a face has a top: {answers.turned[topped].mean():.4f} of {topped.sum()}",
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--reader", type=Path, required=True)
    parser.add_argument(
        "--photos", type=Path, nargs="*", default=[], help="YOLO folders with images/ and labels/"
    )
    parser.add_argument(
        "--video", type=Path, nargs="*", default=[], help="recordings with video.mp4 and truth.json"
    )
    args = parser.parse_args()
    reader = FaceReader(args.reader, threads=1)
    for folder in args.photos:
        print(describe(read_photos(reader, folder), f"Photos {folder.name}, labelled boxes"))
    for folder in args.video:
        print(describe(read_recording(reader, folder), f"Recording {folder.name}, true outlines"))


if __name__ == "__main__":
    main()
