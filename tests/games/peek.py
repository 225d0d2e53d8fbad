"""Behind the scenes of the games: what the contract tests must know that no bot may."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from random import Random
from typing import Any, Protocol, cast

import msgspec
from google.protobuf.message import Message

from referee.games import AnyGame

WALK = 40


class Peek(Protocol):
    """The module ``tests.games.peek_<name>`` of a game."""

    GOLDEN: Mapping[str, tuple[int, msgspec.Struct]]
    """By name, the seats and options of the golden games: short ones, one at least for each variant."""

    def resample(self, game: Any, state: Any, seat: int, rng: Random) -> Any:
        """Return the state with everything that the seat cannot see drawn anew."""

    def places(self, state: Any) -> Collection[Hashable]:
        """Return every card of the deck, once for each place where it is."""

    def guess(self, game: Any, state: Any, seat: int, rng: Random) -> Message:
        """Return a choice as a confused bot might send it: of any kind, legal or not, often nearly legal."""


def peek(game: AnyGame) -> Peek:
    """Return what there is to know of a game. ModuleNotFoundError: write its peek file."""
    return cast(Peek, import_module(f"tests.games.peek_{game.name}"))


def walk(game: AnyGame, seats: int, options: msgspec.Struct, rng: Random) -> Iterator[tuple[Any, dict[int, Any], Any]]:
    """Play a game at random and yield each state, the choices made in it, and the next state.

    Of very many legal choices the first ``WALK`` are in the running. Draws are floats alone: their sequence is the same
    in every version of Python, and golden games are walks.
    """
    state = game.new(seats, options, rng)
    while pending := game.pending(state):
        choices = {}
        for seat in pending:
            legal = list(islice(game.legal(state, seat), WALK))
            choices[seat] = legal[int(rng.random() * len(legal))]
        before, state = state, game.apply(state, choices)
        yield before, choices, state
