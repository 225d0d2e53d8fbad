"""6 nimmt! by its rules: the publisher's figures, the ends, the draft, the end of a game, and a second opinion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games import IllegalChoice, WrongKind
from referee.games.six_nimmt import SixNimmt
from referee.games.six_nimmt_rules import HEADS, Options, Setup, State, bull_heads
from referee.v1.six_nimmt_pb2 import SixNimmtChoice, SixNimmtDecision
from tests.games.peek import walk

GAME = SixNimmt()
NAMES = ("ada", "bob", "cid", "eve")


def on_table(
    rows: Sequence[Sequence[int]], hands: Sequence[Sequence[int]], points: Sequence[int] | None = None, **options: Any
) -> State:
    """A state in the middle of a deal."""
    seats = len(hands)
    setup = Setup(Options(**options), seats, highest_card=104, seed="a seed", first_drafter=0)
    return State(
        setup=setup,
        deal=1,
        hands=tuple(tuple(sorted(hand)) for hand in hands),
        rows=tuple(map(tuple, rows)),
        points=tuple(points or [66] * seats),
        taken=((),) * seats,
    )


def play(state: State, *cards: int) -> State:
    return decide(state, {seat: SixNimmtChoice(play_card=card) for seat, card in enumerate(cards)})


def decide(state: State, choices: Mapping[int, SixNimmtChoice]) -> State:
    assert list(choices) == list(GAME.pending(state))
    for seat, choice in choices.items():
        GAME.check(state, seat, choice)
    return GAME.apply(state, choices)


def rows_of(state: State) -> str:
    return " | ".join(" ".join(map(str, row)) for row in state.rows)


def test_bull_heads() -> None:
    assert sum(HEADS) == 171
    assert [bull_heads(card) for card in (55, 11, 99, 10, 100, 5, 95, 1, 104)] == [7, 5, 5, 3, 3, 2, 2, 1, 1]


def test_ten_seats_use_the_whole_deck() -> None:
    state = GAME.new(10, Options(), Random(1))
    assert [len(hand) for hand in state.hands] == [10] * 10
    assert sorted(card for cards in (*state.hands, *state.rows) for card in cards) == list(range(1, 105))


@given(seed=st.integers(0, 2**32))
def test_hands_and_row_starters_are_laid_out_in_ascending_order(seed: int) -> None:
    state = GAME.new(3, Options(), Random(seed))
    assert [*state.rows] == sorted(state.rows)
    assert [*state.hands] == [tuple(sorted(hand)) for hand in state.hands]


class TestThePublishersFigures:
    state = on_table([[12], [37], [43], [58]], [[14, 21, 9, 1], [15, 26, 3, 2], [30, 44, 68, 5], [36, 61, 83, 6]])

    def test_the_three_tricks(self) -> None:
        first = play(self.state, 14, 15, 44, 61)
        assert rows_of(first) == "12 14 15 | 37 | 43 44 | 58 61"
        second = play(first, 21, 26, 30, 36)
        assert rows_of(second) == "30 36 | 37 | 43 44 | 58 61"
        assert second.points == (66, 66, 60, 66)
        asked = play(second, 9, 3, 68, 83)
        assert GAME.pending(asked) == (1,)
        third = decide(asked, {1: SixNimmtChoice(choose_row=1)})
        assert rows_of(third) == "30 36 | 3 9 | 43 44 | 58 61 68 83"
        assert third.points == (66, 65, 60, 66)
        assert third.taken == ((), (37,), (12, 14, 15, 21, 26), ())

    def test_as_people_tell_it(self) -> None:
        first = play(self.state, 14, 15, 44, 61)
        choices = {seat: SixNimmtChoice(play_card=card) for seat, card in enumerate((21, 26, 30, 36))}
        assert list(GAME.tell(first, choices, GAME.apply(first, choices), NAMES)) == [
            "trick 2: ada 21, bob 26, cid 30, eve 36",
            "cid's 30 is the sixth card of row 1: takes 12 14 15 21 26 (6 heads)",
            "rows 30 36 | 37 | 43 44 | 58 61",
        ]

    def test_a_row_choice_as_people_tell_it(self) -> None:
        before = on_table([[12], [37], [43], [58]], [[9], [3]])
        plays = {0: SixNimmtChoice(play_card=9), 1: SixNimmtChoice(play_card=3)}
        asked = GAME.apply(before, plays)
        assert list(GAME.tell(before, plays, asked, NAMES[:2])) == [
            "deal 1, rows 12 | 37 | 43 | 58",
            "trick 1: bob 3, ada 9",
            "bob's 3 fits nowhere: bob must choose a row",
        ]
        choice = {1: SixNimmtChoice(choose_row=1)}
        assert list(GAME.tell(asked, choice, GAME.apply(asked, choice), NAMES[:2])) == [
            "bob takes row 2 with 3: 37 (1 head)",
            "rows 12 | 3 9 | 43 | 58",
            "points after deal 1: ada 66, bob 65",
        ]

    def test_what_the_chooser_sees(self) -> None:
        asked = play(self.state, 9, 2, 44, 6)
        view = GAME.view(asked, 1)
        assert view.decision == SixNimmtDecision.SIX_NIMMT_DECISION_CHOOSE_ROW
        assert (view.card, [*view.revealed], [*view.row_choices]) == (2, [9, 2, 44, 6], [0, 1, 2, 3])
        assert [[*played.cards] for played in view.played] == [[9], [2], [44], [6]]
        assert ([*view.hand], view.trick) == ([3, 15, 26], 1)


class TestBothEnds:
    def test_a_full_row_is_taken_from_the_left_too(self) -> None:
        state = on_table([[40, 44, 45, 50, 51], [80], [90], [100]], [[17, 60], [99, 70]], both_ends=True)
        assert rows_of(play(state, 17, 99)) == "17 | 80 | 90 | 99 100"

    def test_the_nearest_end_counts_whichever_side_it_is(self) -> None:
        state = on_table([[10, 20], [34, 40], [60], [90]], [[30, 1], [66, 2], [5, 3]], both_ends=True)
        assert rows_of(play(state, 30, 66, 5)) == "5 10 20 | 30 34 40 | 60 66 | 90"

    @pytest.mark.parametrize(("row", "rows"), [(1, "1 | 8 10 12 | 14 | 90 91"), (2, "1 | 8 10 | 12 14 | 90 91")])
    def test_two_ends_equally_near_are_a_choice(self, row: int, rows: str) -> None:
        state = on_table([[1], [8, 10], [14], [90]], [[12, 30], [91, 31]], both_ends=True)
        asked = play(state, 12, 91)
        view = GAME.view(asked, 0)
        assert view.decision == SixNimmtDecision.SIX_NIMMT_DECISION_CHOOSE_END
        assert [*view.row_choices] == [1, 2]
        done = decide(asked, {0: SixNimmtChoice(choose_end=row)})
        assert rows_of(done) == rows

    def test_a_chosen_end_of_a_full_row_takes_it(self) -> None:
        state = on_table([[1], [2, 3, 4, 5, 10], [14], [90]], [[12, 30], [91, 31]], both_ends=True)
        done = decide(play(state, 12, 91), {0: SixNimmtChoice(choose_end=1)})
        assert rows_of(done) == "1 | 12 | 14 | 90 91"
        assert done.taken[0] == (2, 3, 4, 5, 10)

    def test_placing_resumes_after_a_row_choice_in_mid_trick(self) -> None:
        """2 goes left of 5; every row straddles 20; 22 and 60 are placed after its owner has chosen."""
        rows = [[5, 50], [6, 51], [7, 52], [8, 53]]
        state = on_table(rows, [[60, 90], [20, 91], [2, 92], [22, 93]], both_ends=True)
        asked = play(state, 60, 20, 2, 22)
        assert rows_of(asked) == "2 5 50 | 6 51 | 7 52 | 8 53"
        assert GAME.pending(asked) == (1,)
        with pytest.raises(WrongKind):
            GAME.check(asked, 1, SixNimmtChoice(choose_end=1))
        done = decide(asked, {1: SixNimmtChoice(choose_row=3)})
        assert rows_of(done) == "2 5 50 | 6 51 | 7 52 60 | 20 22"
        assert done.points == (66, 64, 66, 66)

    def test_two_seats_may_have_to_choose_in_one_trick(self) -> None:
        """12 is equally near to 10 and 14; then every row straddles 30."""
        rows = [[9, 10], [14, 60], [5, 70], [6, 80]]
        asked = play(on_table(rows, [[30, 90], [12, 91]], both_ends=True), 30, 12)
        assert GAME.pending(asked) == (1,)
        done = decide(asked, {1: SixNimmtChoice(choose_end=1)})
        assert rows_of(done) == "9 10 30 | 12 14 60 | 5 70 | 6 80"


class TestTheEnd:
    rows = ((12, 13, 14, 15, 55), (70,), (80,), (90,))

    def test_running_out_of_points_in_mid_deal_ends_nothing(self) -> None:
        state = play(on_table(self.rows, [[56, 91], [57, 92]], points=[3, 3]), 56, 57)
        assert state.points == (-9, 3)
        assert GAME.pending(state)
        assert state.deal == 1

    @pytest.mark.parametrize(("points", "over"), [(12, True), (11, True), (13, False)])
    def test_nobody_has_points_left_after_the_last_trick(self, points: int, over: bool) -> None:
        """The row costs 12: the last trick leaves 0, -1 or 1."""
        state = play(on_table(self.rows, [[56], [57]], points=[points, 66]), 56, 57)
        assert state.points[0] == points - 12
        assert (not GAME.pending(state)) == over
        assert state.deal == (1 if over else 2)

    def test_max_deals(self) -> None:
        steps = list(walk(GAME, 3, Options(max_deals=2, starting_points=10_000), Random(3)))
        assert steps[-1][2].deal == 2
        assert not GAME.pending(steps[-1][2])

    def test_equal_points_share_a_rank_and_the_next_is_skipped(self) -> None:
        state = on_table(self.rows, [[], [], [], []], points=[5, -2, 5, 0])
        assert GAME.result(state).ranks == (1, 4, 1, 3)


class TestLogic:
    def test_the_draft_is_a_plain_round_to_the_left_and_starts_further_left_each_deal(self) -> None:
        options = Options(variant="logic", max_deals=4, starting_points=10_000)
        drafters: dict[int, list[int]] = {}
        for before, choices, _ in walk(GAME, 3, options, Random(5)):
            if before.table:
                drafters.setdefault(before.deal, []).extend(choices)
        first = drafters[1][0]
        for deal, seats in drafters.items():
            assert seats == [(first + deal - 1 + turn) % 3 for turn in range(30)]

    def test_any_seat_may_draft_first(self) -> None:
        options = Options(variant="logic")
        assert {GAME.pending(GAME.new(4, options, Random(seed)))[0] for seed in range(60)} == {0, 1, 2, 3}

    def test_the_four_cards_left_start_the_rows_and_hands_are_public(self) -> None:
        for before, _, after in walk(GAME, 3, Options(variant="logic", max_deals=1), Random(5)):
            if before.table and not after.table:
                left = set(range(1, 35)) - {card for hand in after.hands for card in hand}
                assert [*after.rows] == [(card,) for card in sorted(left)]
            if GAME.pending(after):
                hands = [tuple(hand.cards) for hand in GAME.view(after, GAME.pending(after)[0]).hands]
                assert hands == [*after.hands]


def test_a_later_deal_depends_on_the_seed_and_its_number_alone() -> None:
    """However the first deal was played, with whatever points: the second one is the same."""
    second = set()
    for play_seed in range(5):
        state = GAME.new(3, Options(starting_points=50 + play_seed), Random(8))
        rng = Random(play_seed)
        while state.deal == 1:
            choices = {seat: rng.choice([*GAME.legal(state, seat)]) for seat in GAME.pending(state)}
            state = GAME.apply(state, choices)
        second.add((state.hands, state.rows))
    assert len(second) == 1


@pytest.mark.parametrize(
    ("choice", "error", "reason"),
    [
        (SixNimmtChoice(play_card=17), IllegalChoice, "plays 17, but holds 3 9 44"),
        (SixNimmtChoice(play_card=0), IllegalChoice, "plays 0, but holds 3 9 44"),
        (SixNimmtChoice(draft=3), WrongKind, "answers draft, but is asked to play_card"),
        (SixNimmtChoice(), WrongKind, "answers nothing, but is asked to play_card"),
    ],
)
def test_a_refusal_says_why(choice: SixNimmtChoice, error: type[IllegalChoice], reason: str) -> None:
    state = on_table([[12], [37], [43], [58]], [[3, 9, 44], [1, 2, 4]])
    with pytest.raises(error) as refused:
        GAME.check(state, 0, choice)
    assert type(refused.value) is error
    assert str(refused.value) == reason


def test_a_refused_row_says_which_there_are() -> None:
    asked = play(on_table([[12], [37], [43], [58]], [[3, 9], [44, 45]]), 3, 44)
    with pytest.raises(IllegalChoice, match="chooses row 4, but the rows are 0 1 2 3"):
        GAME.check(asked, 0, SixNimmtChoice(choose_row=4))


class TestOptions:
    @pytest.mark.parametrize(
        ("variant", "both_ends"), [("standard", False), ("tactical", False), ("logic", True), ("professional", True)]
    )
    def test_a_variant_says_whether_it_has_both_ends(self, variant: str, both_ends: bool) -> None:
        assert msgspec.convert({"variant": variant}, type=Options).both_ends is both_ends

    @pytest.mark.parametrize(
        "options",
        [
            {"variant": "professional", "both_ends": False},
            {"variant": "chess"},
            {"starting_points": 0},
            {"max_deals": 0},
        ],
    )
    def test_what_cannot_be_meant_is_refused(self, options: dict[str, object]) -> None:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(options, type=Options)


class TestExport:
    def test_a_deal_and_the_choices(self) -> None:
        state = GAME.new(2, Options(), Random(2))
        (deal,) = GAME.events(None, state)
        assert GAME.export(deal) == {
            "type": "deal",
            "hands": [list(hand) for hand in state.hands],
            "rows": [list(row) for row in state.rows],
        }
        assert GAME.export(SixNimmtChoice(play_card=7)) == {"kind": "play_card", "card": 7}
        assert GAME.export(SixNimmtChoice(draft=7)) == {"kind": "draft", "card": 7}
        assert GAME.export(SixNimmtChoice(choose_row=0)) == {"kind": "choose_row", "row": 0}
        assert GAME.export(SixNimmtChoice(choose_end=3)) == {"kind": "choose_end", "row": 3}

    def test_chance_of_a_logic_game_is_a_layout_and_rows_in_each_deal(self) -> None:
        options = Options(variant="logic", max_deals=2, starting_points=10_000)
        start = GAME.new(2, options, Random(4))
        exported = [GAME.export(event) for event in GAME.events(None, start)]
        for before, _, after in walk(GAME, 2, options, Random(4)):
            exported += [GAME.export(event) for event in GAME.events(before, after)]
        assert [event["type"] for event in exported] == ["layout", "rows", "layout", "rows"]
        assert exported[0]["cards"] == list(range(1, 25))
        assert exported[2]["first_drafter"] == 1 - exported[0]["first_drafter"]
        assert [len(row) for row in exported[1]["rows"]] == [1, 1, 1, 1]


class SecondOpinion:
    """The placing of cards written again, straight from the rules: every possible end listed, the nearest picked."""

    def __init__(self, state: State) -> None:
        self.both_ends = state.setup.options.both_ends
        self.points = list(state.points)
        self.rows = [list(row) for row in state.rows]
        self.queue: list[tuple[int, int]] = []

    def follow(self, choices: Mapping[int, SixNimmtChoice]) -> None:
        for seat, choice in choices.items():
            kind = choice.WhichOneof("choice")
            if kind == "play_card":
                self.queue.append((choice.play_card, seat))
            else:
                card, _ = self.queue.pop(0)
                row = choice.choose_row if kind == "choose_row" else choice.choose_end
                self.put(card, seat, row, takes=kind == "choose_row")
        self.queue.sort()
        while self.queue and len(rows := self.ends(self.queue[0][0])) == 1:
            self.put(*self.queue.pop(0), rows[0])

    def ends(self, card: int) -> list[int]:
        right = [(card - row[-1], at) for at, row in enumerate(self.rows) if card > row[-1]]
        left = [(row[0] - card, at) for at, row in enumerate(self.rows) if card < row[0] and self.both_ends]
        return sorted(at for distance, at in right + left if distance == min(right + left)[0])

    def put(self, card: int, seat: int, row: int, takes: bool = False) -> None:
        if takes or len(self.rows[row]) == 5:
            self.points[seat] -= sum(map(bull_heads, self.rows[row]))
            self.rows[row] = []
        self.rows[row] = sorted([*self.rows[row], card])


@pytest.mark.parametrize("options", SixNimmt.variants, ids=lambda o: f"{o.variant}-{o.both_ends}")
@settings(max_examples=15, deadline=None)
@given(seats=st.integers(2, 10), seed=st.integers(0, 2**32))
def test_a_second_opinion_on_every_trick(options: Options, seats: int, seed: int) -> None:
    choosers: list[int] = []
    opinion: SecondOpinion | None = None
    for before, choices, after in walk(GAME, seats, options, Random(seed)):
        if before.table:
            continue
        if not before.unplaced:
            opinion, choosers = SecondOpinion(before), []
        assert opinion is not None
        opinion.follow(choices)
        assert opinion.points == [*after.points]
        assert [seat for _, seat in opinion.queue] == [*after.unplaced]
        if after.deal == before.deal:
            assert opinion.rows == [list(row) for row in after.rows]
        if after.unplaced:
            card = opinion.queue[0][0]
            assert [*after.fitting] == opinion.ends(card)
            assert options.both_ends or card == min(after.tricks[-1]), "only the lowest card can need a row choice"
            choosers += [card] if not after.fitting else []
        assert len(choosers) <= 1
