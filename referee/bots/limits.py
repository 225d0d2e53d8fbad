"""What a bot may use, and the levels at which that can be enforced."""

from __future__ import annotations

from dataclasses import dataclass

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
