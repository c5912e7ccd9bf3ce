"""``pzvision score`` and ``pzvision waits`` end to end: streams, bad records, tables, house rules, fuzz."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pzvision.cli import main
from pzvision.errors import FormatError
from pzvision.rules import ruleset_ids
from pzvision.rules.options import OPTIONS
from pzvision.rules.records import ScoreRecord, WaitsRecord, load_record
from pzvision.rules.stream import json_line

HAND: dict[str, Any] = {
    "id": "a1",
    "ruleset": "pzh-traditional",
    "options": {"cap": 32},
    "concealed": "4678978912333m",
    "melds": [],
    "win": {"tile": "5m", "by": "discard", "kong_chain": 0},
    "opening": None,
    "winner": "sing",
    "payers": [{"seat": "S", "declaration": "sing", "alarm": False, "bao_ting": False}],
}
ANSWER = {
    "id": "a1",
    "legal": True,
    "reason": None,
    "face": 8,
    "patterns": [{"id": "qing_yi_se", "fan": 4}, {"id": "ka_xin_wu", "fan": 2}],
    "play": 1,
    "total": 16,
    "payments": [{"seat": "S", "fan": 32}],
}
WAITS: dict[str, Any] = {
    "id": "a1",
    "ruleset": "pzh-traditional",
    "options": {},
    "concealed": "4678978912333m",
    "melds": [],
    "winner": "sing",
    "seen": "5m",
}


class Input:
    """Standard input made of bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def run(words: list[str], *records: object) -> tuple[int, list[str], list[str]]:
        lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in records]
        monkeypatch.setattr(sys, "stdin", Input(b"\n".join(lines) + b"\n"))
        status = main(words)
        out = capsys.readouterr()
        return status, out.out.splitlines(), out.err.splitlines()

    return run


def test_score_answers_exactly_as_the_interface_says(pipe) -> None:  # type: ignore[no-untyped-def]
    status, out, err = pipe(["score"], HAND)
    assert (status, err) == (0, [])
    assert json.loads(out[0]) == ANSWER
    assert list(json.loads(out[0])) == list(ANSWER)


def test_waits_answers_exactly_as_the_interface_says(pipe) -> None:  # type: ignore[no-untyped-def]
    status, out, _ = pipe(["waits"], WAITS)
    assert status == 0
    first = {"tile": "3m", "left": 1, "face": 4, "fan": 8, "legal": True}
    got = json.loads(out[0])
    assert got["id"] == "a1" and got["ready"] is True
    assert {"tile": "5m", "left": 3, "face": 8, "fan": 16, "legal": True} in got["waits"]
    assert [list(w) for w in got["waits"]] == [list(first)] * len(got["waits"])
    status, out, _ = pipe(["waits"], {**WAITS, "concealed": "13579m13579s135p"})
    assert json.loads(out[0]) == {"id": "a1", "ready": False, "waits": []}


def test_a_refused_hand_has_a_reason_and_no_payments(pipe) -> None:  # type: ignore[no-untyped-def]
    _, out, _ = pipe(["score"], {**HAND, "win": {"tile": "9s", "by": "discard"}})
    assert json.loads(out[0]) == {"id": "a1", "legal": False, "reason": "not_complete"}
    for opening, win in (
        ("tian_hu", {"tile": "5m", "by": "discard"}),
        ("tian_hu", {"tile": "5m", "by": "self_draw", "kong_chain": 1}),
    ):
        _, out, _ = pipe(["score"], {**HAND, "opening": opening, "win": win})
        assert json.loads(out[0])["reason"] == "opening"


def test_defaults_of_a_record(pipe) -> None:  # type: ignore[no-untyped-def]
    short = {"ruleset": "xichang", "concealed": HAND["concealed"], "win": {"tile": "5m", "by": "self_draw"}}
    status, out, _ = pipe(["score"], short)
    assert status == 0
    assert json.loads(out[0])["id"] is None and json.loads(out[0])["payments"] == []
    status, out, _ = pipe(["waits"], {"ruleset": "xichang", "concealed": HAND["concealed"]})
    assert status == 0 and json.loads(out[0])["ready"]


BAD = [
    ("ruleset", {"ruleset": "pzh-tradition"}, "pzh-tradition"),
    ("ruleset", {"ruleset": None}, "null"),
    ("ruleset", {"ruleset": "/etc/passwd.toml"}, "/etc/passwd.toml"),
    ("options", {"options": {"capp": 1}}, "capp"),
    ("options", {"options": {"cap": 0}}, "0"),
    ("options", {"options": [1]}, "[1]"),
    ("concealed", {"concealed": "12m"}, "12m"),
    ("concealed", {"concealed": "123456789m1234z"}, "z"),
    ("concealed", {"concealed": None}, "null"),
    ("concealed", {"concealed": "11111m23456789s"}, "1m"),
    ("concealed", {"concealed": "1111m345678s", "melds": [{"kind": "peng", "tile": "1m"}]}, "1m"),
    ("melds", {"concealed": "345678s1m", "melds": [{"kind": "peng", "tile": "1p"}] * 2}, "1p"),
    ("melds", {"melds": [{"kind": "chi", "tile": "1m"}]}, "chi"),
    ("melds", {"melds": [{"kind": "peng", "tile": "1z"}]}, "1z"),
    ("melds", {"melds": [{"kind": "peng"}]}, "''"),
    ("melds", {"melds": ["1m"]}, "1m"),
    ("melds", {"melds": {"kind": "peng"}}, "peng"),
    ("melds", {"melds": [{"kind": "peng", "tile": "1p"}] * 5}, "at most 4"),
]
BAD_WIN = [
    ("win", {"win": None}, "null"),
    ("win", {"win": {"tile": "5", "by": "discard"}}, "5"),
    ("win", {"win": {"tile": "5m", "by": "theft"}}, "theft"),
    ("win", {"win": {"tile": "5m"}}, "null"),
    ("win", {"win": {"tile": "5m", "by": "discard", "kong_chain": -1}}, "-1"),
    ("win", {"win": {"tile": "5m", "by": "discard", "kong_chain": True}}, "true"),
    ("win", {"win": {"tile": "5m", "by": "discard", "kong_chain": 1.5}}, "1.5"),
    ("win", {"win": {"tile": "3m", "by": "discard"}, "concealed": "4678978333312m"}, "3m"),
    ("opening", {"opening": "di_hu"}, "di_hu"),
    ("opening", {"opening": 3}, "3"),
    ("winner", {"winner": "bai"}, "bai"),
    ("winner", {"winner": None}, "null"),
    ("payers", {"payers": [{"seat": "Q"}]}, "Q"),
    ("payers", {"payers": [{"seat": ["E"]}]}, "E"),
    ("payers", {"payers": [{"seat": "E", "declaration": "bai"}]}, "bai"),
    ("payers", {"payers": [{"seat": "E", "alarm": True}]}, "true"),
    ("payers", {"payers": [{"seat": "E", "alarm": 1}]}, "1"),
    ("payers", {"payers": [{"seat": "E", "bao_ting": True}]}, "true"),
    ("payers", {"payers": [{"seat": "E"}, {"seat": "S"}]}, "at most 1"),
    ("payers", {"payers": ["E"]}, "E"),
    ("payers", {"payers": 3}, "3"),
    (
        "payers",
        {"payers": [{"seat": "E"}] * 2, "win": {"tile": "5m", "by": "self_draw"}},
        "each payer once",
    ),
]
BAD_SEEN = [
    ("seen", {"seen": "1"}, "1"),
    ("seen", {"seen": 3}, "3"),
    ("seen", {"seen": "11111p"}, "1p"),
    ("seen", {"seen": "33m"}, "3m"),
    ("winner", {"winner": "hum"}, "hum"),
]


def assert_one_bad(result: tuple[int, list[str], list[str]], field: str, word: str) -> None:
    status, out, err = result
    assert status == 2
    assert [json.loads(line)["id"] for line in out] == ["before", "after"]
    assert len(err) == 1
    assert err[0].startswith(f'pzvision: error: line 2, id "a1": {field}: ')
    assert word in err[0]


@pytest.mark.parametrize(("field", "change", "word"), BAD + BAD_WIN)
def test_a_bad_score_record(pipe, field: str, change: dict[str, Any], word: str) -> None:  # type: ignore[no-untyped-def]
    """The error names record, field and value; the others are answered; the status is not zero."""
    assert_one_bad(
        pipe(["score"], {**HAND, "id": "before"}, {**HAND, **change}, {**HAND, "id": "after"}), field, word
    )


@pytest.mark.parametrize(("field", "change", "word"), BAD + BAD_SEEN)
def test_a_bad_waits_record(pipe, field: str, change: dict[str, Any], word: str) -> None:  # type: ignore[no-untyped-def]
    assert_one_bad(
        pipe(["waits"], {**WAITS, "id": "before"}, {**WAITS, **change}, {**WAITS, "id": "after"}), field, word
    )


@pytest.mark.parametrize(
    "raw", [b'{"id": ', b"[]", b"3", b'"x"', b"\xff\xfe", b"{" * 5000, b'{"a": 1} x', b"NaN"]
)
def test_a_line_that_is_no_record(pipe, raw: bytes) -> None:  # type: ignore[no-untyped-def]
    status, out, err = pipe(["score"], HAND, raw, b"", b"   ", HAND)
    assert status == 2 and len(out) == 2
    assert len(err) == 1 and err[0].startswith("pzvision: error: line 2: json: ")


def test_empty_input_is_an_error(pipe) -> None:  # type: ignore[no-untyped-def]
    status, out, err = pipe(["score"])
    assert (status, out, len(err)) == (2, [], 1) and "standard input: is empty" in err[0]


def test_a_byte_order_mark_is_read_over(pipe) -> None:  # type: ignore[no-untyped-def]
    status, out, _ = pipe(["score"], b"\xef\xbb\xbf" + json.dumps(HAND).encode())
    assert status == 0 and json.loads(out[0]) == ANSWER


def test_ids_come_back_as_they_are(pipe) -> None:  # type: ignore[no-untyped-def]
    for id_ in (7, None, [1, {"a": "中"}], "中\n文", "\ud800", 1.5, True):
        status, out, err = pipe(["score"], {**HAND, "id": id_}, {**HAND, "id": id_, "winner": "hum"})
        assert status == 2 and json.loads(out[0])["id"] == id_ and len(out) == len(err) == 1


def test_options_on_the_command_line(pipe) -> None:  # type: ignore[no-untyped-def]
    free = {**HAND, "options": {}, "winner": "dance"}
    assert json.loads(pipe(["score", "--option", "cap=20"], free)[1][0])["total"] == 20
    assert (
        json.loads(pipe(["score", "--option", "cap=20"], {**free, "options": {"cap": 24}})[1][0])["total"]
        == 24
    )
    status, out, err = pipe(["score", "--option", "capp=20"], free)
    assert (status, out) == (2, []) and "capp" in err[0]
    status, _, err = pipe(["score", "--option", "cap=lots"], free)
    assert status == 2 and len(err) == 1 and "lots" in err[0]


def test_a_house_rule_file_on_the_command_line(pipe, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "my-rules.toml"
    path.write_text('parent = "pzh-traditional"\n[fan]\nqing_yi_se = 8\n', encoding="utf-8")
    unnamed = {k: v for k, v in HAND.items() if k != "ruleset"}
    for record, face in ((unnamed, 16), ({**HAND, "ruleset": "my-rules"}, 16), (HAND, 8)):
        status, out, _ = pipe(["score", "--ruleset", str(path)], record)
        assert status == 0 and json.loads(out[0])["face"] == face
    assert pipe(["score", "--ruleset", str(path)], {**HAND, "ruleset": "her-rules"})[0] == 2
    path.write_text('parent = "pzh-traditional"\n[fan]\nqing = 8\n', encoding="utf-8")
    status, out, err = pipe(["score", "--ruleset", str(path)], unnamed, unnamed)
    assert (status, out, len(err)) == (2, [], 1) and "'qing'" in err[0]


def table_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], *records: object
) -> str:
    monkeypatch.setattr(sys, "stdin", Input(b"".join(json.dumps(r).encode() + b"\n" for r in records)))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    main(words)
    return capsys.readouterr().out


def test_tables_for_people(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = table_of(monkeypatch, capsys, ["score"], HAND)
    assert text == (
        "a1  传统攀枝花  1233346778899m + 5m 点炮\n"
        "  清一色 4 × 卡心五 2 = 8,唱歌 ×2 = 16\n"
        "  123m 33m 46+5m 789m 789m\n"
        "  南家付 32 番  (对方唱歌 ×2)\n"
    )
    english = table_of(monkeypatch, capsys, ["score", "--lang", "en"], HAND)
    assert "one suit 4 × middle five 2 = 8, singing ×2 = 16" in english and "South pays 32" in english
    refused = table_of(monkeypatch, capsys, ["score"], {**HAND, "win": {"tile": "1p", "by": "discard"}})
    assert refused.endswith("没有胡:牌不成\n")
    waits = table_of(monkeypatch, capsys, ["waits"], WAITS)
    assert "五万   3     8  16  清一色 4 × 卡心五 2 = 8,唱歌 ×2 = 16" in waits
    assert "没有叫" in table_of(monkeypatch, capsys, ["waits"], {**WAITS, "concealed": "13579m13579s135p"})
    assert json.loads(table_of(monkeypatch, capsys, ["score", "--json"], HAND)) == ANSWER


def test_the_program_itself(tmp_path: Path) -> None:
    """One run of the installed program: bytes in, bytes out, in a locale without Chinese."""
    env = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    lines = "".join(json.dumps({**HAND, "id": i}, ensure_ascii=False) + "\n" for i in ("一", "二"))
    done = subprocess.run(
        [sys.executable, "-m", "pzvision", "score"],
        input=lines.encode(),
        capture_output=True,
        env=env,
        check=False,
    )
    assert done.returncode == 0 and done.stderr == b""
    assert [json.loads(line)["id"] for line in done.stdout.decode("utf-8").splitlines()] == ["一", "二"]


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["5m", "E", "peng"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NEARLY = {
    "ruleset": st.sampled_from(ruleset_ids()),
    "options": st.dictionaries(
        st.sampled_from(sorted(OPTIONS)),
        st.sampled_from([True, False, 0, 1, 4, 16, "none", "any", "double"]),
        max_size=2,
    ),
    "concealed": st.text("123456789msp", max_size=18)
    | st.lists(
        st.sampled_from([f"{r}{s}" for s in "msp" for r in range(1, 10)]), min_size=13, max_size=13
    ).map("".join),
    "melds": st.lists(
        st.fixed_dictionaries(
            {
                "kind": st.sampled_from(["peng", "zhi_gang", "an_gang", "ba_gang", "chi"]),
                "tile": st.sampled_from(["1m", "5s", "9p", "0p"]),
            }
        ),
        max_size=5,
    ),
    "win": st.fixed_dictionaries(
        {
            "tile": st.sampled_from(["1m", "5s", "9p", "x"]),
            "by": st.sampled_from(["discard", "self_draw", "rob_kong", "theft"]),
            "kong_chain": st.integers(-1, 10**30),
        }
    ),
    "opening": st.sampled_from([None, "tian_hu", "di_hu", "tian_jiao", "bao_ting", "x"]),
    "winner": st.sampled_from(["none", "sing", "dance", "bai", "x"]),
    "payers": st.lists(
        st.fixed_dictionaries(
            {
                "seat": st.sampled_from(["E", "S", "W", "N", "x"]),
                "declaration": st.sampled_from(["none", "sing", "dance", "bai"]),
                "alarm": st.booleans(),
                "bao_ting": st.booleans(),
            }
        ),
        max_size=4,
    ),
    "seen": st.text("123456789msp", max_size=8),
}


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A good record with a few fields replaced by nearly right or wholly wrong values, or left out."""
    record: dict[str, Any] = {**HAND, "seen": "5m"}
    for key in draw(st.lists(st.sampled_from(sorted(NEARLY)), max_size=4, unique=True)):
        choice = draw(st.integers(0, 9))
        if choice == 0:
            record.pop(key, None)
        else:
            record[key] = draw(JUNK if choice < 4 else NEARLY[key])
    return record


def check_never_a_traceback(record: dict[str, Any]) -> None:
    for kind in (ScoreRecord, WaitsRecord):
        try:
            parsed = kind.parse(load_record(json.dumps(record)))
        except FormatError as error:
            assert error.field in {*NEARLY, "json"} and "\n" not in str(error)
            assert len(str(error)) < 500
        else:
            answer = json.loads(json_line(parsed.answer()))
            assert answer["id"] == "a1"
            if isinstance(parsed, ScoreRecord):
                assert "\n" not in parsed.score().explain("zh")


@settings(max_examples=250, deadline=None)
@given(mutated())
def test_no_record_makes_a_traceback(record: dict[str, Any]) -> None:
    check_never_a_traceback(record)


MELDS = ["peng", "zhi_gang", "an_gang", "ba_gang", "chi"]
TILES = [f"{rank}{suit}" for suit in "msp" for rank in range(1, 10)]
SCRAPS: list[Any] = [
    None, True, False, 0, 1, -1, 2**70, 0.5, float("nan"), float("inf"), "", "5m", "E", "peng", "\ud800",
    "\0", "五万", [], {}, [[]], [{}], [None], {"": None}, "x" * 300, [1] * 20, {"tile": "5m"}, [["5m"]],
]  # fmt: skip


def random_hand(rnd: random.Random) -> dict[str, Any]:
    """Fields of a hand of 13 tiles with its melds, the winning tile among the rest; often near a win."""
    melds = [
        {"kind": rnd.choice(MELDS[:4]), "tile": rnd.choice(TILES)} for _ in range(rnd.choice([0, 0, 1, 2, 4]))
    ]
    narrow = rnd.choice([TILES, TILES[:9], TILES[9:], rnd.sample(TILES, 7)])
    wanted = 13 - 3 * len(melds)
    tiles: list[str] = []
    while len(tiles) < wanted:
        tile = rnd.choice(narrow)
        run = TILES[TILES.index(tile) : TILES.index(tile) + 3]
        part = [tile] * rnd.choice([1, 2, 3]) if rnd.random() < 0.6 or run[-1][1] != tile[1] else run
        tiles += part[: wanted - len(tiles)]
    tile = rnd.choice([*tiles, rnd.choice(TILES)])
    chain = rnd.choice([0, 0, 1, 5, 17, 10**30])
    return {
        "concealed": "".join(tiles),
        "melds": melds,
        "win": {"tile": tile, "by": rnd.choice(["discard", "self_draw", "rob_kong"]), "kong_chain": chain},
    }


def spoil(value: Any, rnd: random.Random) -> Any:
    """The value with something changed in it, or something else altogether."""
    if rnd.random() < 0.3:
        return rnd.choice(SCRAPS)
    if isinstance(value, dict) and value:
        key = rnd.choice(list(value))
        changed = {k: v for k, v in value.items() if k != key or rnd.random() < 0.7}
        return changed | (
            {key: spoil(value[key], rnd)} if key in changed else {rnd.choice(["", "x", key + "s"]): 1}
        )
    if isinstance(value, list) and value:
        at = rnd.randrange(len(value))
        return [*value[:at], *[spoil(value[at], rnd)] * rnd.choice([0, 1, 2]), *value[at + 1 :]]
    if isinstance(value, str):
        at = rnd.randint(0, len(value))
        return (
            value[:at]
            + rnd.choice(["", "9", "m", "0", " ", "\n", "é", "5p"])
            + value[at + rnd.choice([0, 1, 2]) :]
        )
    if isinstance(value, int):
        return value + rnd.choice([-1, 1, 10**20])
    return rnd.choice(SCRAPS)


def random_record(rnd: random.Random) -> dict[str, Any]:
    """A good record of either command, most of them with one to three fields spoilt or left out."""
    payer = {"declaration": rnd.choice(["none", "sing", "bai"]), "alarm": rnd.random() < 0.2}
    hand = random_hand(rnd) if rnd.random() < 0.6 else {}
    record: dict[str, Any] = {**HAND, "ruleset": rnd.choice(ruleset_ids()), **hand}
    record["winner"] = rnd.choice(["none", "none", "sing", "dance", "bai"])
    record["opening"] = rnd.choice([None, None, "tian_hu", "di_hu", "tian_jiao", "bao_ting"])
    record["payers"] = [{"seat": seat, **payer} for seat in rnd.sample("ESWN", rnd.choice([0, 1, 1, 3]))]
    record["seen"] = "".join(rnd.choices(TILES, k=rnd.choice([0, 0, 3])))
    record["options"] = {
        key: rnd.choice([True, False, 0, 1, 4, 16, "none", "any", "double", None])
        for key in rnd.sample(sorted(OPTIONS), rnd.choice([0, 0, 0, 0, 0, 1, 2]))
    }
    for key in rnd.sample(sorted(NEARLY), rnd.choice([0, 0, 1, 2, 3])):
        if rnd.random() < 0.1:
            del record[key]
        else:
            record[key] = spoil(record[key], rnd)
    return record


@pytest.mark.slow
def test_sixty_thousand_records_make_no_traceback() -> None:
    rnd = random.Random(1)
    for number in range(60_000):
        record = random_record(rnd)
        try:
            check_never_a_traceback(record)
        except Exception as error:
            error.add_note(f"record {number}: {record!r}")
            raise


@pytest.mark.slow
@settings(max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(mutated())
def test_five_thousand_records_make_no_traceback(record: dict[str, Any]) -> None:
    check_never_a_traceback(record)


@settings(max_examples=120, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_no_line_makes_a_traceback(line: bytes) -> None:
    from pzvision.rules.stream import read_records

    problems: list[str] = []
    answers = list(read_records([line], ScoreRecord.parse, problems.append))
    assert answers == []
    assert len(problems) == (1 if line.strip() else 0)
    assert all("\n" not in problem for problem in problems)
