"""One game being refereed: whom to ask, what a fault costs, when it is over. Pure: no I/O and no clock of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

import msgspec
from google.protobuf.message import Message

from referee import faults
from referee.games import AnyGame, IllegalChoice, WrongKind
from referee.v1.record_pb2 import DecidedBy, Decision, Event, Fault, GameRecord, SeatRecord

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
    faults: list[Fault] = field(default_factory=list)


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
        self._events: list[Event] = []
        self._decided: dict[int, tuple[Message, DecidedBy.ValueType, int]] = {}
        self._note_chance(None)
        self._open: list[Question] = self._advance()

    def asks(self) -> Sequence[Question]:
        """Return the questions to ask now, by ascending seat. Empty: the game is over."""
        return self._open

    def answer(self, answers: Mapping[int, Answer]) -> None:
        """Take the answers to all open questions, by seat. A choice that the rules refuse becomes a fault here."""
        for offset, question in enumerate(self._open):
            self._take(question.seat, answers[question.seat], offset)
        self._apply()
        self._open = self._advance()

    def record(self, **about: Any) -> GameRecord:
        """Return the record of a finished game; ``about`` sets the fields that the table does not know (id, block…)."""
        result = self.game.result(self.state)
        ranks = self.ranks(result.ranks)
        return GameRecord(
            game=self.game.name,
            options=msgspec.json.encode(self.options, order="sorted").decode(),
            seed=self.seed,
            seats=[
                SeatRecord(bot=s.player.bot, version=s.player.version, points=points, rank=rank, forfeit=s.forfeit)
                for s, points, rank in zip(self.seats, result.points, ranks, strict=True)
            ],
            house=[SeatRecord(bot=h.name, points=h.points, rank=h.rank) for h in result.house],
            events=self._events,
            faults=sorted((f for s in self.seats for f in s.faults), key=lambda f: (f.event, f.seat)),
            **about,
        )

    def ranks(self, by_rules: Sequence[int]) -> list[int]:
        """Return the final ranks: forfeiters tie below all who did not forfeit."""
        if not any(seat.forfeit for seat in self.seats):
            return list(by_rules)
        keys = [(seat.forfeit, 0 if seat.forfeit else rank) for seat, rank in zip(self.seats, by_rules, strict=True)]
        return [1 + sum(other < key for other in keys) for key in keys]
