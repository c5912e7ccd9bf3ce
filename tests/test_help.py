"""The pages of ``--help``: complete, in both languages, within the terminal; their examples can be run."""

from __future__ import annotations

import argparse
import io
import re
import shlex
import sys

import pytest

from pzvision.cli import COMMANDS, build_parser, main
from pzvision.commands._help import describe, split_lang
from pzvision.messages import catalogue
from pzvision.rules.text import width

PARSER = build_parser()
SUBPARSERS = next(a for a in PARSER._actions if isinstance(a, argparse._SubParsersAction)).choices


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("columns", [76, 140])
@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_a_page(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, lang: str, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = shown(capsys, *filter(None, [command]), "--help", "--lang", lang)
    head = ("名称", "用法", "说明", "选项", "退出状态") if lang == "zh" else (
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"
    )  # fmt: skip
    assert [line for line in text.splitlines() if line in head] == list(head)
    prose, quoted = [], False
    for line in text.splitlines():
        quoted |= line.lstrip().startswith("echo '")  # a quoted record cannot be broken over lines
        if not quoted:
            prose.append(line)
        quoted &= not line.endswith("pzh-popular")
    assert max(map(width, prose)) < columns
    parser = SUBPARSERS[command] if command else PARSER
    for action in parser._actions:
        assert all(name in text for name in action.option_strings)
    assert all(name in text for name in COMMANDS) or command
    if lang == "en":
        assert not re.search("[\u4e00-\u9fff]{5}", text.rsplit("中文", 1)[0])
    else:
        assert text.splitlines()[-1].startswith("English: pzvision")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_described_in_both_languages(command: str) -> None:
    for action in SUBPARSERS[command]._actions:
        zh, en = describe(command, action, "zh"), describe(command, action, "en")
        assert re.search("[\u4e00-\u9fff]", zh) or "JSON" in zh
        assert re.search("[a-z]", en) and zh != en


def test_no_text_describes_what_is_not_there() -> None:
    used = {f"help.{name}.{a.dest}" for name, sub in SUBPARSERS.items() for a in sub._actions}
    used |= {f"help.any.{a.dest}" for sub in [*SUBPARSERS.values(), PARSER] for a in sub._actions}
    used |= {f"help.{kind}.{name}" for kind in ("page", "example", "status") for name in COMMANDS}
    used |= {"help.any.command"}
    written = {key for key in catalogue() if re.fullmatch(r"help\.[\w-]+\.\w[\w-]*", key)}
    assert {key for key in written - used if not key.startswith("help.head.")} == set()
    assert {f"help.page.{name}" for name in COMMANDS} <= written


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_are_understood(command: str) -> None:
    zh, en = catalogue()[f"help.example.{command}"]
    lines = [line for line in en.split("\n") if not line.startswith("#")]
    assert len(lines) >= 1
    if command != "rules":  # whose example names the language
        assert lines == [line for line in zh.split("\n") if not line.startswith("#")]
    for line in lines:
        words = shlex.split(line.rpartition("| ")[2].partition(" > ")[0])
        assert words[0] == "pzvision"
        args, unknown = PARSER.parse_known_args(words[1:])
        assert not unknown and args.command in COMMANDS


@pytest.mark.parametrize("command", ["score", "waits"])
def test_an_example_with_a_record(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = catalogue()[f"help.example.{command}"][1].split("\n")[1]
    record, _, words = line.removeprefix("echo ").rpartition(" | pzvision ")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(shlex.split(record)[0].encode())))
    assert main(shlex.split(words)) == 0
    assert ("9m" if command == "waits" else "qing_yi_se") in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "split"),
    [
        (["replay", "--help"], (None, ["replay", "--help"])),
        (["--lang", "en", "--help"], ("en", ["--help"])),
        (["replay", "-h", "--lang=zh"], ("zh", ["replay", "-h"])),
        (["rules", "--lang", "both", "-h"], (None, ["rules", "-h"])),
    ],
)
def test_the_language_may_stand_anywhere(words: list[str], split: tuple[str | None, list[str]]) -> None:
    assert split_lang(words) == split


def test_the_language_may_stand_before_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    told = {}
    for lang in ("zh", "en"):
        for words in (["--lang", lang, "rules"], [f"--lang={lang}", "rules"], ["rules", "--lang", lang]):
            assert main(words) == 0
            told.setdefault(lang, set()).add(capsys.readouterr().out)
    assert len(told["zh"]) == len(told["en"]) == 1 and told["zh"] != told["en"]


@pytest.mark.parametrize(
    ("variables", "chinese"),
    [
        ({"LANG": "zh_CN.UTF-8"}, True),
        ({"LANG": "en_GB.UTF-8"}, False),
        ({"LANG": "C.UTF-8"}, True),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, True),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "de_DE.UTF-8"}, False),
    ],
)
def test_without_a_language_the_locale_tells(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    chinese: bool,
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert shown(capsys, "dice", "--help").startswith("名称" if chinese else "NAME")
