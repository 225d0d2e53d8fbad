"""Plays its turn out on sampled decks, and values a hand by what it scores with sampled cards of the time to come."""

from collections.abc import Iterator, Sequence
from random import Random
from statistics import fmean

from referee_sdk import TenBot, TenView, run
from referee_sdk.ten import BUST, BUST_TOKEN, CURRENCY, DRAW, NUMBERS, unseen, without
from referee_sdk.ten_score import score
from referee_sdk.v1.ten_pb2 import TenAction

SAMPLES = 40
MOST_MS = 50
"""Hands with many wilds take long to score: after so many milliseconds, the samples there are must do."""

GOALS = range(-2, 9)
"""Turns are played out until net or currency is at least this. Drawing is worth what the best of these makes of it."""


class Rollout(TenBot):
    """Every choice is tried against the same sampled decks."""

    def __init__(self) -> None:
        """Seed the bot's own randomness."""
        self.rng = Random()

    def draw_or_stop(self, view: TenView) -> TenAction.ValueType:
        """Stop, or draw to one of the goals: what does best, on average over the decks."""
        own = list(view.seats[self.seat].cards)
        now = [0.0, 0.0]
        goals = [0.0] * len(GOALS)
        for deck in self.decks(view):
            hand = [*own, *self.coming(view, deck)]
            ends = [
                (high, [score([*hand, *gained]) + token(view) * tokens for gained, tokens in choices])
                for high, choices in rewards(view, deck)
            ]
            now = [total + value for total, value in zip(now, ends[0][1], strict=True)]
            later = [(high, max(values)) for high, values in ends[1:]]
            for place, goal in enumerate(GOALS):
                goals[place] += next((best for high, best in later if high >= goal), later[-1][1]) if later else 0
        if view.cards_left and max(goals) > max(now):
            return DRAW
        return NUMBERS if now[0] >= now[1] else CURRENCY

    def bid(self, view: TenView) -> int:
        """Bid half of what the wild is worth, as the seats to come bid too; more, if that takes the least bid."""
        purse = view.seats[self.seat]
        without_it, with_it = self.worths(view, [purse.cards, [*purse.cards, view.auction.wild]])
        most = min(purse.tokens + BUST_TOKEN * purse.bust_tokens, int((with_it - without_it) / token(view)))
        return max(view.min_bid, most // 2) if most >= view.min_bid else 0

    def buy(self, view: TenView) -> str | None:
        """Buy what is worth most beyond its price."""
        own = list(view.seats[self.seat].cards)
        payments = [self.pay(view, int(card[1])) for card in view.buyable]
        hands = [[*without(own, paid.cards), card] for card, paid in zip(view.buyable, payments, strict=True)]
        now, *worths = self.worths(view, [own, *hands])
        prices = [token(view) * (paid.tokens + BUST_TOKEN * paid.bust_tokens) for paid in payments]
        gains = [worth - price - now for worth, price in zip(worths, prices, strict=True)]
        gain, card = max(zip(gains, view.buyable, strict=True), default=(0.0, ""))
        return card if gain > 0 else None

    def worths(self, view: TenView, hands: Sequence[Sequence[str]]) -> list[float]:
        """Return what each of these hands scores in the end, on average over the decks."""
        scores = []
        for deck in self.decks(view):
            coming = self.coming(view, deck)
            scores.append([score([*hand, *coming]) for hand in hands])
        return [fmean(column) for column in zip(*scores, strict=True)]

    def decks(self, view: TenView) -> Iterator[list[str]]:
        """Yield what may be left of the deck, in the order of drawing; fewer decks if time gets short."""
        left = list(unseen(view).elements())
        start = self.clock
        for sample in range(SAMPLES):
            if sample > 0 and start - self.clock > MOST_MS:
                break
            yield self.rng.sample(left, len(left))

    def coming(self, view: TenView, deck: Sequence[str]) -> list[str]:
        """Return the number cards that will be the player's, if the deck is this one: its fair part, from the end."""
        return [card for card in deck[len(deck) - len(deck) // len(view.seats) :] if is_number(card)]


def token(view: TenView) -> float:
    """Return what a token is worth, in points: less and less as the end comes near, where it only breaks ties."""
    return 0.25 * max(0.1, min(1, view.cards_left / 25))


def rewards(view: TenView, deck: Sequence[str]) -> Iterator[tuple[int, list[tuple[list[str], int]]]]:
    """Yield how the turn may end after each card from now on, up to a bust.

    That is the larger of net and currency, and the number cards and the tokens (less the others') of each reward.
    """
    numbers = [card for card in view.tableau if card[0] != "$"]
    net, currency = view.net, view.currency
    yield max(net, currency), [(list(numbers), -currency), ([], currency)]
    for card in deck:
        if card[0] == "$":
            net, currency = net - int(card[1]), currency + int(card[1])
        elif is_number(card):
            net += int(card[1])
            numbers.append(card)
        else:
            continue
        if net >= BUST or currency >= BUST:
            yield BUST, [([], BUST_TOKEN - (currency if net >= BUST else 0))]
            return
        yield max(net, currency), [(list(numbers), -currency), ([], currency)]


def is_number(card: str) -> bool:
    """Return whether it is a number card: neither currency nor a wild."""
    return card[0] not in "$*" and card[1] != "#"


if __name__ == "__main__":
    run(Rollout)
