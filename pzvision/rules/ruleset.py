"""Rulesets: the seven profiles, house-rule files that change some of their options, and the loader.

Five profiles are the games of S0 and S2, one is S1, one is S3; each says so in its ``source``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, cast

from pzvision.errors import FormatError, PzvisionError
from pzvision.rules.hand import Declaration, Opening
from pzvision.rules.options import FANS, OPTIONS, SWITCHES, Value, find_option

PROFILES: Final = Path(__file__).parent / "profiles"
_IDS: Final = (
    "pzh-traditional", "pzh-biankadiao", "pzh-huoque", "pzh-biankadiao-huoque", "pzh-biankadiao-que",
    "pzh-popular", "xichang",
)  # fmt: skip
_HEAD: Final = ("id", "parent", "name_zh", "name_en", "source")
_TABLES: Final = ("options", "fan")


@dataclass(frozen=True, eq=False)
class Ruleset:
    """One game, every option spelled out (`options`: with sources). Compared by identity; see `load_ruleset`.

    `fan` maps every id of `options.FANS` to its price, 0 where the game has it not. `parent_id` is the
    profile a house-rule file builds on, None for the seven profiles. `cap` None is an uncapped game.
    The other fields are the keys of `options.SWITCHES`, with the values listed there.
    """

    id: str
    parent_id: str | None
    name_zh: str
    name_en: str
    source: str
    fan: Mapping[str, int]
    cap: int | None
    que: Literal["ignored", "huo_que", "must"]
    bian_ka_diao: bool
    kong_replacement: Literal["tail", "next"]
    must_win_tiles: int
    no_declare_tiles: int
    no_passing: bool
    zha_hu: bool
    zha_hu_fan: int
    tian_hu_pays: Literal["cap", "times_face", "fixed"]
    pattern_cap: int | None
    kong_chain: Literal["doubling", "once"]
    claimed_chain: Literal["linear", "power"]
    no_winner_dealer: Literal["dancer", "last_drawer"]
    own_four_wait: bool
    ka_xin_wu_with_bkd: Literal["absorbed", "stacks"]
    an_gui: Literal["any", "triplet_and_sequence"]
    gui_stacks: bool
    gui_on: Literal["any", "winning_tile"]
    kong_luck_stacks: bool
    rob_kong: bool
    seven_pairs_is_diao: bool
    edge_wait: Literal["standard", "any_terminal"]
    que_scoring: Literal["floor", "double"]
    huo_que_test: Literal["face_times_play", "face"]
    upgrade_declaration: bool
    kong_after_declaring: Literal["waits_unchanged", "never"]
    hua_zhu_kong_void: bool
    cha_jiao_collect_requires_que: bool
    si_jiao: Literal["neutral", "ignored"]
    dancer_wins_on: Literal["locked_discard", "self_draw"]
    payer_bao_ting: Literal[1, 4]
    early_leave: Literal["forfeit_fan", "forfeit_all", "keep"]
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)  # values by hand features; see score.py

    @cached_property
    def declarations(self) -> tuple[Declaration, ...]:
        """What a player may declare here: ``("none", "sing", "dance")`` or ``("none", "bai")``."""
        made: tuple[Declaration, ...] = ("sing", "dance", "bai")
        return ("none", *(d for d in made if self.fan[d] > 0))

    @cached_property
    def openings(self) -> tuple[Opening, ...]:
        """The openings of this game, such as ``("tian_hu", "tian_jiao")``."""
        known: tuple[Opening, ...] = ("tian_hu", "di_hu", "tian_jiao", "bao_ting")
        return tuple(o for o in known if self.fan[o] > 0)

    @property
    def has_alarm(self) -> bool:
        """Whether 报警 exists here (S1)."""
        return self.fan["alarm"] > 0

    @property
    def shows_tail(self) -> bool:
        """Whether the tail tile lies face up and replaces a kong (S0 §1.5–6)."""
        return self.kong_replacement == "tail"

    @property
    def zha_hu_price(self) -> int:
        """What a 诈胡 pays to each of the three others: the cap, or `zha_hu_fan` where there is none."""
        return self.zha_hu_fan if self.cap is None else self.cap

    def capped(self, fan: int) -> int:
        """`fan`, at most the cap."""
        return fan if self.cap is None else min(fan, self.cap)

    def name(self, lang: Literal["zh", "en"] = "zh") -> str:
        """The game's name."""
        return self.name_zh if lang == "zh" else self.name_en

    def value(self, key: str) -> Value:
        """The value of any key of `options.OPTIONS`. Raises `FormatError` for an unknown one."""
        find_option(key)
        if hasattr(self, key):
            return cast(Value, getattr(self, key))
        return self.fan[key.removesuffix("_fan")]

    def values(self) -> dict[str, Value]:
        """All options in the order of `options.OPTIONS`."""
        return {key: self.value(key) for key in OPTIONS}


def ruleset_ids() -> tuple[str, ...]:
    """The ids of the seven profiles, in the order of S0's games, then S2, S1, S3."""
    return _IDS


def load_ruleset(id_or_path: str | Path, options: Mapping[str, object] | None = None) -> Ruleset:
    """A profile by id, or a house-rule file by path (a `Path`, or text ending in ``.toml``).

    `options` override single keys, typed as in JSON (``{"cap": 64, "rob_kong": True}``). The same
    arguments give the same object while it is cached. Raises `FormatError` with ``field`` "ruleset" or
    "options": unknown id, unreadable file, unknown key, wrong value or type, a parent loop.
    """
    if not isinstance(id_or_path, str | Path):
        raise FormatError(f"bad ruleset {id_or_path!r}: expected one of {', '.join(_IDS)}", field="ruleset")
    if options is None:
        pairs: tuple[tuple[str, Value], ...] = ()
    elif isinstance(options, Mapping):
        pairs = tuple(
            sorted((str(key), find_option(str(key)).check(value)) for key, value in options.items())
        )
    else:
        raise FormatError(
            f'bad options {options!r}: expected an object such as {{"cap": 64}}', field="options"
        )
    if isinstance(id_or_path, Path) or id_or_path.endswith(".toml"):
        return _build(_read_chain(Path(id_or_path)), pairs)
    # True and 1 are equal as dictionary keys, so the cache is told the types too.
    return _load_profile(id_or_path, pairs, tuple(type(value) for _, value in pairs))


@lru_cache(maxsize=256)
def _load_profile(id_: str, pairs: tuple[tuple[str, Value], ...], types: tuple[type, ...]) -> Ruleset:
    if id_ not in _IDS:
        expected = f"expected one of {', '.join(_IDS)}, or a file ending in .toml"
        raise FormatError(f"unknown ruleset {id_[:60]!r}: {expected}", field="ruleset")
    return _build(_read_chain(PROFILES / f"{id_}.toml"), pairs)


def _read_chain(path: Path) -> list[dict[str, Any]]:
    """The file and its ancestors, youngest first, each checked and flattened."""
    chain: list[dict[str, Any]] = []
    seen: list[Path] = []
    while True:
        resolved = path.resolve()
        if resolved in seen:
            names = " -> ".join(p.name for p in [*seen, resolved])
            raise FormatError(f"parent loop: {names}", field="ruleset")
        seen.append(resolved)
        layer = _read_file(path)
        chain.append(layer)
        parent = layer["parent"]
        if parent is None:
            return chain
        path = path.parent / parent if parent.endswith(".toml") else PROFILES / f"{parent}.toml"


def _read_file(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise FormatError(f"cannot read ruleset file {str(path)!r}: {reason}", field="ruleset") from error
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FormatError(f"{path.name}: not valid TOML: {error}", field="ruleset") from error
    for key in data:
        if key not in _HEAD and key not in _TABLES:
            expected = ", ".join((*_HEAD, "[options]", "[fan]"))
            raise FormatError(f"{path.name}: unknown key {key!r}: expected {expected}", field="ruleset")
    for key in _HEAD:
        if key in data and (not isinstance(data[key], str) or not data[key].strip()):
            raise FormatError(f"{path.name}: {key} = {data[key]!r}: expected a text", field="ruleset")
    profile = path.resolve().parent == PROFILES.resolve()
    parent = data.get("parent")
    if parent is None and not profile:
        raise FormatError(f"{path.name}: no parent: name one of {', '.join(_IDS)}", field="ruleset")
    if parent is not None and not parent.endswith(".toml") and parent not in _IDS:
        expected = f"expected one of {', '.join(_IDS)}, or a file ending in .toml"
        raise FormatError(f"{path.name}: unknown parent {parent!r}: {expected}", field="ruleset")
    layer: dict[str, Any] = {key: data.get(key) for key in _HEAD}
    layer["id"] = layer["id"] or path.stem
    if not profile and layer["id"] in _IDS:
        raise FormatError(f"{path.name}: id {layer['id']!r} is taken by a built-in ruleset", field="ruleset")
    layer["values"] = {}
    for table in _TABLES:
        entries = data.get(table, {})
        if not isinstance(entries, dict):
            raise FormatError(f"{path.name}: {table} = {entries!r}: expected a table", field="ruleset")
        for key, value in entries.items():
            full = f"{key}_fan" if table == "fan" and key in FANS else key
            if table == "fan" and key not in FANS and key.removesuffix("_fan") not in FANS:
                raise FormatError(
                    f"{path.name}: unknown fan {key!r}: expected one of {', '.join(FANS)}", field="options"
                )
            try:
                layer["values"][full] = find_option(full).check(value)
            except FormatError as error:
                raise FormatError(f"{path.name}: {error}", field="options") from error
    return layer


def _build(chain: list[dict[str, Any]], pairs: tuple[tuple[str, Value], ...]) -> Ruleset:
    values: dict[str, Any] = {}
    for layer in reversed(chain):
        values.update(layer["values"])
    values.update(pairs)
    missing = OPTIONS.keys() - values.keys()
    if missing:
        raise PzvisionError(f"profile {chain[-1]['id']} lacks {', '.join(sorted(missing))}")
    youngest = chain[0]

    def first(key: str) -> Any:
        return next((layer[key] for layer in chain if layer[key] is not None), "")

    return Ruleset(
        id=youngest["id"],
        parent_id=None if len(chain) == 1 else chain[1]["id"],
        name_zh=youngest["name_zh"] or f"{first('name_zh')}({youngest['id']})",
        name_en=youngest["name_en"] or f"{first('name_en')} ({youngest['id']})",
        source=first("source"),
        fan=MappingProxyType({name: values[f"{name}_fan"] for name in FANS}),
        **{option.key: values[option.key] for option in SWITCHES},
    )
