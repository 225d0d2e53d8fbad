"""TEN for one to five seats, after the publisher's rulebook of 2021: what the referee asks, accepts and records.

The turns are in ten_turns.py, the deck, the payments and the score in ten_cards.py. What the rulebook leaves open is
decided as follows. Stopping is allowed after any card, a wild too, and either reward may be chosen when it is empty. A
payment must be irredundant. With ``busting_variant``, the bust token may be given up only if a card can be bought; the
buy that follows may still be none, as any buy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from referee.games import HousePlayer, IllegalChoice, Result, WrongKind
from referee.games import ten_turns as turns
from referee.games.ten_cards import (
    BUST_TOKEN,
    NUMBER,
    ORDER,
    Cards,
    check_payment,
    count,
    currency_sum,
    deck,
    net,
    pieces,
    score,
)
from referee.games.ten_turns import AUTOMATON, Options, Player, State
from referee.v1.ten_pb2 import (
    TenAction,
    TenBustChoice,
    TenBuy,
    TenChoice,
    TenDecision,
    TenDeck,
    TenPayment,
    TenSeat,
    TenView,
)

DECISIONS: Mapping[turns.Kind, TenDecision.ValueType] = {
    "draw_or_stop": TenDecision.TEN_DECISION_DRAW_OR_STOP,
    "bid": TenDecision.TEN_DECISION_BID,
    "pay": TenDecision.TEN_DECISION_PAY,
    "buy": TenDecision.TEN_DECISION_BUY,
    "bust_choice": TenDecision.TEN_DECISION_BUST_CHOICE,
}

TOKEN, BUY = TenBustChoice.TEN_BUST_CHOICE_TOKEN, TenBustChoice.TEN_BUST_CHOICE_BUY


class Ten:
    """The rules. See ``referee.games.Game`` for what each method owes."""

    name = "ten"
    title = "TEN"
    seats = range(1, 6)
    options = Options
    rules = (
        "Draw cards, numbers less currency, and stop before they pass ten: take the numbers while the others gain the "
        "currency, or take the currency and leave the numbers to the market. Wilds are auctioned on sight. Runs of a "
        "colour score a point a card, a complete 1 to 9 scores 10. One seat plays against the automaton."
    )
    variants: Sequence[Options] = (Options(), Options(busting_variant=True))

    def new(self, seats: int, options: Options, rng: Random) -> State:
        """Shuffle, choose who starts (the one seat, if there is one) and draw the first card.

        The shuffle sorts by ``random()``, the one sequence that Python promises to keep for a seed.
        """
        if seats > 1 and options.automaton_level != Options().automaton_level:
            raise ValueError(f"automaton_level would be ignored with {seats} seats: the automaton plays against one")
        if seats == 1 and options.tie_break != Options().tie_break:
            raise ValueError("tie_break would be ignored with one seat: it wins with strictly more points, or not")
        cards = sorted(deck(seats), key=lambda _: rng.random())
        first = int(rng.random() * seats)
        return turns.draw(
            State(
                options=options,
                seats=seats,
                deck=tuple(cards),
                players=(Player(),) * max(seats, 2),
                active=first,
            )
        )

    def pending(self, state: State) -> Sequence[int]:
        """Return the one seat that must decide."""
        return (state.decider,) if state.asked else ()

    def view(self, state: State, seat: int) -> TenView:
        """Return all but the order of the deck."""
        assert state.asked
        view = TenView()
        view.CopyFrom(_piles(state.market, state.discards))
        view.decision = DECISIONS[state.asked]
        view.tableau.extend(state.tableau)
        view.net, view.currency = net(state.tableau), currency_sum(state.tableau)
        view.cards_left = len(state.deck) - state.drawn
        view.seats.extend(map(_seat, state.players))
        view.active = state.active
        view.final_buys = state.final
        view.busting_variant = state.options.busting_variant
        view.tie_break = state.options.tie_break
        view.automaton_level = state.options.automaton_level if turns.is_solo(state) else 0
        if state.wild:
            best = turns.best_bid(state)
            view.auction.wild, view.auction.best_bid = state.wild, best
            view.auction.best_bidder = turns.best_bidder(state) if best else 0
            for place, bid in enumerate(state.bids):
                view.auction.bids.add(seat=turns.bidder(state, place), amount=bid)
        match state.asked:
            case "bid":
                view.min_bid, view.max_bid = turns.least_bid(state), turns.worth(state, seat)
            case "pay":
                view.price = turns.best_bid(state)
            case "buy" | "bust_choice":
                view.buyable.extend(turns.buyable(state, seat))
        if state.asked != "draw_or_stop":
            view.payable.extend(turns.payable(state, seat))
        return view

    def legal(self, state: State, seat: int) -> Iterator[TenChoice]:
        """Yield choices: stop before draw, pass, no buy, the token; payments with the fewest cards come first."""
        match state.asked:
            case "draw_or_stop":
                yield from (TenChoice(draw_or_stop=action) for action in turns.actions(state))
            case "bid":
                yield TenChoice(bid=0)
                yield from (TenChoice(bid=bid) for bid in range(turns.least_bid(state), turns.worth(state, seat) + 1))
            case "pay":
                yield from (TenChoice(pay=payment) for payment in turns.payments_of(state, seat, turns.best_bid(state)))
            case "buy":
                yield TenChoice(buy=TenBuy())
                for card in sorted(turns.buyable(state, seat), key=ORDER.__getitem__):
                    for payment in turns.payments_of(state, seat, NUMBER[card]):
                        yield TenChoice(buy=TenBuy(card=card, payment=payment))
            case "bust_choice":
                yield TenChoice(bust_choice=TOKEN)
                if turns.buyable(state, seat):
                    yield TenChoice(bust_choice=BUY)

    def check(self, state: State, seat: int, choice: TenChoice) -> None:
        """Raise WrongKind for an answer to another decision, IllegalChoice with the numbers that refuse it."""
        answer = choice.WhichOneof("choice")
        if answer is None or answer != state.asked:
            raise WrongKind(f"answers {answer or 'nothing'}, but is asked to {state.asked}")
        match answer:
            case "draw_or_stop":
                _check_action(state, choice.draw_or_stop)
            case "bid":
                _check_bid(state, seat, choice.bid)
            case "pay":
                _check_payment(state, seat, choice.pay, turns.best_bid(state))
            case "buy":
                _check_buy(state, seat, choice.buy)
            case "bust_choice":
                _check_bust_choice(state, seat, choice.bust_choice)

    def apply(self, state: State, choices: Mapping[int, TenChoice]) -> State:
        """Do what was chosen and all that follows from it."""
        ((seat, choice),) = choices.items()
        state = replace(state, asked=None, choices=state.choices + 1, story=())
        match choice.WhichOneof("choice"):
            case "draw_or_stop":
                follows = {
                    turns.DRAW: turns.draw,
                    turns.NUMBERS: turns.take_numbers,
                    turns.CURRENCY: turns.take_currency,
                }
                return follows[choice.draw_or_stop](state)
            case "bid":
                return turns.place_bid(state, choice.bid)
            case "pay":
                return turns.take_wild(state, choice.pay)
            case "buy":
                return turns.buy(state, seat, choice.buy)
            case _:
                return turns.settle_bust(state, keeps_token=choice.bust_choice == TOKEN)

    def result(self, state: State) -> Result:
        """Rank by points, then tokens, then fewest cards; what is equal in all shares a rank.

        Against the automaton there is no tie-break: the seat wins with strictly more points.
        """
        points = [score(player.cards) for player in state.players]
        if turns.is_solo(state):
            won = points[0] > points[AUTOMATON]
            name = f"automaton-{state.options.automaton_level}"
            return Result((points[0],), (1 if won else 2,), (HousePlayer(name, points[AUTOMATON], 2 if won else 1),))
        bust_worth = BUST_TOKEN if state.options.tie_break == "tokens_and_bust_tokens" else 0
        merits = [
            (own, player.tokens + bust_worth * player.bust_tokens, -len(player.cards))
            for own, player in zip(points, state.players, strict=True)
        ]
        return Result(tuple(points), tuple(1 + sum(other > own for other in merits) for own in merits))

    def events(self, before: State | None, after: State) -> Iterable[TenDeck]:
        """Yield the deck at the start: chance has no other part."""
        if before is None:
            yield TenDeck(cards=after.deck, first_seat=after.active)

    def export(self, message: Message) -> dict[str, Any]:
        """Return the deck with its ``type``, or a choice with its ``kind``."""
        if isinstance(message, TenDeck):
            return {"type": "deck", "cards": list(message.cards), "first_seat": message.first_seat}
        assert isinstance(message, TenChoice)
        kind = message.WhichOneof("choice")
        what: dict[str, Any]
        match kind:
            case "draw_or_stop":
                what = {"action": TenAction.Name(message.draw_or_stop).removeprefix("TEN_ACTION_").lower()}
            case "bid":
                what = {"amount": message.bid}
            case "pay":
                what = {"payment": _export_payment(message.pay)}
            case "buy" if message.buy.card:
                what = {"card": message.buy.card, "payment": _export_payment(message.buy.payment)}
            case "buy":
                what = {"card": None, "payment": None}
            case _:
                what = {"choice": "token" if message.bust_choice == TOKEN else "buy"}
        return {"kind": kind, **what}

    def tell(
        self, before: State, choices: Mapping[int, TenChoice], after: State, names: Sequence[str]
    ) -> Iterable[str]:
        """Tell what the state remembers of the choice; the first card of the game with the first choice."""
        everybody = [*names, "the automaton"]
        for player, what in after.story if before.choices else (*before.story, *after.story):
            yield f"{everybody[player]} {what}"


# A view is mostly cards that were there at the last decision too. Kept as messages, they are copied and not made anew:
# a view costs 16 µs and not 22. So many entries are enough for some hundred games in flight.


@lru_cache(maxsize=1024)
def _piles(market: Cards, discards: Cards) -> TenView:
    return TenView(market=market, discards=discards)


@lru_cache(maxsize=1024)
def _seat(player: Player) -> TenSeat:
    return TenSeat(cards=player.cards, tokens=player.tokens, bust_tokens=player.bust_tokens)


def _check_action(state: State, action: TenAction.ValueType) -> None:
    if action not in (turns.DRAW, turns.NUMBERS, turns.CURRENCY):
        raise WrongKind(f"answers draw_or_stop with {action}, which is no action")
    if action not in turns.actions(state):
        raise IllegalChoice(f"draws, but all {len(state.deck)} cards of the deck are drawn")


def _check_bid(state: State, seat: int, bid: int) -> None:
    least, best, most = turns.least_bid(state), turns.best_bid(state), turns.worth(state, seat)
    if bid > most:
        raise IllegalChoice(f"bid {bid}, but {_means(state, seat)} make {most}")
    if 0 < bid < least:
        raise IllegalChoice(f"bid {bid}, but {f'the best bid is {best}' if best else f'bids start at {least}'}")


def _check_payment(state: State, seat: int, payment: TenPayment, price: int) -> None:
    purse = state.players[seat]
    check_payment(payment, price, purse.tokens, purse.bust_tokens, turns.payable(state, seat))


def _check_buy(state: State, seat: int, choice: TenBuy) -> None:
    if not choice.card:
        if choice.HasField("payment"):
            raise IllegalChoice(f"pays {pieces(choice.payment)}, but names no card to buy")
        return
    if choice.card not in state.market:
        raise IllegalChoice(f"buys {choice.card}, but in the market is {_spaced(state.market)}")
    if choice.card in state.players[seat].cards:
        raise IllegalChoice(f"buys {choice.card}, but owns one already")
    _check_payment(state, seat, choice.payment, NUMBER[choice.card])


def _check_bust_choice(state: State, seat: int, choice: TenBustChoice.ValueType) -> None:
    if choice not in (TOKEN, BUY):
        raise WrongKind(f"answers bust_choice with {choice}, which is no choice")
    if choice == BUY and not turns.buyable(state, seat):
        raise IllegalChoice(
            f"chooses a buy, but with {_means(state, seat)} can buy no card of the market: {_spaced(state.market)}"
        )


def _means(state: State, seat: int) -> str:
    """Return all that a seat can pay with, in words."""
    purse, cards = state.players[seat], len(turns.payable(state, seat))
    own = count(cards, "duplicate" if state.wild and turns.is_solo(state) else "card")
    return f"{count(purse.tokens, 'token')}, {count(purse.bust_tokens, 'bust token')} and {own}"


def _spaced(cards: Iterable[str]) -> str:
    return " ".join(cards) or "nothing"


def _export_payment(payment: TenPayment) -> dict[str, Any]:
    return {"tokens": payment.tokens, "bust_tokens": payment.bust_tokens, "cards": list(payment.cards)}
