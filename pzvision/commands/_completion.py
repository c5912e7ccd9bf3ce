"""Completion scripts for bash, zsh and fish, made from the parsers themselves.

What follows an option is told by its metavar: ``FILE``, ``OUT.jsonl``, ``VIDEO`` … a file, ``DIR`` a folder,
``ID|FILE`` a ruleset or a file, ``SEAT`` a seat, ``KEY=VALUE`` a rule; choices are themselves. The scripts
are plain text of the shell and start no Python.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pzvision.commands._help import describe
from pzvision.rules import ruleset_ids
from pzvision.rules.options import OPTIONS
from pzvision.tiles import SEATS, Lang

Kind: TypeAlias = Literal["none", "file", "dir"]

_FILE: Final = re.compile(
    r"FILE|SOURCE|VIDEO|FOLDER|LIST|IMAGE|PHOTO|PICTURE|PT|FINDER|LOG|TRUTH|OUT\.|\.jsonl|\.jpg|\.mp4"
)
_DIR: Final = re.compile(r"DIR|GOLDEN")
_WORDS: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("", "backend"): ("auto", "onnxruntime", "openvino"),
    ("sessions", "id"): ("last",),
    ("rules", "diff"): ruleset_ids(),
}
"""Values that neither choices nor metavar tell, by command (empty: any) and destination."""


@dataclass(frozen=True)
class Value:
    """What may follow: some words, and files or folders."""

    words: tuple[str, ...] = ()
    kind: Kind = "none"


@dataclass(frozen=True)
class Option:
    """One option: its spellings, how many words follow it (-1: any number), what they are, what it is for."""

    names: tuple[str, ...]
    takes: int
    value: Value
    about: str
    repeats: bool


@dataclass(frozen=True)
class Command:
    """One command: its options, and what its other words are."""

    name: str
    about: str
    options: tuple[Option, ...]
    places: tuple[Value, ...]


def commands_of(parser: argparse.ArgumentParser, lang: Lang) -> list[Command]:
    """Every command of the program's parser, described in one language."""
    (subparsers,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return [_command(name, sub, lang) for name, sub in subparsers.choices.items()]


def _command(name: str, parser: argparse.ArgumentParser, lang: Lang) -> Command:
    options, places = [], []
    for action in parser._actions:
        value = _value(name, action)
        if not action.option_strings:
            times = action.nargs if isinstance(action.nargs, int) else 1
            places += [value] * times
            continue
        takes = action.nargs if isinstance(action.nargs, int) else 1 if action.nargs is None else -1
        about = describe(name, action, lang).split("\n")[0]
        repeats = isinstance(action, argparse._AppendAction)
        options.append(Option(tuple(action.option_strings), takes, value, about, repeats))
    summary: tuple[str, str] = getattr(parser, "summary", ("", ""))
    return Command(name, summary[lang == "en"].rstrip("。."), tuple(options), tuple(places))


def _value(command: str, action: argparse.Action) -> Value:
    """What the words of an option or argument may be."""
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    words = _WORDS.get((command, action.dest), _WORDS.get(("", action.dest), ()))
    if action.choices is not None:
        words = tuple(map(str, action.choices))
    elif metavar.startswith("ID|"):
        words = ruleset_ids()
    elif metavar == "SEAT":
        words = SEATS
    elif metavar == "SEAT=NAME":
        words = tuple(f"{seat}=" for seat in SEATS)
    elif metavar == "KEY=VALUE":
        words = tuple(f"{key}=" for key in OPTIONS)
    elif action.help and metavar in ("NAME", "KIND"):
        words = tuple(action.help.split())
    kind: Kind = "dir" if _DIR.search(metavar) else "file" if _FILE.search(metavar) else "none"
    return Value(words, "none" if "=" in metavar.split("|")[0] else kind)


def script(shell: str, parser: argparse.ArgumentParser, lang: Lang) -> str:
    """The script for ``bash``, ``zsh`` or ``fish``."""
    return {"bash": bash, "zsh": zsh, "fish": fish}[shell](commands_of(parser, lang))


# --- bash ------------------------------------------------------------------------------------------------

_BASH: Final = r"""
_pzvision_reply() {  # words, kind, what is typed
    local word
    COMPREPLY=()
    for word in $1; do
        [[ $word == "$3"* ]] && COMPREPLY+=("$word")
    done
    [[ $1 == *= || $1 == *=' '* ]] && compopt -o nospace 2>/dev/null
    if [[ $2 != none ]]; then
        compopt -o filenames 2>/dev/null
        local flag=-f
        [[ $2 == dir ]] && flag=-d
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen $flag -- "$3")
    fi
}

_pzvision() {
    # "=" parts words in bash: KEY=VALUE is put together again, and the part before it taken off the replies.
    local cur prev words cword
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n = cur prev words cword
    else
        words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD
        cur=${words[cword]}; prev=${words[cword-1]}
    fi
    local command= i place=0 last= after=0 takes
    for ((i = 1; i < cword; i++)); do
        local word=${words[i]}
        if [[ -z $command ]]; then
            command=$word
        elif [[ $word == -?* ]]; then
            _pzvision_option "$command" "$word" && last=$word after=0 || last=
            [[ $word == *=* ]] && last=
        elif [[ -n $last ]]; then
            ((after++))
            _pzvision_option "$command" "$last"
            ((takes >= 0 && after >= takes)) && last=
        else
            ((place++))
        fi
    done
    if [[ -z $command ]]; then
        _pzvision_reply "$_pzvision_commands --help --version" none "$cur"
    elif [[ -n $last ]] && { _pzvision_option "$command" "$last"; ((takes != 0)); } \
            && [[ $cur != -* || $takes -gt 0 ]]; then
        _pzvision_reply "$values" "$kind" "$cur"
    elif [[ $cur == -* ]]; then
        _pzvision_reply "$(_pzvision_options "$command")" none "$cur"
    else
        _pzvision_place "$command" "$place"
        _pzvision_reply "$values" "$kind" "$cur"
    fi
}
complete -F _pzvision pzvision
"""


def bash(commands: list[Command]) -> str:
    """For ``~/.local/share/bash-completion/completions/pzvision``, or to be sourced."""
    out = ["# bash completion of pzvision, made by: pzvision completion bash"]
    out.append(f"_pzvision_commands={shlex.quote(' '.join(c.name for c in commands))}")
    out += ["", "_pzvision_options() {", "    case $1 in"]
    for command in commands:
        names = " ".join(name for option in command.options for name in option.names if name != "-h")
        out.append(f"        {command.name}) echo {shlex.quote(names)} ;;")
    out += ["    esac", "}", "", "# sets takes, values and kind; false for what is no option"]
    out += ["_pzvision_option() {", "    takes=0 values= kind=none", '    case "$1 ${2%%=*}" in']
    for command in commands:
        for option in command.options:
            pattern = "|".join(f'"{command.name} {name}"' for name in option.names)
            out.append(f"        {pattern}) takes={option.takes} {_bash_value(option.value)} ;;")
    out += ["        *) return 1 ;;", "    esac", "}", "", "_pzvision_place() {"]
    out += ["    values= kind=none", '    case "$1 $2" in']
    for command in commands:
        for number, value in enumerate(command.places):
            last = number == len(command.places) - 1
            pattern = f'"{command.name} "*' if last else f'"{command.name} {number}"'
            out.append(f"        {pattern}) {_bash_value(value)} ;;")
    return (
        "\n".join([*out, "    esac", "}"])
        + "\n"
        + _BASH.replace("local command=", "local values kind command=")
    )


def _bash_value(value: Value) -> str:
    return f"values={shlex.quote(' '.join(value.words))} kind={value.kind}"


# --- zsh -------------------------------------------------------------------------------------------------


def zsh(commands: list[Command]) -> str:
    """For a file ``_pzvision`` in a folder of ``fpath``, or to be sourced after compinit."""
    out = ["#compdef pzvision", "# zsh completion of pzvision, made by: pzvision completion zsh", ""]
    out += ["_pzvision_words() {  # words; then files, dirs or nothing", "    local -a words=(${=1})"]
    out += ["    local equal=(${(M)words:#*=}) whole=(${words:#*=})"]
    out += ["    (( $#equal )) && compadd -S '' -a equal", "    (( $#whole )) && compadd -a whole"]
    out += ["    case $2 in", "        file) _files ;;", "        dir) _files -/ ;;", "    esac", "}", ""]
    out += ["_pzvision() {", "    local curcontext=$curcontext state line", "    typeset -A opt_args"]
    out += ["    _arguments -C '(- *)'{-h,--help}'[ ]' '(- *)--version[ ]' '1: :->command' '*:: :->rest'"]
    out += ["    case $state in", "    command)", "        local -a commands=("]
    out += [f"            {shlex.quote(f'{c.name}:{c.about}')}" for c in commands]
    out += ["        )", "        _describe -t commands command commands ;;", "    rest)"]
    out += ["        case $words[1] in"]
    for command in commands:
        out.append(f"        {command.name}) _arguments -s \\")
        specs = [_zsh_option(option) for option in command.options]
        for number, value in enumerate(command.places):
            which = "*" if number == len(command.places) - 1 else str(number + 1)
            specs.append(shlex.quote(f"{which}: :{_zsh_value(value)}"))
        out += [f"            {spec} \\" for spec in specs[:-1]] + [f"            {specs[-1]} ;;"]
    out += ["        esac ;;", "    esac", "}", ""]
    out += [
        'if [[ $funcstack[1] == _pzvision ]]; then _pzvision "$@"; else compdef _pzvision pzvision; fi',
        "",
    ]
    return "\n".join(out)


def _zsh_value(value: Value) -> str:
    words = " ".join(value.words)
    return f'{{ _pzvision_words "{words}" {value.kind} }}'


def _zsh_option(option: Option) -> str:
    about = re.sub(r"([\[\]:\\])", r"\\\1", option.about)
    follow = f": :{_zsh_value(option.value)}"
    after = {0: "", -1: f":*-*{follow}"}.get(option.takes, follow * max(option.takes, 0))
    if option.takes == -1:
        after = f":{follow}"  # an optional word
    star = "*" if option.repeats else ""
    return " ".join(shlex.quote(f"{star}{name}[{about}]{after}") for name in option.names)


# --- fish ------------------------------------------------------------------------------------------------


def fish(commands: list[Command]) -> str:
    """For ``~/.config/fish/completions/pzvision.fish``."""
    out = ["# fish completion of pzvision, made by: pzvision completion fish", "complete -c pzvision -f"]
    out.append("complete -c pzvision -n __fish_use_subcommand -l help")
    out.append("complete -c pzvision -n __fish_use_subcommand -l version")
    for command in commands:
        about = _fish_quote(command.about)
        out.append(f"complete -c pzvision -n __fish_use_subcommand -a {command.name} -d {about}")
        seen = f"-n '__fish_seen_subcommand_from {command.name}'"
        for option in command.options:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
            )
            value = "" if option.takes == 0 else f" -r{_fish_value(option.value)}"
            out.append(f"complete -c pzvision {seen} {names}{value} -d {_fish_quote(option.about)}")
        both = Value(
            tuple(dict.fromkeys(word for value in command.places for word in value.words)),
            next((value.kind for value in command.places if value.kind != "none"), "none"),
        )
        if command.places:
            out.append(f"complete -c pzvision {seen}{_fish_value(both)}")
    return "\n".join(out) + "\n"


def _fish_value(value: Value) -> str:
    files = {"none": " -f", "file": " -F", "dir": ""}[value.kind]
    words: Iterable[str] = value.words
    if value.kind == "dir":
        words = [*value.words, "(__fish_complete_directories)"]
        files = " -f"
    text = " ".join(words)
    return f"{files} -a {_fish_quote(text)}" if text else files


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
