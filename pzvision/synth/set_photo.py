"""Photos of one whole tile set laid out face up, as `pzvision adapt` asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pzvision.synth import layouts
from pzvision.synth.bodies import UP, Geometry, Ids, Light
from pzvision.synth.camera import Camera
from pzvision.synth.faces import DrawnFaces, FaceSource
from pzvision.synth.looks import Look
from pzvision.synth.optics import random_optics
from pzvision.synth.painter import Textures, cast_shadows, paint, visible_fractions
from pzvision.synth.placing import Plan, Spot
from pzvision.synth.scenes import Scene
from pzvision.synth.surfaces import SURFACES, lay, surface
from pzvision.tiles import KINDS

_FACE_PX: Final = 176


@dataclass(frozen=True)
class SetPhotoConfig:
    """How the photo is taken.

    Attributes:
        size: ``(width, height)`` px.
        columns: tiles in a row.
        gap_cm: between tiles and between rows.
        mess: factor on how carelessly they lie (1: as in a game).
        tile_px: height of a tile near the middle.
        elevation_deg: mean and spread of how steeply the camera looks down.
        upside_down: chance that the photo is taken from the other side.
        hard: factor on blur, noise and light faults.
    """

    size: tuple[int, int] = (1280, 960)
    columns: int = 9
    gap_cm: float = 0.5
    mess: float = 0.5
    tile_px: float = 105.0
    elevation_deg: tuple[float, float] = (68.0, 8.0)
    upside_down: float = 0.3
    hard: float = 0.5


def set_photo(
    rng: np.random.Generator,
    look: Look | str | FaceSource,
    kinds: Sequence[int] = tuple(range(KINDS)),
    config: SetPhotoConfig | None = None,
) -> Scene:
    """A photo of ``kinds`` laid in rows from the top left, with its labels in that order."""
    config = config or SetPhotoConfig()
    faces = DrawnFaces(look, _FACE_PX) if isinstance(look, Look | str) else look
    plan = Plan()
    deck = layouts.Deck(faces, plan, 0.0, rng, [], [])
    tall, wide, thick = plan.tile
    rows = -(-len(kinds) // config.columns)
    for index, kind in enumerate(kinds):
        row, column = divmod(index, config.columns)
        x = (column - (config.columns - 1) / 2) * (wide + config.gap_cm)
        y = ((rows - 1) / 2 - row) * (tall + config.gap_cm)
        spot = Spot(x, y, thick / 2, 0.0, UP).nudged(rng, 0.12 * config.mess, 0.05 * config.mess)
        deck.put(spot, (int(kind), 0))
    elevation = np.radians(float(np.clip(rng.normal(*config.elevation_deg), 40, 90)))
    turn = float(rng.normal(0, 0.12)) + (np.pi if rng.random() < config.upside_down else 0.0)
    width = config.size[0]
    focal = width * float(rng.uniform(0.8, 1.2))
    away = focal * tall / config.tile_px
    azimuth = -np.pi / 2 + turn
    eye = away * np.array(
        [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
    )
    camera = Camera.look_at(list(eye), [0.0, 0.0, 0.0], focal, config.size, roll=float(rng.normal(0, 0.08)))
    image = np.empty((config.size[1], width, 3), np.uint8)
    ids: Ids = np.zeros(image.shape[:2], np.int32)
    ground = surface(SURFACES[int(rng.integers(len(SURFACES)))], int(rng.integers(24)))
    lay(image, camera, ground, float(rng.uniform(25, 80)), turn=float(rng.uniform(0, 6.28)))
    ambient = float(rng.uniform(0.5, 0.75))
    light = Light(
        towards=(float(rng.normal(0, 0.5)), float(rng.normal(0, 0.5)), 1.0),
        ambient=ambient,
        diffuse=1.05 - ambient,
        shadow=float(rng.uniform(0.1, 0.5)),
        softness=float(rng.uniform(0.3, 2.0)),
        contact=0.5,
    )
    geometry = Geometry(camera, deck.boxes)
    cast_shadows(image, geometry, light)
    paint(image, ids, geometry, light, Textures())
    image = random_optics(rng, hard=config.hard).apply(image, rng)
    polygons = geometry.painted().fronts
    seen = visible_fractions(ids, polygons, [2 * i + 2 for i in range(len(deck.boxes))])
    return Scene(
        image,
        np.asarray(polygons, np.float32),
        np.array(deck.classes, np.int64),
        np.asarray(seen, np.float32),
    )
