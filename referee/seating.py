"""Between a table and the players: a game's questions go out together, and its task sleeps until all are answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import outcome
import trio
from google.protobuf.message import Message

from referee.clock import Bank, TimeLimits
from referee.errors import GameVoid
from referee.table import Answer, Question


class Respondent(Protocol):
    """Somebody who answers questions, some time later."""

    def ask(self, waiting: Waiting) -> None:
        """Take a question; ``waiting.answer`` or ``waiting.void`` is called once for it."""


@dataclass(slots=True, eq=False)
class Waiting:
    """A question on its way to a bot and back."""

    seating: Seating
    seat: int
    view: Message
    bank: Bank

    def answer(self, answer: Answer) -> None:
        """Give the table its answer."""
        self.seating._take(self.seat, answer)

    def void(self, reason: str) -> None:
        """The referee failed: end the game, to be played again."""
        self.seating._void(reason)


class Seating:
    """The players of one game. No task an ask: the game's one task sleeps in ``ask``."""

    def __init__(self, game_id: str, players: Sequence[Respondent], limits: TimeLimits) -> None:
        self.game_id = game_id
        self.over = False
        self._players = players
        self._banks = [Bank(limits) for _ in players]
        self._missing = 0
        self._answers: dict[int, Answer] = {}
        self._task: trio.lowlevel.Task | None = None

    async def ask(self, questions: Sequence[Question]) -> dict[int, Answer]:
        """Return the answers to all questions, by seat. Raises GameVoid."""
        self._answers = {}
        self._missing = len(questions)
        for question in questions:
            seat = question.seat
            self._players[seat].ask(Waiting(self, seat, question.view, self._banks[seat]))
        if self._missing:
            self._task = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(self._cancelled)
        return self._answers

    def _take(self, seat: int, answer: Answer) -> None:
        if self.over:
            return
        self._answers[seat] = answer
        self._missing -= 1
        if not self._missing and self._task:
            self._wake(outcome.Value(None))

    def _void(self, reason: str) -> None:
        if not self.over:
            self.over = True
            assert self._task is not None  # nothing is void before it was sent, and it is sent while the task sleeps
            self._wake(outcome.Error(GameVoid(reason)))

    def _wake(self, result: outcome.Outcome[None]) -> None:
        task, self._task = self._task, None
        assert task is not None
        trio.lowlevel.reschedule(task, result)

    def _cancelled(self, _: object) -> trio.lowlevel.Abort:
        self.over = True
        self._task = None
        return trio.lowlevel.Abort.SUCCEEDED
