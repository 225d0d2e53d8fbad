"""One bot against another, or against a field: the score in Elo, and the test that stops as soon as it can.

Both take independent units: games, pairs of games with seats swapped, or blocks. Normalised Elo measures the score in
standard deviations of a game, so that the number of games that a test needs follows from it alone, whatever the game.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log10, sqrt
from typing import Literal

import numpy as np

from referee.bradley_terry import Array
from referee.errors import ConfigError
from referee.intervals import NORMAL, Z, unanimous, wilson
from referee.ratings import Outcome

NORMALISED = 800 / log(10)
"""Normalised Elo of a score one standard deviation of a game above ½: near equal scores without draws, it is Elo."""

UNSEEN = 1e-3  # the count of a score that did not occur: a likelihood ratio needs every score to be possible


@dataclass(frozen=True, slots=True)
class Scores:
    """What one side scored in independent units: mean score of a game, 0 to 1, and how many units had it."""

    values: tuple[float, ...]
    counts: tuple[int, ...]
    games: int  # in a unit

    @classmethod
    def of_games(cls, wins: int, losses: int, draws: int) -> Scores:
        """Take every game for a unit."""
        return cls((0, 0.5, 1), (losses, draws, wins), 1)

    @classmethod
    def of_pairs(cls, counts: Sequence[int]) -> Scores:
        """Count pairs of games by their score together: 0, ½, 1, 1½, 2."""
        return cls((0, 0.25, 0.5, 0.75, 1), tuple(counts), 2)

    @classmethod
    def of_blocks(cls, outcomes: Sequence[Outcome], bot: str, opponent: str | None = None) -> Scores:
        """Score a bot's blocks, against one opponent or all at its tables. Blocks that lack games are left out."""
        blocks: defaultdict[str, list[float]] = defaultdict(list)
        for outcome in outcomes:
            ranks = dict(zip(outcome.players, outcome.ranks, strict=True))
            own = ranks.pop(bot, None)
            against = list(ranks.values()) if opponent is None else [ranks[opponent]] if opponent in ranks else []
            if own is not None and against:
                blocks[outcome.block].append(sum((rank > own) + (rank == own) / 2 for rank in against) / len(against))
        games = max(map(len, blocks.values()), default=1)
        seen = Counter(sum(scores) / games for scores in blocks.values() if len(scores) == games)
        values = sorted({0.0, 0.5, 1.0, *seen})
        return cls(tuple(values), tuple(seen[value] for value in values), games)


@dataclass(frozen=True, slots=True)
class Match:
    """A score with what it means in Elo and normalised Elo. None for what would be infinite, or has no spread.

    ``low`` and ``high`` are the ends of the 95 % interval of ``elo``, ``error`` half its width.
    """

    score: float
    elo: float | None
    low: float | None
    high: float | None
    error: float | None
    normalised: float | None
    normalised_error: float | None
    los: float


def match_elo(scores: Scores) -> Match:
    """Return the Elo of a score. Where all units were won, or lost, Wilson's interval leaves one end of it.

    Raises ValueError without a single unit.
    """
    counts, values = np.array(scores.counts), np.array(scores.values)
    units = int(counts.sum())
    if not units:
        raise ValueError("a match of no games has no score")
    score = float(counts @ values) / units
    spread = sqrt(float(counts @ (values - score) ** 2) / units)
    half = Z * spread / sqrt(units)
    ends = (score - half, score + half) if 0 < score < 1 else wilson(score, units)
    low, high = (_elo(end) for end in ends)
    scale = NORMALISED / sqrt(scores.games)
    return Match(
        score=score,
        elo=_elo(score),
        low=low if score > 0 else None,
        high=high if score < 1 else None,
        error=(high - low) / 2 if spread and low is not None and high is not None else None,
        normalised=(score - 0.5) / spread * scale if spread else None,
        normalised_error=Z / sqrt(units) * scale if spread else None,
        los=NORMAL.cdf((score - 0.5) / spread * sqrt(units)) if spread else _los_without_spread(score, units),
    )


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of H1, normalised Elo ``elo1``, against H0, ``elo0``, with the log-likelihood ratio so far.

    ``alpha`` is the risk to accept H1 where H0 holds, ``beta`` the other way round; ``str()`` says all of it.
    """

    elo0: float
    elo1: float
    alpha: float
    beta: float
    llr: float

    @property
    def lower(self) -> float:
        """The ratio at which H0 is accepted (Wald, 1945)."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The ratio at which H1 is accepted."""
        return log((1 - self.beta) / self.alpha)

    @property
    def verdict(self) -> Literal["H0", "H1"] | None:
        """The accepted hypothesis; None while the test goes on."""
        if self.llr >= self.upper:
            return "H1"
        return "H0" if self.llr <= self.lower else None

    def __str__(self) -> str:
        hypotheses = (
            f"normalised Elo {self.elo0:g} (H0) against {self.elo1:g} (H1), α = {self.alpha:g}, β = {self.beta:g}"
        )
        ratio = f"LLR {self.llr:.2f}, bounds {self.lower:.2f} and {self.upper:.2f}"
        end = f"{self.verdict} accepted; an Elo after an early stop is biased" if self.verdict else "undecided"
        return f"{hypotheses}: {ratio}: {end}"


def sprt(
    scores: Scores,
    *,
    elo0: float | None = None,
    elo1: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
) -> Sprt:
    """Return the generalised sequential probability ratio test: likelihoods maximised under each hypothesis.

    There are no default settings: whoever reads a verdict must have chosen them. Raises ConfigError where one is
    missing or makes no sense. (Van den Bergh, "Normalized Elo", with the notes on the generalised likelihood ratio.)
    """
    if elo0 is None or elo1 is None or alpha is None or beta is None:
        settings = {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta}
        missing = ", ".join(name for name, value in settings.items() if value is None)
        raise ConfigError(
            f"a sequential test without {missing}", hint="choose elo0, elo1, alpha and beta before any game"
        )
    if not elo0 < elo1:
        raise ConfigError(
            f"a sequential test with elo0 = {elo0:g}, elo1 = {elo1:g}", hint="elo1 must be the larger one"
        )
    if not (alpha > 0 and beta > 0 and alpha + beta < 1):
        raise ConfigError(f"a sequential test with alpha = {alpha:g}, beta = {beta:g}", hint="0.05 each is customary")
    values, counts = np.array(scores.values), np.maximum(scores.counts, UNSEEN)
    units = counts.sum()
    likeliest = [_likeliest(values, counts / units, elo / NORMALISED * sqrt(scores.games)) for elo in (elo0, elo1)]
    llr = float(counts @ np.log(likeliest[1] / likeliest[0]))
    return Sprt(elo0, elo1, alpha, beta, llr)


def _likeliest(values: Array, seen: Array, effect: float) -> Array:
    """Return the likeliest distribution whose mean is ``effect`` of its standard deviations above ½.

    Lagrange: it is seen / (1 + x c), where c is the gradient of the constraint at the solution itself, and x such that
    c has the mean 0. So it is a fixed point; from even chances it is found also for scores that hardly vary.
    """
    found = np.full(len(values), 1 / len(values))
    for _ in range(100):
        mean = float(found @ values)
        deviation = sqrt(float(found @ (values - mean) ** 2))
        slope = values - 0.5 - effect * deviation / 2 * (1 + ((values - mean) / deviation) ** 2)
        before, found = found, seen / (1 + _multiplier(slope, seen) * slope)
        if np.abs(found - before).max() < 1e-12:
            break
    return found


def _multiplier(slope: Array, seen: Array) -> float:
    """Return the x at which seen / (1 + x slope) gives ``slope`` the mean 0; by bisection, as the mean falls with x."""
    low, high = -1 / float(slope.max()), -1 / float(slope.min())
    for _ in range(60):
        middle = (low + high) / 2
        if (seen * slope / (1 + middle * slope)).sum() > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _los_without_spread(score: float, units: int) -> float:
    if score == 0.5:
        return 0.5
    return unanimous(units) if score > 0.5 else 1 - unanimous(units)


def _elo(score: float) -> float | None:
    return -400 * log10(1 / score - 1) if 0 < score < 1 else None
