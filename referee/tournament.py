"""A tournament: schedule -> executor -> store. Resuming is playing what is missing."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from referee.errors import RefereeError, WorkerLost
from referee.schedule import Block, Plan, deal_seed
from referee.v1.record_pb2 import GameRecord
from referee.worker import Benched, Job, Played, Setup, Voided, play

MAX_LOSSES = 3
"""How many workers a block may take with it."""


@dataclass(frozen=True, slots=True)
class Began:
    """The tournament goes on from ``done`` of ``total`` games."""

    plan: Plan
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Finished:
    """These games are stored."""

    records: tuple[GameRecord, ...]
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker process died; its blocks are played again."""

    reason: str
    blocks: int


Happening = Began | Finished | Voided | Benched | Lost
Sink = Callable[[Happening], object]


class Ledger(Protocol):
    """Where a tournament's results go: what ``run`` needs of the store."""

    def finished(self) -> set[str]:
        """Return the ids of the games that are stored."""

    def add(self, played: Played, records: Sequence[GameRecord]) -> None:
        """Commit what came of a job."""


def run(
    plan: Plan, setup: Setup, secret: bytes, *, ledger: Ledger, executor: Executor, in_flight: int, sink: Sink
) -> None:
    """Play what is missing of a plan, with at most ``in_flight`` blocks at a time.

    A game is in the ledger before it counts anywhere. Raises RefereeError if this machine cannot referee.
    """
    jobs = list(missing(plan, secret, ledger.finished()))
    total = sum(len(block.games()) for block in plan.blocks)
    done = total - sum(len(job.games) for job in jobs)
    sink(Began(plan, done, total))
    for job, played in _results(jobs, setup, executor, in_flight, sink):
        records = tuple(GameRecord.FromString(data) for data in played.records)
        ledger.add(played, records)
        done += len(job.games)
        for note in played.notes:
            sink(note)
        sink(Finished(records, done, total))


def missing(plan: Plan, secret: bytes, done: set[str]) -> Iterator[Job]:
    """Yield the games of a plan that are not done, by block, in playing order."""
    for block in plan.blocks:
        games = tuple(game for game in block.games() if game.id not in done)
        if games:
            yield Job(block, games, deal_seed(secret, block.deal))


def _results(
    jobs: Sequence[Job], setup: Setup, executor: Executor, in_flight: int, sink: Sink
) -> Iterator[tuple[Job, Played]]:
    """Yield what comes of the jobs, as it comes. A job whose worker is lost is played again."""
    waiting = list(reversed(jobs))
    running: dict[Future[Played], Job] = {}
    losses: Counter[Block] = Counter()
    while waiting or running:
        while waiting and len(running) < in_flight:
            job = waiting.pop()
            running[executor.submit(play, setup, job)] = job
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        lost = []
        for future in finished:
            job = running.pop(future)
            try:
                played = future.result()
            except WorkerLost as error:
                lost.append((job, error))
            else:
                yield job, played
        if lost:
            waiting.extend(job for job, _ in lost)
            losses.update(job.block for job, _ in lost)
            sink(Lost(str(lost[0][1]), len(lost)))
            _give_up(losses)


def _give_up(losses: Counter[Any]) -> None:
    block, times = losses.most_common(1)[0]
    if times >= MAX_LOSSES:
        bots = ", ".join(block.bots)
        raise RefereeError(
            f"block {block.id} was in play each of {times} times that a worker died; at its table: {bots}",
            "the dying worker's last words are above; `referee doctor` tells whether the machine is short of something",
        )


@contextmanager
def interruptible() -> Iterator[None]:
    """Make SIGTERM a KeyboardInterrupt, as Ctrl-C is."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
