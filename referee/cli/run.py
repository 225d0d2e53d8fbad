"""`run`: a tournament, from its file to its standings."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import console
from referee.cli.options import ARENA, ArenaDir
from referee.errors import Exit, Interrupted

if TYPE_CHECKING:
    from referee.cli.progress import Teller
    from referee.store import Store


def run(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="The tournament's settings.")] = Path(
        "tournament.toml"
    ),
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a bot was at fault in any game.")] = False,
    arena: ArenaDir = ARENA,
) -> None:
    """Play a tournament. A second run goes on where the first one ended."""
    from referee import config, tournament
    from referee.bots import process, sandbox
    from referee.entrants import gather
    from referee.store import Store

    settings = config.load(file)
    level = sandbox.choose(settings.sandbox)
    with Store.open(arena, write=True) as store:
        console.say(*config.settings(settings), f"# sandbox here: {level}")
        bots = gather(settings, file, store, level)
        console.say(f"bots: {', '.join(f'{bot.name}@{bot.version} ({bot.digest[:12]})' for bot in bots)}")
        setup = tournament.setup_for(settings, bots, level, arena / "logs" / settings.name)
        entered = tournament.enter(settings, bots, store)
        row = entered[0]
        console.say(f"commitment to the deals: {row.commitment}")
        with _teller(store, settings.name) as teller:
            process.become_subreaper()  # what a worker that is killed leaves behind comes to us
            try:
                tournament.run(entered, setup, settings, store, teller)
            except KeyboardInterrupt:
                again = shlex.join(["referee", "run", str(file), "--arena", str(arena)])
                raise Interrupted(f"{teller.done} of {teller.total} games are stored", f"go on with: {again}") from None
        console.emit(_standings(store, settings.name))
        console.say(f"the deals came from the secret {row.secret.hex()}")
        faults = sum(len(seat.faults) for game in store.played(settings.name) for seat in game.tally.seats)
    _say_next(settings.name, arena, faults)
    if strict and faults:
        raise typer.Exit(Exit.FINDINGS)


def _teller(store: Store, name: str) -> Teller:
    from referee.cli.progress import Lines, Screen

    return Screen(lambda: _standings(store, name)) if console.people_look() else Lines()


def _standings(store: Store, name: str) -> str:
    from referee.report.rendering import render
    from referee.report.standings import standings

    return render(standings(store, name), "table")


def _say_next(name: str, arena: Path, faults: int) -> None:
    at = "" if arena == ARENA else f" --arena {shlex.quote(str(arena))}"
    console.say(f"everything is in {arena}; next:")
    if faults:
        console.say(f"  referee faults {name}{at}   what went wrong, {faults} times")
    console.say(
        f"  referee standings {name}{at} --format md",
        f"  referee verify {name}{at}",
        f"  referee export games {name}{at} -o games.jsonl",
    )
