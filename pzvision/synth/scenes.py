"""Random pictures of mahjong tables with exact labels, for training and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.synth import arms, decoys, layouts, props, stacks
from pzvision.synth.bodies import Box, Geometry, Ids, Light
from pzvision.synth.camera import Camera
from pzvision.synth.faces import DrawnFaces, FaceSource
from pzvision.synth.glyphs import Image
from pzvision.synth.looks import LOOKS, random_look
from pzvision.synth.optics import random_optics
from pzvision.synth.painter import Textures, cast_shadows, paint, visible_fractions
from pzvision.synth.placing import Plan
from pzvision.synth.surfaces import SURFACES, lay, surface
from pzvision.tiles import BACK


@dataclass(frozen=True)
class SceneConfig:
    """What random scenes are made of; shares need not sum to 1.

    Attributes:
        layouts: share of each arrangement of `layouts.LAYOUTS` and `stacks.LAYOUTS`.
        tile_px: smallest and largest height in px of a tile near the picture's middle.
        others: chance that a scene holds honours and flowers, and their share in it.
        no_tiles: chance of a scene without any tile.
        arms: chance of at least one arm.
        props: mean number of dice, phones, cups, chips and cards.
        decoys: mean number of things that look a little like tiles (`pzvision.synth.decoys`).
        hard: factor on blur, noise and light faults (0 none, 1 usual).
        min_visible: tiles of which a smaller share is seen are left out of the labels.
        elevation: of the camera, degrees over the table: mean and standard deviation.
    """

    layouts: tuple[tuple[str, float], ...] = (
        ("game", 3.0),
        ("heap", 2.0),
        ("hand", 1.5),
        ("rows", 1.2),
        ("spread", 1.2),
        ("walls", 0.3),
        ("few", 0.8),
    )
    tile_px: tuple[float, float] = (14.0, 150.0)
    others: tuple[float, float] = (0.35, 0.25)
    no_tiles: float = 0.02
    arms: float = 0.35
    props: float = 1.5
    decoys: float = 0.0
    hard: float = 1.0
    min_visible: float = 0.02
    elevation: tuple[float, float] = (58.0, 17.0)


DEFAULT: Final = SceneConfig()
_FACE_PX: Final = 176  # height of the drawn faces: a little more than the closest tile


@dataclass(frozen=True, eq=False)
class Scene:
    """A picture and what is in it.

    Attributes:
        image: ``(H, W, 3)`` uint8 BGR.
        polygons: ``(N, 4, 2)`` float32 px: each face's (or back's) outline, clockwise from the tile's own
            top left; a back's as seen from behind. Corners may lie outside the picture.
        classes: ``(N,)`` int64: 0–26 the kinds, `tiles.OTHER`, `tiles.BACK`.
        visible: ``(N,)`` float32: part of the polygon that shows (0–1; not covered and inside the picture).
    """

    image: Image
    polygons: npt.NDArray[np.float32]
    classes: npt.NDArray[np.int64]
    visible: npt.NDArray[np.float32]


def random_scene(
    rng: np.random.Generator,
    *,
    textures: Sequence[FaceSource] | None = None,
    size: tuple[int, int] = (960, 544),
    config: SceneConfig = DEFAULT,
) -> Scene:
    """One picture; the same for the same state of ``rng``.

    Args:
        rng: decides everything.
        textures: tile sets to choose from; by default one of the drawn looks or a new one.
        size: ``(width, height)`` px.
        config: see `SceneConfig`.
    """
    names, weights = zip(*config.layouts, strict=True)
    share = np.array(weights) / sum(weights)
    name = str(names[int(rng.choice(len(names), p=share))])
    faces = _pick_faces(rng, textures)
    plan = _random_plan(rng)
    others = config.others[1] * 2 * float(rng.random()) if rng.random() < config.others[0] else 0.0
    deck = layouts.Deck(faces, plan, others, rng, [], [])
    if rng.random() >= config.no_tiles:
        if name in stacks.LAYOUTS:
            stacks.LAYOUTS[name](deck)
        else:
            layouts.build(name, deck)
    camera = _random_camera(rng, name, deck, size, config)
    image = np.empty((size[1], size[0], 3), np.uint8)
    ids: Ids = np.zeros((size[1], size[0]), np.int32)
    light = _random_light(rng)
    boxes = list(deck.boxes)
    rounds = _add_props(rng, boxes, plan, camera, config)
    _draw_table(rng, image, camera, plan, name)
    if config.decoys > 0:
        decoys.scatter_decoys(rng, image, camera, config.decoys)
    geometry = Geometry(camera, boxes)
    cast_shadows(image, geometry, light)
    paint(image, ids, geometry, light, Textures())
    for x, y in rounds:
        props.random_round(rng, image, ids, camera, x, y)
    _draw_arms(rng, image, ids, camera, plan, config)
    image = random_optics(rng, hard=config.hard).apply(image, rng)
    return _labels(image, ids, geometry, deck, config)


def _labels(image: Image, ids: Ids, geometry: Geometry, deck: layouts.Deck, config: SceneConfig) -> Scene:
    painted = geometry.painted()
    n = len(deck.boxes)
    front = painted.front_seen[:n]
    keep = front | painted.back_seen[:n]
    polygons = np.where(front[:, None, None], painted.fronts[:n], painted.backs[:n])
    marks = [2 * i + (2 if front[i] else 3) for i in range(n)]
    visible = visible_fractions(ids, polygons, marks) if n else np.zeros(0)
    classes = np.array([c if front[i] else BACK for i, c in enumerate(deck.classes)], np.int64)
    sides = np.linalg.norm(np.roll(polygons, -1, axis=1) - polygons, axis=-1)
    keep &= (visible >= config.min_visible) & (np.minimum(sides[:, 0], sides[:, 1]) > 2.5) if n else keep
    return Scene(
        image,
        np.asarray(polygons[keep], np.float32).reshape(-1, 4, 2),
        classes[keep],
        np.asarray(visible[keep], np.float32),
    )


def _pick_faces(rng: np.random.Generator, textures: Sequence[FaceSource] | None) -> FaceSource:
    if textures:
        return textures[int(rng.integers(len(textures)))]
    if rng.random() < 0.5:
        return _named(list(LOOKS)[int(rng.integers(len(LOOKS)))])
    return DrawnFaces(random_look(rng), _FACE_PX)


@cache
def _named(look: str) -> DrawnFaces:
    return DrawnFaces(look, _FACE_PX)


def _random_plan(rng: np.random.Generator) -> Plan:
    width = float(rng.uniform(2.3, 3.3))
    height = width * float(rng.uniform(1.26, 1.42))
    thick = width * float(rng.uniform(0.55, 0.85))
    scale = height / 3.6
    base = Plan()
    return Plan(
        felt=85.0 * scale,
        tile=(height, width, thick),
        gap=float(rng.uniform(0.02, 0.15)),
        hand_edge=base.hand_edge * scale,
        meld_edge=base.meld_edge * scale,
        shown_edge=base.shown_edge * scale,
        wall_edge=base.wall_edge * scale,
        hand_left=float(rng.uniform(-27, -20)) * scale,
        meld_right=float(rng.uniform(32, 39)) * scale,
        river=float(rng.uniform(8, 12)) * scale,
        per_row=int(rng.integers(5, 9)),
    )


def _random_camera(
    rng: np.random.Generator, name: str, deck: layouts.Deck, size: tuple[int, int], config: SceneConfig
) -> Camera:
    """A camera whose middle sees some tile ``tile_px`` tall (before the slant)."""
    w, _ = size
    low, high = config.tile_px
    elevation = float(np.clip(rng.normal(*config.elevation), 22, 90))
    azimuth = float(rng.uniform(0, 360)) if rng.random() < 0.5 else float(rng.normal(270, 12))
    ranges = {
        "game": (0.0, 0.55),
        "walls": (0.0, 0.5),
        "stacks": (0.0, 0.9),
        "ranks": (0.0, 0.6),
        "mixed": (0.0, 0.7),
        "heap": (0.1, 0.75),
        "few": (0.45, 1.0),
        "hand": (0.3, 0.9),
    }
    a, b = ranges.get(name, (0.22, 0.9))
    px = float(low * (high / low) ** rng.uniform(a, b))
    target = np.array([0.0, 0.0, 0.0])
    if deck.boxes:
        box = deck.boxes[int(rng.integers(min(len(deck.boxes), 14) if name == "hand" else len(deck.boxes)))]
        pull = float(rng.uniform(0.2, 1.0)) if name != "game" else float(rng.uniform(0, 0.6))
        target = np.array([box.x, box.y, box.z]) * pull
        if name == "hand":
            target[1] = box.y
    if name == "hand":
        elevation, azimuth = float(rng.uniform(4, 42)), float(rng.normal(270, 14))
        px = w / 14 * 1.3 * float(rng.uniform(0.55, 1.4))
    focal = w * float(rng.uniform(0.65, 1.5))
    distance = focal * deck.plan.tile[0] / px
    if distance < 22:
        focal *= 22 / distance
        distance = 22.0
    e, z = np.radians(elevation), np.radians(azimuth)
    eye = target + distance * np.array([np.cos(e) * np.cos(z), np.cos(e) * np.sin(z), np.sin(e)])
    eye[2] = max(eye[2], 6.0)
    roll = float(rng.normal(0, 0.05)) if rng.random() < 0.8 else float(rng.uniform(-np.pi, np.pi))
    k1 = float(rng.normal(0, 0.06)) if rng.random() < 0.4 else 0.0
    return Camera.look_at(list(eye), list(target), focal, size, roll=roll, k1=k1)


def _random_light(rng: np.random.Generator) -> Light:
    ambient = float(rng.uniform(0.45, 0.8))
    return Light(
        towards=(float(rng.normal(0, 0.6)), float(rng.normal(0, 0.6)), 1.0),
        ambient=ambient,
        diffuse=float(np.clip(1.05 - ambient + rng.normal(0, 0.08), 0.1, 0.7)),
        shadow=float(rng.uniform(0.05, 0.65)),
        softness=float(rng.uniform(0.15, 3.0)),
        contact=float(rng.uniform(0.2, 0.8)),
    )


def _draw_table(rng: np.random.Generator, image: Image, camera: Camera, plan: Plan, name: str) -> None:
    def any_surface(kinds: Sequence[str]) -> Image:
        return surface(kinds[int(rng.integers(len(kinds)))], int(rng.integers(24)))

    table = name in ("game", "walls", "hand", "ranks") and rng.random() < 0.85
    if not table:
        lay(
            image, camera, any_surface(SURFACES), float(rng.uniform(20, 90)), turn=float(rng.uniform(0, 6.28))
        )
        return
    lay(
        image,
        camera,
        any_surface(("wood", "tiles", "stone", "plain", "leather")),
        float(rng.uniform(60, 160)),
        z=-70.0,
        turn=float(rng.uniform(0, 6.28)),
    )
    felt = np.empty_like(image)
    kinds = ("felt", "felt", "felt", "felt", "cloth", "wood", "glass", "mat", "plain")
    lay(felt, camera, any_surface(kinds), float(rng.uniform(25, 80)))
    half = plan.half + float(rng.uniform(-1, 3))
    corners = camera.project(
        np.array([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0.0)])
    )
    if camera.depth(np.array([(x, y, 0.0) for x in (-half, half) for y in (-half, half)])).min() < 2:
        image[:] = felt  # the table reaches behind the camera
    else:
        mask = np.zeros(image.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round(corners * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        share = cv2.merge([mask] * 3)
        if rng.random() < 0.85:
            colour = (
                tuple(int(v) for v in surface("wood", int(rng.integers(24)))[5, 5])
                if rng.random() < 0.5
                else tuple(int(v) for v in rng.integers(15, 210, 3))
            )
            props.draw_rim(
                image,
                camera,
                half,
                float(rng.uniform(3, 10)),
                float(rng.uniform(0.3, 2.5)),
                (colour[0], colour[1], colour[2]),
            )
        image[:] = cv2.add(
            cv2.multiply(felt, share, scale=1 / 255),
            cv2.multiply(image, cv2.bitwise_not(share), scale=1 / 255),
        )
    if rng.random() < 0.4:  # printed lines
        ink = tuple(int(v) for v in rng.integers(0, 255, 3))
        r = float(rng.uniform(0.5, 0.95)) * plan.half
        px = camera.project(np.array([(-r, -r, 0), (r, -r, 0), (r, r, 0), (-r, r, 0.0)]))
        if np.abs(px).max() < 15000:
            cv2.polylines(
                image,
                [np.round(px * 16).astype(np.int32)],
                True,
                ink,
                max(1, round(camera.focal / 900)),
                cv2.LINE_AA,
                4,
            )
    if rng.random() < 0.6 and camera.depth(np.zeros((1, 3)))[0] > 20:
        props.draw_panel(image, camera, rng, plan.river - plan.tile[0] / 2 - float(rng.uniform(0.5, 2.0)))


def _add_props(
    rng: np.random.Generator, boxes: list[Box], plan: Plan, camera: Camera, config: SceneConfig
) -> list[tuple[float, float]]:
    """Adds dice, phones and cards to ``boxes``; the places of round things are returned."""
    rounds: list[tuple[float, float]] = []
    w, h = camera.size
    for _ in range(int(rng.poisson(config.props))):
        pixel = np.array([[rng.uniform(0, w), rng.uniform(0, h)]])
        x, y = (float(v) for v in camera.on_plane(pixel)[0])
        if not (abs(x) < 90 and abs(y) < 90) or camera.depth(np.array([[x, y, 0.0]]))[0] < 8:
            continue
        what = rng.random()
        reach = 1.6 if what < 0.35 else 7.5
        if any(np.hypot(b.x - x, b.y - y) < reach + 2.4 for b in boxes):
            if what >= 0.35 or rng.random() < 0.7:
                continue
            x, y = x + 2.0, y
        if what < 0.35:
            boxes.append(props.random_die(rng, x, y))
        elif what < 0.5:
            boxes.append(props.random_phone(rng, x, y))
        elif what < 0.75:
            boxes.extend(
                props.random_card(rng, x + 3.5 * k, y + float(rng.normal(0, 1)))
                for k in range(int(rng.integers(1, 4)))
            )
        else:
            rounds.append((x, y))
    return rounds


def _draw_arms(
    rng: np.random.Generator, image: Image, ids: Ids, camera: Camera, plan: Plan, config: SceneConfig
) -> None:
    if rng.random() >= config.arms:
        return
    w, h = camera.size
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        pixel = np.array([[rng.uniform(0.05, 0.95) * w, rng.uniform(0.15, 0.95) * h]])
        x, y = (float(v) for v in camera.on_plane(pixel, 3.0)[0])
        if not (abs(x) < 60 and abs(y) < 60) or camera.depth(np.array([[x, y, 3.0]]))[0] < 14:
            continue
        angle = float(rng.uniform(0, 2 * np.pi))
        reach = float(rng.uniform(30, 60))
        shoulder = (x + reach * np.cos(angle), y + reach * np.sin(angle), float(rng.uniform(8, 22)))
        if camera.depth(np.array([shoulder]))[0] < 10 or shoulder[2] > camera.eye[2] - 8:
            continue
        arm = arms.random_arm(rng, shoulder, (x, y, float(rng.uniform(1.5, 5))))
        smear = (0.0, 0.0) if rng.random() < 0.6 else (float(rng.normal(0, 12)), float(rng.normal(0, 12)))
        arms.draw_arm(
            image,
            ids,
            camera,
            arm,
            light=float(rng.uniform(0.6, 1.1)),
            shadow=float(rng.uniform(0, 0.5)),
            smear=smear,
        )
