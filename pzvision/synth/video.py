"""A game rendered as video, with its truth: log, tiles on the table, calibration."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.game.events import Declare, Event, HandStart, format_event, format_log
from pzvision.synth import props
from pzvision.synth.bodies import Box, Geometry, Ids, Light, Textures, cast_shadows, paint, visible_fractions
from pzvision.synth.camera import Camera, Floats
from pzvision.synth.faces import FaceSource
from pzvision.synth.glyphs import Colour, Image
from pzvision.synth.optics import Optics
from pzvision.synth.placing import Plan
from pzvision.synth.sink import VideoSink
from pzvision.synth.surfaces import lay, surface
from pzvision.synth.timeline import Hand, Placed, Style, Timeline, Truth, build_timeline
from pzvision.tiles import Seat, format_tile


@dataclass(frozen=True)
class CameraPreset:
    """A place for the camera, seen from the table's middle.

    Attributes:
        azimuth: degrees; 270 is behind the near player, less is to his left.
        elevation: degrees above the table; 90 is straight above.
        distance: cm from the table's middle.
        roll: degrees. ``margin``: part of the picture left free around the felt.
    """

    azimuth: float
    elevation: float
    distance: float = 135.0
    roll: float = 0.0
    margin: float = 0.03


CAMERAS: Final[dict[str, CameraPreset]] = {
    "oblique": CameraPreset(252, 56),
    "front": CameraPreset(270, 50),
    "high": CameraPreset(266, 70),
    "top": CameraPreset(270, 88),
    "low": CameraPreset(276, 36, 160.0),
    "right": CameraPreset(292, 48, roll=-3.0),
    "tilted": CameraPreset(262, 60, roll=12.0),
}


def make_camera(preset: CameraPreset, plan: Plan, size: tuple[int, int]) -> Camera:
    """A camera of that place whose picture the felt just fills."""
    e, a = np.radians(preset.elevation), np.radians(preset.azimuth)
    eye = preset.distance * np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    corners = felt_corners(plan)
    target = np.zeros(3)
    focal = float(size[0])
    for _ in range(12):
        camera = Camera.look_at(list(eye), list(target), focal, size, roll=float(np.radians(preset.roll)))
        px = camera.project(corners)
        low, high = px.min(0), px.max(0)
        room = np.array(size) * (1 - 2 * preset.margin)
        focal *= float(np.min(room / (high - low)))
        middle = camera.on_plane(((low + high) / 2)[None])[0]
        target = np.array([middle[0], middle[1], 0.0])
    return Camera.look_at(list(eye), list(target), focal, size, roll=float(np.radians(preset.roll)))


def felt_corners(plan: Plan) -> Floats:
    """``(4, 3)`` cm: near-left, near-right, far-right, far-left."""
    h = plan.half
    return np.array([(-h, -h, 0), (h, -h, 0), (h, h, 0), (-h, h, 0.0)])


def calibration_record(camera: Camera, plan: Plan, near_seat: Seat) -> dict[str, Any]:
    """The calibration file of this camera and table, as a mapping."""
    w, h = camera.size
    px = camera.project(felt_corners(plan))
    return {
        "schema": 1,
        "camera": "table",
        "image_size": [w, h],
        "corners": [[round(float(x) / w, 5), round(float(y) / h, 5)] for x, y in px],
        "table_cm": plan.felt,
        "tile_cm": list(plan.tile),
        "near_seat": near_seat,
    }


@dataclass(frozen=True)
class Room:
    """Everything about the picture that is neither tile nor camera, drawn from a seed."""

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

        def colour(low: int, high: int) -> Colour:
            v = rng.integers(low, high, 3)
            return int(v[0]), int(v[1]), int(v[2])

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
            skins=tuple(props.SKINS[int(rng.integers(len(props.SKINS)))] for _ in range(4)),
            clothes=tuple(colour(20, 150) for _ in range(4)),
            sleeves=tuple(float(rng.uniform(0.2, 0.75)) for _ in range(4)),
        )


class Renderer:
    """Frames of one timeline through one camera.

    Args:
        timeline: what happens.
        faces: the tile set.
        camera: where it is seen from.
        room: table, light, people.
        seed: of the noise and small things on the rim.
    """

    def __init__(
        self, timeline: Timeline, faces: FaceSource, camera: Camera, room: Room, seed: int = 0
    ) -> None:
        self.timeline, self.faces, self.camera, self.room = timeline, faces, camera, room
        self._textures = Textures()
        self._rng = np.random.default_rng([seed, 13])
        self._table = self._draw_base()
        self._bases: dict[tuple[int, ...], Image] = {}
        self._key: tuple[object, ...] = ()
        self._still = self._table
        factor, add = room.optics.light_map(camera.size)
        self._factor = np.asarray(cv2.merge([np.clip(factor * 200, 0, 255).astype(np.uint8)] * 3), np.uint8)
        self._add = np.asarray(cv2.merge([np.clip(add, 0, 255).astype(np.uint8)] * 3), np.uint8)
        self._curve = room.optics.tone_curve()
        w, h = camera.size
        sigma = room.optics.noise
        grain = self._rng.normal(0, sigma, (h + 64, w + 64, 1)) + self._rng.normal(
            0, sigma * 0.4, (h + 64, w + 64, 3)
        )
        self._grain = np.asarray(
            cv2.GaussianBlur(grain.astype(np.float32), (0, 0), 0.6) * 1.6, np.float32
        ).astype(np.int16)

    # --- the parts of a picture -----------------------------------------------------------------------

    def _draw_base(self) -> Image:
        """Floor, people, table: all that never moves."""
        w, h = self.camera.size
        plan, room, camera = self.timeline.plan, self.room, self.camera
        image = np.zeros((h, w, 3), np.uint8)
        lay(image, camera, surface(*room.floor), 140.0, z=-72.0, turn=0.4)
        near = camera.eye
        for side in sorted(
            range(4), key=lambda s: -float(np.hypot(*(near[:2] - np.array(_seat_point(plan, s)))))
        ):
            props.draw_torso(image, camera, _seat_point(plan, side), side, room.clothes[side])
        half = plan.half
        corners = np.round(camera.project(felt_corners(plan)) * 16).astype(np.int32)
        props.draw_rim(image, camera, half, 7.0, 1.2, room.rim)
        felt = np.empty_like(image)
        lay(felt, camera, surface(*room.felt), 45.0)
        mask = np.zeros((h, w), np.uint8)
        cv2.fillConvexPoly(mask, corners, 255, cv2.LINE_AA, 4)
        share = cv2.merge([mask] * 3)
        image = np.asarray(
            cv2.add(
                cv2.multiply(felt, share, scale=1 / 255),
                cv2.multiply(image, cv2.bitwise_not(share), scale=1 / 255),
            ),
            np.uint8,
        )
        if room.panel:
            props.draw_panel(image, camera, self._rng, plan.river - plan.tile[0] / 2 - 1.4)
        for corner in range(4):
            if self._rng.random() < 0.5:
                angle = np.pi / 4 + corner * np.pi / 2
                x, y = (float(v) * (half + 3.6) * 2**0.5 for v in (np.cos(angle), np.sin(angle)))
                props.random_round(self._rng, image, None, camera, x, y)
        return image

    def boxes(self, tiles: Sequence[Placed]) -> list[Box]:
        """Bodies of these tiles, labelled by their place in the list."""
        look, (h, w, t) = self.faces.look, self.timeline.plan.tile
        return [
            Box(
                p.spot.x, p.spot.y, p.spot.z, p.spot.yaw, p.spot.tip, (w, h, t),
                front=self.faces.face(p.kind), front_colour=look.face, back_colour=look.back,
                back_share=look.back_share, rounding=0.34 * w / 2.7, gloss=look.gloss,
                tint=1.0 + 0.02 * np.sin(p.id * 2.4), label=i,
            )
            for i, p in enumerate(tiles)
        ]  # fmt: skip

    def _arm(self, hand: Hand) -> props.Arm:
        room = self.room
        return props.Arm(
            hand.shoulder,
            hand.at,
            skin=room.skins[hand.side],
            sleeve=room.clothes[hand.side],
            sleeve_share=room.sleeves[hand.side],
            curl=0.15 if hand.resting else 0.45,
            left=hand.left,
        )

    def _smear(self, hand: Hand) -> tuple[float, float]:
        """How far the hand moves in the picture during a shutter of 1/30 s, px."""
        points = np.array([hand.at, [p + v / 30 for p, v in zip(hand.at, hand.velocity, strict=True)]])
        a, b = self.camera.project(points)
        return float(b[0] - a[0]), float(b[1] - a[1])

    def _base(self, hands: Sequence[Hand], resting: tuple[int, ...]) -> Image:
        """The empty table with the hands that rest at its edge; kept for each set of resting sides."""
        if resting not in self._bases:
            image = self._table.copy()
            for hand in hands:
                if hand.resting:
                    props.draw_arm(image, None, self.camera, self._arm(hand), shadow=0.15)
            self._bases[resting] = image
        return self._bases[resting]

    def paint(self, truth: Truth) -> Image:
        """The scene before lens and sensor, ``(H, W, 3)`` uint8; do not change it."""
        still = tuple(hand.side for hand in truth.hands if hand.resting and not hand.left)
        moving = [tile for tile in truth.tiles if tile.moving]
        key = (tuple((p.id, p.spot, p.moving) for p in truth.tiles), still)
        if moving or key != self._key:
            image = self._base(truth.hands, still).copy()
            geometry = Geometry(self.camera, self.boxes(truth.tiles))
            cast_shadows(image, geometry, self.room.light)
            paint(image, None, geometry, self.room.light, self._textures)
            self._still, self._key = image, key
        busy = [hand for hand in truth.hands if not hand.resting]
        if not busy:
            return self._still
        image = self._still.copy()
        for hand in busy:
            props.draw_arm(image, None, self.camera, self._arm(hand), shadow=0.22, smear=self._smear(hand))
        return image

    def frame(self, t: float) -> Image:
        """The camera's picture at ``t`` seconds."""
        image = cv2.multiply(self.paint(self.timeline.truth_at(t)), self._factor, scale=1 / 200)
        image = cv2.LUT(cv2.add(image, self._add), self._curve)
        if self.room.optics.blur > 0.2:
            image = cv2.GaussianBlur(image, (0, 0), self.room.optics.blur)
        x, y = (int(v) for v in self._rng.integers(0, 64, 2))
        w, h = self.camera.size
        return np.asarray(cv2.add(image, self._grain[y : y + h, x : x + w], dtype=cv2.CV_8U), np.uint8)

    # --- truth -----------------------------------------------------------------------------------------

    def truth_record(self, t: float) -> dict[str, Any]:
        """One checkpoint of ``truth.json``: face-up tiles and upright tiles whose faces the camera sees."""
        truth = self.timeline.truth_at(t)
        w, h = self.camera.size
        ids: Ids = np.zeros((h, w), np.int32)
        canvas = np.zeros((h, w, 3), np.uint8)
        geometry = Geometry(self.camera, self.boxes(truth.tiles))
        paint(canvas, ids, geometry, self.room.light, self._textures)
        for hand in truth.hands:
            props.draw_arm(canvas, ids, self.camera, self._arm(hand))
        painted = geometry.painted()
        n = len(truth.tiles)
        seen = visible_fractions(ids, painted.fronts, [2 * i + 2 for i in range(n)])
        record: dict[str, Any] = {
            "t": round(t, 2),
            "frame": round(t * self.timeline.fps),
            "face_up": [],
            "standing_faces": [],
        }
        for i, tile in enumerate(truth.tiles):
            group = "face_up" if tile.face_up else "standing_faces" if tile.standing else None
            if group is None or not painted.front_seen[i] or (group == "standing_faces" and seen[i] < 0.02):
                continue
            record[group].append(
                {
                    "tile": format_tile(tile.kind),
                    "seat": tile.seat,
                    "zone": "hand" if tile.zone == "laid" else tile.zone,
                    "polygon": [[round(float(x), 1), round(float(y), 1)] for x, y in painted.fronts[i]],
                    "visible": round(float(seen[i]), 2),
                }
            )
        return record

    def checkpoints(self, every: float = 10.0) -> list[dict[str, Any]]:
        """About one record every ``every`` seconds, at moments when nothing moves."""
        out: list[dict[str, Any]] = []
        fps = self.timeline.fps
        wanted = 2.0
        for frame in range(int(self.timeline.duration * fps) + 1):
            t = frame / fps
            if t < wanted:
                continue
            truth = self.timeline.truth_at(t)
            if truth.still and all(hand.resting for hand in truth.hands):
                out.append(self.truth_record(t))
                wanted = t + every
        return out


def _seat_point(plan: Plan, side: int) -> tuple[float, float]:
    angle = side * np.pi / 2 - np.pi / 2
    r = plan.half + 34.0
    return float(r * np.cos(angle)), float(r * np.sin(angle))


def render_video(
    log: Sequence[Event],
    out: Path,
    *,
    faces: FaceSource,
    camera: str | CameraPreset = "oblique",
    seed: int = 0,
    near_seat: Seat = "E",
    style: Style | None = None,
    plan: Plan | None = None,
    size: tuple[int, int] = (1280, 720),
    fps: float = 10.0,
    crf: int = 26,
    progress: Callable[[int, int], None] | None = None,
) -> Timeline:
    """Render a game into a new folder: ``video.mp4``, ``log.jsonl``, ``declarations.jsonl``, ``truth.json``, ``calibration.json``.

    The folder appears only when everything in it is complete; an interruption or an error leaves nothing.

    Args:
        log: the game with its hidden tiles (of `pzvision.game.simulate`) or without.
        out: the folder to make; it must not exist yet, or be empty.
        faces: the tile set.
        camera: one of `CAMERAS`, or a preset.
        seed: of dice, pauses, room and noise.
        size: ``(width, height)`` px, even.
        progress: called with (frames done, frames in all).

    Returns:
        The timeline that was rendered.

    Raises:
        PzvisionError: an unknown camera, or ``out`` holds something.
        ValueError: the log contradicts itself.
    """
    if isinstance(camera, str):
        if camera not in CAMERAS:
            raise PzvisionError(f"unknown camera {camera!r}: expected one of {' '.join(CAMERAS)}")
        camera = CAMERAS[camera]
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise PzvisionError(f"{out}: already holds something; expected a new or empty folder")
    timeline = build_timeline(log, near_seat=near_seat, plan=plan, style=style, seed=seed, fps=fps)
    view = make_camera(camera, timeline.plan, size)
    renderer = Renderer(timeline, faces, view, Room.random(seed), seed)
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        total = int(timeline.duration * fps) + 1
        with VideoSink(part / "video.mp4", size, fps, crf=crf) as sink:
            for frame in range(total):
                sink.write(renderer.frame(frame / fps))
                if progress is not None:
                    progress(frame + 1, total)
        _write_truth(part, renderer, (style or Style()).river)
        if out.exists():
            out.rmdir()
        part.rename(out)
    except OSError as error:
        raise PzvisionError(f"{out}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return timeline


def _write_truth(folder: Path, renderer: Renderer, river: str) -> None:
    timeline, camera = renderer.timeline, renderer.camera
    (folder / "log.jsonl").write_text(format_log(timeline.events), "utf-8")
    said = [e for e in timeline.events if isinstance(e, Declare)]
    text = "".join(json.dumps(format_event(e), ensure_ascii=False) + "\n" for e in said)
    (folder / "declarations.jsonl").write_text(text, "utf-8")
    truth = {
        "fps": timeline.fps,
        "width": camera.size[0],
        "height": camera.size[1],
        "set": renderer.faces.look.name,
        "river": river,
        "checkpoints": renderer.checkpoints(),
    }
    (folder / "truth.json").write_text(json.dumps(truth, ensure_ascii=False), "utf-8")
    record = calibration_record(camera, timeline.plan, timeline.near_seat)
    (folder / "calibration.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")


def rulesets_of(log: Sequence[Event]) -> list[str]:
    """The rulesets of the hands, in order."""
    return [event.ruleset for event in log if isinstance(event, HandStart)]
