"""TEN: what a hand scores, exactly, with the best use of the wilds over all four colours.

A colour's own wilds serve nobody else; the number wilds and the free one are dealt out to the colours in every way. A
set of them is ten bits: the numbers 1 to 9, then the free one. Dealing to two colours at a time, a set is only ever
split in two: tens of microseconds for the usual hand, milliseconds for one with nearly all the wilds of the deck.
"""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

COLOURS = "rbog"
ALL_NUMBERS = 0b1_1111_1111
FREE = 9
"""The bit of the free wild."""

Colour = tuple[int, int]
"""A colour's numbers (nine bits), and how many wilds it has that are any number of it."""


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
    one, two, three, four = sorted(
        ((numbers[colour], any_number[colour]) for colour in COLOURS), key=lambda colour: -colour[0].bit_count()
    )
    some, others = _pair(one, three, shared), _pair(two, four, shared)
    return max(some[part] + others[shared ^ part] for part in some)


def _pair(one: Colour, other: Colour, shared: int) -> dict[int, int]:
    """Return the most points that two colours make together, by the set of shared wilds that they get.

    It is quickest if the ``one`` has many numbers: a wild of a number that it has can only go to the other.
    """
    first, second = ({part: _with(colour, part) for part in parts(shared)} for colour in (one, other))
    return {some: max([first[part] + second[some ^ part] for part in parts(some & ~one[0])]) for some in first}


def _with(colour: Colour, part: int) -> int:
    numbers, any_number = colour
    return longest_run(numbers | part & ALL_NUMBERS, any_number + (part >> FREE))


@cache
def parts(whole: int) -> Sequence[int]:
    """Return every subset of a set of bits, the whole one first."""
    found, part = [whole], whole
    while part:
        part = part - 1 & whole
        found.append(part)
    return found


@cache
def longest_run(numbers: int, any_number: int) -> int:
    """Return the points of one colour with these numbers (nine bits) and so many wilds that are any number of it."""
    best = 0
    for length in range(1, 10):
        run = (1 << length) - 1
        if any((run << low & ~numbers).bit_count() <= any_number for low in range(10 - length)):
            best = length
    return 10 if best == 9 else best
