"""Behind the scenes of TEN."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from referee.games.ten import Ten
from referee.games.ten_cards import CARDS, ORDER
from referee.games.ten_turns import Options, State
from referee.v1.ten_pb2 import TenAction, TenBustChoice, TenBuy, TenChoice, TenPayment

GOLDEN: dict[str, tuple[int, Options]] = {
    "1_seat": (1, Options()),
    "1_seat-level_10": (1, Options(automaton_level=10)),
    "2_seats": (2, Options()),
    "3_seats": (3, Options()),
    "4_seats": (4, Options()),
    "5_seats": (5, Options()),
    "busting_variant": (3, Options(busting_variant=True)),
}


def resample(game: Ten, state: State, seat: int, rng: Random) -> State:
    """Shuffle what is left of the deck."""
    left = list(state.deck[state.drawn :])
    rng.shuffle(left)
    return replace(state, deck=(*state.deck[: state.drawn], *left))


def places(state: State) -> list[str]:
    """Return the cards left in the deck, in the tableau, the market and the discards, owned, and auctioned."""
    owned = [card for player in state.players for card in player.cards]
    auctioned = [state.wild] if state.wild else []
    return [*state.deck[state.drawn :], *state.tableau, *state.market, *state.discards, *owned, *auctioned]


def guess(game: Ten, state: State, seat: int, rng: Random) -> TenChoice:
    """Answer some decision, mostly the one that is asked, with what might do if the numbers happened to fit."""
    kind = rng.choice([state.asked, state.asked, state.asked, "draw_or_stop", "bid", "pay", "buy", "bust_choice", None])
    match kind:
        case "draw_or_stop":
            return TenChoice(draw_or_stop=rng.choice([*TenAction.values(), 9]))  # type: ignore[arg-type] # 9 is none
        case "bid":
            return TenChoice(bid=rng.choice([rng.randrange(25), 2**32 - 1]))
        case "pay":
            return TenChoice(pay=_payment(state, seat, rng))
        case "buy":
            card = rng.choice([*state.market, *state.players[seat].cards, *CARDS, "", "r10"])
            return TenChoice(buy=TenBuy(card=card, payment=rng.choice([None, _payment(state, seat, rng)])))
        case "bust_choice":
            return TenChoice(bust_choice=rng.choice([*TenBustChoice.values(), 9]))  # type: ignore[arg-type] # 9 is none
    return TenChoice()


def _payment(state: State, seat: int, rng: Random) -> TenPayment:
    """Return what the seat may have, or a little more, mostly for the price of the auction."""
    own = [*state.players[seat].cards, *state.deck[:2]]
    cards = sorted(rng.sample(own, rng.choice([0, 0, 0, 1, rng.randrange(len(own))])), key=ORDER.__getitem__)
    bust_tokens = rng.choice([0, 0, 1, 2])
    tokens = rng.choice([rng.randrange(12), max(0, max(state.bids, default=5) - 3 * bust_tokens - len(cards))])
    return TenPayment(tokens=tokens, bust_tokens=bust_tokens, cards=cards)
