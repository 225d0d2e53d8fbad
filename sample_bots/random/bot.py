"""The simplest bot there is, and the one to start yours from.

A class a game, with a method for every decision; one object of the class plays one game. The view is all that a player
may know: proto/referee/v1/six_nimmt.proto and ten.proto describe its fields. A bot for one game has one class.

`print` is harmless: it goes to the log of the bot. `referee bot check` plays it and says what is wrong.
"""

import random

from referee_sdk import SixNimmtBot, SixNimmtView, TenBot, TenView, run
from referee_sdk.ten import CURRENCY, DRAW, NUMBERS
from referee_sdk.v1.ten_pb2 import TenAction


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


class RandomTen(TenBot):
    """Plays TEN by chance. The payments are left to the SDK: they cost as little as possible."""

    def draw_or_stop(self, view: TenView) -> TenAction.ValueType:
        """Draw, or take the tableau's numbers or its currency: this is the decision of every turn."""
        return random.choice([DRAW, NUMBERS, CURRENCY] if view.cards_left else [NUMBERS, CURRENCY])

    def bid(self, view: TenView) -> int:
        """Bid for the wild, or pass with 0. May be left out."""
        return random.choice([0, view.min_bid])

    def buy(self, view: TenView) -> str | None:
        """Choose a card of the market, or none. May be left out."""
        return random.choice([*view.buyable, None])

    def bust_choice(self, view: TenView) -> bool:
        """Choose whether to give up a bust token for a buy (option busting_variant only). May be left out."""
        return random.choice([False, True])


if __name__ == "__main__":
    run(RandomSixNimmt, RandomTen)
