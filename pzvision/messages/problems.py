"""Why a record cannot be true, as `pzvision.game` says it in English (with its fields), and in Chinese."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "problem.elsewhere": ("四张都在别处了", "all 4 of it are elsewhere already"),
    "problem.cannot_hold": ("手里不可能有{tile}", "the player cannot hold {tile}"),
    "problem.not_held": ("手里没有这张", "the player does not hold it"),
    "problem.won": ("已经胡过了", "this player has won already"),
    "problem.turn": ("现在轮到{seat}", "it is the turn of {seat}"),
    "problem.nobody_drew": ("还没人摸牌", "nobody has drawn a tile"),
    "problem.size": ("{n}张,应该是{m}张", "{n} tiles, expected {m}"),
    "problem.concealed": ("和手牌对不上", "these are not the player's concealed tiles"),
    "problem.start": ("新的一局要重新开始", "a new hand needs a new start"),
    "problem.over": ("这一局已经完了", "the hand is over, expected hand_start"),
    "problem.begun": ("已经打起来了", "the game has begun"),
    "problem.dealt": ("已经拿过牌了", "this player has been dealt to already"),
    "problem.no_lamp": ("这种打法没有尾灯", "this game has no tail lamp"),
    "problem.wall": ("牌摸完了", "the wall is empty"),
    "problem.not_discarded": ("{seat}还没打牌", "{seat} has not discarded yet"),
    "problem.to_draw": ("该{seat}摸牌", "it is for {seat} to draw"),
    "problem.three_won": ("三家都胡了,该完了", "three players have won, expected hand_end"),
    "problem.lamp": ("尾灯是{tile}", "the tail tile is {tile}"),
    "problem.no_discard": ("没有打出来的牌可要", "there is no discard to claim"),
    "problem.discard": ("打出来的是{tile}", "the discard is {tile}"),
    "problem.own": ("自己打的牌不能要", "nobody claims the own discard"),
    "problem.taken": ("这张已经胡掉了", "the discard has been won on"),
    "problem.no_peng": ("没有碰过这张", "the player has no 碰 of it"),
    "problem.declaration": ("这种打法没有这个声明", "{ruleset} has no such declaration"),
}
