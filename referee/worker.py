"""Playing blocks: arena + players + tables. ``play`` is the unit of work that any executor runs.

The first call in a process opens a session: a thread with trio, the arena and the bots' processes. Later calls, also
from several threads at once, share it: bots stay warm from block to block, and many games are in flight.
"""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import threading
import time
import traceback
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec
import trio

from referee.arena import BEAT, open_arena
from referee.bots.limits import ProcessLimits
from referee.bots.process import watch
from referee.bots.shelf import Bot
from referee.clock import LagMeter, TimeLimits
from referee.errors import GameVoid, RefereeError, WorkerLost
from referee.floor import Floor
from referee.games import load
from referee.player import Player
from referee.schedule import Block, Pairing
from referee.seating import Seating
from referee.shop import End, Shop
from referee.table import Player as SeatedPlayer
from referee.table import Table
from referee.v1.arena_pb2 import ArenaMessage, FaultNotice, GameOver
from referee.v1.record_pb2 import GameRecord

T = TypeVar("T")

MAX_VOIDS = 10
"""How often a game is played again before the machine is called unfit."""


CLOSE_PATIENCE = 10.0
"""Seconds beyond ``shutdown`` that the end of a session may take on a machine that is out of something."""

CPU_PERIOD = 1.0
"""Seconds between two looks at a bot's CPU time: a look may have to read all of /proc."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What all games of a tournament share. A value that can be sent to another process or machine."""

    tournament: str
    game: str
    options: str  # JSON, as in the record
    bots: tuple[Bot, ...]
    time: TimeLimits
    process_limits: ProcessLimits
    sandbox: str
    logs: str
    thinkers: int = 1
    max_strikes: int = 3
    bench_after: int = 5


@dataclass(frozen=True, slots=True)
class Job:
    """Games of one block to play, all dealt from the same seed."""

    block: Block
    games: tuple[Pairing, ...]
    seed: bytes


@dataclass(frozen=True, slots=True)
class Voided:
    """A game that the referee failed, and why. It was played again."""

    game_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Benched:
    """A bot that is asked no more, and why."""

    bot: str
    reason: str


@dataclass(slots=True)
class JobResult:
    """What came of a job: encoded records, what else is to be told, and the bots' CPU seconds since the last job."""

    records: list[bytes] = field(default_factory=list)
    voided: list[Voided] = field(default_factory=list)
    benched: list[Benched] = field(default_factory=list)
    cpu: dict[str, float] = field(default_factory=dict)


def play(setup: Setup, job: Job) -> JobResult:
    """Play a job, from any thread. Raises RefereeError if this machine cannot referee."""
    return _session(setup).play(job)


class Session:
    """The bots of a setup at work in this process, in a thread with trio that lives until ``close``."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.players: dict[str, Player] = {}
        self._game = load(setup.game)
        self._options = msgspec.json.decode(setup.options, type=self._game.options)
        self._benched: list[Benched] = []
        self._cpu_told: dict[str, tuple[float, float]] = {}
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._body, name="referee", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failure:
            raise self._failure

    def play(self, job: Job) -> JobResult:
        """Play a job. Called from other threads; many at a time."""
        return self._in_trio(self._play, job)

    def meet(self, bot: str) -> float | End:
        """Start a bot; return the seconds to its Hello, or how it failed."""
        return self._in_trio(self.players[bot].meet)

    def _in_trio(self, function: Callable[..., Awaitable[T]], *args: object) -> T:
        """Run an async function in the session's thread. What ended the session is raised here."""
        try:
            return trio.from_thread.run(function, *args, trio_token=self._trio)
        except (trio.Cancelled, trio.RunFinishedError):
            pass
        except BaseExceptionGroup as group:
            real = group.split(trio.Cancelled)[1]
            if real is not None:
                raise _first(real) from None
        self._thread.join()
        raise self._death()

    def _death(self) -> Exception:
        """Return what is to be said of a session that has ended under its callers."""
        if self._failure is None:
            return WorkerLost("the session was closed")
        cause = _first(self._failure)
        if isinstance(cause, RefereeError):
            return cause
        traceback.print_exception(self._failure)
        return WorkerLost(f"a session ended: {cause!r}")

    def close(self) -> None:
        """Let the bots go: their streams end, they get ``shutdown`` to exit, then they are killed."""
        with suppress(trio.RunFinishedError):  # it has ended already
            self._trio.run_sync_soon(self._stop.set)
        self._thread.join(self.setup.time.shutdown / 1e9 + CLOSE_PATIENCE)

    @property
    def alive(self) -> bool:
        """Whether it can play."""
        return self._thread.is_alive()

    def _body(self) -> None:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # connections are files, and bots may open many
        folder = Path(tempfile.mkdtemp(prefix="referee-"))
        try:
            trio.run(self._serve, f"unix:{folder / 'arena.sock'}")
        except BaseException as error:
            self._failure = error
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            self._ready.set()

    async def _serve(self, address: str) -> None:
        self._trio = trio.lowlevel.current_trio_token()
        self._stop = trio.Event()
        lag = LagMeter(int(BEAT * 1e9))
        async with open_arena(address) as arena, trio.open_nursery() as nursery:
            shop = Shop(
                arena=arena,
                floor=Floor(self.setup.thinkers),
                starts=trio.CapacityLimiter(max(2, os.cpu_count() or 1)),
                game=self.setup.game,
                limits=self.setup.time,
                process_limits=self.setup.process_limits,
                sandbox=self.setup.sandbox,
                logs=Path(self.setup.logs),
                lag=lag,
            )
            for bot in self.setup.bots:
                player = Player(bot, shop, shop.floor, self.setup.bench_after, self._bench)
                self.players[bot.name] = player
                nursery.start_soon(player.run)
            nursery.start_soon(self._keep_time, lag)
            nursery.start_soon(watch)
            nursery.start_soon(shop.floor.run)
            self._ready.set()
            await self._stop.wait()
            nursery.cancel_scope.cancel()

    async def _keep_time(self, lag: LagMeter) -> None:
        while True:
            now = time.monotonic_ns()
            lag.beat(now)
            for player in self.players.values():
                player.tick(now)
            await trio.sleep(BEAT / 2)

    def _bench(self, bot: str, reason: str) -> None:
        self._benched.append(Benched(bot, reason))

    async def _play(self, job: Job) -> JobResult:
        result = JobResult()
        async with trio.open_nursery() as nursery:
            for pairing in job.games:
                nursery.start_soon(self._play_game, job, pairing, result)
        result.benched, self._benched = self._benched, []
        result.cpu = self._cpu(job.block.bots)
        return result

    async def _play_game(self, job: Job, pairing: Pairing, result: JobResult) -> None:
        async with AsyncExitStack() as stack:
            for name in sorted(pairing.bots):  # in one order everywhere, so that no two games wait for each other
                await stack.enter_async_context(self.players[name].room)
            for _ in range(MAX_VOIDS):
                try:
                    record = await self._referee(job, pairing)
                except GameVoid as void:
                    result.voided.append(Voided(pairing.id, str(void)))
                    for seat, name in enumerate(pairing.bots):
                        over = GameOver(game_id=pairing.id, seat=seat)
                        self.players[name].game_over(ArenaMessage(game_over=over))
                else:
                    result.records.append(record.SerializeToString())
                    return
        raise RefereeError(
            f"game {pairing.id} was void {MAX_VOIDS} times: {result.voided[-1].reason}",
            "this machine is too busy for these limits: fewer thinkers or workers, or a longer move",
        )

    async def _referee(self, job: Job, pairing: Pairing) -> GameRecord:
        """Referee one game: the loop that everything serves."""
        players = [self.players[name] for name in pairing.bots]
        seats = [SeatedPlayer(player.bot.name, player.bot.version) for player in players]
        seating = Seating(pairing.id, players, self.setup.time)
        table = Table(self._game, self._options, seats, job.seed, self.setup.max_strikes)
        while asks := table.asks():
            table.answer(await seating.ask(asks))
        record = table.record(
            tournament=self.setup.tournament,
            id=pairing.id,
            block=job.block.id,
            rotation=pairing.rotation,
            sandbox=self.setup.sandbox,
        )
        for seat, player in enumerate(players):
            player.game_over(_game_over(record, seat))
        return record

    def _cpu(self, bots: tuple[str, ...]) -> dict[str, float]:
        """Return the CPU seconds of these bots since they were told last, for those that were not told just now."""
        now, used = time.monotonic(), {}
        for name in bots:
            at, told = self._cpu_told.get(name, (0.0, 0.0))
            if now - at > CPU_PERIOD:
                total = self.players[name].cpu()
                used[name] = total - told
                self._cpu_told[name] = now, total
        return used


def _game_over(record: GameRecord, seat: int) -> ArenaMessage:
    return ArenaMessage(
        game_over=GameOver(
            game_id=record.id,
            seat=seat,
            ranks=[s.rank for s in record.seats],
            points=[s.points for s in record.seats],
            faults=[FaultNotice(kind=f.kind, reason=f.reason) for f in record.faults if f.seat == seat],
        )
    )


def _first(error: BaseException) -> BaseException:
    """Return the first error in a group of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


_open: list[Session] = []
"""At most one: a process plays one tournament at a time."""
_opening = threading.Lock()


def _session(setup: Setup) -> Session:
    with _opening:
        if not _open or _open[0].setup != setup or not _open[0].alive:
            close_sessions()
            _open.append(Session(setup))
        return _open[0]


def close_sessions() -> None:
    """Close what ``play`` opened in this process."""
    while _open:
        _open.pop().close()
