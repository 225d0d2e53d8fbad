"""Draws by the odds of the cards left, bids and buys by the points that a card adds."""

from collections.abc import Iterable

from referee_sdk import TenBot, TenView, run
from referee_sdk.ten import BUST, BUST_TOKEN, CURRENCY, DRAW, NUMBERS, unseen, without
from referee_sdk.ten_score import score
from referee_sdk.v1.ten_pb2 import TenAction

TOKEN = 0.2
"""What a token is worth, in points."""


class Odds(TenBot):
    """Looks one card ahead."""

    def draw_or_stop(self, view: TenView) -> TenAction.ValueType:
        """Draw if that promises more than the better reward of now."""
        rewards = {NUMBERS: self.numbers(view, view.tableau), CURRENCY: TOKEN * view.currency}
        best = max(rewards, key=rewards.__getitem__)
        return DRAW if view.cards_left and self.draw(view, rewards[best]) > rewards[best] else best

    def draw(self, view: TenView, now: float) -> float:
        """Return the value of drawing one card and taking the better reward; a wild leaves the turn as it is."""
        value = 0.0
        for card, count in unseen(view).items():
            net, currency = view.net, view.currency
            if card[0] == "$":
                net, currency = net - int(card[1]), currency + int(card[1])
            elif card[0] != "*" and card[1] != "#":
                net += int(card[1])
            else:
                value += count * now
                continue
            if net >= BUST:
                value += count * TOKEN * (BUST_TOKEN - currency)
            elif currency >= BUST:
                value += count * TOKEN * BUST_TOKEN
            else:
                value += count * max(self.numbers(view, [*view.tableau, card]), TOKEN * currency)
        return value / view.cards_left

    def numbers(self, view: TenView, tableau: Iterable[str]) -> float:
        """Return the value of taking a tableau's numbers, less what the others gain."""
        own = view.seats[self.seat].cards
        numbers = [card for card in tableau if card[0] != "$"]
        gain = sum(int(card[1]) for card in tableau if card[0] == "$")
        return score([*own, *numbers]) - score(own) - TOKEN * gain

    def bid(self, view: TenView) -> int:
        """Bid the least while the wild is worth more."""
        own = view.seats[self.seat].cards
        gain = score([*own, view.auction.wild]) - score(own)
        return view.min_bid if view.min_bid <= view.max_bid and gain > TOKEN * view.min_bid else 0

    def buy(self, view: TenView) -> str | None:
        """Buy what is worth most beyond its price. At the end, tokens are worth nothing."""
        own = view.seats[self.seat].cards

        def value(card: str) -> float:
            payment = self.pay(view, int(card[1]))
            spent = 0 if view.final_buys else payment.tokens + BUST_TOKEN * payment.bust_tokens
            return score([*without(own, payment.cards), card]) - score(own) - TOKEN * spent

        best = max(view.buyable, key=value, default=None)
        return best if best and value(best) > 0 else None


if __name__ == "__main__":
    run(Odds)
