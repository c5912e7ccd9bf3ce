"""Stories from facts alone: who did what when tiles came to lie somewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pzvision.game.events import Declare
from pzvision.rules import load_ruleset
from pzvision.table.classes import read_classes
from pzvision.table.decoder import Decoder
from pzvision.table.facts import Fact
from pzvision.table.hypotheses import Act, Told
from pzvision.table.story import discarded_before, may_win
from pzvision.table.tracks import Evidence, Track
from pzvision.tiles import BACK, CLASSES, OTHER, SEATS, Seat, format_tile, parse_tile, parse_tiles


class World:
    """Facts with made-up tracks."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.count = 0

    def track(self, kind: int, t: float, *, sure: float = 0.95, looks: int = 20) -> Track:
        self.count += 1
        probs = np.full(CLASSES, (1 - sure) / (CLASSES - 1))
        probs[kind] = sure
        evidence = Evidence()
        for _ in range(looks):
            evidence.add(probs, 1.0, 0.004)
        track = Track(self.count, np.zeros(2), np.array([0.0, 1.0]), t, t + 50, np.zeros((4, 2)), evidence)
        track.looks = track.chances = looks
        return track

    def discard(self, t: float, seat: Seat | None, tile: str, *, sure: float = 0.95) -> Track:
        """``seat`` None: it lies in a heap and could be anybody's."""
        track = self.track(parse_tile(tile), t, sure=sure)
        owners = tuple(0.25 if seat is None else 0.97 if s == seat else 0.01 for s in SEATS)
        self.facts.append(Fact("river", t, None, (track,), owners=owners, arms=(0.0,) * 4))
        return track

    def group(self, t: float, seat: Seat, tile: str, size: int, *, takes: Track | None = None) -> Fact:
        tracks = tuple(self.track(parse_tile(tile), t) for _ in range(size))
        fact = Fact("three" if size == 3 else "four", t, seat, tracks)
        self.facts.append(fact)
        if takes is not None:
            takes.gone, takes.bared = t - 0.9, True
        return fact

    def hand(self, t: float, seat: Seat, tiles: str, won: str | None, *, takes: Track | None = None) -> Fact:
        tracks = [self.track(k, t) for k in parse_tiles(tiles)]
        apart = self.track(parse_tile(won), t) if won else None
        fact = Fact("hand", t, seat, tuple(tracks + ([apart] if apart else [])), apart=apart)
        self.facts.append(fact)
        if takes is not None:
            takes.gone, takes.bared = t - 0.9, True
        return fact

    def story(self, **options: object) -> list[Act]:
        decoder = Decoder(**options)  # type: ignore[arg-type]
        return decoder.decode(sorted(self.facts, key=lambda f: f.t))[0].acts()

    def heard(self, said: tuple[Told, ...], locked: set[int]) -> list[str]:
        """The story when players have told their hands; seats 0–3."""
        decoder = Decoder()
        decoder.hear(said, dict.fromkeys(locked, -1.0), frozenset())
        acts = decoder.decode(sorted(self.facts, key=lambda f: f.t))[0].acts()
        return [f"{SEATS[a.seat]} {f'win_{a.by}' if a.by else a.kind}" + self.tile_of(a) for a in acts]

    @staticmethod
    def tile_of(act: Act) -> str:
        if act.kind != "discard":
            return ""
        return " " + format_tile(int(act.tracks[0].evidence.logs.argmax()))

    def told(self, **options: object) -> list[str]:
        acts = self.story(**options)
        reading = read_classes(acts, Decoder().config)
        out = []
        for act in acts:
            word = act.gang or (f"win_{act.by}" if act.by else act.kind)
            tile = ""
            if act.kind == "discard":
                tile = " " + format_tile(reading.of_discard[act.number].tile)
            out.append(f"{SEATS[act.seat]} {word}{tile}")
        return out


@pytest.fixture
def world() -> World:
    return World()


def test_turns_go_round_with_draws_between(world: World) -> None:
    for i, seat in enumerate("SWNE"):
        world.discard(3.0 + 3.3 * i, seat, f"{i + 1}m")  # type: ignore[arg-type]
    assert world.told() == [
        "S discard 1m", "W draw", "W discard 2m", "N draw", "N discard 3m", "E draw", "E discard 4m",
    ]  # fmt: skip


def test_a_claimed_discard_leaves_the_river(world: World) -> None:
    world.discard(3.0, "E", "1m")
    taken = world.discard(6.3, "S", "5p")
    world.group(8.8, "N", "5p", 3, takes=taken)
    world.discard(10.2, "N", "9s")
    world.discard(13.5, "E", "9m")
    assert world.told() == [
        "E discard 1m", "S draw", "S discard 5p", "N peng", "N discard 9s", "E draw", "E discard 9m",
    ]  # fmt: skip


@pytest.mark.parametrize(("takes", "kind"), [(True, "zhi_gang"), (False, "an_gang")])
def test_four_of_a_kind_are_claimed_or_ones_own(world: World, takes: bool, kind: str) -> None:
    last = world.discard(3.0, "E", "5p" if takes else "7m")
    world.group(5.5, "S", "5p", 4, takes=last if takes else None)
    world.discard(9.0, "S", "9s")
    told = world.told()
    assert told[-3:] == [f"S {kind}", "S draw", "S discard 9s"]
    assert ("S draw" in told[:-3]) is (kind == "an_gang")


def test_a_fourth_tile_right_after_the_peng_was_kept(world: World) -> None:
    last = world.discard(3.0, "E", "5p")
    meld = world.group(5.5, "N", "5p", 3, takes=last)
    added = Fact("added", 7.5, "N", (world.track(parse_tile("5p"), 7.5),), onto=meld.tracks)
    world.facts.append(added)
    world.discard(11.0, "N", "9s")
    kong = next(a for a in world.story() if a.kind == "gang")
    assert kong.gang == "ba_gang" and kong.kept
    later = World()
    last = later.discard(3.0, "E", "5p")
    meld = later.group(5.5, "N", "5p", 3, takes=last)
    for i, seat in enumerate("NESW"):
        later.discard(7.0 + 3.3 * i, seat, f"{i + 1}s")  # type: ignore[arg-type]
    later.facts.append(replace(added, t=20.5, onto=meld.tracks))
    kong = next(a for a in later.story() if a.kind == "gang")
    assert kong.gang == "ba_gang" and not kong.kept


def test_a_fourth_tile_in_the_same_move_as_the_claim_makes_it_a_kong(world: World) -> None:
    last = world.discard(3.0, "E", "5p")
    meld = world.group(5.5, "N", "5p", 3, takes=last)
    world.facts.append(Fact("added", 6.2, "N", (world.track(parse_tile("5p"), 6.2),), onto=meld.tracks))
    world.discard(11.0, "N", "9s")
    assert world.told()[-3:] == ["N zhi_gang", "N draw", "N discard 9s"]


@pytest.mark.parametrize(("left", "kind"), [(4.5, "ba_gang"), (6.0, "zhi_gang")])
def test_four_in_a_row_are_a_peng_and_its_fourth_if_the_third_was_the_claimed_one(
    world: World, left: float, kind: str
) -> None:
    """The discard had left the river before three lay there: they are not all the player's own."""
    last = world.discard(3.0, "E", "5p")
    tracks = tuple(world.track(parse_tile("5p"), t) for t in (5.0, 5.5, 5.5, 7.0))
    world.facts.append(Fact("four", 7.0, "N", tracks))
    last.last, last.gone, last.bared = left, left, True
    world.discard(11.0, "N", "9s")
    kong = next(a for a in world.story() if a.kind == "gang")
    assert kong.gang == kind


def test_who_sings_has_discarded(world: World) -> None:
    """The dealer's discard was not seen, and the next player makes a kong: yet he who sang is the dealer."""
    world.group(7.0, "S", "9m", 4)
    world.discard(10.0, "S", "9s")
    world.discard(13.3, "W", "1s")
    facts = sorted(world.facts, key=lambda f: f.t)
    assert [a.seat for a in Decoder().decode(facts)[0].acts()][:1] == [1]
    decoder = Decoder()
    decoder.hear((), {0: 3.6}, frozenset(), discarded_before([Declare("E", "sing", waits=(2,), t=3.6)]))
    acts = decoder.decode(facts)[0].acts()
    assert [(a.kind, a.seat) for a in acts][:3] == [("discard", 0), ("draw", 1), ("gang", 1)]
    # With 天叫 he may sing before his first discard.
    early = [Declare("E", "tian_jiao", waits=(2,), t=3.0), Declare("E", "sing", waits=(2,), t=3.6)]
    assert discarded_before(early) == {}


def test_a_misread_discard_is_set_right_by_its_claim(world: World) -> None:
    world.discard(3.0, "E", "1m")
    taken = world.discard(6.3, "S", "6p", sure=0.6)
    world.group(8.8, "N", "5p", 3, takes=taken)
    world.discard(10.2, "N", "9s")
    assert "S discard 5p" in world.told()


def test_owners_in_a_heap_follow_from_the_turns(world: World) -> None:
    for i in range(5):
        world.discard(3.0 + 3.3 * i, None, f"{i + 1}m")
    taken = world.discard(19.5, None, "8p")
    world.group(22.0, "W", "8p", 3, takes=taken)
    world.discard(23.5, None, "9m")
    told = world.told(dealer="N")
    assert [w for w in told if "discard" in w] == [
        "N discard 1m", "E discard 2m", "S discard 3m", "W discard 4m", "N discard 5m", "E discard 8p",
        "W discard 9m",
    ]  # fmt: skip


@pytest.mark.parametrize("tail", [True, False])
def test_win_on_a_discard_and_who_draws_next(world: World, tail: bool) -> None:
    world.discard(3.0, "E", "1m")
    last = world.discard(6.3, "S", "5p")
    world.hand(8.5, "E", "123m456m789m11s46p", "5p", takes=last)
    world.discard(12.0, "S", "9s")
    told = world.told(tail_lamp=tail)
    assert told[-3:] == ["E win_discard", "S draw", "S discard 9s"]


def test_a_player_in_turn_wins_by_his_own_draw(world: World) -> None:
    world.discard(3.0, "E", "1m")
    world.hand(6.5, "S", "123m456m789m11s46p", "5p")
    assert world.told() == ["E discard 1m", "S draw", "S win_self_draw"]


def test_two_winners_on_one_tile_that_stays(world: World) -> None:
    world.discard(3.0, "E", "5p")
    world.hand(5.2, "S", "123m456m789m11s46p", None)
    world.hand(7.4, "N", "123s456s789s22s46p", None)
    world.discard(11.0, "E", "9m")
    told = world.told()
    assert told[:3] == ["E discard 5p", "S win_discard", "N win_discard"]
    assert told[3:] == ["E draw", "E discard 9m"]


def test_after_three_wins_the_rest_is_revealed(world: World) -> None:
    world.discard(3.0, "E", "1m")
    hands = ("123m456m789m11s46p", "123s456s789s22s46p", "234m567m999m33s79p")
    for i, seat in enumerate("SWN"):
        world.hand(6.5 + 3.5 * i, seat, hands[i], "5p" if i < 2 else "8p")  # type: ignore[arg-type]
    world.hand(16.0, "E", "1199m3344s55p678s", None)
    told = world.told()
    assert told[-1] == "E reveal"
    assert sum("win" in word for word in told) == 3


def test_a_robbed_kong(world: World) -> None:
    last = world.discard(3.0, "E", "5p")
    meld = world.group(5.5, "S", "5p", 3, takes=last)
    for i, seat in enumerate("SWNE"):
        world.discard(7.0 + 3.3 * i, seat, f"{i + 1}s")  # type: ignore[arg-type]
    fourth = world.track(parse_tile("5p"), 20.5)
    world.facts.append(Fact("added", 20.5, "S", (fourth,), onto=meld.tracks))
    world.hand(22.8, "N", "123m456m789m11s46p", "5p")
    world.discard(26.0, "E", "9m")
    told = world.told(rob_kong=True)
    assert told[-4:] == ["S ba_gang", "N win_rob_kong", "E draw", "E discard 9m"]


def test_a_passing_shadow_is_no_discard(world: World) -> None:
    world.discard(3.0, "E", "1m")
    world.discard(6.3, "S", "2m")
    ghost = world.track(4, 7.0, looks=2)
    world.facts.append(Fact("river", 7.0, None, (ghost,), owners=(0.0, 0.0, 0.0, 1.0), arms=(0.0,) * 4))
    world.discard(9.6, "W", "3m")
    world.discard(12.9, "N", "4m")
    assert [w for w in world.told() if "discard" in w] == [
        "E discard 1m", "S discard 2m", "W discard 3m", "N discard 4m",
    ]  # fmt: skip


def test_only_what_changed_is_decided_anew(world: World) -> None:
    for i in range(12):
        world.discard(3.0 + 3.3 * i, SEATS[i % 4], f"{i % 9 + 1}m")
    decoder = Decoder()
    full = decoder.decode(world.facts)[0]
    again = decoder.decode(world.facts, since=1e9)[0]
    assert again is full
    anew = Decoder().decode(world.facts[:-1])[0]
    assert decoder.decode(world.facts[:-1], since=1e9)[0].cost == pytest.approx(anew.cost)


def test_four_of_a_kind_is_a_hard_fact(world: World) -> None:
    for i in range(4):
        world.discard(3.0 + 3.3 * i, SEATS[i], "5m", sure=0.9)
    fifth = world.discard(17.0, "E", "5m", sure=0.5)
    probs = np.full(CLASSES, 0.001)
    probs[4], probs[5] = 0.55, 0.42
    fifth.evidence = Evidence()
    for _ in range(6):
        fifth.evidence.add(probs, 1.0, 0.004)
    assert world.told()[-1] == "E discard 6m"


def test_a_winner_is_read_as_a_hand_that_wins(world: World) -> None:
    world.discard(3.0, "E", "1m")
    last = world.discard(6.3, "S", "5p")
    fact = world.hand(8.5, "E", "123m456m789m11s46p", "5p", takes=last)
    blurred = fact.tracks[4]
    probs = np.full(CLASSES, 0.004)
    probs[7], probs[4] = 0.6, 0.3
    blurred.evidence = Evidence()
    blurred.evidence.add(probs, 1.0, 0.004)
    acts = world.story()
    rules = load_ruleset("pzh-traditional")
    reading = read_classes(acts, Decoder().config, lambda t, m, w, a: may_win(rules, t, m, w, a))
    assert [reading.of_track[t.id].tile for t in fact.tracks[:-1]] == parse_tiles("123m456m789m11s46p")


def test_the_claimed_tile_laid_last_makes_a_kong_however_late(world: World) -> None:
    last = world.discard(3.0, "E", "5p")
    meld = world.group(5.5, "N", "5p", 3, takes=last)
    last.gone = 5.6  # the three lay there before it was taken: they are the player's own
    world.facts.append(Fact("added", 6.9, "N", (world.track(parse_tile("5p"), 6.9),), onto=meld.tracks))
    world.discard(11.0, "N", "9s")
    assert world.told()[-3:] == ["N zhi_gang", "N draw", "N discard 9s"]


def test_a_dancer_who_shows_all_needs_the_winning_tile_only(world: World) -> None:
    said = (Told(0, 13, frozenset({22}), 1.0),)
    world.discard(3.0, "E", "1m")
    last = world.discard(6.3, "S", "5p")
    tile = world.track(parse_tile("5p"), 8.5)
    last.gone, last.bared = 7.6, True
    world.facts.append(Fact("hand", 8.5, "E", (tile,), apart=tile))
    world.discard(12.0, "S", "9s")
    assert world.heard(said, locked={0, 1})[-3:] == ["E win_discard", "S draw", "S discard 9s"]


def test_dancers_who_show_all_win_together_and_lay_nothing_down(world: World) -> None:
    said = (Told(0, 13, frozenset({22}), 1.0), Told(3, 13, frozenset({22, 25}), 1.0))
    world.discard(3.0, "E", "1m")
    world.discard(6.3, "S", "5p")
    told = world.heard(said, locked={0, 1, 3})
    assert told[-2:] == ["N win_discard", "E win_discard"]
    assert world.heard(said, locked={0, 3})[-1] == "S discard 5p"  # a discard the dance forbade: nobody wins


def test_a_claim_nobody_saw_and_its_meld_found_later_are_one(world: World) -> None:
    last = world.discard(3.0, "E", "5p")
    last.gone, last.bared = 4.0, True
    world.discard(7.0, "N", "9s")
    world.group(9.0, "N", "5p", 3)
    world.discard(10.5, "E", "1m")
    assert sum("peng" in word for word in world.told()) == 1


def test_a_tile_laid_where_the_felt_was_seen_is_no_earlier_discard(world: World) -> None:
    def story(empty_at: float) -> list[str]:
        world.facts.clear()
        for i, seat in enumerate("ESWN"):
            world.discard(3.0 + 3.3 * i, seat, f"{i + 1}m")  # type: ignore[arg-type]
        for i, seat in enumerate("SW"):  # what E discarded at about 16 s was not seen
            world.discard(19.5 + 3.3 * i, seat, f"{i + 5}m")  # type: ignore[arg-type]
        world.discard(24.0, "E", "7m").empty_at = empty_at
        return [word for word in world.told() if "discard" in word]

    assert story(-1e9)[4:] == ["E discard 7m", "S discard 5m", "W discard 6m"]
    assert story(23.5)[4:6] != ["E discard 7m", "S discard 5m"]


def test_a_clear_tile_that_stays_is_a_discard_unless_one_like_it_was_pushed(world: World) -> None:
    def told(moved: bool) -> list[str]:
        world.facts.clear()
        world.discard(3.0, "E", "1m")
        extra = world.discard(3.6, "N", "2m")  # two players are passed over
        extra.looks = extra.chances = 40
        world.facts[-1] = replace(world.facts[-1], moved=moved)
        world.discard(6.3, "S", "3m")
        return [word for word in world.told() if word.endswith("2m")]

    assert told(False) == ["N discard 2m"]
    assert told(True) == []


def test_a_face_nobody_can_read_is_a_discard_only_where_one_is_missing(world: World) -> None:
    world.discard(3.0, "E", "1m")
    world.discard(6.3, "S", "2m").evidence = world.track(OTHER, 6.3).evidence
    world.discard(9.6, "W", "3m")
    assert [a.seat for a in world.story() if a.kind == "discard"] == [0, 1, 2]
    world.discard(10.0, "N", "2m").evidence = world.track(OTHER, 10.0).evidence
    world.discard(12.0, "N", "4m")
    world.discard(15.0, "E", "5m")
    assert [a.seat for a in world.story() if a.kind == "discard"] == [0, 1, 2, 3, 0]


def test_ten_tiles_that_win_with_nothing_are_no_win(world: World) -> None:
    world.discard(3.0, "E", "1m")
    world.group(4.5, "S", "5p", 3, takes=world.discard(3.5, "E", "5p"))
    world.discard(6.0, "S", "9s")
    no_win = world.track(parse_tile("9m"), 9.0)
    decoder = Decoder()
    start = decoder.decode(sorted(world.facts, key=lambda f: f.t))[0]
    for tiles, cost in (
        ("345567m1468p", 4.0),
        ("345567m4688p", 0.0),
        ("345567m4568p", 0.0),
        ("345567m45688p", 0.0),
    ):
        fact = world.hand(9.0, "S", tiles, None)
        assert decoder._no_win(start, 1, fact) == cost
    assert decoder._no_win(start, 1, Fact("hand", 9.0, "S", (no_win,), apart=no_win)) == 0.0


def test_a_dancer_who_shows_all_still_does_after_a_kong(world: World) -> None:
    """He told of seven tiles, four lie there still: three of the seven are in his kong."""
    said = (Told(3, 13, frozenset({22, 8}), 1.0),)
    world.discard(3.0, "E", "1m")
    kong = world.discard(6.3, "S", "7p")
    world.group(8.0, "N", "7p", 4, takes=kong)
    world.discard(11.0, "N", "9s")
    world.discard(14.0, "E", "2m")
    world.discard(17.0, "S", "5p")
    assert world.heard(said, locked={1, 3})[-1] == "N win_discard"


def test_a_kong_nobody_sees_is_of_a_suit_its_player_has_and_of_nothing_waited_for(world: World) -> None:
    backs = tuple(world.track(BACK, 8.0) for _ in range(4))
    world.discard(3.0, "E", "1m")
    world.discard(6.0, "S", "2m")
    world.facts.append(Fact("four", 8.9, "W", backs))
    world.discard(12.0, "W", "5m")
    shown = tuple(world.track(k, 13.0) for k in parse_tiles("23s55678p"))
    world.facts.append(Fact("shown", 13.0, "W", shown))
    acts = world.story()
    kong = next(a for a in acts if a.gang == "an_gang")
    free = read_classes(acts, Decoder().config).of_track[kong.tracks[0].id].tile
    assert free == parse_tile("1s")
    waits = frozenset(parse_tiles("1s4s"))
    other = read_classes(acts, Decoder().config, waits=waits).of_track[kong.tracks[0].id].tile
    assert other == parse_tile("5s")


def test_a_kong_of_shown_tiles_is_read_right_before_they_are_known_to_have_gone(world: World) -> None:
    """The four lie as a kong already, while the same four are still held to lie where they were shown."""
    shown = tuple(world.track(k, 1.0) for k in parse_tiles("111133336666s4m"))
    world.facts.append(Fact("shown", 1.0, "S", shown))
    world.discard(3.0, "E", "5m")
    world.group(8.0, "S", "1s", 4)
    acts = world.story()
    kong = next(a for a in acts if a.kind == "gang")
    reading = read_classes(acts, Decoder().config)
    assert reading.of_track[kong.tracks[0].id].tile == parse_tile("1s")
    assert [reading.of_track[t.id].tile for t in shown] == list(parse_tiles("111133336666s4m"))


def test_four_tiles_after_three_melds_may_be_a_hand(world: World) -> None:
    """A tile and three alike, laid down for a win, look like a kong with one misread tile."""
    for i, seat in enumerate("ESW"):
        taken = world.discard(3.0 + 6 * i, seat, f"{i + 1}p")  # type: ignore[arg-type]
        world.group(5.0 + 6 * i, "N", f"{i + 1}p", 3, takes=taken)
        world.discard(6.5 + 6 * i, "N", "9s")
        for j, other in enumerate("ESWN"[: i + 1]):
            world.discard(7.0 + 6 * i + j / 2, other, f"{j + 4}s")  # type: ignore[arg-type]
    last = world.discard(30.0, "E", "8m")
    tracks = (world.track(parse_tile("8m"), 32.0), *(world.track(parse_tile("4p"), 32.0) for _ in range(3)))
    last.gone, last.bared = 31.0, True
    world.facts.append(Fact("four", 32.0, "N", tracks))
    assert world.told()[-1] == "N win_discard"


def test_a_hand_is_no_self_draw_while_the_last_discard_may_just_have_been_taken(world: World) -> None:
    world.discard(3.0, "E", "1m")
    last = world.discard(6.3, "S", "6s")
    world.hand(9.0, "W", "123m456m789m11p45s", "6s")

    def wins(now: float, seen: float, gone: bool) -> list[str | None]:
        last.last, last.gone, last.bared = seen, (seen if gone else None), gone
        decoder = Decoder()
        decoder.now = now
        acts = decoder.decode(sorted(world.facts, key=lambda f: f.t))[0].acts()
        return [a.by for a in acts if a.kind == "win"]

    assert wins(9.9, 8.0, gone=True) == ["discard"]
    assert wins(9.9, 9.5, gone=False) == ["self_draw"]
    assert wins(11.5, 8.0, gone=False) != []
    assert "self_draw" not in wins(9.9, 8.0, gone=False)


def test_three_tiles_after_three_melds_may_be_what_is_seen_of_a_hand(world: World) -> None:
    for i in range(3):
        world.facts.append(
            Fact("four", 4.0 + 4 * i, "E", tuple(world.track(BACK, 4.0 + 4 * i) for _ in range(4)))
        )
    world.discard(16.0, "E", "9s")
    for i, seat in enumerate("SWN"):
        world.hand(18.0 + 2 * i, seat, "123m456m789m11p45s", "6s")  # type: ignore[arg-type]
    tracks = tuple(world.track(k, 26.0) for k in parse_tiles("5s4p5s"))
    world.facts.append(Fact("three", 26.0, "E", tracks))
    assert world.told()[-1] == "E reveal"
