"""Decisions a second: four Python bots in processes of their own, beside the same bots called in the referee's own.

    python -m benchmarks.throughput

Absolute figures drift with the machine; the column to compare is the ratio to the same bots called in the referee's own
process, measured in the same run.
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from referee import samples
from referee.bots import manifest
from referee.bots.shelf import Bot
from referee.config import Config
from referee.games import load
from referee.schedule import Block
from referee.table import BOT, Answer, Player, Question, Table
from referee.tournament import setup_for
from referee.v1.arena_pb2 import Ask
from referee.v1.record_pb2 import GameRecord
from referee.v1.six_nimmt_pb2 import SixNimmtChoice
from referee.worker import Job, Session

BOTS = ("random", "lowest", "highest", "nearest")
IN_FLIGHT = (1, 8, 64, 256)
SECONDS = 6.0
GAME = load("six_nimmt")


def jobs() -> Iterator[Job]:
    """Yield one game a job, for ever."""
    deal = 0
    while True:
        block = Block(f"bench/0/{deal}", 0, deal, BOTS)
        yield Job(block, block.games()[:1], b"bench %d" % deal)
        deal += 1


def decisions(record: GameRecord) -> int:
    return sum(event.decision.by == BOT for event in record.events if event.HasField("decision"))


def decided(bot: Any, question: Question) -> Answer:
    choice = SixNimmtChoice()
    bot.decide(question.view, choice)
    return Answer(choice, us=1)


def measure(step: Callable[[], int]) -> float:
    """Return decisions a second over about SECONDS of calling ``step``, after one call to warm up."""
    step()
    done, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < SECONDS:
        done += step()
    return done / passed


def in_one_process() -> float:
    """Tables and bots in this process, no protocol: the ceiling."""
    classes = [_bot_class(name) for name in BOTS]
    source = jobs()

    def step() -> int:
        job = next(source)
        bots = [bot_class() for bot_class in classes]
        for seat, bot in enumerate(bots):
            bot.see(Ask(seat=seat, game_id=job.games[0].id), time.monotonic())
        table = Table(GAME, GAME.options(), [Player(name) for name in BOTS], job.seed)
        while asks := table.asks():
            table.answer({q.seat: decided(bots[q.seat], q) for q in asks})
        return decisions(table.record())

    return measure(step)


def over_grpc(in_flight: int, logs: Path) -> float:
    """The real thing: processes, streams, clocks, with ``in_flight`` games at a time."""
    bots = [_bot(name) for name in BOTS]
    setup = setup_for(Config(name="bench", game=GAME.name, options=GAME.options()), bots, "none", logs)
    session = Session(setup)
    source = jobs()

    def play(job: Job) -> int:
        return sum(decisions(GameRecord.FromString(data)) for data in session.play(job).records)

    try:
        with ThreadPoolExecutor(in_flight) as pool:
            for future in [pool.submit(play, next(source)) for _ in range(in_flight)]:
                future.result()
            began = time.perf_counter()
            games = [pool.submit(play, next(source)) for _ in range(max(20, 4 * in_flight))]
            done = sum(game.result() for game in games)
            return done / (time.perf_counter() - began)
    finally:
        session.close()


def _bot(name: str) -> Bot:
    folder = samples.folder() / name
    about = manifest.load(folder)
    return Bot(about.name, about.version, f"bench-{name}", folder, about)


def _bot_class(name: str) -> Any:
    """Return the six_nimmt bot class of a sample bot's file."""
    from referee_sdk import SixNimmtBot

    spec = importlib.util.spec_from_file_location(f"bench_{name}", samples.folder() / name / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return next(
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, SixNimmtBot) and thing is not SixNimmtBot
    )


def main() -> None:
    """Print the table."""
    ceiling = in_one_process()
    print(f"{'games in flight':>16} {'decisions/s':>12} {'of one process':>15}")
    print(f"{'(one process)':>16} {ceiling:>12,.0f} {'100 %':>15}")
    with tempfile.TemporaryDirectory() as logs:
        for in_flight in IN_FLIGHT:
            rate = over_grpc(in_flight, Path(logs))
            print(f"{in_flight:>16} {rate:>12,.0f} {rate / ceiling:>15.0%}")


if __name__ == "__main__":
    main()
