"""TEN for one seat: the automaton's every rule."""

from __future__ import annotations

from random import Random

import pytest

from referee.games import HousePlayer
from referee.games.ten_turns import Options, Player, State
from referee.v1.ten_pb2 import TenChoice
from tests.games.ten_play import (
    CURRENCY,
    DRAW,
    NO_BUY,
    NUMBERS,
    PASS,
    TEN,
    bid,
    buy,
    has,
    legal,
    pay,
    play,
    refusal,
    table,
    told,
)

MORE = " r1 r1 r1 r1"


def solo(deck: str, seat: Player, automaton: Player, market: str = "", level: int = 7) -> State:
    """Return a game of one seat that has drawn the first card."""
    return table(deck, seat, automaton, market=market, options=Options(automaton_level=level), solo=True)


def automatons_turn(deck: str, seat: Player | None = None, automaton: Player | None = None, level: int = 7) -> State:
    """Return the game after the seat's empty turn, when the automaton has played as far as it can."""
    return play(solo("r1 " + deck, seat or has(), automaton or has(), level=level), CURRENCY)


def test_the_seat_starts_with_the_two_seat_deck() -> None:
    for seed in range(5):
        state = TEN.new(1, Options(), Random(seed))
        assert (state.active, state.decider, len(state.deck), len(state.players)) == (0, 0, 91, 2)


class TestTurn:
    @pytest.mark.parametrize(("level", "taken"), [(4, "b4"), (5, "b4 b2"), (6, "b4 b2"), (7, "b4 b2 b3")])
    def test_it_draws_until_its_net_reaches_its_level(self, level: int, taken: str) -> None:
        state = automatons_turn("b4 b2 b3 g1" + MORE, level=level)
        assert state.players[1] == has(taken)
        assert (state.asked, state.decider) == ("draw_or_stop", 0)

    def test_currency_makes_it_draw_on_and_feeds_the_seat(self) -> None:
        state = automatons_turn("b6 $3 $1 b9 g1" + MORE)
        assert state.players == (has(tokens=9), has("b6 b9"))

    def test_above_ten_is_no_bust_for_it(self) -> None:
        assert automatons_turn("b6 b9 g1" + MORE).players == (has(), has("b6 b9"))

    def test_a_currency_bust_costs_it_nothing(self) -> None:
        state = automatons_turn("b6 $5 $3 $3 g1" + MORE)
        assert state.players == (has(), has("b6", bust_tokens=1))
        assert state.discards == ("$5", "$3", "$3")
        assert state.market == ("r1",)

    def test_it_has_no_choice_in_the_busting_variant(self) -> None:
        variant = Options(busting_variant=True)
        state = table("r1 $5 $5 $5 g1" + MORE, has(), has(), options=variant, solo=True)
        assert play(state, CURRENCY).players == (has(), has(bust_tokens=1))

    def test_an_empty_deck_stops_it_and_it_never_buys(self) -> None:
        state = play(solo("r1 b2 $1", has(), has(tokens=9), market="g3"), CURRENCY)
        assert state.players == (has(tokens=6), has("b2", tokens=9))
        assert (state.asked, state.decider, state.final) == ("buy", 0, True)
        assert TEN.pending(play(state, buy("g3", 3))) == ()

    def test_when_the_seat_draws_the_last_card_it_buys_twice_and_the_automaton_never(self) -> None:
        state = play(solo("r1", has(), has(tokens=9), market="g3 g2"), NUMBERS, buy("g2", 2), buy("g3", 3))
        assert TEN.pending(state) == ()
        assert state.players == (has("r1 g2 g3", tokens=0), has(tokens=9))

    def test_it_gains_like_any_seat(self) -> None:
        assert play(solo("$3" + MORE, has(), has(tokens=9)), NUMBERS).players[1].tokens == 10
        assert play(solo("$3 r8 b8 r9" + MORE, has(), has()), DRAW, DRAW).players[1].tokens == 8


class TestAuctionOnTheSeatsTurn:
    @pytest.mark.parametrize(
        ("seat", "automaton", "amount"),
        [
            (has(tokens=5), has(tokens=9), 5),
            (has(tokens=7), has(tokens=9), 7),
            (has(tokens=9), has(tokens=7), 7),
            (has(tokens=2), has(tokens=9), 5),
            (has(tokens=6, bust_tokens=1), has(tokens=10), 9),
            (has("r1 r1 *# b1", tokens=6), has(tokens=10), 7),
            (has(tokens=10), has("r1 r1 r# r#", tokens=3, bust_tokens=1), 8),
            (has(tokens=10), has("r1 r2 r#", tokens=4), 0),
        ],
    )
    def test_it_bids_first_what_the_seat_could_match(self, seat: Player, automaton: Player, amount: int) -> None:
        state = solo("*5" + MORE, seat, automaton)
        assert (state.asked, state.decider, state.bids) == ("bid", 0, (amount,))

    def test_the_seat_must_bid_more(self) -> None:
        state = solo("*5" + MORE, has(tokens=8), has(tokens=6))
        assert legal(state) == [PASS, bid(7), bid(8)]
        assert play(state, PASS).players == (has(tokens=8), has("*5", tokens=0))
        assert play(state, bid(7), pay(7)).players == (has("*5", tokens=1), has(tokens=6))

    def test_after_a_pass_the_seats_first_bid_is_five(self) -> None:
        state = solo("*5" + MORE, has(tokens=6), has(tokens=4))
        assert legal(state) == [PASS, bid(5), bid(6)]
        assert refusal(state, bid(4)) == "bid 4, but bids start at 5"
        assert play(state, PASS).discards == ("*5",)


class TestAuctionOnItsOwnTurn:
    @pytest.mark.parametrize(
        ("answer", "automaton", "amount"),
        [
            (PASS, has(tokens=9), 5),
            (bid(5), has(tokens=9), 6),
            (bid(6), has(tokens=7), 7),
            (bid(6), has(tokens=6), 0),
            (PASS, has(tokens=4), 0),
            (PASS, has("r1", tokens=4), 0),
            (PASS, has("r1 r1", tokens=4), 5),
        ],
    )
    def test_it_answers_with_one_more(self, answer: TenChoice, automaton: Player, amount: int) -> None:
        state = automatons_turn("*5 b9 g1" + MORE, has(tokens=7), automaton)
        assert (state.asked, state.decider, state.active) == ("bid", 0, 1)
        assert legal(state) == [PASS, bid(5), bid(6), bid(7)]
        lines = told(state, answer, names=["ada"])
        assert (f"the automaton bids {amount}" if amount else "the automaton passes") in lines

    def test_its_turn_goes_on_where_it_was(self) -> None:
        state = play(automatons_turn("b3 *5 b4 g1" + MORE, has(tokens=7)), bid(6), pay(6))
        assert state.players == (has("*5", tokens=1), has("b3 b4"))

    @pytest.mark.parametrize(
        ("automaton", "left"),
        [
            (has("r1 r1", tokens=6, bust_tokens=1), has("r1 r1 *5", tokens=0, bust_tokens=1)),
            (has("r1 r1", tokens=4, bust_tokens=1), has("r1 r1 *5", tokens=1)),
            (has("r1 r1", tokens=1, bust_tokens=2), has("r1 r1 *5", tokens=1)),
            (has("r1 b1 r1 b1 b1", tokens=0, bust_tokens=1), has("r1 b1 *5", tokens=0)),
        ],
        ids=["tokens", "then a bust token", "two bust tokens are exact", "then duplicates"],
    )
    def test_it_pays_tokens_then_bust_tokens_then_duplicates(self, automaton: Player, left: Player) -> None:
        state = play(automatons_turn("*5 $1 b9 g1" + MORE, has(), automaton), bid(5))
        assert (state.players[1].tokens, state.players[1].bust_tokens) == (left.tokens, left.bust_tokens)
        assert sorted(state.players[1].cards) == sorted((*left.cards, "b9"))


class TestDuplicates:
    def test_the_seat_bids_and_pays_with_duplicates_alone(self) -> None:
        state = solo("*5" + MORE, has("r1 r1 r# r# b1", tokens=4), has(tokens=4))
        assert legal(state) == [PASS, bid(5), bid(6)]
        assert list(TEN.view(state, 0).payable) == ["r1", "r#"]
        assert refusal(state, bid(7)) == "bid 7, but 4 tokens, 0 bust tokens and 2 duplicates make 6"
        state = play(state, bid(5))
        assert legal(state) == [pay(4, 0, "r1"), pay(4, 0, "r#"), pay(3, 0, "r1 r#")]
        assert refusal(state, pay(4, 0, "b1")) == "pays with 1 × b1, but has 0 to pay with"

    def test_a_buy_may_be_paid_with_any_card(self) -> None:
        state = play(solo("g1" + MORE, has("b1", tokens=1), has(), market="o3"), NUMBERS)
        assert legal(state) == [NO_BUY, buy("o3", 1, 0, "b1 g1")]


class TestResult:
    @pytest.mark.parametrize(
        ("seat", "automaton", "rank", "house"),
        [("r1 r2", "r1", 1, 2), ("r1", "r1", 2, 1), ("r1", "r1 r2", 2, 1)],
    )
    def test_the_seat_wins_with_strictly_more(self, seat: str, automaton: str, rank: int, house: int) -> None:
        result = TEN.result(solo("$1", has(seat), has(automaton, tokens=0), level=9))
        assert result.ranks == (rank,)
        assert result.points == (len(seat.split()),)
        assert result.house == (HousePlayer("automaton-9", len(automaton.split()), house),)


def test_the_view_has_the_automaton_and_its_level() -> None:
    view = TEN.view(solo("r1" + MORE, has(), has("b1 b2", 9, 1), level=6), 0)
    assert view.automaton_level == 6
    assert (list(view.seats[1].cards), view.seats[1].tokens, view.seats[1].bust_tokens) == (["b1", "b2"], 9, 1)


def test_the_automatons_turn_is_told() -> None:
    assert told(solo("r1 b6 $2 b5 g2" + MORE, has(), has()), CURRENCY, names=["ada"]) == [
        "ada draws r1: net 1, currency 0",
        "ada takes the currency",
        "the automaton draws b6: net 6, currency 0",
        "the automaton draws $2: net 4, currency 2",
        "the automaton draws b5: net 9, currency 2",
        "the automaton takes the numbers b6 b5",
        "ada gains 2 tokens and has 7",
        "ada draws g2: net 2, currency 0",
    ]
