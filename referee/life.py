"""One process of a bot, from its start to its end: its line, its clock and what it owes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import count

import trio

from referee import faults
from referee.arena import PROTOCOL, Line, Sent
from referee.bots.process import Process, kill_all, spawn
from referee.bots.shelf import Bot
from referee.clock import VOID_PART, Bank, Clock, Timed
from referee.errors import BotError, RefereeError
from referee.seating import Waiting
from referee.shop import End, Shop, wire_limits
from referee.table import Answer
from referee.v1.arena_pb2 import ArenaMessage, FaultKind, Hello, Reply, Welcome
from referee.v1.arena_pb2 import Clock as ClockMessage

SPAWN_PATIENCE = (0.1, 1.0, 5.0)
"""Seconds between attempts to start a process on a machine that is out of something."""

UNFIT = "free memory, processes, files or disk space, then run again: what was played is stored"

EXIT_GRACE = 1.0
"""Seconds that a process whose stream has ended gets to exit, so that its exit code can be told."""


@dataclass(slots=True, eq=False)
class Life:
    """A process. ``run`` is it from start to end; the ``on_…`` methods are called by the arena."""

    shop: Shop
    bot: Bot
    on_free: Callable[[], object]
    ready: bool = False
    unread: int = 0
    cpu: float = 0.0
    started_ns: int = 0
    hello_ns: int = 0
    line: Line = field(init=False)
    process: Process | None = None
    clock: Clock = field(init=False)
    _clock_message: ClockMessage = field(init=False)
    _waiting: dict[int, Waiting] = field(default_factory=dict)
    _ids: count[int] = field(default_factory=lambda: count(1))
    _sent: Sent = field(default_factory=Sent)
    _on_floor: bool = False
    _suspect: bool = False
    _end: End | None = None
    _heard: trio.Event = field(default_factory=trio.Event)
    _ended: trio.Event = field(default_factory=trio.Event)

    def __post_init__(self) -> None:
        self.clock = Clock(self.shop.limits)
        self._clock_message = ClockMessage(limits=wire_limits(self.shop.limits))

    @property
    def free(self) -> bool:
        """Whether it may be asked."""
        return self.ready and self.clock.idle and self._end is None

    def owed(self) -> list[Waiting]:
        """Return the questions it was sent and still owes, oldest first."""
        return [waiting for waiting in self._waiting.values() if not waiting.seating.over]

    async def run(self) -> End:
        """Live: start, wait for Hello, play until something ends it. The process is gone when this returns."""
        self.line = self.shop.arena.expect(secrets.token_hex(16), self)
        try:
            async with trio.open_nursery() as nursery:
                async with self.shop.starts:
                    if await self._spawn():
                        nursery.start_soon(self._watch_exit)
                        await self._hello()
                await self._ended.wait()
                nursery.cancel_scope.cancel()
        finally:
            await self._bury()
        assert self._end is not None
        return self._end

    async def _spawn(self) -> bool:
        """Start the process. A machine that cannot start anything now gets a few more moments, then it is unfit."""
        for patience in (*SPAWN_PATIENCE, None):
            try:
                return self._spawn_now()
            except OSError as error:
                if patience is None:
                    raise RefereeError(f"this machine cannot start bot {self.bot.name!r}: {error}", UNFIT) from error
                await trio.sleep(patience)
        return False

    def _spawn_now(self) -> bool:
        self.started_ns = self.shop.now()
        try:
            self.process = spawn(
                self.bot,
                address=self.shop.arena.address,
                token=self.line.token,
                logs=self.shop.logs,
                level=self.shop.sandbox,
                limits=self.shop.process_limits,
            )
        except BotError as error:
            self._finish(faults.NO_START, str(error), charged=True)
        return self._end is None

    def send(self, batch: Iterable[Waiting]) -> None:
        """Ask; the clock starts."""
        message = ArenaMessage()
        asks, banks = message.asks, {}
        for waiting in batch:
            ask_id = next(self._ids)
            self._waiting[ask_id] = waiting
            banks[ask_id] = waiting.bank
            ask = asks.asks.add(ask_id=ask_id, game_id=waiting.seating.game_id, seat=waiting.seat)
            ask.clock.CopyFrom(self._told(waiting.bank))
            getattr(ask, self.shop.game).CopyFrom(waiting.view)
        self._on_floor = True
        self.clock.send(banks, self.shop.now())
        self._sent = self.line.send(message)

    def _told(self, bank: Bank) -> ClockMessage:
        """Return the clock as an ask tells it, in a message that is used again and again."""
        self._clock_message.limit_us, self._clock_message.bank_left_us = bank.limit // 1000, bank.left // 1000
        return self._clock_message

    def tick(self, now: int) -> None:
        """Look at the clock. A verdict waits for the second look, so that what arrived in time has been handed over."""
        if not self.ready or self.clock.idle or self._end:
            return
        self._stamp()
        if now <= self.clock.deadline:
            self._suspect = False
        elif not self._suspect:
            self._suspect = True
        elif self.clock.hanging:
            self._finish(faults.CRASHED, "killed: it gave no sign of life after a LATE", charged=False, kill=True)
        else:
            self._expire(now)

    def on_hello(self, hello: Hello, ns: int) -> None:
        """The process is ready, or speaks something we do not."""
        if hello.protocol != PROTOCOL:
            reason = f"it speaks protocol {hello.protocol}; this referee speaks {PROTOCOL}"
            self._finish(faults.NO_START, reason, charged=True, kill=True)
        elif self.shop.game not in hello.games:
            games = ", ".join(hello.games) or "no game"
            self._finish(faults.NO_START, f"its Hello names {games}, not {self.shop.game}", charged=True, kill=True)
        else:
            self.hello_ns = ns
            self.line.send(
                ArenaMessage(welcome=Welcome(protocol=PROTOCOL, bot=self.bot.name, version=self.bot.version))
            )
            self._heard.set()

    def on_replies(self, replies: list[Reply], ns: int) -> None:
        """Answers came."""
        if self._end:
            return
        self._stamp()
        self._expire(ns)
        first: dict[int, Reply] = {}
        for reply in replies:
            first.setdefault(reply.ask_id, reply)
        timed = self.clock.answered(list(first), ns)
        self.unread += len(replies) - len(timed) or not replies
        for answer in timed:
            if answer.late:
                self._late(answer, ns)
            else:
                waiting = self._waiting.pop(answer.ask_id)
                waiting.answer(self._read(first[answer.ask_id], answer.cost // 1000))
        self._give_back()

    def on_malformed(self, reason: str, data: bytes, ns: int) -> None:
        """What came stands for an answer to the oldest ask: it cannot be told which one it was meant for."""
        if self._end:
            return
        self._stamp()
        self._expire(ns)
        oldest = next(iter(self.clock.owed), None)
        if oldest is None or self.clock.hanging:
            self.unread += 1
            return
        [answer] = self.clock.answered([oldest], ns)
        fault = faults.fault(faults.MALFORMED, reason, reply=data[: faults.EVIDENCE_BYTES], us=answer.cost // 1000)
        self._waiting.pop(oldest).answer(Answer(fault=fault))
        self._give_back()

    def on_closed(self, ns: int) -> None:
        """The stream has ended; by the bot, for we end it only after its end."""
        self._finish(faults.CRASHED, "its stream ended", charged=bool(self.clock.owed))

    async def _watch_exit(self) -> None:
        assert self.process is not None
        await self.process.wait()
        if self.ready:
            self._finish(faults.CRASHED, "its process ended", charged=bool(self.clock.owed))
        else:
            self._finish(faults.NO_START, "its process ended before Hello", charged=True)

    async def _hello(self) -> None:
        """Wait for Hello, at most until the start limit."""
        limit, since = self.shop.limits.start, self.started_ns
        while not self._heard.is_set():
            with trio.move_on_after(limit / 1e9):
                await self._heard.wait()
            if self._heard.is_set():
                break
            if self.shop.worst_lag(since, self.shop.now()) <= limit * VOID_PART:
                reason = f"no Hello within {limit / 1e9:g} s of its start"
                self._finish(faults.NO_START, reason, charged=True, kill=True)
            since = self.shop.now()  # the referee was late itself: the limit begins anew
        if self._end is None:
            self.ready = True
            self.on_free()

    def _stamp(self) -> None:
        if self._sent.ns:
            self.clock.sent(self._sent.ns)

    def _expire(self, now: int) -> None:
        """Make the ask that is late by now a LATE, or void its game if that was the referee's doing."""
        timed = self.clock.expire(now)
        if timed:
            self._late(timed, now)

    def _late(self, timed: Timed, now: int) -> None:
        waiting = self._waiting.pop(timed.ask_id)
        lag = self.shop.worst_lag(now - timed.cost, now)
        if lag > timed.limit * VOID_PART:
            ms, had = lag / 1e6, timed.limit / 1e6
            waiting.void(f"the referee itself was {ms:.0f} ms late while {self.bot.name} had {had:.0f} ms")
            return
        fault = faults.fault(
            faults.LATE,
            f"no answer within {timed.limit / 1e6:.0f} ms",
            us=timed.cost // 1000,
            limit_us=timed.limit // 1000,
            lag_us=lag // 1000,
            stderr_tail=self.process.stderr_tail() if self.process else "",
        )
        waiting.answer(Answer(fault=fault))

    def _read(self, reply: Reply, us: int) -> Answer:
        reply.DiscardUnknownFields()  # nothing but the choice may ride into the record
        given = reply.WhichOneof("choice")
        if given == self.shop.game:
            return Answer(choice=getattr(reply, given), us=us)
        reason = f"a choice for {given} in a game of {self.shop.game}" if given else "a reply without a choice"
        return Answer(fault=faults.fault(faults.MALFORMED, reason, reply=reply.SerializeToString(), us=us))

    def _give_back(self) -> None:
        """Leave the floor once nothing is owed."""
        if self.clock.idle and self._on_floor:
            self._on_floor = False
            self.shop.floor.leave()
            self.on_free()

    def _finish(self, kind: FaultKind.ValueType, reason: str, *, charged: bool, kill: bool = False) -> None:
        """Note the first cause of the end; what follows from it is no news."""
        if self._end is None:
            us = (self.shop.now() - self.clock.since) // 1000 if self.clock.owed else 0
            self._end = End(kind, reason, charged, kill, us=us)
            self._heard.set()
            self._ended.set()

    async def _bury(self) -> None:
        """Let the process exit if it may be about to, then kill what is left of it."""
        self.line.close()
        if self._on_floor:
            self._on_floor = False
            self.shop.floor.leave()
        if self.process is None:
            return
        if self._end is None:
            patience = self.shop.limits.shutdown / 1e9
        else:
            patience = 0 if self._end.kill else EXIT_GRACE
        with trio.CancelScope(shield=True):
            with trio.move_on_after(patience):
                await self.process.wait()
            self.cpu = self.process.cpu_seconds()
            if self._end is None:
                kill_all()  # the session ends: one look for all its bots
            self.process.kill()
            with trio.move_on_after(EXIT_GRACE):
                await self.process.wait()
        if self._end:
            self._end = self._with_evidence(self._end, self.process)
        self.process.close()

    def _with_evidence(self, end: End, process: Process) -> End:
        exit_text = process.exit or ""
        reason = end.reason if not exit_text or end.kill else f"{end.reason}: {exit_text}"
        return replace(end, reason=reason, exit=exit_text, stderr_tail=process.stderr_tail())
