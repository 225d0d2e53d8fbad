"""Stops on a rule of thumb, and leaves the other decisions to the SDK."""

from referee_sdk import TenBot, TenView, run
from referee_sdk.ten import CURRENCY, DRAW, NUMBERS
from referee_sdk.v1.ten_pb2 import TenAction


class Cautious(TenBot):
    """Draws while even a 5 would not bust."""

    def draw_or_stop(self, view: TenView) -> TenAction.ValueType:
        """Draw to a net or a currency above five; then take what there is more of."""
        if view.net <= 5 and view.currency <= 5 and view.cards_left:
            return DRAW
        return CURRENCY if view.currency > view.net else NUMBERS


if __name__ == "__main__":
    run(Cautious)
