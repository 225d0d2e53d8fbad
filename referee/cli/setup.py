"""`init`, `games`, `doctor`: what is here, before anything is played."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli import console
from referee.cli.options import ARENA, ArenaDir, Format, FormatOption, Output
from referee.errors import Exit

if TYPE_CHECKING:
    from referee.cli.sheet import Cell
    from referee.games import AnyGame

TEMPLATE = Path(__file__).with_name("tournament.toml")


def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="The tournament file to write.")] = Path(
        "tournament.toml"
    ),
    arena: ArenaDir = ARENA,
) -> None:
    """Make an arena and a tournament.toml."""
    from referee.games import REGISTRY
    from referee.store import Store

    with Store.open(arena, write=True):
        console.say(f"the arena is {arena}")
    if file.exists():
        console.say(f"{file} is there already and stays as it is")
    else:
        game = next(iter(REGISTRY))
        console.emit(TEMPLATE.read_text("utf-8").replace("{game}", game), file)
    console.say("next: write a bot with `referee bot new NAME`, or see the games with `referee games`")


def games(
    name: Annotated[str | None, typer.Argument(metavar="[GAME]", help="One game only.", show_default=False)] = None,
    format: FormatOption = Format.TABLE,
    output: Output = None,
    arena: ArenaDir = ARENA,
) -> None:
    """List the games, their rules and options."""
    from referee.cli.sheet import Sheet
    from referee.config import find_game
    from referee.games import REGISTRY

    chosen = [find_game(name, "referee games")] if name else list(REGISTRY.values())
    if format is Format.TABLE:
        console.emit("\n\n".join(map(_described, chosen)), output)
        return
    rows: list[tuple[Cell, ...]] = [
        (game.name, game.title, game.seats[0], game.seats[-1], option, default, description)
        for game in chosen
        for option, default, description in _options(game)
    ]
    fields = ("game", "title", "fewest_seats", "most_seats", "option", "default", "description")
    Sheet("games", fields, rows).emit(format, output)


def doctor(arena: ArenaDir = ARENA) -> None:
    """Say how well bots can be locked up here.

    Tries each level of the sandbox on a canary, and says how to get more. Exits with 1 if the best does not work.
    """
    from referee.bots import sandbox

    found = sandbox.diagnose()
    for finding in found:
        console.tell(f"{finding.name} {'works' if finding.works else 'does not work'}: {finding.says}")
        if finding.hint:
            console.tell(f"  {finding.hint}")
    console.tell(f'with sandbox = "auto", bots run at the level {sandbox.choose("auto")}')
    if not found[0].works:
        raise typer.Exit(Exit.FINDINGS)


def _described(game: AnyGame) -> str:
    from textwrap import fill

    lines = [f"{game.name}: {game.title}, {game.seats[0]} to {game.seats[-1]} seats", "", fill(game.rules, 100), ""]
    for option, default, description in _options(game):
        lines += [f"  {option} = {default}", fill(description, 96, initial_indent="    ", subsequent_indent="    ")]
    return "\n".join(lines)


def _options(game: AnyGame) -> list[tuple[str, str, str]]:
    """Return name, default (as in TOML) and description of each option."""
    import msgspec

    from referee.toml import literal

    schema: dict[str, Any] = msgspec.json.schema(game.options)
    properties = schema["$defs"][game.options.__name__]["properties"]
    defaults = dict(zip(game.options.__struct_fields__, game.options.__struct_defaults__, strict=True))
    return [
        (option, "none" if defaults[option] is None else literal(defaults[option]), about.get("description", ""))
        for option, about in properties.items()
    ]
