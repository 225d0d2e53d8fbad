"""What the SDK tells bots of the rules, against the referee's own rules and the publisher's figures."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from referee_sdk import six_nimmt, ten, ten_score
from referee_sdk.six_nimmt import Row, find_place, place, rows_of
from referee_sdk.v1.six_nimmt_pb2 import SixNimmtCards, SixNimmtView
from referee_sdk.v1.ten_pb2 import TenPayment, TenSeat, TenView

from referee.games import load, six_nimmt_rules, ten_cards

Paid = tuple[int, int, tuple[str, ...]]


def rows(*cards: list[int]) -> list[Row]:
    return rows_of(SixNimmtView(rows=[SixNimmtCards(cards=row) for row in cards]))


def test_bull_heads() -> None:
    assert six_nimmt.HEADS == six_nimmt_rules.HEADS
    assert sum(six_nimmt.HEADS) == 171


def test_placing_as_in_the_publishers_figures() -> None:
    lying = rows([12], [37], [43], [58])
    trick = [14, 15, 44, 61, 21, 26, 30, 36, 3, 9, 68, 83]
    assert [place(lying, card, both_ends=False) for card in trick] == [0, 0, 0, 0, 0, 0, 6, 0, 1, 0, 0, 0]
    assert lying == rows([30, 36], [3, 9], [43, 44], [58, 61, 68, 83])


def test_placing_at_the_left() -> None:
    lying = rows([40, 41, 42, 43, 44], [60], [70, 90], [100])
    assert find_place(lying, 59, both_ends=False) == (lying[0], 15, False)
    assert find_place(lying, 59, both_ends=True) == (lying[1], 1, True)
    assert place(lying, 17, both_ends=True) == 3 + 1 + 1 + 1 + 5
    assert lying[0] == Row(17, 17, 1, 1)
    assert place(lying, 59, both_ends=True) == 0
    assert lying[1] == Row(59, 60, 2, 4)


def test_a_card_that_fits_nowhere_takes_the_cheapest_row() -> None:
    lying = rows([20, 30], [22, 32], [21, 28], [24, 33])
    assert find_place(lying, 26, both_ends=True) is None
    assert place(lying, 26, both_ends=True) == 2
    assert lying[2] == Row(26, 26, 1, 1)


@pytest.mark.parametrize("variant", ["standard", "tactical", "professional", "logic"])
def test_unseen_cards_are_those_of_the_others(variant: str) -> None:
    """Hands of the others, and what was not dealt: of a real game, at every decision of its first deal."""
    game = load("six_nimmt")
    state, rng = game.new(3, six_nimmt_rules.Options(variant=variant), Random(5)), Random(6)  # type: ignore[arg-type] # one of the four
    while state.deal == 1 and (seats := game.pending(state)):
        for seat in seats:
            hidden = [card for other, hand in enumerate(state.hands) if other != seat for card in hand]
            expected = sorted({*hidden, *state.undealt, *state.table})
            assert six_nimmt.unseen(game.view(state, seat)) == expected
        state = game.apply(state, {seat: rng.choice(list(game.legal(state, seat))) for seat in seats})


def test_scores_of_ten_are_the_referees() -> None:
    rng = Random(8)
    cards = [card for card in ten_cards.deck(4) if card[0] != "$"]
    for _ in range(300):
        hand = rng.sample(cards, rng.randint(0, 40))
        assert ten_score.score(hand) == ten_cards.score(hand)


def test_the_deck_of_ten_is_the_referees() -> None:
    for seats in range(1, 6):
        assert ten.deck(seats) == Counter(ten_cards.deck(seats))


def test_unseen_cards_of_ten_are_the_rest_of_the_deck() -> None:
    game, rng = load("ten"), Random(4)
    for seats in range(1, 6):
        state = game.new(seats, game.options(busting_variant=True), Random(seats))
        while asked := game.pending(state):
            left = ten.unseen(game.view(state, asked[0]))
            assert left == Counter(state.deck[state.drawn :])
            state = game.apply(state, {asked[0]: rng.choice(list(islice(game.legal(state, asked[0]), 50)))})


def purse(tokens: int, bust_tokens: int, *cards: str) -> TenView:
    return TenView(seats=[TenSeat(tokens=tokens, bust_tokens=bust_tokens, cards=cards)], payable=cards)


def paid(payment: TenPayment) -> Paid:
    return payment.tokens, payment.bust_tokens, tuple(sorted(payment.cards))


@st.composite
def purses(draw: st.DrawFn) -> tuple[TenView, int]:
    view = purse(
        draw(st.integers(0, 6)),
        draw(st.integers(0, 3)),
        *draw(st.lists(st.sampled_from(["r1", "r2", "r3", "b5", "*4", "g#"]), max_size=5)),
    )
    seat = view.seats[0]
    return view, draw(st.integers(1, max(1, seat.tokens + 3 * seat.bust_tokens + len(seat.cards))))


@given(purses())
def test_payments_are_the_referees_and_the_cheapest_is_one_of_them(drawn: tuple[TenView, int]) -> None:
    view, price = drawn
    seat = view.seats[0]
    found = [paid(payment) for payment in ten.payments(view, 0, price)]
    accepted = ten_cards.payments(price, seat.tokens, seat.bust_tokens, seat.cards)
    assert sorted(found) == sorted((p.tokens, p.bust_tokens, tuple(sorted(p.cards))) for p in accepted)
    if not found:
        with pytest.raises(ValueError, match=f"cannot pay {price}"):
            ten.cheapest_payment(view, 0, price)
        return
    cheapest = paid(ten.cheapest_payment(view, 0, price))
    assert cheapest in found
    if any(not cards for _, _, cards in found):
        assert ten_score.score(ten.without(seat.cards, cheapest[2])) == ten_score.score(seat.cards)


@pytest.mark.parametrize(
    ("owned", "price", "expected"),
    [
        (purse(9, 0), 4, (4, 0, ())),
        (purse(9, 2), 4, (1, 1, ())),  # the bust token breaks no ties
        (purse(0, 2), 4, (0, 2, ())),  # nothing else will do: two are lost
        (purse(0, 2, "r1", "r1"), 4, (0, 1, ("r1",))),  # the duplicate makes it exact
        (purse(0, 2, "r1", "r2"), 4, (0, 2, ())),  # rather change than points
        (purse(2, 0, "b5", "b6", "r9", "r9"), 3, (2, 0, ("r9",))),
    ],
)
def test_the_cheapest_payment(owned: TenView, price: int, expected: Paid) -> None:
    assert paid(ten.cheapest_payment(owned, 0, price)) == expected
