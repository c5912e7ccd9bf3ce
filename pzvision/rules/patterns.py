"""The patterns (牌面), one small unit each: id, names, source, condition, and what it replaces.

A unit looks at the `Facts` of one reading and says how often it counts; its price stands in the ruleset
(``fan``, 0: not in this game). Only 手把一, 将七对 and the kong luck have a price that depends on the hand.
Each unit names its own source; that they multiply, S0 §4.2i, S1 8–14 and S3 show by examples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pzvision.rules import facts as r
from pzvision.rules.hand import By, Opening
from pzvision.rules.ruleset import Ruleset

Group: TypeAlias = Literal["shape", "luck"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What the patterns may look at: one reading of one winning hand, and how it was won.

    `suits`: how many suits the hand with its melds has. `fours`: kinds of which all four are concealed
    (winning tile included); `split_fours`: those read as a triplet and a sequence; `ming`: 碰 whose fourth
    tile is in the hand. The ``won_*`` facts say that the winning tile is the one concerned.
    """

    seven_pairs: bool
    all_triplets: bool
    all_terminal_sets: bool
    all_258: bool
    all_melds: bool
    suits: int
    fours: int
    split_fours: int
    ming: int
    has_meld: bool
    has_peng: bool
    won_four: bool
    won_split_four: bool
    won_ming: bool
    fills_4_6: bool
    fills_gap: bool
    fills_edge: bool
    fills_terminal: bool
    fills_pair: bool
    by: By
    kong_chain: int
    opening: Opening | None

    @classmethod
    def unpack(cls, bits: int, by: By, kong_chain: int, opening: Opening | None) -> Facts:
        """From the packed ints of `facts`."""
        suits = [bits >> (r.SUIT_SHIFT + r.SUIT_WIDTH * suit) for suit in range(3)]
        seven = bool(bits & r.SEVEN_PAIRS)
        return cls(
            seven_pairs=seven,
            all_triplets=not seven and not bits & r.HAS_SEQUENCE,
            all_terminal_sets=not seven and not bits & r.HAS_MIDDLE_SET,
            all_258=not bits & r.HAS_NON_258,
            all_melds=bool(bits & r.ALL_MELDS),
            suits=sum(suit & r.SUIT_PRESENT for suit in suits),
            fours=sum(suit >> r.FOURS_SHIFT & 3 for suit in suits),
            split_fours=sum(suit >> r.SPLIT_FOURS_SHIFT & 3 for suit in suits),
            ming=bits >> r.MING_SHIFT & r.MING_MASK,
            has_meld=bool(bits & r.HAS_MELD),
            has_peng=bool(bits & r.HAS_PENG),
            won_four=bool(bits & r.WON_AN_GUI),
            won_split_four=bool(bits & r.WON_TRIPLET_SEQUENCE),
            won_ming=bool(bits & r.WON_MING_GUI),
            fills_4_6=bool(bits & r.FILLS_4_6),
            fills_gap=bool(bits & r.FILLS_GAP),
            fills_edge=bool(bits & r.FILLS_EDGE),
            fills_terminal=bool(bits & r.FILLS_TERMINAL),
            fills_pair=bool(bits & r.FILLS_PAIR),
            by=by,
            kong_chain=kong_chain,
            opening=opening,
        )


def _price(id_: str) -> Callable[[Facts, Ruleset], int]:
    return lambda facts, rules: rules.fan[id_]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern. `count`: how often it holds; `price`: fan each time; `replaces`: ids it stands for."""

    id: str
    zh: str
    en: str
    source: str
    zh_condition: str
    en_condition: str
    count: Callable[[Facts, Ruleset], int]
    price: Callable[[Facts, Ruleset], int]
    replaces: tuple[str, ...]
    group: Group


PATTERNS: Final[dict[str, Pattern]] = {}


def _pattern(
    id_: str,
    names: tuple[str, str],
    source: str,
    conditions: tuple[str, str],
    count: Callable[[Facts, Ruleset], int],
    *,
    price: Callable[[Facts, Ruleset], int] | None = None,
    replaces: tuple[str, ...] = (),
    group: Group = "shape",
) -> None:
    PATTERNS[id_] = Pattern(id_, *names, source, *conditions, count, price or _price(id_), replaces, group)


_pattern(
    "qing_yi_se", ("清一色", "one suit"), "S0 §4.2h, S1 8, S3",
    ("手牌、碰、杠全是一种花色", "one suit, melds included"),
    lambda facts, rules: facts.suits == 1,
)  # fmt: skip
_pattern(
    "da_dui", ("大对", "all triplets"), "S0 §4.2j, S1 6, S3",
    ("四副坎或杠加一对将", "four triplets or kongs and a pair"),
    lambda facts, rules: facts.all_triplets,
)  # fmt: skip
_pattern(
    "jiang_dui", ("将对", "all triplets of 2, 5, 8"), "S0 §4.2e, S1 16, S3",
    ("全是二五八的大对", "all triplets, only 2, 5 and 8"),
    lambda facts, rules: facts.all_triplets and facts.all_258,
    replaces=("da_dui",),
)  # fmt: skip
_pattern(
    "yao_jiu", ("幺九", "terminal in every set"), "S0 §4.2f, S1 15, S3",
    ("每副牌和将都带一或九", "every set and the pair contains a 1 or a 9"),
    lambda facts, rules: facts.all_terminal_sets,
)  # fmt: skip
_pattern(
    "yao_jiu_dui", ("幺九对", "all triplets of 1 and 9"), "S3, D6",
    ("全是一和九的大对", "all triplets, only 1 and 9"),
    lambda facts, rules: facts.all_triplets and facts.all_terminal_sets,
    replaces=("da_dui", "yao_jiu"),
)  # fmt: skip


def _shou_ba_yi_price(facts: Facts, rules: Ruleset) -> int:
    """On 将对 or 幺九对 it doubles their 大对 (D13)."""
    special = (facts.all_258 and rules.fan["jiang_dui"]) or (
        facts.all_terminal_sets and rules.fan["yao_jiu_dui"]
    )
    return 2 if special else rules.fan["shou_ba_yi"]


_pattern(
    "shou_ba_yi", ("手把一", "single wait on four melds"), "S0 §4.2g, S1 7",
    ("四副全碰杠出,单吊一张", "all four sets are melds, one tile waits for its pair"),
    lambda facts, rules: facts.all_melds,
    price=_shou_ba_yi_price,
    replaces=("da_dui",),
)  # fmt: skip
_pattern(
    "xiao_qi_dui", ("小七对", "seven pairs"), "S0 §4.2a, S1 9, S3",
    ("七个对子", "seven pairs"),
    lambda facts, rules: facts.seven_pairs,
)  # fmt: skip
_pattern(
    "long_qi_dui", ("龙七对", "seven pairs with one four"), "S0 §4.2b, S1 10, S3",
    ("七对中有一个四张相同", "seven pairs, one four of a kind"),
    lambda facts, rules: facts.seven_pairs and facts.fours >= 1,
    replaces=("xiao_qi_dui",),
)  # fmt: skip
_pattern(
    "feng_qi_dui", ("凤七对", "seven pairs with two fours"), "S0 §4.2c, S3, D7",
    ("七对中有两个(或三个)四张相同", "seven pairs, two or three fours of a kind"),
    lambda facts, rules: facts.seven_pairs and facts.fours >= 2,
    replaces=("xiao_qi_dui", "long_qi_dui"),
)  # fmt: skip
_pattern(
    "jiang_qi_dui", ("将七对", "seven pairs of 2, 5, 8"), "S1 17, S3",
    ("全是二五八的七对,有四张相同再翻", "seven pairs of 2, 5 and 8 only; a four doubles it, two fours ×4"),
    lambda facts, rules: facts.seven_pairs and facts.all_258,
    price=lambda facts, rules: rules.fan["jiang_qi_dui"] << min(facts.fours, 2),
    replaces=("xiao_qi_dui", "long_qi_dui", "feng_qi_dui"),
)  # fmt: skip
_pattern(
    "ka_xin_wu", ("卡心五", "middle five"), "S0 §1.8, §4.2d, S1 5, S3",
    ("胡五,嵌在四六之间", "won on a 5 between 4 and 6"),
    lambda facts, rules: (
        facts.fills_4_6 and not (rules.bian_ka_diao and rules.ka_xin_wu_with_bkd == "absorbed")
    ),
)  # fmt: skip


def _ming(facts: Facts, rules: Ruleset) -> int:
    return int(facts.won_ming) if rules.gui_on == "winning_tile" else facts.ming


def _an(facts: Facts, rules: Ruleset) -> int:
    if facts.seven_pairs:
        return 0
    split = rules.an_gui == "triplet_and_sequence"
    if rules.gui_on == "winning_tile":
        return int(facts.won_split_four if split else facts.won_four)
    return facts.split_fours if split else facts.fours


def _dearest_gui(facts: Facts, rules: Ruleset, id_: str, count: int, other: str, others: int) -> int:
    """All of them, or with ``gui_stacks`` off one: the dearer of 明归 and 暗归."""
    if rules.gui_stacks or not count:
        return count
    beaten = others and (rules.fan[other], other) > (rules.fan[id_], id_)
    return 0 if beaten else 1


_pattern(
    "ming_gui", ("明归", "fourth of an own 碰"), "S0 §1.7, §4.2k, S1 11",
    ("碰过的牌,第四张用在手里", "the fourth tile of an own 碰 used in the hand"),
    lambda facts, rules: _dearest_gui(
        facts, rules, "ming_gui", _ming(facts, rules), "an_gui", _an(facts, rules)
    ),
)  # fmt: skip
_pattern(
    "an_gui", ("暗归", "four concealed, no kong"), "S0 §1.7, §4.2l, S1 12",
    ("手里四张相同且未杠(七对除外)", "four of a kind concealed and not konged, not in seven pairs"),
    lambda facts, rules: _dearest_gui(
        facts, rules, "an_gui", _an(facts, rules), "ming_gui", _ming(facts, rules)
    ),
)  # fmt: skip


def _kong_luck(id_: str) -> Callable[[Facts, Ruleset], int]:
    """×fan, or with ``kong_luck_stacks`` ×fan for every kong in a row (D9)."""

    def price(facts: Facts, rules: Ruleset) -> int:
        # Seventeen kongs cannot be made with 108 tiles; the bound keeps a mad record's number small.
        times = min(facts.kong_chain, 16) if rules.kong_luck_stacks else 1
        return int(rules.fan[id_] ** times)

    return price


_pattern(
    "gang_shang_hua", ("杠上花", "won on a kong's replacement"), "S0 §4.2m, S1 补充, S3 (1)",
    ("杠后补的牌自摸", "self-drawn on the replacement tile of an own kong"),
    lambda facts, rules: facts.by == "self_draw" and facts.kong_chain > 0,
    price=_kong_luck("gang_shang_hua"), group="luck",
)  # fmt: skip
_pattern(
    "gang_shang_pao", ("杠上炮", "won on the discard after a kong"), "S0 §4.2n, S1 补充, S3 (2)",
    ("别人杠后打出的牌", "won on the discard that follows another's kong"),
    lambda facts, rules: facts.by == "discard" and facts.kong_chain > 0,
    price=_kong_luck("gang_shang_pao"), group="luck",
)  # fmt: skip
_pattern(
    "qiang_gang", ("抢杠", "robbed kong"), "S3 (3), D10",
    ("别人巴杠的牌", "won on the tile another adds to a 碰"),
    lambda facts, rules: facts.by == "rob_kong" and rules.rob_kong,
    group="luck",
)  # fmt: skip
_pattern(
    "tian_jiao", ("天叫", "ready from the deal"), "S0 §4.2o, S1 13",
    ("闲家起手听牌并报,未失去", "non-dealer, ready with the dealt tiles, announced and not lost"),
    lambda facts, rules: facts.opening == "tian_jiao",
    group="luck",
)  # fmt: skip
_pattern(
    "tian_hu", ("天胡", "won with the deal"), "S0 §4.2p, S1 14, S3 (5)",
    ("庄家起手十四张胡牌", "the dealer's fourteen dealt tiles win"),
    lambda facts, rules: facts.opening == "tian_hu",
    group="luck",
)  # fmt: skip
_pattern(
    "di_hu", ("地胡", "won with the first draw"), "S3 (6)",
    ("闲家摸第一张即胡", "a non-dealer wins with his first drawn tile"),
    lambda facts, rules: facts.opening == "di_hu",
    group="luck",
)  # fmt: skip


def hand_patterns(facts: Facts, rules: Ruleset, group: Group) -> list[tuple[str, int]]:
    """The patterns of a group that count, replaced ones left out: (id, fan), a stacking one once a time."""
    held = {
        id_: count
        for id_, unit in PATTERNS.items()
        if unit.group == group and rules.fan[id_] > 0 and (count := int(unit.count(facts, rules))) > 0
    }
    gone = {replaced for id_ in held for replaced in PATTERNS[id_].replaces}
    return [
        (id_, PATTERNS[id_].price(facts, rules))
        for id_, count in held.items()
        if id_ not in gone
        for _ in range(count)
    ]


def fills_bian_ka_diao(facts: Facts, rules: Ruleset) -> bool:
    """边卡吊: edge, gap or pair (S0 §1.9, §4.3a; D5, D14, D15)."""
    if facts.seven_pairs:
        return rules.seven_pairs_is_diao
    edge = facts.fills_edge or (rules.edge_wait == "any_terminal" and facts.fills_terminal)
    return edge or facts.fills_gap or facts.fills_pair
