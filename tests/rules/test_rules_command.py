"""``pzvision rules``: the list, one game, the difference of two, house rules, JSON."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pzvision.cli import main
from pzvision.rules import load_ruleset, ruleset_ids
from pzvision.rules.describe import BOTH, Langs, diff_text, differences, list_text, option_names, ruleset_text
from pzvision.rules.options import OPTIONS, SWITCHES
from pzvision.rules.patterns import PATTERNS
from pzvision.rules.text import table, width, wrap


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["rules", *words]) == 0
    return capsys.readouterr().out


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys)
    for id_ in ruleset_ids():
        assert id_ in text and load_ruleset(id_).name_zh in text and load_ruleset(id_).name_en in text
    assert len(text.splitlines()) == 8


@pytest.mark.parametrize("id_", ruleset_ids())
def test_one_game_in_both_languages(capsys: pytest.CaptureFixture[str], id_: str) -> None:
    text = shown(capsys, id_)
    rules = load_ruleset(id_)
    patterns, rest = text.split("倍数 Factors")
    rows = {line.split()[0]: line for line in patterns.splitlines() if line.strip()}
    for key, unit in PATTERNS.items():
        if rules.fan[key]:
            assert (
                rows[key].split()[1] == str(rules.fan[key]) and unit.zh in rows[key] and unit.en in rows[key]
            )
        else:
            assert key not in rows
    rows = {line.split()[0]: line for line in rest.splitlines() if line.strip()}
    for option in SWITCHES:
        value = rules.value(option.key)
        written = "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        assert rows[option.key].split()[1] == written
        assert option.zh in rows[option.key] and option.en in rows[option.key]
    assert "点杠" in text and "claimed" in text


def test_one_language(capsys: pytest.CaptureFixture[str]) -> None:
    english = shown(capsys, "xichang", "--lang", "en")
    assert "all triplets" in english and "大对" not in english
    assert "all triplets" not in shown(capsys, "xichang", "--lang", "zh")


def test_kong_prices_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, "pzh-traditional", "--lang", "zh").splitlines()
    assert [line.split()[1:] for line in lines if line.startswith("点杠")] == [["2", "4", "8", "12"]]
    assert [line.split()[1:] for line in lines if line.startswith("巴杠")] == [["1", "2", "4", "8"]]


def test_differences(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "--diff", "pzh-traditional", "pzh-huoque")
    assert [line.split()[:3] for line in text.splitlines()[1:]] == [["que", "ignored", "huo_que"]]
    assert shown(capsys, "--diff", "xichang", "xichang").strip().endswith("do not differ")
    found = json.loads(shown(capsys, "--diff", "pzh-traditional", "pzh-popular", "--json"))
    assert found["differences"]["cap"] == [32, "none"]
    assert "da_dui_fan" not in found["differences"]
    a, b = load_ruleset("xichang", {"payer_bao_ting": 4}), load_ruleset("xichang")
    assert differences(a, b) == {"payer_bao_ting": (4, 1)}


def test_options_change_what_is_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert json.loads(shown(capsys, "xichang", "--json", "--option", "cap=64"))["options"]["cap"] == 64
    path = tmp_path / "ours.toml"
    path.write_text('parent = "xichang"\n[options]\ncap = "none"\n', encoding="utf-8")
    for words in ([str(path)], ["--ruleset", str(path)]):
        got = json.loads(shown(capsys, *words, "--json"))
        assert (got["id"], got["parent"], got["options"]["cap"]) == ("ours", "xichang", "none")
    assert "在 xichang 的基础上" in shown(capsys, str(path))
    assert "cap" in shown(capsys, "--diff", "xichang", str(path))


def test_json_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    every = [json.loads(line) for line in shown(capsys, "--json").splitlines()]
    assert [one["id"] for one in every] == list(ruleset_ids())
    assert all(set(one["options"]) == set(OPTIONS) for one in every)
    assert every[0]["kongs"]["zhi_gang"] == [2, 4, 8, 12]


@pytest.mark.parametrize(
    "words",
    [
        ["moon"],
        ["--diff", "xichang", "moon"],
        ["xichang", "--option", "cap=x"],
        ["xichang", "--ruleset", "pzh-huoque"],
    ],
)
def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["rules", *words]) == 2
    err = capsys.readouterr().err
    assert err.startswith("pzvision: error: ") and err.count("\n") == 1


def test_diff_beside_a_ruleset_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "xichang", "--diff", "xichang", "pzh-huoque"]) == 2
    assert "--diff" in capsys.readouterr().err


def test_every_option_has_names() -> None:
    for key in OPTIONS:
        zh, en = option_names(key)
        assert zh and en and zh != en


def test_tables_line_up_with_chinese() -> None:
    assert width("清一色 4") == 8
    lines = table([["清一色", 4], ["plain", 16]], ["名", "fan"]).splitlines()
    assert lines == ["名      fan", "清一色    4", "plain    16"]
    assert table([]) == ""


@pytest.mark.parametrize("langs", [BOTH, ("zh",), ("en",)])
@pytest.mark.parametrize("columns", [80, 100, 132, 200])
def test_it_fits_the_terminal(columns: int, langs: Langs) -> None:
    """Every line of every table; nothing is lost, and no identifier is cut."""
    every = [load_ruleset(id_) for id_ in ruleset_ids()]
    texts = [list_text(every, langs, columns), diff_text(every[0], every[-1], langs, columns)]
    texts += [ruleset_text(rules, langs, columns) for rules in every]
    for text in texts:
        assert max(map(width, text.split("\n"))) <= columns
    for rules, text in zip(every, texts[2:], strict=True):
        first = [line.split()[0] for line in text.split("\n") if line and not line.startswith(" ")]
        assert {option.key for option in SWITCHES} <= set(first)
        lost = Counter("".join(ruleset_text(rules, langs).split()))
        lost.subtract("".join(text.replace("(", "").replace(")", "").split()))
        assert not {char for char, count in lost.items() if count > 0 and char not in "()"}


def test_a_terminal_gets_lines_that_fit_and_a_pipe_all_in_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert max(map(width, shown(capsys, "pzh-popular").split("\n"))) > 120
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert max(map(width, shown(capsys, "pzh-popular").split("\n"))) <= 80


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("", 10, [""]),
        ("七个对子", 8, ["七个对子"]),
        ("七个对子", 7, ["七个对", "子"]),
        ("全是二五八的大对,很贵", 16, ["全是二五八的大", "对,很贵"]),
        ("a fourth of an own 碰 used", 12, ["a fourth of", "an own 碰", "used"]),
        ("antidisestablishment", 8, ["antidise", "stablish", "ment"]),
        ("one\ntwo three", 20, ["one", "two three"]),
    ],
)
def test_wrapping(text: str, columns: int, lines: list[str]) -> None:
    assert wrap(text, columns) == lines
