"""TEN: the class to derive a bot from, and the helpers that decisions need: what is left in the deck, how to pay."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from referee_sdk.bot import Bot
from referee_sdk.ten_score import COLOURS, score
from referee_sdk.v1.ten_pb2 import TenAction, TenBustChoice, TenChoice, TenDecision, TenPayment, TenView

DRAW = TenAction.TEN_ACTION_DRAW
NUMBERS = TenAction.TEN_ACTION_NUMBERS
CURRENCY = TenAction.TEN_ACTION_CURRENCY

BUST = 11
"""A net, or a currency, of this much is a bust."""

BUST_TOKEN = 3
"""What a bust token pays."""


class TenBot(Bot):
    """A player of TEN: ``draw_or_stop`` is to be written, the rest has defaults that never give points away."""

    game = "ten"

    @abstractmethod
    def draw_or_stop(self, view: TenView) -> TenAction.ValueType:
        """Return DRAW (if ``view.cards_left``), NUMBERS or CURRENCY."""

    def bid(self, view: TenView) -> int:
        """Return 0 to pass, or ``view.min_bid`` to ``view.max_bid``. Here: the least, in tokens, if it scores."""
        own = view.seats[self.seat]
        scores = score([*own.cards, view.auction.wild]) > score(own.cards)
        return view.min_bid if scores and view.min_bid <= own.tokens else 0

    def pay(self, view: TenView, price: int) -> TenPayment:
        """Return how to pay for the auction just won, or for a buy. Here: ``cheapest_payment``."""
        return cheapest_payment(view, self.seat, price)

    def buy(self, view: TenView) -> str | None:
        """Return a card of ``view.buyable``, or None. Here: the one that makes the hand score most, once it is paid."""
        own = view.seats[self.seat].cards

        def after(card: str) -> int:
            return score([*without(own, self.pay(view, int(card[1])).cards), card])

        best = max(view.buyable, key=after, default=None)
        return best if best and after(best) > score(own) else None

    def bust_choice(self, view: TenView) -> bool:
        """Return whether to give up the bust token for a buy. Here: if there is something worth buying."""
        return self.buy(view) is not None

    def decide(self, view: TenView, choice: TenChoice) -> None:
        """Call the method that the decision is named after."""
        match view.decision:
            case TenDecision.TEN_DECISION_DRAW_OR_STOP:
                choice.draw_or_stop = self.draw_or_stop(view)
            case TenDecision.TEN_DECISION_BID:
                choice.bid = self.bid(view)
            case TenDecision.TEN_DECISION_PAY:
                choice.pay.CopyFrom(self.pay(view, view.price))
            case TenDecision.TEN_DECISION_BUY:
                choice.buy.SetInParent()
                if card := self.buy(view):
                    choice.buy.card = card
                    choice.buy.payment.CopyFrom(self.pay(view, int(card[1])))
            case TenDecision.TEN_DECISION_BUST_CHOICE:
                buys = self.bust_choice(view)
                choice.bust_choice = TenBustChoice.TEN_BUST_CHOICE_BUY if buys else TenBustChoice.TEN_BUST_CHOICE_TOKEN
            case other:
                raise ValueError(f"a decision this SDK does not know ({other}): install a newer referee-sdk")


# --- The deck ---------------------------------------------------------------------------------------------------------


def deck(seats: int) -> Counter[str]:
    """Return the whole deck for so many seats: how many there are of each card."""
    third, fourth = seats >= 3, seats >= 4
    cards = Counter({"*#": 1})
    for number in range(1, 10):
        cards[f"*{number}"] = 1
        copies = 2 + third if number <= 3 else 2 + fourth if number <= 6 else 1
        cards.update({f"{colour}{number}": copies for colour in COLOURS})
    cards.update({f"{colour}#": 1 + fourth for colour in COLOURS})
    cards.update({f"${value}": (4 if value <= 2 else 3) + third + fourth for value in range(1, 6)})
    return cards


def unseen(view: TenView) -> Counter[str]:
    """Return the cards that are still in the deck, ``view.cards_left`` of them: how many there are of each."""
    left = deck(len(view.seats))
    for pile in (view.tableau, view.market, view.discards, [view.auction.wild], *(seat.cards for seat in view.seats)):
        left.subtract(pile)
    return +left


# --- Payments ---------------------------------------------------------------------------------------------------------


def payments(view: TenView, seat: int, price: int) -> Iterator[TenPayment]:
    """Yield every payment the rules accept, lazily, fewest cards first: with many cards there may be millions."""
    cards = sorted(view.payable)
    for count in range(min(price, len(cards)) + 1):
        coins = list(_coins(view, seat, price, count))
        for chosen in _choose(cards, count) if coins else ():
            for tokens, bust_tokens in coins:
                yield TenPayment(tokens=tokens, bust_tokens=bust_tokens, cards=chosen)


def cheapest_payment(view: TenView, seat: int, price: int) -> TenPayment:
    """Return the payment that costs the fewest points; of these one without loss of change, then with fewest cards.

    Bust tokens go first where they pay exactly, since tokens break ties and always pay exactly. Cards are chosen one by
    one, each the least missed. Raises ValueError if the seat cannot reach the price.
    """
    own = view.seats[seat].cards
    payable, chosen = list(view.payable), list[str]()
    best: tuple[tuple[int, int], TenPayment] | None = None
    while True:
        for tokens, bust_tokens in _coins(view, seat, price, len(chosen)):
            excess = tokens + BUST_TOKEN * bust_tokens + len(chosen) - price
            cost = score(own) - score(without(own, chosen)), excess
            if best is None or cost < best[0]:
                best = cost, TenPayment(tokens=tokens, bust_tokens=bust_tokens, cards=chosen)
        if (best and best[0][1] == 0) or len(chosen) == price or not payable:
            break
        card = max(payable, key=lambda card: score(without(own, [*chosen, card])))
        payable.remove(card)
        chosen.append(card)
    if best is None:
        raise ValueError(f"seat {seat} cannot pay {price}")
    return best[1]


def without(cards: Iterable[str], given: Iterable[str]) -> list[str]:
    """Return the cards that are left when some of them are given away."""
    return list((Counter(cards) - Counter(given)).elements())


def _coins(view: TenView, seat: int, price: int, cards: int) -> Iterator[tuple[int, int]]:
    """Yield the tokens and bust tokens that make a price together with so many cards; most bust tokens first."""
    purse = view.seats[seat]
    due = price - cards
    for bust_tokens in range(min(purse.bust_tokens, -(-due // BUST_TOKEN)), -1, -1):
        tokens = due - BUST_TOKEN * bust_tokens
        if tokens <= purse.tokens and (tokens >= 0 or cards == 0):
            yield max(0, tokens), bust_tokens


def _choose(cards: Sequence[str], count: int) -> Iterator[list[str]]:
    """Yield every way to choose so many of the sorted cards; equal cards are the same card."""
    if count == 0:
        yield []
    for place in range(len(cards) - count + 1 if count else 0):
        if place == 0 or cards[place] != cards[place - 1]:
            for others in _choose(cards[place + 1 :], count - 1):
                yield [cards[place], *others]
