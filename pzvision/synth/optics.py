"""What lamp, lens, sensor and file format do to a picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.synth.glyphs import Image


@dataclass(frozen=True)
class Optics:
    """One camera in one room.

    Attributes:
        balance: factors of blue, green, red.
        gain, contrast: factors on the brightness of the whole picture, and about mid-grey.
        gamma: exponent, a ratio: 1 leaves all as it is.
        falloff: 0–1, how much darker the far end of ``falloff_angle`` (radians, picture plane) is.
        vignette: 0–1, darkness of the corners.
        glare: spots: x, y as shares of the picture, radius as one of its width, strength in grey levels.
        haze: grey levels of veil.
        blur: px, sigma. ``motion``: length px and angle of motion blur.
        noise: grey levels, sigma; ``grain``: 1 fine, 2 blotchy (as after a phone's denoising).
        sharpen: factor on the unsharp mask.
        shrink: picture is stored at this share of its size and enlarged again.
        jpeg: quality, or 0 for none.
        saturation: factor.
    """

    balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    gain: float = 1.0
    gamma: float = 1.0
    contrast: float = 1.0
    falloff: float = 0.0
    falloff_angle: float = 0.0
    vignette: float = 0.0
    glare: tuple[tuple[float, float, float, float], ...] = ()
    haze: float = 0.0
    blur: float = 0.0
    motion: tuple[float, float] = (0.0, 0.0)
    noise: float = 0.0
    grain: int = 1
    sharpen: float = 0.0
    shrink: float = 1.0
    jpeg: int = 0
    saturation: float = 1.0

    def light_map(self, size: tuple[int, int]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Factor ``(H, W)`` and addend ``(H, W)``, float32, of lamp and lens; ``size``: width, height, px."""
        w, h = size
        small = (max(2, h // 8), max(2, w // 8))
        y, x = np.mgrid[-1 : 1 : small[0] * 1j, -1 : 1 : small[1] * 1j].astype(np.float32)
        ramp = (x * np.cos(self.falloff_angle) + y * np.sin(self.falloff_angle)) * 0.5 + 0.5
        factor = (1 - self.falloff * np.clip(ramp, 0, 1)) * (
            1 - self.vignette * np.minimum(1, (x * x + y * y) / 2)
        )
        add = np.full(small, self.haze, np.float32)
        for gx, gy, radius, strength in self.glare:
            distance = ((x - (2 * gx - 1)) ** 2 + ((y - (2 * gy - 1)) * h / w) ** 2) / max(
                radius * 2, 1e-3
            ) ** 2
            add += strength * np.exp(-distance)
        return (
            np.asarray(cv2.resize(factor.astype(np.float32), (w, h)), np.float32),
            np.asarray(cv2.resize(add.astype(np.float32), (w, h)), np.float32),
        )

    def tone_curve(self) -> npt.NDArray[np.uint8]:
        """``(256, 1, 3)`` look-up table of gain, balance, contrast and gamma."""
        level = np.arange(256, dtype=np.float64)[:, None, None] / 255
        value = level * self.gain * np.array(self.balance)[None, None]
        value = np.clip((value - 0.5) * self.contrast + 0.5, 0, 1) ** self.gamma
        return np.asarray(np.round(value * 255), np.uint8)

    def apply(self, image: Image, rng: np.random.Generator) -> Image:
        """The picture as this camera stores it; same size."""
        h, w = image.shape[:2]
        factor, add = self.light_map((w, h))
        out = cv2.multiply(image, cv2.merge([factor] * 3), dtype=cv2.CV_8U)
        if self.glare or self.haze:
            out = cv2.add(out, cv2.merge([cv2.convertScaleAbs(add)] * 3))
        out = cv2.LUT(out, self.tone_curve())
        if self.saturation != 1.0:
            grey = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
            out = cv2.addWeighted(out, self.saturation, grey, 1 - self.saturation, 0)
        if self.shrink < 1.0:
            small = (max(8, round(w * self.shrink)), max(8, round(h * self.shrink)))
            out = cv2.resize(
                cv2.resize(out, small, interpolation=cv2.INTER_AREA), (w, h), interpolation=cv2.INTER_LINEAR
            )
        if self.motion[0] > 1:
            out = cv2.filter2D(out, -1, motion_kernel(*self.motion))
        if self.blur > 0.2:
            out = cv2.GaussianBlur(out, (0, 0), self.blur)
        if self.noise > 0:
            out = add_noise(np.asarray(out, np.uint8), self.noise, self.grain, rng)
        if self.sharpen > 0:
            soft = cv2.GaussianBlur(out, (0, 0), 1.2)
            out = cv2.addWeighted(out, 1 + self.sharpen, soft, -self.sharpen, 0)
        if self.jpeg:
            ok, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, self.jpeg])
            if ok:
                out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        return np.asarray(out, np.uint8)


def motion_kernel(length: float, angle: float) -> npt.NDArray[np.float32]:
    """A line of ``length`` px at ``angle`` radians, normalised: ``(N, N)``, N odd."""
    n = int(np.ceil(length)) | 1
    kernel = np.zeros((n, n), np.float32)
    c = n // 2
    dx, dy = np.cos(angle) * length / 2, np.sin(angle) * length / 2
    cv2.line(kernel, (round(c - dx), round(c - dy)), (round(c + dx), round(c + dy)), 1.0, 1, cv2.LINE_AA)
    return np.asarray(kernel / max(float(kernel.sum()), 1e-6), np.float32)


def add_noise(image: Image, sigma: float, grain: int, rng: np.random.Generator) -> Image:
    """Sensor noise of ``sigma`` grey levels; ``grain`` px wide blotches."""
    h, w = image.shape[:2]
    size = (h // grain + 1, w // grain + 1, 3)
    # a fast generator of its own, seeded from ours
    field = np.random.Generator(np.random.SFC64(int(rng.integers(1 << 62)))).standard_normal(size, np.float32)
    field *= sigma * grain * 0.65
    if grain > 1:
        field = np.asarray(cv2.resize(field, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)
    return np.asarray(cv2.add(image, field[:h, :w].astype(np.int16), dtype=cv2.CV_8U), np.uint8)


def random_optics(rng: np.random.Generator, *, hard: float = 1.0) -> Optics:
    """Any phone, webcam or film camera; ``hard``: factor on all faults, 0 none, 1 the usual spread."""

    def maybe(chance: float) -> bool:
        return bool(rng.random() < chance * hard)

    warm = float(rng.normal(0, 0.09)) * hard
    tint = float(rng.normal(0, 0.03)) * hard
    spots = []
    if maybe(0.3):
        for _ in range(int(rng.integers(1, 4))):
            spots.append(
                (
                    float(rng.random()),
                    float(rng.random()),
                    float(rng.uniform(0.02, 0.25)),
                    float(rng.uniform(30, 150)),
                )
            )
    return Optics(
        balance=(1 + warm, 1 + tint, 1 - warm),
        gain=float(np.clip(rng.normal(1.0, 0.18 * hard), 0.45, 1.5)),
        gamma=float(np.clip(rng.normal(1.0, 0.15 * hard), 0.6, 1.6)),
        contrast=float(np.clip(rng.normal(1.0, 0.12 * hard), 0.65, 1.4)),
        falloff=float(rng.uniform(0, 0.55)) * hard if maybe(0.6) else 0.0,
        falloff_angle=float(rng.uniform(-np.pi, np.pi)),
        vignette=float(rng.uniform(0, 0.35)) * hard,
        glare=tuple(spots),
        haze=float(rng.uniform(0, 40)) if maybe(0.12) else 0.0,
        blur=float(rng.gamma(1.5, 0.45)) * hard if maybe(0.7) else 0.0,
        motion=(float(rng.uniform(2, 8)), float(rng.uniform(0, np.pi))) if maybe(0.12) else (0.0, 0.0),
        noise=float(rng.gamma(1.6, 3.0)) * hard,
        grain=1 if rng.random() < 0.65 else 2,
        sharpen=float(rng.uniform(0.2, 1.2)) if maybe(0.3) else 0.0,
        shrink=float(rng.uniform(0.5, 0.95)) if maybe(0.25) else 1.0,
        jpeg=int(rng.integers(35, 96)) if maybe(0.85) else 0,
        saturation=float(np.clip(rng.normal(1.0, 0.2 * hard), 0.4, 1.5)),
    )
