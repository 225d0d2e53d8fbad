"""The steps of `referee bot check`: what a tournament would do with a bot, and how it went."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import msgspec

from referee import faults, samples
from referee.bots import manifest, sandbox, shelf
from referee.bots.shelf import Bot
from referee.config import Config, find_game
from referee.errors import RefereeError
from referee.games import AnyGame
from referee.schedule import Block
from referee.shop import End
from referee.table import BOT
from referee.tournament import setup_for
from referee.v1.record_pb2 import Fault, GameRecord
from referee.worker import Job, Session

TABLE = 4
"""Seats at a table where the game has as many."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a check and how it went; a step that has not passed is the last."""

    number: int
    title: str
    passed: bool = True
    details: tuple[str, ...] = ()


def check(folder: Path) -> Iterator[Step]:
    """Check a bot the way a tournament uses it; stop at the first step that fails."""
    number = 0
    with tempfile.TemporaryDirectory(prefix="referee-check-") as arena:
        for number, step in enumerate(_steps(folder, Path(arena)), 1):
            yield replace(step, number=number)
            if not step.passed:
                return


def _steps(folder: Path, arena: Path) -> Iterator[Step]:
    try:
        about = manifest.load(folder)
        games = [find_game(name, f"{folder / manifest.FILE}: games") for name in about.games]
        yield Step(0, f"bot.toml: {about.name!r}, version {about.version}, plays {', '.join(about.games)}")
        level = sandbox.choose("auto")
        bot = shelf.shelve(arena, folder, level)
        yield Step(0, f"{'builds' if about.build else 'nothing to build'}; runs {' '.join(about.run)!r}")
    except RefereeError as error:
        yield Step(0, "bot.toml, build and command", False, (str(error), error.hint))
        return
    for game in games:
        yield from _play_game(game, bot, arena, level)


def _play_game(game: AnyGame, bot: Bot, arena: Path, level: str) -> Iterator[Step]:
    """Start the bot for a game, and play one of each variant beside sample bots."""
    opponents = _opponents(game, bot, arena, level)
    for options in game.variants:
        seats = min(1 + len(opponents), game.seats[-1], TABLE)
        bots = [bot, *opponents][:seats]
        config = Config(name="check", game=game.name, seats=seats, options=options)
        session = Session(setup_for(config, bots, level, arena / "logs"))
        try:
            if options is game.variants[0]:
                start = _start(session, bot, config, level)
                yield start
                if not start.passed:
                    return
            block = Block("check/0/0", 0, 0, tuple(b.name for b in bots))
            result = session.play(Job(block, block.games()[:1], b"check"))
        finally:
            session.close()
        step = _judge(game, options, GameRecord.FromString(result.records[0]), config)
        yield step
        if not step.passed:
            return


def _opponents(game: AnyGame, bot: Bot, arena: Path, level: str) -> list[Bot]:
    """Return sample bots that need no build, under names of their own: the bot may be a sample itself."""
    folders = [path for path in samples.bots(game.name) if manifest.load(path).build is None]
    found = [shelf.shelve(arena, path, level) for path in folders[: TABLE - 1]]
    return [replace(opponent, name=f"the sample {opponent.name}") for opponent in found]


def _start(session: Session, bot: Bot, config: Config, level: str) -> Step:
    met = session.meet(bot.name)
    if isinstance(met, End):
        return Step(0, f"starts for {config.game}, sandbox {level}", False, tuple(_explain(met.fault())))
    return Step(
        0, f"starts for {config.game}, sandbox {level}: Hello after {met:.2f} s of {config.time.start / 1e9:g} s"
    )


def _judge(game: AnyGame, options: msgspec.Struct, record: GameRecord, config: Config) -> Step:
    chosen = {k: v for k, v in msgspec.to_builtins(options).items() if v != msgspec.to_builtins(game.options())[k]}
    variant = ", ".join(f"{key} = {value}" for key, value in chosen.items()) or "default options"
    title = f"plays {game.name}, {variant}"
    mine = [fault for fault in record.faults if fault.seat == 0]
    if mine:
        return Step(0, title, False, tuple(line for fault in mine for line in _explain(fault)))
    decisions = [event.decision for event in record.events if event.HasField("decision")]
    times = [d.us / 1000 for d in decisions if d.seat == 0 and d.by == BOT] or [0.0]
    seat = record.seats[0]
    details = (
        f"rank {seat.rank} of {len(record.seats)} with {seat.points} points",
        f"{len(times)} decisions: median {median(times):.1f} ms, slowest {max(times):.1f} ms"
        f" of {config.time.move / 1e6:g} ms",
    )
    return Step(0, title, True, details)


def _explain(fault: Fault) -> Iterator[str]:
    """Say what went wrong, what can be done about it, and what the bot said itself."""
    yield f"{faults.name(fault.kind)}: {fault.reason}"
    yield f"what to do: {faults.ADVICE[fault.kind]}"
    if fault.stderr_tail:
        yield "the end of its stderr:"
        yield from (f"| {line}" for line in fault.stderr_tail.splitlines()[-20:])
