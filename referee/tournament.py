"""A tournament: schedule -> executor -> store. Resuming is playing what is missing."""

from __future__ import annotations

import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from referee import config as configs
from referee.bots.limits import ProcessLimits, granted
from referee.bots.shelf import Bot
from referee.clock import TimeLimits
from referee.config import Config
from referee.errors import ConfigError, RefereeError, WorkerLost
from referee.pool import Pool
from referee.rows import Benching, Entrant, TournamentRow, Void
from referee.schedule import Block, Plan, commitment, deal_seed, gauntlet, round_robin
from referee.store import Store
from referee.v1.record_pb2 import GameRecord
from referee.worker import Benched, Job, JobResult, Setup, Voided, close_sessions, play

MAX_LOSSES = 3
"""How many workers a block may take with it."""


@dataclass(frozen=True, slots=True)
class Began:
    """The tournament goes on from ``done`` of ``total`` games."""

    plan: Plan
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Played:
    """These games are stored."""

    records: tuple[GameRecord, ...]
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker process died; its blocks are played again."""

    reason: str
    blocks: int


Happening = Began | Played | Voided | Benched | Lost
Sink = Callable[[Happening], object]


def plan_for(config: Config, names: Sequence[str]) -> Plan:
    """Return who plays whom."""
    schedule = config.schedule
    if schedule.format == "gauntlet":
        assert schedule.hero is not None
        return gauntlet(config.name, names, config.seats, schedule.deals, schedule.max_games, schedule.hero)
    return round_robin(config.name, names, config.seats, schedule.deals, schedule.max_games)


def setup_for(config: Config, bots: Sequence[Bot], level: str, logs: Path) -> Setup:
    """Return what a worker needs to play a tournament's games. Raises BotError if a bot asks for more than is given."""
    limits = config.limits
    given = ProcessLimits(
        memory=limits.memory,
        processes=limits.processes,
        files=limits.files,
        file_size=limits.file_size,
        log=limits.log,
    )
    for bot in bots:
        granted(bot.manifest, given)
    spare_cores = (os.cpu_count() or 1) - limits.workers
    return Setup(
        tournament=config.name,
        game=config.game,
        options=msgspec.json.encode(config.options, order="sorted").decode(),
        bots=tuple(bots),
        time=TimeLimits(
            start=config.time.start,
            move=config.time.move,
            free=config.time.free,
            bank=config.time.bank,
            shutdown=config.time.shutdown,
        ),
        process_limits=given,
        sandbox=level,
        logs=str(logs.absolute()),
        thinkers=limits.thinkers or max(1, spare_cores),
        max_strikes=limits.max_strikes,
        bench_after=limits.bench_after,
    )


def enter(config: Config, bots: Sequence[Bot], store: Store) -> tuple[TournamentRow, Plan]:
    """Return the tournament as the store has it, new or begun before, and its plan.

    Raises ConfigError if it was begun with other settings or other bots: the games of a tournament must be comparable.
    """
    entrants = tuple(Entrant(bot.name, bot.version, bot.digest) for bot in bots)
    plan = plan_for(config, [bot.name for bot in bots])
    known = {row.name: row for row in store.tournaments()}
    if config.name in known:
        row = known[config.name]
        before = configs.from_json(row.config, f"tournament {config.name} in the arena")
        _refuse_changes(config.name, [*configs.changed(before, config), *_changed_bots(row.bots, entrants)])
        return row, plan
    secret = config.seed.encode() if config.seed else secrets.token_bytes(32)
    store.add_tournament(
        TournamentRow(
            name=config.name,
            game=config.game,
            config=configs.to_json(config),
            bots=entrants,
            blocks=len(plan.blocks),
            secret=secret,
            commitment=commitment(secret),
        )
    )
    return store.tournament(config.name), plan


def _refuse_changes(tournament: str, changes: Sequence[str]) -> None:
    if changes:
        raise ConfigError(
            f"tournament {tournament} was begun with other settings: {'; '.join(changes)}",
            "give the tournament another name, or put the settings back to go on with this one",
        )


def _changed_bots(before: Sequence[Entrant], now: Sequence[Entrant]) -> Iterator[str]:
    old, new = ({e.name: f"{e.version} ({e.digest[:12]})" for e in entrants} for entrants in (before, now))
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield f"bot {name} was {old.get(name, 'not in it')}, is now {new.get(name, 'not in it')}"
    if not set(old) ^ set(new) and list(old) != list(new):
        yield f"bots were {', '.join(old)}, are now {', '.join(new)}"


def run(entered: tuple[TournamentRow, Plan], setup: Setup, config: Config, store: Store, sink: Sink) -> None:
    """Play what is missing of a tournament.

    A game is in the store before it counts anywhere. Raises RefereeError if this machine cannot referee.
    """
    row, plan = entered
    jobs = list(missing(plan, row.secret, store.finished(row.name)))
    total = sum(len(block.games()) for block in plan.blocks)
    done = total - sum(len(job.games) for job in jobs)
    sink(Began(plan, done, total))
    slots = max(1, config.limits.games_in_flight // config.seats)
    if jobs:
        grace = config.time.shutdown / 1e9 + 1.0
        with Pool(config.limits.workers, slots, close_sessions, grace) as pool:
            for job, result in _results(jobs, setup, pool, slots * config.limits.workers, sink):
                records = _commit(store, row.name, result)
                done += len(job.games)
                for voided in result.voided:
                    sink(voided)
                for benched in result.benched:
                    sink(benched)
                sink(Played(records, done, total))
    store.end_tournament(row.name)


def _commit(store: Store, tournament: str, result: JobResult) -> tuple[GameRecord, ...]:
    records = tuple(GameRecord.FromString(data) for data in result.records)
    store.add_games(
        tournament,
        records,
        voids=[Void(note.game_id, note.reason) for note in result.voided],
        benchings=[Benching(note.bot, note.reason) for note in result.benched],
        cpu=result.cpu,
    )
    return records


def missing(plan: Plan, secret: bytes, done: set[str]) -> Iterator[Job]:
    """Yield the games of a plan that are not done, by block, in playing order."""
    for block in plan.blocks:
        games = tuple(game for game in block.games() if game.id not in done)
        if games:
            yield Job(block, games, deal_seed(secret, block.deal))


def _results(
    jobs: Sequence[Job], setup: Setup, executor: Executor, in_flight: int, sink: Sink
) -> Iterator[tuple[Job, JobResult]]:
    """Yield what comes of the jobs, as it comes. A job whose worker is lost is played again."""
    waiting = list(reversed(jobs))
    running: dict[Future[JobResult], Job] = {}
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
                result = future.result()
            except WorkerLost as error:
                lost.append((job, error))
            else:
                yield job, result
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
