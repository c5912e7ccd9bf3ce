"""The golden set's figures: added up, printed, held against the last accepted ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from pzvision.errors import PzvisionError
from pzvision.evaluation import Score, score_line
from pzvision.golden.measure import SEEN, Figures
from pzvision.messages import say
from pzvision.tiles import Lang

ACCEPTED_FILE: Final = "accepted.json"
_BIN_S: Final = 0.25  # delays are kept in bins of so many seconds


@dataclass(frozen=True)
class Counts:
    """What one or more recordings came to; they can be added.

    Attributes:
        kinds: score per kind of record.
        checks, exact: checkpoints, and those at which the whole table was right.
        hands, settled, mended: hands, those whose totals were all right, and those where they are with at
            most one correction.
        said, false, doubts: announcements, those the true game does not give, and mere doubts beside them.
        seconds: of recording.
        delays: how many records came into the log so many quarter seconds after they happened.
    """

    kinds: Mapping[str, Score] = field(default_factory=dict)
    checks: int = 0
    exact: int = 0
    hands: int = 0
    settled: int = 0
    mended: int = 0
    said: int = 0
    false: int = 0
    doubts: int = 0
    seconds: float = 0.0
    delays: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, figures: Figures) -> Counts:
        """Of one recording."""
        return cls(
            figures.comparison.kinds,
            len(figures.checks),
            sum(figures.checks),
            len(figures.settled),
            sum(figures.settled),
            sum(figures.mended),
            figures.said,
            len(figures.false),
            figures.doubts,
            figures.seconds,
            dict(Counter(round(d / _BIN_S) for d in figures.delays)),
        )

    def __add__(self, other: Counts) -> Counts:
        kinds = dict(self.kinds)
        for kind, score in other.kinds.items():
            kinds[kind] = kinds.get(kind, Score(0, 0, 0)) + score
        return Counts(
            kinds,
            self.checks + other.checks,
            self.exact + other.exact,
            self.hands + other.hands,
            self.settled + other.settled,
            self.mended + other.mended,
            self.said + other.said,
            self.false + other.false,
            self.doubts + other.doubts,
            self.seconds + other.seconds,
            dict(Counter(self.delays) + Counter(other.delays)),
        )

    @property
    def seen(self) -> Score:
        """All records that a camera can tell."""
        return sum((s for kind, s in self.kinds.items() if kind in SEEN), Score(0, 0, 0))

    @property
    def tables(self) -> float:
        """Share of checkpoints at which the whole table was right."""
        return self.exact / self.checks if self.checks else 1.0

    @property
    def paid(self) -> float:
        """Share of hands settled exactly."""
        return self.settled / self.hands if self.hands else 1.0

    @property
    def mendable(self) -> float:
        """Share of hands settled exactly with at most one correction."""
        return self.mended / self.hands if self.hands else 1.0

    @property
    def false_per_hour(self) -> float:
        """Announcements per hour that the true game does not give."""
        return 3600 * self.false / self.seconds if self.seconds else 0.0

    def delay(self, percent: float) -> float:
        """Percentile of the delays, s."""
        values = np.repeat([k * _BIN_S for k in self.delays], list(self.delays.values()))
        return float(np.percentile(values, percent)) if len(values) else 0.0

    def format(self) -> dict[str, Any]:
        """As it is kept in the file of accepted figures; inverse of `parse`."""
        return {
            "kinds": {k: [s.true, s.written, s.right] for k, s in sorted(self.kinds.items())},
            "checks": [self.exact, self.checks],
            "hands": [self.settled, self.mended, self.hands],
            "said": [self.said, self.false, self.doubts],
            "seconds": self.seconds,
            "delays": {str(k): n for k, n in sorted(self.delays.items())},
        }

    @classmethod
    def parse(cls, record: Mapping[str, Any]) -> Counts:
        """From the file. Raises `KeyError`, `TypeError` or `ValueError` for anything else."""
        exact, checks = record["checks"]
        settled, mended, hands = record["hands"]
        said, false, doubts = record["said"]
        return cls(
            {str(k): Score(*map(int, v)) for k, v in record["kinds"].items()},
            int(checks),
            int(exact),
            int(hands),
            int(settled),
            int(mended),
            int(said),
            int(false),
            int(doubts),
            float(record["seconds"]),
            {int(k): int(n) for k, n in record["delays"].items()},
        )

    def to_json(self) -> dict[str, Any]:
        """What ``pzvision evaluate GOLDEN --json`` prints of it."""
        return {
            "f1": round(self.seen.f1, 4),
            "kinds": {
                k: {"true": s.true, "written": s.written, "right": s.right, "f1": round(s.f1, 4)}
                for k, s in sorted(self.kinds.items())
            },
            "tables": round(self.tables, 4),
            "settled": round(self.paid, 4),
            "settled_with_one_correction": round(self.mendable, 4),
            "hands": self.hands,
            "checkpoints": self.checks,
            "false_per_hour": round(self.false_per_hour, 2),
            "doubts_per_hour": round(3600 * self.doubts / self.seconds, 2) if self.seconds else 0.0,
            "delay_p50": self.delay(50),
            "delay_p95": self.delay(95),
            "hours": round(self.seconds / 3600, 3),
        }


def lines(counts: Counts, lang: Lang) -> list[str]:
    """The figures in words."""
    out = [
        score_line(kind, score, lang)
        for kind, score in [*sorted(counts.kinds.items()), (say("golden.seen", lang), counts.seen)]
    ]
    out.append(say("golden.tables", lang, exact=counts.exact, checks=counts.checks, share=counts.tables))
    words = {"settled": counts.settled, "hands": counts.hands, "share": counts.paid}
    out.append(say("golden.settled", lang, **words, mended=counts.mended, mendable=counts.mendable))
    doubts = 3600 * counts.doubts / counts.seconds if counts.seconds else 0.0
    out.append(say("golden.false", lang, false=counts.false_per_hour, said=counts.said, doubts=doubts))
    out.append(say("golden.delay", lang, p50=counts.delay(50), p95=counts.delay(95)))
    return out


def total(parts: Iterable[Counts]) -> Counts:
    """All together."""
    return sum(parts, Counts())


def load_accepted(folder: Path) -> dict[str, Counts]:
    """The accepted figures by recording; none where nothing was accepted yet.

    Raises `PzvisionError` when the file is damaged.
    """
    path = folder / ACCEPTED_FILE
    if not path.is_file():
        return {}
    try:
        return {name: Counts.parse(r) for name, r in json.loads(path.read_text("utf-8")).items()}
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise PzvisionError(f"{path}: no accepted figures: {error}") from None


def save_accepted(folder: Path, figures: Mapping[str, Counts]) -> None:
    """Write the accepted figures: what there is, with these in place of the old ones.

    Raises `PzvisionError` where they cannot be written.
    """
    path = folder / ACCEPTED_FILE
    both = {**load_accepted(folder), **figures}
    body = ",\n".join(f" {json.dumps(k)}: {json.dumps(v.format())}" for k, v in sorted(both.items()))
    try:
        path.write_text("{\n" + body + "\n}\n", encoding="utf-8")
    except OSError as error:
        raise PzvisionError(f"cannot write {str(path)!r}: {error.strerror}") from None


def drops(now: Mapping[str, Counts], accepted: Mapping[str, Counts], lang: Lang) -> list[str]:
    """What got worse over the recordings that both have, one line each."""
    names: Sequence[str] = [name for name in now if name in accepted]
    if not names:
        return []
    new, old = total(now[n] for n in names), total(accepted[n] for n in names)
    pairs = [
        ("F1", new.seen.f1, old.seen.f1, 1),
        (say("golden.word.tables", lang), new.tables, old.tables, 1),
        (say("golden.word.settled", lang), new.paid, old.paid, 1),
        (say("golden.word.mended", lang), new.mendable, old.mendable, 1),
        (say("golden.word.false", lang), new.false_per_hour, old.false_per_hour, -1),
        (say("golden.word.delay", lang), new.delay(95), old.delay(95), -1),
    ]
    return [
        say("golden.drop", lang, what=what, now=b, accepted=a)
        for what, b, a, sign in pairs
        if sign * (b - a) < -1e-6
    ]
