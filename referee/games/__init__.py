"""The games: pure value machines, and the registry that names them.

A game knows its rules and nothing else: no I/O, no clock, no bots. States are values: ``apply`` returns a new one and
leaves the old one as it was. Randomness comes in once, as the ``rng`` of ``new``. The protobuf messages of
``proto/referee/v1`` are the vocabulary; in every ``oneof`` a game's field has the game's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol, TypeVar

import msgspec
from google.protobuf.message import Message

S = TypeVar("S")
O = TypeVar("O", bound=msgspec.Struct)  # noqa: E741 - the letter of the thing it stands for
V = TypeVar("V", bound=Message, covariant=True)
C = TypeVar("C", bound=Message)


class IllegalChoice(Exception):
    """The rules refuse this choice. The message says why, to the bot's author, with the numbers."""


class WrongKind(IllegalChoice):
    """Not an answer to what was asked, whatever the cards: a draft where a card is to be played, an empty choice."""


@dataclass(frozen=True, slots=True)
class HousePlayer:
    """An opponent that the game itself provides, rated in standings under ``name``."""

    name: str
    points: int
    rank: int


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a game: points and ranks by seat. Rank 1 is best; equal ranks are shared and the next ones skipped."""

    points: tuple[int, ...]
    ranks: tuple[int, ...]
    house: tuple[HousePlayer, ...] = ()


class Game(Protocol[S, O, V, C]):
    """What the referee needs to know of a game.

    ``S`` is its state, ``O`` its options (a msgspec struct whose fields all have defaults and descriptions), ``V`` and
    ``C`` its view and choice messages.
    """

    name: str
    title: str
    seats: range
    options: type[O]
    rules: str  # one paragraph for `referee games`
    variants: Sequence[O]  # the options worth testing: contract tests and `bot check` play one game of each

    def new(self, seats: int, options: O, rng: Random) -> S:
        """Start a game. All its randomness, later deals included, is drawn from ``rng`` here.

        Raises ValueError for options that mean nothing with so many seats.
        """

    def pending(self, state: S) -> Sequence[int]:
        """Return the seats that must decide now, ascending. Empty: the game is over."""

    def view(self, state: S, seat: int) -> V:
        """Return what a pending seat may know: built from nothing, never a copy with secrets deleted."""

    def legal(self, state: S, seat: int) -> Iterator[C]:
        """Yield every legal choice of a pending seat, lazily. The first is the default that the referee takes for it."""

    def check(self, state: S, seat: int, choice: C) -> None:
        """Raise ``WrongKind`` or ``IllegalChoice`` unless the choice is legal."""

    def apply(self, state: S, choices: Mapping[int, C]) -> S:
        """Return the state after the pending seats' checked choices."""

    def result(self, state: S) -> Result:
        """Return points and ranks of a game that is over."""

    def events(self, before: S | None, after: S) -> Iterable[Message]:
        """Return what chance did between two states (after ``new``: None and the first state), for the record.

        The messages are of the type of the game's field in ``Event``.
        """

    def export(self, message: Message) -> dict[str, Any]:
        """Return an event or a choice message as the JSON object of ``referee export games`` (without seat, by, us)."""

    def tell(self, before: S, choices: Mapping[int, C], after: S, names: Sequence[str]) -> Iterable[str]:
        """Say in plain lines what the choices led to, as people at the table would. Used by play and replay."""


AnyGame = Game[Any, Any, Any, Any]


def load(name: str) -> AnyGame:
    """Return the game of that name. Raises KeyError with the known names."""
    if name not in REGISTRY:
        raise KeyError(f"no game named {name!r}; known: {', '.join(REGISTRY)}")
    return REGISTRY[name]


from referee.games.six_nimmt import SixNimmt  # noqa: E402 - the registry needs the names above
from referee.games.ten import Ten  # noqa: E402

REGISTRY: dict[str, AnyGame] = {game.name: game for game in (SixNimmt(), Ten())}
