"""What standings need of a game, small enough that a hundred thousand of them are read at once."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from referee.table import BOT
from referee.v1.record_pb2 import GameRecord, SeatRecord


class SeatTally(msgspec.Struct, frozen=True, array_like=True):
    """A player's part: the result, and the bot's own decisions with their times in microseconds."""

    bot: str
    points: int
    rank: int
    forfeit: bool = False
    faults: tuple[int, ...] = ()  # FaultKind, in order
    decisions: int = 0
    us: int = 0
    max_us: int = 0


class Tally(msgspec.Struct, frozen=True, array_like=True):
    """A game. Ranks put forfeiters last; ``house`` are the opponents that the game itself provides."""

    sandbox: str
    seats: tuple[SeatTally, ...]
    house: tuple[SeatTally, ...] = ()


_DECODER = msgspec.msgpack.Decoder(Tally)


def tally(record: GameRecord) -> Tally:
    """Return the tally of a record."""
    times: dict[int, list[int]] = {}
    for event in record.events:
        decision = event.decision  # of what chance did: an empty one, by nobody
        if decision.by == BOT:
            times.setdefault(decision.seat, []).append(decision.us)
    faults: dict[int, list[int]] = {}
    for fault in record.faults:
        faults.setdefault(fault.seat, []).append(fault.kind)
    return Tally(
        sandbox=record.sandbox,
        seats=tuple(_seat(seat, number, times, faults) for number, seat in enumerate(record.seats)),
        house=tuple(SeatTally(house.bot, house.points, house.rank) for house in record.house),
    )


def encode(counted: Tally) -> bytes:
    """Return a tally as it is kept in the arena's database."""
    return msgspec.msgpack.encode(counted)


def decode(data: bytes) -> Tally:
    """Return a tally that was kept with ``encode``. Raises msgspec.DecodeError."""
    return _DECODER.decode(data)


def _seat(seat: SeatRecord, number: int, times: Mapping[int, list[int]], faults: Mapping[int, list[int]]) -> SeatTally:
    own = times.get(number, [])
    return SeatTally(
        bot=seat.bot,
        points=seat.points,
        rank=seat.rank,
        forfeit=seat.forfeit,
        faults=tuple(faults.get(number, ())),
        decisions=len(own),
        us=sum(own),
        max_us=max(own, default=0),
    )
