"""6 nimmt! on plain values: the options, the state of a game, dealing, drafting and placing.

Cards are their numbers, rows are 0 to 3. After the publisher's rulebooks of 2005 and 2019. Where they are silent:
starting rows are laid in ascending order, the draft of ``logic`` is a plain round, and with both ends the owner of a
card that is equally near to two ends chooses between them.

Every draw is a ``random()``: that is the one sequence that Python promises to keep for a seed, whatever its version.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Annotated, Literal, NamedTuple

import msgspec

Cards = tuple[int, ...]

HAND = 10
ROWS = 4
ROW_LENGTH = 5
WHOLE_DECK = 104


def bull_heads(card: int) -> int:
    """Return what a card costs whoever takes it, 1 to 7 points."""
    if card == 55:
        return 7
    for divisor, heads in ((11, 5), (10, 3), (5, 2)):
        if card % divisor == 0:
            return heads
    return 1


HEADS = (0, *map(bull_heads, range(1, WHOLE_DECK + 1)))
"""Bull heads by card; there is no card 0."""


def all_heads(cards: Iterable[int]) -> int:
    """Return the bull heads of several cards."""
    return sum([HEADS[card] for card in cards])


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be chosen about a game. ``both_ends`` is never None once the options stand."""

    variant: Annotated[
        Literal["standard", "tactical", "logic", "professional"],
        msgspec.Meta(
            description="standard: cards 1 to 104. tactical: cards 1 to 10 × seats + 4, all dealt. "
            "logic: tactical, but the hands are drafted face up. professional: standard with both ends."
        ),
    ] = "standard"
    both_ends: Annotated[
        bool | None,
        msgspec.Meta(
            description="Cards may also be placed at the left end of a row. "
            "Left out: yes in logic and professional, otherwise no."
        ),
    ] = None
    starting_points: Annotated[
        int,
        msgspec.Meta(description="Points at the start; whoever runs out of them ends the game.", ge=1, le=1_000_000),
    ] = 66
    max_deals: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None,
        msgspec.Meta(description="The game also ends after so many deals of ten tricks."),
    ] = None

    def __post_init__(self) -> None:
        """Settle ``both_ends``, so that a record of the options can be read without knowing the variants."""
        if self.both_ends is None:
            msgspec.structs.force_setattr(self, "both_ends", self.variant in ("logic", "professional"))
        elif self.variant == "professional" and not self.both_ends:
            raise ValueError('"professional" has both ends; for both_ends = false choose variant = "standard"')


class Setup(msgspec.Struct, frozen=True):
    """What does not change in a game. ``seed`` and a deal's number decide that deal's cards."""

    options: Options
    seats: int
    highest_card: int
    seed: str
    first_drafter: int


class State(msgspec.Struct, frozen=True, kw_only=True):
    """A game between two decisions; every card of the deck is in one place.

    A msgspec struct and no dataclass: ten times faster to make, and a deal makes a dozen.
    """

    setup: Setup
    deal: int
    hands: tuple[Cards, ...]
    rows: tuple[Cards, ...]
    points: tuple[int, ...]
    taken: tuple[Cards, ...]
    """This deal's cards by the seat that took them, in the order taken."""
    table: Cards = ()
    """Face-up cards that are still to be drafted."""
    undealt: Cards = ()
    tricks: tuple[Cards, ...] = ()
    """This deal's cards as they were revealed, trick by trick, each by seat."""
    unplaced: tuple[int, ...] = ()
    """The seats whose cards of the current trick do not lie yet, in the cards' order. The first must choose a row."""
    fitting: tuple[int, ...] = ()
    """The rows that are equally near to the card of the first unplaced seat; none when it fits nowhere."""


def start(seats: int, options: Options, rng: Random) -> State:
    """Return the first deal of a game, or in ``logic`` its layout."""
    setup = Setup(
        options=options,
        seats=seats,
        highest_card=WHOLE_DECK if options.variant in ("standard", "professional") else HAND * seats + ROWS,
        seed=f"{rng.random()} {rng.random()}",
        first_drafter=int(rng.random() * seats),
    )
    return _deal(setup, 1, (options.starting_points,) * seats)


def _deal(setup: Setup, deal: int, points: tuple[int, ...]) -> State:
    deck = range(1, setup.highest_card + 1)
    nothing: tuple[Cards, ...] = ((),) * setup.seats
    if setup.options.variant == "logic":
        return State(setup=setup, deal=deal, hands=nothing, rows=(), points=points, taken=nothing, table=tuple(deck))
    random = Random(f"{setup.seed} {deal}").random
    cards = sorted(deck, key=lambda _: random())
    dealt = HAND * setup.seats
    return State(
        setup=setup,
        deal=deal,
        hands=tuple([tuple(sorted(cards[at : at + HAND])) for at in range(0, dealt, HAND)]),
        rows=tuple([(card,) for card in sorted(cards[dealt : dealt + ROWS])]),
        points=points,
        taken=nothing,
        undealt=tuple(cards[dealt + ROWS :]),
    )


def drafter(state: State) -> int:
    """Return whose turn it is to draft: a plain round, started one seat further to the left in each deal."""
    setup = state.setup
    drafted = setup.highest_card - len(state.table)
    return (setup.first_drafter + state.deal - 1 + drafted) % setup.seats


def draft(state: State, card: int) -> State:
    """Return the state after the drafter has taken a card; the last four cards start the rows."""
    seat, hands, table = drafter(state), list(state.hands), _without(state.table, card)
    hands[seat] = tuple(sorted((*hands[seat], card)))
    if len(table) > ROWS:
        return msgspec.structs.replace(state, hands=tuple(hands), table=table)
    return msgspec.structs.replace(state, hands=tuple(hands), table=(), rows=tuple([(left,) for left in table]))


class Remark(NamedTuple):
    """Something about the placing of a card that people would mention, with the cards that its owner took."""

    seat: int
    card: int
    row: int
    why: Literal["sixth", "took", "chose"]
    taken: Cards = ()


class Trick:
    """A trick placed as far as it goes without another choice: a working copy of what placing changes.

    Either ``reveal`` or, where a row was to be chosen, ``choose`` is called, once; ``after`` is the state then.
    """

    def __init__(self, state: State) -> None:
        self.before = state
        self.rows, self.points, self.taken = list(state.rows), list(state.points), list(state.taken)
        self.hands, self.tricks = state.hands, state.tricks
        self.unplaced: tuple[int, ...] = ()
        self.fitting: tuple[int, ...] = ()
        self.remarks: list[Remark] = []

    def reveal(self, cards: Cards) -> None:
        """Take the cards that were played, by seat, from the hands and place them in ascending order."""
        self.hands = tuple(map(_without, self.hands, cards))
        self.tricks = (*self.tricks, cards)
        self._place(sorted(range(len(cards)), key=cards.__getitem__))

    def choose(self, row: int) -> None:
        """Put the first unplaced card where its owner chose, and place the others."""
        seat, *others = self.before.unplaced
        card = self.tricks[-1][seat]
        if not self.before.fitting:
            self._take(row, card, seat, "took")
        else:
            if len(self.rows[row]) < ROW_LENGTH:
                self.remarks.append(Remark(seat, card, row, "chose"))
            self._put(row, card, seat)
        self._place(others)

    def after(self) -> State:
        """Return the next state. A deal that is not the last leads straight to the next one."""
        before, points = self.before, tuple(self.points)
        if not (self.unplaced or self.hands[0] or self._is_last(points)):
            return _deal(before.setup, before.deal + 1, points)
        return State(
            setup=before.setup,
            deal=before.deal,
            hands=self.hands,
            rows=tuple(self.rows),
            points=points,
            taken=tuple(self.taken),
            undealt=before.undealt,
            tricks=self.tricks,
            unplaced=self.unplaced,
            fitting=self.fitting,
        )

    def _is_last(self, points: Iterable[int]) -> bool:
        return min(points) <= 0 or self.before.deal == self.before.setup.options.max_deals

    def _place(self, seats: Sequence[int]) -> None:
        nearest = nearest_at_both_ends if self.before.setup.options.both_ends else nearest_on_the_right
        cards = self.tricks[-1]
        for at, seat in enumerate(seats):
            fitting = nearest(self.rows, cards[seat])
            if len(fitting) != 1:
                self.unplaced, self.fitting = tuple(seats[at:]), fitting
                return
            self._put(fitting[0], cards[seat], seat)

    def _put(self, row: int, card: int, seat: int) -> None:
        cards = self.rows[row]
        if len(cards) == ROW_LENGTH:
            self._take(row, card, seat, "sixth")
        else:
            self.rows[row] = (*cards, card) if card > cards[-1] else (card, *cards)

    def _take(self, row: int, card: int, seat: int, why: Literal["sixth", "took"]) -> None:
        cards = self.rows[row]
        self.points[seat] -= all_heads(cards)
        self.taken[seat] += cards
        self.rows[row] = (card,)
        self.remarks.append(Remark(seat, card, row, why, cards))


def nearest_on_the_right(rows: Sequence[Cards], card: int) -> tuple[int, ...]:
    """Return the row with the highest last card below the card, if there is one."""
    highest, nearest = 0, None
    for cards in rows:
        if highest < cards[-1] < card:
            highest, nearest = cards[-1], cards
    return (rows.index(nearest),) if nearest else ()


def nearest_at_both_ends(rows: Sequence[Cards], card: int) -> tuple[int, ...]:
    """Return the row whose end is nearest, or two that are equally near, or none where every row straddles the card."""
    shortest = WHOLE_DECK
    fitting: tuple[int, ...] = ()
    for row, cards in enumerate(rows):
        distance = max(card - cards[-1], cards[0] - card)
        if 0 < distance < shortest:
            shortest, fitting = distance, (row,)
        elif distance == shortest:
            fitting = (*fitting, row)
    return fitting


def _without(cards: Cards, card: int) -> Cards:
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]
