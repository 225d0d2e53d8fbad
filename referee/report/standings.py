"""Standings: one model, counted from the arena's database alone. Half of a tournament is counted as the whole is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import msgspec

from referee import config, faults
from referee.ratings import Difference, Outcome, Rating, Ratings, rate
from referee.report.rendering import render
from referee.rows import Benching, Played, TournamentRow
from referee.store import Store
from referee.tally import SeatTally
from referee.v1.arena_pb2 import FaultKind

__all__ = ["Row", "Standings", "render", "standings"]


@dataclass(frozen=True, slots=True)
class Row:
    """A player's line. ``house`` marks an opponent that the game itself provides: it has no process to measure.

    ``place`` is None without a rating or a bound; equals share it. ``los`` is the likelihood that this player is
    stronger than the next one. Times are those of the bot's own decisions.
    """

    place: int | None
    bot: str
    version: str
    house: bool
    rating: Rating
    los: float | None
    faults: Counter[str]
    forfeits: int
    mean_ms: float | None
    max_ms: float | None
    cpu_seconds: float | None
    benched: str  # why; empty if it is not


@dataclass(frozen=True, slots=True, eq=False)
class Standings:
    """A tournament so far. ``blocks`` are those with all their games; ``sandbox`` counts games by level."""

    tournament: TournamentRow
    options: dict[str, Any]
    seats: int
    games: int
    blocks: int
    sandbox: Counter[str]
    voids: int
    benchings: tuple[Benching, ...]
    rows: tuple[Row, ...]
    ratings: Ratings

    def pairs(self) -> Iterator[tuple[Row, Row, Difference]]:
        """Yield every two rows, the better one first, and what is between them."""
        for one, other in combinations(self.rows, 2):
            yield one, other, self.ratings.difference(one.rating.name, other.rating.name)


@dataclass(slots=True)
class _Count:
    """What is added up for a player over its games."""

    faults: Counter[str] = field(default_factory=Counter)
    forfeits: int = 0
    decisions: int = 0
    us: int = 0
    max_us: int = 0

    def add(self, seat: SeatTally) -> None:
        self.faults.update(faults.name(FaultKind.ValueType(kind)) for kind in seat.faults)
        self.forfeits += seat.forfeit
        self.decisions += seat.decisions
        self.us += seat.us
        self.max_us = max(self.max_us, seat.max_us)


# Bots may be called anything, also what a house player is called: ratings know each by its kind and name.
_BOT = "bot "
_HOUSE = "house "


def standings(store: Store, tournament: str) -> Standings:
    """Count and rate what is stored of a tournament. Raises ArenaError."""
    row = store.tournament(tournament)
    settings = config.from_json(row.config, f"{store.arena}: {row.name}")
    counts: dict[str, _Count] = {_BOT + bot.name: _Count() for bot in row.bots}
    blocks: Counter[str] = Counter()
    sandbox: Counter[str] = Counter()
    outcomes = []
    for game in store.played(row.name):
        for seat in game.tally.seats:
            counts[_BOT + seat.bot].add(seat)
        blocks[game.block] += 1
        sandbox[game.tally.sandbox] += 1
        outcomes.append(_outcome(game))
    anchor = (_BOT + settings.anchor.bot, settings.anchor.elo) if settings.anchor else None
    ratings = rate(outcomes, anchor=anchor, roster=counts)
    benchings = tuple({benching.bot: benching for benching in reversed(store.benchings(row.name))}.values())
    return Standings(
        tournament=row,
        options=msgspec.to_builtins(settings.options),
        seats=settings.seats,
        games=len(outcomes),
        blocks=sum(games == settings.seats for games in blocks.values()),
        sandbox=sandbox,
        voids=len(store.voids(row.name)),
        benchings=benchings,
        rows=tuple(_rows(row, ratings, counts, benchings, store.cpu(row.name))),
        ratings=ratings,
    )


def _outcome(game: Played) -> Outcome:
    seats, house = game.tally.seats, game.tally.house
    return Outcome(
        block=game.block,
        players=(*(_BOT + seat.bot for seat in seats), *(_HOUSE + player.bot for player in house)),
        ranks=tuple(player.rank for player in (*seats, *house)),
        points=tuple(player.points for player in (*seats, *house)),
    )


def _rows(
    tournament: TournamentRow,
    ratings: Ratings,
    counts: dict[str, _Count],
    benchings: tuple[Benching, ...],
    cpu: dict[str, float],
) -> Iterator[Row]:
    """Yield the rows: those with enough blocks by place, then the others. Among equals the order means nothing."""
    versions = {bot.name: bot.version for bot in tournament.bots}
    why = {benching.bot: benching.reason for benching in benchings}
    players = sorted(ratings.players, key=lambda rating: not _known(rating))
    places = [rating.place for rating in players if _known(rating)]
    for rating, following in zip(players, [*players[1:], None], strict=True):
        kind = _HOUSE if rating.name.startswith(_HOUSE) else _BOT
        bot, house, count = rating.name.removeprefix(kind), kind == _HOUSE, counts.get(rating.name, _Count())
        yield Row(
            place=1 + sum(place < rating.place for place in places) if rating.elo is not None or rating.bound else None,
            bot=bot,
            version="" if house else versions[bot],
            house=house,
            rating=rating,
            los=ratings.difference(rating.name, following.name).los if following else None,
            faults=count.faults,
            forfeits=count.forfeits,
            mean_ms=count.us / count.decisions / 1000 if count.decisions else None,
            max_ms=count.max_us / 1000 if count.decisions else None,
            cpu_seconds=None if house else cpu.get(bot, 0.0),
            benched="" if house else why.get(bot, ""),
        )


def _known(rating: Rating) -> bool:
    """Say whether there are enough blocks to know how a player stands."""
    return rating.elo is not None or rating.bound is not None or rating.apart
