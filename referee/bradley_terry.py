"""The Bradley–Terry model of paired comparisons: strengths by maximum likelihood, and their covariance.

Player i beats j with probability ``1 / (1 + exp(θ_j - θ_i))``. ``scores[i, j]`` is what i scored against j: 1 a win,
½ a tie. Each player also has ``prior`` virtual draws against a player of strength 0, which keep every strength finite.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]

_CLOSE = 1e-9  # a Newton step this small squares to nothing


def win_probability(lead: Array) -> Array:
    """Return the probability to win of a player whose strength is ``lead`` above the opponent's."""
    return 1 / (1 + np.exp(-lead))


def strengths(scores: Array, prior: float) -> Array:
    """Return the strengths that maximise the penalised likelihood, by damped Newton steps from zero.

    The damping, log(1 + d) / d for a step that changes no difference by more than d, makes every step an improvement
    (Sun and Tran-Dinh, "Generalized self-concordant functions", 2019: the logistic loss has ν = 2, M = 1).

    Raises ValueError if there is no maximum: without a prior, results must connect every two players both ways.
    """
    if prior == 0 and not reach(scores).all():
        raise ValueError("without a prior the strengths are infinite: the results do not connect all players both ways")
    games = scores + scores.T
    theta = np.zeros(len(scores))
    for _ in range(200):
        leads = theta[:, None] - theta
        gradient = (scores - games * win_probability(leads)).sum(axis=1) + prior * (0.5 - win_probability(theta))
        step = np.linalg.solve(information(theta, games, prior), gradient)
        size = float(np.ptp(np.append(step, 0)))
        if size == 0:
            break
        theta += step * (np.log1p(size) / size)
        if size < _CLOSE:
            break
    return theta


def information(theta: Array, games: Array, prior: float) -> Array:
    """Return the negative Hessian of the log-likelihood; ``games[i, j]`` is how often i and j were compared."""
    probability = win_probability(theta[:, None] - theta)
    weights = games * probability * (1 - probability)
    own = win_probability(theta)
    matrix = np.diag(weights.sum(axis=1) + prior * own * (1 - own)) - weights
    if prior == 0:
        matrix += 1 / max(len(theta), 1)  # pins the sum of strengths, which results alone leave free
    return np.asarray(matrix)


def sandwich(information: Array, gradients: Array) -> Array:
    """Return the cluster-robust covariance of the strengths (Liang and Zeger, 1986).

    ``gradients`` has a column a cluster, at least two. Within a cluster, comparisons may depend on one another.
    """
    clusters = gradients.shape[1]
    inverse = np.linalg.inv(information)
    return np.asarray(inverse @ (gradients @ gradients.T) @ inverse * (clusters / (clusters - 1)))


def reach(scores: Array) -> Flags:
    """Return for every i and j whether a chain leads down from i to j in which each scored against the next.

    Without a prior the difference of two strengths is finite if and only if they reach each other (Ford, 1957).
    """
    reached = (scores > 0) | np.eye(len(scores), dtype=bool)
    while True:
        further = reached @ reached
        if (further == reached).all():
            return np.asarray(reached)
        reached = further
