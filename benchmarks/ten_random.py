"""Random games of TEN in process: the invariants of every game at scale, and how many games a second.

Run it as ``python -m benchmarks.ten_random [GAMES]``: so many games (1,000) for each number of seats, by turns of each
variant. It times playing (listing up to 40 legal choices, a view, a check and the choice applied), but not its checks.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from random import Random

from referee.games.ten import Ten
from referee.games.ten_turns import MOST_TOKENS, Options, State
from tests.games import peek_ten

TEN = Ten()
CHOICES = 40
"""Of a decision's legal choices, so many are in the running."""
LEAKS_SOUGHT = 10
"""In so many states of a game."""


def play(seats: int, options: Options, seed: int) -> Iterator[State]:
    """Play a game at random and yield its states. Forced choices are not viewed, as nobody is asked for them."""
    rng = Random(seed)
    state = TEN.new(seats, options, rng)
    yield state
    while pending := TEN.pending(state):
        (seat,) = pending
        legal = list(islice(TEN.legal(state, seat), CHOICES))
        choice = legal[int(rng.random() * len(legal))]
        if len(legal) > 1:
            TEN.view(state, seat).SerializeToString()
            TEN.check(state, seat, choice)
        state = TEN.apply(state, {seat: choice})
        yield state


def check(states: list[State], seed: int) -> None:
    """Assert what holds in every state and at the end, and in some states that no view knows the deck's order."""
    deck, end, rng = Counter(states[0].deck), states[-1], Random(seed)
    for state in states:
        assert Counter(peek_ten.places(state)) == deck
        assert all(0 <= player.tokens <= MOST_TOKENS and player.bust_tokens >= 0 for player in state.players)
    for state in rng.sample(states[:-1], LEAKS_SOUGHT):
        other = peek_ten.resample(TEN, state, state.decider, rng)
        assert TEN.view(other, state.decider) == TEN.view(state, state.decider)
    result = TEN.result(end)
    assert end.drawn == len(end.deck)
    assert all(0 <= points <= 40 for points in result.points)
    assert 1 in [*result.ranks, *(house.rank for house in result.house)]


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for seats in TEN.seats:
        spent, choices = 0.0, 0
        for seed in range(games):
            start = time.perf_counter()
            states = list(play(seats, TEN.variants[seed % len(TEN.variants)], seed))
            TEN.result(states[-1])
            spent += time.perf_counter() - start
            choices += len(states) - 1
            check(states, seed)
        print(
            f"{seats} seats: {games} games hold, {games / spent:.0f} games/s, "
            f"{choices / games:.0f} choices a game, {choices / spent:.0f} choices/s",
            flush=True,
        )


if __name__ == "__main__":
    main()
