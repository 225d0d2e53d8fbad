"""Behind the scenes of 6 nimmt!."""

from __future__ import annotations

from random import Random

import msgspec

from referee.games.six_nimmt import SixNimmt
from referee.games.six_nimmt_rules import Options, State
from referee.v1.six_nimmt_pb2 import SixNimmtChoice

GOLDEN: dict[str, tuple[int, Options]] = {
    "standard": (3, Options(max_deals=1)),
    "standard-both_ends": (3, Options(max_deals=1, both_ends=True)),
    "tactical": (3, Options(variant="tactical", max_deals=1)),
    "tactical-both_ends": (3, Options(variant="tactical", both_ends=True, max_deals=1)),
    "logic": (2, Options(variant="logic", max_deals=1)),
    "logic-right_end": (2, Options(variant="logic", both_ends=False, max_deals=1)),
    "professional": (3, Options(variant="professional", max_deals=1)),
}


def resample(game: SixNimmt, state: State, seat: int, rng: Random) -> State:
    """Draw the later deals anew, and but in ``logic`` the other hands and the undealt cards."""
    state = msgspec.structs.replace(state, setup=msgspec.structs.replace(state.setup, seed=rng.randbytes(16).hex()))
    if state.setup.options.variant == "logic":
        return state
    others = [other for other in range(state.setup.seats) if other != seat]
    unseen = [*state.undealt, *(card for other in others for card in state.hands[other])]
    rng.shuffle(unseen)
    hands = list(state.hands)
    for other in others:
        hands[other] = tuple(sorted(unseen.pop() for _ in state.hands[other]))
    return msgspec.structs.replace(state, hands=tuple(hands), undealt=tuple(unseen))


def places(state: State) -> list[int]:
    """Return the cards in hands, rows and piles, on the table, undealt, and revealed but not yet placed."""
    unplaced = (state.tricks[-1][seat] for seat in state.unplaced)
    piles = (*state.hands, *state.rows, *state.taken, state.table, state.undealt, unplaced)
    return [card for pile in piles for card in pile]


def guess(game: SixNimmt, state: State, seat: int, rng: Random) -> SixNimmtChoice:
    """Answer some decision with a low number, any card, or nothing."""
    kind = rng.choice(["play_card", "draft", "choose_row", "choose_end", None])
    if kind is None:
        return SixNimmtChoice()
    value = rng.choice([rng.randrange(6), rng.randrange(110), 2**32 - 1])
    return SixNimmtChoice(**{kind: value})
