"""tournament.toml: everything a host may set for a tournament, with defaults, checked before anything is played."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from referee import games, toml
from referee.errors import ConfigError
from referee.toml import Duration, Size

Count = Annotated[int, Meta(ge=1)]


class Time(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot may take, in nanoseconds. Every ask tells the bot these limits."""

    start: Duration = Duration.parse("10s")  # from the start of the process to Hello
    move: Duration = Duration.parse("1s")  # the most that one decision may take
    free: Duration = Duration.parse("100ms")  # of each decision, not charged to the bank
    bank: Duration = Duration.parse("5s")  # a game's reserve for what decisions take beyond `free`
    shutdown: Duration = Duration.parse("1s")  # from the end of the stream to the end of the process


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What bots may use and do wrong, and how much is played at once."""

    max_strikes: Count = 3  # faults in a game that make a forfeit
    bench_after: Count = 5  # crashes or failed starts in a row after which a bot plays no more
    memory: Size = Size.parse("512MB")  # of a bot's process tree
    processes: Count = 64  # of a bot
    files: Count = 256  # open at once in a bot's process
    file_size: Size = Size.parse("64MB")  # of a file that a bot writes
    log: Size = Size.parse("256KB")  # kept of what a bot prints
    thinkers: Count | None = None  # bots of a worker on the clock at once; None: the cores less one per worker
    games_in_flight: Count = 64  # of a worker
    workers: Count = 1  # processes of the referee


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays whom, how often."""

    format: Literal["round_robin", "gauntlet"] = "round_robin"
    deals: Count = 50  # a table; each is played in every rotation of the seats
    max_games: Count = 20_000  # the budget: beyond it, tables are sampled so that all pairs meet equally often
    hero: str | None = None  # gauntlet: the bot that plays against the others


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """A bot whose rating is given. Without one, the mean of all is 1500."""

    bot: str
    elo: float = 1500.0


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament's settings. ``options`` are the game's own struct."""

    name: str
    game: str
    seats: Count = 4
    bots: list[str] = []  # folders beside the file, or submitted bots; none named: all submitted for the game
    seed: Annotated[str, Meta(min_length=1)] | None = None  # what deals are derived from; None: a fresh secret
    options: Any = None
    schedule: Schedule = Schedule()
    time: Time = Time()
    limits: Limits = Limits()
    anchor: Anchor | None = None
    sandbox: Literal["auto", "require", "limits", "none"] = "auto"


LEFT_OUT = {
    "bots": "all submitted for the game",
    "seed": "a fresh secret",
    "schedule.hero": "nobody, as this is a round robin",
    "limits.thinkers": "the cores, less one per worker",
    "anchor": "nobody, the mean rating is 1500",
}
"""What the settings mean that have no value."""


def load(path: Path) -> Config:
    """Return the settings in a tournament file. Raises ConfigError naming the file, the key and the next step."""
    return _validate({"name": path.stem} | toml.read(path), str(path))


def to_json(config: Config) -> str:
    """Return the settings as they are kept in the arena's database."""
    return json.dumps(toml.builtins(config), ensure_ascii=False)


def from_json(text: str, where: str) -> Config:
    """Return settings that were kept with ``to_json``; ``where`` begins the message of an error."""
    return _validate(json.loads(text), where)


def settings(config: Config) -> list[str]:
    """Return all effective settings, one a line, as TOML that loads to the same config."""
    return [
        f"# {key}: {LEFT_OUT.get(key, 'none')}" if value in (None, []) else f"{key} = {toml.literal(value)}"
        for key, value in _flat(config).items()
    ]


def changed(old: Config, new: Config) -> list[str]:
    """Say what differs between two configs, one setting a line: ``time.move was "1s", is now "2s"``."""
    before, after = _flat(old), _flat(new)
    return [
        f"{key} was {_shown(before.get(key))}, is now {_shown(after.get(key))}"
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
    ]


def options(game: games.AnyGame, given: object, where: str, *, texts: bool = False) -> msgspec.Struct:
    """Return a game's options. ``texts``: the values come from a command line. Raises ConfigError."""
    chosen: msgspec.Struct = toml.convert(given, game.options, where, prefix="options.", texts=texts)
    return chosen


def check_seats(game: games.AnyGame, seats: int, chosen: msgspec.Struct, where: str) -> None:
    """Raise ConfigError unless the game can be played by so many seats with these options."""
    fewest, most = game.seats[0], game.seats[-1]
    if seats not in game.seats:
        what = f"{where}: seats = {seats}, but {game.name} has {fewest} to {most} seats"
        raise ConfigError(what, f"choose {fewest} to {most}")
    try:
        game.new(seats, chosen, Random(0))
    except ValueError as error:
        raise ConfigError(f"{where}: options: {error}", f"`referee games {game.name}` explains the options") from error


def find_game(name: str, where: str) -> games.AnyGame:
    """Return the game of that name. Raises ConfigError with the nearest known one."""
    if name not in games.REGISTRY:
        raise ConfigError(f"{where}: unknown game {name!r}", toml.did_you_mean(name, games.REGISTRY))
    return games.load(name)


def _validate(tables: Mapping[str, Any], where: str) -> Config:
    config = toml.convert(tables, Config, where)
    if not re.fullmatch(r"\w[\w.-]*", config.name):
        raise ConfigError(
            f"{where}: name: {config.name!r} cannot be typed everywhere", "letters, digits, '.', '_', '-'"
        )
    game = find_game(config.game, f"{where}: game")
    chosen = options(game, {} if config.options is None else config.options, where)
    check_seats(game, config.seats, chosen, where)
    _check_bots(config.bots, where)
    _check_schedule(config.schedule, config.seats, where)
    time = _settle(config.time, tables.get("time", {}), f"{where}: time")
    return msgspec.structs.replace(config, options=chosen, time=time)


def _check_bots(bots: Sequence[str], where: str) -> None:
    for place, entry in enumerate(bots):
        if entry in bots[:place]:
            raise ConfigError(f"{where}: bots: {entry!r} is there twice", "a bot takes part once")


def _check_schedule(schedule: Schedule, seats: int, where: str) -> None:
    if schedule.format == "gauntlet" and schedule.hero is None:
        raise ConfigError(f"{where}: schedule: a gauntlet without a hero", "add hero, the bot that plays all others")
    if schedule.format != "gauntlet" and schedule.hero is not None:
        raise ConfigError(
            f"{where}: schedule.hero: {schedule.hero!r} would be ignored in a {schedule.format}",
            'set format = "gauntlet" or remove hero',
        )
    if schedule.format == "gauntlet" and seats == 1:
        raise ConfigError(f"{where}: schedule.format: a gauntlet needs tables of two or more", "change seats or format")


def _settle(time: Time, given: Mapping[str, Any], where: str) -> Time:
    """Return the limits with defaults that fit a short ``move``; refuse those that could never apply."""
    for key in ("start", "move", "shutdown"):
        if getattr(time, key) == 0:
            raise ConfigError(f"{where}.{key}: no time at all", 'write it like "1s"')
    if "free" in given and time.free > time.move:
        raise ConfigError(
            f"{where}.free: {time.free.text} is more than move, which ends every decision after {time.move.text}",
            "lower free or raise move",
        )
    if time.free < time.move:
        return time
    if "bank" in given and time.bank:
        raise ConfigError(
            f"{where}.bank: {time.bank.text} would be ignored, as free allows all of move, {time.move.text}",
            'set free below move, or bank = "0s"',
        )
    return msgspec.structs.replace(time, free=time.move, bank=Duration(0))


def _flat(config: Config) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in toml.builtins(config).items():
        flat |= {f"{key}.{inner}": item for inner, item in value.items()} if isinstance(value, dict) else {key: value}
    return flat


def _shown(value: object) -> str:
    return "left out" if value is None else toml.literal(value)
