"""TEN's turns: what happens between two decisions, in the order of the rules.

Every function takes a state and returns the one that follows, up to the next decision of a seat. A player is a seat, or
the automaton of a game of one seat, whose decisions are taken here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from referee.games.ten_cards import (
    BUST_TOKEN,
    NUMBER,
    WILDS,
    Cards,
    count,
    currency,
    currency_sum,
    duplicates,
    net,
    numbers,
    payments,
    pieces,
    score,
)
from referee.v1.ten_pb2 import TenAction, TenBuy, TenPayment

Kind = Literal["draw_or_stop", "bid", "pay", "buy", "bust_choice"]

DRAW, NUMBERS, CURRENCY = TenAction.TEN_ACTION_DRAW, TenAction.TEN_ACTION_NUMBERS, TenAction.TEN_ACTION_CURRENCY

FIRST_TOKENS = 5
MOST_TOKENS = 10
BUST = 11
AUTOMATON = 1
"""The automaton's place, to the left of the only seat."""
LEAST_SOLO_BID = 5


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be chosen about a game."""

    busting_variant: Annotated[
        bool, msgspec.Meta(description="Whoever busts may give up the bust token for a buy.")
    ] = False
    tie_break: Annotated[
        Literal["tokens", "tokens_and_bust_tokens"],
        msgspec.Meta(
            description="What ranks equal points, before fewest cards: currency tokens, "
            "or those and 3 for each bust token."
        ),
    ] = "tokens"
    automaton_level: Annotated[
        int,
        msgspec.Meta(description="One seat: the net at which the automaton stops, from 4 to 10.", ge=4, le=10),
    ] = 7


class Player(msgspec.Struct, frozen=True):
    """What a seat, or the automaton, has."""

    cards: Cards = ()
    tokens: int = FIRST_TOKENS
    bust_tokens: int = 0


class State(msgspec.Struct, frozen=True, kw_only=True):
    """A game between two decisions. ``players`` are the seats, and with one seat the automaton too."""

    options: Options
    seats: int
    deck: Cards
    """All cards in the order of drawing."""
    drawn: int = 0
    players: tuple[Player, ...]
    active: int
    asked: Kind | None = None
    """What is to be decided, and by whom. None when the game is over."""
    decider: int = 0
    tableau: Cards = ()
    market: Cards = ()
    discards: Cards = ()
    wild: str = ""
    """The card that is auctioned, if there is an auction."""
    bids: tuple[int, ...] = ()
    """The bids on it, from the left of the active seat; 0 is a pass."""
    final: bool = False
    """Whether the final buys have begun."""
    choices: int = 0
    """How many choices have been made."""
    story: tuple[tuple[int, str], ...] = ()
    """What the last choice led to, by player, as people would tell it."""


# --- Draw: numbers and currency lie in the tableau, a wild is auctioned, more than ten is a bust ----------------------


def draw(state: State) -> State:
    """Draw a card. The automaton busts by currency alone."""
    card = state.deck[state.drawn]
    state = replace(state, drawn=state.drawn + 1)
    if card in WILDS:
        return ask_bid(say(replace(state, wild=card, bids=()), state.active, f"draws {card}, a wild: an auction"))
    tableau = (*state.tableau, card)
    total, coins = net(tableau), currency_sum(tableau)
    state = say(replace(state, tableau=tableau), state.active, f"draws {card}: net {total}, currency {coins}")
    if coins >= BUST or (total >= BUST and not is_automaton(state, state.active)):
        return go_bust(state)
    return go_on(state)


def go_on(state: State) -> State:
    """Go on with a turn after a card or an auction. The automaton draws up to its level and takes the numbers."""
    if not is_automaton(state, state.active):
        return ask(state, state.active, "draw_or_stop")
    if net(state.tableau) < state.options.automaton_level and state.drawn < len(state.deck):
        return draw(state)
    return take_numbers(state)


def actions(state: State) -> tuple[TenAction.ValueType, ...]:
    """Return what the active seat may do. After the deck's last card it must stop."""
    return (NUMBERS, CURRENCY, DRAW) if state.drawn < len(state.deck) else (NUMBERS, CURRENCY)


# --- Auction: one chance each, from the left of the active seat, which comes last -------------------------------------


def ask_bid(state: State) -> State:
    """Ask the next player for a bid; after the last one, the auction is settled."""
    if len(state.bids) == len(state.players):
        return settle_auction(state)
    player = bidder(state, len(state.bids))
    if is_automaton(state, player):
        return place_bid(state, automaton_bid(state))
    return ask(state, player, "bid")


def place_bid(state: State, bid: int) -> State:
    """Note a bid, or a pass of 0."""
    player = bidder(state, len(state.bids))
    return ask_bid(say(replace(state, bids=(*state.bids, bid)), player, f"bids {bid}" if bid else "passes"))


def settle_auction(state: State) -> State:
    """Let the highest bidder pay, or discard a wild that nobody wants."""
    if not best_bid(state):
        state = say(state, state.active, f"discards {state.wild}: nobody bids")
        return go_on(replace(state, discards=(*state.discards, state.wild), wild="", bids=()))
    winner = best_bidder(state)
    if is_automaton(state, winner):
        # It pays tokens, then bust tokens, then duplicates: the order of the payments.
        return take_wild(state, next(payments_of(state, winner, best_bid(state))))
    return ask(state, winner, "pay")


def take_wild(state: State, payment: TenPayment) -> State:
    """Pay for the auctioned wild and take it; the turn goes on where it was."""
    winner, wild = best_bidder(state), state.wild
    state = _pay(replace(state, wild="", bids=()), winner, payment, wild)
    return go_on(state)


def automaton_bid(state: State) -> int:
    """Return the automaton's bid: on the seat's turn all that the seat could match, on its own just enough to win."""
    own = worth(state, AUTOMATON)
    aim = best_bid(state) + 1 if state.active == AUTOMATON else min(worth(state, 0), own)
    bid = max(LEAST_SOLO_BID, aim)
    return bid if bid <= own else 0


def bidder(state: State, place: int) -> int:
    """Return whose bid comes at that place, from 0."""
    return (state.active + 1 + place) % len(state.players)


def best_bid(state: State) -> int:
    """Return the highest bid so far, 0 if there is none."""
    return max(state.bids, default=0)


def best_bidder(state: State) -> int:
    """Return whose the highest bid is."""
    return bidder(state, state.bids.index(best_bid(state)))


def least_bid(state: State) -> int:
    """Return the least that may be bid now."""
    return max(best_bid(state) + 1, LEAST_SOLO_BID if is_solo(state) else 1)


# --- Paying: tokens and cards pay 1 each, bust tokens 3 without change ------------------------------------------------


def payable(state: State, player: int) -> Cards:
    """Return the cards that a player may pay with: all, but only duplicates in an auction against the automaton."""
    cards = state.players[player].cards
    return duplicates(cards) if state.wild and is_solo(state) else cards


def worth(state: State, player: int) -> int:
    """Return the most that a player can pay."""
    purse = state.players[player]
    return purse.tokens + BUST_TOKEN * purse.bust_tokens + len(payable(state, player))


def payments_of(state: State, player: int, price: int) -> Iterator[TenPayment]:
    """Yield the payments that a player can make."""
    purse = state.players[player]
    return payments(price, purse.tokens, purse.bust_tokens, payable(state, player))


def _pay(state: State, player: int, payment: TenPayment, for_card: str) -> State:
    """Give the pieces away and take the card; cards that were paid are discarded."""
    purse = state.players[player]
    cards = list(purse.cards)
    for card in payment.cards:
        cards.remove(card)
    after = Player((*cards, for_card), purse.tokens - payment.tokens, purse.bust_tokens - payment.bust_tokens)
    state = replace(with_player(state, player, after), discards=(*state.discards, *payment.cards))
    return say(state, player, f"pays {pieces(payment)} for {for_card}")


# --- Rewards: the numbers for oneself and the currency for the others, or the currency alone --------------------------


def take_numbers(state: State) -> State:
    """Take the numbers; every other player gains the currency. A buy follows, but not for the automaton."""
    taken, coins, player = numbers(state.tableau), currency_sum(state.tableau), state.active
    state = say(_keep_numbers(state), player, f"takes the numbers {' '.join(taken) or '(none)'}")
    state = _clear(_others_gain(state, coins))
    if is_automaton(state, player):
        return end_turn(state)
    return ask(state, player, "buy")


def take_currency(state: State) -> State:
    """Take the currency; the numbers go to the market, and there is no buy."""
    state = say(state, state.active, "takes the currency")
    state = _gain(_to_market(state), state.active, currency_sum(state.tableau))
    return end_turn(_clear(state))


def _keep_numbers(state: State) -> State:
    """Move the tableau's numbers to the active player's cards."""
    player = state.players[state.active]
    state = with_player(state, state.active, replace(player, cards=(*player.cards, *numbers(state.tableau))))
    return replace(state, tableau=currency(state.tableau))


def _to_market(state: State) -> State:
    """Move the tableau's numbers to the market."""
    return replace(state, market=(*state.market, *numbers(state.tableau)), tableau=currency(state.tableau))


def _clear(state: State) -> State:
    """Discard the currency, all that is left in the tableau."""
    return replace(state, discards=(*state.discards, *state.tableau), tableau=())


def _others_gain(state: State, tokens: int) -> State:
    for place in range(len(state.players) - 1):
        state = _gain(state, bidder(state, place), tokens)
    return state


def _gain(state: State, player: int, tokens: int) -> State:
    """Give currency tokens; what exceeds ten of them is lost."""
    before = state.players[player]
    after = replace(before, tokens=min(MOST_TOKENS, before.tokens + tokens))
    if after == before:
        return state
    gained = count(after.tokens - before.tokens, "token")
    return say(with_player(state, player, after), player, f"gains {gained} and has {after.tokens}")


# --- Buy: one card of the market at its face value --------------------------------------------------------------------


def buyable(state: State, player: int) -> list[str]:
    """Return the cards of the market that a player has not and can pay, each once."""
    own, most = state.players[player].cards, worth(state, player)
    return [card for card in dict.fromkeys(state.market) if NUMBER[card] <= most and card not in own]


def buy(state: State, seat: int, choice: TenBuy) -> State:
    """Buy a card or none; then goes on what the buy was part of: a turn, a bust, or the final buys."""
    if choice.card:
        market = list(state.market)
        market.remove(choice.card)
        state = _pay(replace(state, market=tuple(market)), seat, choice.payment, choice.card)
    elif buyable(state, seat):
        state = say(state, seat, "buys nothing")
    if state.final:
        return end_final_buy(state, seat)
    return compensate(state)  # after a bust; in any other turn the tableau is empty, and there is nothing to gain


# --- Bust: the numbers go to the market, a bust token consoles, and after a number bust the others gain ---------------


def go_bust(state: State) -> State:
    """Begin a bust. The automaton has its own way: it keeps its numbers, and has no choice about the token."""
    coins = currency_sum(state.tableau)
    what = f"busts with currency {coins}" if coins >= BUST else f"busts with a net of {net(state.tableau)}"
    state = say(state, state.active, what)
    if is_automaton(state, state.active):
        return settle_bust(_keep_numbers(state), keeps_token=True)
    state = _to_market(state)
    if state.options.busting_variant:
        return ask(state, state.active, "bust_choice")
    return settle_bust(state, keeps_token=True)


def settle_bust(state: State, *, keeps_token: bool) -> State:
    """Gain the bust token, or with ``busting_variant`` give it up for a buy."""
    if not keeps_token:
        return ask(say(state, state.active, "gives up the bust token for a buy"), state.active, "buy")
    player = state.players[state.active]
    state = with_player(state, state.active, replace(player, bust_tokens=player.bust_tokens + 1))
    return compensate(say(state, state.active, "gains a bust token"))


def compensate(state: State) -> State:
    """End a bust: after a number bust every other player gains the currency, after a currency bust nobody."""
    coins = currency_sum(state.tableau)
    if coins < BUST:
        state = _others_gain(state, coins)
    return end_turn(_clear(state))


# --- End: after the turn in which the last card was drawn, one final buy each -----------------------------------------


def end_turn(state: State) -> State:
    """Pass the turn on to the left, and draw the card that must be drawn; or begin the final buys."""
    left = (state.active + 1) % len(state.players)
    if state.drawn == len(state.deck):
        return ask_final_buy(replace(state, final=True), left)
    return draw(replace(state, active=left))


def ask_final_buy(state: State, player: int) -> State:
    """Ask for a final buy; the automaton never buys."""
    return end_final_buy(state, player) if is_automaton(state, player) else ask(state, player, "buy")


def end_final_buy(state: State, player: int) -> State:
    """Go on to the left; the active player's final buy ends the game."""
    if player != state.active:
        return ask_final_buy(state, (player + 1) % len(state.players))
    for owner, purse in enumerate(state.players):
        state = say(state, owner, f"scores {score(purse.cards)}")
    return state


# --- States -----------------------------------------------------------------------------------------------------------


def is_solo(state: State) -> bool:
    """Say whether the only seat plays against the automaton."""
    return state.seats == 1


def is_automaton(state: State, player: int) -> bool:
    """Say whether that player is the automaton."""
    return player >= state.seats


def ask(state: State, seat: int, what: Kind) -> State:
    """Leave a decision to a seat."""
    return replace(state, asked=what, decider=seat)


def with_player(state: State, player: int, purse: Player) -> State:
    """Change what a player has."""
    return replace(state, players=(*state.players[:player], purse, *state.players[player + 1 :]))


def say(state: State, player: int, what: str) -> State:
    """Add to what will be told."""
    return replace(state, story=(*state.story, (player, what)))
