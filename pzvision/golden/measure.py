"""One golden recording read from its stored looks and held against the truth."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pzvision.errors import PzvisionError
from pzvision.evaluation import Comparison, compare, signature
from pzvision.game import apply, start
from pzvision.game.events import Declare, Event, Gang, HandStart, Leave, read_log
from pzvision.game.state import State
from pzvision.golden.build import Built
from pzvision.golden.mending import hands_of, mended
from pzvision.golden.recipes import Recipe
from pzvision.live.announcement import Correction as Retraction
from pzvision.live.evening import Evening
from pzvision.live.teller import Said, Teller
from pzvision.rules import Ruleset, load_ruleset
from pzvision.table.config import TableConfig
from pzvision.table.corrections import Correction
from pzvision.table.observations import Look, read_observations
from pzvision.table.reader import TableReader
from pzvision.tiles import SEATS, Seat
from pzvision.vision.calibration import Calibration

SEEN: Final = ("tail_lamp", "draw", "discard", "peng", "gang", "win", "reveal")
"""Kinds of records that a camera can tell; the others are told to the program or follow from these."""

_ACTS: Final = ("tail_lamp", "discard", "peng", "gang", "win", "reveal")
_SAID_WITHIN_S: Final = 6.0  # an announcement is right if the true game gives the same one so near
_DEALER_WITHIN_S: Final = 60.0  # the first dealer is said once that is sure: after the first discard

MakeReader = Callable[[Calibration, Ruleset, Recipe, Sequence[Declare], "Seat | None"], TableReader]


def usual_reader(
    calibration: Calibration,
    ruleset: Ruleset,
    recipe: Recipe,
    declarations: Sequence[Declare],
    dealer: Seat | None,
    *,
    make: type[TableReader] = TableReader,
    config: TableConfig | None = None,
) -> TableReader:
    """The reader as `replay` makes it when nobody tells the dealer, or another class or thresholds."""
    return make(
        calibration,
        ruleset,
        base=recipe.base,
        dealer=dealer,
        declarations=declarations,
        config=config or TableConfig(),
    )


@dataclass(frozen=True)
class Figures:
    """How well one recording was read.

    Attributes:
        name: of the recipe. ``seconds``: length of the recording.
        comparison: the log against the true one.
        checks: of each checkpoint, whether the whole table was right then.
        wrong: at each wrong checkpoint, its time in s and what was different.
        settled: of each hand, whether all totals are equal; ``mended``: or would be after one correction.
        false: announcements the true game does not give, with the time in s they were made; ``said``: how
            many were made; ``doubts``: how many more only said that something is unsure.
        delays: s from a true record's time to when it stood in the log for good.
    """

    name: str
    seconds: float
    comparison: Comparison
    checks: tuple[bool, ...]
    wrong: tuple[tuple[float, str], ...]
    settled: tuple[bool, ...]
    mended: tuple[bool, ...]
    false: tuple[tuple[float, str], ...]
    said: int
    doubts: int
    delays: tuple[float, ...]


@dataclass
class _Watch:
    """Follows a log while it is made: when each record came to stay, and what was said when."""

    now: float = 0.0
    log: list[tuple[Event, float]] = field(default_factory=list)
    said: list[tuple[float, str, str]] = field(default_factory=list)

    def records(self, fallen: Sequence[Event], new: Sequence[Event]) -> None:
        """The log's end was replaced."""
        old = self.log[len(self.log) - len(fallen) :]
        del self.log[len(self.log) - len(fallen) :]
        for event in new:
            since = self.now
            for k, (before, when) in enumerate(old):
                if signature(before) == signature(event) and abs(_t(before) - _t(event)) < 1.5:
                    since = when
                    del old[k]
                    break
            self.log.append((event, since))

    def speech(self, item: Said) -> None:
        """Something was said."""
        if not isinstance(item, Retraction):
            self.said.append((self.now, item.kind, item.zh))


def _t(event: Event) -> float:
    return event.t if event.t is not None else 0.0


def read_truth(built: Built) -> tuple[list[Event], dict[str, Any]]:
    """The true log and what else is true. Raises `PzvisionError` when the recording was not built."""
    try:
        lines = built.log.read_text(encoding="utf-8").splitlines()
        record = json.loads(built.truth.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise PzvisionError(f"{built.log.stem}: not built: run pzvision golden build") from None
    return [line.event for line in read_log(lines)], record


def measure(built: Built, recipe: Recipe, make_reader: MakeReader = usual_reader) -> Figures:
    """Read the recording and compare. Raises `PzvisionError` when it was not built or is damaged."""
    truth, record = read_truth(built)
    observations = read_observations(built.looks)
    calibration = observations.header.calibration
    ruleset = load_ruleset(recipe.ruleset)
    declarations = [e for e in truth if isinstance(e, Declare)]
    leaves = [e for e in truth if isinstance(e, Leave)]
    hidden = recipe.an_gang == "down"
    watch = _Watch()
    teller = Teller(on_said=watch.speech, on_records=watch.records, dealer_known=False)

    def new_reader(dealer: Seat | None) -> TableReader:
        # what was said before belongs to earlier hands, as in `pzvision.live.settings.HandMaker`
        said = declarations if not watch.log else [d for d in declarations if _t(d) >= watch.now]
        return make_reader(calibration, ruleset, recipe, said, dealer)

    evening = Evening(new_reader, teller)
    waiting = list(record["checkpoints"])
    checks: list[bool] = []
    wrong: list[tuple[float, str]] = []
    for look in observations:
        watch.now = look.t
        while leaves and _t(leaves[0]) + 1.0 <= look.t:
            _tell_leave(evening, leaves.pop(0))
        while waiting and waiting[0] < look.t - 1e-6:
            difference = _difference(
                _table(truth, waiting[0], hidden), _describe(evening.session.state, hidden)
            )
            checks.append(not difference)
            if difference:
                wrong.append((waiting[0], difference))
            waiting.pop(0)
        _give(evening, look)
    end = observations.end or watch.now
    watch.now = end
    for leave in leaves:
        _tell_leave(evening, leave)
    evening.finish(end)
    log = [event for event, _ in watch.log]
    comparison = compare(truth, log)
    if hidden:
        kinds = compare(_unseen(truth), _unseen(log))
        comparison = replace(kinds, settled=comparison.settled, totals=comparison.totals)
    totals = [dict(pair[1]) for pair in comparison.totals]
    settled = tuple(
        k < len(totals) and totals[k] == {str(s): v for s, v in hand.items()}
        for k, hand in enumerate(record["totals"])
    )
    said = [item for item in watch.said if item[1] != "uncertain"]
    return Figures(
        recipe.name,
        float(record["seconds"]),
        comparison,
        tuple(checks),
        tuple(wrong),
        settled,
        _mended(truth, log, record["totals"], settled),
        tuple(_false(said, _true_speech(truth))),
        len(said),
        len(watch.said) - len(said),
        tuple(_delays(truth, watch.log, hidden)),
    )


def _mended(
    truth: Sequence[Event],
    log: Sequence[Event],
    totals: Sequence[dict[str, int]],
    settled: Sequence[bool],
) -> tuple[bool, ...]:
    true, written = hands_of(truth), hands_of(log)
    return tuple(
        right or (k < len(written) and mended(true[k], written[k], totals[k]))
        for k, right in enumerate(settled)
    )


def _give(evening: Evening, look: Look) -> None:
    size = evening.reader.calibration.image_size
    evening.look(look.t, look.frame, size, look.detections, look.motion)


def _tell_leave(evening: Evening, leave: Leave) -> None:
    """That somebody left is seen by no camera of tiles: a person tells it, as on the page."""
    with contextlib.suppress(PzvisionError):  # he has not won in the log: the comparison shows what is wrong
        evening.correct(Correction(kind="insert", record=leave))


# ---- the table ------------------------------------------------------------------------------------------


def _unseen(events: Sequence[Event]) -> list[Event]:
    """The records with every concealed kong of the same tile: where they lie face down, nobody sees which."""
    return [replace(e, tile=0) if isinstance(e, Gang) and e.kind == "an_gang" else e for e in events]


def _table(truth: Sequence[Event], t: float, hidden: bool) -> dict[str, Any]:
    """What lies on the table at ``t`` in the true game; ``hidden``: concealed kongs lie face down."""
    state: State | None = None
    for line, event in enumerate(truth, 1):
        if isinstance(event, HandStart):
            if _t(event) > t and state is not None:
                break
            state = start(event, line)
        elif state is not None and (event.t is None or event.t <= t):
            state = apply(state, event, line)
    return _describe(state, hidden)


def _describe(state: State | None, hidden: bool) -> dict[str, Any]:
    """All that can be seen on the table, by seat."""
    out: dict[str, Any] = {}
    for seat in SEATS:
        if state is None:
            out[seat] = ([], [], None, [])
            continue
        one = state[seat]
        known = sorted(t for t, n in enumerate(one.concealed) for _ in range(n)) if not one.unknown else []
        won = None if one.won is None else one.won.tile
        laid = known if one.won is not None or state.phase == "end" else []
        melds = sorted((m.kind, 0 if hidden and m.kind == "an_gang" else m.tile) for m in one.melds)
        out[seat] = (sorted(one.river), melds, won, laid)
    return out


def _difference(true: dict[str, Any], seen: dict[str, Any]) -> str:
    names = ("river", "melds", "won", "laid")
    return "; ".join(
        f"{seat} {name}: {b} instead of {a}"
        for seat in SEATS
        for name, a, b in zip(names, true[seat], seen[seat], strict=True)
        if a != b
    )


# ---- announcements --------------------------------------------------------------------------------------


def _true_speech(truth: Sequence[Event]) -> list[tuple[float, str, str]]:
    """What the program says of the true log, told record by record, each thing at once."""
    watch = _Watch()
    teller = Teller(on_said=watch.speech)
    for count, event in enumerate(truth):
        if event.t is not None:
            watch.now = event.t
        teller.change(count, [event], watch.now, at_once=True)
    return watch.said


def _false(
    said: Sequence[tuple[float, str, str]], true: Sequence[tuple[float, str, str]]
) -> list[tuple[float, str]]:
    left = list(true)
    out = []
    for t, kind, words in said:
        near = _DEALER_WITHIN_S if kind == "dealer" else _SAID_WITHIN_S
        fits = [
            (abs(other[0] - t), k)
            for k, other in enumerate(left)
            if other[2] == words and abs(other[0] - t) <= near
        ]
        if fits:
            del left[min(fits)[1]]
        else:
            out.append((t, words))
    return out


def _delays(truth: Sequence[Event], log: Sequence[tuple[Event, float]], hidden: bool) -> list[float]:
    left = list(log)
    if hidden:
        truth = _unseen(truth)
        left = list(zip(_unseen([event for event, _ in log]), [when for _, when in log], strict=True))
    out = []
    for event in truth:
        if event.type not in _ACTS:
            continue
        for k, (written, when) in enumerate(left):
            if signature(written) == signature(event) and abs(_t(written) - _t(event)) <= 3.0:
                out.append(when - _t(event))
                del left[k]
                break
    return out
