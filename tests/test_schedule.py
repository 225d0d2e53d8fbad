import hashlib
import hmac
from collections import Counter
from itertools import combinations, pairwise
from math import comb

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.errors import ConfigError
from referee.schedule import Plan, commitment, deal_seed, gauntlet, round_robin


def names(count: int) -> list[str]:
    return [f"bot {number}" for number in range(count)]


def tables(plan: Plan) -> dict[int, frozenset[str]]:
    return {block.table: frozenset(block.bots) for block in plan.blocks}


def meetings(plan: Plan, bots: list[str]) -> list[int]:
    met = Counter(frozenset(pair) for table in tables(plan).values() for pair in combinations(table, 2))
    return [met[frozenset(pair)] for pair in combinations(bots, 2)]


def test_within_the_budget_every_set_of_bots_plays_every_deal() -> None:
    plan = round_robin("cup", names(6), seats=4, deals=5, max_games=300)
    assert plan.tables == len(set(tables(plan).values())) == comb(6, 4)
    assert plan.games == 300
    assert (plan.fewest_meetings, plan.most_meetings) == (6, 6)
    assert {(block.table, block.deal) for block in plan.blocks} == {(t, d) for t in range(15) for d in range(5)}


def test_ids_are_derived_from_tournament_table_deal_and_rotation() -> None:
    block = round_robin("cup", names(3), seats=2, deals=2, max_games=100).blocks[-1]
    assert block.id == "cup/2/1"
    assert [game.id for game in block.games()] == ["cup/2/1/0", "cup/2/1/1"]


@given(seats=st.integers(1, 10))
@settings(deadline=None)
def test_over_a_block_every_bot_sits_once_in_every_seat_and_keeps_its_neighbours(seats: int) -> None:
    block = round_robin("cup", names(max(seats, 2)), seats, deals=1, max_games=100).blocks[0]
    games = block.games()
    assert len(games) == seats
    for seat in range(seats):
        assert {game.bots[seat] for game in games} == set(block.bots)
    for game in games:
        assert [game.bots[seat] for seat in range(seats)] == [
            block.bots[(seat + game.rotation) % seats] for seat in range(seats)
        ]


def test_every_other_deal_is_seated_the_other_way_round() -> None:
    first, second, third = round_robin("cup", names(4), seats=4, deals=3, max_games=100).blocks
    assert second.bots == first.bots[::-1]
    assert third.bots == first.bots


@given(bots=st.integers(2, 12), seats=st.integers(1, 10), deals=st.integers(1, 4), max_games=st.integers(1, 3000))
@example(bots=13, seats=4, deals=1, max_games=52)  # the projective plane of order 3: every pair exactly once
@settings(max_examples=150, deadline=None)
def test_a_plan_is_balanced_whatever_the_budget(bots: int, seats: int, deals: int, max_games: int) -> None:
    least = seats * min(bots, comb(bots, seats))
    if seats > bots or max_games < least:
        with pytest.raises(ConfigError):
            round_robin("cup", names(bots), seats, deals, max_games)
        return
    plan = round_robin("cup", names(bots), seats, deals, max_games)
    assert least <= plan.games <= max_games
    met = meetings(plan, names(bots))
    assert (plan.fewest_meetings, plan.most_meetings) == (min(met), max(met))
    assert plan.most_meetings - plan.fewest_meetings <= 1
    assert len(set(tables(plan).values())) == plan.tables  # no set of bots twice
    assert len(set(Counter(bot for block in plan.blocks for bot in block.bots).values())) == 1  # all play equally often


@given(bots=st.integers(4, 12), seats=st.integers(2, 4), deals=st.integers(1, 20), max_games=st.integers(16, 3000))
@settings(max_examples=100, deadline=None)
def test_deals_are_cut_before_pairs_stop_meeting(bots: int, seats: int, deals: int, max_games: int) -> None:
    if max_games < 2 * bots * bots:  # one deal of enough tables, with some room for the search
        max_games += 2 * bots * bots
    plan = round_robin("cup", names(bots), seats, deals, max_games)
    assert plan.fewest_meetings >= 1


def test_projective_plane() -> None:
    plan = round_robin("cup", names(13), seats=4, deals=1, max_games=13 * 4)
    assert (plan.tables, plan.fewest_meetings, plan.most_meetings) == (13, 1, 1)


@pytest.mark.parametrize(
    ("bots", "seats", "deals", "tables", "meetings"),
    [
        (100, 4, 5, 900, (1, 2)),  # 50 deals would leave most pairs without a meeting
        (100, 2, 2, 4950, (1, 1)),
        (1000, 4, 1, 5000, (0, 1)),  # not even one deal lets half a million pairs meet
        (64, 4, 13, 384, (1, 2)),
        (30, 1, 50, 30, (0, 0)),
    ],
)
def test_many_bots(bots: int, seats: int, deals: int, tables: int, meetings: tuple[int, int]) -> None:
    plan = round_robin("cup", names(bots), seats, deals=50, max_games=20_000)
    assert plan.tables == tables
    assert (plan.fewest_meetings, plan.most_meetings) == meetings
    assert len(plan.blocks) == tables * deals


@given(bots=st.integers(2, 9), seats=st.integers(2, 4), deals=st.integers(1, 30))
@settings(deadline=None)
def test_blocks_are_in_playing_order_deal_by_deal(bots: int, seats: int, deals: int) -> None:
    bots = max(bots, seats)
    plan = round_robin("cup", names(bots), seats, deals, max_games=2000)
    order = [(block.deal, block.table) for block in plan.blocks]
    assert all(earlier < later for earlier, later in pairwise(order))
    assert order[-1] == (len(order) // plan.tables - 1, plan.tables - 1)


@given(bots=st.integers(2, 12), seats=st.integers(2, 6), deals=st.integers(1, 5), max_games=st.integers(100, 2000))
@settings(deadline=None)
def test_in_a_gauntlet_the_hero_meets_everybody_equally_often(
    bots: int, seats: int, deals: int, max_games: int
) -> None:
    bots = max(bots, seats)
    hero = "bot 1"
    plan = gauntlet("cup", names(bots), seats, deals, max_games, hero=hero)
    assert plan.games <= max_games
    assert all(hero in table for table in tables(plan).values())
    met = Counter(bot for table in tables(plan).values() for bot in table if bot != hero)
    assert set(met.values()) == {plan.fewest_meetings} == {plan.most_meetings}
    assert set(met) == set(names(bots)) - {hero}


def test_a_schedule_is_a_function_of_its_arguments() -> None:
    assert round_robin("cup", names(20), 4, 50, 20_000) == round_robin("cup", names(20), 4, 50, 20_000)


@pytest.mark.parametrize(
    ("bots", "seats", "says"),
    [
        (3, 4, "4 seats but only 3 bots: bot 0, bot 1, bot 2"),
        (1, 2, "needs two bots or more, here: bot 0"),
        (0, 2, "needs two bots or more, here: none"),
        (0, 1, "needs one bot or more, here: none"),
    ],
)
def test_too_few_bots(bots: int, seats: int, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as error:
        round_robin("cup", names(bots), seats, deals=1, max_games=100)
    assert error.value.hint


def test_a_bot_may_play_alone_at_tables_of_one_seat() -> None:
    assert round_robin("cup", ["solo"], seats=1, deals=3, max_games=100).games == 3


def test_a_budget_below_one_deal_says_what_is_needed() -> None:
    with pytest.raises(ConfigError, match="one deal at which all play equally often takes 40 games") as error:
        round_robin("cup", names(10), seats=4, deals=1, max_games=39)
    assert "40" in error.value.hint


def test_the_hero_must_play() -> None:
    with pytest.raises(ConfigError, match="'nobody', is not among the bots: bot 0, bot 1"):
        gauntlet("cup", names(2), seats=2, deals=1, max_games=100, hero="nobody")


def test_a_gauntlet_needs_opponents() -> None:
    with pytest.raises(ConfigError, match="no opponents"):
        gauntlet("cup", names(2), seats=1, deals=1, max_games=100, hero="bot 0")


def test_deals_follow_from_the_committed_secret() -> None:
    assert commitment(b"secret") == hashlib.sha256(b"secret").hexdigest()
    assert deal_seed(b"secret", 12) == hmac.new(b"secret", b"12", "sha256").digest()
    assert len({deal_seed(b"secret", deal) for deal in range(1000)} | {deal_seed(b"other", 0)}) == 1001
