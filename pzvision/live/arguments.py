"""What `replay`, `live` and `demo` have in common: their arguments, checked before anything is opened."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pzvision.errors import FormatError, PzvisionError
from pzvision.game import Declare, read_log
from pzvision.live.pipeline import PipelineConfig
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.rules import Ruleset, load_ruleset
from pzvision.rules.arguments import add_ruleset_arguments, as_profile, parse_options
from pzvision.tiles import SEATS, Seat, parse_seat
from pzvision.vision.calibration import Calibration, load
from pzvision.vision.capture import FrameSource

DEFAULT_CALIBRATION = Path("calibration/table.toml")
MAX_THREADS = 64


def add_game_arguments(parser: argparse.ArgumentParser, *, ruleset: str | None = None) -> None:
    """What a game is watched with, and ``--events``."""
    add_watch_arguments(parser, ruleset=ruleset)
    parser.add_argument("--events", metavar="OUT.jsonl")


def add_watch_arguments(
    parser: argparse.ArgumentParser, *, ruleset: str | None = None, threads: int | None = None
) -> None:
    """Ruleset, stake, dealer, names, calibration, models, how it is looked at, and language.

    Shared by `replay`, `live`, `demo` and `batch`. ``threads``: the default of ``--threads``.
    """
    add_ruleset_arguments(parser, default=ruleset)
    parser.add_argument("--calibration", metavar="FILE")
    parser.add_argument("--base", type=int, default=1, metavar="N")
    parser.add_argument("--dealer", metavar="SEAT")
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="SEAT=NAME",
    )
    parser.add_argument("--models", metavar="DIR")
    parser.add_argument(
        "--every",
        type=float,
        default=0.25,
        metavar="S",
    )
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--tile-set", metavar="FILE")
    parser.add_argument("--backend", default="auto", metavar="NAME")
    parser.add_argument("--threads", type=int, default=threads, metavar="N")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")


@dataclass(frozen=True)
class GameSetup:
    """A game about to be watched, all arguments checked."""

    ruleset: Ruleset
    ruleset_id: str
    options: Mapping[str, object]
    calibration: Calibration
    base: int = 1
    dealer: Seat | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    declarations: tuple[Declare, ...] = ()
    pipeline: PipelineConfig = field(default_factory=PipelineConfig)
    calibration_file: Path | None = None

    def maker(self) -> HandMaker:
        """What makes the reader of each hand."""
        settings = HandSettings(self.ruleset_id, self.options, self.base, self.dealer, self.names)
        return HandMaker(self.calibration, settings, self.declarations)


def check_game(
    args: argparse.Namespace,
    *,
    beside: Path | None = None,
    declarations: Path | None = None,
    calibration: Calibration | None = None,
) -> GameSetup:
    """Check the arguments.

    Args:
        args: parsed from `add_game_arguments`.
        beside: a file in whose folder a calibration may lie, for when none was named.
        declarations: a JSONL file of ``declare`` records with ``t``.
        calibration: what to use when no file is named, in place of looking for one.

    Raises:
        PzvisionError: naming the argument, its value and what was expected.
    """
    hand = check_hand(args)
    calibration_file = None
    if calibration is None or args.calibration is not None:
        calibration_file = find_calibration(args.calibration, beside)
        calibration = load(calibration_file)
    return GameSetup(
        ruleset=hand.load(),
        ruleset_id=hand.ruleset,
        options=hand.options,
        calibration=calibration,
        base=hand.base,
        dealer=hand.dealer,
        names=hand.names,
        declarations=read_declarations(declarations) if declarations is not None else (),
        pipeline=PipelineConfig(look_s=args.every),
        calibration_file=calibration_file,
    )


def check_hand(args: argparse.Namespace) -> HandSettings:
    """What hands are set up with, all of it checked, and ``--every`` and ``--threads`` with it.

    Raises `PzvisionError` naming the argument, its value and what was expected.
    """
    if args.ruleset is None:
        raise PzvisionError("no ruleset: give --ruleset ID (pzvision rules lists them)")
    ruleset, options = as_profile(args.ruleset, parse_options(args.option, args.ruleset))
    load_ruleset(ruleset, options)
    if args.base < 1:
        raise PzvisionError(f"--base {args.base}: expected a whole number from 1")
    if not 0.02 <= args.every <= 5:
        raise PzvisionError(f"--every {args.every}: expected 0.02 to 5 seconds")
    check_threads(args.threads)
    dealer = None
    if args.dealer is not None:
        try:
            dealer = parse_seat(args.dealer)
        except FormatError:
            raise PzvisionError(f"--dealer {args.dealer!r}: expected one of E S W N") from None
    return HandSettings(ruleset, dict(options), args.base, dealer, _names(args.name))


def check_threads(threads: int | None) -> None:
    """Raise `PzvisionError` for a number of threads no machine of a player has."""
    if threads is not None and not 1 <= threads <= MAX_THREADS:
        raise PzvisionError(f"--threads {threads}: expected 1 to {MAX_THREADS}")


def check_size(setup: GameSetup, source: FrameSource) -> None:
    """Raise `PzvisionError` naming both files when the calibration is for pictures of another size."""
    try:
        setup.calibration.check_image_size(*source.size)
    except PzvisionError as error:
        raise PzvisionError(
            f"{str(setup.calibration_file)!r} does not fit {source.name!r}: {error}"
        ) from None


def find_declarations(named: str | None, recording: Path) -> Path | None:
    """The named file, else ``declarations.jsonl`` beside a recording on disk, else None."""
    if named is not None:
        return Path(named)
    beside = (recording if recording.is_dir() else recording.parent) / "declarations.jsonl"
    return beside if recording.exists() and beside.is_file() else None


def find_calibration(named: str | None, beside: Path | None = None) -> Path:
    """The named file, else ``calibration.toml`` or ``.json`` beside the recording, else the default one.

    Raises `PzvisionError` when there is none.
    """
    if named is not None:
        return Path(named)
    places = [DEFAULT_CALIBRATION]
    if beside is not None:
        folder = beside if beside.is_dir() else beside.parent
        places = [folder / "calibration.toml", folder / "calibration.json", *places]
    for place in places:
        if place.is_file():
            return place
    raise PzvisionError(
        "no calibration: give --calibration FILE, or make one with pzvision calibrate"
        f" (looked for {', '.join(map(str, places))})"
    )


def _names(words: list[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for word in words:
        seat, equals, name = word.partition("=")
        if not equals or seat not in SEATS or not name.strip():
            raise PzvisionError(f"--name {word!r}: expected SEAT=NAME such as E=小王")
        if seat in names:
            raise PzvisionError(f"--name {word!r}: {seat} has a name already ({names[seat]!r}): give one")
        names[seat] = name.strip()[:40]
    return names


def read_declarations(path: Path) -> tuple[Declare, ...]:
    """The ``declare`` records of a JSONL file, each with ``t``. Raises `PzvisionError` naming the line."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise PzvisionError(f"cannot read {str(path)!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PzvisionError(f"{str(path)!r} is not UTF-8 text") from None
    out = []
    try:
        for line in read_log(text.splitlines()):
            if not isinstance(line.event, Declare):
                raise FormatError(f"line {line.line}: type {line.event.type!r}: expected declare")
            if line.event.t is None:
                raise FormatError(f"line {line.line}: declare: t is missing: expected seconds")
            out.append(line.event)
    except FormatError as error:
        raise PzvisionError(f"{path}: {error}") from None
    return tuple(out)
