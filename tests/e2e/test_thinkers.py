"""Tables with more bots than cores: a clock runs only for a bot that has a core to think on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from referee.bots.limits import ProcessLimits
from referee.clock import TimeLimits
from referee.life import Life
from referee.schedule import Block
from referee.seating import Waiting
from referee.v1.record_pb2 import GameRecord
from referee.worker import Job, Session, Setup
from tests.zoo import wire_bot

SECOND = 1_000_000_000
SEATS, THINKERS = 10, 2
OPTIONS = '{"both_ends":null,"max_deals":1,"starting_points":66,"variant":"standard"}'


def test_ten_bots_at_a_table_are_never_more_than_the_thinkers_on_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = tuple(wire_bot(tmp_path / f"b{i}", "honest", f"b{i}") for i in range(SEATS))
    names = tuple(bot.name for bot in bots)
    time = TimeLimits(start=60 * SECOND, move=SECOND)
    logs = str(tmp_path / "logs")
    session = Session(Setup("cup", "six_nimmt", OPTIONS, bots, time, ProcessLimits(), "none", logs, THINKERS))
    thinking: list[int] = []
    send = Life.send

    def count(life: Life, batch: Iterable[Waiting]) -> None:
        send(life, batch)
        lives = [player._life for player in session.players.values()]
        thinking.append(sum(life is not None and life.ready and not life.clock.idle for life in lives))

    monkeypatch.setattr(Life, "send", count)
    block = Block("cup/0/0", 0, 0, names)
    try:
        result = session.play(Job(block, block.games(), b"seed"))
    finally:
        session.close()
    records = [GameRecord.FromString(data) for data in result.records]
    assert len(records) == SEATS
    assert [fault.reason for record in records for fault in record.faults] == []
    assert max(thinking) == THINKERS, "never more, and no core lies idle"
