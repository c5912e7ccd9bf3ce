"""Public names say what they take and give: shapes of arrays, units of numbers, errors they raise."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "pzvision"

# -- what is looked for in words

_SIZE = r"(?:\d+|[A-Za-w]|[A-Z_]{2,}|…|\.{3})(?: ?[*+·/−] ?\w+)*"
_WORD = r"(?:\d+[/·] )?[a-z_]{2,}"
SHAPE = re.compile(
    rf"\(\s*(?:{_WORD}, )*{_SIZE}\s*,(?:\s*(?:{_SIZE}|{_WORD})\s*,?)*\s*\)"
    rf"|\(\s*(?:{_WORD}, )+{_SIZE}\s*\)|\(rows, columns\)|\b(?:any|same) shape\b|\ba scalar\b"
)
"""``(N, 4, 2)``, ``(N,)``, ``(height, width, 3)``, "same shape"; x, y and z are no dimensions."""

POINTS = re.compile(r"\((?:[^()]*, )?2,?\)")
"""``(N, 4, 2)``, ``(2,)``: x and y."""

WORDS = re.compile(
    r"""(?<![\w'’])(?: px²? | cm | mm | s | ms | [kMG]B | fps | Hz | dpi | 0(?:–|\.\.)(?:1|255) | (?i:
    pixels? | millimetres | seconds | minutes? | hours? | bytes? | degrees? | radians? | nats? | log(?:its?)?
    | logarithms? | cosine | grey\ levels? | shares? | probabilit(?:y|ies) | chances? | ratios? | factors?
    | parts?\ of | (?:in|any|the\ same|their)\ (?:units|widths|heights|halves) | unit\ vector
    | how\ (?:many|often) | number\ of
    ))(?![\w’]) | [°×%σ]""",
    re.X,
)
"""Units, and words for a number that has none."""

NAMES = re.compile(
    r"(?:^|_)(?:px|cm|mm|s|ms|seconds|minutes|hours|mb|gb|bytes|deg|degrees|rad|fps|hz|dpi|nats|looks|iou"
    r"|shares?|percent|probability|chance|ratio|factor|times|weight_decay)$"
)
"""Names that end with their unit."""

SIZES = re.compile(r"(?:^|_)(?:width|height|size|radius|thickness|x|y)$")
"""Names of whole numbers that have one."""

ALL = re.compile(r"^(?:All )?(?i:lengths|distances|times|shares|angles)\b[^,;]{0,25}\b(?:are|in)\b")
"""How a sentence begins that speaks of a whole class or module."""

NOT_MEASURED = {
    "pzvision.live.played_page nice_ticks low": "of any unit",
    "pzvision.live.played_page nice_ticks high": "of any unit",
    "pzvision.rules.shapes hand_error size": "how many tiles",
}
"""Numbers without a unit, and why."""

IN_THE_PACKAGE = re.compile(r"(pzvision\.commands)\.\w+ run")
"""What these raise is said of all of them in the package's own words."""

# -- reading the code

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Module:
    """One file, and what its names stand for."""

    name: str
    lines: list[str]
    tree: ast.Module
    values: dict[str, tuple[ast.expr, str]] = field(default_factory=dict)
    """Assigned names: what they are, and the words below."""
    defined: dict[str, ast.ClassDef | Function] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, name: str, text: str) -> Module:
        tree = ast.parse(text)
        module = cls(name, text.splitlines(), tree)
        for at, node in enumerate(tree.body):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                module.defined[node.name] = node
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name):
                    module.values[target.id] = (node.value, words_below(tree.body, at))
        for found in ast.walk(tree):
            if isinstance(found, ast.ImportFrom) and found.module:
                module.imports |= {a.asname or a.name: (found.module, a.name) for a in found.names}
        return module


def words_below(body: list[ast.stmt], at: int) -> str:
    below = body[at + 1] if at + 1 < len(body) else None
    if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
        return " ".join(str(below.value.value).split())
    return ""


@cache
def package() -> dict[str, Module]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        found[name] = Module.read(name, path.read_text(encoding="utf-8"))
    return found


Known: TypeAlias = dict[str, Module]
ARRAYS = ("NDArray", "ndarray", "ArrayLike", "Tensor")


def lookup(known: Known, module: Module, name: str) -> tuple[Module, ast.AST, str] | None:
    """Where a name comes from, what it is, and the words below."""
    if name in module.values:
        return (module, *module.values[name])
    if name in module.defined:
        return module, module.defined[name], ""
    where, what = module.imports.get(name, ("", ""))
    return lookup(known, known[where], what) if where in known else None


def leaves(known: Known, module: Module, node: ast.AST | None, kind: str) -> list[str]:
    """For each array, float or int in an annotation, the words below the alias that holds it."""
    match node:
        case ast.Constant(value=str(text)):
            return leaves(known, module, ast.parse(text, mode="eval").body, kind)
        case ast.Attribute(attr=name) if name in ARRAYS:
            return [""] if kind == "array" else []
        case ast.Name(id=name):
            if name == kind or (kind == "array" and name in ARRAYS):
                return [""]
            found = lookup(known, module, name)
            if found is None or not isinstance(found[1], ast.expr):
                return []
            return [found[2] or words for words in leaves(known, found[0], found[1], kind)]
        case ast.Subscript(value=value, slice=inner):
            if "Callable" in ast.unparse(value) or "Literal" in ast.unparse(value):
                return []
            return leaves(known, module, value, kind) or leaves(known, module, inner, kind)
        case ast.BinOp(left=left, right=right):
            return [*leaves(known, module, left, kind), *leaves(known, module, right, kind)]
        case ast.Tuple(elts=several) | ast.List(elts=several):
            return [words for one in several for words in leaves(known, module, one, kind)]
    return []


# -- reading the words

SECTION = re.compile(r"(Args|Attributes|Returns|Yields|Raises|Examples?|Notes?):\s*$")
ENTRY = re.compile(r" {4}(\*{0,2}\w+(?:, \*{0,2}\w+)*): ?(.*)$")
SENTENCE = re.compile(r"(?<=[.;])\s+(?=[`A-Z])")


CODE = re.compile(r"(`+)(.+?)\1")
BETWEEN = re.compile(r" ?(?:,|,? and|,? or|to|until|×|/) ?")


def names(sentence: str, name: str) -> bool:
    """Between backquotes, alone or in ``(x, y)``."""
    return any(re.search(rf"\b{name}\b", code) for _, code in CODE.findall(sentence))


def portion(sentence: str, name: str, others: Iterable[str]) -> str:
    """What a sentence says of a name: from what it says of another one before to the next one after.

    Names in a row (``width`` and ``height`` px) share what follows.
    """
    start, end, here = 0, len(sentence), None
    for code in CODE.finditer(sentence):
        if here and BETWEEN.fullmatch(sentence[here.end() : code.start()]):
            here = code
        elif names(code[0], name):
            here = here or code
        elif any(names(code[0], other) for other in others):
            if here:
                end = code.start()
                break
            start = code.end()
    return sentence[start:end]


@dataclass
class Words:
    """A docstring taken apart."""

    prose: list[str]
    """Its sentences."""
    entries: dict[str, str]
    """Of ``Args`` and ``Attributes``."""
    returns: str
    whole: str

    @classmethod
    def of(cls, text: str) -> Words:
        prose, returns, entries = "", "", dict[str, str]()
        section, heads = "", list[str]()
        for line in text.splitlines():
            if header := SECTION.match(line):
                section, heads = header[1], []
            elif section and line and not line.startswith(" "):
                section = ""
            if not section:
                prose += " " + line.strip()
            elif section in ("Returns", "Yields"):
                returns += " " + line.strip()
            elif section in ("Args", "Attributes"):
                if entry := ENTRY.match(line):
                    heads = [name.strip("* ") for name in entry[1].split(",")]
                    entries |= dict.fromkeys(heads, entry[2])
                elif heads:
                    entries |= {name: f"{entries[name]} {line.strip()}" for name in heads}
        return cls(SENTENCE.split(prose.strip()), entries, returns, text)

    def about(self, name: str) -> list[str]:
        """Its entry, up to where others are named, and the sentences that name it."""
        own = SENTENCE.split(self.entries.get(name, ""))
        others = [s for entry in self.entries.values() for s in SENTENCE.split(entry)]
        named = [s for s in (*self.prose, *others) if names(s, name)]
        return [*own[:1], *(s for s in own[1:] if not re.match(r"`+[a-z_]+`", s)), *named]


@dataclass
class Thing:
    """A public function with what it takes and gives, or a class with its fields."""

    where: str
    module: Module
    node: ast.AST
    parts: dict[str, tuple[ast.expr | None, list[str]]]
    """Annotation and words of each parameter or field, and of ``return``."""
    words: Words
    general: list[str]
    """Sentences of its class and its module that may speak of any part."""

    def told(self, name: str) -> list[str]:
        """The words about a part; else the sentences about no other one, of a class the first one only."""
        about = self.parts[name][1]
        if any(about) or self.is_config:
            others = self.parts.keys() - {name, "return"}
            return [portion(s, name, others) if names(s, name) else s for s in about]
        if name == "return":
            others = re.compile(rf"`+({'|'.join(self.parts)})`+(?::[^;.]*|[^,;:.]*)")
            return [others.sub("", s) for s in self.words.prose]
        prose = self.words.prose if isinstance(self.node, FUNCTION) else self.words.prose[:1]
        return [s for s in prose if not any(names(s, other) for other in self.parts)]

    @property
    def is_config(self) -> bool:
        """Here every field speaks for itself."""
        return self.where.endswith("Config")


def inherited(known: Known, module: Module, holder: ast.ClassDef, name: str) -> str:
    """The words of the method that this one overrides."""
    text = ""
    for base in holder.bases:
        found = lookup(known, module, base.id) if isinstance(base, ast.Name) else None
        if found and isinstance(found[1], ast.ClassDef):
            text += "\n\n" + inherited(known, found[0], found[1], name)
            for node in found[1].body:
                if isinstance(node, FUNCTION) and node.name == name:
                    text += "\n\n" + (ast.get_docstring(node) or "")
    return text


def of_module(module: Module) -> list[str]:
    return Words.of(ast.get_docstring(module.tree) or "").prose


def of_function(known: Known, module: Module, holder: ast.ClassDef | None, node: Function) -> Thing:
    text = ast.get_docstring(node) or ""
    around = Words.of((ast.get_docstring(holder) or "") if holder else "")
    if holder and node.name.startswith("__"):
        text += "\n\n" + around.whole
    elif holder:
        text += inherited(known, module, holder, node.name)
    words = Words.of(text)
    args = node.args
    every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    parts: dict[str, tuple[ast.expr | None, list[str]]] = {
        a.arg: (a.annotation, words.about(a.arg) + around.about(a.arg)) for a in every if a and a.annotation
    }
    parts["return"] = (node.returns, [words.returns])
    where = f"{module.name} {holder.name + '.' if holder else ''}{node.name}"
    return Thing(where, module, node, parts, words, [*around.prose, *of_module(module)])


def of_class(module: Module, holder: ast.ClassDef) -> Thing:
    words = Words.of(ast.get_docstring(holder) or "")
    parts: dict[str, tuple[ast.expr | None, list[str]]] = {}
    for at, node in enumerate(holder.body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id[0] != "_":
            name = node.target.id
            beside = module.lines[(node.end_lineno or 0) - 1].partition("  # ")[2]
            parts[name] = (node.annotation, [beside, words_below(holder.body, at), *words.about(name)])
    return Thing(f"{module.name} {holder.name}", module, holder, parts, words, of_module(module))


REFERS = re.compile(r"\b(?:[Aa]s(?: in)?|[Ss]ee|[Oo]f|for) `([\w.]+)`")


def add_referred(known: Known, found: dict[str, Thing]) -> None:
    """Where it says "as `TableReader.look`", the words there are words here."""
    for thing in found.values():
        for name, (_, about) in thing.parts.items():
            for ref in REFERS.findall(" ".join([*about, *thing.words.prose])):
                other = lookup(known, thing.module, ref.partition(".")[0])
                where = f"{other[0].name} {ref}" if other else " ".join(ref.rpartition(".")[::2])
                method = thing.where.rpartition(".")[2]
                for place in (where, f"{where}.{method}"):
                    if place in found and name in found[place].parts:
                        about += found[place].told(name)


def things(known: Known) -> list[Thing]:
    found = {thing.where: thing for thing in all_things(known)}
    add_referred(known, found)
    return list(found.values())


def all_things(known: Known) -> Iterator[Thing]:
    """Functions, methods and constructors without an underscore, and classes with their fields."""
    for module in known.values():
        classes = [n for n in module.tree.body if isinstance(n, ast.ClassDef) and n.name[0] != "_"]
        yield from (of_class(module, holder) for holder in classes)
        for holder in (None, *classes):
            for node in (holder or module.tree).body:
                if not isinstance(node, FUNCTION):
                    continue
                if node.name[0] == "_" and not (holder and re.fullmatch("__[a-z_]+__", node.name)):
                    continue
                if not any(re.search(r"overload|\.setter", ast.unparse(d)) for d in node.decorator_list):
                    yield of_function(known, module, holder, node)


# -- the rules


def unshaped(known: Known) -> list[str]:
    """Arrays without a shape in the words about them or below their alias.

    Where there are no such words, as many shapes are needed in the other sentences as there are arrays.
    """
    found = []
    for thing in things(known):
        loose = thing.words.prose if isinstance(thing.node, FUNCTION) else thing.words.prose[:1]
        free = {sentence: len(SHAPE.findall(sentence)) for sentence in loose}
        bare = []
        for name, (annotation, about) in thing.parts.items():
            several = [w for w in leaves(known, thing.module, annotation, "array") if not SHAPE.search(w)]
            if several and any(SHAPE.search(text) for text in about):
                free |= {text: free[text] - 1 for text in about if text in free}
            elif several and any(about) and name != "return":
                found.append(f"{thing.where} {name}")
            else:
                bare += [name] * len(several)
        if len(bare) > sum(max(n, 0) for n in free.values()):
            found += [f"{thing.where} {name}" for name in dict.fromkeys(bare)]
    return found


def unmeasured(known: Known) -> list[str]:
    """Floats, whole numbers that are sizes, and arrays of points.

    They need a unit in their name or in the words about them.
    """
    found = []
    for thing in things(known):
        of_all = [s for s in (*thing.words.prose, *thing.general) if ALL.match(s) and not thing.is_config]
        for name, (annotation, _) in thing.parts.items():
            kind = ("float", "int") if SIZES.search(name) else ("float",)
            several = [w for k in kind for w in leaves(known, thing.module, annotation, k)]
            called = re.split("[. ]", thing.where)[-1] if name == "return" else name
            texts = [*thing.told(name), *of_all]
            if any(map(POINTS.search, texts)):
                several += leaves(known, thing.module, annotation, "array")
            if not all(WORDS.search(w) for w in several) and not NAMES.search(called):
                found += [f"{thing.where} {name}"] if not any(map(WORDS.search, texts)) else []
    return found


def raised(known: Known, module: Module, nodes: Iterable[ast.AST], caught: str = "") -> set[str]:
    """Names of the errors that leave them; ``raise refused(…)`` is what that function returns."""
    names = set()
    for node in nodes:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef():
                continue
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
                here = " ".join(ast.unparse(h.type) for h in handlers if h.type)
                names |= raised(known, module, body, f"{caught} {here}")
                names |= raised(known, module, [*handlers, *orelse, *finalbody], caught)
                continue
            case ast.Raise(
                exc=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) | ast.Name(id=name)
            ):
                found = lookup(known, module, name)
                if found and isinstance(found[1], ast.FunctionDef) and found[1].returns:
                    name = ast.unparse(found[1].returns)
                if name[0].isupper() and not kinds(known, module, name) & set(re.findall(r"\w+", caught)):
                    names.add(name)
        names |= raised(known, module, ast.iter_child_nodes(node), caught)
    return names - {"NotImplementedError", "AssertionError"}


def kinds(known: Known, module: Module, name: str) -> set[str]:
    """An error's name and those of its bases, but for Exception itself."""
    found = lookup(known, module, name)
    if found and isinstance(found[1], ast.ClassDef):
        bases = [b.id for b in found[1].bases if isinstance(b, ast.Name)]
        return {name}.union(*(kinds(known, found[0], base) for base in bases))
    own = getattr(builtins, name, object)
    return {name, *(c.__name__ for c in own.__mro__)} - {"object", "BaseException", "Exception"}


def untold(known: Known) -> list[str]:
    """Errors that are not named, nor their kind, by who raises them."""
    found = []
    for thing in things(known):
        if not isinstance(thing.node, FUNCTION):
            continue
        words = thing.words.whole
        if told := IN_THE_PACKAGE.fullmatch(thing.where):
            words += ast.get_docstring(known[told[1]].tree) or ""
        for name in sorted(raised(known, thing.module, thing.node.body)):
            if not re.search(rf"\b({'|'.join(kinds(known, thing.module, name))})\b", words):
                found.append(f"{thing.where} {name}")
    return found


EXAMPLE = '''
"""A room."""

Image = npt.NDArray[np.uint8]
"""``(H, W, 3)`` uint8."""
Floats = npt.NDArray[np.float64]


class Odd(ValueError):
    """Not even."""


class SightConfig:
    """Distances are cm.

    Attributes:
        reach: farthest place, cm. ``sure``: least probability of a find.
        outline: ``(4, 2)`` px.
    """

    reach: float = 1.0
    sure: float = 0.5
    outline: Floats
    still: float = 2.0  # s at rest
    wait_s: float = 1.0


class Eye:
    """Looks.

    Raises `ValueError` without a picture.
    """

    def __init__(self, image: Image) -> None:
        raise Odd("none")

    def look(self, points: Floats, t: float, size: tuple[int, int]) -> tuple[Floats, float]:
        """What lies near points ``(N, 2)`` at ``t`` s: ``(N,)``. And its share.

        ``size``: width and height, px. Raises `KeyError` where it is dark.
        """
        try:
            raise IndexError
        except LookupError:
            raise dark() from None


def dark() -> KeyError:
    """The error."""
'''


def found_in(text: str) -> list[str]:
    known = {"room": Module.read("room", text)}
    return [*unshaped(known), *unmeasured(known), *untold(known)]


@pytest.mark.parametrize(
    "old, new, missed",
    [
        ("", "", []),
        ("``(H, W, 3)`` uint8", "uint8", ["room Eye.__init__ image"]),
        ("``(4, 2)`` px", "of the table, px", ["room SightConfig outline"]),
        ("points ``(N, 2)``", "points", ["room Eye.look points", "room Eye.look return"]),
        ("``points`` ``(N, 2)``", "``points``", []),
        ("place, cm", "place", ["room SightConfig reach"]),
        ("least probability of a find", "least of a find", ["room SightConfig sure"]),
        ("# s at rest", "# at rest", ["room SightConfig still"]),
        ("wait_s", "wait", ["room SightConfig wait"]),
        ("``t`` s", "``t``", ["room Eye.look t"]),
        ("height, px", "height", ["room Eye.look size"]),
        ("And its share", "And more", ["room Eye.look return"]),
        ("`KeyError`", "an error", ["room Eye.look KeyError"]),
        ("`ValueError`", "an error", ["room Eye.__init__ Odd"]),
    ],
)
def test_words_that_are_left_out_are_missed(old: str, new: str, missed: list[str]) -> None:
    assert old in EXAMPLE or not missed
    assert found_in(EXAMPLE.replace(old, new) if old else EXAMPLE) == missed


def test_every_array_has_its_shape() -> None:
    assert unshaped(package()) == []


def test_every_measured_number_has_its_unit() -> None:
    missed = unmeasured(package())
    assert [name for name in missed if name not in NOT_MEASURED] == []
    assert set(NOT_MEASURED) <= set(missed), "exempt, but it says its unit"


def test_every_error_is_named_where_it_is_raised() -> None:
    assert untold(package()) == []
