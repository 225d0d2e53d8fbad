"""Made-up tournaments: rows and records that say what a test needs, and games that were really refereed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec

from referee import config
from referee.config import Config
from referee.games import load
from referee.rows import Entrant, TournamentRow
from referee.schedule import Pairing, commitment
from referee.table import Answer, Player, Table
from referee.v1.record_pb2 import DecidedBy, Decision, Event, Fault, GameRecord, SeatRecord

SECRET = b"a secret of thirty-two bytes....."


def tournament(
    bots: Sequence[str] = ("a", "b"),
    *,
    name: str = "cup",
    game: str = "six_nimmt",
    blocks: int = 0,
    options: dict[str, Any] | None = None,
    **settings: Any,
) -> TournamentRow:
    """Return a tournament of these bots, version 1 each. ``settings`` are further ones of its file."""
    chosen = msgspec.convert(options or {}, load(game).options)
    settled = Config(name=name, game=game, options=chosen, **{"seats": min(len(bots), 4)} | settings)
    return TournamentRow(
        name=name,
        game=settled.game,
        config=config.to_json(settled),
        bots=tuple(Entrant(bot, "1", "digest") for bot in bots),
        blocks=blocks,
        secret=SECRET,
        commitment=commitment(SECRET),
    )


def record(
    game: str,
    points: Sequence[tuple[str, int]],
    *,
    house: Sequence[tuple[str, int]] = (),
    us: Sequence[Sequence[int]] = (),
    faults: Sequence[Fault] = (),
    sandbox: str = "none",
) -> GameRecord:
    """Return a record of a game that ended like this. ``us``: the times of each seat's decisions."""
    scores = [score for _, score in (*points, *house)]
    results = [
        SeatRecord(bot=bot, version="1", points=score, rank=1 + sum(other > score for other in scores))
        for bot, score in (*points, *house)
    ]
    return GameRecord(
        tournament=game.split("/", maxsplit=1)[0],
        id=game,
        block=game.rpartition("/")[0],
        rotation=int(game.rpartition("/")[2]),
        game="six_nimmt",
        options="{}",
        seats=results[: len(points)],
        house=results[len(points) :],
        events=[
            Event(decision=Decision(seat=seat, by=DecidedBy.DECIDED_BY_BOT, us=time))
            for seat, times in enumerate(us)
            for time in times
        ],
        faults=faults,
        sandbox=sandbox,
    )


def refereed(
    pairing: Pairing, seed: bytes, *, game: str = "six_nimmt", due: dict[str, Fault] | None = None, **options: Any
) -> GameRecord:
    """Play a game by chance. Each bot in ``due`` commits its fault at its first decision."""
    rules = load(game)
    table = Table(rules, msgspec.convert(options, rules.options), [Player(bot, "1") for bot in pairing.bots], seed)
    faults = {pairing.bots.index(bot): fault for bot, fault in (due or {}).items()}
    rng = Random(pairing.id)
    while asks := table.asks():
        table.answer(
            {
                ask.seat: Answer(fault=faults.pop(ask.seat))
                if ask.seat in faults
                else Answer(rng.choice(list(rules.legal(table.state, ask.seat))), us=rng.randrange(1, 1000))
                for ask in asks
            }
        )
    tournament, _, _, _ = pairing.id.split("/")
    block = pairing.id.rpartition("/")[0]
    return table.record(tournament=tournament, id=pairing.id, block=block, rotation=pairing.rotation, sandbox="none")
