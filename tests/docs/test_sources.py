"""Every rule says where it is written: in one of the four sources, or as a numbered decision of ours."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pzvision.rules.options import OPTIONS
from pzvision.rules.patterns import PATTERNS

REPO = Path(__file__).resolve().parents[2]
PACKAGE = REPO / "pzvision"

NO_RULES = {
    "rules/__init__.py": "names of the others",
    "rules/arguments.py": "command line",
    "rules/bench.py": "speed",
    "rules/describe.py": "tables for people",
    "rules/explain.py": "words for people",
    "rules/records.py": "JSON",
    "rules/report.py": "tables for people",
    "rules/stream.py": "JSON lines",
    "rules/tables.py": "arithmetic",
    "rules/text.py": "columns of a terminal",
    "game/__init__.py": "names of the others",
    "game/bench.py": "speed",
    "game/book.py": "what is where",
    "game/dealing.py": "deals for simulated players",
    "game/entries.py": "records of a state",
    "game/events.py": "records of a log",
    "game/fields.py": "fields of a record",
    "game/players.py": "how simulated players choose",
    "game/report.py": "tables for people",
    "game/seat.py": "records of a state",
    "game/simulate.py": "simulated players",
    "game/state.py": "records of a state",
}
"""Modules of both rooms that hold no rule of their own, and what they hold."""


def letters(number: str, last: str) -> set[str]:
    return {number, *(number + chr(code) for code in range(ord("a"), ord(last) + 1))}


def chapter(number: int, parts: int) -> set[str]:
    return {str(number), *(f"{number}.{part}" for part in range(1, parts + 1))}


SECTIONS = {
    "S0": chapter(1, 11)
    | letters("1.4", "i")
    | chapter(2, 2)
    | chapter(3, 4)
    | chapter(4, 3)
    | letters("4.2", "p")
    | letters("4.3", "c"),
    "S1": {*map(str, range(1, 18)), "补充", "特色", "特色 1", "特色 2"},
    "S2": chapter(1, 9)
    | letters("1.3", "i")
    | chapter(2, 5)
    | chapter(3, 3)
    | letters("3.2", "p")
    | letters("3.3", "b"),
    "S3": {
        *("一", "二", "四", *(f"四.{part}" for part in range(1, 5)), *(f"({part})" for part in range(1, 8))),
        *("注", "查叫", "胡牌的基本牌型"),
    },
}
"""The numbering of the sources themselves."""


def cited(source: str) -> Iterator[tuple[str, str]]:
    """``S0 §1.4h/i, §2, S3, D28`` → (S0, 1.4h), (S0, 1.4i), (S0, 2), (S3, ""), (D, 28)."""
    text = ""
    for word in re.split(r"[,;] ", source):
        named = re.fullmatch(r"(S[0-3])(?: (.+))?|D(\d+)|§?(.+)", word)
        assert named
        if named[3]:
            yield "D", named[3]
            continue
        text = named[1] or text
        place = (named[2] if named[1] else named[4] or "") or ""
        first, *more = re.split(r"[–/]", place.removeprefix("§"))
        yield text, first
        for last in more:
            yield text, re.sub(r"[a-z]$", last, first) if last.isalpha() else last.removeprefix("§")


def decisions() -> set[str]:
    page = (REPO / "docs" / "rulesets.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\*\*D(\d+) ", page, re.M))


def strange(source: str) -> list[tuple[str, str]]:
    known = decisions()
    return [
        (text, place)
        for text, place in cited(source)
        if not (place in known if text == "D" else text and (not place or place in SECTIONS[text]))
    ]


def test_citations_are_taken_apart() -> None:
    assert list(cited("S0 §1.4h/i, §2, S3, D28")) == [
        ("S0", "1.4h"),
        ("S0", "1.4i"),
        ("S0", "2"),
        ("S3", ""),
        ("D", "28"),
    ]
    assert list(cited("S1 11–12")) == [("S1", "11"), ("S1", "12")]
    for wrong in ("S0 §1.12", "S1 18", "S2 §1.4a", "S3 (8)", "D99", "RULES §6", "§1.4"):
        assert strange(wrong), wrong


@pytest.mark.parametrize("key", [*OPTIONS, *(f"pattern {id_}" for id_ in PATTERNS)])
def test_every_option_and_pattern_names_its_source(key: str) -> None:
    source = OPTIONS[key].source if key in OPTIONS else PATTERNS[key.removeprefix("pattern ")].source
    assert source and strange(source) == []


def rule_modules() -> list[Path]:
    found = [p for room in ("rules", "game") for p in sorted((PACKAGE / room).glob("*.py"))]
    assert set(NO_RULES) < {str(p.relative_to(PACKAGE)) for p in found}
    return [p for p in found if str(p.relative_to(PACKAGE)) not in NO_RULES]


@pytest.mark.parametrize("path", rule_modules(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_rule_names_its_source(path: Path) -> None:
    """Public functions and classes, in their own documentation or that of their module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    source = re.compile(r"\bS[0-3]\b|\bD\d+\b")
    of_all = source.search(ast.get_docstring(tree) or "")
    assert [
        node.name
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
        if not of_all and not source.search(ast.get_docstring(node) or "")
    ] == []


METHODS = {
    "goodFeaturesToTrack": "Shi and Tomasi",
    "calcOpticalFlowPyrLK": "Lucas and Kanade",
    "RANSAC": "RANSAC",
    "ORB_create": "ORB",
    "ArucoDetector": "ArUco",
    "CharucoDetector": "ChArUco",
    "calibrateCamera": "Zhang",
    "SOLVEPNP_IPPE": "IPPE",
}
"""What is used of OpenCV that somebody invented, and the words by which that is found elsewhere."""


def test_every_method_of_others_is_named() -> None:
    """In the documentation of the module or of one of its functions."""
    used = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        names = [name for name in METHODS if f"{name}(" in text or re.search(rf"cv2\.{name}\b", text)]
        if not names:
            continue
        tree = ast.parse(text)
        holders = [n for n in ast.walk(tree) if isinstance(n, (ast.Module, ast.FunctionDef, ast.ClassDef))]
        told = "\n".join(ast.get_docstring(n) or "" for n in holders)
        assert [METHODS[name] for name in names if METHODS[name] not in told] == [], path.name
        used |= set(names)
    assert used == set(METHODS)


def test_what_is_cited_in_words_is_there() -> None:
    """``S0 §4.2k`` wherever code says so; nothing is said to be in a text that is not among the sources."""
    wrong = []
    found = 0
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml"), REPO / "docs" / "rulesets.md"]:
        text = path.read_text(encoding="utf-8")
        for number, place in re.findall(r"\b(S[0-3]) §(\d[\d.]*\d[a-z]?|\d)", text):
            found += 1
            if place not in SECTIONS[number]:
                wrong.append(f"{path.name}: {number} §{place}")
        wrong += [f"{path.name}: {name}" for name in re.findall(r"\bRULES §\S+", text)]
    assert wrong == [] and found > 100
