"""The finder's loss: task-aligned assignment as in YOLO, boxes, tile shapes, and classes with blind spots.

Blind spots: cells inside *ignore* quads count for nothing unless a labelled tile owns them, and where backs
are not labelled (all photos) the back class is only judged on labelled faces.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor
from ultralytics.utils.metrics import bbox_iou
from ultralytics.utils.tal import TaskAlignedAssigner

from pzvision.train.finder import CLASS_NAMES, STRIDES, anchors, shape_code


@dataclass(frozen=True)
class LossWeights:
    """Factors of the four parts."""

    box: float = 7.5
    edges: float = 1.5
    shape: float = 2.0
    classes: float = 0.7


@dataclass(frozen=True)
class Batch:
    """Padded truth of ``B`` pictures with at most ``M`` tiles and ``K`` ignored quads.

    Attributes:
        images: (B, 3, S, S) uint8 RGB.
        quads: (B, M, 4, 2) float32 px.
        classes, outlined, real: (B, M).
        ignore: (B, K, 4) float32 px boxes, zeros where there is none.
        backs: (B, S/8, S/8) bool.
    """

    images: Tensor
    quads: Tensor
    classes: Tensor
    outlined: Tensor
    real: Tensor
    ignore: Tensor
    backs: Tensor


class FinderLoss:
    """Call with the network's training output ``(B, A, 10)`` and a `Batch`."""

    def __init__(self, weights: LossWeights | None = None, classes: int = len(CLASS_NAMES)) -> None:
        self.weights = weights or LossWeights()
        self.assigner = TaskAlignedAssigner(
            topk=10, num_classes=classes, alpha=0.5, beta=6.0, stride=list(STRIDES)
        )

    def __call__(self, out: Tensor, batch: Batch) -> tuple[Tensor, dict[str, float]]:
        """The sum to minimise, a scalar (as YOLO does, × the batch size) and its parts."""
        out = out.float()
        size = batch.images.shape[-1]
        points, strides = anchors([(size // s, size // s) for s in STRIDES])
        centres = points * strides
        sides = torch.cat([points - out[..., :2], points + out[..., 2:4]], -1) * strides
        # A box turned inside out has no IoU to speak of; only the plain distances pull it back.
        reach = out[..., :4].clamp(min=0.05)
        boxes = torch.cat([points - reach[..., :2], points + reach[..., 2:4]], -1) * strides
        logits = out[..., 8:]
        gt_boxes = torch.cat([batch.quads.amin(2), batch.quads.amax(2)], -1) * batch.real[..., None]
        _, target_boxes, target_scores, owned, owner = self.assigner(
            logits.detach().sigmoid(),
            boxes.detach(),
            centres,
            batch.classes[..., None],
            gt_boxes,
            batch.real[..., None].float(),
        )
        total = target_scores.sum().clamp(min=1.0)
        seen = self._seen(batch, centres, owned, size, logits.shape[-1])
        bce = F.binary_cross_entropy_with_logits(logits, target_scores.to(logits.dtype), reduction="none")
        classes = (bce * seen).sum() / total
        if owned.any():
            weight = target_scores.sum(-1)[owned][:, None]
            wanted = target_boxes[owned]
            iou = bbox_iou(boxes[owned], wanted, xywh=False, CIoU=True)
            box = ((1 - iou) * weight).sum() / total
            extent = (wanted[:, 2:] - wanted[:, :2]).clamp(min=4.0)
            edges = ((sides[owned] - wanted).abs() / extent.repeat(1, 2)).clamp(max=2.0)
            edge = (edges.mean(-1, keepdim=True) * weight).sum() / total
            rows = torch.arange(len(owner))[:, None].expand_as(owner)[owned]
            index = owner[owned]
            code = shape_code(batch.quads)[rows, index]
            sure = batch.outlined[rows, index].float()[:, None]
            gap = F.smooth_l1_loss(out[..., 4:8][owned], code, reduction="none", beta=0.1).sum(
                -1, keepdim=True
            )
            shape = (gap * weight * sure).sum() / total
        else:
            box = edge = shape = out.sum() * 0.0
        w = self.weights
        loss = w.box * box + w.edges * edge + w.shape * shape + w.classes * classes
        parts = {"box": box, "edge": edge, "shape": shape, "class": classes}
        return loss * len(batch.images), {name: float(value.detach()) for name, value in parts.items()}

    @staticmethod
    def _seen(batch: Batch, centres: Tensor, owned: Tensor, size: int, classes: int) -> Tensor:
        """(B, A, classes) float: 1 where a class score is judged; the last class is the back."""
        ignore = batch.ignore[:, :, None, :]
        inside = (centres[None, None] >= ignore[..., :2]) & (centres[None, None] <= ignore[..., 2:])
        free = owned | ~inside.all(-1).any(1)
        cells = (centres / 8).long().clamp(max=size // 8 - 1)
        backs = batch.backs[:, cells[:, 1], cells[:, 0]] | owned
        return torch.stack([free] * (classes - 1) + [free & backs], -1).float()
