"""The sample bots that come with the referee: examples, opponents for `bot check`, and what `bot new` copies."""

from __future__ import annotations

from pathlib import Path

from referee.errors import ArenaError

HERE = Path(__file__).parent


def folder() -> Path:
    """Return where they are: beside the package in a checkout, inside it in a wheel. Raises ArenaError."""
    for place in (HERE / "sample_bots", HERE.parent / "sample_bots"):
        if place.is_dir():
            return place
    raise ArenaError(f"no sample bots in {HERE}", "this install is not whole: install referee again")


def bots(game: str) -> list[Path]:
    """Return the folders of the sample bots that play a game, by name."""
    from referee.bots import manifest

    found = sorted(path.parent for path in folder().glob(f"**/{manifest.FILE}") if "node_modules" not in path.parts)
    return [path for path in found if game in manifest.load(path).games]


def shortest(game: str) -> Path:
    """Return the sample bot of a game with the least to read, to start one's own from. Raises ArenaError."""
    found = bots(game)
    if not found:
        raise ArenaError(f"no sample bot plays {game}", "copy another one from sample_bots and change it")
    return min(found, key=lambda bot: (sum(file.stat().st_size for file in bot.rglob("*") if file.is_file()), bot.name))
