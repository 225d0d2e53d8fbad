"""What the bots of all games have in common."""

import time
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from referee_sdk.v1.arena_pb2 import Ask, GameOver


class Bot(ABC):
    """One player in one game: ``run`` makes an object for each game, so what it keeps in ``self`` is of that game.

    Derive from the class of a game, ``SixNimmtBot`` or ``TenBot``, not from this one. ``seat``, ``game_id`` and
    ``clock`` are there from the first decision on, not yet in ``__init__``.
    """

    game: ClassVar[str]
    """The game's name, as tournament files and the messages' fields have it."""

    seat: int
    """This player's seat, from 0."""

    game_id: str
    """``tournament/table/deal/rotation``."""

    _deadline: float

    @property
    def clock(self) -> float:
        """The milliseconds left for this decision, as of now. What is not spent in it stays in the game's bank."""
        return (self._deadline - time.monotonic()) * 1000

    def game_over(self, result: GameOver) -> None:  # noqa: B027 - most bots do not care
        """Take note of the end: ranks and points by seat, and the faults of this bot."""

    @abstractmethod
    def decide(self, view: Any, choice: Any) -> None:
        """Fill in ``choice`` for ``view``, both messages of the game. The class of a game does this."""

    def see(self, ask: Ask, since: float) -> None:
        """Set what the bot may know beside the view. The clock has run since ``since`` (``time.monotonic``)."""
        self.seat = ask.seat
        self.game_id = ask.game_id
        self._deadline = since + ask.clock.limit_us / 1e6
