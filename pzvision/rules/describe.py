"""Rulesets in tables: the list, one game's prices and switches, what two games differ in."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pzvision.messages import say
from pzvision.rules.hand import KONG_KINDS, Lang
from pzvision.rules.kongs import kong_fan
from pzvision.rules.options import OPTIONS, PLAY_FANS, SWITCHES, Value
from pzvision.rules.patterns import PATTERNS
from pzvision.rules.ruleset import Ruleset
from pzvision.rules.text import table, table_width

Langs: TypeAlias = tuple[Lang, ...]
BOTH: Langs = ("zh", "en")


def _say(key: str, langs: Langs) -> str:
    return " ".join(say(key, lang) for lang in langs)


def _pick(zh: str, en: str, langs: Langs) -> list[str]:
    return [{"zh": zh, "en": en}[lang] for lang in langs]


def _fit(rows: list[list[object]], head: list[str], columns: int | None, pairs: tuple[int, ...]) -> str:
    """A table; where it is wider than ``columns``, the two languages stand below each other.

    ``pairs``: where in a row the Chinese of a pair is (its English follows); empty: one language.
    """
    plain = table(rows, head or None)
    if columns is None or table_width(plain) <= columns:
        return plain

    def stacked(row: list[object]) -> list[object]:
        kept = [cell for i, cell in enumerate(row) if i - 1 not in pairs]
        for nth, at in enumerate(pairs):
            kept[at - nth] = f"{row[at]}\n{row[at + 1]}"
        return kept

    words = [str(cell) for cell in stacked(list(head))] if head else None
    return table([stacked(row) for row in rows], words, columns)


def value_text(value: Value) -> str:
    """A value as a profile or ``--option`` writes it: ``none``, ``true``, ``64``, ``double``."""
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def list_text(rulesets: list[Ruleset], langs: Langs = BOTH, columns: int | None = None) -> str:
    """One row per game: id, names, cap. ``columns``: of the terminal; None: as wide as it gets."""
    rows: list[list[object]] = [
        [rules.id, *_pick(rules.name_zh, rules.name_en, langs), value_text(rules.cap), rules.source]
        for rules in rulesets
    ]
    head = [_say("rules.head.id", langs), *(say("rules.head.ruleset", lang) for lang in langs)]
    head += [say_cap(langs), _say("rules.head.source", langs)]
    return _fit(rows, head, columns, (1,) if len(langs) > 1 else ())


def say_cap(langs: Langs) -> str:
    """``封顶 cap``."""
    return " ".join(_pick("封顶", "cap", langs))


def _kong_rows(rules: Ruleset, langs: Langs) -> list[list[object]]:
    return [
        [_say(f"rules.kong.{kind}", langs), *(kong_fan(rules, kind, chain) for chain in range(4))]
        for kind in KONG_KINDS
    ]


def ruleset_text(rules: Ruleset, langs: Langs = BOTH, columns: int | None = None) -> str:
    """The game's patterns, factors, kong prices and options. ``columns``: as of `list_text`."""
    both = len(langs) > 1
    names = " / ".join(_pick(rules.name_zh, rules.name_en, langs))
    lines = [f"{rules.id}  {names}"]
    if rules.parent_id is not None:
        lines.append(" ".join(say("rules.builds_on", lang, parent=rules.parent_id) for lang in langs))
    patterns: list[list[object]] = [
        [
            unit.id,
            rules.fan[unit.id],
            *_pick(unit.zh, unit.en, langs),
            *_pick(unit.zh_condition, unit.en_condition, langs),
            unit.source,
        ]
        for unit in PATTERNS.values()
        if rules.fan[unit.id]
    ]
    head = [_say("rules.head.id", langs), _say("rules.head.fan", langs)]
    head += [say(f"rules.head.{key}", lang) for key in ("pattern", "condition") for lang in langs]
    head.append(_say("rules.head.source", langs))
    lines += ["", _say("rules.title.patterns", langs), _fit(patterns, head, columns, (2, 4) if both else ())]

    used = [id_ for id_ in PLAY_FANS if rules.fan[id_] and (id_ != "bian_ka_diao" or rules.bian_ka_diao)]
    factors: list[list[object]] = [
        [id_, rules.fan[id_], *(say(f"rules.factor.{id_}", lang) for lang in langs)] for id_ in used
    ]
    lines += ["", _say("rules.title.factors", langs), _fit(factors, [], columns, (2,) if both else ())]

    chains = [" ".join(say("rules.head.chain", lang, n=n) for lang in langs) for n in range(1, 5)]
    kongs = _fit(_kong_rows(rules, langs), [_say("rules.head.kong", langs), *chains], columns, ())
    lines += ["", _say("rules.title.kongs", langs), kongs]

    lines += ["", _say("rules.title.options", langs), _switches(rules, langs, columns)]
    return "\n".join(lines)


def _switches(rules: Ruleset, langs: Langs, columns: int | None) -> str:
    """The options; on a narrow terminal all that is said of one stands in one column."""
    said = [_pick(option.zh, option.en, langs) for option in SWITCHES]
    values = [value_text(rules.value(option.key)) for option in SWITCHES]
    rows = [
        [option.key, value, *names, option.allowed, option.source]
        for option, value, names in zip(SWITCHES, values, said, strict=True)
    ]
    plain = table(rows)
    if columns is None or table_width(plain) <= columns:
        return plain
    return table(
        [
            [option.key, value, "\n".join([*names, f"{option.allowed} ({option.source})"])]
            for option, value, names in zip(SWITCHES, values, said, strict=True)
        ],
        columns=columns,
    )


def differences(a: Ruleset, b: Ruleset) -> dict[str, tuple[Value, Value]]:
    """Option key → both values, for every option that differs."""
    return {
        key: (a.value(key), b.value(key))
        for key in OPTIONS
        if (type(a.value(key)), a.value(key)) != (type(b.value(key)), b.value(key))
    }


def option_names(key: str) -> tuple[str, str]:
    """Chinese and English name of an option; prices are called as their pattern or factor is."""
    id_ = key.removesuffix("_fan")
    if key in {option.key for option in SWITCHES}:
        return OPTIONS[key].zh, OPTIONS[key].en
    if id_ in PATTERNS:
        return PATTERNS[id_].zh, PATTERNS[id_].en
    return say(f"rules.factor.{id_}", "zh"), say(f"rules.factor.{id_}", "en")


def diff_text(a: Ruleset, b: Ruleset, langs: Langs = BOTH, columns: int | None = None) -> str:
    """One row per option that differs: key, value in a, value in b, names. ``columns``: as of `list_text`."""
    rows: list[list[object]] = [
        [key, value_text(left), value_text(right), *_pick(*option_names(key), langs)]
        for key, (left, right) in differences(a, b).items()
    ]
    if not rows:
        return " ".join(say("rules.title.same", lang, a=a.id, b=b.id) for lang in langs)
    names = [say("rules.head.meaning", lang) for lang in langs]
    head = [_say("rules.head.option", langs), a.id, b.id, *names]
    return _fit(rows, head, columns, (3,) if len(langs) > 1 else ())


def ruleset_json(rules: Ruleset) -> dict[str, object]:
    """A ruleset as one JSON object: id, parent, names, every option, kong prices by chain 0–3."""
    return {
        "id": rules.id,
        "parent": rules.parent_id,
        "name": {"zh": rules.name_zh, "en": rules.name_en},
        "source": rules.source,
        "options": {key: "none" if value is None else value for key, value in rules.values().items()},
        "kongs": {kind: [kong_fan(rules, kind, chain) for chain in range(4)] for kind in KONG_KINDS},
    }


LangChoice: TypeAlias = Literal["zh", "en", "both"]


def langs_of(choice: LangChoice) -> Langs:
    """``both`` → both languages."""
    return BOTH if choice == "both" else (choice,)
