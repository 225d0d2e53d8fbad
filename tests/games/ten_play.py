"""Short ways to set up a game of TEN and to say what is chosen in it."""

from __future__ import annotations

from collections.abc import Iterable

from referee.games import IllegalChoice
from referee.games.ten import Ten
from referee.games.ten_turns import Options, Player, State, draw
from referee.v1.ten_pb2 import TenAction, TenBustChoice, TenBuy, TenChoice, TenPayment

TEN = Ten()

DRAW = TenChoice(draw_or_stop=TenAction.TEN_ACTION_DRAW)
NUMBERS = TenChoice(draw_or_stop=TenAction.TEN_ACTION_NUMBERS)
CURRENCY = TenChoice(draw_or_stop=TenAction.TEN_ACTION_CURRENCY)
NO_BUY = TenChoice(buy=TenBuy())
KEEP_TOKEN = TenChoice(bust_choice=TenBustChoice.TEN_BUST_CHOICE_TOKEN)
RATHER_BUY = TenChoice(bust_choice=TenBustChoice.TEN_BUST_CHOICE_BUY)
PASS = TenChoice(bid=0)


def bid(amount: int) -> TenChoice:
    return TenChoice(bid=amount)


def payment(tokens: int = 0, bust_tokens: int = 0, cards: str = "") -> TenPayment:
    return TenPayment(tokens=tokens, bust_tokens=bust_tokens, cards=cards.split())


def pay(tokens: int = 0, bust_tokens: int = 0, cards: str = "") -> TenChoice:
    return TenChoice(pay=payment(tokens, bust_tokens, cards))


def buy(card: str, tokens: int = 0, bust_tokens: int = 0, cards: str = "") -> TenChoice:
    return TenChoice(buy=TenBuy(card=card, payment=payment(tokens, bust_tokens, cards)))


def has(cards: str = "", tokens: int = 5, bust_tokens: int = 0) -> Player:
    return Player(tuple(cards.split()), tokens, bust_tokens)


def table(
    deck: str,
    *players: Player,
    market: str = "",
    options: Options = Options(),  # noqa: B008 - a frozen value
    solo: bool = False,
    active: int = 0,
) -> State:
    """Return a game of these players in which the active one has drawn the first card of the deck."""
    return draw(
        State(
            options=options,
            seats=1 if solo else len(players),
            deck=tuple(deck.split()),
            players=players,
            active=active,
            market=tuple(market.split()),
        )
    )


def play(state: State, *choices: TenChoice) -> State:
    """Make the choices one after the other, each for the seat whose decision it is."""
    for choice in choices:
        (seat,) = TEN.pending(state)
        TEN.check(state, seat, choice)
        state = TEN.apply(state, {seat: choice})
    return state


def refusal(state: State, choice: TenChoice) -> str:
    """Return why the seat whose decision it is may not choose this; empty if it may."""
    (seat,) = TEN.pending(state)
    try:
        TEN.check(state, seat, choice)
    except IllegalChoice as error:
        return str(error)
    return ""


def legal(state: State) -> list[TenChoice]:
    (seat,) = TEN.pending(state)
    return list(TEN.legal(state, seat))


def tokens(state: State) -> list[int]:
    return [player.tokens for player in state.players]


def told(before: State, *choices: TenChoice, names: Iterable[str] = ("ada", "bob", "cid")) -> list[str]:
    """Return what is told of the choices, made one after the other."""
    lines: list[str] = []
    for choice in choices:
        after = play(before, choice)
        lines += TEN.tell(before, {before.decider: choice}, after, [*names][: before.seats])
        before = after
    return lines
