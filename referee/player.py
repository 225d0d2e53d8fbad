"""A bot at work: the questions that wait for it, its failures, and a fresh process whenever it needs one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field

import trio

from referee import faults
from referee.bots.shelf import Bot
from referee.floor import Floor
from referee.life import Life
from referee.seating import Waiting
from referee.shop import End, Shop
from referee.table import Answer
from referee.v1.arena_pb2 import ArenaMessage


@dataclass(slots=True)
class Player:
    """One bot in one worker. ``run`` is its task; everything else is called from others and never waits.

    After ``bench_after`` crashes, hangs or failed starts in a row (no game finished without one in between) it is
    benched: all its games are forfeits from then on. ``room`` is to be entered for the length of a game: a bot may
    limit how many it plays at once.
    """

    bot: Bot
    shop: Shop
    floor: Floor
    bench_after: int
    on_benched: Callable[[str, str], object]
    benched: str = ""
    cpu_seconds: float = 0.0
    unread: int = 0  # replies to asks that were not owed: unknown, repeated, late
    _queue: deque[Waiting] = field(default_factory=deque)
    _life: Life | None = None
    _queued: bool = False
    _failures: int = 0
    _last: End | None = None
    _wanted: trio.Event = field(default_factory=trio.Event)
    _met: trio.Event = field(default_factory=trio.Event)
    room: AbstractAsyncContextManager[None] = field(init=False)

    def __post_init__(self) -> None:
        limit = self.bot.manifest.concurrency
        self.room = trio.CapacityLimiter(limit) if limit else nullcontext()

    def ask(self, waiting: Waiting) -> None:
        """Queue a question."""
        if self.benched and self._last:
            waiting.answer(Answer(fault=self._last.benched(self.benched)))
            return
        self._queue.append(waiting)
        self.rouse()

    def rouse(self) -> None:
        """See to it that what waits is sent as soon as the process is free and has a place on the floor."""
        if not self._queue:
            return
        if self._life is None:
            self._wanted.set()
        elif self._life.free and not self._queued:
            self._queued = True
            self.floor.enter(self)

    def think(self) -> bool:
        """Send all that waits, in one message. Called by the floor."""
        self._queued = False
        batch = [waiting for waiting in self._queue if not waiting.seating.over]
        self._queue.clear()
        if self._life is None or not self._life.free:
            self._queue.extend(batch)
            return False
        if batch:
            self._life.send(batch)
        return bool(batch)

    def game_over(self, message: ArenaMessage) -> None:
        """Tell the process of a game's end; a game without ranks was void."""
        if message.game_over.ranks and not any(f.kind in faults.FORFEITS for f in message.game_over.faults):
            self._failures = 0
        if self._life and self._life.ready:
            self._life.line.send(message)

    def tick(self, now: int) -> None:
        """Look at the clock."""
        if self._life:
            self._life.tick(now)

    async def meet(self) -> float | End:
        """Start its first process; return the seconds to its Hello, or how it failed."""
        self._wanted.set()
        await self._met.wait()
        if self._life:
            return (self._life.hello_ns - self._life.started_ns) / 1e9
        assert self._last is not None
        return self._last

    def cpu(self) -> float:
        """Return the CPU seconds of all its processes so far."""
        process = self._life.process if self._life else None
        return self.cpu_seconds + (process.cpu_seconds() if process else 0.0)

    async def run(self) -> None:
        """Keep a process alive while there is something to ask it."""
        while not self.benched:
            await self._wanted.wait()
            self._wanted = trio.Event()
            life = Life(self.shop, self.bot, on_free=self._freed)
            self._life = life
            try:
                end = await life.run()
            finally:
                self._life = None
                self.cpu_seconds += life.cpu
                self.unread += life.unread
            self._settle(end, life.owed())

    def _freed(self) -> None:
        self._met.set()
        self.rouse()

    def _settle(self, end: End, owed: Sequence[Waiting]) -> None:
        """After a process's end: who is charged, who is asked again, and whether there is another process."""
        self._queue = deque(waiting for waiting in (*owed, *self._queue) if not waiting.seating.over)
        charged = end.charged and (owed or end.kind == faults.NO_START)  # a crash is the matter of what was asked
        self._failures += 1
        self._last = end
        self._met.set()
        if self._queue and charged:
            self._queue.popleft().answer(Answer(fault=end.fault()))
        if self._failures >= self.bench_after:
            self._bench(end)
        self.rouse()

    def _bench(self, end: End) -> None:
        self.benched = (
            f"benched after {self._failures} crashes, hangs or failed starts in a row; the last: {end.reason}"
        )
        self.on_benched(self.bot.name, self.benched)
        while self._queue:
            self._queue.popleft().answer(Answer(fault=end.benched(self.benched)))
