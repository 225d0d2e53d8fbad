"""Who may think now: a bot's clock runs only while it has a core, so only so many processes are on the clock."""

from __future__ import annotations

from collections import deque
from typing import Protocol

import trio


class Thinker(Protocol):
    """A process that may be sent its asks."""

    def think(self) -> bool:
        """Send what waits; False if nothing does any more."""


class Floor:
    """The processes that wait for a place, first come first served; their asks wait unsent, free of charge."""

    def __init__(self, thinkers: int, trio_token: trio.lowlevel.TrioToken) -> None:
        self._free = thinkers
        self._waiting: deque[Thinker] = deque()
        self._trio = trio_token

    def enter(self, thinker: Thinker) -> None:
        """Queue for a place. It is given once the tasks that are ready now have had their turn: large batches."""
        self._waiting.append(thinker)
        self._trio.run_sync_soon(self._fill, idempotent=True)

    def leave(self) -> None:
        """Give a place back."""
        self._free += 1
        self._trio.run_sync_soon(self._fill, idempotent=True)

    def _fill(self) -> None:
        while self._free and self._waiting:
            self._free -= self._waiting.popleft().think()
