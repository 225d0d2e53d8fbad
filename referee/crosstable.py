"""Games as arrays: who scored what against whom, and each player's means in every block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.bradley_terry import Array, Flags, win_probability

Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One game, by seat. Rank 1 is best, equal ranks are ties, forfeiters are already last; no player has two seats."""

    block: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]
    points: tuple[int, ...]


class Crosstable:
    """The games of a tournament, by player (in the order of ``names``) and block (any order).

    ``scores[i, j]`` is what i scored against j (a win 1, a tie ½) and ``wins[i, j]`` how often it won; ``games[i, b]``,
    ``points[i, b]`` and ``ranks[i, b]`` are a player's games in a block and its means over them (0 without games).
    """

    def __init__(self, outcomes: Sequence[Outcome], roster: Iterable[str] = ()) -> None:
        """Count the games. The roster names players that are listed even without one."""
        seats = [player for outcome in outcomes for player in outcome.players]
        self.names = sorted({*roster, *seats})
        self.index = {name: number for number, name in enumerate(self.names)}
        blocks = {name: number for number, name in enumerate(sorted({outcome.block for outcome in outcomes}))}
        self.blocks = len(blocks)
        sizes = _ints(len(outcome.players) for outcome in outcomes)
        player = _ints(self.index[name] for name in seats)
        block = np.repeat(_ints(blocks[outcome.block] for outcome in outcomes), sizes)
        ranks = _ints(chain.from_iterable(outcome.ranks for outcome in outcomes))
        points = _ints(chain.from_iterable(outcome.points for outcome in outcomes))

        self.games = self._by_block(player, block, np.ones(len(player)))
        self.points = self._by_block(player, block, points) / np.maximum(self.games, 1)
        self.ranks = self._by_block(player, block, ranks) / np.maximum(self.games, 1)

        left, right = _pairs(sizes)
        self._one, self._other, self._block = player[left], player[right], block[left]
        self._score = (1 + np.sign(ranks[right] - ranks[left])) / 2
        self.scores = self._against(self._score, 1 - self._score)
        self.wins = self._against(self._score == 1, self._score == 0).astype(np.int64)

    def gradients(self, theta: Array) -> Array:
        """Return, by player and block, what was scored beyond what the strengths ``theta`` expect."""
        surprise = self._score - win_probability(theta[self._one] - theta[self._other])
        return self._by_block(self._one, self._block, surprise) - self._by_block(self._other, self._block, surprise)

    def blocks_between(self, some: Flags, others: Flags) -> int:
        """Return in how many blocks a player of one set met one of the other; sets are flags by player."""
        met = (some[self._one] & others[self._other]) | (some[self._other] & others[self._one])
        return len(np.unique(self._block[met]))

    def _against(self, one: Array | Flags, other: Array | Flags) -> Array:
        """Add up, by player and opponent, what the two of each comparison get out of it."""
        size = len(self.names)
        places = np.concatenate([self._one * size + self._other, self._other * size + self._one])
        return _sums(places, np.concatenate([one, other]), size * size).reshape(size, size)

    def _by_block(self, player: Ints, block: Ints, weights: Array | Ints) -> Array:
        size = len(self.names)
        return _sums(player * self.blocks + block, weights, size * self.blocks).reshape(size, self.blocks)


def _pairs(sizes: Ints) -> tuple[Ints, Ints]:
    """Return every two seats of a game, as positions in a list of all games' seats; ``sizes`` are seats by game."""
    starts = np.cumsum(sizes) - sizes
    left, right = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for size in np.unique(sizes):
        for seats, ends in zip(np.triu_indices(size, 1), (left, right), strict=True):
            ends.append((starts[sizes == size, None] + seats).ravel())
    return np.concatenate(left), np.concatenate(right)


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, np.int64)


def _sums(places: Ints, weights: Array | Ints | Flags, size: int) -> Array:
    return np.bincount(places, weights, minlength=size).astype(np.float64)
