"""One game being refereed: whom to ask, what a fault costs, when it is over. Pure: no I/O and no clock of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

import msgspec
from google.protobuf.message import Message

from referee import faults
from referee.games import AnyGame, IllegalChoice, Result, WrongKind
from referee.v1.record_pb2 import DecidedBy, Event, Fault, GameRecord, SeatRecord

BOT = DecidedBy.DECIDED_BY_BOT
FORCED = DecidedBy.DECIDED_BY_FORCED
DEFAULT = DecidedBy.DECIDED_BY_DEFAULT


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits in a seat, as the record names it."""

    bot: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A decision that a seat's bot must take now."""

    seat: int
    view: Message


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question: a choice and its time in microseconds, or a fault."""

    choice: Message | None = None
    us: int = 0
    fault: Fault | None = None


@dataclass(slots=True)
class Seat:
    """A seat's standing in this game."""

    player: Player
    strikes: int = 0
    forfeit: bool = False


class Table:
    """A game between ``players`` (in seat order), dealt from ``seed``.

    ``asks()`` returns the questions that wait for an answer; ``answer()`` takes one for each of them, by seat. Forced
    choices and those of forfeited seats are taken here and never asked.
    """

    def __init__(
        self, game: AnyGame, options: msgspec.Struct, players: Sequence[Player], seed: bytes, max_strikes: int = 3
    ) -> None:
        self.game, self.options, self.seed, self.max_strikes = game, options, seed, max_strikes
        self.seats = [Seat(player) for player in players]
        self.state: Any = game.new(len(players), options, Random(seed))
        self.faults: list[Fault] = []
        self._record = GameRecord(game=game.name, seed=seed)
        self._decided: dict[int, tuple[Message, DecidedBy.ValueType, int]] = {}
        self._note_chance(None)
        self._open: list[Question] = self._advance()

    def asks(self) -> Sequence[Question]:
        """Return the questions to ask now, by ascending seat. Empty: the game is over."""
        return self._open

    def answer(self, answers: Mapping[int, Answer]) -> None:
        """Take the answers to all open questions, by seat. A choice that the rules refuse becomes a fault here."""
        for question in self._open:
            self._take(question, answers[question.seat])
        self._apply()
        self._open = self._advance()

    def record(self, **about: Any) -> GameRecord:
        """Return the record of a finished game; ``about`` sets the fields that the table does not know (id, block…)."""
        result = self.game.result(self.state)
        ranks = final_ranks(result, [seat.forfeit for seat in self.seats])
        rest = GameRecord(
            options=msgspec.json.encode(self.options, order="sorted").decode(),
            seats=[
                SeatRecord(bot=s.player.bot, version=s.player.version, points=points, rank=rank, forfeit=s.forfeit)
                for s, points, rank in zip(self.seats, result.points, ranks, strict=False)
            ],
            house=[
                SeatRecord(bot=house.name, points=house.points, rank=rank)
                for house, rank in zip(result.house, ranks[len(self.seats) :], strict=True)
            ],
            faults=self.faults,
            **about,
        )
        self._record.MergeFrom(rest)
        return self._record

    def _advance(self) -> list[Question]:
        """Take every decision that nobody is asked for, until somebody must be; nobody left means the game is over."""
        while pending := self.game.pending(self.state):
            questions = []
            for seat in pending:
                choices = list(islice(self.game.legal(self.state, seat), 2))
                if len(choices) == 1:
                    self._decided[seat] = choices[0], FORCED, 0
                elif self.seats[seat].forfeit:
                    self._decided[seat] = choices[0], DEFAULT, 0
                else:
                    questions.append(Question(seat, self.game.view(self.state, seat)))
            if questions:
                return questions
            self._apply()
        return []

    def _take(self, question: Question, answer: Answer) -> None:
        fault = answer.fault or self._refusal(question, answer)
        if fault is None:
            assert answer.choice is not None
            self._decided[question.seat] = answer.choice, BOT, answer.us
            return
        fault.seat = question.seat
        fault.event = len(self._record.events) + sum(seat < question.seat for seat in self.game.pending(self.state))
        fault.ask = question.view.SerializeToString()
        seat = self.seats[question.seat]
        seat.strikes += 1
        seat.forfeit = fault.kind in faults.FORFEITS or seat.strikes >= self.max_strikes
        self.faults.append(fault)
        self._decided[question.seat] = next(self.game.legal(self.state, question.seat)), DEFAULT, 0

    def _refusal(self, question: Question, answer: Answer) -> Fault | None:
        """Return the fault of a choice that the rules refuse."""
        assert answer.choice is not None
        try:
            self.game.check(self.state, question.seat, answer.choice)
        except WrongKind as error:
            kind, reason = faults.MALFORMED, str(error)
        except IllegalChoice as error:
            kind, reason = faults.ILLEGAL, str(error)
        else:
            return None
        return faults.fault(
            kind, reason, reply=answer.choice.SerializeToString()[: faults.EVIDENCE_BYTES], us=answer.us
        )

    def _apply(self) -> None:
        """Note the decisions of all pending seats and go on to the next state."""
        events, choices = self._record.events, {}
        for seat in sorted(self._decided):
            choices[seat], by, us = self._decided[seat]
            decision = events.add().decision  # filled in place: this runs for every decision of every game
            decision.seat, decision.by, decision.us = seat, by, us
            getattr(decision, self.game.name).CopyFrom(choices[seat])
        before, self.state = self.state, self.game.apply(self.state, choices)
        self._decided = {}
        self._note_chance(before)

    def _note_chance(self, before: Any) -> None:
        self._record.events.extend(chance(self.game, before, self.state))


def chance(game: AnyGame, before: Any, after: Any) -> list[Event]:
    """Return what chance did between two states, as events of the record."""
    events = []
    for message in game.events(before, after):
        event = Event()
        getattr(event, game.name).CopyFrom(message)
        events.append(event)
    return events


def final_ranks(result: Result, forfeits: Sequence[bool]) -> list[int]:
    """Return the final ranks of the seats, then of the house: forfeiters tie below all who did not forfeit."""
    seats = [(forfeit, 0 if forfeit else rank) for forfeit, rank in zip(forfeits, result.ranks, strict=True)]
    keys = seats + [(False, house.rank) for house in result.house]
    return [1 + sum(other < key for other in keys) for key in keys]
