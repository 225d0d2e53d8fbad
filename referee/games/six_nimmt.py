"""6 nimmt! for 2–10 seats, with its variants, after the publisher's rulebooks of 2005 and 2019.

Cards are their numbers, rows are 0 to 3. Where the rulebooks are silent: starting rows are laid in ascending order, the
draft of ``logic`` is a plain round, and with both ends the owner of a card that is equally near to two ends chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from google.protobuf.message import Message

from referee.games import IllegalChoice, Result, WrongKind
from referee.v1.six_nimmt_pb2 import (
    SixNimmtCards,
    SixNimmtChoice,
    SixNimmtDeal,
    SixNimmtDecision,
    SixNimmtHands,
    SixNimmtLayout,
    SixNimmtRows,
    SixNimmtView,
)

Cards = tuple[int, ...]
Kind = Literal["play_card", "draft", "choose_row", "choose_end"]

HAND = 10
ROWS = 4
ROW_LENGTH = 5
WHOLE_DECK = 104

DECISIONS: Mapping[Kind, SixNimmtDecision.ValueType] = {
    "play_card": SixNimmtDecision.SIX_NIMMT_DECISION_PLAY_CARD,
    "draft": SixNimmtDecision.SIX_NIMMT_DECISION_DRAFT,
    "choose_row": SixNimmtDecision.SIX_NIMMT_DECISION_CHOOSE_ROW,
    "choose_end": SixNimmtDecision.SIX_NIMMT_DECISION_CHOOSE_END,
}

REFUSALS: Mapping[Kind, str] = {
    "play_card": "plays {}, but holds {}",
    "draft": "drafts {}, but on the table are {}",
    "choose_row": "chooses row {}, but the rows are {}",
    "choose_end": "chooses row {}, but the equally near ends are of rows {}",
}


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
    table: Cards = ()
    """Face-up cards that are still to be drafted."""
    undealt: Cards = ()
    tricks: tuple[Cards, ...] = ()
    """This deal's cards as they were revealed, trick by trick, each by seat."""
    taken: tuple[Cards, ...]
    """This deal's cards by the seat that took them, in the order taken."""
    unplaced: tuple[int, ...] = ()
    """The seats whose cards of the current trick do not lie yet, in the cards' order. The first must choose a row."""
    fitting: tuple[int, ...] = ()
    """The rows that are equally near to the card of the first unplaced seat; none when it fits nowhere."""


class SixNimmt:
    """The rules. See ``referee.games.Game`` for what each method owes."""

    name = "six_nimmt"
    title = "6 nimmt!"
    seats = range(2, 11)
    options = Options
    rules = (
        "Ten cards each, four rows. All play a card at once; in ascending order, each goes to the row that ends "
        "nearest below it. Whoever lays a row's sixth card takes the other five, and whoever lays a card below all "
        "rows takes a row of their choice: every bull head taken costs a point. Deals of ten tricks go on until "
        "somebody has no points left; most points win."
    )
    variants: Sequence[Options] = (
        Options(),
        Options(variant="tactical"),
        Options(variant="logic"),
        Options(variant="professional"),
        Options(variant="standard", both_ends=True),
        Options(variant="tactical", both_ends=True),
        Options(variant="logic", both_ends=False),
    )

    def __init__(self) -> None:
        # The views of one trick differ in the hand alone, and are asked for one after the other: keep the rest.
        self._shown: tuple[State | None, SixNimmtView] = (None, SixNimmtView())

    def new(self, seats: int, options: Options, rng: Random) -> State:
        """Start a game: the first deal, or in ``logic`` the first layout."""
        setup = Setup(
            options=options,
            seats=seats,
            highest_card=WHOLE_DECK if options.variant in ("standard", "professional") else HAND * seats + ROWS,
            seed=rng.randbytes(16).hex(),
            first_drafter=int(rng.random() * seats),
        )
        return _deal(setup, 1, (options.starting_points,) * seats)

    def pending(self, state: State) -> Sequence[int]:
        """Return the one seat that drafts or chooses a row, or all seats that play a card."""
        if state.table:
            return (_drafter(state),)
        if state.unplaced:
            return state.unplaced[:1]
        return range(state.setup.seats) if state.hands[0] else ()

    def view(self, state: State, seat: int) -> SixNimmtView:
        """Return the public part, built once a state, with the seat's hand."""
        shown, public = self._shown
        if shown is not state:
            public = _public(state)
            self._shown = state, public
        view = SixNimmtView()
        view.CopyFrom(public)
        view.hand.extend(state.hands[seat])
        return view

    def legal(self, state: State, seat: int) -> Iterator[SixNimmtChoice]:
        """Yield choices from the lowest card, or the first row."""
        kind = _kind(state)
        for value in _values(state, seat, kind):
            yield SixNimmtChoice(**{kind: value})

    def check(self, state: State, seat: int, choice: SixNimmtChoice) -> None:
        """Raise WrongKind for an answer to another decision, IllegalChoice with what there was to choose from."""
        kind = _kind(state)
        answer = choice.WhichOneof("choice")
        if answer != kind:
            raise WrongKind(f"answers {answer or 'nothing'}, but is asked to {kind}")
        value, values = getattr(choice, kind), _values(state, seat, kind)
        if value not in values:
            raise IllegalChoice(REFUSALS[kind].format(value, _spaced(values)))

    def apply(self, state: State, choices: Mapping[int, SixNimmtChoice]) -> State:
        """Draft a card, or place a trick as far as it goes without another choice. A next deal is dealt at once."""
        if state.table:
            ((seat, choice),) = choices.items()
            return _draft(state, seat, choice.draft)
        trick = _Trick(state, choices)
        if trick.unplaced or trick.hands[0] or _over(state, trick.points):
            return State(
                setup=state.setup,
                deal=state.deal,
                hands=trick.hands,
                rows=tuple(trick.rows),
                points=tuple(trick.points),
                undealt=state.undealt,
                tricks=trick.tricks,
                taken=tuple(trick.taken),
                unplaced=trick.unplaced,
                fitting=trick.fitting,
            )
        return _deal(state.setup, state.deal + 1, tuple(trick.points))

    def result(self, state: State) -> Result:
        """Rank by points; equal points share a rank."""
        points = state.points
        return Result(points, tuple(1 + sum(other > own for other in points) for own in points))

    def events(self, before: State | None, after: State) -> Iterable[SixNimmtDeal]:
        """Yield a deal, a layout before a draft, or the rows after it."""
        if before is None or before.deal != after.deal:
            if after.table:
                layout = SixNimmtLayout(cards=after.table, first_drafter=_drafter(after))
                yield SixNimmtDeal(layout=layout)
            else:
                dealt = SixNimmtHands(rows=_starters(after))
                _fill(dealt.hands.add, after.hands)
                yield SixNimmtDeal(dealt=dealt)
        elif before.table and not after.table:
            yield SixNimmtDeal(rows=SixNimmtRows(rows=_starters(after)))

    def export(self, message: Message) -> dict[str, Any]:
        """Return an event with its ``type`` deal, layout or rows; or a choice with its ``kind`` and card or row."""
        if isinstance(message, SixNimmtChoice):
            kind = message.WhichOneof("choice")
            assert kind is not None
            return {"kind": kind, "card" if kind in ("play_card", "draft") else "row": getattr(message, kind)}
        assert isinstance(message, SixNimmtDeal)
        match message.WhichOneof("kind"):
            case "dealt":
                hands = [list(hand.cards) for hand in message.dealt.hands]
                return {"type": "deal", "hands": hands, "rows": [[card] for card in message.dealt.rows]}
            case "layout":
                cards = list(message.layout.cards)
                return {"type": "layout", "cards": cards, "first_drafter": message.layout.first_drafter}
            case _:
                return {"type": "rows", "rows": [[card] for card in message.rows.rows]}

    def tell(
        self, before: State, choices: Mapping[int, SixNimmtChoice], after: State, names: Sequence[str]
    ) -> Iterable[str]:
        """Tell a draft or a trick. Rows are counted from 1, as people do."""
        if before.table:
            ((seat, choice),) = choices.items()
            yield f"{names[seat]} drafts {choice.draft}"
            return
        trick = _Trick(before, choices)
        if not before.unplaced:
            if not before.tricks:
                yield f"deal {before.deal}, rows {_spaced_rows(before.rows)}"
            cards = sorted((choice.play_card, names[seat]) for seat, choice in choices.items())
            yield f"trick {len(trick.tricks)}: {', '.join(f'{name} {card}' for card, name in cards)}"
        for told in trick.told:
            yield _tell(told, names[told.seat])
        if trick.unplaced:
            seat = trick.unplaced[0]
            card = trick.tricks[-1][seat]
            near = " and ".join(str(row + 1) for row in trick.fitting)
            where = f"is equally near to rows {near}" if near else "fits nowhere"
            yield f"{names[seat]}'s {card} {where}: {names[seat]} must choose a row"
            return
        yield f"rows {_spaced_rows(trick.rows)}"
        if not trick.hands[0]:
            points = ", ".join(f"{name} {left}" for name, left in zip(names, trick.points, strict=True))
            yield f"points after deal {before.deal}: {points}"


class _Told(NamedTuple):
    """Something about a card's placing that people would mention."""

    seat: int
    card: int
    row: int
    why: Literal["sixth", "took", "chose"]
    taken: Cards = ()


class _Trick:
    """A trick placed as far as it goes without another choice: a working copy of what placing changes."""

    def __init__(self, state: State, choices: Mapping[int, SixNimmtChoice]) -> None:
        self.rows, self.points, self.taken = list(state.rows), list(state.points), list(state.taken)
        self.hands, self.tricks, self.unplaced = state.hands, state.tricks, state.unplaced
        self.fitting: tuple[int, ...] = ()
        self.told: list[_Told] = []
        if self.unplaced:
            self._choose(state, choices)
        else:
            self._reveal(choices)
        self._place(_nearest_at_both_ends if state.setup.options.both_ends else _nearest)

    def _choose(self, state: State, choices: Mapping[int, SixNimmtChoice]) -> None:
        seat, *others = self.unplaced
        self.unplaced = tuple(others)
        choice, card = choices[seat], self.tricks[-1][seat]
        if state.fitting:
            if len(self.rows[choice.choose_end]) < ROW_LENGTH:
                self.told.append(_Told(seat, card, choice.choose_end, "chose"))
            self._put(choice.choose_end, card, seat)
        else:
            self._take(choice.choose_row, card, seat, "took")

    def _reveal(self, choices: Mapping[int, SixNimmtChoice]) -> None:
        seats = range(len(self.hands))
        cards = tuple([choices[seat].play_card for seat in seats])
        self.hands = tuple(map(_without, self.hands, cards))
        self.tricks = (*self.tricks, cards)
        self.unplaced = tuple(sorted(seats, key=cards.__getitem__))

    def _place(self, nearest: _Nearest) -> None:
        cards = self.tricks[-1]
        for at, seat in enumerate(self.unplaced):
            fitting = nearest(self.rows, cards[seat])
            if len(fitting) != 1:
                self.unplaced, self.fitting = self.unplaced[at:], fitting
                return
            self._put(fitting[0], cards[seat], seat)
        self.unplaced = ()

    def _put(self, row: int, card: int, seat: int) -> None:
        cards = self.rows[row]
        if len(cards) == ROW_LENGTH:
            self._take(row, card, seat, "sixth")
        else:
            self.rows[row] = (*cards, card) if card > cards[-1] else (card, *cards)

    def _take(self, row: int, card: int, seat: int, why: Literal["sixth", "took"]) -> None:
        cards = self.rows[row]
        self.points[seat] -= _heads(cards)
        self.taken[seat] += cards
        self.rows[row] = (card,)
        self.told.append(_Told(seat, card, row, why, cards))


_Nearest = Callable[[Sequence[Cards], int], tuple[int, ...]]
"""Where a card goes among rows: the nearest row, two rows whose ends are equally near, or none."""


def _nearest(rows: Sequence[Cards], card: int) -> tuple[int, ...]:
    """Find the row with the highest last card below the card."""
    highest, nearest = 0, None
    for cards in rows:
        if highest < cards[-1] < card:
            highest, nearest = cards[-1], cards
    return (rows.index(nearest),) if nearest else ()


def _nearest_at_both_ends(rows: Sequence[Cards], card: int) -> tuple[int, ...]:
    """Find the end with the smallest distance; a row whose cards straddle the card has none."""
    shortest = WHOLE_DECK
    fitting: tuple[int, ...] = ()
    for row, cards in enumerate(rows):
        distance = max(card - cards[-1], cards[0] - card)
        if 0 < distance < shortest:
            shortest, fitting = distance, (row,)
        elif distance == shortest:
            fitting = (*fitting, row)
    return fitting


def _deal(setup: Setup, deal: int, points: tuple[int, ...]) -> State:
    """Deal, or lay out the cards to draft.

    The shuffle sorts by ``random()``, the one sequence that Python promises to keep for a seed.
    """
    deck = range(1, setup.highest_card + 1)
    nothing: tuple[Cards, ...] = ((),) * setup.seats
    if setup.options.variant == "logic":
        return State(setup=setup, deal=deal, hands=nothing, rows=(), points=points, table=tuple(deck), taken=nothing)
    random = Random(f"{setup.seed}/{deal}").random
    cards = sorted(deck, key=lambda _: random())
    dealt = HAND * setup.seats
    return State(
        setup=setup,
        deal=deal,
        hands=tuple([tuple(sorted(cards[at : at + HAND])) for at in range(0, dealt, HAND)]),
        rows=tuple([(card,) for card in sorted(cards[dealt : dealt + ROWS])]),
        points=points,
        undealt=tuple(cards[dealt + ROWS :]),
        taken=nothing,
    )


def _drafter(state: State) -> int:
    """Return whose turn it is to draft: a plain round, started one seat further to the left in each deal."""
    setup = state.setup
    drafted = setup.highest_card - len(state.table)
    return (setup.first_drafter + state.deal - 1 + drafted) % setup.seats


def _draft(state: State, seat: int, card: int) -> State:
    hands = list(state.hands)
    hands[seat] = tuple(sorted((*hands[seat], card)))
    table = _without(state.table, card)
    if len(table) > ROWS:
        return msgspec.structs.replace(state, hands=tuple(hands), table=table)
    return msgspec.structs.replace(state, hands=tuple(hands), table=(), rows=tuple([(left,) for left in table]))


def _over(state: State, points: Sequence[int]) -> bool:
    """Say whether the game ends with this deal."""
    return min(points) <= 0 or state.deal == state.setup.options.max_deals


def _kind(state: State) -> Kind:
    """Return what is to be decided."""
    if state.table:
        return "draft"
    if state.unplaced:
        return "choose_end" if state.fitting else "choose_row"
    return "play_card"


def _values(state: State, seat: int, kind: Kind) -> Sequence[int]:
    """Return the cards or rows that the seat may choose from, ascending."""
    if kind == "play_card":
        return state.hands[seat]
    if kind == "draft":
        return state.table
    return state.fitting or range(ROWS)


def _public(state: State) -> SixNimmtView:
    """Return a view without a hand: what all seats may know."""
    setup, options, kind = state.setup, state.setup.options, _kind(state)
    view = SixNimmtView(
        decision=DECISIONS[kind],
        points=state.points,
        table=state.table,
        deal=state.deal,
        trick=0 if state.table else len(state.tricks) + (not state.unplaced),
        variant=options.variant,
        both_ends=bool(options.both_ends),
        highest_card=setup.highest_card,
        starting_points=options.starting_points,
        max_deals=options.max_deals or 0,
    )
    _fill(view.rows.add, state.rows)
    _fill(view.played.add, zip(*state.tricks, strict=True) if state.tricks else state.taken)
    _fill(view.taken.add, state.taken)
    if options.variant == "logic":
        _fill(view.hands.add, state.hands)
    if state.unplaced:
        seat = state.unplaced[0]
        view.card = state.tricks[-1][seat]
        view.revealed.extend(state.tricks[-1])
        view.row_choices.extend(_values(state, seat, kind))
    return view


def _tell(told: _Told, name: str) -> str:
    row, cards = told.row + 1, f"{_spaced(told.taken)} ({_count(_heads(told.taken))})"
    if told.why == "sixth":
        return f"{name}'s {told.card} is the sixth card of row {row}: takes {cards}"
    if told.why == "took":
        return f"{name} takes row {row} with {told.card}: {cards}"
    return f"{name} chooses row {row} for {told.card}"


def _heads(cards: Iterable[int]) -> int:
    return sum([HEADS[card] for card in cards])


def _count(heads: int) -> str:
    return "1 head" if heads == 1 else f"{heads} heads"


def _without(cards: Cards, card: int) -> Cards:
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


def _fill(add: Callable[..., SixNimmtCards], lists: Iterable[Cards]) -> None:
    for cards in lists:
        add(cards=cards)


def _starters(state: State) -> list[int]:
    return [row[0] for row in state.rows]


def _spaced(cards: Iterable[int]) -> str:
    return " ".join(map(str, cards))


def _spaced_rows(rows: Iterable[Cards]) -> str:
    return " | ".join(map(_spaced, rows))
