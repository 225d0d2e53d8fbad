"""Who takes part: the bots that a tournament file or a command line names, found, put on the shelf and counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from referee.bots import manifest, shelf
from referee.bots.shelf import Bot
from referee.config import Config
from referee.errors import BotError, ConfigError
from referee.rows import BotRow
from referee.store import Store
from referee.toml import did_you_mean


def gather(config: Config, file: Path, store: Store, level: str) -> list[Bot]:
    """Return the bots of a tournament, in the order of its file. Raises ConfigError or BotError, naming the file."""
    if config.bots:
        bots = find_all(config.bots, file.parent, store, level)
    else:
        bots = [_from_row(row) for row in latest(store.bots(), config.game)]
    if not bots:
        raise ConfigError(
            f"{file}: no bots: none are listed, and none that plays {config.game} was submitted to {store.arena}",
            "list folders in bots, or submit some with `referee submit DIR`",
        )
    check_game(bots, config.game)
    _check_count(bots, config.seats, str(file))
    names = [bot.name for bot in bots]
    anchor = config.anchor.bot if config.anchor else None
    for key, name in (("schedule.hero", config.schedule.hero), ("anchor.bot", anchor)):
        if name is not None and name not in names:
            raise ConfigError(f"{file}: {key}: no bot {name!r} takes part", did_you_mean(name, names))
    return bots


def find_all(entries: Sequence[str], base: Path, store: Store, level: str) -> list[Bot]:
    """Return the bots that ``entries`` name: folders, from ``base``, or submitted ones, ``careful`` or ``careful@2``.

    Raises BotError: one that is neither, two of one name.
    """
    bots: list[Bot] = []
    sources: dict[str, str] = {}
    for entry in entries:
        bot = _find(entry, base, store, level)
        if bot.name in sources:
            raise BotError(
                f"two bots are named {bot.name!r}: {sources[bot.name]} and {_source(entry, base)}",
                "rename one in its bot.toml: standings tell bots apart by name",
            )
        sources[bot.name] = _source(entry, base)
        bots.append(bot)
    return bots


def latest(rows: Iterable[BotRow], game: str) -> list[BotRow]:
    """Return the last submitted version of every bot that plays ``game``."""
    return list({row.name: row for row in rows if game in msgspec.json.decode(row.manifest)["games"]}.values())


def check_game(bots: Iterable[Bot], game: str) -> None:
    """Raise BotError unless all of them play it."""
    for bot in bots:
        if game not in bot.manifest.games:
            raise BotError(
                f"bot {bot.name!r} does not play {game}: its bot.toml lists {', '.join(bot.manifest.games)}",
                "add the game to games in bot.toml if it does, or leave the bot out",
            )


def _find(entry: str, base: Path, store: Store, level: str) -> Bot:
    if (base / entry).is_dir():
        return shelf.shelve(store.arena, base / entry, level)
    try:
        return _from_row(store.find_bot(entry))
    except BotError as error:
        raise BotError(f"{entry!r} is no folder in {base}, and {error}", error.hint) from error


def _source(entry: str, base: Path) -> str:
    folder = base / entry
    return f"folder {folder}" if folder.is_dir() else f"the submitted {entry}"


def _from_row(row: BotRow) -> Bot:
    folder = row.folder.resolve()  # a bot starts in it: a path from where the referee runs would lead nowhere
    return Bot(row.name, row.version, row.digest, folder, manifest.load(folder))


def _check_count(bots: Sequence[Bot], seats: int, where: str) -> None:
    names = ", ".join(bot.name for bot in bots)
    if len(bots) == 1 and seats > 1:
        raise ConfigError(f"{where}: one bot, {names}: nobody to play against", "add a bot")
    if len(bots) < seats:
        raise ConfigError(
            f"{where}: seats: {seats} at a table, but {len(bots)} bots: {names}", f"set seats = {len(bots)} or add bots"
        )
