"""6 nimmt!: the class to derive a bot from, and what thinking ahead needs of the rules.

A bot that thinks ahead turns the view into ``rows_of(view)`` and ``place``s cards on a ``copy`` of them.
"""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

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


@dataclass(slots=True)
class Row:
    """A row as far as placing cards goes. Without both_ends, ``left`` does not matter."""

    left: int
    right: int
    size: int
    heads: int


def _heads(card: int) -> int:
    if card == 55:
        return 7
    for factor, count in ((11, 5), (10, 3), (5, 2)):
        if card % factor == 0:
            return count
    return 1


HEADS = (0, *(_heads(card) for card in range(1, 105)))
"""The bull heads of a card: ``HEADS[55] == 7``. There is no card 0."""


def heads(cards: Iterable[int]) -> int:
    """Return the bull heads of some cards together."""
    return sum(HEADS[card] for card in cards)


def rows_of(view: SixNimmtView) -> list[Row]:
    """Return the four rows of a view."""
    return [Row(row.cards[0], row.cards[-1], len(row.cards), heads(row.cards)) for row in view.rows]


def copy(rows: list[Row]) -> list[Row]:
    """Return rows to play on with, while the old ones stay as they are."""
    return [Row(row.left, row.right, row.size, row.heads) for row in rows]


def find_place(rows: list[Row], card: int, both_ends: bool) -> tuple[Row, int, bool] | None:
    """Return where the rules put a card: the row, the distance, and whether it is at the left. None: it fits nowhere.

    Of two equally near ends it is the first, where the rules let the player choose.
    """
    best, nearest, at_left = None, 1000, False
    for row in rows:
        if card > row.right:
            if card - row.right < nearest:
                best, nearest, at_left = row, card - row.right, False
        elif both_ends and card < row.left and row.left - card < nearest:
            best, nearest, at_left = row, row.left - card, True
    return (best, nearest, at_left) if best else None


def place(rows: list[Row], card: int, both_ends: bool) -> int:
    """Place a card, changing its row, and return the bull heads its owner takes: the fewest, if it fits nowhere."""
    found = find_place(rows, card, both_ends)
    row = found[0] if found else min(rows, key=lambda row: row.heads)
    if found is None or row.size == FULL:
        taken = row.heads
        row.left = row.right = card
        row.size, row.heads = 1, HEADS[card]
        return taken
    row.size += 1
    row.heads += HEADS[card]
    if found[2]:
        row.left = card
    else:
        row.right = card
    return 0


def unseen(view: SixNimmtView) -> list[int]:
    """Return the cards that may be in other hands, ascending: not in the own hand, in a row, played or taken."""
    seen = set(view.hand)
    for pile in (*view.rows, *view.played, *view.taken):
        seen.update(pile.cards)
    return [card for card in range(1, view.highest_card + 1) if card not in seen]
