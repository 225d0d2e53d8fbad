"""Playing a record again: the proof that it is a game by the rules, and the states to show it with. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

import msgspec
from google.protobuf.message import Message

from referee.errors import VerifyError
from referee.games import AnyGame, IllegalChoice, load
from referee.table import DEFAULT, FORCED, chance, final_ranks
from referee.v1.record_pb2 import Decision, Event, GameRecord


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a game: the states before and after, and the choices by seat. ``event`` is the first one's index."""

    before: Any
    choices: dict[int, Message]
    after: Any
    event: int


def replay(record: GameRecord) -> Iterator[Step]:
    """Play a record again from its seed, step by step.

    Raises VerifyError where it differs: another deal, a choice that the rules refuse, a decision that was not to be
    taken or was taken by the wrong one, other points or ranks.
    """
    game = load(record.game)
    options = msgspec.json.decode(record.options, type=game.options)
    script = _Script(record)
    state = game.new(len(record.seats), options, Random(record.seed))
    script.chance(chance(game, None, state))
    while pending := game.pending(state):
        at = script.at
        choices = {seat: _choice(game, state, seat, script) for seat in pending}
        before, state = state, game.apply(state, choices)
        script.chance(chance(game, before, state))
        yield Step(before, choices, state, at)
    script.end()
    _check_result(game, state, record)


class _Script:
    """The events of a record, read from first to last."""

    def __init__(self, record: GameRecord) -> None:
        self.record, self.at = record, 0
        self.faults = {(fault.seat, fault.event) for fault in record.faults}
        self.last_fault = {fault.seat: fault.event for fault in record.faults}

    def fail(self, what: str) -> VerifyError:
        return VerifyError(f"game {self.record.id}, event {self.at}: {what}")

    def chance(self, expected: list[Event]) -> None:
        for event in expected:
            if self.at >= len(self.record.events) or self.record.events[self.at] != event:
                raise self.fail("the seed deals otherwise than the record says")
            self.at += 1

    def decision(self, seat: int) -> Decision:
        events = self.record.events
        if self.at >= len(events) or events[self.at].WhichOneof("event") != "decision":
            raise self.fail(f"a decision of seat {seat} is missing")
        decision = events[self.at].decision
        if decision.seat != seat:
            raise self.fail(f"seat {decision.seat} decides, but it is for seat {seat} to decide")
        return decision

    def defaulted(self, seat: int) -> bool:
        """Say whether the referee had a reason to decide for the seat here: a fault, or an earlier forfeit."""
        forfeited = self.record.seats[seat].forfeit and self.at > self.last_fault.get(seat, self.at)
        return forfeited or (seat, self.at) in self.faults

    def end(self) -> None:
        if self.at != len(self.record.events):
            raise self.fail("the game is over, but the record goes on")


def _choice(game: AnyGame, state: Any, seat: int, script: _Script) -> Message:
    decision = script.decision(seat)
    choice: Message = getattr(decision, game.name)
    try:
        game.check(state, seat, choice)
    except IllegalChoice as error:
        raise script.fail(f"seat {seat}: {error}") from error
    legal = list(islice(game.legal(state, seat), 2))
    if (decision.by == FORCED) != (len(legal) == 1):
        raise script.fail(f"seat {seat}: a choice is forced when it is the only one, and only then")
    if decision.by == DEFAULT and (choice != legal[0] or not script.defaulted(seat)):
        raise script.fail(f"seat {seat}: the referee decided, but not the default or without a fault")
    script.at += 1
    return choice


def _check_result(game: AnyGame, state: Any, record: GameRecord) -> None:
    result = game.result(state)
    points = [*result.points, *(house.points for house in result.house)]
    ranks = final_ranks(result, [seat.forfeit for seat in record.seats])
    stated = [*record.seats, *record.house]
    if points != [s.points for s in stated] or ranks != [s.rank for s in stated]:
        raise VerifyError(f"game {record.id}: the rules give points {points} and ranks {ranks}, the record other ones")
