"""Whole games between real processes over real gRPC: what the zoo does on the wire, and what that costs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee import faults
from referee.bots.limits import ProcessLimits
from referee.clock import TimeLimits
from referee.replay import replay
from referee.schedule import Block
from referee.v1.record_pb2 import GameRecord
from referee.worker import Job, JobResult, Session, Setup
from tests.zoo import wire_bot

SECOND = 1_000_000_000
TIME = TimeLimits(start=30 * SECOND, move=SECOND, free=SECOND // 10, bank=SECOND, shutdown=SECOND // 2)
OPTIONS = '{"both_ends":null,"max_deals":1,"starting_points":66,"variant":"standard"}'


class Host:
    """A session of zoo bots."""

    def __init__(
        self, tmp_path: Path, animals: tuple[str, ...], time: TimeLimits, bench_after: int, deals: int
    ) -> None:
        names = [f"{animal} {i}" for i, animal in enumerate(animals)]
        bots = tuple(wire_bot(tmp_path / str(i), a, n) for i, (a, n) in enumerate(zip(animals, names, strict=True)))
        setup = Setup(
            "zoo", "six_nimmt", OPTIONS, bots, time, ProcessLimits(), "none", str(tmp_path / "logs"), 2, 3, bench_after
        )
        self.session = Session(setup)
        self.names = names
        self.results: list[JobResult] = []
        self.records: list[GameRecord] = []
        for deal in range(deals):
            block = Block(f"zoo/0/{deal}", 0, deal, tuple(names))
            result = self.session.play(Job(block, block.games()[:1], bytes([deal])))
            self.results.append(result)
            self.records += [GameRecord.FromString(data) for data in result.records]

    def faults(self) -> list[str]:
        """Return the first bot's faults as names; assert that nobody else has any and that the records hold."""
        for record in self.records:
            assert list(replay(record))
            assert {fault.seat for fault in record.faults} <= {0}
        return [faults.name(fault.kind) for record in self.records for fault in record.faults]


Play = Callable[..., Host]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    hosts: list[Host] = []

    def start(*animals: str, time: TimeLimits = TIME, bench_after: int = 5, deals: int = 1) -> Host:
        hosts.append(Host(tmp_path / str(len(hosts)), (*animals, "honest"), time, bench_after, deals))
        return hosts[-1]

    yield start
    for host in hosts:
        host.session.close()


def test_honest_bots_have_no_faults(play: Play) -> None:
    host = play("honest", deals=3)
    assert host.faults() == []
    assert all(not record.seats[0].forfeit for record in host.records)


@pytest.mark.parametrize(
    ("animal", "kind"),
    [
        ("exits_before_connecting", "NO_START"),
        ("speaks_protocol_2", "NO_START"),
        ("plays_chess", "NO_START"),
        ("connects_and_closes", "CRASHED"),
        ("exits_when_asked", "CRASHED"),
        ("killed_when_asked", "CRASHED"),
    ],
)
def test_a_bot_that_ends_forfeits_this_game_and_the_other_goes_on(play: Play, animal: str, kind: str) -> None:
    host = play(animal)
    assert host.faults() == [kind]
    [record] = host.records
    assert record.seats[0].forfeit
    assert [seat.rank for seat in record.seats] == [2, 1]


@pytest.mark.parametrize("animal", ["shows_a_wrong_token", "talks_no_http", "never_connects"])
def test_who_says_no_valid_hello_never_started(play: Play, animal: str) -> None:
    limits = TimeLimits(3 * SECOND, TIME.move, TIME.free, TIME.bank, TIME.shutdown)
    host = play(animal, time=limits)
    assert host.faults() == ["NO_START"]
    assert "no Hello within 3 s" in host.records[0].faults[0].reason


@pytest.mark.parametrize(
    ("animal", "kind", "words"),
    [
        ("plays_a_card_it_does_not_hold", "ILLEGAL", "105"),
        ("chooses_a_row_instead", "MALFORMED", "choose_row"),
        ("drafts_instead", "MALFORMED", "draft"),
        ("chooses_nothing", "MALFORMED", ""),
        ("answers_nothing", "MALFORMED", "without a choice"),
        ("answers_for_ten", "MALFORMED", "ten"),
        ("sends_garbage_messages", "MALFORMED", "not a BotMessage"),
        ("sends_five_mebibytes", "MALFORMED", "5242880 bytes"),
    ],
)
def test_three_wrong_answers_are_a_forfeit(play: Play, animal: str, kind: str, words: str) -> None:
    host = play(animal)
    assert host.faults() == [kind] * 3
    assert all(words in fault.reason for fault in host.records[0].faults)
    assert all(fault.ask for fault in host.records[0].faults)


@pytest.mark.parametrize("animal", ["hangs", "chatters"])
def test_silence_and_chatter_are_late_and_the_process_is_replaced(play: Play, animal: str) -> None:
    host = play(animal)
    assert host.faults() == ["LATE"] * 3
    assert all(fault.us >= fault.limit_us for fault in host.records[0].faults)


def test_a_late_answer_is_late_once_and_not_illegal(play: Play) -> None:
    host = play("answers_late")
    assert host.faults() == ["LATE"]


@pytest.mark.parametrize(("concurrency", "kinds"), [(1, set()), (2, {"CRASHED"})])
def test_a_bot_plays_as_many_games_at_once_as_it_says(tmp_path: Path, concurrency: int, kinds: set[str]) -> None:
    bots = (
        wire_bot(tmp_path / "minds", "minds_one_game", concurrency=concurrency),
        wire_bot(tmp_path / "honest", "honest"),
    )
    logs = str(tmp_path / "logs")
    session = Session(Setup("zoo", "six_nimmt", OPTIONS, bots, TIME, ProcessLimits(), "none", logs, bench_after=99))
    block = Block("zoo/0/0", 0, 0, ("minds_one_game", "honest"))
    try:
        result = session.play(Job(block, block.games(), b"seed"))
    finally:
        session.close()
    records = [GameRecord.FromString(data) for data in result.records]
    assert len(records) == 2
    assert {faults.name(fault.kind) for record in records for fault in record.faults} == kinds


@pytest.mark.parametrize("animal", ["answers_twice", "answers_for_others", "connects_twice"])
def test_what_was_not_asked_counts_for_nothing(play: Play, animal: str) -> None:
    assert play(animal).faults() == []


def test_answering_twice_costs_nothing_in_the_long_run_either(play: Play) -> None:
    host = play("answers_twice", deals=6)
    assert host.faults() == []
    assert host.session.players[host.names[0]]._life is not None, "it was never replaced"


def test_a_bot_that_always_crashes_is_benched_and_its_games_are_forfeits_at_once(play: Play) -> None:
    host = play("exits_when_asked", bench_after=2, deals=4)
    assert host.faults() == ["CRASHED"] * 4
    [benched] = [note for result in host.results for note in result.benched]
    assert benched.bot == host.names[0]
    assert "benched after 2" in host.records[3].faults[0].reason


def test_a_fault_keeps_its_evidence(play: Play) -> None:
    [record] = play("exits_when_asked").records
    [fault] = record.faults
    assert fault.exit == "exit code 3"
    assert "something was None" in fault.stderr_tail


def test_a_process_plays_on_after_a_restart(play: Play) -> None:
    host = play("exits_while_written_to", deals=2, bench_after=9)
    assert set(host.faults()) <= {"CRASHED"}
    assert len(host.records) == 2


def test_a_bot_that_will_not_go_is_killed_at_the_end(play: Play) -> None:
    host = play("stays_after_the_end")
    assert host.faults() == []
    pids = [
        player._life.process.pid for player in host.session.players.values() if player._life and player._life.process
    ]
    assert len(pids) == 2
    host.session.close()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
