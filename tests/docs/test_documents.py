"""The documents say what is so: messages, modules, commands and files that they name are there."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from pathlib import Path

import cv2
import pytest

from pzvision.cli import COMMANDS, build_parser, main
from pzvision.game import format_log
from pzvision.game.simulate import simulate
from pzvision.live.hub import Hub
from pzvision.live.settings import HandSettings
from pzvision.live.store import Store, default_path
from pzvision.live.teller import Teller
from pzvision.rules import load_ruleset, ruleset_ids
from pzvision.rules.describe import value_text
from pzvision.rules.options import OPTIONS, Option

REPO = Path(__file__).resolve().parents[2]
PACKAGE = REPO / "pzvision"
PAGES = [REPO / "README.md", REPO / "README.zh-CN.md", *sorted((REPO / "docs").glob("*.md"))]


def test_every_room_is_in_the_picture_of_the_architecture() -> None:
    text = (REPO / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {p.name + "/" for p in PACKAGE.iterdir() if (p / "__init__.py").is_file()}
    modules = {p.name for p in PACKAGE.glob("*.py")} - {"__init__.py", "__main__.py"}
    table = {
        name for row in re.findall(r"^\| (`.+?) \|", text, re.M) for name in re.findall(r"`([^`]+)`", row)
    }
    assert table == rooms | modules


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:pzvision/)?(?:[a-z_]+/)+[a-z_0-9]+\.py)(?:::\w+)?`", text):
        assert (REPO / name).is_file() or (PACKAGE / name).is_file(), name
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / link).exists(), link


def commands_in(text: str) -> list[str]:
    """The lines of code blocks that call the program, continued lines joined."""
    blocks = re.findall(r"(?:^(?: {4}|\t).*\n|^\n)+", text, re.M)
    blocks += re.findall(r"^```(?:sh|console)?\n(.*?)^```", text, re.M | re.S)
    lines = "\n".join(blocks).replace("\\\n", " ").split("\n")
    starts = re.compile(r"^\s*(?:\.venv/bin/)?pzvision (?=[a-z])")
    return [starts.sub("", line) for line in lines if starts.match(line)]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_the_commands_of_a_page_are_understood(page: Path) -> None:
    parser = build_parser()
    for line in commands_in(page.read_text(encoding="utf-8")):
        words = shlex.split(line.partition(" | ")[0].partition(" > ")[0], comments=True)
        args, unknown = parser.parse_known_args(words)
        assert args.command in COMMANDS and not unknown, line


def test_no_module_is_much_longer_than_400_lines() -> None:
    sizes = {
        str(path.relative_to(REPO)): len(path.read_text(encoding="utf-8").splitlines())
        for path in PACKAGE.rglob("*.py")
    }
    assert len(sizes) > 200 and {name: lines for name, lines in sizes.items() if lines > 420} == {}


def test_every_public_name_is_documented() -> None:
    """Modules, classes, functions and methods that do not begin with an underscore."""
    bare = []
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if not ast.get_docstring(tree) and path.name != "__main__.py":
            bare.append(str(path))
        holders: list[ast.Module | ast.ClassDef] = [tree]
        holders += [n for n in tree.body if isinstance(n, ast.ClassDef) and not n.name.startswith("_")]
        for holder in holders:
            for node in holder.body:
                if (
                    isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
                    and not node.name.startswith("_")
                    and not any(
                        "overload" in ast.dump(d) or "setter" in ast.dump(d) for d in node.decorator_list
                    )
                    and not ast.get_docstring(node)
                ):
                    bare.append(f"{path.relative_to(REPO)}:{node.lineno} {node.name}")
    assert bare == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_house_rules_of_a_page_can_be_used(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for block in re.findall(r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
        if "parent" in block:
            (tmp_path / "house.toml").write_text(block, encoding="utf-8")
            assert main(["rules", str(tmp_path / "house.toml")]) == 0
            assert "老街坊" in capsys.readouterr().out


@pytest.fixture
def what_the_readme_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files its commands read, in the folder where they are run: a log, a photo, an evening on disk."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PZVISION_DATA", str(tmp_path / "data"))
    events = list(simulate("pzh-popular", seed=1, hands=2))
    for name in ("log.jsonl", "truth.jsonl"):
        (tmp_path / name).write_text(format_log(events), encoding="utf-8")
    film = cv2.VideoCapture(str(PACKAGE / "live" / "demo" / "demo.mp4"))
    cv2.imwrite("photo.jpg", film.read()[1])
    film.release()
    store, hub = Store(default_path()), Hub()
    hub.keep(store.begin("table=0", HandSettings("pzh-popular").to_json()).keep)
    Teller(hub=hub).change(0, events, 0.0)
    store.close()


@pytest.mark.parametrize("page", PAGES[:2], ids=lambda path: path.name)
def test_what_the_readme_says_can_be_done(
    page: Path, what_the_readme_names: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its commands are run, but for those that need a camera, many files or minutes."""
    text = page.read_text(encoding="utf-8")
    assert all(f"`{id_}`" in text for id_ in ruleset_ids())
    wanted = {"dice", "simulate", "rules", "settle", "detect", "completion"}
    ran = set()
    for line in [*re.findall(r"`pzvision ([a-z][^`]*)`", text), *commands_in(text)]:
        words = shlex.split(re.sub(r"\[(ID|编号)\] \[--diff A B\]", "xichang", line))
        words = ["pzh-popular" if word in ("ID", "编号") else word for word in words]
        files = words[:2] in (["evaluate", "truth.jsonl"], ["sessions", "export"])
        if (words[0] in wanted or files) and len(words) > 1 and "--help" not in words:
            assert main(words) == 0, line
            assert capsys.readouterr().out or files, line
            ran.add(words[0])
    assert ran == wanted | {"evaluate", "sessions"}
    assert "点杠" in Path("evening.html").read_text(encoding="utf-8")
    assert Path("out/photo.tiles.jpg").is_file()


def test_every_dependency_is_justified() -> None:
    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = re.findall(
        r"^\| (.+?) \|(?: (.+?) \|)?", (REPO / "docs" / "dependencies.md").read_text("utf-8"), re.M
    )
    told: dict[str, set[str]] = {}
    for first, second in rows:
        extra = first.strip("`") if first.strip("`") in project["optional-dependencies"] else ""
        told.setdefault(extra, set()).update(re.findall(r"`([^`]+)`", second if extra else first))
    wanted = {"": project["dependencies"], **project["optional-dependencies"]}
    for extra, packages in wanted.items():
        assert told[extra] == {re.split("[<>=]", text)[0] for text in packages}, extra


# --- the decisions about the rules ---------------------------------------------------------------------

PRICED = {"D6": ("yao_jiu_dui_fan",), "D7": ("feng_qi_dui_fan",), "D12": ("tian_hu_fan",)}


def decisions() -> dict[str, str]:
    """The decisions of the page: number → what is said of it, without its number."""
    text = (REPO / "docs" / "rulesets.md").read_text(encoding="utf-8")
    parts = re.split(r"^\*\*(D\d+) ", text, flags=re.M)
    numbers = parts[1::2]
    assert len(numbers) == len(set(numbers))
    return dict(zip(numbers, (re.split(r"^#", part, flags=re.M)[0] for part in parts[2::2]), strict=True))


def keys_of_decisions() -> list[tuple[str, Option]]:
    """Every decision with a switch or price that changes it, in the order of their numbers."""
    pairs = [(number, option) for option in OPTIONS.values() for number in re.findall(r"D\d+", option.source)]
    pairs += [(number, OPTIONS[key]) for number, keys in PRICED.items() for key in keys]
    return sorted(pairs, key=lambda pair: int(pair[0][1:]))


def row_of(number: str, option: Option) -> str:
    """The page's line for one switch: what it may be and what it is in each game."""
    games: dict[str, list[str]] = {}
    for id_ in ruleset_ids():
        games.setdefault(f"`{value_text(load_ruleset(id_).value(option.key))}`", []).append(f"`{id_}`")
    usual, *others = sorted(games, key=lambda value: -len(games[value]))
    shipped = "; ".join([usual, *(f"{value} in {', '.join(games[value])}" for value in others)])
    words = "true false" if option.kind == "bool" else " ".join(str(c) for c in option.choices)
    number_text = {"cap": "`none`, a number", "int": "a number"}
    values = ", ".join(f"`{word}`" for word in words.split()) or number_text[option.kind]
    return f"| {number} | `{option.key}` | {values} | {shipped} |"


def test_every_decision_that_the_code_knows_is_on_the_page() -> None:
    known: set[str] = set()
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml")]:
        known |= set(re.findall(r"\bD\d+\b", path.read_text(encoding="utf-8")))
    told = decisions()
    assert len(known) > 20 and known - set(told) == set()
    assert sorted(told, key=lambda n: int(n[1:])) == [f"D{n}" for n in range(1, len(told) + 1)]


def test_the_page_says_how_each_decision_is_changed() -> None:
    told = decisions()
    page = (REPO / "docs" / "rulesets.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in page if re.match(r"\| D\d+ \|", line)]
    assert rows == [row_of(number, option) for number, option in keys_of_decisions()]
    with_key = set()
    for number, option in keys_of_decisions():
        with_key.add(number)
        assert f"`{option.key}" in told[number], option.key
    for number in set(told) - with_key:
        assert "No switch" in told[number], number
    for text in told.values():
        for key, value in re.findall(r"`(\w+) = ([^`]+)`", text):
            OPTIONS[key].parse(value.strip('"'))  # raises where it is not allowed
