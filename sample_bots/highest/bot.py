"""Plays its highest card: safe for a trick or two, and left with the low cards at the end."""

from referee_sdk import SixNimmtBot, SixNimmtView, run


class Highest(SixNimmtBot):
    """High cards first."""

    def play_card(self, view: SixNimmtView) -> int:
        """Play the highest card."""
        return max(view.hand)

    def draft(self, view: SixNimmtView) -> int:
        """Take the highest card."""
        return max(view.table)


if __name__ == "__main__":
    run(Highest)
