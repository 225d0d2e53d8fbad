"""TEN: what a hand scores, exactly, with the best use of the wilds over all four colours.

A colour's own wilds serve nobody else; the number wilds and the free one are dealt out to the colours in every way. A
set of them is ten bits: the numbers 1 to 9, then the free one. Dealing to two colours at a time, a set is only ever
split in two: a few microseconds for the usual hand, milliseconds for one with all the wilds of the deck.
"""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

COLOURS = "rbog"
ALL_NUMBERS = 0b1_1111_1111
FREE = 9
"""The bit of the free wild."""


def score(cards: Iterable[str]) -> int:
    """Return the points of a hand: each colour's longest run a point a card, a complete 1 to 9 ten points."""
    return _score(tuple(sorted(cards)))


@lru_cache(maxsize=1 << 16)
def _score(cards: tuple[str, ...]) -> int:
    numbers = dict.fromkeys(COLOURS + "*", 0)
    any_number = dict.fromkeys(COLOURS + "*", 0)
    for card in cards:
        if card[1] == "#":
            any_number[card[0]] += 1
        else:
            numbers[card[0]] |= 1 << int(card[1]) - 1
    shared = numbers["*"] | any_number["*"] << FREE
    red, blue, orange, green = (
        {
            part: longest_run(numbers[colour] | part & ALL_NUMBERS, any_number[colour] + (part >> FREE))
            for part in parts(shared)
        }
        for colour in COLOURS
    )
    warm = {some: max(red[part] + orange[some ^ part] for part in parts(some)) for some in red}
    cold = {some: max(blue[part] + green[some ^ part] for part in parts(some)) for some in red}
    return max(warm[part] + cold[shared ^ part] for part in red)


def parts(whole: int) -> Iterator[int]:
    """Yield every subset of a set of bits, the whole one first."""
    part = whole
    while part:
        yield part
        part = part - 1 & whole
    yield 0


@cache
def longest_run(numbers: int, any_number: int) -> int:
    """Return the points of one colour with these numbers (nine bits) and so many wilds that are any number of it."""
    best = 0
    for length in range(1, 10):
        run = (1 << length) - 1
        if any((run << low & ~numbers).bit_count() <= any_number for low in range(10 - length)):
            best = length
    return 10 if best == 9 else best
