import random
from itertools import permutations
from math import isfinite

import choix
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from referee.bradley_terry import strengths
from referee.errors import ConfigError
from referee.ratings import Outcome, Rating, Ratings, rate


def game(block: object, ranking: dict[str, int]) -> Outcome:
    ranks = tuple(ranking.values())
    return Outcome(str(block), tuple(ranking), ranks, tuple(-10 * rank for rank in ranks))


def match(one: str, other: str, wins: int, draws: int, losses: int) -> list[Outcome]:
    """Return games of two players, each a block of its own."""
    results = [(1, 2)] * wins + [(1, 1)] * draws + [(2, 1)] * losses
    return [
        game(f"{one} {other} {number}", {one: mine, other: theirs}) for number, (mine, theirs) in enumerate(results)
    ]


def elos(ratings: Ratings) -> dict[str, float | None]:
    return {player.name: player.elo for player in ratings.players}


def above_mean(outcomes: list[Outcome]) -> list[float]:
    """Return the Elo of all players by name, without a prior, with the mean 0."""
    rated = elos(rate(outcomes, prior=0))
    return [elo - 1500 for _, elo in sorted(rated.items()) if elo is not None]


def by_name(ratings: Ratings) -> dict[str, Rating]:
    return {player.name: player for player in ratings.players}


# Values to match


def test_three_players_with_draws() -> None:
    outcomes = [
        *match("A", "B", 30, 20, 10),
        *match("B", "A", 15, 20, 25),
        *match("B", "C", 28, 12, 20),
        *match("C", "B", 18, 14, 28),
        *match("A", "C", 35, 15, 10),
        *match("C", "A", 9, 16, 35),
    ]
    assert above_mean(outcomes) == pytest.approx([81.900, -12.151, -69.749], abs=6e-4)


def test_a_chain_of_two_matches() -> None:
    outcomes = match("A", "B", 70, 0, 30) + match("B", "C", 60, 0, 40)
    assert above_mean(outcomes) == pytest.approx([121.606, -25.585, -96.021], abs=6e-4)


def test_rankings_of_four_players() -> None:
    rankings = ["0123", "0213", "1023", "0132", "2013", "3012", "0312", "1203"]
    outcomes = [game(r, {player: rank for rank, player in enumerate(r, start=1)}) for r in rankings]
    assert above_mean(outcomes) == pytest.approx([182.68, 48.20, -75.83, -155.04], abs=6e-3)


@given(st.integers(2, 8), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=50)
def test_strengths_are_those_of_choix(size: int, rng: random.Random) -> None:
    scores = np.array([[0.0 if i == j else rng.choice([0, 0.5, 1, 3, 20]) for j in range(size)] for i in range(size)])
    for i in range(size):
        scores[i, i - 1] += 0.5  # round the circle both ways: connected
        scores[i - 1, i] += 0.5
    np.fill_diagonal(scores, 0)
    oracle = choix.ilsr_pairwise_dense(scores, max_iter=10_000, tol=1e-12)
    assert strengths(scores, prior=0) == pytest.approx(oracle - oracle.mean(), abs=1e-6)


@pytest.mark.parametrize(("wins", "bound"), [(10, 166), (5, 46)])
def test_a_bot_that_won_everything_has_a_bound_instead_of_a_rating(wins: int, bound: float) -> None:
    rated = by_name(rate(match("A", "B", wins, 0, 0)))
    winner, loser = rated["A"], rated["B"]
    assert (winner.elo, winner.error, winner.bound) == (None, None, "at_least")
    assert (loser.elo, loser.error, loser.bound) == (None, None, "at_most")
    assert winner.bound_elo is not None
    assert loser.bound_elo is not None
    assert winner.bound_elo - loser.bound_elo == pytest.approx(bound, abs=0.5)
    assert winner.bound_elo + loser.bound_elo == pytest.approx(3000)


# Cases


def test_no_games_at_all() -> None:
    assert rate([]).players == ()
    rated = rate([], roster=["A", "B"])
    assert [(player.elo, player.games, player.mean_points, player.place) for player in rated.players] == [
        (None, 0, None, 1)
    ] * 2
    assert rated.difference("A", "B").los is None


def test_below_five_blocks_there_are_only_counts() -> None:
    outcomes = [game(block, {"A": 1, "B": 2}) for block in range(4) for _ in range(25)]
    outcomes += [game(block, {"A": 2, "B": 1}) for block in range(4) for _ in range(25)]
    rated = rate(outcomes, anchor=("A", 1500))
    for player in rated.players:
        assert (player.elo, player.error, player.bound, player.bound_elo, player.apart) == (
            None,
            None,
            None,
            None,
            False,
        )
        assert (player.games, player.blocks, player.wins, player.losses) == (200, 4, 100, 100)
        assert (player.mean_points, player.points_error) == (-15, None)
    difference = rated.difference("A", "B")
    assert (difference.elo, difference.los, difference.points_error) == (None, None, None)
    assert (difference.blocks, difference.wins, difference.losses) == (4, 100, 100)


def test_all_games_drawn() -> None:
    rated = rate([game(block, {"A": 1, "B": 1, "C": 1}) for block in range(20)])
    for player in rated.players:
        assert (player.elo, player.error, player.place) == (1500, None, 1)
    assert rated.difference("A", "B").los == 0.5


def test_a_winner_and_a_loser_of_everything_leave_the_others_rated() -> None:
    outcomes = [game(n, {"top": 1, "A": 2 + n % 2, "B": 3 - n % 2, "bottom": 4}) for n in range(30)]
    rated = by_name(rate(outcomes))
    assert {name: player.bound for name, player in rated.items()} == {
        "top": "at_least",
        "A": None,
        "B": None,
        "bottom": "at_most",
    }
    assert rated["A"].elo == pytest.approx(1500)
    assert rated["top"].bound_elo == pytest.approx(1500 + 400 * np.log10(30 / 1.96**2), abs=15)
    ratings = rate(outcomes)
    assert ratings.difference("top", "bottom").elo is None
    assert ratings.difference("top", "bottom").los == 1 - 0.5**31
    assert ratings.difference("bottom", "top").los == 0.5**31


def test_two_groups_that_never_met_are_compared_within_only() -> None:
    ratings = rate(match("A", "B", 12, 0, 8) + match("C", "D", 15, 0, 5))
    assert all((player.elo, player.bound, player.apart) == (None, None, True) for player in ratings.players)
    within = ratings.difference("C", "D")
    assert within.elo == pytest.approx(191, abs=10)  # less a little for the prior
    assert within.los == pytest.approx(0.98, abs=0.02)
    across = ratings.difference("A", "C")
    assert (across.elo, across.error, across.los, across.points, across.blocks) == (None, None, None, None, 0)


def test_the_larger_group_sets_the_scale() -> None:
    rated = by_name(rate(match("A", "B", 5, 5, 5) + match("B", "C", 5, 5, 5) + match("D", "E", 5, 5, 5)))
    assert {name: player.apart for name, player in rated.items()} == {
        "A": False,
        "B": False,
        "C": False,
        "D": True,
        "E": True,
    }


def test_a_bot_that_always_forfeits_is_below_all() -> None:
    outcomes = [game(n, {"A": 1 + n % 2, "B": 2 - n % 2, "gone": 3, "gone too": 3}) for n in range(10)]
    rated = by_name(rate(outcomes))
    assert rated["gone"].bound == rated["gone too"].bound == "at_most"
    assert rated["gone"].bound_elo == rated["gone too"].bound_elo
    assert rated["gone"].place == rated["gone too"].place == 3
    assert rated["gone"].draws == 10


@pytest.mark.parametrize("anchor", ["A", "B", "top"])
def test_an_anchor_has_exactly_its_rating(anchor: str) -> None:
    outcomes = [game(n, {"top": 1, "A": 2 + n % 2, "B": 3 - n % 2}) for n in range(30)]
    rated = by_name(rate(outcomes, anchor=(anchor, 1234.5)))
    assert (rated[anchor].elo, rated[anchor].error, rated[anchor].bound) == (1234.5, 0.0, None)


def test_an_anchor_only_shifts_the_others() -> None:
    outcomes = match("A", "B", 12, 3, 8) + match("B", "C", 9, 3, 10)
    free, fixed = rate(outcomes), rate(outcomes, anchor=("B", 2000))
    for pair in permutations("ABC", 2):
        ours, theirs = free.difference(*pair), fixed.difference(*pair)
        assert ours.elo == pytest.approx(theirs.elo)
        assert ours.error == pytest.approx(theirs.error)
        assert ours.los == pytest.approx(theirs.los)


def test_an_unknown_anchor_is_an_error() -> None:
    with pytest.raises(ConfigError, match="'nobody', is not among the players: A, B"):
        rate(match("A", "B", 5, 0, 5), anchor=("nobody", 1500))


def test_an_anchor_that_has_not_played_yet_is_known_from_the_roster() -> None:
    rated = by_name(rate(match("A", "B", 5, 0, 5), anchor=("C", 1600), roster="ABC"))
    assert rated["C"].elo == 1600
    assert rated["A"].apart


def test_without_a_prior_infinite_strengths_are_refused() -> None:
    with pytest.raises(ValueError, match="without a prior"):
        rate(match("A", "B", 5, 0, 0), prior=0)


def test_a_house_player_is_rated_like_any_other() -> None:
    outcomes = [game(n, {bot: 1 + (n % 3 > 0), "automaton": 2 - (n % 3 > 0)}) for bot in "AB" for n in range(12)]
    rated = by_name(rate(outcomes))
    assert rated["automaton"].elo is not None
    assert rated["automaton"].place == 1


def test_points_differ_by_block_and_not_by_game() -> None:
    points = [3, 5, 10, 2, 4, 6]
    outcomes = [
        Outcome(str(block), ("A", "B"), (1, 2), (lead + luck, luck))
        for block, lead in enumerate(points)
        for luck in (0, 50, -50)
    ]
    difference = rate(outcomes).difference("A", "B")
    assert difference.points == pytest.approx(5)
    assert difference.blocks == 6
    assert difference.points_error == pytest.approx(2.5706 * (8 / 6) ** 0.5, abs=1e-3)  # s² = 8, t of 5 degrees: 2.5706
    back = rate(outcomes).difference("B", "A")
    assert back.points == pytest.approx(-5)
    assert back.points_error == pytest.approx(difference.points_error)


def test_ranks_and_points_are_means_over_blocks() -> None:
    outcomes = [game(0, {"A": 1, "B": 2})] * 3 + [game(1, {"A": 2, "B": 1})]
    first = by_name(rate(outcomes))["A"]
    assert (first.mean_rank, first.mean_points) == (1.5, -15)
    assert (first.games, first.blocks, first.wins, first.losses) == (4, 2, 3, 1)


# Properties

NAMES = "ABCDE"


@st.composite
def tournaments(draw: st.DrawFn) -> list[Outcome]:
    """Draw some games of two to five seats in a few blocks, ties included."""
    outcomes = []
    for _ in range(draw(st.integers(0, 25))):
        players = draw(st.permutations(NAMES))[: draw(st.integers(2, 5))]
        block = draw(st.integers(0, 8))
        outcomes.append(game(block, {player: draw(st.integers(1, len(players))) for player in players}))
    return outcomes


@st.composite
def connected(draw: st.DrawFn) -> list[Outcome]:
    """Draw a tournament in which everybody has a rating."""
    drawn = [game(f"drawn {n}", dict.fromkeys(NAMES, 1)) for n in range(5)]
    return drawn + draw(tournaments())


def figures(ratings: Ratings) -> dict[str, list[float | None]]:
    return {
        player.name: [
            *(player.elo, player.error, player.bound_elo, player.mean_points, player.points_error, player.rank_error),
            *(player.place, player.wins, player.draws, player.losses),
        ]
        for player in ratings.players
    }


def same(one: list[float | None], other: list[float | None]) -> bool:
    return [None if figure is None else pytest.approx(figure, abs=1e-6) for figure in one] == other


@given(tournaments())
@settings(deadline=None, max_examples=50)
def test_never_infinite_and_never_nan(outcomes: list[Outcome]) -> None:
    ratings = rate(outcomes)
    shown = [figure for player in figures(ratings).values() for figure in player]
    for one, other in permutations([player.name for player in ratings.players], 2):
        difference = ratings.difference(one, other)
        shown += [difference.elo, difference.error, difference.los, difference.points, difference.points_error]
    assert all(isfinite(figure) for figure in shown if figure is not None)


@given(tournaments(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=50)
def test_the_order_of_games_and_seats_means_nothing(outcomes: list[Outcome], rng: random.Random) -> None:
    turned = []
    for outcome in rng.sample(outcomes, len(outcomes)):
        seats = rng.sample(range(len(outcome.players)), len(outcome.players))
        turned.append(
            Outcome(
                outcome.block,
                tuple(outcome.players[seat] for seat in seats),
                tuple(outcome.ranks[seat] for seat in seats),
                tuple(outcome.points[seat] for seat in seats),
            )
        )
    before, after = figures(rate(outcomes)), figures(rate(turned))
    assert list(before) == list(after)
    assert all(same(before[name], after[name]) for name in before)


@given(tournaments(), st.permutations(["a vs b", "Ä", "\n", "🎲" * 50, "ä"]))
@settings(deadline=None, max_examples=50)
def test_names_mean_nothing(outcomes: list[Outcome], names: list[str]) -> None:
    called = dict(zip(NAMES, names, strict=True))
    renamed = [
        Outcome(outcome.block, tuple(called[player] for player in outcome.players), outcome.ranks, outcome.points)
        for outcome in outcomes
    ]
    before, after = figures(rate(outcomes)), figures(rate(renamed))
    assert all(same(before[name], after[called[name]]) for name in before)


@given(connected(), st.data())
@settings(deadline=None, max_examples=50)
def test_a_better_rank_never_lowers_a_rating(outcomes: list[Outcome], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(outcomes) - 1))
    outcome = outcomes[number]
    seat = data.draw(st.integers(0, len(outcome.players) - 1))
    better = list(outcome.ranks)
    better[seat] = data.draw(st.integers(0, outcome.ranks[seat]))
    improved = [*outcomes]
    improved[number] = Outcome(outcome.block, outcome.players, tuple(better), outcome.points)
    before, after = elos(rate(outcomes)), elos(rate(improved))
    name = outcome.players[seat]
    now, then = after[name], before[name]
    assume(now is not None and then is not None)
    assert now is not None
    assert then is not None
    assert now >= then - 1e-6


@given(tournaments())
@settings(deadline=None, max_examples=50)
def test_equal_players_with_equal_ranks_are_equal(outcomes: list[Outcome]) -> None:
    """A twin sits beside A wherever A plays and always ties with it."""
    twins = [
        Outcome(
            outcome.block,
            (*outcome.players, "twin"),
            (*outcome.ranks, outcome.ranks[outcome.players.index("A")]),
            (*outcome.points, outcome.points[outcome.players.index("A")]),
        )
        for outcome in outcomes
        if "A" in outcome.players
    ]
    assume(twins)
    rated = figures(rate(twins))
    assert same(rated["A"], rated["twin"])


@given(connected())
@settings(deadline=None, max_examples=50)
def test_a_drawn_game_between_equals_moves_nobody(outcomes: list[Outcome]) -> None:
    mirrored = [
        Outcome(
            outcome.block, tuple({"A": "B", "B": "A"}.get(p, p) for p in outcome.players), outcome.ranks, outcome.points
        )
        for outcome in outcomes
    ]
    before = rate(outcomes + mirrored)
    after = rate([*outcomes, *mirrored, game("another", {"A": 1, "B": 1})])
    assert elos(before) == pytest.approx(elos(after), abs=1e-6)
    assert elos(before)["A"] == pytest.approx(elos(before)["B"])


@given(connected())
@settings(deadline=None, max_examples=50)
def test_the_mean_is_1500_and_differences_add_up(outcomes: list[Outcome]) -> None:
    ratings = rate(outcomes)
    rated = [elo for elo in elos(ratings).values() if elo is not None]
    assert len(rated) == len(NAMES)
    assert sum(rated) / len(rated) == pytest.approx(1500)
    ab, bc, ac = (ratings.difference(*pair) for pair in ("AB", "BC", "AC"))
    assert ab.elo is not None
    assert bc.elo is not None
    assert ab.elo + bc.elo == pytest.approx(ac.elo, abs=1e-6)


def test_the_prior_is_one_virtual_draw_against_the_average() -> None:
    theta = strengths(np.array([[0.0, 3.0], [1.0, 0.0]]), prior=1)
    # At the maximum the score against the other and the virtual draw are what they are expected to be.
    expected = 4 / (1 + np.exp(theta[1] - theta[0])) + 1 / (1 + np.exp(-theta[0]))
    assert expected == pytest.approx(3 + 0.5)
    assert theta[1] == pytest.approx(-theta[0])
