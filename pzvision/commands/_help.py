"""The pages that ``--help`` shows, in Chinese or English, laid out as manual pages are.

Texts come from the catalogue: ``help.page.COMMAND`` and ``help.example.COMMAND``; ``help.COMMAND.DEST`` for
an option, else ``help.any.DEST``. An argparse ``help=`` holds values only, which follow the text. Read only
when help is asked for, so that commands start fast.
"""

from __future__ import annotations

import argparse
import locale
import os
import shutil
import sys
from collections.abc import Sequence
from typing import Final

from pzvision.messages import catalogue, say
from pzvision.rules.text import width, wrap
from pzvision.tiles import Lang

WIDEST: Final = 100
INDENT: Final = 4


def split_lang(words: Sequence[str]) -> tuple[Lang | None, list[str]]:
    """The language that ``--lang`` names in a command line (None: none), and the words without it."""
    lang: Lang | None = None
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name == "--lang":
            value = value if equals else next(rest, "")
            lang = "en" if value == "en" else "zh" if value == "zh" else lang
        else:
            kept.append(word)
    return lang, kept


def usual_lang() -> Lang:
    """Chinese, unless the locale names another language or the terminal cannot show Chinese."""
    named = next((os.environ[k] for k in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(k)), "")
    if not named and sys.platform in ("win32", "darwin"):
        named = locale.getlocale()[0] or ""
    try:
        "麻将".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return "en"
    word = named.split(".")[0].lower()
    return "zh" if word in ("", "c", "posix") or word.startswith(("zh", "chinese")) else "en"


def describe(command: str, action: argparse.Action, lang: Lang) -> str:
    """What an option or argument is for. Raises `KeyError` where the catalogue has no text for it."""
    texts = catalogue()
    own = f"help.{command}.{action.dest}"
    text = say(own if own in texts else f"help.any.{action.dest}", lang)
    if action.help and not isinstance(action, (argparse._HelpAction, argparse._VersionAction)):
        text += (":" if lang == "zh" else ": ") + action.help
    return text


def usage(parser: argparse.ArgumentParser, lang: Lang) -> str:
    """One line: what must be given, by name; other options are only hinted at."""
    parts = [parser.prog]
    groups = [g for g in parser._mutually_exclusive_groups if g.required]
    grouped = {id(a) for g in groups for a in g._group_actions}
    actions = [a for a in parser._actions if not isinstance(a, argparse._HelpAction)]
    if any(a.option_strings and not a.required and id(a) not in grouped for a in actions):
        parts.append(say("help.option", lang))
    parts += ["(" + " | ".join(_spelled(a)[-1] for a in group._group_actions) + ")" for group in groups]
    parts += [_spelled(a)[-1] for a in actions if a.option_strings and a.required]
    parts += [_positional(a) for a in actions if not a.option_strings]
    return " ".join(parts)


def _values(action: argparse.Action) -> list[str]:
    """What the user types after an option, or for an argument."""
    if isinstance(action.metavar, tuple):
        return list(action.metavar)
    if action.nargs == 0 or isinstance(action, argparse._SubParsersAction):
        return [action.metavar] if action.metavar else []
    if action.metavar:
        name = action.metavar
    elif action.choices is not None:
        name = "|".join(map(str, action.choices))
    else:
        name = action.dest.upper()
    if isinstance(action.nargs, int):
        return [name] * action.nargs
    return {"?": [f"[{name}]"], "*": [f"[{name} …]"], "+": [name, f"[{name} …]"]}.get(
        str(action.nargs), [name]
    )


def _positional(action: argparse.Action) -> str:
    return " ".join(_values(action)) + (" …" if isinstance(action, argparse._SubParsersAction) else "")


def _spelled(action: argparse.Action) -> list[str]:
    """Every spelling, the last with its value: ``-h``, ``--out FILE``."""
    names = list(action.option_strings) or [""]
    return [*names[:-1], " ".join(filter(None, [names[-1], *_values(action)]))]


def page(parser: argparse.ArgumentParser, command: str, summary: tuple[str, str], lang: Lang) -> str:
    """The page of one command, or with ``command`` empty of the program; lines fit the terminal."""
    texts = catalogue()
    columns = max(40, min(shutil.get_terminal_size().columns, WIDEST)) - 1
    out: list[str] = []

    def head(key: str) -> None:
        out.extend(["", say(f"help.head.{key}", lang)] if out else [say(f"help.head.{key}", lang)])

    def put(text: str, indent: int = INDENT) -> None:
        out.extend((" " * indent + line).rstrip() for line in wrap(text, columns - indent))

    short = summary[0 if lang == "zh" else 1].rstrip("。.")
    head("name")
    put(f"{parser.prog} - {short}")
    head("usage")
    put(usage(parser, lang))
    head("about")
    put(say(f"help.page.{command}" if command else "help.page", lang))
    for group in parser._action_groups:
        actions = [a for a in group._group_actions if not isinstance(a, argparse._SubParsersAction)]
        if actions:
            positional = group is parser._action_groups[0]
            title = {0: "arguments", 1: "options"}.get(parser._action_groups.index(group), "")
            head(title or str(group.title))
            for action in actions:
                put(", ".join(_spelled(action)) if not positional else _positional(action))
                put(_said(command, action, lang), 2 * INDENT)
    for sub in parser._actions:
        if isinstance(sub, argparse._SubParsersAction):
            head("commands")
            out.extend(_commands(sub, lang, columns))
    if f"help.example.{command}" in texts:
        head("examples")
        for line in texts[f"help.example.{command}"][lang == "en"].split("\n"):  # braces are JSON's
            out.extend(_example(line, columns))
    head("status")
    if f"help.status.{command}" in texts:
        put(say(f"help.status.{command}", lang))
    put(say("help.status", lang))
    out.append("")
    if not command:
        put(say("help.more", lang), 0)
    put(say("help.other", lang, prog=parser.prog), 0)
    return "\n".join(out) + "\n"


def _said(command: str, action: argparse.Action, lang: Lang) -> str:
    text = describe(command, action, lang)
    if action.required and action.option_strings:
        text = say("help.required", lang) + text
    return text


def _commands(
    sub: argparse._SubParsersAction[argparse.ArgumentParser], lang: Lang, columns: int
) -> list[str]:
    """One row a command: its name, and what it does."""
    first = max(map(len, sub.choices)) + INDENT + 2
    lines = []
    for choice in sub._choices_actions:
        words = choice.help or ""
        zh, _, en = words.partition("\n")
        for nth, line in enumerate(wrap((zh if lang == "zh" else en).rstrip("。."), columns - first)):
            name = " " * INDENT + choice.dest if nth == 0 else ""
            lines.append(f"{name:<{first}}{line}")
    return lines


def _example(line: str, columns: int) -> list[str]:
    """A remark, or a command that a shell takes as it stands when it is broken over lines."""
    if line.startswith("#"):
        return [" " * INDENT + each for each in wrap(line, columns - INDENT)]
    lines, now = [], ""
    quoted = False
    for word in line.split(" "):
        if now and not quoted and width(f"{now} {word}") > columns - 2 * INDENT - 2:
            lines.append(now + " \\")
            now = " " * INDENT + word
        else:
            now = f"{now} {word}" if now else word
        quoted ^= word.count("'") % 2 == 1
    return [" " * 2 * INDENT + each for each in [*lines, now]]
