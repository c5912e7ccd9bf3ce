"""A game rendered as video, with its truth: log, tiles on the table, calibration."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.game.events import Declare, Event, format_event, format_log
from pzvision.game.settle import settle_log
from pzvision.synth import disturb, props
from pzvision.synth.arms import Arm, draw_arm, draw_torso
from pzvision.synth.bodies import Box, Geometry, Ids
from pzvision.synth.camera import Camera
from pzvision.synth.compose import blend
from pzvision.synth.faces import FaceSource
from pzvision.synth.glyphs import Image
from pzvision.synth.painter import Textures, cast_shadows, paint, visible_fractions
from pzvision.synth.placing import Plan
from pzvision.synth.room import CAMERAS, CameraPreset, Room, calibration_record, felt_corners, make_camera
from pzvision.synth.sink import VideoSink
from pzvision.synth.surfaces import lay, surface
from pzvision.synth.timeline import Hand, Placed, Style, Timeline, Truth, build_timeline
from pzvision.tiles import SEATS, Seat, format_tile


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
        self.timeline, self.faces, self.room = timeline, faces, room
        self.lens, self.camera = camera, camera.pinhole()  # everything is painted without distortion
        self._maps = camera.lens_maps() if camera.k1 else None
        self._textures = Textures()
        self._rng = np.random.default_rng([seed, 13])
        self._table = self._draw_base()
        self._bases: dict[tuple[tuple[int, bool], ...], Image] = {}
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
            draw_torso(image, camera, _seat_point(plan, side), side, room.clothes[side])
        half = plan.half
        corners = np.round(camera.project(felt_corners(plan)) * 16).astype(np.int32)
        props.draw_rim(image, camera, half, 7.0, 1.2, room.rim)
        felt = np.empty_like(image)
        lay(felt, camera, surface(*room.felt), 45.0)
        mask = np.zeros((h, w), np.uint8)
        cv2.fillConvexPoly(mask, corners, 255, cv2.LINE_AA, 4)
        image = blend(felt, image, mask)
        if room.panel:
            start = SEATS.index(self.timeline.near_seat)
            letters = "".join("東南西北"[(start + side) % 4] for side in range(4))
            props.draw_panel(image, camera, self._rng, plan.river - plan.tile[0] / 2 - 1.4, letters=letters)
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

    def _arm(self, hand: Hand) -> Arm:
        room = self.room
        return Arm(
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

    def _base(self, hands: Sequence[Hand], resting: tuple[tuple[int, bool], ...]) -> Image:
        """The empty table with the hands that rest at its edge; kept for each set of resting sides."""
        if resting not in self._bases:
            image = self._table.copy()
            for hand in hands:
                if hand.resting:
                    draw_arm(image, None, self.camera, self._arm(hand), shadow=0.15)
            self._bases[resting] = image
        return self._bases[resting]

    def paint(self, truth: Truth) -> Image:
        """The scene before lens and sensor, ``(H, W, 3)`` uint8; do not change it."""
        still = tuple((hand.side, hand.left) for hand in truth.hands if hand.resting)
        moving = [tile for tile in truth.tiles if tile.moving]
        cups = disturb.cups(self.timeline.disturbances, truth.t)
        dice = [(die.face, spot) for die in self.timeline.dice if (spot := die.at(truth.t)) is not None]
        key = (tuple((p.id, p.spot, p.moving) for p in truth.tiles), still, cups, tuple(dice))
        if moving or key != self._key:
            image = self._base(truth.hands, still).copy()
            small = [props.die(s.x, s.y, s.z, s.yaw, face) for face, s in dice]
            geometry = Geometry(self.camera, [*self.boxes(truth.tiles), *small])
            cast_shadows(image, geometry, self.room.light)
            paint(image, None, geometry, self.room.light, self._textures)
            disturb.draw_cups(cups, image, self.camera, truth.t)
            self._still, self._key = image, key
        busy = [hand for hand in truth.hands if not hand.resting]
        if not busy:
            return self._still
        image = self._still.copy()
        for hand in busy:
            draw_arm(image, None, self.camera, self._arm(hand), shadow=0.22, smear=self._smear(hand))
        return image

    def frame(self, t: float) -> Image:
        """The camera's picture at ``t`` seconds."""
        scene: cv2.typing.MatLike = self.paint(self.timeline.truth_at(t))
        if self._maps is not None:
            scene = cv2.remap(scene, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        scene = disturb.disturbed(self.timeline.disturbances, np.asarray(scene, np.uint8), t)
        image = cv2.multiply(scene, self._factor, scale=1 / 200)
        image = cv2.LUT(cv2.add(image, self._add), self._curve)
        if self.room.optics.blur > 0.2:
            image = cv2.GaussianBlur(image, (0, 0), self.room.optics.blur)
        x, y = (int(v) for v in self._rng.integers(0, 64, 2))
        w, h = self.lens.size
        return np.asarray(cv2.add(image, self._grain[y : y + h, x : x + w], dtype=cv2.CV_8U), np.uint8)

    # --- truth -----------------------------------------------------------------------------------------

    def truth_record(self, t: float) -> dict[str, Any]:
        """The checkpoint of ``truth.json`` at ``t`` s: face-up and upright tiles whose faces are seen."""
        truth = self.timeline.truth_at(t)
        w, h = self.camera.size
        ids: Ids = np.zeros((h, w), np.int32)
        canvas = np.zeros((h, w, 3), np.uint8)
        geometry = Geometry(self.camera, self.boxes(truth.tiles))
        paint(canvas, ids, geometry, self.room.light, self._textures)
        for hand in truth.hands:
            draw_arm(canvas, ids, self.camera, self._arm(hand))
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
                    "polygon": [
                        [round(float(x), 1), round(float(y), 1)]
                        for x, y in self.lens.through_lens(painted.fronts[i])
                    ],
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
    room: Room | None = None,
    size: tuple[int, int] = (1280, 720),
    fps: float = 10.0,
    crf: int = 26,
    disturb_by: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Timeline:
    """Render a game into a new folder.

    It gets ``video.mp4``, ``log.jsonl``, ``declarations.jsonl``, ``expected.json`` (the settlement),
    ``truth.json`` and ``calibration.json``.

    The folder appears only when everything in it is complete; an interruption or an error leaves nothing.

    Args:
        log: the game with its hidden tiles (of `pzvision.game.simulate`) or without.
        out: the folder to make; it must not exist yet, or be empty.
        faces: the tile set.
        camera: one of `CAMERAS`, or a preset.
        seed: of dice, pauses, room and noise.
        room: table, light and people, if not those of the seed.
        size: ``(width, height)`` px, even.
        disturb_by: kinds of `pzvision.synth.disturb.KINDS` that happen beside the game, at times drawn from
            the seed. Where frames are lost the picture stands still, as players of such files show it.
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
    timeline = replace(timeline, disturbances=disturb.draw_times(disturb_by, timeline.duration, seed))
    view = make_camera(camera, timeline.plan, size)
    renderer = Renderer(timeline, faces, view, room or Room.random(seed), seed)
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        total = int(timeline.duration * fps) + 1
        with VideoSink(part / "video.mp4", size, fps, crf=crf) as sink:
            image = renderer.frame(0.0)
            for frame in range(total):
                if frame and not disturb.dropped(timeline.disturbances, frame / fps):
                    image = renderer.frame(frame / fps)
                sink.write(image)
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
    timeline, camera = renderer.timeline, renderer.lens
    (folder / "log.jsonl").write_text(format_log(timeline.events), "utf-8")
    said = [e for e in timeline.events if isinstance(e, Declare)]
    text = "".join(json.dumps(format_event(e), ensure_ascii=False) + "\n" for e in said)
    (folder / "declarations.jsonl").write_text(text, "utf-8")
    hands = [result.to_json() for result in settle_log(format_event(e) for e in timeline.source)]
    totals = {seat: sum(hand["totals"][seat] for hand in hands) for seat in SEATS}
    expected = {"hands": hands, "totals": totals}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n", "utf-8")
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
