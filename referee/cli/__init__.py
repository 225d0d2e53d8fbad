"""The command line: one small file a group of commands. Heavy imports wait inside, so ``--help`` answers at once."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from referee import __version__
from referee.cli import bots, console, play, results, run, setup
from referee.errors import Exit, Interrupted, RefereeError

app = typer.Typer(
    help="Tournaments for bots: fair games, Elo with honest error bars, replays.",
    epilog="--debug, anywhere: show the traceback of an error.",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: it costs a third of the time
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(setup.init)
app.add_typer(bots.app, name="bot")
app.command()(bots.submit)
app.command()(play.play)
app.command()(run.run)
app.command()(results.standings)
app.command()(results.faults)
app.command()(play.replay)
app.command()(results.verify)
app.add_typer(results.export, name="export")
app.command()(setup.games)
app.command()(setup.doctor)


def _version(asked: bool) -> None:
    if asked:
        console.tell(f"referee {__version__}")
        raise typer.Exit


@app.callback()
def everywhere(
    arena: Annotated[Path | None, typer.Option(metavar="DIR", help="The folder of bots and results.")] = None,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say it, end.")] = False,
) -> None:
    """Take the options that may stand before the command as well as after it."""
    if arena is not None:
        os.environ["REFEREE_ARENA"] = str(arena)  # where each command's own --arena looks next


def main() -> None:
    """Run a command; whatever it raises becomes a line for the user and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr] # a bot's name may hold anything
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    try:
        with _terminable():
            app(args=[argument for argument in arguments if argument != "--debug"], prog_name="referee")
    except SystemExit:
        raise
    except BaseException as failure:  # a cancelled trio task is no Exception
        if debug:
            traceback.print_exc()
        sys.exit(_told(failure))


@contextmanager
def _terminable() -> Iterator[None]:
    """Make SIGTERM what Ctrl-C is."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _told(failure: BaseException) -> Exit:
    if isinstance(failure, Interrupted):
        console.error(str(failure), failure.hint, "interrupted")
    elif isinstance(failure, RefereeError):
        console.error(str(failure), failure.hint)
    else:
        what = f"{type(failure).__name__}: {failure}".splitlines()[0]
        console.error(f"a bug in the referee: {what}", "run with --debug for the traceback")
    return failure.exit if isinstance(failure, RefereeError) else Exit.BUG
