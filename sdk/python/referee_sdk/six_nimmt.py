"""6 nimmt!: the class to derive a bot from, and what thinking ahead needs of the rules.

A bot that thinks ahead turns the view into ``rows_of(view)``, copies the list and ``place``s cards on the copy.
"""

from abc import abstractmethod
from collections.abc import Iterable
from typing import NamedTuple

from referee_sdk.bot import Bot
from referee_sdk.v1.six_nimmt_pb2 import SixNimmtChoice, SixNimmtDecision, SixNimmtView

FULL = 5
"""A row of this many cards is taken by the next one."""


class SixNimmtBot(Bot):
    """A player of 6 nimmt!: ``play_card`` is to be written, the rest has defaults."""

    game = "six_nimmt"

    @abstractmethod
    def play_card(self, view: SixNimmtView) -> int:
        """Return a card of ``view.hand``."""

    def choose_row(self, view: SixNimmtView) -> int:
        """Return the row, 0 to 3, to take for ``view.card``. Here: the one with the fewest bull heads."""
        return min(view.row_choices, key=lambda row: heads(view.rows[row].cards))

    def choose_end(self, view: SixNimmtView) -> int:
        """Return one of ``view.row_choices``, both equally near to ``view.card``. Here: the one with fewer cards."""
        return min(view.row_choices, key=lambda row: len(view.rows[row].cards))

    def draft(self, view: SixNimmtView) -> int:
        """Return the card of ``view.table`` to take (variant "logic"). Here: the lowest."""
        return min(view.table)

    def decide(self, view: SixNimmtView, choice: SixNimmtChoice) -> None:
        """Call the method that the decision is named after."""
        match view.decision:
            case SixNimmtDecision.SIX_NIMMT_DECISION_PLAY_CARD:
                choice.play_card = self.play_card(view)
            case SixNimmtDecision.SIX_NIMMT_DECISION_CHOOSE_ROW:
                choice.choose_row = self.choose_row(view)
            case SixNimmtDecision.SIX_NIMMT_DECISION_CHOOSE_END:
                choice.choose_end = self.choose_end(view)
            case SixNimmtDecision.SIX_NIMMT_DECISION_DRAFT:
                choice.draft = self.draft(view)
            case other:
                raise ValueError(f"a decision this SDK does not know ({other}): install a newer referee-sdk")


class Row(NamedTuple):
    """A row as far as placing cards goes. Without both_ends, ``left`` does not matter."""

    left: int
    right: int
    size: int
    heads: int


class Place(NamedTuple):
    """Where a card goes: ``gap`` is the distance to the end of ``row`` it goes to, ``at_left`` the left one."""

    row: int
    gap: int
    at_left: bool


def _heads(card: int) -> int:
    if card == 55:
        return 7
    for factor, count in ((11, 5), (10, 3), (5, 2)):
        if card % factor == 0:
            return count
    return 1


HEADS = tuple(_heads(card) for card in range(105))
"""The bull heads of a card: ``HEADS[55] == 7``. ``HEADS[0]`` is no card."""


def heads(cards: Iterable[int]) -> int:
    """Return the bull heads of some cards together."""
    return sum(HEADS[card] for card in cards)


def rows_of(view: SixNimmtView) -> list[Row]:
    """Return the four rows of a view."""
    return [Row(row.cards[0], row.cards[-1], len(row.cards), heads(row.cards)) for row in view.rows]


def find_place(rows: list[Row], card: int, both_ends: bool) -> Place | None:
    """Return where the rules put a card, the first of two equal ends; None if it fits nowhere."""
    best, nearest, at_left = -1, 1000, False
    for index, (left, right, _, _) in enumerate(rows):
        if card > right:
            if card - right < nearest:
                best, nearest, at_left = index, card - right, False
        elif both_ends and card < left and left - card < nearest:
            best, nearest, at_left = index, left - card, True
    return Place(best, nearest, at_left) if best >= 0 else None


def place(rows: list[Row], card: int, both_ends: bool) -> int:
    """Place a card in ``rows`` and return the bull heads its owner takes; where it fits nowhere, the fewest."""
    found = find_place(rows, card, both_ends)
    index = found.row if found else min(range(len(rows)), key=lambda row: rows[row].heads)
    left, right, size, count = rows[index]
    if found is None or size == FULL:
        rows[index] = Row(card, card, 1, HEADS[card])
        return count
    if found.at_left:
        rows[index] = Row(card, right, size + 1, count + HEADS[card])
    else:
        rows[index] = Row(left, card, size + 1, count + HEADS[card])
    return 0


def unseen(view: SixNimmtView) -> list[int]:
    """Return the cards that may be in other hands, ascending: not in the own hand, in a row, played or taken."""
    seen = set(view.hand)
    for pile in (*view.rows, *view.played, *view.taken):
        seen.update(pile.cards)
    return [card for card in range(1, view.highest_card + 1) if card not in seen]
