"""Who may think now: a bot's clock runs only while it has a core, so only so many processes are on the clock."""

from __future__ import annotations

from collections import deque
from typing import NoReturn, Protocol

import trio


class Thinker(Protocol):
    """A process that may be sent its asks."""

    def think(self) -> bool:
        """Send what waits; False if nothing does any more."""


class Floor:
    """The processes that wait for a place, first come first served; their asks wait unsent, free of charge."""

    def __init__(self, thinkers: int) -> None:
        self._free = thinkers
        self._waiting: deque[Thinker] = deque()
        self._bell = trio.Event()

    def enter(self, thinker: Thinker) -> None:
        """Queue for a place."""
        self._waiting.append(thinker)
        self._bell.set()

    def leave(self) -> None:
        """Give a place back."""
        self._free += 1
        self._bell.set()

    async def run(self) -> NoReturn:
        """Give places away, once the tasks that are ready now have had their turn: that makes large batches."""
        while True:
            await self._bell.wait()
            await trio.lowlevel.checkpoint()
            self._bell = trio.Event()
            while self._free and self._waiting:
                self._free -= self._waiting.popleft().think()
