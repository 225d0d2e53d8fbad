"""The simplest bot there is, and the one to start yours from.

A class with a method for every decision of the game; the referee makes one object of it a game. The view is all that a
player may know: proto/referee/v1/six_nimmt.proto describes its fields.

`print` is harmless: it goes to the log of the bot. `referee bot check` plays it and says what is wrong.
"""

import random

from referee_sdk import SixNimmtBot, SixNimmtView, run


class RandomSixNimmt(SixNimmtBot):
    """Plays 6 nimmt! by chance."""

    def play_card(self, view: SixNimmtView) -> int:
        """Choose a card of the hand: this is the decision of every trick."""
        return random.choice(view.hand)

    def choose_row(self, view: SixNimmtView) -> int:
        """Choose the row to take, where `view.card` fits nowhere. Leave it out to take the cheapest."""
        return random.choice(view.row_choices)

    def choose_end(self, view: SixNimmtView) -> int:
        """Choose one of two rows that `view.card` is equally near to (with both ends only). May be left out."""
        return random.choice(view.row_choices)

    def draft(self, view: SixNimmtView) -> int:
        """Take a card of the table into the hand (variant "logic" only). May be left out."""
        return random.choice(view.table)


if __name__ == "__main__":
    run(RandomSixNimmt)
