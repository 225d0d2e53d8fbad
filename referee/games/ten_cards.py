"""TEN's cards, without its turns: the deck, what a card is worth, what may be paid, and what a hand scores.

Cards are the strings of ten.proto: ``r1`` to ``g9``, ``r#`` a colour's wild, ``*5`` a number's, ``*#`` the free one,
``$3`` currency.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from referee.games import IllegalChoice
from referee.v1.ten_pb2 import TenPayment

Cards = tuple[str, ...]

COLOURS = "rbog"
BUST_TOKEN = 3
"""What a bust token pays."""

# --- The deck ---------------------------------------------------------------------------------------------------------

CARDS: dict[str, tuple[int, int, int]] = {
    **{colour + number: (2, 3, 3) for number in "123" for colour in COLOURS},
    **{colour + number: (2, 2, 3) for number in "456" for colour in COLOURS},
    **{colour + number: (1, 1, 1) for number in "789" for colour in COLOURS},
    **{colour + "#": (1, 1, 2) for colour in COLOURS},
    **{"*" + number: (1, 1, 1) for number in "123456789"},
    "*#": (1, 1, 1),
    **{f"${value}": (4, 5, 6) for value in (1, 2)},
    **{f"${value}": (3, 4, 5) for value in (3, 4, 5)},
}
"""The deck: how many there are of each card with 1–2, with 3, and with 4–5 seats. No source says how the published
totals (91, 108, 129 cards) are spread over the cards: this table is the one place to correct it."""

ORDER = {card: place for place, card in enumerate(CARDS)}
"""Lowest card first: numbers ascending, wilds, currency."""


def deck(seats: int) -> list[str]:
    """Return the unshuffled deck for so many seats."""
    column = 0 if seats <= 2 else 1 if seats == 3 else 2
    return [card for card, copies in CARDS.items() for _ in range(copies[column])]


# --- A card -----------------------------------------------------------------------------------------------------------

NUMBER = {card: int(card[1]) for card in CARDS if card[0] in COLOURS and card[1] != "#"}
"""The number cards, and their face value, which is their price too."""

CURRENCY = {card: int(card[1]) for card in CARDS if card[0] == "$"}
"""The currency cards and their value."""

WILDS = frozenset(CARDS) - NUMBER.keys() - CURRENCY.keys()


def numbers(tableau: Iterable[str]) -> Cards:
    """Return the number cards among them."""
    return tuple(card for card in tableau if card in NUMBER)


def currency(tableau: Iterable[str]) -> Cards:
    """Return the currency cards among them."""
    return tuple(card for card in tableau if card in CURRENCY)


def currency_sum(tableau: Iterable[str]) -> int:
    """C of the rules: a currency bust at 11."""
    return sum(CURRENCY.get(card, 0) for card in tableau)


def net(tableau: Iterable[str]) -> int:
    """N − C of the rules: a number bust at 11. May be negative."""
    return sum(NUMBER.get(card, 0) - CURRENCY.get(card, 0) for card in tableau)


def duplicates(cards: Iterable[str]) -> Cards:
    """Return the second and further cards of each kind."""
    seen: set[str] = set()
    return tuple(card for card in cards if card in seen or seen.add(card))  # type: ignore[func-returns-value] # add is None


# --- Payments ---------------------------------------------------------------------------------------------------------
#
# A payment is irredundant: without any one of its pieces it would not reach the price. So one with a token or a card in
# it is exact, and only bust tokens alone may exceed the price. Any pieces that reach a price contain an irredundant
# payment: something can be paid exactly if all there is to pay with reaches it.


def payments(price: int, tokens: int, bust_tokens: int, cards: Iterable[str]) -> Iterator[TenPayment]:
    """Yield each irredundant payment once, lazily: there may be millions. Fewest cards, fewest bust tokens first."""
    payable = sorted(cards, key=ORDER.__getitem__)
    fewest = max(0, price - tokens - BUST_TOKEN * bust_tokens)
    for count in range(fewest, min(price, len(payable)) + 1):
        for bust in range(min(bust_tokens, -(-(price - count) // BUST_TOKEN)) + 1):
            rest = price - count - BUST_TOKEN * bust
            if rest <= tokens and (rest >= 0 or count == 0):
                for chosen in _choose(payable, count):
                    yield TenPayment(tokens=max(0, rest), bust_tokens=bust, cards=chosen)


def _choose(cards: Sequence[str], count: int) -> Iterator[Cards]:
    """Yield every way to choose so many of the sorted cards; equal cards are the same card."""
    if count == 0:
        yield ()
        return
    for place in range(len(cards) - count + 1):
        if place == 0 or cards[place] != cards[place - 1]:
            for others in _choose(cards[place + 1 :], count - 1):
                yield cards[place], *others


def check_payment(payment: TenPayment, price: int, tokens: int, bust_tokens: int, cards: Sequence[str]) -> None:
    """Raise IllegalChoice unless the payment is owned, reaches the price and is irredundant."""
    if payment.tokens > tokens:
        raise IllegalChoice(f"pays {count(payment.tokens, 'token')}, but has {tokens}")
    if payment.bust_tokens > bust_tokens:
        raise IllegalChoice(f"pays {count(payment.bust_tokens, 'bust token')}, but has {bust_tokens}")
    payable = Counter(cards)
    for card, times in Counter(payment.cards).items():
        if times > payable[card]:
            raise IllegalChoice(f"pays with {times} × {card}, but has {payable[card]} to pay with")
    worth = payment.tokens + BUST_TOKEN * payment.bust_tokens + len(payment.cards)
    if worth < price:
        raise IllegalChoice(f"pays {pieces(payment)}, which makes {worth}, for a price of {price}")
    least = 1 if payment.tokens or payment.cards else BUST_TOKEN
    if worth - least >= price:
        superfluous = "a bust token" if least > 1 else "a token" if payment.tokens else "a card"
        raise IllegalChoice(
            f"pays {pieces(payment)}, which makes {worth}, for a price of {price}: without {superfluous} it would do"
        )


def count(number: int, thing: str) -> str:
    """Return ``1 token`` or ``2 tokens``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def pieces(payment: TenPayment) -> str:
    """Return a payment in words: ``3 tokens, 1 bust token and r5``."""
    words = [count(payment.tokens, "token")] if payment.tokens else []
    words += [count(payment.bust_tokens, "bust token")] if payment.bust_tokens else []
    words += payment.cards
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:]))) or "nothing"


# --- Score ------------------------------------------------------------------------------------------------------------
#
# A set of numbers is nine bits, bit 0 the number 1. A colour's own wilds serve nobody else, so the longest run that a
# colour can fill is a table of 512 sets by how many # it has. The number wilds and the free one are shared: they are
# dealt out to the colours in every possible way, two colours at a time (a dynamic programme over sets of wilds). That
# is exact because a hand's points depend on nothing but which colour gets which wilds, and quick because dealing them
# to two colours only ever means splitting a set: 3^9 splits at most, all at once in numpy. A typical hand takes
# 0.04 ms, one with every wild of the deck 0.3 ms.

Points = npt.NDArray[np.int8]
Places = npt.NDArray[np.intp]

MOST_FILLERS = 3
"""Two # of a colour and the free one."""


def _longest_runs() -> Points:
    """Return the points of a colour by how many # it has (0 to 3) and the set of its numbers."""
    points = np.zeros((MOST_FILLERS + 1, 512), np.int8)
    owned = np.arange(512)
    for length in range(1, 10):
        for lowest in range(10 - length):
            run = (1 << length) - 1 << lowest
            lacking = sum((run & ~owned) >> bit & 1 for bit in range(9))
            for fillers in range(MOST_FILLERS + 1):
                points[fillers][lacking <= fillers] = 10 if length == 9 else length
    return points


LONGEST_RUN = _longest_runs()


def score(cards: Iterable[str]) -> int:
    """Return the points of a hand, 0 to 40: each colour's longest run, with the best use of the wilds over all four."""
    owned = dict.fromkeys(COLOURS + "*", 0)
    fillers = dict.fromkeys(COLOURS + "*", 0)
    for card in cards:
        if card[1] == "#":
            fillers[card[0]] += 1
        else:
            owned[card[0]] |= 1 << int(card[1]) - 1
    free = fillers["*"]
    sets = _subsets(owned["*"])
    red, blue, orange, green = (
        [LONGEST_RUN[fillers[colour] + extra][owned[colour] | sets] for extra in range(free + 1)] for colour in COLOURS
    )
    warm, cold = _share(red, orange), _share(blue, green)
    return max(int((warm[some] + cold[free - some][::-1]).max()) for some in range(free + 1))


def _share(one: Sequence[Points], other: Sequence[Points]) -> list[Points]:
    """Return the most that two colours make together, given what each of them makes.

    All are by whether the free wild is among what they get (if it is owned at all), and by the set of number wilds.
    """
    part, rest, starts = _splits(len(one[0]).bit_length() - 1)
    here, there = [points[part] for points in one], [points[rest] for points in other]
    ways = [here[0] + there[0]]
    if len(one) == 2:
        ways.append(np.maximum(here[0] + there[1], here[1] + there[0]))
    return [np.maximum.reduceat(points, starts) for points in ways]


@cache
def _subsets(wilds: int) -> Places:
    """Return every part of a set. Read backwards, each one is what the other leaves."""
    return np.array([some for some in range(wilds + 1) if some & wilds == some])


@cache
def _splits(wilds: int) -> tuple[Places, Places, Places]:
    """Return every split of every set of so many wilds: the one part, the other, and where each set's splits start."""
    splits = [_subsets(whole) for whole in range(1 << wilds)]
    starts = np.cumsum([0, *map(len, splits[:-1])])
    return np.concatenate(splits), np.concatenate([parts[::-1] for parts in splits]), starts
