"""`standings`, `faults`, `verify` and `export`: what the arena's database says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import console
from referee.cli.options import ARENA, ArenaDir, Format, FormatOption, Output, TournamentName
from referee.errors import Exit
from referee.report.text import counted

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from referee.cli.sheet import Cell
    from referee.v1.record_pb2 import Fault, GameRecord

export = typer.Typer(help="Write out what was played.", no_args_is_help=True, rich_markup_mode=None)

FAULTS = (
    "bot",
    "fault",
    "game",
    "reason",
    "ms",
    "limit_ms",
    "lag_ms",
    "exit",
    "seat",
    "event",
    "stderr",
    "ask",
    "reply",
)


def standings(
    name: TournamentName = None, format: FormatOption = Format.TABLE, output: Output = None, arena: ArenaDir = ARENA
) -> None:
    """Print who is how strong, with errors."""
    from referee.report.rendering import render
    from referee.report.standings import standings as count
    from referee.store import Store

    with Store.open(arena, write=False) as store:
        text = render(count(store, store.tournament(name).name), format.value)
    console.emit(text, output)


def faults(
    name: TournamentName = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="Of this bot only.", show_default=False)] = None,
    format: FormatOption = Format.TABLE,
    output: Output = None,
    arena: ArenaDir = ARENA,
) -> None:
    """List what bots did wrong.

    JSON and CSV have all the evidence: the ask, the reply, the end of stderr.
    """
    from referee.cli.sheet import Sheet
    from referee.store import Store

    rows: list[tuple[Cell, ...]] = []
    with Store.open(arena, write=False) as store:
        tournament = store.tournament(name).name
        for record in store.records(tournament):
            rows += [_fault(record, f) for f in record.faults if bot in (None, record.seats[f.seat].bot)]
        benched = [b for b in store.benchings(tournament) if bot in (None, b.bot)]
        voids = store.voids(tournament)
    shown = len(FAULTS) if format in (Format.JSON, Format.CSV) else FAULTS.index("seat")
    rows.sort(key=lambda row: str(row[0]))
    Sheet("faults", FAULTS[:shown], [row[:shown] for row in rows]).emit(format, output)
    console.say(*(f"{benching.bot}: {benching.reason}" for benching in benched))
    if voids:
        console.say(
            f"{counted(len(voids), 'game')} void and played again: the referee or the machine failed, not a bot"
        )
    if rows:
        console.say(f"next: see one where it happened, `referee replay {rows[0][2]}`")


def verify(name: TournamentName = None, arena: ArenaDir = ARENA) -> None:
    """Deal and play every stored game again.

    Checks the commitment, the deals, the schedule, each choice and each result.
    """
    from referee import config
    from referee.schedule import commitment
    from referee.store import Store
    from referee.tournament import plan_for
    from referee.verify import findings

    with Store.open(arena, write=False) as store:
        row = store.tournament(name)
        settings = config.from_json(row.config, f"{arena}: {row.name}")
        plan = plan_for(settings, [bot.name for bot in row.bots])
        found = list(findings(row, settings, plan, store.games(row.name)))
        games = len(store.finished(row.name))
    for finding in found:
        console.tell(finding)
    if found:
        raise typer.Exit(Exit.FINDINGS)
    console.tell(f"{row.name}: {counted(games, 'game')} dealt and played again, all as recorded")
    console.tell(f"commitment {commitment(row.secret)}")
    if row.ended:
        console.tell(f"secret     {row.secret.hex()}")


@export.command("games")
def export_games(name: TournamentName = None, output: Output = None, arena: ArenaDir = ARENA) -> None:
    """Write every game as a line of JSON.

    Another program can check every rule with it.
    """
    import json

    from referee.report.games import exported
    from referee.store import Store

    with Store.open(arena, write=False) as store, console.opened(output) as file:
        for record in store.records(store.tournament(name).name):
            file.write(json.dumps(exported(record), ensure_ascii=False, separators=(",", ":")) + "\n")


def _fault(record: GameRecord, fault: Fault) -> tuple[Cell, ...]:
    from referee import faults as kinds
    from referee.v1.arena_pb2 import Ask, Reply

    return (
        record.seats[fault.seat].bot,
        kinds.name(fault.kind),
        record.id,
        fault.reason,
        fault.us / 1000,
        fault.limit_us / 1000,
        fault.lag_us / 1000,
        fault.exit,
        fault.seat,
        fault.event,
        fault.stderr_tail,
        _spelled_out(fault.ask, getattr(Ask(), record.game)),
        _spelled_out(fault.reply, getattr(Reply(), record.game)),
    )


def _spelled_out(data: bytes, kind: Message) -> str:
    """Return a message as text, or as hexadecimal digits if it is none."""
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError

    try:
        return text_format.MessageToString(type(kind).FromString(data), as_one_line=True)
    except DecodeError:
        return data.hex()
