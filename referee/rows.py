"""What the arena's database holds, as values. Times are ISO 8601 in UTC; the store sets them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from referee.tally import Tally


@dataclass(frozen=True, slots=True)
class BotRow:
    """A submitted bot: ``folder`` is what runs, ``digest`` of the contents it had when it was submitted."""

    name: str
    version: str
    digest: str
    folder: Path
    manifest: str  # JSON
    submitted: str = ""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot as it takes part in a tournament."""

    name: str
    version: str
    digest: str


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament: the settings as they were when it began, and what its deals come from."""

    name: str
    game: str
    config: str  # JSON
    bots: tuple[Entrant, ...]  # in the order of the schedule
    blocks: int  # planned
    secret: bytes
    commitment: str
    started: str = ""
    ended: str | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """A stored game without its record."""

    id: str
    block: str
    tally: Tally


@dataclass(frozen=True, slots=True)
class Void:
    """A game that the referee failed. It was played again under the same id."""

    game: str
    reason: str
    time: str = ""


@dataclass(frozen=True, slots=True)
class Benching:
    """A bot that is asked no more."""

    bot: str
    reason: str
    time: str = ""
