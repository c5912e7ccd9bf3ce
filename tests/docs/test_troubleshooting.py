"""The troubleshooting page holds every message that a user can act on, and none that is never printed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path

from pzvision.messages import catalogue

PACKAGE = Path(__file__).resolve().parents[2] / "pzvision"
PAGE = PACKAGE.parent / "docs" / "troubleshooting.md"

ONLY_WHERE = {
    "…",
    "…: …",
    "standard input: …",
    "…: recipe number …: …",
    "…: …: …",
    "line …: …",
    "record …: …",
    "recipe …: …",
    "session …: …",
    "…: line …: …",
    "…: recipe …: …",
    "line …: hand_start: …",
    "correction: …: …",
    "--table …: …",
    "--camera …=…: …",
    "bench-detector --backend …: …",
}
"""Errors that put a place before another error, whose own line the page has."""

INTERNAL = {
    "a part holds a look without detections": "a mistake of ours in a worker",
    "bad hand: expected … counts of 0 or more, got …": "for callers of the rules from Python",
    "expected a (n, …) uint8 array, got … …": "for callers of the rules from Python",
    "tile id … is not in 0..…": "for callers of the tiles from Python",
    "profile … lacks …": "a ruleset of ours without one of its options; the tests load all of them",
    "expected the marks … and … once each": "the report of ours that the figures are put into",
    "reader: expected a fully connected layer before its output kinds": "a network of ours",
    "…: missing": "of a calibration or recipe written by hand; the key stands before it",
    "loopback camera: a picture cannot be encoded": "of the benches",
    "loopback camera: a picture cannot be sent over RTSP (expected sides of 8·n, at most 2040 px)": "a test",
    "the page cannot be opened: expected Playwright (extra dev) and Chromium": "of the benches",
    "loopback camera: no pictures": "of the benches",
}
"""Errors of ours without a line on the page, and why."""

ADVISED = re.compile(
    r"api\.|shift\.(moved|lost|reason)$|store\.(failing|broken_off)$|obs\.failed|voice\.failed|batch\.failed"
    r"|live\.(port_taken|no_hand|cut|cut_short)$|announce\.(win_unknown|problem|unsettled|doubt)"
    r"|calibrate\.(warn_|bent|lens_left_out)|game\.(unsettled|problem|cut)$|detector\.adapt\.nothing$"
)
"""Texts of the catalogue that tell of something a person can mend."""

NO_ADVICE = {"api.refused"}  # another message's text


# --- what the page says --------------------------------------------------------------------------------


@cache
def quoted() -> tuple[str, ...]:
    """Every message that the page quotes, ``…`` where names and numbers stand."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ")[0] for line in lines if line.startswith("| `")]
    return tuple(text for row in rows for text in re.findall(r"`([^`]+)`", row))


def entry(text: str) -> re.Pattern[str]:
    """Finds a quoted message inside one of the program's."""
    return re.compile(".+".join(re.escape(part) for part in text.split("…")))


def has_entry(message: str) -> bool:
    """Whether the page quotes the message, or so much of it that nobody else can be meant."""
    return any(entry(text).search(message) for text in quoted() if message == text or specific(text))


def specific(text: str) -> bool:
    """Whether a quoted text is more than ``expected one of …`` or the like, which many messages hold."""
    words = re.sub(r"\b(expected|one|of|a|the|no|not|is|to|and|or|line|in|with|from)\b", "", text)
    return len(re.findall(r"\w", words)) + 2 * len(re.findall(r"[一-鿿]", words)) >= 10


# --- what the program says -----------------------------------------------------------------------------


def name_of(node: ast.AST | None) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))


def filled(text: str) -> str:
    """A text of the catalogue as the page writes it."""
    return re.sub(r"(\{[^}]*\})+", "…", text)


class Messages:
    """The errors of the package, read from its source: each place that makes one, and what it says."""

    def __init__(self) -> None:
        self.trees = {
            path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))
        }
        self.errors: dict[Path, set[str]] = {PACKAGE / "errors.py": {"PzvisionError", "FormatError"}}
        self.makers: dict[str, ast.FunctionDef] = {}
        for path, tree in self.trees.items():
            names = self.errors.setdefault(path, set())
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.module == "pzvision.errors":
                    names |= {alias.name for alias in node.names}
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef) and any(name_of(base) in names for base in node.bases):
                    names.add(node.name)
        for path, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.module:
                    home = PACKAGE.parent / (node.module.replace(".", "/") + ".py")
                    self.errors[path] |= {
                        alias.name for alias in node.names if alias.name in self.errors.get(home, ())
                    }
        for path, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and name_of(node.returns) in self.errors[path]:
                    self.makers.setdefault(node.name, node)

    def all(self) -> dict[str, list[str]]:
        """Message → the places that raise it."""
        out: dict[str, list[str]] = {}
        for path in self.trees:
            for line, message in self.of(path):
                message = message.replace("…...", "…")  # what is long is cut
                out.setdefault(message, []).append(f"{path.relative_to(PACKAGE)}:{line}")
        return out

    def of(self, path: Path) -> Iterator[tuple[int, str]]:
        """Line and message of every error that a module makes."""
        tree, errors = self.trees[path], self.errors[path]
        functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        imported = {a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names}
        makers = {name for name in self.makers if name in imported}
        makers |= {name for name, node in functions.items() if name_of(node.returns) in errors}
        local = {id(node): said for function in functions.values() for node, said in self.local(function)}
        inside = {id(node) for name in makers & functions.keys() for node in ast.walk(functions[name])}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or id(node) in inside:
                continue
            called = name_of(node.func)
            known = local.get(id(node), {})
            of_module = isinstance(node.func, ast.Attribute) and name_of(node.func.value) in imported
            if called in errors and node.args:
                for message in self.texts(node.args[0], known, functions):
                    yield node.lineno, message
            elif called in makers or (of_module and called in self.makers):
                maker = functions.get(called) or self.makers[called]
                given = {
                    argument.arg: self.texts(value, known, functions)
                    for argument, value in zip(maker.args.args, node.args, strict=False)
                }
                for made in ast.walk(maker):
                    if isinstance(made, ast.Call) and name_of(made.func) in errors and made.args:
                        for message in self.texts(made.args[0], given, functions):
                            yield node.lineno, message

    def local(self, function: ast.FunctionDef) -> Iterator[tuple[ast.AST, dict[str, list[str]]]]:
        """Every node of a function, with the texts that its variables hold."""
        known: dict[str, list[str]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                known.setdefault(node.targets[0].id, []).extend(self.texts(node.value, {}, {}))
        for node in ast.walk(function):
            yield node, known

    def texts(
        self, node: ast.AST, given: Mapping[str, list[str]], functions: Mapping[str, ast.FunctionDef]
    ) -> list[str]:
        """What an expression may say; ``…`` for whatever is only known when it is said."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return [node.value]
        if isinstance(node, ast.Name):
            return given.get(node.id, ["…"])
        if isinstance(node, ast.JoinedStr):
            return [
                "".join(parts) for parts in product(*(self.texts(v, given, functions) for v in node.values))
            ]
        if isinstance(node, ast.FormattedValue):
            plain = isinstance(node.value, (ast.Name, ast.Constant, ast.IfExp))
            return self.texts(node.value, given, functions) if plain else ["…"]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides = (self.texts(side, given, functions) for side in (node.left, node.right))
            return ["".join(parts) for parts in product(*sides)]
        if isinstance(node, ast.IfExp):
            return [text for side in (node.body, node.orelse) for text in self.texts(side, given, functions)]
        if (
            isinstance(node, ast.Call)
            and name_of(node.func) == "say"
            and isinstance(node.args[0], ast.Constant)
        ):
            return [filled(catalogue()[str(node.args[0].value)][1])]
        if isinstance(node, ast.Call) and name_of(getattr(node, "func", None)) in functions:
            maker = functions[name_of(node.func)]
            if name_of(maker.returns) == "str" and len(list(ast.walk(maker))) > 60:  # a message, not a name
                returned = [n.value for n in ast.walk(maker) if isinstance(n, ast.Return) and n.value]
                return [text for value in returned for text in self.texts(value, {}, functions)]
        return ["…"]


@cache
def errors() -> dict[str, list[str]]:
    """Every error of the package and where it is raised."""
    return Messages().all()


def doctor_keys() -> set[str]:
    """The messages of every finding of the doctor that is not well."""
    keys = {"doctor.port_taken", "doctor.port_taken_bad"}
    for path in (PACKAGE / "doctor").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and name_of(node.func) == "Finding":
                state, text = node.args[1], node.args[2]
                if isinstance(text, ast.Constant) and getattr(state, "value", "") != "ok":
                    keys.add(f"doctor.{text.value}")
    return keys


def parser_texts() -> list[str]:
    """What the argument parser makes of argparse's errors, and of a module that does not load."""
    out = []
    for name in ("commands/_parser.py", "cli.py"):
        for node in ast.walk(ast.parse((PACKAGE / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [getattr(value, "value", None) for value in node.values]
                out.append("".join(part if isinstance(part, str) else "…" for part in parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                out.append(node.value)
    return out


# --- the tests -----------------------------------------------------------------------------------------


def test_every_finding_of_the_doctor_has_its_line() -> None:
    assert len(doctor_keys()) > 20
    missing = {filled(text) for key in doctor_keys() for text in catalogue()[key]} - set(quoted())
    assert missing - {"…:…", "…: …"} == set()  # a doubt about a calibration is another message's text


def test_every_error_has_its_line() -> None:
    known = errors()
    assert len(known) > 400
    excused = ONLY_WHERE | INTERNAL.keys()
    bare = {message: places for message, places in known.items() if message not in excused}
    assert {message: places for message, places in bare.items() if not has_entry(message)} == {}


def test_an_error_that_is_new_has_no_line() -> None:
    for message in (
        "--brightness …: expected a number of candles",
        "--brightness …: expected 1 to …",
        "… …: expected one of the candles",
        "camera … has no lens",
        "tile set …: empty",
        "灯太暗:…",
    ):
        assert not has_entry(message), message


def test_every_section_can_be_reached_from_the_head() -> None:
    text = PAGE.read_text(encoding="utf-8")
    heads = re.findall(r"^## (.+)$", text, re.M)
    anchors = [re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads]
    assert re.findall(r"\]\(#([^)]+)\)", text) == anchors


def test_no_excuse_is_out_of_date() -> None:
    assert (ONLY_WHERE | INTERNAL.keys()) - errors().keys() == set()
    assert {message for message in INTERNAL if message != "…: missing" and has_entry(message)} == set()


def test_everything_said_during_a_game_that_can_be_mended_has_its_line() -> None:
    keys = {key for key in catalogue() if ADVISED.match(key)} - NO_ADVICE
    assert len(keys) > 25
    missing = [
        filled(text) for key in sorted(keys) for text in catalogue()[key] if not has_entry(filled(text))
    ]
    assert missing == []


def test_every_message_quoted_is_one_the_program_prints() -> None:
    printed = [*errors(), *parser_texts(), *(filled(text) for pair in catalogue().values() for text in pair)]
    assert len(quoted()) > 400
    strange = [text for text in quoted() if not any(entry(text).search(message) for message in printed)]
    assert strange == []


def test_no_message_is_quoted_twice() -> None:
    seen: set[str] = set()
    assert [text for text in quoted() if text in seen or seen.add(text)] == []
