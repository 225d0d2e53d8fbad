"""Plays the card with the least expected penalty, if the others play any of the cards it has not seen."""

from math import comb

from referee_sdk import SixNimmtBot, SixNimmtView, run
from referee_sdk.six_nimmt import FULL, HEADS, Row, copy, find_place, place, rows_of, unseen


class Careful(SixNimmtBot):
    """Counts, for each card, the unseen cards that could fill up its row before it gets there."""

    def play_card(self, view: SixNimmtView) -> int:
        """Play the card with the least expected penalty."""
        rows = rows_of(view)
        others = [card for hand in view.hands for card in hand.cards if card not in view.hand] or unseen(view)
        opponents = len(view.points) - 1

        def cost(card: int) -> tuple[float, int]:
            """Return the penalty; then, of cards as safe as each other, the lower one stays for later."""
            return expected_penalty(rows, card, others, opponents, view.both_ends), -card

        return min(view.hand, key=cost)


def expected_penalty(rows: list[Row], card: int, others: list[int], opponents: int, both_ends: bool) -> float:
    """Return the bull heads that playing ``card`` costs on average, when each opponent plays one of ``others``."""
    found = find_place(rows, card, both_ends)
    if found is None:
        lower = sum(other < card for other in others)
        return place(copy(rows), card, both_ends) * (1 - at_least(1, lower, len(others), opponents))
    row, _, at_left = found
    low, high = (card, row.left) if at_left else (row.right, card)
    between = [other for other in others if low < other < high]
    room = FULL - row.size
    heads = row.heads + room * sum(HEADS[other] for other in between) / max(1, len(between))
    return heads * at_least(room, len(between), len(others), opponents)


def at_least(hits: int, marked: int, cards: int, drawn: int) -> float:
    """Return the probability that ``hits`` or more of the ``drawn`` are among the ``marked`` of all ``cards``."""
    ways = sum(comb(marked, k) * comb(cards - marked, drawn - k) for k in range(hits, drawn + 1))
    return ways / comb(cards, drawn)


if __name__ == "__main__":
    run(Careful)
