"""Plays its lowest card: gets rid of trouble early, and pays for it when a deal is young."""

from referee_sdk import SixNimmtBot, SixNimmtView, run


class Lowest(SixNimmtBot):
    """Low cards first."""

    def play_card(self, view: SixNimmtView) -> int:
        """Play the lowest card."""
        return min(view.hand)


if __name__ == "__main__":
    run(Lowest)
