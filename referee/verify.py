"""Checking a tournament from its database alone: the commitment, the deals, the schedule, every choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from referee.config import Config
from referee.errors import VerifyError
from referee.replay import replay
from referee.rows import TournamentRow
from referee.schedule import Block, Plan, commitment, deal_seed
from referee.v1.record_pb2 import GameRecord


def findings(row: TournamentRow, config: Config, plan: Plan, records: Iterable[GameRecord]) -> Iterator[str]:
    """Yield what is wrong with a tournament, a sentence each: nothing, if it was refereed fairly.

    ``config`` are its settings and ``plan`` is what they give. A game that is missing is no finding: it may still be
    played.
    """
    if commitment(row.secret) != row.commitment:
        yield f"the secret is not the one committed to: its SHA-256 is {commitment(row.secret)}, not {row.commitment}"
    options = msgspec.json.encode(config.options, order="sorted").decode()
    blocks = {block.id: block for block in plan.blocks}
    for record in records:
        try:
            _check_rules(record, config.game, options)
            block = _check_place(record, blocks.get(record.block))
            _check_seed(record, deal_seed(row.secret, block.deal))
            for _ in replay(record):
                pass
        except VerifyError as error:
            yield str(error)


def _check_rules(record: GameRecord, game: str, options: str) -> None:
    if (record.game, record.options) != (game, options):
        raise VerifyError(f"game {record.id}: {record.game} with {record.options}, not {game} with {options}")


def _check_place(record: GameRecord, block: Block | None) -> Block:
    """Return the game's block. Raises VerifyError unless the schedule has this game with these bots in these seats."""
    games = {game.id: game for game in block.games()} if block else {}
    if block is None or record.id not in games:
        raise VerifyError(f"game {record.id}: not in the schedule")
    seats = tuple(seat.bot for seat in record.seats)
    scheduled = games[record.id].bots
    if seats != scheduled:
        raise VerifyError(f"game {record.id}: played by {', '.join(seats)}, scheduled {', '.join(scheduled)}")
    return block


def _check_seed(record: GameRecord, seed: bytes) -> None:
    if record.seed != seed:
        raise VerifyError(f"game {record.id}: its deal does not come from the secret")
