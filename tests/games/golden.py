"""Golden games: whole short games as text, with what every seat saw. ``python -m tests.games.golden`` writes them anew.

A difference is a change of the rules or of the protocol: read it before you keep it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import msgspec
from google.protobuf.message import Message
from google.protobuf.text_format import MessageToString

from referee.games import REGISTRY, AnyGame
from tests.games.peek import peek, walk

FOLDER = Path(__file__).parent / "golden"
NAMES = ("ada", "bob", "cid", "dot", "eve", "fay", "gus", "hal", "ida", "jim")


def path(game: AnyGame, name: str) -> Path:
    """Return where the golden game of that name lies."""
    return FOLDER / f"{game.name}-{name}.txt"


def transcript(game: AnyGame, seats: int, options: msgspec.Struct) -> str:
    """Return a game at random as text: each decision with its view, what chance did, what is told, the result."""
    lines = [f"{game.name}, {seats} seats, options {msgspec.json.encode(options, order='sorted').decode()}"]
    state = game.new(seats, options, Random(seats))
    lines += _chance(game, game.events(None, state))
    for before, choices, after in walk(game, seats, options, Random(seats)):
        for seat, choice in choices.items():
            lines.append(f"seat {seat} sees {_line(game.view(before, seat))}")
            lines.append(f"seat {seat} answers {_line(choice)}")
        lines += [f"  {line}" for line in game.tell(before, choices, after, NAMES[:seats])]
        lines += _chance(game, game.events(before, after))
        state = after
    lines.append(str(game.result(state)))
    return "\n".join(lines) + "\n"


def _chance(game: AnyGame, events: Iterable[Message]) -> Iterator[str]:
    for event in events:
        yield f"chance: {json.dumps(game.export(event))}"


def _line(message: Message) -> str:
    return MessageToString(message, as_one_line=True, use_short_repeated_primitives=True).strip()


def main() -> None:
    """Write every golden game."""
    FOLDER.mkdir(exist_ok=True)
    for game in REGISTRY.values():
        for name, (seats, options) in peek(game).GOLDEN.items():
            path(game, name).write_text(transcript(game, seats, options), encoding="utf-8")


if __name__ == "__main__":
    main()
