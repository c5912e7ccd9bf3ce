"""A pinhole camera over the table, with square pixels and a little radial distortion.

World frame, in cm: origin at the centre of the felt, x to the right of the near edge as the near
player sees it, y away from that player, z up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Camera:
    """Where the camera stands and how it looks.

    Attributes:
        eye: ``(3,)`` cm.
        rotation: ``(3, 3)``; rows are the camera's right, down and forward directions in the world.
        focal: px.
        size: ``(width, height)`` px; the principal point is the centre.
        k1: radial distortion, a factor: an image point at distance r (in focal lengths) moves to
            r(1 + k1 r²).
    """

    eye: Floats
    rotation: Floats
    focal: float
    size: tuple[int, int]
    k1: float = 0.0

    @classmethod
    def look_at(
        cls,
        eye: Sequence[float],
        target: Sequence[float],
        focal: float,
        size: tuple[int, int],
        *,
        roll: float = 0.0,
        k1: float = 0.0,
    ) -> Camera:
        """A camera at ``eye``, cm, whose centre sees ``target``, cm; ``roll`` in radians turns it clockwise.

        ``focal`` and ``size`` are px; ``k1`` as of `Camera`.
        """
        position = np.array(eye, np.float64)
        forward = np.array(target, np.float64) - position
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        if np.linalg.norm(right) < 1e-6:  # straight down: the near edge stays at the bottom
            right = np.array((1.0, 0.0, 0.0))
        right /= np.linalg.norm(right)
        down = np.cross(forward, right)
        c, s = np.cos(roll), np.sin(roll)
        return cls(position, np.stack([c * right + s * down, c * down - s * right, forward]), focal, size, k1)

    @property
    def intrinsic(self) -> Floats:
        """``(3, 3)`` px: OpenCV's camera matrix."""
        w, h = self.size
        return np.array([[self.focal, 0, w / 2], [0, self.focal, h / 2], [0, 0, 1.0]])

    def pinhole(self) -> Camera:
        """The same camera without distortion; its picture takes in all that a barrel lens shows, so it is
        larger by a margin all round (and for any other lens it is not).
        """
        if not self.k1:
            return self
        w, h = self.size
        edge = np.concatenate(
            [np.stack([np.arange(w), np.zeros(w)], 1), np.stack([np.zeros(h), np.arange(h)], 1)]
        )
        margin = max(0, int(np.ceil(-self._straight(edge).min())))
        return replace(self, k1=0.0, size=(w + 2 * margin, h + 2 * margin))

    def through_lens(self, pixels: Floats) -> Floats:
        """``(..., 2)`` px of the `pinhole` camera's picture → ``(..., 2)`` px of this one's."""
        plane = (pixels - np.array(self.pinhole().size, np.float64) / 2) / self.focal
        r2 = np.minimum((plane**2).sum(axis=-1, keepdims=True), 1.5)
        centre = np.array(self.size, np.float64) / 2
        return np.asarray(plane * (1.0 + self.k1 * r2) * self.focal + centre, np.float64)

    def lens_maps(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """x ``(H, W)`` and y ``(H, W)``, float32, for ``cv2.remap`` of the `pinhole` camera's picture."""
        w, h = self.size
        grid = np.stack(np.meshgrid(np.arange(w), np.arange(h)), axis=-1).reshape(-1, 2)
        margin = (self.pinhole().size[0] - w) // 2
        source = (self._straight(grid) + margin).reshape(h, w, 2)
        return np.asarray(source[..., 0], np.float32), np.asarray(source[..., 1], np.float32)

    def _straight(self, pixels: npt.NDArray[Any]) -> Floats:
        """``(N, 2)`` px → where they were without distortion."""
        lens = np.array((self.k1, 0.0, 0.0, 0.0, 0.0))
        points = pixels.astype(np.float64).reshape(-1, 1, 2)
        straight = cv2.undistortPoints(points, self.intrinsic, lens, P=self.intrinsic)
        return np.asarray(straight.reshape(-1, 2), np.float64)

    def depth(self, points: Floats) -> Floats:
        """``(...,)`` distance along the optical axis, cm, of ``(..., 3)`` world points, cm."""
        return np.asarray((points - self.eye) @ self.rotation[2], np.float64)

    def project(self, points: Floats) -> Floats:
        """``(..., 3)`` cm → ``(..., 2)`` px. Points behind the camera are clamped far outside the picture."""
        local = (points - self.eye) @ self.rotation.T
        z = np.maximum(local[..., 2:3], 1.0)
        plane = local[..., :2] / z
        if self.k1:
            r2 = np.minimum((plane**2).sum(axis=-1, keepdims=True), 1.5)
            plane = plane * (1.0 + self.k1 * r2)
        centre = np.array(self.size, np.float64) / 2
        return np.clip(plane * self.focal + centre, -20000.0, 20000.0)

    def homography(self, z: float = 0.0) -> Floats:
        """``(3, 3)``: (x, y, 1) cm on the plane at height ``z`` → px, without distortion."""
        shift = self.rotation @ (np.array((0.0, 0.0, z)) - self.eye)
        return np.asarray(
            self.intrinsic @ np.column_stack([self.rotation[:, 0], self.rotation[:, 1], shift]), np.float64
        )

    def on_plane(self, pixels: Floats, z: float = 0.0) -> Floats:
        """``(N, 2)`` px → ``(N, 2)`` cm on the plane at height ``z``, without distortion."""
        ones = np.ones((len(pixels), 1))
        world = np.concatenate([pixels, ones], axis=1) @ np.linalg.inv(self.homography(z)).T
        return np.asarray(world[:, :2] / world[:, 2:3], np.float64)

    def scaled(self, factor: float) -> Camera:
        """The same view in a picture ``factor`` times as large."""
        size = (round(self.size[0] * factor), round(self.size[1] * factor))
        return Camera(self.eye, self.rotation, self.focal * factor, size, self.k1)
