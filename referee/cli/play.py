"""`play` and `replay`: one game, told on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli import console
from referee.cli.options import ARENA, ArenaDir, GameName
from referee.errors import ConfigError


def play(
    bots: Annotated[list[str], typer.Argument(metavar="BOT BOT...", help="Folders or submitted bots, by seat.")],
    game: GameName = None,
    option: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="Of the game. Repeat it.")] = None,
    seed: Annotated[str | None, typer.Option(help="The deal comes from it; without one, a fresh deal.")] = None,
    arena: ArenaDir = ARENA,
) -> None:
    """Play one game and tell it, trick by trick."""
    import secrets

    from referee import config, games, tournament, worker
    from referee.bots import sandbox
    from referee.cli.telling import tell
    from referee.database import DATABASE
    from referee.entrants import check_game, find_all
    from referee.schedule import Block, deal_seed
    from referee.store import Store
    from referee.v1.record_pb2 import GameRecord

    chosen = config.find_game(game or next(iter(games.REGISTRY)), "--game")
    options = config.options(chosen, _pairs(option or []), "--option", texts=True)
    config.check_seats(chosen, len(bots), options, "referee play")
    settings = config.Config(name="play", game=chosen.name, seats=len(bots), options=options)
    level = sandbox.choose(settings.sandbox)
    seed = seed or secrets.token_hex(4)
    with Store.open(arena, write=not (arena / DATABASE).exists()) as store:  # beside a tournament that is running, too
        entrants = find_all(bots, Path.cwd(), store, level)
    check_game(entrants, chosen.name)
    block = Block("play/0/0", 0, 0, tuple(bot.name for bot in entrants))
    setup = tournament.setup_for(settings, entrants, level, arena / "logs" / "play")
    try:
        result = worker.play(setup, worker.Job(block, block.games()[:1], deal_seed(seed.encode(), 0)))
    finally:
        worker.close_sessions()
    for line in tell(GameRecord.FromString(result.records[0])):
        console.tell(line)
    console.say(f"the same deal again: --seed {seed}")


def replay(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Its id, tournament/table/deal/rotation.")],
    arena: ArenaDir = ARENA,
) -> None:
    """Tell a stored game, with its faults."""
    from referee.cli.telling import tell
    from referee.store import Store

    with Store.open(arena, write=False) as store:
        record = store.record(game)
    for line in tell(record):
        console.tell(line)


def _pairs(options: list[str]) -> dict[str, str]:
    pairs = [option.partition("=") for option in options]
    for key, equals, _ in pairs:
        if not equals:
            raise ConfigError(f"--option {key}: no value", f"write it like --option {key}=VALUE")
    return {key: value for key, _, value in pairs}
