"""Games for other programs: one JSON object each, complete enough to check every rule with."""

from __future__ import annotations

import json
from typing import Any

from referee import faults
from referee.games import AnyGame, load
from referee.table import BOT, DEFAULT, FORCED
from referee.v1.record_pb2 import Event, Fault, GameRecord, SeatRecord

SCHEMA = "referee.game/1"

BY = {BOT: "bot", FORCED: "forced", DEFAULT: "default"}


def exported(record: GameRecord) -> dict[str, Any]:
    """Return a game as ``referee export games`` writes it.

    ``events`` are in the order in which they happened, and a fault's ``event`` is the place among them, from 0, of the
    decision that the referee took instead. ``house`` is there where the game itself provides opponents.
    """
    game = load(record.game)
    house = {"house": [_result(player) for player in record.house]} if record.house else {}
    return {
        "schema": SCHEMA,
        "id": record.id,
        "tournament": record.tournament,
        "game": record.game,
        "options": json.loads(record.options),
        "block": record.block,
        "rotation": record.rotation,
        "seats": [_seat(record, number) for number in range(len(record.seats))],
        **house,
        "events": [_event(game, event) for event in record.events],
    }


def _seat(record: GameRecord, number: int) -> dict[str, Any]:
    seat = record.seats[number]
    return {
        "seat": number,
        **_result(seat),
        "forfeit": seat.forfeit,
        "faults": [_fault(fault) for fault in record.faults if fault.seat == number],
    }


def _result(player: SeatRecord) -> dict[str, Any]:
    return {"bot": player.bot, "version": player.version, "points": player.points, "rank": player.rank}


def _fault(fault: Fault) -> dict[str, Any]:
    return {"kind": faults.name(fault.kind), "reason": fault.reason, "event": fault.event}


def _event(game: AnyGame, event: Event) -> dict[str, Any]:
    if not event.HasField("decision"):
        return game.export(getattr(event, game.name))
    decision = event.decision
    choice = game.export(getattr(decision, game.name))
    return {"type": "choice", "seat": decision.seat, **choice, "by": BY[decision.by], "us": decision.us}
