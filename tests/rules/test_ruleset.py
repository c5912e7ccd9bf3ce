"""Profiles, house-rule files, single options: what loads, and the one line that says why not."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pzvision.errors import FormatError, PzvisionError
from pzvision.rules import load_ruleset, ruleset_ids
from pzvision.rules.arguments import parse_options
from pzvision.rules.options import FANS, OPTIONS, SWITCHES, find_option
from pzvision.rules.patterns import PATTERNS
from pzvision.rules.ruleset import PROFILES

IDS = (
    "pzh-traditional", "pzh-biankadiao", "pzh-huoque", "pzh-biankadiao-huoque", "pzh-biankadiao-que",
    "pzh-popular", "xichang",
)  # fmt: skip


def test_the_seven_rulesets() -> None:
    assert ruleset_ids() == IDS
    assert sorted(p.stem for p in PROFILES.glob("*.toml")) == sorted(IDS)


@pytest.mark.parametrize("id_", IDS)
def test_a_profile_spells_out_everything(id_: str) -> None:
    data = tomllib.loads((PROFILES / f"{id_}.toml").read_text(encoding="utf-8"))
    assert "parent" not in data and data["id"] == id_
    assert set(data["options"]) == {option.key for option in SWITCHES}
    assert set(data["fan"]) == set(FANS)
    rules = load_ruleset(id_)
    assert rules.parent_id is None and rules.name_zh and rules.name_en
    assert rules.values().keys() == OPTIONS.keys()
    for key, value in data["options"].items():
        assert rules.value(key) == (None if value == "none" else value)


@pytest.mark.parametrize(
    ("id_", "expected"),
    [
        ("pzh-traditional", {"cap": 32, "que": "ignored", "bian_ka_diao": False, "kong_replacement": "tail"}),
        ("pzh-biankadiao", {"cap": 32, "que": "ignored", "bian_ka_diao": True, "kong_replacement": "tail"}),
        ("pzh-huoque", {"cap": 32, "que": "huo_que", "bian_ka_diao": False, "kong_replacement": "tail"}),
        (
            "pzh-biankadiao-huoque",
            {"cap": 32, "que": "huo_que", "bian_ka_diao": True, "kong_replacement": "tail"},
        ),
        (
            "pzh-biankadiao-que",
            {"cap": 32, "que": "must", "bian_ka_diao": True, "kong_replacement": "next", "must_win_tiles": 8},
        ),
        (
            "pzh-popular",
            {
                "cap": None,
                "que": "ignored",
                "bian_ka_diao": False,
                "kong_replacement": "next",
                "alarm_fan": 2,
                "si_jiao": "neutral",
                "hua_zhu_kong_void": True,
                "jiang_qi_dui_fan": 32,
                "tian_hu_fan": 16,
                "kong_luck_stacks": True,
                "gui_on": "winning_tile",
                "feng_qi_dui_fan": 16,
            },
        ),
        (
            "xichang",
            {
                "cap": 16,
                "que": "ignored",
                "bian_ka_diao": False,
                "kong_replacement": "next",
                "rob_kong": True,
                "bai_fan": 2,
                "bao_ting_fan": 4,
                "di_hu_fan": 16,
                "tian_hu_fan": 16,
                "sing_fan": 0,
                "dance_fan": 0,
                "tian_jiao_fan": 0,
                "shou_ba_yi_fan": 0,
                "ming_gui_fan": 0,
                "an_gui_fan": 0,
                "pattern_cap": 16,
                "no_winner_dealer": "last_drawer",
                "kong_chain": "once",
                "zha_hu": False,
                "no_declare_tiles": 0,
            },
        ),
    ],
)
def test_what_sets_the_games_apart(id_: str, expected: dict[str, object]) -> None:
    """RULES §1 and §4."""
    rules = load_ruleset(id_)
    assert {key: rules.value(key) for key in expected} == expected


def test_declarations_and_openings() -> None:
    assert load_ruleset("pzh-huoque").declarations == ("none", "sing", "dance")
    assert load_ruleset("pzh-huoque").openings == ("tian_hu", "tian_jiao")
    assert load_ruleset("xichang").declarations == ("none", "bai")
    assert load_ruleset("xichang").openings == ("tian_hu", "di_hu", "bao_ting")
    assert [load_ruleset(i).has_alarm for i in IDS] == [False] * 5 + [True, False]
    assert [load_ruleset(i).shows_tail for i in IDS] == [True] * 4 + [False] * 3


def test_equal_arguments_give_the_same_ruleset() -> None:
    assert load_ruleset("xichang", {"cap": 64}) is load_ruleset("xichang", {"cap": 64})
    assert load_ruleset("xichang", {"payer_bao_ting": 1}).payer_bao_ting == 1


def house(folder: Path, text: str, name: str = "my-rules.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_house_rule_file(tmp_path: Path) -> None:
    path = house(
        tmp_path,
        'parent = "pzh-biankadiao"\nname_zh = "我家"\n'
        '[options]\ncap = "none"\nrob_kong = true\n[fan]\nda_dui = 3\n',
    )
    for given_path in (path, str(path)):
        rules = load_ruleset(given_path)
        assert (rules.id, rules.parent_id, rules.name_zh) == ("my-rules", "pzh-biankadiao", "我家")
        assert (rules.cap, rules.rob_kong, rules.fan["da_dui"]) == (None, True, 3)
        assert rules.bian_ka_diao and rules.fan["qing_yi_se"] == 4
    assert load_ruleset(path, {"cap": 8}).cap == 8
    assert "Panzhihua" in load_ruleset(path).name("en")


def test_house_rules_on_house_rules(tmp_path: Path) -> None:
    house(tmp_path, 'parent = "xichang"\nid = "ours"\n[options]\ncap = 20\nrob_kong = false\n', "a.toml")
    path = house(tmp_path, 'parent = "a.toml"\n[options]\ncap = 24\n', "b.toml")
    rules = load_ruleset(path)
    assert (rules.id, rules.parent_id, rules.cap, rules.rob_kong) == ("b", "ours", 24, False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('parent = "xichang"\n[options]\ncapp = 3\n', ["my-rules.toml", "'capp'", "cap"]),
        ('parent = "xichang"\n[options]\ncap = -3\n', ["cap", "-3", "none or a whole number from 1"]),
        ('parent = "xichang"\n[options]\ncap = true\n', ["cap", "True", "none or a whole number"]),
        ('parent = "xichang"\n[options]\ncap = 3.5\n', ["cap", "3.5", "none or a whole number"]),
        (
            'parent = "xichang"\n[options]\nque = "sometimes"\n',
            ["que", "'sometimes'", "ignored or huo_que or must"],
        ),
        ('parent = "xichang"\n[options]\nrob_kong = 1\n', ["rob_kong", "1", "true or false"]),
        ('parent = "xichang"\n[options]\npayer_bao_ting = true\n', ["payer_bao_ting", "True", "1 or 4"]),
        ('parent = "xichang"\n[options]\npayer_bao_ting = 2\n', ["payer_bao_ting", "2", "1 or 4"]),
        ('parent = "xichang"\n[fan]\nda_duo = 3\n', ["'da_duo'", "da_dui"]),
        ('parent = "xichang"\n[fan]\ncap = 3\n', ["'cap'", "unknown fan"]),
        ('parent = "xichang"\n[fan]\nda_dui = "two"\n', ["da_dui", "'two'", "a whole number from 0"]),
        ('parent = "xichang"\ncap = 3\n', ["unknown key 'cap'", "[options]"]),
        ('parent = "xichang"\noptions = 3\n', ["options", "3", "a table"]),
        ('parent = "moon"\n', ["unknown parent 'moon'", "xichang"]),
        ("parent = 3\n", ["parent", "3", "a text"]),
        ("[options]\ncap = 3\n", ["no parent", "xichang"]),
        ('parent = "my-rules.toml"\n', ["parent loop", "my-rules.toml -> my-rules.toml"]),
        ('parent = "nowhere.toml"\n', ["cannot read", "nowhere.toml"]),
        ('parent = "xichang"\nid = "pzh-popular"\n', ["'pzh-popular'", "taken"]),
        ("parent = \n", ["my-rules.toml", "not valid TOML"]),
    ],
)
def test_a_bad_house_rule_file_is_one_clear_line(tmp_path: Path, text: str, words: list[str]) -> None:
    path = house(tmp_path, text)
    with pytest.raises(FormatError) as caught:
        load_ruleset(path)
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_a_loop_of_two_files(tmp_path: Path) -> None:
    house(tmp_path, 'parent = "b.toml"\n', "a.toml")
    path = house(tmp_path, 'parent = "a.toml"\n', "b.toml")
    with pytest.raises(FormatError, match=r"parent loop: b\.toml -> a\.toml -> b\.toml"):
        load_ruleset(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder.toml").mkdir()
    for name in ("missing.toml", "bytes.toml", "folder.toml"):
        with pytest.raises(FormatError, match="cannot read ruleset file") as caught:
            load_ruleset(tmp_path / name)
        assert caught.value.field == "ruleset"


@pytest.mark.parametrize(
    ("id_", "options", "field", "words"),
    [
        ("pzh-tradition", {}, "ruleset", ["'pzh-tradition'", "pzh-traditional"]),
        ("", {}, "ruleset", ["''"]),
        (None, {}, "ruleset", ["None"]),
        (7, {}, "ruleset", ["7"]),
        ("xichang", {"capp": 32}, "options", ["'capp'", "cap"]),
        ("xichang", {"zzzz": 32}, "options", ["'zzzz'", "pzvision rules"]),
        ("xichang", {"cap": "thirty-two"}, "options", ["cap", "'thirty-two'"]),
        ("xichang", {"cap": 0}, "options", ["cap", "0"]),
        ("xichang", {"cap": 10**9}, "options", ["cap", "1000000000"]),
        ("xichang", {"edge_wait": ["standard"]}, "options", ["edge_wait", "['standard']", "any_terminal"]),
        ("xichang", {"gui_stacks": None}, "options", ["gui_stacks", "None", "true or false"]),
        ("xichang", ["cap"], "options", ["['cap']", "object"]),
    ],
)
def test_bad_arguments(id_: object, options: object, field: str, words: list[str]) -> None:
    with pytest.raises(FormatError) as caught:
        load_ruleset(id_, options)  # type: ignore[arg-type]
    assert caught.value.field == field
    for word in words:
        assert word in str(caught.value)


def test_options_on_the_command_line() -> None:
    assert parse_options(["cap=64", "rob_kong=true", "que_scoring = double", "payer_bao_ting=4"]) == {
        "cap": 64, "rob_kong": True, "que_scoring": "double", "payer_bao_ting": 4,
    }  # fmt: skip
    assert parse_options(["cap=none"]) == {"cap": None}
    for word in (
        "cap",
        "capp=3",
        "cap=",
        "cap=-1",
        "cap=3.5",
        "cap=1e3",
        "rob_kong=yes",
        "cap=" + "9" * 5000,
    ):
        with pytest.raises(FormatError) as caught:
            parse_options([word])
        assert len(str(caught.value)) < 300


@given(
    st.sampled_from(sorted(OPTIONS)),
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
)
def test_a_value_is_taken_as_it_is_or_refused(key: str, value: object) -> None:
    try:
        taken = find_option(key).check(value)
    except FormatError as error:
        assert key in str(error) and "\n" not in str(error)
    else:
        assert taken is None if value in (None, "none") else (type(taken), taken) == (type(value), value)


def test_value_of_an_unknown_option() -> None:
    with pytest.raises(FormatError):
        load_ruleset("xichang").value("name_zh")


def test_every_pattern_has_a_price_and_names() -> None:
    assert set(PATTERNS) <= set(FANS)
    for id_, unit in PATTERNS.items():
        assert (
            unit.id == id_ and unit.zh and unit.en and unit.source and unit.zh_condition and unit.en_condition
        )
        assert set(unit.replaces) <= set(PATTERNS)


def test_a_profile_with_a_missing_option_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pzvision.rules import ruleset

    text = (PROFILES / "xichang.toml").read_text(encoding="utf-8").replace("cap = 16", "", 1)
    house(tmp_path, text, "xichang.toml")
    monkeypatch.setattr(ruleset, "PROFILES", tmp_path)
    with pytest.raises(PzvisionError, match="lacks cap"):
        load_ruleset(tmp_path / "xichang.toml")
