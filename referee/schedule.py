"""Who plays whom, on which deal, in which seats: a function of the config, so that resuming is "play what is missing".

The unit is the block: one table (a set of bots), one deal, every cyclic rotation of the seats, so that every bot
plays every hand. Deals are numbered from 0 and every table plays the same ones.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, comb

from referee import cyclic
from referee.errors import ConfigError

Table = tuple[int, ...]  # places in the list of bots

RETREAT = 4  # how many orbits fewer than the budget has room for, for the sake of equal meetings


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game: the bots in seat order."""

    id: str
    rotation: int
    bots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The games of one table on one deal."""

    id: str
    table: int
    deal: int
    bots: tuple[str, ...]

    def games(self) -> tuple[Pairing, ...]:
        """Return one game for each cyclic rotation of the seats."""
        return tuple(
            Pairing(f"{self.id}/{rotation}", rotation, self.bots[rotation:] + self.bots[:rotation])
            for rotation in range(len(self.bots))
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """Every block of a tournament in playing order: deal by deal over all tables, so that a partial run is balanced.

    ``fewest_meetings`` and ``most_meetings`` tell at how many tables two bots meet; in a gauntlet, the hero and
    another one.
    """

    blocks: tuple[Block, ...]
    tables: int
    fewest_meetings: int
    most_meetings: int

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(len(block.bots) for block in self.blocks)


def round_robin(tournament: str, bots: Sequence[str], seats: int, deals: int, max_games: int) -> Plan:
    """Seat every set of ``seats`` bots; past ``max_games``, a sample of sets at which all pairs meet equally often.

    A sample has fewer tables first, down to what still lets every pair meet; then fewer deals; and only with one deal
    left, pairs that never meet. Whatever is sampled, all bots play equally often, and meetings of pairs differ by at
    most one wherever the search finds that (``referee.cyclic``): the plan tells. Raises ConfigError.
    """
    _check(bots, seats)
    tables, deals = _choose(len(bots), seats, seats, deals, max_games, pairs=True)
    meetings = Counter(pair for table in tables for pair in combinations(sorted(table), 2))
    return _plan(tournament, bots, tables, deals, [meetings[pair] for pair in combinations(range(len(bots)), 2)])


def gauntlet(  # noqa: PLR0917 - like PLR0913: a seam says all it needs in its signature
    tournament: str, bots: Sequence[str], seats: int, deals: int, max_games: int, hero: str
) -> Plan:
    """Seat one bot at every table, with every set of ``seats - 1`` others; past ``max_games``, with a balanced sample.

    The hero meets every other bot equally often, exactly. Raises ConfigError.
    """
    _check(bots, seats)
    if hero not in bots:
        raise ConfigError(
            f"the hero of the gauntlet, {hero!r}, is not among the bots: {', '.join(bots)}",
            hint="set schedule.hero to one of them",
        )
    if seats == 1:
        raise ConfigError("a gauntlet at tables of 1 seat has no opponents", hint='set schedule.format = "round_robin"')
    field = [bot for bot in bots if bot != hero]
    tables, deals = _choose(len(field), seats - 1, seats, deals, max_games, pairs=False)
    meetings = Counter(place for table in tables for place in table)
    seated = [(*table, len(field)) for table in tables]
    return _plan(tournament, [*field, hero], seated, deals, list(meetings.values()))


def commitment(secret: bytes) -> str:
    """Return the SHA-256 of a tournament's secret, in hex: published before the first game, it fixes every deal."""
    return hashlib.sha256(secret).hexdigest()


def deal_seed(secret: bytes, deal: int) -> bytes:
    """Return the seed of a deal: the HMAC-SHA256, keyed with the secret, of the deal's number in decimal ASCII."""
    return hmac.digest(secret, b"%d" % deal, "sha256")


def _choose(
    players: int, size: int, rotations: int, deals: int, max_games: int, *, pairs: bool
) -> tuple[list[Table], int]:
    """Return tables of ``size`` out of ``players``, each ``rotations`` games a deal, and the number of deals.

    ``pairs``: whether all pairs should meet; otherwise it will do that everybody plays.
    """
    sets = comb(players, size)
    least = rotations * min(players, sets)
    if max_games < least:
        raise ConfigError(
            f"max_games = {max_games} is too few: one deal at which all play equally often takes {least} games",
            hint=f"set schedule.max_games to {least} or more, or name fewer bots",
        )
    enough = ceil((players - 1) / (size * (size - 1))) if pairs and size > 1 else 1  # orbits: fewer cannot do
    affordable = max_games // (rotations * sets)
    if affordable >= deals or (affordable and sets <= players * enough):
        return list(combinations(range(players), size)), min(deals, affordable)

    def room(deals: int) -> int:
        return min(max_games // (rotations * players * deals), sets // players)

    found = _evenest(players, size, room(deals))
    if found and (found.fewest or not pairs):
        return found.tables(), deals
    for orbits in range(enough, min(room(1), enough + RETREAT) + 1):
        found = cyclic.search(players, size, orbits)
        if found and found.even and (found.fewest or not pairs):
            return found.tables(), min(deals, max_games // (rotations * players * orbits))
    found = _evenest(players, size, room(1))
    assert found, "consecutive places make a full orbit"
    return found.tables(), 1


def _evenest(players: int, size: int, orbits: int) -> cyclic.Orbits | None:
    """Return the most orbits, of those that there is room for, at which pairs meet equally often, or nearly so."""
    best = None
    for fewer in range(orbits, max(0, orbits - RETREAT), -1):
        found = cyclic.search(players, size, fewer)
        if found and (best is None or found.most - found.fewest < best.most - best.fewest):
            best = found
        if best and best.even:
            break
    return best


def _plan(tournament: str, bots: Sequence[str], tables: Sequence[Table], deals: int, meetings: Sequence[int]) -> Plan:
    blocks = tuple(
        Block(f"{tournament}/{number}/{deal}", number, deal, tuple(bots[place] for place in _seated(table, deal)))
        for deal in range(deals)
        for number, table in enumerate(tables)
    )
    return Plan(blocks, len(tables), min(meetings, default=0), max(meetings, default=0))


def _seated(table: Table, deal: int) -> Table:
    """Turn every other deal's order round: rotations alone would leave everybody the same left neighbour for ever."""
    return table if deal % 2 == 0 else table[::-1]


def _check(bots: Sequence[str], seats: int) -> None:
    named = ", ".join(bots) or "none"
    if len(bots) < min(seats, 2):
        needed = "two bots" if seats > 1 else "one bot"
        raise ConfigError(f"a tournament needs {needed} or more, here: {named}", hint="name them in bots = […]")
    if len(bots) < seats:
        raise ConfigError(
            f"{seats} seats but only {len(bots)} bots: {named}",
            hint=f"set seats = {len(bots)}, or name more bots",
        )
