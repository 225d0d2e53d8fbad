"""What the arena's database says of games that were played: faults, replay, verify."""

from __future__ import annotations

import json
import sqlite3
import zlib
from random import Random

import pytest

from referee import config, faults, tournament
from referee.entrants import gather
from referee.games import load
from referee.rows import Benching, Void
from referee.schedule import Pairing, deal_seed
from referee.store import Store
from referee.table import Answer, Player, Table
from referee.v1.record_pb2 import Fault, GameRecord
from tests.terminal import Terminal


def late() -> Fault:
    return faults.fault(
        faults.LATE,
        "no answer within 1000 ms",
        us=1_000_000,
        limit_us=1_000_000,
        lag_us=1500,
        reply=b"\xff",
        stderr_tail="thinking\n\x1b[31mstill thinking",
    )


def crashed() -> Fault:
    return faults.fault(faults.CRASHED, "the process ended", exit="signal 9 (SIGKILL)")


def played(pairing: Pairing, seed: bytes, options: object) -> GameRecord:
    """Play a game by chance; ``b`` is late once, and ``c`` crashes in the games of the first deal."""
    game = load("six_nimmt")
    assert isinstance(options, game.options)
    table = Table(game, options, [Player(bot, "1") for bot in pairing.bots], seed)
    rng = Random(pairing.id)
    due = {pairing.bots.index("b"): late()}
    if pairing.id.split("/")[2] == "0":
        due[pairing.bots.index("c")] = crashed()
    while asks := table.asks():
        table.answer(
            {
                ask.seat: Answer(fault=due.pop(ask.seat))
                if ask.seat in due
                else Answer(rng.choice(list(game.legal(table.state, ask.seat))), 1000)
                for ask in asks
            }
        )
    block, _, rotation = pairing.id.rpartition("/")
    return table.record(tournament="cup", id=pairing.id, block=block, rotation=int(rotation), sandbox="none")


@pytest.fixture
def cup(terminal: Terminal) -> Terminal:
    """Give an arena in which the tournament "cup" of three bots has been played: one table, two deals, six games."""
    for name in "abc":
        terminal.bot(name)
    terminal.tournament(
        'bots = ["a", "b", "c"]\nseats = 3\nseed = "s"\nschedule.deals = 2\noptions.max_deals = 1\nsandbox = "none"'
    )
    file = terminal.folder / "tournament.toml"
    settings = config.load(file)
    with Store.open(terminal.arena, write=True) as store:
        row, plan = tournament.enter(settings, gather(settings, file, store, "none"), store)
        records = [
            played(pairing, deal_seed(row.secret, block.deal), settings.options)
            for block in plan.blocks
            for pairing in block.games()
        ]
        store.add_games(
            "cup",
            records,
            voids=[Void("cup/0/0/0", "the machine stood still")],
            benchings=[Benching("c", "benched after 5 crashes")],
        )
        store.end_tournament("cup")
    return terminal


def tamper(terminal: Terminal, game: str, change: dict[str, object]) -> None:
    """Set fields of a stored record."""
    place = game.split("/")[1:]
    where = "WHERE seating = ? AND deal = ? AND rotation = ?"
    database = sqlite3.connect(terminal.arena / "arena.db")
    [data] = database.execute(f"SELECT record FROM games {where}", place).fetchone()
    record = GameRecord.FromString(zlib.decompress(data))
    record.MergeFrom(GameRecord(**change))  # type: ignore[arg-type] # fields by name
    changed = zlib.compress(record.SerializeToString())
    database.execute(f"UPDATE games SET record = ? {where}", [changed, *place])
    database.commit()
    database.close()


def test_faults_are_listed_by_bot_and_say_what_is_next(cup: Terminal) -> None:
    said = cup.type("faults")
    lines = said.out.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [
        *(["b", "LATE", f"cup/0/{deal}/{rotation}"] for deal in range(2) for rotation in range(3)),
        *(["c", "CRASHED", f"cup/0/0/{rotation}"] for rotation in range(3)),
    ]
    assert "no answer within 1000 ms  1000.0    1000.0     1.5" in lines[1]
    assert said.err == (
        "c: benched after 5 crashes\n"
        "1 game void and played again: the referee or the machine failed, not a bot\n"
        "next: see one where it happened, `referee replay cup/0/0/0`\n"
    )


def test_faults_of_one_bot_with_all_the_evidence(cup: Terminal) -> None:
    data = json.loads(cup.type("faults", "cup", "--bot", "b", "--format", "json").out)
    assert data["schema"] == "referee.faults/1"
    assert {fault["bot"] for fault in data["faults"]} == {"b"}
    assert data["faults"][0]["stderr"] == "thinking\n\x1b[31mstill thinking"
    assert data["faults"][0]["ask"].startswith("decision: SIX_NIMMT_DECISION_PLAY_CARD hand: ")
    assert data["faults"][0]["reply"] == "ff"


def test_replay_tells_the_game_and_its_faults_where_they_happened(cup: Terminal) -> None:
    said = cup.type("replay", "cup/0/0/0")
    assert said.code == 0
    lines = said.out.splitlines()
    late = lines.index("  ! b: LATE: no answer within 1000 ms")
    assert lines[late + 1 : late + 5] == [
        "      after 1000.0 ms of 1000.0 ms; the referee itself was late by 1.5 ms",
        "      the end of its stderr:",
        "      | thinking",
        "      | \\x1b[31mstill thinking",
    ]
    assert lines[late - 2].startswith("trick 1: ")
    assert "      the process ended: signal 9 (SIGKILL)" in lines
    assert lines[-1].startswith("3. c: ")
    assert lines[-1].endswith(" points, forfeited")


def test_verify_finds_nothing_in_a_fair_tournament(cup: Terminal) -> None:
    said = cup.type("verify")
    assert (said.code, said.err) == (0, ""), said.out
    verified, commitment, secret = said.out.splitlines()
    assert verified == "cup: 6 games dealt and played again, all as recorded"
    with Store.open(cup.arena, write=False) as store:
        row = store.tournament("cup")
    assert commitment == f"commitment {row.commitment}"
    assert secret == f"secret     {row.secret.hex()}"


def test_verify_keeps_the_secret_of_a_tournament_that_goes_on(cup: Terminal) -> None:
    database = sqlite3.connect(cup.arena / "arena.db")
    database.execute("UPDATE tournaments SET ended = NULL")
    database.commit()
    database.close()
    assert "secret" not in cup.type("verify").out


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"seed": b"mine"}, "its deal does not come from the secret"),
        ({"options": '{"variant":"logic"}'}, 'six_nimmt with {"variant":"logic"}, not six_nimmt with {'),
        ({"events": [{"decision": {"seat": 0}}]}, "the game is over, but the record goes on"),
        ({"block": "cup/9/9"}, "not in the schedule"),
    ],
)
def test_verify_finds_what_was_changed(cup: Terminal, change: dict[str, object], finding: str) -> None:
    tamper(cup, "cup/0/1/2", change)
    said = cup.type("verify")
    assert said.code == 1
    [line] = said.out.splitlines()
    assert line.startswith("game cup/0/1/2")
    assert finding in line


def test_verify_finds_another_secret(cup: Terminal) -> None:
    database = sqlite3.connect(cup.arena / "arena.db")
    database.execute("UPDATE tournaments SET secret = x'00'")
    database.commit()
    database.close()
    said = cup.type("verify")
    assert said.code == 1
    assert said.out.startswith("the secret is not the one committed to: ")
