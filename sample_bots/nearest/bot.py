"""Plays the card that is nearest to the end of a row with room: few cards of the others can come between."""

from referee_sdk import SixNimmtBot, SixNimmtView, run
from referee_sdk.six_nimmt import FULL, copy, find_place, place, rows_of


class Nearest(SixNimmtBot):
    """The smallest gap to a row with room; if there is none, the cheapest row to take."""

    def play_card(self, view: SixNimmtView) -> int:
        """Play the card with the smallest gap."""
        rows = rows_of(view)

        def cost(card: int) -> tuple[int, int]:
            """Bull heads to take at once, then the gap."""
            found = find_place(rows, card, view.both_ends)
            if found and found[0].size < FULL:
                return 0, found[1]
            return place(copy(rows), card, view.both_ends), 0

        return min(view.hand, key=cost)


if __name__ == "__main__":
    run(Nearest)
