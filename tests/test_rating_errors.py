"""Whether the errors of ratings are honest: against a bootstrap, and against known strengths."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.ratings import ELO, Outcome, rate

STRENGTHS = np.array([0.9, 0.4, 0.1, -0.2, -0.4, -0.8])
NAMES = [f"bot {number}" for number in range(len(STRENGTHS))]
SHARED = 0.5  # how often a bot's luck in a game is that of its whole block


@dataclass(frozen=True)
class World:
    """Where every bot has a true strength, and luck is partly the same in all games of a block.

    A bot's performance is its strength plus Gumbel noise: then any two compare as Bradley and Terry say, at tables of
    any size.
    """

    rng: np.random.Generator

    def tournament(self, blocks: int) -> list[Outcome]:
        return [outcome for number in range(blocks) for outcome in self.block(str(number))]

    def block(self, name: str) -> list[Outcome]:
        bots = self.rng.permutation(len(STRENGTHS))[:4]
        luck = self.rng.gumbel(size=4)
        return [self.game(name, bots, luck) for _ in range(4)]

    def game(self, block: str, bots: NDArray[np.int64], luck: NDArray[np.float64]) -> Outcome:
        performance = STRENGTHS[bots] + np.where(self.rng.random(4) < SHARED, luck, self.rng.gumbel(size=4))
        ranks = 1 + (performance[:, None] < performance).sum(axis=1)
        return Outcome(block, tuple(NAMES[bot] for bot in bots), tuple(ranks.tolist()), tuple((-ranks).tolist()))


def test_95_of_100_intervals_hold_the_truth() -> None:
    world = World(np.random.default_rng(1))
    truth = 1500 + ELO * (STRENGTHS - STRENGTHS.mean())
    single, pairs = [], []
    for _ in range(500):
        ratings = rate(world.tournament(blocks=60))
        for player in ratings.players:
            assert player.elo is not None
            assert player.error is not None
            single.append(abs(player.elo - truth[NAMES.index(player.name)]) < player.error)
        for one in range(len(NAMES) - 1):
            difference = ratings.difference(NAMES[one], NAMES[one + 1])
            assert difference.elo is not None
            assert difference.error is not None
            pairs.append(abs(difference.elo - (truth[one] - truth[one + 1])) < difference.error)
    assert 0.93 < np.mean(single) < 0.97
    assert 0.93 < np.mean(pairs) < 0.97


def test_errors_agree_with_a_bootstrap_of_blocks() -> None:
    rng = np.random.default_rng(2)
    outcomes = World(rng).tournament(blocks=150)
    blocks = [outcomes[start : start + 4] for start in range(0, len(outcomes), 4)]
    draws = []
    for _ in range(200):
        chosen = rng.integers(len(blocks), size=len(blocks))
        again = [
            Outcome(str(number), outcome.players, outcome.ranks, outcome.points)
            for number, block in enumerate(chosen)
            for outcome in blocks[block]
        ]
        draws.append([player.elo for player in sorted(rate(again).players, key=lambda player: player.name)])
    ratings = sorted(rate(outcomes).players, key=lambda player: player.name)
    spread = 1.96 * np.std(np.array(draws, dtype=np.float64), axis=0)
    assert [player.error for player in ratings] == pytest.approx(spread.tolist(), rel=0.2)


def test_games_of_one_block_are_not_taken_for_independent() -> None:
    outcomes = World(np.random.default_rng(4)).tournament(blocks=150)
    apart = [Outcome(str(number), game.players, game.ranks, game.points) for number, game in enumerate(outcomes)]
    for honest, naive in zip(rate(outcomes).players, rate(apart).players, strict=True):
        assert honest.elo == pytest.approx(naive.elo)
        assert honest.error is not None
        assert naive.error is not None
        assert honest.error > 1.1 * naive.error


def test_games_that_only_repeat_their_block_add_no_certainty() -> None:
    outcomes = World(np.random.default_rng(3)).tournament(blocks=60)[::4]
    once, often = rate(outcomes, prior=0), rate(outcomes * 10, prior=0)
    for player, same in zip(once.players, often.players, strict=True):
        assert player.elo == pytest.approx(same.elo)
        assert player.error == pytest.approx(same.error)
