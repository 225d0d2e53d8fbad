from math import isfinite, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import ConfigError
from referee.ratings import Outcome
from referee.sprt import Scores, match_elo, sprt


def near(value: float, places: int) -> object:
    return pytest.approx(value, abs=0.5001 * 10**-places)


def test_independent_games_of_an_even_match() -> None:
    match = match_elo(Scores.of_games(wins=76, losses=89, draws=123))
    assert match.score == near(0.4774, 4)
    assert (match.elo, match.low, match.high) == (near(-15.69, 2), near(-46.27, 2), near(14.64, 2))
    assert match.los == near(0.1553, 4)


def test_independent_games_of_a_better_player() -> None:
    match = match_elo(Scores.of_games(wins=136, losses=96, draws=111))
    assert (match.elo, match.error) == (near(40.70, 2), near(30.43, 2))
    assert (match.normalised, match.normalised_error) == (near(49.77, 2), near(36.77, 2))
    assert match.los == near(0.9960, 4)


def test_independent_games_of_a_lost_match() -> None:
    match = match_elo(Scores.of_games(wins=34, losses=356, draws=0))
    assert (match.elo, match.error) == (near(-407.99, 2), near(63.16, 2))


def test_pairs_of_games() -> None:
    match = match_elo(Scores.of_pairs([34, 54, 63, 64, 75]))
    assert (match.elo, match.error) == (near(55.58, 2), near(27.65, 2))
    assert (match.normalised, match.normalised_error) == (near(57.94, 2), near(28.28, 2))


def test_many_pairs_of_games() -> None:
    match = match_elo(Scores.of_pairs([332, 433, 498, 333, 334]))
    assert (match.elo, match.error, match.los) == (near(-8.64, 2), near(10.33, 2), near(0.0505, 4))


@pytest.mark.parametrize(
    ("scores", "llr", "within"),
    [
        (Scores.of_pairs([365, 16618, 36229, 16974, 390]), 2.2504, 5e-5),
        (Scores.of_pairs([379, 10170, 21828, 10640, 343]), 2.946, 6e-4),
        (Scores.of_games(wins=36433, losses=36027, draws=68692), 0.9233, 5e-5),
    ],
)
def test_sequential_test(scores: Scores, llr: float, within: float) -> None:
    assert sprt(scores, elo0=0, elo1=2, alpha=0.05, beta=0.05).llr == pytest.approx(llr, abs=within)


@pytest.mark.parametrize(
    ("wins", "losses", "low", "high"), [(10, 0, 166, None), (5, 0, 46, None), (0, 3, None, 43), (0, 10, None, -166)]
)
def test_a_match_won_or_lost_whole_has_one_bound(wins: int, losses: int, low: float | None, high: float | None) -> None:
    match = match_elo(Scores.of_games(wins, losses, draws=0))
    assert match.elo is match.error is None
    assert match.low == (None if low is None else near(low, 0))
    assert match.high == (None if high is None else near(high, 0))


def test_all_games_drawn() -> None:
    match = match_elo(Scores.of_games(wins=0, losses=0, draws=20))
    assert (match.elo, match.error, match.normalised, match.los) == (0, None, None, 0.5)


@given(st.lists(st.integers(0, 50), min_size=5, max_size=5).filter(any))
@settings(deadline=None)
def test_nothing_is_ever_infinite(counts: list[int]) -> None:
    scores = Scores.of_pairs(counts)
    match = match_elo(scores)
    figures = [match.elo, match.low, match.high, match.error, match.normalised, match.normalised_error, match.los]
    assert all(isfinite(figure) for figure in figures if figure is not None)
    assert isfinite(sprt(scores, elo0=-50, elo1=50, alpha=0.05, beta=0.05).llr)


@given(st.lists(st.integers(0, 50), min_size=5, max_size=5).filter(any))
@settings(deadline=None)
def test_the_other_side_sees_the_match_mirrored(counts: list[int]) -> None:
    one, other = match_elo(Scores.of_pairs(counts)), match_elo(Scores.of_pairs(counts[::-1]))
    assert one.los == pytest.approx(1 - other.los)
    assert (one.elo is None) == (other.elo is None)
    if one.elo is not None and other.elo is not None:
        assert one.elo == pytest.approx(-other.elo, abs=1e-6)
    llr = sprt(Scores.of_pairs(counts), elo0=-5, elo1=5, alpha=0.05, beta=0.05).llr
    assert llr == pytest.approx(
        -sprt(Scores.of_pairs(counts[::-1]), elo0=-5, elo1=5, alpha=0.05, beta=0.05).llr, abs=1e-6
    )


def test_no_games_have_no_score() -> None:
    with pytest.raises(ValueError, match="no games"):
        match_elo(Scores.of_games(0, 0, 0))


def test_a_verdict_says_its_units_risks_and_bias() -> None:
    test = sprt(Scores.of_pairs([1, 10, 30, 40, 20]), elo0=0, elo1=10, alpha=0.05, beta=0.1)
    assert test.lower == pytest.approx(log(0.1 / 0.95))
    assert test.upper == pytest.approx(log(0.9 / 0.05))
    assert test.verdict is None
    assert str(test).startswith("normalised Elo 0 (H0) against 10 (H1), α = 0.05, β = 0.1: LLR ")
    assert str(test).endswith("undecided")
    won = sprt(Scores.of_games(500, 300, 200), elo0=0, elo1=10, alpha=0.05, beta=0.05)
    assert won.verdict == "H1"
    assert str(won).endswith("H1 accepted; an Elo after an early stop is biased")
    assert sprt(Scores.of_games(300, 500, 200), elo0=0, elo1=10, alpha=0.05, beta=0.05).verdict == "H0"


def test_incomplete_settings_are_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="without elo1, beta"):
        sprt(Scores.of_games(1, 1, 1), elo0=0, alpha=0.05)


@pytest.mark.parametrize(
    ("elo0", "elo1", "alpha", "beta"), [(2, 0, 0.05, 0.05), (1, 1, 0.05, 0.05), (0, 2, 0, 0.05), (0, 2, 0.5, 0.5)]
)
def test_settings_that_make_no_sense_are_refused(elo0: float, elo1: float, alpha: float, beta: float) -> None:
    with pytest.raises(ConfigError):
        sprt(Scores.of_games(1, 1, 1), elo0=elo0, elo1=elo1, alpha=alpha, beta=beta)


def test_blocks_are_the_units_of_a_tournament() -> None:
    def game(block: str, *ranks: int) -> Outcome:
        return Outcome(block, ("a", "b", "c"), ranks, (0, 0, 0))

    outcomes = [
        game("1", 1, 2, 3),
        game("1", 2, 1, 3),
        game("2", 1, 1, 3),
        game("2", 3, 2, 1),
        game("3", 1, 2, 3),  # its other game is still being played
        Outcome("4", ("b", "c"), (1, 2), (0, 0)),
        Outcome("4", ("b", "c"), (1, 2), (0, 0)),
    ]
    field = Scores.of_blocks(outcomes, "a")
    assert (field.values, field.counts, field.games) == ((0, 0.375, 0.5, 0.75, 1), (0, 1, 0, 1, 0), 2)
    assert Scores.of_blocks(outcomes, "a", "b") == Scores((0, 0.25, 0.5, 1), (0, 1, 1, 0), 2)
    assert sum(Scores.of_blocks(outcomes, "nobody").counts) == 0
