"""The words of a score, whole lines."""

from __future__ import annotations

from pzvision.rules import Meld, Payer, load_ruleset, score_win
from pzvision.tiles import parse_tile, parse_tiles, to_counts

ONE_SUIT = "4678978912333m"


def line(
    ruleset: str, hand: str, tile: str, lang: str = "zh", payer: Payer | None = None, melds: str = "", **how
) -> str:
    options = how.pop("options", None)
    laid = tuple(Meld("peng", parse_tile(t)) for t in melds.split())
    how.setdefault("by", "discard")
    score = score_win(
        load_ruleset(ruleset, options), to_counts(parse_tiles(hand)), laid, tile=parse_tile(tile), **how
    )
    return score.explain(lang, payer)


def test_the_example_of_the_interface() -> None:
    assert (
        line("pzh-traditional", "4678978912333m", "5m", winner="sing")
        == "清一色 4 × 卡心五 2 = 8,唱歌 ×2 = 16"
    )
    assert (
        line("pzh-traditional", "4678978912333m", "5m", "en", winner="sing")
        == "one suit 4 × middle five 2 = 8, singing ×2 = 16"
    )


def test_plain_hands() -> None:
    assert line("pzh-traditional", "123456m789p1123s", "4s") == "平胡 1"
    assert line("pzh-huoque", "123456m1123789s", "4s") == "平胡 1,或缺至少 2"


def test_every_step_has_its_number() -> None:
    assert (
        line("pzh-biankadiao", "123567m46s22789p", "5s", payer=Payer("dance"), winner="sing", kong_chain=1)
        == "杠上炮 2,边卡吊 ×2 = 4,唱歌 ×2 = 8,对方跳舞 ×4 = 32"
    )
    assert (
        line("pzh-traditional", ONE_SUIT, "5m", payer=Payer("dance"), winner="dance")
        == "清一色 4 × 卡心五 2 = 8,跳舞 ×4 = 32,对方跳舞 ×4 = 128,封顶 32"
    )
    assert (
        line(
            "xichang",
            "1122446688993m",
            "3m",
            payer=Payer("bai"),
            winner="bai",
            kong_chain=1,
            options={"cap": 20},
        )
        == "清一色 4 × 小七对 4 × 杠上炮 2 = 32,摆牌 ×2 = 64,对方摆牌 ×2 = 128,封顶 20"
    )
    assert (
        line("xichang", "1111335577992m", "2m", winner="bai", kong_chain=1)
        == "清一色 4 × 龙七对 8 = 32,牌型封顶 16,杠上炮 ×2 = 32,摆牌 ×2 = 64,封顶 16"
    )
    assert (
        line("xichang", "123456m789p1123s", "4s", opening="bao_ting", winner="bai")
        == "平胡 1,摆牌 ×2 = 2,报听 ×4 = 8"
    )
    assert line("pzh-popular", "123456m789p1123s", "4s", payer=Payer(alarm=True)) == "平胡 1,对方报警 ×2 = 2"
    assert (
        line("pzh-huoque", "123456m1123789s", "4s", options={"que_scoring": "double"})
        == "平胡 1,缺一门 ×2 = 2"
    )
    assert (
        line("pzh-traditional", ONE_SUIT, "5m", by="self_draw", opening="tian_hu", payer=Payer("sing"))
        == "天胡 32"
    )
    assert (
        line(
            "xichang",
            "123456m789p1123s",
            "4s",
            payer=Payer("bai", bao_ting=True),
            options={"payer_bao_ting": 4},
        )
        == "平胡 1,对方摆牌 ×2 = 2,对方报听 ×4 = 8"
    )


def test_refusals() -> None:
    assert line("pzh-huoque", "123456m789p1123s", "4s") == "不能胡:一番又不缺门,没唱没跳"
    assert line("pzh-biankadiao-que", "123456m789p1123s", "4s") == "不能胡:没有缺一门"
    assert line("pzh-traditional", "123456m789p1123s", "4s", by="rob_kong") == "不能胡:不许抢杠"
    assert line("pzh-traditional", "123456m789p1123s", "5s") == "没有胡:牌不成"
    assert (
        line("pzh-traditional", "456m789p1123s", "4s", melds="1p", opening="tian_jiao")
        == "不能胡:不合起手条件"
    )
    assert line("pzh-traditional", "123456m789p1123s", "5s", "en").startswith("no win")


def reading(hand: str, tile: str, *melds: Meld, ruleset: str = "pzh-biankadiao") -> str:
    score = score_win(
        load_ruleset(ruleset), to_counts(parse_tiles(hand)), melds, tile=parse_tile(tile), by="discard"
    )
    return str(score.reading)


def test_the_counted_reading() -> None:
    assert reading("3445622m", "5m", Meld("peng", 26), Meld("an_gang", 25)) == "22m 345m 46+5m [999p] [8888p]"
    assert reading("12345678m11s", "9m", Meld("an_gang", 26)) == "123m 456m 78+9m 11s [9999p]"
    assert reading("1122m33s5577s889p", "9p") == "11m 22m 33s 55s 77s 88p 9+9p"
    assert reading("123456m789p1123s", "5s") == "None"
