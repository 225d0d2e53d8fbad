"""What must hold for every game and variant, whatever is played."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games import REGISTRY, AnyGame, IllegalChoice
from tests.games.peek import peek, walk

MANY = 200
"""Legal choices are compared with ``check`` up to so many."""


@dataclass(frozen=True)
class Setting:
    game: AnyGame
    seats: int
    options: msgspec.Struct

    def __str__(self) -> str:
        changed = {
            field: value
            for field in self.options.__struct_fields__
            if (value := getattr(self.options, field)) != getattr(self.game.options(), field)
        }
        return "-".join([self.game.name, f"{self.seats}_seats", *(f"{k}={v}" for k, v in changed.items())])


SETTINGS = [
    Setting(game, seats, options)
    for game in REGISTRY.values()
    for options in game.variants
    for seats in sorted({game.seats[0], game.seats[len(game.seats) // 2], game.seats[-1]})
]

every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)
seeds = st.integers(0, 2**32)
some_games = settings(max_examples=4, deadline=None)


@every_setting
@some_games
@given(seed=seeds)
def test_no_leak(setting: Setting, seed: int) -> None:
    """What a seat cannot see does not change a byte of what it is sent, nor what it may answer."""
    game, rng = setting.game, Random(seed)
    for state, choices, _ in walk(game, setting.seats, setting.options, rng):
        for seat in choices:
            other = peek(game).resample(game, state, seat, rng)
            seen = game.view(state, seat).SerializeToString(deterministic=True)
            assert game.view(other, seat).SerializeToString(deterministic=True) == seen
            assert [*islice(game.legal(other, seat), MANY)] == [*islice(game.legal(state, seat), MANY)]


@every_setting
@some_games
@given(seed=seeds)
def test_there_is_something_to_hide(setting: Setting, seed: int) -> None:
    """``resample`` makes another state: without that, the test above would prove nothing."""
    state = setting.game.new(setting.seats, setting.options, Random(seed))
    seat = setting.game.pending(state)[0]
    assert peek(setting.game).resample(setting.game, state, seat, Random(seed + 1)) != state


@every_setting
def test_a_view_is_its_owners(setting: Setting) -> None:
    """Whoever is given a view may do with it what they like: the next one is as it was."""
    game = setting.game
    for state, choices, _ in walk(game, setting.seats, setting.options, Random(0)):
        for seat in choices:
            view = game.view(state, seat)
            was = view.SerializeToString()
            view.Clear()
            assert game.view(state, seat).SerializeToString() == was


@every_setting
@some_games
@given(seed=seeds)
def test_every_legal_choice_applies(setting: Setting, seed: int) -> None:
    """Each legal choice of each seat passes ``check`` and leads to a state; the old state stays as it was."""
    game = setting.game
    for state, choices, _ in walk(game, setting.seats, setting.options, Random(seed)):
        was = repr(state)
        for seat in choices:
            for choice in islice(game.legal(state, seat), MANY):
                game.check(state, seat, choice)
                after = game.apply(state, {**choices, seat: choice})
                assert after != state
        assert repr(state) == was


@every_setting
@some_games
@given(seed=seeds)
def test_check_refuses_all_but_the_legal(setting: Setting, seed: int) -> None:
    """``check`` and ``legal`` agree on any message; a refusal says why and changes nothing."""
    game, rng = setting.game, Random(seed)
    for state, choices, _ in walk(game, setting.seats, setting.options, rng):
        was = repr(state)
        for seat in choices:
            legal = list(islice(game.legal(state, seat), MANY))
            for _ in range(10):
                choice = peek(game).guess(game, state, seat, rng)
                reason = refusal(game, state, seat, choice)
                if reason is None:
                    assert choice in legal or len(legal) == MANY
                else:
                    assert choice not in legal
                    assert len(reason) > 10
        assert repr(state) == was


def refusal(game: AnyGame, state: Any, seat: int, choice: Message) -> str | None:
    try:
        game.check(state, seat, choice)
    except IllegalChoice as error:
        return str(error)
    return None


@every_setting
@some_games
@given(seed=seeds)
def test_cards_are_conserved(setting: Setting, seed: int) -> None:
    game = setting.game
    states = [after for _, _, after in walk(game, setting.seats, setting.options, Random(seed))]
    first = game.new(setting.seats, setting.options, Random(seed))
    deck = Counter(peek(game).places(first))
    for state in states:
        assert Counter(peek(game).places(state)) == deck


@every_setting
@some_games
@given(seed=seeds)
def test_legal_choices_differ_and_start_with_the_default(setting: Setting, seed: int) -> None:
    """``legal`` is the same however often it is asked, repeats nothing and is never empty for a pending seat."""
    game = setting.game
    for state, choices, _ in walk(game, setting.seats, setting.options, Random(seed)):
        assert list(choices) == sorted(set(choices))
        for seat in choices:
            legal = [choice.SerializeToString() for choice in islice(game.legal(state, seat), MANY)]
            assert len(set(legal)) == len(legal) > 0
            assert next(game.legal(state, seat)).SerializeToString() == legal[0]


@every_setting
@some_games
@given(seed=seeds)
def test_the_end_ranks_every_seat(setting: Setting, seed: int) -> None:
    *_, (_, _, end) = walk(setting.game, setting.seats, setting.options, Random(seed))
    result = setting.game.result(end)
    ranks = sorted([*result.ranks, *(house.rank for house in result.house)])
    assert len(result.points) == len(result.ranks) == setting.seats
    assert ranks == [1 + sum(other < rank for other in ranks) for rank in ranks]


@every_setting
@some_games
@given(seed=seeds)
def test_a_seed_is_a_game(setting: Setting, seed: int) -> None:
    """The same seed and choices give the same states, events, exports and words."""

    def once() -> list[object]:
        game, names = setting.game, [f"bot{seat}" for seat in range(setting.seats)]
        story: list[object] = []
        for before, choices, after in walk(game, setting.seats, setting.options, Random(seed)):
            events = list(game.events(before, after))
            exported = [game.export(message) for message in [*choices.values(), *events]]
            story += [after, events, exported, list(game.tell(before, choices, after, names))]
        return story

    assert once() == once()


@pytest.mark.parametrize("game", REGISTRY.values(), ids=lambda game: game.name)
def test_options_all_have_defaults_and_descriptions(game: AnyGame) -> None:
    """``referee games`` prints them, and a tournament may leave any of them out."""
    assert msgspec.json.decode(msgspec.json.encode(game.options()), type=game.options) == game.options()
    for name, schema in msgspec.json.schema_components([game.options])[1][game.options.__name__]["properties"].items():
        assert schema.get("description"), f"option {name} of {game.name} has no description"
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"no_such_option": 1}, type=game.options)
