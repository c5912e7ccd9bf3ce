"""Where the camera stands, and the room around the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from pzvision.synth.arms import SKINS
from pzvision.synth.bodies import Light
from pzvision.synth.camera import Camera, Floats
from pzvision.synth.compose import any_colour
from pzvision.synth.glyphs import Colour
from pzvision.synth.optics import Optics
from pzvision.synth.placing import Plan
from pzvision.tiles import Seat


@dataclass(frozen=True)
class CameraPreset:
    """A place for the camera, seen from the table's middle.

    Attributes:
        azimuth: degrees; 270 is behind the near player, less is to his left.
        elevation: degrees above the table; 90 is straight above.
        distance: cm from the table's middle.
        roll: degrees. ``margin``: share of the picture left free around the felt.
        k1: the lens's radial distortion, the factor `Camera.k1`; below 0 a wide lens's barrel.
    """

    azimuth: float
    elevation: float
    distance: float = 135.0
    roll: float = 0.0
    margin: float = 0.03
    k1: float = 0.0


CAMERAS: Final[dict[str, CameraPreset]] = {
    "oblique": CameraPreset(252, 56),
    "front": CameraPreset(270, 50),
    "high": CameraPreset(266, 70),
    "top": CameraPreset(270, 88),
    "low": CameraPreset(276, 36, 160.0),
    "right": CameraPreset(292, 48, roll=-3.0),
    "tilted": CameraPreset(262, 60, roll=12.0),
    "wide": CameraPreset(260, 58, 100.0, margin=0.06, k1=-0.12),
}


def make_camera(preset: CameraPreset, plan: Plan, size: tuple[int, int]) -> Camera:
    """A camera of that place whose picture of ``size`` px the felt just fills."""
    e, a = np.radians(preset.elevation), np.radians(preset.azimuth)
    eye = preset.distance * np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    corners = felt_corners(plan)
    target = np.zeros(3)
    focal = float(size[0])
    roll = float(np.radians(preset.roll))
    for _ in range(12):
        camera = Camera.look_at(list(eye), list(target), focal, size, roll=roll, k1=preset.k1)
        px = camera.project(corners)
        low, high = px.min(0), px.max(0)
        room = np.array(size) * (1 - 2 * preset.margin)
        focal *= float(np.min(room / (high - low)))
        middle = camera.on_plane(((low + high) / 2)[None])[0]
        target = np.array([middle[0], middle[1], 0.0])
    return Camera.look_at(list(eye), list(target), focal, size, roll=roll, k1=preset.k1)


def felt_corners(plan: Plan) -> Floats:
    """``(4, 3)`` cm: near-left, near-right, far-right, far-left."""
    h = plan.half
    return np.array([(-h, -h, 0), (h, -h, 0), (h, h, 0), (-h, h, 0.0)])


def calibration_record(camera: Camera, plan: Plan, near_seat: Seat) -> dict[str, Any]:
    """The calibration file of this camera and table, as a mapping."""
    w, h = camera.size
    px = camera.project(felt_corners(plan))
    record: dict[str, Any] = {
        "schema": 1,
        "camera": "table",
        "image_size": [w, h],
        "corners": [[round(float(x) / w, 5), round(float(y) / h, 5)] for x, y in px],
        "table_cm": plan.felt,
        "tile_cm": list(plan.tile),
        "near_seat": near_seat,
    }
    if camera.k1:
        record["lens"] = [camera.k1, 0.0, 0.0, 0.0, 0.0]
        record["camera_matrix"] = camera.intrinsic.tolist()
    return record


@dataclass(frozen=True)
class Room:
    """Everything about the picture that is neither tile nor camera, drawn from a seed.

    ``sleeves``: of each side's player, the share of the forearm that is covered.
    """

    felt: tuple[str, int]
    floor: tuple[str, int]
    rim: Colour
    panel: bool
    light: Light
    optics: Optics
    skins: tuple[Colour, ...]
    clothes: tuple[Colour, ...]
    sleeves: tuple[float, ...]

    @classmethod
    def random(cls, seed: int) -> Room:
        """The room of that seed."""
        rng = np.random.default_rng([seed, 11])

        ambient = float(rng.uniform(0.55, 0.72))
        spots: list[tuple[float, float, float, float]] = []
        if rng.random() < 0.4:
            spots.append(
                (
                    float(rng.random()),
                    float(rng.random() * 0.6),
                    float(rng.uniform(0.05, 0.2)),
                    float(rng.uniform(15, 45)),
                )
            )
        grey = int(rng.integers(30, 110))
        return cls(
            felt=("felt", int(rng.integers(1000))),
            floor=(("wood", "tiles", "stone", "plain")[int(rng.integers(4))], int(rng.integers(1000))),
            rim=(grey, grey, grey)
            if rng.random() < 0.5
            else (40, int(rng.integers(60, 100)), int(rng.integers(100, 150))),
            panel=bool(rng.random() < 0.85),
            light=Light(
                (float(rng.normal(0, 0.4)), float(rng.normal(0.1, 0.4)), 1.0),
                ambient,
                1.02 - ambient,
                float(rng.uniform(0.2, 0.5)),
                float(rng.uniform(0.4, 1.6)),
                float(rng.uniform(0.3, 0.6)),
            ),
            optics=Optics(
                balance=(1 + float(rng.normal(0, 0.04)), 1.0, 1 + float(rng.normal(0, 0.04))),
                gain=float(rng.uniform(0.88, 1.05)),
                gamma=float(rng.uniform(0.9, 1.12)),
                falloff=float(rng.uniform(0, 0.3)),
                falloff_angle=float(rng.uniform(-3.14, 3.14)),
                vignette=float(rng.uniform(0, 0.2)),
                glare=tuple(spots),
                blur=float(rng.uniform(0.3, 0.75)),
                noise=float(rng.uniform(1.0, 4.0)),
            ),
            skins=tuple(SKINS[int(rng.integers(len(SKINS)))] for _ in range(4)),
            clothes=tuple(any_colour(rng, 20, 150) for _ in range(4)),
            sleeves=tuple(float(rng.uniform(0.2, 0.75)) for _ in range(4)),
        )
