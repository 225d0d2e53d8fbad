"""`bot new`, `bot check`, `bot list` and `submit`: a bot from its first line to the arena."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import console
from referee.cli.options import ARENA, ArenaDir, Format, FormatOption, GameName, Output
from referee.errors import BotError, Exit

if TYPE_CHECKING:
    from referee.cli.sheet import Cell

app = typer.Typer(help="Write bots and check them.", no_args_is_help=True, rich_markup_mode=None)

BotDir = Annotated[Path, typer.Argument(metavar="DIR", help="The bot's folder, with its bot.toml.", show_default=False)]


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(metavar="NAME", help="The folder to make.", show_default=False)],
    game: GameName = None,
    arena: ArenaDir = ARENA,
) -> None:
    """Make a bot to start from, a copy of the shortest sample bot."""
    from referee import samples
    from referee.config import find_game
    from referee.games import REGISTRY
    from referee.toml import literal

    if folder.exists():
        raise BotError(f"{folder} is there already", "choose another name")
    sample = samples.shortest(find_game(game or next(iter(REGISTRY)), "--game").name)
    shutil.copytree(sample, folder, ignore=shutil.ignore_patterns("__pycache__"))
    manifest = folder / "bot.toml"
    text = manifest.read_text("utf-8")
    name = literal(folder.resolve().name)
    manifest.write_text(re.sub(r"(?m)^name = .*$", lambda _: f"name = {name}", text, count=1), "utf-8")
    console.say(
        f"{folder} is a copy of the sample bot {sample.name}", f"next: change it, then `referee bot check {folder}`"
    )


@app.command()
def check(folder: BotDir, arena: ArenaDir = ARENA) -> None:
    """Try a bot as a tournament would use it."""
    if not _passes(folder):
        raise typer.Exit(Exit.FINDINGS)
    console.say(f"next: `referee submit {folder}`, or name the folder in a tournament.toml")


@app.command("list")
def list_(format: FormatOption = Format.TABLE, output: Output = None, arena: ArenaDir = ARENA) -> None:
    """List the submitted bots."""
    import msgspec

    from referee.cli.sheet import Sheet
    from referee.store import Store

    with Store.open(arena, write=False) as store:
        rows: list[tuple[Cell, ...]] = [
            (bot.name, bot.version, msgspec.json.decode(bot.manifest)["games"], bot.digest, bot.submitted)
            for bot in store.bots()
        ]
    Sheet("bots", ("name", "version", "games", "digest", "submitted"), rows).emit(format, output)


def submit(folder: BotDir, arena: ArenaDir = ARENA) -> None:
    """Check a bot and copy it into the arena."""
    import msgspec

    from referee.bots import sandbox, shelf
    from referee.store import Store

    if not _passes(folder):
        console.error(f"{folder} was not submitted", "mend what the check found")
        raise typer.Exit(Exit.FINDINGS)
    with Store.open(arena, write=True) as store:
        bot = shelf.shelve(arena, folder, sandbox.choose("auto"))
        store.add_bot(bot.name, bot.version, bot.digest, bot.folder, msgspec.json.encode(bot.manifest).decode())
    console.say(f"submitted {bot.name}@{bot.version} ({bot.digest[:12]})", "next: `referee run` a tournament with it")


def _passes(folder: Path) -> bool:
    """Tell the steps of a check as they come; return whether all passed."""
    from referee.check import check as steps

    for step in steps(folder):
        console.tell(f"{step.number:>2}. {'ok' if step.passed else 'FAILED'}: {step.title}")
        for line in step.details:
            console.tell(f"    {line}")
        if not step.passed:
            return False
    return True
