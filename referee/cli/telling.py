"""A recorded game told line by line, with the faults where they happened."""

from __future__ import annotations

from collections.abc import Iterator

from referee import faults
from referee.games import load
from referee.replay import replay
from referee.v1.record_pb2 import Fault, GameRecord


def tell(record: GameRecord) -> Iterator[str]:
    """Yield the game as people at the table would tell it, then the result. Raises VerifyError if it is none."""
    game = load(record.game)
    names = [seat.bot for seat in record.seats]
    for step in replay(record):
        yield from game.tell(step.before, step.choices, step.after, names)
        for fault in record.faults:
            if step.event <= fault.event < step.event + len(step.choices):
                yield f"  ! {names[fault.seat]}: {faults.name(fault.kind)}: {fault.reason}"
                yield from (f"      {line}" for line in evidence(fault))
    yield from _result(record)


def evidence(fault: Fault) -> Iterator[str]:
    """Yield what is known of how a fault came about, a line each."""
    if fault.limit_us:
        used, limit, lag = (us / 1000 for us in (fault.us, fault.limit_us, fault.lag_us))
        yield f"after {used:.1f} ms of {limit:.1f} ms; the referee itself was late by {lag:.1f} ms"
    if fault.exit:
        yield f"the process ended: {fault.exit}"
    if fault.stderr_tail:
        yield "the end of its stderr:"
        yield from (f"| {line}" for line in fault.stderr_tail.splitlines())


def _result(record: GameRecord) -> Iterator[str]:
    yield ""
    for player in sorted([*record.seats, *record.house], key=lambda player: player.rank):
        yield f"{player.rank}. {player.bot}: {player.points} points{', forfeited' if player.forfeit else ''}"
