"""Says each thing once: compares the game before and after every record of the log.

The log may be rewritten from some record on (`Session.update` with ``keep`` below its length). What was
said about the rewritten part and still holds is not said again; what no longer holds is taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pzvision.game import (
    Act,
    Declare,
    Event,
    HandEnd,
    HandStart,
    Payment,
    State,
    Win,
    legal,
    next_dealer,
)
from pzvision.live.announcement import LANGS, Announcement, Kind
from pzvision.live.problems import problem_text
from pzvision.live.wording import record_text, tile_names, why_text
from pzvision.messages import say
from pzvision.rules import Opening, WaitValue, wait_values
from pzvision.tiles import SEAT_NAMES, SEATS, Lang, Seat, Tile

KONGS: Final = ("zhi_gang", "an_gang", "ba_gang")


def doubt_announcement(event: Event, tiles: Sequence[Tile], readings: Sequence[Event] = ()) -> Announcement:
    """That a record may be another one.

    Args:
        event: the record.
        tiles: what its tile may be, likeliest first; one where it is something else that is unsure.
        readings: what the record may be, likeliest first.
    """
    seat: Seat | None = getattr(event, "seat", None)
    texts = {}
    for lang in LANGS:
        if len(tiles) < 2:
            either = say("announce.or", lang).join(record_text(reading, lang) for reading in readings)
            texts[lang] = say("announce.doubt_record", lang, readings=either)
            continue
        who = SEAT_NAMES[lang][seat] if seat is not None else ""
        act = say(f"act.{event.type}", lang)
        names = say("announce.or", lang).join(tile_names([tile], lang) for tile in tiles)
        texts[lang] = say("announce.doubt", lang, seat=who, act=act, tiles=names)
    key = ("doubt", texts["zh"])
    return Announcement("uncertain", texts["zh"], texts["en"], seat, tuple(sorted(tiles)), None, event.t, key)


def wall_announcement(seen: int, left: int, t: float) -> Announcement:
    """That the wall has ``seen`` tiles as it looks at ``t`` s, and ``left`` by the records."""
    texts = {lang: say("announce.wall_off", lang, seen=seen, left=left) for lang in LANGS}
    return Announcement("uncertain", texts["zh"], texts["en"], t=t, key=("wall", t))


@dataclass(frozen=True, slots=True)
class Memory:
    """What has been said in this hand that later records must not repeat.

    Attributes:
        hand: number of the hand, from 1; 0 before the first.
        ready: waits last said of each seat, in the order E S W N.
        kongs: legal kongs said, as (seat, kind, tile, price).
    """

    hand: int = 0
    ready: tuple[tuple[Tile, ...], ...] = ((), (), (), ())
    kongs: frozenset[tuple[object, ...]] = frozenset()


def announce(
    before: State | None, event: Event, after: State, memory: Memory
) -> tuple[list[Announcement], Memory]:
    """What one record gives reason to say.

    Args:
        before: the game before the record, None at the first hand's start.
        event: the record.
        after: the game after it.
        memory: what `announce` returned for the record before.
    """
    if isinstance(event, HandStart):
        memory = Memory(memory.hand + 1)
        before = None
    say_it = _Speaker(event.t, memory.hand)
    if isinstance(event, HandStart):
        say_it("dealer", after.dealer, "announce.dealer", hand=memory.hand, seat=after.dealer)
        return say_it.out, memory
    if isinstance(event, Declare):
        _declaration(say_it, event, before, after)
    if isinstance(event, Win):
        _win(say_it, event, before, after)
    memory = _ready(say_it, event, after, memory)
    memory = _kongs(say_it, after, memory)
    known = before if before is not None else None
    _payments(say_it, known.ledger if known else (), after)
    for violation in after.violations[len(known.violations) if known else 0 :]:
        what_for = _Key(f"game.violation.{violation.kind}")
        say_it("violation", violation.seat, "announce.violation", seat=violation.seat, what=what_for)
    for problem in after.problems[len(known.problems) if known else 0 :]:
        what = _Text(problem_text(event, problem, "zh"), problem_text(event, problem, "en"))
        say_it("uncertain", None, "announce.problem", what=what)
    if isinstance(event, HandEnd):
        _hand_end(say_it, after)
    return say_it.out, memory


# -- the sentences


@dataclass(frozen=True)
class _Key:
    """A field that is itself a message."""

    key: str


@dataclass(frozen=True)
class _Text:
    """A field that differs by language."""

    zh: str
    en: str


class _Speaker:
    """Collects announcements; fields that are seats or tiles are named in each language."""

    def __init__(self, t: float | None, hand: int) -> None:
        self.t = t
        self.hand = hand
        self.out: list[Announcement] = []

    def __call__(
        self,
        kind: Kind,
        about: Seat | None,
        key: str,
        /,
        *,
        said_tiles: Iterable[Tile] = (),
        said_fan: int | None = None,
        **fields: object,
    ) -> None:
        zh, en = (sentence(key, lang, fields) for lang in LANGS)
        tiles = tuple(sorted(said_tiles))
        identity = (self.hand, kind, about, zh)
        self.out.append(Announcement(kind, zh, en, about, tiles, said_fan, self.t, identity))


def sentence(key: str, lang: Lang, fields: dict[str, object]) -> str:
    """A message whose fields may be seats, `_Key` or `_Text`."""

    def shown(value: object) -> object:
        if isinstance(value, _Key):
            return say(value.key, lang)
        if isinstance(value, _Text):
            return value.zh if lang == "zh" else value.en
        if value in SEATS and isinstance(value, str):
            return SEAT_NAMES[lang][value]
        return value

    return say(key, lang, **{name: shown(value) for name, value in fields.items()})


def _both(key: str, **fields: object) -> _Text:
    return _Text(sentence(key, "zh", fields), sentence(key, "en", fields))


def _tiles(tiles: Iterable[Tile]) -> _Text:
    ordered = sorted(tiles)
    return _Text(tile_names(ordered, "zh"), tile_names(ordered, "en"))


def _join(parts: Sequence[_Text]) -> _Text:
    return _Text("".join(p.zh for p in parts), "".join(p.en for p in parts))


def _declaration(speak: _Speaker, event: Declare, before: State | None, after: State) -> None:
    broken = len(after.violations) > len(before.violations if before else ())
    if broken:
        return  # the violation is said; the declaration is void
    what = _Key(f"declare.{event.declaration}")
    waits = after.claimed_waits(event.seat) or ()
    if event.declaration == "alarm" or not waits:
        speak("declare", event.seat, "announce.declared", seat=event.seat, what=what)
        return
    parts = [_both("announce.declared_waits", seat=event.seat, what=what, tiles=_tiles(waits))]
    if event.declaration == "dance":
        parts.append(_both("announce.dance_forbids", tiles=_tiles(waits)))
    text = _join(parts)
    fan = _dearest(after, event.seat, waits)[0]
    _say_text(speak, "ready", event.seat, text, waits, fan)


def _say_text(
    speak: _Speaker,
    kind: Kind,
    seat: Seat | None,
    text: _Text,
    tiles: Iterable[Tile] = (),
    fan: int | None = None,
) -> None:
    identity = (speak.hand, kind, seat, text.zh)
    speak.out.append(Announcement(kind, text.zh, text.en, seat, tuple(sorted(tiles)), fan, speak.t, identity))


def _dearest(state: State, seat: Seat, waits: Sequence[Tile]) -> tuple[int | None, int | None]:
    """The most the known hand may win (fan) and how many of its waits are left; None where unknown."""
    values = hand_values(state, seat)
    if values is None:
        return None, None
    mine = [v for v in values if v.tile in waits]
    return max((v.fan for v in mine if v.legal), default=0), sum(v.left for v in mine)


def hand_values(state: State, seat: Seat) -> tuple[WaitValue, ...] | None:
    """`wait_values` of a player whose thirteen tiles are known (a drawn tile set aside), else None."""
    player = state[seat]
    waits = state.waits(seat)
    if not waits:
        return None if waits is None else ()
    held = list(player.concealed)
    if player.unknown == 0 and player.drawn is not None and player.size + 3 * len(player.melds) == 14:
        held[player.drawn] -= 1
    if sum(held) + 3 * len(player.melds) != 13:
        return None
    seen = state.visible()
    for meld in player.melds:  # `visible` counts the own melds, which `wait_values` counts itself
        seen[meld.tile] -= 3 if meld.kind == "peng" else 4
    if player.declaration == "dance":
        for tile in set(player.shown):
            seen[tile] -= min(player.shown.count(tile), player.concealed[tile])
    opening: Opening | None = "bao_ting" if player.bao_ting else "tian_jiao" if player.tian_jiao else None
    return wait_values(
        state.ruleset,
        held,
        player.melds,
        winner=player.declaration,
        opening=opening,
        seen=[max(0, n) for n in seen],
    )


def _ready(speak: _Speaker, event: Event, after: State, memory: Memory) -> Memory:
    ready = list(memory.ready)
    for index, seat in enumerate(SEATS):
        player = after[seat]
        if player.won is not None or isinstance(event, HandEnd):
            continue
        waits = after.claimed_waits(seat)
        if waits is None:
            continue  # not known now: what was said may still hold
        waits = tuple(sorted(waits))
        if waits == ready[index]:
            continue
        ready[index] = waits
        declared_now = isinstance(event, Declare) and event.seat == seat
        if waits and not declared_now:
            fan, left = _dearest(after, seat, waits)
            parts = [_both("announce.ready", seat=seat, tiles=_tiles(waits))]
            if left is not None:
                parts.append(_both("announce.ready_more", left=left))
            if fan:
                parts.append(_both("announce.ready_fan", fan=fan))
            elif fan == 0:
                parts.append(_both("announce.ready_none"))
            _say_text(speak, "ready", seat, _join(parts), waits, fan)
    return Memory(memory.hand, tuple(ready), memory.kongs)


def certain_kongs(state: State, seat: Seat) -> list[Act]:
    """The kongs this player may make now for certain: the tiles for them are known."""
    if state.phase not in ("act", "claim") or state[seat].won is not None:
        return []
    return [act for act in legal(state, seat) if act.kind in KONGS and act.certainty == "certain"]


def _kongs(speak: _Speaker, after: State, memory: Memory) -> Memory:
    said = set(memory.kongs)
    for seat in SEATS:
        for act in certain_kongs(after, seat):
            key = (seat, act.kind, act.tile, act.fan)
            if act.tile is not None and key not in said:
                said.add(key)
                _say_kong(speak, after, seat, act, act.tile)
    return memory if len(said) == len(memory.kongs) else replace(memory, kongs=frozenset(said))


def _say_kong(speak: _Speaker, state: State, seat: Seat, act: Act, tile: Tile) -> None:
    amount = act.fan * state.base
    if not amount or not act.payers:
        price = _both("announce.kong_free")
    elif act.kind == "zhi_gang":
        price = _both("announce.kong_one", amount=amount, payer=act.payers[0])
    else:
        price = _both("announce.kong_each", amount=amount)
    parts = [
        _both("announce.kong", seat=seat, kind=_Key(f"kong.{act.kind}"), tile=_tiles([tile]), price=price)
    ]
    if act.replacement is not None and act.replacement_wins:
        parts.append(_both("announce.kong_wins", tile=_tiles([act.replacement])))
    _say_text(speak, "kong_legal", seat, _join(parts), [tile], act.fan)


def _win(speak: _Speaker, event: Win, before: State | None, after: State) -> None:
    won = after[event.seat].won
    if won is None or (before is not None and before[event.seat].won is not None):
        return  # refused: the violation or problem is said instead
    if won.score is None:
        score = _both("announce.win_unknown")
    else:
        score = _both("announce.win_score", score=_Text(won.score.explain("zh"), won.score.explain("en")))
    text = _both(
        f"announce.win_{event.by}", seat=event.seat, source=won.source, tile=_tiles([event.tile]), score=score
    )
    _say_text(speak, "win", event.seat, text, [event.tile], won.score.total if won.score else None)


def _payments(speak: _Speaker, earlier: Sequence[Payment], after: State) -> None:
    """New ledger lines, those of one act to one player in one sentence."""
    groups: dict[tuple[object, ...], list[Payment]] = {}
    for payment in after.ledger[len(earlier) :]:
        key = (payment.event, payment.kind, payment.target, payment.amount, payment.why)
        groups.setdefault(key, []).append(payment)
    for group in groups.values():
        first = group[0]
        payers = [p.source for p in group]
        several = len(payers) > 1
        text = _both(
            "announce.pays",
            payers=_Text(
                "、".join(SEAT_NAMES["zh"][p] for p in payers),
                ", ".join(SEAT_NAMES["en"][p] for p in payers),
            ),
            pay="pay" if several else "pays",
            seat=first.target,
            each=_both("announce.each") if several else "",
            amount=first.amount,
            why=_Text(why_text(first, "zh"), why_text(first, "en")),
        )
        _say_text(speak, "settlement", first.target, text, (), first.fan)


def _hand_end(speak: _Speaker, after: State) -> None:
    if after.cut:
        _say_text(speak, "settlement", None, _both("announce.unfinished"))
        if not after.ledger:
            return
    shown = {
        lang: " ".join(f"{SEAT_NAMES[lang][seat]} {after.total(seat):+d}" for seat in SEATS) for lang in LANGS
    }
    text = _both("announce.totals", totals=_Text(shown["zh"], shown["en"]))
    _say_text(speak, "settlement", None, text)
    if after.line in after.unsettled:
        _say_text(speak, "uncertain", None, _both("announce.unsettled"))
    if not after.cut:
        dealer = next_dealer(after)
        _say_text(speak, "dealer", dealer, _both("announce.next_dealer", seat=dealer))
