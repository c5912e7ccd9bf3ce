"""Every switch and every price a ruleset has: key, allowed values, names, source.

A ruleset is a value for each of these keys; nothing else distinguishes one game from another.
Keys ending in ``_fan`` are prices of `FANS`: in a profile they stand in the ``[fan]`` table without the
ending, on the command line and in records with it (``yao_jiu_dui_fan = 16``). 0 means "not in this game".
Sources: S0–S3 are the players' own write-ups of the games, D1 … our decisions (``docs/rulesets.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pzvision.errors import FormatError

Value: TypeAlias = bool | int | str | None
LARGEST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Option:
    """One key: what it may hold and what it means.

    `kind` is ``bool``, ``int`` (from `least` up), ``cap`` (an int from 1 up, or ``none``) or ``choice``
    (one of `choices`). `zh`, `en`: what it decides. `source`: where the rule is written.
    """

    key: str
    kind: Literal["bool", "int", "cap", "choice"]
    zh: str
    en: str
    source: str
    choices: tuple[str | int, ...] = ()
    least: int = 0
    structural: bool = False

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.kind == "bool":
            return "true or false"
        if self.kind == "choice":
            return " or ".join(str(c) for c in self.choices)
        number = f"a whole number from {self.least} to {LARGEST}"
        return f"none or {number}" if self.kind == "cap" else number

    def check(self, value: object, *, written: str | None = None) -> Value:
        """The value if it is allowed. Raises `FormatError` naming the key, the value and what is allowed."""
        whole = isinstance(value, int) and not isinstance(value, bool)
        good = False
        if self.kind == "bool":
            good = isinstance(value, bool)
        elif self.kind == "choice":
            # 1 == True in Python, so the type is part of the comparison.
            good = any(type(value) is type(c) and value == c for c in self.choices)
        elif self.kind == "cap" and (value is None or value == "none"):
            return None
        else:
            good = whole and isinstance(value, int) and self.least <= value <= LARGEST
        if good and isinstance(value, bool | int | str):
            return value
        shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
        raise FormatError(f"option {written or self.key} = {shown}: expected {self.allowed}", field="options")

    def parse(self, text: str) -> Value:
        """A value written on a command line: ``true``, ``64``, ``none``, ``double``. Raises `FormatError`."""
        word = text.strip()
        if self.kind == "bool" and word in ("true", "false"):
            return word == "true"
        digits = word.removeprefix("-")
        # A number of a thousand digits is not worth converting to say that it is too large.
        if digits.isascii() and digits.isdigit() and len(digits) <= 12:
            return self.check(int(word))
        return self.check(word)


def _choice(key: str, zh: str, en: str, source: str, *choices: str | int, structural: bool = False) -> Option:
    return Option(key, "choice", zh, en, source, choices=choices, structural=structural)


def _switch(key: str, zh: str, en: str, source: str) -> Option:
    return Option(key, "bool", zh, en, source)


SWITCHES: Final[tuple[Option, ...]] = (
    Option("cap", "cap", "封顶番数", "cap on the fan each payer pays", "S0 §1.11, D1", least=1),
    _choice("que", "缺门", "missing suit", "S0 §2, S2 §1.4", "ignored", "huo_que", "must"),
    _switch("bian_ka_diao", "边卡吊翻倍", "edge, gap and pair waits double", "S0 §4.3a"),
    _choice("kong_replacement", "杠后摸牌", "replacement tile of a kong", "S0 §1.5, S2 §1.5", "tail", "next"),
    Option(
        "must_win_tiles", "int", "必胡:墙剩几张起", "wins are forced with this many tiles left", "S2 §2.5"
    ),
    Option(
        "no_declare_tiles", "int", "墙剩几张起不能唱歌跳舞", "no declaration with this many left", "S0 §1.10"
    ),
    _switch("no_passing", "不能放水", "a passed win bars smaller ones until the next draw", "S0 §3.3"),
    _switch("zha_hu", "诈胡要赔", "a false declaration pays the cap to everyone", "S0 §1.10"),
    Option("zha_hu_fan", "int", "不封顶时诈胡赔", "price of a false declaration in an uncapped game", "D29"),
    _choice("tian_hu_pays", "天胡算法", "how 天胡 pays", "S0 §4.2p, S1 14, S3", "cap", "times_face", "fixed"),
    Option("pattern_cap", "cap", "牌型封顶(另算运气)", "cap on the patterns before luck", "S3 注", least=1),
    _choice("kong_chain", "杠上杠", "kongs in a row", "S0 §1.4, S3 四.3", "doubling", "once"),
    _choice("claimed_chain", "连环点杠", "claimed kongs in a chain", "S0 §1.4h/i, D28", "linear", "power"),
    _choice(
        "no_winner_dealer", "无人胡时的庄家", "dealer after no win", "S1 2, S3 一", "dancer", "last_drawer"
    ),
    _switch("own_four_wait", "自己四张全有也算叫", "a wait one holds four of counts", "D4"),
    _choice(
        "ka_xin_wu_with_bkd", "边卡吊中的卡心五", "卡心五 beside 边卡吊", "S0 §4.3a, D5", "absorbed", "stacks"
    ),
    _choice("an_gui", "暗归的组合", "arrangement of 暗归", "S0 §4.2l, D8", "any", "triplet_and_sequence"),
    _switch("gui_stacks", "多个归都算", "several 归 all count", "D8"),
    _choice("gui_on", "归看哪张", "which tile makes 归", "S0 §4.2k, S1 11–12, D25", "any", "winning_tile"),
    _switch("kong_luck_stacks", "连杠的杠上花炮连翻", "杠上花/炮 double per kong", "S1 补充, D9"),
    _switch("rob_kong", "抢杠", "a kong may be robbed", "S3 (3), D10"),
    _switch("seven_pairs_is_diao", "七对算吊", "seven pairs wait on a pair", "D14"),
    _choice("edge_wait", "边张", "what an edge wait is", "S0 §1.9, D15", "standard", "any_terminal"),
    _choice("que_scoring", "或缺的算法", "what a missing suit is worth", "S0 §4.3b, D16", "floor", "double"),
    _choice("huo_que_test", "或缺看什么", "what 或缺 tests", "S0 §2.1, D27", "face_times_play", "face"),
    _switch("upgrade_declaration", "唱歌可改跳舞", "singing may become dancing", "D17"),
    _choice(
        "kong_after_declaring", "唱跳后的杠", "kongs after declaring", "S3, D18", "waits_unchanged", "never"
    ),
    _switch(
        "hua_zhu_kong_void", "花猪的杠不算", "three-suit unready hands return kong money", "S1 补充, D20"
    ),
    _switch("cha_jiao_collect_requires_que", "查叫也看缺", "the ready check obeys 缺", "S0 §1.2, D21"),
    _choice("si_jiao", "死叫", "a wait with no tile left", "S1 特色 2, D22", "neutral", "ignored"),
    _choice(
        "dancer_wins_on",
        "跳舞者可胡",
        "a dancer wins on",
        "S1 3, S0 §1.10, D24",
        "locked_discard",
        "self_draw",
    ),
    _choice("payer_bao_ting", "放炮者报听", "a payer's 报听 multiplies by", "S3 (7), D26", 1, 4),
    _choice("early_leave", "胡后早退", "leaving early", "S0 §1.1, D23", "forfeit_fan", "forfeit_all", "keep"),
)

PATTERN_FANS: Final[tuple[str, ...]] = (
    "qing_yi_se", "da_dui", "shou_ba_yi", "jiang_dui", "yao_jiu", "yao_jiu_dui", "xiao_qi_dui", "long_qi_dui",
    "feng_qi_dui", "jiang_qi_dui", "ka_xin_wu", "ming_gui", "an_gui", "gang_shang_hua", "gang_shang_pao",
    "qiang_gang", "tian_jiao", "tian_hu", "di_hu",
)  # fmt: skip
PLAY_FANS: Final[tuple[str, ...]] = ("sing", "dance", "bai", "bao_ting", "alarm", "bian_ka_diao")
FANS: Final[tuple[str, ...]] = PATTERN_FANS + PLAY_FANS

_FAN_OPTIONS: Final[tuple[Option, ...]] = tuple(
    Option(f"{name}_fan", "int", "番", "fan; 0 = not in this game", "S0 §4, S1 4–17, S3") for name in FANS
)
OPTIONS: Final[dict[str, Option]] = {option.key: option for option in SWITCHES + _FAN_OPTIONS}


def find_option(key: str) -> Option:
    """The option of that key. Raises `FormatError` naming the key and the nearest known ones."""
    option = OPTIONS.get(key)
    if option is None:
        import difflib

        near = difflib.get_close_matches(key, OPTIONS, n=3)
        hint = f"did you mean {' or '.join(near)}" if near else "`pzvision rules pzh-traditional` lists them"
        raise FormatError(f"unknown option {key[:60]!r}: {hint}", field="options")
    return option
