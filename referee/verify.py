"""Checking a tournament from its database alone: the commitment, the deals, the schedule, every choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from referee import faults
from referee.config import Config
from referee.errors import VerifyError
from referee.replay import replay
from referee.rows import TournamentRow
from referee.schedule import Block, Plan, commitment, deal_seed
from referee.table import DEFAULT
from referee.tally import Tally, tally
from referee.v1.record_pb2 import Decision, GameRecord


def findings(
    row: TournamentRow, config: Config, plan: Plan, games: Iterable[tuple[GameRecord, Tally]]
) -> Iterator[str]:
    """Yield what is wrong with a tournament, a sentence each: nothing, if it was refereed fairly.

    ``config`` are its settings, ``plan`` is what they give, and ``games`` are those stored, with what standings count
    of each. A game that is missing is no finding while it may still be played.
    """
    if commitment(row.secret) != row.commitment:
        yield f"the secret is not the one committed to: its SHA-256 is {commitment(row.secret)}, not {row.commitment}"
    options = msgspec.json.encode(config.options, order="sorted").decode()
    blocks = {block.id: block for block in plan.blocks}
    missing = {game.id for block in plan.blocks for game in block.games()} if row.ended else set()
    for record, counted in games:
        missing.discard(record.id)
        try:
            _check_rules(record, config.game, options)
            block = _check_place(record, blocks.get(record.block))
            _check_seed(record, deal_seed(row.secret, block.deal))
            _check_versions(record, row)
            _check_faults(record, config.limits.max_strikes)
            for _ in replay(record):
                pass
            _check_tally(record, counted)
        except VerifyError as error:
            yield str(error)
    yield from (f"game {game}: missing, though the tournament has ended" for game in sorted(missing))


def _check_rules(record: GameRecord, game: str, options: str) -> None:
    if (record.game, record.options) != (game, options):
        raise VerifyError(f"game {record.id}: {record.game} with {record.options}, not {game} with {options}")


def _check_place(record: GameRecord, block: Block | None) -> Block:
    """Return the game's block. Raises VerifyError unless the schedule has this game with these bots in these seats."""
    games = {game.id: game for game in block.games()} if block else {}
    if block is None or record.id not in games:
        raise VerifyError(f"game {record.id}: not in the schedule")
    if (record.tournament, record.rotation) != (block.id.split("/")[0], games[record.id].rotation):
        raise VerifyError(f"game {record.id}: it says that it is rotation {record.rotation} of {record.tournament}")
    seats = tuple(seat.bot for seat in record.seats)
    scheduled = games[record.id].bots
    if seats != scheduled:
        raise VerifyError(f"game {record.id}: played by {', '.join(seats)}, scheduled {', '.join(scheduled)}")
    return block


def _check_seed(record: GameRecord, seed: bytes) -> None:
    if record.seed != seed:
        raise VerifyError(f"game {record.id}: its deal does not come from the secret")


def _check_versions(record: GameRecord, row: TournamentRow) -> None:
    entered = {bot.name: bot.version for bot in row.bots}
    for seat in record.seats:
        if seat.version != entered[seat.bot]:
            raise VerifyError(
                f"game {record.id}: played by version {seat.version} of {seat.bot}, entered was {entered[seat.bot]}"
            )


def _check_faults(record: GameRecord, max_strikes: int) -> None:
    """Raise VerifyError unless each fault is at a decision that the referee took, and forfeits follow from faults."""
    for fault in record.faults:
        decision = record.events[fault.event].decision if fault.event < len(record.events) else Decision()
        if (decision.seat, decision.by) != (fault.seat, DEFAULT):
            raise VerifyError(
                f"game {record.id}, event {fault.event}: a fault of seat {fault.seat}, but no default of it"
            )
    for number, seat in enumerate(record.seats):
        kinds = [fault.kind for fault in record.faults if fault.seat == number]
        due = len(kinds) >= max_strikes or not faults.FORFEITS.isdisjoint(kinds)
        if seat.forfeit != due:
            what = "forfeited without" if seat.forfeit else "did not forfeit despite"
            raise VerifyError(f"game {record.id}: seat {number} {what} the faults for it")


def _check_tally(record: GameRecord, counted: Tally) -> None:
    if counted != tally(record):
        raise VerifyError(f"game {record.id}: standings count something else than its record says")
