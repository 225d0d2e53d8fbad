"""Results in, ratings with honest errors out: a function of the games, whatever their order.

A game of n seats counts as n(n-1)/2 comparisons, rated by a Bradley–Terry model with a small prior (bradley_terry.py).
Games of one block share deal and players, so the block, never the game, is the independent unit of every error here:
ratings have the cluster-robust sandwich, points the standard error over blocks. An error is the ± of a 95 % interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Literal

import numpy as np

from referee.bradley_terry import Array, Flags, information, reach, sandwich, strengths, win_probability
from referee.crosstable import Crosstable, Outcome
from referee.errors import ConfigError
from referee.intervals import NORMAL, Z, student, unanimous, wilson

__all__ = ["Difference", "Outcome", "Rating", "Ratings", "rate"]

ELO = 400 / log(10)
"""Elo of one unit of strength on the logistic scale."""

MEAN = 1500.0
"""The mean of all ratings, unless a player is the anchor."""

ENOUGH = 5
"""With fewer blocks there is no rating and no error, only counts."""

_NOISE = 1e-6  # a smaller error, in Elo or points, is rounding: the blocks show no spread


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's line in the standings. What the results cannot tell is None, never infinite.

    ``elo`` is None with fewer than five blocks; where the likeliest rating is infinite (nobody scored against the
    player, or it against nobody): ``bound`` says so, with the one-sided ``bound_elo``; and where it is ``apart``: the
    results do not tell how it compares with the others (they never met). ``error`` is None also where the blocks show
    no spread. Points and ranks are means over blocks; ``wins``, ``draws`` and ``losses`` count comparisons, one with
    each opponent in each game. ``place`` counts from 1 and is shared by equals.
    """

    name: str
    place: int
    elo: float | None
    error: float | None
    bound: Literal["at_least", "at_most"] | None
    bound_elo: float | None
    apart: bool
    games: int
    blocks: int
    wins: int
    draws: int
    losses: int
    mean_points: float | None
    points_error: float | None
    mean_rank: float | None
    rank_error: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One player less another. ``los`` is the likelihood of superiority, 0 to 1.

    ``elo`` and ``los`` follow from all games, those against common opponents too; the other fields from games at the
    same table. ``points`` is the mean over ``blocks`` of the points difference, the sharper measure. None as in Rating.
    """

    elo: float | None
    error: float | None
    los: float | None
    points: float | None
    points_error: float | None
    blocks: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, eq=False, slots=True)
class Ratings:
    """The standings, best player first."""

    players: tuple[Rating, ...]
    _table: Crosstable
    _scale: _Scale

    def difference(self, one: str, other: str) -> Difference:
        """Compare two players. Raises KeyError for a name without a rating."""
        table, scale = self._table, self._scale
        i, j = table.index[one], table.index[other]
        shared = (table.games[i] > 0) & (table.games[j] > 0)
        points, points_error = _mean(table.points[i, shared] - table.points[j, shared])
        wins, losses = int(table.wins[i, j]), int(table.wins[j, i])
        compared = int(table.scores[i, j] + table.scores[j, i])
        elo, error, los = scale.difference(i, j, int(shared.sum()))
        return Difference(
            elo, error, los, points, points_error, int(shared.sum()), wins, compared - wins - losses, losses
        )


def rate(
    outcomes: Sequence[Outcome],
    *,
    anchor: tuple[str, float] | None = None,
    prior: float = 1.0,
    roster: Iterable[str] = (),
) -> Ratings:
    """Rate the players of some games, and those of the roster that have none yet.

    The anchor is a player and the rating that it shall have exactly; without one the mean is 1500. The prior is the
    number of virtual draws each player has against one of average strength. Raises ConfigError for an unknown anchor.
    """
    table = Crosstable(outcomes, roster)
    if anchor and anchor[0] not in table.index:
        raise ConfigError(
            f"the anchor, {anchor[0]!r}, is not among the players: {', '.join(table.names)}",
            hint="set anchor to one of them",
        )
    scale = _Scale(table, anchor, prior)
    ratings = [_rating(table, scale, i) for i in range(len(table.names))]
    return Ratings(tuple(sorted(ratings, key=lambda rating: (rating.place, rating.name))), table, scale)


class _Scale:
    """Every player's Elo with the covariance of all, and what of it the results cannot tell."""

    def __init__(self, table: Crosstable, anchor: tuple[str, float] | None, prior: float) -> None:
        size = len(table.names)
        self.table = table
        self.theta = strengths(table.scores, prior)
        self.fixed = table.index[anchor[0]] if anchor else None
        weights = np.full(size, 1 / max(size, 1)) if self.fixed is None else np.eye(size)[self.fixed]
        frame = np.eye(size) - weights  # what the theory knows only up to a constant, with that constant fixed
        self.elo = (anchor[1] if anchor else MEAN) + ELO * (frame @ self.theta)
        self.covariance = np.zeros((size, size))
        if table.blocks >= ENOUGH:
            bread = information(self.theta, table.scores + table.scores.T, prior)
            self.covariance = ELO**2 * frame @ sandwich(bread, table.gradients(self.theta)) @ frame.T
        self.blocks = (table.games > 0).sum(axis=1)
        self.enough = self.blocks >= ENOUGH
        if self.fixed is not None:
            self.enough[self.fixed] = table.blocks >= ENOUGH
        reached = reach(table.scores)
        self.linked = reached & reached.T
        self.above = reached & ~reached.T
        self.core = self._core()

    def _core(self) -> Flags:
        """Return the players that the others are measured by: the anchor's linked group, or else the one largest.

        Linked players scored against each other, if only by way of others, so that their differences are finite.
        Nobody is in the core if the largest groups are equally large.
        """
        if self.fixed is not None:
            return np.asarray(self.linked[self.fixed])
        sizes = self.linked.sum(axis=1)
        largest = int(sizes.max(initial=0))
        core = sizes == largest
        return core if core.sum() == largest > 1 else np.zeros(len(sizes), dtype=bool)

    def bound(self, i: int) -> Literal["at_least", "at_most"] | None:
        """Say whether results put a player infinitely far above the core (without one: above somebody), or below."""
        measure = self.core if self.core.any() else np.ones(len(self.core), dtype=bool)
        up, down = (self.above[i] & measure).any(), (self.above[:, i] & measure).any()
        if self.core[i] or up == down:
            return None
        return "at_least" if up else "at_most"

    def bound_elo(self, i: int) -> float:
        """Return the rating at which what a player's group scored would be the end of its Wilson interval.

        The group won, or lost, every comparison with players outside it. Blocks are the trials, as games of one block
        are not independent.
        """
        group = self.linked[i]
        won = self.bound(i) == "at_least"
        rivals = self.above[i] if won else self.above[:, i]
        if self.table.blocks_between(group, rivals & self.core):
            rivals = rivals & self.core  # beating those who are infinitely far off themselves proves less
        low, high = wilson(float(won), self.table.blocks_between(group, rivals))
        met = (self.table.scores + self.table.scores.T)[np.ix_(group, rivals)]
        lead = self.theta[group][:, None] - self.theta[rivals]
        shift = _shift(lead, met, low if won else high)
        if not self.core.any():
            shift *= 1 - group.mean()  # nobody else has a rating that stays: the mean does
        return float(self.elo[i] + ELO * shift)

    def error(self, i: int) -> float | None:
        return 0.0 if i == self.fixed else _error(float(self.covariance[i, i]))

    def difference(self, i: int, j: int, shared: int) -> tuple[float | None, float | None, float | None]:
        """Return the Elo difference, its error and the likelihood of superiority; ``shared``: blocks of both."""
        if not (self.enough[i] and self.enough[j]):
            return None, None, None
        if not self.linked[i, j]:
            return None, None, self._superiority_by_wins(i, j, shared)
        elo = float(self.elo[i] - self.elo[j])
        spread = self.covariance
        error = _error(float(spread[i, i] + spread[j, j] - 2 * spread[i, j]))
        return elo, error, NORMAL.cdf(elo / (error / Z)) if error else 0.5

    def _superiority_by_wins(self, i: int, j: int, shared: int) -> float | None:
        """Return the likelihood of superiority in a pair of which one won every game; the trials are blocks."""
        if not shared or not (self.above[i, j] or self.above[j, i]):
            return None
        return unanimous(shared) if self.above[i, j] else 1 - unanimous(shared)


def _rating(table: Crosstable, scale: _Scale, i: int) -> Rating:
    enough, rated = bool(scale.enough[i]), bool(scale.enough[i] and scale.core[i])
    bound = scale.bound(i) if enough else None
    played = table.games[i] > 0
    mean_points, points_error = _mean(table.points[i, played])
    mean_rank, rank_error = _mean(table.ranks[i, played])
    wins, losses = int(table.wins[i].sum()), int(table.wins[:, i].sum())
    compared = int(table.scores[i].sum() + table.scores[:, i].sum())
    return Rating(
        name=table.names[i],
        place=_place(scale, i),
        elo=float(scale.elo[i]) if rated else None,
        error=scale.error(i) if rated else None,
        bound=bound,
        bound_elo=scale.bound_elo(i) if bound else None,
        apart=enough and not rated and bound is None,
        games=int(table.games[i].sum()),
        blocks=int(scale.blocks[i]),
        wins=wins,
        draws=compared - wins - losses,
        losses=losses,
        mean_points=mean_points,
        points_error=points_error,
        mean_rank=mean_rank,
        rank_error=rank_error,
    )


def _place(scale: _Scale, i: int) -> int:
    """Place by strength, those without games last; equal strengths, but for rounding, share a place."""
    strength = np.where(scale.blocks > 0, scale.theta.round(9), -np.inf)
    return 1 + int((strength > strength[i]).sum())


def _mean(values: Array) -> tuple[float | None, float | None]:
    """Return a mean over blocks, and its error by Student's t where there are enough of them."""
    if not len(values):
        return None, None
    mean = float(values.mean())
    if len(values) < ENOUGH:
        return mean, None
    error = student(len(values) - 1) * float(values.std(ddof=1)) / sqrt(len(values))
    return mean, error if error > _NOISE else None


def _error(variance: float) -> float | None:
    error = Z * sqrt(max(variance, 0.0))
    return error if error > _NOISE else None


def _shift(lead: Array, games: Array, share: float) -> float:
    """Return what must be added to all leads for the expected share of the points to be this one; by bisection."""
    low, high = -100.0, 100.0
    for _ in range(80):
        middle = (low + high) / 2
        if (games * win_probability(lead + middle)).sum() < share * games.sum():
            low = middle
        else:
            high = middle
    return (low + high) / 2
