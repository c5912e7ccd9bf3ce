"""Every threshold of the table room, with its unit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pzvision.vision.calibration import Calibration

_USUAL_TILE_CM = 2.7  # width of the tiles the distances below were chosen for


@dataclass(frozen=True)
class TableConfig:
    """What counts as at rest, gone, a river, a meld, and how dear each surprise is.

    Distances are cm on the table plane, times seconds, costs nats (natural log of odds).
    """

    # -- detections that may be tiles lying on the table
    beyond_cm: float = 1.5
    """How far outside the felt a tile may lie."""
    size_low: float = 0.5
    """Least area of a lying face as seen, × its true area."""
    size_high: float = 1.9
    """Greatest area, × its true area."""
    min_score: float = 0.25
    """Finder score, 0–1, below which a detection is not looked at."""

    # -- tracks
    match_cm: float = 1.3
    """A detection this near to a place is the tile at rest there."""
    row_match_cm: float = 0.75
    """The same in a row of which it is hard to see whether its tiles stand or lie."""
    still_cm: float = 0.7
    """A new tile is at rest when it stays within this."""
    rest_s: float = 0.35
    """How long a new tile must be seen in one place."""
    rest_looks: int = 2
    """And in how many looks."""
    hidden_share: float = 0.3
    """A place covered more than this is not seen."""
    bare_share: float = 0.55
    """A place showing the felt more than this is empty for certain."""
    gone_bare_s: float = 0.6
    """A tile whose place stays bare this long is gone."""
    gone_s: float = 1.6
    """A tile not found this long although its place is seen is gone."""
    gone_patience: float = 4.0
    """× `gone_s` for a tile that is found in few looks (in proportion)."""
    otherwise: float = 0.4
    """A difference of standing shares (0–1) that makes two tiles at one place different ones;"""
    turned: float = 0.5
    """the same (0–1) for how likely they are backs: a tile laid face up where it stood is a new one."""
    absent_s: float = 0.9
    """A tile not seen this long may have been exchanged: its class is read anew and compared."""
    exchange_nats: float = 4.0
    """How much better two different tiles must explain the looks before and after than one."""
    swap_nats: float = 8.0
    """The same where a tile was only covered for a moment."""
    clear_looks: int = 4
    """In this many looks running a tile must be read where a standing one was none of the 27,"""
    faint_share: float = 0.4
    """or was found in less than this share of the looks"""
    faint_chances: int = 8
    """of this many or more."""
    candidate_s: float = 1.2
    """A new tile not found again for this long is forgotten."""

    # -- class evidence
    look_correlation: float = 0.25
    """How alike the misreads of two looks at one tile at rest are, 0–1: bounds what many looks can prove."""
    look_floor: float = 0.004
    """Least probability a look can give a class."""
    sharp_motion: float = 0.15
    """A look with more of the tile hidden than this share counts less."""
    soft_weight: float = 0.3
    """By this factor."""

    # -- zones, by the distance from the felt's edge
    few_early: int = 3
    """Faces there from the beginning, a tail lamp and two more, are no rivers."""
    upright: float = 0.85
    """Cosine between a tile's long side and its player's line of sight, at least"""
    oblong: float = 0.1
    """where its outline's long side can be told: logarithm of the longer over the shorter."""
    turned_nats: float = 1.5
    """What a river tile turned towards a player says for him; against one cm of distance."""
    meld_edge_cm: float = 8.1
    """Tiles nearer to a player's edge than this are his hand and his melds."""
    shown_edge_cm: float = 13.9
    """Then tiles shown by a dance, up to here."""
    wall_edge_cm: float = 19.9
    """Then the wall, up to here; all within is river."""
    lamp_start_s: float = 1.5
    """The tail lamp lies on the wall within this of the first look."""
    lamp_next_cm: float = 7.0
    """And the next one no farther from the one before than this."""
    lamp_same_cm: float = 2.0
    """Nearer than this it is the same one."""
    lamp_corner_cm: float = 16.0
    """Or round the corner of the wall no farther than this."""
    kong_from_cm: float = 8.0
    """Tiles lying face down farther to a player's right than this may be a concealed kong, and others too"""
    kong_beside_cm: float = 6.5
    """whose middle tile lies no farther from a meld than this beyond its end."""
    kong_gap: float = 1.6
    """× `neighbour_cm`: its tiles are no farther apart, for one between may not be found."""
    kong_stays_s: float = 5.0
    """And stay at least this long."""
    kong_after_s: float = 3.0
    """And only those that came later than this."""
    turned_over_s: float = 3.0
    """How long four shown tiles take to be turned over and laid down as a kong."""
    maybe_standing: float = 0.3
    """A face in a player's row there from the start stands if it looks so at least this much, 0–1."""
    beside_cm: float = 9.0
    """Faces in a row this near to one another stand or lie alike."""
    neighbour_cm: float = 3.6
    """Centres of tiles side by side in a row are no farther apart than this."""
    row_deep_cm: float = 2.0
    """Nor do they lie farther than this behind one another."""
    host_cm: float = 1.5
    """A tile this much farther than a neighbour may still be the fourth of three (laid on or across them)."""
    shown_alone_s: float = 6.0
    """A single tile before a hand is shown by a dance only if it lies there this long."""
    apart_cm: float = 3.5
    """A tile farther than this from the rest of a laid-down hand is the winning tile."""
    row_stays_s: float = 0.9
    """A tile among melds that was taken away sooner never lay there; of shown tiles, `burst_s`."""
    burst_s: float = 1.6
    """Tiles of one act come to rest within this of one another."""
    late_fourth_s: float = 1.1
    """A fourth tile within this of the other three of a claim came in the same move; later it is a 巴杠."""
    own_first_s: float = 2.5
    """The same where the claimed tile was seen in the river while the other three lay in the meld."""
    group_wait_s: float = 0.8
    """How long a group of tiles must be unchanged before it is taken as an act."""
    hand_wait_s: float = 1.6
    """The same for a laid-down hand of which no tile lies apart (the winning one is laid down last), and for
    one or two tiles; twice as long while other tiles come."""
    fourth_wait_s: float = 2.0
    """How long three tiles of a player who may not 碰 any more are given to become a kong, and a hand is no
    self-draw while the last discard may just have been taken.
    """
    said_s: float = 1.6
    """s from a discard to a win on it that is only said"""
    next_said_s: float = 0.8
    """and to the next winner."""
    over_s: float = 2.0
    """The hand is over when this long nothing has changed after everybody has won or shown his hand,"""
    over_unshown_s: float = 6.0
    """or this long after the third win, where the fourth player shows nothing (he need not),"""
    ends_s: float = 1.5
    """It ended this long after the last act;"""
    closed_s: float = 3.0
    """and this long after that the table is being cleared: what happens then is no part of it."""

    # -- walls
    wall_steady_s: float = 3.0
    """The stacks of the wall are counted over this long."""
    wall_first_tiles: int = 8
    """Whether all of it is seen shows while no more than this have been drawn:"""
    wall_first_looks: int = 12
    """in so many looks at least, and this share of them,"""
    wall_near_share: float = 0.7
    wall_near_tiles: int = 4
    """it has as many tiles as the records say, give or take this many."""
    wall_off_tiles: int = 12
    """Farther apart than this,"""
    wall_off_s: float = 10.0
    """and for this long, and records are missing or too many."""

    # -- decoder
    window_s: float = 15.0
    """Facts younger than this are decided anew whenever something changes."""
    refresh_s: float = 1.5
    """And this long after a change the classes are looked at again."""
    resync_looks: float = 2.0
    """What was seen before a person had the table read again counts as so many looks."""
    beam: int = 60
    """Hypotheses kept."""
    beam_nats: float = 22.0
    """And how much dearer than the best they may be."""
    place_prior: float = 3.0
    """How many discards the belief that rivers lie before their owners weighs."""
    place_doubt: float = 0.12
    """First belief, 0–1, that a discard lies before somebody else (rows); a heap raises it."""
    arm_nats: float = 3.0
    """What a moving arm from the owner's side is worth."""
    said_nats: float = 60.0
    """What it costs to read something otherwise than a person said."""
    noise_nats: float = 7.0
    """A river tile that is no discard at all."""
    row_noise_nats: float = 10.5
    """Several tiles in a player's row that mean nothing and stay."""
    weak_noise_nats: float = 2.0
    """The same for one seen in one look only; it grows to `noise_nats` with"""
    weak_looks: int = 4
    """so many looks more."""
    clear_noise_nats: float = 14.0
    """The same for one seen clearly in"""
    many_looks: int = 20
    """this many looks, unless a tile of its kind has just left another place, from where it was pushed:"""
    pushed_cm: float = 20.0
    """no farther away"""
    pushed_s: float = 2.5
    """and within this;"""
    same_place_cm: float = 0.5
    """or lies as near as this to where one of its kind lay"""
    same_place_s: float = 8.0
    """up to so long ago: an arm of the felt's colour may have lain there."""
    wall_beside_cm: float = 4.0
    """A face this near to a tile of the wall lies among it: taking it for nothing costs little."""
    unread_nats: float = 3.0
    """A discard of which the face looks like none of the 27."""
    missed_nats: float = 6.0
    """A discard that was never seen."""
    late_nats: float = 0.5
    """A tile found long after it was discarded or claimed."""
    late_s: float = 60.0
    """A discard may be found this long after its turn."""
    unseen_claim_nats: float = 5.0
    """A claim whose meld was never seen."""
    still_there_nats: float = 4.0
    """A claimed tile that still lies in the river."""
    taken_s: float = 2.5
    """A claimed tile leaves the river at most this long after the meld or the hand lies there."""
    vanish_s: float = 0.5
    """A tile that left the river within this after an act was there at the act."""
    vanished_nats: float = 3.0
    """A last discard that vanished although nobody claimed it."""
    bared_nats: float = 7.0
    """The same where the felt was seen in its place."""
    wrong_class_nats: float = 9.0
    """Most that differing readings of one tile can cost."""
    fifth_nats: float = 5.0
    """A fifth tile of a kind that looks (wrongly) sure."""
    unequal_share: float = 0.3
    """What it costs that a meld's tiles look unequal, × the nats of that."""
    own_kong_nats: float = 0.3
    """A concealed kong."""
    found_late_nats: float = 1.0
    """Three tiles meant nothing and are a kong's, of which the fourth was found late."""
    unlike_nats: float = 3.0
    """A tile this much likelier something else is unlike the others of its row: a meld has one at most."""
    wrong_count_nats: float = 3.0
    """Each tile a laid-down hand has too few or too many."""
    hole_nats: float = 0.4
    """Each tile taken to lie in a gap of a laid-down hand."""
    hand_search: int = 3000
    """Readings of a winner's hand that are tried before giving up on one that wins,"""
    hand_span_nats: float = 9.0
    """each tile no dearer than this."""
    unseen_last_nats: float = 1.0
    """A win or a 直杠 on a tile that was not seen."""
    after_claim_nats: float = 6.0
    """A self-draw right after a claim."""
    rest_of_hand_nats: float = 4.0
    """More tiles laid down by a player who has won already."""
    incomplete_nats: float = 4.0
    """A hand laid down that, as it is read, does not win on the last discard."""
    undiscarded_nats: float = 8.0
    """A player sings or dances who has not discarded yet, though it may be said this much"""
    said_early_s: float = 2.0
    """before his discard lies still."""
    told_win_nats: float = 0.5
    """A win on a discard by players who show all they have and lay nothing down."""
    wrongly_won_nats: float = 4.0
    """The same on a discard that their dance forbade."""
    apart_nats: float = 3.0
    """A tile apart although the winning tile stays in the river."""
    passed_nats: float = 3.0
    """A player who shows all he has lets a discard that he may win on pass."""
    stays_nats: float = 1.5
    """A tile won on that stays in the river, unless a second player wins on it too."""
    early_each_nats: float = 1.5
    """For each tile of the wall, at most"""
    early_nats: float = 12.0
    """A hand revealed while the wall lasts and fewer than three have won."""
    empty_wall_nats: float = 3.0
    """A draw when, as it was counted, the wall is empty."""
    turn_s: float = 1.5
    """A turn takes at least this long."""
    hurry_nats: float = 2.5
    """Per turn that would have to be shorter."""
    draw_s: float = 1.8
    """A draw comes this long after the act before it when the player then thought"""
    think_s: float = 6.0
    """for longer than this in all."""
    doubt_after_s: float = 2.0
    """A tile is called unsure only when it has lain this long."""
    close_nats: float = 2.0
    """Two readings closer than this are a doubt."""

    def scaled_to(self, calibration: Calibration) -> TableConfig:
        """The same thresholds for tiles of another size: what is told by a tile's width grows with it."""
        factor = calibration.tile_cm[1] / _USUAL_TILE_CM
        if abs(factor - 1) < 0.02:
            return self
        return replace(
            self,
            match_cm=self.match_cm * factor,
            row_match_cm=self.row_match_cm * factor,
            still_cm=self.still_cm * factor,
            neighbour_cm=self.neighbour_cm * factor,
            apart_cm=self.apart_cm * factor,
        )
