"""What a bot may use, and the levels at which that can be enforced."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from referee.bots.manifest import FILE, Manifest
from referee.errors import BotError
from referee.toml import Size

LEVELS = ("bubblewrap", "limits", "none")
"""From the strongest to the weakest; the level is in every record."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Limits of one bot: its process and all that descend from it. Sizes in bytes."""

    memory: int = 512 << 20
    processes: int = 64
    """Threads count: the kernel counts tasks."""
    files: int = 256
    """Open files of each process."""
    file_size: int = 64 << 20
    """Of each file it writes; ``/tmp`` holds as much in all."""
    log: int = 256 << 10
    """Of stdout and of stderr each: half of it head, half of it tail."""


def granted(manifest: Manifest, host: ProcessLimits) -> ProcessLimits:
    """Return what a bot gets: what it asks for under ``[limits]`` of its bot.toml, else all that the host gives.

    Raises BotError, naming bot and key, if it asks for more than the host gives: it would fail in the midst of play.
    """
    asked = {key: size for key, size in msgspec.structs.asdict(manifest.limits).items() if size is not None}
    for key, size in asked.items():
        given = getattr(host, key)
        if size > given:
            wish, most = (Size(n).text if key == "memory" else n for n in (size, given))
            raise BotError(
                f"bot {manifest.name!r}: its {FILE} asks for limits.{key} = {wish}, but the host gives {most}",
                f"raise {key} under [limits] of the tournament, or ask for less in {FILE}",
            )
    return replace(host, **asked)
