"""The games as they were played when somebody last looked."""

from __future__ import annotations

import msgspec
import pytest

from referee.games import REGISTRY, AnyGame
from tests.games import golden
from tests.games.peek import peek

GAMES = [(game, name) for game in REGISTRY.values() for name in peek(game).GOLDEN]


@pytest.mark.parametrize(("game", "name"), GAMES, ids=[golden.path(game, name).stem for game, name in GAMES])
def test_a_golden_game_is_played_as_before(game: AnyGame, name: str) -> None:
    seats, options = peek(game).GOLDEN[name]
    assert golden.transcript(game, seats, options) == golden.path(game, name).read_text(encoding="utf-8")


def test_no_golden_game_is_left_over() -> None:
    assert set(golden.FOLDER.iterdir()) == {golden.path(game, name) for game, name in GAMES}


@pytest.mark.parametrize("game", REGISTRY.values(), ids=lambda game: game.name)
def test_every_variant_has_a_golden_game(game: AnyGame) -> None:
    """Whatever else a golden game sets to be short, it has every option in which the variant is not the default."""
    default = game.options()
    for variant in game.variants:
        changed = {k: v for k in variant.__struct_fields__ if (v := getattr(variant, k)) != getattr(default, k)}
        assert any(_has(options, changed) for _, options in peek(game).GOLDEN.values()), variant


def _has(options: msgspec.Struct, changed: dict[str, object]) -> bool:
    return all(getattr(options, field) == value for field, value in changed.items())
