"""What several commands take: said once, the same everywhere."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How data comes out."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MD = "md"


ARENA = Path("arena")
ArenaDir = Annotated[
    Path, typer.Option("--arena", envvar="REFEREE_ARENA", metavar="DIR", help="The folder of bots and results.")
]
TournamentName = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", help="The tournament, where the arena has several.", show_default=False),
]
GameName = Annotated[
    str | None,
    typer.Option("--game", metavar="GAME", help="Which one; `referee games` lists them.", show_default="the first"),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How the data comes out.")]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the data here instead of stdout.")
]
