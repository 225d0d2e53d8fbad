"""The arena's database: what was submitted, what was played. Everything that is reported is a function of it.

A game is one row: the record, compressed, and beside it a tally (tally.py), so that standings need no record. Its key
is deal, table, rotation, the order in which a schedule is played.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from google.protobuf.message import DecodeError

from referee import database, tally
from referee.errors import ArenaError, BotError
from referee.rows import Benching, BotRow, Entrant, Played, TournamentRow, Void
from referee.tally import Tally
from referee.toml import did_you_mean
from referee.v1.record_pb2 import GameRecord


class Store:
    """An open arena, used from one thread. All methods raise ArenaError for what the disk does."""

    def __init__(self, arena: Path, connection: sqlite3.Connection) -> None:
        self.arena = arena
        self._path = arena / database.DATABASE
        self._sql = connection

    @classmethod
    @contextmanager
    def open(cls, arena: Path, *, write: bool) -> Iterator[Store]:
        """Open an arena. One process at a time may ``write``; it makes the arena if it is not there.

        Raises ArenaError: not there, held by another process, not an arena's, from a newer version, damaged.
        """
        with database.connection(arena, write=write) as connection:
            yield cls(arena, connection)

    # Bots

    def add_bot(self, name: str, version: str, digest: str, folder: Path, manifest: str) -> BotRow:
        """Add a bot whose ``folder`` lies in the arena, and return it. The same contents again are no new bot.

        Raises BotError if this name and version are taken by other contents.
        """
        known = [bot for bot in self.bots() if (bot.name, bot.version) == (name, version)]
        if known and known[0].digest != digest:
            raise BotError(
                f"{name} {version} is in {self.arena} with other contents, submitted {known[0].submitted}",
                "raise version in bot.toml: standings name a bot by name and version",
            )
        inside = str(folder.resolve().relative_to(self.arena.resolve()))
        with self._transaction():
            self._sql.execute(
                "INSERT OR IGNORE INTO bots VALUES (?, ?, ?, ?, ?, ?)",
                (name, version, digest, inside, manifest, _now()),
            )
        return next(bot for bot in self.bots() if (bot.name, bot.version) == (name, version))

    def bots(self) -> list[BotRow]:
        """Return all submitted bots, in the order of submission."""
        rows = self._rows("SELECT name, version, digest, folder, manifest, submitted FROM bots ORDER BY rowid")
        return [
            BotRow(name, version, digest, self.arena / folder, *rest) for name, version, digest, folder, *rest in rows
        ]

    def find_bot(self, text: str) -> BotRow:
        """Return the bot called ``name``, the last submitted version of it, or ``name@version``. Raises BotError."""
        bots = self.bots()
        for bot in reversed(bots):
            if text in (bot.name, f"{bot.name}@{bot.version}"):
                return bot
        known = dict.fromkeys(bot.name for bot in bots)
        raise BotError(f"no bot {text!r} was submitted to {self.arena}", did_you_mean(text, known))

    # Tournaments

    def add_tournament(self, row: TournamentRow) -> None:
        """Add a tournament that begins now. On return it is on the disk itself: its commitment may be told."""
        bots = msgspec.json.encode(row.bots).decode()
        with self._transaction():
            self._sql.execute(
                "INSERT INTO tournaments (name, game, config, bots, blocks, secret, commitment, started)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (row.name, row.game, row.config, bots, row.blocks, row.secret, row.commitment, _now()),
            )
        self._sync()

    def end_tournament(self, name: str) -> None:
        """Note that all games are played: from now on the secret may be told."""
        with self._transaction():
            self._sql.execute("UPDATE tournaments SET ended = ? WHERE name = ? AND ended IS NULL", (_now(), name))
        self._sync()

    def tournaments(self) -> list[TournamentRow]:
        """Return all tournaments, in the order in which they began."""
        rows = self._rows(
            "SELECT name, game, config, bots, blocks, secret, commitment, started, ended"
            " FROM tournaments ORDER BY number"
        )
        return [
            TournamentRow(name, game, config, msgspec.json.decode(bots, type=tuple[Entrant, ...]), *rest)
            for name, game, config, bots, *rest in rows
        ]

    def tournament(self, name: str | None = None) -> TournamentRow:
        """Return the tournament of that name, or without one the only tournament. Raises ArenaError."""
        known = {row.name: row for row in self.tournaments()}
        if name is None and len(known) == 1:
            return next(iter(known.values()))
        if name in known:
            return known[name]
        if not known:
            raise ArenaError(f"{self.arena}: no tournament has begun here", "play one with `referee run`")
        if name is None:
            raise ArenaError(f"{self.arena} has {len(known)} tournaments", f"name one: {', '.join(known)}")
        raise ArenaError(f"{self.arena}: no tournament {name!r}", did_you_mean(name, known))

    # Games

    def add_games(
        self,
        tournament: str,
        records: Iterable[GameRecord],
        *,
        voids: Iterable[Void] = (),
        benchings: Iterable[Benching] = (),
        cpu: Mapping[str, float] | None = None,
    ) -> None:
        """Commit finished games and what else there is to tell of them, all or nothing.

        ``cpu`` are seconds that bots used since the last call. An id that is there already is a bug: IntegrityError.
        """
        number, now = self._number(tournament), _now()
        with self._transaction():
            self._sql.executemany(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)", (_row(number, record) for record in records)
            )
            self._sql.executemany(
                "INSERT INTO voids VALUES (?, ?, ?, ?)", [(number, void.game, void.reason, now) for void in voids]
            )
            self._sql.executemany(
                "INSERT INTO benchings VALUES (?, ?, ?, ?)",
                [(number, benching.bot, benching.reason, now) for benching in benchings],
            )
            self._sql.executemany(
                "INSERT INTO cpu VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds",
                [(number, bot, seconds) for bot, seconds in (cpu or {}).items()],
            )

    def finished(self, tournament: str) -> set[str]:
        """Return the ids of all stored games."""
        number = self._number(tournament)
        rows = self._rows("SELECT seating, deal, rotation FROM games WHERE tournament = ?", number)
        return {f"{tournament}/{seating}/{deal}/{rotation}" for seating, deal, rotation in rows}

    def played(self, tournament: str) -> Iterator[Played]:
        """Yield the tallies of all stored games, in the order of the schedule."""
        rows = self._rows(
            "SELECT seating, deal, rotation, tally FROM games WHERE tournament = ? ORDER BY deal, seating, rotation",
            self._number(tournament),
        )
        for seating, deal, rotation, data in rows:
            block = f"{tournament}/{seating}/{deal}"
            try:
                yield Played(f"{block}/{rotation}", block, tally.decode(data))
            except msgspec.DecodeError as error:
                raise self._damaged(f"{block}/{rotation}", error) from error

    def records(self, tournament: str) -> Iterator[GameRecord]:
        """Yield the records of all stored games, in the order of the schedule."""
        rows = self._rows(
            "SELECT seating, deal, rotation, record FROM games WHERE tournament = ? ORDER BY deal, seating, rotation",
            self._number(tournament),
        )
        for seating, deal, rotation, data in rows:
            yield self._unpack(f"{tournament}/{seating}/{deal}/{rotation}", data)

    def games(self, tournament: str) -> Iterator[tuple[GameRecord, Tally]]:
        """Yield the records with their tallies, in the order of the schedule and as of one moment."""
        tallies = (game.tally for game in self.played(tournament))
        return zip(self.records(tournament), tallies, strict=True)

    def record(self, game: str) -> GameRecord:
        """Return the record of a game by its id. Raises ArenaError."""
        tournament, *place = game.rsplit("/", 3)
        rows = self._rows(
            "SELECT record FROM games JOIN tournaments ON tournament = number"
            " WHERE name = ? AND seating = ? AND deal = ? AND rotation = ?",
            tournament,
            *(place if len(place) == 3 else (None, None, None)),
        )
        for [data] in rows:
            return self._unpack(game, data)
        raise ArenaError(f"{self.arena}: no game {game!r} is stored", "a game's id is tournament/table/deal/rotation")

    def voids(self, tournament: str) -> list[Void]:
        """Return the games that were played again, in order."""
        rows = self._rows(
            "SELECT game, reason, time FROM voids WHERE tournament = ? ORDER BY rowid", self._number(tournament)
        )
        return [Void(*row) for row in rows]

    def benchings(self, tournament: str) -> list[Benching]:
        """Return who was benched, in order."""
        rows = self._rows(
            "SELECT bot, reason, time FROM benchings WHERE tournament = ? ORDER BY rowid", self._number(tournament)
        )
        return [Benching(*row) for row in rows]

    def cpu(self, tournament: str) -> dict[str, float]:
        """Return the CPU seconds that each bot's processes used."""
        return dict(self._rows("SELECT bot, seconds FROM cpu WHERE tournament = ?", self._number(tournament)))

    # The connection

    def _rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        with database.explained(self._path):
            yield from self._sql.execute(query, values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with database.explained(self._path):
            self._sql.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._sql.execute("COMMIT")
            finally:
                if self._sql.in_transaction:
                    self._sql.execute("ROLLBACK")

    def _sync(self) -> None:
        """Put on the disk itself what is committed (a commit alone survives all but a loss of power)."""
        with database.explained(self._path):
            self._sql.execute("PRAGMA wal_checkpoint(FULL)")

    def _number(self, tournament: str) -> int:
        for [number] in self._rows("SELECT number FROM tournaments WHERE name = ?", tournament):
            return int(number)
        raise KeyError(tournament)

    def _unpack(self, game: str, data: bytes) -> GameRecord:
        try:
            record = GameRecord.FromString(zlib.decompress(data))
        except (zlib.error, DecodeError) as error:
            raise self._damaged(game, error) from error
        if record.id != game:
            raise self._damaged(game, f"it holds game {record.id}")
        return record

    def _damaged(self, game: str, error: object) -> ArenaError:
        return ArenaError(f"{self._path}: the row of game {game} is damaged ({error})", "restore the file from a copy")


def _row(number: int, record: GameRecord) -> tuple[object, ...]:
    seating, deal, rotation = map(int, record.id.split("/")[1:])
    data = zlib.compress(record.SerializeToString(), level=1)  # the best level saves 5 % and takes thrice as long
    return number, deal, seating, rotation, tally.encode(tally.tally(record)), data


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
