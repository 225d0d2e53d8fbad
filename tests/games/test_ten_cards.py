"""TEN's deck, payments and scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games import IllegalChoice
from referee.games.ten_cards import CURRENCY, NUMBER, WILDS, check_payment, deck, duplicates, payments, pieces, score
from referee.v1.ten_pb2 import TenPayment
from tests.games.ten_play import payment

WHOLE = [card for card in deck(5) if card not in CURRENCY]


@pytest.mark.parametrize(("seats", "cards"), [(1, 91), (2, 91), (3, 108), (4, 129), (5, 129)])
def test_the_published_totals(seats: int, cards: int) -> None:
    assert len(deck(seats)) == cards


def test_the_whole_deck() -> None:
    kinds = Counter("number" if card in NUMBER else "wild" if card in WILDS else "currency" for card in deck(4))
    assert kinds == {"number": 84, "wild": 18, "currency": 27}
    assert Counter(deck(4))["*#"] == 1


def test_a_duplicate_is_a_second_card_or_wild_of_a_kind() -> None:
    assert duplicates(["r1", "r#", "b1", "r1", "r#", "r1", "*1"]) == ("r1", "r#", "r1")


class TestScore:
    @pytest.mark.parametrize(
        ("cards", "points"),
        [
            ("", 0),
            ("r1 r2 r3 r5 r7", 3),
            ("r1 r1 r1", 1),
            ("r1 r2 r3 r4 r5 r6 r7 r8 r9", 10),
            ("r2 r3 r4 r5 r6 r7 b1 b2 b3 b4 b5 b6 b7 b8 b9 o5 o6 o7 o8 o9 g1 g2 g3", 24),
            ("r1 r2 r4 r#", 4),
            ("b1 b2 b4 r#", 3),  # and the wild is a red card
            ("r1 r2 r4 *3", 4),
            ("r1 r2 r4 b2 b4 b5 *3", 6),  # either colour, not both
            ("r1 r2 r4 b2 b4 b5 *3 *#", 8),
            ("r#", 1),
            ("*5", 1),
            ("*5 *6 *7 *#", 4),
            ("r# b# o# g# *#", 5),
            ("r1 r2 r3 r4 *5 r6 r7 r8 r# b4 b6", 11),
        ],
    )
    def test_by_hand(self, cards: str, points: int) -> None:
        assert score(cards.split()) == points

    def test_at_most_40(self) -> None:
        assert score(WHOLE) == 40

    @settings(deadline=None)
    @given(
        wilds=st.lists(st.sampled_from(sorted(WILDS)), max_size=3),
        numbers=st.lists(st.sampled_from(sorted(NUMBER)), max_size=20),
    )
    def test_against_every_use_of_the_wilds(self, wilds: list[str], numbers: list[str]) -> None:
        wilds = list((Counter(wilds) & Counter(WHOLE)).elements())
        assert score([*numbers, *wilds]) == max(map(plain_score, uses(numbers, wilds)))

    @settings(deadline=None)
    @given(cards=st.permutations(WHOLE).flatmap(lambda cards: st.integers(0, 60).map(lambda size: cards[:size])))
    def test_another_card_never_costs_a_point(self, cards: list[str]) -> None:
        points = [score(cards[:size]) for size in range(len(cards) + 1)]
        assert points == sorted(points)


def uses(numbers: list[str], wilds: list[str]) -> Iterator[set[str]]:
    """Yield the hand for every way to use its wilds, each as some number card."""
    fits = [
        [card for card in NUMBER if all(w in "*#" or w == c for w, c in zip(wild, card, strict=True))] for wild in wilds
    ]
    for used in product(*fits):
        yield {*numbers, *used}


def plain_score(cards: set[str]) -> int:
    """Return the points of number cards."""
    total = 0
    for colour in "rbog":
        longest = run = 0
        for number in range(1, 10):
            run = run + 1 if f"{colour}{number}" in cards else 0
            longest = max(longest, run)
        total += 10 if longest == 9 else longest
    return total


class TestPayments:
    @given(
        price=st.integers(1, 15),
        tokens=st.integers(0, 10),
        bust_tokens=st.integers(0, 4),
        cards=st.lists(st.sampled_from(["r1", "r2", "b1", "*1"]), max_size=6),
    )
    def test_all_the_irredundant_ones_once(self, price: int, tokens: int, bust_tokens: int, cards: list[str]) -> None:
        listed = [key(paid) for paid in payments(price, tokens, bust_tokens, cards)]
        assert len(set(listed)) == len(listed)
        assert set(listed) == set(every_payment(price, tokens, bust_tokens, cards))
        assert bool(listed) == (tokens + 3 * bust_tokens + len(cards) >= price)

    @given(
        price=st.integers(1, 12),
        tokens=st.integers(0, 10),
        bust_tokens=st.integers(0, 4),
        cards=st.lists(st.sampled_from(["r1", "r2"]), max_size=4),
        paid=st.builds(
            TenPayment,
            tokens=st.integers(0, 11),
            bust_tokens=st.integers(0, 5),
            cards=st.lists(st.sampled_from(["r1", "r2", "b1"]), max_size=4),
        ),
    )
    def test_check_accepts_what_is_listed_and_nothing_else(
        self, price: int, tokens: int, bust_tokens: int, cards: list[str], paid: TenPayment
    ) -> None:
        listed = {key(payment) for payment in payments(price, tokens, bust_tokens, cards)}
        try:
            check_payment(paid, price, tokens, bust_tokens, cards)
        except IllegalChoice:
            assert key(paid) not in listed
        else:
            assert key(paid) in listed

    def test_fewest_cards_come_first_and_then_fewest_bust_tokens(self) -> None:
        listed = [pieces(paid) for paid in payments(4, 3, 2, ["r1", "r1"])]
        assert listed == [
            "1 token and 1 bust token",
            "2 bust tokens",
            "3 tokens and r1",
            "1 bust token and r1",
            "2 tokens, r1 and r1",
        ]

    def test_a_payment_of_many_cards_is_found_without_listing_millions(self) -> None:
        assert len(list(islice(payments(20, 0, 0, [*NUMBER] * 2), 3))) == 3

    @pytest.mark.parametrize(
        ("paid", "reason"),
        [
            (payment(6), "pays 6 tokens, but has 5"),
            (payment(0, 2), "pays 2 bust tokens, but has 1"),
            (payment(2, 0, "r1 r1"), "pays with 2 × r1, but has 1 to pay with"),
            (payment(3, 0, "b2"), "pays with 1 × b2, but has 0 to pay with"),
            (payment(3), "pays 3 tokens, which makes 3, for a price of 4"),
            (payment(), "pays nothing, which makes 0, for a price of 4"),
            (payment(5), "pays 5 tokens, which makes 5, for a price of 4: without a token it would do"),
            (
                payment(3, 1),
                "pays 3 tokens and 1 bust token, which makes 6, for a price of 4: without a token it would do",
            ),
            (
                payment(0, 1, "r1 r2"),
                "pays 1 bust token, r1 and r2, which makes 5, for a price of 4: without a card it would do",
            ),
        ],
    )
    def test_refusals_have_the_numbers(self, paid: TenPayment, reason: str) -> None:
        with pytest.raises(IllegalChoice) as error:
            check_payment(paid, 4, 5, 1, ["r1", "r2"])
        assert str(error.value) == reason

    def test_a_bust_token_too_many_is_refused_and_one_that_loses_its_excess_is_not(self) -> None:
        check_payment(payment(0, 2), 4, 0, 3, [])
        with pytest.raises(IllegalChoice, match="without a bust token it would do"):
            check_payment(payment(0, 3), 4, 0, 3, [])


Key = tuple[int, int, tuple[str, ...]]


def key(paid: TenPayment) -> Key:
    return paid.tokens, paid.bust_tokens, tuple(sorted(paid.cards))


def every_payment(price: int, tokens: int, bust_tokens: int, cards: list[str]) -> Iterator[Key]:
    """Yield the irredundant payments, found by trying all pieces."""
    for coins, busts, many in product(range(tokens + 1), range(bust_tokens + 1), range(len(cards) + 1)):
        values = [1] * (coins + many) + [3] * busts
        if sum(values) >= price and all(sum(values) - value < price for value in values):
            for chosen in combinations(sorted(cards), many):
                yield coins, busts, chosen
