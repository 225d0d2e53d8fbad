"""6 nimmt! for 2–10 seats, with its variants: the rules of ``six_nimmt_rules`` in the words of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Literal

from google.protobuf.message import Message

from referee.games import IllegalChoice, Result, WrongKind
from referee.games.six_nimmt_rules import ROWS, Cards, Options, Remark, State, Trick, all_heads, draft, drafter, start
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

Kind = Literal["play_card", "draft", "choose_row", "choose_end"]

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


class SixNimmt:
    """The game. See ``referee.games.Game`` for what each method owes."""

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
        return start(seats, options, rng)

    def pending(self, state: State) -> Sequence[int]:
        """Return the one seat that drafts or chooses a row, or all seats that play a card."""
        if state.table:
            return (drafter(state),)
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
            (choice,) = choices.values()
            return draft(state, choice.draft)
        return _trick(state, choices).after()

    def result(self, state: State) -> Result:
        """Rank by points; equal points share a rank."""
        points = state.points
        return Result(points, tuple(1 + sum(other > own for other in points) for own in points))

    def events(self, before: State | None, after: State) -> Iterable[SixNimmtDeal]:
        """Yield a deal, a layout before a draft, or the rows after it."""
        starters = [row[0] for row in after.rows]
        if before is not None and before.deal == after.deal:
            if before.table and not after.table:
                yield SixNimmtDeal(rows=SixNimmtRows(rows=starters))
        elif after.table:
            yield SixNimmtDeal(layout=SixNimmtLayout(cards=after.table, first_drafter=drafter(after)))
        else:
            dealt = SixNimmtHands(rows=starters)
            _fill(dealt.hands.add, after.hands)
            yield SixNimmtDeal(dealt=dealt)

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
        trick = _trick(before, choices)
        if not before.unplaced:
            yield from _tell_cards(before, trick, names)
        for remark in trick.remarks:
            yield _tell_remark(remark, names[remark.seat])
        if trick.unplaced:
            yield _tell_question(trick, names[trick.unplaced[0]])
            return
        yield f"rows {_spaced_rows(trick.rows)}"
        if not trick.hands[0]:
            points = ", ".join(f"{name} {left}" for name, left in zip(names, trick.points, strict=True))
            yield f"points after deal {before.deal}: {points}"


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


def _trick(state: State, choices: Mapping[int, SixNimmtChoice]) -> Trick:
    """Return the trick after the choices of all its cards, or of a row for one of them."""
    trick = Trick(state)
    if state.unplaced:
        (choice,) = choices.values()
        trick.choose(choice.choose_end if state.fitting else choice.choose_row)
    else:
        trick.reveal(tuple([choices[seat].play_card for seat in range(state.setup.seats)]))
    return trick


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
    _fill(view.played.add, zip(*state.tricks, strict=True) if state.tricks else [()] * setup.seats)
    _fill(view.taken.add, state.taken)
    if options.variant == "logic":
        _fill(view.hands.add, state.hands)
    if state.unplaced:
        seat = state.unplaced[0]
        view.card = state.tricks[-1][seat]
        view.revealed.extend(state.tricks[-1])
        view.row_choices.extend(_values(state, seat, kind))
    return view


def _fill(add: Callable[..., SixNimmtCards], lists: Iterable[Cards]) -> None:
    for cards in lists:
        add(cards=cards)


def _tell_cards(before: State, trick: Trick, names: Sequence[str]) -> Iterator[str]:
    if not before.tricks:
        yield f"deal {before.deal}, rows {_spaced_rows(before.rows)}"
    cards = sorted(zip(trick.tricks[-1], names, strict=True))
    yield f"trick {len(trick.tricks)}: {', '.join(f'{name} {card}' for card, name in cards)}"


def _tell_remark(remark: Remark, name: str) -> str:
    row, heads = remark.row + 1, all_heads(remark.taken)
    takes = f"{_spaced(remark.taken)} ({heads} {'head' if heads == 1 else 'heads'})"
    match remark.why:
        case "sixth":
            return f"{name}'s {remark.card} is the sixth card of row {row}: takes {takes}"
        case "took":
            return f"{name} takes row {row} with {remark.card}: {takes}"
        case "chose":
            return f"{name} chooses row {row} for {remark.card}"


def _tell_question(trick: Trick, name: str) -> str:
    card = trick.tricks[-1][trick.unplaced[0]]
    rows = " and ".join(str(row + 1) for row in trick.fitting)
    why = f"is equally near to rows {rows}" if rows else "fits nowhere"
    return f"{name}'s {card} {why}: {name} must choose a row"


def _spaced(cards: Iterable[int]) -> str:
    return " ".join(map(str, cards))


def _spaced_rows(rows: Iterable[Cards]) -> str:
    return " | ".join(map(_spaced, rows))
