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

State = TypeVar("State")
Options = TypeVar("Options", bound=msgspec.Struct)
View_co = TypeVar("View_co", bound=Message, covariant=True)
Choice = TypeVar("Choice", bound=Message)


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


class Game(Protocol[State, Options, View_co, Choice]):
    """What the referee needs to know of a game.

    ``Options`` is a msgspec struct whose fields all have defaults and descriptions; views and choices are messages.
    """

    name: str
    title: str
    seats: range
    options: type[Options]
    rules: str  # one paragraph for `referee games`
    variants: Sequence[Options]  # the options worth testing: contract tests and `bot check` play one game of each

    def new(self, seats: int, options: Options, rng: Random) -> State:
        """Start a game. All its randomness, later deals included, is drawn from ``rng`` here.

        Raises ValueError for options that mean nothing with so many seats.
        """

    def pending(self, state: State) -> Sequence[int]:
        """Return the seats that must decide now, ascending. Empty: the game is over."""

    def view(self, state: State, seat: int) -> View_co:
        """Return what a pending seat may know: built from nothing, never a copy with secrets deleted."""

    def legal(self, state: State, seat: int) -> Iterator[Choice]:
        """Yield every legal choice of a pending seat, lazily. The first is the default, taken by the referee for it."""

    def check(self, state: State, seat: int, choice: Choice) -> None:
        """Raise ``WrongKind`` or ``IllegalChoice`` unless the choice is legal."""

    def apply(self, state: State, choices: Mapping[int, Choice]) -> State:
        """Return the state after the pending seats' checked choices."""

    def result(self, state: State) -> Result:
        """Return points and ranks of a game that is over."""

    def events(self, before: State | None, after: State) -> Iterable[Message]:
        """Return what chance did between two states (after ``new``: None and the first state), for the record.

        The messages are of the type of the game's field in ``Event``.
        """

    def export(self, message: Message) -> dict[str, Any]:
        """Return an event or a choice message as the JSON object of ``referee export games`` (without seat, by, us)."""

    def tell(self, before: State, choices: Mapping[int, Choice], after: State, names: Sequence[str]) -> Iterable[str]:
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
