"""Games as arrays: who scored what against whom, and each player's means in every block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.bradley_terry import Array, win_probability

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

    ``scores[i, j]`` is what i scored against j (a win 1, a tie ½) and ``wins[i, j]`` how often it won; ``games[b, i]``,
    ``points[b, i]`` and ``ranks[b, i]`` are a player's games in a block and its means over them (0 without games).
    """

    def __init__(self, outcomes: Sequence[Outcome], roster: Iterable[str] = ()) -> None:
        """Count the games. The roster names players that are listed even without one."""
        self.names = sorted({*roster, *(player for outcome in outcomes for player in outcome.players)})
        self.index = {name: number for number, name in enumerate(self.names)}
        blocks = {name: number for number, name in enumerate(sorted({outcome.block for outcome in outcomes}))}
        self.blocks = len(blocks)
        self._compare(outcomes, blocks)
        self._average(outcomes, blocks)

    def _compare(self, outcomes: Sequence[Outcome], blocks: dict[str, int]) -> None:
        """Take the games apart into comparisons of one player with another, in a block, with a score."""
        parts: list[tuple[Ints, Ints, Ints, Ints]] = []
        for size in {len(outcome.players) for outcome in outcomes}:
            alike = [outcome for outcome in outcomes if len(outcome.players) == size]
            players = np.array([[self.index[player] for player in outcome.players] for outcome in alike])
            ranks = np.array([outcome.ranks for outcome in alike])
            block = np.array([blocks[outcome.block] for outcome in alike])
            left, right = np.triu_indices(size, 1)
            better = np.sign(ranks[:, right] - ranks[:, left])
            each = np.repeat(block, len(left))
            parts.append((each, players[:, left].ravel(), players[:, right].ravel(), better.ravel()))
        empty = np.zeros(0, dtype=np.int64)
        columns = zip(*parts, strict=True) if parts else [[empty]] * 4
        self.block, self.one, self.other, better = (np.concatenate(list(column)) for column in columns)
        self.score = (1 + better) / 2
        self.scores = self._matrix(self.one, self.other, self.score) + self._matrix(
            self.other, self.one, 1 - self.score
        )
        won, lost = self.score == 1, self.score == 0
        wins = self._matrix(self.one, self.other, won) + self._matrix(self.other, self.one, lost)
        self.wins = wins.astype(np.int64)

    def _average(self, outcomes: Sequence[Outcome], blocks: dict[str, int]) -> None:
        block = np.array([blocks[outcome.block] for outcome in outcomes for _ in outcome.players], dtype=np.int64)
        player = np.array([self.index[name] for outcome in outcomes for name in outcome.players], dtype=np.int64)
        self.games = self._by_block(block, player, np.ones(len(block)))
        divisor = np.maximum(self.games, 1)
        points = np.array([points for outcome in outcomes for points in outcome.points], dtype=np.float64)
        ranks = np.array([rank for outcome in outcomes for rank in outcome.ranks], dtype=np.float64)
        self.points = self._by_block(block, player, points) / divisor
        self.ranks = self._by_block(block, player, ranks) / divisor

    def gradients(self, theta: Array) -> Array:
        """Return, with a row a block, what each player scored beyond what the strengths ``theta`` expect."""
        surprise = self.score - win_probability(theta[self.one] - theta[self.other])
        return self._by_block(self.block, self.one, surprise) - self._by_block(self.block, self.other, surprise)

    def blocks_between(self, some: NDArray[np.bool_], others: NDArray[np.bool_]) -> int:
        """Return in how many blocks a player of one set met one of the other; sets are flags by player."""
        met = (some[self.one] & others[self.other]) | (some[self.other] & others[self.one])
        return len(np.unique(self.block[met]))

    def _matrix(self, rows: Ints, columns: Ints, weights: NDArray[np.float64] | NDArray[np.bool_]) -> Array:
        size = len(self.names)
        flat = np.bincount(rows * size + columns, weights, minlength=size * size)
        return flat.astype(np.float64).reshape(size, size)

    def _by_block(self, block: Ints, player: Ints, weights: Array) -> Array:
        size = len(self.names)
        flat = np.bincount(block * size + player, weights, minlength=self.blocks * size)
        return flat.astype(np.float64).reshape(self.blocks, size)
